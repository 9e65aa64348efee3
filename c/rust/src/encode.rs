use crate::error::check;
use crate::message::c_text;
use crate::{sys, Decimal, Field, MessageType, Result, Timestamp, Value};
use std::marker::PhantomData;

/// Writes the fields of one message, in the order of the calls. The first error is kept: the
/// function that finishes the message returns it.
pub struct Encoder<'a> {
    pub(crate) raw: *mut sys::nxf_encoder,
    pub(crate) lifetime: PhantomData<&'a mut ()>,
}

// Safe, all of them: the message has begun, and values are copied during the calls.
impl Encoder<'_> {
    /// A field of a dictionary.
    pub fn set<'v, F: Field>(&mut self, _: F, value: F::Value<'v>) -> &mut Self {
        value.write(F::TAG, self);
        self
    }
    /// A repeating group with an entry for each item.
    pub fn group<T>(
        &mut self,
        count_tag: u32,
        items: &[T],
        write: impl Fn(&mut Self, &T),
    ) -> &mut Self {
        unsafe { sys::nxf_encoder_group(self.raw, count_tag, items.len()) };
        for item in items {
            unsafe { sys::nxf_encoder_entry(self.raw) };
            write(self, item);
        }
        unsafe { sys::nxf_encoder_group_end(self.raw) };
        self
    }
    /// A field as text.
    pub fn text(&mut self, tag: u32, value: &[u8]) {
        unsafe { sys::nxf_encoder_text(self.raw, tag, value.as_ptr().cast(), value.len()) }
    }
    /// An integer.
    pub fn int(&mut self, tag: u32, value: i64) {
        unsafe { sys::nxf_encoder_int(self.raw, tag, value) }
    }
    /// Y or N.
    pub fn bool(&mut self, tag: u32, value: bool) {
        unsafe { sys::nxf_encoder_bool(self.raw, tag, value.into()) }
    }
    /// With all digits.
    pub fn decimal(&mut self, tag: u32, value: Decimal) {
        let raw = sys::nxf_decimal {
            mantissa: value.mantissa,
            exponent: value.exponent,
        };
        unsafe { sys::nxf_encoder_decimal(self.raw, tag, raw) }
    }
    /// With milliseconds.
    pub fn time(&mut self, tag: u32, value: Timestamp) {
        unsafe { sys::nxf_encoder_time(self.raw, tag, value.0, 3) }
    }
}

/// The standard header of a message that no session sends.
pub struct Header<'a> {
    /// BeginString (8).
    pub begin_string: &'a str,
    /// SenderCompID (49).
    pub sender_comp_id: &'a str,
    /// TargetCompID (56).
    pub target_comp_id: &'a str,
    /// MsgSeqNum (34).
    pub msg_seq_num: u64,
    /// SendingTime (52).
    pub sending_time: Timestamp,
}

struct OwnedEncoder(*mut sys::nxf_encoder);

impl Drop for OwnedEncoder {
    fn drop(&mut self) {
        unsafe { sys::nxf_encoder_free(self.0) }
    }
}

/// Encodes a message into a buffer, and returns its bytes.
pub fn encode<'b, M: MessageType>(
    _: M,
    header: &Header<'_>,
    buffer: &'b mut [u8],
    write: impl FnOnce(&mut Encoder<'_>),
) -> Result<&'b [u8]> {
    let begin_string = c_text(header.begin_string)?;
    let sender = c_text(header.sender_comp_id)?;
    let target = c_text(header.target_comp_id)?;
    let msg_type = c_text(M::MSG_TYPE)?;
    let mut raw = std::ptr::null_mut();
    check(|_| unsafe { sys::nxf_encoder_new(&mut raw) })?;
    let owned = OwnedEncoder(raw);
    let fields = sys::nxf_header {
        struct_size: std::mem::size_of::<sys::nxf_header>(),
        begin_string: begin_string.as_ptr(),
        msg_type: msg_type.as_ptr(),
        sender_comp_id: sender.as_ptr(),
        target_comp_id: target.as_ptr(),
        msg_seq_num: header.msg_seq_num,
        sending_time: header.sending_time.0,
        precision: 3,
        poss_dup: 0,
        poss_resend: 0,
        orig_sending_time: std::ptr::null(),
    };
    let (data, size) = (buffer.as_mut_ptr().cast(), buffer.len());
    check(|_| unsafe { sys::nxf_encoder_begin(owned.0, data, size, &fields) })?;
    write(&mut Encoder {
        raw: owned.0,
        lifetime: PhantomData,
    });
    let mut message = sys::nxf_text::EMPTY;
    check(|e| unsafe { sys::nxf_encoder_finish(owned.0, &mut message, e) })?;
    // Safe: the message lies within the buffer.
    Ok(unsafe { message.bytes() })
}
