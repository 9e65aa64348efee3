"""Why a client does not attach, why it ends, and why a message was not sent."""

from __future__ import annotations

from enum import IntEnum

from nexusfix.errors import SendError, SessionError


class CloseCode(IntEnum):
    """Why a connection, or the client, has ended."""

    VERSION = 1
    """Another version of the protocol."""
    DENIED = 2
    """Unknown name or token."""
    ALREADY_ATTACHED = 3
    """Another connection has this name."""
    BAD_FRAME = 4
    """A frame that breaks a rule of the protocol."""
    TOO_SLOW = 5
    """The program reads its events too slowly."""
    NO_HELLO = 6
    """No Hello in time, or too many connections."""
    STOPPING = 7
    """The gateway stops."""
    CURSOR_INVALID = 8
    """A cursor above the last message of its session."""
    MESSAGES_GONE = 9
    """The journal does not have the messages after a cursor any more."""
    CLIENT_ENDS = 10
    """close()."""
    NO_SHARED_MEMORY = 11
    """This client does not ask for it."""


class RefuseCode(IntEnum):
    """Why a message was not sent."""

    BAD_MESSAGE = 1
    """The bytes are no FIX message, or a value cannot be sent."""
    NOT_ALLOWED = 2
    """An observer, a session of others, or a message that another client owns."""
    SESSION_CLOSED = 3
    """The session is not logged on and does not keep the message, or it is about to reset."""
    RATE_LIMITED = 4
    """OutboundMessages: the session's limit is reached."""
    UNAVAILABLE = 5
    """The engine stops, or its disk is full."""
    AFTER_REFUSED = 6
    """It was sent before the answer to an earlier message, which was refused."""
    RESET = 7
    """Of a Refused: the message was stored, and the session was reset before its next Logon."""


# Another attempt to attach has the same end.
_FINAL = frozenset({CloseCode.VERSION, CloseCode.DENIED, CloseCode.BAD_FRAME,
                    CloseCode.CURSOR_INVALID, CloseCode.MESSAGES_GONE, CloseCode.CLIENT_ENDS})


class GatewayError(SessionError):
    """The base of the exceptions of a client of the gateway."""


class AttachError(GatewayError):
    """There is no gateway at the socket, or it ended the connection before its Welcome."""


class ClosedError(GatewayError):
    """The gateway, or the client, has ended the connection.

    code: a CloseCode, or the number of one that this client does not know. reason: for people.
    """

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(f"closed with code {int(code)}: {reason}")
        self.code: CloseCode | int = code
        if code in CloseCode.__members__.values():
            self.code = CloseCode(code)
        self.reason = reason

    @property
    def is_final(self) -> bool:
        """Whether another attempt to attach has the same end: the client makes none."""
        return self.code in _FINAL

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.code, self.reason)


class RefusedError(GatewayError, SendError):
    """Nothing was sent, and the next message takes the number.

    code: a RefuseCode, or the number of one that this client does not know. reason: for people.
    wait_seconds: of RATE_LIMITED: the time after which the session has room again; otherwise 0.
    """

    def __init__(self, session: str, number: int, code: int, reason: str,
                 wait_seconds: float = 0.0) -> None:
        super().__init__(f"message {number} to {session} was refused: {reason}")
        self.session = session
        self.number = number
        self.code: RefuseCode | int = code
        if code in RefuseCode.__members__.values():
            self.code = RefuseCode(code)
        self.reason = reason
        self.wait_seconds = wait_seconds

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.session, self.number, self.code, self.reason, self.wait_seconds)


class DetachedError(GatewayError, SendError):
    """There is no connection now, and nothing was sent. The client attaches again by itself."""


class NotSentError(GatewayError, SendError):
    """The connection was lost, and the gateway has not accepted the message of this number."""

    def __init__(self, number: int, reason: str) -> None:
        super().__init__(f"message {number} was not sent: {reason}")
        self.number = number
        self.reason = reason

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.number, self.reason)


def bad_frame(reason: str) -> ClosedError:
    """What the gateway has sent breaks a rule of the protocol."""
    return ClosedError(CloseCode.BAD_FRAME, reason)
