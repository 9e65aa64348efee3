"""Orders, latencies, gaps and rejects as tables: they are what the command says."""

import decimal
import json
import subprocess
import sys
import threading
import time
from pathlib import Path

import nexusfix
import pytest
from messages_test import message
from program import find_command

pyarrow = pytest.importorskip("pyarrow")
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "notebooks"))
import make_day  # noqa: E402

TABLES = (nexusfix.orders, nexusfix.latencies, nexusfix.gaps, nexusfix.rejects)
MILLISECOND = 1_000_000
ORDERS = 1200


@pytest.fixture(scope="module")
def day(tmp_path_factory):
    path = tmp_path_factory.mktemp("day") / "day.log"
    make_day.write_day(path, ORDERS, seed=1)
    return path


def said(*words, status=0):
    """The JSON object that the command prints."""
    done = subprocess.run([find_command(), *map(str, words), "--json"], capture_output=True,
                          text=True, check=False)
    assert done.returncode == status, done.stderr
    return json.loads(done.stdout)


def rows_of(log):
    """Times as nanoseconds since 1970."""
    table = log.to_arrow()
    table.validate(full=True)
    for place, field in enumerate(table.schema):
        if pyarrow.types.is_timestamp(field.type):
            table = table.set_column(place, field.name, table.column(place).cast(pyarrow.int64()))
    return table.to_pylist()


