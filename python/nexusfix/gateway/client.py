"""The client of the gateway."""

from __future__ import annotations

import asyncio
import os
import threading
from collections import deque
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Self

from nexusfix._core import Dictionary, Message
from nexusfix.gateway.errors import (AttachError, CloseCode, ClosedError, DetachedError,
                                     GatewayError, RefuseCode, RefusedError, bad_frame)
from nexusfix.gateway.events import (Accepted, CaughtUp, Cursor, Detached, Event, Reattached,
                                     Received, Refused, Session, StateChanged)
from nexusfix.gateway.frames import (BODY_BYTES_MAX, DUPLICATE, FROM_JOURNAL, OF_SENT, STORED,
                                     Frame, Kind)
from nexusfix.gateway.greeting import Welcome, hello_body
from nexusfix.gateway.link import ENDED, Link
from nexusfix.gateway.sends import Sends


class Client:
    """Is attached to a gateway in `async with`, and attaches again after a lost connection.

    socket: the path of the gateway's Unix socket. name, token: as its file of clients has them.
    cursors: the last messages that the program has handled, from its own store. Without one for a
    session the client gets what arrives from now on.

    resend: whether messages without an answer are sent again after a lost connection, exactly those
    that the gateway has not accepted. Otherwise their send() raises NotSentError.
    dictionary: of Received.message; None: that of each message's version.
    events_max: events that may wait for `async for`. With more the client ends with TOO_SLOW:
    nothing is lost, the program attaches again with its cursors.
    retry_seconds: the delay after a lost connection, which doubles from the first to the second.

    `async with` raises AttachError: there is no gateway; and ClosedError: it refuses the client.
    A client is entered once. Only the thread that has entered it uses it.
    """

    def __init__(self, socket: str | os.PathLike[str], name: str, token: str = "", *,
                 cursors: Iterable[Cursor] = (), resend: bool = True,
                 dictionary: Dictionary | None = None, events_max: int = 65_536,
                 retry_seconds: tuple[float, float] = (0.1, 5.0)) -> None:
        self._socket, self._name, self._token = os.fspath(socket), name, token
        self._resend, self._dictionary = resend, dictionary
        self._events_max, self._retry_seconds = events_max, retry_seconds
        self._places = {(one.session, one.is_of_sent): (one.epoch, one.msg_seq_num)
                        for one in cursors}
        hello_body(name, token, self._cursors())  # a fault in a text is raised here
        self._sends = Sends()
        self._events: deque[Event] = deque()
        self._arrivals: set[asyncio.Future[None]] = set()
        self._task: asyncio.Task[None] | None = None
        self._link: Link | None = None
        self._role = ""
        self._sessions: list[Session] = []
        self._error: Exception | None = None  # why the client has ended

    async def __aenter__(self) -> Self:
        if self._task is not None:
            raise GatewayError("a client is entered once: make another object")
        self._thread = threading.get_ident()
        link = await self._connect()
        self._task = asyncio.get_running_loop().create_task(self._run(link))
        self._task.add_done_callback(self._end)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Ends the connection; the sessions go on. A send() without an answer raises ClosedError.
        """
        if self._task is None:
            return
        link = self._link
        self._task.cancel()
        await asyncio.wait([self._task])
        if link is not None:
            await link.closed()

    @property
    def role(self) -> str:
        """ "trader" or "observer"."""
        return self._role

    @property
    def sessions(self) -> Mapping[str, Session]:
        """Those that the client may see, by their names, such as "FIX.4.4:DESK->VENUE"."""
        return MappingProxyType({session.name: session for session in self._sessions})

    @property
    def last_accepted(self) -> int:
        """The highest number whose message was in the gateway's journal when the client attached.

        After a crash, a program that keeps a number with each message sends those with a higher
        number again.
        """
        return self._sends.accepted

    @property
    def next_number(self) -> int:
        """The number of the next message that is sent without one."""
        return self._sends.next_number

    def send(self, session: str, message: Message | bytes,
             number: int | None = None) -> asyncio.Future[Accepted]:
        """Sends a message; `await` gives its Accepted when it is in the gateway's journal.

        It leaves at once, also if the result is not awaited: messages leave in the order of these
        calls. A cancelled wait does not take the message back. bytes: the fields of a message with
        SOH after each, from 35= or 8= on. The engine writes the header.

        number: one of the program's own, higher than every one before, 1 to 10^18 - 2; or one that
        was accepted before the client attached, whose message is not sent again. None: next_number.

        Raises at once, and nothing was sent: DetachedError, ClosedError, TypeError, ValueError, and
        SendError if 100,000 messages wait for their answers. When it is awaited: RefusedError,
        NotSentError and ClosedError, after which the message may have been sent. Messages that left
        between a refused one and its answer are refused with AFTER_REFUSED.
        """
        if not isinstance(message, (Message, bytes)):
            raise TypeError(f"a nexusfix.Message or bytes are sent, not {type(message).__name__}")
        body = bytes(message)
        if len(body) > BODY_BYTES_MAX:
            raise ValueError(f"a message of {len(body):,} bytes, {BODY_BYTES_MAX:,} at most")
        self._check_open()
        if self._link is None:
            raise DetachedError("not attached to the gateway; nothing was sent")
        index = self._index(session)
        answer: asyncio.Future[Accepted] = asyncio.get_running_loop().create_future()
        sending = self._sends.add(number, session, body, answer)
        self._link.write(Frame(Kind.SEND, session=index, number=sending.number, body=body))
        return answer

    async def logged_on(self, session: str) -> None:
        """Waits until the client is attached and the session logged on. Raises ClosedError."""
        while True:
            self._check_open()
            if self._sessions[self._index(session)].is_logged_on and self._link is not None:
                return
            await self._arrival()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Event:
        """The next event. It ends after close(). Raises ClosedError: why the client has ended."""
        while not self._events:
            if isinstance(self._error, ClosedError) and self._error.code == CloseCode.CLIENT_ENDS:
                raise StopAsyncIteration
            self._check_open()
            await self._arrival()
        return self._events.popleft()

    def _check_open(self) -> None:
        if self._task is None:
            raise GatewayError("enter the client first: `async with`")
        if threading.get_ident() != self._thread:
            raise GatewayError("only the thread of its event loop uses a client: "
                               "asyncio.run_coroutine_threadsafe()")
        if self._error is not None:
            raise self._error

    def _index(self, name: str) -> int:
        for index, session in enumerate(self._sessions):
            if session.name == name:
                return index
        names = ", ".join(session.name for session in self._sessions) or "none"
        raise ValueError(f"the client sees no session {name!r}; it sees: {names}")

    async def _arrival(self) -> None:
        """Waits for the next event, or the end."""
        arrival: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._arrivals.add(arrival)
        try:
            await arrival
        finally:
            self._arrivals.discard(arrival)

    def _wake(self) -> None:
        for arrival in self._arrivals:
            if not arrival.done():
                arrival.set_result(None)

    def _put(self, event: Event) -> None:
        if len(self._events) >= self._events_max:
            raise ClosedError(CloseCode.TOO_SLOW, "the program receives events too slowly: "
                              f"{self._events_max:,} wait")
        self._events.append(event)
        self._wake()

    # What follows attaches, and reads the frames.

    def _cursors(self) -> list[Cursor]:
        return [Cursor(session, *place, is_of_sent)
                for (session, is_of_sent), place in self._places.items()]

    async def _connect(self) -> Link:
        hello = hello_body(self._name, self._token, self._cursors())
        link = await Link.open(self._socket)
        try:
            self._adopt(link, await link.greet(hello))
        except BaseException:
            link.close()
            raise
        return link

    def _adopt(self, link: Link, welcome: Welcome) -> None:
        self._link, self._role, self._sessions = link, welcome.role, list(welcome.sessions)
        indexes = {}
        for index, session in enumerate(welcome.sessions):
            indexes[session.name] = index
            # Where a direction without a cursor goes on after a lost connection.
            self._places.setdefault((session.name, False), (session.epoch, session.received))
            if welcome.role == "observer":
                self._places.setdefault((session.name, True), (session.epoch, session.sent))
        for sending in self._sends.resume(welcome.last_accepted, indexes, self._resend):
            link.write(Frame(Kind.SEND, session=indexes[sending.session], number=sending.number,
                             body=sending.body))

    async def _run(self, link: Link) -> None:
        """Reads until the client ends, and raises why."""
        while True:
            reason = await self._lost(link)
            self._link = None
            link.close()
            self._put(Detached(reason))  # raises if it is too many events that ended the connection
            link = await self._reattach()
            self._put(Reattached(self.sessions))

    async def _lost(self, link: Link) -> str:
        """Handles the frames of a connection. Returns why there are no more."""
        try:
            while frame := await link.next():
                self._handle(frame)
        except ClosedError as error:
            if error.is_final:
                raise
            return str(error)
        except OSError as error:
            return f"{ENDED}: {error.strerror or error}"
        return ENDED

    async def _reattach(self) -> Link:
        delay, delay_max = self._retry_seconds
        while True:
            await asyncio.sleep(delay)
            try:
                return await self._connect()
            except AttachError:
                pass
            except ClosedError as error:
                if error.is_final:
                    raise
            delay = min(2 * delay, delay_max)

    def _end(self, task: asyncio.Task[None]) -> None:
        error: BaseException | None = None
        if not task.cancelled():
            error = task.exception()
        if not isinstance(error, Exception):
            error = ClosedError(CloseCode.CLIENT_ENDS, "the client has ended")
        self._error = error
        if self._link is not None:
            self._link.close()
            self._link = None
        self._sends.end(error)
        self._wake()

    def _handle(self, frame: Frame) -> None:
        if frame.kind == Kind.CAUGHT_UP:
            self._put(CaughtUp())
            return
        if frame.kind == Kind.CLOSED:
            raise ClosedError(frame.code, frame.text)
        if frame.session >= len(self._sessions):
            raise bad_frame(f"a frame of session {frame.session}, of {len(self._sessions)}")
        name = self._sessions[frame.session].name
        if frame.kind == Kind.MESSAGE:
            self._receive(name, frame)
        elif frame.kind == Kind.SESSION_STATE:
            is_on = frame.code == 1
            self._sessions[frame.session] = self._sessions[frame.session]._replace(
                is_logged_on=is_on)
            self._put(StateChanged(name, frame.epoch, is_on, frame.text))
        elif frame.kind == Kind.ACCEPTED:
            self._sends.accept(Accepted(name, frame.number, frame.epoch, frame.msg_seq_num,
                                        bool(frame.flags & DUPLICATE), bool(frame.flags & STORED)))
        elif frame.kind == Kind.REFUSED and frame.code == RefuseCode.RESET:
            self._put(Refused(name, frame.number, frame.epoch, frame.msg_seq_num, frame.text))
        elif frame.kind == Kind.REFUSED:
            self._sends.refuse(RefusedError(name, frame.number, frame.code, frame.text,
                                            frame.msg_seq_num / 1000))
        else:
            raise bad_frame(f"a frame of kind {frame.kind}")

    def _receive(self, name: str, frame: Frame) -> None:
        of = (name, bool(frame.flags & OF_SENT))
        place = (frame.epoch, frame.msg_seq_num)
        if self._places.get(of, (-1, -1)) >= place:
            return  # the program has it
        self._places[of] = place
        self._put(Received(name, *place, bool(frame.flags & FROM_JOURNAL), of[1], frame.body,
                           self._dictionary))
