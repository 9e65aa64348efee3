"""Sessions by asyncio: both sides in one process, and processes that are killed."""

import asyncio
import atexit
import contextlib
import gc
import logging
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
import warnings

import nexusfix
import pytest
from nexusfix import fix44

SECONDS_MAX = 20.0


def settings_of(folder, **keys):
    return {"BeginString": "FIX.4.4", "SenderCompID": "VENUE", "TargetCompID": "ME",
            "SocketAcceptHost": "127.0.0.1", "SocketAcceptPort": 0,
            "FileStorePath": folder / "venue", **keys}


def client_of(folder, port, **keys):
    return {"BeginString": "FIX.4.4", "SenderCompID": "ME", "TargetCompID": "VENUE",
            "SocketConnectHost": "127.0.0.1", "SocketConnectPort": port, "ReconnectInterval": 1,
            "HeartBtInt": 30, "FileStorePath": folder / "client", **keys}


def order(number):
    return fix44.NewOrderSingle(
        ClOrdID=f"A{number}", Symbol="AAPL", Side=fix44.Side.BUY, OrderQty=100,
        OrdType=fix44.OrdType.MARKET, TransactTime="20260115-10:30:00.000")


def report(received):
    return fix44.ExecutionReport(
        OrderID="1", ExecID=received["ClOrdID"], ExecType=fix44.ExecType.NEW,
        OrdStatus=fix44.OrdStatus.NEW, Symbol="AAPL", Side=received["Side"],
        ClOrdID=received["ClOrdID"], LeavesQty=received["OrderQty"], CumQty=0, AvgPx=0)


def run(coroutine):
    async def limited():
        return await asyncio.wait_for(coroutine, SECONDS_MAX)
    return asyncio.run(limited())


@contextlib.asynccontextmanager
async def pair(folder, venue=None, client=None, **options):
    """An acceptor, and an initiator that is logged on to it."""
    async with nexusfix.Acceptor(settings_of(folder), **(venue or {})) as acceptor:
        keys = client_of(folder, acceptor.port, **options)
        async with nexusfix.Initiator(keys, **(client or {})) as initiator:
            yield acceptor, initiator


async def some(messages, count):
    found = []
    async for message in messages:
        found.append(message)
        if len(found) == count:
            break
    return found


def test_an_order_is_sent_and_its_report_received(tmp_path):
    async def main():
        async with pair(tmp_path) as (venue, client):
            sent = await client.send(order(1))
            [received] = await some(venue, 1)
            await venue.send(report(received))
            [answer] = await some(client, 1)
            return sent, received, answer
    sent, received, answer = run(main())
    assert sent == (2, True)
    assert (received["ClOrdID"], received["MsgSeqNum"], received["SenderCompID"]) == ("A1", 2, "ME")
    assert answer["ExecType"] == fix44.ExecType.NEW


def test_messages_arrive_in_the_order_in_which_they_were_sent(tmp_path):
    async def main():
        async with pair(tmp_path) as (venue, client):
            sends = [client.send(order(number)) for number in range(3000)]
            received = await some(venue, len(sends))
            return [one["ClOrdID"] for one in received], await asyncio.gather(*sends)
    names, sent = run(main())
    assert names == [f"A{number}" for number in range(3000)]
    assert [one.msg_seq_num for one in sent] == list(range(2, 3002))


@pytest.mark.parametrize("fields", [
    {"Text": "x" * 300_000}, {"EncodedText": b"a\x01b\x0110=000\x01"},
    {"NoPartyIDs": [{"PartyID": name, "PartyRole": 1} for name in ("P", "Q")]}])
def test_large_messages_data_fields_and_groups_arrive_as_they_were_sent(tmp_path, fields):
    async def main():
        async with pair(tmp_path) as (venue, client):
            await client.send(order(1).replace(**fields))
            return (await some(venue, 1))[0]
    [(name, value)] = fields.items()
    received = run(main())
    if name == "NoPartyIDs":
        value, received = [one["PartyID"] for one in value], {
            name: [one["PartyID"] for one in received[name]]}
    assert received[name] == value


