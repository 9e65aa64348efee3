#!/usr/bin/env python3
"""`nexusfix trade` from the view of a user: its messages, its output, and its failures."""

import os
import resource
import shutil
import socket
import subprocess
import sys
import threading
import time
import unittest

import command_test
from command_test import WithFolder, run


class VenueOfHeartbeats:
    """Answers the Logon, sends a Heartbeat four times a second, and never a report."""

    def __init__(self, test):
        self.heartbeats = 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        test.addCleanup(self.listener.close)
        threading.Thread(target=self.serve, daemon=True).start()

    def serve(self):
        try:
            peer = self.listener.accept()[0]
            with peer:
                peer.recv(4096)
                peer.sendall(self.message("A", 1, "98=0|108=1|"))
                while True:
                    time.sleep(0.25)
                    peer.sendall(self.message("0", 2 + self.heartbeats))
                    self.heartbeats += 1
        except OSError:
            return  # The trader is gone.

    @staticmethod
    def message(msg_type, number, body=""):
        sending_time = time.strftime("%Y%m%d-%H:%M:%S", time.gmtime())
        fields = (f"35={msg_type}|49=VENUE|56=TRADER|34={number}|52={sending_time}|"
                  f"{body}").replace("|", "\x01").encode()
        whole = f"8=FIX.4.4\x019={len(fields)}\x01".encode() + fields
        return whole + f"10={sum(whole) % 256:03}\x01".encode()


