#!/usr/bin/env python3
"""`nexusfix config` from the view of an operator: its output and its exit status."""

import json
import os
import subprocess
import sys
import unittest

import command_test
from command_test import WithFolder, run

CONFIG = """[DEFAULT]
ConnectionType=initiator
HeartBtInt=30
FileStorePath=store
SocketConnectHost=127.0.0.1
SocketConnectPort=5001
TimeZone=America/New_York
StartTime=18:00:00
EndTime=17:00:00
StartDay=Sunday
EndDay=Friday
[SESSION]
BeginString=FIX.4.4
SenderCompID=A
TargetCompID=B
Password=pa55word
"""


class Config(WithFolder):
    def write(self, more=""):
        path = self.folder / "a.cfg"
        path.write_text(CONFIG + more)
        return path

    def test_check_shows_each_value_with_its_line_and_no_password(self):
        done = run("config", "check", self.write())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"HeartBtInt=30 +line 3, \[DEFAULT\]")
        self.assertRegex(done.stdout, r"SenderCompID=A +line 14\n")
        self.assertIn("connects to 127.0.0.1 port 5001", done.stdout)
        self.assertIn("store: journal in store, durability process", done.stdout)
        self.assertNotIn("pa55word", done.stdout)
        self.assertNotRegex(done.stdout, r"LogonTimeout=10 +not given")
        self.assertRegex(run("config", "check", self.write(), "--all").stdout,
                         r"LogonTimeout=10 +not given")

    def test_keys_of_the_program_are_named_and_never_shown(self):
        path = self.write("ApplicationKeys=Account,Risk*\nAccount=ACC-7\nRiskPassword=hush\n"
                          "Application.Desk=north\n")
        for options in ((), ("--all",), ("--json",), ("--strict",)):
            done = run("config", "check", path, *options)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            for name in ("Account", "RiskPassword", "Desk"):
                self.assertIn(name, done.stdout)
            for value in ("ACC-7", "hush", "north"):
                self.assertNotIn(value, done.stdout + done.stderr)

    def test_the_same_warning_of_many_sessions_is_one_line(self):
        path = self.folder / "many.cfg"
        path.write_text(CONFIG + "".join(
            "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=A\n"
            f"TargetCompID=T{i}\nHeartBtInterval=9\n"
            for i in range(50)))
        done = run("config", "check", path)
        lines = [line for line in done.stdout.splitlines() if "HeartBtInterval" in line]
        self.assertEqual(len([line for line in lines if line.startswith("warning")]), 1, lines)
        self.assertIn("of 49 other lines", lines[0])

    def test_check_warns_of_a_certificate_that_expires_soon(self):
        path = self.write(f"ClientCertificateFile={self.folder}/a.pem\n"
                          f"CertificationAuthoritiesFile={self.folder}/a.pem\n")
        os.umask(0o077)
        self.addCleanup(os.umask, 0o022)
        for days, is_warned in (("3", True), ("29", True), ("31", False)):
            subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                            "ec_paramgen_curve:P-256", "-nodes", "-days", days, "-subj", "/CN=us",
                            "-keyout", "a.key", "-out", "a.pem"],
                           cwd=self.folder, check=True, capture_output=True)
            pem = self.folder / "a.pem"
            pem.write_text(pem.read_text() + (self.folder / "a.key").read_text())
            done = run("config", "check", path)
            if "without TLS" in done.stderr:
                self.skipTest("built without TLS")
            self.assertEqual(done.returncode, 0, done.stderr)
            words = f"a.cfg: certificate CN=us in {self.folder}/a.pem ends in "
            self.assertEqual(words in done.stdout, is_warned, done.stdout)
            self.assertEqual(words in run("config", "check", path, "--json").stdout, is_warned)
            self.assertRegex(run("config", "check", path, "--all").stdout,
                             r"SocketUseSSL=Y +by ClientCertificateFile in line \d+\n")

    def test_check_shows_values_of_the_environment_and_missing_variables(self):
        os.environ["NEXUSFIX_T_DESK"] = "DESK"
        path = self.write("SenderSubID=${NEXUSFIX_T_DESK}\n")
        path.write_text(path.read_text().replace("[DEFAULT]\n", "[DEFAULT]\nExpandVariables=Y\n"))
        done = run("config", "check", path)
        self.assertRegex(done.stdout, r"SenderSubID=DESK +line 18, as \$\{NEXUSFIX_T_DESK\}\n")
        values = json.loads(run("config", "check", "--json", path).stdout)["sessions"][0]["values"]
        self.assertIn({"key": "SenderSubID", "value": "DESK", "line": 18, "from_default": False,
                       "written": "${NEXUSFIX_T_DESK}"}, values)
        del os.environ["NEXUSFIX_T_DESK"]
        done = run("config", "check", path)
        self.assertEqual(done.returncode, 1)
        self.assertIn("a.cfg:18: SenderSubID: the variable NEXUSFIX_T_DESK is not set",
                      done.stdout + done.stderr)

    def test_check_shows_defaults_that_differ_from_those_of_quickfix(self):
        done = run("config", "check", self.write())
        self.assertRegex(done.stdout, r"TestRequestDelayMultiplier=0.2 +QuickFIX/J: 0.5")

    def test_a_misspelt_key_is_a_warning_and_with_strict_an_error(self):
        path = self.write("LogonTimout=5\n")
        done = run("config", "check", path)
        self.assertEqual(done.returncode, 0)
        self.assertIn("a.cfg:17: LogonTimout: unknown key, ignored; did you mean LogonTimeout?",
                      done.stdout)
        done = run("config", "check", "--strict", path)
        self.assertEqual(done.returncode, 1)
        self.assertIn("did you mean LogonTimeout?", done.stderr)
        for subcommand in ("serve", "connect", "trade"):
            done = run(subcommand, "--strict", path)
            self.assertEqual(done.returncode, 1)
            self.assertIn("did you mean LogonTimeout?", done.stderr)
        self.assertFalse((self.folder / "store").exists())

    def test_a_removed_key_is_a_warning_that_says_what_holds_now_and_with_strict_an_error(self):
        path = self.write("MaxHeldBytes=5000\n")
        said = (f"{path}:17: MaxHeldBytes was removed: messages after a gap are held, up to a "
                "quarter of MaxQueuedBytes")
        done = run("config", "check", path)
        self.assertEqual(done.returncode, 0)
        self.assertIn("warning: " + said, done.stdout)
        for arguments in (("config", "check"), ("serve",), ("connect",)):
            done = run(*arguments, "--strict", path)
            self.assertEqual(done.returncode, 1)
            self.assertIn("error: " + said, done.stderr)

    def test_keys_explains_a_removed_key(self):
        done = run("config", "keys", "MaxHeldBytes")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("MaxHeldBytes was removed: messages after a gap are held", done.stdout)

    def test_each_error_of_a_file_is_reported(self):
        done = run("config", "check", self.write("LogonTimeout=never\nStartTime=8\n"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("a.cfg:17: LogonTimeout=never", done.stderr)
        self.assertIn("a.cfg:18: StartTime=8", done.stderr)
        self.assertEqual(run("config", "check", self.folder / "none.cfg").returncode, 1)

    def test_check_finds_unusable_addresses_and_folders(self):
        acceptor = CONFIG.replace("=initiator", "=acceptor") + "SocketAcceptPort=0\n"
        for line, words in (("SocketAcceptAddress=999.1.1.1", "a host name or an address"),
                            ("SocketAcceptAddress=192.0.2.1", "an address of this machine"),
                            ("SocketAcceptAddress=no-such-name.invalid",
                             "an address of this machine"),
                            ("FileStorePath=/proc/nope/x", "a folder was expected")):
            path = self.folder / "a.cfg"
            path.write_text(acceptor + line + "\n")
            key = line.split("=")[0]
            for command in (("config", "check"), ("serve",)):
                done = run(*command, path)
                self.assertEqual(done.returncode, 1, line)
                self.assertRegex(done.stderr, rf"a\.cfg:18: {key}.*{words}", line)
        self.assertEqual(list(self.folder.iterdir()), [path])

    def test_each_line_says_whether_it_is_an_error_or_a_warning(self):
        path = self.write("LogonTimeout=never\nLogoutTimout=5\n")
        for command in (("config", "check"), ("config", "schedule"), ("connect",)):
            done = run(*command, path)
            self.assertEqual(done.returncode, 1)
            self.assertIn(f"error: {path}:17: LogonTimeout=never", done.stderr)
            self.assertIn(f"warning: {path}:18: LogoutTimout: unknown key", done.stderr)
        for command in (("config", "check", "--strict"), ("connect", "--strict")):
            done = run(*command, path)
            self.assertIn(f"error: {path}:18: LogoutTimout: unknown key", done.stderr)

    def test_json_has_every_value(self):
        done = run("config", "check", "--json", self.write())
        [session] = json.loads(done.stdout)["sessions"]
        values = {value["key"]: value for value in session["values"]}
        self.assertEqual(values["HeartBtInt"]["line"], 3)
        self.assertTrue(values["HeartBtInt"]["from_default"])
        self.assertEqual(values["LogoutTimeout"], {"key": "LogoutTimeout", "value": "2", "line": 0,
                                                   "from_default": False})

    def test_schedule_shows_sessions_over_a_change_of_clocks(self):
        done = run("config", "schedule", self.write(), "--from", "2026-10-25", "--count", 2)
        lines = [line.strip() for line in done.stdout.splitlines()]
        self.assertIn("because   StartTime=18:00:00  line 8, [DEFAULT]", lines)
        self.assertEqual(lines[-4:], [
            "opens     Sun 2026-10-25 22:00:00 UTC (Sun 2026-10-25 18:00:00 EDT)",
            "closes    Fri 2026-10-30 21:00:00 UTC (Fri 2026-10-30 17:00:00 EDT)"
            "  sequence numbers are reset to 1",
            "opens     Sun 2026-11-01 23:00:00 UTC (Sun 2026-11-01 18:00:00 EST)"
            "  clocks have changed from EDT to EST",
            "closes    Fri 2026-11-06 22:00:00 UTC (Fri 2026-11-06 17:00:00 EST)"
            "  sequence numbers are reset to 1"])

    def test_schedule_shows_when_there_are_logons_within_a_session(self):
        path = self.write("LogonTime=18:05:00\nLogoutTime=16:00:00\nHolidays=2026-12-24\n")
        done = run("config", "schedule", path, "--from", "2026-12-21T12:00:00", "--count", 1)
        lines = [line.strip() for line in done.stdout.splitlines()]
        self.assertEqual(lines[-5:], [
            "opens     Sun 2026-12-20 23:00:00 UTC (Sun 2026-12-20 18:00:00 EST)",
            "logons    Sun 2026-12-20 23:05:00 UTC (Sun 2026-12-20 18:05:00 EST)"
            " until Thu 2026-12-24 05:00:00 UTC (Thu 2026-12-24 00:00:00 EST)",
            "logons    Fri 2026-12-25 05:00:00 UTC (Fri 2026-12-25 00:00:00 EST)"
            " until Fri 2026-12-25 21:00:00 UTC (Fri 2026-12-25 16:00:00 EST)",
            "holiday   Thu 2026-12-24  no logons",
            "closes    Fri 2026-12-25 22:00:00 UTC (Fri 2026-12-25 17:00:00 EST)"
            "  sequence numbers are reset to 1"])
        done = run("config", "schedule", path, "--from", "2026-12-24T12:00:00", "--count", 1)
        self.assertIn("now       open until Fri 2026-12-25 22:00:00 UTC (Fri 2026-12-25 17:00:00 "
                      "EST), but not for logons until Fri 2026-12-25 05:00:00 UTC", done.stdout)

    def test_local_time_is_the_zone_of_the_variable_tz(self):
        path = self.folder / "a.cfg"
        path.write_text(CONFIG.replace("TimeZone=America/New_York", "UseLocalTime=Y"))
        had = os.environ.get("TZ")
        self.addCleanup(lambda: os.environ.pop("TZ", None) if had is None else
                        os.environ.__setitem__("TZ", had))
        os.environ["TZ"] = "Asia/Tokyo"
        self.assertIn("from Sunday 18:00:00 Asia/Tokyo", run("config", "schedule", path).stdout)
        os.environ["TZ"] = "JST-9"
        done = run("config", "check", path)
        self.assertIn("a.cfg:7: UseLocalTime: TZ=JST-9 is no zone of the tz database", done.stdout)
        self.assertIn("from Sunday 18:00:00 JST-9", done.stdout)

    def test_a_time_for_logons_outside_of_the_session_is_an_error(self):
        path = self.write("LogonDay=Friday\nLogonTime=17:00:00\n"
                          "LogoutDay=Sunday\nLogoutTime=18:00:00\n")
        for command in (("config", "check"), ("config", "schedule"), ("connect",)):
            done = run(*command, path)
            self.assertEqual(done.returncode, 1)
            self.assertIn("a.cfg:18: LogonTime: the time for Logons", done.stderr)

    def test_schedule_takes_a_part_of_a_name_that_one_session_has(self):
        path = self.write("[SESSION]\nBeginString=FIX.4.4\nSenderCompID=A\nTargetCompID=DESK\n")
        done = run("config", "schedule", path, "--session", "desk", "--count", 1)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stdout.startswith("FIX.4.4:A->DESK\n"), done.stdout)
        self.assertNotIn("FIX.4.4:A->B", done.stdout)
        done = run("config", "schedule", path, "--session", "A")
        self.assertEqual(done.returncode, 1)
        self.assertIn("'A' may be any of 2 sessions; there is: FIX.4.4:A->B, FIX.4.4:A->DESK",
                      done.stderr)

    def test_schedule_of_a_missing_session_is_an_error(self):
        done = run("config", "schedule", self.write(), "--session", "missing")
        self.assertEqual(done.returncode, 1)
        self.assertIn("there is no session 'missing' in it", done.stderr)
        for moment in ("today", "2026-02-30"):
            done = run("config", "schedule", self.write(), "--from", moment)
            self.assertEqual(done.returncode, 2)

    def test_new_writes_a_valid_file_that_names_every_key(self):
        for role in ([], ["--acceptor"]):
            path = self.folder / ("new.cfg" + "".join(role))
            self.assertEqual(run("config", "new", path, *role).returncode, 0)
            done = run("config", "check", "--strict", path)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("0 warnings", done.stdout)
        self.assertIn("#JournalDurability=process\n", path.read_text())

    def test_new_never_overwrites_a_file(self):
        path = self.write()
        self.assertEqual(run("config", "new", path).returncode, 1)
        self.assertEqual(path.read_text(), CONFIG)


if __name__ == "__main__":
    command_test.NEXUSFIX = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
