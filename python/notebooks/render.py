#!/usr/bin/env python3
"""Runs the notebooks, and writes the page docs/guide/python-notebooks.md with their charts:
render.py. It needs nexusfix, matplotlib and polars."""

import json
import os
import tempfile
from pathlib import Path

import make_day

FOLDER = Path(__file__).resolve().parent
GUIDE = FOLDER.parent.parent / "docs" / "guide"
PAGE = GUIDE / "python-notebooks.md"
IMAGES = GUIDE / "notebooks"
NAMES = ("latency", "gaps", "fills", "slow")
HEAD = """# Notebooks: from a log to a picture

Four questions about a day's log, each answered with at most fifteen lines of Python. The notebooks
are in [python/notebooks](../../python/notebooks/make_day.py), and run in a test.
`python3 python/notebooks/make_day.py day.log` writes the log that they read: a day at three venues.
Put your own log in its place. They need `pip install polars matplotlib`, and the package
[nexusfix](python.md); [its tables](python-logs.md) have all columns.
"""
STYLE = {"svg.fonttype": "none", "svg.hashsalt": "nexusfix", "figure.figsize": (7, 3.6),
         "font.family": "sans-serif", "axes.grid": True, "grid.alpha": 0.3}


def cells_of(name):
    """The text and the code of a notebook."""
    book = json.loads((FOLDER / f"{name}.ipynb").read_text(encoding="utf-8"))
    parts = {"markdown": [], "code": []}
    for cell in book["cells"]:
        parts[cell["cell_type"]].append("".join(cell["source"]))
    return "\n\n".join(parts["markdown"]), "\n".join(parts["code"])


def picture_of(code, folder):
    """Runs code in a folder with the log. Returns its chart as SVG."""
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    before = os.getcwd()
    os.chdir(folder)
    try:
        with matplotlib.rc_context(STYLE):
            plt.close("all")
            exec(compile(code, "notebook", "exec"), {})
            plt.savefig("picture.svg", format="svg", bbox_inches="tight",
                        metadata={"Date": None, "Creator": None})
    finally:
        os.chdir(before)
    lines = (Path(folder) / "picture.svg").read_text(encoding="utf-8").splitlines()
    return "\n".join(line.rstrip() for line in lines) + "\n"


def page():
    text = HEAD
    for name in NAMES:
        words, code = cells_of(name)
        title = words.split("\n", 1)[0].removeprefix("# ")
        text += f"\n#{words}\n\n```python\n{code}\n```\n\n![{title}](notebooks/{name}.svg)\n"
    return text


def main():
    IMAGES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        make_day.write_day(Path(folder) / "day.log")
        for name in NAMES:
            picture = picture_of(cells_of(name)[1], folder)
            (IMAGES / f"{name}.svg").write_text(picture, encoding="utf-8")
    PAGE.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
