"""Sessions: the engine of which a program in Python is the application.

>>> import asyncio, tempfile
>>> import nexusfix
>>> from nexusfix import fix44
>>> async def main():
...     with tempfile.TemporaryDirectory() as folder:
...         venue = nexusfix.Acceptor({
...             "BeginString": "FIX.4.4", "SenderCompID": "VENUE", "TargetCompID": "ME",
...             "SocketAcceptHost": "127.0.0.1", "SocketAcceptPort": 0,
...             "FileStorePath": f"{folder}/venue"})
...         async with venue:
...             client = nexusfix.Initiator({
...                 "BeginString": "FIX.4.4", "SenderCompID": "ME", "TargetCompID": "VENUE",
...                 "SocketConnectHost": "127.0.0.1", "SocketConnectPort": venue.port,
...                 "HeartBtInt": 30, "FileStorePath": f"{folder}/client"})
...             async with client:
...                 await client.send(fix44.News(Headline="open", LinesOfText=[{"Text": "a"}]))
...                 async for message in venue:
...                     return message["Headline"]
>>> asyncio.run(main())
'open'
"""

from __future__ import annotations

import asyncio
import atexit
import inspect
import itertools
import logging
import os
import re
import threading
import time
import warnings
import weakref
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import Any, NamedTuple, Self, TypedDict, Unpack

from nexusfix._core import Dictionary, Message, SessionEngine, join_engines
from nexusfix.errors import (LogonTimeoutError, SendError, SessionClosedError, SessionError)

Settings = str | os.PathLike[str] | Mapping[str, Any]
Logon = Mapping[str, Any]

EVENTS_AT_A_TIME = 256
SENDS_MAX = 512  # messages that the engine has and has not reported
BACKLOG_MAX = 100_000
EXIT_SECONDS_MAX = 15.0
_SEVERITIES = (logging.INFO, logging.WARNING, logging.ERROR)
_KEY = re.compile(r"[A-Za-z][\w.]*")
_log = logging.getLogger("nexusfix.engine")
_open_engines: weakref.WeakSet[Engine] = weakref.WeakSet()
_process = os.getpid()


class Sent(NamedTuple):
    """What send() returns: the message is in the journal."""

    msg_seq_num: int
    """Its MsgSeqNum (34)."""
    is_transmitted: bool
    """False: the counterparty is not logged on, and gets the message after its next Logon."""


class _Waiting(NamedTuple):
    session: Session
    message: Message
    size: int


class _Queue:
    """Messages that wait for `async for`."""

    def __init__(self) -> None:
        self.items: deque[_Waiting] = deque()
        self.waiters: set[asyncio.Future[None]] = set()
        self.is_closed = False

    def put(self, item: _Waiting) -> None:
        self.items.append(item)
        self.wake()

    def close(self) -> None:
        self.is_closed = True
        self.wake()

    def wake(self) -> None:
        for waiter in self.waiters:
            if not waiter.done():
                waiter.set_result(None)

    async def get(self) -> _Waiting | None:
        """None: it is closed and empty."""
        while not self.items:
            if self.is_closed:
                return None
            waiter = asyncio.get_running_loop().create_future()
            self.waiters.add(waiter)
            try:
                await waiter
            finally:
                self.waiters.discard(waiter)
        return self.items.popleft()


