use crate::error::{check, text_of};
use crate::{sys, Error, Field, Result, Value, Violation};
use std::ffi::{c_char, CStr, CString};
use std::marker::PhantomData;

pub(crate) fn c_text(text: &str) -> Result<CString> {
    CString::new(text).map_err(|_| Error::of(14, 0, "the text has a zero byte"))
}

/// Fields, values and messages of a FIX version or of a venue. Any number of threads may use it.
pub struct Dictionary(pub(crate) *mut sys::nxf_dictionary);

// Safe: the library allows any thread, and any number of readers.
unsafe impl Send for Dictionary {}
unsafe impl Sync for Dictionary {}

impl Dictionary {
    /// A version that is part of the library, such as `FIX.4.4`.
    pub fn builtin(version: &str) -> Result<Dictionary> {
        let version = c_text(version)?;
        let mut made = std::ptr::null_mut();
        check(|e| unsafe { sys::nxf_dictionary_builtin(version.as_ptr(), &mut made, e) })?;
        Ok(Dictionary(made))
    }
    /// A file in QuickFIX XML or FIX Orchestra.
    pub fn load(path: &str) -> Result<Dictionary> {
        let path = c_text(path)?;
        let mut made = std::ptr::null_mut();
        check(|e| unsafe { sys::nxf_dictionary_load(path.as_ptr(), &mut made, e) })?;
        Ok(Dictionary(made))
    }
    // Safe: the names live as long as the dictionary, and end with a zero byte.
    fn name(&self, name: *const c_char) -> Option<&str> {
        (!name.is_null()).then(|| unsafe { CStr::from_ptr(name) }.to_str().unwrap_or(""))
    }
    /// `Side` for 54.
    pub fn field_name(&self, tag: u32) -> Option<&str> {
        self.name(unsafe { sys::nxf_dictionary_field_name(self.0, tag) })
    }
    /// `BUY` for 54 and `1`.
    pub fn value_name(&self, tag: u32, value: &str) -> Option<&str> {
        let (data, size) = (value.as_ptr().cast(), value.len());
        self.name(unsafe { sys::nxf_dictionary_value_name(self.0, tag, data, size) })
    }
}

impl Drop for Dictionary {
    fn drop(&mut self) {
        unsafe { sys::nxf_dictionary_free(self.0) }
    }
}

/// The front of bytes that were received.
#[derive(Debug, PartialEq, Eq)]
pub enum Frame {
    /// The number of bytes of one frame.
    Complete(usize),
    /// Receive until there are this number of bytes.
    NeedMore(usize),
    /// Skip this number of bytes, which belong to no frame, and the reason.
    Garbled(usize, String),
}

/// Looks for a frame of at most 1 MiB at the front.
pub fn next_frame(bytes: &[u8]) -> Frame {
    let mut size = 0;
    let found = check(|e| {
        match unsafe { sys::nxf_next_frame(bytes.as_ptr().cast(), bytes.len(), 0, &mut size, e) } {
            sys::NEED_MORE => sys::END,
            status => status,
        }
    });
    match found {
        Ok(()) => Frame::Complete(size),
        Err(error) if error.status == "NXF_END" => Frame::NeedMore(size),
        Err(error) => Frame::Garbled(size, error.text),
    }
}

/// Parses messages, one at a time.
pub struct Parser(*mut sys::nxf_parser);

// Safe: one thread at a time uses it, by &mut.
unsafe impl Send for Parser {}

impl Parser {
    /// Groups are those of the version that each message names.
    pub fn new() -> Result<Parser> {
        Parser::make(std::ptr::null())
    }
    /// With the groups and data fields of a dictionary.
    pub fn with(dictionary: &Dictionary) -> Result<Parser> {
        Parser::make(dictionary.0)
    }
    fn make(dictionary: *const sys::nxf_dictionary) -> Result<Parser> {
        let mut made = std::ptr::null_mut();
        check(|e| unsafe { sys::nxf_parser_new(dictionary, &mut made, e) })?;
        Ok(Parser(made))
    }
    /// One frame. The message borrows both: it ends before the next call.
    pub fn parse<'a>(&'a mut self, frame: &'a [u8]) -> Result<Message<'a>> {
        let mut message = std::ptr::null();
        let (data, size) = (frame.as_ptr().cast(), frame.len());
        check(|e| unsafe { sys::nxf_parse(self.0, data, size, &mut message, e) })?;
        Ok(Message {
            raw: message,
            lifetime: PhantomData,
        })
    }
}

