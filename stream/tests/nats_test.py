#!/usr/bin/env python3
"""`nexusfix stream` to NATS JetStream, with a real server: what arrives, and what a kill of either
repeats.

    nats_test.py NEXUSFIX
"""

import base64
import json
import shutil
import socket
import subprocess
import sys
import time
import unittest
import uuid

from journals import LIMIT_SECONDS, JournalTest, wait_until

SERVER = shutil.which("nats-server") or shutil.which("nats-server", path="/usr/sbin")


class Client:
    """Requests to JetStream, by the text protocol of NATS."""

    def __init__(self, port, token=None):
        self.link = socket.create_connection(("127.0.0.1", port), timeout=LIMIT_SECONDS)
        self.file = self.link.makefile("rb")
        self.file.readline()
        options = {"verbose": False, "auth_token": token} if token else {"verbose": False}
        self.inbox = f"_INBOX.{uuid.uuid4().hex}"
        self.link.sendall(f"CONNECT {json.dumps(options)}\r\nSUB {self.inbox} 1\r\n".encode())

    def request(self, subject, **what):
        text = json.dumps(what).encode()
        self.link.sendall(f"PUB {subject} {self.inbox} {len(text)}\r\n".encode() + text + b"\r\n")
        while True:
            line = self.file.readline()
            assert line, "the server has ended"
            if line.startswith(b"PING"):
                self.link.sendall(b"PONG\r\n")
            if line.startswith(b"MSG"):
                data = self.file.read(int(line.split()[-1]) + 2)
                return json.loads(data)

    def end(self):
        self.file.close()
        self.link.close()


class Nats(JournalTest):
    def setUp(self):
        super().setUp()
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self.port = probe.getsockname()[1]
        self.target = ("--nats", f"nats://127.0.0.1:{self.port}", "--subject", "fix.audit")
        self.token = ()
        self.server = None

    def start(self):
        with (self.folder / "server.log").open("ab") as log:
            self.server = subprocess.Popen(
                [SERVER, "-js", "-sd", self.folder / "jetstream", "-a", "127.0.0.1", "-p",
                 str(self.port), *self.token], stdout=log, stderr=log)
        self.addCleanup(self.server.wait)
        self.addCleanup(self.server.kill)
        wait_until(self.client, "the server answers")

    def client(self):
        try:
            client = Client(self.port, *self.token[1:])
        except OSError:
            return None
        self.addCleanup(client.end)
        return client

    def make_stream(self, **more):
        made = self.client().request("$JS.API.STREAM.CREATE.AUDIT", name="AUDIT",
                                     subjects=["fix.>"], storage="file", **more)
        self.assertNotIn("error", made)

    def stored_lines(self):
        """The objects of the stream, as the other destinations have them."""
        client = self.client()
        found = []
        for sequence in range(1, self.count() + 1):
            one = client.request("$JS.API.STREAM.MSG.GET.AUDIT", seq=sequence)["message"]
            headers = dict(line.split(": ", 1) for line in
                           base64.b64decode(one["hdrs"]).decode().split("\r\n")[1:] if line)
            found.append({**headers, "message": base64.b64decode(one["data"]).decode()})
        return found

    def count(self):
        return self.client().request("$JS.API.STREAM.INFO.AUDIT")["state"]["messages"]

    def assert_stored(self):
        found = self.stored_lines()
        last, kept = (0, -1), []
        for one in found:
            place = (int(one["owner"]), int(one["position"]))
            if place > last:
                last = place
                kept.append(one)
        self.assert_whole(kept)
        return found

    def test_each_message_is_stored_once_in_order_with_its_headers(self):
        self.start()
        self.make_stream()
        done = self.stream(*self.target)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        found = self.assert_stored()
        self.assertEqual(len(found), len(self.stored))
        for one in found:
            self.assertEqual(one["Nats-Msg-Id"], f"{one['log']}-{one['owner']}-{one['position']}")
        self.assertEqual({one["session"] for one in found}, {"FIX.4.4:VENUE->TRADER"})
        # The server knows what came twice: the cursor is lost, and nothing is stored again.
        (self.copy / "cursors" / "nats").unlink()
        again = self.stream(*self.target)
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(self.count(), len(self.stored))

    def test_kill_9_of_stream_and_server_loses_and_reorders_nothing(self):
        self.start()
        self.make_stream()
        for pause, who in ((0.05, "stream"), (0.1, "server"), (0.1, "stream"), (0.2, "server")):
            process = self.follow(*self.target)
            time.sleep(pause)
            if who == "server":
                self.server.kill()
                self.server.wait()
                self.start()
                time.sleep(0.3)
            process.kill()
            process.wait()
        done = self.stream(*self.target)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_stored()

    def test_a_server_that_is_away_is_waited_for(self):
        process = self.follow(*self.target)
        self.await_event(5071)
        self.start()
        self.make_stream()
        wait_until(lambda: self.count() == len(self.stored), "the messages")
        self.await_event(5072)
        process.terminate()
        self.assertEqual(process.wait(timeout=LIMIT_SECONDS), 0)
        self.assert_stored()

    def test_a_subject_without_a_stream_is_no_acknowledgement(self):
        self.start()
        process = self.follow(*self.target, "--drain", "0")
        self.await_event(5071)
        self.assertIn("no stream of JetStream takes the subject fix.audit",
                      self.events.read_text())
        process.terminate()
        self.assertEqual(process.wait(timeout=LIMIT_SECONDS), 0)
        self.assertIn(" 0 messages acknowledged", self.events.read_text())

    def test_a_message_that_is_too_large_ends_the_stream(self):
        self.start()
        self.make_stream(max_msg_size=100)
        done = self.stream(*self.target)
        self.assertEqual(done.returncode, 1)
        self.assertIn("message size exceeds maximum allowed", done.stderr)

    def test_another_publisher_of_the_stream_costs_time_and_no_message(self):
        self.start()
        self.make_stream()
        other = self.client()
        process = self.follow(*self.target)
        for _ in range(20):
            other.request("fix.other")
            time.sleep(0.01)
        process.kill()
        process.wait()
        done = self.stream(*self.target)
        self.assertEqual(done.returncode, 0, done.stderr)
        client, found = self.client(), []
        for sequence in range(1, self.count() + 1):
            one = client.request("$JS.API.STREAM.MSG.GET.AUDIT", seq=sequence)["message"]
            if one["subject"] == "fix.audit":
                found.append({"message": base64.b64decode(one["data"]).decode()})
        self.assert_whole(found)

    def test_a_token_is_read_from_its_file(self):
        self.token = ("--auth", "s3cret")
        self.start()
        self.make_stream()
        token = self.folder / "token"
        token.write_text("s3cret\n")
        token.chmod(0o600)
        done = self.stream(*self.target, "--token-file", token)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("s3cret", done.stderr)
        self.assert_stored()

    def test_wrong_arguments_are_refused(self):
        for arguments, reason in (
                (self.target[:2], "--nats needs --subject"),
                ((*self.target[:3], "fix.>"), "--nats needs --subject"),
                (("--nats", "nats://u:p@127.0.0.1", "--subject", "a"), "--credentials"),
                ((*self.target, "--credentials", "none"), "No such file"),
                (("--stdout", "--subject", "a"), "are for --nats")):
            with self.subTest(arguments=arguments):
                done = self.stream(*arguments)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(reason, done.stderr)
        self.assertFalse((self.copy / "cursors").exists())


if __name__ == "__main__":
    if not SERVER:
        print("nats-server is not installed")
        sys.exit(77)
    JournalTest.nexusfix = sys.argv.pop(1)
    unittest.main()
