use crate::{sys, Encoder, Error, Result};
use std::fmt;

/// An exact number: `mantissa * 10^exponent`.
#[derive(Clone, Copy, Debug)]
pub struct Decimal {
    /// The digits as a number.
    pub mantissa: i64,
    /// -18 to 18.
    pub exponent: i32,
}

impl Decimal {
    /// 150.25 is `Decimal::new(15025, -2)`.
    pub const fn new(mantissa: i64, exponent: i32) -> Decimal {
        Decimal { mantissa, exponent }
    }
    fn reduced(self) -> (i64, i32) {
        if self.mantissa == 0 {
            return (0, 0);
        }
        let (mut mantissa, mut exponent) = (self.mantissa, self.exponent);
        while mantissa % 10 == 0 {
            mantissa /= 10;
            exponent += 1;
        }
        (mantissa, exponent)
    }
}

impl PartialEq for Decimal {
    fn eq(&self, other: &Decimal) -> bool {
        self.reduced() == other.reduced()
    }
}
impl Eq for Decimal {}

impl fmt::Display for Decimal {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.mantissa.unsigned_abs().to_string();
        let sign = if self.mantissa < 0 { "-" } else { "" };
        let scale = usize::try_from(-self.exponent).unwrap_or(0);
        if scale == 0 {
            let zeros = usize::try_from(self.exponent).unwrap_or(0);
            return write!(to, "{sign}{digits}{}", "0".repeat(zeros));
        }
        let digits = format!("{digits:0>width$}", width = scale + 1);
        let (whole, part) = digits.split_at(digits.len() - scale);
        write!(to, "{sign}{whole}.{part}")
    }
}

/// A UTCTimestamp, in nanoseconds since 1970 in UTC. It is written with milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// The time of the system's clock.
    pub fn now() -> Timestamp {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        Timestamp(since.map_or(0, |time| time.as_nanos() as i64))
    }
}

/// A Rust type of the values of fields.
pub trait Value<'a>: Sized {
    /// From the bytes of a value; an error has the tag.
    fn read(tag: u32, text: &'a [u8]) -> Result<Self>;
    /// As a field of a message.
    fn write(self, tag: u32, to: &mut Encoder<'_>);
}

/// A field of a dictionary: its tag and the type of its values.
pub trait Field {
    /// Such as 44.
    const TAG: u32;
    /// Such as [`Decimal`].
    type Value<'a>: Value<'a>;
}

/// A message of a dictionary.
pub trait MessageType {
    /// MsgType (35), such as `D`.
    const MSG_TYPE: &'static str;
}

fn converted<T>(tag: u32, status: i32, value: T) -> Result<T> {
    match status {
        sys::OK => Ok(value),
        _ => Err(Error::of(
            status,
            tag,
            "the value is not of the field's type",
        )),
    }
}

impl<'a> Value<'a> for &'a [u8] {
    fn read(_: u32, text: &'a [u8]) -> Result<Self> {
        Ok(text)
    }
    fn write(self, tag: u32, to: &mut Encoder<'_>) {
        to.text(tag, self);
    }
}

impl<'a> Value<'a> for &'a str {
    fn read(tag: u32, text: &'a [u8]) -> Result<Self> {
        std::str::from_utf8(text).map_err(|_| Error::malformed(tag))
    }
    fn write(self, tag: u32, to: &mut Encoder<'_>) {
        to.text(tag, self.as_bytes());
    }
}

impl<'a> Value<'a> for i64 {
    fn read(tag: u32, text: &'a [u8]) -> Result<Self> {
        let mut value = 0;
        // Safe: the text is read during the call.
        let status = unsafe { sys::nxf_text_int(sys::nxf_text::of(text), &mut value) };
        converted(tag, status, value)
    }
    fn write(self, tag: u32, to: &mut Encoder<'_>) {
        to.int(tag, self);
    }
}

impl<'a> Value<'a> for bool {
    fn read(tag: u32, text: &'a [u8]) -> Result<Self> {
        match text {
            b"Y" => Ok(true),
            b"N" => Ok(false),
            _ => Err(Error::malformed(tag)),
        }
    }
    fn write(self, tag: u32, to: &mut Encoder<'_>) {
        to.bool(tag, self);
    }
}

impl<'a> Value<'a> for Decimal {
    fn read(tag: u32, text: &'a [u8]) -> Result<Self> {
        let mut value = sys::nxf_decimal {
            mantissa: 0,
            exponent: 0,
        };
        // Safe: the text is read during the call.
        let status = unsafe { sys::nxf_text_decimal(sys::nxf_text::of(text), &mut value) };
        converted(tag, status, Decimal::new(value.mantissa, value.exponent))
    }
    fn write(self, tag: u32, to: &mut Encoder<'_>) {
        to.decimal(tag, self);
    }
}

impl<'a> Value<'a> for Timestamp {
    fn read(tag: u32, text: &'a [u8]) -> Result<Self> {
        let mut value = 0;
        // Safe: the text is read during the call.
        let status = unsafe { sys::nxf_text_time(sys::nxf_text::of(text), &mut value) };
        converted(tag, status, Timestamp(value))
    }
    fn write(self, tag: u32, to: &mut Encoder<'_>) {
        to.time(tag, self);
    }
}
