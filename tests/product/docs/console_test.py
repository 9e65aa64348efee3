#!/usr/bin/env python3
"""Proves that a page with a wrong command, or with a wrong output, is found."""

import os
import tempfile
import unittest

import console


class ConsoleTest(unittest.TestCase):
    def problems(self, text):
        with tempfile.TemporaryDirectory() as folder:
            return console.check_page(text, folder, dict(os.environ))

    def test_a_true_page_has_no_problem(self):
        self.assertEqual([], self.problems(
            "```ini file=a/b.cfg\nx=1\ny=2\n```\n\ntext\n\n"
            "```console\n$ cat a/b.cfg\nx=1\ny=2\n$ echo one \\\n  two\none two\n$ true\n```\n"
            "```console\n$ printf 'a\\nb\\nc at 12:00 end\\n'\na\n...\nc at ... end\n```\n"))

    def test_another_output_is_found_with_its_line(self):
        found = self.problems("text\n\n```console\n$ echo one\none\n$ echo two\ntoo\n```\n")
        self.assertEqual([6], [line for line, _ in found])
        self.assertIn("the page shows:\ntoo\nit prints (status 0):\ntwo\n", found[0][1])

    def test_missing_and_additional_lines_are_found(self):
        self.assertEqual(1, len(self.problems("```console\n$ printf 'a\\nb\\n'\na\n```\n")))
        self.assertEqual(1, len(self.problems("```console\n$ echo a\na\nb\n```\n")))
        self.assertEqual(1, len(self.problems("```console\n$ echo a\n```\n")))

    def test_errors_are_output(self):
        self.assertEqual([], self.problems("```console\n$ echo no >&2; false\nno\n```\n"))

    def test_other_blocks_do_not_run(self):
        self.assertEqual([], self.problems("```sh\n$ false; echo no\n```\n```\n$ exit 1\n```\n"))

    def test_output_without_a_command_is_an_error(self):
        with self.assertRaises(ValueError):
            self.problems("```console\none\n```\n")


if __name__ == "__main__":
    unittest.main()
