#!/usr/bin/env python3
"""The suites performance and soak of `nexusfix test`, in a short form. No time is judged, unless a
limit is given that no machine can keep."""

import os
import re
import subprocess
import sys
import unittest
import xml.etree.ElementTree as xml

import command_test
from broken_acceptor import BrokenAcceptor
from command_test import WithFolder, free_port, run

SHORT = ("--messages", 40, "--seconds", 0.2, "--timeout", 20)
CASES = ("order_rate", "order_round_trip", "recovery_gap", "recovery_logon", "recovery_resend",
         "test_request_rate", "test_request_round_trip")


class LoadCommand(WithFolder):
    def venue(self, begin_string="FIX.4.4", admin_messages=1_000_000):
        """Our venue, and its port."""
        return self.serve_file(self.write("venue.cfg", (
            "[DEFAULT]\nConnectionType=acceptor\nSocketAcceptHost=127.0.0.1\nSocketAcceptPort=0\n"
            f"MaxAdminMessagesPerSecond={admin_messages}\nFileStorePath=store\n"
            f"[SESSION]\nBeginString={begin_string}\nSenderCompID=ENGINE\n"
            "TargetCompID=TESTER\n")))

    def play(self, suite, port, *arguments):
        return run("test", suite, "--acceptor", f"127.0.0.1:{port}", "--target", "ENGINE",
                   *arguments)


