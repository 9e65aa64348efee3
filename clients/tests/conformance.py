"""What every client of the gateway does, in situations that are the same for each language.

    conformance.py NEXUSFIX COMMAND ...

COMMAND attaches and prints what happens, one line an event: clients/go/conformance/main.go has the
lines. `nexusfix serve` and `nexusfix gateway` are the real ones. Between client and gateway, a
proxy tears frames and cuts connections. With NEXUSFIX_DOOR=memory, the client uses shared memory:
that of the gateway, or of the proxy in the situations that need one. With NEXUSFIX_DOOR=web it
attaches by WebSocket.
"""
import os
import queue
import re
import signal
import subprocess
import sys
import tempfile
import threading
import unittest

from frame_proxy import ACCEPTED, HELLO, MESSAGE, REFUSED, SEND, FrameProxy
from ring_proxy import RingProxy
from web_frame_proxy import WebFrameProxy
from world import LIMIT_S, SESSION, TOKEN, World

NEXUSFIX, COMMAND = "", []  # set by main
DOOR = os.environ.get("NEXUSFIX_DOOR", "socket")


class Program:
    """The client's program, and the lines that it prints."""

    def __init__(self, socket, name="desk", token=TOKEN, cursor=()):
        self.process = subprocess.Popen([*COMMAND, socket, name, token, *map(str, cursor)],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.lines, self.seen, self.used = queue.Queue(), [], set()
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            self.lines.put(line.strip())
        self.lines.put(None)

    def line(self):
        line = self.lines.get(timeout=LIMIT_S)
        if line is None:
            raise AssertionError(f"the client has ended after {self.seen}")
        self.seen.append(line)
        return line

    def until(self, pattern):
        """The first line that matches and was not returned before: answers and messages have no
        order between them."""
        at = 0
        while True:
            if at == len(self.seen):
                self.line()
            match = re.fullmatch(pattern, self.seen[at])
            if match and at not in self.used:
                self.used.add(at)
                return match
            at += 1

    def send(self, order):
        self.process.stdin.write(f"send {SESSION} {order}\n")
        self.process.stdin.flush()

    def end(self):
        """Ends the client, and returns its last line."""
        if self.reader is not None:
            self.process.stdin.close()
            while (line := self.lines.get(timeout=LIMIT_S)) is not None:
                self.seen.append(line)
            self.process.wait(LIMIT_S)
            self.reader.join()
            self.process.stdout.close()
            self.reader = None
        return self.seen[-1]


class Conformance(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="nxf")
        self.addCleanup(temporary.cleanup)
        self.world = World(NEXUSFIX, temporary.name, has_web_socket=DOOR == "web")
        self.addCleanup(self.world.close)
        self.world.start_gateway()
        in_memory = DOOR == "memory"
        proxy = RingProxy if in_memory else FrameProxy
        self.proxy = (WebFrameProxy(self.world.web_port) if DOOR == "web" else
                      proxy(f"{temporary.name}/client.sock", self.world.socket))
        self.addCleanup(self.proxy.close)
        is_changed = re.search("lost|torn|another_version", self._testMethodName)
        self.door = self.world.socket if in_memory and not is_changed else self.proxy.path

    def attach(self, **options):
        program = Program(self.door, **options)
        self.addCleanup(program.end)
        return program

    def attached(self, **options):
        """A client that has caught up, and whose session is logged on."""
        program = self.attach(**options)
        program.until(r"attached \w+ \d+")
        program.until("caughtup")
        return program

    def send_until_accepted(self, program, order):
        """The session may not be logged on yet: then the order is refused with code 3."""
        while True:
            program.send(order)
            match = program.until(r"(accepted|refused) (\d+) (\d+)(?: (\d+) (\d))?")
            if match[1] == "accepted":
                return match
            self.assertEqual(match[3], "3")
            program.until(r"state on .*")

    def trading(self):
        """A client with an accepted order, and the place of the first report."""
        program = self.attached()
        self.send_until_accepted(program, "A1")
        report = program.until(rf"message (\d+) (\d+) 0 0 8 A1 {re.escape(SESSION)}")
        return program, (int(report[1]), int(report[2]))

    def orders_at_the_venue(self):
        """The ClOrdIDs of the orders that the venue's journal has, by the last client's reports."""
        program = self.attach(cursor=(0, 0, SESSION))
        program.until("caughtup")
        program.end()
        reports = [line.split() for line in program.seen if line.startswith("message ")]
        self.assertEqual(len({tuple(line[1:3]) for line in reports}), len(reports))
        return [line[6] for line in reports if line[5] == "8"]

    def test_order_is_accepted_and_reported(self):
        program, place = self.trading()
        self.assertEqual(place[0], 1)
        program.send("A2")
        accepted = program.until(r"accepted (\d+) 1 (\d+) 0")
        self.assertGreater(int(accepted[1]), 0)
        program.until(r"message 1 \d+ 0 0 8 A2 .*")
        self.assertEqual(program.end(), "ended 10")

    def test_another_version_is_refused(self):
        def rule(kind, frame):
            return (frame[:4] + b"\x09" + frame[5:] if kind == HELLO else frame), False
        self.proxy.rule = rule
        self.assertEqual(self.attach().line(), "error 1")

    def test_wrong_token_is_refused(self):
        self.assertEqual(self.attach(token="another-token-of-it").line(), "error 2")

    def test_absent_gateway_is_an_error_of_the_socket(self):
        absent = "ws://127.0.0.1:1/" if DOOR == "web" else f"{self.world.folder}/absent.sock"
        program = Program(absent)
        self.addCleanup(program.end)
        self.assertEqual(program.line(), "error 0")

    def test_second_connection_of_a_name_is_refused(self):
        self.attached()
        self.assertEqual(self.attach().line(), "error 3")

    def test_cursor_brings_exactly_the_messages_after_it(self):
        program, place = self.trading()
        program.end()
        before = self.attach(cursor=(place[0], place[1] - 1, SESSION))
        before.until(rf"message {place[0]} {place[1]} 1 0 8 A1 .*")
        before.until("caughtup")
        before.end()
        last = max(int(line.split()[2]) for line in before.seen if line.startswith("message"))
        after = self.attach(cursor=(place[0], last, SESSION))
        after.until("caughtup")
        self.assertEqual([line for line in after.seen if line.startswith("message")], [])

    def test_cursor_of_an_epoch_that_the_session_never_reached_ends_the_client(self):
        program = self.attach(cursor=(99, 1, SESSION))
        program.until(r"(error|ended) 8")

    def test_observer_sees_orders_and_may_send_none(self):
        watch = self.attached(name="watch")
        program, _ = self.trading()
        watch.until(r"message 1 \d+ 0 1 D A1 .*")
        watch.until(r"message 1 \d+ 0 0 8 A1 .*")
        watch.send("B1")
        watch.until(r"refused \d+ 2")
        program.end()
        self.assertNotIn("B1", self.orders_at_the_venue())

    def cut_once(self, wanted, kept):
        """Only this number of bytes of the first frame of a kind arrives; the connection ends."""
        state = {"cut": False}

        def rule(kind, frame):
            if state["cut"] or kind != wanted:
                return frame, False
            state["cut"] = True
            return frame[:kept], True
        self.proxy.rule = rule

    def test_message_that_was_lost_on_the_way_is_sent_again(self):
        program, _ = self.trading()
        self.cut_once(SEND, 0)
        program.send("A2")
        program.until("reattached")
        program.until(r"accepted \d+ 1 \d+ 0")
        program.until(r"message 1 \d+ \d 0 8 A2 .*")

    def test_message_whose_answer_was_lost_is_not_sent_again(self):
        program, _ = self.trading()
        self.cut_once(ACCEPTED, 0)
        program.send("A2")
        program.until(r"accepted \d+ 0 0 1")
        program.send("A3")
        program.until(r"message 1 \d+ \d 0 8 A3 .*")
        program.end()
        counts = [self.orders_at_the_venue().count(order) for order in ("A1", "A2", "A3")]
        self.assertEqual(counts, [counts[0]] * 3)

    def send_a_refused_one_between_two(self, program):
        """ALGO-A3 is another client's: the gateway refuses it with code 2."""
        for order in ("A2", "ALGO-A3", "A4"):
            program.send(order)

    def check_orders_after_a_refused_one(self, program, first):
        """A2 has this answer. A4 may be accepted or refused, and the venue has what is accepted."""
        program.until(r"refused \d+ 2")
        fourth = program.until(rf"(accepted|refused) (?!{first} )\d+ (?!2$)\d+.*")[1]
        program.send("A5")
        program.until(r"message 1 \d+ \d 0 8 A5 .*")
        program.end()
        orders = self.orders_at_the_venue()
        self.assertNotIn("ALGO-A3", orders)
        self.assertIn("A2", orders)
        self.assertEqual("A4" in orders, fourth == "accepted")

    def test_refused_order_does_not_end_those_that_follow(self):
        program, _ = self.trading()
        self.send_a_refused_one_between_two(program)
        first = program.until(r"accepted (\d+) 1 \d+ 0")[1]
        self.check_orders_after_a_refused_one(program, first)

    def test_refused_order_is_not_accepted_after_answers_were_lost(self):
        program, _ = self.trading()
        answers = []

        def rule(kind, frame):
            if kind not in (ACCEPTED, REFUSED) or len(answers) == 3:
                return frame, False
            answers.append(kind)
            return b"", len(answers) == 3
        self.proxy.rule = rule
        self.send_a_refused_one_between_two(program)
        program.until("reattached")
        self.assertEqual(answers, [ACCEPTED, REFUSED, REFUSED])
        first = program.until(r"accepted (\d+) 0 0 1")[1]
        self.check_orders_after_a_refused_one(program, first)

    def test_stored_order_that_is_lost_by_a_reset_is_refused_after_its_accepted(self):
        """In place of a report there is a Refused with code 7: header, number, and a text."""
        program, _ = self.trading()
        numbers = []

        def rule(kind, frame):
            if kind == ACCEPTED:
                numbers.append(frame[32:40])
            elif kind == MESSAGE and numbers:
                return (frame[:5] + bytes([REFUSED]) + bytes(2) + frame[8:12] + b"\7\0\0\0" +
                        frame[16:32] + numbers.pop() + b"?" * (len(frame) - 40)), False
            return frame, False
        self.proxy.rule = rule
        program.send("A2")
        number = program.until(r"accepted (\d+) 1 \d+ 0")[1]
        program.until(rf"refused {number} 7")

    def test_torn_frame_is_read_whole_after_the_next_attach(self):
        program, _ = self.trading()
        self.cut_once(MESSAGE, 60)
        program.send("A2")
        program.until("detached")
        program.until(r"message 1 \d+ \d 0 8 A2 .*")
        places = [tuple(line.split()[1:3]) for line in program.seen if line.startswith("message")]
        self.assertEqual(len(set(places)), len(places))

    def test_killed_gateway_loses_and_repeats_nothing(self):
        program, _ = self.trading()
        self.world.stop_gateway(signal.SIGKILL)
        program.until("detached")
        program.send("A2")
        program.until("notsent")
        self.world.start_gateway()
        program.until("reattached")
        self.send_until_accepted(program, "A3")
        program.until(r"message 1 \d+ \d 0 8 A3 .*")
        program.end()
        orders = self.orders_at_the_venue()
        self.assertEqual(orders.count("A1"), orders.count("A3"))
        self.assertNotIn("A2", orders)

    def test_gateway_that_stops_is_attached_again(self):
        program, _ = self.trading()
        self.world.stop_gateway()
        program.until("detached")
        self.world.start_gateway()
        program.until("reattached")
        self.assertEqual(program.end(), "ended 10")


if __name__ == "__main__":
    NEXUSFIX, COMMAND = sys.argv[1], sys.argv[2:]
    unittest.main(argv=[sys.argv[0]], verbosity=2)
