"""Writes the pages of the API reference from Doxygen's XML: one page a header, one index a room."""

import html
import re
import textwrap
from pathlib import Path
from xml.etree import ElementTree

# A word that is no name, such as "session", finds the guides first.
PREFACE = "---\nsearch: {boost: 0.2}\n---\n"
SIGNATURE_COLUMNS = 80
CELL_COLUMNS = 44
INITIALIZER_CHARS = 40
CODE = re.compile(r"(`+)(.+?)\1|\bdocs/[\w/-]+\.md"
                  r"|\b(?:\w+(?:\(\))?(?:::|\.|->))*\w+\(\)|\b\w+(?:::\w+)+"
                  r"|\b[A-Za-z]\w*_\w+|\bk[A-Z]\w+|\b[A-Z]\w*[a-z]\w*[A-Z]\w*")
MARKUP = re.compile(r"[\\*_\[\]#]|^[-+](?= )|(?<=^\d)\.")
SENTENCE = re.compile(r"(?<=[.:])\s+(?=[A-Z`])")
TYPES = ("struct", "class", "concept", "enum")


def flat(node):
    """The text of a node as code, in the project's style."""
    text = " ".join("".join(node.itertext()).split()) if node is not None else ""
    text = re.sub(r"(?<=\w)< | >(?=[>,()&*\s:]|$)", lambda found: found[0].strip(), text)
    text = re.sub(r" ([&*]+)(?=\w)", r"\1 ", text)
    return re.sub(r" ([&*]+|\.\.\.)(?=[,)>]|$)", r"\1", text)


class Prose:
    """Markdown of descriptions. Names in them are code; those of the reference are links."""

    def __init__(self, places):
        self.places = places  # name → [(page, anchor)]
        self.types = set()  # the names of types: other words may be names of FIX
        self.owner = ""  # the type whose members are described

    def text(self, text, page):
        parts, at = [], 0
        for found in CODE.finditer(text):
            parts.append(self.plain(text[at:found.start()]))
            name = found[2] or found[0]
            is_word = name.isalnum() and name[0].isupper() and not found[2]
            parts.append(name if is_word and name not in self.types else self.link(name, page))
            at = found.end()
        return "".join(parts) + self.plain(text[at:])

    @staticmethod
    def plain(text):
        return MARKUP.sub(r"\\\g<0>", html.escape(text, False)).replace("|", "&#124;")

    def link(self, name, page):
        if name.endswith(".md"):
            return f"[{name}]({'../' * (page.count('/') + 2)}{name.removeprefix('docs/')})"
        code = f"`{name}`" if "`" not in name else html.escape(name)
        called = name.removesuffix("()")
        while called not in self.places and "::" in called:  # the names of namespaces
            called = called.partition("::")[2]
        places = self.places.get(f"{self.owner}::{called}") or self.places.get(called, [])
        room = page.partition("/")[0] + "/"
        for near in (page, room, ""):
            if found := [place for place in places if place[0].startswith(near)]:
                if len(found) > 1:
                    break  # several names that are equally near
                to = "" if found[0][0] == page else "../" * page.count("/") + found[0][0]
                return f"[{code}]({to}#{found[0][1]})"
        return code

    def blocks(self, node, page):
        """The paragraphs, lists and code of a description."""
        blocks = []
        for part in ("briefdescription", "detaileddescription"):
            for para in node.findall(f"{part}/para"):
                blocks += self.paragraph(para, page)
        return blocks

    def paragraph(self, para, page):
        blocks, text = [], para.text or ""

        def end():
            nonlocal text
            if text.strip():
                blocks.append(self.text(" ".join(text.split()), page))
            text = ""

        for child in para:
            if child.tag == "programlisting":
                end()
                blocks.append(self.code(child))
            elif child.tag in ("itemizedlist", "orderedlist"):
                end()
                mark = "1." if child.tag == "orderedlist" else "-"
                items = [" ".join("".join(item.itertext()).split())
                         for item in child.findall("listitem")]
                blocks.append("\n".join(f"{mark} {self.text(item, page)}" for item in items))
            elif child.tag == "computeroutput":
                text += f"`{''.join(child.itertext())}`"
            else:
                text += "".join(child.itertext())
            text += child.tail or ""
        end()
        return blocks

    @staticmethod
    def code(listing):
        for space in listing.iter("sp"):
            space.text = " "
        first, *more = ("".join(line.itertext()) for line in listing.findall("codeline"))
        more = "\n".join(line.rstrip() for line in more)  # the first line stands after @code
        text = f"{first.strip()}\n{textwrap.dedent(more)}"
        return f"```{'cpp' if re.search('[;{}]( *//|$)', text, re.M) else 'text'}\n{text}\n```"

    def cell(self, node, page):
        blocks = [" ".join(block.split()) for block in self.blocks(node, page)]
        return "<br>".join(blocks)


