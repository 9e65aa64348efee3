#!/usr/bin/env python3
"""Proves that tools/pictures.py finds pictures that differ from the source, or cannot be read."""

import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tools"))
from drawing import bars, canvas, diagram, growth, latency, states, terminal  # noqa: E402

BOXES = """title: Two states
height: 10
box Open: 1 1 6 2 | Open
box Closed: 1 6 6 2 | Closed
"""
SWITCH = """enum class Door : int {
  Open,    // one may pass
  Closed,
};
constexpr bool can_become(Door from, Door to) noexcept {
  switch (from) {
    case Open:
      return to == Closed;
    case Closed:
      return BACK;
  }
  return false;
}
"""
ARRAY = """enum class Door : int { Open, Closed };
constexpr std::array kNextPhases{
    // Open
    phases(Phase::Closed),
    // Closed
    phases(BACK),
};
"""


class StatesTest(unittest.TestCase):
    def check(self, source, table, arrows):
        text = f"{BOXES}states: door.hpp Door\ntable: {table}\n{arrows}"
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "door.hpp").write_text(source, encoding="utf-8")
            with mock.patch.object(states, "ROOT", Path(folder)):
                states.check(diagram.Diagram(text))

    def test_a_picture_of_every_transition_is_right(self):
        arrow = "arrow: Open.b Closed.t\n"
        self.check(SWITCH.replace("BACK", "false"), "can_become", arrow)
        self.check(ARRAY.replace("BACK", ""), "phases", arrow)
        self.check(SWITCH.replace("BACK", "to == Open"), "can_become",
                   "arrow: Open.b Closed.t both\n")

    def test_an_arrow_from_a_frame_stands_for_one_from_each_state_in_it(self):
        source = ARRAY.replace("phases(Phase::Closed)", "phases(Phase::Open, Phase::Closed)")
        self.check(source.replace("BACK", "Phase::Open, Phase::Closed"), "phases",
                   "frame all: 0.5 0.5 8 9\narrow: all.r all.r\n")

    def test_a_transition_that_the_picture_lacks_is_found(self):
        for source, table, back in ((SWITCH, "can_become", "to == Open"),
                                    (ARRAY, "phases", "Phase::Open")):
            with self.assertRaisesRegex(diagram.BadText, "has no arrow for .* Closed → Open"):
                self.check(source.replace("BACK", back), table, "arrow: Open.b Closed.t\n")

    def test_a_transition_that_the_table_lacks_is_found(self):
        with self.assertRaisesRegex(diagram.BadText, "not in .* Closed → Open"):
            self.check(SWITCH.replace("BACK", "false"), "can_become",
                       "arrow: Open.b Closed.t both\n")

    def test_a_state_without_a_box_is_found(self):
        with self.assertRaisesRegex(diagram.BadText, "differ in the states Ajar"):
            self.check(SWITCH.replace("Closed,", "Closed,\n  Ajar,"), "can_become", "")

    def test_a_table_of_another_form_is_refused(self):
        with self.assertRaisesRegex(diagram.BadText, "not a list of states"):
            self.check(SWITCH.replace("BACK", "is_night || to == Open"), "can_become", "")


class DiagramTest(unittest.TestCase):
    def assert_refused(self, more, words):
        with self.assertRaisesRegex(diagram.BadText, words):
            diagram.Diagram(BOXES + more).svg()

    def test_texts_that_cannot_be_read_are_found(self):
        self.assert_refused("note: 5 1 | across a border\n", "lies on a line")
        self.assert_refused("note: 12 9.9 | low\n", "leaves the picture")
        self.assert_refused("note: 12 5 | one\nnote: 12.2 5.1 | two\n", "lies on “two”")
        self.assert_refused("box small: 12 1 2 2 | much too long\n", "wider than its box")

    def test_lines_that_mean_nothing_are_found(self):
        self.assert_refused("arrow: Open.b Shut.t\n", "no such box")
        self.assert_refused("circle: 1 1\n", "no such kind of line")

    def test_a_picture_stands_alone_and_has_two_sets_of_colours(self):
        svg = diagram.Diagram(BOXES + "arrow: Open.b Closed.t | shut & lock\n").svg()
        self.assertIn("prefers-color-scheme:dark", svg)
        self.assertIn("shut &amp; lock", svg)
        self.assertNotIn("href", svg)
        self.assertIn(f'viewBox="0 0 {canvas.WIDTH} 200"', svg)


class LatencyTest(unittest.TestCase):
    @staticmethod
    def report():
        figures = {"single_calls": 100000, "max": 90000.0,
                   "percentiles": {"50": 9000.0, "99": 20000.0, "99.99": 50000.0}}
        return {"date": "2026-01-31", "commit": "1a2b3c", "quick": False,
                "machine": {"cpu": "A CPU", "cores": 2, "virtual": False}, "kernel": "avx2",
                "rows": [{"name": "rtt/spin", "purpose": "an order", **figures,
                          "peers": {"QuickFIX": figures, "bare TCP": figures}}]}

    def test_a_report_becomes_a_text_and_a_plot(self):
        text = latency.text_of(self.report())
        self.assertTrue(latency.is_plot(text))
        svg = latency.Plot(text).svg()
        for words in ("NexusFIX", "QuickFIX", "bare TCP", "P50 9.0, P99 20.0", "2026-01-31"):
            self.assertIn(words, svg)

    def test_a_quick_or_incomplete_report_is_refused(self):
        for change in ({"quick": True}, {"rows": []}, {"date": None}):
            with self.assertRaises(SystemExit):
                latency.text_of({**self.report(), **change})
        report = self.report()
        report["rows"][0]["peers"]["QuickFIX"] = {"single_calls": 20}
        with self.assertRaises(SystemExit):
            latency.text_of(report)
        del report["rows"][0]["peers"]["QuickFIX"]
        with self.assertRaises(SystemExit):
            latency.text_of(report)


