#!/usr/bin/env python3
"""Writes the modules fix40.py to fixt11.py of the Python package, and their type stubs, of the XML
dictionaries: version_modules.py DICTIONARIES OUTPUT.

A stub has a function for each message, whose keywords are the fields by their types, an entry type
for each group, and an enumeration for each enumerated field. An editor completes all of them.
"""

import keyword
import re
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

VERSIONS = {
    "fix40": "FIX.4.0", "fix41": "FIX.4.1", "fix42": "FIX.4.2", "fix43": "FIX.4.3",
    "fix44": "FIX.4.4", "fix50": "FIX.5.0", "fix50sp1": "FIX.5.0SP1", "fix50sp2": "FIX.5.0SP2",
    "fixt11": "FIXT.1.1"}
DECIMALS = {"AMT", "FLOAT", "PERCENTAGE", "PRICE", "PRICEOFFSET", "QTY"}
INTEGERS = {"DAYOFMONTH", "INT", "LENGTH", "NUMINGROUP", "SEQNUM", "TAGNUM"}
TYPES = {**dict.fromkeys(DECIMALS, "Decimal | int | str"), **dict.fromkeys(INTEGERS, "int | str"),
         "BOOLEAN": "bool | str", "DATA": "bytes | str", "XMLDATA": "bytes | str",
         **dict.fromkeys(("DATE", "LOCALMKTDATE", "UTCDATEONLY"), "date | str"),
         **dict.fromkeys(("TIME", "UTCTIMESTAMP"), "datetime | str"), "UTCTIMEONLY": "time | str",
         **dict.fromkeys(("MULTIPLECHARVALUE", "MULTIPLESTRINGVALUE", "MULTIPLEVALUESTRING"),
                         "str | Sequence[str]")}
COMPUTED = {"BeginString", "BodyLength", "MsgType", "CheckSum"}

MODULE = '''"""Messages and enumerations of {version}: {module}.NewOrderSingle(ClOrdID="A1", ...).

`dictionary` is the dictionary of the version.
"""

from nexusfix.versions import module_functions

__getattr__, __dir__ = module_functions("{version}", globals())
'''
IMPORTS = {"collections.abc": ["Sequence"], "datetime": ["date", "datetime", "time"],
           "decimal": ["Decimal"], "enum": ["IntEnum"], "typing": ["TypedDict", "Unpack"],
           "nexusfix": ["Dictionary", "Message", "TextEnumeration"]}


def imports_of(text):
    """The lines that import what the text names."""
    for module, names in IMPORTS.items():
        used = [name for name in names if re.search(rf"(?<![\w\"]){name}\b(?!\")", text)]
        if used:
            yield f"from {module} import {', '.join(used)}\n"


class Stub:
    """The stub of one version. transport: the dictionary of its header; None: its own."""

    def __init__(self, root, transport):
        self.roots = [root] if transport is None else [root, transport]
        self.components = {c.get("name"): c for r in reversed(self.roots)
                           for c in r.iterfind("components/component")}
        self.fields = {f.get("name"): f for r in reversed(self.roots)
                       for f in r.iterfind("fields/field")}
        self.head = self.roots[-1]
        self.entries = {}  # by their members: the name of the type
        self.lines = []
        self.messages = {m.get("name"): m for r in reversed(self.roots)
                         for m in r.iterfind("messages/message")}

    def is_enumerated(self, field):
        return field.find("value") is not None and field.get("type") != "BOOLEAN"

    def type_of(self, name):
        field = self.fields[name]
        kind = TYPES.get(field.get("type"), "str")
        if not self.is_enumerated(field) or name in self.messages:
            return kind
        return f"{name} | {kind}"

    def members(self, element):
        """The fields and groups below an element, without components, each name once."""
        found = {}
        for child in element:
            if child.tag == "component":
                inner = self.members(self.components[child.get("name")])
                found.update({k: v for k, v in inner.items() if k not in found})
            elif child.get("name") not in found:
                found[child.get("name")] = child
        return found

    def key_lines(self, members):
        for name, child in members.items():
            if name in COMPUTED or keyword.iskeyword(name):
                continue
            kind = f"Sequence[{self.entry_of(child)}]" if child.tag == "group" \
                else self.type_of(name)
            yield f'    "{name}": {kind},'

    def add_type(self, name, members):
        body = list(self.key_lines(members))
        self.lines += [f'{name} = TypedDict("{name}", {{', *body, "}, total=False)"]

    def entry_of(self, group):
        members = self.members(group)
        key = (group.get("name"), tuple(members))
        if key not in self.entries:
            count = sum(1 for name, _ in self.entries if name == group.get("name"))
            self.entries[key] = f"{group.get('name')}Entry{count + 1 if count else ''}"
            self.add_type(self.entries[key], members)
        return self.entries[key]

    def add_enumeration(self, name, field):
        is_number = field.get("type") in INTEGERS and all(
            value.get("enum").lstrip("-").isdigit() for value in field.iterfind("value"))
        self.lines.append(f"class {name}({'IntEnum' if is_number else 'TextEnumeration'}):")
        taken = set()
        for value in field.iterfind("value"):
            label = value.get("description")
            label = label if label.isidentifier() and not keyword.iskeyword(label) \
                else f"_{label}"
            while label in taken:
                label += "_"
            taken.add(label)
            if not label.isidentifier():
                continue
            text = value.get("enum")
            self.lines.append(f"    {label} = {int(text) if is_number else repr(text)}")

    def text(self):
        for name, field in self.fields.items():
            if self.is_enumerated(field) and name not in self.messages:
                self.add_enumeration(name, field)
        around = {}
        for part in ("header", "trailer"):
            around |= self.members(self.head.find(part))
        for name, message in self.messages.items():
            members = self.members(message)
            members |= {k: v for k, v in around.items() if k not in members}
            self.add_type(f"{name}Fields", members)
            self.lines.append(f"def {name}(**fields: Unpack[{name}Fields]) -> Message: ...")
        text = "dictionary: Dictionary\n" + "\n".join(self.lines) + "\n"
        return "".join(imports_of(text)) + "\n" + text


def write_modules(dictionaries, output):
    output.mkdir(parents=True, exist_ok=True)
    roots = {module: ElementTree.parse(dictionaries / f"{module.upper()}.xml").getroot()
             for module in VERSIONS}
    for module, version in VERSIONS.items():
        transport = roots["fixt11"] if module.startswith("fix5") else None
        (output / f"{module}.py").write_text(MODULE.format(version=version, module=module))
        (output / f"{module}.pyi").write_text(Stub(roots[module], transport).text())


if __name__ == "__main__":
    write_modules(Path(sys.argv[1]), Path(sys.argv[2]))
