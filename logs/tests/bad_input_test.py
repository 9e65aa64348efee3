#!/usr/bin/env python3
"""Each command that reads logs, on each kind of bad input: counts, one line, status and memory."""

import array
import fcntl
import gzip
import lzma
import os
import random
import re
import signal
import struct
import subprocess
import sys
import termios
import unittest

import command_test
from command_test import LIMIT_SECONDS, WithFolder
from logs_command_test import capture, order
from replay.replay_command_test import Peer

MEMORY_BYTES = 200 << 20
HUGE_BYTES = 256 << 20
LINES = 200_000  # more than pipes and buffers hold
# A sanitizer multiplies time and memory: only the release build says how much memory is needed.
SANITIZED_HUGE_BYTES = 8 << 20
SANITIZED_LINES = 10_000
ONE_LINE_OF_A_FULL_DISK = (r"\Anexusfix: .*(standard output could not be written"
                           r"|No space left on device).*\n\Z")

# Words before the file, and a pattern of the output for N messages of order(1) to order(N).
COMMANDS = {
    "decode": (("decode", "--summary"), "\\n{n} messages?, [01] faulty"),
    "ndjson": (("decode", "--ndjson", "--fields", "11"), None),
    "validate": (("validate", "--set", "ValidateUserDefinedFields=N", "--summary"), "{n} message"),
    "grep": (("grep", "-c", "35=D"), "^{n}\n"),
    "grep with threads": (("grep", "-c", "-j", "2", "35=D"), "^{n}\n"),
    "stats": (("stats",), " {n}  100.0 %"),
    "order": (("order", "A1"), "ClOrdID A1"),
    "anonymise": (("anonymise",), None),
}


def has_export():
    done = subprocess.run([command_test.NEXUSFIX, "export", "--arrow", "-", os.devnull],
                          capture_output=True, check=False)
    return b"is not installed" not in done.stderr


def is_sanitized(program):
    with open(program, "rb") as file:
        contents = file.read()
    return b"__asan_init" in contents or b"__tsan_init" in contents


def without_events(text):
    """Standard error without the lines of an engine's events."""
    return re.sub(r"(?m)^[0-9]{8}-[0-9:.]+ [A-Z]+ NXF-.*\n", "", text)


