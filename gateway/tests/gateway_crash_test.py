#!/usr/bin/env python3
"""Kills the gateway, its client or both with SIGKILL during a stream of orders, restarts them, and
checks at the end that each order reached the venue once, and each report the client once.

    gateway_crash_test.py --nexusfix PATH [--seed N] [--kills 30] [--durability process]

The client keeps one file: a line for each report, with the cursor in it. What it sends follows from
the Welcome alone: order n has the number n. The seed (or NEXUSFIX_CRASH_SEED) decides which process
is killed and when; it is printed. The scheduler decides where in the code the signal strikes.
"""

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TESTS = Path(__file__).resolve().parents[2] / "tests"
sys.path[:0] = [str(TESTS / "support"), str(Path(__file__).resolve().parent)]
from gateway_client import (  # noqa: E402  pylint: disable=wrong-import-position
    ACCEPTED, CLOSED, DUPLICATE, MESSAGE, REFUSED, WELCOME, GatewayClient)
from tcp_ports import free_port  # noqa: E402  pylint: disable=wrong-import-position

STEP_SECONDS = 300  # the longest time for any single step
SESSION = "FIX.4.4:TRADER->VENUE"
TOKEN = "0123456789abcdef"
ORDERS_BETWEEN_KILLS_MAX = 600
ALREADY_ATTACHED = 3
SESSION_CLOSED = 3
DOOR_KEYS = ""  # of [GATEWAY], of another door


class Failure(Exception):
    pass


def order_text(number):
    side = 1 + number % 2
    return (f"35=D|11={number}|55=AAPL|54={side}|38=100|40=2|44=10|59=0|"
            "60=20240115-10:30:00|")


def read_reports(path):
    """The whole lines: a kill may cut the last one."""
    if not path.exists():
        return []
    lines = path.read_bytes().split(b"\n")[:-1]
    return [line.decode().split("\t") for line in lines]


# The client, a process of its own.

def cut_torn_line(path):
    if path.exists():
        data = path.read_bytes()
        with path.open("r+b") as file:
            file.truncate(data.rfind(b"\n") + 1)


def attach(path, reports):
    lines = read_reports(reports)
    cursor = (SESSION, int(lines[-1][0]), int(lines[-1][1])) if lines else (SESSION, 0, 0)
    while True:
        try:
            client = GatewayClient(path, STEP_SECONDS)
        except OSError:
            time.sleep(0.01)  # the gateway is not there yet
            continue
        try:
            welcome = client.attach("desk", TOKEN, [cursor])
        except OSError:
            welcome = None
        if welcome is not None and welcome.kind == WELCOME:
            return client, welcome
        if welcome is not None:
            raise Failure(f"the client was closed: {welcome}")
        client.close()


def serve_connection(options, client, welcome, file, window):
    """Returns the number of accepted orders. OSError: the gateway has gone."""
    accepted = sent = welcome.number
    while accepted < options.orders or options.finished() < 2 * options.orders:
        while sent < min(options.orders, accepted + window):
            sent += 1
            client.send(sent, order_text(sent))
        frame = client.read()
        if frame is None:
            raise OSError("the gateway has gone")
        if frame.kind == ACCEPTED:
            if frame.flags & DUPLICATE or frame.number != accepted + 1:
                raise Failure(f"order {accepted + 1} was expected: {frame}")
            accepted = frame.number
        elif frame.kind == REFUSED:
            raise Failure(f"refused: {frame}")
        elif frame.kind == CLOSED:
            raise Failure(f"closed: {frame}")
        elif frame.kind == MESSAGE:
            fields = frame.fields()
            line = (f"{frame.epoch}\t{frame.msg_seq_num}\t{fields['17']}\t{fields['11']}\t"
                    f"{fields['150']}\n")
            os.write(file, line.encode())  # the report and the cursor, by one call
            options.count()