def to_text(nanoseconds):
    """A time as the reports of `nexusfix stats` have it; None: none."""
    if nanoseconds is None:
        return None
    parts = time.gmtime(nanoseconds // 1_000_000_000)
    milliseconds = nanoseconds // MILLISECOND % 1000
    return time.strftime("%Y-%m-%d %H:%M:%S", parts) + f".{milliseconds:03}"


def place(row, prefix=""):
    if row[f"{prefix}file"] is None:
        return None
    return {"file": row[f"{prefix}file"], "offset": row[f"{prefix}byte_offset"]}


def test_gaps_are_those_of_the_command(day):
    expected = [(flow["sender"], flow["target"], gap["first"], gap["last"], gap["missing"],
                 gap["time"], gap["closed"], gap["before"])
                for flow in said("stats", day)["sessions"] for gap in flow["gap_list"]]
    rows = rows_of(nexusfix.gaps(day))
    assert len(rows) > 2
    assert [(row["sender"], row["target"], row["first"], row["last"], row["missing"],
             to_text(row["time"]), to_text(row["closed"]), place(row))
            for row in rows] == expected


def test_rejects_are_those_of_the_command(day):
    expected = said("stats", day)["rejects"]
    assert len(expected) > 1
    assert [{"kind": row["kind"], "reason": row["reason"], "reason_name": row["reason_name"],
             "text": row["text"], "count": row["count"], "first_id": row["first_id"],
             "first": place(row), "rejected": place(row, "rejected_")}
            for row in rows_of(nexusfix.rejects(day))] == expected


def test_latencies_are_those_of_the_command(day):
    report = said("stats", "--slowest", "10000", day)
    rows = rows_of(nexusfix.latencies(day))
    assert [(row["latency_ns"], row["cl_ord_id"], row["sender"], row["target"],
             to_text(row["time"]), place(row), place(row, "answer_")) for row in rows] == [
        (one["latency_ns"], one["cl_ord_id"], one["sender"], one["target"], one["time"],
         one["request"], one["answer"]) for one in report["slowest"]]
    orders = sorted(row["latency_ns"] for row in rows if row["request"] == "order")
    assert len(orders) == report["order_to_first_report"]["count"]
    assert orders[-1] == report["order_to_first_report"]["max_ns"]
    exact = orders[(len(orders) + 1) // 2 - 1]  # the command's percentile may be 3 % higher
    assert exact <= report["order_to_first_report"]["p50_ns"] <= exact * 1.03125


def test_a_condition_selects_requests_and_rejects(day):
    for table, where in ((nexusfix.latencies, "TargetCompID=GAMMA"),
                         (nexusfix.rejects, "SenderCompID=GAMMA")):
        whole, some = rows_of(table(day)), rows_of(table(day, where))
        assert 0 < len(some) <= len(whole)
        assert sum(row.get("count", 1) for row in some) < sum(row.get("count", 1) for row in whole)
    with pytest.raises(nexusfix.FixError):
        nexusfix.gaps(day, "Symbol=")


def test_orders_are_those_of_the_command(day):
    rows = rows_of(nexusfix.orders(day))
    assert len(rows) == said("stats", day)["orders"]["new"] == ORDERS

    def number(text):
        return None if text is None else decimal.Decimal(text)

    for row in rows[::60]:
        [order] = said("order", row["cl_ord_id"], day)["orders"]
        state = order["state"]
        assert (row["session"], row["symbol"]) == (order["session"], order["symbol"])
        assert row["price"] == number(order["price"])
        assert row["ord_status"] == state["ord_status"]
        for name in ("order_qty", "cum_qty", "leaves_qty"):
            assert row[name] == number(state[name]), name
        assert (row["avg_px"] is None) == (state["avg_px"] is None)
        if row["avg_px"] is not None:
            assert abs(float(row["avg_px"]) - state["avg_px"]) < 1e-7
        assert row["messages"] == len(order["events"])
        assert row["byte_offset"] == order["events"][0]["offset"]
        assert row["open_requests"] == len(order["open_requests"])
        assert row["begins_before_the_log"] == order["begins_before_the_log"]
        assert sum(fill["last_qty"] for fill in row["fills"]) == row["cum_qty"]


ORDER = "35=D|34=7|49=T|52=20260115-10:30:00|56=V|11=A1|55=SAP|54=1|38=100|44=150.25|40=2|"
HEAD = "35=8|34={}|49=V|56=T|52=20260115-10:30:0{}|37=X1|11=A1|"
FILL = HEAD + "17=E{}|150=F|39=1|55=SAP|54=1|38=100|32=30|31=150|14={}|151={}|6=150|"


def write(path, *bodies):
    path.write_bytes(b"".join(message(body) + b"\n" for body in bodies))
    return path


def test_an_order_has_its_fills_and_times(tmp_path):
    path = write(tmp_path / "log", ORDER, HEAD.format(3, 1) + "17=E1|150=0|39=0|38=100|55=SAP|",
                 FILL.format(4, 3, 2, 30, 70), FILL.format(5, 4, 3, 60, 40))
    [row] = rows_of(nexusfix.orders(path, names=True))
    assert (row["sender"], row["target"], row["order_id"]) == ("T", "V", "X1")
    assert (row["side"], row["ord_status"]) == ("BUY", "PARTIALLY_FILLED")
    assert [(fill["exec_id"], fill["last_qty"], fill["last_px"]) for fill in row["fills"]] == [
        ("E2", 30, 150), ("E3", 30, 150)]
    assert (row["cum_qty"], row["leaves_qty"], row["avg_px"]) == (60, 40, 150)
    second = 1_000_000_000
    assert (row["answer_ns"], row["first_fill_ns"], row["life_ns"]) == (second, 3 * second,
                                                                       4 * second)
    assert row["disagreements"] == 0


def test_a_report_that_disagrees_is_counted(tmp_path):
    path = write(tmp_path / "log", ORDER, FILL.format(4, 3, 2, 31, 70))
    [row] = rows_of(nexusfix.orders(path))
    assert row["disagreements"] == 1


def test_the_logs_of_both_sides_give_an_order_once(day, tmp_path):
    copy = tmp_path / "copy.log"
    copy.write_bytes(day.read_bytes().replace(b" OUT :", b" in :"))
    one, both = rows_of(nexusfix.orders(day)), rows_of(nexusfix.orders([day, copy]))
    assert [(row["cl_ord_id"], row["messages"], row["cum_qty"]) for row in both] == [
        (row["cl_ord_id"], row["messages"], row["cum_qty"]) for row in one]


def test_a_session_that_the_log_begins_within_has_orders_without_times(tmp_path):
    path = write(tmp_path / "log", FILL.format(4, 3, 2, 60, 40))
    [row] = rows_of(nexusfix.orders(path))
    assert row["begins_before_the_log"] and row["answer_ns"] is None
    assert (row["sender"], row["cum_qty"], len(row["fills"])) == ("T", 60, 1)


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.__name__)
def test_each_table_has_each_form(table, day, tmp_path):
    log = table(day)
    rows = log.to_arrow().num_rows
    assert rows == log.rows_read > 0
    assert log.bytes_read > 100_000
    parquet = pytest.importorskip("pyarrow.parquet")
    assert log.to_parquet(tmp_path / "table.parquet") == rows
    assert parquet.read_table(tmp_path / "table.parquet").num_rows == rows
    polars = pytest.importorskip("polars")
    assert isinstance(log.to_polars(), polars.DataFrame) and log.to_polars().height == rows
    pandas = pytest.importorskip("pandas")
    assert isinstance(log.to_pandas(), pandas.DataFrame) and len(log.to_pandas()) == rows


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.__name__)
def test_each_table_takes_any_bytes_and_names_what_it_cannot_read(table, tmp_path):
    noise = tmp_path / "noise"
    noise.write_bytes(bytes(range(256)) * 50 + b"8=FIX.4.4\x019=5\x0135=" + b"\xff" * 99)
    table(noise).to_arrow().validate(full=True)
    assert table([]).to_arrow().num_rows == 0
    with pytest.raises(FileNotFoundError):
        table(tmp_path / "absent")
    torn = tmp_path / "torn.log.gz"
    torn.write_bytes(b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03" + bytes(20))
    with pytest.raises(OSError, match=r"torn\.log\.gz"):
        table(torn).to_arrow()


def test_progress_is_reported_and_what_it_raises_ends_the_reading(day):
    seen = []
    nexusfix.read_log(day, batch_rows=100, progress=lambda *now: seen.append(now)).to_arrow()
    assert [rows for rows, _ in seen[:3]] == [100, 200, 300]
    assert seen == sorted(seen) and seen[-1][1] > 0

    def stop(rows, count):
        raise InterruptedError(f"after {rows}")

    for use in ("to_arrow", "to_polars", "to_pandas"):
        if use != "to_arrow":
            pytest.importorskip(use.removeprefix("to_"))
        with pytest.raises(InterruptedError, match="after"):
            getattr(nexusfix.read_log(day, batch_rows=100, progress=stop), use)()
    with pytest.raises(InterruptedError):
        list(nexusfix.orders(day, progress=stop).batches())


@pytest.mark.parametrize("use", ["to_arrow", "to_polars"])
def test_the_lock_of_the_interpreter_is_not_held(use, day):
    """Another thread runs on while one batch is read, which takes long."""
    if use == "to_polars":
        pytest.importorskip("polars")
    log = nexusfix.orders([day] * 40)
    reading = threading.Thread(target=getattr(log, use))
    began = time.perf_counter()
    reading.start()
    longest, last = 0.0, time.perf_counter()
    while reading.is_alive():
        time.sleep(0.001)
        now = time.perf_counter()
        longest, last = max(longest, now - last), now
    assert longest < (now - began) / 2
