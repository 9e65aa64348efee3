//! A program that is attached to `nexusfix gateway`: it sends and receives, and the gateway holds
//! the sessions.
//!
//! ```no_run
//! use nexusfix::gateway::{Event, Gateway, Options};
//! let gateway = Gateway::attach(Options::new("gateway.sock", "desk1", "its token"))?;
//! let accepted = gateway.send("FIX.4.4:DESK->VENUE", b"35=D\x0111=A1\x01")?.wait()?;
//! while let Event::StateChanged { .. } = gateway.receive()? {}
//! # Ok::<(), nexusfix::gateway::GatewayError>(())
//! ```

use crate::attachment::{Attachment, Wait};
use crate::frames::{bad_frame, hello, welcome, Frame, CLOSED, FRAME_BYTES_MAX, HEADER_BYTES};
use crate::frames::{HELLO, WELCOME};
use std::io::{self, BufReader, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use std::{fmt, thread};

/// The place of a message: by epoch, then by MsgSeqNum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The session's number of resets, plus 1; 0: before all.
    pub epoch: u64,
    /// MsgSeqNum (34).
    pub msg_seq_num: u64,
}

/// The last message of a session that the program has handled. Keep it in a store of your own,
/// written together with the effect of the message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    /// The name of the session.
    pub session: String,
    /// Where the message stands in its session.
    pub place: Place,
    /// An observer's: of the messages that the session has sent.
    pub of_sent: bool,
}

/// What the gateway says of a session when the client attaches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionInfo {
    /// Such as FIX.4.4:DESK->VENUE.
    pub name: String,
    /// Whether it is logged on.
    pub is_logged_on: bool,
    /// The last message from the counterparty.
    pub received: Place,
    /// The last message to the counterparty.
    pub sent: Place,
}

/// How a client attaches.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// The gateway's Unix socket.
    pub socket: PathBuf,
    /// The client's, as the gateway's file of clients has it.
    pub name: String,
    /// The secret of this name.
    pub token: String,
    /// From the program's own store. Without one: what arrives from now on.
    pub cursors: Vec<Cursor>,
    /// Whether messages without an answer are sent again after a lost connection.
    pub resends: bool,
    /// Events that may wait. With more the client ends with `TooSlow`, and nothing is lost.
    pub queue_max: usize,
    /// The first delay after a lost connection, which doubles to `retry_max`.
    pub retry_min: Duration,
    /// The longest delay.
    pub retry_max: Duration,
}

impl Options {
    /// With resends, 65,536 events, and delays of 100 ms to 5 s.
    pub fn new(socket: impl AsRef<Path>, name: &str, token: &str) -> Options {
        Options {
            socket: socket.as_ref().to_path_buf(),
            name: name.to_string(),
            token: token.to_string(),
            cursors: Vec::new(),
            resends: true,
            queue_max: 1 << 16,
            retry_min: Duration::from_millis(100),
            retry_max: Duration::from_secs(5),
        }
    }
}

/// What [`Gateway::receive`] returns.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// An application message; [`crate::Parser`] reads its bytes.
    Received {
        /// To keep after the message is handled: session, place and direction.
        cursor: Cursor,
        /// It arrived before the client attached.
        is_from_journal: bool,
        /// As it came.
        bytes: Vec<u8>,
    },
    /// A session has logged on or out.
    StateChanged {
        /// Its name.
        session: String,
        /// Its epoch.
        epoch: u64,
        /// Whether it is logged on.
        is_logged_on: bool,
        /// For people.
        reason: String,
    },
    /// All messages of the journal have come.
    CaughtUp,
    /// The connection is lost, and why. The client attaches again by itself.
    Detached(String),
    /// The client is attached again, and has sent what the gateway had not accepted.
    Reattached,
    /// A message whose `Accepted` has `is_stored` is never sent: a reset of the session came first.
    Refused {
        /// The name of the session.
        session: String,
        /// The message's number.
        number: u64,
        /// The one of its `Accepted`.
        place: Place,
        /// The protocol's code: 7.
        code: u32,
        /// For people.
        reason: String,
    },
}

/// A message and its number are in the gateway's journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accepted {
    /// The message's number.
    pub number: u64,
    /// The message's; 0 of a duplicate.
    pub place: Place,
    /// The number was accepted before: the gateway has sent the message once.
    pub is_duplicate: bool,
    /// The session is not logged on: a resend sends it after the next Logon.
    pub is_stored: bool,
}

/// Why a connection or a client has ended, by the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum CloseCode {
    Version = 1,
    Denied = 2,
    AlreadyAttached = 3,
    BadFrame = 4,
    TooSlow = 5,
    NoHello = 6,
    Stopping = 7,
    CursorInvalid = 8,
    MessagesGone = 9,
    ClientEnds = 10,
    Other = 11,
}

