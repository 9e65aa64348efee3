#!/usr/bin/env python3
"""A desk's morning: a Logon that is refused, in every usual way. `nexusfix serve` refuses
`nexusfix connect`, and each side must say why in its event log. The test prints both lines."""

import os
import re
import shutil
import signal
import subprocess
import sys
import unittest

import command_test
from command_test import WithFolder, free_port, run, wait_until

SHIFTED_CLOCK = ""  # a library for LD_PRELOAD; set by main
NOT_ACCEPTED = "NXF-4016"


class Side:
    """A process that writes its events to a file."""

    def __init__(self, test, name, *arguments, environment=None, **options):
        self.path = test.folder / f"{name}.events"
        with open(self.path, "w", encoding="utf-8") as events:
            self.process = subprocess.Popen(
                [command_test.NEXUSFIX, *map(str, arguments)], stdin=subprocess.DEVNULL,
                stderr=events, text=True, env={**os.environ, **(environment or {})}, **options)
        test.addCleanup(self.stop)

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        self.process.wait(command_test.LIMIT_SECONDS)
        if self.process.stdout:
            self.process.stdout.close()

    def events(self):
        return self.path.read_text(encoding="utf-8", errors="replace")

    def line(self, event):
        found = re.search(rf"(?m)^.* {event} .*\n", self.events())
        return found[0].strip() if found else None

    def await_line(self, event):
        wait_until(lambda: self.line(event), f"{event} in {self.path}")
        return self.line(event)


