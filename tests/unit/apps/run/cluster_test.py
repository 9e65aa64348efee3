#!/usr/bin/env python3
"""A cluster: `nexusfix serve` on two nodes, with a real etcd and a real PostgreSQL.
Arguments: nexusfix, and the program that starts a PostgreSQL server."""

import base64
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import command_test
import standby_test
from command_test import LIMIT_SECONDS, free_port, run, wait_until
from standby_test import get

SESSIONS = 1000
# Ends in no test by itself, also on a busy machine: tests end it as etcd does after its time.
LEASE = "ClusterLeaseSeconds=60\n"
# For tests that need a lease to end by itself, and work also if it ends earlier.
SHORT_LEASE = "ClusterLeaseSeconds=2\n"
# For a test in which etcd is away until it has ended.
MEDIUM_LEASE = "ClusterLeaseSeconds=10\n"


class Etcd:
    """One member of etcd, in a folder of its own."""

    def __init__(self, name="default"):
        self.folder = tempfile.mkdtemp(prefix="nexusfix-etcd-")
        self.name = name
        self.client, self.peer = free_port(), free_port()
        self.scheme, self.context = "http", None  # of the clients; context: of this one, with TLS
        self.token = None  # of a user
        self.members = f"{name}={self.peer_url()}"
        self.more = []  # arguments
        self.process = None

    def peer_url(self):
        return f"http://127.0.0.1:{self.peer}"

    def url(self):
        return f"{self.scheme}://127.0.0.1:{self.client}"

    def launch(self):
        with open(f"{self.folder}/log", "ab") as log:
            self.process = subprocess.Popen(
                ["etcd", "--name", self.name, "--data-dir", f"{self.folder}/data",
                 "--listen-client-urls", self.url(), "--advertise-client-urls", self.url(),
                 "--listen-peer-urls", self.peer_url(),
                 "--initial-advertise-peer-urls", self.peer_url(),
                 "--initial-cluster", self.members,
                 # The test is of the order of events, and not of the disk.
                 "--unsafe-no-fsync", *self.more],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def start(self):
        self.launch()
        wait_until(self.answers, "etcd answers")
        return self

    def answers(self):
        try:
            return bool(self.read("/"))
        except (OSError, urllib.error.HTTPError):
            return False

    def kill(self):
        self.process.kill()
        self.process.wait()

    def end(self):
        self.kill()
        shutil.rmtree(self.folder)

    def describe(self, lines=20):
        with open(f"{self.folder}/log", encoding="utf-8", errors="replace") as log:
            return "\n  ".join(["etcd. Its log ends with:", *log.read().splitlines()[-lines:]])

    def ask(self, path, request):
        body = json.dumps(request).encode()
        with urllib.request.urlopen(
                urllib.request.Request(f"{self.url()}/v3/{path}", body,
                                       {"Authorization": self.token} if self.token else {}),
                timeout=60, context=self.context) as answer:
            return json.load(answer)

    def read(self, prefix):
        """{key: value}, and the revision as None."""
        end = prefix[:-1] + chr(ord(prefix[-1]) + 1)
        answer = self.ask("kv/range", {"key": coded(prefix), "range_end": coded(end)})
        found = {base64.b64decode(one["key"]).decode(): base64.b64decode(one["value"]).decode()
                 for one in answer.get("kvs", [])}
        found[None] = int(answer["header"]["revision"])
        return found

    def put(self, key, value):
        self.ask("kv/put", {"key": coded(key), "value": coded(value)})

    def delete(self, key):
        self.ask("kv/deleterange", {"key": coded(key)})

    def end_lease_of(self, key):
        """Ends the lease of a key at once, as if its time were over."""
        (found,) = self.ask("kv/range", {"key": coded(key)})["kvs"]
        self.ask("lease/revoke", {"ID": found["lease"]})


class LossyEtcd:
    """A way to etcd that loses answers: loses(path, body) says which ones. They are done."""

    def __init__(self, etcd):
        self.loses = lambda path, body: False
        self.clock_ahead = 0  # seconds
        lossy = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                request = urllib.request.Request(f"http://127.0.0.1:{etcd.client}{self.path}", body)
                try:
                    with urllib.request.urlopen(request, timeout=60) as answer:
                        status, text = answer.status, answer.read()
                except urllib.error.HTTPError as error:
                    status, text = error.code, error.read()
                if lossy.loses(self.path, body.decode()):
                    self.close_connection = True
                    return
                self.send_response(status)
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def date_time_string(self, timestamp=None):
                return super().date_time_string(time.time() + lossy.clock_ahead)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.client = self.server.server_port
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()

    def end(self):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


def coded(text):
    return base64.b64encode(text.encode()).decode()


class WithCluster(standby_test.WithDatabase):
    """Nodes of a cluster, which has an etcd of its own."""

    @classmethod
    def setUpClass(cls):
        if not shutil.which("etcd"):
            print("no etcd is installed")  # ctest looks for it
            raise unittest.SkipTest("no etcd is installed")
        super().setUpClass()

    def setUp(self):
        super().setUp()
        self.lease = LEASE
        self.etcd = self.start_etcd()
        self.name = f"c{self.count}"

    def start_etcd(self):
        one = Etcd().start()
        self.addCleanup(one.end)
        return one

    def etcd_keys(self, etcd):
        return f"ClusterEtcd=http://127.0.0.1:{etcd.client}\n"

    def keys(self, node, etcd=None, shard="s1", lease=None):
        return (f"ClusterShard={shard}\nClusterNode={node}\nClusterName={self.name}\n"
                f"{self.etcd_keys(etcd or self.etcd)}{lease or self.lease}")

    def start_node(self, node, **options):
        port = options.pop("port", None)
        sessions = options.pop("sessions", 1)
        given = {key: options.pop(key) for key in ("env", "arguments") if key in options}
        return self.start(node, self.keys(node, **options), sessions, port, **given)

    def lossy_etcd(self):
        one = LossyEtcd(self.etcd)
        self.addCleanup(one.end)
        return one

    def config(self, node, **options):
        """A file that only names the cluster and the database."""
        text = ("[DEFAULT]\nConnectionType=acceptor\nSocketAcceptPort=0\nStore=postgresql\n"
                f"PostgreSQLStoreHost={self.host}\nPostgreSQLStoreUser=nexusfix\n"
                f"PostgreSQLStoreDatabase=postgres\nPostgreSQLStoreStandby=available\n"
                f"PostgreSQLStoreSchema={options.pop('schema', self.schema)}\n"
                f"PostgreSQLStoreKeepPosition=N\n{self.keys(node, **options)}"
                "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=TRADER\n")
        return self.write(f"{node}-orders.cfg", text)

    def order(self, act, node, *arguments, **options):
        return run("cluster", act, self.config(node, **options), *arguments)

    def join(self, *nodes, **options):
        for node in nodes:
            done = self.order("join", node, **options)
            self.assertEqual(done.returncode, 0, done.stderr)

    def explanations(self):
        return [*super().explanations(), self.etcd.describe()]

    def owner_key(self):
        return f"/nexusfix/{self.name}/shards/s1/owner"

    def member_key(self, node):
        return f"/nexusfix/{self.name}/shards/s1/members/{node}"

    def owner(self):
        value = self.etcd.read(self.owner_key()).get(self.owner_key())
        return json.loads(value)["node"] if value else None

    def overview(self, node):
        done = self.order("status", node, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def is_ready(self, node):
        key = self.member_key(node)
        value = self.etcd.read(key).get(key)
        return bool(value) and json.loads(value)["ready"]

    def start_two(self, sessions=1, other_port=None, **options):
        """Node a has the shard, and b waits for it."""
        self.join("a", "b")
        a, _ = self.start_node("a", sessions=sessions, **options)
        self.listening(a)
        b, metrics = self.start_node("b", sessions=sessions, port=other_port)
        self.wait_until(lambda: self.is_ready("b"), "b is ready")
        return a, b, metrics

    def epoch(self):
        return int(self.sql(f"SELECT owner_epoch FROM {self.schema}.log_state"))


class Cluster(WithCluster):
    def test_a_killed_owner_is_followed_within_a_second_after_its_lease(self):
        a, b, metrics = self.start_two(SESSIONS)
        self.assertEqual(self.owner(), "a")
        trader = self.counterparty()
        self.assertEqual(trader.log_on()["34"], "1")
        reports = [trader.order(f"A{number}") for number in range(1, 6)]
        self.assertEqual([one["34"] for one in reports], ["2", "3", "4", "5", "6"])
        before = self.epoch()
        a.kill()
        a.wait()  # its port is closed
        self.etcd.end_lease_of(self.owner_key())
        gone = time.monotonic()
        trader.connect()
        self.assertEqual(trader.log_on()["34"], "7")
        took = time.monotonic() - gone
        print(f"take-over with {SESSIONS} sessions: the Logon came {took:.3f} s after the lease "
              "had ended")
        self.assertEqual(self.owner(), "b")
        self.assertGreater(self.epoch() >> 20, before >> 20)
        trader.send("2", "7=2|16=6|")
        for report in reports:
            again = trader.receive()
            self.assertEqual((again["43"], again["34"], again["11"]),
                             ("Y", report["34"], report["11"]))
        page = get(metrics, "/metrics")[1]
        self.assertRegex(page, r'\nnexusfix_cluster_owner\{node="b",shard="s1"\} 1\n')
        self.assertRegex(page, r"\nnexusfix_cluster_fencing_token \d+\n")
        self.assertRegex(page, r"\nnexusfix_cluster_lease_age_seconds [\d.e-]+\n")
        # The engines read the states of all from etcd, once in a while.
        state = '\nnexusfix_cluster_engine{node="b",state="owner"} 1\n'
        self.wait_until(lambda: state in get(metrics, "/metrics")[1], "the metrics say owner")
        self.end(b)

    def test_a_stopped_owner_sends_nothing_that_the_next_owner_does_not_know(self):
        a, b, _ = self.start_two(other_port=free_port())
        trader = self.counterparty()
        trader.log_on()
        self.assertEqual(trader.order("A1")["34"], "2")
        former = trader.socket
        a.send_signal(signal.SIGSTOP)
        self.etcd.end_lease_of(self.owner_key())
        self.wait_until(lambda: "NXF-5051" in self.log("b"), "b owns the log")
        trader.send("D", "11=A2|55=AAPL|54=1|38=100|40=2|44=10.5|60="
                    + time.strftime("%Y%m%d-%H:%M:%S", time.gmtime()) + "|")
        a.send_signal(signal.SIGCONT)
        self.assertEqual(a.wait(LIMIT_SECONDS), 1)
        self.assertRegex(self.log("a"), rf"the log was taken over by process {b.pid} on host ")
        rest = b""
        try:
            while more := former.recv(65536):
                rest += more
        except ConnectionResetError:
            pass
        self.assertNotIn(b"\x0135=8\x01", rest)
        self.end(b)

    def test_an_owner_goes_on_without_etcd_and_gets_its_lease_back(self):
        self.lease = MEDIUM_LEASE
        a, b, _ = self.start_two()
        trader = self.counterparty()
        trader.log_on()
        before = self.epoch()
        self.etcd.kill()
        self.wait_until(lambda: "NXF-5082" in self.log("a") and "NXF-5082" in self.log("b"),
                   "the lease is lost")
        self.assertEqual(trader.order("A1")["34"], "2")
        self.assertEqual(self.epoch(), before)
        self.etcd.start()
        self.wait_until(lambda: "NXF-5083" in self.log("a"), "a has a lease again")
        self.wait_until(lambda: self.owner() == "a", "a has the shard again")
        self.assertEqual(trader.order("A2")["34"], "3")
        self.wait_until(lambda: self.is_ready("b"), "b is ready again")
        a.kill()
        a.wait()  # its port is closed
        self.etcd.end_lease_of(self.owner_key())
        trader.connect()
        self.assertEqual(trader.log_on()["34"], "4")
        self.end(b)

    def test_a_lease_that_ended_while_no_one_wanted_it_is_got_again_with_a_higher_token(self):
        self.lease = SHORT_LEASE
        self.join("a")
        a, _ = self.start_node("a")
        self.listening(a)
        trader = self.counterparty()
        trader.log_on()
        before = self.epoch() >> 20
        a.send_signal(signal.SIGSTOP)
        self.wait_until(lambda: self.owner() is None, "the lease has ended")
        a.send_signal(signal.SIGCONT)
        self.wait_until(lambda: self.owner() == "a", "a has the shard again")
        self.wait_until(lambda: self.epoch() >> 20 > before, "a claims the log with the new token")
        self.assertEqual(trader.order("A1")["34"], "2")
        self.end(a)

    def notifications(self):
        """A service manager's socket: its environment, and what was sent to it so far."""
        manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK)
        self.addCleanup(manager.close)
        manager.bind(f"{self.folder}/notify")
        environment = dict(os.environ, NOTIFY_SOCKET=f"{self.folder}/notify")

        def sent():
            found = []
            while True:
                try:
                    found.append(manager.recv(256))
                except BlockingIOError:
                    return found
        return environment, sent

    def test_a_shard_moves_to_a_node_and_back(self):
        environment, sent = self.notifications()
        a, b, _ = self.start_two(env=environment)
        trader = self.counterparty()
        trader.log_on()
        self.assertEqual(trader.order("A1")["34"], "2")
        done = self.order("move", "a", "s1", "b")
        self.assertEqual((done.returncode, done.stdout), (0, "node b has shard s1\n"), done.stderr)
        self.assertEqual(trader.receive()["35"], "5")
        trader.connect()
        self.assertEqual(trader.log_on()["34"], "4")
        trader.send("5", "")
        self.assertEqual(trader.receive()["35"], "5")
        self.wait_until(lambda: self.is_ready("a"), "a waits")
        self.assertIsNone(a.poll())
        overview = self.overview("a")
        self.assertEqual([(one["node"], one["role"]) for one in overview["engines"]],
                         [("a", "ready"), ("b", "owner")])
        self.assertNotIn(b"STOPPING=1\n", sent())
        done = self.order("move", "a", "s1", "a")
        self.assertEqual(done.returncode, 0, done.stderr)
        trader.connect()
        self.assertEqual(trader.log_on()["35"], "A")
        self.assertEqual(self.owner(), "a")
        b.kill()
        self.end(a)
        self.assertIn(b"STOPPING=1\n", sent())

    def want(self, node):
        """As `nexusfix cluster move`, which waits until it is done."""
        self.etcd.put(f"/nexusfix/{self.name}/shards/s1/wanted", node)

    def block_reading_of(self, table):
        """No engine reads this table until the result is called."""
        one = subprocess.Popen(
            ["psql", "-h", self.host, "-U", "nexusfix", "-d", "postgres", "-qAt"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(one.stdout.close)
        self.addCleanup(one.wait)
        self.addCleanup(one.kill)
        one.stdin.write(f"BEGIN; LOCK TABLE {self.schema}.{table}; SELECT 'locked';\n")
        one.stdin.flush()
        self.assertEqual(one.stdout.readline(), "locked\n")
        return one.stdin.close

    def test_a_waiting_engine_that_lacks_a_part_of_the_log_is_not_ready_and_takes_nothing(self):
        self.lease = SHORT_LEASE
        a, b, metrics = self.start_two()
        trader = self.counterparty()
        trader.log_on()
        b.send_signal(signal.SIGSTOP)
        self.assertEqual(trader.order("A1")["34"], "2")
        unblock = self.block_reading_of("chunks")
        b.send_signal(signal.SIGCONT)
        self.wait_until(lambda: not self.is_ready("b"), "b is not ready")
        done = self.order("move", "a", "s1", "b")
        self.assertEqual(done.returncode, 1)
        self.assertIn("node b", done.stderr)
        a.kill()
        a.wait()  # its port is closed
        self.wait_until(lambda: self.owner() is None, "the lease has ended")
        for _ in range(2):  # in the second one b looks whether it may take the shard
            self.wait_for_renewal(metrics)
        self.assertIsNone(self.owner())
        unblock()
        trader.connect()
        self.assertEqual(trader.log_on()["34"], "3")
        trader.send("2", "7=2|16=2|")
        self.assertEqual(trader.receive()["11"], "A1")
        self.end(b)

    def test_a_former_owner_waits_though_the_log_is_claimed_while_it_opens_again(self):
        a, b, _ = self.start_two()
        unblock = self.block_reading_of("cluster_mark")
        before = self.epoch() >> 20
        b.send_signal(signal.SIGSTOP)
        self.want("b")
        self.wait_until(lambda: self.log("a").count("NXF-5080") == 2, "a is a member again")
        b.send_signal(signal.SIGCONT)
        self.wait_until(lambda: self.epoch() >> 20 > before, "b claims the log")
        unblock()
        self.wait_until(lambda: self.is_ready("a"), "a waits")
        self.listening(b)
        self.end(b)
        self.listening(a, times=2)
        self.end(a)

    def test_an_engine_waits_on_after_later_claims_of_the_log_and_an_error_of_the_database(self):
        a, b, _ = self.start_two()
        before = self.epoch() >> 20
        self.assertEqual(self.order("drain", "b").returncode, 0)  # so a gets the lease again
        self.etcd.end_lease_of(self.owner_key())
        self.wait_until(lambda: self.epoch() >> 20 > before, "a claims the log again")
        self.join("b")
        ended = self.sql("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE "
                         f"application_name LIKE 'nexusfix standby: process {b.pid} %'")
        self.assertEqual(ended, "1")
        self.wait_until(lambda: "NXF-5047" in self.log("b"), "b is connected again")
        self.wait_until(lambda: self.is_ready("b"), "b waits")
        self.end(a)
        self.listening(b)
        self.end(b)

    def test_a_former_owner_tries_again_while_etcd_does_not_answer(self):
        way = self.lossy_etcd()
        self.join("a", "b")
        a, _ = self.start_node("a", etcd=way)
        self.listening(a)
        b, _ = self.start_node("b")
        self.wait_until(lambda: self.is_ready("b"), "b is ready")
        # From the moment at which a gives its lease back.
        is_away = threading.Event()

        def loses(path, _):
            if path.endswith("/lease/revoke"):
                is_away.set()
            return is_away.is_set()
        way.loses = loses
        done = self.order("move", "b", "s1", "b")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.wait_until(lambda: "NXF-5086 engine the shard was handed over" in self.log("a"),
                        "a tries again")
        way.loses = lambda path, body: False
        self.wait_until(lambda: self.is_ready("a"), "a waits")
        self.end(b)
        self.listening(a, times=2)
        self.end(a)

    def test_a_stop_during_a_hand_over_ends_the_engine(self):
        self.lease = LEASE + "LogoutTimeout=600\n"
        a, b, _ = self.start_two()
        trader = self.counterparty()  # a waits for its Logout
        trader.log_on()
        self.want("b")
        self.wait_until(lambda: "NXF-5084" in self.log("a"), "a hands the shard over")
        a.send_signal(signal.SIGTERM)
        self.assertEqual(trader.receive()["35"], "5")
        trader.send("5", "")
        self.assertEqual(a.wait(LIMIT_SECONDS), 0)
        self.listening(b)
        self.end(b)

    def test_an_engine_that_gets_no_answer_to_its_registration_is_registered(self):
        way = self.lossy_etcd()
        self.join("a", "b")
        a, _ = self.start_node("a")
        self.listening(a)
        b, _ = self.start_node("b", etcd=way)
        self.wait_until(lambda: self.is_ready("b"), "b is ready")
        lost = []

        def loses(_, body):
            is_put = "request_put" in body and coded(self.member_key("b")) in body
            if not is_put or lost:
                return False
            lost.append(body)
            return True
        way.loses = loses
        self.etcd.end_lease_of(self.member_key("b"))
        self.wait_until(lambda: lost, "b registers with its next lease")
        self.wait_until(lambda: self.is_ready("b"), "b is ready again")
        # An operator removes the key: the node registers again.
        self.etcd.delete(self.member_key("b"))
        self.wait_until(lambda: self.is_ready("b"), "b is ready once more")
        self.end(a)
        self.listening(b)
        self.end(b)

    def test_what_cannot_be_moved_is_refused(self):
        self.join("a", "b")
        a, _ = self.start_node("a")
        self.listening(a)
        for arguments, expected in ((("s1", "b"), "no engine of node b waits for shard s1"),
                                    (("s1", "a"), "node a has shard s1 already"),
                                    (("s9", "a"), f"cluster {self.name} has no shard s9")):
            done = self.order("move", "a", *arguments)
            self.assertEqual(done.returncode, 1)
            self.assertIn(expected, done.stderr)
        self.end(a)

    def test_a_waiting_engine_that_is_ended_gives_its_lease_back(self):
        a, b, _ = self.start_two()
        b.send_signal(signal.SIGTERM)
        self.assertEqual(b.wait(LIMIT_SECONDS), 0)
        self.assertNotIn(self.member_key("b"), self.etcd.read(self.member_key("b")))
        done = self.order("move", "a", "s1", "b")
        self.assertIn("no engine of node b waits for shard s1", done.stderr)
        self.end(a)

    def test_a_move_to_an_engine_that_ends_meanwhile_says_so(self):
        self.lease = MEDIUM_LEASE
        a, b, _ = self.start_two()
        b.send_signal(signal.SIGKILL)
        b.wait()
        done = self.order("move", "a", "s1", "b")  # etcd has its lease still
        self.assertEqual(done.returncode, 1)
        self.assertIn("the engine of node b has ended, and does not take shard s1", done.stderr)
        self.wait_until(lambda: self.owner() == "a", "a has the shard again")
        self.end(a)

    def test_a_drained_node_gives_its_shard_up_and_takes_none_until_it_joins(self):
        self.join("a", "b")
        a, metrics = self.start_node("a")
        self.listening(a)
        done = self.order("drain", "a", "--wait", "1")
        self.assertEqual(done.returncode, 1)
        self.assertIn("still has s1 after 1 s", done.stderr)
        self.wait_until(lambda: "NXF-5085" in self.log("a"), "a says that it keeps the shard")
        b, _ = self.start_node("b")
        self.wait_until(lambda: self.owner() == "b", "b has the shard")
        done = self.order("drain", "a")
        self.assertEqual(done.stdout, "node a has no shard, and takes none\n", done.stderr)
        self.wait_until(lambda: self.is_ready("a"), "a waits")
        done = self.order("status", "b")
        self.assertRegex(done.stdout, r"s1 +a +ready +- +\d+ s +process \d+ on \S+, drained\n")
        self.assertIn("drained: a\n", done.stdout)
        self.end(b)
        self.assertIsNone(self.owner())
        for _ in range(2):  # in the second one a looks whether it may take the shard
            self.wait_for_renewal(metrics)
        self.assertIsNone(self.owner())
        done = self.order("join", "a")
        self.assertIn("node a takes shards again", done.stdout)
        self.listening(a, times=2)
        self.end(a)

    def roles(self, node):
        return {one["node"]: (one["role"], one["refusal"])
                for one in self.overview(node)["engines"]}

    def test_an_engine_that_refused_to_serve_is_shown_as_refused_until_it_serves(self):
        a, b, _ = self.start_two(other_port=free_port())
        trader = self.counterparty()
        trader.log_on()
        trader.order("A1")
        self.assertEqual(self.roles("a"), {"a": ("owner", None), "b": ("ready", None)})
        a.kill()
        a.wait()
        b.kill()
        b.wait()
        for node in "ab":
            self.etcd.end_lease_of(self.member_key(node))
        self.sql(f"INSERT INTO {self.schema}.lost_numbers SELECT 1, session_key, epoch, 3, 9 "
                 f"FROM {self.schema}.sessions")
        self.refused("a", "lost: what was sent to session FIX.4.4:VENUE->TRADER as MsgSeqNum 3")
        role, why = self.roles("b")["a"]
        self.assertEqual(role, "refused")
        self.assertIn("lost: what was sent to session FIX.4.4:VENUE->TRADER", why)
        self.assertIn("--accept-losses", why)
        table = self.order("status", "b").stdout
        self.assertRegex(table, r"s1 +a +refused +- +0 s +no process on \S+\n")
        self.assertRegex(table, r"\n  a refused s1 at \S+ \S+ UTC: lost: what was sent")
        # It waits again, for b has the shard: it would refuse again.
        b, metrics = self.start_node("b", arguments=["--accept-losses"])
        self.listening(b)
        a, _ = self.start_node("a", port=free_port())
        self.wait_until(lambda: self.is_ready("a"), "a waits")
        self.wait_until(lambda: self.roles("b")["b"] == ("owner", None), "b serves")
        self.assertEqual(self.roles("b")["a"], ("refused", why))
        state = '\nnexusfix_cluster_engine{node="a",state="refused"} 1\n'
        self.wait_until(lambda: state in get(metrics, "/metrics")[1], "the metrics say refused")
        # The loss is settled: a takes the shard, and serves.
        self.end(b)
        self.listening(a)
        self.wait_until(lambda: self.roles("b") == {"a": ("owner", None)}, "a serves")
        self.end(a)

    def test_join_ends_the_refusal_of_its_node(self):
        self.join("a")
        taken = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(taken.close)
        self.refused("a", "listen", port=taken.getsockname()[1])
        role, why = self.roles("a")["a"]
        self.assertEqual(role, "refused")
        self.assertIn("listen", why)
        done = self.order("join", "a")
        self.assertIn("etcd: the refusal of node a is removed", done.stdout)
        self.assertEqual(self.roles("a"), {})

    def test_an_engine_that_is_stopped_while_it_waits_has_refused_nothing(self):
        a, b, _ = self.start_two()
        b.terminate()
        self.assertEqual(b.wait(LIMIT_SECONDS), 0)
        self.assertEqual(self.roles("a"), {"a": ("owner", None)})
        self.end(a)

    def wait_for_renewal(self, metrics):
        def age():
            page = get(metrics, "/metrics")[1]
            return float(re.search(r"\nnexusfix_cluster_lease_age_seconds (\S+)\n", page)[1])
        ages = [age()]

        def is_renewed():
            ages.append(age())
            return ages[-1] < ages[-2]
        self.wait_until(is_renewed, "the lease is renewed")

    def refused(self, node, expected, **options):
        engine, _ = self.start_node(node, **options)
        self.assertEqual(engine.wait(LIMIT_SECONDS), 1)
        self.assertRegex(self.log(node), expected)

    def test_a_wrong_clock_is_reported_before_the_log_is_claimed_and_the_engine_serves(self):
        way = self.lossy_etcd()
        way.clock_ahead = 600
        self.join("a")
        a, _ = self.start_node("a", etcd=way)
        self.listening(a)
        self.assertRegex(self.log("a"), r"(?s)NXF-5087 .*the clock of this machine is \d+ s or "
                                        r"more earlier than that of etcd 127.0.0.1:.*NXF-5081")
        trader = self.counterparty()
        trader.log_on()
        self.assertEqual(trader.order("A1")["34"], "2")
        # Once, until it is right again.
        way.clock_ahead = 0
        self.end(a)
        self.assertEqual(self.log("a").count("NXF-5087"), 1)

    def test_two_nodes_of_one_name_are_refused(self):
        self.join("a")
        a, _ = self.start_node("a")
        self.listening(a)
        text = (self.folder / "a.cfg").read_text().replace(f"{self.folder}/a", f"{self.folder}/c")
        text = text.replace(LEASE, SHORT_LEASE)  # it waits for a lease of the same name to end
        again = self.write("again.cfg", re.sub(r"MetricsPort=\d+", "MetricsPort=0", text))
        done = run("serve", again)
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"an engine of this node and shard runs already: process {a.pid} on host",
                      done.stderr)
        # One name on another machine, for another shard.
        self.etcd.put(f"/nexusfix/{self.name}/shards/s2/members/n",
                      json.dumps({"node": "n", "host": "elsewhere", "process": 7}))
        self.refused("n", "a node of this name runs already: process 7 on host elsewhere, for "
                          "shard s2")
        self.assertEqual(self.owner(), "a")
        self.end(a)

    def test_an_etcd_or_a_database_that_does_not_fit_is_refused_before_the_log_is_touched(self):
        self.refused("a", f"knows no cluster {self.name}")
        self.join("a")
        a, _ = self.start_node("a")
        self.listening(a)
        self.end(a)
        epoch = self.epoch()
        # Another etcd.
        other = self.start_etcd()
        self.refused("a", f"knows no cluster {self.name}", etcd=other)
        done = self.order("join", "a", etcd=other)
        self.assertEqual(done.returncode, 1)
        self.assertIn("has old data: the log was claimed with fencing token", done.stderr)
        # Another cluster of the same name, with a shard of that name.
        home, self.schema = self.schema, self.schema + "_other"
        self.join("a", etcd=other)
        self.schema = home
        self.refused("a", "the log belongs to shard s1 of cluster [0-9a-f]+, and not to shard s1 "
                          "of cluster [0-9a-f]+", etcd=other)
        done = self.order("join", "a", etcd=other)
        self.assertIn("and etcd has cluster", done.stderr)
        # The database of another shard, and none of the cluster.
        done = self.order("join", "a", shard="s2")
        self.assertIn("that of shard s1, and not of s2", done.stderr)
        done = self.order("join", "b", schema=home + "_empty")
        self.assertIn("shard s1 has a log already", done.stderr)
        # An etcd that was restored: it has the cluster, and revisions of the past.
        old = self.start_etcd()
        for key, value in self.etcd.read(f"/nexusfix/{self.name}/").items():
            if key and "/members/" not in key:
                old.put(key, value)
        self.assertLess(old.read("/")[None], epoch >> 20)
        self.refused("a", "etcd has old data", etcd=old)
        self.assertEqual(self.epoch(), epoch)
        # The operator says that it is the right one.
        done = self.order("join", "a", "--etcd-lost", etcd=old)
        self.assertEqual(done.returncode, 0, done.stderr)
        a, _ = self.start_node("a", etcd=old)
        self.listening(a)
        self.assertGreater(self.epoch(), epoch)
        self.end(a)

    def test_an_engine_does_not_start_without_etcd(self):
        self.join("a")
        self.etcd.kill()
        self.refused("a", r"node a, shard s1: etcd 127\.0\.0\.1:\d+: connect: Connection refused")

    def test_status_of_an_engine_names_its_node_and_token(self):
        a, _, _ = self.start_two()
        has, waits = r"has shard s1 of cluster \S+", r"waits for shard s1 of cluster \S+"
        # The first owner of the log has taken it over from no other engine.
        self.assertNotIn("NXF-5051", self.log("a"))
        for node, expected in (("a", rf"node a {has}: fencing token \d+; the lease was renewed"),
                               ("b", rf"node b {waits}, which node a has; the lease was ")):
            shown = self.status(node)
            self.assertEqual(shown.returncode, 0, shown.stderr)
            self.assertRegex(shown.stdout, expected)
        self.end(a)


if __name__ == "__main__":
    standby_test.SERVER = os.path.abspath(sys.argv.pop(2))
    command_test.NEXUSFIX = os.path.abspath(sys.argv.pop(1))
    unittest.main(defaultTest="Cluster", verbosity=2)
