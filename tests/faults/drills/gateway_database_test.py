#!/usr/bin/env python3
"""Two machines run `nexusfix gateway` on one log in PostgreSQL. The active one is killed with
SIGKILL while a client sends orders; the client attaches to the other one with its cursor. At the
end each order has reached the venue once, and each report the client once.

    gateway_database_test.py NEXUSFIX POSTGRES_SERVER [KILLS]
"""

import json
import subprocess
import sys
import time
import unittest
from pathlib import Path

import command_test
import standby_test
from command_test import LIMIT_SECONDS, free_port
from standby_test import WithDatabase

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "gateway" / "tests"))
from gateway_client import (  # noqa: E402  pylint: disable=wrong-import-position
    ACCEPTED, CLOSED, MESSAGE, REFUSED, WELCOME, GatewayClient)

KILLS = 6  # main may change it
ORDERS_BETWEEN_KILLS = 40
WINDOW = 16
SESSION = "FIX.4.4:TRADER->VENUE"
TOKEN = "0123456789abcdef"


def order_text(number):
    return (f"35=D|11={number}|55=AAPL|54={1 + number % 2}|38=100|40=2|44=10|59=0|"
            "60=20240115-10:30:00|")


class TwoGateways:
    """Two machines, a venue, and a client; with a test case that has a database."""

    def setUp(self):
        super().setUp()
        self.venue_config = self.write("venue.cfg", (
            "[DEFAULT]\nConnectionType=acceptor\nSocketAcceptHost=127.0.0.1\n"
            f"SocketAcceptPort={self.port}\nFileStorePath={self.folder}/venue\n[SESSION]\n"
            "BeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=TRADER\n"))
        self.starts = {}
        # What the client keeps: a kill of a gateway does not touch it.
        self.cursor = (0, 0)
        self.reports = []
        self.accepted = 0

    def run_in_background(self, name, *arguments):
        log = (self.folder / f"{name}.log").open("a")
        process = subprocess.Popen([command_test.NEXUSFIX, *map(str, arguments)],
                                   stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        log.close()
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def start_gateway(self, name):
        """One machine: a folder, a socket and a process of its own, and the log of both."""
        config = self.write(f"{name}.cfg", (
            "[DEFAULT]\nConnectionType=initiator\nSocketConnectHost=127.0.0.1\n"
            f"SocketConnectPort={self.port}\nReconnectInterval=1\nHeartBtInt=5\n"
            f"JournalInbound=Y\nStore=postgresql\n{self.log_keys(name)}"
            f"PostgreSQLStoreHost={self.host}\nPostgreSQLStoreUser=nexusfix\n"
            f"PostgreSQLStoreDatabase=postgres\nPostgreSQLStoreSchema={self.schema}\n"
            f"PostgreSQLStoreStandby=available\nFileStorePath={self.folder}/{name}\n"
            f"MetricsPort={free_port()}\n"
            "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=TRADER\nTargetCompID=VENUE\n"))
        clients = self.write(f"{name}.clients", (
            f"[GATEWAY]\nSocketPath={self.folder}/{name}.sock\n[CLIENT]\nName=desk\n"
            f"Token={TOKEN}\n"))
        clients.chmod(0o600)
        self.starts[name] = self.run_in_background(name, "gateway", config, "--clients", clients)

    def attach(self):
        """At the machine that has the log. The other one has no socket."""
        deadline = time.monotonic() + LIMIT_SECONDS
        while True:
            for name in self.starts:
                try:
                    client = GatewayClient(self.folder / f"{name}.sock")
                except OSError:
                    continue
                welcome = client.attach("desk", TOKEN, [(SESSION, *self.cursor)], in_order=True)
                if welcome is not None and welcome.kind == WELCOME:
                    return name, client, welcome.number
                client.close()
            self.assertLess(time.monotonic(), deadline, "no gateway takes the client")
            time.sleep(0.02)

    def kill(self, name, _client, _numbers):
        self.starts[name].kill()
        self.assertEqual(self.starts[name].wait(), -9)

    def trade(self, orders, strike=None, strike_at=None):
        """Sends what was not accepted, and reads until an error of the connection. A machine that
        has ended before comes back, and waits. strike: it is called when that number of reports
        has come, with the active machine, the client, and the numbers that it may send next."""
        name, client, number = self.attach()
        for other in [one for one in self.starts if one != name]:
            if self.starts[other].poll() is not None:
                self.start_gateway(other)
            self.wait_until(lambda one=other: self.is_waiting(one), f"{other} waits for the log")
        self.assertGreaterEqual(number, self.accepted, "an accepted order is lost")
        self.accepted = sent = number
        is_struck = False
        while len(self.reports) < 2 * orders:
            try:
                for sent in range(sent + 1, min(orders, len(self.reports) // 2 + WINDOW) + 1):
                    client.send(sent, order_text(sent))
            except OSError:
                pass  # it was killed; what it has sent before can still be read
            frame = client.read()
            if frame is None:
                break
            if frame.kind == CLOSED:
                self.assertEqual(frame.code, 7, frame)
                break
            if frame.kind == ACCEPTED:
                self.assertEqual((frame.number, frame.flags & 1), (self.accepted + 1, 0), frame)
                self.assertGreater(frame.msg_seq_num, 0)
                self.accepted = frame.number
            elif frame.kind == REFUSED:
                # It ends, or has lost its log: the next attach sends the order again.
                self.assertIn(frame.code, (3, 5, 6), frame)
                self.assertTrue(is_struck, frame)
            elif frame.kind == MESSAGE:
                place = (frame.epoch, frame.msg_seq_num)
                self.assertGreater(place, self.cursor, "a report comes again")
                self.cursor = place
                self.reports.append((int(frame.fields()["11"]), frame.fields()["150"]))
            if strike and not is_struck and len(self.reports) >= strike_at:
                strike(name, client, range(sent + 1, min(orders, sent + WINDOW) + 1))
                is_struck = True
        client.close()
        return name

    def check_strikes(self, strikes):
        """Each strike is followed by the other machine."""
        venue = self.run_in_background("serve", "serve", self.venue_config)
        self.start_gateway("one")
        self.wait_until(lambda: (self.folder / "one.sock").exists(), "one has the log")
        self.start_gateway("two")
        orders = (len(strikes) + 1) * ORDERS_BETWEEN_KILLS
        machines = []
        for count, strike in enumerate(strikes, 1):
            machines.append(
                self.trade(orders, strike, 2 * count * ORDERS_BETWEEN_KILLS - count % 3))
        self.trade(orders)
        self.assertEqual(machines, [("one", "two")[i % 2] for i in range(len(strikes))])
        self.assertEqual(sorted(self.reports),
                         sorted((n, kind) for n in range(1, orders + 1) for kind in "0F"))
        venue.terminate()
        self.assertEqual(venue.wait(LIMIT_SECONDS), 0)
        shown = subprocess.run([command_test.NEXUSFIX, "serve", self.venue_config, "--dump-book"],
                               capture_output=True, text=True, check=True, timeout=LIMIT_SECONDS)
        ids = sorted(int(order["cl_ord_id"]) for order in json.loads(shown.stdout)["orders"])
        self.assertEqual(ids, list(range(1, orders + 1)))

    def explanations(self):
        return [f"{name}:\n" + self.log(name)[-4000:] for name in (*self.starts, "serve")]


class GatewayOfADatabase(TwoGateways, WithDatabase):
    def setUp(self):
        super().setUp()
        self.waits = {}  # how often each one had waited when it was started last

    def start_gateway(self, name):
        log = self.folder / f"{name}.log"
        self.waits[name] = log.read_text().count("NXF-5050") if log.exists() else 0
        super().start_gateway(name)

    def log_keys(self, _name):
        return "PostgreSQLStoreIfOwned=wait\n"

    def is_waiting(self, name):
        return self.log(name).count("NXF-5050") > self.waits[name]

    def test_a_client_goes_on_at_the_other_machine_with_nothing_lost_or_repeated(self):
        self.check_strikes([self.kill] * KILLS)


def main():
    global KILLS
    _, command_test.NEXUSFIX, standby_test.SERVER, *more = sys.argv
    KILLS = int(more[0]) if more else KILLS
    unittest.main(argv=sys.argv[:1])


if __name__ == "__main__":
    main()
