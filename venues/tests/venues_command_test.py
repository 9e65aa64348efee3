#!/usr/bin/env python3
"""The kits from the view of a user: each client against its simulated venue, its examples, and its
certification; and bad input. python/tests/kits_test.py has the examples in Python."""

import hashlib
import json
import os
import re
import select
import signal
import socket
import subprocess
import sys
import unittest
import xml.etree.ElementTree as xml
from datetime import datetime, timezone
from pathlib import Path

import command_test
from command_test import WithFolder, run
from kit_table import CERTIFIED, KITS
from simulated_venue import WithSimulatedVenue

EXAMPLES = Path()  # set by main: the folder of the programs venue_example_*


class WithVenue(WithSimulatedVenue):
    def example(self, kit, configuration="client.cfg"):
        return [str(EXAMPLES / f"venue_example_{kit}"), str(self.folder / kit / configuration)]

    def certify(self, kit, *arguments, engine=None):
        engine = engine or f"{EXAMPLES}/venue_example_{kit} {{config}}"
        return run("certify", kit, "--engine", engine, "--folder", self.folder / "c" / kit,
                   *arguments)


class Kits(WithVenue):
    def test_example_of_each_kit_trades_at_its_simulated_venue(self):
        for kit, facts in KITS.items():
            with self.subTest(kit):
                venue = self.simulate(kit)
                done = subprocess.run(self.example(kit) + facts.get("arguments", []),
                                      capture_output=True, text=True, timeout=60, check=False)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertRegex(done.stdout, facts["example"], done.stderr)
                self.end(venue)
                self.assertIn("is logged on", venue.stdout.read())

    def test_client_of_each_endpoint_gets_its_messages(self):
        for kit, facts in KITS.items():
            venue = self.simulate(kit)
            for endpoint, (configuration, script, texts) in facts["endpoints"].items():
                with self.subTest(f"{kit}/{endpoint}"):
                    done = run("connect", self.folder / kit / configuration, "--script",
                               self.write("script.txt", script))
                    self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                    for text in texts:
                        self.assertIn(text, done.stdout + done.stderr)
            self.end(venue)

    def connect_later(self, configuration, script):
        """Starts a client with a script. It ends when the script does."""
        client = subprocess.Popen(
            [command_test.NEXUSFIX, "connect", str(configuration), "--script",
             str(self.write("later.txt", script))],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for close in (client.stdout.close, client.stderr.close, client.wait, client.kill):
            self.addCleanup(close)
        return client

    def test_market_data_by_order_has_the_life_of_each_order(self):
        venue = self.simulate("coinbase")
        folder = self.folder / "coinbase"
        # The venue's offer at 50010 has OrderID 2.
        market_data = self.connect_later(folder / "market-data.cfg", """
send 35=V|262=R1|263=1|146=1|55=BTC-USD
expect 35=W 262=R1 268=2
wait 35=X 279=1 269=1 278=2 270=50010 271=0.5 timeout 60
wait 35=X 279=2 269=1 278=2 270=50010 271=0 58=FILLED
wait 35=X 279=0 269=0 270=49000 271=3
wait 35=X 279=1 269=0 270=49001 271=2 58=CHANGE_REASON_MODIFY_ORDER
wait 35=X 279=2 269=0 270=49001 271=2 58=CANCELED
""")
        self.assertIn("market-data: test-api-key-md is logged on", venue.stdout.readline())
        while "35=W" not in market_data.stdout.readline():
            self.assertIsNone(market_data.poll(), "no snapshot")
        done = run("connect", folder / "client.cfg", "--script", self.write("orders.txt", """
send 35=D|11=A1|38=1.5|40=2|44=50010|54=1|55=BTC-USD|59=1|60=now
wait 35=8 11=A1 39=2
send 35=D|11=A2|38=0.5|40=2|44=50010|54=1|55=BTC-USD|59=1|60=now
wait 35=8 11=A2 39=2
send 35=D|11=A3|38=3|40=2|44=49000|54=1|55=BTC-USD|59=1|60=now
wait 35=8 11=A3 39=0
send 35=G|11=A4|41=A3|38=2|40=2|44=49001|54=1|55=BTC-USD|60=now
wait 35=8 11=A4 150=5
send 35=F|11=A5|41=A4|55=BTC-USD|54=1|60=now
wait 35=8 11=A5 39=4
"""))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        out, errors = market_data.communicate(timeout=60)
        self.assertEqual(market_data.returncode, 0, out + errors)

    def test_book_of_an_example_follows_the_orders_of_others(self):
        venue = self.simulate("coinbase")
        book = subprocess.Popen(
            [str(EXAMPLES / "venue_example_coinbase_book"), "coinbase/market-data.cfg", "9"],
            cwd=self.folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for close in (book.stdout.close, book.stderr.close, book.wait, book.kill):
            self.addCleanup(close)
        first = book.stdout.readline()
        self.assertRegex(first, r"^snapshot \d+: 2 orders, bid 50000, offer 50010\n")
        order = "send 35=D|11=A1|38=2|40=2|44=50010|54=1|55=BTC-USD|59=1|60=now\n"
        done = run("connect", self.folder / "coinbase" / "client.cfg", "--script",
                   self.write("order.txt", order + "wait 35=8 11=A1 39=2\n"))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        out, errors = book.communicate(timeout=60)
        self.assertEqual(book.returncode, 0, errors)
        self.assertNotIn("missing", out)
        self.assertRegex(out, r"update \d+: 1 orders, bid 50000(, offer none)?\n")
        self.end(venue)

    def test_key_that_others_can_read_is_refused_by_client_and_venue(self):
        for kit, facts in KITS.items():
            if facts["signature"] is None:
                continue
            with self.subTest(kit):
                run("certify", kit, "--write-kit", "--folder", self.folder / kit)
                key = next((self.folder / kit).glob(facts["key"]))
                os.chmod(key, 0o644)
                programs = [self.example(kit)]
                if key.suffix == ".secret":  # --key of the others is a public key
                    programs.append([command_test.NEXUSFIX, "serve", "--venue", kit, "--port", "0",
                                     "--key", str(key)])
                for program in programs:
                    done = subprocess.run(program, cwd=self.folder, capture_output=True, text=True,
                                          timeout=60, check=False)
                    self.assertNotEqual(done.returncode, 0, done.stdout)
                    self.assertRegex(done.stderr, rf"{key.name}.*(0644|others|chmod)", program)

    def test_another_key_is_refused_with_the_venue_s_reason(self):
        for kit, facts in KITS.items():
            if facts["signature"] is None:
                continue
            with self.subTest(kit):
                venue = self.simulate(kit)
                key = next((self.folder / kit).glob(facts["key"]))
                # The client of another folder signs: its key is another one.
                other = self.folder / "other" / kit
                done = run("certify", kit, "--write-kit", "--folder", other)
                self.assertEqual(done.returncode, 0, done.stderr)
                key.write_bytes((other / key.name).read_bytes())
                os.chmod(key, 0o600)
                client = subprocess.Popen(self.example(kit), stdout=subprocess.DEVNULL,
                                          stderr=subprocess.DEVNULL)
                try:
                    self.assertTrue(select.select([venue.stdout], [], [], 60)[0], "no refusal")
                    line = venue.stdout.readline()
                finally:
                    client.kill()
                    client.wait()
                self.assertIn("is refused: " + facts["signature"], line)
                self.end(venue)

    def test_wrong_logon_at_binance_is_answered_by_a_reject_with_its_error_code(self):
        venue = self.simulate("binance")
        client = (self.folder / "binance" / "client.cfg").read_text()
        port = int(re.search(r"(?m)^SocketConnectPort=(\d+)", client)[1])
        now = datetime.now(timezone.utc).strftime("%Y%m%d-%H:%M:%S.%f")
        body = (f"35=A|34=1|49=OE1|52={now}|56=SPOT|95=4|96=AAAA|98=0|108=10|141=Y|"
                "553=test-api-key|25035=2|").replace("|", "\x01")
        text = f"8=FIX.4.4\x019={len(body)}\x01{body}"
        with socket.create_connection(("127.0.0.1", port), timeout=60) as wire:
            wire.sendall(f"{text}10={sum(text.encode()) % 256:03}\x01".encode())
            answer = b"".join(iter(lambda: wire.recv(4096), b"")).decode()  # until the end
        self.assertRegex(answer, "^8=FIX.4.4\x01" + r"9=\d+" + "\x0135=3\x0134=1\x0149=SPOT\x01")
        for field in ("45=1", "371=96", "372=A", "373=8", "25016=-1022",
                      "58=Signature for this request is not valid."):
            self.assertIn(f"\x01{field}\x01", answer)
        head, _, check_sum = answer.rpartition("10=")
        self.assertEqual(int(check_sum[:3]), sum(head.encode()) % 256)
        self.assertEqual(int(answer.split("\x01")[1][2:]),
                         len(head) - len("\x01".join(answer.split("\x01")[:2])) - 1)
        self.assertNotIn("\x0135=5\x01", answer)
        self.end(venue)

    def test_dictionaries_and_configurations_of_each_kit_have_no_warning(self):
        for kit in KITS:
            with self.subTest(kit):
                run("certify", kit, "--write-kit", "--folder", self.folder / kit)
                for configuration in (self.folder / kit).glob("*.cfg"):
                    done = run("config", "check", configuration)
                    self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)

    def test_tls_is_served_with_a_certificate(self):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ed25519", "-nodes", "-keyout",
                        "tls.key", "-out", "tls.pem", "-subj", "/CN=localhost", "-addext",
                        "subjectAltName=IP:127.0.0.1"], cwd=self.folder, check=True,
                       capture_output=True)
        os.chmod(self.folder / "tls.key", 0o600)
        venue = self.simulate("binance", "--certificate", "tls.pem", "--certificate-key", "tls.key")
        path = self.folder / "binance" / "client.cfg"
        path.write_text(path.read_text().replace(
            "SocketUseSSL=N", "SocketUseSSL=Y\n"
            f"CertificationAuthoritiesFile={self.folder}/tls.pem"))
        done = subprocess.run(self.example("binance"), capture_output=True, text=True, timeout=60,
                              check=False)
        self.assertRegex(done.stdout, KITS["binance"]["example"], done.stderr)
        self.end(venue)


