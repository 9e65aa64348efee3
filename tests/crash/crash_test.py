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
import socket
import subprocess
import sys
import tempfile
import threading
import time
from decimal import Decimal
from pathlib import Path

STEP_SECONDS = 300  # the longest time for any single step
ORDERS_BETWEEN_KILLS_MAX = 1200
PARTIALS = [300, 100, 100, 300]  # OrderQty of the orders of each group of four
PROGRESS = re.compile(r"progress sent=(\d+) acknowledged=(\d+) finished=(\d+)")


class Failure(Exception):
    pass


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


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


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

    def output_of(self, *arguments):
        done = subprocess.run(self.command(*arguments), capture_output=True, text=True,
                              timeout=STEP_SECONDS, check=False)
        if done.returncode != 0:
            raise Failure(f"{' '.join(arguments[:1])} failed: {done.stderr.strip()}")
        return done.stdout

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
            self.check_book_is_not_behind()
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

    # The reports: content by ExecID.
    def read_reports(self):
        reports = {}
        lines = self.reports.read_text().split("\n")
        columns = lines[0].split("\t")
        for line in lines[1:-1]:  # the part after the last line feed is a torn line
            row = dict(zip(columns, line.split("\t"), strict=True))
            row.pop("PossDup")
            known = reports.setdefault(row["ExecID"], row)
            if known != row:
                raise Failure(f"one ExecID, two contents:\n  {known}\n  {row}")
        return reports

    def filled_by_order(self, reports):
        filled = {}
        for row in reports.values():
            quantity = Decimal(row["LastQty"]) if row["ExecType"] in "F12" else Decimal(0)
            filled[row["ClOrdID"]] = filled.get(row["ClOrdID"], Decimal(0)) + quantity
        return filled

    def read_book(self):
        orders = json.loads(self.output_of("serve", self.folder / "venue.cfg", "--dump-book"))
        book = {order["cl_ord_id"]: order for order in orders["orders"]}
        if len(book) != len(orders["orders"]):
            raise Failure("the venue has accepted one ClOrdID twice")
        return book

    def check_book_is_not_behind(self):
        """Every report that the trader got is in the venue's journal, however both died."""
        book = self.read_book()
        for cl_ord_id, filled in self.filled_by_order(self.read_reports()).items():
            if cl_ord_id not in book:
                raise Failure(f"{cl_ord_id} was reported, and is not in the rebuilt book")
            if Decimal(book[cl_ord_id]["cum_qty"]) < filled:
                raise Failure(f"{cl_ord_id}: {filled} were reported as filled, "
                              f"{book[cl_ord_id]['cum_qty']} are in the rebuilt book")

    def check_end(self):
        reports = self.read_reports()
        filled = self.filled_by_order(reports)
        book = self.read_book()
        wanted = {f"T{n}": Decimal(PARTIALS[(n - 1) % 4]) for n in range(1, self.orders + 1)}
        if set(book) != set(wanted):
            raise Failure(f"the book has {len(book)} orders, expected {len(wanted)}")
        # ExecIDs are consecutive over all reports: a missing one is a lost report.
        expected_ids = {f"E{n}" for n in range(1, len(reports) + 1)}
        if set(reports) != expected_ids:
            raise Failure(f"reports lost: {sorted(expected_ids - set(reports))[:5]}")
        for cl_ord_id, quantity in wanted.items():
            order = book[cl_ord_id]
            found = (filled.get(cl_ord_id), Decimal(order["cum_qty"]), Decimal(order["order_qty"]))
            if found != (quantity, quantity, quantity) or Decimal(order["leaves_qty"]) != 0:
                raise Failure(f"{cl_ord_id} of {quantity}: reported, in the book, ordered: {found}")
        self.check_journals()
        if self.options.inbound:
            self.check_received()
        print(f"{self.orders} orders, {len(reports)} reports: none lost, none filled twice; the "
              "book and both journals agree")

    def check_journals(self):
        sides = [json.loads(self.output_of("journal", "show", self.folder / side, "--json"))
                 for side in ("venue", "trader")]
        if any(len(side["sessions"]) != 1 for side in sides):
            raise Failure(f"each journal should have one session: {sides}")
        venue, trader = (side["sessions"][0] for side in sides)
        if (venue["epoch"], trader["epoch"]) != (1, 1):
            raise Failure(f"sequence numbers were reset meanwhile: venue {venue}, trader {trader}")
        if (venue["next_inbound"] != trader["next_outbound"]
                or venue["next_outbound"] != trader["next_inbound"]):
            raise Failure(f"the journals disagree: venue {venue}, trader {trader}")

    def messages_of(self, side, direction):
        """The application messages of a journal: how often it has each MsgSeqNum, with its body."""
        found = {}
        for line in self.output_of("journal", "show", self.folder / side, "--json",
                                   "--direction", direction).splitlines():
            message = json.loads(line)
            fields = [field.partition("=") for field in message["message"].split("\x01")]
            tags = {tag: value for tag, _, value in fields}
            if tags["35"] in ("D", "8"):
                body = (tags["11"], tags.get("17"))
                found.setdefault((message["number"], body), 0)
                found[(message["number"], body)] += 1
        return found

    def check_received(self):
        for sender, receiver in (("trader", "venue"), ("venue", "trader")):
            sent = self.messages_of(sender, "out")
            received = self.messages_of(receiver, "in")
            if set(sent) != set(received):
                raise Failure(f"{receiver}: sent and not recorded as received "
                              f"{sorted(set(sent) - set(received))[:5]}, the other way round "
                              f"{sorted(set(received) - set(sent))[:5]}")
            twice = [number for number, count in received.items() if count != 1]
            if twice:
                raise Failure(f"{receiver}: recorded as received twice: {sorted(twice)[:5]}")
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
