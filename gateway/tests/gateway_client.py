"""A client of `nexusfix gateway` on its Unix socket: docs/reference/gateway-protocol.md."""

import socket
import struct

HEADER = struct.Struct("<IBBHIIQQQ")
HELLO, WELCOME, SEND, ACCEPTED, REFUSED, MESSAGE, STATE, CAUGHT_UP, CLOSED = range(1, 10)
DUPLICATE = 1
STORED = 2
FROM_JOURNAL = 1
SENT = 2


class Frame:
    def __init__(self, header, body):
        (self.length, self.version, self.kind, self.flags, self.session, self.code, self.epoch,
         self.msg_seq_num, self.number) = header
        self.body = body

    def __repr__(self):
        return (f"Frame(kind={self.kind} flags={self.flags} session={self.session} "
                f"code={self.code} epoch={self.epoch} seq={self.msg_seq_num} "
                f"number={self.number} body={self.body[:200]!r})")

    def fields(self):
        """The fields of a FIX message, the first of each tag."""
        found = {}
        for field in self.body.decode("latin-1").split("\x01"):
            tag, _, value = field.partition("=")
            found.setdefault(tag, value)
        return found


def frame_bytes(kind, body=b"", session=0, number=0, version=1, flags=0, code=0):
    return HEADER.pack(HEADER.size + len(body), version, kind, flags, session, code, 0, 0,
                       number) + body


def fix(text):
    return text.replace("|", "\x01").encode("latin-1")


class GatewayClient:
    def __init__(self, path, timeout=300):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(timeout)
        self.buffer = b""
        try:
            self.socket.connect(str(path))
        except OSError:
            self.socket.close()
            raise

    def hello(self, name, token, cursors=(), sent=(), in_order=False):
        lines = [f"name={name}", f"token={token}"]
        lines += ["in-order=1"] * in_order
        lines += [f"cursor={epoch} {number} {session}" for session, epoch, number in cursors]
        lines += [f"sent={epoch} {number} {session}" for session, epoch, number in sent]
        self.send_bytes(frame_bytes(HELLO, ("\n".join(lines) + "\n").encode()))

    def attach(self, name, token, cursors=(), sent=(), in_order=False):
        """Returns the Welcome, or the Closed."""
        self.hello(name, token, cursors, sent, in_order)
        return self.read()

    def send(self, number, text, session=0):
        self.send_bytes(frame_bytes(SEND, fix(text), session, number))

    def send_bytes(self, data):
        self.socket.sendall(data)

    def read(self):
        """The next frame; None: the gateway has closed the connection."""
        while True:
            if len(self.buffer) >= 4:
                length = int.from_bytes(self.buffer[:4], "little")
                if len(self.buffer) >= length:
                    data, self.buffer = self.buffer[:length], self.buffer[length:]
                    return Frame(HEADER.unpack(data[:HEADER.size]), data[HEADER.size:])
            try:
                received = self.socket.recv(1 << 16)
            except ConnectionResetError:
                return None
            if not received:
                return None
            self.buffer += received

    def read_kind(self, kind):
        """The next frame of this kind."""
        while True:
            frame = self.read()
            if frame is None or frame.kind == kind:
                return frame
            if frame.kind == CLOSED:
                raise AssertionError(f"closed: {frame}")

    def close(self):
        self.socket.close()
