#!/usr/bin/env python3
"""`nexusfix test` from the view of a user: suites against our venue and our initiator, faults of an
engine that must be found from outside, reports, and bad input."""

import concurrent.futures
import contextlib
import os
import random
import re
import resource
import signal
import socket
import subprocess
import sys
import threading
import time
import unittest
import xml.etree.ElementTree as xml

import broken_acceptor
import command_test
from broken_acceptor import BrokenAcceptor
from command_test import WithFolder, free_port, run

ACCEPTANCE_SERVER = ""  # set by main: our engine, with a session for each version
VERSIONS = ("FIX.4.0", "FIX.4.1", "FIX.4.2", "FIX.4.3", "FIX.4.4", "FIX.5.0", "FIX.5.0SP1",
            "FIX.5.0SP2")
# Our initiator does not connect again after it has said that a MsgSeqNum is too low.
ENDS_INITIATOR = "2c_|10_gap_fill_number_too_low"
# 14j_group_order needs it.
ORDERED_GROUPS = "ValidateUnorderedGroupFields=Y\n"
SCRIPT = """# A script of this test
language 1
include logged_on
{}
"""


class TestCommand(WithFolder):
    def venue(self, begin_string="FIX.4.4", senders=("TESTER",), more=""):
        """Starts our venue; returns its port."""
        text = ("[DEFAULT]\nConnectionType=acceptor\nSocketAcceptHost=127.0.0.1\n"
                "SocketAcceptPort=0\nStore=memory\n" + more)
        for sender in senders:
            text += (f"[SESSION]\nBeginString={begin_string}\nSenderCompID=ENGINE\n"
                     f"TargetCompID={sender}\n")
        return self.serve_file(self.write("venue.cfg", text))[1]

    def play(self, suite, port, *arguments, timeout=20, **options):
        return run("test", suite, "--acceptor", f"127.0.0.1:{port}", "--target", "ENGINE",
                   "--timeout", timeout, *arguments, **options)

    def script(self, lines):
        return self.write("a.scenario", SCRIPT.format(lines))


