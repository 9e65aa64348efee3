#!/usr/bin/env python3
"""The venue of `nexusfix serve` from outside: a script of `nexusfix test` for each behaviour, in
every FIX version. Lines "# rule: ..." of a script are the venue's rules."""

import os
import re
import subprocess
import sys
import time
import unittest
from pathlib import Path

import command_test
from command_test import WithFolder, run

SCRIPTS = Path(__file__).parent / "scripts"
VERSIONS = ("FIX.4.2", "FIX.4.4", "FIX.5.0SP2")
COMP_IDS = ("TESTER", "OTHER", "RISK")
LIMIT_SECONDS = 60


class WithVenue(WithFolder):
    def config(self, version, store="Store=memory\n"):
        port = "" if "SocketAcceptPort" in store else "SocketAcceptPort=0\n"
        text = ("[DEFAULT]\nConnectionType=acceptor\nSocketAcceptHost=127.0.0.1\n"
                f"{port}{store}SenderCompID=ENGINE\n")
        if version.startswith("FIX.5"):
            text += f"BeginString=FIXT.1.1\nDefaultApplVerID={version}\n"
        else:
            text += f"BeginString={version}\n"
        return self.write("venue.cfg", text + "".join(
            f"[SESSION]\nTargetCompID={name}\n" for name in COMP_IDS))

    def serve(self, version, rules, *arguments, store="Store=memory\n"):
        path = self.write("venue.rules", rules)
        with open(self.folder / "venue.err", "a", encoding="utf-8") as errors:
            venue = subprocess.Popen(
                [command_test.NEXUSFIX, "serve", self.config(version, store), "--rules", path,
                 *arguments], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=errors, text=True)
        self.addCleanup(venue.stdout.close)
        self.addCleanup(venue.wait)
        self.addCleanup(venue.kill)
        line = venue.stdout.readline()
        self.assertRegex(line, r"^listening on port \d+$", self.errors())
        return venue, int(line.split()[-1])

    def errors(self):
        return (self.folder / "venue.err").read_text(encoding="utf-8")

    def wait_for_error(self, text):
        self.wait_for_text(self.folder / "venue.err", text)

    def wait_for_text(self, path, text):
        end = time.monotonic() + LIMIT_SECONDS
        while text not in path.read_text(encoding="utf-8"):
            self.assertLess(time.monotonic(), end, path.read_text(encoding="utf-8"))
            time.sleep(0.05)

    def play(self, script, port, version="FIX.4.4"):
        done = run("test", script, "--acceptor", f"127.0.0.1:{port}", "--target", "ENGINE",
                   "--begin-string", version, "-q")
        self.assertEqual((done.returncode, done.stderr), (0, ""), f"{version}\n{done.stdout}")
        self.assertRegex(done.stdout, "1 passed, 0 failed")

    def play_lines(self, lines, port):
        self.play(self.write("a.scenario", f"# Lines of a test.\nlanguage 1\n{lines}\n"), port)


class Scripts(WithVenue):
    """A test for each script."""


def add_script(path):
    def test(self):
        text = path.read_text(encoding="utf-8")
        rules = "".join(f"{rule}\n" for rule in re.findall(r"^# rule: (.*)$", text, re.MULTILINE))
        is_new = "\nversions 4.4+\n" in text
        for version in VERSIONS[1:] if is_new else VERSIONS:
            with self.subTest(version):
                venue, port = self.serve(version, rules)
                self.play(path, port, version)
                self.end(venue)
    setattr(Scripts, f"test_{path.stem}", test)


