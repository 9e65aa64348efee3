#!/usr/bin/env python3
"""Measures the package beside simplefix and QuickFIX's Python package, in one process.

    python_bench.py [--rounds N] [--log FILE]

It needs nexusfix, and simplefix and quickfix where they are to be compared. The subjects take turns
in each round; a figure is the median of the rounds. --log FILE: also reads this log to Arrow, with
ten columns, and the same rows as CSV by pyarrow.
"""

import argparse
import importlib
import statistics
import tempfile
import time
from decimal import Decimal
from pathlib import Path

import nexusfix
from nexusfix import fix44

ROUNDS = 15
TIME = "20260115-10:30:00.123"
PRICE = Decimal("150.25")
COLUMNS = ("MsgType", "MsgSeqNum", "SendingTime", "ClOrdID", "Symbol", "Side", "OrderQty", "Price",
           "OrdStatus", "TransactTime")
OPERATIONS = ("parse", "read four fields", "build", "all three")


class Ours:
    name = "nexusfix"

    def build(self):
        return bytes(fix44.NewOrderSingle(
            SenderCompID="ME", TargetCompID="YOU", MsgSeqNum=12, SendingTime=TIME, ClOrdID="A1",
            HandlInst="1", Symbol="AAPL", Side=fix44.Side.BUY, TransactTime=TIME, OrderQty=100,
            OrdType="2", Price=PRICE))

    def parse(self, data):
        return nexusfix.parse(data)

    def read(self, message):
        return message[11], message[55], message[54], message[44]


class Simplefix:
    name = "simplefix"

    def __init__(self, module):
        self.module = module

    def build(self):
        message = self.module.FixMessage()
        for tag, value in ((8, "FIX.4.4"), (35, "D"), (49, "ME"), (56, "YOU"), (34, 12),
                           (52, TIME), (11, "A1"), (21, "1"), (55, "AAPL"), (54, "1"), (60, TIME),
                           (38, 100), (40, "2"), (44, "150.25")):
            message.append_pair(tag, value)
        return message.encode()

    def parse(self, data):
        parser = self.module.FixParser()
        parser.append_buffer(data)
        return parser.get_message()

    def read(self, message):
        return message.get(11), message.get(55), message.get(54), Decimal(message.get(44).decode())


class Quickfix:
    name = "quickfix"

    def __init__(self, module):
        self.module = module

    def build(self):
        fix = self.module
        message = fix.Message()
        header = message.getHeader()
        for field in (fix.BeginString("FIX.4.4"), fix.MsgType("D"), fix.SenderCompID("ME"),
                      fix.TargetCompID("YOU"), fix.MsgSeqNum(12), fix.StringField(52, TIME)):
            header.setField(field)
        for field in (fix.ClOrdID("A1"), fix.HandlInst("1"), fix.Symbol("AAPL"), fix.Side("1"),
                      fix.StringField(60, TIME), fix.OrderQty(100), fix.OrdType("2"),
                      fix.Price(150.25)):
            message.setField(field)
        return message.toString()

    def parse(self, data):
        return self.module.Message(data.decode(), False)

    def read(self, message):
        fix = self.module
        fields = fix.ClOrdID(), fix.Symbol(), fix.Side(), fix.Price()
        for field in fields:
            message.getField(field)
        return [field.getValue() for field in fields]


def seconds_of(call, count):
    began = time.process_time()
    for _ in range(count):
        call()
    return (time.process_time() - began) / count


def measure(subjects, rounds):
    """Medians in nanoseconds by operation and subject."""
    data = Ours().build()
    calls = {}
    for subject in subjects:
        message = subject.parse(data)
        calls["parse", subject.name] = lambda s=subject: s.parse(data)
        calls["read four fields", subject.name] = lambda s=subject, m=message: s.read(m)
        calls["build", subject.name] = subject.build
        calls["all three", subject.name] = lambda s=subject: (s.read(s.parse(data)), s.build())
    counts = {key: max(20, int(0.02 / seconds_of(call, 50))) for key, call in calls.items()}
    times = {key: [] for key in calls}
    for _ in range(rounds):
        for key, call in calls.items():
            times[key].append(seconds_of(call, counts[key]) * 1e9)
    return {key: statistics.median(values) for key, values in times.items()}


def show(medians, subjects):
    for operation in OPERATIONS:
        ours = medians[operation, Ours.name]
        text = f"{operation:17}"
        for subject in subjects:
            value = medians[operation, subject.name]
            text += f"  {subject.name} {value:9,.0f} ns"
            if subject.name != Ours.name:
                text += f" ({value / ours:5.1f} x)"
        print(text)


def plain(table):
    """Without dictionaries, which a CSV file cannot have."""
    import pyarrow

    fields = [pyarrow.field(f.name, f.type.value_type
                            if pyarrow.types.is_dictionary(f.type) else f.type)
              for f in table.schema]
    return table.cast(pyarrow.schema(fields))


def measure_log(path, rounds):
    """Prints GB/s of processor time: those of one core, whatever else the machine does."""
    from pyarrow import csv

    read = nexusfix.read_log(path, fields=COLUMNS)
    with tempfile.TemporaryDirectory() as folder:
        rows = Path(folder) / "rows.csv"
        csv.write_csv(plain(read.to_arrow()), rows)
        alone = csv.ReadOptions(use_threads=False)
        for name, call, file in (("log to Arrow", read.to_arrow, Path(path)),
                                 ("the rows as CSV", lambda: csv.read_csv(rows, alone), rows)):
            size = file.stat().st_size
            speeds = [size / seconds_of(call, 1) / 1e9 for _ in range(rounds)]
            print(f"{name:17}  {statistics.median(speeds):5.2f} GB/s of {size / 1e6:,.0f} MB")


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    options.add_argument("--rounds", type=int, default=ROUNDS)
    options.add_argument("--log", help="a log to read to Arrow")
    given = options.parse_args()
    subjects = [Ours()]
    for kind, name in ((Simplefix, "simplefix"), (Quickfix, "quickfix")):
        try:
            subjects.append(kind(importlib.import_module(name)))
        except ImportError:
            print(f"{name} is not installed, and not compared")
    show(measure(subjects, given.rounds), subjects)
    if given.log:
        measure_log(given.log, given.rounds)


if __name__ == "__main__":
    main()