class OurEngine(TestCommand):
    def test_our_venue_passes_all_suites(self):
        senders = [f"T{i}" for i in range(6)]
        for begin_string in ("FIX.4.2", "FIX.4.4"):
            with self.subTest(begin_string):
                port = self.venue(begin_string, senders=senders, more=ORDERED_GROUPS)
                done = self.play("session", port, "robustness", "-q", "-j", len(senders),
                                 "--sender", ",".join(senders), "--begin-string", begin_string)
                self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
                self.assertRegex(done.stdout, r"^8\d passed, 0 failed, 3 skipped in ")

    def test_our_venue_is_told_to_log_out(self):
        text = ("[DEFAULT]\nConnectionType=acceptor\nSocketAcceptHost=127.0.0.1\n"
                f"SocketAcceptPort=0\nFileStorePath={self.folder}/store\n[SESSION]\n"
                "BeginString=FIX.4.4\nSenderCompID=ENGINE\nTargetCompID=TESTER\n")
        config = self.write("venue.cfg", text)
        port = self.serve_file(config)[1]
        done = self.play("session", port, "--only", "/12_", "--logout",
                         f"{command_test.NEXUSFIX} ctl --engine {config} log-out --yes "
                         "'FIX.4.4:ENGINE->TESTER'")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("3 passed, 0 failed in ", done.stdout)

    def test_our_engine_passes_all_suites_in_each_version(self):
        server = subprocess.Popen([ACCEPTANCE_SERVER, "0"], stdin=subprocess.DEVNULL, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.addCleanup(server.stdout.close)
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        port = server.stdout.readline().split()[-1]

        def play(version):
            sender = "TW" + version[len("FIX."):].replace(".", "")
            return run("test", "session", "robustness", "-q", "--acceptor", f"127.0.0.1:{port}",
                       "--begin-string", version, "--sender", sender, "--target", "ISLD",
                       "--except", "14j_group_order", "--timeout", 20)

        with concurrent.futures.ThreadPoolExecutor(len(VERSIONS)) as pool:
            for version, done in zip(VERSIONS, pool.map(play, VERSIONS), strict=True):
                with self.subTest(version):
                    self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
                    # It echoes orders, and has no command that logs it out.
                    self.assertRegex(done.stdout, r"^[789]\d passed, 0 failed, 6 skipped in ")

    def test_tls_is_used_and_the_certificate_is_verified(self):
        key, certificate = self.folder / "engine.key", self.folder / "engine.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                        "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=engine",
                        "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out",
                        certificate], check=True, capture_output=True, timeout=60)
        key.chmod(0o600)
        port = self.venue(more=f"SocketUseSSL=Y\nServerCertificateFile={certificate}\n"
                               f"ServerCertificateKeyFile={key}\n")
        only = ("--only", "1s_logon_answered")
        done = self.play("session", port, *only, "--tls", "--ca", certificate)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        done = self.play("session", port, *only, "--tls")
        self.assertRegex(done.stdout,
                         r"0 passed, 1 failed in [0-9.]+ s; ended early: no connection .*"
                         "certificate")
        done = self.play("session", port, *only, "--tls", "--ca", self.folder / "absent.pem")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)

    def test_our_initiator_passes_the_suites(self):
        new = "1[bs4-9]|2r|3"
        for begin_string, cases, passed in (
                ("FIX.4.4", "1[bs]|1[0-9]|2[a-kr]|3|7|8", r"4\d"), ("FIX.4.0", new, r"2\d"),
                ("FIX.4.2", new, r"2\d"), ("FIX.5.0SP1", "fixt", "8"),
                ("FIX.5.0SP2", new + "|fixt", r"3\d")):
            with self.subTest(begin_string):
                done = self.play_initiator(begin_string, f"/({cases})")
                self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
                self.assertRegex(done.stdout, r"^listening on port \d+\n")
                self.assertRegex(done.stdout, rf"(?m)^{passed} passed, 0 failed")

    def play_initiator(self, begin_string, only):
        port = free_port()
        is_fixt = begin_string.startswith("FIX.5")
        session = (f"BeginString=FIXT.1.1\nDefaultApplVerID={begin_string}\n" if is_fixt
                   else f"BeginString={begin_string}\n")
        config = self.write("trader.cfg", (
            "[DEFAULT]\nConnectionType=initiator\nSocketConnectHost=127.0.0.1\n"
            f"SocketConnectPort={port}\nReconnectInterval=1\nHeartBtInt=30\nStore=memory\n"
            f"ResetOnLogon=Y\n{ORDERED_GROUPS}[SESSION]\n{session}SenderCompID=ENGINE\n"
            "TargetCompID=TESTER\n"))
        with subprocess.Popen([command_test.NEXUSFIX, "connect", config, "--logon-timeout", "600"],
                              stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL) as engine:
            done = run("test", "session", "--initiator", f"127.0.0.1:{port}", "--target", "ENGINE",
                       "--begin-string", begin_string, "--only", only, "--except", ENDS_INITIATOR,
                       "--timeout", 20)
            engine.kill()
        return done


