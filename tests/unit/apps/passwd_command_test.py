#!/usr/bin/env python3
"""`nexusfix passwd` from the view of an operator: on a terminal, from a pipe, and its files."""

import fcntl
import os
import pty
import select
import subprocess
import sys
import termios
import unittest

import command_test
from command_test import LIMIT_SECONDS, WithFolder, run


def give(line, *arguments):
    return run("passwd", *arguments, stdin=None, input=line)


class Terminal:
    """A program on a terminal of its own, as from a shell: Ctrl-C sends it a signal."""

    def __init__(self, *arguments):
        self.master, self.slave = pty.openpty()
        self.before = termios.tcgetattr(self.slave)
        self.process = subprocess.Popen(
            [command_test.NEXUSFIX, "passwd", *map(str, arguments)], stdin=self.slave,
            stdout=self.slave, stderr=self.slave, start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        self.shown = b""

    def echoes(self):
        return bool(termios.tcgetattr(self.slave)[3] & termios.ECHO)

    def wait_for(self, text):
        while not self.shown.endswith(text):
            assert select.select([self.master], [], [], LIMIT_SECONDS)[0], self.shown
            self.shown += os.read(self.master, 1000)

    def type(self, typed):
        os.write(self.master, typed)
        self.shown += b"\n"  # the next question is another one

    def end(self):
        """Returns its output and its exit status."""
        status = self.process.wait(LIMIT_SECONDS)
        while select.select([self.master], [], [], 0)[0]:
            self.shown += os.read(self.master, 1000)
        return self.shown.decode(), status

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.slave)
        os.close(self.master)


def type_in(answers, *arguments):
    """Answers each question on a terminal; returns the output and the exit status."""
    terminal = Terminal(*arguments)
    try:
        for answer in answers:
            terminal.wait_for(b": ")
            terminal.type(answer.encode() + b"\n")
        return terminal.end()
    finally:
        terminal.close()


