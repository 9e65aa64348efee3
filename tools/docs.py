#!/usr/bin/env python3
"""Draws the pictures, and builds the site of the documents in build/site: `make docs`.

MkDocs and its theme come from PyPI, in the versions of tools/docs/requirements.txt, and are
installed in build/docs. A warning, such as a link to no page or to no heading, is an error. The API
reference is made of the comments of the public headers, which Doxygen reads.
"""

import itertools
import json
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
sys.path.insert(0, str(SETTINGS))
import api_comments  # noqa: E402
import api_pages  # noqa: E402
API = "reference/api"
EVENTS = "reference/events.md"
BOOST_OF_EVENT = 0.3  # a word in the name of an event, such as Password, finds its topic first
# The public headers of the core, and of each product beside it.
HEADERS = [ROOT / "include", *sorted(ROOT.glob("*/include"))]
LINK = re.compile(r"(\]\()([^)\s#]+)(#[^)\s]*)?\)")
HEADING = re.compile(r"^# (.+)$", re.MULTILINE)
FILE_BLOCK = re.compile(r"^(\s*```\w+) file=(\S+)$", re.MULTILINE)
LONG_ROW = 80  # characters, more than a telephone has in three columns
TABLE = re.compile(r"<table>.*?</table>", re.DOTALL)
CELL = re.compile(r"<td\b.*?</td>", re.DOTALL)
LONG_WORD = re.compile(r"[^\s<>]{16,}(?=[^<>]*<)")
BREAKS = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[^\s][,=/])(?=\S)")
INDEXED_EVENT = re.compile(r"(NXF-\d+) <code>(\w+)</code> (?=INFO|WARN|ERROR)")
INDEXED_BLOCK = re.compile(r"[\w.-]*<pre>.*?</pre>", re.DOTALL)
CODE = re.compile(r"<(pre|code)\b.*?</\1>", re.DOTALL)
QUERY_WORDS = r".split(/\s+/g).reduce((r,n)=>{let i=e(n)"
BETTER_QUERY_WORDS = (
    r".split(/\s+/g).filter((r,n,a)=>a.length<2||lunr.stopWordFilter(r.toLowerCase()))"
    r".map(r=>r.replace(/^([a-z]{4,}?)(?:(?<=ss|sh|ch|x)es|ed|(?<!s)s)$/,'$1'))"
    r".reduce((r,n)=>{let i=e(n)")