class RulesFile(WithVenue):
    ORDER = "35=D|54=1|60=<now>|40=2|44=10|38=10|55=A"

    def test_changed_rules_are_in_force_and_wrong_ones_leave_the_earlier(self):
        venue, port = self.serve("FIX.4.4", "if Symbol=A then reject 'first'\n")
        self.play_lines(f"include logged_on\nsend {self.ORDER}|11=A1\nexpect 35=8|58=first\n"
                        "include logged_out", port)
        self.write("venue.rules", "if Symbol=A then rejct 'second'\n")
        self.wait_for_error("venue.rules:1:18: 'rejct' is unknown here. Did you mean 'reject'?")
        self.wait_for_error("the rules stay as they were")
        self.play_lines(f"include logged_on\nsend {self.ORDER}|11=A2\nexpect 35=8|58=first\n"
                        "include logged_out", port)
        self.write("venue.rules", "if Symbol=A then reject 'third'\n")
        self.assertRegex(venue.stdout.readline(), "are in force: 1 with 'if'")
        self.play_lines(f"include logged_on\nsend {self.ORDER}|11=A3\nexpect 35=8|58=third\n"
                        "include logged_out", port)
        os.remove(self.folder / "venue.rules")
        self.wait_for_error("No such file or directory: the rules stay as they were")
        self.end(venue)

    def test_rules_with_faults_do_not_start(self):
        path = self.write("venue.rules", "hallt A\nif Simbol=A then accept\n")
        for more in ((), ("--check-rules",)):
            done = run("serve", self.config("FIX.4.4"), "--rules", path, *more)
            self.assertEqual(done.returncode, 1)
            self.assertIn(f"{path}:1:1: 'hallt' is unknown here. Did you mean 'halt'?\n"
                          f"{path}:2:4: there is no field 'Simbol'. Did you mean 'Symbol'?",
                          done.stderr)
        path.write_text("halt A\n")
        done = run("serve", self.config("FIX.4.4"), "--rules", path, "--check-rules")
        self.assertEqual((done.returncode, done.stdout), (0, f"{path}: no faults\n"))

    def test_cancel_is_accepted_while_its_symbol_is_halted(self):
        store = f"FileStorePath={self.folder}/store\n"
        venue, port = self.serve("FIX.4.4", "\n", store=store)
        self.play_lines(f"connect\nsend 35=A|98=0|108=30|34=1\nexpect 35=A\nsend {self.ORDER}|11=A1"
                        "\nexpect 35=8|150=0\nsend 35=5\nexpect 35=5", port)
        self.write("venue.rules", "halt A\n")
        self.assertRegex(venue.stdout.readline(), "are in force")
        replace = "35=G|41=A1|54=1|60=<now>|40=2|44=10|38=5|55=A"
        self.play_lines(f"connect\nsend 35=A|98=0|108=30|34=4\nchecks off\nexpect 35=A\n"
                        f"send {self.ORDER}|11=A2\nexpect 35=8|150=8|58=trading is halted\n"
                        f"send {replace}|11=A3\nexpect 35=9|434=2|58=trading is halted\n"
                        "send 35=F|41=A1|11=A4|54=1|60=<now>|55=A\nexpect 35=8|150=4|11=A4\n"
                        "send 35=5\nexpect 35=5", port)
        self.end(venue)

    def test_policy_of_one_session_leaves_the_others_as_they_are(self):
        venue, port = self.serve("FIX.4.4",
                                 "self-trade cancel newest\nself-trade allow session OTHER\n")
        orders = ("35=D|60=<now>|40=2|44=10|38=10|55=A|54={}|11={}")
        self.play_lines(f"session other 49=OTHER|56=ENGINE\ninclude logged_on\n"
                        f"send {orders.format(1, 'A1')}\nexpect 35=8|150=0\n"
                        f"send {orders.format(2, 'A2')}\nexpect 35=8|150=0\n"
                        "expect 35=8|150=4|11=A2|58~self-trade\n"
                        "send 35=F|41=A1|11=A3|54=1|60=<now>|55=A\nexpect 35=8|150=4\n"
                        "other: connect\nother: send <log_on>|34=1\nother: expect 35=A\n"
                        f"other: send {orders.format(1, 'B1')}\nother: expect 35=8|150=0\n"
                        f"other: send {orders.format(2, 'B2')}\nother: expect 35=8|150=0\n"
                        "other: expect 35=8|39=2|11=B1\nother: expect 35=8|39=2|11=B2\n"
                        "other: send 35=5\nother: expect 35=5\ninclude logged_out", port)
        self.end(venue)

    def test_session_of_the_rules_that_does_not_exist_is_a_warning(self):
        venue, _ = self.serve("FIX.4.4", "drop copy to RSIK of OTHER\n")
        self.wait_for_error("warning: ")
        self.assertIn("names the session 'RSIK', and no session has this CompID", self.errors())
        self.assertNotIn("'OTHER'", self.errors())
        self.end(venue)

    def test_auction_ends_when_the_rules_no_longer_have_it_also_after_a_kill(self):
        store = f"FileStorePath={self.folder}/store\n"
        venue, port = self.serve("FIX.4.4", "auction A open\n", store=store)
        order = "35=D|60=<now>|40=2|44=10|38=10|55=A"
        self.play_lines("include definitions\nconnect\nsend 35=A|98=0|108=30|34=1\nexpect 35=A\n"
                        f"send {order}|54=1|11=A1\nexpect 35=8|150=0\n"
                        f"send {order}|54=2|11=A2\nexpect 35=8|150=0|11=A2\ndisconnect", port)
        venue.kill()
        venue.wait()
        venue, port = self.serve("FIX.4.4", "auction A open\n", store=store)
        self.write("venue.rules", "\n")
        self.assertRegex(venue.stdout.readline(), "are in force")
        self.play_lines("checks off\nconnect\nsend 35=A|98=0|108=30|34=4\nexpect 35=A|34=6\n"
                        "send 35=2|7=4|16=0\nexpect 35=8|34=4|11=A1|39=2|31=10|43=Y\n"
                        "expect 35=8|34=5|11=A2|39=2|31=10|43=Y\nexpect 35=4|34=6|36=7\n"
                        "send 35=5\nexpect 35=5", port)
        self.end(venue)

    def test_venue_that_was_killed_has_its_book_again(self):
        store = f"FileStorePath={self.folder}/store\n"
        rules = ("drop copy to RISK\nself-trade cancel oldest\n"
                 "if Symbol=HELD then hold\nif Symbol=HALF then fill 50%\n")
        venue, port = self.serve("FIX.4.4", rules, store=store)
        self.play_lines(
            "connect\nsend 35=A|98=0|108=30|34=1\nexpect 35=A\n"
            "send 35=D|60=<now>|11=H1|54=1|55=HELD|40=1|38=10\nexpect 35=8|150=0\n"
            "send 35=D|60=<now>|11=H2|54=1|55=HELD|40=2|44=10|38=10\nexpect 35=8|150=0\n"
            "send 35=D|60=<now>|11=P1|54=1|55=HALF|40=2|44=10|38=10\nexpect 35=8|150=0\n"
            "expect 35=8|150=F|32=5\n"
            "send 35=D|60=<now>|11=S1|54=1|55=A|40=2|44=10|38=10\nexpect 35=8|150=0\n"
            "send 35=D|60=<now>|11=S2|54=2|55=A|40=2|44=9|38=10\nexpect 35=8|150=0\n"
            "expect 35=8|150=4|11=S1\n"
            "send 35=S|117=7|55=B|132=1|134=5|301=0\nexpect 35=8|150=0|11=Q:7:B\n"
            "send 35=AB|60=<now>|11=L1|54=1|55=C|40=2|44=1|38=5|555=2|600=X|600=Y\n"
            "expect 35=8|150=0|442=3\ndisconnect", port)
        venue.kill()
        venue.wait()
        venue, port = self.serve("FIX.4.4", "", store=store)
        self.play_lines(
            "checks off\nconnect\nsend 35=A|98=0|108=30|34=9\nexpect 35=A\n"
            "send 35=AF|584=1|585=7|34=10\nexpect 35=8|11=H2|911=5|151=10\n"
            "expect 35=8|11=P1|14=5|151=5\nexpect 35=8|11=S2\nexpect 35=8|11=Q:7:B\n"
            "expect 35=8|11=L1|442=3|912=Y\nsend 35=H|11=H1|55=HELD|54=1\n"
            "expect 35=8|39=4|151=0\nsend 35=AD|568=1|569=0\nexpect 35=AQ|748=1\n"
            "expect 35=AE|11=P1|32=5\nsend 35=Z|117=7|298=4|301=0\n"
            "expect 35=8|150=4|11=Q:7:B\nsend 35=5\nexpect 35=5", port)
        self.end(venue)

    def test_venue_that_was_killed_knows_the_legs_of_its_orders(self):
        store = f"FileStorePath={self.folder}/store\n"
        venue, port = self.serve("FIX.4.4", "instrument Y price 4\n", store=store)
        order = "35=AB|60=<now>|55=C|40=2|555=2|600=X|623=1|624=1|600=Y|623=2|624=2"
        self.play_lines(
            f"connect\nsend 35=A|98=0|108=30|34=1\nexpect 35=A\nsend {order}|11=L1|54=1|44=1|38=9\n"
            f"expect 35=8|150=0\nsend {order}|11=L2|54=2|44=1|38=3\nexpect 35=8|150=0|11=L2\n"
            "expect 35=8|11=L1|442=3\nexpect 35=8|11=L1|442=2|55=X|31=9\n"
            "expect 35=8|11=L1|442=2|55=Y|31=4\nexpect 35=8|11=L2|442=3\n"
            "expect 35=8|11=L2|442=2|55=X\nexpect 35=8|11=L2|442=2|55=Y\ndisconnect", port)
        venue.kill()
        venue.wait()
        venue, port = self.serve("FIX.4.4", "instrument Y price 7\n", store=store)
        self.play_lines(
            "checks off\nconnect\nsend 35=A|98=0|108=30|34=4\nexpect 35=A\n"
            f"send {order}|11=L3|54=2|44=1|38=3|563=0|34=5\nexpect 35=8|150=0|11=L3\n"
            "expect 35=8|11=L1|442=3|14=6\n"
            "expect 35=8|11=L1|442=2|55=X|32=3|31=15|14=6|151=3|6=12\n"
            "expect 35=8|11=L1|442=2|55=Y|54=2|32=6|31=7|14=12|151=6|6=5.5\n"
            "expect 35=8|11=L3|442=3|39=2\nsend 35=5\nexpect 35=5", port)
        self.end(venue)

    def test_connection_that_ends_cancels_the_orders_of_its_session(self):
        store = f"FileStorePath={self.folder}/store\n"
        venue, port = self.serve("FIX.4.4", "cancel on disconnect of TESTER\n", store=store)
        self.play_lines(f"connect\nsend 35=A|98=0|108=30|34=1\nexpect 35=A\nsend {self.ORDER}|11=A1"
                        "\nexpect 35=8|150=0\ndisconnect", port)
        self.play_lines("connect\nsend 35=A|98=0|108=30|34=3\nif 35=A|34=3\nelse\n"
                        "expect 35=A|34=4\nend\nchecks off\nsend 35=2|7=3|16=0\n"
                        "ignore 35=4\nexpect 35=8|150=4|11=A1|58~connection has ended\n"
                        "send 35=5\nexpect 35=5", port)
        self.end(venue)
        done = run("serve", self.folder / "venue.cfg", "--dump-book")
        self.assertIn('"status": "canceled"', done.stdout)

    def test_seed_repeats_what_is_left_to_chance(self):
        lines = "include logged_on\n" + "".join(
            f"send {self.ORDER}|11=A{i}\nexpect 35=8\n" for i in range(30)) + "include logged_out"
        book = self.folder / "book.json"
        seen = []
        for seed in (7, 7, 8):
            venue, port = self.serve("FIX.4.4", "if chance 50% then reject 'no luck'\n",
                                     "--seed", str(seed), "--book", book)
            self.play_lines(lines, port)
            self.end(venue)
            seen.append(re.findall(r'"cl_ord_id": "(A\d+)"', book.read_text(encoding="utf-8")))
        self.assertEqual(seen[0], seen[1])
        self.assertNotEqual(seen[0], seen[2])
        self.assertTrue(5 < len(seen[0]) < 25, seen[0])


