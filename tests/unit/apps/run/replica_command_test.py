#!/usr/bin/env python3
"""A journal with a replica in PostgreSQL: `nexusfix serve` is killed, and another engine goes on
from the replica. Arguments: nexusfix, and the program that starts a server."""

import json
import os
import re
import signal
import sys
import time
import unittest

import command_test
import standby_test
from command_test import LIMIT_SECONDS, free_port, run
from standby_test import WithDatabase, get


class Replica(WithDatabase):
    def start_owner(self, policy, more=""):
        owner, metrics = self.start("one", f"JournalReplica={policy}\n{more}", store="journal")
        self.listening(owner)
        return owner, metrics

    def start_standby(self):
        standby, _ = self.start("two", "PostgreSQLStoreIfOwned=wait\n")
        self.wait_until(lambda: "NXF-5050" in self.log("two"), "the standby waits")
        return standby

    def log_on_again(self, trader):
        number = trader.next_out
        while True:
            trader.connect()
            try:
                return trader.log_on()
            except ConnectionError:  # still the owner, which is ending
                trader.next_out = number

    def writer(self):
        """The server's process of the connection that writes the replica."""
        return int(self.sql(
            "SELECT l.pid FROM pg_locks l WHERE l.locktype = 'advisory' AND l.granted AND "
            "(l.classid::bigint << 32 | l.objid::bigint) "
            f"= hashtextextended('nexusfix log {self.schema}', 0)"))

    def stop_writer(self):
        process = self.writer()
        os.kill(process, signal.SIGSTOP)
        self.addCleanup(self.continue_process, process)
        return process

    @staticmethod
    def continue_process(process):
        try:
            os.kill(process, signal.SIGCONT)
        except ProcessLookupError:
            pass

    def replicated(self, metrics):
        return '\nnexusfix_replica_lag_bytes{loop="0"} 0\n' in get(metrics, "/metrics")[1]

    def test_a_strict_replica_goes_on_where_the_owner_was_killed(self):
        owner, metrics = self.start_owner("strict")
        self.wait_until(lambda: "NXF-5054" in self.log("one"), "NXF-5054")
        standby = self.start_standby()
        trader = self.counterparty()
        self.assertEqual(trader.log_on()["34"], "1")
        reports = [trader.order(f"A{number}") for number in range(1, 6)]
        self.assertEqual([one["34"] for one in reports], ["2", "3", "4", "5", "6"])
        self.wait_until(lambda: "replica: strict, it has everything" in self.status("one").stdout,
                        "replica: strict, it has everything")
        self.wait_until(lambda: self.replicated(metrics), "the replica has all")
        owner.kill()
        self.assertEqual(self.log_on_again(trader)["34"], "7")
        self.wait_until(lambda: "NXF-5052" in self.log("two"), "NXF-5052")
        trader.send("2", "7=2|16=6|")
        for report in reports:
            again = trader.receive()
            self.assertEqual(again["43"], "Y")
            for tag in ("34", "37", "17", "11"):
                self.assertEqual(again[tag], report[tag])
        trader.close()
        # Its journal is out of date.
        self.end(standby)
        again, _ = self.start("one", "JournalReplica=strict\n", store="journal")
        self.assertEqual(again.wait(LIMIT_SECONDS), 1)
        self.assertIn("was taken over", self.log("one") + (self.folder / "one.out").read_text())

    def test_bytes_of_a_strict_replica_wait_for_the_database(self):
        self.start_owner("strict", "JournalStallTimeout=60\n")
        trader = self.counterparty()
        trader.log_on()
        self.assertEqual(trader.order("A1")["34"], "2")
        process = self.stop_writer()
        trader.socket.settimeout(0.5)
        with self.assertRaises(TimeoutError):
            trader.order("A2")
        trader.socket.settimeout(LIMIT_SECONDS)
        self.continue_process(process)
        self.assertEqual(trader.receive()["11"], "A2")

    def test_an_available_replica_lags_and_catches_up(self):
        _, metrics = self.start_owner("available", "JournalStallTimeout=1\n")
        trader = self.counterparty()
        trader.log_on()
        self.assertEqual(trader.order("A1")["34"], "2")
        process = self.stop_writer()
        for number in range(2, 8):
            self.assertEqual(trader.order(f"A{number}")["11"], f"A{number}")
        self.wait_until(lambda: "NXF-5055" in self.log("one"), "the lag is an event")
        self.assertRegex(self.status("one").stdout, r"replica: available, it lacks \d+ bytes of "
                                                    r"the journal since \d+ ms: it lags")
        done = run("ctl", "--engine", f"{self.folder}/one.control", "status", "--json")
        self.assertIn("available, it lacks", json.loads(done.stdout)["replica"])
        self.assertIn('\nnexusfix_replica_lagging{loop="0",policy="available"} 1\n',
                      get(metrics, "/metrics")[1])
        self.assertEqual(trader.order("A8")["11"], "A8")
        self.continue_process(process)
        self.wait_until(lambda: "NXF-5056" in self.log("one"), "it has caught up")
        self.wait_until(lambda: self.replicated(metrics), "the metric says so")

    def test_numbers_that_an_available_replica_lacks_are_not_used_again(self):
        owner, metrics = self.start_owner("available", "JournalReplicaNumbersAhead=500\n")
        trader = self.counterparty()
        trader.log_on()
        self.assertEqual(trader.order("A1")["34"], "2")
        self.wait_until(lambda: self.replicated(metrics), "the replica has the first order")
        process = self.stop_writer()
        sent_at = time.strftime("%Y%m%d-%H:%M:%S", time.gmtime())
        reports = [trader.order(f"B{number}") for number in range(5)]
        self.assertEqual(reports[-1]["34"], "7")
        owner.kill()
        owner.wait()
        self.continue_process(process)
        # The reference venue does not match orders whose reports may be missing.
        refusing, _ = self.start("two", "PostgreSQLStoreIfOwned=wait\n")
        self.assertEqual(refusing.wait(LIMIT_SECONDS), 1)
        self.wait_until(lambda: "NXF-5053" in self.log("two"), "NXF-5053")
        first = int(self.sql(f"SELECT first_number FROM {self.schema}.lost_numbers"))
        self.assertRegex(self.log("two"), rf"MsgSeqNum {first} to {first + 499} are skipped")
        standby, _ = self.start("two", "PostgreSQLStoreIfOwned=wait\n",
                                arguments=["--accept-losses"])
        self.listening(standby)
        logon = self.log_on_again(trader)
        self.assertGreaterEqual(int(logon["34"]), first + 500)
        self.assertGreater(int(logon["34"]), 7)
        self.assertEqual(self.sql(f"SELECT count(*) FROM {self.schema}.lost_numbers"), "1")
        self.assertEqual(self.sql(f"SELECT first_number FROM {self.schema}.log_state"), "501")
        # What was executed in what is lost is not executed again.
        request = trader.receive()
        # The stopped server takes what its socket has when it goes on: records of the first orders.
        self.assertEqual(request["35"], "2")
        self.assertIn(int(request["7"]), range(3, 8))
        trader.next_out = int(request["7"])
        order = f"B{trader.next_out - 3}"
        trader.send("D", f"43=Y|122={sent_at}|11={order}|55=AAPL|54=1|38=100|40=2|44=10.5|"
                         f"60={sent_at}|")
        report = trader.receive()
        self.assertEqual((report["35"], report["11"], report["39"]), ("8", order, "8"))
        self.assertIn("it may have been executed before the venue lost a part", report["58"])

    def stopped_owner(self, policy):
        """The owner is stopped, and goes on when another engine has taken the replica over; the
        sequence numbers of what it sends then, and the next one of the new owner."""
        owner, metrics = self.start_owner(policy, "JournalReplicaNumbersAhead=500\n")
        trader = self.counterparty()
        trader.log_on()
        self.assertEqual(trader.order("A1")["34"], "2")
        self.wait_until(lambda: self.replicated(metrics), "the replica has the order")
        owner.send_signal(signal.SIGSTOP)
        self.end_session_of_owner()  # as the server does after PostgreSQLStorePeerTimeout
        standby, _ = self.start("two", "PostgreSQLStoreIfOwned=wait\n", port=free_port(),
                                arguments=["--accept-losses"])
        self.listening(standby)
        following = int(self.sql(f"SELECT next_outbound FROM {self.schema}.session_list"))
        trader.send("D", "11=A2|55=AAPL|54=1|38=100|40=2|44=10.5|60="
                    + time.strftime("%Y%m%d-%H:%M:%S", time.gmtime()) + "|")
        owner.send_signal(signal.SIGCONT)
        self.assertEqual(owner.wait(LIMIT_SECONDS), 1)
        self.assertIn("taken over", self.log("one"))
        rest = b""
        try:
            while more := trader.socket.recv(65536):
                rest += more
        except ConnectionResetError:
            pass
        sent = re.findall(rb"\x0135=8\x01.*?\x0134=(\d+)\x01", rest)
        return [int(one) for one in sent], following

    def test_a_stopped_owner_of_a_strict_replica_sends_nothing_more(self):
        sent, following = self.stopped_owner("strict")
        self.assertEqual((sent, following), ([], 3))

    def test_a_stopped_owner_of_an_available_replica_uses_numbers_that_are_skipped(self):
        sent, following = self.stopped_owner("available")
        self.assertGreaterEqual(following, 503)
        self.assertTrue(all(3 <= one < following for one in sent), sent)

    def test_an_engine_that_is_stopped_in_order_leaves_a_complete_replica(self):
        owner, _ = self.start_owner("available")
        trader = self.counterparty()
        trader.log_on()
        self.assertEqual(trader.order("A1")["34"], "2")
        self.end(owner)
        self.assertEqual(self.sql(f"SELECT numbers_ahead, lacks_more FROM {self.schema}.log_state"),
                         "0|f")
        # A command changes no replica.
        config = self.folder / "two.cfg"
        standby, _ = self.start("two")
        self.listening(standby)
        self.wait_until(lambda: "NXF-5052" in self.log("two"), "NXF-5052")
        self.end(standby)
        shown = run("journal", "show", config)
        self.assertEqual(shown.returncode, 0, shown.stderr)


if __name__ == "__main__":
    command_test.NEXUSFIX = sys.argv.pop(1)
    standby_test.SERVER = sys.argv.pop(1)
    unittest.main()
