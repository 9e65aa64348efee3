"""The values of fields: times with nanoseconds, and enumerations."""

from __future__ import annotations

from datetime import datetime, timezone
from enum import Enum, IntEnum
from typing import Any, SupportsIndex

_UTC = timezone.utc


class Timestamp(datetime):
    """A UTC time that keeps the nanoseconds of a field.

    nanoseconds: those of the second, 0 to 999,999,999. `microsecond` has the first six digits. What
    arithmetic makes of it has whole microseconds, as any datetime.

    >>> import nexusfix
    >>> t = nexusfix.Timestamp.of("20260115-10:30:00.123456789")
    >>> t.microsecond, t.nanoseconds
    (123456, 123456789)
    >>> t < nexusfix.Timestamp.of("20260115-10:30:00.123456790")
    True
    """

    below = 0  # nanoseconds below the microsecond

    @property
    def nanoseconds(self) -> int:
        return self.microsecond * 1000 + self.below

    @classmethod
    def of(cls, text: str) -> Timestamp:
        """The time of a text as FIX has it: 20260115-10:30:00.123456789."""
        date, _, time = text.partition("-")
        whole, _, fraction = time.partition(".")
        made = datetime.strptime(date + whole, "%Y%m%d%H:%M:%S")
        if fraction and not (fraction.isascii() and fraction.isdigit()):
            raise ValueError(f"not a time of FIX: {text!r}")
        return timestamp_of_parts(made.year, made.month, made.day, made.hour, made.minute,
                                  made.second, int((fraction + "0" * 9)[:9]))

    def __str__(self) -> str:
        return f"{self:%Y-%m-%d %H:%M:%S}.{self.nanoseconds:09}+00:00"

    def __repr__(self) -> str:
        return f"Timestamp.of('{self:%Y%m%d-%H:%M:%S}.{self.nanoseconds:09}')"

    def __eq__(self, other: object) -> bool:
        return bool(super().__eq__(other) and self.below == _below(other))

    def __ne__(self, other: object) -> bool:
        return not self.__eq__(other)

    def __lt__(self, other: Any) -> bool:
        return bool(super().__lt__(other)
                    or (super().__eq__(other) and self.below < _below(other)))

    def __le__(self, other: Any) -> bool:
        return bool(self < other or self == other)

    def __gt__(self, other: Any) -> bool:
        return not self.__le__(other)

    def __ge__(self, other: Any) -> bool:
        return not self.__lt__(other)

    def __hash__(self) -> int:
        return super().__hash__()

    def __reduce_ex__(self, protocol: SupportsIndex) -> tuple[object, ...]:
        return timestamp_of_parts, (self.year, self.month, self.day, self.hour, self.minute,
                                    self.second, self.nanoseconds)


def _below(time: object) -> int:
    return time.nanoseconds % 1000 if isinstance(time, Timestamp) else 0


def timestamp_of_parts(year: int, month: int, day: int, hour: int, minute: int, second: int,
                       nanoseconds: int) -> Timestamp:
    made = Timestamp(year, month, day, hour, minute, second, nanoseconds // 1000, _UTC)
    made.below = nanoseconds % 1000
    return made


def utc_of(time: datetime) -> datetime | None:
    """The time in UTC; None: it has no time zone."""
    offset = time.utcoffset()
    if offset is None:
        return None
    if not offset:
        return time
    naive = datetime(time.year, time.month, time.day, time.hour, time.minute, time.second,
                     time.microsecond)
    return naive - offset


def make_enumeration(name: str, values: list[tuple[str, str]],
                     is_number: bool) -> tuple[type[Enum], dict[str, Enum]]:
    """The enumeration of a field, and its members by their values in messages."""
    names: dict[str, str] = {}
    for label, value in values:
        label = label if label.isidentifier() and label != "mro" else f"_{label}"
        while label in names:
            label += "_"
        names[label] = value
    base: Any = TextEnumeration
    members: dict[str, Any] = dict(names)
    if is_number and all(value.lstrip("-").isdigit() for value in names.values()):
        base = IntEnum
        members = {label: int(value) for label, value in names.items()}
    kind: type[Enum] = base(name, members)
    kind.__module__ = "nexusfix"
    return kind, {value: kind[label] for label, value in names.items()}


class TextEnumeration(str, Enum):
    """The values of a field of texts: a member equals the text that it stands for."""

    def __str__(self) -> str:
        return str(self.value)
