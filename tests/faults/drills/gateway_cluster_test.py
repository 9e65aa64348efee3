#!/usr/bin/env python3
"""Two nodes of a cluster run `nexusfix gateway` for one shard, whose log is in PostgreSQL. While a
client sends orders, the owner is killed, hands its shard over, or is frozen until the other node
has the shard. The client attaches to the owner with its cursor. At the end each order has reached
the venue once, and each report the client once.

    gateway_cluster_test.py NEXUSFIX POSTGRES_SERVER [ROUNDS]
"""

import signal
import sys
import unittest

import command_test
import standby_test
from cluster_test import WithCluster
from command_test import LIMIT_SECONDS
from gateway_database_test import TwoGateways, order_text

ROUNDS = 2  # main may change it


class GatewayOfACluster(TwoGateways, WithCluster):
    def setUp(self):
        super().setUp()
        self.join("one", "two")

    def log_keys(self, name):
        return self.keys(name)

    def is_waiting(self, name):
        return self.is_ready(name)

    def explanations(self):
        return [*super().explanations(), self.etcd.describe()]

    def kill(self, name, client, numbers):
        super().kill(name, client, numbers)
        self.etcd.end_lease_of(self.owner_key())

    def move(self, name, _client, _numbers):
        """The process goes on, and waits for the shard."""
        done = self.order("move", name, "s1", "two" if name == "one" else "one")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIsNone(self.starts[name].poll())

    def freeze(self, name, client, numbers):
        """It reads the orders of the client when the next owner has claimed the log: none of them
        may be accepted."""
        before = self.epoch()
        self.starts[name].send_signal(signal.SIGSTOP)
        try:
            for number in numbers:
                client.send(number, order_text(number))
            self.etcd.end_lease_of(self.owner_key())
            self.wait_until(lambda: self.epoch() > before, "the other node claims the log")
        finally:
            self.starts[name].send_signal(signal.SIGCONT)
        self.assertEqual(self.starts[name].wait(LIMIT_SECONDS), 1)

    def test_a_client_goes_on_at_the_next_owner_with_nothing_lost_or_repeated(self):
        self.check_strikes([self.kill, self.move, self.freeze] * ROUNDS)

    def test_a_node_that_is_ended_while_it_waits_gives_its_lease_back(self):
        self.start_gateway("one")
        self.wait_until(lambda: (self.folder / "one.sock").exists(), "one has the shard")
        self.start_gateway("two")
        self.wait_until(lambda: self.is_ready("two"), "two waits")
        self.starts["two"].terminate()
        self.assertEqual(self.starts["two"].wait(LIMIT_SECONDS), 0)
        self.assertNotIn(self.member_key("two"), self.etcd.read(self.member_key("two")))

    def test_a_node_whose_socket_is_taken_refuses_its_shard_and_the_other_has_it(self):
        self.start_gateway("one")
        self.wait_until(lambda: (self.folder / "one.sock").exists(), "one has the shard")
        (self.folder / "two.sock").mkdir()
        self.start_gateway("two")
        self.wait_until(lambda: self.is_ready("two"), "two waits")
        done = self.order("move", "one", "s1", "two")
        self.assertEqual(self.starts["two"].wait(LIMIT_SECONDS), 1)
        self.wait_until(lambda: self.owner() == "one", "one has the shard again")
        self.wait_until(lambda: "two refused s1" in self.order("status", "one").stdout,
                        "the cluster shows why")
        self.assertIsNone(self.starts["one"].poll(), done.stderr)


def main():
    global ROUNDS
    _, command_test.NEXUSFIX, standby_test.SERVER, *more = sys.argv
    ROUNDS = int(more[0]) if more else ROUNDS
    unittest.main(argv=sys.argv[:1])


if __name__ == "__main__":
    main()
