"""The processes of an interop test: every wait has a time limit; they are ended by their pid."""

import ctypes
import json
import os
import queue
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from tcp_ports import free_port  # noqa: E402, F401  pylint: disable=wrong-import-position

PR_SET_PDEATHSIG = 1


class Failure(Exception):
    """A scenario failed; the text has the expected and the actual result."""


def _end_with_parent():
    """Runs in the child: if the test is killed, the kernel kills the child, too."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class Child:
    """A process whose standard output is read line by line, with a time limit on every wait."""

    def __init__(self, name, command, folder):
        self.name = name
        self.lines = []
        self._queue = queue.Queue()
        self.error_path = os.path.join(folder, name + ".stderr")
        with open(self.error_path, "ab") as errors:
            self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                            stderr=errors, text=True, cwd=folder,
                                            preexec_fn=_end_with_parent)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self._queue.put(line.rstrip("\n"))
        self._queue.put(None)

    def send_line(self, text):
        try:
            self.process.stdin.write(text + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise Failure(f"{self.name} had ended before '{text}'") from None

    def read_line(self, limit):
        try:
            line = self._queue.get(timeout=limit)
        except queue.Empty:
            raise Failure(f"{self.name} wrote nothing for {limit:.0f} s") from None
        if line is None:
            raise Failure(f"{self.name} ended early with status {self.process.wait()}")
        self.lines.append(line)
        return line

    def expect(self, pattern, limit=600):
        """Reads up to the line that matches."""
        deadline = time.monotonic() + limit
        while True:
            match = re.search(pattern, self.read_line(max(0.0, deadline - time.monotonic())))
            if match:
                return match

    def wait_exit(self, limit):
        try:
            return self.process.wait(limit)
        except subprocess.TimeoutExpired:
            raise Failure(f"{self.name} did not end within {limit} s") from None

    def terminate(self, limit=300):
        """SIGTERM; the exit status."""
        self.process.send_signal(signal.SIGTERM)
        return self.wait_exit(limit)

    def end(self):
        """Ends the process in any state."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    def output(self):
        """Its output, for the report of a failure."""
        while not self._queue.empty():
            self.lines.append(self._queue.get() or "(end)")
        with open(self.error_path, encoding="utf-8", errors="replace") as file:
            errors = file.read()
        return "\n".join(self.lines[-40:]) + ("\n" + errors[-4000:] if errors else "")


class Peer(Child):
    """A QuickFIX or QuickFIX/J peer: one command, one line of JSON with its whole state."""

    def __init__(self, name, command, folder):
        super().__init__(name, command, folder)
        self.state = self._answer("start")

    def _answer(self, command):
        state = json.loads(self.read_line(600))
        if not state["ok"]:
            raise Failure(f"{self.name}: {command}: {state['error']}\nstate: {state}")
        self.state = state
        return state

    def do(self, *commands):
        for command in commands:
            self.send_line(command)
            self._answer(command)
        return self.state

    def quit(self):
        self.send_line("quit")
        status = self.wait_exit(600)
        if status != 0:
            raise Failure(f"{self.name} ended with status {status}")
