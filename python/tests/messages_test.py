"""Messages as mappings: values by tag and name, groups, secrets, and what is lossless."""

import copy
import pickle
from collections.abc import Mapping
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal

import nexusfix
import pytest
from nexusfix import fix42, fix44, fix50sp2, fixt11


def with_bytes(text, begin_string="FIX.4.4"):
    """A message with these fields."""
    head = f"8={begin_string}\x019={len(text)}\x01".encode() + text
    return head + b"10=%03d\x01" % (sum(head) % 256)


def message(body, begin_string="FIX.4.4"):
    """A message with these fields, which have | for SOH."""
    return with_bytes(body.replace("|", "\x01").encode(), begin_string)


ORDER = message("35=D|34=7|49=ME|56=YOU|52=20260115-10:30:00.123456789|11=A1|55=AAPL|54=1|38=100|"
                "44=150.2500|40=2|60=20260115-10:30:00|18=G 6|114=N|75=20260115|453=2|448=P1|447=D|"
                "452=1|802=1|523=S1|803=2|448=P2|447=D|452=3|")


@pytest.fixture
def order():
    return nexusfix.parse(ORDER)


def test_a_field_is_read_by_tag_and_by_name(order):
    assert order[55] == order["Symbol"] == "AAPL"
    assert order["ClOrdID"] == "A1"
    assert (order.msg_type, order.name, order.begin_string) == ("D", "NewOrderSingle", "FIX.4.4")


def test_values_have_the_types_of_the_dictionary(order):
    assert order["Price"] == Decimal("150.2500")
    assert str(order["Price"]) == "150.2500"
    assert order["MsgSeqNum"] == 7
    assert order["Side"] is fix44.Side.BUY
    assert order["Side"] == "1"
    assert order["LocateReqd"] is False
    assert order["TradeDate"] == date(2026, 1, 15)
    assert order["ExecInst"] == (fix44.ExecInst.ALL_OR_NONE,
                                 fix44.ExecInst.PARTICIPATE_DONT_INITIATE)


def test_a_time_keeps_its_nanoseconds(order):
    sent = order["SendingTime"]
    assert sent - datetime(2026, 1, 15, 10, 30, tzinfo=timezone.utc) == timedelta(
        microseconds=123456)
    assert (sent.microsecond, sent.nanoseconds) == (123456, 123456789)
    assert sent.tzinfo is timezone.utc
    assert sent > order["TransactTime"]
    assert pickle.loads(pickle.dumps(sent)).nanoseconds == 123456789


def test_times_that_differ_by_a_nanosecond_are_not_equal():
    first = nexusfix.Timestamp.of("20260115-10:30:00.123456788")
    second = nexusfix.Timestamp.of("20260115-10:30:00.123456789")
    assert first != second and first < second <= second and second > first
    assert hash(first) == hash(nexusfix.Timestamp.of("20260115-10:30:00.123456788"))


def test_a_leap_second_is_the_last_nanosecond_before_it():
    report = nexusfix.parse(message("35=0|52=20161231-23:59:60.500|"))
    assert report["SendingTime"].nanoseconds == 999_999_999
    assert report["SendingTime"].second == 59


def test_a_time_of_day_is_a_time():
    news = nexusfix.parse(message("35=AE|273=10:30:00.25|"))
    assert news["MDEntryTime"] == time(10, 30, 0, 250_000)


def test_groups_are_tuples_of_mappings(order):
    parties = order["NoPartyIDs"]
    assert [party["PartyID"] for party in parties] == ["P1", "P2"]
    assert parties[0]["PartyRole"] is fix44.PartyRole.EXECUTING_FIRM
    assert parties[0]["NoPartySubIDs"][0]["PartySubID"] == "S1"
    assert list(parties[0]) == [448, 447, 452, 802]
    assert bytes(parties[1]) == b"448=P2\x01447=D\x01452=3\x01"
    assert isinstance(parties[0], Mapping)
    assert repr(parties[1]).startswith("{PartyID: 'P2', PartyIDSource: ")


def test_a_field_of_a_group_is_not_a_field_of_the_message(order):
    assert "PartyID" not in order
    with pytest.raises(nexusfix.FieldMissingError, match="entries of NoPartyIDs") as caught:
        order["PartyID"]
    assert (caught.value.tag, caught.value.rule) == (448, "Missing")
    assert isinstance(caught.value, KeyError)


def test_a_wrong_count_neither_hides_an_entry_nor_reads_past_the_group():
    for count in ("0", "1", "9"):
        parties = nexusfix.parse(message(f"35=D|453={count}|448=P1|448=P2|55=X|"))["NoPartyIDs"]
        assert [party["PartyID"] for party in parties] == ["P1", "P2"]


def test_a_message_is_a_mapping(order):
    assert isinstance(order, Mapping)
    assert len(order) == len(list(order)) == len(dict(order))
    assert list(order)[:4] == [8, 9, 35, 34]
    assert 448 not in list(order) and 453 in order
    assert dict(order.items())[55] == "AAPL"
    assert list(order.keys()) == list(order)
    assert order.get("Text") is None and order.get(58, "none") == "none"
    assert "Nonsense" not in order and None not in order and 2**70 not in order


