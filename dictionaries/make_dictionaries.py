#!/usr/bin/env python3
"""Makes this folder's dictionary files from public facts.

The facts (tags, names, types, enumerations, what each message holds) are read from the data
dictionaries inside QuickFIX/J's message artefacts and, for FIX 5.0 SP2 with its extension packs,
from the FIX Trading Community's Orchestra artefact, both fetched by Maven from wherever it is
configured to look; enumeration values that the first lack, from QuickFIX's source package, fetched
by pip. CORRECTIONS mends what else the first have wrong. What is written is the facts alone, in the
QuickFIX XML form, in our own order and layout: fields by tag, components by name, messages by
MsgType, members in the order of the standard.

    make_dictionaries.py [--jars FOLDER] [--out FOLDER] [--check]

--jars   a folder that already holds quickfixj-messages-<version>-2.3.2.jar, fix-standard-1.5.4.jar
         and quickfix-1.16.0.tar.gz; without it they are fetched into a temporary folder.
--check  writes nothing; fails if a file differs from what would be written.

The same jars give the same bytes.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import xml.etree.ElementTree as ElementTree
import zipfile
from xml.sax.saxutils import quoteattr

RELEASE = "2.3.2"
ORCHESTRA = ("io.fixprotocol.orchestrations", "fix-standard", "1.5.4")
ORCHESTRA_FILE = "OrchestraFIXLatest.xml"
QUICKFIX = "quickfix-1.16.0"

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


def quickfixj(artefact):
    return ("org.quickfixj", f"quickfixj-messages-{artefact}", RELEASE)


def fetch(artefact, folder):
    """Lets Maven copy one artefact into the folder."""
    subprocess.run(
        ["mvn", "-q", "-B", "dependency:copy", f"-DoutputDirectory={folder}",
         f"-Dartifact={':'.join(artefact)}"],
        check=True)


def fetch_all(folder):
    for artefact in [quickfixj(version[0]) for version in VERSIONS.values()] + [ORCHESTRA]:
        fetch(artefact, folder)
    subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary",
                    ":all:", "-d", folder, QUICKFIX.replace("-", "==")], check=True)


def read_quickfix(folder, file):
    with tarfile.open(pathlib.Path(folder) / f"{QUICKFIX}.tar.gz") as archive:
        return ElementTree.parse(archive.extractfile(f"{QUICKFIX}/spec/{file}")).getroot()


def read_facts(folder, artefact, name):
    path = pathlib.Path(folder) / f"{artefact[1]}-{artefact[2]}.jar"
    if not path.exists():
        raise FileNotFoundError(f"{path} is missing: run without --jars to fetch it")
    with zipfile.ZipFile(path) as jar:
        return ElementTree.fromstring(jar.read(name))


def holder(facts, kind, name):
    """The component of a name, or the message of a MsgType."""
    section, key = {"component": ("components", "name"), "message": ("messages", "msgtype")}[kind]
    return next(item for item in facts.find(section) if item.get(key) == name)


def member(name, kind="field", children=()):
    element = ElementTree.Element(kind, {"name": name, "required": "N"})
    element.extend(member(child) for child in children)
    return element


def place_of(parent, name):
    return next(i for i, item in enumerate(parent) if item.get("name") == name)


def insert_after(kind, holder_name, before, *names):
    def correct(facts):
        parent = holder(facts, kind, holder_name)
        at = place_of(parent, before) + 1
        parent[at:at] = [member(name) for name in names]
    return correct


def set_required(flag, kind, name, *paths):
    def correct(facts):
        for path in paths:
            item = holder(facts, kind, name)
            for step in path.split("/"):
                item = item[place_of(item, step)]
            item.set("required", flag)
    return correct


def optional(msg_type, *paths):
    """Required under a condition is not required."""
    return set_required("N", "message", msg_type, *paths)


def required(msg_type, *paths):
    """As QuickFIX has it, and all sources for the versions before and behind."""
    return set_required("Y", "message", msg_type, *paths)


ALLOCATION_CONDITIONS = optional("J", "NoOrders", "NoOrders/ClOrdID", "NoAllocs",
                                 "NoAllocs/AllocAccount")


def make_group(kind, holder_path, field, *children):
    """A field that counts a group's entries becomes that group; children that stand behind it
    already go into it."""
    def correct(facts):
        name, *groups = holder_path.split("/")
        parent = holder(facts, kind, name)
        for group in groups:
            parent = parent[place_of(parent, group)]
        for child in children:
            for item in [item for item in parent if item.get("name") == child]:
                parent.remove(item)
        parent[place_of(parent, field)] = member(field, "group", children)
    return correct


def move_into_group(msg_type, group, last):
    """The members of a message from behind the group to the last one go into the group."""
    def correct(facts):
        message = holder(facts, "message", msg_type)
        begin = place_of(message, group) + 1
        end = place_of(message, last) + 1
        moved = message[begin:end]
        message[begin:end] = []
        message[begin - 1].extend(moved)
    return correct


def drop_from_groups_with(component, *names):
    """What a component holds already is not held by the group around it once more."""
    def correct(facts):
        for group in facts.iter("group"):
            if any(item.get("name") == component for item in group):
                for item in [item for item in group if item.get("name") in names]:
                    group.remove(item)
    return correct


def set_type(tag, kind):
    def correct(facts):
        next(item for item in facts.find("fields") if item.get("number") == tag).set("type", kind)
    return correct


def other_values(*tags):
    """Fields whose enumeration came late: values of before, agreed on bilaterally, stay right."""
    def correct(facts):
        for field in facts.find("fields"):
            if field.get("number") in tags:
                field.set("allowOtherValues", "Y")
    return correct


def add_xml_message(facts):
    """XMLnonFIX has no fields of its own: its payload stands in the header."""
    ElementTree.SubElement(facts.find("messages"), "message",
                           {"name": "XMLnonFIX", "msgtype": "n", "msgcat": "app"})


def add_encoding(facts):
    """The standard's spelling, beside QuickFIX/J's."""
    field = next(item for item in facts.find("fields") if item.get("number") == "347")
    ElementTree.SubElement(field, "value", {"enum": "Shift_JIS", "description": "SHIFT_JIS"})


# Against the standard, and against QuickFIX, which has it right.
CORRECTIONS = {
    "FIX41": [insert_after("message", "8", "SettlCurrency",
                           "SettlCurrFxRate", "SettlCurrFxRateCalc"),
              ALLOCATION_CONDITIONS],
    "FIX42": [ALLOCATION_CONDITIONS],
    "FIX43": [
        add_xml_message,
        ALLOCATION_CONDITIONS,
        optional("J", "NoAllocs/AllocQty"),
        required("i", "NoQuoteSets/NoQuoteEntries"),
        required("AB", "NoLegs"),
        required("AC", "NoLegs"),
        required("t", "NoSides/OrigClOrdID"),
        required("u", "NoSides/OrigClOrdID"),
    ],
    "FIX44": [
        add_xml_message,
        set_type("139", "STRING"),  # MiscFeeType and MassCancelRejectReason
        set_type("532", "STRING"),  # have values of two digits
        optional("J", "NoAllocs", "NoAllocs/AllocAccount", "NoAllocs/AllocQty"),
        optional("AS", "NoAllocs", "NoAllocs/AllocAccount", "NoAllocs/AllocQty"),
        set_required("N", "component", "PositionAmountData", "NoPosAmt/PosAmtType",
                     "NoPosAmt/PosAmt"),
        move_into_group("AG", "NoRelatedSym", "Parties"),
        make_group("message", "J/NoAllocs", "NoClearingInstructions", "ClearingInstruction"),
    ],
    "FIX50": [
        add_encoding,
        set_required("Y", "component", "QuotSetGrp", "NoQuoteSets/QuotEntryGrp"),
        insert_after("component", "Instrument", "MaturityTime", "PutOrCall"),
        insert_after("component", "UnderlyingInstrument", "UnderlyingMaturityDate",
                     "UnderlyingPutOrCall"),
        insert_after("component", "InstrumentLeg", "LegInterestAccrualDate", "LegOptionRatio",
                     "LegPrice"),
        drop_from_groups_with("InstrumentLeg", "LegOptionRatio", "LegPrice"),
        make_group("component", "AffectedOrdGrp", "NoAffectedOrders", "OrigClOrdID",
                   "AffectedOrderID", "AffectedSecondaryOrderID"),
        make_group("component", "TrdCapDtGrp", "NoDates", "TradeDate", "LastUpdateTime",
                   "TransactTime"),
    ],
    "FIX50SP1": [other_values("336", "625")],  # TradingSessionID, TradingSessionSubID
    "FIXT11": [add_xml_message],
}


# Where QuickFIX/J's order of members is not the standard's: beside FIX 4.4 and 5.0 SP1, whose order
# all sources agree on, its FIX 5.0 has ten times as many pairs the wrong way round as QuickFIX's.
ORDERED_AS_QUICKFIX = ("FIX43", "FIX50")


def order_as(facts, other):
    """What both hold stands in the other's order; what only the facts hold stays where it is."""
    def tags(of):
        return {field.get("name"): field.get("number") for field in of.find("fields")}

    our_tags, their_tags = tags(facts), tags(other)  # names have several spellings

    def order(ours, theirs):
        places = {their_tags.get(item.get("name"), item.get("name")): i
                  for i, item in enumerate(theirs)}

        def place(item):
            return places.get(our_tags.get(item.get("name"), item.get("name")))

        slots = [i for i, item in enumerate(ours) if place(item) is not None]
        items = sorted((ours[i] for i in slots), key=place)
        for slot, item in zip(slots, items):
            ours[slot] = item
            if item.tag == "group":
                order(item, theirs[place(item)])

    for section, key in (("components", "name"), ("messages", "msgtype")):
        theirs = {item.get(key): item for item in other.find(section)}
        for item in facts.find(section):
            if item.get(key) in theirs:
                order(item, theirs[item.get(key)])


