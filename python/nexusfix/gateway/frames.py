"""The frames of docs/reference/gateway-protocol.md, as bytes. No input and output."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from enum import IntEnum
from typing import NamedTuple

from nexusfix.gateway.errors import bad_frame

VERSION = 1
FRAME_BYTES_MAX = (1 << 20) + (4 << 10)
_HEADER = struct.Struct("<IBBHIIQQQ")
BODY_BYTES_MAX = FRAME_BYTES_MAX - _HEADER.size

DUPLICATE, STORED = 1, 2  # flags of Accepted
FROM_JOURNAL, OF_SENT = 1, 2  # flags of Message


class Kind(IntEnum):
    """What a frame is."""

    HELLO = 1
    WELCOME = 2
    SEND = 3
    ACCEPTED = 4
    REFUSED = 5
    MESSAGE = 6
    SESSION_STATE = 7
    CAUGHT_UP = 8
    CLOSED = 9


class Frame(NamedTuple):
    """A header and its body."""

    kind: int
    flags: int = 0
    session: int = 0
    code: int = 0
    epoch: int = 0
    msg_seq_num: int = 0
    number: int = 0
    body: bytes = b""

    @property
    def text(self) -> str:
        """The body, for people."""
        return self.body.decode("utf-8", "replace")

    def encoded(self) -> bytes:
        """The bytes of the frame."""
        return _HEADER.pack(_HEADER.size + len(self.body), VERSION, *self[:-1]) + self.body


class FrameReader:
    """Finds frames in bytes that arrive in any pieces."""

    def __init__(self) -> None:
        self._bytes = bytearray()

    def feed(self, data: bytes) -> Iterator[Frame]:
        """The frames that are whole with these bytes. Raises ClosedError: they are no frame."""
        self._bytes += data
        at = 0
        try:
            while len(self._bytes) - at >= _HEADER.size:
                (length, version, kind, flags, session, code, epoch, msg_seq_num,
                 number) = _HEADER.unpack_from(self._bytes, at)
                if not _HEADER.size <= length <= FRAME_BYTES_MAX:
                    raise bad_frame(f"a frame of {length} bytes: it has {_HEADER.size} to "
                                    f"{FRAME_BYTES_MAX}")
                if version != VERSION:
                    raise bad_frame(f"the gateway speaks version {version} of the protocol, this "
                                    f"client {VERSION}")
                if len(self._bytes) - at < length:
                    return
                body = bytes(self._bytes[at + _HEADER.size:at + length])
                at += length
                yield Frame(kind, flags, session, code, epoch, msg_seq_num, number, body)
        finally:
            del self._bytes[:at]
