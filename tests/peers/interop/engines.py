"""The engines that can take part in a scenario, each as acceptor and as initiator.

The engine under test is the `nexusfix` command. QuickFIX and QuickFIX/J can take its place, which
shows that a scenario holds between two other engines.
"""

import os
import struct
import subprocess
import time
from pathlib import Path

from certificates import Certificates
from processes import Child, Failure, Peer, free_port

DICTIONARIES = str(Path(__file__).resolve().parents[3] / "dictionaries")
SUBJECT = "NEXUS"  # CompID of the engine under test
PEER = "PEER"


def write_config(path, kind, version, sender, target, folder, **keys):
    """A QuickFIX-style configuration file; keys go into its [SESSION]."""
    defaults = {"ConnectionType": kind, "FileStorePath": os.path.join(folder, "store"),
                "HeartBtInt": keys.pop("HeartBtInt", 30), "ReconnectInterval": 1}
    defaults.update(keys.pop("defaults", {}))
    session = {"BeginString": version, "SenderCompID": sender, "TargetCompID": target, **keys}
    lines = ["[DEFAULT]"] + [f"{key}={value}" for key, value in defaults.items()]
    lines += ["[SESSION]"] + [f"{key}={value}" for key, value in session.items()]
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


def address_keys(kind, port):
    if kind == "acceptor":
        return {"SocketAcceptPort": port}
    return {"SocketConnectHost": "127.0.0.1", "SocketConnectPort": port}


def schedule_keys():
    """A schedule that starts again twelve hours from now, so that no run sees a session reset. It
    pauses for a second: where StartTime is EndTime, QuickFIX 1.15 resets at midnight UTC, too."""
    end = time.time() + 12 * 3600
    return {key: time.strftime("%H:%M:%S", time.gmtime(seconds))
            for key, seconds in (("StartTime", end + 1), ("EndTime", end))}


def peer_config(name, folder, kind, version, port, sender, target, **keys):
    # The peers validate received messages with a dictionary.
    defaults = schedule_keys() | {
        "UseDataDictionary": "Y", "FileLogPath": os.path.join(folder, "log"),
        "FileLogHeartbeats": "Y", "SocketNodelay": "Y", "SocketReuseAddress": "Y"}
    path = os.path.join(folder, name + ".cfg")
    write_config(path, kind, version, sender, target, folder, defaults=defaults,
                 **address_keys(kind, port), **keys)
    return path


class Arena:
    """One scenario's folder, programs and running processes."""

    def __init__(self, folder, programs, peer_kind, subject_kind, version, mover_kind,
                 has_tls=False):
        self.folder = folder
        self.programs = programs
        self.peer_kind = peer_kind
        self.subject_kind = subject_kind
        self.version = version
        self.mover_kind = mover_kind
        self.children = []
        self.certificates = Certificates(os.path.join(folder, "tls")) if has_tls else None
        self.peer_log = os.path.join(folder, "peer", "log")

    def start(self, child_type, name, command, folder):
        os.makedirs(folder, exist_ok=True)
        child = child_type(name, command, folder)
        self.children.append(child)
        return child

    def _engine(self, kind, name, role, port, sender, target, **keys):
        folder = os.path.join(self.folder, name)
        os.makedirs(folder, exist_ok=True)
        if kind == "quickfix":  # QuickFIX/J brings dictionaries of its own; Debian's QuickFIX none.
            file = self.version.replace(".", "") + ".xml"
            keys["DataDictionary"] = os.path.join(DICTIONARIES, file)
        if kind == "quickfixj" and self.certificates:
            keys.update(self.certificates.quickfixj(role))
        config = peer_config(name, folder, role, self.version, port, sender, target, **keys)
        return self.start(Peer, name, self.programs[kind] + [role, config], folder)

    def protection(self, role):
        """The TLS keys for our engine; none without TLS."""
        return self.certificates.ours(role) if self.certificates else {}

    def start_peer(self, role, port, **keys):
        return self._engine(self.peer_kind, "peer", role, port, PEER, SUBJECT, **keys)

    def start_acceptor_peer(self, **keys):
        """The peer as acceptor, and its port: another one if the first is in use meanwhile."""
        for attempt in range(3):
            port = free_port()
            try:
                return self.start_peer("acceptor", port, **keys), port
            except Failure:
                if attempt == 2:
                    raise
        raise AssertionError("not reached")

    def venue(self, **keys):
        return Venue(self, **keys) if self.subject_kind == "nexusfix" else PeerVenue(self, **keys)

    def trader(self, port, **keys):
        if self.subject_kind == "nexusfix":
            return Trader(self, port, **keys)
        return PeerTrader(self, port, **keys)

    def mover(self, port):
        return Mover(self, port)

    def end(self):
        for child in self.children:
            child.end()

    def report(self):
        parts = [f"--- {child.name} (pid {child.process.pid})\n{child.output()}"
                 for child in self.children]
        return "\n".join(parts)


