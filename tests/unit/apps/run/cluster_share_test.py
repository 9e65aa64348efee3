#!/usr/bin/env python3
"""The files of share/cluster fit one another, and the programs that read them.
Arguments: nexusfix, and the folder share/cluster."""

import os
import re
import shutil
import socket
import socketserver
import subprocess
import sys
import threading
import unittest
from pathlib import Path

import command_test
from command_test import LIMIT_SECONDS, WithFolder, free_port, wait_until

SHARE = Path()  # set by main
PATH = os.environ["PATH"] + ":/usr/sbin"


class Node(socketserver.BaseRequestHandler):
    """Answers the beginning of a Logon, after the header of the PROXY protocol."""

    def handle(self):
        got = b""
        while part := self.request.recv(1024):
            got += part
            if got.startswith(b"\r\n\r\n\0\r\nQUIT\n") and got.endswith(b"8=FIX"):
                self.request.sendall(b"Logon")


def is_answered(port):
    try:
        with socket.create_connection(("127.0.0.1", port), LIMIT_SECONDS) as client:
            client.sendall(b"8=FIX")
            return client.recv(5) == b"Logon"
    except OSError:
        return False


class Share(WithFolder):
    def checked(self, *command, **variables):
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_SECONDS,
                              env={**os.environ, **variables}, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def test_the_configuration_has_no_error_and_no_unknown_key(self):
        for node in ("node-a", "node-b"):
            shown = self.checked(command_test.NEXUSFIX, "config", "check", SHARE / "shard1.cfg",
                                 NODE=node, PROXIES="10.0.0.9", DATABASE_PASSWORD="p",
                                 DATABASE_TLS="require")
            self.assertRegex(shown, rf"ClusterNode\W+{node}")

    def compose(self):
        try:
            import yaml  # pylint: disable=import-outside-toplevel
        except ImportError:
            self.skipTest("no python3-yaml is installed")
        return yaml.safe_load((SHARE / "compose.yaml").read_text())

    def test_the_compose_file_names_services_volumes_and_files_that_are_there(self):
        compose = self.compose()
        services = compose["services"]
        config = (SHARE / "shard1.cfg").read_text()
        hosts = set(re.findall(r"https://([\w-]+):", config))
        hosts |= set(re.search(r"PostgreSQLStoreHost=(\S+)", config)[1].split(","))
        hosts |= set(re.findall(r"server \S+ ([\w-]+):", (SHARE / "haproxy.cfg").read_text()))
        self.assertEqual(hosts - set(services), set())
        for name, service in services.items():
            self.assertTrue("image" in service, name)
            self.assertEqual(set(service.get("depends_on", [])) - set(services), set(), name)
            for volume in service.get("volumes", []):
                source = volume.split(":")[0]
                if not source.startswith("."):
                    self.assertIn(source, compose["volumes"], name)
                elif not source.endswith("/certificates"):  # certificates.sh makes them
                    self.assertTrue((SHARE / source).exists(), f"{name}: {source}")
            if "build" in service:
                file = SHARE / service["build"]["context"] / service["build"]["dockerfile"]
                arguments = set(re.findall(r"^ARG (\w+)", file.read_text(), re.MULTILINE))
                self.assertEqual(set(service["build"]["args"]) - arguments, set())
        for node in ("node-a", "node-b", "join"):
            used = set(re.findall(r"\$\{(\w+)\}", config))
            self.assertEqual(used - set(services[node]["environment"]), set(), node)

    def test_what_a_service_keeps_outlives_its_container(self):
        """Without it, etcd has lost the cluster that the log in the database belongs to."""
        for name, service in self.compose()["services"].items():
            folder = (service["environment"]["ETCD_DATA_DIR"] if name.startswith("etcd") else
                      "/var/lib/postgresql/data" if name.startswith("db") else
                      "/var/lib/nexusfix" if name.startswith("node") else None)
            if folder:
                self.assertIn(f"{name}:{folder}", service["volumes"])

    def test_a_member_of_etcd_has_the_same_settings_with_and_without_compose(self):
        def pairs(text):
            return dict(line.split("=", 1) for line in text.splitlines()
                        if line and not line.startswith("#"))
        alone = pairs((SHARE / "etcd.default").read_text())
        for name in ("etcd1", "etcd2", "etcd3"):
            composed = self.compose()["services"][name]["environment"]
            expected = {key: re.sub(r"etcd1(?=\.|:2379|:2380$|$)", name, value)
                        if key != "ETCD_INITIAL_CLUSTER" else value
                        for key, value in alone.items() if key != "ETCD_DATA_DIR"}
            self.assertEqual({key: value for key, value in composed.items()
                              if key != "ETCD_DATA_DIR"}, expected)

    def test_haproxy_accepts_its_file(self):
        haproxy = shutil.which("haproxy", path=PATH)
        if not haproxy:
            self.skipTest("no haproxy is installed")
        self.checked(haproxy, "-c", "-f", SHARE / "haproxy.cfg")

    def test_haproxy_connects_a_client_to_the_node_that_listens(self):
        haproxy = shutil.which("haproxy", path=PATH)
        if not haproxy:
            self.skipTest("no haproxy is installed")
        door, owner, other = free_port(), free_port(), free_port()
        text = (SHARE / "haproxy.cfg").read_text()
        for place, address in (("bind :5001", f"bind 127.0.0.1:{door}"),
                               ("node-a:5001", f"localhost:{other}"),
                               ("node-b:5001", f"localhost:{owner}")):
            self.assertEqual(text.count(place), 1)
            text = text.replace(place, address)
        node = self.enterContext(socketserver.ThreadingTCPServer(("127.0.0.1", owner), Node))
        node.daemon_threads = True
        thread = threading.Thread(target=node.serve_forever)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(node.shutdown)
        process = subprocess.Popen([haproxy, "-db", "-f", self.write("haproxy.cfg", text)],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        wait_until(lambda: is_answered(door), "a client reaches the node")

    def test_systemd_accepts_the_units(self):
        if not shutil.which("systemd-analyze"):
            self.skipTest("no systemd-analyze is installed")
        unit = (SHARE / "nexusfix-front-door.service").read_text()
        path = self.write("nexusfix-front-door.service",
                          unit.replace("/usr/local/bin/nexusfix", str(command_test.NEXUSFIX)))
        done = subprocess.run(["systemd-analyze", "verify", path], capture_output=True, text=True,
                              timeout=LIMIT_SECONDS, check=False)
        self.assertNotIn("nexusfix-front-door.service:", done.stdout + done.stderr)

    def test_systemd_accepts_the_drop_in_of_a_node(self):
        if not shutil.which("systemd-analyze"):
            self.skipTest("no systemd-analyze is installed")
        unit = (SHARE.parent / "systemd" / "nexusfix@.service.in").read_text()
        self.write("nexusfix@.service",
                   unit.replace("@NEXUSFIX_PROGRAM@", str(command_test.NEXUSFIX)))
        (self.folder / "nexusfix@shard1.service.d").mkdir()
        shutil.copy(SHARE / "nexusfix-cluster.conf", self.folder / "nexusfix@shard1.service.d")
        done = subprocess.run(
            ["systemd-analyze", "verify", "nexusfix@shard1.service"], capture_output=True,
            text=True, timeout=LIMIT_SECONDS, check=False,
            env={**os.environ, "SYSTEMD_UNIT_PATH": f"{self.folder}:"})
        self.assertNotIn("nexusfix", done.stdout + done.stderr)

    def test_the_certificates_are_those_of_their_authority(self):
        folder = self.folder / "certificates"
        self.checked(SHARE / "certificates.sh", str(folder), "etcd1")
        for name in ("etcd1", "engine"):
            self.checked("openssl", "verify", "-CAfile", str(folder / "ca.pem"),
                         str(folder / f"{name}.pem"))
        self.assertEqual((folder / "engine.key").stat().st_mode & 0o77, 0)

    def test_each_database_waits_for_the_other_by_a_setting_outside_of_its_data(self):
        """pg_basebackup copies the data: a promoted copy with this setting waits for itself."""
        for script in SHARE.rglob("*.sh"):
            self.assertNotIn("ALTER SYSTEM SET", script.read_text(), script)
        primary = self.compose()["services"]["db1"]["command"]
        standby = (SHARE / "compose" / "standby.sh").read_text()
        self.assertIn("synchronous_standby_names=db2", primary)
        self.assertRegex(standby, "exec postgres .*-c synchronous_standby_names=db1")
        self.assertIn("application_name=db2", standby)
        # The image makes the primary with its settings; no standby is there to wait for.
        self.assertIn("synchronous_commit=local",
                      (SHARE / "compose" / "primary.sh").read_text())

    def test_shell_scripts_can_be_read(self):
        for script in SHARE.rglob("*.sh"):
            self.checked("sh", "-n", str(script))


if __name__ == "__main__":
    SHARE = Path(sys.argv.pop(2)).resolve()
    command_test.NEXUSFIX = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
