#!/usr/bin/env python3
"""`nexusfix gateway` with clients in shared memory: all cases of the Unix socket, and what only the
memory has.

    gateway_ring_test.py --nexusfix PATH
"""

import argparse
import os
import random
import signal
import struct
import sys
import time
import unittest
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[1])]
import gateway_test  # noqa: E402  pylint: disable=wrong-import-position
import ring_client  # noqa: E402  pylint: disable=wrong-import-position
from gateway_client import (  # noqa: E402  pylint: disable=wrong-import-position
    ACCEPTED, CAUGHT_UP, CLOSED, MESSAGE, SENT, WELCOME, GatewayClient)
from gateway_test import SESSION, TOKEN, order  # noqa: E402  pylint: disable=wrong-import-position

KILLS = 12
RING_OFFSET = 4096  # of the ring to the gateway

gateway_test.GatewayClient = ring_client.RingClient


class RingTest(gateway_test.GatewayTest):
    def attach_by_socket(self, name):
        client = GatewayClient(self.socket)
        self.clients.append(client)
        self.assertEqual(client.attach(name, TOKEN).kind, WELCOME)
        return client

    def assert_others_go_on(self, reason):
        """The client desk was cut for this reason; the session and another client were not."""
        while reason not in self.log():
            pass
        client = self.attach_logged_on()
        number = client.welcome.number + 1
        client.send(number, order(f"after{number}"))
        self.assertEqual(client.read_kind(ACCEPTED).number, number)
        self.assertNotIn("Logout", (self.folder / "serve.log").read_text())

    def test_a_client_that_stops_reading_is_cut_and_gets_everything_later(self):
        """As for the socket, with more than the ring takes."""
        self.write_clients("Name=copy\nRole=observer\nQueueBytes=1052672")
        self.start_venue()
        self.start_gateway()
        desk = self.attach_logged_on()
        copy = self.attach("copy", cursors=[(SESSION, 0, 0)], sent=[(SESSION, 0, 0)])
        text = "x" * 20_000
        count = (copy.inbound.size + (4 << 20)) // len(text)
        for number in range(1, count + 1):
            desk.send(number, order(f"C{number}") + f"58={text}|")
        for number in range(1, count + 1):
            self.assertEqual(desk.read_kind(ACCEPTED).number, number)
        while "reads too slowly" not in self.log():
            time.sleep(0.01)
        seen = 0
        while True:
            frame = copy.read()
            if frame is None or frame.kind == CLOSED:
                break
            seen += frame.kind == MESSAGE and frame.flags & SENT
        self.assertLess(seen, count)
        copy = self.attach("copy", sent=[(SESSION, 0, 0)])
        ids = [copy.read_kind(MESSAGE).fields()["11"] for _ in range(count)]
        self.assertEqual(ids, [f"C{number}" for number in range(1, count + 1)])

    def test_another_layout_version_is_refused_by_its_number(self):
        self.start_venue()
        self.start_gateway()
        client = ring_client.RingClient(self.socket)
        self.clients.append(client)
        client.LAYOUT = 2
        client.hello("desk", TOKEN)
        closed = client.read()
        self.assertEqual((closed.kind, closed.code), (CLOSED, 11))
        self.assertIn(b"layout version 2", closed.body)

    def test_a_torn_record_cuts_its_client_alone(self):
        self.write_clients("Name=copy\nRole=observer")
        self.start_venue()
        self.start_gateway()
        client = self.attach_logged_on()
        copy = self.attach_by_socket("copy")
        client.words[RING_OFFSET // 8] = 77 << 32 | 48
        client.wake()
        while client.read() is not None:
            pass
        self.assertEqual(client.state(), (2, 1))
        self.assert_others_go_on("a torn record in the shared memory")
        self.assertTrue(copy.read_kind(MESSAGE).fields()["11"].startswith("after"))

    def test_a_file_that_is_cut_cuts_its_client_alone(self):
        self.start_venue()
        self.start_gateway()
        client = self.attach_logged_on()
        client.send(1, order("A1"))  # before: the name goes with the first frame
        client.read_kind(ACCEPTED)
        self.assertFalse(os.path.exists(client.path))
        client.close()
        client = self.attach_logged_on()
        other = os.open(client.path, os.O_RDWR)
        client.words[client.outbound.sleeps_at] = 0
        os.ftruncate(other, 0)
        os.close(other)
        client.socket.send(b"\0")
        self.assert_others_go_on("was truncated")

    def test_memory_of_any_content_cuts_its_client_alone(self):
        self.start_venue()
        self.start_gateway()
        source = random.Random(57)
        for _ in range(20):
            client = self.attach_logged_on()
            client.data[0x80:RING_OFFSET] = source.randbytes(RING_OFFSET - 0x80)
            client.data[RING_OFFSET:2 * RING_OFFSET] = source.randbytes(RING_OFFSET)
            client.socket.send(b"\0")
            while not client.has_ended(1):
                pass
        self.assert_others_go_on("in the shared memory")

    def test_what_a_killed_client_has_sent_is_there_once(self):
        self.start_venue()
        self.start_gateway()
        self.attach_logged_on().close()
        source = random.Random(58)
        last = 0
        for _ in range(KILLS):
            answers, child = self.start_sender(last)
            for _ in range(source.randrange(1, 40)):
                os.read(answers, 1)
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            os.close(answers)
            client = self.attach_when_free()
            self.assertGreater(client.welcome.number, last)
            last = client.welcome.number
            client.close()
        client = self.attach_when_free(cursors=[(SESSION, 0, 0)])
        new = set()
        while len(new) < last:
            fields = client.read_kind(MESSAGE).fields()
            if fields["150"] == "0":
                self.assertNotIn(fields["11"], new)
                new.add(fields["11"])
        self.assertEqual(new, {f"K{number}" for number in range(1, last + 1)})

    def attach_when_free(self, **more):
        """The gateway may not have seen the end of the earlier client."""
        while True:
            client = ring_client.RingClient(self.socket)
            self.clients.append(client)
            client.welcome = client.attach("desk", TOKEN, **more)
            if client.welcome.kind == WELCOME:
                return client

    def start_sender(self, last):
        """A process that sends orders without an end, and writes a byte for each one."""
        answers, out = os.pipe()
        child = os.fork()
        if child != 0:
            os.close(out)
            return answers, child
        try:
            client = self.attach_when_free()
            number = last
            while True:
                number += 1
                client.send(number, order(f"K{number}"))
                os.write(out, b".")
                while client.inbound.read() is not None:
                    pass
        finally:
            os._exit(1)

    def test_frames_pass_the_end_of_the_ring_many_times(self):
        self.start_venue()
        self.start_gateway()
        client = self.attach_logged_on()
        client.read_kind(CAUGHT_UP)
        text = "x" * 200_000
        count = 2 * client.outbound.size // len(text)
        for number in range(1, count + 1):
            client.send(number, order(f"L{number}") + f"58={text}|")
            self.assertEqual(client.read_kind(ACCEPTED).number, number)
        self.assertGreater(client.outbound.position, client.outbound.size)
        self.assertEqual(struct.unpack_from("<I", client.memory, 0x80)[0], 1)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--nexusfix", required=True)
    known, rest = parser.parse_known_args()
    gateway_test.NEXUSFIX = known.nexusfix
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
