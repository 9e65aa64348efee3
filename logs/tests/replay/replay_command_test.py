#!/usr/bin/env python3
"""`nexusfix replay` against the example venue, an acceptor of the test, and bad input."""

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import unittest
from datetime import datetime, timedelta

import command_test
from command_test import LIMIT_SECONDS, WithFolder, run
from help.help_command_test import on_terminal


def fix(fields, begin="FIX.4.4"):
    body = fields.replace("|", "\x01")
    text = f"8={begin}\x019={len(body)}\x01{body}"
    return f"{text}10={sum(text.encode()) % 256:03}\x01"


def line(clock, msg_type, number, body="", sender="TRADER", target="VENUE"):
    sent = f"20240115-{clock}"
    fields = f"35={msg_type}|34={number}|49={sender}|52={sent}|56={target}|{body}"
    return f"{sent} : {fix(fields)}\n"


def order(clock, number, cl_ord_id, more=""):
    return line(clock, "D", number, f"11={cl_ord_id}|55=SAP|54=1|60=20240115-{clock}|38=100|40=2|"
                                    f"44=150.5|59=0|{more}")


class Peer:
    """An acceptor that keeps what it receives, and answers Logon, Logout and some orders."""

    def __init__(self, test, reject=None):
        self.messages = []
        self.times = []
        self.reject = reject
        self.numbers = 1
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        test.addCleanup(self.listener.close)
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def send(self, peer, msg_type, body=""):
        now = time.strftime("%Y%m%d-%H:%M:%S", time.gmtime())
        peer.sendall(fix(f"35={msg_type}|34={self.numbers}|49=VENUE|52={now}|56=TRADER|{body}"
                         ).encode())
        self.numbers += 1

    def serve(self):
        peer = self.listener.accept()[0]
        data = b""
        with peer:
            while got := peer.recv(65536):
                data += got
                while found := re.match(rb"8=.*?\x0110=\d{3}\x01", data, re.DOTALL):
                    data = data[found.end():]
                    if self.take(peer, found[0].decode()):
                        return

    def take(self, peer, message):
        fields = dict(field.split("=", 1) for field in message[:-1].split("\x01"))
        self.messages.append(fields)
        self.times.append(time.monotonic())
        if fields["35"] == "A":
            self.send(peer, "A", "98=0|108=30|141=Y|")
        elif fields["35"] == "5":
            self.send(peer, "5")
            return True
        elif self.reject and fields.get("11") == self.reject[0]:
            self.send(peer, self.reject[1], self.reject[2].replace("N", fields["34"]))
        return False

    def orders(self):
        return [fields for fields in self.messages if fields["35"] not in "A05"]


