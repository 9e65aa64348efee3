"""The facts of a dictionary in a comparable form, whatever file they come from: a QuickFIX XML
file, a FIX Orchestra repository, the FIX Trading Community's repository of 2010, or
the compact text that is committed here.

Compact text, one thing a line; a tag is a field, tag(...) a group, @Name a component, ! required:

    header 8! 9! 35! 627(628 629)
    component Parties 453(448! 802(523))
    message D NewOrderSingle 11! @Parties 54!
    field 54 Side CHAR 1 2 5
    field 624 LegSide CHAR =54           the values of 54
    field 27 IOIQty STRING +Qty L M S    listed values, or others of that type; +Any: any other
"""

import re
import sys
import urllib.parse
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field

# Different names of one type.
TYPES = {"UTCDATE": "UTCDATEONLY", "MONTH-YEAR": "MONTHYEAR", "DAY-OF-MONTH": "DAYOFMONTH",
         "QUANTITY": "QTY", "MULTIPLESTRINGVALUE": "MULTIPLEVALUESTRING"}


@dataclass
class Facts:
    # tag -> (name, type, set of values, which others are right: "", "Any" or a type)
    fields: dict = field(default_factory=dict)
    components: dict = field(default_factory=dict)  # name -> members
    messages: dict = field(default_factory=dict)  # MsgType -> (name, members)
    header: list = field(default_factory=list)
    trailer: list = field(default_factory=list)


# A member is (kind, tag or name, required, members of a group).


def type_name(text):
    return TYPES.get(text.upper(), text.upper())


def read_quickfix(root):
    facts = Facts()
    tags = {}
    for item in root.find("fields"):
        tag = int(item.get("number"))
        tags[item.get("name")] = tag
        others = item.get("unionDataType", "Any") if item.get("allowOtherValues") else ""
        facts.fields[tag] = (item.get("name"), type_name(item.get("type")),
                             {value.get("enum") for value in item.iter("value")}, others)

    def members(parent):
        out = []
        for item in [] if parent is None else parent:
            name = item.get("name")
            required = item.get("required", "N") in "Yy"
            if item.tag == "component":
                out.append(("component", name, required, []))
            else:
                out.append((item.tag, tags[name], required, members(item)))
        return out

    components = root.find("components")
    for item in [] if components is None else components:
        facts.components[item.get("name")] = members(item)
    for item in root.find("messages"):
        facts.messages[item.get("msgtype")] = (item.get("name"), members(item))
    facts.header = members(root.find("header"))
    facts.trailer = members(root.find("trailer"))
    return facts


def read_orchestra(root):
    prefix = root.tag[:root.tag.index("}") + 1]

    def section(name, kind, key):
        return {item.get(key): item for item in root.find(prefix + name).findall(prefix + kind)}

    code_sets = section("codeSets", "codeSet", "name")
    components = section("components", "component", "id")
    groups = section("groups", "group", "id")
    facts = Facts()
    for tag, item in section("fields", "field", "id").items():
        codes = code_sets.get(item.get("type"))
        kind = item.get("type") if codes is None else codes.get("type")
        values = {code.get("value") for code in
                  ([] if codes is None else codes.findall(prefix + "code"))}
        facts.fields[int(tag)] = (item.get("name"), type_name(kind), values,
                                  item.get("unionDataType", ""))

    def members(parent):
        out = []
        for item in parent:
            kind, identifier = item.tag[len(prefix):], item.get("id")
            required = item.get("presence") == "required"
            if kind == "fieldRef":
                out.append(("field", int(identifier), required, []))
            elif kind in ("componentRef", "groupRef"):
                holder = (components if kind == "componentRef" else groups)[identifier]
                name = holder.get("name")
                if name not in ("StandardHeader", "StandardTrailer"):
                    out.append(("component", name, required, []))
        return out

    for item in components.values():
        facts.components[item.get("name")] = members(item)
    for item in groups.values():
        count = int(item.find(prefix + "numInGroup").get("id"))
        facts.components[item.get("name")] = [("group", count, True, members(item))]
    for msg_type, item in section("messages", "message", "msgType").items():
        facts.messages[msg_type] = (item.get("name"), members(item.find(prefix + "structure")))
    facts.header = facts.components.pop("StandardHeader", [])
    facts.trailer = facts.components.pop("StandardTrailer", [])
    return facts


