"""Logs as tables: types, groups, conditions, sources, and what cannot be read."""

import datetime
import decimal
import gzip
import threading

import nexusfix
import pytest
from messages_test import with_bytes

pyarrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

ORDER = with_bytes(
    "35=D|34=7|49=T|52=20260115-10:30:00.123456789|56=V|43=N|11=A1|55=SAP|54=1|38=100|44=150.250|"
    "64=20260117|273=10:30:00.5|453=2|448=P1|447=D|452=24|802=1|523=S1|803=1|448=P2|447=D|452=1|"
    .replace("|", "\x01").encode())
REPORT = with_bytes("35=8|34=x|49=V|52=soon|56=T|37=X|11=A1|55=SAP|54=1|44=1e5|58=\xe9|"
                    .replace("|", "\x01").encode("latin-1"))
LOG = (b"20260115-10:30:00.200345 IN : " + ORDER + b"\n20260115-10:30:01 OUT : " + REPORT + b"\n")
FIELDS = ("MsgType", "MsgSeqNum", "SendingTime", "PossDupFlag", "ClOrdID", "Symbol", "Price",
          "SettlDate", "MDEntryTime", "Text")


def rows_of(table):
    """Times as nanoseconds since 1970: a Python object would lack them."""
    for place, field in enumerate(table.schema):
        if pyarrow.types.is_timestamp(field.type):
            times = table.column(place).cast(pyarrow.int64())
            table = table.set_column(place, field.name, times)
    return table.to_pylist()


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "messages.log"
    path.write_bytes(LOG)
    return path


def test_values_have_the_types_of_the_dictionary(log):
    first, second = rows_of(nexusfix.read_log(log, fields=FIELDS).to_arrow())
    assert (first["MsgType"], first["MsgSeqNum"], first["Symbol"]) == ("D", 7, "SAP")
    half_past_ten = 1_768_473_000_000_000_000
    assert first["SendingTime"] == half_past_ten + 123_456_789
    assert first["PossDupFlag"] is False
    assert first["Price"] == decimal.Decimal("150.25")
    assert first["SettlDate"] == datetime.date(2026, 1, 17)
    assert (first["direction"], second["direction"]) == ("in", "out")
    assert first["time"] == half_past_ten + 200_345_000
    assert first["byte_offset"] == LOG.index(b"8=FIX")
    assert first["file"] == str(log)


def test_a_value_of_another_type_is_null_and_counted(log):
    read = nexusfix.read_log(log, fields=FIELDS)
    second = rows_of(read.to_arrow())[1]
    assert [second[name] for name in ("MsgSeqNum", "SendingTime", "Price")] == [None] * 3
    assert read.values_of_another_type == 3
    assert second["Text"] == "\\xe9"
    assert second["SettlDate"] is None


def test_symbols_are_dictionary_encoded_and_times_are_utc_nanoseconds(log):
    schema = nexusfix.read_log(log, fields=FIELDS).to_arrow().schema
    assert pyarrow.types.is_dictionary(schema.field("Symbol").type)
    assert schema.field("ClOrdID").type == pyarrow.string()
    assert schema.field("SendingTime").type == pyarrow.timestamp("ns", "UTC")
    assert schema.field("Price").type == pyarrow.decimal128(38, 8)


def test_groups_are_lists(log):
    table = nexusfix.read_log(log, fields=["NoPartyIDs", "Symbol"]).to_arrow()
    table.validate(full=True)
    first, second = table.to_pylist()
    assert [party["PartyID"] for party in first["NoPartyIDs"]] == ["P1", "P2"]
    assert first["NoPartyIDs"][0]["NoPartySubIDs"] == [{"PartySubID": "S1", "PartySubIDType": 1}]
    assert second["NoPartyIDs"] is None and second["Symbol"] == "SAP"


def test_the_usual_fields_and_names(log):
    row = rows_of(nexusfix.read_log([log], names=True).to_arrow())[0]
    assert (row["Side"], row["MsgType"], row["OrderQty"]) == ("BUY", "NewOrderSingle", 100)


