"""What a cluster consists of, each on a machine of its own: PostgreSQL with a synchronous standby,
three members of etcd, engines, front doors, HAProxy and a trader."""

import base64
import json
import os
import shutil
import subprocess
import time
import urllib.error
import urllib.request
from pathlib import Path

from history import LIMIT_SECONDS, Failure
from hosts import NETWORK, Program, find_program, system, wait_until

ROOT = Path(__file__).resolve().parents[3]
USER = "postgres"
FAKETIME = f"/usr/lib/{os.uname().machine}-linux-gnu/faketime/libfaketimeMT.so.1"
LEASE_SECONDS = 3
OUTAGE_SECONDS = 15  # of the database
ANSWER_SECONDS = OUTAGE_SECONDS // 3  # the engine derives it
CLUSTER, SHARD = "nexusfix", "s1"
POSTGRES_SETTINGS = """
listen_addresses = '{address}'
unix_socket_directories = '{folder}'
synchronous_standby_names = '{peer}'
shared_buffers = 16MB
max_connections = 40
min_wal_size = 2MB
max_wal_size = 32MB
wal_sender_timeout = 3s
wal_receiver_timeout = 3s
wal_retrieve_retry_interval = 200ms
"""
ENGINE_SETTINGS = """[DEFAULT]
ConnectionType=acceptor
SocketAcceptPort=5001
UseTCPProxy=Y
TrustedProxies={doors}
Store=postgresql
FileStorePath={folder}/store
FileLogPath={folder}/log
LogMaxBytes=1000000
LogKeepFiles=2
ControlSocket={folder}/control
PostgreSQLStoreHost={databases}
PostgreSQLStoreUser={user}
PostgreSQLStoreDatabase=postgres
PostgreSQLStoreSchema=s1
PostgreSQLStoreStandby=strict
PostgreSQLStoreConnection=connect_timeout=2
PostgreSQLStoreOutageTimeout={outage}
ClusterShard={shard}
ClusterNode={node}
ClusterName={cluster}
ClusterEtcd={etcd}
ClusterLeaseSeconds={lease}
ThrottleMessages={rate}
BeginString=FIX.4.4
SenderCompID=VENUE
"""
# The sessions: the most orders of each that are unanswered at a time.
WINDOWS = {"TRADER": 4, "DEEP": 200}
TRADER_SETTINGS = """[DEFAULT]
ConnectionType=initiator
SocketConnectHost={door}
SocketConnectPort=5001
ReconnectInterval=1
HeartBtInt=2
JournalInbound=Y
FileStorePath={folder}/journal
FileLogPath={folder}/log
LogMaxBytes=0
[SESSION]
BeginString=FIX.4.4
SenderCompID={name}
TargetCompID=VENUE
"""


class Postgres(Program):
    """A server with a peer: one of the two is the primary, and the other one its standby."""

    def __init__(self, host):
        self.data, self.settings = host.folder / "data", host.folder / "postgresql.conf"
        super().__init__(host.name, host, ["postgres", "-D", self.data, "-c",
                                           f"config_file={self.settings}"], user=USER)
        self.peer = None
        shutil.chown(host.folder, USER, USER)

    def tool(self, name, *arguments):
        """Runs a program of PostgreSQL as its user."""
        system(*self.host.inside("setpriv", f"--reuid={USER}", f"--regid={USER}",
                                 "--clear-groups", "--", find_program(name), *arguments))

    def make(self):
        self.tool("initdb", "--no-sync", "--wal-segsize=1", "-U", USER, "-A", "trust", "--locale=C",
                  "-D", self.data)
        with (self.data / "pg_hba.conf").open("a") as file:
            file.write(f"host all,replication all {NETWORK}.0/24 trust\n")
        self.start()

    def start(self):
        """With its own file, which no copy of the data has, as docs/operations/standby.md says."""
        if not self.settings.exists():
            self.settings.write_text(POSTGRES_SETTINGS.format(
                address=self.host.address, folder=self.host.folder, peer=self.peer.name))
        super().start()

    def copy_peer(self):
        """Becomes a new standby of its peer."""
        shutil.rmtree(self.data, ignore_errors=True)
        self.tool("pg_basebackup", "--no-sync", "-R", "-X", "stream", "-c", "fast", "-D", self.data,
                  "-d", f"host={self.peer.host.address} user={USER} application_name={self.name}")
        self.start()

    def promote(self):
        self.tool("pg_ctl", "promote", "-s", "-w", "-D", self.data)

    def sql(self, statement):
        """By the socket, which needs no network. Nothing: the server does not answer."""
        try:
            done = subprocess.run([find_program("psql"), "-h", self.host.folder, "-U", USER, "-d",
                                   "postgres", "-XtAc", statement], capture_output=True, text=True,
                                  check=False, timeout=5)
        except subprocess.TimeoutExpired:
            return None
        return done.stdout.strip() if done.returncode == 0 else None

    def is_primary(self):
        return self.runs() and self.sql("SELECT pg_is_in_recovery()") == "f"

    def has_standby(self):
        return self.sql("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync' AND "
                        "state = 'streaming'") == "1"


