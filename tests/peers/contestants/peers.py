"""The engines that `make contestants` plays the suites of `nexusfix test` against: how each is
built and started. An engine that cannot be had raises Missing with the reason."""

import json
import os
import re
import shutil
import socket
import subprocess
import time
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
ENGINE, TESTER = "ENGINE", "TESTER"


class Profile(NamedTuple):
    """A version of FIX, and what is played in it by an engine that is started for it."""

    name: str
    begin_string: str
    version: str  # as --begin-string and DefaultApplVerID have it
    cases: tuple  # arguments of `nexusfix test`
    left_out: str = ""  # cases that are not played, as a regex

    @property
    def dictionary(self):
        """The file name of the version's dictionary."""
        return f"{self.version.replace('.', '')}.xml"

    @property
    def is_fixt(self):
        """Whether the session layer has a version of its own."""
        return self.begin_string != self.version


# QuickFIX/J answers no Logon after this case, until it is started again.
UNKNOWN = "/fixt_default_appl_ver_id_unknown$"
# A MsgType that FIX.5.0SP2 has, and FIX.5.0SP1 has not.
LATER = "/fixt_msg_type_of_later_version$"
PROFILES = (
    Profile("FIX.4.4", "FIX.4.4", "FIX.4.4", ("session", "robustness")),
    Profile("FIX.5.0SP2", "FIXT.1.1", "FIX.5.0SP2",
            ("session", "--only", "/fixt_"), UNKNOWN),
    Profile("FIX.5.0SP2-alone", "FIXT.1.1", "FIX.5.0SP2", ("session", "--only", UNKNOWN)),
    Profile("FIX.5.0SP1", "FIXT.1.1", "FIX.5.0SP1", ("session", "--only", LATER)))


class Missing(Exception):
    """This engine cannot be built here; the text says why."""


def build(command, folder, **environment):
    """Runs a build step; its last line of output is the reason if it fails."""
    if shutil.which(command[0]) is None:
        raise Missing(f"there is no program {command[0]}")
    done = subprocess.run([str(word) for word in command], cwd=folder, text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env=os.environ | environment)
    if done.returncode != 0:
        lines = done.stdout.strip().splitlines() or ["no output"]
        raise Missing(f"{' '.join(map(str, command[:3]))} failed: {lines[-1]}")
    return done.stdout


def needs(program, command, pattern, least):
    """Raises Missing if the program is older: Debian 12 has a Go and a Cargo that are too old."""
    if shutil.which(program) is None:
        raise Missing(f"there is no program {program}")
    shown = subprocess.run(command, text=True, check=False, capture_output=True).stdout
    found = re.search(pattern, shown)
    if found is None or int(found[1]) < least[1]:
        raise Missing(f"{program} {least[0]}.{least[1]} or newer is needed, and this is "
                      f"{shown.strip() or 'unknown'}")


def is_open(port):
    """Whether something listens."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


class Engine:
    """One engine. build() comes before start()."""

    key = name = language = source = ""
    settings = ""
    initiator_except = ""  # cases after which an initiator does not connect again, as a regex

    def __init__(self, programs, folder):
        self.programs = programs
        self.folder = folder / self.key
        self.folder.mkdir(parents=True, exist_ok=True)
        self.version = "unknown"

    def build(self):
        """Builds the peer, and finds out the engine's version."""

    def command(self, role, config):
        """How the peer is started."""
        raise NotImplementedError

    def fixt_dictionaries(self):
        """The folder with the dictionaries of FIXT.1.1 and FIX.5.0SP2, which is the engine's own if
        it has one."""
        return ROOT / "dictionaries"

    def dictionary_keys(self, profile):
        """Keys that name the dictionaries."""
        if not profile.is_fixt:
            return {"DataDictionary": ROOT / "dictionaries" / profile.dictionary}
        folder = self.fixt_dictionaries()
        return {"DefaultApplVerID": profile.version,
                "TransportDataDictionary": folder / "FIXT11.xml",
                "AppDataDictionary": folder / profile.dictionary}

    def write_config(self, role, port, profile):
        """A configuration file as QuickFIX has it; returns its path."""
        keys = {
            "ConnectionType": role, "HeartBtInt": 30, "ReconnectInterval": 1,
            "StartTime": "00:00:00", "EndTime": "00:00:00",
            "ResetOnLogon": "Y" if role == "initiator" else "N",
            "FileStorePath": self.folder / "store", "FileLogPath": self.folder / "log",
            "UseDataDictionary": "Y", "SocketReuseAddress": "Y", "SocketNodelay": "Y"}
        keys |= self.dictionary_keys(profile)
        if role == "acceptor":
            keys |= {"SocketAcceptPort": port, "SocketAcceptHost": "127.0.0.1",
                     "SocketAcceptAddress": "127.0.0.1"}
        else:
            keys |= {"SocketConnectHost": "127.0.0.1", "SocketConnectPort": port}
        keys |= self.more_keys()
        lines = [f"{key}={value}" for key, value in keys.items() if value is not None]
        path = self.folder / f"{profile.name}-{role}.cfg"
        path.write_text("[DEFAULT]\n" + "\n".join(lines) + "\n[SESSION]\n"
                        f"BeginString={profile.begin_string}\nSenderCompID={ENGINE}\n"
                        f"TargetCompID={TESTER}\n", encoding="utf-8")
        return path

    def more_keys(self):
        """Keys that this engine needs, or that it must not have (None)."""
        return {}

    def start(self, role, port, profile):
        """Starts the peer, which ends when its standard input is closed."""
        config = self.write_config(role, port, profile)
        out = config.with_suffix(".out")
        # pylint: disable=consider-using-with
        log = open(out, "w", encoding="utf-8")
        process = subprocess.Popen([str(word) for word in self.command(role, config)],
                                   cwd=self.folder, stdin=subprocess.PIPE, stdout=log, stderr=log)
        log.close()
        deadline = time.monotonic() + 120
        while not out.read_text(encoding="utf-8").strip():
            if process.poll() is not None or time.monotonic() > deadline:
                process.kill()
                raise Missing(f"the peer does not start: {self.key}/{out.name}")
            time.sleep(0.1)
        while role == "acceptor" and not is_open(port) and time.monotonic() < deadline:
            if process.poll() is not None:
                raise Missing(f"the peer ends at once: {self.key}/{out.name}")
            time.sleep(0.1)
        return process


