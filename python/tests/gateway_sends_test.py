"""The parts of the gateway's client that do no input and output: frames, greetings and numbers."""

import asyncio
import pickle

import pytest
from hypothesis import example, given
from hypothesis import strategies as some
from nexusfix import SendError
from nexusfix.gateway import (Accepted, CloseCode, ClosedError, Cursor, NotSentError, RefuseCode,
                              RefusedError, Session)
from nexusfix.gateway.frames import FRAME_BYTES_MAX, Frame, FrameReader, Kind
from nexusfix.gateway.greeting import Welcome, hello_body, read_welcome
from nexusfix.gateway.sends import NUMBER_MAX, WAITING_MAX, Sends

SESSION = "FIX.4.4:DESK->VENUE"
ORDER = b"35=D|11=A1|55=AAPL|54=1|38=100|40=1|21=1|59=0|".replace(b"|", b"\x01")
numbers = some.integers(0, 2**64 - 1)
frames = some.builds(Frame, some.integers(0, 255), some.integers(0, 65535),
                     some.integers(0, 2**32 - 1), some.integers(0, 2**32 - 1), numbers, numbers,
                     numbers, some.binary(max_size=200))


def test_a_frame_has_the_bytes_of_the_page_of_the_protocol():
    header = bytes.fromhex("56 00 00 00 01 03 00 00 00 00 00 00 00 00 00 00"
                           "00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"
                           "07 00 00 00 00 00 00 00")
    assert Frame(Kind.SEND, number=7, body=ORDER).encoded() == header + ORDER


@given(some.lists(frames, max_size=5), some.data())
def test_frames_are_found_in_bytes_of_any_pieces(sent, data):
    rest = b"".join(frame.encoded() for frame in sent)
    reader, found = FrameReader(), []
    while rest:
        size = data.draw(some.integers(1, len(rest)))
        found += reader.feed(rest[:size])
        rest = rest[size:]
    assert found == sent


def test_a_frame_of_the_largest_size_is_read_and_a_larger_one_refused():
    body = b"x" * (FRAME_BYTES_MAX - 40)
    assert [len(one.body) for one in FrameReader().feed(Frame(Kind.MESSAGE, body=body).encoded())
            ] == [len(body)]
    with pytest.raises(ClosedError, match="a frame of 1052673 bytes") as raised:
        list(FrameReader().feed(Frame(Kind.MESSAGE, body=body + b"x").encoded()))
    assert raised.value.code == CloseCode.BAD_FRAME


@pytest.mark.parametrize(("bytes_", "reason"), [
    ((39).to_bytes(4, "little") + bytes(36), "a frame of 39 bytes: it has 40 to 1052672"),
    (b"\x28\0\0\0\x09" + bytes(35), "speaks version 9 of the protocol, this client 1"),
    (b"HTTP/1.1 400 Bad Request\r\nServer: another\r\n\r\n", "bytes")])
def test_bytes_that_are_no_frame_are_refused_after_the_frames_before_them(bytes_, reason):
    before, found = Frame(Kind.CAUGHT_UP), []
    with pytest.raises(ClosedError, match=reason):
        for frame in FrameReader().feed(before.encoded() + bytes_):
            found.append(frame)
    assert found == [before]


def test_hello_has_the_name_the_token_and_the_cursors():
    body = hello_body("desk1", "secret", [Cursor(SESSION, 2, 7), Cursor(SESSION, 2, 9, True)])
    assert body.decode() == ("name=desk1\nin-order=1\ntoken=secret\n"
                             f"cursor=2 7 {SESSION}\nsent=2 9 {SESSION}\n")


@pytest.mark.parametrize(("name", "token", "session", "reason"), [
    ("a\nb", "t", "S", "the name of a client of the gateway has a line feed"),
    ("a", "t\ntoken=u", "S", "the token of"), ("a", "t", "S\n", "the cursor of"),
    ("a", "t", "S" * 70_000, "the cursors need 70,0.. bytes, 65,536 at most")])
def test_hello_that_breaks_a_rule_is_refused_without_its_token(name, token, session, reason):
    with pytest.raises(ValueError, match=reason) as raised:
        hello_body(name, token, [Cursor(session, 1, 1)])
    assert "token=u" not in str(raised.value)


def test_welcome_has_the_role_and_the_sessions():
    body = ("gateway=0.9\nnew=x\nrole=trader\n"
            f"session=0 3 10 20 on {SESSION}\nsession=1 1 0 0 off B C\n")
    assert read_welcome(Frame(Kind.WELCOME, number=5, body=body.encode())) == Welcome(
        "trader", (Session(SESSION, True, 3, 10, 20), Session("B C", False, 1, 0, 0)), 5)


@pytest.mark.parametrize("line", ["session=0 1 2 on S", "session=1 1 2 3 on S",
                                  "session=0 1 -2 3 on S", "session=", "session=0 x 2 3 on S"])
