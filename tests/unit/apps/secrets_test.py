#!/usr/bin/env python3
"""Passwords go through all parts that write. Then no written byte may contain any of them."""

import base64
import contextlib
import itertools
import json
import os
import re
import resource
import signal
import socket
import ssl
import stat
import subprocess
import sys
import threading
import time
import unittest
from pathlib import Path

import command_test
from command_test import LIMIT_SECONDS, WithFolder, run

SOH = "\x01"
# One for each tag, so that a finding names the tag. No five bytes of one occur anywhere else.
CANARIES = {554: "qWz7Kx9PvJt3", 925: "mYq8Bd4RzXg6", 96: "hLw5Zn2TjQc9", 1402: "rGk3Vf7YpXs1",
            1404: "dNj6Hq8MwZb4", 5554: "tCx1Fv9KzLg7"}
KEY_PASSWORD = "bPq4Sz6XnWd8"
PROXY_PASSWORD = "kVw2Nc8JhTq5"
PROXY_TOKEN = base64.b64encode(f"me:{PROXY_PASSWORD}".encode()).decode()
ALLOW = "AllowUnknownMsgFields=Y\nValidateUserDefinedFields=N\n"
ZEROS = bytes(4096)  # the search skips such pages of memory, which are most of it
PIECE = 6  # a part of this many bytes is a finding, too
FORGETS_SECONDS = 200
ACCEPTOR = ""  # set by main: a program that reads a configuration and accepts every message
SERVER = None  # set by main: a program that starts a PostgreSQL server; or none


def pieces_of(secret):
    return [secret[at:at + PIECE].encode() for at in range(len(secret) - PIECE + 1)]


PIECES = {piece: secret for secret in [*CANARIES.values(), KEY_PASSWORD, PROXY_PASSWORD,
                                       PROXY_TOKEN]
          for piece in pieces_of(secret)}
ANY_PIECE = re.compile(b"|".join(re.escape(piece) for piece in PIECES))


def message(begin_string, msg_type, number, fields, sender="TRADER", target="VENUE", length=0,
            checksum=0, time="20240115-10:30:00.123"):
    """length and checksum: the errors to add to these."""
    body = (f"35={msg_type}{SOH}49={sender}{SOH}56={target}{SOH}34={number}{SOH}52={time}{SOH}"
            + "".join(f"{tag}={value}{SOH}" for tag, value in fields))
    text = f"8={begin_string}{SOH}9={len(body) + length}{SOH}{body}"
    return f"{text}10={(sum(text.encode()) + checksum) % 256:03}{SOH}".encode()


def framed(changed):
    """The same with the correct BodyLength and CheckSum."""
    begin_string, _, rest = changed.partition(b"\x019=")
    body = rest.partition(b"\x01")[2].rpartition(b"10=")[0]
    whole = begin_string + b"\x019=%d\x01" % len(body) + body
    return whole + b"10=%03d\x01" % (sum(whole) % 256)


def credentials(with_raw_data=True):
    def data(length_tag, tag):
        return [(length_tag, len(CANARIES[tag])), (tag, CANARIES[tag])]
    return [(553, "someone"), (554, CANARIES[554]), (925, CANARIES[925]),
            *(data(95, 96) if with_raw_data else []), *data(1401, 1402), *data(1403, 1404),
            (5554, CANARIES[5554])]


def logon(begin_string, number=1, **how):
    fields = [(98, 0), (108, how.pop("heart_bt_int", 30)), *how.pop("more", []), *credentials()]
    if begin_string == "FIXT.1.1":
        fields.append((1137, 9))
    return message(begin_string, "A", number, fields, **how)


