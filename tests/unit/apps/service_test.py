#!/usr/bin/env python3
"""`nexusfix serve` from the view of a service manager and of the machine's operator."""

import ctypes
import os
import resource
import signal
import socket
import subprocess
import sys
import time
import unittest

import command_test
from command_test import LIMIT_SECONDS, WithFolder

PR_CAPBSET_DROP, CAP_IPC_LOCK = 24, 14


def without_locking():
    """Limits a child to 1 MiB of locked memory, like an ordinary user's, before it begins."""
    ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, CAP_IPC_LOCK, 0, 0, 0)
    resource.setrlimit(resource.RLIMIT_MEMLOCK, (1 << 20, 1 << 20))


def may_lock():
    unlimited = resource.getrlimit(resource.RLIMIT_MEMLOCK)[0] == resource.RLIM_INFINITY
    return unlimited or bool(int(status_of("self", "CapEff"), 16) >> CAP_IPC_LOCK & 1)


def is_sanitized(program):
    """Sanitizers disable mlockall(), because their shadow memory is too large."""
    with open(program, "rb") as file:
        contents = file.read()
    return b"__asan_init" in contents or b"__tsan_init" in contents


def status_of(pid, key):
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        return next(line for line in status if line.startswith(key + ":")).split()[1]


class Service(WithFolder):
    def start(self, more="", **options):
        """Starts a venue with the socket of a service manager. Returns both."""
        config = self.venue_config()
        config.write_text(config.read_text().replace("[SESSION]", more + "[SESSION]"))
        manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(manager.close)
        manager.settimeout(LIMIT_SECONDS)
        manager.bind(str(self.folder / "notify"))
        environment = dict(os.environ, NOTIFY_SOCKET=str(self.folder / "notify"),
                           WATCHDOG_USEC="40000")
        environment.pop("WATCHDOG_PID", None)
        venue = subprocess.Popen([command_test.NEXUSFIX, "serve", config], env=environment,
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True, **options)
        self.addCleanup(venue.stderr.close)
        self.addCleanup(venue.stdout.close)
        self.addCleanup(venue.wait)
        self.addCleanup(venue.kill)
        return venue, manager

    @staticmethod
    def notification(manager, but=b"WATCHDOG=1\n"):
        while True:
            line = manager.recv(256)
            if line != but:
                return line

    def test_the_service_manager_is_notified_of_the_open_port_and_of_the_end(self):
        venue, manager = self.start()
        self.assertEqual(self.notification(manager), b"READY=1\n")
        port = int(venue.stdout.readline().split()[-1])
        socket.create_connection(("127.0.0.1", port), LIMIT_SECONDS).close()
        venue.send_signal(signal.SIGTERM)
        self.assertEqual(self.notification(manager), b"STOPPING=1\n")
        self.assertEqual(venue.wait(LIMIT_SECONDS), 0)

    def test_watchdog_notifications_are_sent_while_idle(self):
        venue, manager = self.start()
        self.assertEqual(self.notification(manager), b"READY=1\n")
        for _ in range(3):
            self.assertEqual(self.notification(manager, but=None), b"WATCHDOG=1\n")
        venue.send_signal(signal.SIGTERM)
        self.assertEqual(venue.wait(LIMIT_SECONDS), 0)

    def test_a_hang_up_ends_no_venue(self):
        venue, manager = self.start()
        self.assertEqual(self.notification(manager), b"READY=1\n")
        venue.send_signal(signal.SIGHUP)
        for _ in range(3):
            self.notification(manager, but=None)
        self.assertIsNone(venue.poll())
        venue.send_signal(signal.SIGTERM)
        self.assertEqual(venue.wait(LIMIT_SECONDS), 0)

    def test_hangup_reads_the_configuration_again(self):
        logs = self.folder / "logs"
        more = f"FileLogPath={logs}\n"
        venue, port = self.serve(more=more)
        config = self.venue_config(more=more)
        newcomer = "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=SECOND\n"

        def hang_up(text, until):
            config.write_text(text)
            venue.send_signal(signal.SIGHUP)
            deadline = time.monotonic() + LIMIT_SECONDS
            while until not in "".join(one.read_text() for one in logs.glob("*.event.*")):
                self.assertLess(time.monotonic(), deadline, until)
                time.sleep(0.02)

        right = config.read_text()
        hang_up(right + newcomer + "HeartBtInt=never\n", "HeartBtInt=never: ")
        hang_up(right + newcomer + more, "1 session added, 0 removed, 0 changed")
        order = ("send 35=D|11={}|55=AAPL|54={}|38=5|40=2|44=10|60=now\n"
                 "expect 35=8 11={} 39={}\n")
        done = self.connect(port, order.format("A", 1, "A", 0), name="SECOND")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        hang_up(right, "0 sessions added, 1 removed, 0 changed")
        # The removed session's order is in the book: its fill is stored for it.
        done = self.connect(port, order.format("B", 2, "B", 0) + "expect 35=8 11=B 39=2\n")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.end(venue)

    def test_an_unreachable_service_manager_refuses_the_start(self):
        config = self.venue_config()
        done = command_test.run("serve", config, env=dict(os.environ, NOTIFY_SOCKET="nowhere"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("NOTIFY_SOCKET: a path, or @ and a name, was expected", done.stderr)

    def test_the_thread_is_pinned_and_memory_is_locked(self):
        cpu = max(os.sched_getaffinity(0))
        lock = "LockMemory=Y\n" if may_lock() else ""
        venue, manager = self.start(f"{lock}EventLoopCpu={cpu}\n")
        self.assertEqual(self.notification(manager), b"READY=1\n")
        self.notification(manager, but=None)  # the loop runs
        self.assertEqual(status_of(venue.pid, "Cpus_allowed_list"), str(cpu))
        if lock and not is_sanitized(command_test.NEXUSFIX):
            self.assertGreater(int(status_of(venue.pid, "VmLck")), 1024)
        venue.send_signal(signal.SIGTERM)
        self.assertEqual(venue.wait(LIMIT_SECONDS), 0)

    def test_memory_that_may_not_be_locked_refuses_the_start(self):
        venue, _ = self.start("LockMemory=Y\n", preexec_fn=without_locking)
        self.assertEqual(venue.wait(LIMIT_SECONDS), 1)
        self.assertRegex(venue.stderr.read(),
                         r"venue.cfg:\d+: LockMemory=Y: this process may lock 1048576 bytes only")

    def test_a_missing_cpu_refuses_the_start(self):
        venue, _ = self.start("EventLoopCpu=1023\n")
        self.assertEqual(venue.wait(LIMIT_SECONDS), 1)
        self.assertRegex(venue.stderr.read(), r"venue.cfg:\d+: EventLoopCpu=1023: Invalid argument")


if __name__ == "__main__":
    command_test.NEXUSFIX = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
