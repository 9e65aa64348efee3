#!/usr/bin/env python3
"""A warm standby: two `nexusfix serve` on one log in PostgreSQL, of which one is killed or stopped.
Arguments: nexusfix, and the program that starts a server."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import unittest
import urllib.error
import urllib.request

import command_test
from command_test import LIMIT_SECONDS, WithFolder, free_port, run, wait_until

SERVER = ""  # set by main
SESSIONS = 1000


def get(port, path):
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=60) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


class Engine(subprocess.Popen):
    """`nexusfix serve`: its name, and whether the test expects its end."""

    def __init__(self, name, folder, config, arguments=(), **options):
        self.name, self.folder, self.may_end = name, folder, False
        with open(folder / f"{name}.log", "wb") as log, open(folder / f"{name}.out", "wb") as out:
            super().__init__([command_test.NEXUSFIX, "serve", config, *arguments],
                             stdin=subprocess.DEVNULL, stdout=out, stderr=log, **options)

    def send_signal(self, sig):
        if sig not in (signal.SIGSTOP, signal.SIGCONT, signal.SIGHUP):
            self.may_end = True
        super().send_signal(sig)

    def wait(self, timeout=None):
        self.may_end = True
        return super().wait(timeout)

    def listens(self):
        """How often it has opened its ports."""
        return (self.folder / f"{self.name}.out").read_text().count("listening on port")

    def describe(self, lines=60):
        log = (self.folder / f"{self.name}.log").read_text(errors="replace").splitlines()
        status = "runs" if self.poll() is None else f"ended with status {self.returncode}"
        return "\n  ".join([f"engine {self.name}, process {self.pid}, {status}. Its log ends with:",
                            *log[-lines:]])


class Counterparty:
    """A trader that connects to the one address which it knows."""

    def __init__(self, port, check):
        self.port, self.check = port, check
        self.socket = None
        self.next_out = 1
        self.received = b""

    def connect(self):
        deadline = time.monotonic() + LIMIT_SECONDS
        while True:
            try:
                self.close()
                self.socket = socket.create_connection(("127.0.0.1", self.port), LIMIT_SECONDS)
                self.received = b""
                return
            except ConnectionRefusedError:
                self.check("a port is open")
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.005)

    def close(self):
        if self.socket:
            self.socket.close()

    def send(self, msg_type, fields):
        now = time.strftime("%Y%m%d-%H:%M:%S", time.gmtime())
        body = (f"35={msg_type}|49=TRADER|56=VENUE|34={self.next_out}|52={now}|{fields}")
        body = body.replace("|", "\x01").encode()
        head = f"8=FIX.4.4\x019={len(body)}\x01".encode()
        self.socket.sendall(head + body + b"10=%03d\x01" % (sum(head + body) % 256))
        self.next_out += 1

    def receive(self):
        """The next message but a Heartbeat, by tags."""
        while True:
            end = re.search(rb"\x0110=\d{3}\x01", self.received)
            if not end:
                more = self.socket.recv(65536)
                if not more:
                    raise ConnectionError("the venue has closed the connection")
                self.received += more
                continue
            text, self.received = self.received[:end.end()], self.received[end.end():]
            message = dict(field.split("=", 1) for field in text.decode().split("\x01")[:-1])
            if message["35"] != "0":
                return message

    def log_on(self):
        self.send("A", "98=0|108=30|")
        return self.receive()

    def order(self, name, side=1):
        now = time.strftime("%Y%m%d-%H:%M:%S", time.gmtime())
        self.send("D", f"11={name}|55=AAPL|54={side}|38=100|40=2|44=10.5|60={now}|")
        return self.receive()


class WithDatabase(WithFolder):
    """Engines on a schema of their own."""

    @classmethod
    def setUpClass(cls):
        cls.server = subprocess.Popen([SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      text=True)
        cls.host = cls.server.stdout.readline().strip()
        if not cls.host.startswith("/"):
            print(cls.host)  # ctest looks for it
            raise unittest.SkipTest(cls.host)

    @classmethod
    def tearDownClass(cls):
        cls.server.communicate(timeout=600)

    count = 0

    def setUp(self):
        super().setUp()
        WithDatabase.count += 1
        self.schema = f"standby_{self.count}"
        self.port = free_port()
        self.engines = []

    def start(self, name, more="", sessions=1, port=None, store="postgresql", **options):
        """Starts an engine; returns it and its port for /readyz. No connection to the database
        ends because a busy machine is slow; more may say otherwise."""
        metrics = free_port()
        text = ("[DEFAULT]\nConnectionType=acceptor\nSocketAcceptHost=127.0.0.1\n"
                f"SocketAcceptPort={port or self.port}\nStore={store}\n"
                f"PostgreSQLStoreHost={self.host}\nPostgreSQLStoreUser=nexusfix\n"
                f"PostgreSQLStoreDatabase=postgres\nPostgreSQLStoreSchema={self.schema}\n"
                "PostgreSQLStoreStandby=available\n"
                f"FileStorePath={self.folder}/{name}\nControlSocket={self.folder}/{name}.control\n"
                f"MetricsPort={metrics}\n{more}"
                "BeginString=FIX.4.4\nSenderCompID=VENUE\n[SESSION]\nTargetCompID=TRADER\n")
        for number in range(1, sessions):
            text += f"[SESSION]\nTargetCompID=T{number}\n"
        engine = Engine(name, self.folder, self.write(f"{name}.cfg", text), **options)
        self.engines.append(engine)
        self.addCleanup(engine.wait)
        self.addCleanup(engine.kill)
        self.addCleanup(lambda: engine.send_signal(signal.SIGCONT))
        return engine, metrics

    def check_engines(self, what):
        for engine in self.engines:
            if not engine.may_end and engine.poll() is not None:
                self.fail(f"never happened: {what}: engine {engine.name} ended with status "
                          f"{engine.returncode}")

    def wait_until(self, condition, what):
        """Fails at once if an engine ends that is to go on."""
        def happens():
            self.check_engines(what)
            return condition()
        wait_until(happens, what)

    def listening(self, engine, times=1):
        self.wait_until(lambda: engine.listens() >= times, f"{engine.name} opens its ports")

    def end(self, venue):
        self.listening(venue)  # SIGTERM has its handler now
        super().end(venue)

    def run(self, result=None):
        self.result = result
        return super().run(result)

    def tearDown(self):
        """Prints what the engines have logged, if the test has failed."""
        if not any(test is self for test, _ in self.result.failures + self.result.errors):
            return
        for text in self.explanations():
            print(text, file=sys.stderr)

    def explanations(self):
        return [engine.describe() for engine in self.engines]

    def counterparty(self):
        one = Counterparty(self.port, self.check_engines)
        self.addCleanup(one.close)
        one.connect()
        return one

    def log(self, name):
        return (self.folder / f"{name}.log").read_text()

    def sql(self, statement):
        done = subprocess.run(
            ["psql", "-h", self.host, "-U", "nexusfix", "-d", "postgres", "-tAc", statement],
            capture_output=True, text=True, check=True, timeout=LIMIT_SECONDS)
        return done.stdout.strip()

    def end_session_of_owner(self):
        """Ends the database session that has the log's lock."""
        ended = self.sql("SELECT count(pg_terminate_backend(l.pid)) FROM pg_locks l WHERE "
                         "l.locktype = 'advisory' AND (l.classid::bigint << 32 | l.objid::bigint) "
                         f"= hashtextextended('nexusfix log {self.schema}', 0) AND l.granted")
        self.assertEqual(ended, "1")

    def status(self, name):
        return run("ctl", "--engine", f"{self.folder}/{name}.control", "status")


