#!/usr/bin/env python3
"""The packages of build/package/out, in roots of the Debian releases: `make release-check`.

    release_check.py [--releases bullseye bookworm trixie] [--roots FOLDER]

debootstrap makes each root, as root, from where this system has its own packages. In each: the
portable archive runs as an ordinary user; the packages that can be installed there are installed
over the version before, trade, and are removed without a trace; the others are refused by apt with
the reason. Where the libraries can be installed, a program outside builds against them.
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

ROOT = Path(__file__).resolve().parents[3]
OUT = ROOT / "build" / "package" / "out"
RELEASES = {"bullseye": 11, "bookworm": 12, "trixie": 13}
# What is built on one release can be installed there only; the other packages, everywhere.
OF_THIS_RELEASE = ("libnexusfix0", "libnexusfix-dev", "nexusfix-cluster")
# nexusfix-logs needs glibc 2.34: that of Debian 11 is older.
SINCE = {"nexusfix-logs": 12}
USER = ROOT / "tests" / "product" / "install" / "find_package"
ROOTS = Path()  # set by main


def this_release():
    text = Path("/etc/os-release").read_text(encoding="utf-8")
    return re.search(r"VERSION_CODENAME=(\w+)", text)[1]


def mirror():
    """Where this system has its own packages: of the sources of apt."""
    for path in [Path("/etc/apt/sources.list"), *Path("/etc/apt/sources.list.d").glob("*")]:
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        found = re.search(rf"(?m)^deb (?:\[.*\] )?(\S+) {this_release()} ", text)
        if not found and re.search(rf"(?m)^Suites:.*\b{this_release()}\b", text):
            found = re.search(r"(?m)^URIs: (\S+)", text)
        if found:
            return found[1]
    sys.exit("release-check: apt of this system names no packages of its own release")


class Root:
    """A Debian in a folder, with this tree's packages in /packages."""

    def __init__(self, release):
        self.release = release
        self.folder = ROOTS / release
        if not (self.folder / "etc/debian_version").exists():
            print(f"debootstrap {release} ...", flush=True)
            made = self.folder.with_suffix(".new")
            shutil.rmtree(made, ignore_errors=True)
            subprocess.run(["debootstrap", "--variant=minbase", release, made, mirror()],
                           check=True, stdout=subprocess.DEVNULL)
            made.rename(self.folder)
        packages = self.folder / "packages"
        shutil.rmtree(packages, ignore_errors=True)
        shutil.copytree(OUT, packages)

    def run(self, *command, user="0", check=True):
        """/proc, /sys and /dev are those of a namespace of the command's own."""
        mounts = (f"mount -t proc proc {self.folder}/proc && mount --rbind /dev {self.folder}/dev "
                  f"&& mount -t tmpfs tmpfs {self.folder}/tmp && chmod 1777 {self.folder}/tmp && "
                  f"exec chroot --userspec={user}:{user} {self.folder} \"$@\"")
        done = subprocess.run(["unshare", "--mount", "--fork", "--pid", "sh", "-c", mounts, "sh",
                               *command], capture_output=True, text=True, check=False,
                              stdin=subprocess.DEVNULL,
                              env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/tmp",
                                   "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"})
        if check and done.returncode != 0:
            raise AssertionError(f"{self.release}: {' '.join(command)}: {done.returncode}\n"
                                 f"{done.stdout[-3000:]}{done.stderr[-3000:]}")
        return done

    def files(self):
        """The files of the system, without what apt and dpkg note."""
        left_out = ("./proc", "./sys", "./dev", "./tmp", "./packages", "./root", "./var/lib/dpkg",
                    "./var/lib/apt", "./var/cache", "./var/log", "./run", "./etc/ld.so.cache")
        listed = subprocess.run(["find", "."], cwd=self.folder, capture_output=True, text=True,
                                check=True).stdout.splitlines()
        return {name for name in listed if not name.startswith(left_out)}