class Performance(LoadCommand):
    def test_each_case_measures_our_venue_and_all_reports_have_the_values(self):
        html, junit = self.folder / "report.html", self.folder / "report.xml"
        done = self.play("performance", self.venue()[1], *SHORT, "--html", html, "--junit", junit)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertIn("7 passed, 0 failed", done.stdout)
        self.assertRegex(done.stdout, r"(?m)^  p99 +\d+\.\d us$")
        self.assertRegex(done.stdout, r"(?m)^  rate +\d+ messages/s$")
        self.assertRegex(done.stdout, r"(?m)^  recovery +\d+\.\d ms$")
        self.assertIn("<tr><td>p99</td><td>", html.read_text())
        values = {}
        for case in xml.parse(junit).getroot().findall("testsuite/testcase"):
            values[case.get("name")] = {one.get("name"): float(one.get("value"))
                                        for one in case.findall("properties/property")}
        self.assertEqual(tuple(values), CASES)
        self.assertEqual(values["order_round_trip"]["messages"], 40)
        times = [values["order_round_trip"][name + ", us"]
                 for name in ("p50", "p90", "p99", "p99.9", "max")]
        self.assertEqual(times, sorted(times))
        self.assertGreater(times[0], 0)
        self.assertGreater(values["order_rate"]["rate, messages/s"], 0)
        self.assertGreaterEqual(values["recovery_resend"]["resent"], 40)
        self.assertGreaterEqual(values["recovery_gap"]["resend requests"], 1)

    def test_a_rate_that_is_given_is_kept_and_its_latency_is_measured(self):
        done = self.play("performance", self.venue("FIX.4.2")[1], "--begin-string", "FIX.4.2",
                         "--only", "test_request_rate", "--rate", 200, "--seconds", 0.5)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(re.search(r"messages +(\d+)", done.stdout)[1], "100")
        self.assertIn("p99.9", done.stdout)

    def test_an_engine_that_has_a_limit_of_its_own_is_no_failure(self):
        port = self.venue(admin_messages=100)[1]
        done = self.play("performance", port, "--only", "test_request_rate", *SHORT)
        self.assertRegex(done.stdout, "skipped: the engine ends the session: more than 100 admin")
        done = self.play("performance", port, "--only", "test_request_rate", "--rate", 5000,
                         *SHORT)
        self.assertRegex(done.stdout, "1 failed")
        done = self.play("performance", port, "--only", "test_request_round", "--messages", 10_000)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertRegex(done.stdout, "skipped: the engine .* more than 100 admin.*; --messages is")

    def test_only_a_limit_that_is_given_fails_a_case(self):
        port = self.venue()[1]
        for arguments, text in ((("--max-p99", "0.001us"), r"p99 is .*, and --max-p99 is 1 ns"),
                                (("--max-p50", "0.001us"), r"p50 is .*, and --max-p50 is 1 ns")):
            done = self.play("performance", port, "--only", "test_request_round", *SHORT,
                             *arguments)
            self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
            self.assertRegex(done.stdout, text)
        done = self.play("performance", port, "--only", "_(rate|gap|resend|logon)", *SHORT,
                         "--min-rate", 999_999, "--max-recovery", "0.001us")
        self.assertIn("0 passed, 5 failed", done.stdout)
        self.assertRegex(done.stdout, "the rate is .*, and --min-rate is 999999")
        self.assertRegex(done.stdout, "the recovery is .*, and --max-recovery is 1 ns")

    def test_our_initiator_is_measured(self):
        port = free_port()
        config = self.write("trader.cfg", (
            "[DEFAULT]\nConnectionType=initiator\nSocketConnectHost=127.0.0.1\n"
            f"SocketConnectPort={port}\nReconnectInterval=1\nHeartBtInt=30\nStore=memory\n"
            "ResetOnLogon=Y\nMaxAdminMessagesPerSecond=1000000\n[SESSION]\nBeginString=FIX.4.4\n"
            "SenderCompID=ENGINE\nTargetCompID=TESTER\n"))
        with subprocess.Popen([command_test.NEXUSFIX, "connect", config, "--logon-timeout", "600"],
                              stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as engine:
            done = run("test", "performance", "--initiator", f"127.0.0.1:{port}", "--target",
                       "ENGINE", "--only", "test_request|gap", *SHORT)
            engine.kill()
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertIn("3 passed, 0 failed", done.stdout)

    def test_an_engine_that_answers_no_order_is_measured_by_test_requests(self):
        done = self.play("performance", BrokenAcceptor(self).port, "--only", "round_trip",
                         "--messages", 5, "--timeout", 1)
        self.assertRegex(done.stdout, "order_round_trip: skipped: .*answers no order")
        self.assertIn("1 passed, 0 failed, 1 skipped", done.stdout)
        self.assertEqual(done.returncode, 0, done.stderr)


class Soak(LoadCommand):
    def test_our_venue_loses_and_repeats_nothing_under_random_traffic(self):
        venue, port = self.venue()
        done = self.play("soak", port, "--seconds", 6, "--seed", 7, "--timeout", 60, "--pid",
                         venue.pid, "--max-growth", 500)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertIn("1 passed, 0 failed", done.stdout)
        for name in ("rounds", "orders", "test requests", "resends", "sent", "received"):
            self.assertRegex(done.stdout, rf"(?m)^  {name} +[1-9]")
        self.assertRegex(done.stdout, r"memory in the last quarter +[1-9][0-9.]* MiB")

    def test_each_fault_is_found(self):
        for fault, seed, text in (
                ("answer-lost", 1, "1 TestRequests are not answered"),
                ("answer-repeated", 1, "a TestRequest is answered twice"),
                ("number-skipped", 1, "MsgSeqNum (34) is 3, and must be 2"),
                ("gap-ignored", 4, "the gap is not requested again"),
                ("gap-fill-without-poss-dup", 5, "MsgSeqNum (34) is 126, and must be 242"),
                (None, 1, "MsgSeqNum (34) is 1, and must be 24")):  # forgets its numbers
            with self.subTest(fault):
                done = self.play("soak", BrokenAcceptor(self, fault).port, "--seconds", 60,
                                 "--timeout", 3, "--seed", seed)
                self.assertEqual(done.returncode, 1, done.stdout)
                self.assertIn(text, done.stdout)


class BadInput(LoadCommand):
    def test_each_is_one_clear_line(self):
        for arguments, text in (
                (("--max-p99", "2"), '--max-p99: "2" is no time; 500us, 2ms and 1.5s are'),
                (("--max-p50", "-1ms"), '--max-p50: "-1ms" is no time'),
                (("--pid", 999999999), "--pid: there is no process 999999999")):
            done = self.play("performance", 1, *arguments)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
            self.assertIn(text, done.stderr)
        done = run("test", "soak", "--initiator", 0, "--target", "ENGINE")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)
        self.assertIn("all cases need --acceptor", done.stderr)
        done = run("test", "--list")
        self.assertIn("soak/random_session (acceptor, 4.1 4.2 4.3", done.stdout)
        self.assertIn("performance/order_rate (acceptor or initiator, all versions)", done.stdout)


if __name__ == "__main__":
    command_test.NEXUSFIX = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