impl CloseCode {
    pub(crate) fn of(code: u32) -> CloseCode {
        use CloseCode::*;
        let all = [
            Version,
            Denied,
            AlreadyAttached,
            BadFrame,
            TooSlow,
            NoHello,
            Stopping,
            CursorInvalid,
            MessagesGone,
            ClientEnds,
        ];
        (code as usize)
            .checked_sub(1)
            .and_then(|at| all.get(at).copied())
            .unwrap_or(Other)
    }
    fn is_final(self) -> bool {
        use CloseCode::*;
        matches!(
            self,
            Version | Denied | BadFrame | CursorInvalid | MessagesGone | ClientEnds
        )
    }
}

/// What can fail.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum GatewayError {
    /// The connection or the client has ended. The text is for people.
    Closed(CloseCode, String),
    /// Nothing was sent.
    Refused {
        /// The message's number. The next message has the lowest number that was refused.
        number: u64,
        /// The protocol's code, 1 to 6. All messages that left between a refused one and its answer
        /// have 6.
        code: u32,
        /// For people.
        reason: String,
        /// The milliseconds to wait, with code 4.
        wait_ms: u64,
    },
    /// Nothing was sent: there is no connection, or it was lost before the message was accepted.
    NotSent(String),
    /// The socket.
    Io(String),
}

impl From<io::Error> for GatewayError {
    fn from(error: io::Error) -> Self {
        GatewayError::Io(error.to_string())
    }
}

impl fmt::Display for GatewayError {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GatewayError::Closed(code, why) => {
                write!(to, "closed with code {}: {why}", *code as u32)
            }
            GatewayError::Refused { number, reason, .. } => {
                write!(to, "message {number} was refused: {reason}")
            }
            GatewayError::NotSent(why) => write!(to, "nothing was sent: {why}"),
            GatewayError::Io(why) => to.write_str(why),
        }
    }
}

impl std::error::Error for GatewayError {}

/// A message that waits for its answer.
#[derive(Debug)]
pub struct Sending {
    /// The message's number.
    pub number: u64,
    answer: Receiver<Result<Accepted, GatewayError>>,
}

impl Sending {
    /// Waits for the answer. `Closed`: the client has ended, and the message may have been sent.
    pub fn wait(self) -> Result<Accepted, GatewayError> {
        self.answer.recv().unwrap_or_else(|_| Err(client_ended()))
    }
}

fn client_ended() -> GatewayError {
    GatewayError::Closed(CloseCode::ClientEnds, "the client has ended".to_string())
}

struct Shared {
    options: Options,
    state: Mutex<Attachment>,
    // Held from the choice of a number to the write of its frame.
    writing: Mutex<()>,
    is_closing: Mutex<bool>,
    closing: Condvar,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A client, which attaches again after a lost connection. Any thread may send; it has a thread of
/// its own. Dropping it ends the connection; the sessions go on.
pub struct Gateway {
    shared: Arc<Shared>,
    events: Mutex<Receiver<Result<Event, GatewayError>>>,
    thread: Option<thread::JoinHandle<()>>,
}

impl Gateway {
    /// Connects and waits for the Welcome. `Closed`: the gateway refuses the client.
    pub fn attach(options: Options) -> Result<Gateway, GatewayError> {
        let (sender, events) = mpsc::sync_channel(options.queue_max.max(2));
        let shared = Arc::new(Shared {
            state: Mutex::new(Attachment::new(&options)),
            options,
            writing: Mutex::new(()),
            is_closing: Mutex::new(false),
            closing: Condvar::new(),
        });
        let reader = shared.connect()?;
        let own = Arc::clone(&shared);
        let thread = thread::spawn(move || own.run(reader, &sender));
        Ok(Gateway {
            shared,
            events: Mutex::new(events),
            thread: Some(thread),
        })
    }

    /// The sessions that the client may see, as they were when it attached.
    pub fn sessions(&self) -> Vec<SessionInfo> {
        locked(&self.shared.state).welcome.sessions.clone()
    }

    /// "trader" or "observer".
    pub fn role(&self) -> String {
        locked(&self.shared.state).welcome.role.clone()
    }

    /// The highest number whose message was in the gateway's journal when the client attached.
    pub fn last_accepted(&self) -> u64 {
        locked(&self.shared.state).welcome.last_accepted
    }

    /// Sends a message: its fields with SOH after each, from 35= or from 8= on, as
    /// [`crate::encode`] makes it. The gateway writes the header. Messages leave in the order of
    /// these calls.
    pub fn send(&self, session: &str, message: &[u8]) -> Result<Sending, GatewayError> {
        self.send_as(0, session, message)
    }

    /// With a number of the program's own: higher than every one before, or one that was accepted
    /// before the client attached, whose answer is a duplicate. 0: the next one. After a refusal the
    /// next message has the lowest number that was refused.
    pub fn send_as(
        &self,
        number: u64,
        session: &str,
        message: &[u8],
    ) -> Result<Sending, GatewayError> {
        if message.len() > FRAME_BYTES_MAX - HEADER_BYTES {
            return Err(GatewayError::NotSent("the message is too long".to_string()));
        }
        let (answer, receiver) = mpsc::channel();
        let _writing = locked(&self.shared.writing);
        let (number, mut stream, frame) =
            locked(&self.shared.state).enlist(number, session, message, answer)?;
        // After an error the reader sees the lost connection, and the next Welcome decides.
        let _ = stream.write_all(&frame);
        Ok(Sending {
            number,
            answer: receiver,
        })
    }

