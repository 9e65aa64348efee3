"""The numbers of a client's messages, and the messages that wait for an answer."""

from __future__ import annotations

from asyncio import Future
from collections import deque
from collections.abc import Container
from typing import NamedTuple

from nexusfix.errors import SendError
from nexusfix.gateway.errors import NotSentError, RefuseCode, RefusedError, bad_frame
from nexusfix.gateway.events import Accepted

NUMBER_MAX = 10**18 - 2
WAITING_MAX = 100_000


class Sending(NamedTuple):
    """A message without an answer."""

    number: int
    session: str
    body: bytes
    answer: Future[Accepted]

    def finish(self, answer: Accepted | Exception) -> None:
        """Does nothing if the program does not wait any more."""
        if self.answer.done():
            return
        if isinstance(answer, Exception):
            self.answer.set_exception(answer)
        else:
            self.answer.set_result(answer)


class Sends:
    """Gives numbers, and answers messages. The gateway keeps the order, by in-order=1: after a
    Refused it accepts no higher number before the refused one is used again."""

    def __init__(self) -> None:
        self.accepted = 0  # the highest one that was accepted when the client attached
        self._last = 0  # the highest one in use
        self._refused = 0  # it is the next number; 0: none was refused
        self._waiting: dict[int, Sending] = {}
        # Finished with AFTER_REFUSED; the gateway's own answers to them come later.
        self._after_refused: deque[int] = deque()

    @property
    def next_number(self) -> int:
        """That of the next message."""
        return self._last + 1

    def add(self, number: int | None, session: str, body: bytes,
            answer: Future[Accepted]) -> Sending:
        """Raises ValueError: the number is not the client's to use now; SendError: too many wait.
        """
        number = self._checked(self.next_number if number is None else number)
        if len(self._waiting) >= WAITING_MAX:
            raise SendError(f"{WAITING_MAX:,} messages wait for their answers: await send()")
        if number > self._last:
            self._last, self._refused = number, 0
        sending = self._waiting[number] = Sending(number, session, body, answer)
        return sending

    def _checked(self, number: int) -> int:
        if not 1 <= number <= NUMBER_MAX:
            raise ValueError(f"a number is 1 to 10^18 - 2, not {number}")
        if number in self._waiting:
            raise ValueError(f"message {number} waits for its answer")
        if self.accepted < number <= self._last:
            raise ValueError(f"number {number} comes after number {self._last}")
        if self._refused != 0 and number > self._refused:
            raise ValueError(f"number {self._refused} was refused, and comes before number "
                             f"{number}")
        return number

    def resume(self, accepted: int, sessions: Container[str], resends: bool) -> list[Sending]:
        """The client is attached: what to send again. accepted: the number of the Welcome."""
        self.accepted, self._last = accepted, max(self._last, accepted)
        self._refused = 0
        self._after_refused.clear()
        waiting, self._waiting = self._waiting, {}
        for number, sending in waiting.items():
            if number <= accepted:
                sending.finish(Accepted(sending.session, number, 0, 0, True, False))
            elif not resends:
                sending.finish(NotSentError(number, "the connection was lost"))
            elif sending.session not in sessions:
                sending.finish(NotSentError(number, "the gateway has no session "
                                            f"{sending.session} any more"))
            else:
                self._waiting[number] = sending
        return list(self._waiting.values())

    def accept(self, answer: Accepted) -> None:
        """The gateway has accepted a message."""
        if sending := self._waiting.pop(answer.number, None):
            sending.finish(answer)

    def refuse(self, why: RefusedError) -> None:
        """The gateway has refused a message. It does not accept those that left after it.

        Raises ClosedError: no such message waits for an answer.
        """
        if (why.code == RefuseCode.AFTER_REFUSED and self._after_refused
                and self._after_refused[0] == why.number):
            self._after_refused.popleft()
            return
        if why.number not in self._waiting:
            raise bad_frame(f"message {why.number} was refused, and waits for no answer")
        self._waiting.pop(why.number).finish(why)
        for number in [one for one in self._waiting if one > why.number]:
            sending = self._waiting.pop(number)
            sending.finish(RefusedError(sending.session, number, RefuseCode.AFTER_REFUSED,
                                        f"message {why.number} was refused before"))
            self._after_refused.append(number)
        self._last, self._refused = why.number - 1, why.number

    def end(self, error: Exception) -> None:
        """No answer comes any more."""
        waiting, self._waiting = self._waiting, {}
        for sending in waiting.values():
            sending.finish(error)
