"""Messages that are built of keywords, and dictionaries of counterparties."""

import pickle
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from pathlib import Path

import nexusfix
import pytest
from nexusfix import fix40, fix42, fix44, fix50sp2, fixt11

DICTIONARIES = Path(__file__).resolve().parent.parent.parent / "dictionaries"


def text_of(message):
    """The fields between MsgType and CheckSum, with | for SOH."""
    return bytes(message).split(b"\x01", 3)[3][:-7].replace(b"\x01", b"|").decode()


def test_header_comes_first_and_the_body_keeps_the_order_of_the_call():
    order = fix44.NewOrderSingle(Symbol="AAPL", ClOrdID="A1", TargetCompID="YOU", MsgSeqNum=3,
                                 SenderCompID="ME")
    assert text_of(order) == "49=ME|56=YOU|34=3|55=AAPL|11=A1|"
    assert bytes(order).startswith(b"8=FIX.4.4\x019=")
    assert nexusfix.parse(bytes(order)) == order


@pytest.mark.parametrize(("field", "value", "text"), [
    ("Price", Decimal("150.2500"), "44=150.2500"), ("Price", Decimal("1E+2"), "44=100"),
    ("Price", 3, "44=3"), ("Price", "0.10", "44=0.10"), ("OrderQty", -5, "38=-5"),
    ("Side", fix44.Side.BUY, "54=1"), ("LocateReqd", True, "114=Y"),
    ("TradeDate", date(2026, 1, 5), "75=20260105"),
    ("ExecInst", [fix44.ExecInst.HELD, "6"], "18=5 6"),
    ("TransactTime", datetime(2026, 1, 5, 9, 8, 7, tzinfo=timezone.utc),
     "60=20260105-09:08:07.000"),
    ("TransactTime", datetime(2026, 1, 5, 9, 8, 7, 1, tzinfo=timezone(timedelta(hours=2))),
     "60=20260105-07:08:07.000001"),
    ("TransactTime", nexusfix.Timestamp.of("20260105-09:08:07.123456789"),
     "60=20260105-09:08:07.123456789"),
    ("Text", "naïve", "58=naïve"), ("Text", None, "")])
def test_values_are_written_as_fix_has_them(field, value, text):
    built = fix44.NewOrderSingle(**{field: value})
    assert text_of(built).rstrip("|") == text


def test_a_data_field_gets_its_length():
    assert text_of(fix44.NewOrderSingle(EncodedText=b"a\x01b")) == "354=3|355=a\x01b|".replace(
        "\x01", "|")
    assert fix44.NewOrderSingle(EncodedText=b"a\x01b")["EncodedText"] == b"a\x01b"
    assert text_of(fix44.NewOrderSingle(EncodedTextLen=9, EncodedText=b"ab")) == "354=2|355=ab|"


def test_groups_are_sequences_of_mappings():
    order = fix44.NewOrderSingle(NoPartyIDs=[
        {"PartyRole": 1, "PartyID": "P1", "NoPartySubIDs": [{"PartySubID": "S"}]}, {448: "P2"}])
    assert text_of(order) == "453=2|448=P1|452=1|802=1|523=S|448=P2|"
    copied = fix44.NewOrderSingle(NoPartyIDs=order["NoPartyIDs"])
    assert copied == order
    assert text_of(fix44.NewOrderSingle(NoPartyIDs=[])) == ""


def test_a_counterpartys_own_field_has_its_tag():
    assert text_of(fix44.NewOrderSingle(**{"5001": "x"})) == "5001=x|"


def test_replace_keeps_the_order_and_the_groups():
    order = fix44.NewOrderSingle(ClOrdID="A1", Symbol="X", NoPartyIDs=[{"PartyID": "P"}])
    assert text_of(order.replace(ClOrdID="A2", Text="t", MsgSeqNum=4)) == \
        "34=4|11=A2|55=X|453=1|448=P|58=t|"
    assert text_of(order.replace(NoPartyIDs=None)) == "11=A1|55=X|"
    data = fix44.NewOrderSingle(EncodedText=b"abc").replace(EncodedText=b"de")
    assert text_of(data) == "354=2|355=de|"


@pytest.mark.parametrize(("fields", "text", "rule"), [
    ({"ClOrdId": "A"}, "nearest: 'ClOrdID'", "NameUnknown"),
    ({"Price": 1.5}, "a float is not exact", "FloatNotExact"),
    ({"Price": "cheap"}, "'cheap' is not of type PRICE", "TypeWrong"),
    ({"Price": Decimal("NaN")}, "'NaN' is not of type PRICE", "TypeWrong"),
    ({"OrderQty": True}, "not bool", "TypeWrong"), ({"LocateReqd": 1}, "a bool", "TypeWrong"),
    ({"TransactTime": datetime(2026, 1, 1)}, "no time zone", "TimeZoneMissing"),
    ({"TransactTime": date(2026, 1, 1)}, "not date", "TypeWrong"),
    ({"Text": ""}, "is empty", "ValueEmpty"), ({"Text": "a\x01b"}, "SOH", "SohInValue"),
    ({"Text": object()}, "not object", "TypeWrong"), ({"CheckSum": "1"}, "computed", None),
    ({"NoPartyIDs": [{"PartyRole": 1}]}, "needs PartyID", "DelimiterMissing"),
    ({"NoPartyIDs": [{"PartyIDs": 1}]}, "nearest: 'PartyID'", "NameUnknown"),
    ({"NoPartyIDs": ["P"]}, "an entry is a mapping", "TypeWrong"),
    ({"NoPartyIDs": "P"}, "a sequence of mappings", "TypeWrong"),
    ({"MsgSeqNum": 2**70}, "too large", "ValueOutOfRange")])
