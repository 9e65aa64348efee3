#!/usr/bin/env python3
"""Kills the venue, the trader or both with SIGKILL during a stream of orders, restarts them, and
checks at the end that no order was lost or filled twice, and that the reports, the venue's rebuilt
book and both journals agree.

    crash_test.py --nexusfix PATH [--seed N] [--kills 20] [--begin-string FIX.4.4] [--inbound]

--inbound: both sides keep what they receive (JournalInbound=Y). At the end each message that one
side has stored as sent is in the other side's journal as received, once.

The seed (or NEXUSFIX_CRASH_SEED) decides which process is killed, and after how many finished
orders; it is printed. The scheduler decides where in the code the signal strikes.
"""

import argparse
import json
import os
import queue
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

TESTS = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TESTS / "support"), str(TESTS / "faults" / "drills")]
from history import (  # noqa: E402  pylint: disable=wrong-import-position
    PARTIALS, Failure, by_number, check_book_has_reports, check_executions, check_orders,
    check_received, output_of, read_book, read_reports, stored_messages)
from tcp_ports import free_port  # noqa: E402  pylint: disable=wrong-import-position

STEP_SECONDS = 300  # the longest time for any single step
ORDERS_BETWEEN_KILLS_MAX = 1200
PROGRESS = re.compile(r"progress sent=(\d+) acknowledged=(\d+) finished=(\d+)")


class Process:
    """One run of the venue or the trader, whose output is read line by line."""

    def __init__(self, name, command, log):
        self.name = name
        self.log = log
        self.errors = log.open("a")
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, text=True,
                                        stdout=subprocess.PIPE, stderr=self.errors)
        self.lines = queue.Queue()
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(line.rstrip("\n"))
        self.lines.put(None)

    def next_line(self, deadline):
        """The next line, or None at the end of the output."""
        try:
            return self.lines.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            raise Failure(f"the {self.name} printed nothing for {STEP_SECONDS} s") from None

    def wait_for(self, accept):
        """Returns the first result of accept() that is not None."""
        while True:
            line = self.next_line(time.monotonic() + STEP_SECONDS)
            if line is None:
                raise Failure(f"the {self.name} ended early, status {self.process.wait()}")
            found = accept(line)
            if found is not None:
                return found

    def kill(self):
        self.process.kill()
        self.close()

    def end(self, expected=0):
        """Waits for the end; the status must be the expected one."""
        try:
            status = self.process.wait(STEP_SECONDS)
        except subprocess.TimeoutExpired:
            raise Failure(f"the {self.name} did not end within {STEP_SECONDS} s") from None
        self.close()
        if status != expected:
            raise Failure(f"the {self.name} ended with status {status}")

    def close(self):
        self.process.wait()
        self.reader.join()
        self.process.stdout.close()
        self.errors.close()


