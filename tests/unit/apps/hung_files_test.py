#!/usr/bin/env python3
"""Files that never answer: a pipe without a writer, a device, a file system that hangs.

None of them may block a command, the sessions of a venue, or its end. The file system that hangs is
a real one: a FUSE server of this test, in a mount namespace that ends with it."""

import ctypes
import errno
import os
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

NEXUSFIX = ""  # set by main
IS_INSIDE = "--inside"
LIMIT_SECONDS = 120  # for hangs only; every step takes less than a second

# The other keys of the configuration; an initiator with TLS needs no certificate of its own.
INITIATOR = ("ConnectionType=initiator\nSocketConnectHost=127.0.0.1\nSocketConnectPort=1\n"
             "HeartBtInt=30\nSocketUseSSL=Y\n")
FILE_KEYS = {
    "DataDictionary": "",
    "HolidayFile": "StartTime=08:00:00\nEndTime=17:00:00\n",
    "PasswordFile": "",
    "ServerCertificateFile": "SocketUseSSL=Y\n",
    "CertificationAuthoritiesFile": INITIATOR,
    "CertificateRevocationListFile": INITIATOR,
}


def wait_until(condition, what):
    deadline = time.monotonic() + LIMIT_SECONDS
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"never happened: {what}")
        time.sleep(0.01)


class FuseFolder:
    """One folder with files. A file that hangs can be looked up, but answers no read."""

    INIT, LOOKUP, FORGET, GETATTR, OPEN, READ, RELEASE, FLUSH, INTERRUPT = (
        26, 1, 2, 3, 14, 15, 18, 25, 36)

    def __init__(self, folder):
        self.folder = folder
        self.files = {}
        self.hanging = set()
        self.waiting = {}
        self.lock = threading.Lock()
        self.device = os.open("/dev/fuse", os.O_RDWR)
        self.libc = ctypes.CDLL(None, use_errno=True)
        options = f"fd={self.device},rootmode=40000,user_id={os.getuid()},group_id={os.getgid()}"
        if self.libc.mount(b"hung", os.fsencode(folder), b"fuse", 0, options.encode()) != 0:
            number = ctypes.get_errno()
            os.close(self.device)
            raise OSError(number, os.strerror(number))
        threading.Thread(target=self.serve, daemon=True).start()

    def close(self):
        self.let_go()
        self.libc.umount2(os.fsencode(self.folder), 2)  # MNT_DETACH

    def put(self, name, text):
        with self.lock:
            self.files[name] = text.encode()

    def hang(self, name):
        with self.lock:
            self.hanging.add(name)

    def let_go(self):
        with self.lock:
            self.hanging.clear()
            waiting, self.waiting = self.waiting, {}
        for unique, name, offset, size in waiting.values():
            self.answer(unique, 0, self.files[name][offset:offset + size])

    def answer(self, unique, error, body=b""):
        try:
            os.write(self.device, struct.pack("<IiQ", 16 + len(body), -error, unique) + body)
        except OSError:
            pass  # No process waits for it.

    def attributes(self, node):
        is_root = node == 1
        size = 0 if is_root else len(self.files[self.name_of(node)])
        mode = 0o40700 if is_root else 0o100600
        return struct.pack("<6Q10I", node, size, 1, 0, 0, 0, 0, 0, 0, mode, 1, os.getuid(),
                           os.getgid(), 0, 4096, 0)

    def name_of(self, node):
        return sorted(self.files)[node - 2]

    def serve(self):
        while True:
            try:
                request = os.read(self.device, 1 << 20)
            except OSError as error:
                if error.errno in (errno.EINTR, errno.ENOENT, errno.EAGAIN):
                    continue
                return
            _, opcode, unique, node = struct.unpack_from("<IIQQ", request)
            with self.lock:
                reply = self.reply_to(opcode, unique, node, request[40:])
            if reply is not None:
                self.answer(unique, *reply)

    def reply_to(self, opcode, unique, node, body):
        if opcode == self.INIT:
            return 0, struct.pack("<IIIIHHIIHHIII6I", 7, 31, 1 << 16, 0, 8, 8, 1 << 16, 1, 16, 0,
                                  0, 0, 0, *[0] * 6)[:64]
        if opcode == self.LOOKUP:
            name = body.rstrip(b"\0").decode()
            if name not in self.files:
                return errno.ENOENT, b""
            found = sorted(self.files).index(name) + 2
            return 0, struct.pack("<4Q2I", found, 0, 0, 0, 0, 0) + self.attributes(found)
        if opcode == self.GETATTR:
            return 0, struct.pack("<QII", 0, 0, 0) + self.attributes(node)
        if opcode == self.OPEN:
            return 0, struct.pack("<QII", 0, 1, 0)  # FOPEN_DIRECT_IO: nothing is cached
        if opcode == self.READ:
            offset, size = struct.unpack_from("<QI", body, 8)
            name = self.name_of(node)
            if name in self.hanging:
                self.waiting[unique] = (unique, name, offset, size)
                return None
            return 0, self.files[name][offset:offset + size]
        if opcode == self.INTERRUPT:
            # Answer interrupts, as a live server does: otherwise the process could not be killed.
            interrupted = struct.unpack_from("<Q", body)[0]
            if self.waiting.pop(interrupted, None) is not None:
                self.answer(interrupted, errno.EINTR)
            return None
        if opcode in (self.FORGET,):
            return None
        return (0 if opcode in (self.RELEASE, self.FLUSH) else errno.ENOSYS), b""