class Replay(WithFolder):
    def replay(self, port, text, *arguments, **options):
        log = self.write("messages.log", text)
        return run("replay", "--connect", f"127.0.0.1:{port}", log, *arguments, **options)

    def test_the_example_venue_gets_the_orders_and_its_reports_are_counted(self):
        venue, port = self.serve()
        text = (line("10:30:00", "A", 1, "98=0|108=30|") + order("10:30:00", 2, "A1") +
                line("10:30:00", "8", 2, "37=X|11=A1|17=1|150=0|39=0|55=SAP|54=1|151=1|14=0|6=0|",
                     sender="VENUE", target="TRADER") +
                line("10:30:00", "0", 3) + order("10:30:00", 4, "A2", "43=Y|122=20240115-10:00:00|")
                + order("10:30:00", 5, "A1"))
        done = self.replay(port, text)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("2 messages sent in ", done.stdout)
        self.assertIn("left out: 2 administrative, 1 of another sender, 1 sent again in the log",
                      done.stdout)
        self.assertIn("rejected: order A1: ClOrdID was used before", done.stdout)
        self.assertIn("received: 2 messages, 0 messages rejected, 1 order request rejected",
                      done.stdout)
        again = self.replay(port, text, "--id-prefix", "B-", "--where", "Side=SELL")
        self.assertEqual(again.returncode, 1)
        self.assertIn("there is no message to send", again.stderr)
        again = self.replay(port, order("10:30:00", 2, "A1"), "--id-prefix", "B-")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertIn("0 order requests rejected", again.stdout)
        self.end(venue)

    def test_numbers_and_times_are_new_and_everything_else_is_as_it_was(self):
        peer = Peer(self)
        before = time.time()
        data = "RAW\x015002=no field"
        body = ("50=DESK|126=20240115-11:30:00.250|64=20240117|541=20240320|"
                f"95={len(data)}|96={data}|"
                "453=2|448=P1|447=D|452=1|448=P2|447=D|452=2|5001=mine|58=|")
        done = self.replay(peer.port, order("10:30:00.000", 77, "A1", body))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        sent = peer.orders()[0]
        today = sent["52"][:8]
        self.assertIn(today, [time.strftime("%Y%m%d", time.gmtime(at))
                              for at in (before, time.time())])
        self.assertEqual(sent["34"], "2")
        for tag, value in (("50", "DESK"), ("541", "20240320"), ("5001", "mine"), ("58", ""),
                           ("44", "150.5"), ("453", "2"), ("95", str(len(data)))):
            self.assertEqual(sent[tag], value, tag)
        # The message waits a little between its new times and its SendingTime.
        sending, transacted, expires = (
            datetime.strptime(sent[tag][:21], "%Y%m%d-%H:%M:%S.%f") for tag in ("52", "60", "126"))
        self.assertLessEqual(transacted, sending)
        self.assertLess(sending - transacted, timedelta(seconds=30))
        self.assertEqual(expires - transacted, timedelta(hours=1, milliseconds=250))
        self.assertGreater(sent["64"], today)
        self.assertEqual(peer.messages[-1]["35"], "5")

    def test_numbers_follow_each_other_whatever_those_of_the_log_are(self):
        peer = Peer(self)
        text = "".join(order("10:30:00", number, f"A{number}") for number in (77, 80, 5, 80, 9001))
        done = self.replay(peer.port, text, "--speed", "max")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual([(fields["34"], fields["11"]) for fields in peer.orders()],
                         [("2", "A77"), ("3", "A80"), ("4", "A5"), ("5", "A80"), ("6", "A9001")])

    def test_a_message_with_poss_resend_is_a_message_of_its_own_and_keeps_the_flag(self):
        peer = Peer(self)
        flagged = line("10:30:00", "D", 3, "97=Y|11=A1|55=SAP|54=1|60=20240115-10:30:00|38=1|40=1|")
        text = order("10:30:00", 2, "A1") + flagged
        done = self.replay(peer.port, text)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual([fields.get("97") for fields in peer.orders()], [None, "Y"])
        self.assertEqual([fields["34"] for fields in peer.orders()], ["2", "3"])
        peer = Peer(self)
        done = self.replay(peer.port, text, "--where", "not PossResend=Y")
        self.assertEqual([fields.get("97") for fields in peer.orders()], [None])

    def test_keep_dates_and_a_given_identity(self):
        peer = Peer(self)
        done = self.replay(peer.port, order("10:30:00", 77, "A1"), "--keep-dates", "--version",
                           "FIX.4.2", "--sender", "OTHER", "--logon-timeout", "2")
        self.assertEqual(done.returncode, 1)  # the peer answers with FIX.4.4
        self.assertEqual((peer.messages[0]["8"], peer.messages[0]["49"]), ("FIX.4.2", "OTHER"))
        peer = Peer(self)
        done = self.replay(peer.port, order("10:30:00", 77, "A1"), "--keep-dates")
        self.assertEqual(peer.orders()[0]["60"], "20240115-10:30:00")

    def test_the_pace_is_that_of_the_log_or_a_multiple(self):
        text = order("10:30:00", 2, "A1") + order("10:30:01", 3, "A2") + order("10:30:02", 4, "A3")
        for speed, seconds in (("4", 0.5), ("max", 0)):
            peer = Peer(self)
            done = self.replay(peer.port, text, "--speed", speed, "--wait", "0")
            self.assertEqual(done.returncode, 0, done.stderr)
            times = [at for at, fields in zip(peer.times, peer.messages) if fields["35"] == "D"]
            self.assertEqual(len(times), 3)
            self.assertGreaterEqual(times[2] - peer.times[0], seconds)  # since the Logon

    def test_a_terminal_shows_how_far_it_is(self):
        log = self.write("messages.log", order("10:30:00", 2, "A1") + order("10:30:02", 3, "A2"))
        words = ["replay", "--connect", f"127.0.0.1:{Peer(self).port}", "--wait", "0", log]
        shown, status = on_terminal(words, {})
        self.assertEqual(status, 0, shown)
        self.assertIn("\r\x1b[K1 message sent, in the log it is 2024-01-15 10:30:02\r", shown)
        self.assertIn("10:30:02\r\x1b[K", shown)  # and erased

    def test_what_the_counterparty_rejects_is_shown_and_the_status_is_1(self):
        for msg_type, body in (("3", "45=N|371=55|372=D|373=5|58=no such symbol|"),
                               ("j", "45=N|372=D|380=3|58=no such symbol|")):
            peer = Peer(self, reject=("A2", msg_type, body))
            text = order("10:30:00", 2, "A1") + order("10:30:00", 3, "A2")
            done = self.replay(peer.port, text)
            self.assertEqual(done.returncode, 1, done.stderr)
            place = len(order("10:30:00", 2, "A1")) + len("20240115-10:30:00 : ")
            self.assertRegex(done.stdout,
                             rf"rejected: message 3, the NewOrderSingle at byte {place}"
                             r"(, field 55)?: no such symbol\n")
            self.assertIn("1 message rejected", done.stdout)

    def test_logs_and_stores_of_other_engines(self):
        def message(second, number, cl_ord_id, msg_type="D"):
            return fix(f"35={msg_type}|34={number}|49=TRADER|52=20240115-10:30:0{second}|56=VENUE|"
                       f"11={cl_ord_id}|55=SAP|54=1|60=20240115-10:30:0{second}|38=1|40=1|")

        one, two, beat = message(0, 2, "A1"), message(1, 3, "A2"), message(0, 1, "x", "0")
        session = "FIX.4.4:TRADER->VENUE"
        logs = {
            "QuickFIX": f"20240115-10:30:00.000000000 : {beat}\n20240115-10:30:00.100 : {one}\n"
                        f"20240115-10:30:01.100 : {two}\n",
            "QuickFIX/J": f"20240115-10:30:00.100: {one}\n20240115-10:30:01.100: {two}\n",
            "QuickFIX/J to a logger": f"<20240115-10:30:00, {session}, outgoing> ({one})\n"
                                      f"<20240115-10:30:00, {session}, incoming> ({beat})\n"
                                      f"<20240115-10:30:01, {session}, outgoing> ({two})\n",
            "QuickFIX/n": f"20240115-10:30:00.1 : {one}\r\n20240115-10:30:01.1 : {two}\r\n",
            "QuickFIX/Go": f"2024/01/15 10:30:00.100000 {one}\n"
                           f"2024/01/15 10:30:01.100000 {two}\n",
            "QuickFIX/Go to a screen": f"<2024-01-15 10:30:00.1 +0000 UTC, {session}, outgoing>\n"
                                       f"  ({one})\n<2024-01-15 10:30:01.1 +0000 UTC, {session}, "
                                       f"outgoing>\n  ({two})\n",
            "Fix8": f"0000001 A out 2024-01-15 10:30:00.100000000 {one}\n"
                    f"0000002 A out 2024-01-15 10:30:01.100000000 {two}\n",
            "a store": one + two,
            "arrows": f"2024-01-15 10:30:00 -> {one}\n2024-01-15 10:30:01 -> {two}\n",
            "bars": f"10:30 {one}\n10:31 {two}\n".replace("\x01", "|"),
        }
        for name, text in logs.items():
            with self.subTest(log=name):
                peer = Peer(self)
                done = self.replay(peer.port, text, "--speed", "4", "--wait", "0")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual([fields["11"] for fields in peer.orders()], ["A1", "A2"])
                # The second order is due a quarter of a second after the Logon was answered, and
                # the peer takes the time of the Logon before it answers.
                last = max(i for i, fields in enumerate(peer.messages) if fields["35"] == "D")
                self.assertGreaterEqual(peer.times[last] - peer.times[0], 0.25)

    def test_ctrl_c_ends_with_a_logout(self):
        for given in ("log", "standard input"):
            peer = Peer(self)
            text = order("10:30:00", 2, "A1") + order("11:30:00", 3, "A2")
            log = self.write("messages.log", text)
            with subprocess.Popen(
                    [command_test.NEXUSFIX, "replay", "--connect", f"127.0.0.1:{peer.port}",
                     log if given == "log" else "-"], stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
                self.addCleanup(child.kill)
                if given != "log":
                    child.stdin.write(order("10:30:00", 2, "A1"))
                    child.stdin.flush()
                command_test.wait_until(peer.orders, "the first order")
                child.send_signal(signal.SIGINT)
                out, errors = child.stdout.read(), child.stderr.read()
                self.assertEqual(child.wait(LIMIT_SECONDS), 1, errors)
            self.assertIn("nexusfix replay: stopped by a signal\n", errors)
            self.assertIn("1 message sent in ", out)
            command_test.wait_until(lambda: peer.messages[-1]["35"] == "5", "the Logout")

    def test_a_session_of_a_configuration_file_also_as_an_acceptor(self):
        venue, port = self.serve()
        log = self.write("messages.log", order("10:30:00", 2, "A1"))
        done = run("replay", "--config", self.trader_config(port), log)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("received: 1 message, ", done.stdout)
        self.end(venue)
        acceptor = self.venue_config(port=port)
        report = line("10:30:00", "8", 2, "37=X|11=A1|17=1|150=0|39=0|55=SAP|54=1|151=1|14=0|6=0|",
                      sender="VENUE", target="TRADER")
        log = self.write("venue.log", report)
        with subprocess.Popen([command_test.NEXUSFIX, "replay", "--config", acceptor, log],
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True) as child:
            self.addCleanup(child.kill)
            client = self.connect(port, "wait 35=8 37=X\n")
            self.assertEqual(client.returncode, 0, client.stderr + client.stdout)
            self.assertIn("1 message sent", child.stdout.read())

    def test_wrong_arguments_and_bad_files(self):
        log = self.write("messages.log", order("10:30:00", 2, "A1"))
        for arguments, expected in (
                ((log,), "--config or --connect is required"),
                (("--connect", "nowhere", log), "nowhere: HOST:PORT was expected"),
                (("--connect", "127.0.0.1:1", "--speed", "0", log), "0: a number from 0.001"),
                (("--connect", "127.0.0.1:1", "--where", "Sybmol=1", log), "Did you mean Symbol?"),
                (("--connect", "127.0.0.1:1", "--version", "FIX.9", log), "FIX.9: no version"),
                (("--connect", "127.0.0.1:1", self.folder / "none"), "none"),
                (("--config", self.folder / "none.cfg", log), "none.cfg")):
            done = run("replay", *arguments)
            self.assertIn(done.returncode, (1, 2), expected)
            self.assertIn(expected, done.stderr)
        empty = self.write("empty.log", "nothing\0\1\2")
        done = run("replay", "--connect", "127.0.0.1:1", empty)
        self.assertEqual((done.returncode, done.stderr),
                         (1, "nexusfix replay: there is no message to send\n"))
        with socket.socket() as mute:
            mute.bind(("127.0.0.1", 0))
            done = self.replay(mute.getsockname()[1], order("10:30:00", 2, "A1"),
                               "--logon-timeout", "1")
        self.assertEqual(done.returncode, 1)
        self.assertIn("is not logged on after 1 s", done.stderr)
        self.assertIn("0 messages sent", done.stdout)


if __name__ == "__main__":
    command_test.NEXUSFIX = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
