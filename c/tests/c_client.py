"""The client of nexusfix.h for tests that were written for the one of gateway/tests: the library is
loaded by ctypes. NEXUSFIX_C_LIBRARY names it, and NEXUSFIX_C_DOOR is 0 (socket) or 1 (memory)."""

import ctypes
import os
import select
import time

from gateway_client import CLOSED, WELCOME, Frame, fix

OK, FULL, CLOSED_STATUS, IO, TIMEOUT, REFUSED = 0, 12, 13, 17, 20, 21
SIZE, TEXT = ctypes.c_size_t, ctypes.c_char_p


class Error(ctypes.Structure):
    _fields_ = [("struct_size", SIZE), ("status", ctypes.c_int32), ("tag", ctypes.c_uint32),
                ("offset", SIZE), ("text", ctypes.c_char * 512), ("code", ctypes.c_uint32)]


class Cursor(ctypes.Structure):
    _fields_ = [("session", TEXT), ("is_sent", ctypes.c_int32), ("epoch", ctypes.c_uint64),
                ("msg_seq_num", ctypes.c_uint64)]


class Options(ctypes.Structure):
    _fields_ = [("struct_size", SIZE), ("socket_path", TEXT), ("name", TEXT), ("token", TEXT),
                ("door", ctypes.c_int32), ("cursors", ctypes.POINTER(Cursor)),
                ("cursor_count", SIZE), ("timeout_ns", ctypes.c_int64),
                ("spin_ns", ctypes.c_int64), ("in_order", ctypes.c_int32)]


class Session(ctypes.Structure):
    _fields_ = [("struct_size", SIZE), ("name", TEXT), ("is_logged_on", ctypes.c_int32),
                ("epoch", ctypes.c_uint64), ("received", ctypes.c_uint64),
                ("sent", ctypes.c_uint64)]


class Event(ctypes.Structure):
    _fields_ = [("struct_size", SIZE), ("kind", ctypes.c_int32), ("session", ctypes.c_uint32),
                ("code", ctypes.c_uint32), ("flags", ctypes.c_uint32), ("epoch", ctypes.c_uint64),
                ("msg_seq_num", ctypes.c_uint64), ("number", ctypes.c_uint64),
                ("data", ctypes.c_void_p), ("size", SIZE)]


def loaded():
    library = ctypes.CDLL(os.environ["NEXUSFIX_C_LIBRARY"])
    library.nxf_client_last_number.restype = ctypes.c_uint64
    library.nxf_client_send.argtypes = [ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint64, TEXT,
                                        SIZE, ctypes.c_void_p]
    library.nxf_client_receive.argtypes = [ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p,
                                           ctypes.c_void_p]
    return library


LIBRARY = loaded()


def made(kind, **members):
    return kind(ctypes.sizeof(kind), **members)


class CClient:
    """As GatewayClient. It waits for each second frame as a program with its own loop does."""

    def __init__(self, path, timeout=300):
        self.path, self.timeout = str(path), timeout
        self.handle = ctypes.c_void_p()
        self.reads = 0

    def attach(self, name, token, cursors=(), sent=(), in_order=False):
        places = [(session, 0, epoch, number) for session, epoch, number in cursors]
        places += [(session, 1, epoch, number) for session, epoch, number in sent]
        array = (Cursor * len(places))(*((one[0].encode(), *one[1:]) for one in places))
        options = made(Options, socket_path=self.path.encode(), name=name.encode(),
                       token=token.encode(), door=int(os.environ["NEXUSFIX_C_DOOR"]),
                       cursors=array, cursor_count=len(places), in_order=in_order)
        error = made(Error)
        status = LIBRARY.nxf_client_attach(ctypes.byref(options), ctypes.byref(self.handle),
                                           ctypes.byref(error))
        if status == REFUSED:
            return Frame((0, 1, CLOSED, 0, 0, error.code, 0, 0, 0), error.text)
        if status != OK:
            time.sleep(0.005)  # the gateway is not there: the caller tries again
            raise OSError(f"status {status}: {error.text.decode()}")
        last = LIBRARY.nxf_client_last_number(self.handle)
        return Frame((0, 1, WELCOME, 0, 0, 0, 0, 0, last), "".join(self.sessions()).encode())

    def sessions(self):
        role = "observer" if LIBRARY.nxf_client_is_observer(self.handle) else "trader"
        yield f"role={role}\n"
        session, index = made(Session), 0
        while LIBRARY.nxf_client_session_at(self.handle, index, ctypes.byref(session)) == OK:
            state = "on" if session.is_logged_on else "off"
            yield (f"session={index} {session.epoch} {session.received} {session.sent} {state} "
                   f"{session.name.decode()}\n")
            index += 1

    def send(self, number, text, session=0):
        data = fix(text)
        while True:
            status = LIBRARY.nxf_client_send(self.handle, session, number, data, len(data), None)
            if status == CLOSED_STATUS:
                raise OSError("the gateway has gone")
            if status != FULL:
                assert status == OK, status
                return
            time.sleep(0.001)

    def wait_by_descriptor(self):
        while not LIBRARY.nxf_client_has_event(self.handle):
            descriptor = LIBRARY.nxf_client_descriptor(self.handle)
            unsent = [descriptor] if LIBRARY.nxf_client_has_unsent(self.handle) else []
            if select.select([descriptor], unsent, [], self.timeout) == ([], [], []):
                raise AssertionError("no event has come in time")

    def read(self):
        """The next frame; None: the gateway has closed the connection."""
        self.reads += 1
        if self.reads % 2 == 0:
            self.wait_by_descriptor()
        event, error = made(Event), made(Error)
        status = LIBRARY.nxf_client_receive(self.handle, self.timeout * 10**9, ctypes.byref(event),
                                            ctypes.byref(error))
        if status == CLOSED_STATUS:
            return None
        assert status == OK, (status, error.text)
        body = ctypes.string_at(event.data, event.size) if event.size else b""
        return Frame((40 + len(body), 1, event.kind, event.flags, event.session, event.code,
                      event.epoch, event.msg_seq_num, event.number), body)

    def read_kind(self, kind):
        """The next frame of this kind."""
        while True:
            frame = self.read()
            if frame is None or frame.kind == kind:
                return frame
            if frame.kind == CLOSED:
                raise AssertionError(f"closed: {frame}")

    def close(self):
        handle, self.handle = self.handle, ctypes.c_void_p()
        LIBRARY.nxf_client_free(handle)
