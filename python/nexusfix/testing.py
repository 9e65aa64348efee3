"""Counterparties for tests: the fixtures of nexusfix.pytest_plugin, also without pytest.

>>> from nexusfix import fix44
>>> with Venue() as venue, Client(venue.port) as client:
...     _ = venue.on("News").reply("News", Headline=lambda news: news["Headline"] + "?",
...                                LinesOfText=[{"Text": "yes"}])
...     _ = client.send(fix44.News(Headline="open", LinesOfText=[{"Text": "now"}]))
...     client.expect("News")["Headline"]
'open?'
"""

from __future__ import annotations

import asyncio
import re
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, Self

from nexusfix._core import Message, parse
from nexusfix.errors import FixError, ParseError
from nexusfix.sessions import Acceptor, Engine, Initiator, Sent, Session

Reply = Message | Iterable[Message] | None

_VERSIONS = ("FIX.4.0", "FIX.4.1", "FIX.4.2", "FIX.4.3", "FIX.4.4")
_SECONDS_MAX = 10.0
_FRAME_END = re.compile(rb"\x0110=[^\x01]*\x01")
_LINE = re.compile(r"^ *(\d+)  (\S*) +(.*)$")
_QUIET = ("0", "1")  # Heartbeat, TestRequest
_HEADER = (8, 9, 35, 49, 56, 10, 34, 52)
_COLUMN = 58


class Exchanged(NamedTuple):
    """One message of a conversation."""

    is_of_client: bool
    """Who has sent it: the side that connects, or the one that accepts."""
    data: bytes
    """As it was sent, before the fault."""
    fault: str
    """What the relay has done with it: "lost", "garbled"; empty: it was passed on."""

    @property
    def message(self) -> Message | None:
        """None: the bytes are no message."""
        try:
            return parse(self.data)
        except ParseError:
            return None


class Conversation:
    """What both sides have sent, in the order in which the relay has got it. Any thread."""

    def __init__(self) -> None:
        self._exchanged: list[Exchanged] = []

    def __iter__(self) -> Iterator[Exchanged]:
        return iter(self._exchanged.copy())

    def __len__(self) -> int:
        return len(self._exchanged)

    def add(self, exchanged: Exchanged) -> None:
        self._exchanged.append(exchanged)

    def text(self, ignored: Iterable[int] = ()) -> str:
        """A line for each message without Heartbeat and TestRequest; `*` for ignored values."""
        hidden = frozenset(ignored)
        return "".join(f"{'>' if one.is_of_client else '<'} {_fault_of(one)}{line}\n"
                       for one in self
                       if (line := _described(one, lambda _: True, hidden, _QUIET)))

    def columns(self) -> str:
        """Two columns: the client to the left, the venue to the right."""
        lines = []
        for one in self:
            text = _fault_of(one) + _described(one, lambda tag: tag not in _HEADER, frozenset(), ())
            for number, part in enumerate(_wrapped(text)):
                arrow = "  " if number else "->" if one.is_of_client else "<-"
                left, right = (part, "") if one.is_of_client else ("", part)
                lines.append(f"{left:{_COLUMN}} {arrow} {right}".rstrip())
        head = f"{'client':{_COLUMN}}    venue"
        return "\n".join([head, *lines]) if lines else ""


def _fault_of(one: Exchanged) -> str:
    return f"[{one.fault}] " if one.fault else ""


def _described(one: Exchanged, shows: Callable[[int], bool], hidden: frozenset[int],
               left_out: tuple[str, ...]) -> str:
    """The message on one line, without secrets. Empty: its type is left out."""
    message = one.message
    if message is None:
        return f"{len(one.data)} bytes that are no message"
    if message.msg_type in left_out:
        return ""
    parts = [f"{message.name or message.msg_type} {message.get(34, '?')}"]
    for line in repr(message).splitlines()[1:]:
        found = _LINE.match(line)
        if found and shows(int(found[1])):
            value = "*" if int(found[1]) in hidden else found[3]
            parts.append(f"{found[2] or found[1]}={value}")
    return " ".join(parts)


def _wrapped(text: str) -> list[str]:
    lines = [""]
    for word in text.split(" "):
        while len(word) > _COLUMN:
            lines, word = [*lines, word[:_COLUMN]], word[_COLUMN:]
        if len(lines[-1]) + len(word) + 1 > _COLUMN:
            lines.append("  " + word)
        else:
            lines[-1] += f" {word}" if lines[-1] else word
    return [line for line in lines if line]


