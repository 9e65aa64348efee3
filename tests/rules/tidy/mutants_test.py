#!/usr/bin/env python3
"""Proves that tools/mutants.py plants bugs where their entries say, and finds stale entries."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tools"))
import mutants  # noqa: E402

SOURCE = """int first(int a, int b) {
  if (a > b) return a;
  return b;
}

int second(int a, int b) {
  count = 0;
  return a > b ? a : b;
}
"""


def entry(*lines, name="a bug"):
    return "\n".join((f"= {name}", "in src/a.cpp", *lines)) + "\n"


class MutantsTest(unittest.TestCase):
    def in_tree(self, catalogue):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in (("tests/rules/mutants/a.txt", catalogue), ("src/a.cpp", SOURCE)):
                path = Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            root = Path(folder)
            problems = mutants.stale_entries(root)
            return problems, [] if problems else mutants.catalogues(root)

    def planted(self, catalogue):
        problems, layers = self.in_tree(catalogue)
        self.assertEqual([], problems)
        text = mutants.with_switches(SOURCE, layers[0].mutants)
        self.assertTrue(text.startswith(mutants.PRELUDE))
        return text.removeprefix(mutants.PRELUDE)

    def assert_stale(self, catalogue, words):
        problems, _ = self.in_tree(catalogue)
        self.assertEqual(1, len(problems), problems)
        self.assertIn(words, problems[0])

    def test_an_expression_is_switched_by_its_number(self):
        text = self.planted(entry("after int second(", "- a > b", "+ a >= b"))
        self.assertIn("return (::nexusfix::mutants::is(1) ? (a >= b) : (a > b)) ? a : b;", text)
        self.assertIn("if (a > b) return a;", text)

    def test_statements_are_switched_or_left_out(self):
        text = self.planted(entry("- count = 0;") + entry("- return b;", "+ return a;"))
        self.assertIn("{ if (::nexusfix::mutants::is(1)) {  } else { count = 0; } }", text)
        self.assertIn("{ if (::nexusfix::mutants::is(2)) { return a; } else { return b; } }", text)

    def test_bugs_may_have_one_place_or_lie_within_each_other(self):
        outer = entry("- if (a > b) return a;")
        inner = entry("after int first(", "- a > b", "+ a < b")
        other = entry("after int first(", "- a > b", "+ true")
        text = self.planted(outer + inner + other)
        self.assertIn("{ if (::nexusfix::mutants::is(1)) {  } else { if ((::nexusfix::mutants::is("
                      "2) ? (a < b) : ::nexusfix::mutants::is(3) ? (true) : (a > b))) return a; }",
                      text)

    def test_overlapping_bugs_are_refused(self):
        _, layers = self.in_tree(entry("- a;\n  return b;".replace("\n", "\n- ")) +
                                 entry("- if (a > b) return a;"))
        with self.assertRaises(mutants.Stale):
            mutants.with_switches(SOURCE, layers[0].mutants)

    def test_an_original_that_is_not_there_once_is_stale(self):
        self.assert_stale(entry("- a > b", "+ a < b"), "has 2 times, not once: 'a > b'")
        self.assert_stale(entry("- a != b", "+ a < b"), "has 0 times, not once: 'a != b'")
        self.assert_stale(entry("after int third(", "- a > b"), "'int third('")
        self.assert_stale(entry("after int first(", "- count = 0;"), "has 0 times")

    def test_an_unknown_line_is_named(self):
        self.assert_stale(entry("- a > b") + "? what\n", "a.txt:4: not understood: ? what")

    def test_each_entry_of_this_tree_can_be_planted(self):
        for layer in mutants.catalogues():
            by_file = {}
            for mutant in layer.mutants:
                by_file.setdefault(mutant.path, []).append(mutant)
            for path, group in by_file.items():
                with self.subTest(path=path):
                    text = (mutants.ROOT / path).read_text(encoding="utf-8")
                    mutants.with_switches(text, [m for m in group if m.number])


if __name__ == "__main__":
    unittest.main()
