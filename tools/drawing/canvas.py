"""An SVG of one width, with the colours of a light and a dark page. It refuses a text that leaves
its place or lies on a line."""

from html import escape

WIDTH = 440  # of every picture, in pixels: a telephone shows it nearly at full size
TEXT_PIXELS = {"title": 14, "text": 13, "code": 12}
LINE_PIXELS = 17

STYLE = """
svg{font:13px system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif}
.page{fill:#fff}.frame{fill:#f0f5f6;stroke:#b3c6ca}.inner{fill:#e3edef;stroke:#b3c6ca}
.box{fill:#fff;stroke:#0a7d8c;stroke-width:1.5}.accent{fill:#0a7d8c;stroke:#0a7d8c}
.outside{fill:#f3f3f1;stroke:#8a95a1;stroke-width:1.5}.file{fill:#fff;stroke:#8a95a1}
.later{fill:none;stroke:#8a95a1;stroke-dasharray:4 3}
.title{fill:#1c2530;font-size:14px;font-weight:600}.text{fill:#4a5661}
.code{fill:#4a5661;font:12px ui-monospace,'SF Mono',Menlo,Consolas,monospace}
.on-accent{fill:#fff}.way{stroke:#0a7d8c;fill:none;stroke-width:2}.head{fill:#0a7d8c}
.zoom,.grid{stroke:#b3c6ca;fill:none}.zoom{stroke-dasharray:3 3}
.a{stroke:#0a7d8c}.b{stroke:#c2571a}.c{stroke:#7a8590}.plot{fill:none;stroke-width:2}
.dot{stroke-width:2}
@media(prefers-color-scheme:dark){
.page{fill:#14191e}.frame{fill:#1c232a;stroke:#44545b}.inner{fill:#263038;stroke:#44545b}
.box{fill:#14191e;stroke:#3fb4c3}.accent{fill:#0f6c79;stroke:#3fb4c3}
.outside{fill:#22272c;stroke:#8a95a1}.file{fill:#14191e}
.title{fill:#e4e8ec}.text,.code{fill:#b3bdc6}.on-accent{fill:#fff}
.way{stroke:#3fb4c3}.head{fill:#3fb4c3}.zoom,.grid{stroke:#44545b}
.a{stroke:#3fb4c3}.b{stroke:#f0955a}.c{stroke:#98a4ae}}
"""

# Widths of characters in ems, of the wider of the usual fonts.
NARROW, WIDE = set("iljtfrI.,:;'|!()[]- /"), set("mwMWÉ@%→…")


def text_width(kind, words):
    if kind == "code":
        return 0.605 * TEXT_PIXELS["code"] * len(words)
    ems = sum(0.34 if c in NARROW else 0.92 if c in WIDE else 0.68 if c.isupper() else 0.575
              for c in words)
    return ems * TEXT_PIXELS[kind] * (1.13 if kind == "title" else 1)


class Canvas:
    def __init__(self, title, height, style="", width=WIDTH):
        self.title, self.height, self.width = title, height, width
        self.style = STYLE + style
        self.back, self.front = [], []
        self.texts = []  # (left, top, right, bottom, words)
        self.segments = []  # (x1, y1, x2, y2) of everything that a text must not cross

    def add(self, element, is_back=False):
        (self.back if is_back else self.front).append(element)

    def rectangle(self, kind, x, y, w, h, radius=6):
        self.add(f'<rect class="{kind}" x="{x:g}" y="{y:g}" width="{w:g}" height="{h:g}"'
                 + (f' rx="{radius}"' if radius else "") + "/>", is_back=True)
        for line in ((x, y, x + w, y), (x, y + h, x + w, y + h), (x, y, x, y + h),
                     (x + w, y, x + w, y + h)):
            self.segments.append(line)

    def text(self, kind, x, y, words, anchor="middle", is_on_accent=False):
        width = text_width(kind, words)
        left = x - {"start": 0, "middle": width / 2, "end": width}[anchor]
        self.texts.append((left - 2, y - 13, left + width + 2, y + 6, words))
        names = kind + (" on-accent" if is_on_accent else "")
        place = "" if anchor == "start" else f' text-anchor="{anchor}"'
        self.add(f'<text class="{names}" x="{x:g}" y="{y:g}"{place}>{escape(words)}</text>')

    def code(self, kind, x, y, line):
        """A line of a terminal, with all of its blanks."""
        self.texts.append((x, y - 11, x + text_width("code", line), y + 4, line))
        self.add(f'<text class="{kind}" x="{x:g}" y="{y:g}" xml:space="preserve" textLength='
                 f'"{text_width("code", line):.1f}">{escape(line)}</text>')

    def way(self, points, heads="end", kind="way"):
        """A line through the points, with rounded corners."""
        drawn = f"M{points[0][0]:g},{points[0][1]:g}"
        for before, corner, after in zip(points, points[1:], points[2:]):
            drawn += " L{:g},{:g} Q{:g},{:g} {:g},{:g}".format(
                *towards(corner, before), *corner, *towards(corner, after))
        drawn += f" L{points[-1][0]:g},{points[-1][1]:g}"
        markers = (' marker-start="url(#head)"' if heads == "both" else "") + \
                  (' marker-end="url(#head)"' if heads != "none" else "")
        self.add(f'<path class="{kind}" d="{drawn}"{markers}/>')
        for (x1, y1), (x2, y2) in zip(points, points[1:]):
            self.segments.append((x1, y1, x2, y2))

    def faults(self):
        """Texts outside of the picture, over a line, or over another text."""
        found = []
        for i, (left, top, right, bottom, words) in enumerate(self.texts):
            if left < 4 or right > self.width - 4 or top < 4 or bottom > self.height - 4:
                found.append(f"“{words}” leaves the picture")
            if any(crosses(line, left, top, right, bottom) for line in self.segments):
                found.append(f"“{words}” lies on a line")
            found += [f"“{words}” lies on “{other[4]}”" for other in self.texts[i + 1:]
                      if left < other[2] and other[0] < right and top + 2 < other[3]
                      and other[1] + 2 < bottom]
        return found

    def svg(self):
        return "\n".join([
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height:g}" '
            f'width="{self.width}" height="{self.height:g}" role="img">',
            f"<title>{escape(self.title)}</title>", f"<style>{self.style}</style>",
            '<marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="9" '
            'markerHeight="9" orient="auto-start-reverse" markerUnits="userSpaceOnUse">'
            '<path class="head" d="M0,0 L8,4 L0,8 z"/></marker>',
            f'<rect class="page" width="{self.width}" height="{self.height:g}" rx="8"/>',
            *self.back, *self.front, "</svg>", ""])


def towards(corner, other, radius=7):
    """The point near a corner where its curve begins."""
    dx, dy = other[0] - corner[0], other[1] - corner[1]
    length = max(abs(dx), abs(dy))
    share = min(radius, length / 2) / length
    return corner[0] + dx * share, corner[1] + dy * share


def crosses(line, left, top, right, bottom):
    """Whether a line, which is level or upright except in zooms, enters a text's rectangle."""
    x1, y1, x2, y2 = line
    if min(x1, x2) >= right or max(x1, x2) <= left or min(y1, y2) >= bottom or max(y1, y2) <= top:
        return False
    if x1 == x2 or y1 == y2:
        return True
    steps = 50
    return any(left < x1 + (x2 - x1) * i / steps < right
               and top < y1 + (y2 - y1) * i / steps < bottom for i in range(steps + 1))