class Trade(WithFolder):
    def trade(self, port, *arguments, begin_string="FIX.4.4"):
        return run("trade", self.trader_config(port, begin_string), *arguments)

    def test_both_versions_trade_to_the_end(self):
        for begin_string in ("FIX.4.2", "FIX.4.4"):
            with self.subTest(begin_string):
                self.setUp()
                venue, port = self.serve(begin_string)
                done = self.trade(port, "--orders", 200, "--stream", "--partials",
                                  begin_string=begin_string)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn("200 of 200 orders filled, 500 reports", done.stdout)
                self.end(venue)

    def test_orders_that_waited_for_the_outbound_limit_are_sent_after_the_next_logon(self):
        venue, port = self.serve()
        config = self.trader_config(port, more="OutboundMessages=8\nOutboundInterval=2\n")
        command = [command_test.NEXUSFIX, "trade", config, "--orders", "20", "--stream"]
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as trader:
            self.assertTrue(any("logged on" in line for line in trader.stderr))
            self.end(venue)
            self.assertTrue(any("NXF-2047" in line for line in trader.stderr))
            venue, _ = self.serve_file(self.venue_config(port=port))
            output, errors = trader.communicate(timeout=command_test.LIMIT_SECONDS)
        self.assertEqual(trader.returncode, 0, errors)
        self.assertIn("20 of 20 orders filled", output)
        self.end(venue)

    def test_total_counts_over_all_runs(self):
        venue, port = self.serve()
        report = self.folder / "reports.tsv"
        for total, new_reports in ((100, 200), (100, 0), (160, 120)):
            done = self.trade(port, "--orders", total, "--report", report)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(f"{total} of {total} orders filled, {new_reports} reports", done.stdout)
        lines = report.read_text().splitlines()
        self.assertEqual(len(lines), 1 + 320)
        self.assertEqual(lines[0].split("\t")[:2], ["ClOrdID", "ExecID"])
        self.end(venue)

    def test_silence_ends_it_with_a_message(self):
        with socket.socket() as mute:
            mute.bind(("127.0.0.1", 0))
            mute.listen()
            done = self.trade(mute.getsockname()[1], "--silence", 1)
        self.assertEqual(done.returncode, 1)
        self.assertIn("no ExecutionReport came for 1 s: 0 of 1000 orders sent", done.stderr)

    def test_heartbeats_do_not_end_the_silence(self):
        venue = VenueOfHeartbeats(self)
        config = self.trader_config(venue.port)
        config.write_text(config.read_text().replace("HeartBtInt=30", "HeartBtInt=1"))
        done = run("trade", config, "--silence", 3)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("no ExecutionReport came for 3 s", done.stderr)

    def test_rejected_order_ends_it_with_the_venues_text(self):
        venue, port = self.serve(more="ResetOnLogon=Y\n")
        self.assertEqual(self.trade(port, "--orders", 2).returncode, 0)
        shutil.rmtree(self.folder / "trader")  # the trader loses T1, the venue does not
        done = self.trade(port, "--orders", 2)
        self.assertEqual(done.returncode, 1)
        self.assertIn("order T1 was rejected: ClOrdID was used before", done.stderr)
        self.end(venue)

    def test_journal_with_orders_is_not_continued_without_their_reports(self):
        venue, port = self.serve()
        self.assertEqual(self.trade(port, "--orders", 10).returncode, 0)
        wrong = self.folder / "new.tsv"
        for arguments, expected in (((), "pass it with --report FILE"),
                                    (("--report", wrong), "new.tsv is no report file"),
                                    (("--report", wrong), "new.tsv is no report file")):
            done = self.trade(port, "--orders", 10, *arguments)
            self.assertEqual(done.returncode, 1)
            self.assertIn("holds orders of earlier runs (up to T10)", done.stderr)
            self.assertIn(expected, done.stderr)
            self.assertFalse(wrong.exists())
        self.end(venue)

    def test_report_file_of_another_journal_is_refused(self):
        venue, port = self.serve(more="ResetOnLogon=Y\n")
        report = self.folder / "reports.tsv"
        self.assertEqual(self.trade(port, "--orders", 10, "--report", report).returncode, 0)
        before = report.read_bytes()
        shutil.rmtree(self.folder / "trader")
        for orders in (2, 10, 20):
            done = self.trade(port, "--orders", orders, "--report", report)
            self.assertEqual(done.returncode, 1)
            self.assertIn("the report file holds orders that this journal never sent (up to T10",
                          done.stderr)
            self.assertNotIn("filled", done.stdout)
            self.assertEqual(report.read_bytes(), before)
        self.end(venue)

    def test_configuration_that_keeps_no_messages_is_refused(self):
        config = self.trader_config(1)
        config.write_text(config.read_text() + "PersistMessages=N\n")
        done = run("trade", config)
        self.assertEqual(done.returncode, 1)
        self.assertIn("session FIX.4.4:TRADER->VENUE: PersistMessages=N: the trader knows",
                      done.stderr)

    def test_configuration_that_sends_only_while_logged_on_is_accepted(self):
        venue, port = self.serve()
        config = self.trader_config(port, more="SendWhileLoggedOut=N\n")
        done = run("trade", config, "--orders", 20)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("20 of 20 orders filled", done.stdout)
        self.end(venue)

    def test_store_in_memory_is_warned_of(self):
        venue, port = self.serve()
        config = self.trader_config(port)
        config.write_text(config.read_text().replace("[SESSION]", "Store=memory\n[SESSION]"))
        done = run("trade", config, "--orders", 2)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("warning: Store=memory", done.stderr)
        self.end(venue)

    def test_report_that_cannot_be_written_is_resent(self):
        venue, port = self.serve()
        report = self.folder / "reports.tsv"
        limit = 66 << 20  # enough for a segment of the journal
        header = "\t".join(("ClOrdID", "ExecID", "ExecType", "OrdStatus", "LastQty", "CumQty",
                            "LeavesQty", "MsgSeqNum", "PossDup")) + "\n"
        others = "\t".join(["X"] * 9) + "\n"
        long = "X" * (1 << 20) + others[1:]
        room = 1000  # for the reports of a few orders: the file is full in the middle of the run
        left = limit - len(header) - room
        report.write_text(header + long * (left // len(long)) +
                          others * (left % len(long) // len(others)))

        def limit_files():
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        arguments = ["--orders", 100, "--stream", "--report", report]
        # Python ignores SIGXFSZ, and the child inherits that: a write then fails with EFBIG.
        done = run("trade", self.trader_config(port), *arguments, preexec_fn=limit_files,
                   restore_signals=False)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("the file misses no report", done.stderr)
        done = self.trade(port, *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = [line.split("\t") for line in report.read_text().splitlines()[1:]]
        self.assertEqual({row[1] for row in rows} - {"X"}, {f"E{n}" for n in range(1, 201)})
        self.end(venue)

    def test_wide_window_is_used_to_the_end(self):
        venue, port = self.serve()
        done = self.trade(port, "--orders", 5000, "--stream", "--window", 100000)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("5,000 of 5,000 orders filled", done.stdout)
        self.end(venue)


if __name__ == "__main__":
    command_test.NEXUSFIX = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