class Faults(TestCommand):
    def test_an_engine_without_a_fault_passes(self):
        port = BrokenAcceptor(self, answers_orders=True).port
        done = self.play("session", port, "--only",
                         f"/({'|'.join(broken_acceptor.PASSED)})$")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn(f"{len(broken_acceptor.PASSED)} passed, 0 failed", done.stdout)

    def test_each_fault_of_an_engine_is_found_from_outside(self):
        for fault, case in broken_acceptor.FAULTS.items():
            with self.subTest(fault):
                port = BrokenAcceptor(self, fault, answers_orders=True).port
                done = self.play("session", port, "--only", f"/{case}$", timeout=1)
                self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
                self.assertIn(f"session/{case}: FAILED", done.stdout)

    def play_fixt(self, case, fault=None, stream_reject=""):
        port = BrokenAcceptor(self, fault, stream_reject=stream_reject).port
        return self.play("session", port, "--only", f"/{case}$", "--begin-string", "FIX.5.0SP2",
                         timeout=1 if fault else 20)

    def test_faults_of_an_engine_of_fixt_are_found(self):
        for fault, case in broken_acceptor.FIXT_FAULTS.items():
            for planted in (None, fault):
                with self.subTest(planted, case=case):
                    done = self.play_fixt(case, planted)
                    self.assertEqual(done.returncode, 1 if planted else 0,
                                     done.stdout + done.stderr)
                    self.assertIn(f"session/{case}: {'FAILED' if planted else 'passed'}",
                                  done.stdout)

    def test_a_msg_type_may_be_rejected_for_what_the_message_has(self):
        for reject, remark in (("373=1|371=1500|", "rejects the message for another reason"),
                               ("58=no|", "the Reject names no reason (373)")):
            with self.subTest(reject):
                done = self.play_fixt("fixt_msg_type_of_version", stream_reject=reject)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertIn(remark, done.stdout)

    def test_an_initiator_whose_logon_has_no_default_version_is_found(self):
        case = "fixt_default_appl_ver_id_sent"
        for fault in (None, "logon-without-default-version"):
            with self.subTest(fault):
                port = free_port()
                initiator = threading.Thread(target=BrokenAcceptor(self, fault).log_on_at,
                                             args=(port,), daemon=True)
                initiator.start()
                done = run("test", "session", "--initiator", f"127.0.0.1:{port}", "--target",
                           "ENGINE", "--begin-string", "FIX.5.0SP2", "--only", f"/{case}$",
                           "--timeout", 20)
                initiator.join(command_test.LIMIT_SECONDS)
                self.assertEqual(done.returncode, 1 if fault else 0, done.stdout + done.stderr)
                self.assertIn("there is no 1137 instead of 1137=9" if fault else "1 passed",
                              done.stdout)

    def test_faults_of_an_engine_that_logs_out_are_found(self):
        for fault, case in (*((None, case) for case in broken_acceptor.LOGOUT_FAULTS.values()),
                            *broken_acceptor.LOGOUT_FAULTS.items()):
            with self.subTest(fault, case=case):
                acceptor = BrokenAcceptor(self, fault)
                command = (f"{sys.executable} -c 'import socket; socket.create_connection("
                           f"(\"127.0.0.1\", {acceptor.command_port(self)}))'")
                done = self.play("session", acceptor.port, "--only", f"/{case}$", "--logout",
                                 command, timeout=1 if fault else 20)
                self.assertEqual(done.returncode, 1 if fault else 0, done.stdout + done.stderr)
                self.assertIn(f"session/{case}: {'FAILED' if fault else 'passed'}", done.stdout)