class Standby(WithDatabase):
    def start_pair(self, sessions=1, port=None, more=""):
        owner, _ = self.start("one", "PostgreSQLStoreIfOwned=wait\n" + more, sessions)
        self.listening(owner)
        standby, metrics = self.start("two", "RefreshOnLogon=Y\n" + more, sessions, port)
        self.wait_until(lambda: "NXF-5050" in self.log("two"), "the standby waits")
        return owner, standby, metrics

    def test_a_standby_says_for_whom_it_waits_and_takes_no_commands(self):
        owner, standby, metrics = self.start_pair()
        self.assertIn(f"waits for the log, which process {owner.pid} on host ", self.log("two"))
        self.wait_until(lambda: "it waits for the log" in get(metrics, "/readyz")[1],
                        "/readyz says so")
        code, reasons = get(metrics, "/readyz")
        self.assertEqual(code, 503)
        self.assertRegex(reasons, rf"^standby: it waits for the log, which process {owner.pid} on ")
        self.assertEqual(get(metrics, "/healthz"), (200, "ok\n"))
        page = get(metrics, "/metrics")[1]
        for line in ("nexusfix_standby 1", "nexusfix_standby_connected 1", "nexusfix_ready 0"):
            self.assertIn(f"\n{line}\n", page)
        self.assertRegex(page, r"\nnexusfix_standby_lag_bytes \d+\n")
        shown = self.status("two")
        self.assertEqual(shown.returncode, 0, shown.stderr)
        self.assertRegex(shown.stdout,
                         rf"^engine of process {standby.pid}, since .* UTC: a standby, which waits "
                         rf"for the log, which process {owner.pid} on ")
        done = run("ctl", "--engine", f"{self.folder}/two.control", "status", "--json")
        self.assertIn("waits for the log", json.loads(done.stdout)["standby"])
        done = run("ctl", "--engine", f"{self.folder}/two.control", "stop", "--yes")
        self.assertEqual(done.returncode, 1)
        self.assertIn("this engine is a standby", done.stderr)
        standby.send_signal(signal.SIGHUP)  # as a service manager's reload
        done = run("ctl", "--engine", f"{self.folder}/one.control", "status", "--json")
        self.assertIsNone(json.loads(done.stdout)["standby"])
        standby.send_signal(signal.SIGTERM)
        self.assertEqual(standby.wait(LIMIT_SECONDS), 0)
        self.end(owner)

    def take_over(self, counterparty, act):
        """The owner ends by act; the counterparty goes on with the standby."""
        before = time.monotonic()
        act()
        number = counterparty.next_out
        while True:
            counterparty.connect()
            try:
                logon = counterparty.log_on()
                return time.monotonic() - before, logon
            except ConnectionError:  # still the owner, which is ending
                counterparty.next_out = number

    def test_a_killed_owner_is_followed_by_its_standby(self):
        owner, standby, metrics = self.start_pair(SESSIONS)
        trader = self.counterparty()
        self.assertEqual(trader.log_on()["34"], "1")
        reports = [trader.order(f"A{number}") for number in range(1, 6)]
        self.assertEqual([one["34"] for one in reports], ["2", "3", "4", "5", "6"])

        def caught_up():
            return "\nnexusfix_standby_lag_bytes 0\n" in get(metrics, "/metrics")[1]
        self.wait_until(caught_up, "the standby has all messages")
        took, logon = self.take_over(trader, owner.kill)
        print(f"take-over with {SESSIONS} sessions: {took:.3f} s from the kill to the Logon")
        self.assertEqual((logon["35"], logon["34"]), ("A", "7"))
        self.wait_until(lambda: "NXF-5051" in self.log("two"), "the standby says so")
        # What the owner has sent is sent again, by the standby.
        trader.send("2", "7=2|16=6|")
        for report in reports:
            again = trader.receive()
            self.assertEqual(again["43"], "Y")
            for tag in ("34", "37", "17", "11"):
                self.assertEqual(again[tag], report[tag])
        # Its book is that of the owner: a sale meets the first of the orders.
        sold = trader.order("B1", side=2)
        self.assertNotIn(sold["37"], [one["37"] for one in reports])
        fills = [trader.receive(), trader.receive()]
        self.assertEqual({fill["11"] for fill in fills}, {"A1", "B1"})
        self.assertEqual(get(metrics, "/healthz")[0], 200)
        self.assertIn("\nnexusfix_standby 0\n", get(metrics, "/metrics")[1])
        trader.close()
        # The former owner comes back as the standby.
        self.start("one", "PostgreSQLStoreIfOwned=wait\n", SESSIONS)
        waits = f"waits for the log, which process {standby.pid} on"
        self.wait_until(lambda: waits in self.log("one"), "the former owner waits")
        self.end(standby)

    def test_a_stopped_owner_loses_the_log_and_sends_nothing_more(self):
        owner, standby, _ = self.start_pair(port=free_port())  # the stopped one keeps its own
        trader = self.counterparty()
        trader.log_on()
        self.assertEqual(trader.order("A1")["34"], "2")
        former = trader.socket
        owner.send_signal(signal.SIGSTOP)
        self.end_session_of_owner()  # as the server does after PostgreSQLStorePeerTimeout
        self.wait_until(lambda: "NXF-5051" in self.log("two"), "the standby owns the log")
        # An order that the stopped process reads when it goes on: its answer has no record.
        trader.send("D", "11=A2|55=AAPL|54=1|38=100|40=2|44=10.5|60="
                    + time.strftime("%Y%m%d-%H:%M:%S", time.gmtime()) + "|")
        owner.send_signal(signal.SIGCONT)
        self.assertEqual(owner.wait(LIMIT_SECONDS), 1)
        self.assertRegex(self.log("one"), "the log was taken over by process "
                                          rf"{standby.pid} on host ")
        rest = b""
        try:
            while more := former.recv(65536):
                rest += more
        except ConnectionResetError:
            pass
        self.assertNotIn(b"\x0135=8\x01", rest)


if __name__ == "__main__":
    SERVER = os.path.abspath(sys.argv.pop(2))
    command_test.NEXUSFIX = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
