//! Logs on, sends an order, prints the report and logs out: `order trader.cfg`.
use nexusfix::fix44::{field, message::NewOrderSingle, OrdType, Side};
use nexusfix::{Application, Decimal, Engine, Fields, Message, Reply, Session, Timestamp};
use std::{cell::Cell, error::Error, time::Duration};

#[derive(Default)]
struct Desk {
    is_done: Cell<bool>,
}

impl Application for Desk {
    fn on_logon(&self, session: &Session) {
        let id = format!("RS{}", Timestamp::now().0);
        let sent = session.send(NewOrderSingle, |order| {
            order
                .set(field::ClOrdID, &id)
                .set(field::Symbol, "AAPL")
                .set(field::Side, Side::Buy);
            order
                .set(field::TransactTime, Timestamp::now())
                .set(field::OrdType, OrdType::Limit);
            order.set(field::OrderQty, Decimal::new(100, 0));
            order.set(field::Price, Decimal::new(15025, -2));
        });
        if let Err(error) = sent {
            println!("not sent: {error}");
        }
    }
    fn on_message(&self, session: &Session, report: Message) -> Reply {
        let id = report.get(field::OrderID).unwrap_or("?");
        match report.get(field::OrdStatus) {
            Ok(status) => println!("OrderID {id}, OrdStatus {status:?}"),
            Err(error) => println!("OrderID {id}: {error}"),
        }
        let _ = session.log_out();
        Reply::Accept
    }
    fn on_logout(&self, _: &Session) {
        self.is_done.set(true);
    }
}

fn trade(path: &str) -> Result<(), Box<dyn Error>> {
    let mut engine = Engine::open(path, Desk::default())?;
    while !engine.application().is_done.get() && engine.poll(Duration::from_millis(100)) {}
    Ok(())
}

fn main() {
    let Some(path) = std::env::args().nth(1) else {
        eprintln!("usage: order FILE.cfg");
        std::process::exit(2);
    };
    if let Err(error) = trade(&path) {
        eprintln!("order: {error}");
        std::process::exit(1);
    }
}