class Language(TestCommand):
    def assert_plays(self, lines, status=0, text="1 passed", port=None, arguments=()):
        done = self.play(self.script(lines), port or BrokenAcceptor(self).port, *arguments)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.assertIn(text, done.stdout)
        return done

    def test_captures_branches_loops_and_timers(self):
        self.assert_plays("send 35=1|112=<random>\n"
                          "expect 35=0|112 as id|34 as number\n"
                          "send 35=1|112=<now+2h>\nexpect 35=0|112~^2\n"
                          "mark answer\n"
                          "repeat 3\n  send 35=1|112=<id>-<number+1>\n  expect 35=0|112~^\\d+-3$\n"
                          "end\nelapsed answer 0ms-5s\n"
                          "send 35=5\n"
                          "if 35=3\n  fail a Reject\nelse if 35=5\n  remark a Logout\nelse\n"
                          "  fail something else\nend\nexpect disconnect\n",
                          text="remark: a Logout")

    def test_a_remark_and_a_reason_have_the_values_of_their_names(self):
        lines = "send 35=1|112=TOLD\nexpect 35=0|112 as id\n{} silent <id>\n"
        for word, status, text in (("remark", 0, "remark: silent TOLD"), ("fail", 1, "silent TOLD"),
                                   ("skip", 0, "silent TOLD")):
            self.assert_plays(lines.format(word), status, text)

    def test_an_unexpected_message_is_named(self):
        done = self.assert_plays("send 35=1|112=X\nwait 1s\n", 1, " unexpected: 8=FIX")
        self.assertIn("a.scenario:5: wait 1s", done.stdout)

    def test_heartbeats_are_ignored_unless_the_script_says_otherwise(self):
        port = self.venue()
        begin = ("connect\nsend <log_on>|34=1\nexpect 35=A\nwait 5500ms\n")
        for lines, status in ((begin, 0), ("ignore nothing\n" + begin, 1)):
            path = self.write("b.scenario", "# A script of this test\nlanguage 1\n"
                              "include definitions\nlet heart_bt_int = 5\n" + lines)
            done = self.play(path, port)
            self.assertEqual(done.returncode, status, done.stdout + done.stderr)

    def test_several_sessions_in_one_script(self):
        port = self.venue(senders=("TESTER", "OTHER"))
        self.assert_plays("session other 49=OTHER\nother: connect\nother: send <log_on>\n"
                          "other: expect 35=A|34=1\nsend 35=1|112=A\nother: send 35=1|112=B\n"
                          "other: expect 35=0|112=B\nexpect 35=0|112=A\n", port=port)

    def test_the_engine_is_restarted_by_the_users_command(self):
        lines = "restart\ninclude logged_on\n"
        port = BrokenAcceptor(self).port
        self.assert_plays(lines, 0, "1 skipped", port)
        log = self.folder / "restarted"
        self.assert_plays(lines, 0, "1 passed", port, ["--restart", f"touch {log}"])
        self.assertTrue(log.exists())
        self.assert_plays(lines, 1, "the command of --restart failed", port,
                          ["--restart", "exit 3"])

    def test_a_data_field_is_read_whole(self):
        lines = "send 35=1|112=DATA\nexpect 35=B|354=10|355={}\ninclude alive\n"
        self.assert_plays(lines.format(r"a\x0110=123\x01b"))
        self.assert_plays(lines.format("a"), 1, r"355=a\x0110=123\x01b instead of 355=a")

    def test_set_replaces_what_the_script_says(self):
        lines = "let id = OWN\nsend 35=1|112=<id>\nexpect 35=0|112=GIVEN\n"
        self.assert_plays(lines, arguments=["--set", "id=GIVEN"])
        self.assert_plays(lines, 1, "112=OWN instead of 112=GIVEN")

    def test_the_seed_repeats_what_is_random(self):
        sent = []
        for seed in (1, 1, 2):
            done = self.assert_plays("send 35=1|112=<random>\nexpect 35=0|112=X\n", 1,
                                     arguments=["--seed", seed], text="112=")
            sent.append(re.search(r"112=(\d{8})\|", done.stdout)[1])
        self.assertEqual(sent[0], sent[1])
        self.assertNotEqual(sent[0], sent[2])


