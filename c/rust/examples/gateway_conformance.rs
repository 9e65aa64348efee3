//! Attaches and prints all that happens, for clients/tests/conformance.py:
//! SOCKET NAME TOKEN [EPOCH MSGSEQNUM SESSION]; then lines "send SESSION CLORDID" or "end".
use nexusfix::fix44::{field, message::NewOrderSingle, OrdType, Side};
use nexusfix::gateway::{Cursor, Event, Gateway, GatewayError, Options, Place};
use nexusfix::{encode, Decimal, Fields, Header, Parser, Timestamp};
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;
use std::{io, thread};

fn code(error: &GatewayError) -> u32 {
    match error {
        GatewayError::Closed(code, _) => *code as u32,
        _ => 0,
    }
}

fn print(event: Event) -> Result<(), Box<dyn Error>> {
    match event {
        Event::CaughtUp => println!("caughtup"),
        Event::Detached(_) => println!("detached"),
        Event::Reattached => println!("reattached"),
        Event::Refused { number, code, .. } => println!("refused {number} {code}"),
        Event::StateChanged {
            session,
            epoch,
            is_logged_on,
            ..
        } => {
            println!(
                "state {} {epoch} {session}",
                if is_logged_on { "on" } else { "off" }
            );
        }
        Event::Received {
            cursor,
            is_from_journal,
            bytes,
        } => {
            let mut parser = Parser::new()?;
            let message = parser.parse(&bytes)?;
            let Cursor {
                session,
                place,
                of_sent,
            } = cursor;
            println!(
                "message {} {} {} {} {} {} {session}",
                place.epoch,
                place.msg_seq_num,
                u8::from(is_from_journal),
                u8::from(of_sent),
                message.msg_type(),
                message.find(field::ClOrdID)?.unwrap_or("-"),
            );
        }
        _ => {}
    }
    Ok(())
}

fn send(gateway: &Gateway, session: &str, id: &str) -> Result<(), Box<dyn Error>> {
    let mut buffer = [0; 512];
    let header = Header {
        begin_string: "FIX.4.4",
        sender_comp_id: "TRADER",
        target_comp_id: "VENUE",
        msg_seq_num: 1,
        sending_time: Timestamp::now(),
    };
    let order = encode(NewOrderSingle, &header, &mut buffer, |order| {
        order.set(field::ClOrdID, id).set(field::Symbol, "AAPL");
        order
            .set(field::Side, Side::Buy)
            .set(field::OrdType, OrdType::Limit);
        order.set(field::TransactTime, Timestamp::now());
        order.set(field::OrderQty, Decimal::new(100, 0));
        order.set(field::Price, Decimal::new(15025, -2));
    })?;
    let Ok(sending) = gateway.send(session, order) else {
        println!("notsent");
        return Ok(());
    };
    thread::spawn(move || match sending.wait() {
        Ok(accepted) => println!(
            "accepted {} {} {} {}",
            accepted.number,
            accepted.place.epoch,
            accepted.place.msg_seq_num,
            u8::from(accepted.is_duplicate)
        ),
        Err(GatewayError::Refused { number, code, .. }) => println!("refused {number} {code}"),
        Err(_) => println!("failed"),
    });
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().collect();
    let mut options = Options::new(&words[1], &words[2], &words[3]);
    options.retry_min = Duration::from_millis(10);
    if let [epoch, msg_seq_num, session] = &words[4..] {
        let place = Place {
            epoch: epoch.parse()?,
            msg_seq_num: msg_seq_num.parse()?,
        };
        options.cursors = vec![Cursor {
            session: session.clone(),
            place,
            of_sent: false,
        }];
    }
    let gateway = match Gateway::attach(options) {
        Ok(gateway) => Arc::new(gateway),
        Err(error) => {
            println!("error {}", code(&error));
            return Ok(());
        }
    };
    println!("attached {} {}", gateway.role(), gateway.last_accepted());
    let sender = Arc::clone(&gateway);
    thread::spawn(move || {
        for line in io::stdin().lines().map_while(Result::ok) {
            match line.split(' ').collect::<Vec<_>>()[..] {
                ["send", session, id] => send(&sender, session, id).expect("an order"),
                _ => break,
            }
        }
        sender.close();
    });
    loop {
        match gateway.receive() {
            Ok(event) => print(event)?,
            Err(end) => {
                println!("ended {}", code(&end));
                return Ok(());
            }
        }
    }
}
