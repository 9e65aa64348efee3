#!/usr/bin/env python3
"""Makes this folder's dictionary files from public facts.

The facts (tags, names, types, enumerations, the members of each message) come from sources.py:
QuickFIX/J's for all versions but FIX 5.0 SP2, which with its extension packs is the FIX Trading
Community's. Enumeration values that QuickFIX/J lacks are QuickFIX's. CORRECTIONS corrects other errors
of QuickFIX/J, and other_values.py names the incomplete enumerations. The files have only the facts, in
the QuickFIX XML form, in our own order and layout: fields by tag, components by name, messages by
MsgType, members in the order of the standard.

    make_dictionaries.py [--jars FOLDER] [--out FOLDER] [--check]

--jars   a folder with the files that sources.py fetches; without it they are fetched into a
         temporary folder.
--check  writes nothing; fails if a file differs from the result.

The same sources give the same bytes.
"""

import argparse
import pathlib
import re
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from xml.sax.saxutils import quoteattr

import sources
from orchestra_facts import Orchestra
from other_values import open_enumerations

# Our file's name -> attributes of the root element.
VERSIONS = {
    "FIX40": {"type": "FIX", "major": "4", "minor": "0"},
    "FIX41": {"type": "FIX", "major": "4", "minor": "1"},
    "FIX42": {"type": "FIX", "major": "4", "minor": "2"},
    "FIX43": {"type": "FIX", "major": "4", "minor": "3"},
    "FIX44": {"type": "FIX", "major": "4", "minor": "4"},
    "FIX50": {"type": "FIX", "major": "5", "minor": "0"},
    "FIX50SP1": {"type": "FIX", "major": "5", "minor": "0"},
    "FIX50SP2": {"type": "FIX", "major": "5", "minor": "0"},
    "FIXT11": {"type": "FIXT", "major": "1", "minor": "1"},
}

NAME_LENGTH_MAX = 60
FILLER_WORDS = set("A AN AND AS AT BE BY FOR FROM IF IN IS IT OF ON OR OUT SUCH THAT THE THIS TO "
                   "WHEN WHERE WHICH WITH".split())

# (tag, value) whose name the facts of FIX 4.1 and 4.2 cut to one letter: the name of FIX 4.4.
CUT_NAMES = {("54", "7"): "UNDISCLOSED", ("373", "11"): "INVALID_MSGTYPE"}

# Two spellings of one type.
TYPE_NAMES = {"MONTH-YEAR": "MONTHYEAR", "DAY-OF-MONTH": "DAYOFMONTH", "UTCDATE": "UTCDATEONLY"}


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
    """Makes a conditionally required member optional."""
    return set_required("N", "message", msg_type, *paths)


def required(msg_type, *paths):
    """As in QuickFIX, and in all sources for the versions before and after."""
    return set_required("Y", "message", msg_type, *paths)


ALLOCATION_CONDITIONS = optional("J", "NoOrders", "NoOrders/ClOrdID", "NoAllocs",
                                 "NoAllocs/AllocAccount")


def make_group(kind, holder_path, field, *children):
    """Turns a field that counts a group's entries into that group. Existing members after it move
    into the group."""
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
    """Moves the members of a message after the group, up to the last one, into the group."""
    def correct(facts):
        message = holder(facts, "message", msg_type)
        begin = place_of(message, group) + 1
        end = place_of(message, last) + 1
        moved = message[begin:end]
        message[begin:end] = []
        message[begin - 1].extend(moved)
    return correct


def drop_from_groups_with(component, *names):
    """Removes the members of a component from the group around it."""
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


def add_xml_message(facts):
    """XMLnonFIX has no fields of its own: its payload is in the header."""
    ElementTree.SubElement(facts.find("messages"), "message",
                           {"name": "XMLnonFIX", "msgtype": "n", "msgcat": "app"})


def add_value(tag, value, name):
    def correct(facts):
        field = next(item for item in facts.find("fields") if item.get("number") == tag)
        ElementTree.SubElement(field, "value", {"enum": value, "description": name})
    return correct


# Deviations from the standard, and from QuickFIX, which is correct here.
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
        add_value("495", "999", "OTHER"),
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
        required("BD", "NetworkResponseID"),
        optional("t", "NoSides/OrigClOrdID"),  # which the others do not have there
        add_value("495", "999", "OTHER"),
    ],
    "FIX50": [
        add_value("347", "Shift_JIS", "SHIFT_JIS"),  # the standard's spelling, with QuickFIX/J's
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
    "FIXT11": [add_xml_message],
}


