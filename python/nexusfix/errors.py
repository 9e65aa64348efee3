"""The exceptions of nexusfix. None of their texts shows a password."""

from __future__ import annotations

import re
from collections.abc import Iterable


class FixError(ValueError):
    """The base of all exceptions here.

    tag: the field, or None. offset: the byte in the message where the fault is, or None.
    rule: the name of the broken rule, such as "CheckSumWrong", or None.
    """

    def __init__(self, text: str, *, tag: int | None = None, offset: int | None = None,
                 rule: str | None = None) -> None:
        super().__init__(text)
        self.tag = tag
        self.offset = offset
        self.rule = rule

    def __str__(self) -> str:
        return str(self.args[0])

    def __reduce__(self) -> tuple[object, ...]:
        return _made, (type(self), self.args[0], self.tag, self.offset, self.rule)


class ParseError(FixError):
    """The bytes are no FIX message."""


class FieldError(FixError):
    """A value is not of the type of its field."""


class ValidationError(FixError):
    """A message breaks a rule of its dictionary. The text shows the place."""


class FieldMissingError(FixError, KeyError):
    """The message does not have the field."""


class FieldNameError(FixError, KeyError, TypeError):
    """The dictionary, the message or the group has no field of this name."""


class DictionaryError(FixError):
    """A dictionary cannot be read. The text has a line for each fault."""


class ConfigurationError(FixError):
    """An engine cannot be opened. The text has a line for each fault.

    faults: the file, the line (0: of none) and the text of each fault of the configuration.
    line and key: those of the first fault, or None.
    """

    def __init__(self, text: str, faults: Iterable[tuple[str, int, str]] = ()) -> None:
        super().__init__(text)
        self.faults = tuple(faults)
        first = self.faults[0] if self.faults else ("", 0, "")
        self.line: int | None = first[1] or None
        key = re.match(r"(?:\[\w+\]: )?([A-Z]\w+)", first[2])
        self.key: str | None = key[1] if key else None

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.args[0], self.faults)


class SessionError(FixError):
    """A session, or its engine, cannot do what it was asked for."""


class SendError(SessionError):
    """A message was not sent, and got no MsgSeqNum. reason: in a few words, or None."""

    reason: str | None = None


class SessionClosedError(SessionError):
    """The engine has ended, or was not entered yet."""


class LogonTimeoutError(SessionError):
    """A session did not log on in time. The text says why, as far as the engine knows."""


def _made(kind: type[FixError], text: str, tag: int | None, offset: int | None,
          rule: str | None) -> FixError:
    return kind(text, tag=tag, offset=offset, rule=rule)