class Limits(WithVenue):
    """Requests that are larger, or come oftener, than a desk would send them."""

    def test_session_has_up_to_1000_subscriptions_and_snapshots_beside_them(self):
        venue, port = self.serve("FIX.4.4", "\n")
        request = "send 35=V|262={}|263={}|264=0|267=1|269=0|146=1|55=A\n"
        lines = "".join(request.format(f"M{number}", 1) + f"expect 35=W|262=M{number}\n"
                        for number in range(1000))
        self.play_lines(f"include logged_on\n{lines}" + request.format("X", 1) +
                        "expect 35=Y|262=X|281=2|58~1,000\n" + request.format("S", 0) +
                        "expect 35=W|262=S\n" + request.format("M7", 2) +
                        request.format("M7", 2) + "expect 35=Y|262=M7|58~no subscription\n" +
                        request.format("X", 1) + "expect 35=W|262=X\ninclude logged_out", port)
        self.end(venue)

    def test_mass_cancel_takes_all_orders_of_an_open_auction(self):
        count = 3000
        venue, port = self.serve("FIX.4.4", "auction A open\n")
        orders = "".join(f"send 35=D|11=A{number}|54={number % 2 + 1}|60=<now>|40=2|44=10|38=10"
                         f"|55=A\nexpect 35=8|150=0|11=A{number}\n" for number in range(count))
        canceled = "".join(f"expect 35=8|150=4|11=A{number}\n" for number in range(count))
        self.play_lines(f"include logged_on\n{orders}send 35=q|11=Q1|530=7|60=<now>\n"
                        f"expect 35=r|531=7|533={count}\n{canceled}"
                        f"send 35=AF|584=M1|585=7\nexpect 35=8|39=8|911=0\ninclude logged_out",
                        port)
        self.end(venue)

    def test_mass_cancel_of_more_orders_than_its_report_lists_cancels_them_all(self):
        venue, port = self.serve("FIX.4.4", "\n")
        order = f"35=D|11={'A' * 40}<random>|54=1|60=<now>|40=2|44=10|38=10|55=A"
        self.play_lines(f"include logged_on\nchecks off\nignore 35=8\nrepeat 40000\nsend {order}\n"
                        "end\nsend 35=1|112=X\nexpect 35=0|112=X\n"
                        "send 35=q|11=Q|530=7|60=<now>\nexpect 35=r|531=7|533>39900|534=10000\n"
                        "send 35=1|112=Y\nexpect 35=0|112=Y\nignore nothing\n"
                        "send 35=AF|584=M1|585=7\nexpect 35=8|39=8|911=0\n"
                        "include logged_out", port)
        self.end(venue)

    def test_list_of_5000_instruments_is_answered(self):
        venue, port = self.serve("FIX.4.4", "".join(f"instrument S{number} tick 0.01\n"
                                                    for number in range(5000)))
        self.play_lines("include logged_on\nsend 35=x|320=R|559=4\nexpect 35=y|320=R\n"
                        "include alive\ninclude logged_out", port)
        self.end(venue)


