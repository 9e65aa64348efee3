#!/usr/bin/env python3
"""Builds the site of the documents in build/site: `make docs`.

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
FILE_NAME_LINK = re.compile(r"\[([\w-]+\.md)\]\(((?:[\w./-]*/)?\1)(?=[)#])")
HEADING = re.compile(r"^# (.+)$", re.MULTILINE)
FILE_BLOCK = re.compile(r"^(\s*```\w+) file=(\S+)$", re.MULTILINE)
CELL = re.compile(r"<td\b.*?</td>", re.DOTALL)
LONG_WORD = re.compile(r"[^\s<>]{16,}(?=[^<>]*<)")
BREAKS = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[^\s][,=/])(?=\S)")
CODE = re.compile(r"<(pre|code)\b.*?</\1>", re.DOTALL)
ROOMS = ("guide", "operations", "reference", "internals")
# Pages outside of docs/, and their places in the rooms: the last ones there.
OUTSIDE = {
    "examples/README.md": "guide/examples.md",
    "SECURITY.md": "operations/security-policy.md",
    "CHANGELOG.md": "reference/changes.md",
    "CONTRIBUTING.md": "internals/contributing.md",
    "STYLE.md": "internals/style.md",
}
# Settings of a page, or of a room's pages: the home page has no pages beside it, a search for a key
# or an event finds its table, and the internals are found last.
SETTINGS_OF = {
    "README.md": "hide: [navigation]",
    "reference/keys.md": "search: {boost: 3}",
    "reference/events.md": "search: {boost: 1.5}",
    "internals": "search: {boost: 0.5}",
}


class NoRegistry(Exception):
    """PyPI has none of the packages, or cannot be reached."""


def install():
    """Installs MkDocs where it is missing. Returns the folder of its programs."""
    wanted = (SETTINGS / "requirements.txt").read_text(encoding="utf-8")
    stamp = WORK / "installed.txt"
    programs = WORK / "venv" / "bin"
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != wanted:
        venv.create(WORK / "venv", with_pip=True, clear=True)
        done = subprocess.run([programs / "pip", "install", "--quiet", "--retries", "1",
                               "--disable-pip-version-check",
                               "-r", SETTINGS / "requirements.txt"],
                              stderr=subprocess.PIPE, text=True, check=False)
        if "(from versions: none)" in done.stderr:
            raise NoRegistry(done.stderr)
        if done.returncode != 0:
            sys.exit(done.stderr)
        stamp.write_text(wanted, encoding="utf-8")
    return programs


def place_of(source):
    """The place of a file on the site. A browser shows a text file as it is."""
    name = source.relative_to(ROOT).as_posix()
    if name == "README.md" or name in OUTSIDE:
        return OUTSIDE.get(name, name)
    return name.removeprefix("docs/") if name.startswith("docs/") else f"files/{name}.txt"


def copy_file(source, pages):
    """Copies a file that a page links to. A folder is the list of its files."""
    copy = pages / place_of(source)
    copy.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        copy.write_text("".join(f"{path.name}\n" for path in sorted(source.iterdir())),
                        encoding="utf-8")
    else:
        shutil.copy(source, copy)


def copy_page(source, pages):
    """Copies a page, with links to the places of the site. A link with the name of a page gets the
    page's title."""
    place = place_of(source)

    def moved(match):
        path, anchor = match[2], match[3] or ""
        target = (source.parent / path).resolve()
        if ":" in path or not target.exists() or not target.is_relative_to(ROOT):
            return match[0]
        if (target / "README.md").is_file():
            target = target / "README.md"
        goal = place_of(target)
        if goal.startswith("files/"):
            copy_file(target, pages)
            anchor = ""
        return f"{match[1]}{os.path.relpath(goal, Path(place).parent)}{anchor})"

    def titled(match):
        target = (source.parent / match[2]).resolve()
        return f"[{title_of(target)}]({match[2]}" if target.is_file() else match[0]

    text = FILE_BLOCK.sub(r'\1 title="\2"', source.read_text(encoding="utf-8"))
    text = LINK.sub(moved, FILE_NAME_LINK.sub(titled, text))
    settings = SETTINGS_OF.get(place) or SETTINGS_OF.get(place.split("/")[0])
    head = f"---\n{settings}\n---\n" if settings else ""
    (pages / place).write_text(head + text, encoding="utf-8")


def copy_pages(pages):
    shutil.rmtree(pages, ignore_errors=True)
    shutil.copytree(ROOT / "docs", pages)
    shutil.copytree(SETTINGS / "assets", pages / "assets")
    for source in [*sorted((ROOT / "docs").rglob("*.md")), ROOT / "README.md",
                   *(ROOT / name for name in OUTSIDE)]:
        copy_page(source, pages)


def title_of(path):
    return HEADING.search(path.read_text(encoding="utf-8"))[1].replace("`", "")


def navigation(pages):
    """The rooms, each with its pages in the order in which its index names them."""
    lines = ["nav:", "  - Home: README.md"]
    for room in ROOMS:
        folder = pages / room
        named = LINK.findall((folder / "README.md").read_text(encoding="utf-8"))
        outside = [Path(place).name for place in OUTSIDE.values() if place.startswith(f"{room}/")]
        order = list(dict.fromkeys(path for _, path, _ in named if (folder / path).is_file()
                                   and "/" not in path and path not in outside))
        missing = {page.name for page in folder.glob("*.md")} - {"README.md", *order, *outside}
        if missing:
            sys.exit(f"docs/{room}/README.md does not name {', '.join(sorted(missing))}")
        lines += [f"  - {room.capitalize()}:", f"    - {room}/README.md"]
        lines += [f"    - {title_of(folder / name)!r}: {room}/{name}" for name in order + outside]
    return "\n".join(lines) + "\n"


def broken_pages(site):
    """Pages whose code blocks were not recognised: their fences are visible, or their comments are
    headings."""
    broken = []
    for page in sorted(site.rglob("*.html")):
        text = CODE.sub("", page.read_text(encoding="utf-8"))
        if "```" in text or len(re.findall(r"<h1\b", text)) > 1:
            broken.append(page.relative_to(site).as_posix())
    return broken


def break_long_words(site):
    """A long name in a table's cell may be broken before a capital letter, so that the table fits
    the page."""
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        page.write_text(CELL.sub(
            lambda cell: LONG_WORD.sub(lambda word: BREAKS.sub("<wbr>", word[0]), cell[0]), text),
            encoding="utf-8")


def build(work, site, pages, nav):
    """Builds a site of pages in the folder `work`. Returns its problems; none: an empty text."""
    settings = work / "mkdocs.yml"
    settings.write_text((SETTINGS / "mkdocs.yml").read_text(encoding="utf-8")
                        + f"docs_dir: {pages}\nsite_dir: {site}\n" + nav, encoding="utf-8")
    # Not --quiet: it silences the warnings, and --strict counts only those that it prints.
    done = subprocess.run([install() / "mkdocs", "build", "--strict", "--clean", "-f", settings],
                          env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    if done.returncode != 0:
        return "\n".join(line for line in done.stdout.splitlines()
                         if not line.startswith("INFO"))
    break_long_words(site)
    broken = broken_pages(site)
    return f"code blocks are broken on {', '.join(broken)}" if broken else ""


def build_documents(work=WORK, site=SITE):
    pages = work / "pages"
    copy_pages(pages)
    return build(work, site, pages, navigation(pages))


def main():
    install()
    if problems := build_documents():
        sys.exit(problems)
    print(f"the site: {(SITE / 'index.html').relative_to(ROOT)}")


if __name__ == "__main__":
    main()