    /// Waits for the next event. After the client has ended and all events are read: why.
    pub fn receive(&self) -> Result<Event, GatewayError> {
        locked(&self.events)
            .recv()
            .unwrap_or_else(|_| Err(self.shared.end()))
    }

    /// Waits at most so long. `None`: no event has come.
    pub fn receive_within(&self, limit: Duration) -> Result<Option<Event>, GatewayError> {
        match locked(&self.events).recv_timeout(limit) {
            Ok(event) => event.map(Some),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(self.shared.end()),
        }
    }

    /// Ends the connection. `receive()` then returns what waits, and the end.
    pub fn close(&self) {
        *locked(&self.shared.is_closing) = true;
        self.shared.closing.notify_all();
        if let Some(stream) = locked(&self.shared.state).detach() {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        self.close();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Shared {
    fn is_closing(&self) -> bool {
        *locked(&self.is_closing)
    }

    fn end(&self) -> GatewayError {
        locked(&self.state).end.clone().unwrap_or_else(client_ended)
    }

    fn connect(&self) -> Result<BufReader<UnixStream>, GatewayError> {
        let cursors = locked(&self.state).cursors();
        let body = hello(&self.options.name, &self.options.token, &cursors)?;
        let mut stream = UnixStream::connect(&self.options.socket)?;
        let greeting = Frame {
            kind: HELLO,
            body,
            ..Frame::default()
        };
        stream.write_all(&greeting.bytes())?;
        let mut reader = BufReader::new(stream.try_clone()?);
        let answer = Frame::read(&mut reader)?;
        if answer.kind == CLOSED {
            return Err(GatewayError::Closed(
                CloseCode::of(answer.code),
                answer.text(),
            ));
        } else if answer.kind != WELCOME {
            return Err(bad_frame(format!(
                "a frame of kind {} instead of the Welcome",
                answer.kind
            )));
        }
        let _writing = locked(&self.writing);
        let again = locked(&self.state).adopt(stream.try_clone()?, welcome(&answer)?);
        // After an error the reader sees the lost connection.
        let _ = stream.write_all(&again);
        if self.is_closing() {
            let _ = stream.shutdown(Shutdown::Both);
        }
        Ok(reader)
    }

    fn run(&self, first: BufReader<UnixStream>, events: &SyncSender<Result<Event, GatewayError>>) {
        let mut reader = first;
        let end = loop {
            let lost = self.read(&mut reader, events);
            locked(&self.state).detach();
            if let Some(end) = self.end_of(&lost) {
                break end;
            }
            if events
                .try_send(Ok(Event::Detached(lost.to_string())))
                .is_err()
            {
                break queue_full();
            }
            match self.reattach() {
                Ok(attached) => reader = attached,
                Err(end) => break end,
            }
            if events.try_send(Ok(Event::Reattached)).is_err() {
                break queue_full();
            }
        };
        locked(&self.state).finish(end);
    }

    fn end_of(&self, error: &GatewayError) -> Option<GatewayError> {
        if self.is_closing() {
            return Some(client_ended());
        }
        match error {
            GatewayError::Closed(code, _) if code.is_final() || *error == queue_full() => {
                Some(error.clone())
            }
            _ => None,
        }
    }

    fn reattach(&self) -> Result<BufReader<UnixStream>, GatewayError> {
        let mut delay = self.options.retry_min;
        loop {
            let guard = locked(&self.is_closing);
            let waited = self
                .closing
                .wait_timeout_while(guard, delay, |closing| !*closing);
            drop(waited);
            if self.is_closing() {
                return Err(client_ended());
            }
            match self.connect() {
                Ok(reader) => return Ok(reader),
                Err(error) => {
                    if let Some(end) = self.end_of(&error) {
                        return Err(end);
                    }
                }
            }
            delay = (2 * delay).min(self.options.retry_max);
        }
    }

    fn read(
        &self,
        reader: &mut BufReader<UnixStream>,
        events: &SyncSender<Result<Event, GatewayError>>,
    ) -> GatewayError {
        loop {
            let handled = match Frame::read(reader) {
                Ok(frame) => locked(&self.state).handle(frame),
                Err(error) => Err(error),
            };
            match handled {
                Ok(Wait::Event(event)) => {
                    if events.try_send(Ok(event)).is_err() {
                        return queue_full();
                    }
                }
                Ok(Wait::Nothing) => {}
                Err(error) => return error,
            }
        }
    }
}

fn queue_full() -> GatewayError {
    let why = "the program receives events too slowly: queue_max wait";
    GatewayError::Closed(CloseCode::TooSlow, why.to_string())
}
