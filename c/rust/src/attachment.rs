//! What a client of the gateway knows of its sessions and of messages without an answer.
use crate::frames::{
    bad_frame, Frame, Welcome, ACCEPTED, CAUGHT_UP, CLOSED, MESSAGE, REFUSED, SEND, SESSION_STATE,
};
use crate::gateway::{Accepted, CloseCode, Cursor, Event, GatewayError, Options, Place};
use std::collections::{BTreeMap, VecDeque};
use std::os::unix::net::UnixStream;
use std::sync::mpsc::Sender;

const FLAG_DUPLICATE: u16 = 1; // of ACCEPTED
const FLAG_STORED: u16 = 2; // of ACCEPTED
const FLAG_FROM_JOURNAL: u16 = 1; // of MESSAGE
const FLAG_SENT: u16 = 2; // of MESSAGE

const AFTER_REFUSED: u32 = 6; // of REFUSED
const RESET: u32 = 7; // of REFUSED

type Answer = Sender<Result<Accepted, GatewayError>>;

struct Pending {
    session: String,
    body: Vec<u8>,
    answer: Answer,
}

pub(crate) enum Wait {
    Event(Event),
    Nothing,
}

pub(crate) struct Attachment {
    resends: bool,
    places: BTreeMap<(String, bool), Place>,
    pending: BTreeMap<u64, Pending>,
    refused: VecDeque<u64>, // answered with AFTER_REFUSED; the gateway's own answers come later
    again: Option<u64>,     // was refused, and is the next number
    stream: Option<UnixStream>, // None: detached
    last: u64,              // the highest number in use
    pub welcome: Welcome,
    pub end: Option<GatewayError>,
}

impl Attachment {
    pub fn new(options: &Options) -> Attachment {
        let places = options.cursors.iter();
        Attachment {
            resends: options.resends,
            places: places
                .map(|c| ((c.session.clone(), c.of_sent), c.place))
                .collect(),
            pending: BTreeMap::new(),
            refused: VecDeque::new(),
            again: None,
            stream: None,
            last: 0,
            welcome: Welcome::default(),
            end: None,
        }
    }

    pub fn cursors(&self) -> Vec<Cursor> {
        let cursor = |((session, of_sent), place): (&(String, bool), &Place)| Cursor {
            session: session.clone(),
            place: *place,
            of_sent: *of_sent,
        };
        self.places.iter().map(cursor).collect()
    }

    pub fn detach(&mut self) -> Option<UnixStream> {
        self.stream.take()
    }

    /// Returns the frames to send again: those with a higher number than the last one that the
    /// gateway has accepted.
    pub fn adopt(&mut self, stream: UnixStream, welcome: Welcome) -> Vec<u8> {
        self.stream = Some(stream);
        self.last = self.last.max(welcome.last_accepted);
        self.refused.clear();
        self.again = None;
        for session in &welcome.sessions {
            let name = || session.name.clone();
            self.places
                .entry((name(), false))
                .or_insert(session.received);
            if welcome.role == "observer" {
                self.places.entry((name(), true)).or_insert(session.sent);
            }
        }
        self.welcome = welcome;
        let mut again = Vec::new();
        for (number, one) in std::mem::take(&mut self.pending) {
            if number <= self.welcome.last_accepted {
                let _ = one.answer.send(Ok(Accepted {
                    number,
                    place: Place::default(),
                    is_duplicate: true,
                    is_stored: false,
                }));
                continue;
            }
            match self.index_of(&one.session) {
                Some(index) if self.resends => {
                    again.extend(send_frame(index, number, &one.body));
                    self.pending.insert(number, one);
                }
                _ => {
                    let why = "the connection was lost before the message was accepted";
                    let _ = one.answer.send(Err(GatewayError::NotSent(why.to_string())));
                }
            }
        }
        again
    }

    /// The number of a message, where to write it, and its frame.
    pub fn enlist(
        &mut self,
        wanted: u64,
        session: &str,
        body: &[u8],
        answer: Answer,
    ) -> Result<(u64, UnixStream, Vec<u8>), GatewayError> {
        if let Some(end) = &self.end {
            return Err(end.clone());
        }
        let not_sent = |why: String| Err(GatewayError::NotSent(why));
        let Some(stream) = &self.stream else {
            return not_sent("not attached to the gateway".to_string());
        };
        let Some(index) = self.index_of(session) else {
            return not_sent(format!("the client sees no session {session}"));
        };
        let number = if wanted == 0 { self.last + 1 } else { wanted };
        if number <= self.last && number > self.welcome.last_accepted {
            return not_sent(format!("number {number} comes after number {}", self.last));
        }
        if let Some(again) = self.again.filter(|again| number > *again) {
            return not_sent(format!(
                "number {again} was refused, and comes before number {number}"
            ));
        }
        let stream = stream.try_clone()?;
        if number > self.last {
            self.again = None;
        }
        self.last = self.last.max(number);
        let pending = Pending {
            session: session.to_string(),
            body: body.to_vec(),
            answer,
        };
        self.pending.insert(number, pending);
        Ok((number, stream, send_frame(index, number, body)))
    }

