#!/usr/bin/env python3
"""What tools/package.py says when it cannot make packages: one line, before it builds anything."""

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOLS = Path(__file__).resolve().parents[3] / "tools"
PROGRAMS = ("aarch64-linux-gnu-g++", "ccache", "cpack", "dpkg-shlibdeps", "git", "gpg",
            "ninja", "qemu-aarch64", "rpmbuild")


class PackageTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        for name in PROGRAMS:
            self.fake(name)

    def fake(self, name, body="exit 2"):
        path = self.folder / name
        path.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
        path.chmod(0o755)

    def run_python(self, *arguments):
        return subprocess.run([sys.executable, "-B", *map(str, arguments)], capture_output=True,
                              text=True, check=False, cwd=TOOLS,
                              env={"PATH": str(self.folder), "NEXUSFIX_ETC": str(self.folder)})

    def assert_told(self, done, text):
        self.assertNotEqual(0, done.returncode)
        self.assertEqual(1, done.stderr.count("\n"), done.stderr)
        self.assertIn(text, done.stderr)

    def test_a_key_that_gpg_does_not_have(self):
        self.assert_told(self.run_python("package.py", "--key", "no-such-key"),
                         "package: gpg has no secret key 'no-such-key'")

    def test_the_hash_of_an_archive_is_that_of_its_version_and_architecture(self):
        stanza = "Package: {}\\nVersion: {}\\nArchitecture: {}\\nSHA256: {}\\n\\n"
        shown = (stanza.format("liba", "2", "amd64", "a2") +
                 stanza.format("liba", "1", "amd64", "a1") +
                 "Package: libb\\nVersion: 1\\nArchitecture: all\\n")
        self.fake("apt-cache", f"printf '{shown}'; exit 100")
        wanted = [("liba", "1", "amd64"), ("libb", "1", "all"), ("libc", "1", "all")]
        done = self.run_python("-c", f"import package; print(package.archive_hashes({wanted}))")
        self.assertEqual((done.stdout, done.stderr), ("{'liba': 'a1'}\n", ""))
        (self.folder / "apt-cache").unlink()
        done = self.run_python("-c", f"import package; print(package.archive_hashes({wanted}))")
        self.assertEqual((done.stdout, done.stderr), ("{}\n", ""))

    def test_each_program_that_is_missing(self):
        for name in PROGRAMS:
            (self.folder / name).unlink()
            self.assert_told(self.run_python("package.py", "--arm", "--key", "no-such-key"),
                             f"package: there is no {name}: ")
            self.fake(name)

    def test_a_folder_that_cannot_be_written_to(self):
        tools = self.folder / "tools"
        tools.mkdir()
        for name in ("package.py", "build.py", "installed_documents.py"):
            shutil.copy(TOOLS / name, tools)
        (self.folder / "build").write_text("in the way")  # root may write to all folders
        done = self.run_python(tools / "package.py")
        self.assert_told(done, f"Not a directory: '{self.folder}/build")
        self.assertTrue(done.stderr.startswith("package: "), done.stderr)

    def test_a_distribution_whose_packages_are_not_known(self):
        script = ("import package, pathlib, sys\n"
                  f"try: package.Apt(pathlib.Path({str(self.folder)!r}), 'deb')\n"
                  "except package.Failed as failed: sys.exit(str(failed))\n")
        (self.folder / "apt").mkdir()
        (self.folder / "apt/sources.list").write_text("deb http://mirror.example bookworm main\n")
        for release in ("NAME=Unknown\n", "VERSION_CODENAME=later\n"):
            (self.folder / "os-release").write_text(release)
            self.assert_told(self.run_python("-c", script), "names no packages of its own release")
        (self.folder / "os-release").write_text("VERSION_CODENAME=bookworm\n")
        self.fake("apt-get", "exit 0")
        self.assertEqual(0, self.run_python("-c", script).returncode)


if __name__ == "__main__":
    unittest.main()