def test_the_bytes_of_a_message_are_those_that_were_read(order):
    assert bytes(order) == ORDER
    assert order.raw("Price") == b"150.2500"
    assert order.fields()[-1] == (10, ORDER[-4:-1])
    assert nexusfix.parse(bytearray(ORDER)) == nexusfix.parse(memoryview(ORDER)) == order


def test_text_that_is_no_utf8_survives():
    text = nexusfix.parse(with_bytes(b"35=B\x01148=caf\xe9\x01"))
    assert text.raw("Headline") == b"caf\xe9"
    assert bytes(fix44.News(Headline=text["Headline"])) == bytes(text)


def test_equality_hash_copy_and_pickle(order):
    other = nexusfix.parse(ORDER)
    assert order == other and hash(order) == hash(other) and order is not other
    assert order != order.replace(Text="x") and order != ORDER
    assert copy.copy(order) == copy.deepcopy(order) == pickle.loads(pickle.dumps(order)) == order


def test_repr_is_what_decode_prints(order):
    lines = repr(order).splitlines()
    assert lines[0] == "NewOrderSingle (D)  34=7  ME -> YOU  20260115-10:30:00.123456789"
    assert "    54  Side            1 (BUY)" in lines


def test_repr_and_errors_show_no_password():
    logon = fixt11.Logon(Username="u", Password="hunter2", NewPassword="hunter3",
                         RawData=b"hunter4")
    assert logon["Password"] == "hunter2"
    problem = logon.problem()
    assert problem is not None
    for shown in (repr(logon), str(problem), repr(problem)):
        assert "hunter" not in shown
    assert "***" in repr(logon)
    broken = bytes(logon)[:-4] + b"000\x01"
    with pytest.raises(nexusfix.ParseError) as caught:
        nexusfix.parse(broken)
    assert "hunter" not in str(caught.value)
    with pytest.raises(nexusfix.FieldError) as refused:
        fix44.Logon(Password="hunter2\x01")
    assert "hunter" not in str(refused.value)


def test_a_value_of_another_type_is_an_error_that_names_its_place():
    odd = nexusfix.parse(message("35=D|44=cheap|"))
    with pytest.raises(nexusfix.FieldError, match="'cheap' is not of type PRICE") as caught:
        odd["Price"]
    assert (caught.value.tag, caught.value.rule) == (44, "TypeWrong")
    assert bytes(odd)[caught.value.offset:].startswith(b"cheap")
    assert odd.raw("Price") == b"cheap"


def test_a_decimal_that_was_read_before_does_not_stand_for_another():
    for text in ("1", "10", "100000000", "0.0000000000001"):
        for value in (text, text, text + "0", "0" + text, "-" + text):
            assert str(nexusfix.parse(message(f"35=D|44={value}|"))["Price"]) == str(Decimal(value))
        for wrong in (text + "\0", "\0" + text, text + " "):
            with pytest.raises(nexusfix.FieldError):
                nexusfix.parse(message(f"35=D|44={wrong}|"))["Price"]


def test_a_wrong_name_names_the_nearest_field(order):
    with pytest.raises(nexusfix.FieldNameError, match="nearest: 'Symbol'"):
        order["Symbl"]


@pytest.mark.parametrize(("data", "rule"), [
    (b"", "FirstFieldsOutOfOrder"), (b"8=FIX.4.4\x01", "FirstFieldsOutOfOrder"),
    (ORDER[:-4] + b"000\x01", "CheckSumWrong"), (ORDER + b"x", "CheckSumMalformed")])
def test_bytes_that_are_no_message_are_a_parse_error(data, rule):
    with pytest.raises(nexusfix.ParseError) as caught:
        nexusfix.parse(data)
    assert caught.value.rule == rule
    assert 0 <= caught.value.offset <= len(data)


def test_fixt_takes_the_version_of_appl_ver_id():
    body = "35=D|1128={}|453=1|448=P|"
    assert nexusfix.parse(message(body.format(9), "FIXT.1.1")).dictionary.name == "FIX.5.0SP2"
    assert nexusfix.parse(message(body.format(4), "FIXT.1.1")).dictionary.name == "FIX.4.2"
    assert nexusfix.parse(message("35=0|", "FIXT.1.1")).name == "Heartbeat"


def test_validation_shows_the_place(order):
    order.validate(AllowUnknownMsgFields=True)
    with pytest.raises(nexusfix.ValidationError) as caught:
        order.replace(Side="BUY!").validate()
    assert (caught.value.tag, caught.value.rule) == (54, "TypeWrong")
    assert "^~~~" in str(caught.value) and "nearest: 54=1 (BUY)" in str(caught.value)
    with pytest.raises(TypeError, match="no validation rule"):
        order.validate(Nonsense=True)


def test_errors_survive_pickle():
    problem = nexusfix.parse(message("35=D|")).problem()
    again = pickle.loads(pickle.dumps(problem))
    assert (str(again), again.tag, again.rule) == (str(problem), problem.tag, problem.rule)


def test_values_of_versions_compare():
    assert fix42.Side.BUY == fix50sp2.Side.BUY == fix44.Side.BUY == "1"