def packages_for(release):
    """The names of the packages that can be installed, and of those that apt must refuse."""
    own = release == this_release()
    names = {path.name.split("_")[0] for path in OUT.glob("*.deb")}
    names = {name for name in names if not name.endswith("-dbgsym")}
    good = {name for name in names if (own or name not in OF_THIS_RELEASE) and
            RELEASES[release] >= SINCE.get(name, 11)}
    return good, names - good


def file_of(name):
    [path] = OUT.glob(f"{name}_*.deb")
    return f"/packages/{path.name}"


def earlier(name, folder):
    """The package with the version 0.1.0, as a version before it."""
    tree = Path(folder) / name
    subprocess.run(["dpkg-deb", "-R", OUT / Path(file_of(name)).name, tree], check=True)
    control = tree / "DEBIAN/control"
    control.write_text(re.sub(r"(?m)^Version: .*", "Version: 0.1.0", re.sub(
        r"\(= [\d.]+\)", "(= 0.1.0)", control.read_text(encoding="utf-8"))), encoding="utf-8")
    path = Path(folder) / f"{name}.deb"
    subprocess.run(["dpkg-deb", "--root-owner-group", "--build", tree, path], check=True,
                   stdout=subprocess.DEVNULL)
    return path


class OnRelease:
    release = ""

    @classmethod
    def setUpClass(cls):
        cls.root = Root(cls.release)

    def test_the_archive_runs_as_an_ordinary_user_from_any_folder(self):
        [archive] = OUT.glob("nexusfix-*-linux-*.tar.xz")
        place = self.root.folder / "opt/any where"
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        self.addCleanup(shutil.rmtree, place)
        subprocess.run(["tar", "xf", archive, "-C", place, "--strip-components=1"], check=True)
        program = "/opt/any where/bin/nexusfix"
        self.assertIn("nexusfix 0.", self.root.run(program, "--version", user="65534").stdout)
        done = self.root.run(program, "demo", "--orders-latency", "20", "--orders-stream", "50",
                             user="65534")
        self.assertIn("orders", done.stdout)
        log = "8=FIX.4.4\x019=63\x0135=0\x0149=A\x0156=B\x0134=2\x0152=20260102-10:30:00.000\x01"
        (place / "day.log").write_text(f"{log}10=000\x01\n")
        self.root.run("/bin/sh", "-c", "cd /tmp && '/opt/any where/bin/nexusfix' export --parquet "
                      "day.parquet '/opt/any where/day.log' && head -c 4 day.parquet | grep PAR1",
                      user="65534")

    def test_names_of_hosts_are_found_whatever_modules_the_system_names(self):
        names = self.root.folder / "etc/nsswitch.conf"
        before = names.read_bytes() if names.exists() else None
        names.write_text("hosts: resolve sss files myhostname dns\npasswd: sss files systemd\n")
        try:
            [archive] = OUT.glob("nexusfix-*-linux-*.tar.xz")
            with tempfile.TemporaryDirectory(dir=self.root.folder / "opt") as place:
                Path(place).chmod(0o755)
                subprocess.run(["tar", "xf", archive, "-C", place, "--strip-components=1"],
                               check=True)
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
        # What the packages need stays: only their own files are compared.
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
        root.run("apt-get", "install", "-y", "--no-install-recommends", "g++", "cmake",
                 "ninja-build", "pkgconf")
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


class PackagesTest(unittest.TestCase):
    def test_lintian_has_nothing_to_say(self):
        done = subprocess.run(["lintian", "--allow-root", "--fail-on", "error,warning",
                               *sorted(OUT.glob("*.deb"))], capture_output=True, text=True,
                              check=False)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)

    def test_the_checksums_are_those_of_the_files(self):
        done = subprocess.run(["sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS"],
                              cwd=OUT, capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, ""))


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
    for release in arguments.releases:
        name = f"On{release.capitalize()}"
        globals()[name] = type(name, (OnRelease, unittest.TestCase), {"release": release})
    unittest.main(argv=[sys.argv[0], *more], verbosity=2)


if __name__ == "__main__":
    main()