class Reports(TestCommand):
    def reports(self, lines, *arguments):
        html, junit = self.folder / "report.html", self.folder / "report.xml"
        done = self.play(self.script(lines), BrokenAcceptor(self).port, "--html", html,
                         "--junit", junit, *arguments)
        return done, html.read_text(), xml.parse(junit).getroot()

    def test_what_did_not_come_is_marked_in_the_column_of_the_engine(self):
        done, html, _ = self.reports("expect within 100ms 35=8\n")
        self.assertEqual(done.returncode, 1, done.stdout)
        row = re.search("<tr class=\"difference\">.*</tr>", html)[0]
        self.assertRegex(row, "<td></td><td>.*<mark>nothing came within")

    def test_html_has_both_columns_and_marks_the_first_difference(self):
        done, html, junit = self.reports("send 35=1|112=a<1&\"b\nexpect 35=0|112=Y\n")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("<th>Counterparty (this tester)</th><th>Engine under test</th>", html)
        self.assertIn("<mark>112=a&lt;1&amp;&quot;b</mark>", html)
        self.assertEqual(html.count("class=\"difference\""), 1)
        self.assertNotRegex(html, "src=|href=\"[^#]")  # it needs no other file
        self.assertIn("<li><a href=\"#a\">a</a>: <span class=\"what\">", html)
        self.assertIn("<details id=\"a\" open>", html)
        self.assertIn("<i><b>35=0</b>|</i>", html)
        self.assertRegex(html, r"Acceptor at 127\.0\.0\.1:\d+, TESTER to \w+, from 20\d\d-")
        case = junit.find("testsuite/testcase")
        self.assertEqual(case.get("name"), "a")
        self.assertIn("instead of 112=Y", case.find("failure").get("message"))
        self.assertIn("35=1", case.find("system-out").text)

    def test_passwords_are_masked_everywhere(self):
        sent = "35=A|34=1|98=0|108=30|553=U|554=pa55word|925=pa55word"
        for lines in (f"send {sent}\nexpect 35=0\n", f"disconnect\nsend {sent}\n",
                      f"expect exactly {sent}\n", f"expect {sent}\n"):
            done, html, junit = self.reports(lines)
            self.assertEqual(done.returncode, 1)
            for text in (done.stdout, html, xml.tostring(junit, encoding="unicode")):
                self.assertIn("553=U|554=***", re.sub("</?[ib]>", "", text), lines)
                self.assertNotIn("pa55word", text, lines)

    def interrupt(self, what, *arguments, port=None, first_line="", seconds=0.5):
        """Ctrl-C while the cases are played. Returns output, page and cases of the JUnit report."""
        html, junit = self.folder / "report.html", self.folder / "report.xml"
        port = port or BrokenAcceptor(self).port
        with subprocess.Popen(
                [command_test.NEXUSFIX, "test", *what, "--acceptor", f"127.0.0.1:{port}",
                 "--target", "ENGINE", "--html", html, "--junit", junit, *map(str, arguments)],
                stdout=subprocess.PIPE, text=True) as process:
            out = process.stdout.readline() if first_line else ""
            self.assertIn(first_line, out)
            time.sleep(seconds)
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(60), 130)
            out += process.stdout.read()
        self.assertRegex(out, "1 not run in .*; ended early: interrupted\n$")
        page = html.read_text()
        self.assertTrue(page.endswith("</body></html>\n"))
        return out, page, xml.parse(junit).getroot().findall("testsuite/testcase")

    def test_ctrl_c_leaves_a_whole_report_with_the_conversation_so_far(self):
        second = self.write("b.scenario", SCRIPT.format("send 35=1|112=SAID\nexpect 35=0\n"
                                                        "wait 10m\n"))
        out, html, cases = self.interrupt([self.script(""), second], first_line="a: passed")
        self.assertRegex(out, "(?m)^b: not run: interrupted .*\n(  .*\n)*  .*<-- .*112=SAID")
        self.assertIn("<details id=\"b\" open>", html)
        self.assertIn("<i>112=SAID|</i>", html)
        self.assertEqual([case.find("skipped") is not None for case in cases], [False, True])
        self.assertEqual(cases[1].find("skipped").get("message"), "interrupted")
        self.assertIn("35=0|34=2|", cases[1].find("system-out").text)

    def test_ctrl_c_ends_a_slow_send_a_loop_a_restart_and_a_soak(self):
        said = "send 35=1|112=SAID\nexpect 35=0\n"
        for lines in (said + "pieces 1 10m\nsend 35=1|112=X\n",
                      said + "repeat 1000000\n  repeat 1000000\n    checks on\n  end\nend\n",
                      said + "restart\n"):
            with self.subTest(lines):
                out, _, _ = self.interrupt([self.script(lines)], "--restart", "sleep 600")
                self.assertIn("112=SAID", out)
        out, _, _ = self.interrupt(["soak"], "--seconds", 600, port=self.venue(), seconds=2)
        self.assertRegex(out, "soak/random_session: not run: interrupted(.*\n)*  rounds ")
        self.assertIn(" <-- ", out)

    def test_list_and_show_print_what_is_shipped(self):
        listed = run("test", "session", "--list", "--only", "2c_")
        self.assertEqual((listed.returncode, listed.stderr), (0, ""))
        self.assertIn("session/2c_poss_dup_flag_no (acceptor or initiator, all versions): TC 2c,",
                      listed.stdout)
        shown = run("test", "--show", "session/2c_poss_dup_flag_no")
        self.assertIn("language 1\ninclude logged_on\n", shown.stdout)


def serve_without_end(listening, block):
    """An engine that sends this block without end after the first bytes of each connection."""
    def serve(connection):
        with connection, contextlib.suppress(OSError):
            connection.recv(4096)
            while True:
                connection.sendall(block)

    with contextlib.suppress(OSError):
        while True:
            threading.Thread(target=serve, args=(listening.accept()[0],), daemon=True).start()


