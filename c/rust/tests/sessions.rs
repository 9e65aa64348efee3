//! A venue and a trader in one process.
use nexusfix::fix44::{field, message, ExecType, OrdStatus, OrdType, Side};
use nexusfix::{Application, Decimal, Engine, Fields, Message, Reply, Session, Timestamp};
use std::cell::{Cell, RefCell};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::time::Duration;

#[derive(Default)]
struct Venue {
    rejects: bool,
}

impl Application for Venue {
    fn on_message(&self, session: &Session, order: Message) -> Reply {
        if self.rejects {
            return Reply::BusinessReject(0, 0, "closed".into());
        }
        let price = order.get(field::Price).unwrap();
        let report = session.send(message::ExecutionReport, |report| {
            report.set(field::OrderID, "O1").set(field::ExecID, "E1");
            report
                .set(field::ExecType, ExecType::New)
                .set(field::OrdStatus, OrdStatus::New);
            report.set(field::Symbol, order.get(field::Symbol).unwrap());
            report.set(field::Side, Side::Buy).set(field::Price, price);
            report.set(field::LeavesQty, Decimal::new(100, 0));
            report
                .set(field::CumQty, Decimal::new(0, 0))
                .set(field::AvgPx, Decimal::new(0, 0));
        });
        report.unwrap();
        Reply::Accept
    }
}

#[derive(Default)]
struct Trader {
    received: RefCell<Vec<String>>,
    logged_out: Cell<bool>,
    panics: bool,
}

impl Application for Trader {
    fn on_logon(&self, session: &Session) {
        assert!(!self.panics, "a panic of the program");
        assert!(session.is_logged_on());
        let sent = session.send(message::NewOrderSingle, |order| {
            order
                .set(field::ClOrdID, "A1")
                .set(field::Symbol, "AAPL")
                .set(field::Side, Side::Buy);
            order
                .set(field::TransactTime, Timestamp::now())
                .set(field::OrdType, OrdType::Limit);
            order.set(field::OrderQty, Decimal::new(100, 0));
            order.set(field::Price, Decimal::new(15025, -2));
        });
        assert_eq!(sent, Ok(2));
        let empty = session.send(message::NewOrderSingle, |order| {
            order.set(field::ClOrdID, "");
        });
        assert_eq!(empty.unwrap_err().tag, 11);
    }
    fn on_message(&self, session: &Session, message: Message) -> Reply {
        self.received
            .borrow_mut()
            .push(message.msg_type().to_string());
        session.log_out().unwrap();
        Reply::Accept
    }
    fn on_logout(&self, _: &Session) {
        self.logged_out.set(true);
    }
}

fn pair(venue: Venue, trader: Trader) -> (Engine<Venue>, Engine<Trader>) {
    let text = "[DEFAULT]\nConnectionType=acceptor\nSocketAcceptHost=127.0.0.1\n\
                SocketAcceptPort=0\nStore=memory\nNonStopSession=Y\n[SESSION]\n\
                BeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=TRADER\n";
    let venue = Engine::open_text(text, "venue.cfg", venue).unwrap();
    let text = format!(
        "[DEFAULT]\nConnectionType=initiator\nSocketConnectHost=127.0.0.1\n\
         SocketConnectPort={}\nHeartBtInt=30\nStore=memory\nNonStopSession=Y\n[SESSION]\n\
         BeginString=FIX.4.4\nSenderCompID=TRADER\nTargetCompID=VENUE\n",
        venue.port()
    );
    (
        venue,
        Engine::open_text(&text, "trader.cfg", trader).unwrap(),
    )
}

fn trade(venue: Venue) -> Vec<String> {
    let (mut venue, mut trader) = pair(venue, Trader::default());
    while !trader.application().logged_out.get() {
        venue.poll(Duration::from_micros(500));
        trader.poll(Duration::from_micros(500));
    }
    let received = trader.application().received.take();
    received
}

#[test]
fn an_order_is_answered_by_a_report() {
    assert_eq!(trade(Venue::default()), ["8"]);
}

#[test]
fn an_order_is_rejected_by_the_reply() {
    assert_eq!(trade(Venue { rejects: true }), ["j"]);
}

#[test]
fn a_panic_of_a_callback_goes_on_in_poll() {
    let (mut venue, mut trader) = pair(
        Venue::default(),
        Trader {
            panics: true,
            ..Trader::default()
        },
    );
    let panic = catch_unwind(AssertUnwindSafe(|| loop {
        venue.poll(Duration::from_micros(500));
        trader.poll(Duration::from_micros(500));
    }));
    assert!(panic.is_err());
}

#[test]
fn a_wrong_configuration_is_an_error() {
    let error = Engine::open("/no/such.cfg", Venue::default())
        .err()
        .unwrap();
    assert_eq!(error.status, "NXF_CONFIGURATION");
    assert!(error.text.contains("/no/such.cfg"));
}
