"""Any bytes and any values: a message, or one of the package's exceptions. Never a crash."""

import datetime
import decimal
import gc
import os
import threading

import nexusfix
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from messages_test import ORDER, with_bytes
from nexusfix import fix44

FIELDS = [8, 9, 10, 35, 34, 44, 52, 54, 58, 60, 95, 96, 354, 355, 453, 448, 452, 802, 523, 554,
          70000, 2147483647, 0]
VALUES = st.one_of(
    st.binary(max_size=12), st.sampled_from([
        b"D", b"A", b"8", b"W", b"1", b"2", b"", b"20260115-10:30:00", b"99999999-10:30:00",
        b"20260230-10:30:00", b"00000101-00:00:00", b"1e5", b"-", b".", b"-0.0", b"9" * 400]))


def use(message):
    """Calls everything that reads a message."""
    assert nexusfix.parse(bytes(message)) == message
    repr(message), hash(message), len(message), message.fields(), message.problem()
    for scope in [message, *entries_of(message)]:
        for tag in scope:
            try:
                repr(scope[tag])
            except nexusfix.FieldError as error:
                assert error.tag == tag
            scope.raw(tag)


def test_the_repr_of_an_entry_shows_what_is_not_of_its_type():
    order = nexusfix.parse(with_bytes(b"35=D\x01453=1\x01448=A\x01452=x\x01"))
    assert repr(order["NoPartyIDs"]) == "({PartyID: 'A', PartyRole: b'x'},)"


def entries_of(scope):
    for tag in scope:
        try:
            value = scope[tag]
        except nexusfix.FieldError:
            continue
        for entry in value if isinstance(value, tuple) else ():
            if isinstance(entry, nexusfix.Entry):
                yield entry
                yield from entries_of(entry)


@settings(max_examples=400, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(FIELDS), VALUES), max_size=30),
       st.sampled_from([b"D", b"A", b"8", b"W", b"AE", b"??"]))
def test_any_fields_are_read_or_refused(fields, msg_type):
    body = b"35=" + msg_type + b"\x01" + b"".join(b"%d=%b\x01" % one for one in fields)
    try:
        message = nexusfix.parse(with_bytes(body))
    except nexusfix.ParseError as error:
        assert error.rule is not None
        return
    use(message)


@settings(max_examples=400, deadline=None)
@given(st.integers(0, len(ORDER) - 1), st.binary(max_size=4), st.integers(0, 8))
def test_a_damaged_message_is_read_or_refused(place, inserted, removed):
    data = ORDER[:place] + inserted + ORDER[place + removed:]
    try:
        use(nexusfix.parse(data))
    except nexusfix.ParseError as error:
        assert 0 <= error.offset <= len(data)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.binary(max_size=60) | st.just(ORDER) | st.just(ORDER[:40]), max_size=12),
       st.integers(1, 90))
def test_a_stream_gives_the_same_messages_for_any_pieces(parts, size):
    data = b"".join(parts)
    whole, pieces = nexusfix.Stream(), nexusfix.Stream()
    expected = whole.feed(data)
    found = [m for at in range(0, len(data), size) for m in pieces.feed(data[at:at + size])]
    assert found == expected
    assert pieces.pending <= len(data)


ANY = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8),
                st.binary(max_size=8), st.decimals(), st.datetimes(), st.dates(), st.times(),
                st.lists(st.text(max_size=3), max_size=3), st.just(object()),
                st.dictionaries(st.text(max_size=3), st.integers(), max_size=2))


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(["Price", "Side", "TransactTime", "TradeDate", "Text", "EncodedText",
                        "OrderQty", "LocateReqd", "NoPartyIDs", "ExecInst", "MaxFloor"]), ANY)
def test_any_value_is_written_or_refused(name, value):
    try:
        built = fix44.NewOrderSingle(**{name: value})
    except nexusfix.FixError as error:
        assert error.tag is not None or error.rule == "NameUnknown"
        return
    use(built)


@given(st.text(max_size=12))
def test_any_keyword_is_a_field_or_is_refused(name):
    try:
        fix44.NewOrderSingle(**{name: "1"})
    except (nexusfix.FixError, UnicodeError):
        pass


@settings(deadline=None)
@given(st.binary(max_size=80) | st.text(max_size=80))
def test_any_dictionary_is_read_or_refused(text):
    with pytest.raises(nexusfix.DictionaryError):
        nexusfix.Dictionary.from_text(text)


@pytest.mark.parametrize("data", [None, 5, "text", [b"x"], object()])
def test_wrong_types_are_type_errors(data):
    with pytest.raises(TypeError):
        nexusfix.parse(data)
    with pytest.raises(TypeError):
        nexusfix.Stream().feed(data)
    with pytest.raises(TypeError):
        nexusfix.parse(ORDER, data if data is not None else 5)
    with pytest.raises(TypeError):
        nexusfix.parse(ORDER)[data if not isinstance(data, (int, str)) else None]


def test_classes_cannot_be_made_without_bytes():
    for made in (nexusfix.Message, nexusfix.Entry, nexusfix.Dictionary):
        with pytest.raises(TypeError):
            made()


def test_values_that_call_back_are_harmless():
    class Sneaky(decimal.Decimal):
        def __str__(self):
            for i in range(40):
                fix44.NewOrderSingle(**{f"5{i:03}": "x"})
            return "1.5"

    assert fix44.NewOrderSingle(Price=Sneaky("1.5"), Text="t")["Price"] == decimal.Decimal("1.5")


def test_an_entry_keeps_its_message_alive():
    entry = nexusfix.parse(ORDER)["NoPartyIDs"][0]
    gc.collect()
    assert entry["PartyID"] == "P1"


def test_threads_and_a_forked_process_parse():
    def work():
        for _ in range(2000):
            assert nexusfix.parse(ORDER)["Symbol"] == "AAPL"

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    child = os.fork()
    if child == 0:
        os._exit(0 if nexusfix.parse(ORDER)["Side"] == "1" else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_a_stream_counts_what_is_garbled():
    stream = nexusfix.Stream(max_message_bytes=1000)
    broken = ORDER[:-4] + b"000\x01"
    assert stream.feed(b"noise" + broken + ORDER) == [nexusfix.parse(ORDER)]
    assert stream.garbled == len(stream.errors) == 2
    assert [error.rule for error in stream.errors] == ["NoBeginString", "CheckSumWrong"]
    for _ in range(200):
        stream.feed(broken)
    assert (stream.garbled, len(stream.errors)) == (202, 100)
    assert stream.feed(ORDER[:9]) == [] and stream.pending == 9


def test_an_odd_time_zone_is_refused():
    class Odd(datetime.tzinfo):
        def utcoffset(self, _):
            return None

    with pytest.raises(nexusfix.FieldError, match="no time zone"):
        fix44.NewOrderSingle(TransactTime=datetime.datetime(2026, 1, 1, tzinfo=Odd()))