def test_callbacks_run_on_the_thread_of_the_event_loop(tmp_path):
    calls = []

    def on_message(session, message):
        calls.append(("message", session.id, message["ClOrdID"], threading.get_ident()))
        session.send(report(message))

    async def main():
        options = {"on_message": on_message,
                   "on_logon": lambda session: calls.append(("logon", session.id)),
                   "on_logout": lambda session: calls.append(("logout", session.id))}
        async with pair(tmp_path, venue=options) as (_, client):
            await client.send(order(1))
            [answer] = await some(client, 1)
            return answer["ClOrdID"]
    assert run(main()) == "A1"
    name = "FIX.4.4:VENUE->ME"
    assert calls == [("logon", name), ("message", name, "A1", threading.get_ident()),
                     ("logout", name)]


def test_a_coroutine_handles_one_message_after_another(tmp_path):
    active, most, done = 0, 0, []

    async def on_message(session, message):
        nonlocal active, most
        active += 1
        most = max(most, active)
        await asyncio.sleep(0)
        active -= 1
        done.append(message["ClOrdID"])
        await session.send(report(message))

    async def main():
        async with pair(tmp_path, venue={"on_message": on_message}) as (_, client):
            for number in range(50):
                client.send(order(number))
            await some(client, 50)
    run(main())
    assert most == 1 and done == [f"A{number}" for number in range(50)]


def test_an_exception_of_a_callback_is_reported_and_the_engine_goes_on(tmp_path):
    reported = []

    def on_message(session, message):
        if message["ClOrdID"] == "A1":
            raise RuntimeError("no such book")
        session.send(report(message))

    async def main():
        asyncio.get_running_loop().set_exception_handler(
            lambda _, context: reported.append(str(context["exception"])))
        async with pair(tmp_path, venue={"on_message": on_message}) as (_, client):
            await client.send(order(1))
            await client.send(order(2))
            [answer] = await some(client, 1)
            return answer["ClOrdID"]
    assert run(main()) == "A2"
    assert reported == ["no such book"]


def test_each_of_several_sessions_has_its_own_messages(tmp_path):
    async def main():
        common = {key: value for key, value in settings_of(tmp_path).items()
                  if key != "TargetCompID"}
        venue = nexusfix.Acceptor({"DEFAULT": common, "SESSION": [{"TargetCompID": "ME"},
                                                                 {"TargetCompID": "YOU"}]})
        async with venue:
            common = client_of(tmp_path, venue.port)
            del common["SenderCompID"]
            client = nexusfix.Initiator({"DEFAULT": common, "SESSION": [{"SenderCompID": "ME"},
                                                                       {"SenderCompID": "YOU"}]})
            async with client:
                assert sorted(client.sessions) == ["FIX.4.4:ME->VENUE", "FIX.4.4:YOU->VENUE"]
                with pytest.raises(nexusfix.SessionError, match="name one of the sessions"):
                    client.send(order(1))
                for number, session in enumerate(client.sessions.values()):
                    await session.send(order(number))
                yours = venue.sessions["FIX.4.4:VENUE->YOU"]
                [own] = await some(yours, 1)
                async for session, message in venue.received():
                    return own["ClOrdID"], session.id, message["ClOrdID"]
    assert run(main()) == ("A1", "FIX.4.4:VENUE->ME", "A0")


def test_a_template_makes_sessions_at_their_logon(tmp_path):
    async def main():
        keys = settings_of(tmp_path, TargetCompID="*", AcceptorTemplate="Y")
        async with nexusfix.Acceptor(keys) as venue:
            assert not venue.sessions
            async with nexusfix.Initiator(client_of(tmp_path, venue.port)) as client:
                await client.send(order(1))
                async for session, message in venue.received():
                    return session.id, message["ClOrdID"]
    assert run(main()) == ("FIX.4.4:VENUE->ME", "A1")