class Trader(WithVenue):
    RULES = ("orders 200\nrate 1000 random\nsymbols TEST1 70%, TEST2 30%\nbuy 50%\n"
             "size 100 to 1000 step 100\nprice 9.9 to 10.1 step 0.01\nmarket 5%\n"
             "replace 20% after 5ms\ncancel 20% after 5ms to 20ms\n")

    def client_config(self, port, version="FIX.4.4"):
        begin_string = version.startswith("FIX.5") and "FIXT.1.1" or version
        return self.write("client.cfg",
                          "[DEFAULT]\nConnectionType=initiator\nSocketConnectHost=127.0.0.1\n"
                          f"SocketConnectPort={port}\nReconnectInterval=1\nHeartBtInt=30\n"
                          f"Store=memory\nResetOnLogon=Y\n[SESSION]\nBeginString={begin_string}\n"
                          "SenderCompID=TESTER\nTargetCompID=ENGINE\n" +
                          (f"DefaultApplVerID={version}\n" if "FIXT" in begin_string else ""))

    def trade(self, port, rules, *arguments, version="FIX.4.4"):
        config = self.client_config(port, version)
        return run("trade", config, "--rules", self.write("trader.rules", rules), *arguments)

    def test_rules_are_traded_to_the_end_in_every_version(self):
        for version in VERSIONS:
            with self.subTest(version):
                venue, port = self.serve(version, "if Symbol=TEST2 then reject 'no'\n")
                done = self.trade(port, self.RULES, "--seed", 7, version=version)
                self.assertEqual(done.returncode, 0, done.stderr)
                match = re.match(r"200 orders sent: (\d+) accepted, (\d+) filled, (\d+) canceled, "
                                 r"(\d+) rejected, 0 open; (\d+) fills, (\d+) replacement",
                                 done.stdout)
                self.assertIsNotNone(match, done.stdout)
                accepted, filled, canceled, rejected, fills, replaced = map(int, match.groups())
                self.assertEqual(accepted, filled + canceled)
                self.assertEqual(accepted + rejected, 200)
                self.assertTrue(min(filled, canceled, rejected, fills, replaced) > 0, done.stdout)
                self.end(venue)

    def test_orders_without_rules_fill_each_other_in_every_version(self):
        for version in VERSIONS:
            with self.subTest(version):
                venue, port = self.serve(version, "\n")
                done = run("trade", self.client_config(port, version), "--orders", 40, "--stream",
                           "--partials")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn("40 of 40 orders filled", done.stdout)
                self.end(venue)

    def test_rule_ends_the_run(self):
        _, port = self.serve("FIX.4.4", "halt TEST1\n")
        done = self.trade(port, "orders 9\nif Text like '*halted*' then reject 'it is halted'\n")
        self.assertEqual(done.returncode, 1)
        self.assertIn("nexusfix trade: it is halted", done.stderr)
        done = self.trade(port, "orders 9\nif Text like '*halted*' then log out\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("1 order sent: 0 accepted", done.stdout)

    def limited_client(self, port, more):
        config = self.client_config(port)
        text = config.read_text().replace("Store=memory\nResetOnLogon=Y\n",
                                          f"FileStorePath={self.folder}/client\n{more}")
        config.write_text(text)
        return [command_test.NEXUSFIX, "trade", config, "--rules",
                self.write("trader.rules", "orders 60\nrate 1000\nsize 1 to 1\nprice 1 to 1\n")]

    def test_orders_that_were_never_sent_are_not_open(self):
        store = f"FileStorePath={self.folder}/store\n"
        venue, port = self.serve("FIX.4.4", "\n", store=store)
        command = self.limited_client(port, "OutboundMessages=20\nOutboundInterval=2\n")
        errors = self.write("trader.err", "")
        with errors.open("w", encoding="utf-8") as stream:
            trader = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                      stderr=stream, text=True)
        for clean_up in (trader.stdout.close, trader.wait, trader.kill):
            self.addCleanup(clean_up)
        self.wait_for_text(errors, "logged on")
        time.sleep(0.3)  # the first 20 messages are sent, and orders wait
        self.end(venue)
        self.wait_for_text(errors, "NXF-2047")
        self.serve("FIX.4.4", "\n", store=f"SocketAcceptPort={port}\n{store}")
        output = trader.communicate(timeout=LIMIT_SECONDS)[0]
        self.assertEqual(trader.returncode, 0, errors.read_text())
        self.assertRegex(output, r"^60 orders sent: 60 accepted, \d+ filled, \d+ canceled, "
                         "0 rejected, 0 open")

    def test_orders_that_the_limit_refuses_are_sent_later(self):
        _, port = self.serve("FIX.4.4", "\n")
        done = subprocess.run(self.limited_client(port, "OutboundMessages=20\nResetOnLogon=Y\n"
                                                  "OutboundLimitRule=Refuse\n"), text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, check=False,
                              timeout=LIMIT_SECONDS)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, "^60 orders sent: 60 accepted, .* 0 rejected, 0 open")

    def test_rules_with_faults_are_refused(self):
        done = self.trade(1, "orders\nrat 5\nprice 10 to 9\nif Side=1 then fill\n")
        self.assertEqual(done.returncode, 1)
        for fault in ("trader.rules:1:7: a number of orders", "trader.rules:2:1: 'rat' is unknown "
                      "here. Did you mean 'rate'?", "trader.rules:3:13: the second number is the "
                      "larger one", "trader.rules:4:16: a trader can"):
            self.assertIn(fault, done.stderr)
        done = run("trade", self.folder / "client.cfg", "--rules", self.folder / "trader.rules",
                   "--orders", 10)
        self.assertEqual(done.returncode, 2)


for script_path in sorted(SCRIPTS.glob("*.scenario")):
    add_script(script_path)

if __name__ == "__main__":
    command_test.NEXUSFIX = os.path.abspath(sys.argv.pop(1))
    unittest.main()