def is_described(node):
    return any("".join(node.find(part).itertext()).strip()
               for part in ("briefdescription", "detaileddescription"))


def template(node):
    parameters = node.find("templateparamlist")
    if parameters is None:
        return ""
    texts = []
    for parameter in parameters.findall("param"):
        text = flat(parameter.find("type"))
        if (name := parameter.findtext("declname")) is not None:
            text += " " + name
        if (default := flat(parameter.find("defval"))) != "":
            text += " = " + default
        texts.append(text)
    line = f"template <{', '.join(texts)}>\n"
    if condition := flat(node.find("requiresclause")):
        line += f"  requires {condition}\n"
    return line


def wrapped(line):
    """A declaration, with a parameter a line if it is long."""
    opened = line.find("(")
    if len(line) <= SIGNATURE_COLUMNS or opened < 0:
        return line
    depth, parameters, begin = 0, [], opened + 1
    for at in range(opened, len(line)):
        depth += (line[at] in "(<{[") - (line[at] in ")>}]" and line[at - 1:at + 1] != "->")
        if depth == 0 or (depth == 1 and line[at] == ","):
            parameters.append(line[begin:at].strip())
            begin = at + 1
            if depth == 0:
                break
    return line[:opened] + "(\n    " + ",\n    ".join(parameters) + line[begin - 1:]


def signature(member):
    """The declaration of a function, a type or a constant."""
    kind, name = member.get("kind"), member.findtext("name")
    declared = flat(member.find("type"))
    if kind == "typedef":
        return f"{template(member)}using {name} = {declared};"
    words = [word for word, is_said in (
        ("friend", kind == "friend" and not declared.startswith("friend")),
        ("static", member.get("static") == "yes"),
        ("explicit", member.get("explicit") == "yes"),
        ("virtual", member.get("virt") == "virtual")) if is_said]
    arguments = member.find("argsstring")
    text = " ".join([*words, declared, name]).replace("  ", " ").strip()
    if kind == "variable":
        initial = flat(member.find("initializer"))
        text += f" {initial}" if len(initial) <= INITIALIZER_CHARS else ""
    text = wrapped(text + re.sub(r"(?<=[\w\])])=(?=\S)", " = ", flat(arguments)))
    return f"{template(member)}{text};"


class Reference:
    def __init__(self, xml):
        self.compounds = {}
        for path in sorted(Path(xml).glob("*.xml")):
            root = ElementTree.parse(path).getroot()
            for compound in root.findall("compounddef"):
                self.compounds[compound.get("id")] = compound
        self.headers = {}  # "wire/edit.hpp" → [(line, node)]
        self.about = {}  # "wire/edit.hpp" → the description of the file
        self.places = {}
        self.prose = Prose(self.places)
        for compound in self.compounds.values():
            self.sort_in(compound)

    def sort_in(self, compound):
        kind, name = compound.get("kind"), compound.findtext("compoundname")
        if kind == "file":
            header = self.header(compound)
            self.about[header] = compound
            self.headers.setdefault(header, [])
        elif kind == "namespace" and name.startswith("nexusfix"):
            for member in compound.findall("sectiondef/memberdef"):
                self.add(member)
        elif kind in TYPES and name.startswith("nexusfix") and "<" not in name:
            if compound.get("prot", "public") == "public" and self.is_outer(name):
                self.add(compound)

    def is_outer(self, name):
        """Whether the type lies in a namespace; a type within a type is shown with that."""
        outer = name.rpartition("::")[0]
        return any(c.findtext("compoundname") == outer and c.get("kind") == "namespace"
                   for c in self.compounds.values())

    @staticmethod
    def header(node):
        return node.find("location").get("file").removeprefix("nexusfix/")

    def add(self, node):
        if node.find("location") is None:
            return
        header = self.header(node)
        line = int(node.find("location").get("line"))
        self.headers.setdefault(header, []).append((line, node))
        name = self.short(node)
        if node.get("kind") in (*TYPES, "typedef"):
            self.prose.types.add(name)
        for full in (name, *(f"{name}::{member.findtext('name')}"
                             for member in self.members(node))):
            place = (page_of(header), anchor_of(full))
            if place not in self.places.setdefault(full, []):
                self.places[full].append(place)

    @staticmethod
    def short(node):
        return (node.findtext("compoundname") or node.findtext("name")).rpartition("::")[2]

    @staticmethod
    def members(node):
        """The public members, but no destructors and deleted functions without a comment."""
        found = [member for member in node.findall("sectiondef/memberdef")
                 if member.get("prot") == "public" and member.findtext("type") != "class"
                 and (is_described(member) or not re.search(
                     "^~|=delete$", member.findtext("name") + member.findtext("argsstring", "")))]
        return sorted(found, key=lambda member: int(member.find("location").get("line")))