def test_a_message_before_the_logon_is_stored_and_sent_after_it(tmp_path):
    async def main():
        venue = nexusfix.Acceptor(settings_of(tmp_path))
        async with venue:
            sent = await venue.send(order(1))
            assert not sent.is_transmitted and not venue.session.is_logged_on
            async with nexusfix.Initiator(client_of(tmp_path, venue.port)) as client:
                [received] = await some(client, 1)
                return sent.msg_seq_num, received["MsgSeqNum"]
    first, second = run(main())
    assert first == second


def test_a_message_before_the_logon_is_refused_if_the_configuration_says_so(tmp_path):
    async def main():
        async with nexusfix.Acceptor(settings_of(tmp_path, SendWhileLoggedOut="N")) as venue:
            with pytest.raises(nexusfix.SendError) as error:
                await venue.send(order(1))
            return error.value.reason
    assert "not logged on" in run(main())


def test_fields_of_the_logon_come_from_a_coroutine(tmp_path):
    seen = []

    async def fields(session):
        await asyncio.sleep(0.01)
        return {"Username": "me", "Password": "secret", "RawData": b"a\x01b"}

    async def check(session, message):
        await asyncio.sleep(0.01)
        seen.append((session.id, message["Username"], message["Password"], message["RawData"]))
        return True

    async def main():
        options = {"venue": {"logon": check}, "client": {"logon": fields}}
        async with pair(tmp_path, **options) as (venue, client):
            client.session.disconnect("test")
            await asyncio.wait_for(until(lambda: len(seen) == 2), SECONDS_MAX)
            await client.session.logged_on(SECONDS_MAX)
    run(main())
    assert seen == [("FIX.4.4:VENUE->ME", "me", "secret", b"a\x01b")] * 2


async def until(condition):
    while not condition():
        await asyncio.sleep(0.01)


def test_a_connection_whose_logon_gets_no_fields_fails_and_says_why(tmp_path):
    async def fields(session):
        raise LookupError("token of the vault")

    async def main():
        asyncio.get_running_loop().set_exception_handler(lambda *_: None)
        with pytest.raises(nexusfix.LogonTimeoutError) as error:
            async with pair(tmp_path, client={"logon": fields, "logon_timeout": 1.5}):
                pass
        return str(error.value)
    text = run(main())
    assert "LookupError" in text and "vault" not in text


def test_a_logon_that_the_program_refuses_gets_its_text(tmp_path):
    async def main():
        options = {"venue": {"logon": lambda session, message: "unknown desk"},
                   "client": {"logon_timeout": 1.0}}
        with pytest.raises(nexusfix.LogonTimeoutError, match="unknown desk"):
            async with pair(tmp_path, **options):
                pass
    run(main())


def test_a_slow_program_stops_its_counterparty_and_loses_nothing(tmp_path):
    count = 4000

    async def main():
        options = {"venue": {"waiting_bytes_max": 10_000}}
        async with pair(tmp_path, **options) as (venue, client):
            for number in range(count):
                client.send(order(number))
            await asyncio.sleep(0.5)
            waiting = len(venue._queue.items)
            received = [one["ClOrdID"] for one in await some(venue, count)]
            return waiting, received
    waiting, received = run(main())
    assert waiting < count / 2
    assert received == [f"A{number}" for number in range(count)]


@pytest.mark.parametrize("waiting_bytes_max", [1 << 20, 1 << 26])  # below and above the ring
def test_a_blocked_event_loop_loses_nothing(tmp_path, waiting_bytes_max):
    count = 30_000
    script = f"""
        import asyncio, time
        async def main():
            async with nexusfix.Initiator(client_of(folder, port)) as client:
                await asyncio.gather(*(client.send(order(n)) for n in range({count})))
                await asyncio.sleep(5)
        asyncio.run(main())
    """

    async def main():
        settings = settings_of(tmp_path)
        async with nexusfix.Acceptor(settings, waiting_bytes_max=waiting_bytes_max) as venue:
            child = start(script, tmp_path, venue.port)
            try:
                await venue.session.logged_on(SECONDS_MAX)
                time.sleep(2)  # the engine fills its ring meanwhile
                received = await some(venue, count)
            finally:
                child.kill()
                child.wait()
            return [one["ClOrdID"] for one in received]
    assert run(main()) == [f"A{number}" for number in range(count)]


