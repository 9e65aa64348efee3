#!/usr/bin/env python3
"""The log tools with damaged archives, binary files, full and closed outputs, and Ctrl-C."""

import array
import fcntl
import gzip
import os
import signal
import subprocess
import sys
import termios
import unittest

import command_test
from command_test import LIMIT_SECONDS, WithFolder

MESSAGE = b"20240115-10:30:00 : 8=FIX.4.4|9=5|35=0|10=163|\n"
WRITERS = (["anonymise"], ["stats"], ["stats", "--html"], ["stats", "--json"], ["decode"],
           ["grep", "35=0"])


class BadInput(WithFolder):
    def file(self, name, content):
        path = self.folder / name
        path.write_bytes(content)
        return path

    def run_to(self, words, output, **options):
        return subprocess.run([command_test.NEXUSFIX, *map(str, words)], stdout=output,
                              stderr=subprocess.PIPE, timeout=LIMIT_SECONDS, check=False, **options)

    def test_a_cut_archive_is_read_as_far_as_possible(self):
        whole = gzip.compress(b"".join(b"%06d " % number + MESSAGE for number in range(20_000)))
        log = self.file("cut.gz", whole[:len(whole) // 2])
        for words in WRITERS:
            done = self.run_to([*words, log], subprocess.PIPE)
            self.assertIn(done.returncode, (1, 2), words)
            self.assertGreater(len(done.stdout), 100, words)
            self.assertEqual(done.stderr.count(b"\n"), 1, (words, done.stderr))
            self.assertIn(b"cut.gz", done.stderr)

    def test_binary_bytes_around_messages_do_not_matter(self):
        log = self.file("binary.log",
                        bytes(range(256)) * 100 + b"\n\0\0" + MESSAGE + b"\0\xff" * 50)
        for words in WRITERS:
            done = self.run_to([*words, log], subprocess.PIPE)
            self.assertEqual((done.returncode, done.stderr), (0, b""), words)

    def test_a_full_output_is_one_line_and_status_1(self):
        log = self.file("many.log", MESSAGE * 20_000)
        for words in WRITERS:
            with open("/dev/full", "wb") as full:
                done = self.run_to([*words, log], full)
            self.assertEqual(done.returncode, 1, words)
            self.assertRegex(done.stderr, rb"\Anexusfix: standard output could not be written"
                                          rb"(: No space left on device)?\n\Z")

    def test_a_closed_output_ends_the_command(self):
        log = self.file("many.log", MESSAGE * 200_000)
        for words in (["anonymise"], ["decode"], ["grep", "35=0"]):
            with subprocess.Popen([command_test.NEXUSFIX, *words, log], stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE) as child:
                child.stdout.read(100)
                child.stdout.close()
                self.assertEqual(child.stderr.read(), b"", words)
                self.assertEqual(child.wait(LIMIT_SECONDS), -signal.SIGPIPE, words)

    def test_ctrl_c_keeps_what_was_read_and_the_status_is_1(self):
        for words, expected in ((["stats"], b"3 messages"), (["stats", "--html"], b"3 messages"),
                                (["anonymise"], b"8=FIX.4.4")):
            with subprocess.Popen([command_test.NEXUSFIX, *words, "-"], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
                self.addCleanup(child.kill)
                child.stdin.write(MESSAGE * 3)
                child.stdin.flush()
                # The bytes were read: the pipe is empty.
                command_test.wait_until(lambda: not self.unread(child), "the messages are read")
                child.send_signal(signal.SIGINT)
                out, errors = child.stdout.read(), child.stderr.read()
                self.assertEqual(child.wait(LIMIT_SECONDS), 1, (words, errors))
            self.assertIn(expected, out)
            self.assertEqual(errors.count(b"\n"), 1, errors)

    @staticmethod
    def unread(child):
        waiting = array.array("i", [0])
        fcntl.ioctl(child.stdin, termios.FIONREAD, waiting)
        return waiting[0]


if __name__ == "__main__":
    command_test.NEXUSFIX = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
