#!/usr/bin/env python3
"""A build without TLS and passwords: it configures and compiles without their libraries, and the
command refuses a configuration that needs either, by file and line. Without products: their
subcommands name the option. Arguments: that command, cmake, the sources, the compiler, and its
launcher."""

import json
import os
import shlex
import subprocess
import sys
import unittest

import command_test
from command_test import WithFolder, run

CMAKE = SOURCES = COMPILER = LAUNCHER = ""  # set by main
# The sources that only such a build has, and those that it does not have.
OWN = ("tls_absent.cpp", "password_hash_absent.cpp")
LOG_TOOLS = ("anonymise", "decode", "diff", "export", "grep", "order", "replay", "stats",
             "validate")
OTHERS = ("tls_context.cpp", "tls_stream.cpp", "password_hash.cpp")


class BareBuild(WithFolder):
    def assert_refused(self, starts, text, asked_for, why):
        """The check and the command that starts it name the line of the file."""
        config = self.write("bare.cfg", text)
        line = 1 + text.splitlines().index(asked_for)
        for command in (["config", "check"], [starts]):
            done = run(*command, config, cwd=self.folder)
            self.assertEqual(done.returncode, 1, (command, done.stdout))
            self.assertIn(f"bare.cfg:{line}: ", done.stderr, command)
            self.assertIn(why, done.stderr, command)
        self.assertEqual([path.name for path in self.folder.iterdir()], ["bare.cfg"])

    def config_of(self, kind, more):
        address = "SocketAccept" if kind == "acceptor" else "SocketConnect"
        return (f"[DEFAULT]\nConnectionType={kind}\n{address}Host=127.0.0.1\n{address}Port=0\n"
                "HeartBtInt=30\nNonStopSession=Y\nStore=memory\n"
                f"{more}\n[SESSION]\nBeginString=FIX.4.4\nSenderCompID=A\nTargetCompID=B\n")

    def test_tls_is_refused_by_file_and_line(self):
        for asked_for in ("SocketUseSSL=Y", "SSLEnable=Y"):
            text = self.config_of("initiator", asked_for).replace("Port=0", "Port=1")
            with self.subTest(asked_for):
                self.assert_refused("connect", text, asked_for,
                                    "built without TLS (NEXUSFIX_TLS=OFF)")

    def test_passwords_are_refused_by_file_and_line(self):
        asked_for = "PasswordFile=users"
        self.assert_refused("serve", self.config_of("acceptor", asked_for), asked_for,
                            "built without passwords (NEXUSFIX_PASSWORDS=OFF)")

    def test_passwd_says_that_it_cannot(self):
        done = run("passwd", self.folder / "users", "anna", stdin=None, input="pa55word\n")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("NEXUSFIX_PASSWORDS=OFF", done.stderr)
        self.assertNotIn("pa55word", done.stdout + done.stderr)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_subcommand_of_an_absent_product_names_the_option(self):
        options = dict.fromkeys(LOG_TOOLS, "NEXUSFIX_LOGS=ON") | {
            "stream": "NEXUSFIX_STREAM=ON", "otlp": "NEXUSFIX_STREAM=ON",
            "simulate": "NEXUSFIX_SIMULATOR=ON",
            "test": "NEXUSFIX_TESTER=ON", "certify": "NEXUSFIX_VENUES=ON",
            "tui": "NEXUSFIX_TUI=ON", "gateway": "NEXUSFIX_GATEWAY=ON",
            "cluster": "NEXUSFIX_CLUSTER=ON", "front-door": "NEXUSFIX_FRONT_DOOR=ON"}
        for name, option in options.items():
            done = run(name, "some.log", "--json")
            self.assertEqual((done.returncode, done.stdout), (1, ""), name)
            self.assertRegex(done.stderr, f"^nexusfix {name}: .* built without it.* {option}")
            shown = run(name, "--help")
            self.assertEqual((shown.returncode, shown.stderr), (0, ""), name)
            self.assertIn(option, shown.stdout)

    def test_without_metrics_explain_names_the_option_and_explains_events(self):
        for arguments in (["nexusfix_ready"], ["--metrics"], ["--metrics", "--markdown"]):
            done = run("explain", *arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""), arguments)
            self.assertRegex(done.stderr, "built without the metrics.* NEXUSFIX_METRICS=ON")
        self.assertEqual(run("explain", "NXF-1042").returncode, 0)

    def test_a_configuration_without_either_works(self):
        config = self.write("bare.cfg", self.config_of("acceptor", ""))
        done = run("config", "check", config)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_it_configures_and_compiles_without_their_libraries(self):
        build = self.folder / "build"
        options = ["NEXUSFIX_TLS=OFF", "NEXUSFIX_PASSWORDS=OFF", "NEXUSFIX_DEVELOPER=OFF",
                   "NEXUSFIX_TESTS=OFF", f"CMAKE_CXX_COMPILER={COMPILER}",
                   f"CMAKE_CXX_COMPILER_LAUNCHER={LAUNCHER}",
                   *(f"CMAKE_DISABLE_FIND_PACKAGE_{name}=ON" for name in ("OpenSSL", "sodium"))]
        self.call(CMAKE, "-S", SOURCES, "-B", build, "-G", "Ninja",
                  *(f"-D{option}" for option in options))
        rules = (build / "build.ninja").read_text()
        for library in ("libssl", "libcrypto", "libsodium"):
            self.assertNotIn(library, rules)
        compiled = {os.path.basename(one["file"]): one
                    for one in json.loads((build / "compile_commands.json").read_text())}
        for name in OTHERS:
            self.assertNotIn(name, compiled)
        for name in OWN:
            self.call(*shlex.split(compiled[name]["command"]), folder=compiled[name]["directory"])

    def call(self, *arguments, folder=None):
        done = subprocess.run([*map(str, arguments)], capture_output=True, text=True, check=False,
                              timeout=1000, cwd=folder)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    command_test.NEXUSFIX = os.path.abspath(sys.argv.pop(1))
    CMAKE, SOURCES, COMPILER = sys.argv.pop(1), sys.argv.pop(1), sys.argv.pop(1)
    if sys.argv[1:2] and os.path.isabs(sys.argv[1]):
        LAUNCHER = sys.argv.pop(1)
    unittest.main(verbosity=2)
