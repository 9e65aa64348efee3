"""The incomplete enumerations, and the other allowed values: any value of the field's type, or those of
another type ("a quantity, or one of these letters"). In the files, allowOtherValues says that there are
others (QuickFIX/J supports it), and unionDataType says which, with Orchestra's names.
"""

ANY = "Any"
VERSIONS = ("FIX40", "FIX41", "FIX42", "FIX43", "FIX44", "FIX50", "FIX50SP1", "FIX50SP2")

# Values that the text of the standard allows in addition to its lists, and that no source has as a
# type. First and last version, the other allowed values, and the fields.
BY_TEXT = (
    # 100 and above "are reserved for private security identifications".
    ("FIX40", "FIX50SP2", "Reserved100Plus", "22 305 456 459 603 606 761 1096 1105 1217 1220"),
    # A number of shares, or a letter in place of one.
    ("FIX40", "FIX50SP2", "Qty", "27 682"),
    # A depository, or a country's code.
    ("FIX41", "FIX50", "Country", "166"),
    # "Values above 1000 are available for use by private agreement."
    ("FIX43", "FIX44", "Reserved1000Plus", "477 492 495"),
    # "Values above 4000 are reserved for agreement between parties."
    ("FIX43", "FIX50SP2", "Reserved4000Plus", "577"),
    # A number of 4000, or 1000, and above is "available for bi-laterally agreed" values.
    ("FIX44", "FIX44", "Reserved4000Plus", "728 749 751 803 946"),
    ("FIX44", "FIX50", "Reserved1000Plus", "829 847 1008"),
    # The country, the institution that keeps the records, or ZZ.
    ("FIX43", "FIX43", ANY, "543"),
    # "Additional values may be used by mutual agreement of the counterparties."
    ("FIX44", "FIX50SP2", ANY, "167 310 609 1249 1547"),
    ("FIX50", "FIX50SP2", ANY, "233 688 888"),
    ("FIX50", "FIX50SP2", ANY, "996 997 998 999 1000 1001 1191 1269 1271 1315 1421 1424"),
    # "As defined in the NYSE Stock and Bond Symbol Directory and in the AMEX Fitch Directory."
    ("FIX44", "FIX50SP2", ANY, "65 312 601 1215"),
    # An expression, or a code of the list in its place.
    ("FIX43", "FIX50SP2", ANY, "234"),
    # "Other values from OrdType (40) may be used if appropriate and bilaterally agreed upon."
    ("FIX50", "FIX50SP2", ANY, "1111"),
    # Messages whose MsgType begins with a U are user-defined.
    ("FIX50", "FIX50SP2", ANY, "372"),
    # A sum of the values.
    ("FIX44", "FIX50SP2", ANY, "935"),
    # FIX 4.2's list, which these versions no longer have; 5.0 has another one.
    ("FIX43", "FIX44", ANY, "368"),
    # The list of a similar field, in one source only.
    ("FIX44", "FIX44", ANY, "761"),
    # Since FIX 5.0 SP1. Before, venues had names of their own, which are still allowed.
    ("FIX50SP1", "FIX50SP2", ANY, "336 625"),
    # FIX 5.0 SP2 of 2009 has no list.
    ("FIX50SP2", "FIX50SP2", ANY, "315 680 877 1039 1358"),
)
# For FIX 5.0 SP2, whose fields name their enumeration: the enumerations of BY_TEXT.
OPEN_CODE_SETS = ("SymbolSfxCodeSet", "SecurityTypeCodeSet", "StipulationTypeCodeSet",
                  "UnitOfMeasureCodeSet", "TimeUnitCodeSet")
# Only one of its twenty fields allows more than its list.
CLOSED_CODE_SETS = ("PartyIDSourceCodeSet",)


def set_others(field, others):
    if others:
        field.set("allowOtherValues", "true")
    if others and others != ANY:
        field.set("unionDataType", others)


def by_text(version):
    others = {}
    for first, last, kind, tags in BY_TEXT:
        if first in VERSIONS and version in VERSIONS[VERSIONS.index(first):VERSIONS.index(last) + 1]:
            others.update(dict.fromkeys(tags.split(), kind))
    return others


def open_enumerations(version, facts, repository):
    """Sets the types of the repository's version. FIX 5.0 SP2 already has those of the newest one."""
    others = {field.get("id"): field.get("unionDataType") for field in repository.find("fields")
              if field.get("unionDataType")}
    others.update(by_text(version))
    for field in facts.find("fields"):
        was = field.attrib.pop("allowOtherValues", None) and field.attrib.pop("unionDataType", ANY)
        if field.find("value") is not None:
            set_others(field, others.get(field.get("number"), was))
