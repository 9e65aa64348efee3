"""The client of the gateway, at a socket whose other side says what a gateway should not, and at
`nexusfix gateway`: its example, and what the clients of all languages do."""

import asyncio
import contextlib
import os
import subprocess
import sys
import threading
from pathlib import Path

import nexusfix
import pytest
from nexusfix import fix44, gateway
from nexusfix.gateway import CloseCode, RefuseCode
from nexusfix.gateway.frames import BODY_BYTES_MAX, Frame, FrameReader, Kind
from program import find_command

SECONDS_MAX = 60.0  # for a hang
SESSION = "FIX.4.4:DESK->VENUE"
REPORT = bytes(fix44.ExecutionReport(OrderID="1", ClOrdID="A1", OrdStatus=fix44.OrdStatus.NEW))
ORDER = fix44.NewOrderSingle(ClOrdID="A1", Symbol="AAPL", Side=fix44.Side.BUY)
ROOT = Path(__file__).resolve().parents[2]
FILES = Path(__file__).resolve().parent / "gateway"


class Scripted:
    """The gateway's side of a connection."""

    def __init__(self, reader, writer):
        self.reader, self.writer = reader, writer
        self.frames, self.found = FrameReader(), []

    async def next(self):
        while not self.found:
            data = await self.reader.read(65536)
            if not data:
                return None
            self.found += self.frames.feed(data)
        return self.found.pop(0)

    def say(self, kind, **fields):
        self.writer.write(Frame(kind, **fields).encoded())

    async def welcome(self, number=0, state="on", role="trader", name=SESSION):
        self.hello = await self.next()
        self.say(Kind.WELCOME, number=number,
                 body=f"role={role}\nsession=0 1 4 9 {state} {name}\n".encode())

    def cut(self):
        self.writer.close()


@contextlib.asynccontextmanager
async def listening(path, count=1):
    """Listens at the path: `await accepted()` gives the next connection."""
    connections = asyncio.Queue()

    async def serve(reader, writer):
        connections.put_nowait(Scripted(reader, writer))
    server = await asyncio.start_unix_server(serve, path)
    seen = []

    async def accepted():
        seen.append(await connections.get())
        return seen[-1]
    try:
        yield accepted
    finally:
        server.close()
        for one in seen:
            one.cut()


def client_at(path, **options):
    return gateway.Client(path, "desk1", "the token of desk1", retry_seconds=(0.001, 0.01),
                          **options)


@contextlib.asynccontextmanager
async def attached(folder, welcome=None, **options):
    """A client, the gateway's side, and what accepts its next connections."""
    path = folder / "s"
    async with listening(path) as accepted:
        client = client_at(path, **options)
        entering = asyncio.create_task(client.__aenter__())
        other = await accepted()
        await other.welcome(**(welcome or {}))
        await entering
        async with contextlib.AsyncExitStack() as stack:
            stack.push_async_exit(client.__aexit__)
            yield client, other, accepted


def run(coroutine):
    async def limited():
        async with asyncio.timeout(SECONDS_MAX):
            return await coroutine
    return asyncio.run(limited())


def test_a_report_is_an_event_whose_message_is_read_by_name(tmp_path):
    async def main():
        async with attached(tmp_path) as (client, other, _):
            other.say(Kind.MESSAGE, flags=1, epoch=1, msg_seq_num=5, body=REPORT)
            other.say(Kind.MESSAGE, epoch=1, msg_seq_num=5, body=REPORT)  # the program has it
            other.say(Kind.MESSAGE, epoch=2, msg_seq_num=1, body=b"no message")
            other.say(Kind.CAUGHT_UP)
            first, second, third = [await anext(client) for _ in range(3)]
        assert first.message["ClOrdID"] == "A1" and first.is_from_journal and not first.is_of_sent
        assert first.cursor == gateway.Cursor(SESSION, 1, 5)
        assert second.cursor == (SESSION, 2, 1, False) and third == gateway.CaughtUp()
        with pytest.raises(nexusfix.ParseError):
            second.message  # noqa: B018
        assert [event async for event in client] == []
    run(main())


def test_messages_are_read_by_the_dictionary_of_the_client(tmp_path):
    async def main():
        own = nexusfix.Dictionary.builtin("FIX.4.2")
        async with attached(tmp_path, dictionary=own) as (client, other, _):
            other.say(Kind.MESSAGE, epoch=1, msg_seq_num=5, body=REPORT)
            assert (await anext(client)).message.dictionary is own
    run(main())