class Faults:
    """Faults of the next messages that one side sends; msg_type: only those of this type, such as
    "8"; empty: of any application message. count: how many."""

    def __init__(self) -> None:
        self._planned: list[tuple[str, str, Any]] = []
        self._lock = threading.Lock()

    def gap(self, msg_type: str = "", count: int = 1) -> None:
        """The messages are lost. The next one, or a Heartbeat, shows it."""
        self._plan("lost", msg_type, None, count)

    def duplicate(self, msg_type: str = "", count: int = 1) -> None:
        """The messages come twice, with the same MsgSeqNum."""
        self._plan("duplicated", msg_type, None, count)

    def garble(self, msg_type: str = "", count: int = 1) -> None:
        """The messages have a wrong CheckSum."""
        self._plan("garbled", msg_type, None, count)

    def delay(self, seconds: float, msg_type: str = "", count: int = 1) -> None:
        """The messages, and those after them, come later."""
        self._plan("delayed", msg_type, seconds, count)

    def drop(self, msg_type: str = "") -> None:
        """The connection breaks before the message."""
        self._plan("dropped", msg_type, None, 1)

    def wrong_comp_id(self, comp_id: str = "WRONG", msg_type: str = "", count: int = 1) -> None:
        """The messages have this SenderCompID (49)."""
        self._plan("wrong CompID", msg_type, comp_id, count)

    def _plan(self, fault: str, msg_type: str, value: Any, count: int) -> None:
        with self._lock:
            self._planned += [(fault, msg_type, value)] * count

    def take(self, message: Message | None) -> tuple[str, Any]:
        """The fault of this message, which then is made. Empty: none."""
        with self._lock:
            for index, (fault, msg_type, value) in enumerate(self._planned):
                if message is not None and _is_meant(message, msg_type):
                    del self._planned[index]
                    return fault, value
        return "", None


def _is_meant(message: Message, msg_type: str) -> bool:
    if msg_type:
        return msg_type in (message.msg_type, message.name)
    return message.msg_type not in ("0", "1", "2", "3", "4", "5", "A")


def _garbled(data: bytes) -> bytes:
    return data[:-2] + bytes([data[-2] ^ 1]) + data[-1:]


def _with_sender(data: bytes, comp_id: str) -> bytes:
    """The message with this SenderCompID, and with its new BodyLength and CheckSum."""
    head, _, body = data.split(b"\x01", 2)
    body = body[:body.rindex(b"\x0110=") + 1]
    body = re.sub(rb"(\x0149=)[^\x01]*", rb"\g<1>" + comp_id.encode(), body, count=1)
    made = head + b"\x019=%d\x01" % len(body) + body
    return made + b"10=%03d\x01" % (sum(made) % 256)


class Rule:
    """What a counterparty answers to messages of one type: Counterparty.on() makes it."""

    def __init__(self, msg_type: str) -> None:
        self._msg_type = msg_type
        self._condition: Callable[[Message], bool] = lambda _: True
        self._left: int | None = None
        self._make: Callable[[Message], Reply] = lambda _: None

    def where(self, condition: Callable[[Message], bool]) -> Self:
        """Only messages for which this is true."""
        self._condition = condition
        return self

    def times(self, count: int) -> Self:
        """Only this number of them; then the next rule applies."""
        self._left = count
        return self

    def reply(self, answer: str | Callable[[Message], Reply], **fields: Any) -> Self:
        """answer: a function of the message that returns messages, or the name of a message of its
        version with these fields: values, or functions of the message."""
        if callable(answer):
            if fields:
                raise TypeError("fields belong to the name of a message")
            self._make = answer
        else:
            self._make = lambda message: getattr(message.dictionary, answer)(
                **{name: value(message) if callable(value) else value
                   for name, value in fields.items()})
        return self

    def applies(self, message: Message) -> bool:
        """Whether it answers this message. It then counts as one of its times."""
        if self._msg_type not in (message.msg_type, message.name) or self._left == 0:
            return False
        if not self._condition(message):
            return False
        if self._left is not None:
            self._left -= 1
        return True

    def replies(self, message: Message) -> list[Message]:
        made = self._make(message)
        return [] if made is None else [made] if isinstance(made, Message) else list(made)


