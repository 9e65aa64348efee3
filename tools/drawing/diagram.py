"""Boxes and arrows from a text. A unit is 20 pixels, and a picture is 22 units wide.

    title: what the picture shows
    height: UNITS
    frame NAME: X Y WIDTH HEIGHT | title | text     also `inner`, a frame within a frame
    box NAME: X Y WIDTH HEIGHT | title | text       also `outside`, `file`, `accent`, `later`;
                                                    `cell` and `cell-accent` have no gap around them
    note: X Y [middle|end] | text | text
    arrow: FROM.SIDE TO.SIDE [OPTIONS] | label | label
    zoom: FROM TO [TO]                              the second may be the last of a row

A SIDE is l, r, t or b, with a place along it: `box.t:0.25`. An arrow runs straight where it can.
OPTIONS: at=UNITS is where its middle part runs; `both` has two heads; `left`, `below` put the label
there; label=PART puts it at that part of the line; on=N at its N-th part.
A text that begins with ` is code.
"""

from .canvas import LINE_PIXELS, Canvas, text_width

UNIT = 20
NORMAL = {"l": (-1, 0), "r": (1, 0), "t": (0, -1), "b": (0, 1)}
BOXES = ("box", "outside", "file", "accent", "later", "cell", "cell-accent")


class BadText(Exception):
    pass


def kind_of(words, usual="text"):
    return ("code", words[1:]) if words.startswith("`") else (usual, words)


class End:
    """Where an arrow begins or ends."""

    def __init__(self, places, words):
        name, _, side = words.partition(".")
        self.side, _, part = side.partition(":")
        if name not in places or self.side not in NORMAL:
            raise BadText(f"{words}: no such box or side")
        self.name, self.part, self.is_free = name, float(part or 0.5), not part
        self.x, self.y, self.w, self.h = places[name]
        self.is_level = self.side in "lr"

    def span(self):
        return (self.y, self.y + self.h) if self.is_level else (self.x, self.x + self.w)

    def point(self):
        low, high = self.span()
        along = low + (high - low) * self.part
        if self.is_level:
            return (self.x + (self.w if self.side == "r" else 0), along)
        return (along, self.y + (self.h if self.side == "b" else 0))

    def move_to(self, along):
        low, high = self.span()
        if low <= along <= high:
            self.part = (along - low) / (high - low)


def align(begin, end):
    """Moves the ends whose place was left open, so that an arrow between them is straight."""
    if begin.is_level != end.is_level or begin.side == end.side:
        return
    axis = 1 if begin.is_level else 0
    low, high = (max(begin.span()[0], end.span()[0]), min(begin.span()[1], end.span()[1]))
    if begin.is_free and end.is_free and low < high:
        begin.move_to((low + high) / 2)
        end.move_to((low + high) / 2)
    elif end.is_free:
        end.move_to(begin.point()[axis])
    elif begin.is_free:
        begin.move_to(end.point()[axis])


def route(begin, end, at):
    (x1, y1), (x2, y2) = begin.point(), end.point()
    if begin.is_level != end.is_level:
        corner = (x2, y1) if begin.is_level else (x1, y2)
        return [(x1, y1), corner, (x2, y2)]
    if begin.side == end.side:  # around one side
        out = {"l": min(x1, x2), "r": max(x1, x2), "t": min(y1, y2), "b": max(y1, y2)}[begin.side]
        middle = at * UNIT if at else out + sum(NORMAL[begin.side]) * UNIT
    else:
        middle = at * UNIT if at else (x1 + x2) / 2 if begin.is_level else (y1 + y2) / 2
    if begin.is_level:
        points = [(x1, y1), (middle, y1), (middle, y2), (x2, y2)]
        is_straight = abs(y1 - y2) < 0.5
    else:
        points = [(x1, y1), (x1, middle), (x2, middle), (x2, y2)]
        is_straight = abs(x1 - x2) < 0.5
    return [(x1, y1), (x2, y2)] if is_straight and begin.side != end.side else points


