"""The front page's bars: an order's round trip and its way through the engine, then parsing and
encoding. The scale is logarithmic, because a round trip takes a thousand times as long as a parse.
"""

import math
import re

from .canvas import LINE_PIXELS, WIDTH, Canvas
from .diagram import BadText

ROWS = {
    "rtt/spin": "An order to its report, over loopback TCP",
    "inside": "An order inside the engine, without sockets",
    "parse/NewOrderSingle": "Parse an order",
    "encode/NewOrderSingle": "Encode an order",
}
SUBJECTS = {"NexusFIX": "a", "QuickFIX": "b", "bare TCP": "c"}  # with the class of its bar
LEFT, RIGHT, TOP = 20, 124, 88  # of the plot, in pixels
BAR, GAP = 18, 12
HEAD = """# Made from a report of the benchmark: `make bench PICTURE=yes`. Nanoseconds an operation.
"""


def is_chart(text):
    return "\nbars: " in text


def text_of(report):
    if not report.get("date") or report["quick"]:
        raise SystemExit("the report has no date, or is a quick one")
    rows = {row["name"]: row for row in report["rows"]}
    if missing := [name for name in ROWS if name not in rows]:
        raise SystemExit(f"the report lacks {', '.join(missing)}")
    machine = report["machine"]
    lines = [
        f"date: {report['date']}",
        f"machine: {re.sub(r'[(](R|TM)[)]', '', machine['cpu'])}, {machine['cores']} cores"
        + (", virtual" if machine["virtual"] else "") + f", kernel {report['kernel']}",
        f"commit: {report['commit']}"]
    for name in ROWS:
        figures = {"NexusFIX": rows[name], **rows[name]["peers"]}
        lines.append(f"bars: {name} | " + " | ".join(
            f"{subject} {figures[subject]['batch']:.4g}" for subject in SUBJECTS
            if subject in figures))
    return HEAD + "\n".join(lines) + "\n"


def digits(value):
    """Three significant digits."""
    return f"{value:.{2 if value < 10 else 1 if value < 100 else 0}f}"


def short(ns):
    return f"{digits(ns / 1000)} µs" if ns >= 1000 else f"{digits(ns)} ns"


class Chart:
    def __init__(self, text):
        self.values, self.rows = {}, []  # (name, [(subject, ns)])
        for line in text.splitlines():
            if not line or line.startswith("#"):
                continue
            key, _, rest = line.partition(":")
            if key != "bars":
                self.values[key] = rest.strip()
                continue
            name, *bars = [part.strip() for part in rest.split("|")]
            pairs = [bar.rpartition(" ") for bar in bars]
            if name not in ROWS or any(subject not in SUBJECTS for subject, _, _ in pairs):
                raise BadText(f"an unknown row or subject: {line}")
            self.rows.append((name, [(subject, float(ns)) for subject, _, ns in pairs]))
        figures = [ns for _, bars in self.rows for _, ns in bars]
        self.decades = range(math.floor(math.log10(min(figures) * 0.9)),
                             math.ceil(math.log10(max(figures))) + 1)

    def x(self, ns):
        share = (math.log10(ns) - self.decades[0]) / (self.decades[-1] - self.decades[0])
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    def svg(self):
        height = sum(LINE_PIXELS + len(bars) * BAR + GAP for _, bars in self.rows)
        canvas = Canvas("NexusFIX beside QuickFIX and bare TCP: the time of an operation",
                        TOP + height + 68)
        canvas.text("title", LEFT, 30, "Time of an operation, logarithmic scale", "start")
        for i, (subject, kind) in enumerate(SUBJECTS.items()):
            left = LEFT + i * 130
            canvas.add(f'<path class="{kind}" stroke-width="11" d="M{left},53 h11"/>')
            canvas.text("text", left + 18, 57, subject, "start")
        bottom = TOP + height - GAP
        for decade in self.decades:
            x = self.x(10 ** decade)
            canvas.add(f'<path class="grid" d="M{x:.1f},{bottom - 2} v6"/>')
            canvas.text("text", round(x, 1), bottom + 19, f"{10 ** decade} ns" if decade < 3
                        else f"{10 ** (decade - 3)} µs",
                        "start" if decade == self.decades[0] else "middle")
        y = TOP
        for name, bars in self.rows:
            canvas.text("text", LEFT, y, ROWS[name], "start")
            y += 7
            ours = dict(bars)["NexusFIX"]
            for subject, ns in bars:
                middle = y + BAR / 2
                canvas.add(f'<path class="{SUBJECTS[subject]}" stroke-width="{BAR - 3}" '
                           f'd="M{LEFT},{middle:g} H{self.x(ns):.1f}"/>')
                ratio = "" if subject == "NexusFIX" else f" ({digits(ns / ours)} ×)"
                canvas.text("text", round(self.x(ns) + 6, 1), middle + 4.5, short(ns) + ratio,
                            "start")
                y += BAR
            y += GAP + LINE_PIXELS - 7
        for i, words in enumerate((f"{self.values['date']}, commit {self.values['commit']}",
                                   self.values["machine"])):
            canvas.text("text", LEFT, bottom + 48 + i * LINE_PIXELS, words, "start")
        if faults := canvas.faults():
            raise BadText("; ".join(faults))
        return canvas.svg()