impl Drop for Parser {
    fn drop(&mut self) {
        unsafe { sys::nxf_parser_free(self.0) }
    }
}

/// Reads the fields of a message, or of an entry of a group.
pub trait Fields<'a> {
    /// The bytes of the first field with this tag.
    fn bytes_of(&self, tag: u32) -> Option<&'a [u8]>;
    /// The entries of the group with this count field, such as 453; none, if it is not there.
    fn group(&self, count_tag: u32) -> Entries<'a>;
    /// All fields, in their order in the message.
    fn fields(&self) -> Vec<(u32, &'a [u8])>;
    /// A value of the dictionary's type. `None`: the field is not there.
    fn find<F: Field>(&self, _: F) -> Result<Option<F::Value<'a>>> {
        self.bytes_of(F::TAG)
            .map(|text| F::Value::read(F::TAG, text))
            .transpose()
    }
    /// As `find()`; a field that is not there is an error.
    fn get<F: Field>(&self, field: F) -> Result<F::Value<'a>> {
        let missing = || Error::of(sys::MISSING, F::TAG, "the message lacks the field");
        self.find(field)?.ok_or_else(missing)
    }
}

/// A parsed message. Any number of threads may read it.
#[derive(Clone, Copy)]
pub struct Message<'a> {
    pub(crate) raw: *const sys::nxf_message,
    pub(crate) lifetime: PhantomData<&'a [u8]>,
}

// Safe: reading changes nothing.
unsafe impl Send for Message<'_> {}
unsafe impl Sync for Message<'_> {}

impl<'a> Message<'a> {
    /// From BeginString to the end of CheckSum.
    pub fn bytes(&self) -> &'a [u8] {
        unsafe { sys::nxf_message_bytes(self.raw).bytes() }
    }
    /// MsgType (35).
    pub fn msg_type(&self) -> &'a str {
        std::str::from_utf8(unsafe { sys::nxf_message_type(self.raw).bytes() }).unwrap_or("")
    }
    /// A copy that lives on its own.
    pub fn to_owned(&self) -> Result<OwnedMessage> {
        let mut copy = std::ptr::null_mut();
        check(|_| unsafe { sys::nxf_message_copy(self.raw, &mut copy) })?;
        Ok(OwnedMessage(copy))
    }
}

impl<'a> Fields<'a> for Message<'a> {
    fn bytes_of(&self, tag: u32) -> Option<&'a [u8]> {
        let mut value = sys::nxf_text::EMPTY;
        let status = unsafe { sys::nxf_message_text(self.raw, tag, &mut value) };
        (status == sys::OK).then(|| unsafe { value.bytes() })
    }
    fn group(&self, count_tag: u32) -> Entries<'a> {
        let mut entry = empty_entry();
        let status = unsafe { sys::nxf_message_group(self.raw, count_tag, &mut entry) };
        Entries {
            entry,
            is_there: status == sys::OK,
            lifetime: PhantomData,
        }
    }
    fn fields(&self) -> Vec<(u32, &'a [u8])> {
        let count = unsafe { sys::nxf_message_field_count(self.raw) };
        collect(count, |index, tag, value| unsafe {
            sys::nxf_message_field(self.raw, index, tag, value)
        })
    }
}

fn collect<'a>(
    count: usize,
    read: impl Fn(usize, *mut u32, *mut sys::nxf_text) -> i32,
) -> Vec<(u32, &'a [u8])> {
    let one = |index| {
        let (mut tag, mut value) = (0, sys::nxf_text::EMPTY);
        read(index, &mut tag, &mut value);
        (tag, unsafe { value.bytes() })
    };
    (0..count).map(one).collect()
}