class NexusFix(Engine):
    """Our engine, in the example venue and in `nexusfix connect`."""

    key, name, language, source = "nexusfix", "NexusFIX", "C++", "this tree"
    settings = "`nexusfix serve`, `nexusfix connect`, `ValidateUnorderedGroupFields=Y`"
    # After "MsgSeqNum too low" the initiator waits for an operator.
    initiator_except = "2c_|10_gap_fill_number_too_low|tags_hostile"

    def build(self):
        shown = subprocess.run([self.programs.nexusfix, "--version"], capture_output=True,
                               text=True, check=True).stdout
        self.version = re.search(r"\d+\.\d+\.\d+", shown)[0]

    def more_keys(self):
        return {"Store": "memory", "FileStorePath": None, "FileLogPath": None,
                "ValidateUnorderedGroupFields": "Y",
                "SocketAcceptAddress": None, "StartTime": None, "EndTime": None,
                "SocketReuseAddress": None, "SocketNodelay": None}

    def write_config(self, role, port, profile):
        if role == "acceptor" and profile.version == "FIX.5.0SP1":
            raise Missing("the example venue speaks FIX.4.2, FIX.4.4 and FIX.5.0SP2")
        return super().write_config(role, port, profile)

    def command(self, role, config):
        if role == "acceptor":
            return [self.programs.nexusfix, "serve", config]
        return [self.programs.nexusfix, "connect", config, "--logon-timeout", "600"]


class QuickFix(Engine):
    """Debian's QuickFIX, in the peer of tests/peers/interop."""

    key, name, language, source = "quickfix", "QuickFIX", "C++", "Debian, libquickfix-dev"
    settings = "`ResetOnLogon=Y` as initiator, this tree's dictionary"

    def build(self):
        if not os.path.exists(self.programs.quickfix):
            raise Missing("its peer is not built: libquickfix-dev is missing")
        shown = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", "libquickfix-dev"],
                               capture_output=True, text=True, check=False).stdout
        self.version = shown.split("+")[0] or "unknown"

    def command(self, role, config):
        return [self.programs.quickfix, role, config]


MAVEN_COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.6.0:copy"


class QuickFixJ(Engine):
    """QuickFIX/J of Maven Central, in the peer of tests/peers/interop."""

    key, name, language, source = "quickfixj", "QuickFIX/J", "Java", "Maven Central"
    settings = "`ResetOnLogon=Y` as initiator, its own dictionary"

    def build(self):
        jar = Path(self.programs.quickfixj) / "quickfixj-peer.jar"
        if not jar.exists():
            raise Missing("its peer is not built: Maven or Java is missing, or Maven failed")
        pom = (HERE.parent / "interop/quickfixj/pom.xml").read_text(encoding="utf-8")
        self.version = re.search(r"<quickfixj.version>([^<]+)", pom)[1]

    def dictionary_keys(self, profile):
        if not profile.is_fixt:
            return {}
        # The peer's own folder has FIX.4.2 and FIX.4.4.
        for part in ("fixt11", profile.version.replace(".", "").lower()):
            if not (self.folder / f"quickfixj-messages-{part}-{self.version}.jar").exists():
                build(["mvn", "-q", "-B", MAVEN_COPY, f"-DoutputDirectory={self.folder}",
                       f"-Dartifact=org.quickfixj:quickfixj-messages-{part}:{self.version}"],
                      self.folder)
        return {"DefaultApplVerID": profile.version}

    def command(self, role, config):
        return ["java", "-cp", f"{self.programs.quickfixj}/quickfixj-peer.jar:"
                               f"{self.programs.quickfixj}/lib/*:{self.folder}/*", "Peer", role,
                config]


