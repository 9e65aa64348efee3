"""Machines of a drill: network namespaces on one bridge, each with a disk of limited size. All of
it lives in namespaces of this process, so that the kernel removes it however the process ends."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from history import LIMIT_SECONDS, Failure

MARK = "NEXUSFIX_DRILL_INSIDE"
UNSHARE = ["unshare", "--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"]
NETWORK = "172.30.77"  # of this process alone: no route leads out of its namespace
BRIDGE = "drill"
DEVICE = "eth0"
NAMES = Path("/run/netns")  # of `ip netns`; in memory, and of this process alone
FOLDER = NAMES / "disks"
NO_ONE = "02:00:00:00:00:01"  # a hardware address that no machine has


def reason_to_skip(programs):
    """Why this machine can run no drill; empty: it can."""
    missing = [one for one in ("ip", "nsenter", "setpriv", "unshare", *programs)
               if not find_program(one)]
    if missing:
        return f"not installed: {', '.join(missing)}"
    tried = subprocess.run([*UNSHARE, "true"], capture_output=True, text=True, check=False)
    return f"namespaces are refused: {tried.stderr.strip()}" if tried.returncode != 0 else ""


def find_program(name):
    servers = [str(one) for one in sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)]
    return shutil.which(name, path=os.pathsep.join([os.environ["PATH"], "/usr/sbin", *servers]))


def enter_namespaces(programs):
    """Starts this program again in namespaces of its own. It is their first process: when it ends,
    the kernel kills the others. Returns the reason, if this machine can run no drill."""
    if os.environ.get(MARK) != "1":
        reason = reason_to_skip(programs)
        if reason:
            return reason
        os.environ[MARK] = "1"
        os.execvp(UNSHARE[0], [*UNSHARE, "--", sys.executable, "-B", *sys.argv])
    NAMES.mkdir(exist_ok=True)
    system("mount", "-t", "tmpfs", "-o", "mode=0755", "none", NAMES)
    FOLDER.mkdir()
    system("ip", "link", "set", "lo", "up")
    system("ip", "link", "add", BRIDGE, "type", "bridge")
    system("ip", "address", "add", f"{NETWORK}.1/24", "dev", BRIDGE)
    system("ip", "link", "set", BRIDGE, "up")
    return ""


def system(*words):
    done = subprocess.run([find_program(words[0]), *map(str, words[1:])], capture_output=True,
                          text=True, check=False)
    if done.returncode != 0:
        raise Failure(f"{' '.join(map(str, words))}: {done.stderr.strip()}")
    return done.stdout


def wait_until(condition, what, tick=lambda: None, pause=0.02):
    """Returns the seconds that it took. tick() is called meanwhile, and may raise."""
    began = time.monotonic()
    while not condition():
        tick()
        if time.monotonic() - began > LIMIT_SECONDS:
            raise Failure(f"never happened: {what}")
        time.sleep(pause)
    return time.monotonic() - began


class Host:
    """A machine: its address, and a folder that is its disk."""

    def __init__(self, name, number, folder, disk="64m"):
        self.name, self.address = name, f"{NETWORK}.{number}"
        self.folder = folder / name
        self.folder.mkdir()
        system("mount", "-t", "tmpfs", "-o", f"size={disk},mode=0755", "none", self.folder)
        self.port = f"port{number}"  # of the bridge
        system("ip", "netns", "add", name)
        system("ip", "link", "add", self.port, "type", "veth", "peer", "name", DEVICE, "netns",
               name)
        system("ip", "link", "set", self.port, "master", BRIDGE, "up")
        system(*self.inside("ip", "link", "set", "lo", "up"))
        system(*self.inside("ip", "address", "add", f"{self.address}/24", "dev", DEVICE))
        system(*self.inside("ip", "link", "set", DEVICE, "up"))

    def inside(self, *words):
        """The command that runs words on this machine."""
        return ["nsenter", f"--net={NAMES / self.name}", "--", find_program(str(words[0])),
                *map(str, words[1:])]

    def pull_cable(self):
        system("ip", "link", "set", self.port, "nomaster")

    def plug_cable(self):
        system("ip", "link", "set", self.port, "master", BRIDGE)

    def lose_packets_to(self, other):
        """In this direction alone: they are sent, and arrive nowhere."""
        system(*self.inside("ip", "neighbor", "replace", other.address, "lladdr", NO_ONE, "dev",
                            DEVICE, "nud", "permanent"))

    def reach(self, other):
        system(*self.inside("ip", "neighbor", "delete", other.address, "dev", DEVICE))

    def fill_disk(self):
        with open(self.folder / "ballast", "wb", buffering=0) as file:
            for size in (1 << 20, 4096, 1):
                block = b"\1" * size
                try:
                    while file.write(block):
                        pass
                except OSError:
                    pass

    def empty_disk(self):
        (self.folder / "ballast").unlink()


def cut(one, other):
    one.lose_packets_to(other)
    other.lose_packets_to(one)


def join(one, other):
    one.reach(other)
    other.reach(one)


class Program:
    """A program on a machine, with what it prints. keep_up() starts it again, as a service manager
    does, unless a drill has it down."""

    def __init__(self, name, host, command, user=None, environment=None):
        self.name, self.host, self.command = name, host, command
        self.user = user
        self.environment = {**os.environ, **(environment or {})}
        self.out = host.folder.parent / f"{name}.out"
        self.log = host.folder.parent / f"{name}.log"
        self.process = None
        self.is_wanted = False
        self.ends = []  # the statuses with which it ended by itself
        self.restart_at = 0

    def start(self):
        as_user = ["setpriv", f"--reuid={self.user}", f"--regid={self.user}", "--clear-groups",
                   "--"] if self.user else []
        with self.out.open("ab") as out, self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self.host.inside(*as_user, *self.command), stdin=subprocess.DEVNULL, stdout=out,
                stderr=log, env=self.environment, cwd="/")
        self.is_wanted = True

    def runs(self):
        return self.process is not None and self.process.poll() is None

    def processes(self):
        """Its own one first, and its children."""
        first = self.process.pid
        found = [first]
        for stat in Path("/proc").glob("[0-9]*/stat"):
            try:
                parent = stat.read_text().rpartition(")")[2].split()[1]
            except OSError:
                continue
            if parent == str(first):
                found.append(int(stat.parent.name))
        return found

    def signal_all(self, number):
        for process in self.processes():
            try:
                os.kill(process, number)
            except ProcessLookupError:
                pass

    def kill(self):
        """kill -9, and nothing starts it again before start()."""
        self.is_wanted = False
        self.signal_all(signal.SIGKILL)
        self.process.wait()

    def freeze(self):
        self.process.send_signal(signal.SIGSTOP)  # so it starts no further child
        self.signal_all(signal.SIGSTOP)

    def thaw(self):
        self.signal_all(signal.SIGCONT)

    def keep_up(self):
        if not self.is_wanted or self.runs():
            return
        if not self.restart_at:
            status = self.process.returncode
            if status in (-signal.SIGSEGV, -signal.SIGABRT, -signal.SIGBUS, -signal.SIGILL):
                raise Failure(f"{self.name} crashed with status {status}:\n{self.tail()}")
            self.ends.append(status)
            self.restart_at = time.monotonic() + 0.5
        elif time.monotonic() > self.restart_at:
            self.restart_at = 0
            self.start()

    def end(self, expected=(0,)):
        self.is_wanted = False
        self.process.terminate()
        try:
            status = self.process.wait(LIMIT_SECONDS)
        except subprocess.TimeoutExpired:
            raise Failure(f"{self.name} does not end:\n{self.tail()}") from None
        if status not in expected:
            raise Failure(f"{self.name} ended with status {status}:\n{self.tail()}")

    def printed(self, text):
        """How often it has printed this."""
        return (self.out.read_text(errors="replace") + self.log.read_text(errors="replace")).count(
            text)

    def tail(self, lines=25):
        text = self.log.read_text(errors="replace").splitlines() if self.log.exists() else []
        return "\n  ".join([f"{self.name}, log:", *text[-lines:]])
