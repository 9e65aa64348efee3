#!/usr/bin/env python3
"""`nexusfix front-door` before real engines, and with HAProxy before it."""

import os
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import unittest

import command_test
from command_test import LIMIT_SECONDS, WithFolder, free_port, run

LOGON_SCRIPT = "sleep 0.01\n"


class FrontDoor(WithFolder):
    def config(self, name, client, host, port, more=""):
        return self.write(f"{name}.cfg",
                          f"[DEFAULT]\nConnectionType=acceptor\nSocketAcceptHost={host}\n"
                          f"SocketAcceptPort={port}\nFileStorePath={self.folder}/{name}\n{more}"
                          "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\n"
                          f"TargetCompID={client}\n")

    def start(self, *words, files=None):
        """Starts a command that prints its port; returns it and the port. files: its limits of
        open files, soft and hard."""
        errors = open(self.folder / f"errors-{words[0]}", "a+", encoding="utf-8")
        self.addCleanup(errors.close)
        child = subprocess.Popen([command_test.NEXUSFIX, *map(str, words)],
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors,
                                 text=True, preexec_fn=files and (
                                     lambda: resource.setrlimit(resource.RLIMIT_NOFILE, files)))
        self.addCleanup(child.stdout.close)
        self.addCleanup(child.wait)
        self.addCleanup(child.kill)
        line = child.stdout.readline()
        match = re.fullmatch(r"listening on port (\d+)\n", line)
        self.assertIsNotNone(match, line + self.errors(words[0]))
        return child, int(match[1])

    def errors(self, name):
        return (self.folder / f"errors-{name}").read_text(encoding="utf-8")

    def log_on(self, port, name):
        return run("connect", self.trader_config(port, name=name), "--script",
                   self.write("script.txt", LOGON_SCRIPT))

    def test_each_client_gets_the_engine_that_owns_its_session(self):
        ports = [free_port("127.0.0.2"), free_port("127.0.0.2")]
        shards = []
        for name, client, port in (("a", "ALICE", ports[0]), ("b", "BOB", ports[1])):
            config = self.config(name, client, "127.0.0.2", port)
            self.start("serve", config)
            shards.append(f"{config}@127.0.0.1,127.0.0.2")  # nothing listens on the first host
        door, port = self.start("front-door", "--listen", "127.0.0.1:0", *shards)
        for client in ("ALICE", "BOB"):
            done = self.log_on(port, client)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        events = self.errors("front-door")
        self.assertRegex(events, "FIX.4.4:VENUE->BOB the connection from 127.0.0.1:.* "
                                 f"goes to 127.0.0.2:{ports[1]}\n")
        door.send_signal(signal.SIGTERM)
        self.assertEqual(door.wait(LIMIT_SECONDS), 0)

    def test_a_client_that_logs_on_before_its_engine_is_there_waits(self):
        port = free_port()
        config = self.config("a", "ALICE", "127.0.0.1", port)
        _, at = self.start("front-door", "--listen", "127.0.0.1:0", f"{config}@127.0.0.1")
        client = subprocess.Popen(
            [command_test.NEXUSFIX, "connect", self.trader_config(at, name="ALICE"), "--script",
             self.write("script.txt", LOGON_SCRIPT)], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(client.kill)
        self.start("serve", config)
        self.assertEqual(client.wait(LIMIT_SECONDS), 0)

    @unittest.skipUnless(shutil.which("haproxy", path=os.environ["PATH"] + ":/usr/sbin"),
                         "haproxy is missing")
    def test_an_engine_sees_the_client_through_haproxy_and_the_front_door(self):
        port, public = free_port(), free_port()
        config = self.config("a", "ALICE", "127.0.0.1", port,
                             "UseTCPProxy=Y\nTrustedProxies=127.0.0.1\n")
        self.start("serve", config)
        _, at = self.start("front-door", "--listen", "127.0.0.1:0", "--trusted-proxies",
                           "127.0.0.1", f"{config}@127.0.0.1")
        balancer = self.write("haproxy.cfg",
                              "defaults\n  mode tcp\n  timeout connect 10s\n  timeout client 10m\n"
                              "  timeout server 10m\n"
                              f"frontend clients\n  bind 127.0.0.1:{public}\n"
                              "  default_backend doors\n"
                              f"backend doors\n  server door 127.0.0.1:{at} send-proxy-v2\n")
        haproxy = subprocess.Popen(
            [shutil.which("haproxy", path=os.environ["PATH"] + ":/usr/sbin"), "-db", "-f",
             balancer], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        self.addCleanup(haproxy.wait)
        self.addCleanup(haproxy.kill)

        def is_open():
            with socket.socket() as one:
                one.bind(("127.0.0.3", 0))
                return one.connect_ex(("127.0.0.1", public)) == 0
        command_test.wait_until(is_open, "HAProxy listens")
        client = self.trader_config(public, name="ALICE")
        client.write_text(client.read_text().replace(
            "[SESSION]", "SocketLocalHost=127.0.0.3\n[SESSION]"))
        done = run("connect", client, "--script", self.write("script.txt", LOGON_SCRIPT))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(self.errors("serve"),
                         r"connection from 127\.0\.0\.3:\d+, by way of 127\.0\.0\.1:")

    def crowd(self, port, count):
        """Connections that send nothing."""
        for _ in range(count):
            one = socket.create_connection(("127.0.0.1", port), LIMIT_SECONDS)
            self.addCleanup(one.close)

    def test_a_crowd_without_logons_does_not_keep_a_client_out(self):
        port = free_port()
        config = self.config("a", "ALICE", "127.0.0.1", port)
        self.start("serve", config)
        _, at = self.start("front-door", "--listen", "127.0.0.1:0", "--logon-timeout", "600",
                           f"{config}@127.0.0.1", files=(64, 1024))
        self.crowd(at, 100)
        self.assertEqual(self.log_on(at, "ALICE").returncode, 0)

    def test_a_lack_of_descriptors_is_reported(self):
        config = self.config("a", "ALICE", "127.0.0.1", free_port())
        _, at = self.start("front-door", "--listen", "127.0.0.1:0", f"{config}@127.0.0.1",
                           files=(64, 64))
        self.crowd(at, 100)
        command_test.wait_until(
            lambda: "may open no more files" in self.errors("front-door"), "it is reported")

    def test_errors_name_their_cause(self):
        good = self.config("a", "ALICE", "127.0.0.1", 5001)
        for words, text in (
                ((f"{good}",), "CONFIG@HOST,HOST was expected"),
                ((f"{good}@",), "CONFIG@HOST,HOST was expected"),
                ((f"{good}@a,,b",), "CONFIG@HOST,HOST was expected"),
                ((f"{self.folder}/none.cfg@a",), "No such file"),
                ((f"{good}@a", f"{good}@b"), "another shard has this session"),
                (("--trusted-proxies", "nowhere", f"{good}@a"), "nowhere is no address"),
        ):
            done = run("front-door", "--listen", "127.0.0.1:0", *words)
            self.assertEqual((done.returncode, done.stdout), (1, ""), words)
            self.assertIn(text, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            done = run("front-door", "--listen", f"127.0.0.1:{taken.getsockname()[1]}",
                       f"{good}@127.0.0.1")
        self.assertEqual(done.returncode, 1)
        self.assertIn("Address already in use", done.stderr)
        done = run("front-door", "--listen", "x:y", f"{good}@127.0.0.1")
        self.assertEqual(done.returncode, 2)
        self.assertIn("[HOST:]PORT was expected", done.stderr)


if __name__ == "__main__":
    command_test.NEXUSFIX = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
