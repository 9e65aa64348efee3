#!/usr/bin/env python3
"""Links of installed documents: some lead to files of the sources that are not installed.

    installed_documents.py FOLDER [--place include=FOLDER] [--place dictionaries=FOLDER] ...

A page is in FOLDER where it is in the sources. A link to a file that is installed in another place
leads there; a link to a file that is not installed becomes its text.
"""

import argparse
import os
import re
from pathlib import Path

FENCED = re.compile(r"(^ *```.*?^ *```)", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<!!)\[([^\[\]]*(?:\[\w*\][^\[\]]*)*)\]\(([^)\s#]+)(#[^)\s]*)?\)")


def place_of(name, places):
    """Where a file of the sources is installed; None: nowhere."""
    for start, folder in places.items():
        # A product has its headers in a folder include of its own.
        found = re.match(rf"(?:\w+/)?{start}(?:/(.*))?$", name)
        if found and (folder / (found[1] or "")).exists():
            return folder / (found[1] or "")
    return None


def mended(text, page, folder, places):
    """The text of a page with links that lead to installed files."""

    def link(found):
        words, path, anchor = found[1], found[2], found[3] or ""
        target = Path(os.path.normpath(page.parent / path))
        if ":" in path or target.exists():
            return found[0]
        place = place_of(os.path.relpath(target, folder), places)
        if place is None:
            return words
        return f"[{words}]({os.path.relpath(place, page.parent)}{anchor})"

    return "".join(part if FENCED.match(part) else LINK.sub(link, part)
                   for part in FENCED.split(text))


def mend(folder, places):
    for page in sorted(folder.rglob("*.md")):
        text = page.read_text(encoding="utf-8")
        better = mended(text, page, folder, places)
        if better != text:
            page.write_text(better, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--place", action="append", default=[], help="NAME=FOLDER")
    options = parser.parse_args()
    pairs = (place.partition("=") for place in options.place)
    mend(options.folder, {name: Path(folder) for name, _, folder in pairs})


if __name__ == "__main__":
    main()
