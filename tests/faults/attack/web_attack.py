#!/usr/bin/env python3
"""Attacks the web ports of a venue without a token, while a FIX session trades, another client logs
on again and again, and a monitor asks for /healthz.

    web_attack.py NEXUSFIX [--seconds 5] [ATTACK ...]

Prints for each attack the answer times of all three, the memory and the descriptors of the venue.
Ends with 1 if a Logon or /healthz failed, if memory grew without a bound, or if the descriptors
that FIX needs were taken. The venue may open 1,024 descriptors.
"""

import argparse
import contextlib
import multiprocessing
import os
import re
import resource
import select
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

DESCRIPTORS = 1024
TLS_CONNECTIONS = 2000
PLAIN_CONNECTIONS = 600
PATIENCE_SECONDS = 20  # a client that waits longer has failed
MEMORY_GROWTH_MAX = 64 << 20
DESCRIPTORS_MAX = DESCRIPTORS // 2
CHUNKED = b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"


def percentile(times, percent):
    ordered = sorted(times)
    return ordered[-(-len(ordered) * percent // 100) - 1] * 1000 if ordered else float("nan")


class Fix:
    """A FIX 4.4 session with blocking calls."""

    def __init__(self, port, name):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_SECONDS)
        self.name, self.number, self.bytes = name, 0, b""
        self.send("A", "98=0|108=300|141=Y|")
        self.receive("35=A")

    def send(self, kind, fields):
        self.number += 1
        now = time.strftime("%Y%m%d-%H:%M:%S", time.gmtime())
        body = (f"35={kind}|49={self.name}|56=VENUE|34={self.number}|52={now}|{fields}"
                ).replace("|", "\x01").encode()
        message = b"8=FIX.4.4\x019=%d\x01" % len(body) + body
        self.socket.sendall(message + b"10=%03d\x01" % (sum(message) % 256))

    def receive(self, part):
        while True:
            end = re.search(rb"\x0110=\d{3}\x01", self.bytes)
            if end is None:
                got = self.socket.recv(65536)
                if not got:
                    raise ConnectionError(f"{self.name} was disconnected")
                self.bytes += got
                continue
            message, self.bytes = self.bytes[:end.end()], self.bytes[end.end():]
            if f"\x01{part}\x01".encode() in message:
                return

    def close(self):
        self.socket.close()


class Honest(threading.Thread):
    """Repeats a step, and notes how long it took. A step that fails is counted."""

    def __init__(self, pause, step):
        super().__init__(daemon=True)
        self.pause, self.step, self.times, self.failures = pause, step, [], []
        self.ends = threading.Event()
        self.start()

    def run(self):
        while not self.ends.wait(self.pause):
            begun = time.monotonic()
            try:
                self.step()
                self.times.append(time.monotonic() - begun)
            except OSError as error:
                self.failures.append(str(error))

    def take(self):
        """The times and failures since the last call."""
        times, self.times = self.times, []
        failures, self.failures = self.failures, []
        return times, failures


class Venue:
    def __init__(self, nexusfix, folder):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                        "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
                        "/CN=localhost", "-keyout", f"{folder}/key", "-out", f"{folder}/pem"],
                       check=True, capture_output=True)
        os.chmod(f"{folder}/key", 0o600)
        path = Path(folder, "venue.cfg")
        path.write_text(
            "[DEFAULT]\nConnectionType=acceptor\nSocketAcceptAddress=127.0.0.1\n"
            "BeginString=FIX.4.4\nSocketAcceptPort=0\nSenderCompID=VENUE\n"
            f"FileStorePath={folder}/store\n"
            f"MetricsPort=0\nConsolePort=0\nConsoleCertificateFile={folder}/pem\n"
            f"ConsoleCertificateKeyFile={folder}/key\n"
            "[SESSION]\nTargetCompID=TRADER\n[SESSION]\nTargetCompID=VISITOR\n", encoding="utf-8")
        self.events = Path(folder, "events")
        with self.events.open("w", encoding="utf-8") as events:
            self.process = subprocess.Popen(
                [nexusfix, "serve", path], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=events, text=True, preexec_fn=lambda: resource.setrlimit(
                    resource.RLIMIT_NOFILE, (DESCRIPTORS, DESCRIPTORS)))
        self.fix = int(self.process.stdout.readline().rsplit(" ", 1)[1])
        self.metrics = self.port_of(r"metrics: http://127.0.0.1:(\d+)/")
        self.console = self.port_of(r"web console: https://127.0.0.1:(\d+)/")

    def port_of(self, pattern):
        until = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < until and self.process.poll() is None:
            found = re.search(pattern, self.events.read_text(encoding="utf-8"))
            if found:
                return int(found[1])
            time.sleep(0.02)
        sys.exit(f"the venue does not start:\n{self.events.read_text(encoding='utf-8')}")

    def memory(self):
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8")
        return int(re.search(r"RssAnon:\s+(\d+) kB", status)[1]) << 10

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def ask_health(self):
        with socket.create_connection(("127.0.0.1", self.metrics), PATIENCE_SECONDS) as client:
            client.sendall(b"GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n")
            if not client.recv(65536).startswith(b"HTTP/1.1 200 "):
                raise ConnectionError("/healthz: no status 200")


def source(number):
    return (f"127.0.{number % 8}.1", 0)