class Session:
    """A session of an engine: Engine.sessions has them. Only the thread of its event loop uses it.

    `async for message in session` gives its messages, which then are not among those of the engine.
    """

    def __init__(self, engine: Engine, number: int, name: str, begin_string: str,
                 sender_comp_id: str, target_comp_id: str, qualifier: str) -> None:
        self._engine = engine
        self._number = number
        self._queue: _Queue | None = None
        self._is_logged_on = False
        self.id = name
        self.begin_string = begin_string
        self.sender_comp_id = sender_comp_id
        self.target_comp_id = target_comp_id
        self.qualifier = qualifier

    def __repr__(self) -> str:
        return f"<nexusfix.Session {self.id}>"

    @property
    def is_logged_on(self) -> bool:
        """Whether both sides are logged on."""
        return self._is_logged_on

    def send(self, message: Message) -> asyncio.Future[Sent]:
        """Sends a message; `await` gives its MsgSeqNum when it is in the journal.

        The engine gives it MsgSeqNum, SendingTime and CompIDs. Without a Logon it is stored, and
        sent after the next one. The message is passed on at once, also if the result is not awaited
        or is cancelled. While 512 messages wait for the engine, further ones wait here.

        Raises TypeError, SendError and SessionClosedError, most of them when it is awaited.
        """
        return self._engine._send(self, message)

    def log_out(self, text: str = "") -> None:
        """Sends a Logout with this Text (58). An initiator does not connect again by itself."""
        self._engine._opened().log_out(self._number, text)

    def log_on(self) -> None:
        """Initiator: connects again after log_out()."""
        self._engine._opened().log_on(self._number)

    def disconnect(self, why: str) -> None:
        """Ends the connection without a Logout; why: for the log. An initiator connects again."""
        self._engine._opened().disconnect(self._number, why)

    async def logged_on(self, timeout: float | None = None) -> None:
        """Waits until the session is logged on, at most timeout seconds.

        Raises LogonTimeoutError, which says why it is not, and SessionClosedError.
        """
        engine = self._engine
        until = None if timeout is None else time.monotonic() + timeout
        while not self._is_logged_on:
            core = engine._opened()
            rest = None if until is None else max(0.0, until - time.monotonic())
            changed = engine._next_change()
            if not (await asyncio.wait([changed], timeout=rest))[0]:
                changed.cancel()
                raise LogonTimeoutError(f"{self.id} is not logged on: {core.why(self._number)}")

    def __aiter__(self) -> AsyncIterator[Message]:
        if self._queue is None:
            self._queue = self._engine._split(self)
        return _messages(self._engine, self._queue)


async def _items(engine: Engine, queue: _Queue) -> AsyncIterator[_Waiting]:
    while item := await queue.get():
        engine._release(item)
        yield item


async def _messages(engine: Engine, queue: _Queue) -> AsyncIterator[Message]:
    async for item in _items(engine, queue):
        yield item.message


class Options(TypedDict, total=False):
    """What an Initiator and an Acceptor take as keywords besides: see Engine."""

    on_message: Callable[[Session, Message], Any] | None
    on_logon: Callable[[Session], Any] | None
    on_logout: Callable[[Session], Any] | None
    dictionary: Dictionary | None
    waiting_bytes_max: int