def start(script, folder, port):
    """A process that runs the script, with the names of this module."""
    head = (f"import sys; sys.path.insert(0, {os.path.dirname(__file__)!r})\n"
            f"from pathlib import Path\nfrom sessions_test import *\n"
            f"folder, port = Path({os.fspath(folder)!r}), {port}\n")
    return subprocess.Popen([sys.executable, "-c", head + textwrap.dedent(script)],
                            stdout=subprocess.PIPE, text=True, bufsize=1)


def test_kill_9_loses_nothing_that_was_sent(tmp_path):
    script = """
        import asyncio, itertools
        async def main():
            client = nexusfix.Initiator(client_of(folder, port), logon_timeout=0)
            async with client:
                for number in itertools.count():
                    await client.send(order(number))
                    print(number, flush=True)
        asyncio.run(main())
    """
    again = """
        import asyncio
        async def main():
            async with nexusfix.Initiator(client_of(folder, port)) as client:
                await client.send(order("end"))
                await asyncio.sleep(20)
        asyncio.run(main())
    """

    async def main():
        async with nexusfix.Acceptor(settings_of(tmp_path)) as venue:
            received = set()

            async def receive():
                async for message in venue:
                    received.add(message["ClOrdID"])
            task = asyncio.create_task(receive())
            child = start(script, tmp_path, venue.port)
            lines = await asyncio.to_thread(lambda: [child.stdout.readline() for _ in range(200)])
            child.kill()
            lines += child.stdout.read().splitlines()
            assert child.wait() == -signal.SIGKILL
            sent = {f"A{int(line)}" for line in lines if line.strip().isdigit()}
            child = start(again, tmp_path, venue.port)
            await until(lambda: "Aend" in received)
            child.kill()
            child.wait()
            task.cancel()
            return sent - received, len(sent)
    lost, count = run(main())
    assert count >= 200 and not lost


def test_a_stored_message_is_resent_after_kill_9_before_the_logon(tmp_path):
    script = """
        import asyncio
        async def main():
            client = nexusfix.Initiator(client_of(folder, port), logon_timeout=0)
            async with client:
                print(await client.send(order(7)), flush=True)
                os.kill(os.getpid(), signal.SIGKILL)
        asyncio.run(main())
    """
    child = start(script, tmp_path, 1)  # no venue is there
    assert "is_transmitted=False" in child.stdout.read()
    assert child.wait() == -signal.SIGKILL

    async def main():
        async with pair(tmp_path) as (venue, _):
            [received] = await some(venue, 1)
            return received["ClOrdID"]
    assert run(main()) == "A7"


@pytest.mark.parametrize(("keys", "key"), [
    ({"HeartBtInt": "abc"}, "HeartBtInt"), ({"FileStorePath": ""}, "FileStorePath"),
    ({"EventLoops": 2}, "EventLoops"), ({"ConnectionType": "initiator"}, None)])
def test_a_wrong_configuration_is_an_exception_with_its_key_and_line(tmp_path, keys, key):
    async def main():
        async with nexusfix.Acceptor(settings_of(tmp_path, **keys)):
            pass
    with pytest.raises(nexusfix.ConfigurationError) as error:
        run(main())
    if key is not None:
        assert error.value.key == key
    assert error.value.faults and "settings" in str(error.value)


