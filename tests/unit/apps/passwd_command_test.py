#!/usr/bin/env python3
"""`nexusfix passwd` as an operator meets it: on a terminal, from a pipe, and what it leaves."""

import os
import pty
import subprocess
import sys
import unittest

import command_test
from command_test import LIMIT_SECONDS, WithFolder, run


def give(line, *arguments):
    return run("passwd", *arguments, stdin=None, input=line)


def type_in(answers, *arguments):
    """Answers each question on a terminal; what it shows, and the exit status."""
    master, slave = pty.openpty()
    process = subprocess.Popen([command_test.NEXUSFIX, "passwd", *map(str, arguments)],
                               stdin=slave, stdout=slave, stderr=slave)
    os.close(slave)
    shown = b""
    for answer in answers:
        while not shown.endswith(b": "):
            shown += os.read(master, 1000)
        os.write(master, answer.encode() + b"\n")
        shown += b"\n"  # the next question is another one
    try:
        while chunk := os.read(master, 1000):
            shown += chunk
    except OSError:
        pass  # its end
    os.close(master)
    return shown.decode(), process.wait(LIMIT_SECONDS)


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
        before = self.file.read_text()
        shown, status = type_in(["one", "two"], self.file, "BROKER")
        self.assertEqual(status, 1)
        self.assertIn("the two differ; nothing has changed", shown)
        self.assertEqual(self.file.read_text(), before)

    def test_what_cannot_be_a_password_or_a_user_is_refused(self):
        for line in ("", "\n", "x" * 256 + "\n", "a\x01b\n"):
            done = give(line, self.file, "BROKER")
            self.assertEqual(done.returncode, 1)
            self.assertIn("password", done.stderr)
        for user in ("", "a:b", "#a", " a"):
            self.assertEqual(give("x\n", self.file, user).returncode, 2, user)
        self.assertEqual(run("passwd", self.file).returncode, 2)
        self.assertEqual(run("passwd", self.file, "--list", "--check").returncode, 2)
        self.assertFalse(self.file.exists())

    def test_file_that_is_wrong_or_open_to_others_is_refused_and_left(self):
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
