#!/usr/bin/env python3
"""What each process of a cluster needs: CPU time without orders and for an order, memory, and WAL.
It starts the servers of tests/faults/drills, as root, and reads the kernel's accounts of each
process, so that other programs on the machine change the times little.

    cluster_cost.py NEXUSFIX [--sessions 1000] [--seconds 20]
"""

import argparse
import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "faults" / "drills"))
import hosts  # noqa: E402  pylint: disable=wrong-import-position
from cluster import DISKS, Cluster  # noqa: E402  pylint: disable=wrong-import-position

PROGRAMS = ["etcd", "haproxy", "initdb", "pg_basebackup", "postgres", "psql"]
TICKS = os.sysconf("SC_CLK_TCK")


def cpu_seconds(program):
    """Of the process, its children, and those that have ended."""
    total = 0
    for process in program.processes():
        try:
            fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        total += sum(int(one) for one in fields[11:15])
    return total / TICKS


def mebibytes(program):
    """Memory, of which each process counts its part."""
    total = 0
    for process in program.processes():
        try:
            lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
        except OSError:
            continue
        total += sum(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return total / 1024


def measure(cluster, seconds):
    """CPU seconds of each program in this time, and how many orders were finished."""
    before = {one: cpu_seconds(one) for one in cluster.programs()}
    orders, began = cluster.trader.counts()[2], time.monotonic()
    cluster.pause(seconds)
    took = time.monotonic() - began
    return ({one: cpu_seconds(one) - before[one] for one in cluster.programs()},
            cluster.trader.counts()[2] - orders, took)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("nexusfix", type=os.path.abspath)
    parser.add_argument("--sessions", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=20)
    options = parser.parse_args()
    reason = hosts.enter_namespaces(PROGRAMS)
    if reason:
        sys.exit(f"cluster_cost: {reason}")
    DISKS.update(db1="6g", db2="6g", client="6g")
    options.rate, options.build, options.mock = 0, None, None
    cluster = Cluster(options, hosts.FOLDER)
    for one in cluster.nodes:
        with one.config.open("a") as config:
            for number in range(1, options.sessions):
                config.write(f"[SESSION]\nTargetCompID=T{number}\n")
        one.environment.pop("LD_PRELOAD", None)
    cluster.trader.command = cluster.trader.trade(100_000_000, "--window=700", "--progress=100")
    cluster.start()
    cluster.settle()
    cluster.pause(2)
    primary, (owner, other) = cluster.primary(), cluster.owner()
    wal = int(primary.sql("SELECT pg_current_wal_lsn() - '0/0'"))
    busy, orders, took = measure(cluster, options.seconds)
    wal = int(primary.sql("SELECT pg_current_wal_lsn() - '0/0'")) - wal
    connections = primary.sql("SELECT count(*) FROM pg_stat_activity WHERE client_addr = '"
                              f"{owner.host.address}'")
    waiting = primary.sql("SELECT count(*) FROM pg_stat_activity WHERE client_addr = '"
                          f"{other.host.address}'")
    cluster.trader.freeze()
    cluster.pause(2)
    idle, _, idle_took = measure(cluster, options.seconds)
    names = {owner: "owner", other: "waiting engine", primary: "primary",
             primary.peer: "standby of the database"}
    print(f"{options.sessions} sessions, {orders / took:,.0f} orders a second, "
          f"{wal / orders:,.0f} bytes of WAL an order; connections to the database: {connections} "
          f"of the owner, {waiting} of the waiting engine")
    print(f"{'process':<26}{'MiB':>8}{'idle, % of a core':>20}{'us an order':>14}")
    for one in cluster.programs():
        print(f"{names.get(one, one.name):<26}{mebibytes(one):>8.0f}"
              f"{100 * idle[one] / idle_took:>20.1f}{1e6 * busy[one] / orders:>14.1f}")


if __name__ == "__main__":
    main()