class HostileEngines(TestCommand):
    FLOODS = {
        "garbage": random.Random(1).randbytes(65536),
        "a message without end": b"8=FIX.4.4\x019=999999999\x01" + b"x" * 65536,
        "heartbeats": b"8=FIX.4.4\x019=5\x0135=0\x0110=163\x01" * 1000,
    }

    def test_an_engine_that_sends_without_end_fails_the_case_and_not_the_tester(self):
        for name, block in self.FLOODS.items():
            with self.subTest(name), socket.create_server(("127.0.0.1", 0)) as listening:
                threading.Thread(target=serve_without_end, args=(listening, block),
                                 daemon=True).start()
                junit, html = self.folder / "j.xml", self.folder / "h.html"
                done = self.play("session", listening.getsockname()[1], "--only", "/1s_logon_ans",
                                 "--junit", junit, "--html", html, timeout=1)
                self.assertEqual((done.returncode, done.stderr), (1, ""), done.stdout[:2000])
                self.assertRegex(done.stdout, "(?m)^0 passed, 1 failed in ")
                self.assertLess(len(done.stdout), 20_000)
                self.assertEqual(xml.parse(junit).getroot().tag, "testsuites")
                self.assertTrue(html.read_text().endswith("</body></html>\n"))

    def test_a_long_message_is_short_in_the_terminal_and_whole_in_the_report(self):
        junit = self.folder / "j.xml"
        long = "x" * 30_000
        done = self.play(self.script(f"send 35=1|112={long}\nexpect 35=8\n"),
                         BrokenAcceptor(self).port, "--junit", junit)
        self.assertEqual(done.returncode, 1, done.stdout[:2000])
        self.assertIn("more characters)", done.stdout)
        self.assertLess(len(done.stdout), 20_000)
        self.assertIn(long, junit.read_text())

    def test_a_full_disk_keeps_no_report_from_the_other_and_is_named(self):
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # a write fails instead
            resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))

        done = self.play(self.script(""), BrokenAcceptor(self).port, "--junit",
                         self.folder / "j.xml", "--html", self.folder / "h.html", preexec_fn=limit,
                         restore_signals=False)
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("1 passed, 0 failed", done.stdout)
        self.assertRegex(done.stderr, r"^nexusfix test: --junit: .*/j\.xml: File too large\n"
                                      r"nexusfix test: --html: .*/h\.html: File too large\n$")