    /// Why the client ends: what waits for an answer gets it.
    pub fn finish(&mut self, why: GatewayError) {
        for one in std::mem::take(&mut self.pending).into_values() {
            let _ = one.answer.send(Err(why.clone()));
        }
        self.stream = None;
        self.end = Some(why);
    }

    fn index_of(&self, session: &str) -> Option<u32> {
        let found = self
            .welcome
            .sessions
            .iter()
            .position(|one| one.name == session);
        found.map(|index| index as u32)
    }

    pub fn handle(&mut self, frame: Frame) -> Result<Wait, GatewayError> {
        if frame.kind == CAUGHT_UP {
            return Ok(Wait::Event(Event::CaughtUp));
        } else if frame.kind == CLOSED {
            return Err(GatewayError::Closed(
                CloseCode::of(frame.code),
                frame.text(),
            ));
        }
        let Some(session) = self.welcome.sessions.get(frame.session as usize) else {
            return Err(bad_frame(format!("a frame of session {}", frame.session)));
        };
        let session = session.name.clone();
        match frame.kind {
            MESSAGE => Ok(self.message(session, frame)),
            SESSION_STATE => Ok(Wait::Event(Event::StateChanged {
                session,
                epoch: frame.place.epoch,
                is_logged_on: frame.code == 1,
                reason: frame.text(),
            })),
            ACCEPTED => Ok(self.answer(
                frame.number,
                Ok(Accepted {
                    number: frame.number,
                    place: frame.place,
                    is_duplicate: frame.flags & FLAG_DUPLICATE != 0,
                    is_stored: frame.flags & FLAG_STORED != 0,
                }),
            )),
            REFUSED if frame.code == RESET => Ok(Wait::Event(Event::Refused {
                session,
                number: frame.number,
                place: frame.place,
                code: frame.code,
                reason: frame.text(),
            })),
            REFUSED => Ok(self.refuse(frame)),
            kind => Err(bad_frame(format!("a frame of kind {kind}"))),
        }
    }

    fn answer(&mut self, number: u64, answer: Result<Accepted, GatewayError>) -> Wait {
        if let Some(one) = self.pending.remove(&number) {
            let _ = one.answer.send(answer);
        }
        Wait::Nothing
    }

    /// Answers a message, and those that left after it: the gateway accepts none of them before the
    /// number is used again (in-order=1). Its own answers to them come after this one.
    fn refuse(&mut self, frame: Frame) -> Wait {
        let number = frame.number;
        if frame.code == AFTER_REFUSED && self.refused.front() == Some(&number) {
            self.refused.pop_front();
            return Wait::Nothing;
        }
        let refused = |number, code, reason, wait_ms| {
            Err(GatewayError::Refused {
                number,
                code,
                reason,
                wait_ms,
            })
        };
        let wait_ms = frame.place.msg_seq_num;
        self.answer(number, refused(number, frame.code, frame.text(), wait_ms));
        for (later, one) in self.pending.split_off(&number) {
            let why = format!("message {number} was refused before");
            let _ = one.answer.send(refused(later, AFTER_REFUSED, why, 0));
            self.refused.push_back(later);
        }
        self.last = number.saturating_sub(1);
        self.again = Some(number);
        Wait::Nothing
    }

    fn message(&mut self, session: String, frame: Frame) -> Wait {
        let of_sent = frame.flags & FLAG_SENT != 0;
        let key = (session.clone(), of_sent);
        if self
            .places
            .get(&key)
            .is_some_and(|before| *before >= frame.place)
        {
            return Wait::Nothing; // the program has it
        }
        self.places.insert(key, frame.place);
        Wait::Event(Event::Received {
            cursor: Cursor {
                session,
                place: frame.place,
                of_sent,
            },
            is_from_journal: frame.flags & FLAG_FROM_JOURNAL != 0,
            bytes: frame.body,
        })
    }
}

fn send_frame(session: u32, number: u64, body: &[u8]) -> Vec<u8> {
    Frame {
        kind: SEND,
        session,
        number,
        body: body.to_vec(),
        ..Frame::default()
    }
    .bytes()
}
