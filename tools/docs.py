#!/usr/bin/env python3
"""Draws the pictures, and builds the site of the documents in build/site: `make docs`.

MkDocs and its theme come from PyPI, in the versions of tools/docs/requirements.txt, and are
installed in build/docs. A warning, such as a link to no page or to no heading, is an error.
"""

import os
import re
import shutil
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WORK = ROOT / "build" / "docs"
SITE = ROOT / "build" / "site"
SETTINGS = ROOT / "tools" / "docs"
LINK = re.compile(r"(\]\()([^)\s#]+)(#[^)\s]*)?\)")
HEADING = re.compile(r"^# (.+)$", re.MULTILINE)
FILE_BLOCK = re.compile(r"^(\s*```\w+) file=(\S+)$", re.MULTILINE)
CODE = re.compile(r"<(pre|code)\b.*?</\1>", re.DOTALL)
ROOMS = ("guide", "operations", "reference", "internals")


def mkdocs():
    """The program, installed where it is missing."""
    wanted = (SETTINGS / "requirements.txt").read_text(encoding="utf-8")
    stamp = WORK / "installed.txt"
    program = WORK / "venv" / "bin" / "mkdocs"
    if not program.exists() or not stamp.exists() or stamp.read_text(encoding="utf-8") != wanted:
        venv.create(WORK / "venv", with_pip=True, clear=True)
        subprocess.run([WORK / "venv" / "bin" / "pip", "install", "--quiet",
                        "--disable-pip-version-check", "-r", SETTINGS / "requirements.txt"],
                       check=True)
        stamp.write_text(wanted, encoding="utf-8")
    return program


def copy_pages(pages):
    """Copies the documents. Pages link to files of the tree, too: those are copied to files/."""
    shutil.rmtree(pages, ignore_errors=True)
    shutil.copytree(ROOT / "docs", pages)
    if not (pages / "README.md").exists():
        shutil.copy(ROOT / "README.md", pages / "README.md")
    for page in sorted(pages.rglob("*.md")):
        place = page.relative_to(pages)

        def moved(match, place=place):
            path, anchor = match[2], match[3] or ""
            if re.match(r"[a-z]+:", path):
                return match[0]
            target = (ROOT / "docs" / place.parent / path).resolve()
            if target.is_relative_to(ROOT / "docs") or not target.is_relative_to(ROOT):
                return match[0]
            up = "../" * len(place.parent.parts)
            if target.is_dir():
                target = target / "README.md"
            if not target.is_file():
                return match[0]
            name = target.relative_to(ROOT)
            copy = pages / "files" / name
            copy = copy.with_name(copy.name + ".txt")  # a browser shows it
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(target, copy)
            return f"{match[1]}{up}{copy.relative_to(pages)})"

        text = FILE_BLOCK.sub(r'\1 title="\2"', page.read_text(encoding="utf-8"))
        page.write_text(LINK.sub(moved, text), encoding="utf-8")


def title_of(path):
    return HEADING.search(path.read_text(encoding="utf-8"))[1].replace("`", "")


def navigation(pages):
    """The rooms, each with its pages in the order in which its index names them."""
    lines = ["nav:", "  - README.md"]
    for room in ROOMS:
        folder = pages / room
        if not folder.exists():
            continue
        index = folder / "README.md"
        named = LINK.findall(index.read_text(encoding="utf-8")) if index.exists() else []
        order = list(dict.fromkeys(path for _, path, _ in named if (folder / path).is_file()
                                   and "/" not in path and path != "README.md"))
        missing = sorted(page.name for page in folder.glob("*.md")
                         if page.name not in order and page.name != "README.md")
        if index.exists() and missing:
            sys.exit(f"docs/{room}/README.md does not name {', '.join(missing)}")
        lines.append(f"  - {room.capitalize()}:")
        lines += [f"    - {room}/README.md"] if index.exists() else []
        lines += [f"    - {title_of(folder / name)!r}: {room}/{name}" for name in order + missing]
    return "\n".join(lines) + "\n"


def broken_pages():
    """Pages whose code blocks were not recognised: their fences are visible, or their comments are
    headings."""
    broken = []
    for page in sorted(SITE.rglob("*.html")):
        text = CODE.sub("", page.read_text(encoding="utf-8"))
        if "```" in text or len(re.findall(r"<h1\b", text)) > 1:
            broken.append(page.relative_to(SITE).as_posix())
    return broken


def main():
    drawn = subprocess.run([sys.executable, "-B", ROOT / "tools" / "pictures.py"], check=False)
    if drawn.returncode != 0:
        return drawn.returncode
    program = mkdocs()
    pages = WORK / "pages"
    copy_pages(pages)
    settings = WORK / "mkdocs.yml"
    settings.write_text((SETTINGS / "mkdocs.yml").read_text(encoding="utf-8")
                        + f"docs_dir: {pages}\nsite_dir: {SITE}\n" + navigation(pages),
                        encoding="utf-8")
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run([program, "build", "--strict", "--quiet", "--clean", "-f", settings],
                          env=environment, check=False)
    if done.returncode == 0 and (broken := broken_pages()):
        sys.exit(f"code blocks are broken on {', '.join(broken)}")
    if done.returncode == 0:
        print(f"the site: {(SITE / 'index.html').relative_to(ROOT)}")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