def test_an_order_leaves_whole_and_its_answer_has_its_number(tmp_path):
    async def main():
        async with attached(tmp_path, {"number": 7}) as (client, other, _):
            sends = [client.send(SESSION, ORDER), client.send(SESSION, b"35=0\x01", number=20)]
            frames = [await other.next() for _ in sends]
            other.say(Kind.ACCEPTED, number=8, epoch=1, msg_seq_num=10)
            other.say(Kind.ACCEPTED, number=20, epoch=1, msg_seq_num=11, flags=2)
            assert await asyncio.gather(*sends) == [(SESSION, 8, 1, 10, False, False),
                                                    (SESSION, 20, 1, 11, False, True)]
            assert client.last_accepted == 7 and client.next_number == 21
            return frames
    frames = run(main())
    assert [(frame.kind, frame.session, frame.number) for frame in frames] == [
        (Kind.SEND, 0, 8), (Kind.SEND, 0, 20)]
    assert nexusfix.parse(frames[0].body) == ORDER


def test_messages_after_a_refused_one_are_refused_and_its_number_is_the_next(tmp_path):
    async def main():
        async with attached(tmp_path) as (client, other, _):
            sends = [client.send(SESSION, ORDER) for _ in range(3)]
            other.say(Kind.ACCEPTED, number=1, epoch=1, msg_seq_num=10)
            other.say(Kind.REFUSED, number=2, code=4, msg_seq_num=1500, body=b"the limit")
            other.say(Kind.REFUSED, number=3, code=6, body=b"number 2 was refused")
            done = await asyncio.gather(*sends, return_exceptions=True)
            assert client.next_number == 2
            return done
    _, limited, after = run(main())
    assert isinstance(limited, nexusfix.SendError) and limited.code is RefuseCode.RATE_LIMITED
    assert (limited.number, limited.wait_seconds, limited.reason) == (2, 1.5, "the limit")
    assert str(limited) == f"message 2 to {SESSION} was refused: the limit"
    assert (after.number, after.code) == (3, RefuseCode.AFTER_REFUSED)


def test_a_stored_message_that_a_reset_makes_void_is_an_event(tmp_path):
    async def main():
        async with attached(tmp_path) as (client, other, _):
            other.say(Kind.REFUSED, number=1, code=7, epoch=1, msg_seq_num=10, body=b"a reset")
            assert await anext(client) == gateway.Refused(SESSION, 1, 1, 10, "a reset")
            assert client.next_number == 1
    run(main())


def test_messages_without_an_answer_are_sent_again_if_the_gateway_has_not_accepted_them(tmp_path):
    async def main():
        async with attached(tmp_path) as (client, other, accepted):
            sends = [client.send(SESSION, ORDER) for _ in range(2)]
            other.say(Kind.MESSAGE, epoch=1, msg_seq_num=5, body=REPORT)
            assert (await anext(client)).msg_seq_num == 5
            other.cut()
            assert await anext(client) == gateway.Detached("the gateway has ended the connection")
            with pytest.raises(gateway.DetachedError, match="nothing was sent"):
                client.send(SESSION, ORDER)
            again = await accepted()
            await again.welcome(number=1, state="off")
            [reattached] = [await anext(client)]
            assert not reattached.sessions[SESSION].is_logged_on
            sent = await again.next()
            again.say(Kind.ACCEPTED, number=2, epoch=1, msg_seq_num=11)
            assert await asyncio.gather(*sends) == [(SESSION, 1, 0, 0, True, False),
                                                    (SESSION, 2, 1, 11, False, False)]
            assert (sent.number, nexusfix.parse(sent.body)) == (2, ORDER)
            assert f"cursor=1 5 {SESSION}\n" in again.hello.text
    run(main())


def test_without_resend_a_message_that_was_not_accepted_is_not_sent(tmp_path):
    async def main():
        async with attached(tmp_path, resend=False) as (client, other, accepted):
            sends = [client.send(SESSION, ORDER) for _ in range(2)]
            other.cut()
            again = await accepted()
            await again.welcome(number=1)
            done = await asyncio.gather(*sends, return_exceptions=True)
            assert done[0].is_duplicate
            assert isinstance(done[1], gateway.NotSentError) and done[1].number == 2
            client.send(SESSION, ORDER)
            assert (await again.next()).number == 3
            await client.close()
    run(main())