class Certify(WithVenue):
    def test_example_of_each_kit_is_certified(self):
        for kit in KITS:
            with self.subTest(kit):
                done = self.certify(kit, "--version-of", "echo example 1.0")
                self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
                self.assertNotIn("skipped", done.stdout)
                folder = self.folder / "c" / kit
                summary = json.loads((folder / "summary.json").read_text())
                self.assertEqual(summary["program"]["version"], "example 1.0")
                self.check_files(folder, summary)

    def test_example_of_another_endpoint_is_certified(self):
        for kit, endpoint, program in CERTIFIED:
            with self.subTest(f"{kit}/{endpoint}"):
                done = self.certify(kit, "--endpoint", endpoint,
                                    engine=f"{EXAMPLES}/venue_example_{program} {{config}}")
                self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
                self.assertNotIn("skipped", done.stdout)

    def check_files(self, folder, summary):
        for case in summary["cases"]:
            text = (folder / case["conversation"]).read_bytes()
            self.assertEqual(hashlib.sha256(text).hexdigest(), case["sha256"])
            self.assertEqual(case["verdict"], "passed")
        for name, digest in summary["kit_files"].items():
            if name.endswith(".xml"):
                self.assertEqual(hashlib.sha256((folder / name).read_bytes()).hexdigest(), digest)
        cases = xml.parse(folder / "report.xml").getroot().iter("testcase")
        self.assertEqual(len(list(cases)), len(summary["cases"]))
        page = (folder / "report.html").read_text()
        self.assertIn("<table class=\"talk\">", page)
        self.assertIn(summary["cases"][0]["sha256"], (folder / "summary.md").read_text())

    def test_version_of_the_program_is_shown_without_control_characters(self):
        done = self.certify("binance", "--only", "^logon$", "--version-of",
                            r"printf '\033[31m1.0\nof 2026'", engine="exit 3")
        self.assertEqual(done.returncode, 1, done.stderr)
        summary = json.loads((self.folder / "c" / "binance" / "summary.json").read_text())
        self.assertEqual(summary["program"]["version"], r"\x1b[31m1.0")

    def test_wrong_signature_is_found_and_named(self):
        for kit in ("binance", "cme-dropcopy", "coinbase"):
            with self.subTest(kit):
                other = self.folder / "other" / kit
                run("certify", kit, "--write-kit", "--folder", other)
                done = self.certify(kit, "--only", "^logon$", "--timeout", "20", engine=(
                    f"sed 's#{{folder}}/client#{other}/client#' {{config}} > {other}/x.cfg && "
                    f"exec {EXAMPLES}/venue_example_{kit} {other}/x.cfg"))
                self.assertEqual(done.returncode, 1, done.stdout)
                self.assertIn("the venue refuses the Logon: " + KITS[kit]["signature"],
                              done.stdout)
                self.assertIn("is not the signature of this Logon by this key", done.stdout)
                summary = json.loads((self.folder / "c" / kit / "summary.json").read_text())
                self.assertEqual(summary["cases"][0]["verdict"], "failed")
                self.assertIn(KITS[kit]["signature"], summary["cases"][0]["failure"]["what"])

    def test_program_that_ends_before_it_connects_ends_the_run_at_once(self):
        before = self.certify("binance", "--only", "^logon$", engine="echo of another run")
        self.assertNotIn("engine.log: of", before.stderr)
        done = self.certify("binance", engine="echo reads licence; echo no licence; exit 3")
        self.assertEqual(done.returncode, 1, done.stdout)
        why = "it has ended with status 3 before it connected: no licence"
        self.assertEqual(done.stdout.count(why), 2, done.stdout)  # the case, and why the run ended
        self.assertIn("remark: engine.log: reads licence\n", done.stdout)
        self.assertNotIn("another run", done.stdout)
        self.assertRegex(done.stdout, r"0 passed, 1 failed, 11 not run in [0-9]\.\d s; ended early")
        summary = json.loads((self.folder / "c" / "binance" / "summary.json").read_text())
        self.assertIn(why, summary["ended_early"])

    def test_command_that_ends_in_order_has_the_time_of_a_message_to_connect(self):
        done = self.certify("binance", "--timeout", "1", engine="true")
        self.assertRegex(done.stdout, "ended early: .*it has ended with status 0 before it connec")
        # The program runs on after its shell.
        started = self.certify("binance", "--only", "^logon$", engine=(
            f"{EXAMPLES}/venue_example_binance {{config}} >/dev/null 2>&1 &"))
        self.assertEqual(started.returncode, 0, started.stdout)

    def test_program_that_dies_in_a_case_is_named_and_the_next_case_is_played(self):
        program = f"{EXAMPLES}/venue_example_binance"
        done = self.certify("binance", "--only", "^(heartbeat|logon)$", engine=(
            f"{program} {{config}} & sleep 2; kill -9 $!; wait $!"))
        self.assertIn("heartbeat: FAILED", done.stdout)
        self.assertRegex(done.stdout, r"1 passed, 1 failed in")

    def test_program_gets_its_place_by_placeholders_and_variables(self):
        out = self.folder / "place.txt"
        self.certify("binance", "--only", "^logon$", engine=(
            f"echo {{host}} {{port}} {{key}} $NEXUSFIX_VENUE_HOST $NEXUSFIX_VENUE_PORT "
            f"$NEXUSFIX_VENUE_KEY > {out}; exit 1"))
        host, port, key, *same = out.read_text().split()
        self.assertEqual([host, port, key], same)
        self.assertEqual(host, "127.0.0.1")
        self.assertTrue(key.endswith("/c/binance/client.pem"), key)

    def test_interrupt_leaves_a_whole_report(self):
        process = subprocess.Popen(
            [command_test.NEXUSFIX, "certify", "binance", "--engine",
             f"{EXAMPLES}/venue_example_binance {{config}}", "--folder", self.folder / "c",
             "--only", "^logon"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertIn("passed", process.stdout.readline())
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=60)
        self.assertEqual((process.returncode, errors), (130, ""), out)
        self.assertIn("ended early: interrupted", out)
        summary = json.loads((self.folder / "c" / "summary.json").read_text())
        verdicts = [case["verdict"] for case in summary["cases"]]
        self.assertEqual(summary["ended_early"], "interrupted")
        self.assertIn("passed", verdicts)
        self.assertIn("not run", verdicts)

    def test_interrupt_ends_the_command_of_the_version(self):
        begun = self.folder / "begun"
        os.mkfifo(begun)
        process = subprocess.Popen(
            [command_test.NEXUSFIX, "certify", "binance", "--engine", "true", "--folder",
             self.folder / "c", "--version-of", f"echo $$ > {begun}; exec sleep 600"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        command = int(begun.read_text())
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=60)
        self.assertEqual((process.returncode, out, errors), (130, "", ""))
        self.assertFalse(command_test.is_alive(command))

    def test_lists_name_kits_and_cases(self):
        done = run("certify", "--list")
        for kit in KITS:
            self.assertRegex(done.stdout, rf"(?m)^{kit}: ")
        done = run("certify", "binance", "--list")
        self.assertRegex(done.stdout, r"(?m)^    logon: The Logon has the signature")
        for kit in KITS:
            for line in re.findall("(?m)^    .*$", run("certify", kit, "--list").stdout):
                self.assertRegex(line, r"^    \w+: .*\.$")

    def test_bad_input_is_one_clear_error(self):
        taken = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(taken.close)
        for arguments, expected in (
                (("certify",), r"VENUE is missing: --list shows them"),
                (("certify", "binnance"), r"no kit \"binnance\"; did you mean binance\?"),
                (("certify", "binance", "--endpoint", "order"), r"Endpoints: order-entry"),
                (("certify", "binance"), r"--engine 'COMMAND' is missing"),
                (("certify", "binance", "--engine", "/nonexistent/x"),
                 r"--engine: the command does not start: /nonexistent/x"),
                (("certify", "binance", "--engine", "true", "--port",
                  str(taken.getsockname()[1])), r"in use"),
                (("certify", "binance", "--engine", "true", "--only", "zzz"), r"leave no case"),
                (("certify", "binance", "--engine", "true", "--key", "/nonexistent.pem"),
                 r"--key: .*nonexistent.pem"),
                (("certify", "binance", "--engine", "true", "--version-of", "false"),
                 r"--version-of: the command failed: false"),
                (("certify", "binance", "--engine", "true", "--version-of", "yes"),
                 r"--version-of: the command has not ended within 10 s: yes"),
                (("certify", "binance", "--engine", "true", "--set", "oder=35=D"),
                 r"--set: no script has <oder>"),
                (("serve", "--venue", "binnance"), r"--venue: there is no kit \"binnance\""),
                (("serve", "--venue", "binance", "--key", "/nonexistent.pem"), r"--key: ")):
            with self.subTest(arguments):
                done = run(*arguments, cwd=self.folder)
                self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
                self.assertRegex(done.stderr, expected)
                self.assertEqual(done.stderr.count("\n"), 1, done.stderr)

    def test_users_lines_in_the_configuration_of_a_client_are_kept(self):
        client = self.folder / "kraken" / "client.cfg"
        first = self.simulate("kraken")
        own = client.read_text().replace("HeartBtInt=10", "HeartBtInt=20\n# Ours\nLogTimestamps=Y")
        client.write_text(own)
        for failing in (("--port", str(self.port_of(client))), ("--key", "/nonexistent.pem"),
                        ("--port", "0", "--certificate", "/nonexistent.pem")):
            done = run("serve", "--venue", "kraken", *failing, cwd=self.folder)
            self.assertNotEqual(done.returncode, 0, done.stdout)
            self.assertEqual(client.read_text(), own)
        before = self.port_of(client)
        self.assertIsNone(first.poll())
        second = self.start("kraken")
        self.assertRegex(second.stdout.readline(), "simulated")
        self.assertRegex(second.stdout.readline(),
                         r"listening on port \d+, .*/client.cfg \(your lines in it are kept\)$")
        now = client.read_text()
        self.assertNotEqual(self.port_of(client), before)
        self.assertEqual(re.sub(r"(SocketConnectPort)=\d+", r"\1=", now),
                         re.sub(r"(SocketConnectPort)=\d+", r"\1=", own))

    def test_configuration_of_a_client_without_a_port_is_an_error(self):
        client = self.folder / "kraken" / "client.cfg"
        run("certify", "kraken", "--write-kit", "--folder", client.parent)
        client.write_text(client.read_text().replace("SocketConnectPort", "#SocketConnectPort"))
        done = run("serve", "--venue", "kraken", "--port", "0", cwd=self.folder)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertRegex(done.stderr, r"client\.cfg: SocketConnectPort is missing: the client")

    @staticmethod
    def port_of(client):
        return int(re.search(r"SocketConnectPort=(\d+)", client.read_text())[1])

    def test_port_of_a_simulated_venue_in_use_is_an_error(self):
        taken = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(taken.close)
        done = run("serve", "--venue", "binance", "--port", taken.getsockname()[1],
                   cwd=self.folder)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertRegex(done.stderr, "in use")


if __name__ == "__main__":
    EXAMPLES = Path(sys.argv.pop())
    command_test.NEXUSFIX = sys.argv.pop()
    unittest.main(verbosity=2)
