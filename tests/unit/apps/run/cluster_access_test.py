#!/usr/bin/env python3
"""What a cluster needs of etcd: TLS, users, and several members; and the orders of `nexusfix ctl`.
Arguments: nexusfix, and the program that starts a PostgreSQL server."""

import ctypes
import os
import ssl
import subprocess
import sys
import time
import unittest
import urllib.error

import command_test
import standby_test
from cluster_test import Etcd, WithCluster, coded
from command_test import LIMIT_SECONDS, run, wait_until
from standby_test import get


class Orders(WithCluster):
    """Orders to a running engine, by its control socket."""

    def ctl(self, node, act, *arguments):
        return run("ctl", "--engine", f"{self.folder}/{node}.control", act, *arguments, "--yes",
                   "--reason", "a test")

    def test_ctl_moves_a_shard_and_drains_a_node(self):
        a, b, metrics = self.start_two()
        for line in ('node="a",state="owner"', 'node="b",state="ready"'):
            self.wait_until(lambda: "\nnexusfix_cluster_engine{%s} 1\n" % line
                            in get(metrics, "/metrics")[1], f"the metrics show {line}")
        self.assertRegex(self.status("b").stdout, r"; the application lacks 0 bytes of the log\n")
        trader = self.counterparty()
        trader.log_on()
        self.assertEqual(trader.order("A1")["34"], "2")
        for arguments, expected in ((("move-shard", "c"), "no engine of node c waits for shard s1"),
                                    (("move-shard", "a"), "node a has shard s1 already"),
                                    (("move-shard", "n" * 64), "name of a node was expected"),
                                    (("join-node",), "node a is not drained")):
            done = self.ctl("a", *arguments)
            self.assertEqual(done.returncode, 1)
            self.assertIn(expected, done.stderr)
        done = self.ctl("a", "move-shard", "b")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(trader.receive()["35"], "5")
        self.listening(b)
        self.assertIn("operator: move-shard to node b: ", self.log("a"))
        trader.connect()
        self.assertEqual(trader.log_on()["34"], "4")
        kept = self.sql(f"SELECT count(*) FROM {self.schema}.number_change_list WHERE reason LIKE "
                        "'operator: move-shard to node b: %a test%'")
        self.assertEqual(kept, "1")
        kept = self.sql(f"SELECT count(*) FROM {self.schema}.number_change_list WHERE reason LIKE "
                        "'%nnn%'")
        self.assertEqual(kept, "0")
        # A waiting engine takes orders for the cluster, too.
        self.wait_until(lambda: self.is_ready("a"), "a waits")
        done = self.ctl("a", "drain-node")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("operator: drain-node: ", self.log("a"))
        done = self.ctl("b", "move-shard", "a")
        self.assertIn("node a is drained", done.stderr)
        done = self.ctl("a", "join-node")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.overview("b")["drained"], [])
        done = self.ctl("b", "drain-node")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.listening(a, times=2)
        self.end(a)

    def test_an_order_whose_answer_is_lost_says_that_it_may_be_done(self):
        way = self.lossy_etcd()
        self.join("a")
        a, _ = self.start_node("a", etcd=way)
        self.listening(a)
        key = f"/nexusfix/{self.name}/drained/a"
        way.loses = lambda _, body: "request_put" in body and coded(key) in body
        done = self.ctl("a", "drain-node")
        self.assertEqual(done.returncode, 1)
        self.assertIn("it is not known whether it was done", done.stderr)
        self.assertIn(key, self.etcd.read(key))
        self.end(a)

    def test_an_engine_in_no_cluster_refuses_them(self):
        one, _ = self.start("one")
        self.listening(one)
        done = self.ctl("one", "drain-node")
        self.assertEqual(done.returncode, 1)
        self.assertIn("the engine is in no cluster: nothing was done", done.stderr)
        self.end(one)

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
                "PostgreSQLStoreStandby=available\n"
                f"FileStorePath={self.folder}/{node}\n{self.keys(node)}"
                "BeginString=FIX.4.4\nSenderCompID=VENUE\n[SESSION]\nTargetCompID=TRADER\n")