class Run:
    def __init__(self, options, folder, seed):
        self.options = options
        self.folder = folder
        self.random = random.Random(seed)
        self.port = free_port()
        self.reports = folder / "reports.tsv"
        self.orders = (options.kills * ORDERS_BETWEEN_KILLS_MAX + 2000) // 4 * 4
        self.venue = self.trader = None
        self.finished = 0
        self.write_configs()

    def write_configs(self):
        inbound = "JournalInbound=Y\n" if self.options.inbound else ""
        common = (f"{inbound}FileStorePath={{store}}\n[SESSION]\n"
                  f"BeginString={self.options.begin_string}\n")
        venue = ("[DEFAULT]\nConnectionType=acceptor\nSocketAcceptHost=127.0.0.1\n"
                 f"SocketAcceptPort={self.port}\n" + common.format(store=self.folder / "venue")
                 + "SenderCompID=VENUE\nTargetCompID=TRADER\n")
        trader = ("[DEFAULT]\nConnectionType=initiator\nSocketConnectHost=127.0.0.1\n"
                  f"SocketConnectPort={self.port}\nReconnectInterval=1\nHeartBtInt=5\n"
                  + common.format(store=self.folder / "trader")
                  + "SenderCompID=TRADER\nTargetCompID=VENUE\n")
        (self.folder / "venue.cfg").write_text(venue)
        (self.folder / "trader.cfg").write_text(trader)

    def command(self, *arguments):
        return [self.options.nexusfix, *map(str, arguments)]

    def start_venue(self):
        self.venue = Process("venue", self.command("serve", self.folder / "venue.cfg"),
                             self.folder / "venue.log")
        self.venue.wait_for(lambda line: True if line.startswith("listening on port") else None)

    def start_trader(self):
        # A large window causes resends of more messages than an engine serves in one turn.
        window = self.random.choice((8, 64, 700))
        self.trader = Process(
            "trader",
            self.command("trade", self.folder / "trader.cfg", "--stream", "--partials",
                         f"--orders={self.orders}", f"--window={window}", "--progress=20",
                         f"--report={self.reports}", f"--silence={STEP_SECONDS}"),
            self.folder / "trader.log")

    def wait_until_finished(self, orders):
        def accept(line):
            match = PROGRESS.match(line)
            if match:
                self.finished = max(self.finished, int(match[3]))
            return True if self.finished >= orders else None
        if self.finished < orders:
            self.trader.wait_for(accept)

    def kill_once(self, number):
        victim = ("venue", "trader", "both")[number % 3]
        # Now and then there is no wait: the process is killed during recovery.
        wait = 0 if self.random.random() < 0.15 else self.random.randint(
            1, ORDERS_BETWEEN_KILLS_MAX)
        self.wait_until_finished(self.finished + wait)
        # The progress line always comes from the same place in the code: wait up to two more
        # milliseconds, so that the signal strikes anywhere.
        strike = time.perf_counter() + self.random.random() * 0.002
        while time.perf_counter() < strike:
            pass
        if victim in ("venue", "both"):
            self.venue.kill()
        if victim in ("trader", "both"):
            self.trader.kill()
        print(f"kill {number + 1:2}: {victim} after {wait} more orders, {self.finished} finished",
              flush=True)
        if victim == "both":
            check_book_has_reports(read_book(self.options.nexusfix, self.folder / "venue.cfg"),
                                   read_reports(self.reports))
        if victim in ("venue", "both"):
            self.start_venue()
        if victim in ("trader", "both"):
            self.start_trader()

    def run(self):
        self.start_venue()
        self.start_trader()
        for number in range(self.options.kills):
            self.kill_once(number)
        self.wait_until_finished(self.orders)
        self.trader.end()
        self.venue.process.send_signal(signal.SIGTERM)
        self.venue.end()
        self.check_end()

    def stop(self):
        for process in (self.venue, self.trader):
            if process and process.process.poll() is None:
                process.kill()

    def check_end(self):
        reports = read_reports(self.reports)
        check_executions(reports)
        check_orders(read_book(self.options.nexusfix, self.folder / "venue.cfg"), reports,
                     self.orders, PARTIALS)
        self.check_journals()
        if self.options.inbound:
            self.check_received()
        print(f"{self.orders} orders, {len(reports)} reports: none lost, none filled twice; the "
              "book and both journals agree")

    def check_journals(self):
        sides = [json.loads(output_of(self.options.nexusfix, "journal", "show",
                                      self.folder / side, "--json"))
                 for side in ("venue", "trader")]
        if any(len(side["sessions"]) != 1 for side in sides):
            raise Failure(f"each journal should have one session: {sides}")
        venue, trader = (side["sessions"][0] for side in sides)
        if (venue["epoch"], trader["epoch"]) != (1, 1):
            raise Failure(f"sequence numbers were reset meanwhile: venue {venue}, trader {trader}")
        if (venue["next_inbound"] != trader["next_outbound"]
                or venue["next_outbound"] != trader["next_inbound"]):
            raise Failure(f"the journals disagree: venue {venue}, trader {trader}")

    def check_received(self):
        sides = {side: stored_messages(self.options.nexusfix, self.folder / side)
                 for side in ("trader", "venue")}
        for sender, receiver in (("trader", "venue"), ("venue", "trader")):
            check_received(sender, by_number(sides[sender], "out"), receiver,
                           by_number(sides[receiver], "in"))
        print("both journals have each message that was received, once")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--nexusfix", required=True)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--begin-string", default="FIX.4.4")
    parser.add_argument("--inbound", action="store_true")
    options = parser.parse_args()
    seed = options.seed
    if seed is None:
        seed = int(os.environ.get("NEXUSFIX_CRASH_SEED") or random.SystemRandom().getrandbits(32))
    print(f"seed {seed}: repeat with NEXUSFIX_CRASH_SEED={seed}", flush=True)
    folder = Path(tempfile.mkdtemp(prefix="nexusfix-crash-"))
    run = Run(options, folder, seed)
    try:
        run.run()
    except Failure as failure:
        print(f"FAILED: {failure}\nseed {seed}; journals and logs are kept in {folder}")
        for name in ("venue.log", "trader.log"):
            if (folder / name).exists():
                tail = (folder / name).read_text(errors="replace").split("\n")[-16:]
                print(f"{name}:\n  " + "\n  ".join(tail))
        return 1
    finally:
        run.stop()
    shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
