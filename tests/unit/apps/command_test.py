#!/usr/bin/env python3
"""The command `nexusfix` from the view of a user: its output, its exit status, and its files."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from tcp_ports import free_port  # noqa: E402, F401  pylint: disable=wrong-import-position

NEXUSFIX = ""  # set by main
LIMIT_SECONDS = 600


def run(*arguments, **options):
    options.setdefault("stdin", subprocess.DEVNULL)
    return subprocess.run([NEXUSFIX, *map(str, arguments)], capture_output=True, text=True,
                          timeout=LIMIT_SECONDS, check=False, **options)


def children_of(pid):
    """Process ids whose parent is pid."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if fields[1] == str(pid) and fields[0] != "Z":
            found.append(int(stat.parent.name))
    return found


def is_alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_until(condition, what):
    deadline = time.monotonic() + LIMIT_SECONDS
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"never happened: {what}")
        time.sleep(0.01)


class WithFolder(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="nexusfix-command-")
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def venue_config(self, begin_string="FIX.4.4", port=0, more=""):
        return self.write("venue.cfg",
                          "[DEFAULT]\nConnectionType=acceptor\nSocketAcceptHost=127.0.0.1\n"
                          f"SocketAcceptPort={port}\nFileStorePath={self.folder}/venue\n"
                          f"[SESSION]\nBeginString={begin_string}\nSenderCompID=VENUE\n"
                          f"TargetCompID=TRADER\n{more}")

    def trader_config(self, port, begin_string="FIX.4.4", name="TRADER", more=""):
        return self.write(f"{name}.cfg",
                          "[DEFAULT]\nConnectionType=initiator\nSocketConnectHost=127.0.0.1\n"
                          f"SocketConnectPort={port}\nReconnectInterval=1\nHeartBtInt=30\n"
                          f"FileStorePath={self.folder}/{name.lower()}\n[SESSION]\n"
                          f"BeginString={begin_string}\nSenderCompID={name}\n"
                          f"TargetCompID=VENUE\n{more}")

    def serve(self, begin_string="FIX.4.4", arguments=(), more=""):
        """Starts a venue; returns it and its port."""
        return self.serve_file(self.venue_config(begin_string, more=more), *arguments)

    def serve_file(self, config, *arguments):
        venue = subprocess.Popen(
            [NEXUSFIX, "serve", config, *arguments], cwd=self.folder,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(venue.stdout.close)
        self.addCleanup(venue.wait)
        self.addCleanup(venue.kill)
        line = venue.stdout.readline()
        match = re.fullmatch(r"listening on port (\d+)\n", line)
        self.assertIsNotNone(match, line)
        return venue, int(match[1])

    def end(self, venue):
        venue.send_signal(signal.SIGTERM)
        self.assertEqual(venue.wait(LIMIT_SECONDS), 0)

    def connect(self, port, script, **config):
        return run("connect", self.trader_config(port, **config), "--script",
                   self.write("script.txt", script))


def run_into_full_disk(*arguments):
    with open("/dev/full", "w", encoding="utf-8") as full:
        return subprocess.run([NEXUSFIX, *map(str, arguments)], stdin=subprocess.DEVNULL,
                              stdout=full, stderr=subprocess.PIPE, text=True,
                              timeout=LIMIT_SECONDS, check=False)


def assert_help(test, overview, name):
    """The overview and --help have the purpose of a subcommand and an example."""
    test.assertRegex(overview, rf"(?m)^  {name} .*\n +\$ nexusfix {name}")
    help_of_one = run(name, "--help")
    test.assertEqual(help_of_one.returncode, 0)
    purpose = re.search(rf"(?m)^  {name} +(.*)$", overview)[1]
    test.assertTrue(help_of_one.stdout.startswith(f"nexusfix {name}: {purpose}\n"))
    test.assertIn(f"\n  $ nexusfix {name}", help_of_one.stdout)


class Words(unittest.TestCase):
    def test_help_names_every_subcommand_with_an_example(self):
        done = run("--help")
        self.assertEqual(done.returncode, 0)
        for name in ("demo", "dict", "explain", "serve", "connect", "trade", "journal"):
            assert_help(self, done.stdout, name)

    def test_no_arguments_show_the_help_and_are_an_error(self):
        done = run()
        self.assertEqual(done.returncode, 2)
        self.assertIn("Subcommands:", done.stdout)

    def test_explain_explains_an_event_and_names_the_nearest_for_an_unknown_one(self):
        done = run("explain", "nxf-1042")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("NXF-1042 RejectReceived, WARN, session\n  meaning ", done.stdout)
        page = run("explain", "--markdown")
        self.assertIn("NXF-1042 `RejectReceived` | WARN | ", page.stdout)
        done = run("explain", "1042", "NXF-1049")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(done.stderr, 'nexusfix explain: there is no event "NXF-1049". '
                                      "Did you mean NXF-1048?\n")

    def test_version_says_what_the_program_was_built_from(self):
        first, *facts = run("--version").stdout.splitlines()
        self.assertRegex(first, r"^nexusfix \d+\.\d+\.\d+$")
        facts = dict(line.split(" ", 1) for line in facts)
        self.assertRegex(facts["commit"], r"^([0-9a-f]{12}(-changed)?|unknown)$")
        self.assertRegex(facts["compiler"], r"^(GNU|Clang) \d+\.\d+\.\d+(, hardened)?$")
        parts = {"cluster", "console", "front-door", "gateway", "Kafka", "logs", "NATS",
                 "OTLP", "passwords", "PostgreSQL", "simulator", "stream", "tester", "TLS", "tui",
                 "venues"}
        self.assertEqual(parts | {"nothing"}, {"nothing", *facts["parts"].split(),
                                               *facts["without"].split()})

    def test_unknown_instruction_set_is_answered_with_the_known_ones(self):
        done = subprocess.run([NEXUSFIX, "decode", "-"], input="", capture_output=True, text=True,
                              env={**os.environ, "NEXUSFIX_FORCE_ISA": "mmx"}, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("scalar", done.stderr)

    def test_misspelt_subcommand_is_answered_with_the_nearest(self):
        for word, meant in (("serv", "serve"), ("tarde", "trade"), ("conect", "connect")):
            done = run(word)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"Did you mean '{meant}'?", done.stderr)
        self.assertIn("--help", run("xyzzyxyzzy").stderr)

    def test_unknown_option_is_named_although_more_is_missing(self):
        for name in ("serve", "connect", "trade"):
            done = run(name, "--bogus")
            self.assertEqual(done.returncode, 2)
            self.assertIn("--bogus", done.stderr)
        self.assertEqual(run("serve").stderr, "nexusfix serve: CONFIG is required\n"
                                              "See `nexusfix serve --help`.\n")
        self.assertIn("See `nexusfix journal set --help`.\n", run("journal", "set", "x").stderr)

    def test_help_says_defaults_and_ranges_in_words(self):
        self.assertIn("--spin, --no-spin  ", run("demo", "--help").stdout)
        shown = run("trade", "--help").stdout
        words = " ".join(shown.split())
        self.assertRegex(words, r"--window N [^()]*\(1 to 100000; default 256\) --")
        self.assertRegex(words, r"--symbol TEXT [^()]*\(default AAPL\) --")
        self.assertIn("Usage: nexusfix trade [OPTIONS] CONFIG\n", shown)
        self.assertIn("Usage: nexusfix codegen --output DIR [OPTIONS] DICT\n",
                      run("codegen", "--help").stdout)
        for name in ("demo", "dict", "serve", "connect", "trade"):
            self.assertNotRegex(run(name, "--help").stdout, r"UINT|\{|\[\d")

    def test_wrong_arguments_end_with_status_2(self):
        for arguments in (("serve",), ("serve", "a", "b"), ("trade", "x", "--orders", "x"),
                          ("trade", "x", "--orders", "3"),
                          ("trade", "x", "--symbol", "X" * 65), ("journal",),
                          ("demo", "--nonsense"),
                          ("demo", "--orders-latency", "0", "--orders-stream", "0")):
            done = run(*arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertNotEqual(done.stderr, "", arguments)


class Output(WithFolder):
    def test_output_that_is_lost_is_no_success(self):
        venue, _ = self.serve()
        self.end(venue)
        for arguments in (("--help",), ("journal", "show", self.folder / "venue"),
                          ("serve", self.folder / "venue.cfg", "--dump-book")):
            done = run_into_full_disk(*arguments)
            self.assertEqual(done.returncode, 1, arguments)
            self.assertIn("standard output could not be written", done.stderr)

    def test_lost_output_does_not_hide_a_worse_status(self):
        self.assertEqual(run_into_full_disk().returncode, 2)


class Serve(WithFolder):
    def test_configuration_without_an_acceptor_creates_nothing(self):
        done = run("serve", self.trader_config(1))
        self.assertEqual(done.returncode, 1)
        self.assertIn("TRADER.cfg: an acceptor session is needed", done.stderr)
        self.assertFalse((self.folder / "trader").exists())

    def test_missing_configuration_is_named(self):
        done = run("serve", self.folder / "none.cfg")
        self.assertEqual(done.returncode, 1)
        self.assertIn("none.cfg", done.stderr)

    def test_port_in_use_is_reported(self):
        with socket.socket() as holder:
            holder.bind(("127.0.0.1", 0))
            holder.listen()
            port = holder.getsockname()[1]
            done = run("serve", self.venue_config(port=port))
        self.assertEqual(done.returncode, 1)
        self.assertIn(str(port), done.stderr)
        self.assertIn("in use", done.stderr)

    def test_second_venue_on_the_same_journal_is_refused(self):
        venue, _ = self.serve()
        done = run("serve", self.folder / "venue.cfg")
        self.assertEqual(done.returncode, 1)
        self.assertNotEqual(done.stderr, "")
        self.end(venue)

    def test_book_at_the_end_is_the_one_that_the_journal_gives(self):
        book_file = self.folder / "book.json"
        venue, port = self.serve(arguments=["--book", book_file])
        done = self.connect(port, "send 35=D|11=A1|55=A\"\\é|54=1|38=100|40=2|44=10.5|60=now\n"
                                  "expect 35=8 150=0\n"
                                  "send 35=D|11=A2|55=A\"\\é|54=2|38=40|40=2|44=10|60=now\n"
                                  "wait 35=8 150=F 11=A2\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.end(venue)
        dumped = run("serve", self.folder / "venue.cfg", "--dump-book")
        self.assertEqual(dumped.stdout, book_file.read_text())
        first, second = json.loads(dumped.stdout)["orders"]
        self.assertEqual((first["cum_qty"], first["leaves_qty"], first["status"]),
                         ("40", "60", "partially filled"))
        self.assertEqual((second["avg_px"], second["status"]), ("10.5", "filled"))

    def test_configuration_that_keeps_no_messages_or_not_all_is_refused(self):
        retires = "remove old messages: the venue rebuilds its book"
        for key, said in (("PersistMessages=N", "PersistMessages=N: the venue rebuilds"),
                          ("JournalKeepBytes=1000", retires), ("JournalKeepDays=1", retires),
                          ("SendWhileLoggedOut=N", "SendWhileLoggedOut=N: the venue rebuilds"),
                          ("LogMaskedTags=1,55", "Add StoreMaskedTags=Y, or remove the field"),
                          ("LogMaskedTags=49", "Add StoreMaskedTags=Y, or remove the field"),
                          ("AcceptorTemplate=Y", "Name each session in a section of its own")):
            config = self.venue_config(more=key + "\n")
            for arguments in ((), ("--dump-book",)):
                done = run("serve", config, *arguments)
                self.assertEqual(done.returncode, 1)
                self.assertIn(said, done.stderr)
        self.assertFalse((self.folder / "venue").exists())

    def test_more_than_one_event_loop_is_refused(self):
        done = run("serve", self.venue_config(more="EventLoops=2\n"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("EventLoops=2: this program has one book", done.stderr)
        self.assertFalse((self.folder / "venue").exists())

    def test_hangup_opens_the_logs_again_and_ends_nothing(self):
        logs = self.folder / "logs"
        venue, port = self.serve(more=f"FileLogPath={logs}\n")
        first = logs / "FIX.4.4-VENUE-TRADER.messages.current.log"
        first.rename(self.folder / "moved.log")
        venue.send_signal(signal.SIGHUP)
        self.assertEqual(self.connect(port, "").returncode, 0)
        self.end(venue)
        self.assertIn("35=A", first.read_text())

    def test_store_in_memory_is_warned_of(self):
        config = self.venue_config()
        config.write_text(config.read_text().replace("[SESSION]", "Store=memory\n[SESSION]"))
        with subprocess.Popen([NEXUSFIX, "serve", config], stdin=subprocess.DEVNULL, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as venue:
            self.addCleanup(venue.kill)
            self.assertIn("listening", venue.stdout.readline())
            venue.send_signal(signal.SIGTERM)
            _, errors = venue.communicate(timeout=LIMIT_SECONDS)
        self.assertEqual(venue.returncode, 0)
        self.assertIn("warning: Store=memory: every order and fill is forgotten", errors)

    def test_book_of_a_running_venue_can_be_dumped(self):
        venue, port = self.serve()
        done = self.connect(port, "send 35=D|11=A1|55=AAPL|54=1|38=5|40=2|44=10|60=now\n"
                                  "expect 35=8 150=0\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        dumped = run("serve", self.folder / "venue.cfg", "--dump-book")
        self.assertEqual(len(json.loads(dumped.stdout)["orders"]), 1)
        self.assertIn("the venue is running", dumped.stderr)
        self.end(venue)

    def test_dumping_a_missing_book_creates_nothing(self):
        done = run("serve", self.venue_config(), "--dump-book")
        self.assertEqual(done.returncode, 1)
        self.assertFalse((self.folder / "venue").exists())


class VenueRules(WithFolder):
    def play(self, script):
        venue, port = self.serve()
        done = self.connect(port, script)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.end(venue)

    def test_orders_are_matched_replaced_and_canceled(self):
        self.play("""
            send 35=D|11=A1|55=AAPL|54=1|38=100|40=2|44=10.5|60=now
            expect 35=8 150=0 39=0 11=A1 151=100 14=0
            send 35=D|11=A2|55=AAPL|54=2|38=40|40=2|44=10.25|60=now
            expect 35=8 150=0 11=A2
            expect 35=8 150=F 39=1 11=A1 32=40 31=10.5 151=60 14=40 6=10.5
            expect 35=8 150=F 39=2 11=A2 151=0
            send 35=G|11=A3|41=A1|55=AAPL|54=1|38=200|40=2|44=10|60=now
            expect 35=8 150=5 39=1 11=A3 41=A1 38=200 151=160
            send 35=F|11=A4|41=A3|55=AAPL|54=1|60=now
            expect 35=8 150=4 39=4 11=A4 41=A3 151=0
            send 35=F|11=A5|41=A3|55=AAPL|54=1|60=now
            expect 35=9 102=0 39=4
            send 35=F|11=A6|41=none|55=AAPL|54=1|60=now
            expect 35=9 37=NONE 102=1 39=8
            """)

    def test_replacement_for_another_symbol_or_side_is_refused(self):
        self.play("""
            send 35=D|11=A1|55=AAPL|54=1|38=100|40=2|44=10|60=now
            expect 35=8 150=0
            send 35=G|11=A2|41=A1|55=MSFT|54=1|38=200|40=2|44=10|60=now
            expect 35=9 102=2 434=2 37=O1 39=0 11=A2 41=A1
            send 35=G|11=A2|41=A1|55=AAPL|54=2|38=200|40=2|44=10|60=now
            expect 35=9 102=2 434=2
            send 35=G|11=A2|41=A1|55=AAPL|54=1|38=200|40=2|44=10|60=now
            expect 35=8 150=5 11=A2 55=AAPL 54=1 38=200
            """)

    def test_bad_orders_are_rejected_with_text(self):
        order = "|55=AAPL|60=now|"
        self.play(f"""
            send 35=D|11=A1{order}54=1|38=1|40=2|44=10
            expect 35=8 150=0
            send 35=D|11=A1{order}54=1|38=1|40=2|44=10
            expect 35=8 150=8 39=8 37=NONE 103=6 11=A1
            send 35=D|97=Y|11=A1{order}54=1|38=1|40=2|44=10
            expect 35=8 150=I 39=0 37=O1
            send 35=D|11=B1{order}54=1|38=0|40=2|44=10
            expect 35=8 150=8
            send 35=D|11=B1{order}54=1|38=-5|40=2|44=10
            expect 35=8 150=8
            send 35=D|11=B1{order}54=1|38=1|40=2|44=1.123456789
            expect 35=8 150=8
            send 35=D|11=B1{order}54=5|38=1|40=2|44=1
            expect 35=8 150=8
            send 35=D|11=B1{order}54=1|38=1|40=3|44=1
            expect 35=8 150=8
            send 35=D|11=B1{order}54=1|38=1|40=2|44=1|59=4
            expect 35=8 150=8
            send 35=D|11=B1{order}54=1|40=2|44=1
            expect 35=j 372=D 380=5
            send 35=D|11=B1{order}54=1|38=1|40=2
            expect 35=j 372=D 380=5
            send 35=B|148=news|33=1|58=y
            expect 35=j 372=B 380=3
            send 35=D|11=B1{order}54=1|38=1|40=2|44=9
            expect 35=8 150=0
            """)

    def test_market_and_immediate_orders_never_rest(self):
        self.play("""
            send 35=D|11=A1|55=AAPL|54=2|38=10|40=2|44=10|60=now
            expect 35=8 150=0
            send 35=D|11=A2|55=AAPL|54=1|38=15|40=1|60=now
            expect 35=8 150=0 11=A2
            expect 35=8 150=F 11=A1 39=2
            expect 35=8 150=F 11=A2 39=1 151=5
            expect 35=8 150=4 11=A2 39=4 151=0 14=10
            send 35=D|11=A3|55=AAPL|54=1|38=5|40=2|44=9|59=3|60=now
            expect 35=8 150=0
            expect 35=8 150=4 11=A3 14=0
            """)

    def test_owner_who_is_logged_out_gets_the_fill_after_the_next_logon(self):
        other = "[SESSION]\nBeginString=FIX.4.2\nSenderCompID=VENUE\nTargetCompID=OTHER\n"
        venue, port = self.serve(more=other)
        done = self.connect(port, "send 35=D|11=A1|55=AAPL|54=1|38=10|40=2|44=10|60=now\n"
                                  "expect 35=8 150=0\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.connect(port, "send 35=D|11=A1|21=1|55=AAPL|54=2|38=10|40=2|44=10|60=now\n"
                                  "expect 35=8 150=0 20=0\nexpect 35=8 150=2 20=0 39=2\n",
                            begin_string="FIX.4.2", name="OTHER")
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.connect(port, "expect 35=8 150=F 11=A1 39=2 43=Y\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.end(venue)

    def test_order_of_a_session_that_is_gone_keeps_the_venue_closed(self):
        other = "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=OTHER\n"
        venue, port = self.serve(more=other)
        done = self.connect(port, "send 35=D|11=A1|55=AAPL|54=1|38=10|40=2|44=10|60=now\n"
                                  "expect 35=8 150=0\n", name="OTHER")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.end(venue)
        done = run("serve", self.venue_config())
        self.assertEqual(done.returncode, 1)
        self.assertIn("open orders of session FIX.4.4:VENUE->OTHER", done.stderr)

    def test_restarted_venue_knows_its_orders(self):
        self.play("send 35=D|11=A1|55=AAPL|54=1|38=100|40=2|44=10|60=now\nexpect 35=8 150=0\n")
        self.play("""
            send 35=D|11=A1|55=AAPL|54=1|38=100|40=2|44=10|60=now
            expect 35=8 150=8 103=6
            send 35=D|11=A2|55=AAPL|54=2|38=30|40=2|44=10|60=now
            expect 35=8 150=0 37=O2 17=E3
            expect 35=8 150=F 37=O1 11=A1 17=E4 151=70
            expect 35=8 150=F 37=O2 11=A2 17=E5
            """)


class Connect(WithFolder):
    def test_configuration_with_an_acceptor_creates_nothing(self):
        for name in ("connect", "trade"):
            done = run(name, self.venue_config(), *(("--report", self.folder / "fills.tsv")
                                                    if name == "trade" else ()))
            self.assertEqual(done.returncode, 1)
            self.assertIn("venue.cfg: exactly one session, an initiator, is needed", done.stderr)
            self.assertNotIn("listening", done.stderr)
            self.assertEqual([one.name for one in self.folder.iterdir()], ["venue.cfg"])

    def test_a_missing_logon_is_reported_without_a_line_number(self):
        with socket.socket() as mute:
            mute.bind(("127.0.0.1", 0))
            mute.listen()
            done = run("connect", self.trader_config(mute.getsockname()[1]), "--logon-timeout", 1)
        self.assertEqual(done.returncode, 1)
        self.assertIn("nexusfix connect: not logged on within 1 s\n", done.stderr)
        self.assertNotIn("standard input", done.stderr)

    def test_help_is_printed_on_a_pipe_before_the_next_command_arrives(self):
        venue, port = self.serve()
        with subprocess.Popen([NEXUSFIX, "connect", self.trader_config(port)],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True) as client:
            too_late = threading.Timer(LIMIT_SECONDS, client.kill)
            self.addCleanup(too_late.cancel)
            too_late.start()
            client.stdin.write("help\n")
            client.stdin.flush()
            self.assertEqual(client.stdout.readline(), "logged on\n")
            self.assertIn("send 35=D", client.stdout.readline())  # while it waits for more
            client.communicate("quit\n", timeout=LIMIT_SECONDS)
        self.assertEqual(client.returncode, 0)
        self.end(venue)

    def test_script_faults_name_the_line_and_what_was_expected(self):
        venue, port = self.serve()
        for script, expected in (
                ("# one\n\nsned 35=D\n", "script.txt:3: 'sned' is no command"),
                ("send 35=D|34=7\n", "script.txt:1: field 34"),
                ("wait 35=8 timeout 0.1\n", "script.txt:1: no such message came within 0.1 s"),
                ("send 35=A|98=0\n", "script.txt:1: administrative messages"),
                ("send 35=B|148=x|33=1|58=y\nexpect 35=8\n",
                 "script.txt:2: another message came: 8=FIX")):
            done = self.connect(port, script)
            self.assertEqual(done.returncode, 1, script)
            self.assertIn(expected, done.stderr)
        self.end(venue)

    def test_session_continues_after_logout_and_logon(self):
        venue, port = self.serve()
        done = self.connect(port, "logout\nlogon\nsend 35=B|148=x|33=1|58=y\nexpect 35=j\nquit\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.end(venue)

    def test_messages_above_the_outbound_limit_are_sent_before_the_session_ends(self):
        venue, port = self.serve()
        news = "send 35=B|148=x|33=1|58=y\n"
        for last, first in (("", 2), ("quit\n", 9), ("logout\n", 16)):
            done = self.connect(port, 5 * news + last,
                                more="OutboundMessages=2\nOutboundInterval=1\n")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertIn("> B waits: OutboundMessages=2\n", done.stdout)
            numbers = re.findall(r"> B sent as (\d+)\n", done.stdout)
            self.assertEqual(list(map(int, numbers)), list(range(first, first + 5)), last)
            self.assertNotIn("NXF-2047", done.stderr)
        self.end(venue)

    def test_message_that_waits_and_is_not_sent_makes_the_status_1(self):
        venue, port = self.serve()
        config = self.trader_config(port, more="OutboundMessages=2\nOutboundInterval=3600\n")
        with subprocess.Popen([NEXUSFIX, "connect", config], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as client:
            client.stdin.write(3 * "send 35=B|148=x|33=1|58=y\n")
            client.stdin.flush()
            self.assertTrue(any(line == "> B waits: OutboundMessages=2\n"
                                for line in iter(client.stdout.readline, "> B sent as 0\n")))
            self.end(venue)
            _, errors = client.communicate(timeout=LIMIT_SECONDS)
        self.assertEqual(client.returncode, 1)
        self.assertIn("nexusfix connect: B is not sent: ", errors)

    def test_commands_come_from_standard_input_too(self):
        venue, port = self.serve()
        with subprocess.Popen([NEXUSFIX, "connect", self.trader_config(port)],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True) as client:
            output, _ = client.communicate("send 35=B|148=x|33=1|58=y\nexpect 35=j\nprint",
                                           timeout=LIMIT_SECONDS)
        self.assertEqual(client.returncode, 0)
        self.assertIn("BusinessMessageReject", output)
        self.end(venue)


class Tutorial(WithFolder):
    """docs/guide/tutorial.md quotes these files."""

    def test_its_files_do_what_the_tutorial_says(self):
        configs = Path(__file__).resolve().parents[3] / "apps/nexusfix/config"
        port = "5001"

        def copy(name, new_port):
            text = (configs / name).read_text()
            self.assertIn(port, text)
            return self.write(name, text.replace(port, str(new_port)))

        venue = subprocess.Popen([NEXUSFIX, "serve", copy("venue.cfg", 0)], cwd=self.folder,
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(venue.stdout.close)
        self.addCleanup(venue.wait)
        self.addCleanup(venue.kill)
        bound = int(venue.stdout.readline().split()[-1])
        done = run("connect", copy("client.cfg", bound), "--script", configs / "order.txt",
                   cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = run("trade", copy("trader.cfg", bound), "--orders", 100, "--stream", "--report",
                   "fills.tsv", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.end(venue)
        shown = run("journal", "show", "store/venue", cwd=self.folder)
        self.assertIn("FIX.4.4:VENUE->CLIENT", shown.stdout)


class Journal(WithFolder):
    def test_numbers_are_shown_for_people_and_for_scripts(self):
        venue, port = self.serve()
        self.assertEqual(run("trade", self.trader_config(port), "--orders", 10).returncode, 0)
        self.end(venue)
        shown = json.loads(run("journal", "show", self.folder / "venue", "--json").stdout)
        self.assertEqual(shown["messages"], 20)
        self.assertEqual(shown["sessions"], [{"name": "FIX.4.4:VENUE->TRADER", "next_inbound": 13,
                                              "next_outbound": 23, "epoch": 1, "messages": 20}])
        self.assertIn("next inbound 23, next outbound 13",
                      run("journal", "show", self.folder / "trader").stdout)

    def test_folder_without_a_journal_is_an_error_and_is_not_changed(self):
        for folder in (self.folder, self.folder / "none"):
            done = run("journal", "show", folder)
            self.assertEqual(done.returncode, 1)
            self.assertIn(str(folder), done.stderr)
        self.assertEqual(list(self.folder.iterdir()), [])
        other = self.write("thesis.txt", "mine")
        done = run("journal", "show", self.folder)
        self.assertEqual(done.returncode, 1)
        self.assertIn("there is no journal in this folder", done.stderr)
        self.assertEqual(list(self.folder.iterdir()), [other])

    def test_session_that_never_sent_a_message_is_shown(self):
        other = "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=OTHER\n"
        venue, _ = self.serve(more=other)
        self.end(venue)
        shown = json.loads(run("journal", "show", self.folder / "venue", "--json").stdout)
        self.assertEqual([(one["name"], one["messages"]) for one in shown["sessions"]],
                         [("FIX.4.4:VENUE->TRADER", 0), ("FIX.4.4:VENUE->OTHER", 0)])

    def test_journal_in_use_is_shown_as_in_use(self):
        venue, port = self.serve()
        self.assertEqual(run("trade", self.trader_config(port), "--orders", 10).returncode, 0)
        done = run("journal", "show", self.folder / "venue")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("20 messages", done.stdout)
        self.assertIn("a running process has it open", done.stdout)
        self.end(venue)
        shown = json.loads(run("journal", "show", self.folder / "venue", "--json").stdout)
        self.assertIs(shown["in_use"], False)

    def test_torn_end_is_shown_and_not_cut(self):
        venue, _ = self.serve()
        self.end(venue)
        segment = self.folder / "venue" / "0000000001.journal"
        with segment.open("ab") as file:
            file.write(b"torn")
        (self.folder / "venue" / "lock").unlink()
        done = run("journal", "show", self.folder / "venue")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("4 bytes that are no complete record", done.stdout)
        self.assertTrue(segment.read_bytes().endswith(b"torn"))
        names = sorted(file.name for file in (self.folder / "venue").iterdir())
        self.assertEqual(names, [segment.name, "owner"])


class Demo(WithFolder):
    def environment(self):
        return {**os.environ, "TMPDIR": str(self.folder)}

    def start(self, *arguments):
        demo = subprocess.Popen([NEXUSFIX, "demo", "--no-spin", *arguments],
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.DEVNULL, text=True, env=self.environment())
        self.addCleanup(demo.stdout.close)
        self.addCleanup(demo.wait)
        self.addCleanup(demo.kill)
        for line in demo.stdout:
            if "%" in line:
                break
        children = children_of(demo.pid)
        self.assertEqual(len(children), 2)
        return demo, children

    def test_it_ends_by_itself_and_leaves_no_file(self):
        done = run("demo", "--no-spin", "--orders-latency", 200, "--orders-stream", 1000,
                   env=self.environment())
        self.assertEqual(done.returncode, 0, done.stderr)
        for words in ("P99.9", "orders/s", "Both agree on every sequence number",
                      "NewOrderSingle (D)", "2 (FILLED)", "100 %  1,000 of 1,000"):
            self.assertIn(words, done.stdout)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_kept_folder_holds_the_journals(self):
        done = run("demo", "--no-spin", "--orders-latency", 0, "--orders-stream", 100, "--keep",
                   env=self.environment())
        self.assertEqual(done.returncode, 0, done.stderr)
        (kept,) = self.folder.iterdir()
        self.assertIn("100 messages", run("journal", "show", kept / "trader").stdout)

    def test_folder_that_cannot_be_made_is_reported(self):
        done = run("demo", env={**os.environ, "TMPDIR": str(self.folder / "none")})
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot make a folder", done.stderr)

    def test_an_interrupt_ends_its_processes_and_removes_its_folder(self):
        for how in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(how):
                demo, children = self.start("--orders-latency", "60000")
                demo.send_signal(how)
                self.assertEqual(demo.wait(LIMIT_SECONDS), 1)
                self.assertFalse(any(map(is_alive, children)))
                self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_kill_ends_its_processes(self):
        demo, children = self.start("--orders-latency", "60000")
        demo.kill()
        demo.wait()
        wait_until(lambda: not any(map(is_alive, children)), "the end of the processes")

    def test_end_of_a_process_is_reported(self):
        for name in ("venue", "trader"):
            with self.subTest(name):
                demo, children = self.start("--orders-latency", "60000")
                (victim,) = [pid for pid in children
                             if f"{name}.cfg" in Path(f"/proc/{pid}/cmdline").read_text()]
                os.kill(victim, signal.SIGKILL)
                self.assertEqual(demo.wait(LIMIT_SECONDS), 1)
                self.assertFalse(any(map(is_alive, children)))


if __name__ == "__main__":
    NEXUSFIX = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