class Engine:
    """An engine on a thread of its own: an Initiator or an Acceptor.

    settings: the path of a configuration, or its keys. A mapping with "DEFAULT" and "SESSION" has a
    mapping and a list of mappings there. The messages that are sent are in the journal in
    FileStorePath.

    on_message, on_logon, on_logout: called with the session, and on_message with the message, too,
    on the thread of the event loop of asyncio; functions or coroutine functions. With on_message
    there is no `async for`. One message is handled after another.

    logon: see Initiator and Acceptor. dictionary: of messages; None: that of their version.
    waiting_bytes_max: while more bytes of messages of a session wait for the program, its
    connection is not read, and the counterparty has to wait.

    Raises ConfigurationError when it is entered, with the key and the line. An object is entered
    once. Only the thread that has entered it uses it.
    """

    _is_initiator = False

    def __init__(self, settings: Settings, *,
                 on_message: Callable[[Session, Message], Any] | None = None,
                 on_logon: Callable[[Session], Any] | None = None,
                 on_logout: Callable[[Session], Any] | None = None,
                 logon: Callable[..., Any] | None = None,
                 dictionary: Dictionary | None = None,
                 waiting_bytes_max: int = 1 << 20) -> None:
        self._path = "settings"
        self._text: str | None = None
        if isinstance(settings, (str, os.PathLike)):
            self._path = os.fspath(settings)
        else:
            self._text = settings_text(settings, self._is_initiator)
        for name, call in (("on_message", on_message), ("on_logon", on_logon),
                           ("on_logout", on_logout), ("logon", logon)):
            if call is not None and not callable(call):
                raise TypeError(f"{name} is a function or None")
        if waiting_bytes_max < 0:
            raise ValueError("waiting_bytes_max is 0 or more")
        self._on_message, self._on_logon, self._on_logout = on_message, on_logon, on_logout
        self._logon = logon
        self._dictionary = dictionary
        self._waiting_bytes_max = waiting_bytes_max
        self._core: SessionEngine | None = None
        self._was_entered = False
        self._sessions: list[Session] = []
        self._queue = _Queue()
        self._sends: dict[int, asyncio.Future[Sent]] = {}
        self._backlog: deque[tuple[Session, Message, asyncio.Future[Sent]]] = deque()
        self._tokens = itertools.count(1)
        self._changes: set[asyncio.Future[None]] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._handlers: tuple[Callable[..., None], ...] = (
            self._receive, self._logged_on, self._logged_out, self._disconnected, self._sent,
            self._add_session, self._asked_for_logon, self._wants_logon, self._write_log,
            self._ended)

    async def __aenter__(self) -> Self:
        if self._was_entered:
            raise SessionError("an engine is entered once: make another object")
        self._was_entered = True
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()
        self._end: asyncio.Future[int] = self._loop.create_future()
        self._core = core = await asyncio.to_thread(
            SessionEngine, self._path, self._text, self._is_initiator, self._logon is not None,
            self._waiting_bytes_max, self._dictionary)
        _open_engines.add(self)
        self._loop.add_reader(core.descriptor, self._drain)
        self._drain()
        if inspect.iscoroutinefunction(self._on_message):
            self._start_task(self._consume(self._on_message))
        core.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Logs out every session, and ends the engine. Does nothing if it has ended."""
        core = self._core
        if core is None:
            return
        for task in list(self._tasks):
            if task is not asyncio.current_task():
                task.cancel()
        core.stop()
        await asyncio.shield(self._end)
        self._finish(core)

    async def ended(self) -> int:
        """Waits until the engine has ended; 1: its store has failed, otherwise 0."""
        return await asyncio.shield(self._end)

    def run(self) -> int:
        """Serves until the engine ends, or KeyboardInterrupt: for programs without asyncio."""
        async def serve() -> int:
            async with self:
                return await self.ended()
        return asyncio.run(serve())

    @property
    def sessions(self) -> Mapping[str, Session]:
        """The sessions by their names, such as "FIX.4.4:ME->VENUE"."""
        return {session.id: session for session in self._sessions}

    @property
    def session(self) -> Session:
        """The only session. Raises SessionError if there are several, or none."""
        if len(self._sessions) != 1:
            names = ", ".join(session.id for session in self._sessions) or "none"
            raise SessionError(f"name one of the sessions: {names}")
        return self._sessions[0]

    def send(self, message: Message) -> asyncio.Future[Sent]:
        """Session.send() of the only session."""
        self._opened()
        return self.session.send(message)

    def __aiter__(self) -> AsyncIterator[Message]:
        """The messages of all sessions that are not iterated by themselves: application messages,
        and Reject (3). It ends when the engine does."""
        self._needs_no_callback()
        return _messages(self, self._queue)

    async def received(self) -> AsyncIterator[tuple[Session, Message]]:
        """As `async for message in engine`, with the session of each message."""
        self._needs_no_callback()
        async for item in _items(self, self._queue):
            yield item.session, item.message

    # What follows is called by sessions, and by events of the engine.

    def _opened(self) -> SessionEngine:
        if self._core is None:
            raise SessionClosedError("the engine has ended" if self._was_entered
                                     else "enter the engine first: `async with`")
        if threading.get_ident() != self._thread:
            raise SessionError("only the thread of its event loop uses an engine: "
                               "asyncio.run_coroutine_threadsafe()")
        return self._core

    def _needs_no_callback(self) -> None:
        if self._on_message is not None:
            raise SessionError("on_message gets the messages")

    def _split(self, session: Session) -> _Queue:
        self._needs_no_callback()
        queue = _Queue()
        queue.is_closed = self._queue.is_closed
        queue.items.extend(item for item in self._queue.items if item.session is session)
        rest = [item for item in self._queue.items if item.session is not session]
        self._queue.items = deque(rest)
        return queue

    def _release(self, item: _Waiting) -> None:
        if self._core is not None:
            self._core.release(item.session._number, item.size)

    def _next_change(self) -> asyncio.Future[None]:
        change: asyncio.Future[None] = self._loop.create_future()
        self._changes.add(change)
        change.add_done_callback(self._changes.discard)
        return change

    def _tell_change(self) -> None:
        for change in list(self._changes):
            if not change.done():
                change.set_result(None)

    def _send(self, session: Session, message: Message) -> asyncio.Future[Sent]:
        core = self._opened()
        if not isinstance(message, Message):
            raise TypeError(f"a nexusfix.Message is sent, not {type(message).__name__}")
        if len(self._backlog) >= BACKLOG_MAX:
            raise SendError(f"{BACKLOG_MAX:,} messages wait for the engine: await send()")
        future: asyncio.Future[Sent] = self._loop.create_future()
        if self._backlog or not self._post(core, session, message, future):
            self._backlog.append((session, message, future))
        return future

    def _post(self, core: SessionEngine, session: Session, message: Message,
              future: asyncio.Future[Sent]) -> bool:
        """False: the engine has enough of them."""
        token = next(self._tokens)
        if len(self._sends) >= SENDS_MAX or not core.send(session._number, message, token):
            return False
        self._sends[token] = future
        return True

    def _post_backlog(self, core: SessionEngine) -> None:
        while self._backlog:
            session, message, future = self._backlog[0]
            try:
                if not future.done() and not self._post(core, session, message, future):
                    return
            except SessionError as error:
                future.set_exception(error)
            self._backlog.popleft()

    def _drain(self) -> None:
        core = self._core
        if core is None:
            return
        events = core.drain(EVENTS_AT_A_TIME)
        for event in events:
            self._handlers[event[0]](*event[1:])
        if len(events) == EVENTS_AT_A_TIME:
            self._loop.call_soon(self._drain)

    def _call(self, call: Callable[..., Any] | None, *arguments: Any) -> None:
        if call is None:
            return
        try:
            result = call(*arguments)
        except Exception as error:  # the engine goes on
            self._complain(error, call)
            return
        if inspect.iscoroutine(result):
            self._start_task(self._awaited(call, result))

    async def _awaited(self, call: Callable[..., Any], result: Awaitable[Any]) -> None:
        try:
            await result
        except Exception as error:
            self._complain(error, call)

    def _complain(self, error: BaseException, call: Callable[..., Any]) -> None:
        name = getattr(call, "__qualname__", repr(call))
        self._loop.call_exception_handler({"message": f"{name} has raised", "exception": error})

    def _start_task(self, work: Any) -> None:
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _consume(self, call: Callable[[Session, Message], Awaitable[Any]]) -> None:
        async for item in _items(self, self._queue):
            await self._awaited(call, call(item.session, item.message))

    def _receive(self, number: int, message: Message | Exception, size: int) -> None:
        item = _Waiting(self._sessions[number], message, size)  # type: ignore[arg-type]
        if isinstance(message, Exception):
            self._release(item)
            self._complain(message, self._receive)
        elif self._on_message is None or inspect.iscoroutinefunction(self._on_message):
            (item.session._queue or self._queue).put(item)
        else:
            self._call(self._on_message, item.session, message)
            self._release(item)

    def _logged_on(self, number: int) -> None:
        session = self._sessions[number]
        session._is_logged_on = True
        self._tell_change()
        self._call(self._on_logon, session)

    def _logged_out(self, number: int) -> None:
        session = self._sessions[number]
        session._is_logged_on = False
        self._tell_change()
        self._call(self._on_logout, session)

    def _disconnected(self, number: int, is_orderly: bool, text: str) -> None:
        _log.info("%s: disconnected%s%s", self._sessions[number].id,
                  "" if is_orderly else " without a Logout", text and f": {text}")

    def _sent(self, token: int, msg_seq_num: int, is_transmitted: bool, text: str,
              reason: str) -> None:
        future = self._sends.pop(token)
        if not future.done():
            if msg_seq_num:
                future.set_result(Sent(msg_seq_num, is_transmitted))
            else:
                error = SendError(text or reason)
                error.reason = reason or None
                future.set_exception(error)
        if self._backlog and self._core is not None:
            self._post_backlog(self._core)

    def _add_session(self, number: int, *names: str) -> None:
        self._sessions.append(Session(self, number, *names))

    def _asked_for_logon(self, number: int, request: int, message: Message) -> None:
        self._start_task(self._answer_logon(self._sessions[number], request, message))

    async def _answer_logon(self, session: Session, request: int, message: Message) -> None:
        assert self._logon is not None
        answer: Any = "the Logon could not be checked"
        try:
            answer = self._logon(session, message)
            if inspect.isawaitable(answer):
                answer = await answer
        except Exception as error:
            self._complain(error, self._logon)
        text = answer if isinstance(answer, str) else "not authenticated"
        is_accepted = answer is None or answer is True
        if self._core is not None:
            self._core.answer_logon(session._number, request, is_accepted, text)

    def _wants_logon(self, number: int) -> None:
        self._start_task(self._give_logon(self._sessions[number]))

    async def _give_logon(self, session: Session) -> None:
        assert self._logon is not None
        message, why = None, ""
        try:
            fields = self._logon(session)
            if inspect.isawaitable(fields):
                fields = await fields
            dictionary = self._dictionary or Dictionary.builtin(session.begin_string)
            message = dictionary.Logon(**fields)
        except Exception as error:
            why = type(error).__name__  # its text may have a secret
            self._complain(error, self._logon)
        if self._core is not None:
            self._core.give_logon(session._number, message, why)

    def _write_log(self, severity: int, number: int, text: str) -> None:
        session, _, event = text.partition("\n")
        _log.log(_SEVERITIES[severity], "NXF-%d %s %s", number, session or "engine", event)

    def _ended(self, result: int) -> None:
        closed = SessionClosedError("the engine has ended")
        for future in [*self._sends.values(), *(one[2] for one in self._backlog)]:
            if not future.done():
                future.set_exception(closed)
        self._sends.clear()
        self._backlog.clear()
        for session in self._sessions:
            session._is_logged_on = False
        for queue in [self._queue, *(s._queue for s in self._sessions if s._queue)]:
            queue.close()
        if self._core is not None:
            self._finish(self._core)
        self._tell_change()
        if not self._end.done():
            self._end.set_result(result)

    def _finish(self, core: SessionEngine) -> None:
        if self._core is None:
            return
        self._loop.remove_reader(core.descriptor)
        self._core = None
        core.close()
        _open_engines.discard(self)

    def __del__(self) -> None:
        if getattr(self, "_core", None) is not None:
            warnings.warn(f"{type(self).__name__} was not closed: use `async with`",
                          ResourceWarning, source=self, stacklevel=2)


class Initiator(Engine):
    """Sessions that connect to their counterparties. `async with` waits until they are logged on.

    logon: a function or coroutine function that gets the session and returns the fields of its next
    Logon by their names, such as {"Username": "me", "Password": token}. It is called when a
    connection begins, and the Logon waits for it; after SocketConnectTimeout, which is LogonTimeout
    by default, the attempt fails. Other sessions do not wait.

    logon_timeout: the seconds that `async with` waits at most; 0: it does not wait.

    Raises LogonTimeoutError, and what Engine raises.
    """

    _is_initiator = True

    def __init__(self, settings: Settings, *, logon_timeout: float = 30.0,
                 logon: Callable[[Session], Logon | Awaitable[Logon]] | None = None,
                 **options: Unpack[Options]) -> None:
        super().__init__(settings, logon=logon, **options)
        self._logon_timeout = logon_timeout

    async def __aenter__(self) -> Self:
        await super().__aenter__()
        until = time.monotonic() + self._logon_timeout
        try:
            for session in self._sessions if self._logon_timeout > 0 else ():
                await session.logged_on(max(0.0, until - time.monotonic()))
        except BaseException:
            await self.close()
            raise
        return self


class Acceptor(Engine):
    """Sessions that wait for their counterparties.

    logon: a function or coroutine function that gets the session and the Logon. True or None
    accepts it; a text or False refuses it, with the text in the Logout. An answer after
    LogonTimeout has no effect.
    """

    def __init__(self, settings: Settings, *,
                 logon: Callable[[Session, Message],
                                 bool | str | None | Awaitable[bool | str | None]] | None = None,
                 **options: Unpack[Options]) -> None:
        super().__init__(settings, logon=logon, **options)

    @property
    def port(self) -> int:
        """The port of the first session; with SocketAcceptPort=0, the actual one."""
        return self._opened().port


def settings_text(settings: Mapping[str, Any], is_initiator: bool) -> str:
    """The configuration that has these keys."""
    default: Mapping[str, Any] = settings
    sections: Sequence[Mapping[str, Any]] = [{}]
    if "SESSION" in settings or "DEFAULT" in settings:
        default = settings.get("DEFAULT", {})
        given = settings.get("SESSION", [{}])
        sections = [given] if isinstance(given, Mapping) else given
    role = {"ConnectionType": "initiator" if is_initiator else "acceptor"}
    lines = ["[DEFAULT]", *_lines_of({**role, **default})]
    for section in sections:
        lines += ["[SESSION]", *_lines_of(section)]
    return "\n".join(lines) + "\n"


def _lines_of(keys: Mapping[str, Any]) -> list[str]:
    lines = []
    for key, value in keys.items():
        if not isinstance(key, str) or not _KEY.fullmatch(key):
            raise ValueError(f"not a key of a configuration: {key!r}")
        if isinstance(value, bool):
            value = "Y" if value else "N"
        if not isinstance(value, (str, int, float, os.PathLike)):
            raise TypeError(f"{key}: a text, a number or a bool was expected, not "
                            f"{type(value).__name__}")
        text = os.fspath(value) if isinstance(value, os.PathLike) else str(value)
        if not text.isprintable():
            raise ValueError(f"{key}: a value is one line of printable characters")
        lines.append(f"{key}={text}")
    return lines


def _stop_engines() -> None:
    """The interpreter ends: so do its engines, before the memory that they use."""
    if os.getpid() != _process:
        return  # a child of fork() has no engine
    for engine in list(_open_engines):
        if engine._core is not None:
            engine._core.stop()
    join_engines(EXIT_SECONDS_MAX)


atexit.register(_stop_engines)
