#!/usr/bin/env python3
"""`nexusfix test --config` from the view of a user: suites at venues that verify the signature of
each Logon, wrong keys, and keys that cannot be read."""

import concurrent.futures
import os
import re
import socket
import subprocess
import sys
import unittest

import command_test
from command_test import run
from simulated_venue import WithSimulatedVenue

# Rules of these venues: any CompID logs on with the key, SendingTime is not compared after the
# Logon, HeartBtInt is from 1 s on, or from 5 s on, and the numbers begin at 1. Their dictionaries
# have only their own messages and fields: no groups of parties, no third-party fields.
OWN_RULES = "/(1s_sender_comp_id_unknown|1s_sending_time_|2o_|2r_|4a_no_heartbeats|14[eij]_|18_)"
OWN_RULES_OF_BINANCE = "/(1s_logon_number_too_high|1s_se.*_|2o_|2r_|4a_|6_|14[eij]_|18_)"
SCRIPT = """# A script of this test
language 1
connect
{}
"""
REFUSALS = {
    "kraken": "35=5 instead of 35=A: Invalid credentials",
    "deribit": "35=5 instead of 35=A: invalid_credentials",
    "binance": "35=3 instead of 35=A: Signature for this request is not valid.",
}


class Signed(WithSimulatedVenue):
    def venue(self, kit):
        """Starts the venue; returns the configuration of its client."""
        self.simulate(kit)
        return self.folder / kit / "client.cfg"

    def with_key(self, config, key):
        """Another configuration of the client, with this key."""
        path = self.folder / "other.key"
        path.write_bytes(key)
        path.chmod(0o600)
        text = re.sub(r"(LogonKey=.*file:).*", rf"\g<1>{path}", config.read_text())
        return self.write("other.cfg", text), path

    def play(self, lines, config, *arguments):
        return run("test", self.write("a.scenario", SCRIPT.format(lines)), "--config", config,
                   "--timeout", 20, *arguments)

    def assert_passes(self, lines, config, *arguments):
        done = self.play(lines, config, *arguments)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        return done


class Venues(Signed):
    def test_the_session_suite_passes_where_each_logon_must_be_signed(self):
        def play(kit):
            rules = OWN_RULES_OF_BINANCE if kit == "binance" else OWN_RULES
            return run("test", "session", "--config", self.folder / kit / "client.cfg", "-q",
                       "--except", rules, "--timeout", 20)

        for kit in REFUSALS:
            self.simulate(kit)
        with concurrent.futures.ThreadPoolExecutor(len(REFUSALS)) as pool:
            for kit, done in zip(REFUSALS, pool.map(play, REFUSALS), strict=True):
                with self.subTest(kit):
                    self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
                    self.assertRegex(done.stdout, r"^\d\d passed, 0 failed, \d skipped in ")

    def test_further_fields_of_the_logon_and_of_the_header_come_from_the_configuration(self):
        # CME signs SenderSubID, LastMsgSeqNumProcessed, three LogonTags and others.
        logon = "ignore 35=n\nsend 35=A|98=0|108=30\nexpect 35=A|34=1\n"
        self.assert_passes(logon, self.venue("cme-dropcopy"))

    def test_performance_and_soak_log_on_with_the_signature(self):
        config = self.venue("kraken")
        done = run("test", "performance", "soak", "--config", config, "--only",
                   "test_request_round|random_session", "--messages", 10, "--seconds", 1,
                   "--timeout", 20)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertIn("performance/test_request_round_trip: passed", done.stdout)
        self.assertIn("soak/random_session: passed", done.stdout)

    def test_a_wrong_key_ends_the_run_at_once_with_the_reason_of_the_venue(self):
        for kit, reason in REFUSALS.items():
            with self.subTest(kit):
                key = b"d3Jvbmcga2V5IG9mIHRoaXMgdGVzdCE=\n"
                if kit == "binance":
                    key = subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519"],
                                         check=True, capture_output=True, timeout=60).stdout
                wrong, _ = self.with_key(self.venue(kit), key)
                done = run("test", "session", "--config", wrong, "--timeout", 20)
                self.assertEqual((done.returncode, done.stderr), (1, ""), done.stdout)
                self.assertIn(f"\n    {reason}\n", done.stdout)
                self.assertRegex(done.stdout, "(?m)^0 passed, 1 failed, .*ended early: the engine "
                                              "under test refuses the Logon: " + re.escape(reason))

    def test_options_replace_what_the_configuration_says(self):
        config = self.venue("kraken")
        moved = self.write("moved.cfg", re.sub(r"(SocketConnectPort=)\d+", r"\g<1>1",
                                               config.read_text()))
        port = re.search(r"SocketConnectPort=(\d+)", config.read_text())[1]
        logon = "send <log_on>\nexpect 35=A|56=ELSE\n"
        self.assert_passes("include definitions\n" + logon, moved, "--acceptor",
                           f"localhost:{port}", "--set", "log_on=35=A|49=ELSE|98=0|108=30|141=Y")


