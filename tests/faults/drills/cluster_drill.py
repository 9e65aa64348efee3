#!/usr/bin/env python3
"""Kills, freezes and cuts off the parts of a cluster, fills their disks and steps their clocks,
while orders flow, and checks the history from both counterparties' views.

    cluster_drill.py --nexusfix PATH [--consumer PATH (--mock PATH | --build FOLDER)]
                     [--quick | --rounds 40] [--kind NAME]... [--seed N] [--late SECONDS]

Real servers, each on a machine (a network namespace) and with a disk (a tmpfs) of its own: two
engines, PostgreSQL with a synchronous standby, three members of etcd, a front door on each node,
HAProxy before them, two traders, one of them with many orders in flight, and the audit stream of
their journals.

--quick: each quick kind of fault once. --rounds: each kind in turn, in an order of chance. --kind:
these alone, by their names. --late: a take-over may take this much longer than it is stated. --mock
and --build: the brokers, as of stream_drill.py. The seed, which is printed, repeats the faults and
their order. Status 77: this machine can run no drill; the reason is printed.
"""

import argparse
import os
import random
import shutil
import sys
import tempfile
import time
from pathlib import Path

import hosts
from cluster import Cluster
from faults import KINDS
from history import (Failure, Wire, by_number, check_audit, check_executions, check_orders,
                     check_session, read_book, read_reports, stored_messages)
from servers import Engine

PROGRAMS = ["etcd", "haproxy", "initdb", "pg_basebackup", "postgres", "psql"]
QUANTITIES = [100, 100]  # of the trader's pairs
SKIPPED = 77


class Round:
    """What one fault did: the time of its begin and end, and how long a take-over took."""

    def __init__(self, kind, began, ended, took):
        self.kind, self.began, self.ended, self.took = kind, began, ended, took
        self.outage = 0.0

    def measure(self, reports):
        """The longest time without a new report, from the last one before the fault."""
        before = [one for one in reports if one < self.began][-1:]
        times = before + [one for one in reports if self.began <= one <= self.ended]
        self.outage = max((later - one for one, later in zip(times, times[1:])), default=0.0)


def planned(options, chance):
    kinds = [one for one in KINDS.values()
             if (not options.kind or one.name in options.kind)
             and (not options.quick or one.is_quick)
             and (not one.needs or getattr(options, one.needs))]
    if options.quick:
        return chance.sample(kinds, len(kinds))
    plan = []
    while len(plan) < options.rounds:
        plan += chance.sample(kinds, len(kinds))
    return plan[:options.rounds]


def strike(cluster, kind, options, chance):
    cluster.pause(chance.uniform(0, 0.5))
    cluster.wait_for_orders()
    time.sleep(chance.uniform(0, 0.05))
    began = time.time()
    took = kind.strike(cluster, chance)
    settled = cluster.settle()
    done = Round(kind, began, time.time(), took)
    text = "" if took is None else f"taken over after {took:.2f} s of {kind.stated}; "
    print(f"{kind.name}: {text}all is well {settled:.1f} s later", flush=True)
    if took is not None and took > kind.stated + options.late:
        raise Failure(f"{kind.name}: the take-over took {took:.2f} s, and {kind.stated} s are "
                      "stated")
    return done


def check(cluster, options, orders):
    """Both views, and the audit's; a line for the result. orders: of each trader."""
    venue_config = cluster.nodes[0].config
    venue = stored_messages(options.nexusfix, venue_config)
    wires, journals, reports, repeated = [], [], [], 0
    for trader, count in zip(cluster.traders, orders):
        reports.append(read_reports(trader.reports))
        check_orders(read_book(options.nexusfix, venue_config, trader.session), reports[-1], count,
                     QUANTITIES)
        own = stored_messages(options.nexusfix, trader.journal)
        journals += own
        wires.append(Wire(trader.messages))
        repeated += check_session(wires[-1], reports[-1], by_number(venue, "out", trader.session),
                                  by_number(own, "out"), by_number(own, "in"))
    check_executions(*reports)
    text = (f"{sum(orders)} orders of {len(orders)} sessions, {sum(map(len, reports))} reports: "
            "none lost, none filled twice; the database, the traders' journals and "
            f"{sum(len(one.messages) for one in wires)} messages of the wire agree, {repeated} of "
            "them repeated")
    if cluster.consumer:
        marked = check_audit(journals, cluster.consumer.end(3 if options.mock else 8))
        text += f"; the topic has all {len(journals)} messages, and {marked} marked as repeated"
    return wires[0], text


def print_table(rounds):
    print(f"{'fault':<48}{'rounds':>7}{'take-over':>11}{'stated':>8}{'no report':>11}")
    for kind in KINDS.values():
        mine = [one for one in rounds if one.kind is kind]
        if not mine:
            continue
        took = [one.took for one in mine if one.took is not None]
        worst = f"{max(took):.2f} s" if took else "-"
        stated = f"{kind.stated} s" if kind.stated else "-"
        print(f"{kind.name:<48}{len(mine):>7}{worst:>11}{stated:>8}"
              f"{max(one.outage for one in mine):>9.2f} s")


def run(options, folder):
    chance = random.Random(options.seed)
    cluster = Cluster(options, folder)
    began = time.monotonic()
    try:
        cluster.start()
        cluster.settle()
        print(f"all servers run after {time.monotonic() - began:.1f} s", flush=True)
        rounds = [strike(cluster, kind, options, chance) for kind in planned(options, chance)]
        orders = cluster.finish()
        wire, text = check(cluster, options, orders)
    except Failure:
        print(cluster.describe())
        raise
    reports = wire.times_of_reports()
    for one in rounds:
        one.measure(reports)
    print_table(rounds)
    print(text)


def main():
    parser = argparse.ArgumentParser()
    # The programs run in the root folder.
    parser.add_argument("--nexusfix", required=True, type=os.path.abspath)
    parser.add_argument("--consumer", type=os.path.abspath)
    parser.add_argument("--mock", type=os.path.abspath)
    parser.add_argument("--build", type=Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--kind", action="append", choices=[*KINDS])
    parser.add_argument("--rate", type=int, default=100, help="orders a second")
    parser.add_argument("--late", type=float, default=60)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    options = parser.parse_args()
    sys.argv += ["--seed", str(options.seed)]
    reason = hosts.enter_namespaces(PROGRAMS)
    if reason:
        print(f"skipped: {reason}")
        sys.exit(SKIPPED)
    print(f"seed {options.seed}", flush=True)
    options.clocks = Engine.can_fake_clock()
    try:
        run(options, hosts.FOLDER)
    except Failure as failure:
        kept = tempfile.mkdtemp(prefix="nexusfix-drill-")
        for path in [*hosts.FOLDER.glob("*.log"), *hosts.FOLDER.glob("*.out")]:
            shutil.copy(path, kept)
        sys.exit(f"cluster_drill: {failure}\nseed {options.seed}; logs are kept in {kept}")


if __name__ == "__main__":
    main()