def test_a_session_that_is_gone_after_a_lost_connection_is_said(tmp_path):
    async def main():
        async with attached(tmp_path) as (client, other, accepted):
            sending = client.send(SESSION, ORDER)
            other.cut()
            await (await accepted()).welcome(name="ANOTHER")
            with pytest.raises(gateway.NotSentError, match=f"no session {SESSION} any more"):
                await sending
            with pytest.raises(ValueError, match="sees no session .*; it sees: ANOTHER"):
                client.send(SESSION, ORDER)
    run(main())


def test_a_cancelled_wait_leaves_the_numbers_as_they_are(tmp_path):
    async def main():
        async with attached(tmp_path) as (client, other, _):
            first, second = (client.send(SESSION, ORDER) for _ in range(2))
            first.cancel()
            for number in (1, 2):
                other.say(Kind.ACCEPTED, number=number, epoch=1, msg_seq_num=9 + number)
            assert (await second).number == 2 and client.next_number == 3
    run(main())


def test_a_program_waits_until_its_session_is_logged_on(tmp_path):
    async def main():
        async with attached(tmp_path, {"state": "off"}) as (client, other, accepted):
            waits = asyncio.create_task(client.logged_on(SESSION))
            other.cut()
            again = await accepted()
            await again.welcome(state="off")
            again.say(Kind.SESSION_STATE, epoch=1, code=1, body=b"Logon")
            await waits
            assert client.sessions[SESSION].is_logged_on
            events = [await anext(client) for _ in range(3)]
            assert events[2] == gateway.StateChanged(SESSION, 1, True, "Logon")
            with pytest.raises(ValueError, match="sees no session"):
                await client.logged_on("another")
    run(main())


def test_a_session_of_a_lost_connection_does_not_count_as_logged_on(tmp_path):
    async def main():
        async with attached(tmp_path) as (client, other, accepted):
            await client.logged_on(SESSION)
            other.cut()
            again = await accepted()
            waits = asyncio.create_task(client.logged_on(SESSION))
            for _ in range(9):  # it could end now
                await asyncio.sleep(0)
            assert not waits.done()
            await again.welcome()
            await waits
    run(main())


@pytest.mark.parametrize(("frame", "reason"), [
    ({"kind": Kind.MESSAGE, "session": 1}, "a frame of session 1, of 1"),
    ({"kind": Kind.REFUSED, "number": 5, "code": 3}, "message 5 was refused, and waits for no"),
    ({"kind": 77}, "a frame of kind 77"), ({"kind": Kind.WELCOME}, "a frame of kind 2")])
def test_a_frame_that_breaks_a_rule_ends_the_client_with_its_reason(tmp_path, frame, reason):
    async def main():
        async with attached(tmp_path) as (client, other, _):
            sending = client.send(SESSION, ORDER)
            other.say(**frame)
            with pytest.raises(gateway.ClosedError, match=reason) as raised:
                await anext(client)
            assert raised.value.code == CloseCode.BAD_FRAME
            for wait in (sending, anext(client), client.logged_on(SESSION)):
                with pytest.raises(gateway.ClosedError, match=reason):
                    await wait
            with pytest.raises(gateway.ClosedError, match=reason):
                client.send(SESSION, ORDER)
            assert await other.next() and await other.next() is None
    run(main())


def test_a_client_that_is_closed_for_good_does_not_attach_again(tmp_path):
    async def main():
        async with attached(tmp_path) as (client, other, _):
            other.say(Kind.CLOSED, code=9, body=b"the messages are gone")
            with pytest.raises(gateway.ClosedError, match="closed with code 9: the messages"):
                await anext(client)
    run(main())


def test_a_gateway_that_stops_or_refuses_for_now_is_attached_again(tmp_path):
    async def main():
        async with attached(tmp_path) as (client, other, accepted):
            other.say(Kind.CLOSED, code=7, body=b"the gateway stops")
            assert (await anext(client)).reason == "closed with code 7: the gateway stops"
            refusing = await accepted()
            await refusing.next()
            refusing.say(Kind.CLOSED, code=3, body=b"not yet")
            await (await accepted()).welcome()
            assert isinstance(await anext(client), gateway.Reattached)
    run(main())


def test_a_program_that_reads_no_events_ends_and_says_so(tmp_path):
    async def main():
        async with attached(tmp_path, events_max=2) as (client, other, _):
            for _ in range(3):
                other.say(Kind.CAUGHT_UP)
            assert await other.next() is None
            assert [await anext(client) for _ in range(2)] == [gateway.CaughtUp()] * 2
            with pytest.raises(gateway.ClosedError, match="too slowly: 2 wait") as raised:
                await anext(client)
            assert raised.value.code == CloseCode.TOO_SLOW
    run(main())