def test_a_wrong_file_is_an_exception_with_its_line(tmp_path):
    file = tmp_path / "client.cfg"
    file.write_text("[DEFAULT]\nConnectionType=initiator\nHeartBtInt=x\n[SESSION]\n"
                    "BeginString=FIX.4.4\nSenderCompID=A\nTargetCompID=B\n"
                    "SocketConnectHost=127.0.0.1\nSocketConnectPort=1\n"
                    f"FileStorePath={tmp_path}/s\n")

    async def main():
        async with nexusfix.Initiator(file):
            pass
    with pytest.raises(nexusfix.ConfigurationError, match="client.cfg:3: HeartBtInt") as error:
        run(main())
    assert (error.value.line, error.value.key) == (3, "HeartBtInt")
    with pytest.raises(nexusfix.ConfigurationError, match="absent.cfg"):
        run(nexusfix.Initiator(tmp_path / "absent.cfg").__aenter__())


def test_two_engines_cannot_have_one_store(tmp_path):
    async def main():
        async with nexusfix.Acceptor(settings_of(tmp_path)):
            async with nexusfix.Acceptor(settings_of(tmp_path)):
                pass
    with pytest.raises(nexusfix.ConfigurationError, match="venue"):
        run(main())


@pytest.mark.parametrize("wrong", [
    {"a b": 1}, {"SenderCompID": "A\nB"}, {"SenderCompID": None}, {1: 2},
    {"SESSION": [{"x y": 1}]}])
def test_settings_of_wrong_types_are_refused(wrong):
    with pytest.raises((TypeError, ValueError)):
        nexusfix.Initiator(wrong)


def test_wrong_arguments_are_exceptions(tmp_path):
    async def main():
        async with pair(tmp_path) as (venue, client):
            for wrong in (None, b"8=FIX.4.4", "35=D", 7):
                with pytest.raises(TypeError):
                    client.send(wrong)
            from nexusfix import fix42
            with pytest.raises(nexusfix.SendError, match="FIX.4.2"):
                client.send(fix42.News(Headline="x", LinesOfText=[{"Text": "y"}]))
            with pytest.raises(nexusfix.SendError, match="session"):
                await client.send(fix44.Heartbeat())
    run(main())
    for wrong in ({"on_message": 3}, {"logon": "x"}, {"waiting_bytes_max": -1}):
        with pytest.raises((TypeError, ValueError)):
            nexusfix.Acceptor({}, **wrong)


def test_a_closed_engine_raises(tmp_path):
    async def main():
        client = nexusfix.Initiator(client_of(tmp_path, 1))
        with pytest.raises(nexusfix.SessionClosedError, match="enter"):
            client.send(order(1))
        async with pair(tmp_path) as (venue, client):
            session = client.session
        for call in (lambda: client.send(order(1)), lambda: session.send(order(1)),
                     session.log_out, session.log_on, lambda: session.disconnect("x")):
            with pytest.raises(nexusfix.SessionClosedError):
                call()
        await client.close()
        assert await client.ended() == 0
        assert [message async for message in client] == []
        with pytest.raises(nexusfix.SessionClosedError):
            await session.logged_on(1)
        with pytest.raises(nexusfix.SessionError, match="once"):
            async with client:
                pass
    run(main())


def test_another_thread_is_refused(tmp_path):
    async def main():
        async with pair(tmp_path) as (venue, client):
            with pytest.raises(nexusfix.SessionError, match="thread"):
                await asyncio.to_thread(client.send, order(1))
    run(main())


def test_an_initiator_that_cannot_log_on_says_why_and_ends(tmp_path):
    async def main():
        with pytest.raises(nexusfix.LogonTimeoutError, match="refused|127.0.0.1"):
            async with nexusfix.Initiator(client_of(tmp_path, 1), logon_timeout=0.3):
                pass
    run(main())


def test_log_out_and_log_on_again(tmp_path):
    async def main():
        async with pair(tmp_path) as (venue, client):
            client.session.log_out("lunch")
            await until(lambda: not client.session.is_logged_on)
            client.session.log_on()
            await client.session.logged_on(SECONDS_MAX)
            await client.send(order(1))
            return (await some(venue, 1))[0]["ClOrdID"]
    assert run(main()) == "A1"


