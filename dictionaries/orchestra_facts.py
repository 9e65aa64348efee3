"""The messages of the application, from an Orchestra file, in the QuickFIX form."""

import re
import xml.etree.ElementTree as ElementTree

from other_values import ANY, CLOSED_CODE_SETS, OPEN_CODE_SETS, set_others

def upper_snake(name):
    """PartialFill is PARTIAL_FILL, GTDOrder is GTD_ORDER."""
    name = re.sub(r"(?<=[a-z])(?=[A-Z0-9])|(?<=[A-Z0-9])(?=[A-Z][a-z])", "_", name)
    return name.upper()


SESSION_MESSAGES = set("012345An")
# Types that FIX 5.0 SP2 did not have yet, or that restrict a value no more than their base type.
ORCHESTRA_TYPES = {"LOCALMKTTIME": "STRING", "XID": "STRING", "XIDREF": "STRING",
                   "TENOR": "STRING", "PATTERN": "STRING", "UTCDATE": "UTCDATEONLY"}
# A spelling mistake in the facts, corrected by the name of its Length field.
ORCHESTRA_NAMES = {"2798": "EncodedMatchExceptionText"}


class Orchestra:
    """The messages of the application, from an Orchestra file, in the QuickFIX form: a group
    becomes a component that contains it. Names are those of the older facts if they have one."""

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
        self.others = self.others_by_code_set()
        self.used_fields = {}
        self.used_holders = {}

    def by(self, section, kind, key):
        return {item.get(key): item for item in self.all(self.one(None, section), kind)}

    def one(self, parent, kind):
        return (self.root if parent is None else parent).find(self.prefix + kind)

    def all(self, parent, kind):
        return parent.findall(self.prefix + kind)

    def others_by_code_set(self):
        """Fields with the same enumeration allow the same other values."""
        others = {name: ANY for name in OPEN_CODE_SETS}
        for field in self.fields.values():
            if field.get("unionDataType") and field.get("type") not in CLOSED_CODE_SETS:
                others.setdefault(field.get("type"), field.get("unionDataType"))
        return others

    def others_of(self, field):
        return field.get("unionDataType") or self.others.get(field.get("type"))

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
        set_others(field, self.others_of(source))
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