fn empty_entry() -> sys::nxf_entry {
    let struct_size = std::mem::size_of::<sys::nxf_entry>();
    let message = std::ptr::null();
    sys::nxf_entry {
        struct_size,
        message,
        first: 0,
        count: 0,
        limit: 0,
        depth: 0,
        path: [0; 7],
    }
}

/// A copy of a message.
pub struct OwnedMessage(*mut sys::nxf_message);

// Safe: nothing changes it.
unsafe impl Send for OwnedMessage {}
unsafe impl Sync for OwnedMessage {}

impl OwnedMessage {
    /// For reading.
    pub fn view(&self) -> Message<'_> {
        Message {
            raw: self.0,
            lifetime: PhantomData,
        }
    }
}

impl Drop for OwnedMessage {
    fn drop(&mut self) {
        unsafe { sys::nxf_message_free(self.0) }
    }
}

/// The entries of a repeating group.
pub struct Entries<'a> {
    entry: sys::nxf_entry,
    is_there: bool,
    lifetime: PhantomData<&'a [u8]>,
}

impl<'a> Iterator for Entries<'a> {
    type Item = Entry<'a>;
    fn next(&mut self) -> Option<Entry<'a>> {
        let goes_on = self.is_there && unsafe { sys::nxf_entry_next(&mut self.entry) } == sys::OK;
        goes_on.then_some(Entry {
            entry: self.entry,
            lifetime: PhantomData,
        })
    }
}

/// An entry of a repeating group.
#[derive(Clone, Copy)]
pub struct Entry<'a> {
    entry: sys::nxf_entry,
    lifetime: PhantomData<&'a [u8]>,
}

impl<'a> Fields<'a> for Entry<'a> {
    fn bytes_of(&self, tag: u32) -> Option<&'a [u8]> {
        let mut value = sys::nxf_text::EMPTY;
        let status = unsafe { sys::nxf_entry_text(&self.entry, tag, &mut value) };
        (status == sys::OK).then(|| unsafe { value.bytes() })
    }
    fn group(&self, count_tag: u32) -> Entries<'a> {
        let mut entry = empty_entry();
        let status = unsafe { sys::nxf_entry_group(&self.entry, count_tag, &mut entry) };
        Entries {
            entry,
            is_there: status == sys::OK,
            lifetime: PhantomData,
        }
    }
    fn fields(&self) -> Vec<(u32, &'a [u8])> {
        let count = unsafe { sys::nxf_entry_field_count(&self.entry) };
        collect(count, |index, tag, value| unsafe {
            sys::nxf_entry_field(&self.entry, index, tag, value)
        })
    }
}

/// Checks messages against a dictionary.
pub struct Validator(*mut sys::nxf_validator);

// Safe: one thread at a time uses it, by &mut.
unsafe impl Send for Validator {}

impl Validator {
    /// All rules.
    pub fn new(dictionary: &Dictionary) -> Result<Validator> {
        let mut made = std::ptr::null_mut();
        let options = std::ptr::null();
        check(|e| unsafe { sys::nxf_validator_new(dictionary.0, options, &mut made, e) })?;
        Ok(Validator(made))
    }
    /// `None`: the message follows the dictionary.
    pub fn validate(&mut self, message: &Message<'_>) -> Option<Violation> {
        let struct_size = std::mem::size_of::<sys::nxf_violation>();
        let mut raw = sys::nxf_violation {
            struct_size,
            tag: 0,
            reason: 0,
            offset: 0,
            group: 0,
            rule: std::ptr::null(),
            text: [0; sys::TEXT_BYTES],
        };
        let status = unsafe { sys::nxf_validate(self.0, message.raw, &mut raw) };
        (status == sys::VIOLATION).then(|| Violation {
            tag: raw.tag,
            reason: raw.reason,
            offset: raw.offset,
            rule: unsafe { CStr::from_ptr(raw.rule) }.to_str().unwrap_or(""),
            text: text_of(&raw.text),
        })
    }
}

impl Drop for Validator {
    fn drop(&mut self) {
        unsafe { sys::nxf_validator_free(self.0) }
    }
}
