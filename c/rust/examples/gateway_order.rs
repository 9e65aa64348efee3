//! Sends an order by a gateway and prints the report: `gateway_order SOCKET NAME TOKEN`.
use nexusfix::fix44::{field, message::NewOrderSingle, OrdType, Side};
use nexusfix::gateway::{Event, Gateway, Options};
use nexusfix::{encode, Decimal, Fields, Header, Parser, Timestamp};
use std::error::Error;

fn send(gateway: &Gateway, session: &str) -> Result<(), Box<dyn Error>> {
    let mut buffer = [0; 512];
    // The gateway writes the header again.
    let header = Header {
        begin_string: "FIX.4.4",
        sender_comp_id: "DESK",
        target_comp_id: "VENUE",
        msg_seq_num: 1,
        sending_time: Timestamp::now(),
    };
    let id = format!("RS{}", Timestamp::now().0);
    let order = encode(NewOrderSingle, &header, &mut buffer, |order| {
        order.set(field::ClOrdID, &id).set(field::Symbol, "AAPL");
        order
            .set(field::Side, Side::Buy)
            .set(field::OrdType, OrdType::Limit);
        order.set(field::TransactTime, Timestamp::now());
        order.set(field::OrderQty, Decimal::new(100, 0));
        order.set(field::Price, Decimal::new(15025, -2));
    })?;
    gateway.send(session, order)?.wait()?;
    Ok(())
}

fn trade(options: Options) -> Result<(), Box<dyn Error>> {
    let gateway = Gateway::attach(options)?;
    let session = gateway.sessions()[0].clone();
    if session.is_logged_on {
        send(&gateway, &session.name)?;
    }
    loop {
        match gateway.receive()? {
            Event::StateChanged {
                is_logged_on: true, ..
            } => send(&gateway, &session.name)?,
            Event::Received { bytes, .. } => {
                let mut parser = Parser::new()?;
                let report = parser.parse(&bytes)?;
                let id = report.get(field::OrderID)?;
                println!(
                    "OrderID {id}, OrdStatus {:?}",
                    report.get(field::OrdStatus)?
                );
                return Ok(()); // a real program stores the event's cursor with the report
            }
            _ => {}
        }
    }
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let [_, socket, name, token] = &words[..] else {
        eprintln!("usage: gateway_order SOCKET NAME TOKEN");
        std::process::exit(2);
    };
    if let Err(error) = trade(Options::new(socket, name, token)) {
        eprintln!("gateway_order: {error}");
        std::process::exit(1);
    }
}
