#!/usr/bin/env python3
"""The packages of build/package/out, in roots of the Debian releases: `make release-check`.

    release_check.py [--releases bullseye bookworm trixie] [--roots FOLDER]

debootstrap makes each root, as root, from where this system has its own packages. In each: the
portable archive runs as an ordinary user; the packages that can be installed there are installed
over the version before, trade, and are removed without a trace; the others are refused by apt with
the reason. Where the libraries can be installed, a program outside builds against them. The sources
are built and tested on Debian 13, and in a container.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from doors import DoorsTest
from packages import ArmTest, PackagesTest, SameBytesTest, archive_for  # noqa: F401
from roots import OUT, ROOT, Root, this_release
from sources import ContainerTest, SourcesOnTrixie

RELEASES = {"bullseye": 11, "bookworm": 12, "trixie": 13}
# What is built on one release can be installed there only; the other packages, everywhere.
OF_THIS_RELEASE = ("libnexusfix0", "libnexusfix-dev", "nexusfix-cluster")
# nexusfix-logs needs glibc 2.35: that of Debian 11 is older.
SINCE = {"nexusfix-logs": 12}
USER = ROOT / "tests" / "product" / "install" / "find_package"
LOGGED = "8=FIX.4.4\x019=63\x0135=0\x0149=A\x0156=B\x0134=2\x0152=20260102-10:30:00.000\x01"
ROOTS = Path()  # set by main


def packages_for(release):
    """The names of the packages that can be installed, and of those that apt must refuse."""
    own = release == this_release()
    names = {path.name.split("_")[0] for path in OUT.glob("*.deb")
             if "-dbgsym_" not in path.name and not path.name.endswith("_arm64.deb")}
    good = {name for name in names if (own or name not in OF_THIS_RELEASE) and
            RELEASES[release] >= SINCE.get(name, 11)}
    return good, names - good


def file_of(name):
    [path] = [path for path in OUT.glob(f"{name}_*.deb") if not path.name.endswith("_arm64.deb")]
    return f"/packages/{path.name}"


def earlier(name, folder):
    """The package with the version 0.1.0, as a version before it."""
    tree = Path(folder) / name
    subprocess.run(["dpkg-deb", "-R", OUT / Path(file_of(name)).name, tree], check=True)
    control = tree / "DEBIAN/control"
    control.write_text(re.sub(r"(?m)^Version: .*", "Version: 0.1.0", re.sub(
        r"\(= [\d.]+\)", "(= 0.1.0)", control.read_text(encoding="utf-8"))), encoding="utf-8")
    path = Path(folder) / f"{name}.deb"
    subprocess.run(["dpkg-deb", "--root-owner-group", "-Zgzip", "-z1", "--build", tree, path],
                   check=True, stdout=subprocess.DEVNULL)
    return path


class OnRelease:
    release = ""

    @classmethod
    def setUpClass(cls):
        cls.root = Root(cls.release, ROOTS)

    def unpacked(self):
        """The folder of the archive on this system, which an ordinary user cannot write to."""
        place = self.root.folder / "opt/any where"
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        self.addCleanup(shutil.rmtree, place)
        subprocess.run(["tar", "xf", archive_for("x86_64"), "-C", place, "--strip-components=1"],
                       check=True)
        (place / "day.log").write_text(f"{LOGGED}10=000\x01\n")
        return place

    def shell(self, script, check=True):
        """As an ordinary user, in the folder of the archive; $n is the command."""
        return self.root.run("/bin/sh", "-c", f"cd '/opt/any where' && n=$PWD/bin/nexusfix && "
                             f"{script}", user="65534", check=check)

    def test_the_archive_runs_as_an_ordinary_user_from_any_folder(self):
        self.unpacked()
        self.assertIn("nexusfix 0.", self.shell("cd /tmp && \"$n\" --version").stdout)
        done = self.shell("cd /tmp && \"$n\" demo --orders-latency 20 --orders-stream 50")
        self.assertIn("orders", done.stdout)
        done = self.shell("\"$n\" export --parquet /tmp/day.parquet day.log && "
                          "head -c 4 /tmp/day.parquet")
        self.assertIn("PAR1", done.stdout)

    def test_the_archive_reads_a_log_that_zstandard_has_compressed(self):
        place = self.unpacked()
        subprocess.run(["zstd", "-q", place / "day.log"], check=True)
        self.assertIn("35=0", self.shell("\"$n\" grep --raw MsgType=0 day.log.zst").stdout)

    def assert_one_line(self, done, pattern):
        self.assertNotEqual(done.returncode, 0)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertRegex(done.stderr, pattern)

    def test_what_lacks_is_told_in_one_line(self):
        place = self.unpacked()
        export = "\"$n\" export --parquet /tmp/day.parquet day.log"
        self.assert_one_line(self.shell("\"$n\" export --parquet day.parquet day.log", False),
                             "day.parquet: .*Permission denied|Read-only")
        [library] = (place / "lib/nexusfix").glob("libarrow.so.*")
        library.unlink()
        self.assert_one_line(self.shell(export, False), "libarrow.so.*No such file")
        shutil.rmtree(place / "lib")
        self.assert_one_line(self.shell(export, False), "is not installed: .*nexusfix-logs")

    def test_neither_a_terminal_nor_a_known_distribution_is_needed(self):
        self.unpacked()
        known = [self.root.folder / name for name in ("etc/os-release", "usr/lib/os-release")]
        for path in known:
            path.rename(path.with_suffix(".away"))
        try:
            done = self.shell("\"$n\" grep MsgType=0 day.log && PAGER=/none \"$n\" help grep && "
                              "cd /tmp && \"$n\" demo --orders-latency 20 --orders-stream 50")
        finally:
            for path in known:
                path.with_suffix(".away").rename(path)
        self.assertNotIn("\x1b", done.stdout)
        self.assertEqual(done.stderr, "")

    def test_names_of_hosts_are_found_whatever_modules_the_system_names(self):
        names = self.root.folder / "etc/nsswitch.conf"
        before = names.read_bytes() if names.exists() else None
        names.write_text("hosts: resolve sss files myhostname dns\npasswd: sss files systemd\n")
        try:
            with tempfile.TemporaryDirectory(dir=self.root.folder / "opt") as place:
                Path(place).chmod(0o755)
                subprocess.run(["tar", "xf", archive_for("x86_64"), "-C", place,
                                "--strip-components=1"], check=True)
                config = Path(place) / "trader.cfg"
                config.write_text("[DEFAULT]\nConnectionType=initiator\nReconnectInterval=1\n"
                                  "SocketConnectHost=localhost\nSocketConnectPort=1\n"
                                  "HeartBtInt=30\nStore=memory\nNonStopSession=Y\n[SESSION]\n"
                                  "BeginString=FIX.4.4\nSenderCompID=A\nTargetCompID=B\n")
                inside = f"/opt/{Path(place).name}"
                done = self.root.run("/usr/bin/timeout", "3", f"{inside}/bin/nexusfix", "connect",
                                     f"{inside}/trader.cfg", "--script", "/dev/null", check=False)
                self.assertRegex(done.stderr, "refused|not connected|Connection")
        finally:
            if before is None:
                names.unlink()
            else:
                names.write_bytes(before)

    def test_packages_install_over_the_version_before_trade_and_leave_nothing(self):
        good, _ = packages_for(self.release)
        replaced = {"nexusfix"} if "nexusfix-cluster" in good else set()
        for names in (sorted(good - {"nexusfix-cluster"}), sorted(good - replaced)):
            if names == sorted(good - {"nexusfix-cluster"}) or replaced:
                self.install_and_remove(names)

    def install_and_remove(self, names):
        root = self.root
        root.run("apt-get", "update")
        # What the packages and their users need stays: only their own files are compared.
        if "libnexusfix-dev" in names:
            root.run("apt-get", "install", "-y", "--no-install-recommends", "g++", "cmake",
                     "ninja-build", "pkgconf")
        root.run("apt-get", "install", "-y", "--no-install-recommends", *map(file_of, names))
        root.run("apt-get", "purge", "-y", *names)
        before = root.files()
        with tempfile.TemporaryDirectory(dir=root.folder / "packages") as folder:
            old = [f"/packages/{Path(folder).name}/{earlier(name, folder).name}" for name in names]
            root.run("apt-get", "install", "-y", "--no-install-recommends", *old)
        self.assertIn("0.1.0", root.run("dpkg-query", "-W", *names).stdout)
        root.run("apt-get", "install", "-y", "--no-install-recommends", *map(file_of, names))
        self.assertNotIn("\t0.1.0", root.run("dpkg-query", "-W", *names).stdout)
        if {"nexusfix", "nexusfix-cluster"} & set(names):
            done = root.run("nexusfix", "demo", "--orders-latency", "20", "--orders-stream", "50",
                            user="65534")
            self.assertIn("orders", done.stdout)
            root.run("getent", "passwd", "nexusfix")
        if "libnexusfix-dev" in names:
            self.build_outside()
        root.run("apt-get", "purge", "-y", *names)
        self.assertEqual(sorted(root.files() - before), [])

    def build_outside(self):
        """By CMake and by pkg-config."""
        root = self.root
        place = root.folder / "opt/user"
        shutil.rmtree(place, ignore_errors=True)
        self.addCleanup(shutil.rmtree, place, True)
        shutil.copytree(USER.parent / "minimal_trader", place)
        root.run("cmake", "-G", "Ninja", "-S", "/opt/user", "-B", "/opt/user/build")
        root.run("cmake", "--build", "/opt/user/build")
        root.run("sh", "-c", "cd /opt/user && g++ *.cpp -o by_pkg_config "
                 "$(pkg-config --cflags --libs nexusfix-engine nexusfix-fix44)")
        shutil.rmtree(place)

    def test_apt_says_why_a_package_of_another_release_is_refused(self):
        for name in sorted(packages_for(self.release)[1]):
            done = self.root.run("apt-get", "install", "-y", "--no-install-recommends",
                                 file_of(name), check=False)
            self.assertNotEqual(done.returncode, 0, name)
            self.assertRegex(done.stdout + done.stderr, r"Depends: ", name)


def main():
    global ROOTS
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--releases", nargs="+", choices=RELEASES, default=list(RELEASES))
    parser.add_argument("--roots", type=Path, default=ROOT / "build" / "roots")
    arguments, more = parser.parse_known_args()
    if os.geteuid() != 0:
        sys.exit("release-check: debootstrap and chroot need root")
    if not OUT.exists():
        sys.exit("release-check: there are no packages: `make package` makes them")
    ROOTS = arguments.roots.resolve()
    ROOTS.mkdir(parents=True, exist_ok=True)
    for one in (ContainerTest, DoorsTest, SourcesOnTrixie):
        one.roots = ROOTS
    for release in arguments.releases:
        name = f"On{release.capitalize()}"
        globals()[name] = type(name, (OnRelease, unittest.TestCase), {"release": release})
    unittest.main(argv=[sys.argv[0], *more], verbosity=2)


if __name__ == "__main__":
    main()
