"""FIX messages and logs, by the NexusFIX engine.

>>> import nexusfix
>>> from nexusfix import fix44
>>> order = fix44.NewOrderSingle(ClOrdID="A1", Symbol="AAPL", Side=fix44.Side.BUY, OrderQty=100)
>>> order["Side"]
<Side.BUY: '1'>
>>> nexusfix.parse(bytes(order)) == order
True
"""

from typing import TYPE_CHECKING, Any

from nexusfix._core import Dictionary, Entry, Message, Stream, parse
from nexusfix.errors import (ConfigurationError, DictionaryError, FieldError, FieldMissingError,
                             FieldNameError, FixError, LogonTimeoutError, ParseError, SendError,
                             SessionClosedError, SessionError, ValidationError)
from nexusfix.load import load_dictionary
from nexusfix.logs import Log, gaps, latencies, orders, read_log, rejects
from nexusfix.values import TextEnumeration, Timestamp

if TYPE_CHECKING:
    from nexusfix.sessions import Acceptor, Initiator, Sent, Session

__all__ = ["Acceptor", "ConfigurationError", "Dictionary", "DictionaryError", "Entry", "FieldError",
           "FieldMissingError", "FieldNameError", "FixError", "Initiator", "Log",
           "LogonTimeoutError", "Message", "ParseError", "SendError", "Sent", "Session",
           "SessionClosedError", "SessionError", "Stream", "TextEnumeration", "Timestamp",
           "ValidationError", "gaps", "latencies", "load_dictionary", "orders", "parse", "read_log",
           "rejects"]

_OF_SESSIONS = ("Acceptor", "Initiator", "Sent", "Session")


def __getattr__(name: str) -> Any:
    """Imports the sessions when they are used: asyncio takes most of the time of an import."""
    if name not in _OF_SESSIONS:
        raise AttributeError(f"module 'nexusfix' has no attribute {name!r}")
    from nexusfix import sessions

    globals().update((one, getattr(sessions, one)) for one in _OF_SESSIONS)
    return globals()[name]
