"""The audit stream, and a consumer of its topic."""

import subprocess
import time
from collections import Counter

from history import LIMIT_SECONDS, Failure

TOPIC = "audit"


class Stream:
    """`nexusfix stream` of some journals. on: the command that runs it on a machine of a drill."""

    def __init__(self, nexusfix, address, journals, events, on=()):
        self.command = [*on, nexusfix, "stream", "--kafka", address, "--topic", TOPIC, *journals]
        self.events = events
        self.start()

    def start(self):
        with self.events.open("a") as log:
            self.process = subprocess.Popen([*self.command, "-f"], stderr=log)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def end(self):
        """A last run reads the rest, and waits until it is acknowledged."""
        self.process.terminate()
        if self.process.wait(timeout=LIMIT_SECONDS) != 0:
            raise Failure("the stream ended with an error:\n" + self.events.read_text()[-2000:])
        with self.events.open("a") as log:
            done = subprocess.run(self.command, stderr=log, check=False, timeout=LIMIT_SECONDS)
        if done.returncode != 0:
            raise Failure("the last run failed:\n" + self.events.read_text()[-2000:])


class Consumer:
    """Reads the topic all the time: the mock brokers keep little of it."""

    def __init__(self, program, address, path, on=()):
        self.path = path
        with self.path.open("wb") as out:
            self.process = subprocess.Popen([*on, program, address, TOPIC], stdout=out,
                                            stderr=subprocess.DEVNULL)

    def end(self, quiet_seconds):
        """When nothing has come for this time: how often (session, epoch, direction) was new, the
        number of repeated records, and how often each value was new."""
        size, since = -1, time.monotonic()
        while time.monotonic() - since < quiet_seconds:
            if self.path.stat().st_size != size:
                size, since = self.path.stat().st_size, time.monotonic()
            time.sleep(0.1)
        self.process.kill()
        self.process.wait()
        new, repeated, values = Counter(), 0, Counter()
        for line in self.path.read_text("utf-8").rstrip("\n").split("\n"):
            head, _, value = line.partition("\t")
            kind, session, _, _, epoch, direction, _ = head.split()
            if kind == "new":
                new[(session, int(epoch.partition("=")[2]), direction)] += 1
                values[value.encode()] += 1
            else:
                repeated += 1
        return new, repeated, values
