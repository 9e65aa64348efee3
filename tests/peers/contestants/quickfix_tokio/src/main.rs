//! quickfix-tokio as a counterparty of `nexusfix test`: acceptor or initiator, by a configuration
//! file. It answers each order with an ExecutionReport (New), and ends when its standard input ends.

use std::sync::Arc;

use quickfix_tokio::{
    Application, ApplicationError, Engine, MemoryStoreFactory, Message, NullLogFactory, SessionId,
    Settings,
};
use tokio::io::AsyncReadExt;
use tokio::sync::mpsc;

/// The session's own task must not wait for its own messages to be sent, so a worker sends reports.
struct Orders {
    worker: mpsc::UnboundedSender<(SessionId, Message)>,
}

#[async_trait::async_trait]
impl Application for Orders {
    async fn from_app(&self, order: &Message, id: &SessionId) -> Result<(), ApplicationError> {
        if order.msg_type().unwrap_or_default() == "D" {
            let _ = self.worker.send((id.clone(), order.clone()));
        }
        Ok(())
    }
}

fn report_of(order: &Message, number: u64, begin_string: &str) -> Message {
    let quantity = order.body.get_string(38).unwrap_or_default();
    let mut report = Message::with_type("8");
    report.set(37, format!("O{number}").as_str());
    report.set(17, format!("E{number}").as_str());
    for (tag, value) in [(150, "0"), (39, "0"), (14, "0"), (6, "0"), (151, quantity.as_str())] {
        report.set(tag, value);
    }
    if begin_string == "FIX.4.2" {
        report.set(20, "0");
    }
    for tag in [11, 38, 54, 55] {
        if let Ok(value) = order.body.get_string(tag) {
            report.set(tag, value.as_str());
        }
    }
    report
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(2).ok_or("acceptor|initiator CONFIG")?;
    let settings = Settings::from_file(&path).await?;
    let (worker, mut orders) = mpsc::unbounded_channel();
    let engine = Engine::start(
        &settings,
        Arc::new(Orders { worker }),
        Arc::new(MemoryStoreFactory::new()),
        Arc::new(NullLogFactory),
    )
    .await?;
    println!("ready");
    tokio::spawn(async move {
        let mut number = 0;
        while let Some((id, order)) = orders.recv().await {
            number += 1;
            let session =
                engine.session(&id.begin_string, &id.sender_comp_id, &id.target_comp_id);
            if let Some(session) = session {
                let _ = session.send(report_of(&order, number, &id.begin_string)).await;
            }
        }
    });
    let mut rest = Vec::new();
    tokio::io::stdin().read_to_end(&mut rest).await?;
    std::process::exit(0);
}
