"""The packages of build/package/out themselves, on the system that made them."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from unittest import mock
from pathlib import Path

from roots import OUT, ROOT

sys.path.insert(0, str(ROOT / "tools"))
import package  # noqa: E402  pylint: disable=wrong-import-position

COMMAND_TEST = ROOT / "tests" / "unit" / "apps" / "command_test.py"


def archive_for(machine):
    [path] = OUT.glob(f"nexusfix-*-linux-{machine}.tar.xz")
    return path


def run(*command, **options):
    check = options.pop("check", True)
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, check=False, **options)
    if check and done.returncode != 0:
        raise AssertionError(f"{command}: {done.returncode}\n{done.stdout[-3000:]}"
                             f"{done.stderr[-3000:]}")
    return done


def clone_of_head(folder):
    """A clone of this tree in the folder, at the commit of this tree."""
    if not folder.exists():
        run("git", "clone", "--quiet", "--no-hardlinks", ROOT, folder)
    commit = run("git", "-C", ROOT, "rev-parse", "HEAD").stdout.strip()
    run("git", "-C", folder, "fetch", "--quiet", ROOT, commit)
    run("git", "-C", folder, "checkout", "--quiet", commit)
    return folder


class WithFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="nexusfix-release-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def unpack(self, machine):
        run("tar", "xf", archive_for(machine), "-C", self.folder, "--strip-components=1")


class PackagesTest(WithFolder):
    def test_lintian_has_nothing_to_say(self):
        done = run("lintian", "--allow-root", "--fail-on", "error,warning",
                   *sorted(OUT.glob("*.deb")), check=False)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)

    def test_the_checksums_are_those_of_the_files(self):
        done = run("sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS", cwd=OUT,
                   check=False)
        self.assertEqual((done.returncode, done.stdout), (0, ""))
        summed = (OUT / "SHA256SUMS").read_text().split()[1::2]
        self.assertEqual(sorted(summed), sorted(path.name for path in OUT.iterdir()
                                                if not path.name.startswith("SHA256SUMS")))

    def test_the_checksums_are_signed_by_the_key_that_is_named(self):
        home = self.folder / "keys"
        home.mkdir(mode=0o700)
        keys = {"GNUPGHOME": str(home)}
        self.addCleanup(run, "gpgconf", "--kill", "all", env={**os.environ, **keys}, check=False)
        for name in ("builder@nexusfix.example", "other@nexusfix.example"):
            run("gpg", "--batch", "--passphrase", "", "--quick-generate-key", name,
                env={**os.environ, **keys})
        with mock.patch.dict(os.environ, keys), \
             mock.patch.object(package, "OUT", self.folder / "out"):
            shutil.copytree(OUT, package.OUT)
            package.Packager("builder@nexusfix.example").sums()
            verify = ["gpg", "--verify", package.OUT / "SHA256SUMS.asc", package.OUT / "SHA256SUMS"]
            self.assertIn('Good signature from "builder@', run(*verify).stderr)
            with open(package.OUT / "SHA256SUMS", "a", encoding="utf-8") as sums:
                sums.write("\n")
            self.assertIn("BAD signature", run(*verify, check=False).stderr)

    def test_no_program_of_the_archive_needs_a_library_that_it_has_not(self):
        self.unpack("x86_64")
        shown = run("readelf", "-ldW", self.folder / "bin/nexusfix").stdout
        self.assertNotRegex(shown, "NEEDED|INTERP")
        library = self.folder / "lib/nexusfix"
        for path in library.iterdir():
            if path.name != "nexusfix-arrow":  # a script
                needed = re.findall(r"NEEDED.*\[(.*)\]", run("readelf", "-dW", path).stdout)
                self.assertEqual([name for name in needed if not (library / name).exists()], [],
                                 path.name)

    def test_the_bill_names_each_library_once_with_version_and_origin(self):
        [path] = OUT.glob("*.cdx.json")
        bill = json.loads(path.read_text(encoding="utf-8"))
        self.assertEqual((bill["bomFormat"], bill["specVersion"]), ("CycloneDX", "1.5"))
        parts = [(part["name"], part["version"], part["purl"], part["properties"][-1]["value"])
                 for part in bill["components"]]
        self.assertEqual(len(set(parts)), len(parts))
        self.assertEqual(len({part["bom-ref"] for part in bill["components"]}), len(parts))
        for name in ("libc6-dev", "libssl-dev", "libzstd-dev", "fmtlib", "pyarrow", "librdkafka1"):
            self.assertIn(name, [part[0] for part in parts])

    def test_the_bill_has_the_hash_of_each_source_and_of_archives(self):
        [path] = OUT.glob("*.cdx.json")
        parts = json.loads(path.read_text(encoding="utf-8"))["components"]
        hashes = [part["hashes"][0] for part in parts if "hashes" in part]
        for one in hashes:
            self.assertEqual(one["alg"], "SHA-256")
            self.assertRegex(one["content"], "^[0-9a-f]{64}$")
        for part in parts:
            if "arch=source" in part["purl"]:
                self.assertIn("hashes", part, part["name"])

    def test_each_library_that_is_linked_has_its_license_in_the_package(self):
        [path] = OUT.glob("*.cdx.json")
        self.unpack("x86_64")
        parts = {part["name"] for part in json.loads(path.read_text())["components"]
                 if part["properties"][-1]["value"] == "static" and "debian" in part["purl"] and
                 "arch=source" not in part["purl"]}
        texts = self.folder / "share/doc"
        self.assertEqual(parts, {path.stem for path in (texts / "nexusfix/licenses").iterdir()})
        self.assertEqual(sorted(path.name for path in (texts / "nexusfix-logs/licenses").iterdir()),
                         ["pyarrow-LICENSE.txt.gz", "pyarrow-NOTICE.txt.gz"])

    def test_no_file_names_the_folder_of_the_build(self):
        for path in sorted(OUT.glob("*.deb")):
            tree = self.folder / path.name
            run("dpkg-deb", "-x", path, tree)
            found = run("grep", "-rlF", ROOT, tree, check=False)
            self.assertEqual((found.returncode, found.stdout), (1, ""), path.name)

    def test_the_rpms_install_run_and_are_removed(self):
        rpm = ["rpm", "--root", self.folder]
        for path in sorted(OUT.glob("*.x86_64.rpm")):
            self.assertRegex(run("rpm", "-qip", path).stdout, "License +: Apache-2.0")
            run("rpm", "-K", "--nosignature", path)
            run(*rpm, "-i", "--nodeps", "--noscripts", path)
        needs = run("rpm", "-qp", "--requires", *OUT.glob("nexusfix-0*.x86_64.rpm")).stdout
        self.assertNotRegex(needs, r"\.so")
        self.assertIn("nexusfix 0.", run(self.folder / "usr/bin/nexusfix", "--version").stdout)
        (self.folder / "day.log").write_text("")
        self.assertNotIn("not installed", run(self.folder / "usr/bin/nexusfix", "export",
                                              "--parquet", self.folder / "day.parquet",
                                              self.folder / "day.log", check=False).stderr)
        self.assertEqual(run(*rpm, "-V", "--nodeps", "nexusfix", check=False).stdout, "")
        run(*rpm, "-e", "--nodeps", "--noscripts", "nexusfix", "nexusfix-logs")
        left = [path for path in (self.folder / "usr").rglob("*nexusfix*")]
        self.assertEqual(left, [])


class ArmTest(WithFolder):
    """The command for 64-bit ARM, by qemu-user."""

    def setUp(self):
        super().setUp()
        self.unpack("aarch64")
        self.program = self.folder / "nexusfix"
        self.program.write_text(f"#!/bin/sh\nexec qemu-aarch64 '{self.folder}/bin/nexusfix' "
                                "\"$@\"\n")
        self.program.chmod(0o755)

    def test_it_needs_no_library(self):
        shown = run("readelf", "-hldW", self.folder / "bin/nexusfix").stdout
        self.assertIn("AArch64", shown)
        self.assertNotRegex(shown, "NEEDED|INTERP")

    def test_it_passes_the_tests_of_the_command(self):
        # The demonstration starts its own program, which the emulator leaves to the kernel.
        classes = set(re.findall(r"(?m)^class (\w+)\(", COMMAND_TEST.read_text(encoding="utf-8")))
        done = run(sys.executable, "-B", COMMAND_TEST, self.program,
                   *sorted(classes - {"Demo", "WithFolder"}), check=False)
        self.assertEqual(done.returncode, 0, done.stderr[-4000:])
        self.assertRegex(done.stderr, r"Ran [34]\d tests")


class SameBytesTest(unittest.TestCase):
    """The other clone stays in build/another: a run that was interrupted goes on there."""

    def test_another_clone_with_an_empty_cache_makes_the_same_bytes(self):
        clone = clone_of_head(ROOT / "build" / "another")
        arm = ["--arm"] if any(OUT.glob("*-linux-aarch64.tar.xz")) else []
        run(clone / "tools/package.py", *arm,
            env={**os.environ, "CCACHE_DIR": str(clone / "build" / "cache")})
        sums = [{path.name: hashlib.sha256(path.read_bytes()).hexdigest()
                 for path in folder.iterdir() if path.suffix != ".asc"}
                for folder in (OUT, clone / "build/package/out")]
        self.assertEqual(*sums)