def run_client(arguments):
    reports = Path(arguments.reports)
    cut_torn_line(reports)
    file = os.open(reports, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

    class Options:
        orders = arguments.orders
        reports = len(read_reports(Path(arguments.reports)))

        def finished(self):
            return self.reports

        def count(self):
            self.reports += 1

    options = Options()
    while True:
        client, welcome = attach(arguments.socket, reports)
        try:
            serve_connection(options, client, welcome, file, arguments.window)
            return 0
        except OSError:
            client.close()


# The test.

class Run:
    def __init__(self, options, folder, seed):
        self.options = options
        self.folder = folder
        self.random = random.Random(seed)
        self.orders = options.kills * ORDERS_BETWEEN_KILLS_MAX + 200
        self.reports = folder / "reports.tsv"
        self.socket = folder / "gateway.sock"
        self.running = {}
        self.read_bytes = self.seen_reports = 0
        port = free_port()
        (folder / "venue.cfg").write_text(
            "[DEFAULT]\nConnectionType=acceptor\nSocketAcceptHost=127.0.0.1\n"
            f"SocketAcceptPort={port}\nFileStorePath={folder}/venue\n[SESSION]\n"
            "BeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=TRADER\n")
        (folder / "desk.cfg").write_text(
            "[DEFAULT]\nConnectionType=initiator\nSocketConnectHost=127.0.0.1\n"
            f"SocketConnectPort={port}\nReconnectInterval=1\nHeartBtInt=5\nJournalInbound=Y\n"
            f"JournalDurability={options.durability}\n"
            f"FileStorePath={folder}/desk\n[SESSION]\n"
            "BeginString=FIX.4.4\nSenderCompID=TRADER\nTargetCompID=VENUE\n")
        clients = folder / "desk.clients"
        clients.write_text(f"[GATEWAY]\nSocketPath={self.socket}\n{DOOR_KEYS}[CLIENT]\nName=desk\n"
                           f"Token={TOKEN}\n")
        clients.chmod(0o600)

    def start(self, name, *command):
        log = (self.folder / f"{name}.log").open("a")
        self.running[name] = subprocess.Popen(list(map(str, command)), stdin=subprocess.DEVNULL,
                                              stdout=log, stderr=log)
        log.close()

    def start_venue(self):
        self.start("venue", self.options.nexusfix, "serve", self.folder / "venue.cfg")

    def start_gateway(self):
        self.start("gateway", self.options.nexusfix, "gateway", self.folder / "desk.cfg",
                   "--clients", self.folder / "desk.clients")

    def start_client(self):
        self.start("client", sys.executable, __file__, "--client", "--socket", self.socket,
                   "--reports", self.reports, "--orders", self.orders,
                   "--window", self.random.choice((1, 8, 64)))

    def kill(self, name):
        self.running[name].kill()
        self.running[name].wait()

    def reports_now(self):
        """Reads what the file has got since the last call."""
        if self.reports.exists():
            with self.reports.open("rb") as file:
                file.seek(self.read_bytes)
                data = file.read()
            # A killed client leaves a part of a line, which the next one removes.
            data = data[:data.rfind(b"\n") + 1]
            self.read_bytes += len(data)
            self.seen_reports += data.count(b"\n")
        return self.seen_reports

    def wait_for_reports(self, count):
        deadline = time.monotonic() + STEP_SECONDS
        while self.reports_now() < count:
            for name, process in self.running.items():
                if process.poll() is not None and not (name == "client" and
                                                       process.returncode == 0):
                    raise Failure(f"the {name} ended with status {process.returncode}")
            if time.monotonic() > deadline:
                raise Failure(f"{count} reports were expected, and {self.reports_now()} came")
            time.sleep(0.002)

    def kill_once(self, number):
        victims = (("gateway",), ("client",), ("client", "gateway"))[number % 3]
        wait = 0 if self.random.random() < 0.15 else self.random.randint(
            1, ORDERS_BETWEEN_KILLS_MAX)
        self.wait_for_reports(min(self.reports_now() + wait, 2 * self.orders))
        time.sleep(self.random.random() * 0.002)
        for victim in victims:
            self.kill(victim)
        print(f"kill {number + 1:3}: {' and '.join(victims)}, {self.reports_now()} reports",
              flush=True)
        for victim in self.random.sample(victims, len(victims)):
            self.start_client() if victim == "client" else self.start_gateway()

    def run(self):
        self.start_venue()
        self.start_gateway()
        self.start_client()
        for number in range(self.options.kills):
            self.kill_once(number)
        self.wait_for_reports(2 * self.orders)
        if self.running["client"].wait(STEP_SECONDS) != 0:
            raise Failure("the client has failed")
        for name in ("gateway", "venue"):
            self.running[name].send_signal(signal.SIGTERM)
            if self.running[name].wait(STEP_SECONDS) != 0:
                raise Failure(f"the {name} ended with status {self.running[name].returncode}")
        self.check()

    def stop(self):
        for process in self.running.values():
            if process.poll() is None:
                process.kill()
            process.wait()

    def check(self):
        lines = read_reports(self.reports)
        places = [(int(line[0]), int(line[1])) for line in lines]
        if places != sorted(set(places)):
            raise Failure("the cursors do not rise: a report came twice, or in another order")
        if len({line[2] for line in lines}) != len(lines):
            raise Failure("an ExecID came twice")
        expected = sorted((str(number), kind) for number in range(1, self.orders + 1)
                          for kind in ("0", "F"))
        if sorted((line[3], line[4]) for line in lines) != expected:
            raise Failure("an order has other reports than one New and one Trade")
        book = json.loads(subprocess.run(
            [self.options.nexusfix, "serve", self.folder / "venue.cfg", "--dump-book"],
            capture_output=True, text=True, check=True, timeout=STEP_SECONDS).stdout)
        ids = sorted(int(order["cl_ord_id"]) for order in book["orders"])
        if ids != list(range(1, self.orders + 1)):
            raise Failure("the venue has other orders than those that the client has sent")
        print(f"{self.orders} orders, {len(lines)} reports: none lost, none twice")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--nexusfix")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--durability", default="process")
    parser.add_argument("--client", action="store_true")
    parser.add_argument("--socket")
    parser.add_argument("--reports")
    parser.add_argument("--orders", type=int)
    parser.add_argument("--window", type=int)
    return parser.parse_args()


def main():
    options = parse_arguments()
    if options.client:
        return run_client(options)
    seed = options.seed
    if seed is None:
        seed = int(os.environ.get("NEXUSFIX_CRASH_SEED") or random.SystemRandom().getrandbits(32))
    print(f"seed {seed}: repeat with NEXUSFIX_CRASH_SEED={seed}", flush=True)
    folder = Path(tempfile.mkdtemp(prefix="nexusfix-gateway-crash-"))
    run = Run(options, folder, seed)
    try:
        run.run()
    except Failure as failure:
        print(f"FAILED: {failure}\nseed {seed}; journals and logs are kept in {folder}")
        for log in sorted(folder.glob("*.log")):
            print(f"{log.name}:\n  " + "\n  ".join(
                log.read_text(errors="replace").split("\n")[-16:]))
        return 1
    finally:
        run.stop()
    shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