class WithFolder(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="nexusfix-hung-")
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def text(self, more="", sessions="", port=0):
        return ("[DEFAULT]\nConnectionType=acceptor\nSocketAcceptHost=127.0.0.1\n"
                f"SocketAcceptPort={port}\nFileStorePath={self.folder}/venue\n"
                f"[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=TRADER\n{more}"
                + sessions)

    def run_command(self, *arguments):
        return subprocess.run([NEXUSFIX, *map(str, arguments)], stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=LIMIT_SECONDS, check=False)

    def serve(self, config):
        log = open(self.folder / "events", "w", encoding="utf-8")
        venue = subprocess.Popen([NEXUSFIX, "serve", config], stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE, stderr=log, text=True)
        log.close()
        self.addCleanup(venue.stdout.close)
        self.addCleanup(venue.wait)
        self.addCleanup(venue.kill)
        match = re.fullmatch(r"listening on port (\d+)\n", venue.stdout.readline())
        self.assertIsNotNone(match, self.events())
        return venue, int(match[1])

    def events(self):
        return (self.folder / "events").read_text()

    def wait_for_event(self, text):
        wait_until(lambda: text in self.events(), f"{text!r} in {self.events()}")

    def expect_answer(self, port, number):
        """Logs on with a further session, and expects an answer."""
        def field(tag, value):
            return f"{tag}={value}\x01"
        body = (field(35, "A") + field(49, "TRADER") + field(56, "VENUE") + field(34, number) +
                field(52, time.strftime("%Y%m%d-%H:%M:%S", time.gmtime())) + field(98, 0) +
                field(108, 30) + field(141, "Y"))
        message = f"8=FIX.4.4\x019={len(body)}\x01{body}"
        message += f"10={sum(message.encode()) % 256:03}\x01"
        peer = socket.create_connection(("127.0.0.1", port), LIMIT_SECONDS)
        self.addCleanup(peer.close)
        peer.sendall(message.encode())
        self.assertIn(b"35=A\x01", peer.recv(4096))
        return peer

    def expect_end(self, venue):
        venue.send_signal(signal.SIGTERM)
        self.assertEqual(venue.wait(LIMIT_SECONDS), 0, self.events())