USER_DEFINED_TAG_MIN = 5000
USER_DEFINED_TAG_MAX = 9999


def correct(name, facts):
    for correction in CORRECTIONS.get(name, []):
        correction(facts)
    held = {item.get("name") for kind in ("field", "group") for item in facts.iter(kind)
            if item.get("number") is None}
    fields = facts.find("fields")
    for field in list(fields):
        user_defined = USER_DEFINED_TAG_MIN <= int(field.get("number")) <= USER_DEFINED_TAG_MAX
        if user_defined and field.get("name") not in held:
            fields.remove(field)


# Enumerations that are not complete, since any number is a value, too, or not of values but of words
# for them; and a boolean needs none.
NOT_ENUMERATED = {("27", "S"), ("27", "M"), ("27", "L"), ("166", "ISO Country Code")}


def open_tags(latest):
    """Of the fields whose values, beside those listed, are of another type."""
    prefix = latest.tag[:latest.tag.index("}") + 1]
    return {field.get("id") for field in latest.iter(prefix + "field")
            if field.get("unionDataType")}


# Fields of which every version says that further values may be agreed on (100 and above, 1000 and
# above, 4000 and above), or that hold a text for which the list has only codes. The sources mark
# them as open for some versions and list values as if there were no others for the rest.
OPEN_IN_ALL = {
    "22", "305", "456", "459", "603", "606", "761",  # SecurityIDSource and those like it
    "234", "803", "829", "847",
}