def test_welcome_with_a_line_that_breaks_a_rule_is_refused(line):
    with pytest.raises(ClosedError, match=f"has the line '{line}'") as raised:
        read_welcome(Frame(Kind.WELCOME, body=f"role=trader\n{line}\n".encode()))
    assert raised.value.code == CloseCode.BAD_FRAME


@pytest.mark.parametrize("error", [
    ClosedError(2, "unknown name or token"), ClosedError(77, "new"), NotSentError(3, "lost"),
    RefusedError(SESSION, 4, RefuseCode.RATE_LIMITED, "limit", 0.25)])
def test_errors_can_be_pickled(error):
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert (str(copy), vars(copy)) == (str(error), vars(error))


def test_a_code_that_the_client_does_not_know_stays_a_number():
    assert (ClosedError(77, "").code, ClosedError(77, "").is_final) == (77, False)
    assert ClosedError(2, "").code is CloseCode.DENIED
    assert RefusedError(SESSION, 1, 77, "").code == 77


class World:
    """A client's numbers, and a gateway that keeps the order: its journal and what is on the way.
    """

    def __init__(self, loop):
        self.loop, self.sends = loop, Sends()
        self.answers, self.there, self.back, self.journal = {}, [], [], []
        self.last, self.refused = 0, 0
        self.attach()

    def attach(self):
        """What was on the way is lost."""
        self.back, self.refused = [], 0
        self.there = self.sends.resume(self.last, (SESSION,), True)

    def send(self):
        body = str(len(self.answers)).encode()
        answer = self.answers[body] = self.loop.create_future()
        self.there.append(self.sends.add(None, SESSION, body, answer))

    def handle(self, is_refused):
        """The gateway handles a message."""
        if not self.there:
            return
        number, _, body, _ = self.there.pop(0)
        if number <= self.last:
            self.back.append(Accepted(SESSION, number, 0, 0, True, False))
        elif self.refused and number > self.refused:
            self.back.append(RefusedError(SESSION, number, RefuseCode.AFTER_REFUSED, ""))
        elif is_refused:
            self.refused = number
            self.back.append(RefusedError(SESSION, number, RefuseCode.NOT_ALLOWED, ""))
        else:
            self.last, self.refused = number, 0
            self.journal.append(body)
            self.back.append(Accepted(SESSION, number, 1, len(self.journal), False, False))

    def answer(self):
        """An answer arrives."""
        if not self.back:
            return
        one = self.back.pop(0)
        if isinstance(one, RefusedError):
            self.sends.refuse(one)
        else:
            self.sends.accept(one)

    def check(self):
        """Each message has its answer, the journal has exactly the accepted ones, and the next one
        is accepted."""
        for _ in range(len(self.answers) + len(self.there)):
            self.handle(False)
        while self.back:
            self.answer()
        self.send()
        self.handle(False)
        self.answer()
        assert self.answers[self.journal[-1]] is list(self.answers.values())[-1]
        accepted = [body for body, one in self.answers.items() if one.exception() is None]
        assert self.journal == accepted


@given(some.lists(some.sampled_from(["send", "send", "handle", "refuse", "answer", "cut"]),
                  max_size=60))
@example(["send"] * 3 + ["refuse", "answer", "cut"] +
         (["send"] * 2 + ["refuse", "handle", "answer", "answer"]) * 2)
def test_each_message_is_accepted_once_or_refused_whatever_is_lost(steps):
    loop = asyncio.new_event_loop()
    try:
        world = World(loop)
        act = {"send": world.send, "handle": lambda: world.handle(False),
               "refuse": lambda: world.handle(True), "answer": world.answer, "cut": world.attach}
        for step in steps:
            act[step]()
        world.check()
    finally:
        loop.close()


def test_a_number_of_the_program_comes_after_every_one_before():
    async def main():
        sends = Sends()
        sends.resume(5, (SESSION,), True)

        def add(number):
            return sends.add(number, SESSION, b"", asyncio.get_running_loop().create_future())
        assert sends.next_number == 6
        assert [add(number).number for number in (10, None, 3)] == [10, 11, 3]
        for number, reason in ((11, "message 11 waits for its answer"), (0, "a number is 1 to"),
                               (9, "number 9 comes after number 11"), (NUMBER_MAX + 1, "a number")):
            with pytest.raises(ValueError, match=reason):
                add(number)
        sends.refuse(RefusedError(SESSION, 10, RefuseCode.NOT_ALLOWED, ""))
        assert sends.next_number == 10
        with pytest.raises(ValueError, match="number 10 was refused, and comes before number 12"):
            add(12)
        sends.resume(5, (SESSION,), True)  # the gateway keeps the order within a connection
        assert add(12).number == 12
    asyncio.run(main())


def test_more_messages_than_may_wait_are_refused():
    async def main():
        sends = Sends()
        answer = asyncio.get_running_loop().create_future()
        for _ in range(WAITING_MAX):
            sends.add(None, SESSION, b"", answer)
        with pytest.raises(SendError, match="100,000 messages wait for their answers"):
            sends.add(None, SESSION, b"", answer)
        assert sends.next_number == WAITING_MAX + 1
    asyncio.run(main())