class Morning(WithFolder):
    def setUp(self):
        super().setUp()
        self.sides = 0

    def start(self, name, *arguments, **options):
        self.sides += 1
        return Side(self, f"{self.sides}-{name}", *arguments, **options)

    def venue(self, more="", begin_string="FIX.4.4", port=0):
        # A password takes long on a busy machine.
        config = self.venue_config(begin_string, port=port, more="LogonTimeout=300\n" + more)
        venue = self.start("venue", "serve", config, stdout=subprocess.PIPE)
        listening = re.fullmatch(r"listening on port (\d+)\n", venue.process.stdout.readline())
        self.assertIsNotNone(listening, venue.events())
        return venue, int(listening[1])

    def client(self, port, changes=(), more="", store="trader", environment=None):
        text = self.trader_config(port).read_text()
        for before, after in (("ReconnectInterval=1", "ReconnectInterval=600"), *changes):
            self.assertIn(before, text)
            text = text.replace(before, after)
        text = text.replace("/trader\n", f"/{store}\n") + "LogonTimeout=300\n" + more
        script = self.write("stay.txt", "sleep 3600\n")
        return self.start("client", "connect", self.write("client.cfg", text), "--script", script,
                          "--logon-timeout", 3600, environment=environment)

    def both(self, refusal, venue, venue_event, client, client_event=NOT_ACCEPTED):
        """Prints what both sides say, and returns it."""
        said = client.await_line(client_event)
        ours = venue.await_line(venue_event) if venue else "(no engine)"
        print(f"\n{refusal}\n  acceptor   {ours}\n  initiator  {said}")
        return ours, said

    def order(self, port, count):
        done = run("trade", self.trader_config(port), "--orders", count)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_wrong_password(self):
        users = self.folder / "users"
        done = run("passwd", users, "TRADER", input="the right one\n", stdin=None)
        self.assertEqual(done.returncode, 0, done.stderr)
        venue, port = self.venue(f"PasswordFile={users}\n")
        client = self.client(port, more="Username=TRADER\nPassword=a wrong one\n")
        ours, said = self.both("wrong password", venue, "NXF-4020", client)
        self.assertIn("49=TRADER", ours)
        self.assertIn("no answer to our Logon: the counterparty closed the connection", said)
        self.assertIn("the Username or the Password is wrong", said)
        self.assertNotIn("a wrong one", venue.events() + client.events())
        self.assertRegex(said, r"Sent: 8=FIX\.4\.4 49=TRADER 56=VENUE 34=1 52=\S+ 98=0 108=30\.")

    def test_wrong_sender_comp_id(self):
        venue, port = self.venue()
        client = self.client(port, [("SenderCompID=TRADER", "SenderCompID=TRADR")])
        ours, said = self.both("wrong CompID of the initiator", venue, "NXF-4009", client)
        self.assertIn("49=TRADR 56=VENUE", ours)
        self.assertIn("(1) BeginString (8), a CompID (49, 56)", said)
        self.assertIn("49=TRADR 56=VENUE", said)

    def test_wrong_comp_id_of_the_acceptor(self):
        venue, port = self.venue()
        client = self.client(port, [("TargetCompID=VENUE", "TargetCompID=VENUES")])
        ours, said = self.both("wrong CompID of the acceptor", venue, "NXF-4009", client)
        self.assertIn("49=TRADER 56=VENUES", ours)
        self.assertIn("49=TRADER 56=VENUES", said)

    def test_second_connection(self):
        venue, port = self.venue()
        self.client(port).await_line("NXF-1001")
        client = self.client(port, store="other")
        ours, said = self.both("second connection", venue, "NXF-4012", client)
        self.assertIn("is logged on from elsewhere already: 127.0.0.1", ours)
        self.assertIn("another connection of this session is logged on", said)

    def test_closed_schedule(self):
        # Open for a second at a time that is half a day away.
        hour = int(subprocess.check_output(["date", "-u", "+%H"])) + 12
        venue, port = self.venue(f"StartTime={hour % 24:02}:00:00\nEndTime={hour % 24:02}:00:01\n")
        client = self.client(port)
        ours, said = self.both("closed schedule", venue, "NXF-4011", client)
        self.assertRegex(ours, r"closed by its schedule until \S+ \S+ UTC")
        self.assertRegex(said, r"our Logon was refused .*Session closed by its schedule until ")

    def test_wrong_clock(self):
        venue, port = self.venue()
        client = self.client(port, environment={"LD_PRELOAD": SHIFTED_CLOCK,
                                                "SHIFTED_CLOCK_SECONDS": "-312"})
        ours, said = self.both("wrong clock", venue, "NXF-4004", client)
        self.assertRegex(ours, r"SendingTime is 31[123] s before our clock")
        self.assertIn("the clocks differ by more than the counterparty allows (52)", said)

    def test_halted_acceptor(self):
        venue, port = self.venue()
        self.order(port, 4)
        venue.stop()
        shutil.rmtree(self.folder / "venue")
        venue, port = self.venue(port=port)
        first = self.client(port)
        venue.await_line("NXF-2009")
        first.await_line("NXF-2008")
        first.stop()
        client = self.client(port)
        ours, said = self.both("halted acceptor", venue, "NXF-4013", client)
        self.assertIn("waits for an operator to set its sequence numbers", ours)
        self.assertIn("Session halted: its operator must set the sequence numbers", said)

    def test_disabled_session(self):
        venue, port = self.venue()
        done = run("ctl", "--engine", self.folder / "venue", "disable", "trader", "--yes",
                   "--reason", "fat finger")
        self.assertEqual(done.returncode, 0, done.stderr)
        client = self.client(port)
        _, said = self.both("disabled session", venue, "NXF-4015", client)
        self.assertIn("Session disabled by the operator", said)
        status = run("ctl", "--engine", self.folder / "venue", "status").stdout
        self.assertRegex(status, r"needs attention:\n  FIX\.4\.4:VENUE->TRADER: disabled: "
                                 r"disabled by .*fat finger")

    def test_tls_of_the_initiator_only(self):
        venue, port = self.venue()
        client = self.client(port, more="SocketUseSSL=Y\n")
        _, said = self.both("TLS at the initiator only", venue, "NXF-3042", client, "NXF-3003")
        self.assertIn("TLS with 127.0.0.1", said)
        self.assertIn(" WARN ", said)

    def test_tls_of_the_acceptor_only(self):
        key, certificate = self.folder / "key.pem", self.folder / "certificate.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                        "ec_paramgen_curve:P-256", "-nodes", "-days", "90", "-subj", "/CN=VENUE",
                        "-keyout", key, "-out", certificate], check=True, capture_output=True,
                       timeout=command_test.LIMIT_SECONDS)
        key.chmod(0o600)
        venue, port = self.venue(f"SocketUseSSL=Y\nServerCertificateFile={certificate}\n"
                                 f"ServerCertificateKeyFile={key}\n")
        client = self.client(port)
        ours, said = self.both("TLS at the acceptor only", venue, "NXF-3041", client)
        self.assertIn("does not use TLS", ours)
        self.assertIn("the counterparty expects TLS (SocketUseSSL=Y here)", said)

    def test_port_closed(self):
        client = self.client(free_port())
        _, said = self.both("port closed", None, "", client, "NXF-3003")
        self.assertIn("Connection refused", said)
        self.assertIn(" WARN ", said)

    def test_wrong_begin_string(self):
        venue, port = self.venue(begin_string="FIX.4.2")
        client = self.client(port)
        ours, said = self.both("wrong BeginString", venue, "NXF-4009", client)
        self.assertIn("8=FIX.4.4", ours)
        self.assertIn("Sent: 8=FIX.4.4", said)

    def test_msg_seq_num_too_low(self):
        venue, port = self.venue()
        self.order(port, 4)
        shutil.rmtree(self.folder / "trader")
        client = self.client(port)
        ours, said = self.both("MsgSeqNum too low", venue, "NXF-2006", client)
        self.assertRegex(ours, r"expected \d+, received 1")
        self.assertRegex(said, r"our Logon was refused .*MsgSeqNum too low, expecting \d+")

    def test_third_failure_in_a_row_is_an_error(self):
        venue, port = self.venue()
        client = self.client(port, [("SenderCompID=TRADER", "SenderCompID=TRADR"),
                                    ("ReconnectInterval=600", "ReconnectInterval=1")])
        _, said = self.both("three failures in a row", venue, "NXF-4009", client, "NXF-4017")
        self.assertIn(" ERROR ", said)
        self.assertRegex(said, r"\(3 failures in a row, since \S+ \S+ UTC\)")
        self.assertEqual(client.events().count(NOT_ACCEPTED), 2)


if __name__ == "__main__":
    command_test.NEXUSFIX = os.path.abspath(sys.argv.pop(1))
    SHIFTED_CLOCK = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