def open_enumerations(facts):
    for field in facts.find("fields"):
        if field.get("number") in OPEN_IN_ALL and field.find("value") is not None:
            field.set("allowOtherValues", "Y")


def add_values(facts, more, is_open):
    fields = {field.get("number"): field for field in facts.find("fields")}
    for source in more.find("fields"):
        tag = source.get("number")
        if tag not in fields or fields[tag].get("type") == "BOOLEAN":
            continue
        known = {value.get("enum") for value in fields[tag].findall("value")}
        lacking = [value for value in source.findall("value") if value.get("enum") not in known
                   and (tag, value.get("enum")) not in NOT_ENUMERATED]
        fields[tag].extend(lacking)
        if lacking and not known and tag in is_open:
            fields[tag].set("allowOtherValues", "Y")


SESSION_MESSAGES = set("012345An")
# Types that FIX 5.0 SP2 had not yet, or that say no more about a value than the type they are of.
ORCHESTRA_TYPES = {"LOCALMKTTIME": "STRING", "XID": "STRING", "XIDREF": "STRING",
                   "TENOR": "STRING", "PATTERN": "STRING", "UTCDATE": "UTCDATEONLY"}
# A slip of the pen in the facts, and the name of its Length field beside it.
ORCHESTRA_NAMES = {"2798": "EncodedMatchExceptionText"}


