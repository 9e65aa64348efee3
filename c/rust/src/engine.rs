use crate::error::check;
use crate::message::c_text;
use crate::{sys, Encoder, Message, MessageType, Result};
use std::any::Any;
use std::cell::Cell;
use std::ffi::{c_void, CStr};
use std::marker::PhantomData;
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::time::Duration;

/// The answer to a message of the counterparty.
pub enum Reply {
    /// No reject.
    Accept,
    /// BusinessMessageReject (j): BusinessRejectReason (380), RefTagID (371) or 0, Text (58).
    BusinessReject(u32, u32, String),
}

/// The callbacks of a program. They run within [`Engine::poll`]. One may run within another, as an
/// event while a message is sent: so they have `&self`, and a program keeps its state in cells.
#[allow(unused_variables)]
pub trait Application {
    /// Both sides have sent a Logon.
    fn on_logon(&self, session: &Session<'_>) {}
    /// The session is no longer logged on.
    fn on_logout(&self, session: &Session<'_>) {}
    /// An application message of the counterparty.
    fn on_message(&self, session: &Session<'_>, message: Message<'_>) -> Reply {
        Reply::Accept
    }
    /// What operators read: the number of NXF-1042, and the text.
    fn on_event(&self, number: u32, session: &str, text: &str) {}
}

/// A session, within a callback.
pub struct Session<'a> {
    raw: *mut sys::nxf_session,
    lifetime: PhantomData<&'a ()>,
}

impl Session<'_> {
    /// Such as `FIX.4.4:TRADER->VENUE`.
    pub fn name(&self) -> &str {
        unsafe { CStr::from_ptr(sys::nxf_session_name(self.raw)) }
            .to_str()
            .unwrap_or("")
    }
    /// Whether both sides have sent a Logon.
    pub fn is_logged_on(&self) -> bool {
        unsafe { sys::nxf_session_is_logged_on(self.raw) == 1 }
    }
    /// Numbers, journals and sends a message; returns its MsgSeqNum.
    pub fn send<M: MessageType>(&self, _: M, write: impl FnOnce(&mut Encoder<'_>)) -> Result<u64> {
        let msg_type = c_text(M::MSG_TYPE)?;
        let mut encoder = std::ptr::null_mut();
        check(|_| unsafe { sys::nxf_session_begin(self.raw, msg_type.as_ptr(), &mut encoder) })?;
        write(&mut Encoder {
            raw: encoder,
            lifetime: PhantomData,
        });
        let mut number = 0;
        check(|e| unsafe { sys::nxf_session_send(self.raw, &mut number, e) })?;
        Ok(number)
    }
    /// Sends a Logout.
    pub fn log_out(&self) -> Result<()> {
        check(|_| unsafe { sys::nxf_session_log_out(self.raw, std::ptr::null()) })
    }
}

struct Shared<A> {
    application: A,
    panic: Cell<Option<Box<dyn Any + Send>>>,
}

/// The sessions of one configuration. One thread at a time drives it.
pub struct Engine<A: Application> {
    raw: *mut sys::nxf_engine,
    shared: *mut Shared<A>, // of a Box; it ends after the engine, whose end may call back
}

// Safe: all callbacks run within calls of &mut self, or within drop.
unsafe impl<A: Application + Send> Send for Engine<A> {}

/// A panic does not cross the C interface: `poll()` goes on with it.
fn call<A, T>(user_data: *mut c_void, otherwise: T, body: impl FnOnce(&A) -> T) -> T {
    // Safe: it is the Shared of an engine that has not ended.
    let shared = unsafe { &*(user_data as *const Shared<A>) };
    match catch_unwind(AssertUnwindSafe(|| body(&shared.application))) {
        Ok(value) => value,
        Err(panic) => {
            shared.panic.set(Some(panic));
            otherwise
        }
    }
}

fn session<'a>(raw: *mut sys::nxf_session) -> Session<'a> {
    Session {
        raw,
        lifetime: PhantomData,
    }
}

unsafe extern "C" fn on_logon<A: Application>(user: *mut c_void, raw: *mut sys::nxf_session) {
    call::<A, _>(user, (), |application| application.on_logon(&session(raw)));
}

unsafe extern "C" fn on_logout<A: Application>(user: *mut c_void, raw: *mut sys::nxf_session) {
    call::<A, _>(user, (), |application| application.on_logout(&session(raw)));
}

unsafe extern "C" fn on_message<A: Application>(
    user: *mut c_void,
    raw: *mut sys::nxf_session,
    message: *const sys::nxf_message,
    to: *mut sys::nxf_reply,
) {
    let message = Message {
        raw: message,
        lifetime: PhantomData,
    };
    let reply = call::<A, _>(user, Reply::Accept, |application| {
        application.on_message(&session(raw), message)
    });
    if let Reply::BusinessReject(reason, tag, text) = reply {
        let text = c_text(&text).unwrap_or_default();
        unsafe { sys::nxf_reply_business_reject(to, reason, tag, text.as_ptr()) };
    }
}

unsafe extern "C" fn on_event<A: Application>(
    user: *mut c_void,
    number: u32,
    _: i32,
    name: sys::nxf_text,
    text: sys::nxf_text,
) {
    let (name, text) = unsafe { (name.bytes(), text.bytes()) };
    call::<A, _>(user, (), |application| {
        let (name, text) = (String::from_utf8_lossy(name), String::from_utf8_lossy(text));
        application.on_event(number, &name, &text);
    });
}

impl<A: Application> Engine<A> {
    /// Opens the sessions of a configuration file: its store and its ports.
    pub fn open(path: &str, application: A) -> Result<Engine<A>> {
        let path = c_text(path)?;
        Engine::make(application, |functions, made, error| unsafe {
            sys::nxf_engine_open(path.as_ptr(), functions, made, error)
        })
    }
    /// From a text; name: in texts of errors.
    pub fn open_text(text: &str, name: &str, application: A) -> Result<Engine<A>> {
        let name = c_text(name)?;
        Engine::make(application, |functions, made, error| unsafe {
            let (data, size) = (text.as_ptr().cast(), text.len());
            sys::nxf_engine_open_text(data, size, name.as_ptr(), functions, made, error)
        })
    }
    fn make(
        application: A,
        open: impl FnOnce(
            *const sys::nxf_application,
            *mut *mut sys::nxf_engine,
            *mut sys::nxf_error,
        ) -> i32,
    ) -> Result<Engine<A>> {
        let shared = Box::into_raw(Box::new(Shared {
            application,
            panic: Cell::new(None),
        }));
        let functions = sys::nxf_application {
            struct_size: std::mem::size_of::<sys::nxf_application>(),
            user_data: shared.cast(),
            on_logon: Some(on_logon::<A>),
            on_logout: Some(on_logout::<A>),
            on_disconnect: None,
            on_message: Some(on_message::<A>),
            on_admin: None,
            on_not_sent: None,
            on_posted: None,
            on_event: Some(on_event::<A>),
            dictionary: std::ptr::null(),
        };
        let mut raw = std::ptr::null_mut();
        let opened = check(|error| open(&functions, &mut raw, error));
        let engine = Engine { raw, shared }; // without an engine, it ends here
        opened.map(|()| engine)
    }
    // Safe: it lives as long as the engine, and callbacks have shared references, too.
    fn shared(&self) -> &Shared<A> {
        unsafe { &*self.shared }
    }
    /// The program's own object.
    pub fn application(&self) -> &A {
        &self.shared().application
    }
    /// Waits at most so long for an event, and handles all that are ready. False: no work is left.
    /// Goes on with the panic of a callback.
    pub fn poll(&mut self, timeout: Duration) -> bool {
        let nanoseconds = i64::try_from(timeout.as_nanos()).unwrap_or(i64::MAX);
        let goes_on = unsafe { sys::nxf_engine_poll(self.raw, nanoseconds) } == sys::OK;
        if let Some(panic) = self.shared().panic.take() {
            resume_unwind(panic);
        }
        goes_on
    }
    /// Logs out every session; then `poll()` returns false.
    pub fn stop(&mut self) {
        unsafe { sys::nxf_engine_stop(self.raw) }
    }
    /// The port of an acceptor; 0: there is none.
    pub fn port(&self) -> u16 {
        unsafe { sys::nxf_engine_port(self.raw) }
    }
}

impl<A: Application> Drop for Engine<A> {
    fn drop(&mut self) {
        unsafe {
            sys::nxf_engine_free(self.raw);
            drop(Box::from_raw(self.shared));
        }
    }
}
