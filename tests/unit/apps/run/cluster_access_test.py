#!/usr/bin/env python3
"""What a cluster needs of its machines: any name, and several members of etcd.
Arguments: nexusfix, and the program that starts a PostgreSQL server."""

import ctypes
import os
import subprocess
import sys
import time
import unittest

import command_test
import standby_test
from cluster_test import Etcd, WithCluster
from command_test import wait_until


class Hosts(WithCluster):
    """Machines of any name."""

    def test_a_host_may_have_any_name(self):
        """The name is in application_name of a waiting engine."""
        def in_a_host_of_that_name():
            libc = ctypes.CDLL(None, use_errno=True)
            clone_newuts, name = 0x04000000, b"o'brien\\"
            if libc.unshare(clone_newuts) or libc.sethostname(name, len(name)):
                os._exit(77)
        probe = subprocess.Popen(["true"], preexec_fn=in_a_host_of_that_name)
        if probe.wait() == 77:
            self.skipTest("no host name can be set here")
        self.join("a", "b")
        a, _ = self.start_node("a")
        self.listening(a)
        b = standby_test.Engine("b", self.folder, self.write("b.cfg", self.node_config("b")),
                                preexec_fn=in_a_host_of_that_name)
        self.engines.append(b)
        self.addCleanup(b.wait)
        self.addCleanup(b.kill)
        self.wait_until(lambda: self.is_ready("b"), "b is ready")
        named = self.sql("SELECT count(*) FROM pg_stat_activity WHERE application_name = "
                         f"'nexusfix standby: process {b.pid} on host o''brien\\'")
        self.assertEqual(named, "1")
        self.end(a)

    def node_config(self, node):
        return ("[DEFAULT]\nConnectionType=acceptor\nSocketAcceptHost=127.0.0.1\n"
                f"SocketAcceptPort={self.port}\nStore=postgresql\n"
                f"PostgreSQLStoreHost={self.host}\nPostgreSQLStoreUser=nexusfix\n"
                f"PostgreSQLStoreDatabase=postgres\nPostgreSQLStoreSchema={self.schema}\n"
                f"FileStorePath={self.folder}/{node}\n{self.keys(node)}"
                "BeginString=FIX.4.4\nSenderCompID=VENUE\n[SESSION]\nTargetCompID=TRADER\n")


class Members(WithCluster):
    """Three members of etcd."""

    def start_etcd(self):
        self.members = [Etcd(f"e{number}") for number in range(3)]
        for one in self.members:
            self.addCleanup(one.end)
            one.members = ",".join(f"{other.name}={other.peer_url()}" for other in self.members)
            # An election on a busy machine: it takes one to two of these times.
            one.more = ["--election-timeout", "2000", "--heartbeat-interval", "200"]
            one.launch()
        for one in self.members:
            wait_until(one.answers, f"{one.name} answers")
        return self.members[0]

    def etcd_keys(self, etcd):
        return "ClusterEtcd=" + ",".join(one.url() for one in self.members) + "\n"

    def kill_leader(self):
        """Returns the members that are left; the test asks one of them."""
        leader = self.members[0].ask("maintenance/status", {})["leader"]
        known = self.members[0].ask("cluster/member/list", {})["members"]
        (name,) = [one["name"] for one in known if one["ID"] == leader]
        (killed,) = [one for one in self.members if one.name == name]
        killed.kill()
        self.etcd = next(one for one in self.members if one is not killed)
        return killed

    def test_the_leader_of_etcd_is_killed_and_the_owner_stays(self):
        # A lease lasts longer than an election.
        self.lease = "ClusterLeaseSeconds=30\nClusterRenewMillis=500\nClusterRequestMillis=4000\n"
        a, b, _ = self.start_two()
        trader = self.counterparty()
        trader.log_on()
        self.assertEqual(trader.order("A1")["34"], "2")
        before = self.epoch()
        killed = self.kill_leader()
        self.assertEqual(trader.order("A2")["34"], "3")
        wait_until(self.etcd.answers, "etcd has a leader again")
        self.assertEqual(self.owner(), "a")
        self.wait_until(lambda: self.is_ready("b"), "b is ready")
        self.assertEqual(self.epoch(), before)
        self.assertNotIn("NXF-5082", self.log("a") + self.log("b"))
        # A take-over, with two members.
        a.kill()
        a.wait()  # its port is closed
        self.etcd.end_lease_of(self.owner_key())
        gone = time.monotonic()
        trader.connect()
        self.assertEqual(trader.log_on()["34"], "4")
        print("take-over with two of three members of etcd: the Logon came "
              f"{time.monotonic() - gone:.3f} s after the lease had ended")
        self.assertEqual(self.owner(), "b")
        # Without a majority the owner goes on.
        other = next(one for one in self.members if one not in (killed, self.etcd))
        other.kill()
        self.assertEqual(trader.order("A3")["34"], "5")
        killed.start()
        wait_until(self.etcd.answers, "etcd has a majority again")
        self.end(b)


if __name__ == "__main__":
    standby_test.SERVER = os.path.abspath(sys.argv.pop(2))
    command_test.NEXUSFIX = os.path.abspath(sys.argv.pop(1))
    loader = unittest.TestLoader()
    suite = unittest.TestSuite(loader.loadTestsFromTestCase(one)
                               for one in (Hosts, Members))
    names = sys.argv[1:]
    if names:
        suite = loader.loadTestsFromNames(names, sys.modules[__name__])
    sys.exit(not unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful())