class _Relay:
    """A port that passes messages on to another one, and the answers back."""

    def __init__(self, conversation: Conversation, of_client: Faults, of_venue: Faults) -> None:
        self._conversation = conversation
        self._faults = {True: of_client, False: of_venue}
        self._writers: set[asyncio.StreamWriter] = set()
        self._server: asyncio.Server | None = None

    async def open(self, target: int) -> int:
        self._target = target
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    async def close(self) -> None:
        if self._server is not None:
            self._server.close()
        for writer in self._writers:
            writer.close()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._target)
        except OSError:
            writer.close()
            return
        both = {writer, far_writer}
        self._writers |= both
        pumps = [asyncio.ensure_future(self._pump(reader, far_writer, True)),
                 asyncio.ensure_future(self._pump(far_reader, writer, False))]
        await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
        for pump in pumps:
            pump.cancel()
        for one in both:
            one.close()
        self._writers -= both

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter,
                    is_of_client: bool) -> None:
        pending = b""
        while data := await reader.read(1 << 16):
            pending += data
            while end := _FRAME_END.search(pending):
                frame, pending = pending[:end.end()], pending[end.end():]
                if not await self._pass_on(frame, writer, is_of_client):
                    return
        if pending:
            writer.write(pending)

    async def _pass_on(self, frame: bytes, writer: asyncio.StreamWriter,
                       is_of_client: bool) -> bool:
        message = Exchanged(is_of_client, frame, "").message
        fault, value = self._faults[is_of_client].take(message)
        self._conversation.add(Exchanged(is_of_client, frame, fault))
        if fault == "dropped":
            return False
        if fault == "delayed":
            await asyncio.sleep(value)
        made = {"lost": b"", "duplicated": frame * 2}.get(fault, frame)
        if fault == "garbled":
            made = _garbled(frame)
        if fault == "wrong CompID":
            made = _with_sender(frame, value)
        writer.write(made)
        return True


class Counterparty:
    """An engine on a thread of its own: a Venue or a Client. Any one thread at a time."""

    name = "counterparty"

    def __init__(self) -> None:
        self.conversation = Conversation()
        self.faults = Faults()
        """Faults of the messages that this side sends."""
        self.faults_of_program = Faults()
        """Faults of the messages that the program sends."""
        self._rules: list[Rule] = []
        self._received: deque[Message] = deque()
        self._arrived = threading.Condition()
        self._errors: list[BaseException] = []
        self._loop: asyncio.AbstractEventLoop | None = None
        self._engine: Engine | None = None

    def __enter__(self) -> Self:
        self.open()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def open(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name=self.name, daemon=True)
        self._thread.start()
        try:
            self._await(self._open())
        except BaseException:
            self._end_loop()
            raise

    def close(self) -> None:
        """Logs out. Raises what a rule has raised."""
        if self._loop is None:
            return
        try:
            self._await(self._close())
        finally:
            self._end_loop()
        self._raise_errors()

    def on(self, msg_type: str) -> Rule:
        """A rule for messages of a type: "D" or "NewOrderSingle". The first that fits applies."""
        rule = Rule(msg_type)
        self._rules.append(rule)
        return rule

    def send(self, message: Message, session: Session | None = None) -> Sent:
        """Sends a message on the only session, or on this one."""
        async def send() -> Sent:
            assert self._engine is not None
            return await (session or self._engine.session).send(message)
        sent: Sent = self._await(send())
        return sent

    def expect(self, msg_type: str = "", timeout: float = 5.0, **fields: Any) -> Message:
        """The next message of this type with these values; others before it are skipped.

        Raises AssertionError if none comes within timeout seconds.
        """
        until = time.monotonic() + timeout
        skipped: list[str] = []
        while True:
            with self._arrived:
                self._arrived.wait_for(lambda: self._received or self._errors,
                                       max(0.0, until - time.monotonic()))
                message = self._received.popleft() if self._received else None
            self._raise_errors()
            if message is None:
                wanted = " ".join([msg_type or "a message",
                                   *(f"{name}={value!r}" for name, value in fields.items())])
                seen = ", ".join(skipped) or "none"
                raise AssertionError(f"{wanted} was expected within {timeout:g} s; came: {seen}")
            if _fits(message, msg_type, fields):
                return message
            skipped.append(f"{message.name} {message['MsgSeqNum']}")

    def expect_none(self, msg_type: str = "", within: float = 0.2, **fields: Any) -> None:
        """Raises AssertionError if such a message comes; within: how many seconds it waits."""
        try:
            message = self.expect(msg_type, within, **fields)
        except AssertionError:
            return
        raise AssertionError(f"no {msg_type or 'message'} was expected; came: {message!r}")

    @property
    def received(self) -> list[Message]:
        """Messages that expect() has not returned or skipped."""
        with self._arrived:
            return list(self._received)

    async def _open(self) -> None:
        raise NotImplementedError

    async def _close(self) -> None:
        if self._engine is not None:
            await self._engine.close()

    def _await(self, work: Any) -> Any:
        if self._loop is None:
            work.close()
            raise RuntimeError(f"the {self.name} is not open")
        return asyncio.run_coroutine_threadsafe(
            asyncio.wait_for(work, _SECONDS_MAX), self._loop).result()

    def _end_loop(self) -> None:
        loop, self._loop = self._loop, None
        if loop is None:
            return
        loop.call_soon_threadsafe(loop.stop)
        self._thread.join()
        for task in asyncio.all_tasks(loop):
            task.cancel()
        loop.run_until_complete(asyncio.sleep(0))
        loop.close()

    def _raise_errors(self) -> None:
        if self._errors:
            raise self._errors.pop(0)

    def _on_message(self, session: Session, message: Message) -> None:
        with self._arrived:
            self._received.append(message)
            self._arrived.notify_all()
        try:
            for rule in self._rules:
                if rule.applies(message):
                    for reply in rule.replies(message):
                        session.send(reply).add_done_callback(self._on_sent)
                    return
        except Exception as error:  # of the rule: the test fails with it
            self._add_error(error)

    def _on_sent(self, done: asyncio.Future[Sent]) -> None:
        if not done.cancelled() and (error := done.exception()):
            self._add_error(error)

    def _add_error(self, error: BaseException) -> None:
        with self._arrived:
            self._errors.append(error)
            self._arrived.notify_all()


