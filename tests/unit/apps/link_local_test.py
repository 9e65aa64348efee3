#!/usr/bin/env python3
"""Link-local addresses on two real links: a venue with two interfaces, and a neighbour on each."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

NEXUSFIX = ""  # set by main
IS_INSIDE = "--inside"
LIMIT_SECONDS = 120  # for hangs only
VENUE = ("fe80::a1", "fe80::a2")     # of the venue, on left0 and on right0
NEIGHBOUR = "fe80::b"                # the same address on each link


def run(*arguments, namespace=None):
    inside = ["nsenter", "--net", "--target", str(namespace)] if namespace else []
    return subprocess.run([*inside, *map(str, arguments)], check=True, capture_output=True,
                          text=True, timeout=LIMIT_SECONDS)


def wait_until(condition, what):
    deadline = time.monotonic() + LIMIT_SECONDS
    while not condition():
        if time.monotonic() > deadline:
            raise AssertionError(f"never happened: {what}")
        time.sleep(0.01)


# A neighbour: connects, sends its argument, and prints the answer.
CLIENT = """
import socket, sys
peer = socket.socket(socket.AF_INET6, socket.SOCK_STREAM)
peer.settimeout(100)
try:
    peer.connect(socket.getaddrinfo(sys.argv[1], int(sys.argv[2]))[0][4])
    peer.sendall(sys.argv[3].encode().replace(b"|", b"\\1"))
    print(peer.recv(4096).replace(b"\\1", b"|").decode())
except OSError as error:
    print(error.strerror)
