#!/usr/bin/env python3
"""Text of a counterparty reaches logs and terminals. It cannot forge lines or control terminals."""

import contextlib
import os
import signal
import socket
import ssl
import subprocess
import sys
import unicodedata
import unittest

import command_test
from command_test import LIMIT_SECONDS
import secrets_test
from secrets_test import logon, message

# A line break with a copy of our lines, and the controls of terminals: colours, titles, eight-bit
# controls (as UTF-8 and alone), backspaces, bells.
FORGED = "20240115-10:30:00.123 INFO engine forged"
EVIL = [*(text.encode() for text in (f"a\n{FORGED}", f"a\r\n{FORGED}", "\x1b[2J\x1b]0;title\x07",
                                     "a\x0b\x0c\x08\x7f", "\t\0x", "\u2028x", "\x9b31m")),
        b"\x9b31m"]
MAY_BE_WRITTEN = set(range(0x20, 0x7f)) | {0x0a}
SOH_MAY_BE_TOO = MAY_BE_WRITTEN | {0x01, *range(0x80, 0x100)}  # messages are not escaped


class HostileText(secrets_test.Talking):
    def assert_harmless(self, where, contents, allowed=frozenset(MAY_BE_WRITTEN)):
        self.assertNotIn(b"\n" + FORGED.encode(), b"\n" + contents, where)
        wrong = sorted(set(contents) - allowed)
        self.assertEqual(wrong, [], f"{where}: {contents[:2000]}")

    def messages_with(self, evil):
        def stuffed(text, number=2, **how):
            whole = message("FIX.4.4", text, number, [(58, "EVIL"), (11, "EVIL")], **how)
            return secrets_test.framed(whole.replace(b"EVIL", evil))
        first = secrets_test.framed(logon("FIX.4.4", sender="EVIL").replace(b"EVIL", evil))
        yield [first]
        yield [secrets_test.framed(logon("FIX.4.4", more=[(58, "EVIL")]).replace(b"EVIL", evil))]
        yield [evil + b"\n", first]
        whole = logon("FIX.4.4", more=[(141, "Y")])
        for msg_type in ("3", "5", "D", "j", "0"):
            yield [whole, stuffed(msg_type)]
        yield [whole, evil, stuffed("D")]
        yield [whole, message("FIX.4.4", "0", 2, []).replace(b"35=0", b"35=" + evil)]
        yield [whole, stuffed("1"), b"8=FIX.4.4\x019=" + evil + b"\x0135="]

    def talks(self, more):
        """A venue for each text, so that the rate limit of the log drops no line."""
        for evil in EVIL:
            venue, port = self.start(self.config("Store=memory\n", secrets_test.ALLOW + more))
            for parts in self.messages_with(evil):
                self.say(port, *parts)
            venue.send_signal(signal.SIGTERM)
            self.assertEqual(venue.wait(LIMIT_SECONDS), 0)
            yield evil

    def openssl(self, *arguments):
        subprocess.run(["openssl", *arguments], cwd=self.folder, check=True, capture_output=True,
                       timeout=LIMIT_SECONDS)

    def certificate(self, name, subject, *issuer):
        """Makes name.pem and name.key, self-signed or signed by an issuer."""
        self.openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
                     "-nodes", "-days", "2", "-utf8", "-subj", subject, "-keyout", f"{name}.key",
                     "-out", f"{name}.pem", *issuer)
        (self.folder / f"{name}.key").chmod(0o600)

    def test_the_owner_of_a_certificate_forges_no_line(self):
        self.certificate("authority", "/CN=Our authority")
        of_it = ["-CA", "authority.pem", "-CAkey", "authority.key"]
        self.certificate("venue", "/CN=venue", *of_it)
        self.certificate("client", f"/CN=a\n{FORGED}\x1b[2J\u009b31m", *of_it)
        self.certificate("stranger", f"/CN=b\n{FORGED}\x1b[2J")
        config = self.config("Store=memory\n", "RequireTLS=Y\nServerCertificateFile=venue.pem\n"
                             "ServerCertificateKeyFile=venue.key\n"
                             "CertificationAuthoritiesFile=authority.pem\n")
        if "was built without TLS" in command_test.run("config", "check", config).stderr:
            self.skipTest("built without TLS")
        venue, port = self.start(config)
        for name in ("client", "stranger"):
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
            context.load_cert_chain(self.folder / f"{name}.pem", self.folder / f"{name}.key")
            with socket.create_connection(("127.0.0.1", port), LIMIT_SECONDS) as peer, \
                    contextlib.suppress(OSError), context.wrap_socket(peer) as protected:
                protected.sendall(logon("FIX.4.4"))
                protected.recv(4096)
        venue.send_signal(signal.SIGTERM)
        self.assertEqual(venue.wait(LIMIT_SECONDS), 0)
        shown = (self.folder / "venue.err").read_bytes()
        self.assertIn(rb"CN=a", shown)
        self.assertIn(b"its certificate is refused", shown)
        self.assert_harmless("standard error", shown)

    def test_files_and_their_readers_show_only_our_lines(self):
        for _ in self.talks(f"FileLogPath={self.folder}/log\n"):
            pass
        for path in self.folder.glob("log/*.event.*"):
            self.assert_harmless(path, path.read_bytes())
        for path in self.folder.glob("log/*.messages.*"):
            self.assert_harmless(path, path.read_bytes(), SOH_MAY_BE_TOO)
            for command in (["decode"], ["decode", "--ndjson"], ["validate"], ["grep", "35"],
                            ["stats"]):
                done = subprocess.run([command_test.NEXUSFIX, *command, path],
                                      capture_output=True, timeout=LIMIT_SECONDS, check=False)
                shown = (done.stdout + done.stderr).decode()  # UTF-8 text is not escaped
                self.assert_harmless((command, path), shown.encode("ascii", "ignore"))
                self.assertFalse([c for c in shown if unicodedata.category(c) == "Cc"
                                  and c != "\n"])

    def test_a_screen_shows_only_our_lines(self):
        for _ in self.talks("ScreenLogShowIncoming=Y\nScreenLogShowOutgoing=Y\n"
                            "ScreenLogShowEvents=Y\n"):
            self.assert_harmless("screen", (self.folder / "venue.out").read_bytes())

    def test_standard_error_has_only_our_lines(self):
        for evil in self.talks(""):
            shown = (self.folder / "venue.err").read_bytes()
            self.assert_harmless("standard error", shown)
            if evil.startswith(b"\x1b"):
                self.assertIn(rb"49=\x1B[2J\x1B]0;title\x07 56=VENUE", shown)


if __name__ == "__main__":
    command_test.NEXUSFIX = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