class Passwd(WithFolder):
    def setUp(self):
        super().setUp()
        self.file = self.folder / "users"

    def test_users_come_change_and_go(self):
        done = give("pa55word\n", self.file, "BROKER")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, f"{self.file}: user BROKER added\n")
        self.assertEqual(self.file.stat().st_mode & 0o7777, 0o600)
        before = self.file.read_text()
        self.assertRegex(before, r"^BROKER:\$argon2id\$v=19\$m=65536,t=2,p=1\$[^$]+\$[^$]+\n$")
        self.assertNotIn("pa55word", before)
        self.file.write_text("# ours\n" + before)
        self.assertIn("has a new password", give("new\n", self.file, "BROKER").stdout)
        self.assertNotIn(before, self.file.read_text())
        give("x\n", self.file, "OTHER")
        listed = run("passwd", self.file, "--list").stdout
        self.assertEqual([line.split()[0] for line in listed.splitlines()], ["BROKER", "OTHER"])
        self.assertIn("2 users, all right", run("passwd", self.file, "--check").stdout)
        self.assertEqual(run("passwd", self.file, "BROKER", "--delete").returncode, 0)
        self.assertTrue(self.file.read_text().startswith("# ours\nOTHER:"))
        done = run("passwd", self.file, "BROKER", "--delete")
        self.assertEqual((done.returncode, "there is no user BROKER" in done.stderr), (1, True))
        self.assertEqual([path.name for path in self.folder.iterdir()], ["users"])

    def test_terminal_asks_twice_and_shows_nothing(self):
        shown, status = type_in(["pa55word", "pa55word"], self.file, "BROKER")
        self.assertEqual(status, 0, shown)
        self.assertIn("Password of BROKER: ", shown)
        self.assertNotIn("pa55word", shown)
        self.assertEqual(self.file.stat().st_mode & 0o7777, 0o600)
        before = self.file.read_text()
        self.assertNotIn("pa55word", before)
        shown, status = type_in(["one", "two"], self.file, "BROKER")
        self.assertEqual(status, 1)
        self.assertIn("the passwords differ; nothing was changed", shown)
        self.assertEqual(self.file.read_text(), before)

    def test_terminal_echoes_nothing_while_it_asks_and_everything_afterwards(self):
        for answers in ([b"pa55word\n", b"pa55word\n"], [b"pa55word\n", b"another\n"], [b"\n"],
                        [b"pa55\x03"], [b"pa55word\n", b"\x03"], [b"pa55word\n", b"\x04"]):
            with self.subTest(answers):
                terminal = Terminal(self.file, "BROKER")
                self.addCleanup(terminal.close)
                self.assertTrue(terminal.before[3] & termios.ECHO)
                for answer in answers:
                    terminal.wait_for(b": ")
                    self.assertFalse(terminal.echoes())
                    terminal.type(answer)
                shown, _ = terminal.end()
                self.assertEqual(termios.tcgetattr(terminal.slave), terminal.before)
                for answer in answers:
                    self.assertNotIn(answer.decode().strip()[:4] or "pa55", shown)

    def test_ctrl_c_ends_it_and_changes_neither_the_terminal_nor_the_file(self):
        give("right\n", self.file, "BROKER")
        before = self.file.read_bytes()
        for answers in ([b"\x03"], [b"half\x03"], [b"whole\n", b"\x03"], [b"whole\n", b"who\x03"]):
            with self.subTest(answers):
                terminal = Terminal(self.file, "BROKER")
                self.addCleanup(terminal.close)
                for answer in answers:
                    terminal.wait_for(b": ")
                    terminal.type(answer)
                shown, status = terminal.end()
                self.assertEqual(status, 1, shown)
                self.assertTrue(terminal.echoes())
                self.assertEqual(termios.tcgetattr(terminal.slave), terminal.before)
                self.assertEqual(self.file.read_bytes(), before)
                self.assertEqual([path.name for path in self.folder.iterdir()], ["users"])

    def test_an_invalid_password_or_user_is_refused(self):
        for line in ("", "\n", "x" * 256 + "\n", "a\x01b\n"):
            done = give(line, self.file, "BROKER")
            self.assertEqual(done.returncode, 1)
            self.assertIn("password", done.stderr)
        for user in ("", "a:b", "#a", " a"):
            self.assertEqual(give("x\n", self.file, user).returncode, 2, user)
        self.assertEqual(run("passwd", self.file).returncode, 2)
        self.assertEqual(run("passwd", self.file, "--list", "--check").returncode, 2)
        self.assertFalse(self.file.exists())

    def test_file_that_is_invalid_or_readable_by_others_is_refused_and_not_changed(self):
        give("x\n", self.file, "BROKER")
        right = self.file.read_text()
        os.chmod(self.file, 0o640)
        for arguments in (["--check"], ["--list"], ["BROKER", "--delete"], ["OTHER"]):
            done = give("x\n", self.file, *arguments)
            self.assertEqual(done.returncode, 1)
            self.assertIn(f"chmod 600 {self.file}", done.stderr)
        os.chmod(self.file, 0o600)
        self.file.write_text(right + "BROKER:secret\n")
        done = give("x\n", self.file, "OTHER")
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"{self.file}:2: user BROKER", done.stderr)
        self.assertNotIn("secret", done.stderr)
        self.assertEqual(self.file.read_text(), right + "BROKER:secret\n")
        self.assertEqual(run("passwd", self.folder / "none", "--check").returncode, 1)

    def test_config_check_looks_at_the_file(self):
        config = self.folder / "a.cfg"
        config.write_text("[DEFAULT]\nConnectionType=acceptor\nSocketAcceptPort=0\nStore=memory\n"
                          f"NonStopSession=Y\nPasswordFile={self.file}\n[SESSION]\n"
                          "BeginString=FIX.4.4\nSenderCompID=A\nTargetCompID=B\n")
        done = run("config", "check", config)
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"a.cfg:6: PasswordFile: {self.file}: stat ", done.stderr)
        give("x\n", self.file, "B")
        done = run("config", "check", config)
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    command_test.NEXUSFIX = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
