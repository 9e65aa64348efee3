"""The exceptions of nexusfix. None of their texts shows a password."""

from __future__ import annotations


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


def _made(kind: type[FixError], text: str, tag: int | None, offset: int | None,
          rule: str | None) -> FixError:
    return kind(text, tag=tag, offset=offset, rule=rule)