def run_command(command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False,
                          stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise Failure(f"{' '.join(command[1:])}: {done.stderr}\n{done.stdout}")


def reset_in_session(arena, config):
    run_command(arena.programs["nexusfix"] +
                ["ctl", "--engine", config, "reset", PEER, "--in-session", "--yes"])


class Venue:
    """`nexusfix serve` as acceptor; a restart keeps its port and its store."""

    def __init__(self, arena, **keys):
        self.arena = arena
        self.keys = keys
        self.port = 0
        self.child = None

    def start(self):
        folder = os.path.join(self.arena.folder, "subject")
        os.makedirs(folder, exist_ok=True)
        config = os.path.join(folder, "venue.cfg")
        write_config(config, "acceptor", self.arena.version, SUBJECT, PEER, folder,
                     **address_keys("acceptor", self.port), **self.keys,
                     **self.arena.protection("acceptor"))
        command = self.arena.programs["nexusfix"] + ["serve", config]
        self.child = self.arena.start(Child, "venue", command, folder)
        self.port = int(self.child.expect(r"listening on port (\d+)").group(1))

    def reset_in_session(self):
        reset_in_session(self.arena, os.path.join(self.arena.folder, "subject", "venue.cfg"))

    def stop(self):
        status = self.child.terminate()
        if status != 0:
            raise Failure(f"venue ended with status {status} after SIGTERM")


class Trader:
    """`nexusfix trade` as initiator: one process a run, one store for all of them."""

    def __init__(self, arena, port, **keys):
        self.arena = arena
        self.folder = os.path.join(arena.folder, "subject")
        os.makedirs(self.folder, exist_ok=True)
        self.config = os.path.join(self.folder, "trader.cfg")
        self.report = os.path.join(self.folder, "reports.tsv")
        self.orders = 0
        write_config(self.config, "initiator", arena.version, SUBJECT, PEER, self.folder,
                     **address_keys("initiator", port), **keys,
                     **arena.protection("initiator"))

    def trade(self, orders):
        # The trader counts over all its runs, and its report file shows which orders were answered.
        self.orders += orders
        command = self.arena.programs["nexusfix"] + ["trade", self.config, "--report", self.report,
                                                     "--orders", str(self.orders)]
        child = self.arena.start(Child, "trader", command, self.folder)
        status = child.wait_exit(600)
        if status != 0:
            raise Failure(f"trader ended with status {status}")

    def stop(self):
        pass


class Client:
    """`nexusfix connect` as initiator, which sends orders when it is asked to."""

    def __init__(self, arena, port):
        self.arena = arena
        self.folder = os.path.join(arena.folder, "subject")
        os.makedirs(self.folder, exist_ok=True)
        self.config = os.path.join(self.folder, "client.cfg")
        self.orders = 0
        self.child = None
        write_config(self.config, "initiator", arena.version, SUBJECT, PEER, self.folder,
                     **address_keys("initiator", port))

    def start(self):
        command = self.arena.programs["nexusfix"] + ["connect", self.config]
        self.child = self.arena.start(Child, "client", command, self.folder)

    def trade(self, orders):
        for line in order_lines(range(self.orders, self.orders + orders)):
            self.child.send_line(line)
        self.orders += orders

    def reset_in_session(self):
        reset_in_session(self.arena, self.config)

    def stop(self):
        self.child.send_line("quit")
        status = self.child.wait_exit(600)
        if status != 0:
            raise Failure(f"connect ended with status {status}")


def order_lines(numbers):
    """Steps of `nexusfix connect`. By tag, because QuickFIX sorts the fields that it resends."""
    for n in numbers:
        yield (f"send 35=D|11=M{n}|21=1|38=100|40=2|44=10|54={1 + n % 2}|55=AAPL|60=now")
        yield "wait 35=8 39=2 timeout 300"


class Mover:
    """An initiator that is another engine, then ours, then the other again; the store is moved."""

    def __init__(self, arena, port):
        self.arena = arena
        self.port = port
        self.kind = arena.mover_kind
        self.turn = 0
        self.orders = 0
        self.files = None  # the folder of the other engine's file store
        self.journal = os.path.join(arena.folder, "journal")

    def theirs(self, orders):
        """The other engine, with the store that we exported, if ours ran before."""
        self.turn += 1
        folder = os.path.join(self.arena.folder, f"mover{self.turn}")
        self.files = os.path.join(folder, "store")
        if self.turn > 1:
            form = "--quickfixj" if self.kind == "quickfixj" else "--quickfix"
            self._journal("export", self.journal, form, self.files)
        engine = self.arena._engine(self.kind, f"mover{self.turn}", "initiator", self.port,
                                    SUBJECT, PEER)
        engine.do("await logged_on 1", f"order-prefix T{self.turn}-", f"orders {orders}",
                  "await open_orders 0", "logout", "await logged_on 0")
        engine.quit()
        self.orders += orders

    def ours(self, orders):
        """`nexusfix connect` on a journal into which the other engine's store was imported."""
        self.turn += 1
        before = stored_messages(self.kind, self.files)
        self._journal("import", self.journal, "--quickfix", self.files)
        self._compare(before)
        folder = os.path.join(self.arena.folder, f"mover{self.turn}")
        os.makedirs(folder, exist_ok=True)
        config = os.path.join(folder, "client.cfg")
        write_config(config, "initiator", self.arena.version, SUBJECT, PEER, folder,
                     **address_keys("initiator", self.port), defaults={
                         "FileStorePath": self.journal})
        script = os.path.join(folder, "script.txt")
        with open(script, "w", encoding="utf-8") as file:
            for line in order_lines(range(self.orders, self.orders + orders)):
                file.write(line + "\n")
        child = self.arena.start(Child, f"connect{self.turn}", self.arena.programs["nexusfix"] +
                                 ["connect", config, "--script", script], folder)
        status = child.wait_exit(600)
        if status != 0:
            raise Failure(f"connect ended with status {status}")
        self.orders += orders

    def _journal(self, *arguments):
        run_command(self.arena.programs["nexusfix"] + ["journal", *arguments])

    def _compare(self, expected):
        """Every stored message, byte for byte, there and back."""
        back = os.path.join(self.arena.folder, f"back{self.turn}")
        form = "--quickfixj" if self.kind == "quickfixj" else "--quickfix"
        self._journal("export", self.journal, form, back)
        found = stored_messages(self.kind, back)
        if found != expected:
            raise Failure(f"the imported store differs: {found} from {expected}")


def stored_messages(kind, folder):
    """The contents of a file store: numbers, time of creation, and each message by its number."""
    def content(suffix):
        [name] = [name for name in os.listdir(folder) if name.endswith(suffix)]
        with open(os.path.join(folder, name), "rb") as file:
            return file.read()

    body, header = content(".body"), content(".header")
    if kind == "quickfixj":
        places = [struct.unpack_from(">iqi", header, at) for at in range(0, len(header), 16)]
        numbers = (content(".senderseqnums"), content(".targetseqnums"))
    else:
        places = [tuple(map(int, one.split(b","))) for one in header.split()]
        numbers = (content(".seqnums"),)
    messages = {number: body[at:at + size] for number, at, size in places}
    return numbers, content(".session"), messages


class PeerVenue:
    """Another engine in the venue's place."""

    def __init__(self, arena, **keys):
        self.arena = arena
        self.keys = keys
        self.port = free_port()
        self.child = None

    def start(self):
        self.child = self.arena._engine(self.arena.subject_kind, "subject", "acceptor", self.port,
                                        SUBJECT, PEER, **self.keys)

    def stop(self):
        self.child.quit()


class PeerTrader:
    """Another engine in the trader's place: one process for all runs."""

    def __init__(self, arena, port, **keys):
        self.child = None
        self.start = lambda: arena._engine(arena.subject_kind, "subject", "initiator", port,
                                           SUBJECT, PEER, **keys)

    def trade(self, orders):
        if self.child is None:
            self.child = self.start()
        else:
            self.child.do("logon")
        self.child.do("await logged_on 1", f"orders {orders}", "await open_orders 0", "logout",
                      "await logged_on 0")

    def stop(self):
        self.child.quit()
