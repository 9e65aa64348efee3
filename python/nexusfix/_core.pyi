"""The extension module: messages, dictionaries and streams."""

from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from typing import Any, final

from nexusfix.errors import ParseError, ValidationError
from nexusfix.sessions import Sent

@final
class Message(Mapping[int | str, Any]):
    """A FIX message: a mapping by tag or by name. It does not change.

    Values have the types of the dictionary: str, int, Decimal, bool, Timestamp, date, time, bytes,
    members of enumerations. A count field has a tuple of entries. `bytes(message)` is the message
    as it was received.
    """

    @property
    def msg_type(self) -> str:
        """MsgType (35): "D"."""
    @property
    def name(self) -> str:
        """The name of the MsgType: "NewOrderSingle". Empty: the dictionary lacks it."""
    @property
    def begin_string(self) -> str:
        """BeginString (8): "FIX.4.4"."""
    @property
    def dictionary(self) -> Dictionary:
        """The dictionary that names and types the fields."""
    def __getitem__(self, key: int | str, /) -> Any:
        """The value of a field. Raises FieldMissingError, FieldNameError, FieldError."""
    def __iter__(self) -> Iterator[int]: ...
    def __len__(self) -> int: ...
    def __bytes__(self) -> bytes: ...
    def __hash__(self) -> int: ...
    def get(self, key: int | str, default: Any = None) -> Any:
        """The value of a field, or default."""
    def raw(self, key: int | str) -> bytes:
        """The bytes of a value, also of one that is not of the field's type."""
    def fields(self) -> list[tuple[int, bytes]]:
        """All fields as they are, with those of groups."""
    def replace(self, **fields: Any) -> Message:
        """A message with these fields changed; None removes one."""
    def validate(self, **rules: bool) -> None:
        """Raises ValidationError if the message breaks a rule of its dictionary.

        rules: keys of a configuration, such as AllowUnknownMsgFields=True.
        """
    def problem(self, **rules: bool) -> ValidationError | None:
        """What validate() would raise, or None."""

@final
class Entry(Mapping[int | str, Any]):
    """An entry of a repeating group: a mapping, as a message is."""

    def __getitem__(self, key: int | str, /) -> Any: ...
    def __iter__(self) -> Iterator[int]: ...
    def __len__(self) -> int: ...
    def __bytes__(self) -> bytes: ...
    def __hash__(self) -> int: ...
    def get(self, key: int | str, default: Any = None) -> Any:
        """The value of a field, or default."""
    def raw(self, key: int | str) -> bytes:
        """The bytes of a value."""
    def fields(self) -> list[tuple[int, bytes]]:
        """All fields as they are, with those of groups within the entry."""

class Dictionary:
    """A dictionary: a version of FIX, or that of a counterparty.

    Its messages and enumerations are attributes: `venue.NewOrderSingle(...)`, `venue.Side.BUY`.
    """

    @staticmethod
    def builtin(version: str) -> Dictionary:
        """The dictionary of a version: "FIX.4.4", "fix44" or "5.0SP2"."""
    @staticmethod
    def from_text(text: str | bytes, name: str = "dictionary") -> Dictionary:
        """A dictionary in QuickFIX XML or FIX Orchestra. Raises DictionaryError."""
    @property
    def name(self) -> str:
        """The name of the version, or of the file."""
    @property
    def begin_string(self) -> str:
        """BeginString of messages that it builds."""
    @property
    def messages(self) -> tuple[str, ...]:
        """The names of all messages."""
    def tag(self, name: str) -> int:
        """The tag of a field. Raises FieldNameError."""
    def field_name(self, tag: int) -> str:
        """The name of a field. Empty: the dictionary lacks it."""
    def parse(self, data: bytes | bytearray | memoryview) -> Message:
        """The message in these bytes. Raises ParseError."""
    def __getattr__(self, name: str) -> Any: ...

