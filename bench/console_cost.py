#!/usr/bin/env python3
"""Measures an order's round trip with and without open web consoles.

    bench/console_cost.py NEXUSFIX [CONSOLES [ROUNDS]]

A venue with ConsolePort, and a trader that sends 20,000 orders one at a time, over loopback. Each
round measures without and with CONSOLES (20) streams, in changing order. Prints P50 and P99 of the
best of ROUNDS (6) rounds: another program of the machine makes a round slower, never faster.
"""

import re
import selectors
import socket
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ORDERS = 20_000
TOKEN = "a-token-for-this-measurement"


class Venue:
    def __init__(self, nexusfix, folder):
        tokens = folder / "venue" / "console.token"
        tokens.parent.mkdir()
        tokens.touch(0o600)
        tokens.write_text(f"bench:{TOKEN}\n")
        config = folder / "venue.cfg"
        config.write_text(
            "[DEFAULT]\nConnectionType=acceptor\nSocketAcceptHost=127.0.0.1\nSocketAcceptPort=0\n"
            f"FileStorePath={folder}/venue\nConsolePort=0\n"
            "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=TRADER\n")
        events = folder / "events"
        with events.open("w") as errors:
            self.process = subprocess.Popen([nexusfix, "serve", config], stdout=subprocess.PIPE,
                                            stderr=errors, text=True)
        self.port = int(self.process.stdout.readline().split()[-1])
        while not (found := re.search(r"web console: http://[^ ]*:(\d+)/", events.read_text())):
            time.sleep(0.05)
        self.console = int(found[1])

    def end(self):
        self.process.terminate()
        self.process.wait()
        self.process.stdout.close()


class Streams:
    """Consoles that read what they get."""

    def __init__(self, port, count):
        self.selector = selectors.DefaultSelector()
        self.sockets = [socket.create_connection(("127.0.0.1", port)) for _ in range(count)]
        for one in self.sockets:
            one.sendall(f"GET /api/live HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n"
                        f"Authorization: Bearer {TOKEN}\r\n\r\n".encode())
            self.selector.register(one, selectors.EVENT_READ)
        self.is_ending = threading.Event()
        self.thread = threading.Thread(target=self.read)
        self.thread.start()

    def read(self):
        while not self.is_ending.is_set():
            for key, _ in self.selector.select(0.2) if self.sockets else ():
                key.fileobj.recv(65536)
            if not self.sockets:
                self.is_ending.wait()

    def end(self):
        self.is_ending.set()
        self.thread.join()
        for one in self.sockets:
            one.close()


def measure(nexusfix, consoles):
    """P50 and P99 of the round trips, in ns."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        venue = Venue(nexusfix, folder)
        trader = folder / "trader.cfg"
        trader.write_text(
            "[DEFAULT]\nConnectionType=initiator\nSocketConnectHost=127.0.0.1\n"
            f"SocketConnectPort={venue.port}\nFileStorePath={folder}/trader\n[SESSION]\n"
            "BeginString=FIX.4.4\nSenderCompID=TRADER\nTargetCompID=VENUE\nHeartBtInt=30\n")
        streams = Streams(venue.console, consoles)
        done = subprocess.run([nexusfix, "trade", trader, f"--orders={ORDERS}",
                               f"--one-at-a-time={ORDERS}", "--results"],
                              capture_output=True, text=True, check=True)
        streams.end()
        venue.end()
    line = next(one for one in done.stdout.splitlines() if one.startswith("round_trips"))
    times = sorted(int(one) for one in line.split()[1:])
    return times[len(times) // 2], times[len(times) * 99 // 100]


def main():
    nexusfix = sys.argv[1]
    consoles = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 6
    results = {0: [], consoles: []}
    for number in range(rounds):
        for count in sorted(results, reverse=number % 2 == 1):
            results[count].append(measure(nexusfix, count))
    for count, figures in results.items():
        p50, p99 = (min(one[at] for one in figures) / 1000 for at in (0, 1))
        print(f"{count:3} consoles: P50 {p50:.1f} us, P99 {p99:.1f} us")


if __name__ == "__main__":
    main()
