#!/usr/bin/env python3
"""Measures the round trip of an order from asyncio beside that of the C++ trader, at one venue.

    session_bench.py --command PATH [--orders N] [--rounds N]

--command: the program `nexusfix`. `nexusfix serve` is the venue. In each round, `nexusfix trade`
and then Python send orders one at a time; a round trip is from the call of send to the first
report. The figures are the medians of the rounds.
"""

import argparse
import asyncio
import datetime
import re
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

import nexusfix
from nexusfix import fix44

LISTENS = re.compile(r"listening on port (\d+)")
ROUND_TRIP = re.compile(r"round trip P50 ([\d.,]+) (ns|µs|ms)")
MICROSECONDS = {"ns": 0.001, "µs": 1, "ms": 1000}
WARM_UP_SHARE = 0.1


def initiator(folder, name, port):
    return {"ConnectionType": "initiator", "BeginString": "FIX.4.4", "SenderCompID": name,
            "TargetCompID": "VENUE", "SocketConnectHost": "127.0.0.1", "SocketConnectPort": port,
            "HeartBtInt": 30, "FileStorePath": folder / name}


def write_settings(file, keys, sessions=({},)):
    def lines_of(section):
        return "".join(f"{key}={value}\n" for key, value in section.items())
    file.write_text("[DEFAULT]\n" + lines_of(keys)
                    + "".join("[SESSION]\n" + lines_of(one) for one in sessions), encoding="utf-8")
    return file


def start_venue(command, folder, traders):
    keys = {"ConnectionType": "acceptor", "BeginString": "FIX.4.4", "SenderCompID": "VENUE",
            "SocketAcceptHost": "127.0.0.1", "SocketAcceptPort": 0,
            "FileStorePath": folder / "venue"}
    file = write_settings(folder / "venue.cfg", keys, [{"TargetCompID": one} for one in traders])
    venue = subprocess.Popen([command, "serve", file], stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, text=True, bufsize=1)
    for line in venue.stdout:
        if found := LISTENS.search(line):
            return venue, int(found[1])
    raise SystemExit("the venue does not listen")


def trader_p50(command, folder, name, port, orders):
    file = write_settings(folder / f"{name}.cfg", initiator(folder, name, port))
    done = subprocess.run([command, "trade", file, "--orders", str(orders)], capture_output=True,
                          text=True, check=True)
    found = ROUND_TRIP.search(done.stdout)
    return float(found[1].replace(",", "")) * MICROSECONDS[found[2]]


def order(number):
    side = fix44.Side.BUY if number % 2 == 0 else fix44.Side.SELL  # each pair fills
    return fix44.NewOrderSingle(
        ClOrdID=f"P{number}", Symbol="AAPL", Side=side, OrderQty=100, OrdType=fix44.OrdType.LIMIT,
        Price=100, TransactTime=datetime.datetime.now(datetime.timezone.utc))


async def python_times(folder, name, port, orders):
    """Seconds from send() to the first report of each order."""
    times = []
    async with nexusfix.Initiator(initiator(folder, name, port)) as client:
        reports = aiter(client)
        for number in range(orders):
            message = order(number)
            began = time.perf_counter()
            client.send(message)
            while (await anext(reports))["ClOrdID"] != message["ClOrdID"]:
                pass
            times.append(time.perf_counter() - began)
    return times[int(orders * WARM_UP_SHARE):]


def measure(command, orders=2000, rounds=5):
    """Prints the medians of the rounds."""
    ours, theirs = [], []
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        names = [f"{kind}{number}" for number in range(rounds) for kind in ("CPP", "PY")]
        venue, port = start_venue(command, folder, names)
        try:
            for number in range(rounds):
                theirs.append(trader_p50(command, folder, f"CPP{number}", port, orders))
                times = asyncio.run(python_times(folder, f"PY{number}", port, orders))
                ours.append(statistics.median(times) * 1e6)
        finally:
            venue.terminate()
            venue.wait()
    cpp, python = statistics.median(theirs), statistics.median(ours)
    print(f"P50 of the round trip: C++ trader {cpp:.1f} µs, asyncio {python:.1f} µs, "
          f"{python - cpp:.1f} µs more")


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    options.add_argument("--command", required=True, help="the program nexusfix")
    options.add_argument("--orders", type=int, default=2000)
    options.add_argument("--rounds", type=int, default=5)
    given = options.parse_args()
    measure(given.command, given.orders, given.rounds)


if __name__ == "__main__":
    main()
