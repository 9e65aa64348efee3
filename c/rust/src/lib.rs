//! FIX messages, dictionaries and sessions, over the C interface of NexusFIX.
//!
//! A message borrows its parser and its bytes, so the compiler refuses one that is out of date.
//! Values have the types of the dictionary: `report.get(field::Price)` is a [`Decimal`], and
//! `field::Side` gives [`fix44::Side`]. No caller needs `unsafe`.
//!
//! ```
//! use nexusfix::{fix44::{field, message, Side}, encode, Fields, Header, Parser, Timestamp};
//! let header = Header { begin_string: "FIX.4.4", sender_comp_id: "TRADER",
//!     target_comp_id: "VENUE", msg_seq_num: 7, sending_time: Timestamp(0) };
//! let mut buffer = [0; 256];
//! let bytes = encode(message::NewOrderSingle, &header, &mut buffer, |order| {
//!     order.set(field::ClOrdID, "A1").set(field::Side, Side::Sell);
//! })?;
//! let mut parser = Parser::new()?;
//! assert_eq!(parser.parse(bytes)?.get(field::Side)?, Side::Sell);
//! # Ok::<(), nexusfix::Error>(())
//! ```
//!
//! A message that would be out of date does not compile:
//!
//! ```compile_fail,E0499
//! let mut parser = nexusfix::Parser::new().unwrap();
//! let first = parser.parse(b"8=FIX");
//! let second = parser.parse(b"8=FIX");
//! drop(first);
//! ```

mod attachment;
mod encode;
mod engine;
mod error;
mod frames;
pub mod gateway;
mod message;
mod sys;
mod value;

pub use encode::{encode, Encoder, Header};
pub use engine::{Application, Engine, Reply, Session};
pub use error::{Error, Result, Violation};
pub use message::{
    next_frame, Dictionary, Entries, Entry, Fields, Frame, Message, OwnedMessage, Parser, Validator,
};
pub use value::{Decimal, Field, MessageType, Timestamp, Value};

/// The types of FIX 4.4, made from its dictionary.
#[allow(missing_docs)]
pub mod fix44 {
    macro_rules! values {
        ($name:ident $($variant:ident = $text:literal,)*) => {
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
            #[non_exhaustive]
            pub enum $name { $($variant,)* }
            impl $name {
                /// As in a message.
                pub const fn as_fix(self) -> &'static str {
                    match self { $(Self::$variant => $text,)* }
                }
                /// `None`: the dictionary lacks the value.
                pub fn from_fix(text: &str) -> Option<Self> {
                    $(if text == $text { return Some(Self::$variant); })*
                    None
                }
            }
            impl<'a> crate::Value<'a> for $name {
                fn read(tag: u32, text: &'a [u8]) -> crate::Result<Self> {
                    let known = std::str::from_utf8(text).ok().and_then(Self::from_fix);
                    known.ok_or_else(|| crate::Error::malformed(tag))
                }
                fn write(self, tag: u32, to: &mut crate::Encoder<'_>) {
                    to.text(tag, self.as_fix().as_bytes());
                }
            }
        };
    }
    macro_rules! field {
        ($name:ident, $tag:literal, $value:ty) => {
            #[derive(Clone, Copy, Debug)]
            pub struct $name;
            impl crate::Field for $name {
                const TAG: u32 = $tag;
                type Value<'a> = $value;
            }
        };
    }
    macro_rules! message {
        ($name:ident, $kind:literal) => {
            #[derive(Clone, Copy, Debug)]
            pub struct $name;
            impl crate::MessageType for $name {
                const MSG_TYPE: &'static str = $kind;
            }
        };
    }
    include!(concat!(env!("OUT_DIR"), "/fix44.rs"));
}