class Orchestra:
    """The messages of the application, from an Orchestra file, in the QuickFIX form: a group
    becomes a component that holds it. Names are those of older facts where these have one."""

    def __init__(self, root, older):
        self.root = root
        self.prefix = root.tag[:root.tag.index("}") + 1]
        self.fields = self.by("fields", "field", "id")
        self.components = self.by("components", "component", "id")
        self.groups = self.by("groups", "group", "id")
        self.messages = self.by("messages", "message", "msgType")
        self.code_sets = self.by("codeSets", "codeSet", "name")
        self.older_fields = {field.get("number"): field for field in older.find("fields")}
        self.older_messages = {m.get("msgtype"): m.get("name") for m in older.find("messages")}
        self.used_fields = {}
        self.used_holders = {}

    def by(self, section, kind, key):
        return {item.get(key): item for item in self.all(self.one(None, section), kind)}

    def one(self, parent, kind):
        return (self.root if parent is None else parent).find(self.prefix + kind)

    def all(self, parent, kind):
        return parent.findall(self.prefix + kind)

    def field_name(self, tag):
        self.used_fields[tag] = self.fields[tag]
        if tag in self.older_fields:
            return self.older_fields[tag].get("name")
        return ORCHESTRA_NAMES.get(tag, self.fields[tag].get("name"))

    def members(self, parent, target):
        for item in parent:
            kind = item.tag[len(self.prefix):]
            if kind == "fieldRef":
                name, shape = self.field_name(item.get("id")), "field"
            elif kind in ("componentRef", "groupRef"):
                holders = self.components if kind == "componentRef" else self.groups
                name, shape = holders[item.get("id")].get("name"), "component"
                if name in ("StandardHeader", "StandardTrailer"):
                    continue
                self.hold(name, kind, holders[item.get("id")])
            else:
                continue
            required = "Y" if item.get("presence") == "required" else "N"
            ElementTree.SubElement(target, shape, {"name": name, "required": required})

    def hold(self, name, kind, source):
        if name in self.used_holders:
            if self.used_holders[name][0] is not source:
                raise ValueError(f"a component and a group are both called {name}")
            return
        component = ElementTree.Element("component", {"name": name})
        self.used_holders[name] = (source, component)
        target = component
        if kind == "groupRef":
            count = self.field_name(self.one(source, "numInGroup").get("id"))
            target = ElementTree.SubElement(component, "group", {"name": count, "required": "Y"})
        self.members(source, target)

    def field(self, tag, source):
        codes = self.code_sets.get(source.get("type"))
        kind = (source.get("type") if codes is None else codes.get("type")).upper()
        field = ElementTree.Element("field", {
            "number": tag, "name": self.field_name(tag), "type": ORCHESTRA_TYPES.get(kind, kind)})
        if source.get("unionDataType"):
            field.set("allowOtherValues", "Y")
        older = self.older_fields.get(tag)
        values = {} if older is None else {
            value.get("enum"): value.get("description") for value in older.findall("value")}
        for code in [] if codes is None else self.all(codes, "code"):
            values.setdefault(code.get("value"), upper_snake(code.get("name")))
        for value, name in values.items():
            ElementTree.SubElement(field, "value", {"enum": value, "description": name})
        return field

    def facts(self):
        facts = ElementTree.Element("fix")
        parts = {name: ElementTree.SubElement(facts, name)
                 for name in ("header", "trailer", "messages", "components", "fields")}
        for msg_type, message in self.messages.items():
            if msg_type in SESSION_MESSAGES:
                continue
            name = self.older_messages.get(msg_type, message.get("name"))
            target = ElementTree.SubElement(parts["messages"], "message", {
                "name": name, "msgtype": msg_type, "msgcat": "app"})
            self.members(self.one(message, "structure"), target)
        parts["components"].extend(component for _, component in self.used_holders.values())
        for tag, source in list(self.used_fields.items()):
            parts["fields"].append(self.field(tag, source))
        return facts


def upper_snake(name):
    """PartialFill is PARTIAL_FILL, GTDOrder is GTD_ORDER."""
    name = re.sub(r"(?<=[a-z])(?=[A-Z0-9])|(?<=[A-Z0-9])(?=[A-Z][a-z])", "_", name)
    return name.upper()


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
        jars = options.jars or temporary
        if not options.jars:
            fetch_all(temporary)
        latest = read_facts(jars, ORCHESTRA, ORCHESTRA_FILE)
        for name, (artefact, file, root) in VERSIONS.items():
            facts = read_facts(jars, quickfixj(artefact), file)
            correct(name, facts)
            quickfix = read_quickfix(jars, file)
            add_values(facts, quickfix, open_tags(latest))
            if name in ORDERED_AS_QUICKFIX:
                order_as(facts, quickfix)
            if name == "FIX50SP2":
                facts = Orchestra(latest, facts).facts()
            open_enumerations(facts)
            text = render(name, facts, root)
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
