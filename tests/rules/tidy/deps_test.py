#!/usr/bin/env python3
"""Runs tools/deps.sh on a fake machine: its dpkg-query, apt-get, sudo and id are scripts that
record their calls."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[3] / "tools" / "deps.sh"
REAL = ["sh", "env", "sed", "cat", "chmod", "mktemp", "mkdir", "rm", "grep"]


class DepsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.calls = self.folder / "calls"
        for name in REAL:
            real = next(Path(p, name) for p in ("/usr/bin", "/bin") if Path(p, name).exists())
            (self.folder / name).symlink_to(real)
        self.fake("id", "echo 0")
        self.fake("apt-get", f'echo "apt-get $DEBIAN_FRONTEND $*" >> {self.calls}')
        self.etc = self.folder / "etc"
        self.sbin = self.folder / "sbin"
        self.sbin.mkdir()
        self.installed("")

    def fake(self, name, body):
        path = self.folder / name
        path.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
        path.chmod(0o755)

    def installed(self, lacking):
        """Everything but the named packages is installed. The last word of a dpkg-query call is the
        package."""
        self.fake("dpkg-query", "for p; do :; done\n"
                                f'case " {lacking} " in *" $p "*) exit 1;; esac\nprintf installed')

    def run_script(self, *arguments):
        return subprocess.run([self.folder / "sh", SCRIPT, *arguments], text=True, check=False,
                              capture_output=True, env={"PATH": str(self.folder),
                                                        "NEXUSFIX_ETC": str(self.etc),
                                                        "NEXUSFIX_SBIN": str(self.sbin),
                                                        "TMPDIR": os.environ.get("TMPDIR", "/tmp")})

    def apt_calls(self):
        return self.calls.read_text(encoding="utf-8").splitlines() if self.calls.exists() else []

    def test_apt_is_not_called_when_nothing_is_missing(self):
        result = self.run_script("test")
        self.assertEqual(0, result.returncode, result.stderr)
        self.assertEqual([], self.apt_calls())

    def test_only_missing_packages_are_installed_after_one_update(self):
        self.installed("ninja-build clang-19")
        result = self.run_script("test")
        self.assertEqual(0, result.returncode, result.stderr)
        self.assertIn("ninja-build clang-19", result.stdout)
        update, install = self.apt_calls()
        self.assertTrue(update.startswith("apt-get noninteractive "), update)
        self.assertTrue(update.endswith(" update"), update)
        wanted = " install -y --no-install-recommends ninja-build clang-19"
        self.assertTrue(install.endswith(wanted), install)

    def test_postgresql_is_installed_without_a_server_that_runs(self):
        """Debian's package starts a server unless this file prevents it. The file is removed."""
        self.installed("postgresql")
        conf = self.etc / "postgresql-common/createcluster.d/nexusfix.conf"
        self.fake("apt-get", f'case "$*" in *" install "*) [ ! -f {conf} ] || '
                             f'cat {conf} >> {self.calls};; esac')
        result = self.run_script("test")
        self.assertEqual(0, result.returncode, result.stderr)
        self.assertEqual(["create_main_cluster = false"], self.apt_calls())
        self.assertFalse(conf.exists())
        self.installed("maven")
        self.assertEqual(0, self.run_script("test").returncode)
        self.assertEqual(1, len(self.apt_calls()))

    def test_prometheus_is_installed_and_neither_started_now_nor_at_boot(self):
        self.installed("prometheus")
        policy = self.sbin / "policy-rc.d"
        self.fake("apt-get", f'case "$*" in *" install "*) {policy}; '
                             f'echo $? >> {self.calls};; esac')
        self.fake("update-rc.d", f'echo "update-rc.d $*" >> {self.calls}')
        result = self.run_script("test")
        self.assertEqual(0, result.returncode, result.stderr)
        self.assertEqual(["101", "update-rc.d prometheus disable"], self.apt_calls())
        self.assertFalse(policy.exists())

    def test_policy_of_the_machine_stays_as_it_is(self):
        self.installed("prometheus")
        policy = self.sbin / "policy-rc.d"
        policy.write_text("#!/bin/sh\nexit 0\n")
        self.assertEqual(0, self.run_script("test").returncode)
        self.assertEqual(policy.read_text(), "#!/bin/sh\nexit 0\n")

    def test_run_needs_neither_java_nor_clang_nor_postgresql_nor_test_libraries(self):
        self.installed("maven openjdk-17-jdk-headless clang-19 libgtest-dev libquickfix-dev "
                       "libpq-dev postgresql")
        self.assertEqual(0, self.run_script("run").returncode)
        self.assertEqual([], self.apt_calls())

    def test_bench_needs_quickfix_but_no_test_library(self):
        self.installed("maven libgtest-dev clang-19 libquickfix-dev")
        self.assertEqual(0, self.run_script("bench").returncode)
        self.assertTrue(self.apt_calls()[-1].endswith("recommends libquickfix-dev"))

    def test_each_release_of_debian_gets_the_packages_that_it_has(self):
        own = {"bookworm": "openjdk-17-jdk-headless",
               "trixie": "openjdk-21-jdk-headless tzdata-legacy"}
        self.installed(" ".join(own.values()))
        self.etc.mkdir()
        for release, packages in own.items():
            (self.etc / "os-release").write_text(f"ID=debian\nVERSION_CODENAME={release}\n")
            self.assertEqual(0, self.run_script("test").returncode)
            self.assertTrue(self.apt_calls()[-1].endswith(f"recommends {packages}"))

    def test_list_installs_nothing(self):
        self.installed("maven")
        result = self.run_script("--list", "test")
        self.assertEqual(0, result.returncode)
        self.assertIn("maven", result.stdout)
        self.assertEqual([], self.apt_calls())

    def test_sudo_is_used_when_there_is_one_and_the_user_is_not_root(self):
        self.installed("maven")
        self.fake("id", "echo 1000")
        self.fake("sudo", f'echo sudo >> {self.calls}\n"$@"')
        self.assertEqual(0, self.run_script("test").returncode)
        self.assertEqual("sudo", self.apt_calls()[0])

    def test_without_root_and_sudo_the_command_for_root_is_shown(self):
        self.installed("maven")
        self.fake("id", "echo 1000")
        result = self.run_script("test")
        self.assertEqual(1, result.returncode)
        self.assertIn("apt-get install --no-install-recommends maven", result.stderr)
        self.assertEqual([], self.apt_calls())

    def test_failure_of_apt_shows_its_output(self):
        self.installed("maven")
        self.fake("apt-get", "echo no space left\nexit 100")
        result = self.run_script("test")
        self.assertEqual(1, result.returncode)
        self.assertIn("no space left", result.stderr)

    def test_on_another_system_the_packages_are_listed_in_one_line(self):
        (self.folder / "dpkg-query").unlink()
        result = self.run_script("run")
        self.assertEqual(1, result.returncode)
        self.assertRegex(result.stderr, r"\Adeps: this is not Debian: [^\n]* cmake [^\n]*\n\Z")

    def test_wrong_usage_is_explained(self):
        result = self.run_script("everything")
        self.assertEqual(2, result.returncode)
        self.assertIn("Usage: deps.sh", result.stderr)


if __name__ == "__main__":
    unittest.main()