class Scripts(Signed):
    def test_a_logon_without_or_with_a_wrong_signature_is_sent_on_purpose(self):
        config = self.venue("kraken")
        logon = "35=A|98=0|108=30|141=Y"
        refused = "expect 35=5|58~{}\nexpect disconnect\n"
        signed = f"send {logon}\nexpect 35=A|34=1\n"
        self.assert_passes(signed, config)
        self.assert_passes(f"signing off\nsend {logon}\n" + refused.format("missing"), config)
        self.assert_passes(f"send {logon}|-554\n" + refused.format("missing"), config)
        self.assert_passes(f"send {logon}|554=d3Jvbmc=\n" + refused.format("Invalid cr"), config)
        self.assert_passes(f"send {logon}|5025=1\n" + refused.format("Invalid nonce"), config)
        self.assert_passes(f"send {logon}|553=else\n" + refused.format("Invalid cr"), config)
        self.assert_passes(f"signing off\nsend {logon}\n{refused.format('missing')}"
                           f"signing on\nconnect\n{signed.replace('|141', '|34=1|141')}", config)

    def test_no_report_has_the_key_the_password_or_the_signature(self):
        config = self.venue("kraken")
        secret = (self.folder / "kraken/client.secret").read_text().strip()
        own_tag = self.write("own.cfg", config.read_text().replace("LogonSignature=554=",
                                                                   "LogonSignature=9554="))
        for file in (config, own_tag):
            html, junit = self.folder / "a.html", self.folder / "a.xml"
            done = self.play("send 35=A|98=0|108=30|141=Y\nexpect 35=8\n", file, "--html", html,
                             "--junit", junit)
            self.assertEqual(done.returncode, 1, done.stdout)
            for text in (done.stdout, html.read_text(), junit.read_text()):
                self.assertRegex(text, r"\b9?554=\*\*\*")
                self.assertNotRegex(text, r"\b9?554=[^*]")
                self.assertNotIn(secret, text)


class BadInput(Signed):
    def assert_refused(self, text, *arguments):
        done = run("test", "session", *arguments)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stdout + done.stderr)
        self.assertRegex(done.stderr, text)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)

    def test_a_key_that_cannot_be_read_is_one_error_before_the_run(self):
        run("certify", "kraken", "--write-kit", "--folder", self.folder / "kraken")
        config, key = self.with_key(self.folder / "kraken/client.cfg", b"c2VjcmV0\n")
        place = rf"other\.cfg:\d+: LogonKey: "
        key.chmod(0o644)
        self.assert_refused(place + r".*readable by other users: chmod 600 /", "--config", config)
        key.chmod(0o600)
        key.write_text("not base64!\n")
        self.assert_refused(place + "the key: base64 was expected$", "--config", config)
        key.unlink()
        self.assert_refused(place + ".*No such file or directory$", "--config", config)

    def test_a_file_that_is_no_client_for_this_test_is_one_error(self):
        run("certify", "kraken", "--write-kit", "--folder", self.folder / "kraken")
        config = self.folder / "kraken/client.cfg"
        self.assert_refused("absent.cfg: the configuration cannot be read", "--config",
                            self.folder / "absent.cfg")
        self.assert_refused("with --sender ELSE; sessions: FIX.4.4:CLIENT->KRAKEN-TRD",
                            "--config", config, "--sender", "ELSE")
        self.assert_refused("--config is the initiator that the tester plays", "--config", config,
                            "--initiator", "0")
        acceptor = self.write("acceptor.cfg", "[DEFAULT]\nConnectionType=acceptor\n"
                              "SocketAcceptPort=0\nStore=memory\n[SESSION]\nBeginString=FIX.4.4\n"
                              "SenderCompID=A\nTargetCompID=B\n")
        self.assert_refused(r"FIX\.4\.4:A->B \(an acceptor\)", "--config", acceptor)

    def test_a_logon_that_lacks_a_signed_field_is_named(self):
        config = self.folder / "kraken/client.cfg"
        run("certify", "kraken", "--write-kit", "--folder", self.folder / "kraken")
        with socket.create_server(("127.0.0.1", 0)) as server:
            text = re.sub(r"(SocketConnectPort=)\d+", rf"\g<1>{server.getsockname()[1]}",
                          config.read_text())
            done = self.play("send 35=A|98=0|108=30|-553\n", self.write("silent.cfg", text))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("the Logon cannot be signed: LogonSignature has field 553", done.stdout)


if __name__ == "__main__":
    command_test.NEXUSFIX = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
