#!/usr/bin/env python3
"""Measures the package beside simplefix and QuickFIX's Python package, in one process.

    python_bench.py [--rounds N] [--log FILE] [--command PATH]

It needs nexusfix, and simplefix and quickfix where they are to be compared. The subjects take turns
in each round, with loops over 256 different orders; a figure is the median of the rounds. --log
FILE: also reads this log to Arrow, with ten columns, beside the same rows as CSV by pyarrow, the
other packages with the first 20,000 lines, and `nexusfix export`, if the command has Arrow.
--command: the program nexusfix, for that, and for session_bench.py's round trip of an order.
"""

import argparse
import collections
import functools
import importlib
import itertools
import re
import resource
import shutil
import statistics
import subprocess
import tempfile
import time
import timeit
from decimal import Decimal
from pathlib import Path

import nexusfix
import session_bench
from nexusfix import fix44

ROUNDS = 15
TIME = "20260115-10:30:00.123"
ORDERS = 256  # different ones: ClOrdIDs and quantities are new each time, prices come again
LINES = 20_000  # of a log, for packages that take a second or more for them
MESSAGE = re.compile(rb"8=FIX.*?\x0110=\d{3}\x01")
COLUMNS = ("MsgType", "MsgSeqNum", "SendingTime", "ClOrdID", "Symbol", "Side", "OrderQty", "Price",
           "OrdStatus", "TransactTime")
TAGS = (35, 34, 52, 11, 55, 54, 38, 44, 39, 60)  # those of COLUMNS
HEADER_COLUMNS = 3  # the first ones
OPERATIONS = ("parse", "read four fields", "build", "all three")
SYMBOLS = ("AAPL", "MSFT", "SAP", "BMW", "NESN", "VOD")


def orders():
    """ClOrdID, symbol, quantity and price of each order."""
    return [(f"ORD{number:09}", SYMBOLS[number % len(SYMBOLS)], 100 + 7 * number,
             Decimal(15000 + number % 50) / 100) for number in range(ORDERS)]


class Ours:
    """How a user of the package writes each operation, for one order of a loop."""

    name = "nexusfix"
    parse = "m = parse(data)"
    read = "m[11], m[55], m[54], m[44]"
    build = """made = bytes(NewOrderSingle(
        SenderCompID="ME", TargetCompID="YOU", MsgSeqNum=12, SendingTime=TIME, ClOrdID=name,
        HandlInst="1", Symbol=symbol, Side=BUY, TransactTime=TIME, OrderQty=quantity,
        OrdType="2", Price=price))"""

    def names(self):
        return {"parse": nexusfix.parse, "NewOrderSingle": fix44.NewOrderSingle,
                "BUY": fix44.Side.BUY}


class Simplefix:
    name = "simplefix"
    parse = "p = FixParser(); p.append_buffer(data); m = p.get_message()"
    read = "m.get(11), m.get(55), m.get(54), Decimal(m.get(44).decode())"
    build = """m = FixMessage()
    m.append_pair(8, "FIX.4.4"); m.append_pair(35, "D"); m.append_pair(49, "ME")
    m.append_pair(56, "YOU"); m.append_pair(34, 12); m.append_pair(52, TIME)
    m.append_pair(11, name); m.append_pair(21, "1"); m.append_pair(55, symbol)
    m.append_pair(54, "1"); m.append_pair(60, TIME); m.append_pair(38, quantity)
    m.append_pair(40, "2"); m.append_pair(44, price); made = m.encode()"""

    def __init__(self, module):
        self.module = module

    def texts(self, data):
        """The ten columns of a message, as texts."""
        parser = self.module.FixParser()
        parser.append_buffer(data)
        message = parser.get_message()
        return [value and value.decode() for value in map(message.get, TAGS)]

    def names(self):
        return {"FixParser": self.module.FixParser, "FixMessage": self.module.FixMessage,
                "Decimal": Decimal}


class Quickfix:
    name = "quickfix"
    parse = "m = Message(text, False)"
    read = """a, b, c, d = ClOrdID(), Symbol(), Side(), Price()
    m.getField(a); m.getField(b); m.getField(c); m.getField(d)
    a.getValue(), b.getValue(), c.getValue(), d.getValue()"""
    build = """m = Message(); h = m.getHeader()
    h.setField(BeginString("FIX.4.4")); h.setField(MsgType("D")); h.setField(SenderCompID("ME"))
    h.setField(TargetCompID("YOU")); h.setField(MsgSeqNum(12)); h.setField(StringField(52, TIME))
    m.setField(ClOrdID(name)); m.setField(HandlInst("1")); m.setField(Symbol(symbol))
    m.setField(Side("1")); m.setField(StringField(60, TIME)); m.setField(OrderQty(quantity))
    m.setField(OrdType("2")); m.setField(Price(float(price))); made = m.toString()"""

    def __init__(self, module):
        self.module = module

    def texts(self, data):
        message = self.module.Message(data.decode(), False)
        header = message.getHeader()
        return [part.getField(tag) if part.isSetField(tag) else None for part, tag in
                zip(itertools.chain([header] * HEADER_COLUMNS, itertools.repeat(message)), TAGS)]

    def names(self):
        return vars(self.module)