class Stream:
    """Messages of bytes that arrive in any pieces, such as those of a socket.

    dictionary: None: that of each message's version. max_message_bytes: a longer message is
    garbled.
    """

    def __init__(self, dictionary: Dictionary | None = None,
                 max_message_bytes: int = 1048576) -> None: ...
    def feed(self, data: bytes | bytearray | memoryview) -> list[Message]:
        """The messages that these bytes complete. Garbled bytes are skipped and counted."""
    @property
    def errors(self) -> list[ParseError]:
        """The errors of the last 100 garbled places."""
    @property
    def garbled(self) -> int:
        """The number of garbled places."""
    @property
    def pending(self) -> int:
        """The bytes of a message that is not complete."""

class LogQuery:
    """What is read of logs, and how much has been read."""

    def __init__(self, kind: str, paths: list[str], where: str, fields: str,
                 dictionary: Dictionary | None, names: bool, batch_rows: int,
                 progress: Callable[[int, int], object] | None) -> None: ...
    def stream(self) -> object:
        """A capsule with an ArrowArrayStream."""
    @property
    def rows(self) -> int: ...
    @property
    def bytes(self) -> int: ...
    @property
    def misfits(self) -> int: ...
    @property
    def raised(self) -> BaseException | None: ...

class SessionEngine:
    """An engine on a thread of its own, for nexusfix.sessions. Its events are tuples, of which the
    first is an index of Engine._handlers.
    """

    def __init__(self, path: str, text: str | None, is_initiator: bool, asks_logons: bool,
                 waiting_bytes_max: int, dictionary: Dictionary | None) -> None: ...
    def start(self) -> None: ...
    def drain(self, count_max: int) -> list[tuple[Any, ...]]: ...
    def release(self, session: int, size: int) -> None: ...
    def send(self, session: int, message: Message, token: int) -> bool: ...
    def log_out(self, session: int, text: str) -> None: ...
    def log_on(self, session: int) -> None: ...
    def disconnect(self, session: int, why: str) -> None: ...
    def give_logon(self, session: int, message: Message | None, why: str) -> None: ...
    def answer_logon(self, session: int, request: int, is_accepted: bool, text: str) -> None: ...
    def stop(self) -> None: ...
    def close(self) -> None: ...
    def why(self, session: int) -> str: ...
    @property
    def descriptor(self) -> int: ...
    @property
    def port(self) -> int: ...

class SimulatedSession:
    """A session in a simulated world, as its application gets it."""

    def send(self, message: Message) -> Sent:
        """Sends a message at once. Raises SendError."""
    def log_out(self, text: str = "") -> None:
        """Sends a Logout with this Text (58)."""
    def call_after(self, seconds: float, call: Callable[[], object]) -> None:
        """Calls a function once after this virtual time, if the process lives."""
    @property
    def id(self) -> str:
        """Its name: "FIX.4.4:ME->VENUE"."""
    @property
    def is_logged_on(self) -> bool:
        """Whether both sides are logged on. False: its process has died."""

class SimulatedWorld:
    """What nexusfix.simulation.World wraps."""

    def __init__(self, seed: int, faults: str) -> None: ...
    def add(self, name: str, settings: str, make: Callable[[], object]) -> int: ...
    def run(self, seconds: float) -> None: ...
    def settle(self, seconds: float) -> bool: ...
    def after(self, seconds: float, call: Callable[[], object]) -> None: ...
    def kill(self, process: int) -> None: ...
    def application(self, process: int) -> Any: ...
    @property
    def now(self) -> float: ...
    @property
    def violation(self) -> tuple[str, str] | None: ...

def parse(data: bytes | bytearray | memoryview, dictionary: Dictionary | None = None) -> Message:
    """The message in these bytes: exactly one, with SOH after each field.

    dictionary: None: the built-in one of BeginString, and with FIXT of ApplVerID, or FIX 5.0 SP2.
    Raises ParseError.
    """

def join_engines(seconds: float) -> None: ...
def member(dictionary: Dictionary, name: str) -> type[Enum] | Any | None: ...
def member_names(dictionary: Dictionary) -> list[str]: ...
