#!/usr/bin/env python3
"""Makes this folder's dictionary files from public facts.

The facts (tags, names, types, enumerations, what each message holds) are read from the data
dictionaries inside QuickFIX/J's message artefacts, fetched by Maven from wherever it is configured
to look. What is written is the facts alone, in the QuickFIX XML form, in our own order and layout:
fields by tag, components by name, messages by MsgType, members in the order of the standard.

    make_dictionaries.py [--jars FOLDER] [--out FOLDER] [--check]

--jars   a folder that already holds quickfixj-messages-<version>-2.3.2.jar; without it Maven
         fetches them into a temporary folder.
--check  writes nothing; fails if a file differs from what would be written.

The same jars give the same bytes.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
import zipfile
from xml.sax.saxutils import quoteattr

RELEASE = "2.3.2"
GROUP = "org.quickfixj"

# Our file's name -> (artefact, file in the artefact, attributes of the root element).
VERSIONS = {
    "FIX40": ("fix40", "FIX40.xml", {"type": "FIX", "major": "4", "minor": "0"}),
    "FIX41": ("fix41", "FIX41.xml", {"type": "FIX", "major": "4", "minor": "1"}),
    "FIX42": ("fix42", "FIX42.xml", {"type": "FIX", "major": "4", "minor": "2"}),
    "FIX43": ("fix43", "FIX43.xml", {"type": "FIX", "major": "4", "minor": "3"}),
    "FIX44": ("fix44", "FIX44.xml", {"type": "FIX", "major": "4", "minor": "4"}),
    "FIX50": ("fix50", "FIX50.xml", {"type": "FIX", "major": "5", "minor": "0"}),
    "FIX50SP1": ("fix50sp1", "FIX50SP1.xml", {"type": "FIX", "major": "5", "minor": "0"}),
    "FIX50SP2": ("fix50sp2", "FIX50SP2.xml", {"type": "FIX", "major": "5", "minor": "0"}),
    "FIXT11": ("fixt11", "FIXT11.xml", {"type": "FIXT", "major": "1", "minor": "1"}),
}

NAME_LENGTH_MAX = 60
FILLER_WORDS = set("A AN AND AS AT BE BY FOR FROM IF IN IS IT OF ON OR OUT SUCH THAT THE THIS TO "
                   "WHEN WHERE WHICH WITH".split())

# (tag, value) whose name the facts of FIX 4.1 and 4.2 cut to one letter: the name of FIX 4.4.
CUT_NAMES = {("54", "7"): "UNDISCLOSED", ("373", "11"): "INVALID_MSGTYPE"}

# Two spellings of one type.
TYPE_NAMES = {"MONTH-YEAR": "MONTHYEAR", "DAY-OF-MONTH": "DAYOFMONTH", "UTCDATE": "UTCDATEONLY"}


def fetch(artefact, folder):
    """Lets Maven copy one artefact into the folder."""
    subprocess.run(
        ["mvn", "-q", "-B", "dependency:copy", f"-DoutputDirectory={folder}",
         f"-Dartifact={GROUP}:quickfixj-messages-{artefact}:{RELEASE}"],
        check=True)


def read_facts(folder, artefact, name):
    path = pathlib.Path(folder) / f"quickfixj-messages-{artefact}-{RELEASE}.jar"
    if not path.exists():
        raise FileNotFoundError(f"{path} is missing: run without --jars to fetch it")
    with zipfile.ZipFile(path) as jar:
        return ElementTree.fromstring(jar.read(name))


def value_name(text):
    """An enumeration value's short name in UPPER_SNAKE. What is longer than a name is a sentence:
    it is cut behind its last whole word that carries meaning."""
    name = re.sub(r"[^A-Za-z0-9]+", "_", text).strip("_").upper()
    if len(name) <= NAME_LENGTH_MAX:
        return name
    words = name[:NAME_LENGTH_MAX + 1].split("_")[:-1]
    while words[-1] in FILLER_WORDS:
        words.pop()
    return "_".join(words)


def attributes(pairs):
    return "".join(f" {key}={quoteattr(value)}" for key, value in pairs)


class Writer:
    def __init__(self):
        self.lines = []

    def line(self, depth, text):
        self.lines.append("  " * depth + text)

    def element(self, depth, tag, pairs, children):
        """children: a list of functions of the depth; an element without any closes itself."""
        if not children:
            self.line(depth, f"<{tag}{attributes(pairs)}/>")
            return
        self.line(depth, f"<{tag}{attributes(pairs)}>")
        for child in children:
            child(depth + 1)
        self.line(depth, f"</{tag}>")

    def members(self, depth, tag, pairs, parent):
        self.element(depth, tag, pairs, [lambda d, m=m: self.member(d, m) for m in parent])

    def member(self, depth, member):
        required = "Y" if member.get("required", "N") == "Y" else "N"
        pairs = [("name", member.get("name")), ("required", required)]
        if member.tag not in ("field", "component", "group"):
            raise ValueError(f"unexpected element <{member.tag}> {member.attrib}")
        self.members(depth, member.tag, pairs, member if member.tag == "group" else [])


def by_msg_type(message):
    msg_type = message.get("msgtype")
    return (len(msg_type), msg_type)


def unique_values(field):
    """Value and name of each enumeration value, sorted; the first name of a value wins, and two
    values never share a name."""
    names = {}
    for value in field.findall("value"):
        name = value_name(value.get("description"))
        if len(name) == 1:
            name = CUT_NAMES.get((field.get("number"), value.get("enum")), name)
        names.setdefault(value.get("enum"), name)
    taken = set()
    for value in sorted(names, key=lambda text: (len(text), text)):
        name = names[value]
        if name in taken:
            name = f"{name}_{value_name(value)}"
        taken.add(name)
        yield value, name


def write_field(writer, depth, field):
    kind = TYPE_NAMES.get(field.get("type"), field.get("type"))
    pairs = [("number", field.get("number")), ("name", field.get("name")), ("type", kind)]
    if field.get("allowOtherValues") in ("Y", "true"):
        pairs.append(("allowOtherValues", "Y"))
    values = [
        lambda d, v=v: writer.line(
            d, f"<value{attributes([('enum', v[0]), ('description', v[1])])}/>")
        for v in unique_values(field)
    ]
    writer.element(depth, "field", pairs, values)


def render(name, facts, root):
    service_pack = {"FIX50SP1": "1", "FIX50SP2": "2"}.get(name, "0")
    pairs = list(root.items()) + [("servicepack", service_pack)]
    writer = Writer()
    writer.line(0, '<?xml version="1.0" encoding="UTF-8"?>')
    writer.line(0, f"<!-- {name}, written by make_dictionaries.py. Copy it and edit the copy. -->")
    writer.line(0, f"<fix{attributes(pairs)}>")
    writer.members(1, "header", [], facts.find("header"))
    writer.members(1, "trailer", [], facts.find("trailer"))
    writer.line(1, "<messages>")
    for message in sorted(facts.find("messages"), key=by_msg_type):
        pairs = [(key, message.get(key)) for key in ("name", "msgtype", "msgcat")]
        writer.members(2, "message", pairs, message)
    writer.line(1, "</messages>")
    components = facts.find("components")
    components = sorted([] if components is None else components, key=lambda c: c.get("name"))
    writer.element(1, "components", [], [
        lambda d, c=c: writer.members(d, "component", [("name", c.get("name"))], c)
        for c in components
    ])
    writer.line(1, "<fields>")
    for field in sorted(facts.find("fields"), key=lambda f: int(f.get("number"))):
        write_field(writer, 2, field)
    writer.line(1, "</fields>")
    writer.line(0, "</fix>")
    return "\n".join(writer.lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--jars", help="folder with the artefacts; default: fetched by Maven")
    parser.add_argument("--out", default=pathlib.Path(__file__).parent, type=pathlib.Path)
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    options = parser.parse_args()
    different = []
    with tempfile.TemporaryDirectory() as temporary:
        for name, (artefact, file, root) in VERSIONS.items():
            if not options.jars:
                fetch(artefact, temporary)
            text = render(name, read_facts(options.jars or temporary, artefact, file), root)
            path = options.out / f"{name}.xml"
            if not options.check:
                path.write_text(text, encoding="utf-8")
            elif not path.exists() or path.read_text(encoding="utf-8") != text:
                different.append(path.name)
    if different:
        print("differs from the facts: " + ", ".join(different), file=sys.stderr)
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