class Talking(WithFolder):
    """A venue, and counterparties made of bytes."""
    VERSIONS = ("FIX.4.2", "FIX.4.4")  # of the acceptor

    def config(self, store, more):
        text = ("[DEFAULT]\nConnectionType=acceptor\nSocketAcceptHost=127.0.0.1\n"
                f"SocketAcceptPort=0\nFileStorePath={self.folder}/venue\nNonStopSession=Y\n"
                f"CheckLatency=N\nLogonTimeout=1\nLogMaskedTags=5554\n{store}{more}")
        for version in self.VERSIONS:
            text += f"[SESSION]\nBeginString={version}\nSenderCompID=VENUE\nTargetCompID=TRADER\n"
            if version == "FIXT.1.1":
                text += "DefaultApplVerID=FIX.5.0SP2\n"
        return self.write("venue.cfg", text)

    def start(self, config, program=None, **options):
        """Starts a venue, or another acceptor, and keeps its output. Returns it and its port."""
        out, errors = self.folder / "venue.out", self.folder / "venue.err"
        with open(out, "wb") as to, open(errors, "wb") as errors_to:
            venue = subprocess.Popen([*(program or [command_test.NEXUSFIX, "serve"]), config],
                                     cwd=self.folder, stdin=subprocess.DEVNULL, stdout=to,
                                     stderr=errors_to, **options)
        self.addCleanup(venue.wait)
        self.addCleanup(venue.kill)
        listening = re.compile(r"listening on (?:\S+ )?port (\d+)\n")
        said = errors if program else out
        command_test.wait_until(lambda: listening.search(said.read_text(errors="replace"))
                                or venue.poll() is not None, "listening")
        self.assertIsNone(venue.poll(), errors.read_text())
        return venue, int(listening.search(said.read_text(errors="replace"))[1])

    def say(self, port, *parts, answers=0, around=lambda peer: peer):
        """Sends each part by itself. After this number of answers, closes our direction, and waits
        for the end of the other. around adds TLS to the connection."""
        heard = b""
        with around(socket.create_connection(("127.0.0.1", port), LIMIT_SECONDS)) as peer:
            peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            try:
                for part in parts:
                    peer.sendall(part)
                peer.settimeout(LIMIT_SECONDS)
                while True:
                    if heard.count(b"\x0110=") >= answers:
                        peer.shutdown(socket.SHUT_WR)
                    got = peer.recv(65536)
                    if not got:
                        break
                    heard += got
            except OSError:  # the venue has closed the connection
                pass
        return heard

    def listen(self):
        """A port of this test. At its end, no accepting thread remains that could accept a
        connection of a later test."""
        listener = socket.create_server(("127.0.0.1", 0))

        def close():
            with contextlib.suppress(OSError):
                listener.shutdown(socket.SHUT_RDWR)  # ends accept(), which close() does not
            listener.close()

        self.addCleanup(close)
        return listener

    def log_on(self, port, bytes_of_logon):
        command_test.wait_until(
            lambda: b"\x0135=A" in self.say(port, bytes_of_logon, answers=1), "Logon")