class Etcd(Program):
    """A member of etcd."""

    def __init__(self, host, members):
        self.client = f"http://{host.address}:2379"
        peers = ",".join(f"{one.name}=http://{one.address}:2380" for one in members)
        super().__init__(host.name, host, [
            "etcd", "--name", host.name, "--data-dir", host.folder / "data",
            "--listen-client-urls", self.client, "--advertise-client-urls", self.client,
            "--listen-peer-urls", f"http://{host.address}:2380",
            "--initial-advertise-peer-urls", f"http://{host.address}:2380",
            "--initial-cluster", peers, "--log-level", "error", "--logger", "zap",
            # A busy machine is no reason for an election.
            "--heartbeat-interval", "100", "--election-timeout", "1500"])

    def ask(self, path, request, seconds=2):
        body = json.dumps(request).encode()
        with urllib.request.urlopen(f"{self.client}/v3/{path}", body, seconds) as answer:
            return json.load(answer)

    def read(self, key):
        """The value; nothing: there is none, or the member does not answer."""
        try:
            found = self.ask("kv/range", {"key": coded(key)}).get("kvs")
        except OSError:
            return None
        return base64.b64decode(found[0]["value"]).decode() if found else ""

    def put(self, key, value):
        self.ask("kv/put", {"key": coded(key), "value": coded(value)})

    def answers(self):
        return self.read("/") is not None

    def leads(self):
        try:
            status = self.ask("maintenance/status", {})
        except OSError:
            return False
        return status["header"]["member_id"] == status.get("leader")


def coded(text):
    return base64.b64encode(text.encode()).decode()


class Engine(Program):
    """`nexusfix serve` of a node."""

    def __init__(self, nexusfix, host, cluster, rate):
        self.config = host.folder / "engine.cfg"
        self.clock = host.folder.parent / f"{host.name}.clock"
        super().__init__(host.name, host, [nexusfix, "serve", self.config],
                         environment=self.fake_clock())
        self.config.write_text(ENGINE_SETTINGS.format(
            doors=",".join(one.address for one in cluster.node_hosts), folder=host.folder,
            databases=",".join(one.address for one in cluster.database_hosts), user=USER,
            etcd=",".join(f"http://{one.address}:2379" for one in cluster.etcd_hosts),
            shard=SHARD, cluster=CLUSTER, node=host.name, lease=LEASE_SECONDS,
            outage=OUTAGE_SECONDS, rate=rate)
            + "".join(f"[SESSION]\nTargetCompID={name}\n" for name in WINDOWS))

    @staticmethod
    def can_fake_clock():
        """Whether libfaketime is installed. No namespace has a wall clock, and that of the kernel
        is the clock of all programs."""
        return os.path.exists(FAKETIME)

    def fake_clock(self):
        """The wall clock of this machine alone."""
        if not self.can_fake_clock():
            return {}
        self.step_clock(0)
        return {"LD_PRELOAD": FAKETIME, "FAKETIME_TIMESTAMP_FILE": str(self.clock),
                "FAKETIME_CACHE_DURATION": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}

    def step_clock(self, seconds):
        self.clock.write_text(f"{seconds:+d}\n")

    def openings(self):
        """How often it has opened its ports."""
        return self.out.read_text(errors="replace").count("listening on port")


class Trader(Program):
    """`nexusfix trade`: sends orders all the time. Its message log is the counterparty's view."""

    def __init__(self, nexusfix, host, door, comp_id, window):
        self.nexusfix, self.comp_id, self.window = nexusfix, comp_id, window
        self.session = f"FIX.4.4:VENUE->{comp_id}"  # as the venue names it
        folder = host.folder / comp_id
        folder.mkdir()
        self.messages, self.journal, self.reports = (
            folder / one for one in ("log", "journal", "reports"))
        self.config = folder / "trader.cfg"
        self.config.write_text(TRADER_SETTINGS.format(door=door.address, folder=folder,
                                                      name=comp_id))
        super().__init__(comp_id, host, self.trade(100_000_000, "--progress=1"))

    def trade(self, orders, *more):
        """Its own symbol: its orders fill each other."""
        return [self.nexusfix, "trade", self.config, "--stream", f"--orders={orders}",
                f"--window={self.window}", f"--symbol={self.comp_id}", f"--report={self.reports}",
                "--silence=600", *more]

    def keep_up(self):
        if self.is_wanted and not self.runs():
            raise Failure(f"the trader ended: {self.tail()}")

    def counts(self):
        """Orders that were sent, acknowledged and finished."""
        with self.out.open("rb") as file:
            file.seek(max(0, self.out.stat().st_size - 400))
            lines = [one for one in file.read().decode().split("\n")[:-1]
                     if one.startswith("progress ")]
        if not lines:
            return 0, 0, 0
        return tuple(int(word.partition("=")[2]) for word in lines[-1].split()[1:])

    def finish(self):
        """All orders that were sent, and a last one, are finished."""
        self.end(expected=(1,))  # "stopped before all orders were finished"
        sent, _, _ = self.counts()
        # Some may have been sent after the last line.
        orders = (sent + self.window) // 2 * 2 + 20
        self.command = self.trade(orders)
        self.start()
        self.is_wanted = False
        wait_until(lambda: not self.runs(), "all orders are finished")
        if self.process.returncode != 0:
            raise Failure(f"the trader failed: {self.tail()}")
        return orders


def haproxy(host, doors, folder):
    """With the file of share/cluster, and the addresses of these machines."""
    text = (ROOT / "share" / "cluster" / "haproxy.cfg").read_text()
    text = text.replace("bind :5001", f"bind {host.address}:5001")
    for name, door in zip(("node-a", "node-b"), doors, strict=True):
        text = text.replace(f" {name}:5001", f" {door.address}:5000")
    (folder / "haproxy.cfg").write_text(text)
    return Program("haproxy", host, ["haproxy", "-db", "-f", folder / "haproxy.cfg"])


def front_door(nexusfix, host, config, nodes, balancer):
    return Program(f"door-{host.name}", host, [
        nexusfix, "front-door", "--listen", f"{host.address}:5000", "--trusted-proxies",
        balancer.address, f"{config}@{','.join(one.address for one in nodes)}"])