# The versions in which QuickFIX/J's order of members is not the standard's: compared with FIX 4.4 and
# 5.0 SP1, whose order is the same in all sources, its FIX 5.0 has ten times as many swapped pairs as
# QuickFIX's.
ORDERED_AS_QUICKFIX = ("FIX43", "FIX50")


def order_as(facts, other):
    """Puts the members of both into the other's order. Members of the facts alone keep their place."""
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


# Fields whose type in the newest FIX 5.0 SP2 refuses values that the version of 2009 allowed.
TYPES_OF_2009 = {"877": "STRING", "1492": "STRING", "1493": "STRING"}


def take_what_was_right(facts, older):
    """A member that extension packs made required stays optional in a message of the older facts,
    and a member that they removed from a group is still allowed in it."""
    def flat_required(where, members, outer):
        held = {}
        for item in members:
            both = outer and item.get("required") == "Y"
            if item.tag == "component":
                inner = holder(where, "component", item.get("name"))
                for name, is_required in flat_required(where, inner, both).items():
                    held[name] = held.get(name, False) or is_required
            else:
                held[item.get("name")] = held.get(item.get("name"), False) or both
        return held

    for message in facts.find("messages"):
        before = next((item for item in older.find("messages")
                       if item.get("msgtype") == message.get("msgtype")), None)
        if before is None:
            continue
        needed = {name for name, is_needed in flat_required(older, before, True).items()
                  if is_needed}
        for item in message:
            now = flat_required(facts, [item], True)
            surplus = {name for name, is_required in now.items() if is_required} - needed
            if surplus and any(name in needed for name, is_required in now.items() if is_required):
                raise ValueError(f"{message.get('name')} needs a part of {item.get('name')}")
            if surplus:
                item.set("required", "N")

    group = holder(facts, "component", "AffectedOrdGrp")[0]
    group.append(member("OrigClOrdID"))
    group.set("anyFieldBegins", "Y")
    for tag, kind in TYPES_OF_2009.items():
        set_type(tag, kind)(facts)


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


# These are no values but words for several values. A boolean needs no values.
NOT_VALUES = {("27", "0"), ("166", "ISO Country Code"), ("543", "Code")}
# Fields with the enumeration of another field: no source lists the values in each version.
VALUES_OF = {"682": "27"}


def add_values(facts, more):
    fields = {field.get("number"): field for field in facts.find("fields")}
    for source in more.find("fields"):
        tag = source.get("number")
        if tag not in fields or fields[tag].get("type") == "BOOLEAN":
            continue
        known = {value.get("enum") for value in fields[tag].findall("value")}
        fields[tag].extend(value for value in source.findall("value")
                           if value.get("enum") not in known)
    for tag, other in VALUES_OF.items():
        if tag in fields and fields[tag].find("value") is None:
            fields[tag].extend(fields[other].findall("value"))
    for field in fields.values():
        for value in field.findall("value"):
            if (field.get("number"), value.get("enum")) in NOT_VALUES:
                field.remove(value)


def value_name(text):
    """An enumeration value's short name in UPPER_SNAKE. A longer text is a sentence: it is cut after
    its last significant word."""
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
        if member.get("anyFieldBegins"):
            pairs.append(("anyFieldBegins", "Y"))
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
    pairs += [(key, field.get(key)) for key in ("allowOtherValues", "unionDataType")
              if field.get(key)]
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
    parser.add_argument("--jars", type=pathlib.Path, help="folder with the sources; default: fetched")
    parser.add_argument("--out", default=pathlib.Path(__file__).parent, type=pathlib.Path)
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    options = parser.parse_args()
    different = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.jars or pathlib.Path(temporary)
        if not options.jars:
            sources.fetch_all(folder)
        latest = ElementTree.fromstring(sources.orchestra(folder))
        repository = sources.repository(folder)
        for name, root in VERSIONS.items():
            facts = ElementTree.fromstring(sources.quickfixj(folder, name))
            correct(name, facts)
            quickfix = ElementTree.fromstring(sources.quickfix(folder, name))
            add_values(facts, quickfix)
            if name in ORDERED_AS_QUICKFIX:
                order_as(facts, quickfix)
            if name == "FIX50SP2":
                older, facts = facts, Orchestra(latest, facts).facts()
                take_what_was_right(facts, older)
            open_enumerations(name, facts, repository[name])
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