def page_of(header):
    """The page of a header; a room's own header is the index of the room."""
    name = header.removesuffix(".hpp")
    return name + ".md" if "/" in name else name + "/README.md"


def anchor_of(name):
    return re.sub(r"[^\w-]", lambda found: f"{ord(found[0]):x}", name.replace("::", "-"))


class Page:
    """The page of one header."""

    def __init__(self, reference, header):
        self.reference = reference
        self.prose = reference.prose
        self.header = header
        self.name = page_of(header)
        self.out = []
        self.anchors = set()

    def heading(self, level, name, title=None):
        anchor = anchor_of(name)
        while anchor in self.anchors:
            anchor += "-"
        self.anchors.add(anchor)
        title = MARKUP.sub(r"\\\g<0>", html.escape(title or name, False))
        self.out.append(f"{'#' * level} {title} {{ #{anchor} }}")

    def code(self, *texts):
        self.out.append("\n".join(["```cpp", *texts, "```"]))

    def describe(self, node):
        blocks = self.prose.blocks(node, self.name)
        if len(blocks) == 1 and re.match("[a-z]+ ", blocks[0]):  # a few words after a declaration
            blocks = [blocks[0][0].upper() + blocks[0][1:].rstrip(".") + "."]
        self.out += blocks

    def text(self):
        about = self.reference.about[self.header]
        self.out = [f"{PREFACE}# {self.header}"]
        self.code(f"#include <nexusfix/{self.header}>")
        self.describe(about)
        self.show_all()
        return "\n\n".join(self.out) + "\n"

    def show_all(self):
        nodes = [node for _, node in sorted(self.reference.headers[self.header],
                                            key=lambda entry: entry[0])]
        self.show(nodes, 2, "")
        return self.out

    def show(self, nodes, level, owner):
        """Types and functions in the order of the header, the values in tables before them."""
        self.prose.owner = owner
        values = [node for node in nodes if node.get("kind") == "variable"]
        if values:
            self.table(values, level, owner)
        done = set()
        for node in nodes:
            self.prose.owner = owner
            name = self.reference.short(node)
            if name in done or node in values or name.startswith("@"):
                continue
            full = f"{owner}::{name}" if owner else name
            kind = node.get("kind")
            if kind == "enum":
                self.heading(level, full)
                self.enumeration(node, full)
            elif kind in TYPES:
                self.heading(level, full)
                self.type(node, full)
            else:  # functions of one name together
                done.add(name)
                self.heading(level, full)
                for same in nodes:
                    if self.reference.short(same) == name and same.get("kind") == kind:
                        self.code(signature(same))
                        self.describe(same)

    def type(self, node, full):
        if node.get("kind") == "concept":
            condition = "".join(node.find("initializer").itertext())
            condition = " ".join(condition.partition("=")[2].split())
            self.code(f"{template(node)}concept {full} =\n    "
                      + re.sub(r" (\|\||&&) ", r" \1\n    ", condition) + ";")
            self.describe(node)
            return
        bases = ", ".join(flat(base) for base in node.findall("basecompoundref"))
        self.code(f"{template(node)}{node.get('kind')} {full}{' : ' + bases if bases else ''};")
        self.prose.owner = full
        self.describe(node)
        inner = [self.reference.compounds[ref.get("refid")] for ref in node.findall("innerclass")
                 if ref.get("prot") == "public"]
        self.show([*(c for c in inner if "<" not in c.findtext("compoundname")),
                   *self.reference.members(node)], 3, full)

    def enumeration(self, node, name):
        base = flat(node.find("type"))
        self.code(f"enum {'class ' if node.get('strong') == 'yes' else ''}{name}"
                  f"{' : ' + base if base else ''};")
        self.describe(node)
        values = node.findall("enumvalue")
        if not any(is_described(value) for value in values):
            self.out.append(", ".join(f"`{value.findtext('name')}`" for value in values))
            return
        rows = [self.row(name, value, "") for value in values]
        self.out.append("\n".join(["| value | meaning |", "|---|---|", *rows]))

    def table(self, values, level, owner):
        if level == 2:
            self.heading(2, "Constants")
        rows = [self.row(owner, value, flat(value.find("type")).removeprefix("constexpr "))
                for value in values]
        what = "constant" if level == 2 else "member"
        self.out.append("\n".join([f"| {what} | meaning |", "|---|---|", *rows]))

    def row(self, owner, value, declared):
        name = value.findtext("name")
        initial = flat(value.find("initializer"))
        if arguments := flat(value.find("argsstring")):  # a pointer to a function, an array
            declared, name = "", f"{declared} {name}{arguments}".replace("(* ", " (*")
        text = f"{name} {initial}".strip() if len(initial) <= INITIALIZER_CHARS else name
        is_long = len(declared) + len(text) > CELL_COLUMNS
        texts = [declared, text] if declared and is_long else [f"{declared} {text}".strip()]
        cell = "<br>".join(f"`{text}`" for text in texts).replace("|", "\\|")
        anchor = anchor_of("::".join(filter(None, (owner, value.findtext("name")))))
        anchor = f'<a id="{anchor}"></a>'
        # The style sheet breaks no line of code after the anchor.
        cell = cell + anchor if len(text) > SIGNATURE_COLUMNS // 2 else anchor + cell
        return f"| {cell} | {self.prose.cell(value, self.name)} |"


