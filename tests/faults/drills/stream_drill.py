#!/usr/bin/env python3
"""Kills and freezes the audit stream and its brokers while orders flow, and checks at the end that
the topic has every message of both journals once, and marks the others as repeated.

    stream_drill.py --nexusfix PATH --consumer PATH (--mock PATH | --build FOLDER)
                    [--rounds 20] [--seed N]

--mock: librdkafka's mock brokers, which are quick. --build: a real broker of Kafka, whose jars
Maven puts into this folder.

A venue and a trader keep both directions (JournalInbound=Y). Each round strikes once at a random
moment: kill -9 of the stream, freeze of the stream, kill -9 and restart of the broker, freeze of
the broker, kill -9 of the venue. The seed is printed.
"""

import argparse
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

from audit import Consumer, Stream
from brokers import KafkaBroker, MockBrokers, free_port, kafka_jars
from history import LIMIT_SECONDS, Failure, check_audit, stored_messages

# Orders of a run of the trader, and seconds between two runs. The mock brokers keep 5 MB.
PACE = (400, 0)
PACE_OF_MOCK = (40, 0.3)


class Engines:
    """A venue, and a trader that sends orders all the time."""

    def __init__(self, nexusfix, folder, pace):
        self.nexusfix = nexusfix
        self.folder = folder
        self.orders_of_a_run, self.pause = pace
        self.port = free_port()
        common = "JournalInbound=Y\nReconnectInterval=1\n[SESSION]\nBeginString=FIX.4.4\n"
        (folder / "venue.cfg").write_text(
            "[DEFAULT]\nConnectionType=acceptor\nSocketAcceptHost=127.0.0.1\n"
            f"SocketAcceptPort={self.port}\nFileStorePath={folder}/venue\n{common}"
            "SenderCompID=VENUE\nTargetCompID=TRADER\n")
        (folder / "trader.cfg").write_text(
            "[DEFAULT]\nConnectionType=initiator\nSocketConnectHost=127.0.0.1\n"
            f"SocketConnectPort={self.port}\nFileStorePath={folder}/trader\n{common}"
            "SenderCompID=TRADER\nTargetCompID=VENUE\nHeartBtInt=5\n")
        self.log = (folder / "engines.log").open("w")
        self.orders = 0
        self.is_ending = threading.Event()
        self.start_venue()
        self.trade_once()
        self.thread = threading.Thread(target=self.trade)
        self.thread.start()

    def start_venue(self):
        self.venue = subprocess.Popen([self.nexusfix, "serve", self.folder / "venue.cfg"],
                                      stdout=subprocess.PIPE, stderr=self.log, text=True)
        self.venue.stdout.readline()

    def kill_venue(self):
        self.venue.kill()
        self.venue.wait()
        self.venue.stdout.close()
        self.start_venue()

    def trade_once(self):
        self.orders += self.orders_of_a_run
        subprocess.run([self.nexusfix, "trade", self.folder / "trader.cfg", "--stream",
                        f"--orders={self.orders}", f"--report={self.folder}/reports"],
                       stdout=self.log, stderr=self.log, check=True, timeout=LIMIT_SECONDS)

    def trade(self):
        while not self.is_ending.is_set():
            self.trade_once()
            time.sleep(self.pause)

    def end(self):
        self.is_ending.set()
        self.thread.join()
        self.venue.terminate()
        self.venue.wait()
        self.venue.stdout.close()
        self.log.close()


def strike(kind, engines, stream, brokers, chance):
    if kind == "stream killed":
        stream.kill()
        time.sleep(chance.uniform(0, 0.3))
        stream.start()
    elif kind == "stream frozen":
        stream.process.send_signal(signal.SIGSTOP)
        time.sleep(chance.uniform(0.2, 1.5))
        stream.process.send_signal(signal.SIGCONT)
    elif kind == "broker killed":
        brokers.restart()
    elif kind == "broker frozen":
        brokers.signal(signal.SIGSTOP)
        time.sleep(chance.uniform(0.2, 3))
        if chance.random() < 0.5:
            stream.kill()
            stream.start()
        brokers.signal(signal.SIGCONT)
    else:
        engines.kill_venue()
    if stream.process.poll() is not None:
        raise Failure(f"the stream ended with status {stream.process.returncode}:\n"
                      + stream.events.read_text()[-2000:])


def run(arguments, folder):
    chance = random.Random(arguments.seed)
    if arguments.mock:
        brokers = MockBrokers(arguments.mock)
    else:
        brokers = KafkaBroker(kafka_jars(arguments.build.resolve()), folder / "kafka")
    kinds = ["stream killed", "stream frozen", "broker killed", "broker frozen", "venue killed"]
    struck = Counter()
    engines = Engines(arguments.nexusfix, folder, PACE_OF_MOCK if arguments.mock else PACE)
    stream = Stream(arguments.nexusfix, brokers.address, [folder / "venue", folder / "trader"],
                    folder / "stream.log")
    consumer = Consumer(arguments.consumer, brokers.address, folder / "consumed")
    try:
        for number in range(arguments.rounds):
            time.sleep(chance.uniform(0.05, 1.0))
            # Every kind comes, and a killed stream is the most frequent.
            kind = kinds[number % len(kinds)] if number % 2 == 0 else "stream killed"
            struck[kind] += 1
            strike(kind, engines, stream, brokers, chance)
        engines.end()
        stream.end()
        stored = [message for name in ("venue", "trader")
                  for message in stored_messages(arguments.nexusfix, folder / name)]
        repeated = check_audit(stored, consumer.end(3 if arguments.mock else 8))
    finally:
        engines.is_ending.set()
        stream.process.kill()
        stream.process.wait()
        engines.venue.kill()
        consumer.process.kill()
        consumer.process.wait()
        brokers.end()
    for kind in kinds:
        print(f"{kind}: {struck[kind]}")
    print(f"{len(stored)} messages of both journals arrived; {repeated} were repeated, and marked")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--nexusfix", required=True, type=Path)
    parser.add_argument("--consumer", required=True, type=Path)
    parser.add_argument("--mock", type=Path)
    parser.add_argument("--build", type=Path)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    arguments = parser.parse_args()
    print(f"seed {arguments.seed}", flush=True)
    with tempfile.TemporaryDirectory() as name:
        try:
            run(arguments, Path(name))
        except Failure as failure:
            sys.exit(f"stream_drill: {failure}")


if __name__ == "__main__":
    main()
