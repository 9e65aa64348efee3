#!/usr/bin/env python3
"""Proves that a command of a page, or an option, that does not exist is found."""

import os
import tempfile
import unittest
from pathlib import Path

import commands

PROGRAM = """#!/bin/sh
case "$1 $2" in
"--help ") printf 'A tool\\n\\nSubcommands:\\n  journal  whoever reads\\n  serve  run\\n' ;;
"journal --help") printf 'Subcommands:\\n  show  print\\n\\nOptions:\\n  --help\\n' ;;
"journal show") printf 'Options:\\n  --json\\n  --find TEXT\\n' ;;
"serve --help") printf 'Options:\\n  --strict\\n' ;;
*) exit 2 ;;
esac
"""


class CommandsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        program = Path(folder.name, "nexusfix")
        program.write_text(PROGRAM, encoding="utf-8")
        program.chmod(0o755)
        self.commands = commands.Commands(
            {**os.environ, "PATH": f"{folder.name}:{os.environ['PATH']}"})

    def found(self, text):
        return list(self.commands.problems_of_page(text))

    def in_block(self, command):
        return [what for _, what in self.found(f"text\n\n```sh\n{command}\n```\n")]

    def test_a_true_page_has_no_problem(self):
        self.assertEqual([], self.found(
            "`nexusfix journal show LOG --find 'a b'`, `nexusfix serve x.cfg\n--strict` and "
            "`nexusfix journal`; `make help`\n\n```sh\nmake run PREFIX=/x  # it's a comment\n"
            "nexusfix serve a.cfg \\\n  --strict | grep -v --no-such x && make test\n"
            "cmake --preset release -D NEXUSFIX_TESTS=ON\ntools/deps.sh run\n```\n"))

    def test_a_command_that_does_not_exist_is_found_with_its_line(self):
        self.assertEqual([(2, "there is no command: nexusfix journal check"),
                          (3, "there is no command: nexusfix fly")],
                         self.found("`nexusfix journal show` works\n`nexusfix journal check` does "
                                    "not\nnor does `nexusfix fly --high`\n"))

    def test_an_option_that_does_not_exist_is_found(self):
        self.assertEqual([(1, "nexusfix serve has no option --json")],
                         self.found("`nexusfix serve --json x.cfg`\n"))
        self.assertEqual(["nexusfix journal show has no option --jsn"],
                         self.in_block("true; nexusfix journal show LOG \\\n  --jsn"))

    def test_what_the_tree_does_not_have_is_found(self):
        self.assertEqual(["the Makefile has no flight"], self.in_block("make flight"))
        self.assertEqual(["the Makefile has no WINGS"], self.in_block("make run WINGS=2"))
        self.assertEqual(["there is no preset fast"], self.in_block("cmake --preset fast"))
        self.assertEqual(["there is no preset fast"], self.in_block("ctest --preset fast -R x"))
        self.assertEqual(["there is no target wing"],
                         self.in_block("cmake --build --preset release --target wing"))
        self.assertEqual(["there is no variable NEXUSFIX_WING"],
                         self.in_block("cmake -D NEXUSFIX_WING=ON"))
        self.assertEqual(["no such file: tools/fly.sh"], self.in_block("tools/fly.sh"))
        self.assertEqual(["no such file: share/wing"], self.in_block("podman build -f share/wing"))

    def test_a_prompt_outside_of_console_is_found(self):
        self.assertEqual(1, len(self.found("```\n$ ls\n```\n")))
        self.assertEqual(1, len(self.found("text\n\n```text\n$ ls\nout\n```\n")))
        self.assertEqual([], self.found("```console\n$ ls\n```\n\n```\n  $ ls\n```\n"))

    def test_what_is_no_command_is_found(self):
        self.assertIn("not a command of the shell", self.in_block("echo 'open")[0])

    def test_a_word_of_the_help_and_an_option_without_a_page_are_found(self):
        found = list(self.commands.problems_of_help(["`--help`, `--json` and `--strictly`"]))
        self.assertEqual(3, len(found), found)
        self.assertIn('nexusfix --help, line 4: "whoever"', found[0])
        self.assertEqual(["nexusfix journal show: no page has --find",
                          "nexusfix serve: no page has --strict"], found[1:])


if __name__ == "__main__":
    unittest.main()
