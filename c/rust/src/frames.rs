//! The frames of docs/reference/gateway-protocol.md, and the texts of Hello and Welcome.
use crate::gateway::{CloseCode, Cursor, GatewayError, Place, SessionInfo};
use std::io::{self, Read};

pub(crate) const HEADER_BYTES: usize = 40;
pub(crate) const FRAME_BYTES_MAX: usize = (1 << 20) + (4 << 10);
const VERSION: u8 = 1;
const HELLO_BYTES_MAX: usize = 64 << 10;

pub(crate) const HELLO: u8 = 1;
pub(crate) const WELCOME: u8 = 2;
pub(crate) const SEND: u8 = 3;
pub(crate) const ACCEPTED: u8 = 4;
pub(crate) const REFUSED: u8 = 5;
pub(crate) const MESSAGE: u8 = 6;
pub(crate) const SESSION_STATE: u8 = 7;
pub(crate) const CAUGHT_UP: u8 = 8;
pub(crate) const CLOSED: u8 = 9;

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Frame {
    pub kind: u8,
    pub flags: u16,
    pub session: u32,
    pub code: u32,
    pub place: Place,
    pub number: u64,
    pub body: Vec<u8>,
}

pub(crate) fn bad_frame(reason: String) -> GatewayError {
    GatewayError::Closed(CloseCode::BadFrame, reason)
}

impl Frame {
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub fn bytes(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(HEADER_BYTES + self.body.len());
        out.extend(((HEADER_BYTES + self.body.len()) as u32).to_le_bytes());
        out.extend([VERSION, self.kind]);
        out.extend(self.flags.to_le_bytes());
        out.extend(self.session.to_le_bytes());
        out.extend(self.code.to_le_bytes());
        out.extend(self.place.epoch.to_le_bytes());
        out.extend(self.place.msg_seq_num.to_le_bytes());
        out.extend(self.number.to_le_bytes());
        out.extend(&self.body);
        out
    }

    /// The next frame. An error of the socket: the connection has ended, also inside a frame.
    pub fn read(from: &mut impl Read) -> Result<Frame, GatewayError> {
        let mut header = [0; HEADER_BYTES];
        from.read_exact(&mut header)?;
        let length = u32_at(&header, 0) as usize;
        if !(HEADER_BYTES..=FRAME_BYTES_MAX).contains(&length) {
            return Err(bad_frame(format!("a frame of {length} bytes")));
        }
        if header[4] != VERSION {
            return Err(bad_frame(format!(
                "the gateway speaks version {} of the protocol, this client {VERSION}",
                header[4]
            )));
        }
        let mut body = vec![0; length - HEADER_BYTES];
        from.read_exact(&mut body)?;
        Ok(Frame {
            kind: header[5],
            flags: u16::from_le_bytes([header[6], header[7]]),
            session: u32_at(&header, 8),
            code: u32_at(&header, 12),
            place: Place {
                epoch: u64_at(&header, 16),
                msg_seq_num: u64_at(&header, 24),
            },
            number: u64_at(&header, 32),
            body,
        })
    }
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"))
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"))
}

pub(crate) fn hello(name: &str, token: &str, cursors: &[Cursor]) -> io::Result<Vec<u8>> {
    let wrong = |text: String| Err(io::Error::new(io::ErrorKind::InvalidInput, text));
    let mut lines = vec![format!("name={name}"), format!("token={token}")];
    lines.push("in-order=1".to_string());
    for cursor in cursors {
        let key = if cursor.of_sent { "sent" } else { "cursor" };
        let Place { epoch, msg_seq_num } = cursor.place;
        lines.push(format!("{key}={epoch} {msg_seq_num} {}", cursor.session));
    }
    if let Some(line) = lines.iter().find(|line| line.contains('\n')) {
        return wrong(format!("a line feed in {line:?}"));
    }
    let body = lines.join("\n") + "\n";
    if body.len() > HELLO_BYTES_MAX {
        return wrong(format!("the cursors need {} bytes", body.len()));
    }
    Ok(body.into_bytes())
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Welcome {
    pub role: String,
    pub sessions: Vec<SessionInfo>,
    pub last_accepted: u64,
}

/// Ignores lines of keys that this client does not know.
pub(crate) fn welcome(frame: &Frame) -> Result<Welcome, GatewayError> {
    let mut made = Welcome {
        last_accepted: frame.number,
        ..Welcome::default()
    };
    for line in frame.text().lines() {
        match line.split_once('=') {
            Some(("role", role)) => made.role = role.to_string(),
            Some(("session", text)) => {
                let session = session(text, made.sessions.len())
                    .ok_or_else(|| bad_frame(format!("the Welcome has the line {line:?}")))?;
                made.sessions.push(session);
            }
            _ => {}
        }
    }
    Ok(made)
}

fn session(text: &str, index: usize) -> Option<SessionInfo> {
    let words: Vec<&str> = text.splitn(6, ' ').collect();
    let [number, epoch, received, sent, state, name] = words[..] else {
        return None;
    };
    if number.parse() != Ok(index) {
        return None;
    }
    let epoch = epoch.parse().ok()?;
    let place = |text: &str| {
        let msg_seq_num = text.parse().ok()?;
        Some(Place { epoch, msg_seq_num })
    };
    Some(SessionInfo {
        name: name.to_string(),
        is_logged_on: state == "on",
        received: place(received)?,
        sent: place(sent)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn send_has_the_bytes_of_the_document() {
        let sent = Frame {
            kind: SEND,
            number: 7,
            body: b"35=D\x0111=A1\x0155=AAPL\x0154=1\x0138=100\x0140=1\x0121=1\x0159=0\x01"
                .to_vec(),
            ..Frame::default()
        };
        let bytes = sent.bytes();
        assert_eq!(bytes[..8], [0x56, 0, 0, 0, 1, 3, 0, 0]);
        assert_eq!(bytes[32..40], [7, 0, 0, 0, 0, 0, 0, 0]);
        assert!(bytes[8..32].iter().all(|byte| *byte == 0));
        assert_eq!(Frame::read(&mut &bytes[..]).unwrap(), sent);
        for size in 0..bytes.len() {
            assert!(matches!(
                Frame::read(&mut &bytes[..size]),
                Err(GatewayError::Io(_))
            ));
        }
    }

    #[test]
    fn bytes_that_are_no_frame_are_refused() {
        let good = Frame::default().bytes();
        for (at, value) in [(0, 39), (3, 1), (4, 2)] {
            let mut wrong = good.clone();
            wrong[at] = value;
            assert!(matches!(
                Frame::read(&mut &wrong[..]),
                Err(GatewayError::Closed(CloseCode::BadFrame, _))
            ));
        }
    }

    #[test]
    fn welcome_is_read_by_line() {
        let frame = |body: &str| Frame {
            number: 9,
            body: body.as_bytes().to_vec(),
            ..Frame::default()
        };
        let read = welcome(&frame(
            "gateway=1\nrole=observer\nlater=x\nsession=0 2 30 40 on FIX.4.4:A->B\n\
             session=1 1 0 0 off with a blank\n",
        ))
        .unwrap();
        assert_eq!((read.role.as_str(), read.last_accepted), ("observer", 9));
        assert_eq!(read.sessions[0].sent.msg_seq_num, 40);
        assert_eq!(read.sessions[1].name, "with a blank");
        for line in [
            "session=1 1 0 0 on x",
            "session=0 x 0 0 on x",
            "session=0 1",
        ] {
            assert!(welcome(&frame(line)).is_err(), "{line}");
        }
        assert!(hello("a\nb", "", &[]).is_err());
    }
}
