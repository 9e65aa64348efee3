#!/usr/bin/env python3
"""Measures `nexusfix stream`: what it costs an order, and how fast it is.

    bench/stream_cost.py NEXUSFIX BROKERS [ROUNDS]

BROKERS: the address of a running broker of Kafka on this machine; the topics begin with bench-.

A venue that keeps both directions, and a trader that sends 20,000 orders one at a time, over
loopback. Each round measures without and with a stream of the venue's journal, in changing order.
Prints P50 and P99 of the best of ROUNDS (6) rounds: another program of the machine makes a round
slower, never faster. Then the journal of 100,000 streamed orders is sent in each format.
"""

import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ORDERS = 20_000
STREAMED_ORDERS = 100_000


class Engines:
    def __init__(self, nexusfix, folder):
        self.nexusfix = nexusfix
        self.folder = folder
        config = folder / "venue.cfg"
        config.write_text(
            "[DEFAULT]\nConnectionType=acceptor\nSocketAcceptHost=127.0.0.1\nSocketAcceptPort=0\n"
            f"FileStorePath={folder}/venue\nJournalInbound=Y\n"
            "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=TRADER\n")
        self.venue = subprocess.Popen([nexusfix, "serve", config], stdout=subprocess.PIPE,
                                      stderr=subprocess.DEVNULL, text=True)
        port = int(self.venue.stdout.readline().split()[-1])
        (folder / "trader.cfg").write_text(
            "[DEFAULT]\nConnectionType=initiator\nSocketConnectHost=127.0.0.1\n"
            f"SocketConnectPort={port}\nFileStorePath={folder}/trader\n[SESSION]\n"
            "BeginString=FIX.4.4\nSenderCompID=TRADER\nTargetCompID=VENUE\nHeartBtInt=30\n")

    def trade(self, *arguments):
        return subprocess.run([self.nexusfix, "trade", self.folder / "trader.cfg", *arguments],
                              capture_output=True, text=True, check=True).stdout

    def end(self):
        self.venue.terminate()
        self.venue.wait()
        self.venue.stdout.close()


def stream_command(nexusfix, brokers, topic, folder, *more):
    return [nexusfix, "stream", "--kafka", brokers, "--topic", topic, *more, folder / "venue"]


def measure(nexusfix, brokers, has_stream):
    """P50 and P99 of the round trips, in ns."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        engines = Engines(nexusfix, folder)
        if has_stream:
            stream = subprocess.Popen(
                stream_command(nexusfix, brokers, "bench-live", folder, "-f"),
                stderr=subprocess.DEVNULL)
        shown = engines.trade(f"--orders={ORDERS}", f"--one-at-a-time={ORDERS}", "--results")
        if has_stream:
            stream.terminate()
            if stream.wait() != 0:
                sys.exit("the stream failed")
        engines.end()
    line = next(one for one in shown.splitlines() if one.startswith("round_trips"))
    times = sorted(int(one) for one in line.split()[1:])
    return times[len(times) // 2], times[len(times) * 99 // 100]


def measure_speed(nexusfix, brokers, formats):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        engines = Engines(nexusfix, folder)
        engines.trade("--stream", f"--orders={STREAMED_ORDERS}")
        engines.end()
        for form in formats:
            command = stream_command(nexusfix, brokers, f"bench-{form}", folder, "--format", form,
                                     "--cursor", form)
            before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            seconds = time.monotonic() - begin
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            if done.returncode != 0:
                print(f"{form:6} {done.stderr.strip()}")
                continue
            count = int(re.search(r"([\d,]+) messages acknowledged", done.stderr)[1]
                        .replace(",", ""))
            cpu = sum(getattr(after, one) - getattr(before, one)
                      for one in ("ru_utime", "ru_stime"))
            print(f"{form:6} {count:,} messages in {seconds:.2f} s, "
                  f"{count / seconds:,.0f} a second, {cpu / count * 1e6:.2f} us of CPU time each")


def main():
    nexusfix, brokers = sys.argv[1:3]
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 6
    results = {False: [], True: []}
    for number in range(rounds):
        for has_stream in sorted(results, reverse=number % 2 == 1):
            results[has_stream].append(measure(nexusfix, brokers, has_stream))
    for has_stream, figures in results.items():
        p50, p99 = (min(one[at] for one in figures) / 1000 for at in (0, 1))
        print(f"{'with' if has_stream else 'without'} a stream: P50 {p50:.1f} us, P99 {p99:.1f} us")
    measure_speed(nexusfix, brokers, ("raw", "json", "arrow"))


if __name__ == "__main__":
    main()
