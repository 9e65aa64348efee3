"""The percentiles of a row of the benchmark as curves. Each step to the right has a tenth of the
calls of the step before, so that the rare ones are as visible as the usual ones."""

import math
import re

from .canvas import LINE_PIXELS, WIDTH, Canvas
from .diagram import BadText

ROW = "rtt/spin"
SUBJECTS = {"NexusFIX": "a", "QuickFIX": "b", "bare TCP": "c"}  # with the class of its curve
LEFT, RIGHT, TOP, HEIGHT = 66, 34, 104, 250  # of the plot, in pixels
CALLS_MIN = 10_000  # for the 99.9th percentile
HEAD = """# Made from a report of the benchmark: `make latency`. Nanoseconds.
"""


def is_plot(text):
    return "\nrow: " in text


def text_of(report):
    row = next((row for row in report["rows"] if row["name"] == ROW), None)
    if not row or not report.get("date") or report["quick"]:
        raise SystemExit(f"the report has no row {ROW}, has no date, or is a quick one")
    figures = {"NexusFIX": row, **row["peers"]}
    missing = [name for name in SUBJECTS if name not in figures]
    if missing:
        raise SystemExit(f"the report lacks {', '.join(missing)}")
    if few := [name for name in SUBJECTS if figures[name]["single_calls"] < CALLS_MIN]:
        raise SystemExit(f"fewer than {CALLS_MIN:,} orders of {', '.join(few)}: measure again on "
                         "an idle machine")
    machine = report["machine"]
    lines = [
        f"row: {row['name']}", f"purpose: {row['purpose']}", f"date: {report['date']}",
        f"machine: {re.sub(r'[(](R|TM)[)]', '', machine['cpu'])}, {machine['cores']} cores"
        + (", virtual" if machine["virtual"] else "") + f", kernel {report['kernel']}",
        f"commit: {report['commit']}",
        "subjects: " + " | ".join(SUBJECTS)]
    columns = [figures[name] for name in SUBJECTS]
    lines.append("calls: " + " | ".join(str(one["single_calls"]) for one in columns))
    for name in columns[0]["percentiles"]:
        lines.append(f"{name}: " + " | ".join(f"{one['percentiles'][name]:g}" for one in columns))
    lines.append("max: " + " | ".join(f"{one['max']:g}" for one in columns))
    return HEAD + "\n".join(lines) + "\n"


def tens(share_above):
    """How many tenfold steps the share of slower calls is below all calls."""
    return -math.log10(share_above)


def short(us):
    return f"{us:.1f}" if us < 100 else f"{us:.0f}"


class Plot:
    def __init__(self, text):
        self.values, rows = {}, []
        for line in text.splitlines():
            if not line or line.startswith("#"):
                continue
            name, _, rest = line.partition(":")
            if name == "max" or name[0].isdigit():
                rows.append((name, [float(part) for part in rest.split("|")]))
            else:
                self.values[name] = rest.strip()
        self.subjects = [part.strip() for part in self.values["subjects"].split("|")]
        self.calls = [int(part) for part in self.values["calls"].split("|")]
        self.curves = [[] for _ in self.subjects]  # (tens, µs)
        for name, figures in rows:
            for curve, calls, ns in zip(self.curves, self.calls, figures):
                above = 1 / calls if name == "max" else 1 - float(name) / 100
                # With fewer calls than that, the percentile would be the maximum again.
                if name == "max" or above * calls >= 2:
                    curve.append((tens(above), ns / 1000))
        if sorted(self.subjects) != sorted(SUBJECTS) or not all(self.curves):
            raise BadText(f"the subjects are {', '.join(SUBJECTS)}")
        self.right = max(5, math.ceil(max(curve[-1][0] for curve in self.curves)))
        figures = [us for curve in self.curves for _, us in curve]
        steps = [digit * 10 ** power for power in range(-3, 7) for digit in (1, 2, 5)]
        low = max(step for step in steps if step <= min(figures))
        high = min(step for step in steps if step >= max(figures))
        self.steps = [step for step in steps if low <= step <= high]

    def x(self, step):
        return LEFT + step / self.right * (WIDTH - LEFT - RIGHT)

    def y(self, us):
        low, high = math.log10(self.steps[0]), math.log10(self.steps[-1])
        return TOP + HEIGHT * (high - math.log10(us)) / (high - low)

    def draw_axes(self, canvas):
        bottom = TOP + HEIGHT
        for us in self.steps:
            y = self.y(us)
            canvas.add(f'<path class="grid" d="M{LEFT},{y:.1f} H{WIDTH - RIGHT}"/>')
            words = f"{us:g} µs" if us < 1000 else f"{us / 1000:g} ms"
            canvas.text("text", LEFT - 8, round(y + 4, 1), words, "end")
        for name, step in [("50 %", tens(0.5))] + [
                (f"{100 - 10 ** (2 - step):.{max(0, step - 2)}f}", step)
                for step in range(1, self.right + 1)]:
            x = self.x(step)
            canvas.add(f'<path class="grid" d="M{x:.1f},{TOP} V{bottom}"/>')
            canvas.text("text", round(x, 1), bottom + 19, name)
        canvas.text("text", (LEFT + WIDTH - RIGHT) / 2, bottom + 40,
                    "percentile of the orders")

    def svg(self):
        canvas = Canvas(f"Percentiles of {self.values['row']}: {', '.join(self.subjects)}",
                        TOP + HEIGHT + 112)
        canvas.text("title", 20, 30, "An order to its report, µs by percentile", "start")
        self.draw_axes(canvas)
        for i, (subject, curve) in enumerate(zip(self.subjects, self.curves)):
            kind, left = SUBJECTS[subject], 20 + i * 136
            canvas.add(f'<path class="plot {kind}" d="M{left},53 h18"/>')
            canvas.text("text", left + 25, 57, subject, "start")
            p50, p99 = (short(dict(curve)[tens(1 - share)]) for share in (0.5, 0.99))
            canvas.text("text", left, 77, f"P50 {p50}, P99 {p99}", "start")
            points = " ".join(f"{self.x(step):.1f},{self.y(us):.1f}" for step, us in curve)
            canvas.add(f'<polyline class="plot {kind}" points="{points}"/>')
            step, us = curve[-1]
            canvas.add(f'<circle class="page dot {kind}" cx="{self.x(step):.1f}" '
                       f'cy="{self.y(us):.1f}" r="4"/>')
        foot = ["Circle: the slowest of " + ", ".join(f"{n:,}" for n in self.calls) + " orders",
                f"{self.values['date']}, commit {self.values['commit']}", self.values["machine"]]
        for i, words in enumerate(foot):
            canvas.text("text", 20, TOP + HEIGHT + 66 + i * LINE_PIXELS, words, "start")
        if faults := canvas.faults():
            raise BadText("; ".join(faults))
        return canvas.svg()
