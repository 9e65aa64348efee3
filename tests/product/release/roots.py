"""Debian releases in folders, by debootstrap and chroot: root is needed."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
OUT = ROOT / "build" / "package" / "out"


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
    """A Debian in a folder, with this tree's packages in /packages. name: its folder; the release
    by default."""

    def __init__(self, release, roots, name=""):
        self.release = release
        self.folder = roots / (name or release)
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