class QuickFixGo(Engine):
    """QuickFIX/Go of the module proxy."""

    key, name, language, source = "quickfixgo", "QuickFIX/Go", "Go", "the Go module proxy"
    settings = ("`ResetOnLogon=Y` as initiator, this tree's dictionary (FIXT.1.1: its own), "
                "a memory store")

    def build(self):
        source = HERE / "quickfixgo"
        # From 1.21 on, Go fetches the version that go.mod names.
        needs("go", ["go", "version"], r"go1\.(\d+)", (1, 21))
        build(["go", "build", "-o", self.folder / "peer", "."], source)
        self.version = re.search(r"quickfix v(\S+)", (source / "go.mod").read_text())[1]

    def fixt_dictionaries(self):
        module = build(["go", "list", "-m", "-f", "{{.Dir}}", "github.com/quickfixgo/quickfix"],
                       HERE / "quickfixgo")
        return Path(module.splitlines()[-1]) / "spec"

    def more_keys(self):
        return {"FileLogPath": None, "FileStorePath": None, "SocketAcceptAddress": None,
                "ConnectionType": None}

    def command(self, role, config):
        return [self.folder / "peer", role, config]


class QuickFixTokio(Engine):
    """quickfix-tokio of crates.io: an engine of its own, no binding."""

    key, name, language, source = "quickfix-tokio", "quickfix-tokio", "Rust", "crates.io"
    settings = ("`ResetOnLogon=Y` as initiator, this tree's dictionary (FIXT.1.1: its own), "
                "a memory store, `LogonTimeout=5`")

    def build(self):
        source = HERE / "quickfix_tokio"
        needs("cargo", ["cargo", "--version"], r"cargo 1\.(\d+)", (1, 85))  # edition 2024
        build(["cargo", "build", "--release", "--locked", "--target-dir", self.folder / "target"],
              source)
        self.version = re.search(r'quickfix-tokio = \{ version = "=([^"]+)',
                                 (source / "Cargo.toml").read_text())[1]

    def fixt_dictionaries(self):
        shown = build(["cargo", "metadata", "--format-version", "1", "--locked", "--quiet"],
                      HERE / "quickfix_tokio")
        found = next(package for package in json.loads(shown.splitlines()[-1])["packages"]
                     if package["name"] == self.key)
        return Path(found["manifest_path"]).with_name("spec")

    def more_keys(self):
        # Its initiator keeps a connection so long after it rejects a Logon. The default is 10 s, as
        # long as the suite waits.
        return {"FileLogPath": None, "FileStorePath": None, "SocketAcceptAddress": None,
                "LogonTimeout": 5}

    def command(self, role, config):
        return [self.folder / "target/release/quickfix_tokio_peer", role, config]


class JsPureFix(Engine):
    """jspurefix of npm."""

    key, name, language, source = "jspurefix", "jspurefix", "TypeScript", "npm"
    settings = "`ResetSeqNumFlag`, its own dictionary, a memory store"

    def build(self):
        package = HERE / "jspurefix"
        for name in ("package.json", "peer.js"):
            shutil.copy(package / name, self.folder / name)
        build(["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund"], self.folder)
        self.version = json.loads((package / "package.json").read_text())["dependencies"][
            "jspurefix"]

    def write_config(self, role, port, profile):
        path = self.folder / f"{profile.name}-{role}.json"
        dictionary = self.folder / "node_modules/jspurefix/data" / profile.dictionary
        if not dictionary.exists():
            raise Missing(f"it has no {dictionary.name}")
        application = {"type": role, "name": "peer", "protocol": "ascii",
                       "tcp": {"host": "127.0.0.1", "port": port},
                       "dictionary": str(dictionary), "reconnectSeconds": 1,
                       "connectTimeoutSeconds": 3600}
        more = {"DefaultApplVerID": "9"} if profile.is_fixt else {}
        path.write_text(json.dumps(more | {
            "application": application, "EncryptMethod": 0, "ResetSeqNumFlag": True,
            "HeartBtInt": 30, "SenderCompId": ENGINE, "TargetCompID": TESTER, "Username": "",
            "Password": "", "BeginString": profile.begin_string}), encoding="utf-8")
        return path

    def command(self, role, config):
        return ["node", self.folder / "peer.js", role, config]


ENGINES = (NexusFix, QuickFix, QuickFixJ, QuickFixGo, QuickFixTokio, JsPureFix)