NODE_KEY = "e=e+s+o.id}return e}"
UNIQUE_NODE_KEY = 'e=e+s+o.id+","}return e}'
ROOMS = ("guide", "operations", "reference", "internals")
# Pages outside of the rooms, and their places in them: the last ones there. The map of docs/ is
# beside the home page.
OUTSIDE = {
    "docs/README.md": "documents.md",
    "examples/README.md": "guide/examples.md",
    "SECURITY.md": "operations/security-policy.md",
    "SUPPORT.md": "reference/support.md",
    "ROADMAP.md": "reference/roadmap.md",
    "CHANGELOG.md": "reference/changes.md",
    "CONTRIBUTING.md": "internals/contributing.md",
    "STYLE.md": "internals/style.md",
}
# The page that decodes logs: what the build made of its source, if it did.
DECODER = ROOT / "build" / "release" / "wasm" / "decoder.html"
DECODER_SOURCE = "wasm/page/decoder.html"
# Settings of a page, or of a room's pages: the home page and the widest table have no pages beside
# them; a search for a key or an event finds its table, a symptom or a task finds its page,
# and the internals are found last.
SETTINGS_OF = {
    "README.md": "hide: [navigation]",
    "reference/keys.md": "hide: [navigation]\nsearch: {boost: 5}",
    "operations/troubleshooting.md": "search: {boost: 2}",
    "operations/reload.md": "search: {boost: 2}",
    "guide/sending.md": "search: {boost: 1.5}",
    "guide/codegen.md": "search: {boost: 1.5}",
    "reference/events.md": "search: {boost: 1.5}",
    "internals": "search: {boost: 0.1}",
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
    if name == DECODER_SOURCE and DECODER.exists():
        return DECODER.name
    return name.removeprefix("docs/") if name.startswith("docs/") else f"files/{name}.txt"


def copy_file(source, pages):
    """Copies a file that a page links to. A folder is the list of its files."""
    copy = pages / place_of(source)
    copy.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        copy.write_text("".join(f"{path.name}\n" for path in sorted(source.iterdir())),
                        encoding="utf-8")
    else:
        shutil.copy(DECODER if copy.name == DECODER.name else source, copy)


def api_reference(work, pages):
    """Writes the API reference, a page for each public header. Returns its navigation."""
    folder = work / "api"
    shutil.rmtree(folder, ignore_errors=True)
    for root, header in ((root, header) for root in HEADERS for header in root.rglob("*.hpp")):
        copy = folder / "include" / header.relative_to(root)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(api_comments.documented(copy, header.read_text(encoding="utf-8")),
                        encoding="utf-8")
    settings = (SETTINGS / "Doxyfile").read_text(encoding="utf-8")
    warnings = folder / "warnings.txt"
    subprocess.run(["doxygen", "-"], cwd=folder, check=True, encoding="utf-8",
                   input=f"{settings}\nOUTPUT_DIRECTORY={folder}\nWARN_LOGFILE={warnings}\n")
    if lines := warnings.read_text(encoding="utf-8").splitlines():
        sys.exit(f"the API reference: {len(lines)} names have no comment; see {warnings}")
    lines = ["    - API:", f"      - {API}/README.md"]
    for room, index, headers in api_pages.write(folder / "xml", pages / API):
        lines += [f"      - {room}:", f"        - {API}/{index}"]
        lines += [f"        - {title!r}: {API}/{path}" for title, path in headers]
    return lines


def copy_page(source, pages):
    """Copies a page, with links to the places of the site. A public header's is in the API."""
    place = place_of(source)

    def moved(match):
        path, anchor = match[2], match[3] or ""
        target = (source.parent / path).resolve()
        if ":" in path or not target.exists() or not target.is_relative_to(ROOT):
            return match[0]
        if (target / "README.md").is_file():
            target = target / "README.md"
        goal = place_of(target)
        root = next((root for root in HEADERS if target.is_relative_to(root)), None)
        if root is not None and target.is_file():
            header = target.relative_to(root / "nexusfix").as_posix()
            page = f"{API}/{api_pages.page_of(header)}"
            goal = page if (pages / page).exists() else goal
        if goal.startswith("files/") or goal == DECODER.name:
            copy_file(target, pages)
            anchor = ""
        return f"{match[1]}{os.path.relpath(goal, Path(place).parent)}{anchor})"

    text = FILE_BLOCK.sub(r'\1 title="\2"', source.read_text(encoding="utf-8"))
    text = LINK.sub(moved, text)
    settings = SETTINGS_OF.get(place) or SETTINGS_OF.get(place.split("/")[0])
    head = f"---\n{settings}\n---\n" if settings else ""
    (pages / place).write_text(head + text, encoding="utf-8")


def copy_pages(work, pages):
    """Copies all pages, and writes those of the API. Returns the navigation."""
    shutil.rmtree(pages, ignore_errors=True)
    shutil.copytree(ROOT / "docs", pages)
    shutil.copytree(SETTINGS / "assets", pages / "assets")
    api = api_reference(work, pages)
    for source in [*sorted((ROOT / "docs").rglob("*.md")), ROOT / "README.md",
                   *(ROOT / name for name in OUTSIDE)]:
        copy_page(source, pages)
    return navigation(pages, api)


def title_of(path):
    return HEADING.search(path.read_text(encoding="utf-8"))[1].replace("`", "")


def navigation(pages, api):
    """The rooms, each with its pages in the order in which its index names them; the API ends its
    room."""
    lines = ["nav:", "  - Home: README.md", "  - Documents: documents.md"]
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
        lines += api if API.startswith(room) else []
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


def label_cells(table):
    """A table with long rows is a list of them on a telephone: each cell has its column's name."""
    names = [re.sub(r"<[^>]*>", "", name) for name in re.findall(r"<th\b[^>]*>(.*?)</th>", table)]
    rows = len(re.findall(r"<tr\b", table)) - 1
    if len(names) < 3 or len(re.sub(r"<[^>]*>|\s+", " ", table)) < LONG_ROW * rows:
        return table
    column = itertools.cycle(names)
    cells = re.sub(r"<td\b", lambda _: f'<td data-label="{next(column)}"', table)
    return cells.replace("<table", "<table data-wide", 1)


def label_tables(site):
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        page.write_text(TABLE.sub(lambda table: label_cells(table[0]), text), encoding="utf-8")


def index_events(section):
    """The entries of a section's events, each with the anchor of its row; first the section, which
    then has no rows."""
    head, *rows = INDEXED_EVENT.split(section["text"])
    page = section["location"].split("#")[0]
    return [{**section, "text": head}] + [
        {**section, "location": f"{page}#{event.lower()}", "title": f"{event} {name}", "text": text,
         "boost": BOOST_OF_EVENT}
        for event, name, text in zip(rows[::3], rows[1::3], rows[2::3], strict=True)]


def improve_index(site):
    """The search shows prose, not the code blocks of a guide, and leads to the row of an event."""
    path = site / "search" / "search_index.json"
    index = json.loads(path.read_text(encoding="utf-8"))
    entries = []
    for section in index["docs"]:
        if not section["location"].startswith(f"{API}/"):
            section["text"] = INDEXED_BLOCK.sub("", section["text"])
        is_event = section["location"].startswith(EVENTS.replace(".md", ".html"))
        entries += index_events(section) if is_event else [section]
    index["docs"] = entries
    text = json.dumps(index, separators=(",", ":"))
    path.write_text(text, encoding="utf-8")
    path.with_suffix(".js").write_text(f"var __index = {text}", encoding="utf-8")


def improve_query(site):
    """The theme takes each word of a query as the beginning of a word: "a" finds half of the
    titles. Words that say nothing are left out of a longer query, and so are endings: "rejects"
    finds "rejected". Nodes of its tree of words have keys that are not unique if the words have
    digits: then "3050" may find nothing."""
    for worker in site.glob("assets/javascripts/workers/search.*.js"):
        text = worker.read_text(encoding="utf-8")
        for theirs, better in ((QUERY_WORDS, BETTER_QUERY_WORDS), (NODE_KEY, UNIQUE_NODE_KEY)):
            if text.count(theirs) != 1:
                sys.exit(f"{worker}: the search of this version of the theme is another one")
            text = text.replace(theirs, better)
        worker.write_text(text, encoding="utf-8")


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
    label_tables(site)
    improve_index(site)
    improve_query(site)
    broken = broken_pages(site)
    return f"code blocks are broken on {', '.join(broken)}" if broken else ""


def build_documents(work=WORK, site=SITE):
    pages = work / "pages"
    return build(work, site, pages, copy_pages(work, pages))


def main():
    drawn = subprocess.run([sys.executable, "-B", ROOT / "tools" / "pictures.py"], check=False)
    if drawn.returncode != 0:
        return drawn.returncode
    install()
    if problems := build_documents():
        sys.exit(problems)
    print(f"the site: {(SITE / 'index.html').relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