"""


def logon(comp_id):
    body = (f"35=A|49={comp_id}|56=VENUE|34=1|52=" +
            time.strftime("%Y%m%d-%H:%M:%S", time.gmtime()) + "|98=0|108=30|141=Y|")
    text = f"8=FIX.4.4|9={len(body)}|{body}"
    return f"{text}10={sum(text.replace('|', chr(1)).encode()) % 256:03}|"


class TwoLinks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if IS_INSIDE not in sys.argv:
            raise unittest.SkipTest("a network of its own needs root, unshare, nsenter and ip")
        cls.neighbours = []
        try:
            run("ip", "link", "set", "lo", "up")
            for link, venue in zip(("left", "right"), VENUE):
                # pylint: disable-next=consider-using-with
                neighbour = subprocess.Popen(["unshare", "--net", "cat"], stdin=subprocess.PIPE,
                                             stdout=subprocess.DEVNULL)
                cls.neighbours.append(neighbour)
                own = os.readlink("/proc/self/ns/net")
                wait_until(lambda n=neighbour: os.readlink(f"/proc/{n.pid}/ns/net") != own,
                           "a namespace of the neighbour's")
                run("ip", "link", "add", f"{link}0", "type", "veth", "peer", "name", f"{link}1",
                    "netns", neighbour.pid)
                for name, address, namespace in ((f"{link}0", venue, None),
                                                 (f"{link}1", NEIGHBOUR, neighbour.pid)):
                    run("ip", "link", "set", name, "up", namespace=namespace)
                    run("ip", "address", "add", f"{address}/64", "dev", name, "nodad",
                        namespace=namespace)
        except (subprocess.CalledProcessError, OSError) as error:
            cls.tearDownClass()
            raise unittest.SkipTest(f"no links of its own here: {error}") from error

    @classmethod
    def tearDownClass(cls):
        for neighbour in cls.neighbours:
            neighbour.kill()
            neighbour.wait()
            neighbour.stdin.close()

    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="nexusfix-links-")
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def config(self, more):
        path = self.folder / "venue.cfg"
        path.write_text("[DEFAULT]\nConnectionType=acceptor\nSocketAcceptPort=0\n"
                        f"FileStorePath={self.folder}/venue\n[SESSION]\nBeginString=FIX.4.4\n"
                        f"SenderCompID=VENUE\nTargetCompID=TRADER\n{more}")
        return path

    def serve(self, more):
        with open(self.folder / "events", "w", encoding="utf-8") as log:
            venue = subprocess.Popen([NEXUSFIX, "serve", self.config(more)],
                                     stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log,
                                     text=True)
        self.addCleanup(venue.stdout.close)
        self.addCleanup(venue.wait)
        self.addCleanup(venue.kill)
        match = re.fullmatch(r"listening on port (\d+)\n", venue.stdout.readline())
        self.assertIsNotNone(match, self.events())
        return venue, int(match[1])

    def events(self):
        return (self.folder / "events").read_text()

    def from_link(self, index, port, text):
        """The answer that the neighbour on that link gets."""
        link = ("left1", "right1")[index]
        done = run(sys.executable, "-c", CLIENT, f"{VENUE[index]}%{link}", port, text,
                   namespace=self.neighbours[index].pid)
        return done.stdout.strip()

    def test_neighbour_on_the_other_link_is_refused(self):
        venue, port = self.serve(f"AllowedRemoteAddresses={NEIGHBOUR}%left0\n")
        self.assertNotIn("35=A", self.from_link(1, port, logon("TRADER")))
        wait_until(lambda: f"connection from [{NEIGHBOUR}%right0]:" in self.events(),
                   self.events())
        self.assertIn("|35=A|", self.from_link(0, port, logon("TRADER")))
        wait_until(lambda: f"connection from [{NEIGHBOUR}%left0]:" in self.events(), self.events())
        venue.send_signal(signal.SIGTERM)
        self.assertEqual(venue.wait(LIMIT_SECONDS), 0)

    def test_interface_may_be_named_by_its_number_and_a_network_by_its_link(self):
        number = socket.if_nametoindex("right0")
        for allowed in (f"{NEIGHBOUR}%{number}", "fe80::%right0/64", f"[{NEIGHBOUR}%right0]"):
            with self.subTest(allowed=allowed):
                venue, port = self.serve(f"AllowedRemoteAddresses={allowed}\n")
                self.assertNotIn("35=A", self.from_link(0, port, logon("TRADER")))
                self.assertIn("|35=A|", self.from_link(1, port, logon("TRADER")))
                venue.send_signal(signal.SIGTERM)
                self.assertEqual(venue.wait(LIMIT_SECONDS), 0)

    def test_address_without_an_interface_is_that_of_each_link_and_is_warned_of(self):
        _, port = self.serve(f"AllowedRemoteAddresses={NEIGHBOUR}\n")
        self.assertIn("|35=A|", self.from_link(0, port, logon("TRADER")))
        self.assertIn("|35=A|", self.from_link(1, port, logon("TRADER")))
        self.assertIn(f"{NEIGHBOUR} without an interface is that address of each link",
                      self.events())

    def test_proxy_on_the_other_link_is_not_trusted(self):
        _, port = self.serve(f"UseTCPProxy=Y\nTrustedProxies={NEIGHBOUR}%left0\n")
        header = "PROXY TCP4 192.0.2.7 192.0.2.8 40112 5001\r\n"
        self.assertNotIn("35=A", self.from_link(1, port, header + logon("TRADER")))
        wait_until(lambda: "it is not one of the port's proxies (TrustedProxies)" in self.events(),
                   self.events())
        self.assertIn("|35=A|", self.from_link(0, port, header + logon("TRADER")))

    def test_venue_may_listen_on_one_link_alone(self):
        _, port = self.serve(f"SocketAcceptAddress=[{VENUE[1]}%right0]\n")
        self.assertNotIn("35=A", self.from_link(0, port, logon("TRADER")))
        self.assertIn("|35=A|", self.from_link(1, port, logon("TRADER")))


def main():
    global NEXUSFIX
    NEXUSFIX = os.path.abspath(sys.argv[1])
    tools = all(shutil.which(tool) for tool in ("unshare", "nsenter", "ip"))
    if IS_INSIDE not in sys.argv and os.getuid() == 0 and tools:
        inside = ["unshare", "--net"]
        if subprocess.run([*inside, "true"], check=False, capture_output=True).returncode == 0:
            os.execvp(inside[0], [*inside, sys.executable, "-B", os.path.abspath(__file__),
                                  NEXUSFIX, IS_INSIDE])
    unittest.main(argv=sys.argv[:1], verbosity=2)


if __name__ == "__main__":
    main()