def place_label(canvas, points, lines, options):
    """Beside the longest part of the line, or the one that `on` names."""
    parts = list(zip(points, points[1:]))
    part = max(parts, key=lambda p: abs(p[0][0] - p[1][0]) + abs(p[0][1] - p[1][1]))
    if "on" in options:
        part = parts[int(options["on"]) - 1]
    (x1, y1), (x2, y2) = part
    share = float(options.get("label", 0.5))
    x, y = x1 + (x2 - x1) * share, y1 + (y2 - y1) * share
    if y1 == y2:
        top = y + 16 if "below" in options else y - 7 - LINE_PIXELS * (len(lines) - 1)
        anchor = "middle"
    else:
        top = y + 5 - LINE_PIXELS * (len(lines) - 1) / 2
        x, anchor = (x - 8, "end") if "left" in options else (x + 8, "start")
    for i, words in enumerate(lines):
        kind, words = kind_of(words)
        canvas.text(kind, x, top + i * LINE_PIXELS, words, anchor)


def draw_box(canvas, kind, place, lines):
    x, y, w, h = place
    is_accent = kind in ("accent", "cell-accent")
    shape = {"cell": "box", "cell-accent": "accent"}.get(kind, kind)
    canvas.rectangle(shape, x, y, w, h, 0 if kind.startswith("cell") or kind == "file" else 6)
    top = y + h / 2 + 5 - LINE_PIXELS * (len(lines) - 1) / 2
    for i, words in enumerate(lines):
        text_kind, words = kind_of(words, "title" if i == 0 and kind != "cell" else "text")
        if text_width(text_kind, words) > w - 6:
            raise BadText(f"“{words}” is wider than its box")
        canvas.text(text_kind, x + w / 2, top + i * LINE_PIXELS, words, is_on_accent=is_accent)


def draw_frame(canvas, kind, place, lines):
    x, y, w, h = place
    canvas.rectangle(kind, x, y, w, h, 8)
    for i, words in enumerate(lines):
        text_kind, words = kind_of(words, "title" if i == 0 else "text")
        canvas.text(text_kind, x + 11, y + 20 + i * LINE_PIXELS, words, "start")


class Diagram:
    def __init__(self, source):
        self.values, self.places, self.kinds = {}, {}, {}
        self.boxes, self.arrows, self.notes, self.zooms = [], [], [], []
        for line in source.splitlines():
            if line.strip() and not line.startswith("#"):
                try:
                    self.read(line)
                except (BadText, ValueError, KeyError) as error:
                    raise BadText(f"{line}: {error}") from error

    def read(self, line):
        head, _, rest = line.partition(":")
        kind, _, name = head.partition(" ")
        first, *lines = [part.strip() for part in rest.split("|")]
        if kind in BOXES + ("frame", "inner"):
            place = tuple(round(float(n) * UNIT, 2) for n in first.split())
            if len(place) != 4:
                raise BadText("x, y, width and height are four numbers")
            self.places[name], self.kinds[name] = place, kind
            self.boxes.append((kind, place, lines))
        elif kind == "note":
            x, y, *anchor = first.split()
            self.notes.append((float(x) * UNIT, float(y) * UNIT, (anchor or ["start"])[0], lines))
        elif kind == "arrow":
            begin, end, *options = first.split()
            options = dict(option.partition("=")[::2] for option in options)
            self.arrows.append((begin, end, options, lines))
        elif kind == "zoom":
            self.zooms.append(first.split())
        elif kind in ("title", "height", "states", "table"):
            self.values[kind] = first
        else:
            raise BadText("no such kind of line")

    def draw_arrow(self, canvas, begin, end, options, lines):
        begin, end = End(self.places, begin), End(self.places, end)
        align(begin, end)
        at = float(options["at"]) if "at" in options else None
        points = route(begin, end, at)
        canvas.way(points, "both" if "both" in options else "end")
        if lines:
            place_label(canvas, points, lines, options)

    def svg(self):
        canvas = Canvas(self.values["title"], float(self.values["height"]) * UNIT)
        for kind, place, lines in self.boxes:
            draw = draw_frame if kind in ("frame", "inner") else draw_box
            draw(canvas, kind, place, lines)
        for begin, *ends in self.zooms:
            x, y, w, h = self.places[begin]
            left, top, _, _ = self.places[ends[0]]
            right, _, width, _ = self.places[ends[-1]]
            canvas.way([(x, y + h), (left, top)], "none", "zoom")
            canvas.way([(x + w, y + h), (right + width, top)], "none", "zoom")
        for arrow in self.arrows:
            self.draw_arrow(canvas, *arrow)
        for x, y, anchor, lines in self.notes:
            for i, words in enumerate(lines):
                kind, words = kind_of(words)
                canvas.text(kind, x, y + i * LINE_PIXELS, words, anchor)
        if faults := canvas.faults():
            raise BadText("; ".join(faults))
        return canvas.svg()