def keep_open(port, count, text, sources=source, receive_buffer=None):
    """Keeps this number of connections open, each of which has sent the text. Never ends."""
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    poller, clients, number = select.epoll(), {}, 0
    while True:
        for _ in range(min(50, count - len(clients))):
            client = socket.socket()
            client.setblocking(False)
            if receive_buffer:
                client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
            number += 1
            client.bind(sources(number))
            client.connect_ex(("127.0.0.1", port))
            clients[client.fileno()] = [client, text]
            poller.register(client, select.EPOLLOUT if text else select.EPOLLRDHUP)
        for descriptor, events in poller.poll(0.05):
            client, unsent = clients[descriptor]
            if events & select.EPOLLOUT and unsent:
                with contextlib.suppress(OSError):
                    clients[descriptor][1] = unsent[client.send(unsent):]
                if not clients[descriptor][1]:
                    poller.modify(client, select.EPOLLRDHUP)
            if events & (select.EPOLLRDHUP | select.EPOLLHUP | select.EPOLLERR):
                del clients[descriptor]
                client.close()


def send_endless(port, with_tls, text):
    """Four connections that send as fast as they can. Never ends."""
    def send():
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        while True:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)) as raw:
                client = context.wrap_socket(raw) if with_tls else raw
                client.sendall(CHUNKED + text)
                while True:
                    client.sendall(b"0" * 65536)
    for _ in range(3):
        threading.Thread(target=send, daemon=True).start()
    send()


def local(_):
    return ("127.0.0.1", 0)


# What each attack runs, given the venue.
ATTACKS = {
    "chunk-size": lambda venue: (send_endless, venue.metrics, False, b""),
    "chunk-extension": lambda venue: (send_endless, venue.console, True, b"1;e="),
    "chunk-trailer": lambda venue: (send_endless, venue.metrics, False, b"0\r\nX: "),
    "tls-silent": lambda venue: (keep_open, venue.console, TLS_CONNECTIONS, b""),
    "tls-one-address": lambda venue: (keep_open, venue.console, TLS_CONNECTIONS, b"\x16", local),
    "idle": lambda venue: (keep_open, venue.metrics, PLAIN_CONNECTIONS, b"", local),
    "half": lambda venue: (keep_open, venue.metrics, PLAIN_CONNECTIONS, b"GET / HT", local),
    "deaf": lambda venue: (keep_open, venue.metrics, PLAIN_CONNECTIONS,
                           b"GET /metrics HTTP/1.1\r\n\r\n" * 50, local, 2048),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("nexusfix", help="the command to attack")
    parser.add_argument("--seconds", type=float, default=5, help="of each attack")
    parser.add_argument("attacks", nargs="*", metavar="ATTACK",
                        help=f"by default all: {', '.join(ATTACKS)}")
    options = parser.parse_intermixed_args()
    unknown = set(options.attacks) - set(ATTACKS)
    if unknown:
        parser.error(f"there is no attack {', '.join(sorted(unknown))}")
    with tempfile.TemporaryDirectory(prefix="nexusfix-attack-") as folder:
        venue = Venue(options.nexusfix, folder)
        try:
            return attack(venue, options.attacks or list(ATTACKS), options.seconds)
        finally:
            venue.process.kill()
            venue.process.wait()


def attack(venue, names, seconds):
    trader = Fix(venue.fix, "TRADER")

    def order():
        trader.send("1", f"112=T{trader.number}|")
        trader.receive(f"112=T{trader.number - 1}")

    def visit():
        Fix(venue.fix, "VISITOR").close()

    honest = {"session": Honest(0.005, order), "Logon": Honest(0.1, visit),
              "/healthz": Honest(0.05, venue.ask_health)}
    print(f"{'':16}" + "".join(f"{name + ' P50':>14}{'P99 ms':>9}{'failed':>7}" for name in honest)
          + f"{'memory':>10}{'descriptors':>13}")
    status = 0
    memory = venue.memory()
    for name in ["calm", *names]:
        attacker = None
        if name != "calm":
            work = ATTACKS[name](venue)
            # A forked one would keep the sockets open that the honest clients close.
            attacker = multiprocessing.get_context("spawn").Process(
                target=work[0], args=work[1:], daemon=True)
            attacker.start()
        for one in honest.values():
            one.take()
        until = time.monotonic() + seconds
        grown, descriptors = 0, 0
        # On a busy machine a step may take longer than the attack is meant to.
        while venue.process.poll() is None and (
                time.monotonic() < until
                or (time.monotonic() < until + PATIENCE_SECONDS
                    and not all(one.times or one.failures for one in honest.values()))):
            grown = max(grown, venue.memory() - memory)
            descriptors = max(descriptors, venue.descriptors())
            time.sleep(0.05)
        line, failed = f"{name:16}", venue.process.poll() is not None
        for one in honest.values():
            times, failures = one.take()
            line += f"{percentile(times, 50):14.2f}{percentile(times, 99):9.2f}{len(failures):7}"
            failed = failed or bool(failures) or not times
        failed = failed or grown > MEMORY_GROWTH_MAX or descriptors > DESCRIPTORS_MAX
        line += f"{grown / (1 << 20):+6.0f} MiB{descriptors:13}"
        print(line + ("  FAILED" if failed else ""), flush=True)
        status = 1 if failed else status
        if attacker:
            attacker.kill()
            attacker.join()
    for one in honest.values():
        one.ends.set()
    return status


if __name__ == "__main__":
    sys.exit(main())
