"""How an engine grows with its sessions: memory of a session and CPU time of an order, as curves of
a report of the benchmark. Both scales are logarithmic."""

import math
import re

from .canvas import LINE_PIXELS, WIDTH, Canvas
from .diagram import BadText

FIGURES = {"memory_kib": "Memory, KiB a configured session", "order_us": "CPU time of an order, µs"}
CURVES = {"all live": "a", "ten live": "b", "a tenth live, four loops": "c"}  # with their classes
LEFT, RIGHT, TOP, HEIGHT, GAP = 56, 44, 112, 120, 70  # of a plot, in pixels
DECADES = range(1, 6)  # of sessions
HEAD = """# Made from a report of the benchmark: rows sessions/*, tools/pictures.py --growth.
"""


def is_growth(text):
    return "\ncurve: " in text


def text_of(report):
    points = [row["growth"] for row in report["rows"] if "growth" in row]
    if not points or not report.get("date"):
        raise SystemExit("the report has no row of sessions, or no date")
    machine = report["machine"]
    lines = [
        f"date: {report['date']}",
        f"machine: {re.sub(r'[(](R|TM)[)]', '', machine['cpu'])}, {machine['cores']} cores"
        + (", virtual" if machine["virtual"] else ""),
        f"kernel: {report['kernel']}"]
    for figure in FIGURES:
        for curve in CURVES:
            of_curve = sorted((one["sessions"], one[figure]) for one in points
                              if one["curve"] == curve)
            lines.append(f"curve: {figure} | {curve} | "
                         + " | ".join(f"{sessions:g} {value:.4g}" for sessions, value in of_curve))
    return HEAD + "\n".join(lines) + "\n"


class Growth:
    def __init__(self, text):
        self.values, self.curves = {}, {figure: {} for figure in FIGURES}
        for line in text.splitlines():
            if not line or line.startswith("#"):
                continue
            name, _, rest = line.partition(":")
            if name != "curve":
                self.values[name] = rest.strip()
                continue
            figure, curve, *points = (part.strip() for part in rest.split("|"))
            if figure not in FIGURES or curve not in CURVES or not points:
                raise BadText(f"a curve has a figure, a name of {', '.join(CURVES)}, and points")
            self.curves[figure][curve] = [tuple(map(float, point.split())) for point in points]

    @staticmethod
    def x(sessions):
        return LEFT + (math.log10(sessions) - DECADES[0]) / (DECADES[-1] - DECADES[0]) * (
            WIDTH - LEFT - RIGHT)

    def draw(self, canvas, figure, top):
        curves = self.curves[figure]
        values = [value for points in curves.values() for _, value in points]
        low = math.floor(math.log10(min(values)))
        high = max(math.ceil(math.log10(max(values))), low + 1)
        canvas.text("title", 20, top - 14, FIGURES[figure], "start")

        def y(value):
            return top + HEIGHT * (high - math.log10(value)) / (high - low)
        for power in range(low, high + 1):
            place = y(10 ** power)
            canvas.add(f'<path class="grid" d="M{LEFT},{place:.1f} H{WIDTH - RIGHT}"/>')
            canvas.text("text", LEFT - 18, round(place + 4, 1), f"{10 ** power:g}", "end")
        for power in DECADES:
            place = self.x(10 ** power)
            canvas.add(f'<path class="grid" d="M{place:.1f},{top} V{top + HEIGHT}"/>')
            canvas.text("text", round(place, 1), top + HEIGHT + 19, f"{10 ** power:,}")
        for curve, points in curves.items():
            drawn = " ".join(f"{self.x(n):.1f},{y(value):.1f}" for n, value in points)
            canvas.add(f'<polyline class="plot {CURVES[curve]}" points="{drawn}"/>')

    def svg(self):
        height = TOP + len(FIGURES) * (HEIGHT + GAP) + 3 * LINE_PIXELS
        canvas = Canvas("Memory of a session and CPU time of an order by configured sessions",
                        height)
        canvas.text("title", 20, 30, "One engine, 10 to 100,000 configured sessions", "start")
        left = 20
        for curve, kind in CURVES.items():
            canvas.add(f'<path class="plot {kind}" d="M{left},53 h18"/>')
            canvas.text("text", left + 25, 57, curve, "start")
            left += 104
        for i, figure in enumerate(FIGURES):
            self.draw(canvas, figure, TOP + i * (HEIGHT + GAP))
        foot = (f"{self.values['date']}, kernel {self.values['kernel']}", self.values["machine"])
        for i, words in enumerate(foot):
            canvas.text("text", 20, height - 30 + i * LINE_PIXELS, words, "start")
        if faults := canvas.faults():
            raise BadText("; ".join(faults))
        return canvas.svg()
