#!/usr/bin/env python3
"""`nexusfix stream` with librdkafka's mock brokers: what arrives, what is refused, and what an
operator sees.

    stream_test.py NEXUSFIX MOCK_BROKERS CONSUMER [PYTHON_WITH_PYARROW]
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.request
from pathlib import Path

from brokers import MockBrokers

sys.path.append(str(Path(__file__).resolve().parents[3] / "stream/tests"))
from journals import make_journal, wait_until  # noqa: E402  pylint: disable=wrong-import-position

NEXUSFIX, MOCK, CONSUMER, PYARROW = "", "", "", ""  # set by main
LIMIT_SECONDS = 300
READ_ARROW = """
import sys, pyarrow.ipc
rows = 0
for line in sys.stdin:
    table = pyarrow.ipc.open_stream(bytes.fromhex(line)).read_all()
    assert {"byte_offset", "direction", "MsgSeqNum"} <= set(table.column_names), table.column_names
    positions = table.column("byte_offset").to_pylist()
    assert positions == sorted(set(positions))
    rows += table.num_rows
print(rows)
"""


def run(*arguments):
    return subprocess.run([NEXUSFIX, *map(str, arguments)], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=LIMIT_SECONDS, check=False)


def consume(address, topic="audit"):
    """(kind, headers, value) of each record."""
    shown = subprocess.run([CONSUMER, address, topic, "2"], capture_output=True, check=True,
                           timeout=LIMIT_SECONDS).stdout
    found = []
    for line in shown.split(b"\n"):
        head, tab, value = line.partition(b"\t")
        if tab:
            kind, *headers = head.decode().split(" ")
            found.append((kind, headers, value))
    return found


class Stream(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        # A journal with both directions, of an engine that has ended.
        folder = Path(cls.temporary.name)
        cls.journal = make_journal(NEXUSFIX, folder, 1000)
        shown = run("journal", "show", cls.journal, "--messages", "--json").stdout.splitlines()
        cls.stored = [json.loads(one) for one in shown]
        assert len(cls.stored) > 2000

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        self.copy = self.folder / "venue"
        shutil.copytree(self.journal, self.copy, ignore=shutil.ignore_patterns("control"))

    def brokers(self):
        brokers = MockBrokers(MOCK)
        self.addCleanup(brokers.end)
        return brokers

    def stream(self, brokers, *more, journal=None):
        return run("stream", "--kafka", brokers.address, "--topic", "audit", *more,
                   journal or self.copy)

    def follow(self, brokers, *more):
        events = self.folder / "events"
        with events.open("a") as log:
            process = subprocess.Popen(
                [NEXUSFIX, "stream", "-f", "--kafka", brokers.address, "--topic", "audit", *more,
                 self.copy], stderr=log)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process, events

    def test_a_journal_arrives_whole_once_and_in_order(self):
        brokers = self.brokers()
        first = self.stream(brokers)
        self.assertEqual((first.returncode, first.stdout), (0, ""), first.stderr)
        self.assertRegex(first.stderr, r"INFO NXF-5070 .*streamed from log position \d+ in segment")
        self.assertRegex(first.stderr, rf"NXF-5074 .*: {len(self.stored):,} messages acknowledged")
        found = consume(brokers.address)
        self.assertEqual([kind for kind, _, _ in found], ["new"] * len(self.stored))
        self.assertEqual([value.decode() for _, _, value in found],
                         [one["message"] for one in self.stored])
        for (_, headers, value), one in zip(found, self.stored):
            number = re.search(rb"\x0134=(\d+)", value)[1].decode()
            self.assertEqual(headers[:2], ["FIX.4.4:VENUE->TRADER", "owner=1"])
            self.assertEqual(headers[3:], [f"epoch={one['epoch']}", one["direction"], number])
        positions = [int(headers[2].partition("=")[2]) for _, headers, _ in found]
        self.assertEqual(positions, sorted(set(positions)))
        # The cursor is at the end.
        again = self.stream(brokers)
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertIn("0 messages acknowledged", again.stderr)

    def test_json_is_what_decode_prints(self):
        brokers = self.brokers()
        done = self.stream(brokers, "--format", "json", "--engine", "venue-1")
        self.assertEqual(done.returncode, 0, done.stderr)
        wanted = [json.loads(one) for one in
                  run("decode", "--ndjson", self.copy).stdout.splitlines()]
        found = [json.loads(value) for _, _, value in consume(brokers.address)]
        for one in wanted + found:
            del one["offset"]  # in the log here, in the text there
        self.assertEqual(found, wanted)

    def test_arrow_has_rows_of_one_session(self):
        if not PYARROW:
            self.assertIn("the part with Apache Arrow, is not installed",
                          run("stream", "--kafka", "127.0.0.1:1", "--topic", "audit", "--format",
                              "arrow", self.copy).stderr)
            return
        brokers = self.brokers()
        done = self.stream(brokers, "--format", "arrow")
        self.assertEqual(done.returncode, 0, done.stderr)
        dumped = subprocess.run([CONSUMER, brokers.address, "audit", "2", "hex"],
                                capture_output=True, text=True, check=True).stdout
        values = [line.partition("\t")[2] for line in dumped.splitlines()]
        self.assertLess(len(values), len(self.stored) / 100)
        rows = subprocess.run([PYARROW, "-c", READ_ARROW], input="\n".join(values) + "\n",
                              capture_output=True, text=True, check=False)
        self.assertEqual(rows.stdout.strip(), str(len(self.stored)), rows.stderr)

    def test_a_killed_stream_loses_nothing_and_marks_what_it_repeats(self):
        brokers = self.brokers()
        for pause in (0.05, 0.1, 0.2, 0.4):
            process, _ = self.follow(brokers, "--set", "queue.buffering.max.messages=300")
            time.sleep(pause)
            process.kill()
            process.wait()
        done = self.stream(brokers)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = consume(brokers.address)
        self.assertEqual([value.decode() for kind, _, value in found if kind == "new"],
                         [one["message"] for one in self.stored])

    def test_brokers_that_are_away_are_reported_once_and_waited_for(self):
        brokers = self.brokers()
        brokers.tell("down")
        process, events = self.follow(brokers, "--metrics-port", "0", "--set",
                                      "queue.buffering.max.messages=100")
        wait_until(lambda: "NXF-5071" in events.read_text(), "NXF-5071")
        port = re.search(r"NXF-7030 .*port (\d+)", events.read_text())[1]

        def metric(name):
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics") as answer:
                found = re.search(rf"^nexusfix_stream_{name}(?:{{.*}})? (\S+)$",
                                  answer.read().decode(), re.MULTILINE)
            return found and float(found[1])

        # More than the queue takes: the journal is read ahead, to count.
        wait_until(lambda: metric("lag_messages") == len(self.stored), "the lag")
        wait_until(lambda: metric("brokers_answer") == 0, "no broker")
        self.assertGreater(metric("lag_bytes"), 100 * len(self.stored))
        self.assertGreater(metric("lag_seconds"), 0)
        time.sleep(1)
        brokers.tell("up")
        wait_until(lambda: metric("messages_total") == len(self.stored), "everything arrives")
        wait_until(lambda: metric("lag_messages") == 0, "no lag")
        self.assertEqual(metric("lag_seconds"), 0)
        self.assertEqual(metric("brokers_answer"), 1)
        process.terminate()
        self.assertEqual(process.wait(timeout=LIMIT_SECONDS), 0)
        text = events.read_text()
        self.assertEqual([text.count(f"NXF-{one}") for one in (5071, 5072, 5074)], [1, 1, 1], text)
        self.assertEqual([value.decode() for _, _, value in consume(brokers.address)],
                         [one["message"] for one in self.stored])

    def test_a_signal_ends_it_also_without_brokers(self):
        brokers = self.brokers()
        brokers.tell("down")
        process, events = self.follow(brokers, "--drain", "1")
        wait_until(lambda: "NXF-5071" in events.read_text(), "NXF-5071")
        process.terminate()
        self.assertEqual(process.wait(timeout=LIMIT_SECONDS), 0)
        self.assertRegex(events.read_text(), r"NXF-5074 .* 0 messages acknowledged, .*; the rest "
                                             "follows at the next start")

    def damage(self, text):
        segment, = self.copy.glob("*.journal")
        stored = bytearray(segment.read_bytes())
        stored[stored.index(text)] ^= 1
        segment.write_bytes(stored)

    def test_no_message_of_a_session_whose_name_is_damaged_is_sent(self):
        brokers = self.brokers()
        self.damage(b"FIX.4.4:VENUE->TRADER")
        done = self.stream(brokers, "--accept-gap")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("ERROR NXF-5073", done.stderr)
        self.assertRegex(done.stderr, "a message is of an unknown session. The stream can go on "
                                      "when the journal has another segment\n")
        self.assertEqual(consume(brokers.address), [])

    def test_messages_after_damage_are_skipped_and_counted_by_number(self):
        brokers = self.brokers()
        at = next(i for i, one in enumerate(self.stored) if i > 1000 and one["direction"] == "out")
        self.damage(self.stored[at]["message"].replace("|", "\x01").encode())
        done = self.stream(brokers, "--accept-gap")
        self.assertEqual(done.returncode, 0, done.stderr)
        found = [value.decode() for _, _, value in consume(brokers.address)]
        self.assertEqual(found, [one["message"] for one in self.stored[:len(found)]])
        count = re.search(r"NXF-5073 .*: ([\d,]+) messages after a gap skipped, up to log position "
                          r"\d+: FIX.4.4:VENUE->TRADER out MsgSeqNum \d+ to \d+ \(\d+\), "
                          r"FIX.4.4:VENUE->TRADER in MsgSeqNum \d+ to \d+ \(\d+\)", done.stderr)
        self.assertIsNotNone(count, done.stderr)
        skipped = int(count[1].replace(",", ""))
        hidden = len(self.stored) - len(found) - skipped  # the messages of one record
        self.assertIn(at, range(len(found), len(found) + hidden))
        self.assertLess(hidden, 10)

    def test_a_new_cursor_of_a_damaged_journal_holds_no_segment(self):
        brokers = self.brokers()
        segment, = self.copy.glob("*.journal")
        segment.write_bytes(b"x" * 1000)
        done = self.stream(brokers)
        self.assertEqual(done.returncode, 2)
        self.assertIn("the header of the segment is damaged", done.stderr)
        self.assertEqual(list((self.copy / "cursors").iterdir()), [])

    def test_a_second_stream_with_the_cursor_is_refused_and_another_cursor_is_not(self):
        brokers = self.brokers()
        _, events = self.follow(brokers)
        wait_until(lambda: "NXF-5070" in events.read_text(), "the stream runs")
        second = self.stream(brokers)
        self.assertEqual(second.returncode, 2)
        self.assertRegex(second.stderr, r"cursors/kafka: another process uses this cursor\n\Z")
        other = self.stream(brokers, "--cursor", "other", "--from-now")
        self.assertEqual(other.returncode, 0, other.stderr)
        self.assertIn("0 messages acknowledged", other.stderr)

    def test_a_cursor_that_does_not_fit_is_refused_with_the_cause(self):
        brokers = self.brokers()
        self.assertEqual(self.stream(brokers).returncode, 0)
        saved = self.folder / "kafka"
        shutil.copy(self.copy / "cursors" / "kafka", saved)
        # Another journal in its place.
        shutil.rmtree(self.copy)
        shutil.copytree(self.journal.parent / "TRADER", self.copy,
                        ignore=shutil.ignore_patterns("control"))
        (self.copy / "cursors").mkdir()
        shutil.copy(saved, self.copy / "cursors" / "kafka")
        refused = self.stream(brokers)
        self.assertEqual(refused.returncode, 2)
        self.assertIn("it was replaced", refused.stderr)
        accepted = self.stream(brokers, "--accept-gap")
        self.assertEqual(accepted.returncode, 0, accepted.stderr)
        self.assertRegex(accepted.stderr, "ERROR NXF-5073 .*it was replaced")
        (self.copy / "cursors" / "kafka").write_text("no cursor")
        damaged = self.stream(brokers)
        self.assertEqual(damaged.returncode, 2)
        self.assertIn("the cursor is damaged", damaged.stderr)

    def test_a_message_that_no_broker_takes_ends_the_stream_and_keeps_the_cursor(self):
        brokers = self.brokers()
        refused = self.stream(brokers, "--set", "message.max.bytes=1000", "--format", "json")
        self.assertEqual(refused.returncode, 1)
        self.assertRegex(refused.stderr, r"topic audit: .*[Mm]essage size too large.*a record of")
        done = self.stream(brokers, "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        new = [one for one in consume(brokers.address) if one[0] == "new"]
        self.assertEqual(len(new), len(self.stored))

    def test_wrong_arguments_have_one_clear_line(self):
        secret = self.folder / "secret"
        secret.write_text("sasl.password=x\n")
        secret.chmod(0o644)
        wrong = self.folder / "wrong"
        wrong.write_text("# settings\nno equals sign\n")
        kafka = ("--kafka", "127.0.0.1:1", "--topic", "audit")
        for arguments, text in (
                ((self.copy,), "one of --kafka, --stdout"),
                ((*kafka, self.folder), "there is no journal in this folder"),
                ((*kafka, "--cursor", "a/b", self.copy), "--cursor: 1 to 64 letters"),
                ((*kafka, "--set", "sasl.password=x", self.copy), "sasl.password is a secret"),
                ((*kafka, "--set", "acks=1", self.copy), "acks is set by the stream itself"),
                ((*kafka, "--set", "nonsense", self.copy), "NAME=VALUE was expected"),
                ((*kafka, "--set", "no.such.setting=1", self.copy), "no.such.setting"),
                ((*kafka, "--properties", secret, self.copy), "chmod 600"),
                ((*kafka, "--properties", wrong, self.copy), "line 2: NAME=VALUE was expected"),
                ((*kafka, "--properties", self.folder / "none", self.copy), "No such file"),
                ((*kafka, "--fields", "11", self.copy), "--fields is for --format arrow"),
                ((*kafka, "--format", "xml", self.copy), "xml")):
            with self.subTest(arguments):
                done = run("stream", *arguments)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(text, done.stderr)
                self.assertLessEqual(done.stderr.count("\n"), 2, done.stderr)
        self.assertFalse((self.folder / "cursors").exists())

    def test_settings_that_break_the_promise_are_refused_by_name_with_the_reason(self):
        for setting, reason in (
                ("acks=1", "all replicas in sync"),
                ("request.required.acks=1", "all replicas in sync"),
                ("bootstrap.servers=a:1", "--kafka names the brokers"),
                ("metadata.broker.list=a:1", "--kafka names the brokers"),
                ("enable.idempotence=false", "repeat and reorder"),
                ("enable.gapless.guarantee=true", "the stream itself ends"),
                ("transactional.id=x", "no transactions"),
                ("transaction.timeout.ms=1000", "no transactions"),
                ("message.timeout.ms=1000", "is lost in the middle"),
                ("delivery.timeout.ms=1000", "is lost in the middle"),
                ("message.send.max.retries=1", "is lost in the middle"),
                ("retries=1", "is lost in the middle"),
                ("max.in.flight=6", "reorders messages"),
                ("max.in.flight.requests.per.connection=6", "reorders messages"),
                ("queuing.strategy=lifo", "another order than that of the log"),
                ("delivery.report.only.error=true", "the cursor never moves"),
                ("enabled_events=1", "the cursor never moves"),
                ("log.queue=true", "grows without a limit"),
                ("partitioner=random", "on several partitions"),
                ("partitioner=", "on several partitions"),
                ("queue.buffering.max.messages=0", "the memory of the stream has a limit"),
                ("queue.buffering.max.kbytes=1048577", "the memory of the stream has a limit"),
                ("queue.buffering.max.kbytes=1M", "the memory of the stream has a limit")):
            name = setting.partition("=")[0]
            properties = self.folder / "properties"
            properties.write_text(setting + "\n")
            for option, given in (("--set", setting), ("--properties", properties)):
                with self.subTest(setting, option=option):
                    done = run("stream", "--kafka", "127.0.0.1:1", "--topic", "audit", option,
                               given, self.folder)
                    self.assertEqual(done.returncode, 2, done.stderr)
                    self.assertIn(name, done.stderr)
                    self.assertIn(reason, done.stderr)
                    self.assertEqual(done.stderr.count("\n"), 1, done.stderr)

    def test_settings_that_keep_the_promise_are_taken(self):
        for setting in ("partitioner=fnv1a", "partitioner=consistent_random",
                        "queue.buffering.max.messages=1", "queue.buffering.max.kbytes=1048576",
                        "linger.ms=5", "compression.type=gzip"):
            with self.subTest(setting):
                done = run("stream", "--kafka", "127.0.0.1:1", "--topic", "audit", "--set", setting,
                           self.folder)
                self.assertIn("there is no journal in this folder", done.stderr)


def main():
    global NEXUSFIX, MOCK, CONSUMER, PYARROW
    _, NEXUSFIX, MOCK, CONSUMER, *python = sys.argv
    PYARROW = python[0] if python else ""
    os.environ.pop("NEXUSFIX_PAGER", None)
    unittest.main(argv=sys.argv[:1])


if __name__ == "__main__":
    main()
