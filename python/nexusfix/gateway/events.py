"""What a client of the gateway receives, and the answer to a message that it sends."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from nexusfix._core import Dictionary, Message, parse
from nexusfix.gateway.errors import RefuseCode


class Cursor(NamedTuple):
    """The last message of a session that the program has handled.

    Keep it in a store of your own, written in one transaction with the effect of the message.
    """

    session: str
    """The name, such as "FIX.4.4:DESK->VENUE"."""
    epoch: int
    """The session's number of resets, plus 1; 0: before all messages of the journal."""
    msg_seq_num: int
    """MsgSeqNum (34)."""
    is_of_sent: bool = False
    """An observer's: of the messages that the session has sent."""


class Session(NamedTuple):
    """A session that the client may see."""

    name: str
    is_logged_on: bool
    """As the newest event says."""
    epoch: int
    """The number of resets, plus 1, when the client attached."""
    received: int
    """MsgSeqNum (34) of the last message from the counterparty when the client attached."""
    sent: int
    """MsgSeqNum (34) of the last message to the counterparty when the client attached."""


class Accepted(NamedTuple):
    """What send() returns: the message and its number are in the gateway's journal."""

    session: str
    number: int
    """The client's own number of the message."""
    epoch: int
    """0 if the number was accepted before."""
    msg_seq_num: int
    """MsgSeqNum (34) of the message; 0 if the number was accepted before."""
    is_duplicate: bool
    """The number was accepted before, as before a lost connection: the message was sent once."""
    is_stored: bool
    """The session is not logged on: a resend sends the message after its next Logon."""


@dataclass(frozen=True, slots=True)
class Received:
    """An application message."""

    session: str
    epoch: int
    msg_seq_num: int
    is_from_journal: bool
    """It arrived before the client attached."""
    is_of_sent: bool
    """An observer's copy of a message that the session has sent."""
    raw: bytes
    """The message as it came."""
    dictionary: Dictionary | None = field(default=None, repr=False, compare=False)
    """The client's own."""

    @property
    def message(self) -> Message:
        """The message, read by the dictionary. Raises ParseError: the journal also has messages
        that the session layer has rejected."""
        return parse(self.raw, self.dictionary)

    @property
    def cursor(self) -> Cursor:
        """What to keep after the message is handled."""
        return Cursor(self.session, self.epoch, self.msg_seq_num, self.is_of_sent)


@dataclass(frozen=True, slots=True)
class StateChanged:
    """A session has logged on or out."""

    session: str
    epoch: int
    is_logged_on: bool
    reason: str
    """For people."""


@dataclass(frozen=True, slots=True)
class Refused:
    """A message whose Accepted has is_stored is never sent: a reset of its session came first."""

    session: str
    number: int
    epoch: int
    """That of its Accepted, as msg_seq_num."""
    msg_seq_num: int
    reason: str
    """For people."""
    code: RefuseCode = RefuseCode.RESET


@dataclass(frozen=True, slots=True)
class CaughtUp:
    """All messages of the journal have come: what follows arrives now."""


@dataclass(frozen=True, slots=True)
class Detached:
    """The connection to the gateway is lost. The client attaches again by itself."""

    reason: str
    """For people."""


@dataclass(frozen=True, slots=True)
class Reattached:
    """The client is attached again. Messages without an answer have been sent again, exactly those
    that the gateway has not accepted."""

    sessions: Mapping[str, Session]
    """By their names."""


Event = Received | StateChanged | Refused | CaughtUp | Detached | Reattached
