use crate::sys;
use std::ffi::{c_char, CStr};
use std::fmt;

/// What every function that can fail returns.
pub type Result<T> = std::result::Result<T, Error>;

/// An error of the library, with its place in the message where it has one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The name of the status, such as `NXF_GARBLED`.
    pub status: &'static str,
    /// For people.
    pub text: String,
    /// The tag of the field; 0: none.
    pub tag: u32,
    /// The byte in the message where a rule is broken.
    pub offset: usize,
}

pub(crate) fn text_of(bytes: &[c_char]) -> String {
    let bytes: Vec<u8> = bytes
        .iter()
        .take_while(|c| **c != 0)
        .map(|c| *c as u8)
        .collect();
    String::from_utf8_lossy(&bytes).into_owned()
}

pub(crate) fn empty_error() -> sys::nxf_error {
    let struct_size = std::mem::size_of::<sys::nxf_error>();
    sys::nxf_error {
        struct_size,
        status: 0,
        tag: 0,
        offset: 0,
        text: [0; sys::TEXT_BYTES],
    }
}

impl Error {
    pub(crate) fn of(status: i32, tag: u32, text: &str) -> Error {
        // Safe: the names are constants of the library.
        let name = unsafe { CStr::from_ptr(sys::nxf_status_name(status)) };
        let status = name.to_str().unwrap_or("NXF_UNKNOWN");
        Error {
            status,
            text: text.to_string(),
            tag,
            offset: 0,
        }
    }
    pub(crate) fn malformed(tag: u32) -> Error {
        Error::of(sys::MALFORMED, tag, "the value is not of the field's type")
    }
    pub(crate) fn from_raw(status: i32, raw: &sys::nxf_error) -> Error {
        Error {
            offset: raw.offset,
            ..Error::of(status, raw.tag, &text_of(&raw.text))
        }
    }
}

/// Calls a function that describes its error.
pub(crate) fn check(call: impl FnOnce(*mut sys::nxf_error) -> i32) -> Result<()> {
    let mut raw = empty_error();
    match call(&mut raw) {
        sys::OK => Ok(()),
        status => Err(Error::from_raw(status, &raw)),
    }
}

impl fmt::Display for Error {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.text.is_empty() {
            return to.write_str(self.status);
        }
        to.write_str(&self.text)?;
        if self.tag != 0 {
            write!(to, " (tag {})", self.tag)?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}

/// The first rule of the dictionary that a message breaks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// RefTagID (371); 0: none.
    pub tag: u32,
    /// SessionRejectReason (373).
    pub reason: i32,
    /// The byte in the message.
    pub offset: usize,
    /// Such as `RequiredTagMissing`.
    pub rule: &'static str,
    /// For people.
    pub text: String,
}