def test_close_ends_the_loop_and_the_messages_without_an_answer(tmp_path):
    async def main():
        async with attached(tmp_path) as (client, other, _):
            sending = client.send(SESSION, ORDER)
            reading = asyncio.ensure_future(anext(client, "the end"))
            await asyncio.sleep(0)
            await client.close()
            assert await reading == "the end"
            with pytest.raises(gateway.ClosedError) as raised:
                await sending
            assert raised.value.code == CloseCode.CLIENT_ENDS
            await client.close()
            with pytest.raises(gateway.GatewayError, match="entered once"):
                await client.__aenter__()
    run(main())


def test_what_cannot_be_sent_is_said_and_takes_no_number(tmp_path):
    async def main():
        async with attached(tmp_path) as (client, _, _):
            for message, error, reason in (
                    ("35=D", TypeError, "a nexusfix.Message or bytes are sent, not str"),
                    (b"x" * (BODY_BYTES_MAX + 1), ValueError, "1,052,633 bytes, 1,052,632 at")):
                with pytest.raises(error, match=reason):
                    client.send(SESSION, message)
            with pytest.raises(ValueError, match="sees no session 'X'; it sees: FIX.4.4:DESK"):
                client.send("X", ORDER)
            assert client.next_number == 1
            found = []
            other = threading.Thread(target=lambda: found.append(
                pytest.raises(gateway.GatewayError, client.send, SESSION, ORDER)))
            other.start()
            other.join()
            assert "only the thread of its event loop" in str(found[0].value)
    run(main())
    with pytest.raises(gateway.GatewayError, match="enter the client first"):
        client_at("s").send(SESSION, ORDER)


@pytest.mark.parametrize(("said", "kind", "reason"), [
    (b"", gateway.AttachError, "has ended the connection before its Welcome"),
    (b"HTTP/1.1 400 Bad Request\r\n\r\n" + b"x" * 40, gateway.ClosedError, "a frame of .* bytes"),
    (Frame(Kind.CAUGHT_UP).encoded(), gateway.ClosedError, "kind 8 instead of the Welcome"),
    (Frame(Kind.CLOSED, code=2, body=b"unknown name or token").encoded(), gateway.ClosedError,
     "closed with code 2: unknown name or token")])
def test_a_gateway_that_does_not_welcome_the_client_is_an_error(tmp_path, said, kind, reason):
    async def main():
        async with listening(tmp_path / "s") as accepted:
            entering = asyncio.create_task(client_at(tmp_path / "s").__aenter__())
            other = await accepted()
            await other.next()
            other.writer.write(said)
            other.cut()
            with pytest.raises(kind, match=reason):
                await entering
    run(main())


@pytest.mark.parametrize(("name", "reason"), [
    ("absent", "no gateway at .*absent: No such file"), ("file", "refused|not a socket"),
    ("x" * 200, "path too long")])
def test_a_path_without_a_gateway_is_an_error_with_the_path(tmp_path, name, reason):
    (tmp_path / "file").write_text("no socket")
    with pytest.raises(gateway.AttachError, match=reason):
        run(client_at(tmp_path / name).__aenter__())


def test_the_example_trades_and_says_what_is_wrong(tmp_path, monkeypatch):
    command = find_command("gateway")
    monkeypatch.syspath_prepend(str(ROOT / "clients" / "tests"))
    import world

    example = ROOT / "python" / "examples" / "gateway_order.py"
    place = world.World(str(command), str(tmp_path))

    def trade(token):
        return subprocess.run([sys.executable, example, place.socket, "desk", token],
                              capture_output=True, text=True, check=False, timeout=world.LIMIT_S)
    try:
        absent = trade(world.TOKEN)
        place.start_gateway()
        wrong, done = trade("another-token-of-it"), trade(world.TOKEN)
    finally:
        place.close()
    assert absent.stderr == (f"gateway_order: no gateway at {place.socket}: "
                             "No such file or directory\n")
    assert wrong.stderr.startswith("gateway_order: closed with code 2: ") and wrong.returncode == 1
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1].startswith("OrderID ")


def test_the_client_does_what_the_clients_of_all_languages_do():
    done = subprocess.run(
        [sys.executable, "-B", ROOT / "clients" / "tests" / "conformance.py",
         find_command("gateway"), sys.executable, "-B", FILES / "conformance_client.py"],
        env={**os.environ, "NEXUSFIX_DOOR": "socket"},
        capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "skipped" not in done.stderr