def read_repository(version):
    """One version's element of the repository of 2010."""
    facts = Facts()
    listed = {item.get("id"): {value.get("value") for value in item.findall("enum")}
              for item in version.find("fields")}
    for item in version.find("fields"):
        values = listed.get(item.get("enumDatatype"), listed[item.get("id")])
        facts.fields[int(item.get("id"))] = (item.get("name"), type_name(item.get("type")),
                                             values, item.get("unionDataType", ""))

    def members(parent):
        out = []
        for item in parent:
            name, required = item.get("name"), item.get("required") == "1"
            if item.tag == "componentRef":
                if name not in ("StandardHeader", "StandardTrailer"):
                    out.append(("component", name, required, []))
            else:
                kind = "group" if item.tag == "repeatingGroup" else "field"
                out.append((kind, int(item.get("id")), required, members(item)))
        return out

    for item in version.find("components"):
        facts.components[item.get("name")] = members(item)
    for item in version.find("messages"):
        facts.messages[item.get("msgType")] = (item.get("name"), members(item))
    facts.header = facts.components.pop("StandardHeader", [])
    facts.trailer = facts.components.pop("StandardTrailer", [])
    return facts


def read_xml(text):
    root = ElementTree.fromstring(text)
    return read_quickfix(root) if root.tag == "fix" else read_orchestra(root)


def quoted(text):
    return urllib.parse.quote(text, safe="?:/*")


def write_members(members):
    words = []
    for kind, name, required, children in members:
        word = f"@{name}" if kind == "component" else str(name)
        if kind == "group":
            word += f"({write_members(children)})"
        words.append(word + ("!" if required else ""))
    return " ".join(words)


def write(facts):
    lines = [f"header {write_members(facts.header)}", f"trailer {write_members(facts.trailer)}"]
    for name, members in sorted(facts.components.items()):
        lines.append(f"component {name} {write_members(members)}")
    for msg_type, (name, members) in sorted(facts.messages.items()):
        lines.append(f"message {msg_type} {name} {write_members(members)}")
    first = {}
    for tag, (name, kind, values, others) in sorted(facts.fields.items()):
        like = first.setdefault(frozenset(values), tag)
        words = [f"={like}"] if like != tag and len(values) > 1 else map(quoted, sorted(values))
        lines.append(" ".join([f"field {tag} {name} {kind}", *([f"+{others}"] if others else []),
                               *words]))
    return "".join(line.rstrip() + "\n" for line in lines)


def parse_members(words):
    """Takes words from the front until the group ends."""
    members = []
    while words and words[0] != ")":
        word = words.pop(0)
        if word.startswith("@"):
            kind, name, children = "component", word[1:], []
        elif words and words[0] == "(":
            words.pop(0)
            kind, name, children = "group", int(word), parse_members(words)
            words.pop(0)
        else:
            kind, name, children = "field", int(word), []
        required = bool(words) and words[0] == "!"
        if required:
            words.pop(0)
        members.append((kind, name, required, children))
    return members


def read(text):
    facts = Facts()
    for line in text.splitlines():
        kind, _, rest = line.partition(" ")
        if kind == "#" or not line:
            continue
        if kind == "field":
            tag, name, field_type, *values = rest.split()
            others = values.pop(0)[1:] if values and values[0].startswith("+") else ""
            like = values[0][1:] if values and values[0].startswith("=") else ""
            facts.fields[int(tag)] = (name, field_type, facts.fields[int(like)][2] if like.isdigit()
                                      else set(map(urllib.parse.unquote, values)), others)
            continue
        heads = {"header": 0, "trailer": 0, "component": 1, "message": 2}[kind]
        head = rest.split(" ", heads)
        members = parse_members(re.findall(r"[()!]|[^\s()!]+", head[heads]
                                           if len(head) > heads else ""))
        if kind == "header":
            facts.header = members
        elif kind == "trailer":
            facts.trailer = members
        elif kind == "component":
            facts.components[head[0]] = members
        else:
            facts.messages[head[0]] = (head[1], members)
    return facts