class Talked(Talking):
    """Sends messages to a venue, and then checks its output."""

    def refused_logons(self, version):
        yield logon(version, heart_bt_int=-5)
        yield logon(version, heart_bt_int="soon")
        yield logon(version, sender="UNKNOWN")
        yield logon(version, checksum=1)
        yield logon(version, length=1)
        yield logon(version, length=-1)
        yield logon(version, more=[(141, "maybe")])
        yield logon(version, more=[(7777, 1), (7777, 2)])
        yield message(version, "D", 1, credentials(with_raw_data=False))
        yield logon(version)[:-40]
        yield b"GET / HTTP/1.1\r\n" + logon(version)
        yield b"8=FIX.9.9" + logon(version)[9:]
        yield logon(version).replace(b"\x0198=0", b"\x0198=0\x01=")

    def talk(self, port, is_strict):
        for version in self.VERSIONS:
            for refused in self.refused_logons(version):
                self.say(port, refused)
            whole = logon(version, more=[(141, "Y")])
            request = message(version, "BE", 3, [(923, "r"), (924, 3), *credentials()])
            others = credentials(with_raw_data=False)
            order = message(version, "D", 4, [(11, "x"), *others])
            late = (logon(version, 2), request, order, message(version, "3", 5, others),
                    logon(version, 6, checksum=1), logon(version, 6, length=7),
                    message(version, "zz", 7, others), logon(version, 1),
                    logon(version, 8)[:-60])
            # A strict venue logs that some of the fields are not allowed in a Logon. It may not
            # have seen the end of the previous connection yet.
            if is_strict:
                self.assertNotIn(b"\x0135=A", self.say(port, whole, answers=1))
            else:
                self.log_on(port, whole)
            self.say(port, whole, *late)
            self.say(port, *(whole[at:at + 7] for at in range(0, len(whole), 7)))

    def say_to_initiators(self):
        """A port of a FIXT.1.1 venue that sends passwords to every client."""
        listener = self.listen()
        own = {"sender": "VENUE", "target": "TRADER"}
        answers = ((logon("FIXT.1.1", checksum=1, **own), logon("FIXT.1.1", **own)),
                   (logon("FIXT.1.1", heart_bt_int=-1, **own),),
                   (logon("FIXT.1.1", sender="UNKNOWN", target="TRADER"),),
                   (logon("FIXT.1.1", **own), message("FIXT.1.1", "BF", 2, credentials(), **own),
                    logon("FIXT.1.1", 3, **own)[:-9], logon("FIXT.1.1", 3, **own)))

        def serve():
            for parts in itertools.cycle(answers):
                try:
                    peer = listener.accept()[0]
                except OSError:
                    return
                with peer, contextlib.suppress(OSError):
                    peer.settimeout(LIMIT_SECONDS)
                    peer.recv(65536)
                    for part in parts:
                        peer.sendall(part[:70])
                        peer.sendall(part[70:])
                    peer.settimeout(0.2)
                    while peer.recv(65536):
                        pass

        threading.Thread(target=serve, daemon=True).start()
        return listener.getsockname()[1]

    def assert_silent(self, where, contents):
        if found := ANY_PIECE.search(contents):
            around = contents[max(0, found.start() - 80):found.end() + 20]
            self.fail(f"{where} has some of {PIECES[found[0]]}: {around}")

    def search(self, but=()):
        """Every file below the folder. Returns their names."""
        names = []
        for path in self.folder.rglob("*"):
            if path.is_file() and path.name not in but:
                names.append(path.name)
                self.assert_silent(path, path.read_bytes())
        return names

    def ask(self, *arguments):
        done = run(*arguments, cwd=self.folder)
        self.assert_silent(arguments, (done.stdout + done.stderr).encode())
        return done

    def assert_private(self, folder):
        self.assertEqual(stat.S_IMODE(folder.stat().st_mode), 0o700, folder)
        for path in folder.rglob("*"):
            mode = 0o700 if path.is_dir() else 0o600
            self.assertEqual(stat.S_IMODE(path.stat().st_mode), mode, path)

    def initiator_config(self, port, version):
        data = "".join(f"LogonTag{2 * i}={length}={len(CANARIES[tag])}\n"
                       f"LogonTag{2 * i + 1}={tag}={CANARIES[tag]}\n"
                       for i, (length, tag) in enumerate(((95, 96), (1401, 1402), (1403, 1404)), 1))
        name = f"trader-{version}"
        appl = "DefaultApplVerID=FIX.5.0SP2\n" if version == "FIXT.1.1" else ""
        return self.write(f"{name}.cfg",
                          "[DEFAULT]\nConnectionType=initiator\nSocketConnectHost=127.0.0.1\n"
                          f"SocketConnectPort={port}\nReconnectInterval=1\nHeartBtInt=30\n"
                          f"FileStorePath={self.folder}/{name}\n"
                          f"FileLogPath={self.folder}/{name}-log\n"
                          "LogMaskedTags=5554\nNonStopSession=Y\nResetOnLogon=Y\n"
                          f"ValidateUserDefinedFields=N\nPassword={CANARIES[554]}\n"
                          f"NewPassword={CANARIES[925]}\n{data}"
                          f"LogonTag=5554={CANARIES[5554]}\n{appl}"
                          f"[SESSION]\nBeginString={version}\nSenderCompID=TRADER\n"
                          "TargetCompID=VENUE\n")

    def everything(self, store, more=""):
        os.umask(0)
        self.addCleanup(os.umask, 0o022)
        config = self.config(store, more)
        configs = ["venue.cfg"]
        venue, port = self.start(config)
        self.talk(port, is_strict="AllowUnknown" not in more)
        ports = {version: port for version in self.VERSIONS}
        ports["FIXT.1.1"] = self.say_to_initiators()
        for version, its_port in ports.items():
            initiator = self.initiator_config(its_port, version)
            configs.append(initiator.name)
            request = "|".join(f"{tag}={value}" for tag, value in credentials())
            # RawData (96) is a password in a Logon and a UserRequest alone.
            others = "|".join(f"{tag}={value}" for tag, value in
                              credentials(with_raw_data=False))
            script = self.write(f"script-{version}.txt",
                                f"send 35=BE|923=r|924=1|{request}\n"
                                f"send 35=D|11=A|55=X|54=1|38=5|40=1|60=now|{others}\n"
                                f"send 35=U7|5554={CANARIES[5554]}\n"
                                f"send 35=U7|1402={CANARIES[1402]}\nprint\n")
            configs.append(script.name)
            self.ask("connect", initiator, "--script", script, "--logon-timeout", 1)
            if version == "FIX.4.4":
                self.ask("trade", initiator, "--orders", 2, "--silence", 1)
            self.ask("doctor", initiator)
        venue.send_signal(signal.SIGTERM)
        self.assertEqual(venue.wait(LIMIT_SECONDS), 0)
        stores = [path for path in self.folder.glob("*") if path.is_dir()
                  and any(path.glob("*.journal"))]
        for path in stores:
            self.assert_private(path)
            for form in ([], ["--json"], ["--messages"], ["--messages", "--json"],
                         ["--messages", "--decode"], ["--changes"]):
                self.ask("journal", "show", path, *form)
            self.ask("journal", "verify", path)
            self.ask("journal", "verify", path, "--json")
            out = self.folder / f"{path.name}-quickfix"
            self.ask("journal", "export", path, "--quickfix", out)
            self.assert_private(out)
        has_log_tools = "NEXUSFIX_LOGS=ON" not in self.ask("decode", "--help").stdout
        for path in self.folder.glob("*log"):
            self.assert_private(path)
            logs = sorted(path.glob("*.log"))
            for command in ("decode", "validate") if has_log_tools else ():
                self.assertIn("554", self.ask(command, *logs).stdout)
        return self.search(but=configs)

    def assert_no_password_is_written(self, store, more):
        names = self.everything(store, f"FileLogPath={self.folder}/venue-log\n{more}")
        for session in ("FIX.4.2-VENUE-TRADER", "FIX.4.4-VENUE-TRADER", "FIX.4.2-TRADER-VENUE",
                        "FIX.4.4-TRADER-VENUE", "FIXT.1.1-TRADER-VENUE"):
            self.assertIn(f"{session}.messages.current.log", names)
        self.assertIn("GLOBAL.messages.current.log", names)