def test_a_condition_selects_messages(log):
    assert nexusfix.read_log(log, "MsgType=8 and Symbol~'SA'").to_arrow().num_rows == 1
    assert nexusfix.read_log(log, "Price>150").to_arrow().num_rows == 1
    assert nexusfix.read_log(log, "Price>151").to_arrow().num_rows == 0


def test_batches_come_one_after_the_other(log, tmp_path):
    log.write_bytes(LOG * 50)
    read = nexusfix.read_log(log, fields=["Symbol", "NoPartyIDs", "PossDupFlag"], batch_rows=7)
    batches = list(read.batches())
    assert [batch.num_rows for batch in batches] == [7] * 14 + [2]
    for batch in batches:
        batch.validate(full=True)
    assert read.rows_read == 100 and read.bytes_read > 0
    whole = nexusfix.read_log(log, fields=["Symbol", "NoPartyIDs", "PossDupFlag"]).to_arrow()
    assert pyarrow.Table.from_batches(batches).to_pylist() == whole.to_pylist()
    assert read.to_parquet(tmp_path / "a.parquet") == 100
    assert parquet.read_table(tmp_path / "a.parquet").to_pylist() == whole.to_pylist()


def test_archives_and_several_files_are_read(log, tmp_path):
    packed = tmp_path / "old.log.gz"
    packed.write_bytes(gzip.compress(LOG))
    table = nexusfix.read_log([packed, log]).to_arrow()
    assert table.num_rows == 4
    assert table["file"].to_pylist() == [str(packed)] * 2 + [str(log)] * 2


def test_polars_and_pandas_take_it(log):
    polars = pytest.importorskip("polars")
    pandas = pytest.importorskip("pandas")
    frame = nexusfix.read_log(log, fields=FIELDS).to_polars()
    assert frame.shape == (2, 4 + len(FIELDS)) and isinstance(frame, polars.DataFrame)
    assert frame["Price"][0] == decimal.Decimal("150.25")
    table = nexusfix.read_log(log, fields=FIELDS).to_pandas()
    assert isinstance(table, pandas.DataFrame) and table["Price"][0] == decimal.Decimal("150.25")


def test_what_is_wrong_is_said_before_anything_is_read(log, tmp_path):
    with pytest.raises(FileNotFoundError):
        nexusfix.read_log(tmp_path / "absent.log")
    with pytest.raises(nexusfix.FixError) as caught:
        nexusfix.read_log(log, "Symbol=")
    assert caught.value.rule == "ExpressionWrong"
    with pytest.raises(nexusfix.FieldNameError, match="Symbol"):
        nexusfix.read_log(log, fields=["Symbl"])
    with pytest.raises(ValueError, match="batch_rows"):
        nexusfix.read_log(log, batch_rows=0)


def test_a_damaged_archive_is_an_error(tmp_path):
    packed = tmp_path / "torn.log.gz"
    packed.write_bytes(gzip.compress(LOG * 1000)[:-20])
    with pytest.raises(OSError, match=r"torn\.log\.gz"):
        nexusfix.read_log(packed).to_arrow()


def test_any_bytes_are_a_table(tmp_path):
    path = tmp_path / "noise.log"
    path.write_bytes(bytes(range(256)) * 50 + LOG + b"8=FIX.4.4\x019=5\x0135=" + b"\xff" * 99)
    table = nexusfix.read_log(path).to_arrow()
    table.validate(full=True)
    assert table.num_rows >= 2


def test_other_threads_run_while_a_log_is_read(log):
    log.write_bytes(LOG * 40_000)
    read = nexusfix.read_log(log, fields=FIELDS)
    reading = threading.Thread(target=read.to_arrow)
    reading.start()
    seen = set()
    while reading.is_alive():
        seen.add(read.rows_read)
    reading.join()
    assert len(seen) > 2 and read.rows_read == 80_000


def test_a_stream_that_is_not_used_is_released(log):
    for _ in range(100):
        nexusfix.read_log(log).__arrow_c_stream__()
    batches = nexusfix.read_log(log, batch_rows=1).batches()
    next(batches)
    del batches
