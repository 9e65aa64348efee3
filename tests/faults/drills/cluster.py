"""The whole of a drill: the machines, the servers on them, and what "all is well" means."""

import json
import signal
import time

from audit import Consumer, Stream
from brokers import KafkaBroker, MockBrokers, kafka_jars
from history import Failure
from hosts import Host, system, wait_until
from servers import (CLUSTER, SHARD, WINDOWS, Engine, Etcd, Postgres, Trader, front_door,
                     haproxy)

NODES = ("node-a", "node-b")
DATABASES = ("db1", "db2")
MEMBERS = ("etcd1", "etcd2", "etcd3")
# A server whose disk is full must meet that within a second: disks are small.
DISKS = {"db1": "96m", "db2": "96m", "etcd1": "160m", "etcd2": "160m", "etcd3": "160m",
         "node-a": "16m", "node-b": "16m", "client": "1g", "door": "4m", "kafka": "256m"}
LOOK_SECONDS = 0.2  # between two looks at all servers


class Cluster:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        names = [*DISKS] if options.build else [one for one in DISKS if one != "kafka"]
        self.hosts = {name: Host(name, number, folder, DISKS[name])
                      for number, name in enumerate(names, 11)}
        self.node_hosts = [self.hosts[name] for name in NODES]
        self.database_hosts = [self.hosts[name] for name in DATABASES]
        self.etcd_hosts = [self.hosts[name] for name in MEMBERS]
        self.client, self.door = self.hosts["client"], self.hosts["door"]
        self.databases = [Postgres(host) for host in self.database_hosts]
        for one, other in (self.databases, self.databases[::-1]):
            one.peer = other
        self.members = [Etcd(host, self.etcd_hosts) for host in self.etcd_hosts]
        self.nodes = [Engine(options.nexusfix, host, self, options.rate)
                      for host in self.node_hosts]
        self.doors = [front_door(options.nexusfix, host, node.config, self.node_hosts, self.door)
                      for host, node in zip(self.node_hosts, self.nodes)]
        self.balancer = haproxy(self.door, self.node_hosts, folder)
        self.traders = [Trader(options.nexusfix, self.client, self.door, *one)
                        for one in WINDOWS.items()]
        self.trader = self.traders[0]
        self.brokers = self.stream = self.consumer = None

    def programs(self):
        return [*self.databases, *self.members, *self.nodes, *self.doors, self.balancer,
                *self.traders]

    def tick(self):
        """What service managers do."""
        for one in self.programs():
            one.keep_up()
        if self.stream and self.stream.process.poll() not in (None, -signal.SIGKILL):
            raise Failure("the audit stream ended: "
                          + self.stream.events.read_text(errors="replace")[-2000:])

    def wait(self, condition, what, pause=0.02):
        return wait_until(condition, what, self.tick, pause)

    def pause(self, seconds):
        end = time.monotonic() + seconds
        self.wait(lambda: time.monotonic() > end, "a pause")

    # The start.

    def start(self):
        for one in self.members:
            one.start()
        first, second = self.databases
        first.make()
        self.wait(first.is_primary, "the database answers", LOOK_SECONDS)
        second.copy_peer()
        self.wait(first.has_standby, "the database has a standby", LOOK_SECONDS)
        self.wait(self.etcd_is_whole, "etcd answers", LOOK_SECONDS)
        for one in self.nodes:
            self.order(one, "join")
            one.start()
        for one in (*self.doors, self.balancer):
            one.start()
        self.wait(lambda: any(one.openings() for one in self.nodes), "a node owns the shard")
        for one in self.traders:
            one.start()
        self.wait(lambda: all(one.counts()[1] > 0 for one in self.traders), "the traders trade")
        self.start_audit()

    def start_audit(self):
        options = self.options
        if options.build:
            host = self.hosts["kafka"]
            self.brokers = KafkaBroker(kafka_jars(options.build.resolve()), host.folder / "kafka",
                                       host.address, host.inside("env"))
        elif options.mock:
            self.brokers = MockBrokers(options.mock, self.client.inside("env"))
        if not self.brokers:
            return
        self.stream = Stream(options.nexusfix, self.brokers.address,
                             [one.journal for one in self.traders], self.folder / "stream.log",
                             self.client.inside("env"))
        self.consumer = Consumer(options.consumer, self.brokers.address, self.folder / "consumed",
                                 self.client.inside("env"))

    def order(self, node, act, *arguments):
        """`nexusfix cluster` on a node."""
        system(*node.host.inside(self.options.nexusfix, "cluster", act, node.config, *arguments))

    # Who is what.

    def primary(self):
        return next((one for one in self.databases if one.is_primary()), None)

    def leader(self):
        """The member of etcd that leads, and the others."""
        self.wait(lambda: any(one.leads() for one in self.members), "etcd has a leader", 0.1)
        leader = next(one for one in self.members if one.leads())
        return leader, [one for one in self.members if one is not leader]

    def read(self, *words):
        key = "/".join(("/nexusfix", CLUSTER, "shards", SHARD, *words))
        values = (one.read(key) for one in self.members)
        value = next((one for one in values if one is not None), None)
        return json.loads(value) if value else {}

    def owner(self):
        """The engine that owns the shard, and the one that waits for it."""
        name = self.read("owner").get("node")
        found = [one for one in self.nodes if one.name == name]
        return (found[0], next(one for one in self.nodes if one is not found[0])) if found else None

    def etcd_is_whole(self):
        return all(one.runs() and one.answers() for one in self.members)

    def database_is_whole(self):
        primary = self.primary()
        return primary is not None and primary.has_standby()

    def nodes_are_whole(self):
        owner = self.owner()
        return owner is not None and self.read("members", owner[1].name).get("ready", False)

    def settle(self):
        """All servers are there, and orders flow. Returns the seconds that it took."""
        took = self.wait(self.etcd_is_whole, "etcd is whole", LOOK_SECONDS)
        took += self.wait(self.database_is_whole, "the database has a standby", LOOK_SECONDS)
        took += self.wait(self.nodes_are_whole, "a node has the shard, and one is ready",
                          LOOK_SECONDS)
        return took + self.orders_flow()

    def wait_for_orders(self):
        """Until some are on their way: the venue's throttle takes them once a second."""
        sent = self.trader.counts()[0]
        self.wait(lambda: self.trader.counts()[0] != sent, "orders are sent", 0.002)

    def orders_flow(self):
        """New orders of each session are sent and acknowledged."""
        sent = [one.counts()[0] for one in self.traders]
        return self.wait(lambda: all(one.counts()[1] > count + 8
                                     for one, count in zip(self.traders, sent)),
                         "orders flow", 0.05)

    # The end.

    def finish(self):
        """Ends everything in order; the number of orders of each trader."""
        orders = [one.finish() for one in self.traders]
        for one in self.nodes:
            one.end((0, -signal.SIGTERM))  # an engine that starts has no handler yet
        if self.stream:
            self.stream.end()
        return orders

    def describe(self):
        return "\n".join(one.tail() for one in self.programs() if one.process)