class BadInput(WithFolder):
    @classmethod
    def setUpClass(cls):
        cls.is_sanitized = is_sanitized(command_test.NEXUSFIX)
        cls.huge_bytes = SANITIZED_HUGE_BYTES if cls.is_sanitized else HUGE_BYTES
        cls.lines = SANITIZED_LINES if cls.is_sanitized else LINES

    def setUp(self):
        super().setUp()
        self.commands = dict(COMMANDS)
        if has_export():
            out = str(self.folder / "out.arrow")
            words = ("export", "--fields", "11", "--arrow", out)
            self.commands["export"] = (words, "^{n} rows? in")
            self.commands["export with threads"] = ((*words[:1], "-j", "2", *words[1:]),
                                                    "^{n} rows? in")

    def put(self, name, content):
        path = self.folder / name
        path.write_bytes(content)
        return path

    def run_one(self, words, path, stdout=subprocess.PIPE):
        """The output, standard error, status and peak memory."""
        with subprocess.Popen([command_test.NEXUSFIX, *words, path], stdin=subprocess.DEVNULL,
                              stdout=stdout, stderr=subprocess.PIPE) as child:
            out = child.stdout.read() if child.stdout else b""
            err = child.stderr.read().decode()
            _, status, usage = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
        return out.decode(errors="replace"), err, child.returncode, usage.ru_maxrss * 1024

    def assert_little_memory(self, memory):
        if not self.is_sanitized:
            self.assertLess(memory, MEMORY_BYTES)

    def replay(self, path, *more, stdout=subprocess.PIPE):
        """Into a session with an acceptor. Its output, standard error, and status, and the
        ClOrdIDs that the acceptor has received."""
        peer = Peer(self)
        words = ("replay", "--connect", f"127.0.0.1:{peer.port}", "--sender", "TRADER", "--target",
                 "VENUE", "--speed", "max", "--wait", "0", *more)
        out, err, code, memory = self.run_one(words, path, stdout)
        self.assert_little_memory(memory)
        return out, without_events(err), code, [fields.get("11") for fields in peer.orders()]

    def check(self, path, messages, error, status=1):
        """error: the only line on standard error, without the name of the command; None: nothing
        is said about the messages that there are."""
        for name, (words, pattern) in self.commands.items():
            with self.subTest(command=name, path=path.name):
                out, err, code, memory = self.run_one(words, path)
                self.assert_little_memory(memory)
                # These messages lack fields.
                self.assertEqual(code, 1 if name == "validate" else status, err)
                if error is not None:
                    self.assertRegex(err, f"\\Anexusfix {words[0]}: {error}\n\\Z")
                if pattern is not None and messages > 0:
                    self.assertRegex(out[-500:], pattern.format(n=messages))

    def test_an_archive_that_is_cut(self):
        text = "".join(order(number) + "\n" for number in range(1, 2001)).encode()
        for name, packed in (("gzip", gzip.compress(text)), ("xz", lzma.compress(text))):
            path = self.put(name, packed[:len(packed) // 2])
            count = subprocess.run([command_test.NEXUSFIX, "grep", "-c", "35=D", path],
                                   capture_output=True, text=True, check=False).stdout
            self.assertGreater(int(count), 100)
            self.check(path, int(count), f"{path}: {name}: the archive is cut")

    def test_a_capture_that_is_cut(self):
        path = self.put("pcap", capture(order(1), order(2), order(3))[:-9])
        self.check(path, 2, f"{path}: the capture is cut: .*")

    def test_a_capture_with_fragments_of_ip_packets(self):
        whole = capture(order(1), order(2))
        packet = struct.pack(">BBHHHBBHII", 0x45, 0, 28, 1, 0x2000, 64, 6, 0, 1, 2) + b"12345678"
        record = struct.pack("<IIII", 1705314600, 0, len(packet), len(packet)) + packet
        path = self.put("pcap", whole + record)
        error = ("1 fragment of IP packets not read, the first from 0.0.0.1->0.0.0.2 at byte "
                 f"{len(whole)}")
        self.check(path, 2, f"{path}: {error}", status=0)

    def test_bytes_that_are_no_log(self):
        for name, content in (("binary", random.Random(1).randbytes(1 << 20)), ("empty", b""),
                              ("zeros", b"\0" * (1 << 20))):
            self.check(self.put(name, content), 0, None)

    def test_zeros_between_messages(self):
        content = b"\0" * (1 << 20) + order(1).encode() + b"\0" * 99 + order(2).encode()
        path = self.put("zeros", content)
        self.check(path, 2, None, status=0)
        good = self.put("good", (order(1) + "\n" + order(2)).encode())
        out, err, code, memory = self.run_one(("diff", path), good)
        self.assertEqual((out.split(",")[0], err, code), ("2 messages equal", "", 0))
        self.assert_little_memory(memory)
        out, err, code, received = self.replay(path)
        self.assertEqual((err, code, received), ("", 0, ["A1", "A2"]), out)

    def test_a_huge_message(self):
        path = self.folder / "huge"
        with open(path, "wb") as file:
            file.write(order(1).encode() + b"\n8=FIX.4.4\x019=999999999\x0135=D\x0158=")
            file.seek(self.huge_bytes, os.SEEK_CUR)
            file.write(b"\x0110=000\x01\n" + order(2).encode() + b"\n")
        error = f"{path}: 1 message is longer than 1 MiB and cut there, the first at byte [0-9]+"
        self.check(path, 3, error)
        good = self.put("good", (order(1) + "\n" + order(2)).encode())
        out, err, code, memory = self.run_one(("diff", path), good)
        self.assertEqual(code, 2, err)
        self.assertRegex(err, f"\\Anexusfix diff: {error}\n\\Z")
        self.assertRegex(out, f"2 messages equal, .* 1 only in {path}, 0 only in {good}")
        self.assert_little_memory(memory)
        out, err, code, received = self.replay(path)
        self.assertEqual((code, received), (1, ["A1", "A2"]), err)
        self.assertRegex(err, f"\\Anexusfix replay: {error}\n\\Z")
        self.assertIn("1 of another sender", out)

    def test_diff_and_replay_of_what_cannot_be_read_to_its_end(self):
        text = "".join(order(number) + "\n" for number in range(1, 2001)).encode()
        cut = self.put("cut", gzip.compress(text)[:4000])
        nothing = self.put("binary", random.Random(1).randbytes(1 << 20))
        good = self.put("good", (order(1) + "\n").encode())
        out, err, code, memory = self.run_one(("diff", "-q", cut), good)
        self.assertEqual((out, code), ("", 2), err)
        self.assertEqual(err, f"nexusfix diff: {cut}: gzip: the archive is cut\n")
        self.assert_little_memory(memory)
        out, err, code, _ = self.run_one(("diff", nothing), good)
        self.assertEqual(code, 1, err)
        self.assertRegex(out, f"1 only in {good}")
        _, err, code, received = self.replay(nothing)
        self.assertEqual((code, received), (1, []), err)
        self.assertEqual(err, "nexusfix replay: there is no message to send\n")
        _, err, code, received = self.replay(cut)
        self.assertEqual(code, 1, err)
        self.assertEqual(err, f"nexusfix replay: {cut}: gzip: the archive is cut\n")
        self.assertGreater(len(received), 100)

    def test_a_log_that_is_cut_meanwhile(self):
        path = self.put("log", "".join(order(n) + "\n" for n in range(1, self.lines)).encode())
        for words in (("decode", "--ndjson"), ("anonymise",)):
            with self.subTest(command=words[0]), subprocess.Popen(
                    [command_test.NEXUSFIX, *words, path], stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE) as child:
                child.stdout.read(100)  # the rest waits in the pipe, or is unread
                whole = path.read_bytes()
                os.truncate(path, 1000)
                child.stdout.read()
                self.assertLessEqual(child.stderr.read().count(b"\n"), 1)
                self.assertIn(child.wait(LIMIT_SECONDS), (0, 1))
                path.write_bytes(whole)

    def test_a_full_disk(self):
        path = self.put("log", "".join(order(n) + "\n" for n in range(1, 3000)).encode())
        for name, (words, _) in self.commands.items():
            if name.startswith("export"):
                words = (*words[:-1], "-")
            with self.subTest(command=name), open("/dev/full", "wb") as full:
                _, err, code, _ = self.run_one(words, path, full)
                self.assertEqual(code, 1, err)
                self.assertEqual(err.count("\n"), 1, err)
                self.assertRegex(err, "No space left on device|could not be written")
        other = self.put("other", order(1).encode())
        with open("/dev/full", "wb") as full:
            _, err, code, _ = self.run_one(("diff", path), other, full)
            self.assertEqual(code, 1, err)
            self.assertRegex(err, ONE_LINE_OF_A_FULL_DISK)
            _, err, code, received = self.replay(other, stdout=full)
            self.assertEqual((code, received), (1, ["A1"]), err)
            self.assertRegex(err, ONE_LINE_OF_A_FULL_DISK)

    def test_a_closed_output(self):
        # More than the pipe (1 MiB) and the buffers hold, or a command ends before the reader does.
        line = (order(1) + "\n").encode()
        path = self.put("log", line * (8_000_000 // len(line)))
        for words in (("anonymise",), ("decode",), ("grep", "35=D"), ("grep", "-j", "2", "35=D")):
            with subprocess.Popen([command_test.NEXUSFIX, *words, path], stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE) as child:
                child.stdout.read(100)
                child.stdout.close()
                self.assertEqual(child.stderr.read(), b"", words)
                self.assertEqual(child.wait(LIMIT_SECONDS), -signal.SIGPIPE, words)

    @staticmethod
    def unread(child):
        waiting = array.array("i", [0])
        fcntl.ioctl(child.stdin, termios.FIONREAD, waiting)
        return waiting[0]

    def test_ctrl_c(self):
        for name, (words, pattern) in self.commands.items():
            with self.subTest(command=name):
                child = subprocess.Popen([command_test.NEXUSFIX, *words, "-"],
                                         stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                         stderr=subprocess.PIPE, text=True)
                self.addCleanup(child.kill)
                child.stdin.write(order(1) + "\n" + order(2) + "\n")
                child.stdin.flush()
                # The bytes were read: the pipe is empty.
                command_test.wait_until(lambda one=child: not self.unread(one), "it was read")
                child.send_signal(signal.SIGINT)
                child.wait(LIMIT_SECONDS)  # its input is still open
                out, err = child.communicate()
                self.assertEqual(child.returncode, 1, err)
                self.assertEqual(err, f"nexusfix {words[0]}: standard input: interrupted\n")
                if pattern is not None and name != "order":
                    self.assertRegex(out, pattern.format(n=2))

    def test_ctrl_c_of_diff_and_replay(self):
        good = self.put("good", (order(1) + "\n" + order(2) + "\n").encode())
        peer = Peer(self)
        for words, status, error in (
                (("diff", "-", good), 2, "(standard input|.*/good): interrupted"),
                (("replay", "--connect", f"127.0.0.1:{peer.port}", "--sender", "TRADER",
                  "--target", "VENUE", "-"), 1, "stopped by a signal")):
            with self.subTest(command=words[0]):
                child = subprocess.Popen([command_test.NEXUSFIX, *words], stdin=subprocess.PIPE,
                                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                self.addCleanup(child.kill)
                child.stdin.write(order(1) + "\n" + order(2) + "\n")
                child.stdin.flush()
                command_test.wait_until(lambda one=child: not self.unread(one), "it was read")
                if words[0] == "replay":
                    command_test.wait_until(lambda: len(peer.orders()) == 2, "both orders")
                child.send_signal(signal.SIGINT)
                child.wait(LIMIT_SECONDS)
                out, err = child.communicate()
                self.assertEqual(child.returncode, status, err)
                self.assertRegex(without_events(err), f"\\Anexusfix {words[0]}: {error}\n\\Z")
                self.assertIn("2 messages", out)


if __name__ == "__main__":
    command_test.NEXUSFIX = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