def timers(subject):
    """A timer by operation, of a loop over all orders."""
    names = {**subject.names(), "TIME": TIME}
    scope = dict(names)
    exec(f"""def build_all(orders):
  for name, symbol, quantity, price in orders:
    {subject.build}
    yield made""", scope)
    own = {**Ours().names(), "TIME": TIME}
    exec(f"""def messages(orders):
  for name, symbol, quantity, price in orders:
    {Ours.build}
    yield made""", own)
    given = orders()
    datas = [(data, data.decode()) for data in own["messages"](given)]
    exec(f"""def parse_all(datas):
  for data, text in datas:
    {subject.parse}
    yield m""", scope)
    scope |= {"given": given, "datas": datas, "read": list(scope["parse_all"](datas)),
              "both": [(*order, *data) for order, data in zip(given, datas, strict=True)]}
    loops = {"parse": f"for data, text in datas:\n    {subject.parse}",
             "read four fields": f"for m in read:\n    {subject.read}",
             "build": f"for name, symbol, quantity, price in given:\n    {subject.build}",
             "all three": "for name, symbol, quantity, price, data, text in both:\n    "
                          + "\n    ".join((subject.parse, subject.read, subject.build))}
    return {operation: timeit.Timer(loop, timer=time.process_time, globals=scope)
            for operation, loop in loops.items()}


def cpu_seconds():
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def cpu_seconds_of(call):
    """Also those of a program that it runs."""
    began = cpu_seconds()
    call()
    return cpu_seconds() - began


def measure(subjects, rounds):
    """Medians in nanoseconds by operation and subject."""
    loops = {(operation, subject.name): timer for subject in subjects
             for operation, timer in timers(subject).items()}
    counts = {key: max(1, int(0.02 / timer.timeit(1))) for key, timer in loops.items()}
    times = {key: [] for key in loops}
    for _ in range(rounds):
        for key, timer in loops.items():
            times[key].append(timer.timeit(counts[key]) / counts[key] / ORDERS * 1e9)
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


def table_by(subject, path):
    """A table of texts: types would take this package longer."""
    import pyarrow

    rows = [subject.texts(found[0]) for found in MESSAGE.finditer(Path(path).read_bytes())]
    return pyarrow.table(dict(zip(COLUMNS, map(list, zip(*rows, strict=True)), strict=True)))


def first_lines(path, folder):
    """A file with the first LINES of a log."""
    made = Path(folder) / "first.log"
    with open(path, "rb") as log:
        made.write_bytes(b"".join(itertools.islice(log, LINES)))
    return made


def measure_log(path, others, command, rounds):
    """Prints GB/s of processor time: those of one core, whatever else the machine does."""
    from pyarrow import csv

    read = nexusfix.read_log(path, fields=COLUMNS)
    with tempfile.TemporaryDirectory() as folder:
        rows = Path(folder) / "rows.csv"
        csv.write_csv(plain(read.to_arrow()), rows)
        alone = csv.ReadOptions(use_threads=False)
        subjects = [("batches of rows", lambda: collections.deque(read.batches(), 0), Path(path)),
                    ("a whole table", read.to_arrow, Path(path)),
                    ("the rows as CSV", lambda: csv.read_csv(rows, alone), rows)]
        first = first_lines(path, folder)
        for other in others:
            subjects.append((other.name, functools.partial(table_by, other, first), first))
        if command:
            words = [command, "export", "--fields", ",".join(COLUMNS), "--arrow",
                     f"{folder}/rows.arrow", path]
            if subprocess.run(words, capture_output=True, check=False).returncode == 0:
                subjects.append(("nexusfix export", lambda: subprocess.run(words, check=True,
                                 capture_output=True), Path(path)))
        speeds = {name: [] for name, _, _ in subjects}
        for _ in range(rounds):
            for name, call, file in subjects:
                speeds[name].append(file.stat().st_size / cpu_seconds_of(call) / 1e9)
        for name, _, file in subjects:
            print(f"{name:17}  {statistics.median(speeds[name]):7.4f} GB/s of "
                  f"{file.stat().st_size / 1e6:,.0f} MB")


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    options.add_argument("--rounds", type=int, default=ROUNDS)
    options.add_argument("--log", help="a log to read to Arrow")
    options.add_argument("--command", default=shutil.which("nexusfix"), help="the program nexusfix")
    given = options.parse_args()
    subjects = [Ours()]
    for kind, name in ((Simplefix, "simplefix"), (Quickfix, "quickfix")):
        try:
            subjects.append(kind(importlib.import_module(name)))
        except ImportError:
            print(f"{name} is not installed, and not compared")
    show(measure(subjects, given.rounds), subjects)
    if given.log:
        measure_log(given.log, subjects[1:], given.command, given.rounds)
    if given.command:
        session_bench.measure(given.command)


if __name__ == "__main__":
    main()
