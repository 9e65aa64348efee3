"""The client of nexusfix.h and `nexusfix gateway`: all cases of the gateway's own test.

    gateway_client_test.py --nexusfix PATH

NEXUSFIX_C_LIBRARY and NEXUSFIX_C_DOOR: as c_client.py has them.
"""

import argparse
import signal
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "gateway" / "tests"))
import c_client  # noqa: E402  pylint: disable=wrong-import-position
import gateway_test  # noqa: E402  pylint: disable=wrong-import-position
from gateway_client import (  # noqa: E402  pylint: disable=wrong-import-position
    ACCEPTED, CLOSED, DUPLICATE, MESSAGE)
from gateway_test import SESSION, TOKEN, order  # noqa: E402  pylint: disable=wrong-import-position

gateway_test.GatewayClient = c_client.CClient


class GatewayClientTest(gateway_test.GatewayTest):
    # A client of nexusfix.h sends no bytes of its caller's choice.
    test_hostile_bytes_are_cut_with_a_reason_and_others_go_on = None

    def refused_code(self, name="desk", token=TOKEN, cursors=()):
        client = c_client.CClient(self.socket)
        self.clients.append(client)
        answer = client.attach(name, token, cursors)
        self.assertEqual(answer.kind, CLOSED)
        self.assertNotEqual(answer.body, b"")
        return answer.code

    def test_a_cursor_of_an_epoch_that_was_never_reached_is_refused(self):
        self.start_venue()
        self.start_gateway()
        self.assertEqual(self.refused_code(cursors=[(SESSION, 2, 1)]), 8)

    def test_a_cursor_above_the_journal_is_refused(self):
        self.start_venue()
        self.start_gateway()
        self.assertEqual(self.refused_code(cursors=[(SESSION, 1, 1000)]), 8)

    def test_a_wrong_token_and_a_second_connection_of_a_name_are_refused(self):
        self.start_venue()
        self.start_gateway()
        good = self.attach_logged_on()
        self.assertEqual(self.refused_code(token="another-token-of-it"), 2)
        self.assertEqual(self.refused_code(name="unknown"), 2)
        self.assertEqual(self.refused_code(), 3)
        good.send(1, order("A1"))
        self.assertEqual(good.read_kind(ACCEPTED).number, 1)

    def test_a_gateway_that_is_killed_and_comes_back_has_lost_and_repeated_nothing(self):
        self.start_venue()
        gateway = self.start_gateway()
        client = self.attach_logged_on()
        client.send(1, order("A1"))
        self.assertEqual(client.read_kind(ACCEPTED).number, 1)
        first = client.read_kind(MESSAGE)
        gateway.send_signal(signal.SIGKILL)
        gateway.wait()
        while client.read() is not None:
            pass
        with self.assertRaises(OSError):
            client.send(2, order("A2"))
        client.close()
        self.start_gateway()
        client = self.attach_logged_on(cursors=[(SESSION, first.epoch, first.msg_seq_num)])
        self.assertEqual(client.welcome.number, 1)
        client.send(1, order("A1"))
        client.send(2, order("A2", side=2))  # it fills both
        reports, answers = [first], []
        while len(reports) < 4 or len(answers) < 2:
            frame = client.read()
            if frame.kind == MESSAGE:
                reports.append(frame)
            elif frame.kind == ACCEPTED:
                answers.append((frame.number, frame.flags))
        self.assertEqual(answers, [(1, DUPLICATE), (2, 0)])
        places = [(one.epoch, one.msg_seq_num) for one in reports]
        self.assertEqual(places, sorted(set(places)))
        self.assertEqual(sorted(one.fields()["11"] for one in reports), ["A1", "A1", "A2", "A2"])


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--nexusfix", required=True)
    known, rest = parser.parse_known_args()
    gateway_test.NEXUSFIX = known.nexusfix
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