def test_what_does_not_fit_is_an_error_in_words(fields, text, rule):
    with pytest.raises(nexusfix.FixError, match=text) as caught:
        fix44.NewOrderSingle(**fields)
    if rule is not None:
        assert caught.value.rule == rule


@pytest.mark.parametrize("size", range(1, 40))
def test_a_soh_is_found_wherever_it_is_in_a_text(size):
    for place in range(size):
        text = "a" * place + "\x01" + "a" * (size - place - 1)
        with pytest.raises(nexusfix.FieldError) as error:
            fix44.NewOrderSingle(Text=text)
        assert error.value.rule == "SohInValue"


@pytest.mark.parametrize("letter", ["a", "\x02", "\x7f", "\x80", "é", "€", "\U0001d11e"])
def test_a_text_of_any_size_is_what_was_written(letter):
    for size in range(1, 40):
        for place in range(size):
            text = "b" * place + letter + "c" * (size - place - 1)
            order = fix44.NewOrderSingle(ClOrdID="A", Text=text)
            assert text_of(order) == f"11=A|58={text}|"
            assert nexusfix.parse(bytes(order))["Text"] == text


def test_a_value_may_build_a_message_while_it_is_written():
    class Price(Decimal):
        def __str__(self):
            assert text_of(fix44.Heartbeat(TestReqID="inner")) == "112=inner|"
            return super().__str__()

    order = fix44.NewOrderSingle(ClOrdID="A", Price=Price("1.5"), Symbol="AAPL")
    assert text_of(order) == "11=A|44=1.5|55=AAPL|"


def test_a_message_may_be_large():
    text = "x" * 100_000
    assert text_of(fix44.NewOrderSingle(ClOrdID="A", Text=text)) == f"11=A|58={text}|"
    assert text_of(fix44.NewOrderSingle(ClOrdID="A")) == "11=A|"


def test_an_argument_without_a_name_is_a_type_error():
    with pytest.raises(TypeError, match="keywords only"):
        fix44.NewOrderSingle("A1")


def test_each_version_has_its_messages():
    assert bytes(fix42.Heartbeat()).startswith(b"8=FIX.4.2\x01")
    assert bytes(fix40.NewOrderSingle(ClOrdID="A")).startswith(b"8=FIX.4.0\x01")
    assert bytes(fixt11.Logon(HeartBtInt=30)).startswith(b"8=FIXT.1.1\x01")
    order = fix50sp2.NewOrderSingle(ClOrdID="A", NoPartyIDs=[{"PartyID": "P"}])
    assert bytes(order).startswith(b"8=FIXT.1.1\x01")
    assert (order.dictionary.name, fix50sp2.Heartbeat().name) == ("FIX.5.0SP2", "Heartbeat")
    assert {"NewOrderSingle", "Side", "Logon"} <= set(dir(fix50sp2))
    with pytest.raises(AttributeError, match="no message or enumeration 'Sied'"):
        fix44.Sied


def test_a_builder_says_what_it_takes():
    assert "Required: ClOrdID" in fix44.NewOrderSingle.__doc__
    assert repr(fix44.OrdType("2")) == "<OrdType.LIMIT: '2'>"


def venue(tmp_path):
    text = (DICTIONARIES / "FIX44.xml").read_text()
    field = '<field number="9001" name="VenueFlag" type="STRING"/>'
    text = text.replace("<fields>", "<fields>" + field, 1)
    text = text.replace('<message name="NewOrderSingle" msgtype="D" msgcat="app">',
                        '<message name="NewOrderSingle" msgtype="D" msgcat="app">'
                        '<field name="VenueFlag" required="N"/>', 1)
    path = tmp_path / "venue.xml"
    path.write_text(text)
    return nexusfix.load_dictionary(path)


def test_a_dictionary_of_a_file_names_and_builds_its_own_fields(tmp_path):
    own = venue(tmp_path)
    order = own.NewOrderSingle(VenueFlag="x", Side=own.Side.BUY)
    assert order["VenueFlag"] == order[9001] == "x"
    assert "VenueFlag" in repr(order)
    parsed = nexusfix.parse(bytes(order), dictionary=own)
    assert parsed["VenueFlag"] == "x" and own.parse(bytes(order)) == parsed
    assert own.tag("VenueFlag") == 9001 and own.field_name(9001) == "VenueFlag"
    assert "NewOrderSingle" in own.messages and "NewOrderSingle" in dir(own)
    again = pickle.loads(pickle.dumps(order))
    assert again == order and again["VenueFlag"] == "x"


def test_a_faulty_dictionary_is_an_error_with_file_and_line(tmp_path):
    path = tmp_path / "wrong.xml"
    path.write_text("<fix major='4' minor='4'>\n"
                    "<fields><field number='x' name='A'/></fields></fix>")
    with pytest.raises(nexusfix.DictionaryError, match=r"wrong.xml:\d"):
        nexusfix.load_dictionary(path)
    with pytest.raises(nexusfix.DictionaryError, match="no version 'FIX.9'"):
        nexusfix.Dictionary.builtin("FIX.9")
    with pytest.raises(OSError):
        nexusfix.load_dictionary(tmp_path / "absent.xml")


def test_time_of_day_is_written():
    entry = {"MDEntryType": "0", "MDEntryTime": time(9, 8, 7, 500_000)}
    assert "273=09:08:07.500" in text_of(fix44.MarketDataSnapshotFullRefresh(NoMDEntries=[entry]))