class BadInput(TestCommand):
    def test_a_script_that_is_no_text_or_too_long_is_refused_with_its_place(self):
        engine = ["--acceptor", "127.0.0.1:1", "--target", "ENGINE"]
        for lines, expected in (
                ("send 35=1|112=a\0b", r"a\.scenario:4:16: a control character; in a value write "
                                       r"it as \\x01$"),
                ("y" * 100_000, r"^.{0,100}:4:1: unknown statement: y{300,400} \.\.\.$"),
                ("if 35=1|58=" + "y" * 100_000, r"^.{0,100}:4:1: \"end\" is missing .{,450}$"),
                ("\n" * 100_000, "the script and what it includes have over 100000 lines"),
                ("include a_part\n", "too many includes, one in the other"),
                ("include bomb0\n", "the script and what it includes have over 100000 lines"),
                ("send 35=1|112=<now+2x>", r':4:15: <now\+2x>: "2x" is not a time like 30s, '
                                           "1500ms, 2m or 2h, in: "),
                ("send 35=1|112=<NextOut+x>", r':4:15: <NextOut\+x>: "x" is not a number'),
                ("send MsgType=0", ":4:6: unknown word: MsgType=0; a field begins with its tag")):
            with self.subTest(lines[:100]):
                self.write("a_part.part", "# A part of this test\ninclude a_part\n")
                for i in range(14):
                    self.write(f"bomb{i}.part",
                               "# A part of this test\n" + f"include bomb{i + 1}\n" * 8)
                self.write("bomb14.part", "# A part of this test\n")
                self.assert_refused(expected, self.script(lines), *engine)

    def test_what_disturbs_cases_at_the_same_time_is_refused(self):
        engine = ["--acceptor", "127.0.0.1:1", "--target", "ENGINE", "-j", "2"]
        script = self.script("restart\ninclude logged_on\n")
        self.assert_refused("-j: the command of --restart would disturb the other cases: --except "
                            "a, or no -j", script, *engine, "--sender", "A,B", "--restart", "true")
        self.assert_refused("-j: the command of --logout would", "session", "--only", "/12_",
                            *engine, "--sender", "A,B", "--logout", "true")
        self.assert_refused('"A" is given twice', script, *engine, "--sender", "A,A")

    def assert_refused(self, text, *arguments, status=2):
        done = run("test", *arguments)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.assertRegex(done.stdout + done.stderr, text)
        if status == 2:
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)

    def test_each_is_one_clear_line(self):
        engine = ["--acceptor", "127.0.0.1:1", "--target", "ENGINE"]
        self.assert_refused(r'no suite, file or folder "sesion"; did you mean session\?', "sesion",
                            *engine)
        self.assert_refused(r"a\.scenario:4:1: unknown statement: exepct 35=0; did you mean expect",
                            self.script("exepct 35=0"), *engine)
        old = self.write("old.scenario", "# For one version only\nlanguage 1\nversions 4.0\n"
                                         "connect\n")
        self.assert_refused(r"no case is for FIX\.4\.4: they are for 4\.0", old, *engine)
        self.assert_refused(r'unknown version "FIX\.9"', "session", *engine, "--begin-string",
                            "FIX.9")
        self.assert_refused("PORT or --config FILE is missing: where the engine is", "session")
        self.assert_refused("--target is missing", "session", "--acceptor", "127.0.0.1:1")
        self.assert_refused('"nowhere" is not HOST:PORT', "session", "--acceptor", "nowhere",
                            "--target", "X")
        self.assert_refused("-j 2 needs as many sessions", "session", *engine, "-j", "2")
        self.assert_refused("leave no case", "session", *engine, "--only", "nothing")
        self.assert_refused("--only: missing", "session", *engine, "--only", "(")
        for option in ("--html", "--junit"):
            self.assert_refused(f"{option}: there is no folder /nonexistent/a$", "session",
                                *engine, option, "/nonexistent/a/report")
            for path, why in ((self.folder, "Is a directory"),
                              (self.script("") / "report", "Not a directory"),
                              ("/proc/report", "Operation not permitted")):
                self.assert_refused(f"{option}: .*{why}$", "session", *engine, option, path)
        with socket.create_server(("127.0.0.1", 0)) as used:
            self.assert_refused("Address already in use", "session", "--target", "X", "--initiator",
                                f"127.0.0.1:{used.getsockname()[1]}")

    def test_the_nearest_name_is_shown(self):
        engine = ["--acceptor", "127.0.0.1:1", "--target", "ENGINE"]
        self.assert_refused(r"a\.scenario:4:9: alve\.part: there is no such part; did you mean "
                            r"alive\?", self.script("include alve"), *engine)
        self.write("own_lines.part", "# A part of this test\n")
        self.assert_refused(r"did you mean own_lines\?", self.script("include own_line"), *engine)
        self.assert_refused(r'no case "session/2c_poss_dup_no"; did you mean '
                            r"session/2c_poss_dup_flag_no\?", "--show", "session/2c_poss_dup_no")
        self.assert_refused(r"leave no case; did you mean resend\?", "session", *engine, "--only",
                            "reesnd")
        self.assert_refused(r"--set: no script has <oder>; did you mean order\?", "session",
                            *engine, "--set", "oder=35=D")

    def test_an_engine_that_cannot_be_reached_or_is_silent_ends_the_run(self):
        arguments = ["--target", "ENGINE", "--timeout", 0.3]
        self.assert_refused("ended early: no connection to the engine under test: .*refused",
                            "session", "--acceptor", f"127.0.0.1:{free_port()}", *arguments,
                            status=1)
        with socket.create_server(("127.0.0.1", 0)) as silent:
            self.assert_refused(r"nothing came within 300 ms\n(.*\n)*.*1 failed, .*ended early: "
                                "the engine under test has not sent a",
                                "session", "--acceptor",
                                f"127.0.0.1:{silent.getsockname()[1]}", *arguments, status=1)


if __name__ == "__main__":
    command_test.NEXUSFIX = os.path.abspath(sys.argv.pop(1))
    ACCEPTANCE_SERVER = sys.argv.pop(1)
    unittest.main(verbosity=2)
