"""FIX messages and logs, by the NexusFIX engine.

>>> import nexusfix
>>> from nexusfix import fix44
>>> order = fix44.NewOrderSingle(ClOrdID="A1", Symbol="AAPL", Side=fix44.Side.BUY, OrderQty=100)
>>> order["Side"]
<Side.BUY: '1'>
>>> nexusfix.parse(bytes(order)) == order
True
"""

from nexusfix._core import Dictionary, Entry, Message, Stream, parse
from nexusfix.errors import (DictionaryError, FieldError, FieldMissingError, FieldNameError,
                             FixError, ParseError, ValidationError)
from nexusfix.load import load_dictionary
from nexusfix.logs import Log, gaps, latencies, orders, read_log, rejects
from nexusfix.values import TextEnumeration, Timestamp

__all__ = ["Dictionary", "DictionaryError", "Entry", "FieldError", "FieldMissingError",
           "FieldNameError", "FixError", "Log", "Message", "ParseError", "Stream",
           "TextEnumeration", "Timestamp", "ValidationError", "gaps", "latencies",
           "load_dictionary", "orders", "parse", "read_log", "rejects"]
