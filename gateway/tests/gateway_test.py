#!/usr/bin/env python3
"""`nexusfix gateway` with a venue on one side, and clients on its socket.

    gateway_test.py --nexusfix PATH
"""

import argparse
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

TESTS = Path(__file__).resolve().parents[2] / "tests"
sys.path[:0] = [str(TESTS / "support"), str(Path(__file__).resolve().parent)]
from gateway_client import (  # noqa: E402  pylint: disable=wrong-import-position
    ACCEPTED, CAUGHT_UP, CLOSED, DUPLICATE, FROM_JOURNAL, MESSAGE, REFUSED, SENT, STATE, STORED,
    WELCOME,
    GatewayClient, frame_bytes)
from tcp_ports import free_port  # noqa: E402  pylint: disable=wrong-import-position

NEXUSFIX = "nexusfix"
SESSION = "FIX.4.4:TRADER->VENUE"
TOKEN = "0123456789abcdef"
STEP_SECONDS = 300


def order(cl_ord_id, account="ACC1", side=1):
    return (f"35=D|1={account}|11={cl_ord_id}|55=AAPL|54={side}|38=100|40=2|44=10|59=0|"
            "60=20240115-10:30:00|")


class GatewayTest(unittest.TestCase):
    door_keys = ""  # of [GATEWAY], of another door

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="nexusfix-gateway-"))
        self.port = free_port()
        self.socket = self.folder / "gateway.sock"
        self.processes = []
        (self.folder / "venue.cfg").write_text(
            "[DEFAULT]\nConnectionType=acceptor\nSocketAcceptHost=127.0.0.1\n"
            f"SocketAcceptPort={self.port}\nFileStorePath={self.folder}/venue\n[SESSION]\n"
            "BeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=TRADER\n")
        (self.folder / "desk.cfg").write_text(
            "[DEFAULT]\nConnectionType=initiator\nSocketConnectHost=127.0.0.1\n"
            f"SocketConnectPort={self.port}\nReconnectInterval=1\nHeartBtInt=30\n"
            f"JournalInbound=Y\nFileStorePath={self.folder}/desk\n[SESSION]\n"
            "BeginString=FIX.4.4\nSenderCompID=TRADER\nTargetCompID=VENUE\n")
        self.clients = []
        self.write_clients()

    def tearDown(self):
        for client in self.clients:
            client.close()
        for process in self.processes:
            if process.poll() is None:
                process.kill()
            process.wait()
            process.stdout.close()
        shutil.rmtree(self.folder)

    def write_clients(self, *more, desk=""):
        text = f"[GATEWAY]\nSocketPath={self.socket}\n{self.door_keys}"
        text += "".join(f"[CLIENT]\nToken={TOKEN}\n{one}\n" for one in more)
        text += f"[CLIENT]\nName=desk\nToken={TOKEN}\n{desk}\n"
        path = self.folder / "desk.clients"
        path.write_text(text)
        path.chmod(0o600)

    def start(self, *arguments, line, **options):
        errors = (self.folder / f"{arguments[0]}.log").open("a")
        process = subprocess.Popen([NEXUSFIX, *map(str, arguments)], stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=errors, text=True, **options)
        errors.close()
        self.processes.append(process)
        found = process.stdout.readline()
        log = (self.folder / f"{arguments[0]}.log").read_text(errors="replace")
        self.assertIn(line, found, log)
        return process

    def start_venue(self):
        return self.start("serve", self.folder / "venue.cfg", line="listening on port")

    def start_gateway(self, *arguments, **options):
        return self.start("gateway", self.folder / "desk.cfg", "--clients",
                          self.folder / "desk.clients", *arguments, line="clients attach at",
                          **options)

    def service_manager(self, name):
        """A socket that stands for systemd's, and the environment of a service that notifies it."""
        manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(manager.close)
        manager.settimeout(STEP_SECONDS)
        manager.bind(str(self.folder / name))
        environment = dict(os.environ, NOTIFY_SOCKET=str(self.folder / name),
                           WATCHDOG_USEC="40000")
        environment.pop("WATCHDOG_PID", None)
        return manager, environment

    def run_gateway(self, *arguments, **options):
        return subprocess.run(
            [NEXUSFIX, "gateway", self.folder / "desk.cfg", "--clients",
             self.folder / "desk.clients", *arguments],
            capture_output=True, text=True, timeout=STEP_SECONDS, check=False, **options)

    def attach(self, name="desk", cursors=(), sent=(), in_order=False):
        client = GatewayClient(self.socket)
        self.clients.append(client)
        welcome = client.attach(name, TOKEN, cursors, sent, in_order)
        self.assertEqual(welcome.kind, WELCOME, welcome)
        client.welcome = welcome
        return client

    def attach_logged_on(self, name="desk", **more):
        """Waits until the session is logged on."""
        while True:
            client = self.attach(name, **more)
            if " on FIX" in client.welcome.body.decode():
                return client
            client.read_kind(STATE)
            client.close()

    def reports(self, client, count):
        """The next messages, in any order with other frames."""
        return [client.read_kind(MESSAGE) for _ in range(count)]

    def assert_closed(self, client, code):
        frame = client.read_kind(CLOSED)
        self.assertIsNotNone(frame)
        self.assertEqual(frame.code, code, frame)
        self.assertIsNone(client.read())

    def log(self):
        return (self.folder / "gateway.log").read_text(errors="replace")

    # The cases.

    def test_an_order_is_accepted_with_its_msg_seq_num_and_its_reports_come(self):
        self.start_venue()
        gateway = self.start_gateway()
        client = self.attach_logged_on()
        self.assertEqual(client.read_kind(CAUGHT_UP).kind, CAUGHT_UP)
        client.send(7, order("A1"))
        accepted = client.read_kind(ACCEPTED)
        self.assertEqual((accepted.number, accepted.epoch, accepted.msg_seq_num, accepted.flags),
                         (7, 1, 2, 0))
        report = client.read_kind(MESSAGE)
        self.assertEqual(report.fields()["35"], "8")
        self.assertEqual(report.fields()["11"], "A1")
        self.assertEqual(report.fields()["34"], str(report.msg_seq_num))
        self.assertEqual((report.session, report.epoch, report.flags), (0, 1, 0))
        gateway.send_signal(signal.SIGTERM)
        self.assert_closed(client, 7)
        self.assertEqual(gateway.wait(STEP_SECONDS), 0)

    def test_the_service_manager_is_notified_of_the_begin_of_life_and_of_the_end(self):
        for number, arguments in enumerate(((), ("--spin",))):
            with self.subTest(arguments=arguments):
                manager, environment = self.service_manager(f"notify{number}")
                gateway = self.start_gateway(*arguments, env=environment)
                self.assertEqual(manager.recv(256), b"READY=1\n")
                self.attach().close()  # the socket is open
                for _ in range(3):
                    self.assertEqual(manager.recv(256), b"WATCHDOG=1\n")
                gateway.send_signal(signal.SIGTERM)
                line = manager.recv(256)
                while line == b"WATCHDOG=1\n":
                    line = manager.recv(256)
                self.assertEqual(line, b"STOPPING=1\n")
                self.assertEqual(gateway.wait(STEP_SECONDS), 0)

    def test_an_unreachable_service_manager_refuses_the_start(self):
        done = self.run_gateway(env=dict(os.environ, NOTIFY_SOCKET="nowhere"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("NOTIFY_SOCKET: a path, or @ and a name, was expected", done.stderr)

    def test_a_number_is_accepted_once_also_after_a_kill_of_the_gateway(self):
        self.start_venue()
        gateway = self.start_gateway()
        client = self.attach_logged_on()
        client.send(5, order("A1"))
        self.assertEqual(client.read_kind(ACCEPTED).number, 5)
        client.send(5, order("A1"))
        again = client.read_kind(ACCEPTED)
        self.assertEqual((again.number, again.flags), (5, DUPLICATE))
        gateway.kill()
        gateway.wait()
        self.start_gateway()
        client = self.attach_logged_on()
        self.assertEqual(client.welcome.number, 5)
        client.send(3, order("A0"))
        self.assertEqual(client.read_kind(ACCEPTED).flags, DUPLICATE)
        client.send(6, order("A2"))
        self.assertEqual(client.read_kind(ACCEPTED).flags, 0)
        # The report of A1 may have been on its way at the kill.
        while client.read_kind(MESSAGE).fields()["11"] != "A2":
            pass

    def test_what_came_while_the_client_was_away_comes_from_the_journal_once(self):
        self.start_venue()
        self.start_gateway()
        client = self.attach_logged_on()
        client.send(1, order("A1"))
        first = client.read_kind(MESSAGE)
        client.send(2, order("A2", side=2))
        client.read_kind(ACCEPTED)
        client.close()
        cursor = (SESSION, first.epoch, first.msg_seq_num)
        # New of A2, and the fills of both.
        client = self.attach(cursors=[cursor])
        later = self.reports(client, 3)
        self.assertEqual([one.msg_seq_num for one in later],
                         [first.msg_seq_num + 1 + i for i in range(3)])
        client.close()
        client = self.attach(cursors=[(SESSION, 0, 0)])
        whole = []
        while True:
            frame = client.read()
            if frame.kind == CAUGHT_UP:
                break
            if frame.kind == MESSAGE:
                whole.append(frame)
        self.assertEqual([one.body for one in whole], [one.body for one in (first, *later)])
        self.assertTrue(all(one.flags == FROM_JOURNAL for one in whole))
        client.close()
        last = later[-1]
        client = self.attach(cursors=[(SESSION, last.epoch, last.msg_seq_num)])
        self.assertEqual(client.read().kind, CAUGHT_UP)

    def test_refusals_use_no_number_and_touch_no_session(self):
        self.start_venue()
        self.start_gateway()
        client = self.attach_logged_on()
        for text, code in (("hello", 1), ("35=D|11=|", 1), ("35=A|98=0|", 1), ("11=A1|", 1),
                           ("11=A1|35=D|55=AAPL|", 1)):
            client.send(9, text)
            refused = client.read_kind(REFUSED)
            self.assertEqual((refused.number, refused.code), (9, code), (text, refused))
            self.assertTrue(refused.body)
        client.send(9, order("A1"), session=1)
        self.assertEqual(client.read_kind(REFUSED).code, 2)
        client.send(9, order("A1"))
        self.assertEqual(client.read_kind(ACCEPTED).msg_seq_num, 2)

    def add_keys(self, lines):
        config = self.folder / "desk.cfg"
        config.write_text(config.read_text().replace("JournalInbound=Y\n",
                                                     "JournalInbound=Y\n" + lines))

    def book(self):
        """The ClOrdIDs of the venue's orders."""
        shown = subprocess.run([NEXUSFIX, "serve", self.folder / "venue.cfg", "--dump-book"],
                               capture_output=True, text=True, check=True, timeout=STEP_SECONDS)
        return sorted(order["cl_ord_id"] for order in json.loads(shown.stdout)["orders"])

    def end(self, process):
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(STEP_SECONDS), 0)

    def test_an_order_above_the_limit_is_refused_and_no_later_one_counts_before_it(self):
        self.add_keys("OutboundMessages=3\nOutboundInterval=3600\nOutboundLimitRule=Refuse\n")
        venue = self.start_venue()
        gateway = self.start_gateway()
        while True:
            client = self.attach(in_order=True)
            if " on FIX" in client.welcome.body.decode():
                break
            client.read_kind(STATE)
            client.close()
        for number in (1, 2, 3, 4):  # the Logon counts, too
            client.send(number, order(f"A{number}"))
        self.assertEqual([client.read_kind(ACCEPTED).msg_seq_num for _ in range(2)], [2, 3])
        refused = client.read_kind(REFUSED)
        self.assertEqual((refused.number, refused.code), (3, 4))
        self.assertGreater(refused.msg_seq_num, 3_000_000)
        after = client.read_kind(REFUSED)
        self.assertEqual((after.number, after.code, after.body),
                         (4, 6, b"number 3 was refused: use it again first"))
        client.send(3, order("A3"))
        self.assertEqual(client.read_kind(REFUSED).code, 4)
        client.close()
        client = self.attach(in_order=True)
        self.assertEqual(client.welcome.number, 2)
        self.end(gateway)
        self.end(venue)
        self.assertEqual(self.book(), ["A1", "A2"])

    def test_messages_that_would_wait_in_memory_are_an_error_of_the_configuration(self):
        config = self.folder / "desk.cfg"
        text = config.read_text()
        for rule in ("", "OutboundLimitRule=Queue\n", "OutboundLimitRule=CancelsFirst\n"):
            self.add_keys("OutboundMessages=3\n" + rule)
            result = self.run_gateway("--check")
            self.assertEqual(result.returncode, 1)
            self.assertIn("Add OutboundLimitRule=Refuse", result.stderr)
            config.write_text(text)

    def test_a_stored_order_has_its_number_and_leaves_after_the_logon_once(self):
        gateway = self.start_gateway()
        client = self.attach()
        client.send(1, order("A1"))
        accepted = client.read_kind(ACCEPTED)
        self.assertEqual((accepted.flags, accepted.epoch), (STORED, 1))
        self.assertGreater(accepted.msg_seq_num, 0)
        gateway.kill()
        gateway.wait()
        gateway = self.start_gateway()
        client = self.attach()
        self.assertEqual(client.welcome.number, 1)
        client.send(2, order("A2"))
        self.assertGreater(client.read_kind(ACCEPTED).msg_seq_num, accepted.msg_seq_num)
        venue = self.start_venue()
        self.assertEqual([client.read_kind(MESSAGE).fields()["11"] for _ in range(2)],
                         ["A1", "A2"])
        self.end(gateway)
        self.end(venue)
        self.assertEqual(self.book(), ["A1", "A2"])

    def test_a_stored_order_that_a_reset_makes_void_is_reported(self):
        self.add_keys("ResetOnLogon=Y\n")
        gateway = self.start_gateway()
        client = self.attach()
        client.send(1, order("A1"))
        accepted = client.read_kind(ACCEPTED)
        self.assertEqual(accepted.flags, STORED)
        venue = self.start_venue()
        refused = client.read_kind(REFUSED)
        self.assertEqual((refused.number, refused.code, refused.epoch, refused.msg_seq_num),
                         (1, 7, accepted.epoch, accepted.msg_seq_num))
        self.assertEqual(client.read_kind(STATE).code, 1)
        client.send(2, order("A2"))
        self.assertEqual(client.read_kind(ACCEPTED).flags, 0)
        self.assertEqual(client.read_kind(MESSAGE).fields()["11"], "A2")
        self.end(gateway)
        self.end(venue)
        self.assertEqual(self.book(), ["A2"])

    def test_a_session_that_stores_nothing_refuses_while_it_is_logged_out(self):
        self.add_keys("SendWhileLoggedOut=N\n")
        self.start_gateway()
        client = self.attach()
        client.send(1, order("A1"))
        self.assertEqual(client.read_kind(REFUSED).code, 3)
        self.start_venue()
        while client.read_kind(STATE).code != 1:
            pass
        client.send(1, order("A1"))
        self.assertEqual(client.read_kind(ACCEPTED).flags, 0)

    def test_hostile_bytes_are_cut_with_a_reason_and_others_go_on(self):
        self.start_venue()
        self.start_gateway()
        good = self.attach_logged_on()
        for data, code in ((b"GET / HTTP/1.1\r\n\r\n", 4),
                           (frame_bytes(1, b"name=x", version=2), 1),
                           (frame_bytes(1, b"nonsense"), 4), (frame_bytes(77), 4),
                           (frame_bytes(1, b"name=desk\ntoken=wrong"), 2),
                           (frame_bytes(1, b"name=who\ntoken=" + TOKEN.encode()), 2),
                           (frame_bytes(3, b"35=D\x01", number=1), 4),
                           (frame_bytes(2), 4),
                           (frame_bytes(1, f"name=desk\ntoken={TOKEN}".encode()), 3)):
            client = GatewayClient(self.socket)
            self.clients.append(client)
            client.send_bytes(data)
            self.assert_closed(client, code)
        good.send(1, order("A1"))
        self.assertEqual(good.read_kind(ACCEPTED).number, 1)
        while "another connection has the name desk" not in self.log():
            pass
        self.assertRegex(self.log(), r"NXF-7043 .* client user \d+, process \d+: unknown name")

    def test_a_cursor_of_an_epoch_that_was_never_reached_is_refused(self):
        self.start_venue()
        self.start_gateway()
        client = GatewayClient(self.socket)
        self.clients.append(client)
        client.hello("desk", TOKEN, cursors=[(SESSION, 2, 1)])
        self.assert_closed(client, 8)

    def test_a_cursor_above_the_journal_is_refused(self):
        self.start_venue()
        self.start_gateway()
        client = GatewayClient(self.socket)
        self.clients.append(client)
        client.hello("desk", TOKEN, cursors=[(SESSION, 1, 1000)])
        self.assert_closed(client, 8)

    def test_a_client_of_the_second_session_alone_has_it_at_index_0(self):
        config = self.folder / "desk.cfg"
        config.write_text(config.read_text().replace(
            "[SESSION]\n", "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=A\nTargetCompID=B\n"
            "[SESSION]\n", 1))
        self.write_clients(desk=f"Sessions={SESSION}")
        self.start_venue()
        self.start_gateway()
        client = self.attach_logged_on()
        self.assertIn("session=0 ", client.welcome.body.decode())
        client.send(1, order("A1"))
        self.assertEqual(client.read_kind(ACCEPTED).session, 0)
        report = client.read_kind(MESSAGE)
        self.assertEqual((report.session, report.fields()["11"]), (0, "A1"))
        client.send(2, order("A2"), session=1)
        self.assertEqual(client.read_kind(REFUSED).code, 2)
        client.close()
        client = self.attach(cursors=[(SESSION, 0, 0)])
        again = client.read_kind(MESSAGE)
        self.assertEqual((again.session, again.body), (0, report.body))

    def test_rules_decide_who_owns_a_message_in_both_directions(self):
        self.write_clients("Name=one\nClOrdIDPrefix=ONE-", "Name=copy\nRole=observer")
        self.start_venue()
        self.start_gateway()
        desk = self.attach_logged_on()
        one = self.attach("one")
        copy = self.attach("copy", cursors=[(SESSION, 0, 0)], sent=[(SESSION, 0, 0)])
        copy.read_kind(CAUGHT_UP)
        one.send(1, order("B1"))
        self.assertEqual(one.read_kind(REFUSED).code, 2)
        desk.send(1, order("ONE-1"))
        self.assertEqual(desk.read_kind(REFUSED).code, 2)
        copy.send(1, order("B1"))
        self.assertEqual(copy.read_kind(REFUSED).code, 2)
        one.send(1, order("ONE-1"))
        desk.send(1, order("B2"))
        self.assertEqual(one.read_kind(MESSAGE).fields()["11"], "ONE-1")
        self.assertEqual(desk.read_kind(MESSAGE).fields()["11"], "B2")
        copied = self.reports(copy, 4)
        self.assertEqual(sorted((frame.flags, frame.fields()["11"]) for frame in copied),
                         [(0, "B2"), (0, "ONE-1"), (SENT, "B2"), (SENT, "ONE-1")])
        copy.close()
        copy = self.attach("copy", cursors=[(SESSION, 0, 0)], sent=[(SESSION, 0, 0)])
        again = self.reports(copy, 4)
        self.assertEqual(sorted(frame.body for frame in again),
                         sorted(frame.body for frame in copied))

    def test_a_client_that_stops_reading_is_cut_and_gets_everything_later(self):
        self.write_clients("Name=copy\nRole=observer\nQueueBytes=1052672")
        self.start_venue()
        self.start_gateway()
        desk = self.attach_logged_on()
        copy = self.attach("copy", cursors=[(SESSION, 0, 0)], sent=[(SESSION, 0, 0)])
        text = "x" * 20_000
        count = 300
        for number in range(1, count + 1):
            desk.send(number, order(f"C{number}") + f"58={text}|")
        for number in range(1, count + 1):
            self.assertEqual(desk.read_kind(ACCEPTED).number, number)
        seen = 0
        while True:
            frame = copy.read()
            if frame is None:
                break
            seen += frame.kind == MESSAGE and frame.flags & SENT
        self.assertLess(seen, count)
        while "reads too slowly" not in self.log():
            time.sleep(0.01)
        copy = self.attach("copy", sent=[(SESSION, 0, 0)])
        ids = [copy.read_kind(MESSAGE).fields()["11"] for _ in range(count)]
        self.assertEqual(ids, [f"C{number}" for number in range(1, count + 1)])

    def test_a_session_logs_out_while_its_client_is_away_if_the_file_says_so(self):
        self.write_clients("Name=watch\nRole=observer", desk="WhenAway=log-out")
        self.start_venue()
        self.start_gateway()
        watch = self.attach("watch")
        client = self.attach_logged_on()
        client.close()
        while (state := watch.read_kind(STATE)).code != 0:
            pass
        self.assertEqual(state.body, b"logged out: client desk is not attached")
        while "client desk is not attached" not in (self.folder / "serve.log").read_text():
            time.sleep(0.05)
        client = self.attach_logged_on()
        client.send(1, order("A1"))
        self.assertEqual(client.read_kind(ACCEPTED).number, 1)

    def test_messages_for_an_absent_client_are_rejected_if_the_file_says_so(self):
        self.write_clients("Name=one\nClOrdIDPrefix=ONE-", "Name=copy\nRole=observer",
                           desk="WhenAway=reject")
        self.start_venue()
        self.start_gateway()
        desk = self.attach_logged_on()
        connections = len(self.clients)
        one = self.attach("one")
        copy = self.attach("copy")
        desk.send(1, order("A1"))
        new = desk.read_kind(MESSAGE)
        desk.close()
        # The gateway logs a connection when it is attached and when it ends.
        while self.log().count("client desk (") < 2 * connections:
            time.sleep(0.05)
        one.send(1, order("ONE-1", side=2))
        # The fill of A1 has no owner that is there.
        while True:
            frame = copy.read_kind(MESSAGE)
            if frame.flags & SENT and frame.fields()["35"] == "j":
                break
        self.assertEqual(frame.fields()["380"], "4")
        self.assertEqual(frame.fields()["58"], "client desk is not attached")
        rejected = int(frame.fields()["45"])
        self.assertGreater(rejected, new.msg_seq_num)
        desk = self.attach(cursors=[(SESSION, 0, 0)])
        again = desk.read_kind(MESSAGE)
        self.assertEqual(again.body, new.body)
        self.assertEqual(desk.read().kind, CAUGHT_UP)
        copy.close()
        copy = self.attach("copy", cursors=[(SESSION, new.epoch, rejected - 1)])
        self.assertEqual(copy.read_kind(MESSAGE).msg_seq_num, rejected)

    def test_faults_of_the_files_are_found_before_the_start(self):
        self.assertEqual(self.run_gateway("--check").returncode, 0)
        (self.folder / "desk.clients").chmod(0o644)
        self.assertIn("chmod 640", self.run_gateway().stderr)
        self.write_clients(desk="Sessions=FIX.4.4:A->B")
        self.assertIn("has no session FIX.4.4:A->B", self.run_gateway().stderr)
        self.write_clients()
        config = self.folder / "desk.cfg"
        config.write_text(config.read_text().replace("JournalInbound=Y\n", "EventLoops=2\n"))
        result = self.run_gateway("--check")
        self.assertEqual(result.returncode, 1)
        self.assertIn("needs JournalInbound=Y", result.stderr)
        self.assertIn("EventLoops=2", result.stderr)

    def test_faults_of_both_files_are_named_in_one_run(self):
        config, clients = self.folder / "desk.cfg", self.folder / "desk.clients"
        right = config.read_text()
        config.write_text(right.replace("JournalInbound=Y\n", ""))
        self.write_clients(desk="Sessions=FIX.4.4:A->B")
        self.check_faults("needs JournalInbound=Y", "has no session FIX.4.4:A->B")
        config.write_text(right.replace("HeartBtInt=30", "HeartBtInt=never"))
        self.write_clients(desk="Role=boss")
        clients.chmod(0o644)
        self.check_faults("HeartBtInt", "Role: trader or observer", "chmod 640")
        clients.unlink()
        self.check_faults("HeartBtInt", "desk.clients")

    def check_faults(self, *faults):
        for arguments in (["--check"], []):
            result = self.run_gateway(*arguments)
            self.assertEqual(result.returncode, 1)
            for fault in faults:
                self.assertIn(fault, result.stderr)

    def test_a_second_gateway_does_not_take_the_socket(self):
        self.start_venue()
        self.start_gateway()
        self.assertEqual(self.run_gateway().returncode, 1)
        self.attach()
        self.assertTrue(os.path.exists(self.socket))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--nexusfix", required=True)
    known, rest = parser.parse_known_args()
    NEXUSFIX = known.nexusfix
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
