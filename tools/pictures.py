#!/usr/bin/env python3
"""Draws docs/images/architecture.svg from the text beside it. No library, no network.

    python3 tools/pictures.py            # writes the picture
    python3 tools/pictures.py --check    # fails if the picture is not what the text says
"""

import sys
from html import escape
from pathlib import Path

IMAGES = Path(__file__).resolve().parent.parent / "docs" / "images"
COLUMN, ROW, BOX_COLUMN, BOX_ROW, MARGIN = 168, 78, 140, 50, 14  # in pixels

STYLE = """
svg{font:12px system-ui,-apple-system,'Segoe UI',sans-serif}
.page{fill:#fff}.frame{fill:#f3f7f8;stroke:#9fb6bb}.box{fill:#fff;stroke:#0a7d8c;stroke-width:1.5}
.title{fill:#1c2530;font-weight:600}.text{fill:#55616d}.way{stroke:#0a7d8c;fill:none;stroke-width:2}
.head{fill:#0a7d8c}
@media(prefers-color-scheme:dark){.page{fill:#14191e}.frame{fill:#1c232a;stroke:#4a5b62}
.box{fill:#14191e;stroke:#3fb4c3}.title{fill:#e4e8ec}.text{fill:#a5b0ba}.way{stroke:#3fb4c3}
.head{fill:#3fb4c3}}
"""


def place(column, row, columns=1):
    """Left, top, width and height of a box."""
    return (MARGIN + column * COLUMN + (COLUMN - BOX_COLUMN) // 2,
            MARGIN + row * ROW + (ROW - BOX_ROW) // 2,
            (columns - 1) * COLUMN + BOX_COLUMN, BOX_ROW)


def text(kind, x, y, words, anchor="middle"):
    return f'<text class="{kind}" x="{x}" y="{y}" text-anchor="{anchor}">{escape(words)}</text>'


def arrow_line(begin, end, words):
    """Straight between neighbours of a row; else out of one side and around a corner."""
    x1, y1, w1, h1 = begin
    x2, y2, w2, h2 = end
    if y1 == y2:
        points = [(x1 + w1, y1 + h1 // 2), (x2, y2 + h2 // 2)]
        if x2 < x1:
            points = [(x1, y1 + h1 // 2), (x2 + w2, y2 + h2 // 2)]
    elif y2 > y1:  # down, then sideways
        points = [(x1 + w1 // 2, y1 + h1), (x1 + w1 // 2, y2 + h2 // 2), (x2 + w2, y2 + h2 // 2)]
    else:  # sideways, then up
        points = [(x1, y1 + h1 // 2), (x2 + w2 // 2, y1 + h1 // 2), (x2 + w2 // 2, y2 + h2)]
    line = " ".join(f"{x},{y}" for x, y in points)
    drawn = f'<polyline class="way" points="{line}" marker-end="url(#head)"/>'
    if words:
        x, y = points[0]
        drawn += "\n" + text("text", x + 6, y + 24, words, "start")
    return drawn


def picture(source):
    drawn, places, size = [], {}, (0, 0)
    for line in source.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        head, _, rest = line.partition(":")
        kind, _, name = head.partition(" ")
        numbers, *words = [part.strip() for part in rest.split("|")]
        if kind == "size":
            size = tuple(int(n) for n in numbers.split())
        elif kind == "frame":
            column, row, columns, rows = (int(n) for n in numbers.split())
            x, y = MARGIN + column * COLUMN, MARGIN + row * ROW + ROW // 3
            drawn.append(f'<rect class="frame" x="{x}" y="{y}" width="{columns * COLUMN}" '
                         f'height="{rows * ROW - ROW // 3}" rx="8"/>')
            drawn.append(text("title", x + 14, y + 24, words[0], "start"))
        elif kind == "box":
            places[name] = x, y, w, h = place(*(int(n) for n in numbers.split()))
            drawn.append(f'<rect class="box" x="{x}" y="{y}" width="{w}" height="{h}" rx="6"/>')
            drawn.append(text("title", x + w // 2, y + 21, words[0]))
            drawn.append(text("text", x + w // 2, y + 38, words[1]))
        elif kind == "arrow":
            begin, end, *label = numbers.split(maxsplit=2)
            drawn.append(arrow_line(places[begin], places[end], " ".join(label)))
        else:
            sys.exit(f"{line}: a line is size, frame, box or arrow")
    width, height = size[0] * COLUMN + 2 * MARGIN, size[1] * ROW + 2 * MARGIN
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img">',
        "<title>An order's way through the engine, and its parts</title>",
        f"<style>{STYLE}</style>",
        '<marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" '
        'orient="auto" markerUnits="userSpaceOnUse"><path class="head" d="M0,0 L8,4 L0,8 z"/>'
        "</marker>",
        f'<rect class="page" width="{width}" height="{height}" rx="8"/>', *drawn, "</svg>", ""])


def main():
    source, target = IMAGES / "architecture.txt", IMAGES / "architecture.svg"
    drawn = picture(source.read_text(encoding="utf-8"))
    if sys.argv[1:] == ["--check"]:
        if target.read_text(encoding="utf-8") != drawn:
            sys.exit(f"{target} is not what {source} says: run python3 tools/pictures.py")
    else:
        target.write_text(drawn, encoding="utf-8")


if __name__ == "__main__":
    main()
