"""The sources on Debian 13, and in a container: each builds all again."""

import re
import shutil
import unittest

from packages import clone_of_head, run
from roots import ROOT, Root

NOTHING_FAILED = re.compile(r"(?m)^(\d+) passed, 0 failed")


class SourcesOnTrixie(unittest.TestCase):
    """The tests of `make test`, and all that `make install` installs, by each compiler. A warning
    is an error there."""

    roots = None  # the folder of roots; main sets it

    @classmethod
    def setUpClass(cls):
        cls.root = Root("trixie", cls.roots, "sources")
        cls.root.run("apt-get", "update")
        cls.root.run("apt-get", "install", "-y", "--no-install-recommends", "make", "git",
                     "ca-certificates")

    def check(self, compiler):
        """The build is kept: a run that was interrupted goes on there."""
        clone_of_head(self.root.folder / "src" / compiler)
        done = self.root.run("/bin/sh", "-c", f"""
            git config --global safe.directory '*'
            cd /src/{compiler} && export CXX={compiler}
            {{ make test STAGES=release &&
               tools/build.py release --target nexusfix_installed; }} >check.log 2>&1
            status=$?; tail -n 200 check.log; exit $status""", check=False)
        counted = NOTHING_FAILED.search(done.stdout)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertTrue(counted and int(counted[1]) > 1000, done.stdout)
        self.assertNotIn("warning:", done.stdout)
        print(f"{compiler}: {counted[0]}", flush=True)

    def test_gcc_14_builds_them_and_they_pass(self):
        self.check("g++")

    def test_clang_19_builds_them_and_they_pass(self):
        self.check("clang++-19")


class ContainerTest(unittest.TestCase):
    """The image of share/container/Containerfile, from a Debian 12 of debootstrap: no registry of
    images is asked."""

    roots = None  # the folder of roots; main sets it

    def buildah(self, *command):
        stored = self.roots / "images"
        return run("buildah", "--storage-driver", "vfs", "--root", stored, "--runroot",
                   self.roots / "images.run", *command).stdout.strip()

    def test_the_image_is_built_and_its_command_runs_without_rights(self):
        bare = Root("bookworm", self.roots, "image")
        shutil.rmtree(bare.folder / "packages")
        base = self.buildah("from", "scratch")
        self.buildah("add", base, bare.folder, "/")
        self.buildah("commit", "--rm", base, "docker.io/library/debian:12")
        sources = clone_of_head(ROOT / "build" / "image")
        self.buildah("build", "--isolation", "chroot", "--pull-never", "-f",
                     sources / "share/container/Containerfile", "-t", "nexusfix", sources)
        made = self.buildah("from", "--pull-never", "localhost/nexusfix")
        self.addCleanup(self.buildah, "rm", made)

        def inside(*command):
            return self.buildah("run", "--isolation", "chroot", made, "--", *command)

        self.assertEqual(inside("id", "-un"), "nexusfix")
        self.assertIn("nexusfix 0.", inside("nexusfix", "--version"))
        self.assertIn("orders", inside("nexusfix", "demo", "--orders-latency", "20",
                                       "--orders-stream", "50"))
