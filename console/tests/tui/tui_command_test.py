#!/usr/bin/env python3
"""`nexusfix tui` on a pseudo terminal, beside a venue that runs."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
import unittest

import command_test
from command_test import WithFolder, run, wait_until

CONTROL = re.compile(rb"\x1b\[([?\d;]*)([A-Za-z])|\x1b[()].|\x1b[=>78MDE]|[\x00-\x1f]|[^\x00-\x1f]")


class Display:
    """What a vt100 of this size shows, of the codes that ncurses sends to one."""

    def __init__(self, lines, columns):
        self.size = (lines, columns)
        self.cells = [[" "] * columns for _ in range(lines)]
        self.line = self.column = 0
        self.region = (0, lines - 1)
        self.rest = b""

    def write(self, data):
        data = self.rest + data
        at = 0
        while at < len(data):
            match = CONTROL.match(data, at)
            if match[0] == b"\x1b":  # the rest of a code comes later
                break
            at = match.end()
            if match[2]:
                self.obey(match[2].decode(), match[1].decode())
            elif match[0] == b"\r":
                self.column = 0
            elif match[0] == b"\n":
                self.feed()
            elif match[0] == b"\x1bM":
                self.feed_back()
            elif match[0] == b"\b":
                self.column = max(self.column - 1, 0)
            elif match[0] >= b" " and match[0][:1] != b"\x1b":
                self.put(match[0].decode("latin-1"))
        self.rest = data[at:]

    def feed(self):
        top, bottom = self.region
        if self.line == bottom:
            self.cells[top:bottom + 1] = [*self.cells[top + 1:bottom + 1], [" "] * self.size[1]]
        else:
            self.line = min(self.line + 1, self.size[0] - 1)

    def feed_back(self):
        top, bottom = self.region
        if self.line == top:
            self.cells[top:bottom + 1] = [[" "] * self.size[1], *self.cells[top:bottom]]
        else:
            self.line = max(self.line - 1, 0)

    def put(self, character):
        if self.line < self.size[0] and self.column < self.size[1]:
            self.cells[self.line][self.column] = character
        self.column += 1

    def obey(self, code, text):
        numbers = [int(part) for part in re.findall(r"\d+", text)]
        first = numbers[0] if numbers else 0
        if code == "H":
            self.line, self.column = (number - 1 for number in (numbers or [1, 1]))
        elif code == "r":
            top, bottom = numbers or (1, self.size[0])
            self.region = (top - 1, min(bottom, self.size[0]) - 1)
            self.line = self.column = 0
        elif code == "J":
            self.erase(self.line, self.column)
            for line in range(self.line + 1, self.size[0]):
                self.erase(line, 0)
        elif code == "K" and first == 1:
            self.cells[self.line][:self.column + 1] = [" "] * (self.column + 1)
        elif code == "K":
            self.erase(self.line, self.column)
        elif code in "AB":
            self.line += (first or 1) * (1 if code == "B" else -1)
        elif code in "CD":
            self.column += (first or 1) * (1 if code == "C" else -1)

    def erase(self, line, column):
        self.cells[line][column:] = [" "] * (self.size[1] - column)

    def text(self):
        return "\n".join("".join(line).rstrip() for line in self.cells)


class Tui(WithFolder):
    def start(self, *arguments, lines=24, columns=80, **environment):
        """Starts it on a pseudo terminal of this size."""
        self.display = Display(lines, columns)
        self.seen = b""
        self.terminal, other = pty.openpty()
        self.resize(lines, columns)
        self.tui = subprocess.Popen(
            [command_test.NEXUSFIX, "tui", *map(str, arguments)], stdin=other, stdout=other,
            stderr=subprocess.PIPE, text=True, start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # it gets SIGWINCH
            env={**os.environ, "TERM": "vt100", **environment})
        os.close(other)
        self.addCleanup(os.close, self.terminal)
        self.addCleanup(self.tui.stderr.close)
        self.addCleanup(self.tui.wait)
        self.addCleanup(self.tui.kill)

    def resize(self, lines, columns):
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def read(self):
        while select.select([self.terminal], [], [], 0.05)[0]:
            try:
                data = os.read(self.terminal, 65536)
            except OSError:
                return
            self.seen += data
            self.display.write(data)

    def wait_for(self, pattern):
        def shows():
            self.read()
            return re.search(pattern, self.display.text())
        try:
            wait_until(shows, pattern)
        except AssertionError as error:
            raise AssertionError(f"{error}\n{self.display.text()}") from error

    def press(self, keys):
        os.write(self.terminal, keys.encode())

    def quit(self):
        self.press("q")
        self.assertEqual(self.tui.wait(command_test.LIMIT_SECONDS), 0, self.tui.stderr.read())

    def test_sessions_appear_and_a_logon_and_its_end_are_seen(self):
        venue, port = self.serve()
        self.start("--engine", self.folder / "venue.cfg")
        self.wait_for(r"FIX\.4\.4:VENUE->TRADER +listening +1 +1")
        self.wait_for("1 session, 0 logged on, 0 need attention")
        self.connect(port, "sleep 1.5\nquit\n")
        self.wait_for(r"changes, since.*(\n.*)*  \d\d:\d\d:\d\d  logged on")
        self.wait_for(r"listening +3 +3")
        self.quit()
        self.end(venue)

    def test_a_disabled_session_needs_attention(self):
        self.serve()
        config = self.folder / "venue.cfg"
        self.start("--engine", config)
        self.wait_for("listening")
        done = run("ctl", "--engine", config, "disable", "trader", "--reason", "fat finger",
                   "--yes")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.wait_for(r"1 needs attention(.*\n)+! FIX\.4\.4:VENUE->TRADER +disabled")
        self.wait_for("disabled by .*fat finger")
        self.quit()

    def test_events_of_the_log_are_shown_and_stay_after_the_engine_has_ended(self):
        venue, port = self.serve(more=f"FileLogPath={self.folder}/log\n")
        self.start("--engine", self.folder / "venue.cfg")
        self.wait_for("listening")
        self.connect(port, "quit\n")
        self.wait_for(r"events \(a: of all sessions\)(.*\n)*  \d\d:\d\d:\d\d  "
                      r"INFO NXF-1001 : logged on")
        self.end(venue)
        self.wait_for(r"NO ANSWER(.*\n)*.*INFO NXF-1002 : logged out")
        self.quit()

    def test_an_engine_that_ends_and_starts_again(self):
        venue, port = self.serve()
        self.start("--engine", self.folder / "venue.cfg")
        self.wait_for("listening")
        self.end(venue)
        self.wait_for(r"NO ANSWER since \d\d:\d\d:\d\d, asks again each second")
        self.assertIn("VENUE->TRADER", self.display.text())
        self.serve_file(self.venue_config(port=port))
        self.wait_for("the engine has started again")
        wait_until(lambda: self.read() or "NO ANSWER" not in self.display.text(), "an answer")
        self.quit()

    def test_keys_filter_help_and_end_it(self):
        self.serve()
        self.start("--engine", self.folder / "venue.cfg")
        self.wait_for("listening")
        self.press("/no-such-session")
        self.wait_for("no session has the filter's text")
        self.press("\x1b")
        self.wait_for("VENUE->TRADER +listening")
        self.press("?")
        self.wait_for("sort by attention, name or rate")
        self.press("x")
        self.wait_for("q quit  [?] help")
        self.press("s")
        self.wait_for(r"s sort \(name\)")
        self.quit()

    def test_a_window_that_changes_its_size(self):
        self.serve()
        self.start("--engine", self.folder / "venue.cfg", lines=24, columns=40)
        self.wait_for(r"listening")
        self.assertNotIn("NEXT IN", self.display.text())
        self.display = Display(30, 120)
        self.resize(30, 120)
        self.wait_for("LAST CHANGE")
        self.display = Display(2, 10)
        self.resize(2, 10)
        self.wait_for("q quit")
        self.quit()

    def test_a_signal_gives_the_terminal_back(self):
        self.serve()
        self.start("--engine", self.folder / "venue.cfg")
        before = termios.tcgetattr(self.terminal)[3]
        self.wait_for("listening")
        self.assertFalse(termios.tcgetattr(self.terminal)[3] & termios.ECHO)
        self.tui.send_signal(signal.SIGTERM)
        self.assertEqual(self.tui.wait(command_test.LIMIT_SECONDS), 0)
        self.assertTrue(termios.tcgetattr(self.terminal)[3] & termios.ECHO)
        self.assertTrue(before & termios.ICANON)

    def test_colours_unless_no_color(self):
        self.serve()
        config = self.folder / "venue.cfg"
        for more, has_colours in (({}, True), ({"NO_COLOR": "1"}, False)):
            with self.subTest(more):
                self.start("--engine", config, TERM="xterm-256color", **more)
                wait_until(lambda: self.read() or b"listening" in self.seen, "the table")
                self.assertEqual(b"\x1b[36m" in self.seen, has_colours)
                self.quit()

    def test_several_engines_by_tab(self):
        self.serve()
        second = self.write("second.cfg", self.venue_config().read_text().replace(
            f"{self.folder}/venue", f"{self.folder}/second"))
        self.serve_file(second)
        self.start()
        self.wait_for(r"\(engine 1 of \d+\)")
        self.press("\t")
        self.wait_for(r"\(engine 2 of \d+\)")
        self.quit()

    def test_an_idle_screen_costs_little(self):
        self.serve()
        self.start("--engine", self.folder / "venue.cfg")
        self.wait_for("listening")
        time.sleep(2)
        self.read()
        with open(f"/proc/{self.tui.pid}/stat", encoding="ascii") as stat:
            ticks = sum(map(int, stat.read().rsplit(")", 1)[1].split()[11:13]))
        self.assertLess(ticks / os.sysconf("SC_CLK_TCK"), 1)
        self.quit()


class Refused(WithFolder):
    def assert_refused(self, done, text, status=1):
        self.assertEqual((done.returncode, done.stdout), (status, ""))
        self.assertRegex(done.stderr, rf"\Anexusfix tui: [^\n]*{text}[^\n]*\n\Z")

    def test_without_a_terminal(self):
        self.serve()
        self.assert_refused(run("tui", "--engine", self.folder / "venue.cfg"),
                            "must be a terminal.*nexusfix ctl status")

    def test_of_an_engine_that_does_not_run(self):
        self.assert_refused(run("tui", "--engine", self.venue_config()), "no engine runs with")

    def test_of_a_file_that_is_not_there(self):
        self.assert_refused(run("tui", "--engine", self.folder / "none.cfg"), "no engine runs with")

    def test_on_a_terminal_of_no_known_type(self):
        self.serve()
        # When newterm() fails, ncurses keeps what it has allocated.
        unknown = {**os.environ, "TERM": "no-such-type", "ASAN_OPTIONS": "detect_leaks=0"}
        terminal, other = pty.openpty()
        with os.fdopen(terminal, "rb"), os.fdopen(other, "rb"):
            done = subprocess.run(
                [command_test.NEXUSFIX, "tui", "--engine", self.folder / "venue.cfg"],
                stdin=other, stdout=other, stderr=subprocess.PIPE, text=True, check=False,
                timeout=command_test.LIMIT_SECONDS, env=unknown)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"\Anexusfix tui: the type of this terminal is not known: "
                                      r"TERM=no-such-type[^\n]*\n\Z")


if __name__ == "__main__":
    command_test.NEXUSFIX = os.path.abspath(sys.argv.pop(1))
    command_test.LIMIT_SECONDS = 120
    unittest.main()
