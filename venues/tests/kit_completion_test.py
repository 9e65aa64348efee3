#!/usr/bin/env python3
"""The completion of bash, zsh and fish for the names of venue kits."""

import os
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

import command_test
from command_test import WithFolder, run
from kit_table import KITS


class KitCompletion(WithFolder):
    def setUp(self):
        super().setUp()
        # The scripts call nexusfix by its name.
        path = f"{Path(command_test.NEXUSFIX).parent}:{os.environ['PATH']}"
        self.environment = {**os.environ, "HOME": str(self.folder), "PATH": path, "TERM": "dumb"}

    def script(self, shell):
        done = run("help", "--completion", shell)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.write(f"completion.{shell}", done.stdout)

    def shell(self, *command):
        self.assertIsNotNone(shutil.which(command[0]), f"{command[0]} is not installed")
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True,
                              env=self.environment)
        self.assertEqual(done.stderr, "")
        return done.stdout

    def test_words_are_the_names_of_all_kits(self):
        done = run("help", "--words", "kits")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(set(done.stdout.split()), set(KITS))

    def test_bash_completes_kits_of_certify_and_of_a_simulated_venue(self):
        script = self.script("bash")
        for words, expected in ((["certify", "kr"], {"kraken"}),
                                (["certify", "''"], set(KITS)),
                                (["certify", "--list", "byb"], {"bybit"}),
                                (["certify", "kraken", "--wr"], {"--write-kit"}),
                                (["serve", "--venue", "''"], set(KITS)),
                                (["serve", "--venue", "=", "cm"], {"cme-dropcopy"}),
                                (["serve", "--venue", "nosuch"], set()),
                                # The command of a program to test, which is a file.
                                (["certify", "kraken", "--engine", "./x"], set())):
            line = " ".join(["nexusfix", *words])
            done = self.shell("bash", "-c", f"source {script}; COMP_WORDS=({line}); COMP_CWORD="
                                            f"{len(words)}; _nexusfix; echo \"${{COMPREPLY[@]}}\"")
            self.assertEqual(set(done.split()), expected, line)

    def test_fish_completes_kits(self):
        script = self.script("fish")
        for line, expected in (("nexusfix certify kr", "kraken"),
                               ("nexusfix serve --venue cm", "cme-dropcopy"),
                               ("nexusfix serve --venue=cm", "--venue=cme-dropcopy")):
            done = self.shell("fish", "--no-config", "-c",
                              f"source {script}; complete -C '{line}'")
            self.assertEqual([one.split("\t")[0] for one in done.splitlines()], [expected])

    def test_zsh_completes_kits_in_a_terminal(self):
        script = self.script("zsh")
        program = f"""
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PROMPT='>'; autoload -U compinit; compinit -u -D; source {script}; echo rea''dy"
zpty -r shell out '*ready*'
for line in 'certify kr' 'serve --venue kr' 'serve --venue=kr'; do
  zpty -w -n shell "$(printf '\\x15')nexusfix $line$(printf '\\t')"
  zpty -r -m shell out '*kr*aken*'
  print -r -- "$line: $out"
done
"""
        done = self.shell("zsh", "-f", "-c", program)
        for line in ("certify kr", "serve --venue kr", "serve --venue=kr"):
            self.assertRegex(done, f"(?s){line}: .*{line}aken")


if __name__ == "__main__":
    command_test.NEXUSFIX = sys.argv.pop()
    unittest.main(verbosity=2)
