"""The lines of Hello and Welcome."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from nexusfix.gateway.errors import bad_frame
from nexusfix.gateway.events import Cursor, Session
from nexusfix.gateway.frames import Frame

HELLO_BYTES_MAX = 64 << 10
_SESSION_WORDS = 6


class Welcome(NamedTuple):
    """What the gateway says first."""

    role: str
    sessions: tuple[Session, ...]
    last_accepted: int


def hello_body(name: str, token: str, cursors: Iterable[Cursor]) -> bytes:
    """The lines of a Hello. Raises ValueError: a text has a line feed, or they are too long."""
    lines = [f"name={name}", "in-order=1"]
    if token:
        lines.append(f"token={token}")
    for cursor in cursors:
        key = "sent" if cursor.is_of_sent else "cursor"
        lines.append(f"{key}={cursor.epoch:d} {cursor.msg_seq_num:d} {cursor.session}")
    for line in lines:
        if "\n" in line:
            raise ValueError(f"the {line.partition('=')[0]} of a client of the gateway has a line "
                             "feed")
    body = "".join(f"{line}\n" for line in lines).encode()
    if len(body) > HELLO_BYTES_MAX:
        raise ValueError(f"the cursors need {len(body):,} bytes, {HELLO_BYTES_MAX:,} at most")
    return body


def read_welcome(frame: Frame) -> Welcome:
    """Ignores lines of keys that it does not know. Raises ClosedError: a line breaks a rule."""
    role = ""
    sessions: list[Session] = []
    for line in frame.text.split("\n"):
        key, _, value = line.partition("=")
        if key == "role":
            role = value
        elif key == "session":
            sessions.append(_session(value, len(sessions)))
    return Welcome(role, tuple(sessions), frame.number)


def _session(value: str, expected: int) -> Session:
    words = value.split(" ", _SESSION_WORDS - 1)
    numbers = words[:4]
    if (len(words) != _SESSION_WORDS or not all(one.isdecimal() for one in numbers)
            or int(words[0]) != expected):
        raise bad_frame(f"the Welcome has the line 'session={value}'")
    epoch, received, sent = (int(one) for one in numbers[1:])
    return Session(words[5], words[4] == "on", epoch, received, sent)