def room_of(header):
    """The room of a header; the header nexusfix/wire.hpp is the index of room wire."""
    return header.partition("/")[0].removesuffix(".hpp")


def first_sentence(prose, node, page):
    blocks = prose.blocks(node, page)
    return SENTENCE.split(blocks[0])[0] if blocks else ""


def room_index(reference, room, headers):
    """A room: what its own header says and declares, and its other headers with their types."""
    index = f"{room}/README.md"
    out = [f"{PREFACE}# nexusfix" + (f"::{room}" if room != "base" else "")]
    if f"{room}.hpp" in reference.about:
        out.append(f"```cpp\n#include <nexusfix/{room}.hpp>\n```")
        out += reference.prose.blocks(reference.about[f"{room}.hpp"], index)
    rows = []
    for header in headers:
        page = page_of(header).removeprefix(room + "/")
        about = first_sentence(reference.prose, reference.about[header], index)
        rows.append(f"| [{header}]({page}) | {about} |")
    if rows:
        out.append("\n".join(["| header | what it declares |", "|---|---|", *rows]))
    if f"{room}.hpp" in reference.headers:
        out += Page(reference, f"{room}.hpp").show_all()
    return "\n\n".join(out) + "\n"


def write(xml, folder):
    """Writes the pages. Returns the navigation: (title, path) of each room's index and headers."""
    reference = Reference(xml)
    rooms = {}
    for header in sorted(reference.headers):
        rooms.setdefault(room_of(header), []).append(header)
    navigation = []
    for room, headers in rooms.items():
        own = [header for header in headers if header != f"{room}.hpp"]
        (folder / room).mkdir(parents=True, exist_ok=True)
        index = room_index(reference, room, own)
        (folder / room / "README.md").write_text(index, encoding="utf-8")
        entries = []
        for header in own:
            page = folder / page_of(header)
            page.parent.mkdir(parents=True, exist_ok=True)
            page.write_text(Page(reference, header).text(), encoding="utf-8")
            entries.append((header.removeprefix(room + "/"), page_of(header)))
        navigation.append((room, f"{room}/README.md", entries))
    return navigation