class BarsTest(unittest.TestCase):
    @staticmethod
    def report():
        machine = {"cpu": "A CPU", "cores": 2, "virtual": True}
        peers = {"QuickFIX": {"batch": 4000.0}, "reference": {"batch": 10.0}}
        rows = [{"name": name, "batch": 1000.0 / 2 ** i, "peers": peers if i != 1 else {}}
                for i, name in enumerate([*bars.ROWS, "frame"])]
        return {"date": "2026-01-31", "commit": "1a2b3c", "quick": False, "machine": machine,
                "kernel": "avx2", "rows": rows}

    def test_a_report_becomes_a_text_and_bars(self):
        text = bars.text_of(self.report())
        self.assertTrue(bars.is_chart(text))
        self.assertNotIn("frame", text)
        self.assertNotIn("reference", text)
        svg = bars.Chart(text).svg()
        for words in ("NexusFIX", "1.00 µs", "4.00 µs (4.00 ×)", "500 ns", "2026-01-31", "virtual"):
            self.assertIn(words, svg)

    def test_a_quick_or_incomplete_report_is_refused(self):
        for change in ({"quick": True}, {"rows": []}, {"date": None}):
            with self.assertRaises(SystemExit):
                bars.text_of({**self.report(), **change})

    def test_an_unknown_row_is_refused(self):
        with self.assertRaisesRegex(diagram.BadText, "unknown row"):
            bars.Chart("date: 1\nbars: frame | NexusFIX 3\n")

    def test_the_front_page_has_six_to_eight_bars(self):
        text = (ROOT / "docs" / "images" / "bench.txt").read_text(encoding="utf-8")
        self.assertIn(sum(len(row) for _, row in bars.Chart(text).rows), range(6, 9))


class GrowthTest(unittest.TestCase):
    REPORT = {"date": "2026-11-29", "kernel": "avx2",
              "machine": {"cpu": "CPU(R) X", "cores": 2, "virtual": True},
              "rows": [{"name": "inside"}] + [
                  {"name": f"sessions/{sessions}",
                   "growth": {"curve": curve, "sessions": sessions, "memory_kib": 9,
                              "order_us": 11}}
                  for curve in growth.CURVES for sessions in (10_000, 100)]}

    def test_a_report_becomes_curves_from_few_sessions_to_many(self):
        text = growth.text_of(self.REPORT)
        self.assertIn("curve: memory_kib | all live | 100 9 | 10000 9\n", text)
        self.assertIn("machine: CPU X, 2 cores, virtual\nkernel: avx2\n", text)
        self.assertTrue(growth.is_growth(text))
        self.assertEqual(growth.Growth(text).svg().count("<polyline"), 6)

    def test_a_report_without_sessions_and_an_unknown_curve_are_errors(self):
        with self.assertRaises(SystemExit):
            growth.text_of(self.REPORT | {"rows": [{"name": "inside"}]})
        with self.assertRaises(diagram.BadText):
            growth.Growth("date: x\ncurve: memory_kib | half live | 10 1\n")


class TerminalTest(unittest.TestCase):
    TEXT = """# A comment
terminal: Two rows
log: docs/guide/logs.md messages.log
$ wc -l messages.log
| 4 messages.log
"""

    def test_a_line_goes_on_in_the_next_one_with_all_of_its_words(self):
        line = "  " + " ".join(["word"] * 40)
        parts = terminal.wrapped(line)
        self.assertGreater(len(parts), 3)
        self.assertTrue(all(len(part) <= terminal.COLUMNS for part in parts))
        self.assertEqual(" ".join(parts).split(), line.split())
        self.assertEqual(terminal.wrapped("x" * terminal.COLUMNS), ["x" * terminal.COLUMNS])
        with self.assertRaisesRegex(diagram.BadText, "no blank"):
            terminal.wrapped("x" * (terminal.COLUMNS + 1))

    def test_commands_and_faults_differ_from_other_output(self):
        svg = terminal.Terminal(self.TEXT + "|   ! wrong\n| right & <b>\n").svg()
        self.assertEqual(svg.count('class="code command"'), 1)
        self.assertEqual(svg.count('class="code marked"'), 1)
        self.assertIn("right &amp; &lt;b&gt;</text>", svg)

    def test_the_output_is_that_of_the_command_on_the_log_of_the_page(self):
        self.assertEqual(terminal.run(self.TEXT.replace("| 4", "| 7"), "/bin/sh"), self.TEXT)

    def test_a_text_without_a_log_or_a_command_is_refused(self):
        for text in (self.TEXT.replace("log:", "lag:"), self.TEXT.replace("$ ", "| "),
                     self.TEXT.partition("$")[0]):
            with self.assertRaises(diagram.BadText):
                terminal.Terminal(text)
        with self.assertRaisesRegex(diagram.BadText, "no block file=other.log"):
            terminal.log_of("docs/guide/logs.md other.log")


if __name__ == "__main__":
    unittest.main()