class Pipes(WithFolder):
    def pipe(self, name="pipe"):
        path = self.folder / name
        os.mkfifo(path, 0o600)
        return path

    def test_configuration_that_is_no_regular_file_is_refused_by_name_and_kind(self):
        for path, kind in ((self.pipe(), "a pipe (FIFO)"), ("/dev/zero", "a character device"),
                           ("/dev/tty", "a character device"), (self.folder, "a folder")):
            for command in (("config", "check"), ("serve",), ("trade",), ("config", "schedule"),
                            ("doctor",)):
                if command == ("doctor",) and not str(path).endswith("pipe"):
                    continue
                with self.subTest(path=path, command=command):
                    done = self.run_command(*command, path)
                    self.assertNotEqual(done.returncode, 0)
                    self.assertIn(f"open {path}: it is {kind}; a regular file was expected",
                                  done.stderr)

    def test_piped_configuration_is_refused_and_a_redirected_one_is_read(self):
        config = self.folder / "venue.cfg"
        config.write_text(self.text())
        command = [NEXUSFIX, "config", "check", "/dev/stdin"]
        with open(config, encoding="utf-8") as redirected:
            done = subprocess.run(command, stdin=redirected, capture_output=True, text=True,
                                  timeout=LIMIT_SECONDS, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = subprocess.run(command, input=config.read_text(), capture_output=True, text=True,
                              timeout=LIMIT_SECONDS, check=False)
        self.assertIn("it is a pipe (FIFO); a regular file was expected", done.stderr)

    def test_each_file_that_a_configuration_names_is_refused_at_its_line(self):
        pipe = self.pipe()
        for key, more in FILE_KEYS.items():
            with self.subTest(key=key):
                config = self.folder / f"{key}.cfg"
                config.write_text(self.text(f"{more}{key}={pipe}\n"))
                line = 1 + config.read_text().splitlines().index(f"{key}={pipe}")
                done = self.run_command("config", "check", config)
                self.assertNotEqual(done.returncode, 0)
                if "without" in done.stderr and "NEXUSFIX_" in done.stderr:
                    continue  # this build has no TLS or no passwords
                self.assertRegex(done.stderr,
                                 rf"{key}\.cfg:{line}: {key}: .*open {pipe}: it is a pipe \(FIFO\)")

    def test_reload_of_a_pipe_changes_nothing_and_ends_nothing(self):
        config = self.folder / "venue.cfg"
        config.write_text(self.text())
        venue, port = self.serve(config)
        self.expect_answer(port, 1)
        config.unlink()
        os.mkfifo(config, 0o600)
        venue.send_signal(signal.SIGHUP)
        self.wait_for_event(f"open {config}: it is a pipe (FIFO); a regular file was expected")
        self.assertIn("was read again and rejected; nothing has changed", self.events())
        self.expect_end(venue)


class HungFileSystem(WithFolder):
    def setUp(self):
        if IS_INSIDE not in sys.argv:
            self.skipTest("a mount namespace of its own needs root and unshare")
        super().setUp()
        mounted = self.folder / "hung"
        mounted.mkdir()
        try:
            self.fuse = FuseFolder(mounted)
        except OSError as error:
            self.skipTest(f"no FUSE here: {error}")
        self.addCleanup(self.fuse.close)
        self.mounted = mounted

    def test_venue_trades_and_ends_while_its_configuration_hangs(self):
        self.fuse.put("venue.cfg", self.text())
        venue, port = self.serve(self.mounted / "venue.cfg")
        self.fuse.hang("venue.cfg")
        venue.send_signal(signal.SIGHUP)
        wait_until(lambda: self.fuse.waiting, "the configuration is read")
        self.expect_answer(port, 1)
        self.assertTrue(self.fuse.waiting, "it still hangs")
        self.expect_end(venue)

    def test_core_dumps_have_no_memory_before_a_configuration_is_read(self):
        self.fuse.put("venue.cfg", self.text())
        self.fuse.hang("venue.cfg")
        config = self.mounted / "venue.cfg"
        for arguments in (["serve"], ["connect"], ["trade"], ["config", "check"], ["doctor"]):
            process = subprocess.Popen([NEXUSFIX, *arguments, config], stdin=subprocess.DEVNULL,
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            self.addCleanup(process.wait)
            self.addCleanup(process.kill)
            wait_until(lambda: self.fuse.waiting, "the configuration is read")
            core_filter = Path(f"/proc/{process.pid}/coredump_filter").read_text(encoding="ascii")
            self.assertEqual(int(core_filter, 16), 0x10, arguments)
            process.kill()
            process.wait()
            self.fuse.waiting.clear()

    def test_reload_is_aborted_with_the_name_of_the_file_and_a_later_one_succeeds(self):
        self.fuse.put("venue.cfg", self.text())
        venue, port = self.serve(self.mounted / "venue.cfg")
        self.fuse.hang("venue.cfg")
        venue.send_signal(signal.SIGHUP)
        self.wait_for_event("the file system does not answer: no answer for "
                            f"{self.mounted}/venue.cfg after 10 s")
        newcomer = "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=NEW\n"
        self.fuse.put("venue.cfg", self.text(sessions=newcomer))
        self.fuse.let_go()
        venue.send_signal(signal.SIGHUP)
        self.wait_for_event("was read again: 1 session added")
        self.expect_answer(port, 1)
        self.expect_end(venue)

    def test_venue_ends_while_a_password_file_hangs(self):
        self.fuse.put("users", "")
        config = self.folder / "venue.cfg"
        config.write_text(self.text(f"PasswordFile={self.mounted}/users\n"))
        if "NEXUSFIX_PASSWORDS" in self.run_command("config", "check", config).stderr:
            self.skipTest("this build has no passwords")
        venue, port = self.serve(config)
        self.fuse.hang("users")
        with self.assertRaises(TimeoutError):
            peer = socket.create_connection(("127.0.0.1", port), LIMIT_SECONDS)
            self.addCleanup(peer.close)
            body = ("35=A|49=TRADER|56=VENUE|34=1|52="
                    + time.strftime("%Y%m%d-%H:%M:%S", time.gmtime())
                    + "|98=0|108=30|553=TRADER|554=secret|").replace("|", "\x01")
            message = f"8=FIX.4.4\x019={len(body)}\x01{body}"
            message += f"10={sum(message.encode()) % 256:03}\x01"
            peer.sendall(message.encode())
            wait_until(lambda: self.fuse.waiting, "the password file is read")
            peer.settimeout(0.05)
            peer.recv(1)
        self.expect_end(venue)


def main():
    global NEXUSFIX
    NEXUSFIX = os.path.abspath(sys.argv[1])
    is_inside = IS_INSIDE in sys.argv
    if not is_inside and os.getuid() == 0 and shutil.which("unshare"):
        again = ["unshare", "--mount", "--propagation", "private", sys.executable, "-B",
                 os.path.abspath(__file__), NEXUSFIX, IS_INSIDE]
        if subprocess.run([*again[:4], "true"], check=False, capture_output=True).returncode == 0:
            os.execvp(again[0], again)
    unittest.main(argv=sys.argv[:1], verbosity=2)


if __name__ == "__main__":
    main()
