#!/usr/bin/env python3
"""`nexusfix stream` to standard output and to a command: what arrives, what moves the cursor, and
what a kill repeats.

    sinks_test.py NEXUSFIX
"""

import json
import os
import signal
import subprocess
import sys
import time
import unittest

from journals import LIMIT_SECONDS, JournalTest, consume, wait_until

ARCHIVE = """
import json, os, sys
to = open(sys.argv[1], "a")
for count, line in enumerate(sys.stdin, 1):
    to.write(line)
    if count % 50 == 0 or len(sys.argv) > 2:
        to.flush()
        os.fsync(to.fileno())
        print(json.loads(line)["id"], flush=True)
    last = line
to.close()
print(json.loads(last)["id"], flush=True)
"""


class Lines(JournalTest):
    def test_standard_output_gets_each_message_once_and_in_order(self):
        done = self.stream("--stdout", "--engine", "venue-1")
        self.assertEqual(done.returncode, 0, done.stderr)
        kept, dropped = consume(done.stdout.splitlines())
        self.assert_whole(kept)
        self.assertEqual(dropped, 0)
        first = kept[0]
        self.assertEqual(list(first), ["id", "engine", "log", "owner", "position", "session",
                                       "epoch", "direction", "seq", "time", "message"])
        self.assertEqual((first["engine"], first["session"]),
                         ("venue-1", "FIX.4.4:VENUE->TRADER"))
        self.assertEqual(first["id"], f"{first['log']}-{first['owner']}-{first['position']}")
        self.assertEqual(len({one["id"] for one in kept}), len(kept))
        # The cursor is at the end.
        again = self.stream("--stdout")
        self.assertEqual((again.returncode, again.stdout), (0, ""), again.stderr)
        self.assertTrue((self.copy / "cursors" / "stdout").exists())

    def test_json_has_the_fields_that_decode_prints(self):
        done = self.stream("--stdout", "--format", "json")
        self.assertEqual(done.returncode, 0, done.stderr)
        shown = subprocess.run([self.nexusfix, "decode", "--ndjson", self.copy], check=True,
                               capture_output=True, text=True).stdout.splitlines()
        kept, _ = consume(done.stdout.splitlines())
        self.assertEqual([one["fields"] for one in kept],
                         [json.loads(one)["fields"] for one in shown])

    def test_what_the_reader_of_a_pipe_has_not_read_is_not_acknowledged(self):
        process = self.follow("--stdout", stdout=subprocess.PIPE, bufsize=0)
        got = b""
        while len(got) < 100_000:
            got += process.stdout.read(1_000)
        # The pipe is full again: what is in it was written, and no process has read it.
        self.await_event(5071)
        process.kill()
        process.wait()
        process.stdout.close()
        rest = self.stream("--stdout")
        self.assertEqual(rest.returncode, 0, rest.stderr)
        kept, _ = consume([*got.decode().splitlines(), *rest.stdout.splitlines()])
        self.assert_whole(kept)

    def test_a_reader_that_ends_ends_the_stream_with_a_reason(self):
        process = self.follow("--stdout", stdout=subprocess.PIPE)
        process.stdout.read(10_000)
        process.stdout.close()
        self.assertEqual(process.wait(timeout=LIMIT_SECONDS), 1)
        self.assertIn("standard output: its reader has ended", self.events.read_text())

    def test_a_stream_that_is_killed_while_it_writes_a_file_loses_nothing(self):
        lines = self.folder / "lines"
        for pause in (0.03, 0.06, 0.1, 0.2):
            with lines.open("ab") as to:
                process = self.follow("--stdout", stdout=to)
            time.sleep(pause)
            process.kill()
            process.wait()
        # A loss of power cuts the last line, and takes the cursor back.
        os.truncate(lines, max(0, lines.stat().st_size - 10))
        (self.copy / "cursors" / "stdout").unlink(missing_ok=True)
        with lines.open("ab") as to:
            done = subprocess.run([self.nexusfix, "stream", "--stdout", self.copy], stdout=to,
                                  stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        kept, _ = consume(lines.read_text().splitlines())
        self.assert_whole(kept)

    def test_a_full_disk_is_waited_for(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        with open("/dev/full", "w", encoding="utf-8") as full:
            process = self.follow("--stdout", "--drain", "0", stdout=full)
        self.await_event(5071)
        self.assertIn("No space left on device", self.events.read_text())
        process.terminate()
        self.assertEqual(process.wait(timeout=LIMIT_SECONDS), 0)
        self.assertIn(" 0 messages acknowledged", self.events.read_text())


class Command(JournalTest):
    def setUp(self):
        super().setUp()
        self.got = self.folder / "got"
        self.got.touch()
        (self.folder / "archive.py").write_text(ARCHIVE)
        self.archive = f"exec {sys.executable} {self.folder}/archive.py {self.got}"

    def consumed(self):
        return consume(self.got.read_text().splitlines())

    def test_a_command_acknowledges_by_the_ids_that_it_prints(self):
        done = self.stream("--command", self.archive)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        kept, dropped = self.consumed()
        self.assert_whole(kept)
        self.assertEqual(dropped, 0)
        self.assertIn(f"{len(self.stored):,} messages acknowledged", done.stderr)

    def test_a_command_of_each_batch_acknowledges_by_its_status(self):
        done = self.stream("--ack", "exit", "--batch", 300, "--command",
                           f"cat >> {self.got}; echo ran")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, "ran\n" * -(-len(self.stored) // 300))
        kept, dropped = self.consumed()
        self.assert_whole(kept)
        self.assertEqual(dropped, 0)

    def test_a_command_that_fails_gets_the_batch_again(self):
        done = self.stream("--ack", "exit", "--batch", 1000, "--command",
                           f"cat >> {self.got}; mkdir {self.folder}/second 2> /dev/null && exit 3; "
                           "exit 0")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("no answer from the command: the command ended with status 3", done.stderr)
        self.assertIn("NXF-5072", done.stderr)
        kept, dropped = self.consumed()
        self.assert_whole(kept)
        self.assertEqual(dropped, 1000)

    def test_kill_9_of_command_and_stream_in_any_order_loses_nothing(self):
        for pause, who in ((0.1, "command"), (0.15, "stream"), (0.2, "command"), (0.3, "stream")):
            process = self.follow("--command", f"echo $$ > {self.folder}/pid; {self.archive} slow")
            time.sleep(pause)
            if who == "command":
                pid = self.folder / "pid"
                if pid.exists() and pid.read_text().strip():
                    try:
                        os.kill(int(pid.read_text()), signal.SIGKILL)
                    except ProcessLookupError:
                        pass
                time.sleep(0.3)
            process.kill()
            process.wait()
        done = self.stream("--command", self.archive)
        self.assertEqual(done.returncode, 0, done.stderr)
        kept, _ = self.consumed()
        self.assert_whole(kept)

    def test_an_id_that_the_command_did_not_get_moves_no_cursor(self):
        for answer, reason in (("echo 1-2-3", "acknowledged 1-2-3, which it did not get"),
                               ("head -c 9000 /dev/zero", "printed a line that is no id")):
            process = self.follow("--command", f"{answer}; cat > /dev/null", "--drain", "0")
            wait_until(lambda reason=reason: reason in self.events.read_text(), reason)
            process.terminate()
            self.assertEqual(process.wait(timeout=LIMIT_SECONDS), 0)
        self.assertNotRegex(self.events.read_text(), r"NXF-5074 .*: [1-9]\d* message")

    def test_a_command_that_acknowledges_less_than_it_got_is_an_error(self):
        done = self.stream("--command", "cat > /dev/null")
        self.assertEqual(done.returncode, 1)
        self.assertIn("the command ended with status 0, and has not acknowledged", done.stderr)

    def test_a_signal_lets_the_command_finish_what_it_has(self):
        process = self.follow("--command", self.archive)
        wait_until(lambda: len(self.got.read_text().splitlines()) >= len(self.stored) // 50 * 50,
                   "the lines")
        process.terminate()
        self.assertEqual(process.wait(timeout=LIMIT_SECONDS), 0)
        self.assertIn(f"{len(self.stored):,} messages acknowledged", self.events.read_text())
        self.assert_whole(self.consumed()[0])


class Arguments(JournalTest):
    orders = 2

    def test_wrong_arguments_are_refused_before_a_cursor_is_made(self):
        one = "one of --kafka, --stdout"
        for arguments, reason in (
                ((), one),
                (("--stdout", "--command", "cat"), one),
                (("--stdout", "--topic", "fix"), "--topic, --properties and --set are for --kafka"),
                (("--stdout", "--format", "arrow"), "arrow"),
                (("--command", "cat", "--ack", "never"), "--ack"),
                (("--command", "cat", "--batch", "0"), "--batch")):
            with self.subTest(arguments=arguments):
                done = self.stream(*arguments)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(reason, done.stderr)
        self.assertFalse((self.copy / "cursors").exists())


if __name__ == "__main__":
    JournalTest.nexusfix = sys.argv.pop(1)
    unittest.main()
