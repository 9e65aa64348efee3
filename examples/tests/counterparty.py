"""Processes for the tests of the examples: an example on free ports, and `nexusfix connect` as its
counterparty, which sends messages for a test and returns the received ones. The tests wait only for
the processes' output. If a test takes too long, its processes are killed."""

import os
import re
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

SECONDS_MAX = 600

CLIENT = """[DEFAULT]
ConnectionType=initiator
SocketConnectHost=127.0.0.1
SocketConnectPort={port}
ReconnectInterval=1
HeartBtInt=30
FileStorePath={store}
[SESSION]
BeginString={begin_string}
{further}
SenderCompID={sender}
TargetCompID={target}
"""


class Process:
    """A program with its input and output. The end of the `with` block ends it."""

    def __init__(self, command, stderr=None):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=stderr, text=True)
        self.timer = threading.Timer(SECONDS_MAX, self.process.kill)
        self.timer.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()

    def line(self):
        line = self.process.stdout.readline()
        if not line:
            raise EOFError(f"{self.process.args} has ended or was silent for too long")
        print(line, end="")
        return line.rstrip("\n")

    def wait_for(self, pattern):
        while not (match := re.search(pattern, self.line())):
            pass
        return match

    def say(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def kill(self):
        self.timer.cancel()
        self.process.kill()
        self.process.wait()
        if not self.process.stdout.closed:
            print(self.process.stdout.read(), end="")
        for pipe in (self.process.stdin, self.process.stdout):
            try:
                pipe.close()
            except BrokenPipeError:
                pass  # the process ended before it read the last input


class Example(Process):
    """An example, which logs the port that it listens on. Its configuration is the one next to its
    source, except for ports and folders."""

    def __init__(self, program, config, folder, accept_port=0, connect_port=0, arguments=()):
        text = (Path(__file__).parents[1] / config).read_text(encoding="utf-8")
        for key, value in (("SocketAcceptPort", accept_port), ("SocketConnectPort", connect_port),
                           ("FileStorePath", Path(folder, "example"))):
            text = re.sub(rf"^{key}=.*$", f"{key}={value}", text, flags=re.MULTILINE)
        path = Path(folder, config)
        path.write_text(text, encoding="utf-8")
        super().__init__([program, path, *arguments], stderr=subprocess.STDOUT)
        self.port = int(self.wait_for(r"listening on .* port (\d+)")[1])


class Client(Process):
    """`nexusfix connect`, logged on. Without waits: perhaps not, with its events in the output."""

    def __init__(self, nexusfix, folder, port, sender, target="VENUE", begin_string="FIX.4.4",
                 further="", waits=True):
        path = Path(folder, f"{sender}.cfg")
        path.write_text(CLIENT.format(port=port, store=Path(folder, sender), sender=sender,
                                      target=target, begin_string=begin_string, further=further),
                        encoding="utf-8")
        super().__init__([nexusfix, "connect", path],
                         stderr=None if waits else subprocess.STDOUT)
        if waits:
            self.wait_for("^logged on")

    def send(self, message):
        self.say("send " + message)

    def expect(self, fields):
        """Checks that the next message has these fields, in this order. `53=` alone: no field with
        this tag. Returns the message as a list of tags and values."""
        message = self.wait_for("^< (.*)")[1].strip("|").split("|")
        place = 0
        for field in fields.split("|"):
            if field.endswith("="):
                if any(one.startswith(field) for one in message):
                    raise AssertionError(f"{field} was not expected in {message}")
                continue
            if field not in message[place:]:
                raise AssertionError(f"{field} was expected after place {place} of {message}")
            place = message.index(field, place) + 1
        return [tuple(field.split("=", 1)) for field in message]

    def quit(self):
        self.say("quit")
        if self.process.wait() != 0:
            raise AssertionError(f"{self.process.args} has failed")
        self.kill()


def main(test):
    """Runs test(example, nexusfix, folder) with the two programs of the command line."""
    example, nexusfix = (os.path.abspath(program) for program in sys.argv[1:3])
    with tempfile.TemporaryDirectory() as folder:
        test(example, nexusfix, Path(folder))