class Secure(WithCluster):
    """etcd with TLS, client certificates and users."""

    def start_etcd(self):
        self.make_certificates()
        etcd = Etcd()
        etcd.scheme = "https"
        etcd.context = ssl.create_default_context(cafile=self.file("ca.pem"))
        etcd.context.load_cert_chain(self.file("engine.pem"), self.file("engine.key"))
        etcd.more = ["--cert-file", self.file("etcd.pem"), "--key-file", self.file("etcd.key"),
                     "--trusted-ca-file", self.file("ca.pem"), "--client-cert-auth"]
        self.addCleanup(etcd.end)
        etcd.start()
        self.add_users(etcd)
        return etcd

    def file(self, name):
        return str(self.folder / name)

    def openssl(self, *arguments):
        subprocess.run(["openssl", *arguments], check=True, capture_output=True,
                       timeout=LIMIT_SECONDS, cwd=self.folder)

    def make_certificates(self):
        key = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes")
        for name in ("ca", "stranger"):
            self.openssl("req", "-x509", *key, "-keyout", f"{name}.key", "-out", f"{name}.pem",
                         "-subj", f"/CN={name}", "-days", "2")
        self.write("names", "subjectAltName=IP:127.0.0.1")
        self.write("other-names", "subjectAltName=DNS:elsewhere.example")
        for name, authority, days, names in (("etcd", "ca", "2", "names"),
                                             ("elsewhere", "ca", "2", "other-names"),
                                             ("engine", "ca", "2", "names"),
                                             ("expired", "ca", "-1", "names"),
                                             ("unknown", "stranger", "2", "names")):
            # etcd with users refuses a client's certificate with CN, and takes none as a user.
            subject = f"/O={name}" if name == "engine" else f"/CN={name}"
            self.openssl("req", *key, "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj",
                         subject)
            self.openssl("x509", "-req", "-in", f"{name}.csr", "-CA", f"{authority}.pem", "-CAkey",
                         f"{authority}.key", "-CAcreateserial", "-days", days, "-extfile", names,
                         "-out", f"{name}.pem")

    def add_users(self, etcd):
        for user in ("root", "engine"):
            etcd.ask("auth/user/add", {"name": user, "password": f"secret of {user}"})
            etcd.ask("auth/role/add", {"name": user})
            etcd.ask("auth/user/grant", {"user": user, "role": user})
        etcd.ask("auth/role/grant", {"name": "engine", "perm": {
            "permType": "READWRITE", "key": coded("/nexusfix/"), "range_end": coded("/nexusfix0")}})
        etcd.ask("auth/enable", {})
        self.sign_in(etcd)

    def sign_in(self, etcd):
        etcd.token = None
        etcd.token = etcd.ask("auth/authenticate",
                              {"name": "root", "password": "secret of root"})["token"]

    def etcd_keys(self, etcd):
        values = {"Etcd": etcd.url(), "EtcdAuthoritiesFile": self.file("ca.pem"),
                  "EtcdCertificateFile": self.file("engine.pem"),
                  "EtcdKeyFile": self.file("engine.key"), "EtcdUser": "engine",
                  "EtcdPassword": "secret of engine", **self.changed}
        return "".join(f"Cluster{key}={value}\n" for key, value in values.items() if value)

    def setUp(self):
        self.changed = {}
        super().setUp()

    def test_a_cluster_works_with_tls_and_users(self):
        a, b, _ = self.start_two()
        trader = self.counterparty()
        trader.log_on()
        # etcd forgets the tokens of users when it starts again.
        self.etcd.kill()
        self.etcd.token = None
        self.etcd.launch()
        wait_until(lambda: self.signs_in(), "etcd answers")
        done = self.order("move", "a", "s1", "b")
        self.assertEqual((done.returncode, done.stdout), (0, "node b has shard s1\n"), done.stderr)
        self.assertEqual(trader.receive()["35"], "5")
        self.assertNotIn("NXF-5082", self.log("a") + self.log("b"))
        trader.connect()
        self.assertEqual(trader.log_on()["34"], "3")
        self.end(b)
        self.listening(a, times=2)
        self.end(a)

    def signs_in(self):
        try:
            self.sign_in(self.etcd)
            return True
        except OSError:
            return False

    def refused_with(self, expected, **changed):
        self.changed = changed
        engine, _ = self.start_node("a")
        self.assertEqual(engine.wait(LIMIT_SECONDS), 1)
        self.assertRegex(self.log("a"), expected)
        self.assertNotIn("secret of", self.log("a"))
        done = self.order("status", "a")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, expected)
        self.assertNotIn("secret of", done.stderr)
        self.changed = {}

    def test_a_certificate_or_a_user_that_does_not_fit_is_refused_with_its_cause(self):
        self.join("a")
        before = self.sql(f"SELECT owner_epoch FROM {self.schema}.log_state")
        where = r"etcd 127\.0\.0\.1:\d+: "
        pair = lambda name: {"EtcdCertificateFile": self.file(f"{name}.pem"),
                             "EtcdKeyFile": self.file(f"{name}.key")}
        no_certificate = {"EtcdCertificateFile": "", "EtcdKeyFile": ""}
        for changed, expected in (
                ({"EtcdAuthoritiesFile": self.file("stranger.pem")},
                 where + "TLS: the certificate of etcd is refused: unable to get local issuer"),
                ({"EtcdAuthoritiesFile": self.file("none.pem")},
                 where + r"ClusterEtcdAuthoritiesFile \S+/none.pem: No such file or directory"),
                ({"EtcdKeyFile": self.file("etcd.key")},
                 where + r"ClusterEtcdKeyFile \S+/etcd.key: key values mismatch"),
                (pair("etcd"), where + "status 400: .*wants a certificate without CN"),
                (no_certificate, where + ".*ClusterEtcdCertificateFile is missing"),
                (pair("unknown"), where + r".*etcd may refuse the certificate of "
                                          r"ClusterEtcdCertificateFile=\S+/unknown.pem"),
                (pair("expired"), where + r".*etcd may refuse the certificate of "
                                          r"ClusterEtcdCertificateFile=\S+/expired.pem, "
                                          r"which has expired"),
                ({"Etcd": self.etcd.url().replace("https", "http"), **no_certificate,
                  "EtcdAuthoritiesFile": ""}, where + ".*ClusterEtcd needs https://"),
                ({"EtcdPassword": "wrong"},
                 where + ".*etcd does not accept ClusterEtcdUser=engine"),
                ({"EtcdUser": "guest"}, where + ".*etcd does not accept ClusterEtcdUser=guest"),
                ({"EtcdUser": "", "EtcdPassword": ""}, where + ".*ClusterEtcdUser is missing")):
            with self.subTest(changed=changed):
                self.refused_with(expected, **changed)
        # A role that may not touch this cluster.
        self.etcd.ask("auth/role/revoke", {"role": "engine", "key": coded("/nexusfix/"),
                                           "range_end": coded("/nexusfix0")})
        self.refused_with(where + "status 403: etcdserver: permission denied")
        self.assertEqual(self.sql(f"SELECT owner_epoch FROM {self.schema}.log_state"), before)

    def test_a_certificate_of_etcd_that_does_not_fit_is_refused_with_its_cause(self):
        self.join("a")
        self.etcd.context.check_hostname = False
        self.etcd.context.verify_mode = ssl.CERT_NONE
        for name, expected in (("expired", "certificate has expired"),
                               ("elsewhere", "IP address mismatch")):
            self.etcd.kill()
            self.etcd.more[1] = self.file(f"{name}.pem")
            self.etcd.more[3] = self.file(f"{name}.key")
            self.etcd.launch()
            wait_until(self.is_bound, "etcd listens")
            self.refused_with(rf"TLS: the certificate of etcd is refused: {expected}")

    def is_bound(self):
        try:
            self.etcd.ask("maintenance/status", {})
            return True
        except urllib.error.HTTPError:
            return True
        except OSError:
            return False


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
        self.lease = "ClusterLeaseSeconds=30\n"
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
                               for one in (Orders, Secure, Members))
    names = sys.argv[1:]
    if names:
        suite = loader.loadTestsFromNames(names, sys.modules[__name__])
    sys.exit(not unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful())
