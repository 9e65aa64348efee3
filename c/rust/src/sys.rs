//! `nexusfix.h` as Rust sees it. Private: the rest of the crate keeps its rules.
#![allow(non_camel_case_types, missing_docs)]

use std::ffi::{c_char, c_void};

pub const OK: i32 = 0;
pub const END: i32 = 1;
pub const NEED_MORE: i32 = 2;
pub const MISSING: i32 = 3;
pub const MALFORMED: i32 = 5;
pub const VIOLATION: i32 = 7;
pub const TEXT_BYTES: usize = 512;

macro_rules! opaque {
    ($($name:ident)*) => { $(#[repr(C)] pub struct $name { _private: [u8; 0] })* };
}
opaque!(nxf_dictionary nxf_parser nxf_message nxf_validator nxf_encoder nxf_engine nxf_session nxf_reply);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct nxf_text {
    pub data: *const c_char,
    pub size: usize,
}

impl nxf_text {
    pub const EMPTY: nxf_text = nxf_text {
        data: std::ptr::null(),
        size: 0,
    };

    pub fn of(bytes: &[u8]) -> nxf_text {
        nxf_text {
            data: bytes.as_ptr().cast(),
            size: bytes.len(),
        }
    }

    /// # Safety
    /// The bytes live for 'a.
    pub unsafe fn bytes<'a>(self) -> &'a [u8] {
        if self.size == 0 {
            return &[];
        }
        unsafe { std::slice::from_raw_parts(self.data.cast(), self.size) }
    }
}

#[repr(C)]
pub struct nxf_error {
    pub struct_size: usize,
    pub status: i32,
    pub tag: u32,
    pub offset: usize,
    pub text: [c_char; TEXT_BYTES],
}

#[repr(C)]
pub struct nxf_violation {
    pub struct_size: usize,
    pub tag: u32,
    pub reason: i32,
    pub offset: usize,
    pub group: u32,
    pub rule: *const c_char,
    pub text: [c_char; TEXT_BYTES],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct nxf_decimal {
    pub mantissa: i64,
    pub exponent: i32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct nxf_entry {
    pub struct_size: usize,
    pub message: *const nxf_message,
    pub first: u32,
    pub count: u32,
    pub limit: u32,
    pub depth: u32,
    pub path: [u32; 7],
}

#[repr(C)]
pub struct nxf_header {
    pub struct_size: usize,
    pub begin_string: *const c_char,
    pub msg_type: *const c_char,
    pub sender_comp_id: *const c_char,
    pub target_comp_id: *const c_char,
    pub msg_seq_num: u64,
    pub sending_time: i64,
    pub precision: i32,
    pub poss_dup: i32,
    pub poss_resend: i32,
    pub orig_sending_time: *const c_char,
}

type OnSession = Option<unsafe extern "C" fn(*mut c_void, *mut nxf_session)>;

#[repr(C)]
pub struct nxf_application {
    pub struct_size: usize,
    pub user_data: *mut c_void,
    pub on_logon: OnSession,
    pub on_logout: OnSession,
    pub on_disconnect: Option<unsafe extern "C" fn(*mut c_void, *mut nxf_session, i32, nxf_text)>,
    pub on_message: Option<
        unsafe extern "C" fn(*mut c_void, *mut nxf_session, *const nxf_message, *mut nxf_reply),
    >,
    pub on_admin: Option<unsafe extern "C" fn(*mut c_void, *mut nxf_session, *const nxf_message)>,
    pub on_not_sent:
        Option<unsafe extern "C" fn(*mut c_void, *mut nxf_session, nxf_text, nxf_text)>,
    pub on_posted:
        Option<unsafe extern "C" fn(*mut c_void, *mut nxf_session, u64, i32, u64, nxf_text)>,
    pub on_event: Option<unsafe extern "C" fn(*mut c_void, u32, i32, nxf_text, nxf_text)>,
    pub dictionary: *const nxf_dictionary,
}

extern "C" {
    pub fn nxf_status_name(status: i32) -> *const c_char;
    pub fn nxf_dictionary_builtin(
        version: *const c_char,
        made: *mut *mut nxf_dictionary,
        error: *mut nxf_error,
    ) -> i32;
    pub fn nxf_dictionary_load(
        path: *const c_char,
        made: *mut *mut nxf_dictionary,
        error: *mut nxf_error,
    ) -> i32;
    pub fn nxf_dictionary_free(dictionary: *mut nxf_dictionary);
    pub fn nxf_dictionary_field_name(dictionary: *const nxf_dictionary, tag: u32) -> *const c_char;
    pub fn nxf_dictionary_value_name(
        dictionary: *const nxf_dictionary,
        tag: u32,
        value: *const c_char,
        size: usize,
    ) -> *const c_char;
    pub fn nxf_next_frame(
        bytes: *const c_char,
        size: usize,
        most: usize,
        frame: *mut usize,
        error: *mut nxf_error,
    ) -> i32;
    pub fn nxf_parser_new(
        dictionary: *const nxf_dictionary,
        made: *mut *mut nxf_parser,
        error: *mut nxf_error,
    ) -> i32;
    pub fn nxf_parser_free(parser: *mut nxf_parser);
    pub fn nxf_parse(
        parser: *mut nxf_parser,
        bytes: *const c_char,
        size: usize,
        message: *mut *const nxf_message,
        error: *mut nxf_error,
    ) -> i32;
    pub fn nxf_message_copy(message: *const nxf_message, copy: *mut *mut nxf_message) -> i32;
    pub fn nxf_message_free(copy: *mut nxf_message);
    pub fn nxf_message_bytes(message: *const nxf_message) -> nxf_text;
    pub fn nxf_message_type(message: *const nxf_message) -> nxf_text;
    pub fn nxf_message_field_count(message: *const nxf_message) -> usize;
    pub fn nxf_message_field(
        message: *const nxf_message,
        index: usize,
        tag: *mut u32,
        value: *mut nxf_text,
    ) -> i32;
    pub fn nxf_message_group(message: *const nxf_message, tag: u32, entry: *mut nxf_entry) -> i32;
    pub fn nxf_entry_group(around: *const nxf_entry, tag: u32, entry: *mut nxf_entry) -> i32;
    pub fn nxf_entry_next(entry: *mut nxf_entry) -> i32;
    pub fn nxf_entry_field_count(entry: *const nxf_entry) -> usize;
    pub fn nxf_entry_field(
        entry: *const nxf_entry,
        index: usize,
        tag: *mut u32,
        value: *mut nxf_text,
    ) -> i32;
    pub fn nxf_message_text(message: *const nxf_message, tag: u32, value: *mut nxf_text) -> i32;
    pub fn nxf_entry_text(entry: *const nxf_entry, tag: u32, value: *mut nxf_text) -> i32;
    pub fn nxf_text_int(text: nxf_text, value: *mut i64) -> i32;
    pub fn nxf_text_decimal(text: nxf_text, value: *mut nxf_decimal) -> i32;
    pub fn nxf_text_time(text: nxf_text, value: *mut i64) -> i32;
    pub fn nxf_validator_new(
        dictionary: *const nxf_dictionary,
        options: *const c_void,
        made: *mut *mut nxf_validator,
        error: *mut nxf_error,
    ) -> i32;
    pub fn nxf_validator_free(validator: *mut nxf_validator);
    pub fn nxf_validate(
        validator: *mut nxf_validator,
        message: *const nxf_message,
        found: *mut nxf_violation,
    ) -> i32;
    pub fn nxf_encoder_new(made: *mut *mut nxf_encoder) -> i32;
    pub fn nxf_encoder_free(encoder: *mut nxf_encoder);
    pub fn nxf_encoder_begin(
        encoder: *mut nxf_encoder,
        buffer: *mut c_char,
        size: usize,
        header: *const nxf_header,
    ) -> i32;
    pub fn nxf_encoder_text(encoder: *mut nxf_encoder, tag: u32, value: *const c_char, size: usize);
    pub fn nxf_encoder_int(encoder: *mut nxf_encoder, tag: u32, value: i64);
    pub fn nxf_encoder_decimal(encoder: *mut nxf_encoder, tag: u32, value: nxf_decimal);
    pub fn nxf_encoder_time(encoder: *mut nxf_encoder, tag: u32, nanoseconds: i64, precision: i32);
    pub fn nxf_encoder_bool(encoder: *mut nxf_encoder, tag: u32, value: i32);
    pub fn nxf_encoder_group(encoder: *mut nxf_encoder, tag: u32, count: usize);
    pub fn nxf_encoder_entry(encoder: *mut nxf_encoder);
    pub fn nxf_encoder_group_end(encoder: *mut nxf_encoder);
    pub fn nxf_encoder_finish(
        encoder: *mut nxf_encoder,
        message: *mut nxf_text,
        error: *mut nxf_error,
    ) -> i32;
    pub fn nxf_engine_open(
        path: *const c_char,
        application: *const nxf_application,
        made: *mut *mut nxf_engine,
        error: *mut nxf_error,
    ) -> i32;
    pub fn nxf_engine_open_text(
        text: *const c_char,
        size: usize,
        name: *const c_char,
        application: *const nxf_application,
        made: *mut *mut nxf_engine,
        error: *mut nxf_error,
    ) -> i32;
    pub fn nxf_engine_free(engine: *mut nxf_engine);
    pub fn nxf_engine_poll(engine: *mut nxf_engine, timeout_ns: i64) -> i32;
    pub fn nxf_engine_stop(engine: *mut nxf_engine);
    pub fn nxf_engine_port(engine: *const nxf_engine) -> u16;
    pub fn nxf_session_name(session: *const nxf_session) -> *const c_char;
    pub fn nxf_session_is_logged_on(session: *const nxf_session) -> i32;
    pub fn nxf_session_begin(
        session: *mut nxf_session,
        msg_type: *const c_char,
        encoder: *mut *mut nxf_encoder,
    ) -> i32;
    pub fn nxf_session_send(
        session: *mut nxf_session,
        number: *mut u64,
        error: *mut nxf_error,
    ) -> i32;
    pub fn nxf_session_log_out(session: *mut nxf_session, text: *const c_char) -> i32;
    pub fn nxf_reply_business_reject(
        reply: *mut nxf_reply,
        reason: u32,
        tag: u32,
        text: *const c_char,
    );
}