def test_events_of_the_engine_are_records_of_logging(tmp_path, caplog):
    caplog.set_level(logging.INFO, "nexusfix.engine")

    async def main():
        async with pair(tmp_path):
            pass
    run(main())
    assert any("NXF-" in one.getMessage() and "FIX.4.4:ME->VENUE" in one.getMessage()
               for one in caplog.records)


def test_a_cancelled_task_closes_the_engine_in_order(tmp_path):
    async def main():
        async with nexusfix.Acceptor(settings_of(tmp_path)) as venue:
            async def wait():
                async with nexusfix.Initiator(client_of(tmp_path, venue.port)) as client:
                    async for _ in client:
                        pass
            task = asyncio.create_task(wait())
            await venue.session.logged_on(SECONDS_MAX)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            async with nexusfix.Initiator(client_of(tmp_path, venue.port)) as again:
                return await again.send(order(1))
    assert run(main()).is_transmitted


ENDS = {
    "interrupt": ("signal.raise_signal(signal.SIGINT); await asyncio.sleep(20)", 1),
    "exit": ("sys.exit(7)", 7),
    "exit of the process": ("os._exit(8)", 8),
    "no end of the engine": ("asyncio.get_running_loop().stop(); await asyncio.sleep(20)", 1),
    "fork": ("pid = os.fork()\n            if pid == 0: child()\n"
             "            assert os.waitpid(pid, 0)[1] == 0; sys.exit(9)", 9),
    # asyncio itself bears no sys.exit() of a child: both processes have one epoll.
    "fork and the end of the child": (
        "pid = os.fork()\n"
        "            if pid == 0: client.__dict__.clear(); atexit._run_exitfuncs(); os._exit(0)\n"
        "            assert os.waitpid(pid, 0)[1] == 0; sys.exit(9)", 9),
}


@pytest.mark.parametrize("end", ENDS)
def test_the_interpreter_ends_while_the_engine_runs(tmp_path, end):
    code, status = ENDS[end]
    script = f"""
        import asyncio
        warnings.simplefilter("ignore")
        def child():
            try:
                client.send(order(1))
            except nexusfix.SessionError as error:
                assert "fork" in str(error)
            else:
                os._exit(1)
            os._exit(0)
        async def main():
            global client, venue
            venue = await nexusfix.Acceptor(settings_of(folder)).__aenter__()
            client = await nexusfix.Initiator(client_of(folder, venue.port)).__aenter__()
            await client.send(order(1))
            print("sent", flush=True)
            {code}
        asyncio.run(main())
    """
    child = start(script, tmp_path, 0)
    out, _ = child.communicate(timeout=60)
    assert "sent" in out
    assert child.returncode in (status, -signal.SIGINT if end == "interrupt" else status)


def test_an_open_engine_that_is_collected_ends(tmp_path):
    async def open_only():
        engine = nexusfix.Acceptor(settings_of(tmp_path))
        await engine.__aenter__()

    async def main():
        async with nexusfix.Acceptor(settings_of(tmp_path)) as venue:
            return await venue.send(order(1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        asyncio.run(open_only())
        gc.collect()
    nexusfix._core.join_engines(SECONDS_MAX)
    assert run(main()).msg_seq_num >= 1


def test_a_program_without_asyncio_runs_until_the_engine_ends(tmp_path):
    script = """
        def on_message(session, message):
            print(message["ClOrdID"], flush=True)
            session.send(report(message))
        def on_logon(session):
            print("logon", flush=True)
        client = nexusfix.Initiator(client_of(folder, port), on_message=on_message,
                                    on_logon=on_logon)
        try:
            client.run()
        except KeyboardInterrupt:
            print("ended")
    """

    async def main():
        async with nexusfix.Acceptor(settings_of(tmp_path)) as venue:
            child = start(script, tmp_path, venue.port)
            await venue.session.logged_on(SECONDS_MAX)
            await venue.send(order(3))
            await some(venue, 1)
            child.send_signal(signal.SIGINT)
            return (await asyncio.to_thread(child.communicate))[0].split(), child.returncode
    assert run(main()) == (["logon", "A3", "ended"], 0)
