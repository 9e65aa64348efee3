"""A journal with both directions, of an engine that has ended; what a consumer makes of lines."""

import json
import shutil
import socket
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

LIMIT_SECONDS = 300  # for hangs only


def wait_until(condition, what):
    deadline = time.monotonic() + LIMIT_SECONDS
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"never happened: {what}")
        time.sleep(0.02)


def make_journal(nexusfix, folder, orders):
    """The journal of a venue that has executed this number of orders."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    for name, other, more in (
            ("VENUE", "TRADER", "ConnectionType=acceptor\nSocketAcceptHost=127.0.0.1\n"
                                f"SocketAcceptPort={port}\n"),
            ("TRADER", "VENUE", "ConnectionType=initiator\nSocketConnectHost=127.0.0.1\n"
                                f"SocketConnectPort={port}\nHeartBtInt=30\n")):
        (folder / f"{name}.cfg").write_text(
            f"[DEFAULT]\n{more}FileStorePath={folder}/{name}\nJournalInbound=Y\n[SESSION]\n"
            f"BeginString=FIX.4.4\nSenderCompID={name}\nTargetCompID={other}\n")
    venue = subprocess.Popen([nexusfix, "serve", folder / "VENUE.cfg"], stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, text=True)
    venue.stdout.readline()
    traded = subprocess.run([nexusfix, "trade", folder / "TRADER.cfg", "--stream",
                             f"--orders={orders}"], capture_output=True, text=True,
                            timeout=LIMIT_SECONDS, check=False)
    venue.terminate()
    venue.wait()
    venue.stdout.close()
    assert traded.returncode == 0, traded.stderr
    return folder / "VENUE"


def consume(lines):
    """The objects that a consumer keeps by the rule of docs/operations/streaming.md; the number of
    those that it drops."""
    last, kept, dropped = {}, [], 0
    for line in lines:
        try:
            one = json.loads(line)
        except json.JSONDecodeError:
            continue  # cut by a crash
        key, place = (one["log"], one["session"]), (one["owner"], one["position"])
        if place > last.get(key, (0, -1)):
            last[key] = place
            kept.append(one)
        else:
            dropped += 1
    return kept, dropped


class JournalTest(unittest.TestCase):
    nexusfix = ""  # set by main
    orders = 1000

    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.journal = make_journal(cls.nexusfix, Path(temporary.name), cls.orders)
        shown = subprocess.run([cls.nexusfix, "journal", "show", cls.journal, "--messages",
                                "--json"], capture_output=True, text=True, check=True).stdout
        cls.stored = [json.loads(one) for one in shown.splitlines()]
        assert len(cls.stored) > 2 * cls.orders

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        self.copy = self.folder / "venue"
        shutil.copytree(self.journal, self.copy, ignore=shutil.ignore_patterns("control"))
        self.events = self.folder / "events"
        self.events.touch()

    def stream(self, *arguments, **more):
        return subprocess.run([self.nexusfix, "stream", *map(str, arguments), self.copy],
                              capture_output=True, text=True, stdin=subprocess.DEVNULL,
                              timeout=LIMIT_SECONDS, check=False, **more)

    def follow(self, *arguments, **more):
        with self.events.open("a") as log:
            process = subprocess.Popen(
                [self.nexusfix, "stream", "-f", *map(str, arguments), self.copy], stderr=log,
                stdin=subprocess.DEVNULL, **more)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def assert_whole(self, kept):
        """Each message of the journal is there once, in order."""
        got = [one["message"].replace("\x01", "|") for one in kept]
        wanted = [one["message"].replace("\x01", "|") for one in self.stored]
        # No assertEqual(): the difference of long lists takes minutes.
        different = next((i for i, pair in enumerate(zip(got, wanted)) if pair[0] != pair[1]), None)
        if different is not None:
            self.assertEqual(got[different], wanted[different], f"message {different}")
        self.assertEqual(len(got), len(wanted))

    def await_event(self, number):
        wait_until(lambda: f"NXF-{number}" in self.events.read_text(), f"NXF-{number}")
