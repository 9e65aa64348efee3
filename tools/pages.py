"""The checks of tools/tidy.py for documents: their length, words, links, file names and code."""

import re
from pathlib import Path

import structure
import words

MARKDOWN_LINES_SOFT = 300
README_LINES_SOFT = 120
# A command prints them.
GENERATED_PAGES = {"docs/reference/events.md", "docs/reference/keys.md",
                   "docs/reference/metrics.md"}


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def anchors_of(text):
    """The anchors of a document: those of its headings, and those that it names."""
    anchors, counts = set(re.findall(r'<a id="([^"]+)"></a>', text)), {}
    prose = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    for match in re.finditer(r"^#+ (.+)$", prose, re.MULTILINE):
        heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", match[1].replace("`", ""))
        anchor = re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", heading.strip().lower()))
        count = counts[anchor] = counts.get(anchor, -1) + 1
        anchors.add(f"{anchor}-{count}" if count else anchor)
    return anchors


def check_link(tree, name, line, link):
    """A link must lead to a file, and to a heading of it."""
    target, _, anchor = link.partition("#")
    if "://" in link or link.startswith("mailto:"):
        return
    path = (tree.root / Path(name).parent / target) if target else tree.root / name
    if not path.exists():
        tree.problem(name, line, f"no such file: {target}")
    elif anchor and path.suffix == ".md":
        if anchor not in anchors_of(path.read_text(encoding="utf-8")):
            tree.problem(name, line, f"no such heading: {link}")


CODE_WITH_TEXTS = ("include/", "examples/", "apps/", "src/", *structure.IN_PRODUCTS)


def check_words(tree):
    """Pages, and the texts of the code that users read: comments, messages, help."""
    for name, text in tree.of_suffix({".md"}):
        for line, _, what in words.findings(text):
            tree.problem(name, line, what)
    for name, text in tree.of_suffix({".hpp", ".cpp"}, CODE_WITH_TEXTS):
        if structure.is_product_test(name):
            continue
        for line, what in words.in_code(text):
            tree.problem(name, line, what)


def check_markdown(tree):
    for name, text in tree.of_suffix({".md"}):
        soft = README_LINES_SOFT if name == "README.md" else MARKDOWN_LINES_SOFT
        # The changes grow with each version.
        if name not in GENERATED_PAGES | {"CHANGELOG.md"}:
            structure.check_size(tree, name, text.count("\n"), soft, "lines")
        folder = Path(name).parent
        prose = re.sub(r"^```.*?^```", lambda m: re.sub(r"[^\n]", " ", m[0]), text,
                       flags=re.MULTILINE | re.DOTALL)
        for match in re.finditer(r"\]\(([^)\s]+)\)", prose):
            check_link(tree, name, line_of(prose, match.start()), match[1])
        for match in re.finditer(r"`([\w.-]+/[\w./-]+\.(?:cpp|hpp|py|sh|cmake))`", prose):
            if not any((tree.root / place / match[1]).exists()
                       for place in ("", folder, "src", "include", "include/nexusfix")):
                tree.problem(name, line_of(prose, match.start()), f"no such file: {match[1]}")
        check_quotes(tree, name, text)
        check_table_quotes(tree, name, text)
        check_cpp_blocks(tree, name, text)


def check_quotes(tree, name, text):
    """`<!-- quote: path -->` or `<!-- quote: path#region -->` stands above a code block that equals
    the file, or the lines between `// [region]` and `// [end]` in it."""
    for match in re.finditer(r"<!-- quote: (\S+?)(?:#(\S+))? -->\n```[^\n]*\n(.*?)^```", text,
                             re.DOTALL | re.MULTILINE):
        path, region, quoted = match.groups()
        line = line_of(text, match.start())
        source = tree.texts.get(path)
        if source is None:
            tree.problem(name, line, f"quotes {path}, which does not exist")
            continue
        if region:
            found = re.search(rf"^[ \t]*// \[{re.escape(region)}\]\n(.*?)^[ \t]*// \[end\]$",
                              source, re.DOTALL | re.MULTILINE)
            source = found[1] if found else ""
        if quoted.strip() != dedent(source).strip():
            tree.problem(name, line, f"the block differs from {match[0].split()[2]}")


TABLE = re.compile(r"^\|.*\n\|[-:| ]+\|\n(?:\|.*\n)+", re.MULTILINE)


def check_table_quotes(tree, name, text):
    """`<!-- quote-table: page -->` stands above a table that equals the first one of the page, but
    for its links."""
    for match in re.finditer(r"<!-- quote-table: (\S+) -->\n", text):
        source = TABLE.search(tree.texts.get(match[1]) or "")
        quoted = TABLE.match(text, match.end())
        if not source or not quoted or without_links(source[0]) != without_links(quoted[0]):
            tree.problem(name, line_of(text, match.start()),
                         f"the table differs from that of {match[1]}")


def without_links(text):
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)


def check_cpp_blocks(tree, name, text):
    """C++ on a page is quoted from a file that is compiled."""
    for match in re.finditer(r"^(.*)\n *```cpp\b", "\n" + text, re.MULTILINE):
        if not match[1].strip().startswith("<!-- quote: "):
            tree.problem(name, line_of(text, match.end() - 1),
                         "quote C++ from a file that is compiled: tests/product/docs/snippets/")


def dedent(text):
    lines = text.split("\n")
    indent = min((len(s) - len(s.lstrip()) for s in lines if s.strip()), default=0)
    return "\n".join(line[indent:] for line in lines)


def check_names(tree):
    """A function that a page names exists, and so does an event."""
    known = set()
    for name, text in tree.texts.items():
        if text is not None and not name.endswith(".md"):
            known.update(re.findall(r"\w+", text))
    events = set(re.findall(r"NXF-\d{4}", tree.texts.get("docs/reference/events.md") or ""))
    for name, text in tree.of_suffix({".md"}):
        if name == "CHANGELOG.md":  # it has names that were
            continue
        prose = re.sub(r"^```.*?^```", lambda m: re.sub(r"[^\n]", " ", m[0]), text,
                       flags=re.MULTILINE | re.DOTALL)
        for match in re.finditer(r"`[^`\n]*?\b([a-z]\w*)\([^`\n]*`", prose):
            if match[1] not in known:
                tree.problem(name, line_of(prose, match.start()), f"no such function: {match[1]}()")
        for match in re.finditer(r"NXF-\d{4}", text):
            if events and match[0] not in events:
                tree.problem(name, line_of(text, match.start()), f"no such event: {match[0]}")