def _fits(message: Message, msg_type: str, fields: dict[str, Any]) -> bool:
    if msg_type and msg_type not in (message.msg_type, message.name):
        return False
    try:
        return all(message.get(name) == value for name, value in fields.items())
    except FixError:
        return False


class Venue(Counterparty):
    """A venue on a free port. Its CompIDs are those that a Logon names, in every version of FIX."""

    name = "venue"

    def __init__(self, **keys: Any) -> None:
        """keys: of the configuration, in addition."""
        super().__init__()
        self._keys = keys
        self._relay = _Relay(self.conversation, self.faults_of_program, self.faults)
        self.port = 0
        """Where the program connects to."""

    def wait_logged_on(self, timeout: float = 5.0) -> Session:
        """The session of the program, when it is logged on. Raises AssertionError."""
        until = time.monotonic() + timeout
        assert self._engine is not None
        while time.monotonic() < until:
            for session in self._engine.sessions.values():
                if session.is_logged_on:
                    return session
            time.sleep(0.005)
        raise AssertionError(f"no Logon within {timeout:g} s")

    async def _open(self) -> None:
        default = {"SenderCompID": "*", "TargetCompID": "*", "AcceptorTemplate": True,
                   "SocketAcceptHost": "127.0.0.1", "SocketAcceptPort": 0, "Store": "memory"}
        sessions: list[dict[str, Any]] = [{"BeginString": version} for version in _VERSIONS]
        sessions.append({"BeginString": "FIXT.1.1", "DefaultApplVerID": "FIX.5.0SP2"})
        settings = {"DEFAULT": {**default, **self._keys}, "SESSION": sessions}
        engine = await Acceptor(settings, on_message=self._on_message).__aenter__()
        self._engine = engine
        self.port = await self._relay.open(engine.port)

    async def _close(self) -> None:
        await super()._close()
        await self._relay.close()


class Client(Counterparty):
    """An initiator that logs on to a port of this machine. It connects again after a fault."""

    name = "client"

    def __init__(self, port: int, *, sender: str = "CLIENT", target: str = "VENUE",
                 version: str = "FIX.4.4", **keys: Any) -> None:
        """keys: of the configuration, in addition."""
        super().__init__()
        self._port = port
        self._relay = _Relay(self.conversation, self.faults, self.faults_of_program)
        self._keys = {"BeginString": version, "SenderCompID": sender, "TargetCompID": target,
                      "HeartBtInt": 30, "ReconnectInterval": 1, "Store": "memory", **keys}
        if version == "FIXT.1.1":
            self._keys.setdefault("DefaultApplVerID", "FIX.5.0SP2")

    async def _open(self) -> None:
        port = await self._relay.open(self._port)
        keys = {**self._keys, "SocketConnectHost": "127.0.0.1", "SocketConnectPort": port}
        self._engine = await Initiator(keys, on_message=self._on_message,
                                       logon_timeout=_SECONDS_MAX / 2).__aenter__()

    async def _close(self) -> None:
        await super()._close()
        await self._relay.close()