class Secrets(Talked):
    def test_nothing_that_was_written_has_a_password(self):
        self.assert_no_password_is_written("JournalDurability=group\nJournalInbound=Y\n", ALLOW)

    def test_nothing_that_a_strict_venue_wrote_has_a_password(self):
        self.assert_no_password_is_written("JournalDurability=process\n", "")

    def test_nothing_on_a_screen_has_a_password(self):
        self.everything("JournalDurability=sync\nJournalInbound=Y\n", "ScreenLogShowIncoming=Y\n"
                        f"ScreenLogShowOutgoing=Y\nScreenLogShowEvents=Y\n{ALLOW}")
        shown = (self.folder / "venue.out").read_text()
        self.assertIn("554=***", shown)
        self.assertIn("no session of this configuration has these CompIDs", shown)

    def test_nothing_in_a_database_has_a_password(self):
        if SERVER is None:
            self.skipTest("a build without the PostgreSQL store")
        server = subprocess.Popen([SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  text=True)
        self.addCleanup(server.communicate, timeout=LIMIT_SECONDS)
        host = server.stdout.readline().strip()
        if not host.startswith("/"):
            self.skipTest(host)
        self.assert_no_password_is_written(
            f"Store=postgresql\nPostgreSQLStoreHost={host}\nPostgreSQLStoreUser=nexusfix\n"
            "PostgreSQLStoreDatabase=postgres\nPostgreSQLStoreSchema=venue\n", ALLOW)
        for form in ([], ["--json"], ["--messages"], ["--messages", "--json"]):
            self.ask("journal", "show", self.folder / "venue.cfg", *form)
        # Tables, the write-ahead log, and the server's output.
        has_session = False
        for path in Path(host).rglob("*"):
            if path.is_file():
                contents = path.read_bytes()
                self.assert_silent(path, contents)
                has_session |= b"FIX.4.4:VENUE->TRADER" in contents
        self.assertTrue(has_session)

    def test_a_request_with_a_password_is_sent_once_and_then_gap_filled(self):
        self.check_gap_fill("35=BE|923=r|924=3|553=me|554=" + CANARIES[554])

    def test_an_order_with_a_password_is_sent_once_and_then_gap_filled(self):
        self.check_gap_fill("35=D|11=B|55=X|54=1|38=5|40=1|21=1|60=now|554=" + CANARIES[554])

    def check_gap_fill(self, with_password):
        """Sends a message with the password of 554, and an order after it."""
        listener = self.listen()
        heard = []

        def serve():
            peer = listener.accept()[0]
            own = {"sender": "VENUE", "target": "TRADER"}
            now = {"time": time.strftime("%Y%m%d-%H:%M:%S", time.gmtime())}
            with peer:
                peer.settimeout(LIMIT_SECONDS)
                received = b""
                while b"\x0111=A\x01" not in received:
                    if not received:
                        heard.append(peer.recv(65536))
                        peer.sendall(message("FIX.4.4", "A", 1, [(98, 0), (108, 30), (141, "Y")],
                                             **own, **now))
                    received += peer.recv(65536)
                heard.append(received)
                peer.sendall(message("FIX.4.4", "2", 2, [(7, 2), (16, 0)], **own, **now))
                again = b""
                while again.count(b"\x0110=") < 2:
                    again += peer.recv(65536)
                heard.append(again)
                while peer.recv(65536):
                    pass

        server = threading.Thread(target=serve, daemon=True)
        server.start()
        initiator = self.initiator_config(listener.getsockname()[1], "FIX.4.4")
        order = "35=D|11=A|55=X|54=1|38=5|40=1|21=1|60=now"
        request = f"send {with_password}"
        script = self.write("script.txt", f"{request}\nsend {order}\nsleep 1\nlogout\n{request}\n")
        done = self.ask("connect", initiator, "--script", script)
        server.join(LIMIT_SECONDS)
        self.assertIn(b"\x0134=2\x01", heard[1])
        self.assertIn(f"\x01554={CANARIES[554]}\x01".encode(), heard[1])
        gap_fill, resent = heard[2].split(b"8=FIX")[1:3]
        self.assertRegex(gap_fill, b"\x0135=4\x0134=2\x0143=Y\x01.*\x0136=3\x01123=Y\x01")
        self.assertRegex(resent, b"\x0135=D\x0134=3\x0143=Y\x01")
        # The venue is gone, and the message may not be stored until the next logon.
        self.assertEqual(done.returncode, 1)
        self.assertIn("it has a password or a field of LogMaskedTags, which no store is to have",
                      done.stderr)
        shown = self.ask("journal", "show", self.folder / "trader-FIX.4.4", "--messages").stdout
        self.assertNotIn(with_password.split("|")[1], shown)
        self.assertIn("11=A", shown)
        self.search(but=["trader-FIX.4.4.cfg", "script.txt"])

    def test_imported_messages_lose_their_passwords_and_keep_their_numbers(self):
        own = {"sender": "VENUE", "target": "TRADER"}
        stored = [logon("FIX.4.4", 1, **own), message("FIX.4.4", "BE", 2, credentials(), **own),
                  message("FIX.4.4", "8", 3, [(11, "A")], **own),
                  message("FIX.4.4", "8", 4, [(11, "B"), (554, CANARIES[554])], **own)]
        quickfix = self.folder / "quickfix"
        quickfix.mkdir()
        ends = [sum(map(len, stored[:i])) for i in range(4)]
        for name, text in (("header", "".join(f"{i + 1},{ends[i]},{len(stored[i])} "
                                              for i in range(4))),
                           ("body", b"".join(stored).decode()),
                           ("seqnums", "0000000005 : 0000000009"),
                           ("session", "20240115-10:00:00")):
            (quickfix / f"FIX.4.4-VENUE-TRADER.{name}").write_text(text)
        journal = self.folder / "journal"
        done = self.ask("journal", "import", journal, "--quickfix", quickfix, "--yes")
        self.assertEqual(done.returncode, 0, done.stderr)
        shown = self.ask("journal", "show", journal, "--messages").stdout
        self.assertEqual(shown.count("8=FIX.4.4"), 1)
        self.assertIn("|34=3|", shown)
        session = json.loads(self.ask("journal", "show", journal, "--json").stdout)["sessions"][0]
        self.assertEqual((session["next_inbound"], session["next_outbound"]), (9, 5))
        again = self.ask("journal", "import", journal, "--quickfix", quickfix, "--yes")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.search(but=[path.name for path in quickfix.iterdir()])

    def test_a_configuration_is_shown_without_its_passwords(self):
        for version in (*self.VERSIONS, "FIXT.1.1"):
            config = self.initiator_config(1, version)
            for form in (["check"], ["check", "--json"], ["check", "--all"], ["schedule"]):
                self.assertEqual(self.ask("config", *form, config).returncode, 0)

    def test_faults_of_a_configuration_show_no_password(self):
        right = self.initiator_config(1, "FIX.4.4").read_text()
        password = CANARIES[554]
        for wrong in (f"Password={password}\x07", f"Pasword={password}", f"LogonTag9={password}",
                      f"LogonTag9=554={password}", f"LogonTag9=35={password}",
                      f"SocketKeyStorePassword={KEY_PASSWORD}", f"password = {password} # mine",
                      f"SSLCertificatePassword={KEY_PASSWORD}",
                      f"SocketKeyPassword={KEY_PASSWORD}", f"ProxyPassword={PROXY_PASSWORD}",
                      f"ProxyType=http\nProxyUser=me\nProxyPassword={PROXY_PASSWORD}",
                      f"ProxyPassword={PROXY_PASSWORD * 30}",
                      f"JdbcPassword={KEY_PASSWORD}", f"ExpandVariables=Y\nPassword=${password}",
                      f"PostgreSQLStorePassword={KEY_PASSWORD}", f"Passwort {password}",
                      f"={password}", f"Passwort:{password}",
                      f"PostgreSQLStoreConnection=password={KEY_PASSWORD}"):
            text = right.replace("[SESSION]", wrong + "\n[SESSION]")
            config = self.write("wrong.cfg", text)
            for form in ([], ["--json"]):
                self.ask("config", "check", config, *form)
            # The value never is an error, so that no command starts.
            config.write_text(text + "HeartBtInt=never\n")
            for command in ("config check", "connect", "serve", "journal show"):
                done = self.ask(*command.split(), config)
                self.assertNotEqual(done.returncode, 0, wrong)

    def test_a_password_of_a_proxy_is_in_no_output(self):
        for kind, answer in (("http", f"HTTP/1.1 407 not {PROXY_PASSWORD}\r\n\r\n".encode()),
                             ("http", f"HTTP/1.1 407 not {PROXY_TOKEN}\r\n\r\n".encode()),
                             ("http", f"{PROXY_PASSWORD}\r\n".encode()),
                             ("socks", b"\x05\x02"), ("socks", b"\x05\x02\x01\x01")):
            heard = self.answer_as_a_proxy(kind, answer)
            self.assertIn(PROXY_TOKEN if kind == "http" else PROXY_PASSWORD, heard)
        self.search(but=["proxied.cfg"])

    def answer_as_a_proxy(self, kind, answer):
        """Returns the bytes that an initiator has sent to it."""
        listener = self.listen()
        heard = []

        def serve():
            with contextlib.suppress(OSError):
                while True:
                    with listener.accept()[0] as peer:
                        peer.settimeout(LIMIT_SECONDS)
                        heard.append(peer.recv(65536))
                        peer.sendall(answer)
                        peer.shutdown(socket.SHUT_WR)
                        while got := peer.recv(65536):
                            heard.append(got)

        threading.Thread(target=serve, daemon=True).start()
        text = self.initiator_config(1, "FIX.4.4").read_text().replace(
            "[SESSION]", f"ProxyType={kind}\nProxyHost=127.0.0.1\nProxyUser=me\n"
            f"ProxyPort={listener.getsockname()[1]}\nProxyPassword={PROXY_PASSWORD}\n[SESSION]")
        (self.folder / "trader-FIX.4.4.cfg").unlink()
        config = self.write("proxied.cfg", text)
        script = self.write("nothing.txt", "print\n")
        done = self.ask("connect", config, "--script", script, "--logon-timeout", 1)
        self.assertIn(" by way of 127.0.0.1:", done.stdout + done.stderr)
        for form in ([], ["--json"], ["--all"]):
            self.ask("config", "check", config, *form)
        return b"".join(heard).decode(errors="replace")

    def test_a_configuration_with_a_password_that_others_may_read_is_warned_of(self):
        config = self.initiator_config(1, "FIX.4.4")
        line = 1 + config.read_text().splitlines().index(f"Password={CANARIES[554]}")
        for mode, expected in ((0o644, True), (0o640, True), (0o600, False)):
            config.chmod(mode)
            done = self.ask("config", "check", config)
            warning = (f"trader-FIX.4.4.cfg:{line}: a password, in a file that others than its "
                       f"owner may read: chmod 600 ")
            self.assertEqual(warning in done.stdout + done.stderr, expected, done)
        for harmless in ("", "ExpandVariables=Y\nPassword=${CANARY}\n"):
            venue = self.venue_config(more=harmless)
            venue.chmod(0o644)
            done = run("config", "check", venue, env={**os.environ, "CANARY": CANARIES[554]})
            self.assertNotIn("may read", done.stdout + done.stderr)

    def memory_of(self, process, wanted):
        """The places of the pattern in a process's writable memory, with the bytes around each."""
        found = []
        try:
            with open(f"/proc/{process.pid}/maps", encoding="ascii") as maps, \
                    open(f"/proc/{process.pid}/mem", "rb") as memory:
                for line in maps:
                    place, flags = line.split()[:2]
                    if not flags.startswith("rw"):
                        continue
                    begin, end = (int(part, 16) for part in place.split("-"))
                    with contextlib.suppress(OSError):  # gone meanwhile, or not readable
                        memory.seek(begin)
                        contents = memory.read(end - begin)
                        pages = (contents[at:at + len(ZEROS)]
                                 for at in range(0, len(contents), len(ZEROS)))
                        contents = b"".join(page for page in pages if page != ZEROS)
                        found += [(line.strip(), contents[max(0, at.start() - 60):at.end() + 20])
                                  for at in wanted.finditer(contents)]
        except PermissionError as error:
            self.skipTest(f"the memory of our process cannot be read: {error}")
        return found

    def assert_forgets(self, venue, what):
        """Waits, because the threads of the log and of the passwords run independently."""
        deadline = time.monotonic() + FORGETS_SECONDS
        while found := self.memory_of(venue, ANY_PIECE):
            if time.monotonic() > deadline:
                where = sorted({place for place, _ in found})
                self.fail(f"{what}: in {len(found)} places of {where}, such as {found[:3]}")
            time.sleep(0.05)

    def checked_logons(self, say):
        """say sends its parts over a new connection, and returns the answer."""
        right = logon("FIX.4.4", more=[(141, "Y")])
        yield "the right password", lambda: say(right, answers=1)
        yield "a Logon in pieces", lambda: say(
            *(right[at:at + 7] for at in range(0, len(right), 7)), answers=1)
        yield "bytes after a Logon", lambda: say(
            right + message("FIX.4.4", "0", 2, []) + logon("FIX.4.4", 3)[:-30], answers=1)
        yield "no session's CompIDs", lambda: say(logon("FIX.4.4", sender="UNKNOWN"))
        yield "a wrong CheckSum", lambda: say(logon("FIX.4.4", checksum=1))
        yield "half a Logon", lambda: say(right[:-30])
        yield "a Logon that is none", lambda: say(b"GET / HTTP/1.1\r\n" + right)
        # From here on the file has another password.
        self.users(CANARIES[554][::-1])
        yield "a wrong password", lambda: say(right)

    def users(self, password):
        done = run("passwd", self.folder / "users", "someone", stdin=None, input=password + "\n")
        if "NEXUSFIX_PASSWORDS=OFF" in done.stderr:
            self.skipTest("a build without passwords")
        self.assertEqual(done.returncode, 0, done.stderr)

    def check_memory(self, more, around):
        self.users(CANARIES[554])
        config = self.config("Store=memory\n", f"{ALLOW}{more}CoreDumps=Y\nAllowedUsernames=*\n"
                             f"MaxLogonFailures=0\nPasswordFile={self.folder}/users\n"
                             f"LogonTimeout=60\nFileLogPath={self.folder}/venue-log\n")
        if "was built without TLS" in run("config", "check", config, cwd=self.folder).stderr:
            self.skipTest("a build without TLS")
        venue, port = self.start(config)
        for what, knock in self.checked_logons(
                lambda *parts, **how: self.say(port, *parts, around=around, **how)):
            heard = knock()
            if what == "the right password":
                self.assertIn(b"\x0135=A", heard)
                self.users(CANARIES[554])  # NewPassword has taken its place
            self.assert_forgets(venue, what)
        # The search finds a text that is in memory.
        self.assertTrue(self.memory_of(venue, re.compile(b"FIX.4.4:VENUE->TRADER")))
        logged = (self.folder / "venue-log/FIX.4.4-VENUE-TRADER.messages.current.log").read_text()
        self.assertIn("554=***", logged)

    def test_a_password_that_was_checked_is_in_no_memory(self):
        self.check_memory("", lambda peer: peer)

    def test_a_password_that_came_by_tls_is_in_no_memory(self):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                        "ec_paramgen_curve:P-256", "-nodes", "-keyout", "key.pem", "-out",
                        "certificate.pem", "-days", "2", "-subj", "/CN=venue"],
                       cwd=self.folder, check=True, capture_output=True)
        (self.folder / "key.pem").chmod(0o600)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        self.check_memory("SocketUseSSL=Y\nServerCertificateFile=certificate.pem\n"
                          "ServerCertificateKeyFile=key.pem\n", context.wrap_socket)

    def crash(self, more):
        """Sends SIGSEGV to a venue that has received a password, and checks its core dump."""
        config = self.config("Store=memory\n", ALLOW + more)
        venue, port = self.start(config, preexec_fn=with_core_dumps)
        self.log_on(port, logon("FIX.4.4", more=[(141, "Y")]))
        filter_of = f"/proc/{venue.pid}/coredump_filter"
        with open(filter_of, encoding="ascii") as file:
            core_filter = int(file.read(), 16)
        venue.send_signal(signal.SIGSEGV)
        venue.wait(LIMIT_SECONDS)
        cores = [path.read_bytes() for path in self.folder.glob("core*")]
        for path in self.folder.glob("core*"):
            path.unlink()
        return core_filter, cores

    def filter_of(self, process):
        return int(Path(f"/proc/{process.pid}/coredump_filter").read_text(encoding="ascii"), 16)

    def test_core_dumps_have_no_memory_before_a_password_is_typed(self):
        process = subprocess.Popen([command_test.NEXUSFIX, "passwd", self.folder / "users", "me"],
                                   stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        command_test.wait_until(lambda: self.filter_of(process) == 0x10, "passwd")
        self.assertIsNone(process.poll())

    def test_a_core_dump_has_no_password_unless_it_is_asked_for(self):
        core_filter, cores = self.crash("")
        self.assertEqual(core_filter, 0x10)
        for core in cores:
            self.assert_silent("core dump", core)
            self.assertTrue(core.startswith(b"\x7fELF"))
        core_filter, cores = self.crash("CoreDumps=Y\n")
        self.assertNotEqual(core_filter, 0x10)
        for core in cores:  # the search finds other text; and passwords are wiped
            self.assertIn(b"FIX.4.4:VENUE->TRADER", core)
            self.assert_silent("core dump", core)


class FixtSecrets(Talked):
    """An acceptor of FIXT.1.1, which the venue is not."""
    VERSIONS = ("FIXT.1.1",)

    def test_nothing_that_a_fixt_acceptor_wrote_has_a_password(self):
        config = self.config("JournalDurability=sync\n",
                             f"FileLogPath={self.folder}/venue-log\n{ALLOW}")
        acceptor, port = self.start(config, [ACCEPTOR])
        self.talk(port, is_strict=False)
        acceptor.send_signal(signal.SIGTERM)
        self.assertEqual(acceptor.wait(LIMIT_SECONDS), 0)
        self.assert_private(self.folder / "venue")
        for form in ([], ["--messages"], ["--messages", "--decode"], ["--changes"]):
            self.ask("journal", "show", self.folder / "venue", *form)
        names = self.search(but=["venue.cfg"])
        self.assertIn("FIXT.1.1-VENUE-TRADER.messages.current.log", names)
        logged = self.folder / "venue-log/FIXT.1.1-VENUE-TRADER.messages.current.log"
        self.assertIn("554=***", logged.read_text())


def with_core_dumps():
    resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


if __name__ == "__main__":
    command_test.NEXUSFIX = os.path.abspath(sys.argv.pop(1))
    ACCEPTOR = os.path.abspath(sys.argv.pop(1))
    if sys.argv[1:2] and os.path.isfile(sys.argv[1]):
        SERVER = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
