#!/usr/bin/env python3
"""`nexusfix export`: DuckDB and Polars read what it writes.

    export_command_test.py PATH/nexusfix

Runs with the Python that has duckdb, polars and pyarrow: tools/columns.py prints it.
"""

import datetime
import decimal
import os
import re
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

import command_test
import duckdb
import polars
import pyarrow
from command_test import WithFolder, run

UTC = datetime.timezone.utc


def fix(fields):
    body = fields.replace("|", "\x01").encode("latin-1")
    whole = b"8=FIX.4.4\x019=%d\x01" % len(body) + body
    return whole + b"10=%03d\x01" % (sum(whole) % 256)


ORDER = fix("35=D|34=7|49=T|52=20240115-10:30:00.123456789|56=V|43=N|11=A1|55=SAP|54=1|38=100|"
            "44=150.250|15=EUR|64=20240117|273=10:30:00.5|95=3|96=a\x01b|"
            "453=2|448=P1|447=D|452=24|802=2|523=S1|803=1|523=S2|803=2|448=P2|447=D|452=1|")
REPORT = fix("35=8|34=x|49=V|52=soon|56=T|37=X|11=A1|17=E|150=0|39=0|55=SAP|54=1|44=1e5|58=\xe9|")


class Export(WithFolder):
    def setUp(self):
        super().setUp()
        self.log = self.folder / "messages.log"
        self.log.write_bytes(b"20240115-10:30:00.200345 IN : " + ORDER +
                             b"\n20240115-10:30:01 OUT : " + REPORT + b"\n")

    def export(self, *arguments, status=0):
        done = run("export", *arguments)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def test_duckdb_and_polars_read_the_types_of_the_dictionary(self):
        parquet, arrow = self.folder / "a.parquet", self.folder / "a.arrow"
        fields = "34,43,44,52,64,273,11,58,96,NoPartyIDs"
        done = self.export("--parquet", parquet, "--fields", fields, self.log)
        self.assertEqual(done.stdout, f"2 rows in {parquet}\n")
        for name, misfits in (("MsgSeqNum", 1), ("Price", 1), ("SendingTime", 1)):
            self.assertIn(f"nexusfix export: {name}: {misfits} value is not of the type",
                          done.stderr)
        self.export("--arrow", arrow, "--fields", fields, self.log)
        rows = duckdb.sql(f"select * from '{parquet}' order by byte_offset")
        types = dict(zip(rows.columns, map(str, rows.types)))
        self.assertEqual({name: types[name] for name in ("MsgSeqNum", "PossDupFlag", "Price",
                                                         "SettlDate", "ClOrdID", "RawData")},
                         {"MsgSeqNum": "BIGINT", "PossDupFlag": "BOOLEAN",
                          "Price": "DECIMAL(38,8)", "SettlDate": "DATE", "ClOrdID": "VARCHAR",
                          "RawData": "BLOB"})
        for table in (polars.read_parquet(parquet), polars.read_ipc(arrow)):
            order, report = table.to_dicts()
            self.assertEqual(order["byte_offset"], 30)
            self.assertEqual(order["direction"], "in")
            self.assertEqual(order["time"], datetime.datetime(2024, 1, 15, 10, 30, 0, 200345, UTC))
            self.assertEqual(order["MsgSeqNum"], 7)
            self.assertIs(order["PossDupFlag"], False)
            self.assertEqual(order["Price"], decimal.Decimal("150.25"))
            self.assertEqual(order["SettlDate"], datetime.date(2024, 1, 17))
            self.assertEqual(order["MDEntryTime"], datetime.time(10, 30, 0, 500000))
            self.assertEqual(order["RawData"], b"a\x01b")
            self.assertEqual(table["SendingTime"].dt.timestamp("ns")[0] % 10**9, 123456789)
            parties = order["NoPartyIDs"]
            self.assertEqual([party["PartyID"] for party in parties], ["P1", "P2"])
            self.assertEqual([party["PartyRole"] for party in parties], [24, 1])
            self.assertEqual([sub["PartySubID"] for sub in parties[0]["NoPartySubIDs"]],
                             ["S1", "S2"])
            self.assertIsNone(parties[1]["NoPartySubIDs"])
            self.assertEqual([report[name] for name in ("MsgSeqNum", "Price", "SendingTime",
                                                        "NoPartyIDs")], [None] * 4)
            self.assertEqual(report["Text"], "\\xe9")

    def test_names_of_codes(self):
        path = self.folder / "a.parquet"
        order = fix("35=D|34=1|11=A|18=1 G|40=2|43=N|54=1|59=?|102=99|453=1|448=P|452=24|")
        self.log.write_bytes(order + b"\n")
        self.export("--parquet", path, "--names", "--fields", "18,35,40,43,54,59,102,11,453",
                    self.log)
        row = polars.read_parquet(path).to_dicts()[0]
        self.assertEqual([row[name] for name in (
            "ExecInst", "MsgType", "OrdType", "PossDupFlag", "Side", "TimeInForce",
            "CxlRejReason", "ClOrdID")],
            ["NOT_HELD ALL_OR_NONE", "NewOrderSingle", "LIMIT", False, "BUY", "?", "OTHER", "A"])
        self.assertEqual(row["NoPartyIDs"][0]["PartyRole"], "CUSTOMER_ACCOUNT")

    def test_the_usual_columns_have_what_a_fill_says(self):
        path = self.folder / "a.parquet"
        self.log.write_bytes(fix("35=8|34=1|1=ACC|6=1.5|14=100|151=0|20=0|17=E|") + b"\n")
        self.export("--parquet", path, self.log)
        row = polars.read_parquet(path).to_dicts()[0]
        self.assertEqual([row[name] for name in ("Account", "AvgPx", "CumQty", "LeavesQty",
                                                 "ExecTransType")],
                         ["ACC", decimal.Decimal("1.5"), 100, 0, "0"])

    # docs/guide/export.md shows it, with the volume of a day in a currency of small units.
    def test_the_query_of_the_guide_does_not_overflow(self):
        guide = Path(__file__).resolve().parents[3] / "docs" / "guide" / "export.md"
        query = re.search(r"```sql\n(.*?);\n```", guide.read_text(encoding="utf-8"), re.S)[1]
        path = self.folder / "day.parquet"
        fill = fix("35=8|34=1|150=F|55=X|32=999999999999|31=1234567.12345678|453=1|448=P|")
        self.log.write_bytes((fill + b"\n") * 5)
        self.export("--parquet", path, self.log)
        rows = duckdb.sql(query.replace("day.parquet", str(path))).fetchall()
        self.assertEqual(rows, [("X", "P", 5 * 999999999999 *
                                 decimal.Decimal("1234567.12345678"))])

    def test_a_price_with_more_digits_is_null_unless_the_scale_is_larger(self):
        path = self.folder / "a.parquet"
        self.log.write_bytes(fix("35=D|34=1|44=0.0000000015|") + b"\n")
        done = self.export("--parquet", path, "--fields", "44", self.log)
        self.assertIn("up to 8 digits after the point here, and --scale changes that", done.stderr)
        for scale in (10, 18):
            done = self.export("--parquet", path, "--fields", "44", "--scale", str(scale), self.log)
            self.assertEqual(done.stderr, "")
            self.assertEqual(polars.read_parquet(path)["Price"][0],
                             decimal.Decimal("0.0000000015"))

    def test_a_stream_goes_to_standard_output(self):
        done = subprocess.run([command_test.NEXUSFIX, "export", "--arrow", "-", "--fields", "11",
                               self.log], capture_output=True, check=True)
        table = pyarrow.ipc.open_stream(done.stdout).read_all()
        self.assertEqual(table.column("ClOrdID").to_pylist(), ["A1", "A1"])

    def test_a_device_and_a_pipe_take_each_form(self):
        for form in ("--arrow", "--parquet"):
            done = self.export(form, "/dev/null", "--fields", "11", self.log)
            self.assertEqual((done.stdout, done.stderr), ("2 rows in /dev/null\n", ""))
            pipe = self.folder / "pipe"
            os.mkfifo(pipe)
            with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE) as reader:
                self.export(form, pipe, "--fields", "11", self.log)
                table = (polars.read_ipc if form == "--arrow" else polars.read_parquet)(
                    reader.stdout.read())
            self.assertEqual(table["ClOrdID"].to_list(), ["A1", "A1"])
            pipe.unlink()

    def test_short_fields_and_data_fields_are_in_the_row(self):
        body = "35=D|34=1|49=T|52=20240115-10:30:00|56=V|1=ACC|11=A|"
        cut = fix(body)[:-7] + b"54=1\x01"
        data = fix(body + "95=8|96=a\x0144=9\x01b|44=2|")
        self.log.write_bytes(fix(body + "44=1|") + b"\n" + data + b"\n" + cut + b"\n")
        path = self.folder / "a.parquet"
        self.export("--parquet", path, "--fields", "1,8,10,11,Price,Side,MsgType", self.log)
        table = polars.read_parquet(path)
        self.assertEqual(table["Account"].to_list(), ["ACC"] * 3)
        self.assertEqual(table["BeginString"].to_list(), ["FIX.4.4"] * 3)
        self.assertEqual([text is not None for text in table["CheckSum"]], [True, True, False])
        self.assertEqual(table["Price"].to_list(), [decimal.Decimal(1), decimal.Decimal(2), None])
        self.assertEqual(table["Side"].to_list(), [None, None, "1"])
        self.assertEqual(table["MsgType"].to_list(), ["D"] * 3)

    def test_expressions_and_several_files(self):
        path = self.folder / "a.parquet"
        done = self.export("--parquet", path, "--where", "MsgType=D", "--fields", "ClOrdID",
                           self.log, self.log)
        self.assertEqual(done.stdout, f"2 rows in {path}\n")
        self.assertEqual(polars.read_parquet(path)["file"].to_list(), [str(self.log)] * 2)

    def test_many_rows_in_several_batches(self):
        count = 100_000
        order = fix("35=D|34=1|49=T|52=20240115-10:30:00|56=V|11=A|44=1.5|")
        self.log.write_bytes((order + b"\n") * count)
        path = self.folder / "a.parquet"
        self.export("--parquet", path, self.log)
        self.assertEqual(duckdb.sql(f"select count(*), sum(Price) from '{path}'").fetchall(),
                         [(count, decimal.Decimal("150000"))])

    def test_a_file_that_is_read_is_not_written(self):
        before = self.log.read_bytes()
        link = self.folder / "link"
        link.symlink_to(self.log)
        rotated = self.folder / "messages.log.1"
        rotated.write_bytes(before)
        for form, path, arguments in (("--arrow", self.log, ()), ("--parquet", link, ()),
                                      ("--parquet", rotated, ("--rotated",))):
            done = self.export(form, path, *arguments, self.log, status=2)
            self.assertEqual(done.stderr,
                             f"nexusfix export: {path} is read: write to another file\n")
        self.assertEqual(self.log.read_bytes(), before)
        self.assertEqual(rotated.read_bytes(), before)
        segment = self.folder / "store" / "0000000001.journal"
        segment.parent.mkdir()
        segment.write_bytes(before)
        done = self.export("--arrow", segment, segment.parent, status=2)
        self.assertIn("is read: write to another file", done.stderr)
        self.assertEqual(segment.read_bytes(), before)

    def test_bad_input_and_full_disks_are_one_line_and_leave_no_half_file(self):
        empty = self.write("empty.log", "nothing\0")
        path = self.folder / "a.parquet"
        done = self.export("--parquet", path, empty, status=1)
        self.assertEqual(done.stderr, "nexusfix export: no message\n")
        self.assertEqual(polars.read_parquet(path).height, 0)
        for arguments, expected in (((), "--parquet or --arrow is required"),
                                    (("--parquet", path, "--arrow", path), "--parquet"),
                                    (("--parquet", path, "--fields", "Sybmol"), "Symbol"),
                                    (("--parquet", self.folder / "no/a"), "no/a: ")):
            done = self.export(*arguments, self.log, status=2)
            self.assertIn(expected, done.stderr)
        done = run("export", "--parquet", "/dev/full", self.log)
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stderr,
                         r"\Anexusfix export: /dev/full: .*No space left on device\n\Z")
        limited = subprocess.run(
            ["bash", "-c", 'ulimit -f 8; exec "$0" "$@"', command_test.NEXUSFIX, "export",
             "--arrow", path, self.many()], capture_output=True, text=True, check=False)
        self.assertEqual(limited.returncode, 1)
        self.assertRegex(limited.stderr, r"\Anexusfix export: \S+: .*File too large\n\Z")
        self.assertFalse(path.exists())

    def test_ctrl_c_keeps_the_rows_that_were_read(self):
        path = self.folder / "a.parquet"
        with subprocess.Popen([command_test.NEXUSFIX, "export", "--parquet", path, "-"],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as child:
            self.addCleanup(child.kill)
            child.stdin.write(self.many().read_text())
            child.stdin.flush()
            time.sleep(0.5)  # the last bytes are read, or stay in the pipe: both are allowed
            child.send_signal(signal.SIGINT)
            out, errors = child.stdout.read(), child.stderr.read()
            self.assertEqual(child.wait(command_test.LIMIT_SECONDS), 1, errors)
        self.assertEqual(errors.count("\n"), 1, errors)
        rows = polars.read_parquet(path).height
        self.assertEqual(out, f"{rows:,} rows in {path}\n")
        self.assertGreater(rows, 0)

    def many(self):
        log = self.folder / "many.log"
        log.write_bytes(b"".join(fix(f"35=D|34={number}|49=T|56=V|11=A{number}|") + b"\n"
                                 for number in range(50_000)))
        return log


if __name__ == "__main__":
    command_test.NEXUSFIX = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
