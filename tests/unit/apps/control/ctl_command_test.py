#!/usr/bin/env python3
"""`nexusfix ctl` from the view of an operator, on a venue that runs."""

import json
import shutil
import subprocess
import sys
import time
import unittest

import command_test
from command_test import WithFolder, run

SESSION = "FIX.4.4:VENUE->TRADER"


class Ctl(WithFolder):
    def ctl(self, *arguments):
        return run("ctl", "--engine", self.folder / "venue.cfg", *arguments)

    def test_status_is_a_table_of_80_columns(self):
        self.serve()
        done = self.ctl("status")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(SESSION, done.stdout)
        self.assertIn("listening", done.stdout)
        self.assertLessEqual(max(map(len, done.stdout.splitlines())), 80)

    def test_status_is_json_for_programs(self):
        self.serve()
        engine = json.loads(self.ctl("status", SESSION, "--json").stdout)
        self.assertEqual([one["session"] for one in engine["sessions"]], [SESSION])
        self.assertEqual(engine["sessions"][0]["nextOutbound"], 1)
        self.assertIn("state          listening", self.ctl("status", SESSION).stdout)

    def test_watch_shows_the_table_again_until_it_is_ended(self):
        self.serve()
        with subprocess.Popen([command_test.NEXUSFIX, "ctl", "--engine",
                               self.folder / "venue.cfg", "status", "--watch"],
                              stdout=subprocess.PIPE, text=True) as watching:
            heads = 0
            for line in watching.stdout:
                heads += line.startswith("SESSION")
                if heads == 2:
                    break
            watching.terminate()

    def test_act_needs_a_confirmation(self):
        self.serve()
        refused = self.ctl("stop")
        self.assertEqual(refused.returncode, 1)
        self.assertIn("use --yes", refused.stderr)
        self.assertEqual(self.ctl("status").returncode, 0)

    def test_numbers_are_set_while_the_venue_runs(self):
        self.serve()
        done = self.ctl("set-numbers", SESSION, "--next-out", 7, "--yes", "--reason", "by phone")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("in 1, out 7", done.stdout)
        same = self.ctl("set-numbers", SESSION, "--next-out", 7, "--yes")
        self.assertEqual(same.returncode, 1)
        self.assertIn("must differ", same.stderr)

    def test_refused_act_says_why(self):
        self.serve()
        acceptor = self.ctl("log-on", SESSION, "--yes")
        self.assertEqual(acceptor.returncode, 1)
        self.assertIn("its counterparty logs on", acceptor.stderr)
        unknown = self.ctl("log-out", "FIX.4.4:VENUE->TRADES", "--yes")
        self.assertEqual(unknown.returncode, 1)
        self.assertIn("the nearest name is " + SESSION, unknown.stderr)

    def test_unique_part_of_a_name_names_a_session(self):
        self.serve(more="[SESSION]\nBeginString=FIX.4.2\nSenderCompID=VENUE\n"
                        "TargetCompID=TRADER2\n")
        for part in ("trader", "TRADER", "4.4"):
            done = self.ctl("status", part)
            self.assertTrue(done.stdout.startswith(SESSION + "\n"), done)
        self.assertIn("FIX.4.2:VENUE->TRADER2", self.ctl("status", "ader2").stdout)
        several = self.ctl("reset", "venue", "--yes")
        self.assertEqual(several.returncode, 1)
        self.assertIn("venue may be any of 2 sessions: " + SESSION, several.stderr)
        done = self.ctl("disable", "trader2", "--yes")
        self.assertEqual(done.stdout, "disable FIX.4.2:VENUE->TRADER2: it is disabled now\n")

    def test_engine_is_found_by_its_file_while_the_file_has_errors(self):
        self.serve()
        with open(self.folder / "venue.cfg", "a", encoding="utf-8") as config:
            config.write("HeartBtInt=often\n")
        done = self.ctl("status")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(SESSION, done.stdout)
        self.assertIn("venue.cfg has errors; its FileStorePath is used: ", done.stderr)

    def test_reload_waits_and_prints_its_result(self):
        self.serve()
        config = self.folder / "venue.cfg"
        right = config.read_text()
        config.write_text(right + "[SESSION]\nBeginString=FIX.4.2\nSenderCompID=VENUE\n"
                                  "TargetCompID=NEW\n")
        done = self.ctl("reload", "--yes")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, "reload: sessions 1 added: FIX.4.2:VENUE->NEW; 0 removed; "
                                      "0 changed\n")
        self.assertEqual(json.loads(self.ctl("reload", "--yes", "--json").stdout)["act"], "reload")
        config.write_text(right + "HeartBtInt=often\n")
        refused = self.ctl("reload", "--yes")
        self.assertEqual((refused.returncode, refused.stdout), (1, ""))
        self.assertIn("refused, and nothing has changed: ", refused.stderr)
        self.assertIn("HeartBtInt=often", refused.stderr)

    def test_logs_are_open_again_when_rotate_logs_ends(self):
        log = self.folder / "log"
        self.serve(more=f"FileLogPath={log}\n")
        (current,) = log.glob("GLOBAL.event.current.log")
        current.rename(log / "moved")
        done = self.ctl("rotate-logs", "--yes")
        self.assertEqual((done.returncode, done.stdout),
                         (0, "rotate-logs: the log files are open again\n"), done.stderr)
        self.assertTrue(current.exists())
        shutil.rmtree(log)
        log.write_text("no folder")
        refused = self.ctl("rotate-logs", "--yes")
        self.assertEqual(refused.returncode, 1, refused)
        self.assertIn("cannot be opened: the event log says why", refused.stderr)

    def test_reload_of_certificates_needs_tls(self):
        self.serve()
        refused = self.ctl("reload-certificates", "--yes")
        self.assertEqual(refused.returncode, 1)
        self.assertIn("no session of the engine has TLS", refused.stderr)

    def test_disabled_session_stays_so_after_a_restart(self):
        venue, _ = self.serve()
        done = self.ctl("disable", SESSION, "--yes", "--reason", "fat finger")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, f"disable {SESSION}: it is disabled now\n")
        again = self.ctl("disable", SESSION, "--yes")
        self.assertEqual(again.returncode, 1)
        self.assertIn("disabled already", again.stderr)
        self.assertEqual(self.ctl("stop", "--yes").returncode, 0)
        venue.wait(command_test.LIMIT_SECONDS)
        self.serve()
        self.assertIn("disabled", self.ctl("status").stdout)
        enabled = json.loads(self.ctl("enable", SESSION, "--yes", "--json").stdout)
        self.assertEqual(enabled["state"], "listening")
        shown = run("journal", "show", "--changes", self.folder / "venue.cfg")
        self.assertIn("operator: disable: ", shown.stdout)
        self.assertIn("fat finger (given to the running engine by user", shown.stdout)

    def await_event(self, event):
        log = self.folder / "log" / "FIX.4.4-VENUE-TRADER.event.current.log"
        deadline = time.monotonic() + command_test.LIMIT_SECONDS
        while event not in log.read_text():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.01)

    def test_disabled_session_stays_so_when_a_reload_takes_it_out_and_back(self):
        other = "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=OTHER\n"
        self.serve(more=f"FileLogPath={self.folder}/log\n{other}")
        config = self.folder / "venue.cfg"
        text = config.read_text()
        self.assertEqual(self.ctl("disable", SESSION, "--yes").returncode, 0)
        config.write_text(text[:text.index("[SESSION]")] + other)
        self.assertEqual(self.ctl("reload", "--yes").returncode, 0)
        self.await_event("NXF-6017")  # it is out
        config.write_text(text)
        self.assertEqual(self.ctl("reload", "--yes").returncode, 0)
        self.await_event("NXF-6018")  # it is back
        self.assertIn("disabled", self.ctl("status", SESSION).stdout)

    def test_tail_shows_the_messages_that_the_filter_admits(self):
        _, port = self.serve()
        with subprocess.Popen([command_test.NEXUSFIX, "ctl", "--engine",
                               self.folder / "venue.cfg", "tail", SESSION, "MsgType=Logon",
                               "--count", "2", "--json"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as tail:
            self.assertIn("following the messages of " + SESSION, tail.stderr.readline())
            self.connect(port, "logout\n")
            lines = [json.loads(line) for line in tail.stdout]
            self.assertEqual(tail.wait(command_test.LIMIT_SECONDS), 0)
        self.assertEqual([one["direction"] for one in lines], ["in", "out"])
        self.assertTrue(all("\x0135=A\x01" in one["message"] for one in lines), lines)
        self.assertEqual([one["fields"]["HeartBtInt"] for one in lines], ["30", "30"])

    def test_names_of_an_own_dictionary_are_in_the_json_of_tail(self):
        _, port = self.serve()
        own = self.write("own.xml", '<fix major="4" minor="4"><header/><messages/><trailer/>'
                                    '<components/><fields><field number="108" name="DeskBeat" '
                                    'type="INT"/></fields></fix>')
        with subprocess.Popen([command_test.NEXUSFIX, "ctl", "--engine",
                               self.folder / "venue.cfg", "tail", "35=A", "--count", "1", "--json",
                               "--dict", own],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as tail:
            self.assertIn("following the messages", tail.stderr.readline())
            self.connect(port, "logout\n")
            logon = json.loads(tail.stdout.readline())
            self.assertEqual(tail.wait(command_test.LIMIT_SECONDS), 0)
        self.assertEqual(logon["fields"]["DeskBeat"], "30")
        self.assertIn("\x01108=30\x01", logon["message"])

    def test_filter_that_is_none_is_status_2(self):
        self.serve()
        done = self.ctl("tail", "MsgTipe=D")
        self.assertEqual(done.returncode, 2)
        self.assertIn("MsgTipe=D: a filter is TAG=VALUE", done.stderr)

    def test_latency_has_a_row_for_each_figure(self):
        self.serve()
        rows = json.loads(self.ctl("latency", "--json").stdout)["latencies"]
        self.assertEqual([one["what"] for one in rows],
                         ["receive to callback", "callback to sent", "receive to sent",
                          "TestRequest"])
        self.assertIn("P99.9", self.ctl("latency", SESSION).stdout)
        self.assertIn("has no session Q; the nearest", self.ctl("latency", "Q").stderr)

    def test_drain_ends_the_venue(self):
        venue, _ = self.serve()
        done = self.ctl("stop", "--drain", "--limit", 5, "--yes", "--reason", "upgrade")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(venue.wait(command_test.LIMIT_SECONDS), 0)

    def test_store_in_memory_has_the_socket_of_its_configuration(self):
        self.serve(more=f"Store=memory\nControlSocket={self.folder}/venue.control\n")
        self.assertIn(SESSION, self.ctl("status").stdout)
        by_path = run("ctl", "--engine", self.folder / "venue.control", "status")
        self.assertIn(SESSION, by_path.stdout)

    def test_stop_ends_the_venue_in_order(self):
        venue, _ = self.serve()
        done = self.ctl("stop", "--yes", "--reason", "end of day")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(venue.wait(command_test.LIMIT_SECONDS), 0)
        gone = self.ctl("status")
        self.assertEqual(gone.returncode, 1)
        self.assertIn("no engine runs with the store", gone.stderr)

    def test_wrong_arguments_are_status_2(self):
        self.write("venue.cfg", "")
        for arguments in ((), ("none",), ("log-out",), ("set-numbers", SESSION, "--next-in", "0"),
                          ("set-numbers", SESSION, "--next-in", str(10 ** 18 + 1)),
                          ("set-numbers", SESSION, "--next-out", str(2 ** 62)),
                          ("send-gap-fill", SESSION, "--to", str(2 ** 62))):
            with self.subTest(arguments):
                self.assertEqual(self.ctl(*arguments).returncode, 2)


if __name__ == "__main__":
    command_test.NEXUSFIX = sys.argv.pop(1)
    unittest.main()
