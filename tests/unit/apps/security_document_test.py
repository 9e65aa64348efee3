#!/usr/bin/env python3
"""The configurations of docs/operations/security.md start without a change."""

import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

import command_test
from command_test import WithFolder, run

DOCUMENT = Path(__file__).parents[3] / "docs" / "operations" / "security.md"
SELF_SIGNED = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
               "-nodes", "-days", "365"]
LISTED = """[ca]
default_ca=own
[own]
database=index.txt
crlnumber=crlnumber
default_md=sha256
default_crl_days=365
"""


def configurations():
    """The files of the document."""
    return dict(re.findall(r"^```ini file=(\w+\.cfg)\n(.*?)^```$", DOCUMENT.read_text(),
                           re.MULTILINE | re.DOTALL))


class SecurityDocument(WithFolder):
    def setUp(self):
        super().setUp()
        for name in ("authority", "venue", "broker"):
            self.openssl(*SELF_SIGNED, "-subj", f"/CN={name}", "-keyout", f"{name}.key",
                         "-out", f"{name}.pem")
        (self.folder / "index.txt").touch()
        (self.folder / "crlnumber").write_text("1000\n")
        (self.folder / "own.cnf").write_text(LISTED)
        self.openssl("ca", "-config", "own.cnf", "-keyfile", "authority.key", "-cert",
                     "authority.pem", "-gencrl", "-out", "revoked.pem")
        done = run("passwd", self.folder / "users.txt", "BROKER", stdin=None, input="secret\n")
        self.assertEqual(done.returncode, 0, done.stderr)

    def openssl(self, *arguments):
        subprocess.run(["openssl", *arguments], cwd=self.folder, check=True, capture_output=True)

    def check(self, name):
        path = self.folder / name
        path.write_text(configurations()[name])
        path.chmod(0o600)
        return run("config", "check", path, "--strict", cwd=self.folder,
                   env={**os.environ, "VENUE_PASSWORD": "pa55word"})

    def test_venue(self):
        done = self.check("venue.cfg")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("AllowedCertificates=san:broker.example.com", done.stdout)

    def test_broker(self):
        done = self.check("broker.cfg")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("pa55word", done.stdout + done.stderr)

    def test_venue_without_its_list_of_revoked_certificates_does_not_start(self):
        (self.folder / "revoked.pem").unlink()
        done = self.check("venue.cfg")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("revoked.pem", done.stderr)


if __name__ == "__main__":
    command_test.NEXUSFIX = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