def flatten(facts, members, required=True):
    """tag -> (required, None or what the group's entries hold); a tag's first place counts."""
    out = {}
    for kind, name, is_required, children in members:
        both = required and is_required
        if kind == "component":
            for tag, held in flatten(facts, facts.components[name], both).items():
                out.setdefault(tag, held)
        else:
            out.setdefault(name, (both, flatten(facts, children) if kind == "group" else None))
    return out


def member_differences(ours, theirs, where):
    for tag in sorted(ours.keys() - theirs.keys()):
        yield f"{where} {tag} only-ours"
    for tag in sorted(theirs.keys() - ours.keys()):
        yield f"{where} {tag} only-theirs"
    for tag in (tag for tag in ours if tag in theirs):
        (our_required, our_group), (their_required, their_group) = ours[tag], theirs[tag]
        if our_required != their_required:
            yield f"{where} {tag} required-" + ("ours" if our_required else "theirs")
        if (our_group is None) != (their_group is None):
            yield f"{where} {tag} group-" + ("theirs" if our_group is None else "ours")
        elif our_group is not None:
            if next(iter(our_group)) != next(iter(their_group)):
                yield f"{where}/{tag} delimiter"
            yield from member_differences(our_group, their_group, f"{where}/{tag}")
    if [tag for tag in ours if tag in theirs] != [tag for tag in theirs if tag in ours]:
        yield f"{where} order"


def field_differences(ours, theirs):
    for tag in sorted(ours.keys() | theirs.keys()):
        if tag not in theirs or tag not in ours:
            name = (ours.get(tag) or theirs.get(tag))[0]
            yield f"field {tag} {name} only-" + ("ours" if tag in ours else "theirs")
            continue
        (name, kind, values, others), (their_name, their_kind, their_values, their_others) = (
            ours[tag], theirs[tag])
        if name != their_name:
            yield f"field {tag} {name} name {their_name}"
        if kind != their_kind:
            yield f"field {tag} {name} type {kind} {their_kind}"
        if kind == their_kind == "BOOLEAN":
            continue  # Y and N, named or not
        if bool(values) != bool(their_values):
            whose = "ours" if values else "theirs"
            yield f"field {tag} {name} list-only-{whose} {others or 'closed'}"
            continue
        if values and others != their_others:
            yield f"field {tag} {name} others {others or 'None'} {their_others or 'None'}"
        if values - their_values:
            yield f"field {tag} {name} values-only-ours " + ",".join(sorted(values - their_values))
        if their_values - values:
            yield (f"field {tag} {name} values-only-theirs " +
                   ",".join(sorted(their_values - values)))


def differences(ours, theirs):
    """A line for each difference: its subject, then the difference."""
    yield from field_differences(ours.fields, theirs.fields)
    for msg_type in sorted(ours.messages.keys() | theirs.messages.keys()):
        if msg_type not in theirs.messages or msg_type not in ours.messages:
            yield f"message {msg_type} only-" + ("ours" if msg_type in ours.messages else "theirs")
            continue
        (name, members), (their_name, their_members) = (ours.messages[msg_type],
                                                        theirs.messages[msg_type])
        if name != their_name:
            yield f"message {msg_type} name {name} {their_name}"
        yield from member_differences(flatten(ours, members), flatten(theirs, their_members),
                                      f"message {msg_type}")
    for part in ("header", "trailer"):
        yield from member_differences(flatten(ours, getattr(ours, part)),
                                      flatten(theirs, getattr(theirs, part)), part)


sys.setrecursionlimit(10_000)
