#!/usr/bin/env python3
"""The web console and the metrics of a venue that runs: what is shown, and what is refused."""

import http.client
import json
import os
import re
import socket
import ssl
import subprocess
import sys
import unittest

import command_test
from command_test import WithFolder, run, wait_until

SESSION = "FIX.4.4:VENUE->TRADER"
OPERATOR_TOKEN = "a-token-of-anna-with-32-characters"
LIMIT_SECONDS = 60


class WithConsole(WithFolder):
    def start(self, keys="ConsolePort=0\nMetricsPort=0\n", tokens=True):
        """Starts a venue with these keys. Sets the ports of what it serves."""
        self.write("venue.cfg",
                   "[DEFAULT]\nConnectionType=acceptor\nSocketAcceptHost=127.0.0.1\n"
                   f"SocketAcceptPort=0\nFileStorePath={self.folder}/venue\n"
                   f"{keys}"
                   "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=TRADER\n")
        if tokens:
            self.write_tokens(0o600)
        self.events = self.folder / "venue.err"
        with self.events.open("w") as errors:
            self.venue = subprocess.Popen(
                [command_test.NEXUSFIX, "serve", self.folder / "venue.cfg"],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors, text=True)
        self.addCleanup(self.venue.stdout.close)
        self.addCleanup(self.venue.wait)
        self.addCleanup(self.venue.kill)
        match = re.fullmatch(r"listening on port (\d+)\n", self.venue.stdout.readline())
        self.assertIsNotNone(match, self.events.read_text())
        self.fix_port = int(match[1])
        self.console = self.port_of("web console") if "ConsolePort" in keys else None
        self.metrics = self.port_of("metrics") if "MetricsPort" in keys else None

    @property
    def token_file(self):
        return self.folder / "venue" / "console.token"

    def write_tokens(self, mode):
        self.token_file.parent.mkdir(exist_ok=True)
        self.token_file.write_text(f"anna:{OPERATOR_TOKEN}\n")
        self.token_file.chmod(mode)

    def port_of(self, name):
        pattern = rf"{name}: https?://[^ ]*:(\d+)/"
        wait_until(lambda: re.search(pattern, self.events.read_text()), name)
        return int(re.search(pattern, self.events.read_text())[1])

    def ask(self, method, path, port=None, body=None, **fields):
        """The status, the fields and the body of an answer."""
        connection = http.client.HTTPConnection("127.0.0.1", port or self.console,
                                                timeout=LIMIT_SECONDS)
        self.addCleanup(connection.close)
        names = {name.replace("_", "-"): value for name, value in fields.items()}
        data = None if body is None else json.dumps(body)
        if body is not None:
            names.setdefault("Content-Type", "application/json")
        connection.request(method, path, body=data, headers=names)
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read().decode()

    def bearer(self):
        return {"Authorization": f"Bearer {OPERATOR_TOKEN}"}

    def sign_in(self):
        """The fields of a browser that has signed in, with its CSRF token."""
        status, fields, _ = self.ask("POST", "/api/sign-in", body={"token": OPERATOR_TOKEN})
        self.assertEqual(status, 200)
        cookie = fields["Set-Cookie"].split(";")[0]
        status, _, text = self.ask("GET", "/api/overview", Cookie=cookie)
        self.assertEqual(status, 200)
        return {"Cookie": cookie, "X-CSRF-Token": json.loads(text)["csrf"]}


class Metrics(WithConsole):
    def test_metrics_and_health_are_served(self):
        self.start("MetricsPort=0\n")
        status, fields, text = self.ask("GET", "/metrics", self.metrics)
        self.assertEqual((status, fields["Content-Type"]),
                         (200, "text/plain; version=0.0.4; charset=utf-8"))
        self.assertIn(SESSION, text)
        # The port is open before the event loop has made its first turn.
        for path in ("/healthz", "/readyz"):
            wait_until(lambda path=path: self.ask("GET", path, self.metrics)[0] == 200, path)
        self.assertEqual(self.ask("GET", "/", self.metrics)[0], 404)
        self.assertEqual(self.ask("POST", "/metrics", self.metrics, body={})[0], 405)

    def test_used_port_is_one_clear_error_and_nothing_starts(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            for key in ("MetricsPort", "ConsolePort", "HttpAcceptPort"):
                with self.subTest(key):
                    path = self.venue_config(more=f"{key}={port}\n")
                    done = run("serve", path)
                    self.assertEqual(done.returncode, 1)
                    what = "MetricsPort" if key == "MetricsPort" else "ConsolePort"
                    self.assertRegex(done.stderr, rf"^nexusfix serve: .*venue.cfg:\d+: {what}: "
                                     r".*Address already in use\n$")
                    self.assertFalse((self.folder / "venue").exists())


class Access(WithConsole):
    def test_page_is_served_and_figures_need_a_sign_in(self):
        self.start()
        status, fields, text = self.ask("GET", "/")
        self.assertEqual(status, 200)
        self.assertIn("<!doctype html>", text)
        self.assertIn("script-src 'self'", fields["Content-Security-Policy"])
        self.assertNotIn("unsafe", fields["Content-Security-Policy"])
        for path in ("overview", "live", "figures", "messages", "configuration", "schedule"):
            self.assertEqual(self.ask("GET", f"/api/{path}")[0], 401, path)
        self.assertEqual(self.ask("POST", "/api/act", body={})[0], 401)

    def test_cookie_signs_in_and_signing_out_ends_it(self):
        self.start()
        fields = self.sign_in()
        self.assertEqual(self.ask("GET", "/api/figures", **fields)[0], 200)
        self.assertEqual(self.ask("POST", "/api/sign-out", body={}, **fields)[0], 200)
        self.assertEqual(self.ask("GET", "/api/figures", **fields)[0], 401)
        wait_until(lambda: "NXF-7032" in self.events.read_text(), "the event of the sign-in")

    def test_guesses_are_answered_late_and_a_right_token_at_once(self):
        self.start()
        statuses = [self.ask("POST", "/api/sign-in", body={"token": "guess"})[0] for _ in range(6)]
        self.assertEqual(statuses, [401] * 5 + [429])
        self.assertEqual(self.ask("GET", "/api/overview", **self.bearer())[0], 200)
        self.assertEqual(self.ask("POST", "/api/sign-in", body={"token": OPERATOR_TOKEN})[0], 200)
        wait_until(lambda: self.events.read_text().count("NXF-7033") == 5, "five events")
        self.assertNotIn("guess", self.events.read_text())

    def test_token_is_made_for_its_owner_only(self):
        self.start("ConsolePort=0\n", tokens=False)
        path = self.token_file
        self.assertEqual(path.stat().st_mode & 0o777, 0o600)
        token = re.search(r"(?m)^operator:([0-9a-f]{64})$", path.read_text())[1]
        self.assertEqual(self.ask("GET", "/api/overview", Authorization=f"Bearer {token}")[0], 200)
        self.assertNotIn(token, self.events.read_text())

    def test_token_file_that_others_may_read_stops_the_start(self):
        self.write_tokens(0o644)
        done = run("serve", self.venue_config(
            more=f"ConsolePort=0\nFileStorePath={self.folder}/venue\n"))
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"venue.cfg:\d+: the token of the web console: .*chmod 600")

    # DNS rebinding: the page of another site reaches this address under a name of its own.
    def test_other_host_names_are_refused(self):
        self.start()
        for host in ("evil.example.com", f"evil.example.com:{self.console}", "127.0.0.1"):
            self.assertEqual(self.ask("GET", "/", Host=host)[0], 421, host)
            self.assertEqual(self.ask("GET", "/api/overview", Host=host, **self.bearer())[0], 421)
        self.assertEqual(self.ask("GET", "/", Host=f"localhost:{self.console}")[0], 200)

    def test_console_of_other_machines_needs_tls(self):
        done = run("serve", self.venue_config(more="ConsolePort=0\nConsoleHost=0.0.0.0\n"))
        self.assertEqual(done.returncode, 1)
        self.assertIn("needs ConsoleCertificateFile", done.stderr)


class Certificates(WithConsole):
    def make(self, name, *more):
        """A key and a certificate, signed by the authority if there is one."""
        files = [self.folder / f"{name}.{end}" for end in ("key", "pem")]
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                        "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", f"/CN={name}",
                        "-keyout", files[0], "-out", files[1], *map(str, more)],
                       check=True, capture_output=True)
        files[0].chmod(0o600)
        return files

    def test_certificate_is_the_sign_in_and_its_name_the_operator(self):
        key, authority = self.make("desk")
        signed = ("-CA", authority, "-CAkey", key, "-addext")
        server_key, server = self.make("console", *signed, "subjectAltName=DNS:localhost")
        client_key, client = self.make("anna", *signed, "subjectAltName=DNS:anna.desk.example.com")
        self.start(f"ConsolePort=0\nConsoleCertificateFile={server}\n"
                   f"ConsoleCertificateKeyFile={server_key}\nConsoleAuthoritiesFile={authority}\n",
                   tokens=False)
        context = ssl.create_default_context(cafile=str(authority))

        def overview():
            connection = http.client.HTTPSConnection("localhost", self.console, context=context,
                                                     timeout=LIMIT_SECONDS)
            self.addCleanup(connection.close)
            connection.request("GET", "/api/overview")
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        with self.assertRaises(OSError):
            overview()
        context.load_cert_chain(client, client_key)
        status, answer = overview()
        self.assertEqual((status, answer["identity"]), (200, "dns:anna.desk.example.com"))
        self.assertFalse(self.token_file.exists())


class Acts(WithConsole):
    ACT = {"version": 8, "request": "disable", "session": SESSION,
           "reason": "by phone with the broker"}

    def test_act_is_recorded_with_its_operator_and_reason(self):
        self.start("ConsolePort=0\nConsoleActs=Y\n")
        status, _, text = self.ask("POST", "/api/act", body=self.ACT, **self.sign_in())
        self.assertEqual((status, json.loads(text)), (200, {"version": 8, "done": ""}))
        wait_until(lambda: "NXF-7010" in self.events.read_text(), "the event of the act")
        line = re.search("NXF-7010.*", self.events.read_text())[0]
        for part in (SESSION, "disable", "by phone with the broker", "anna from 127.0.0.1"):
            self.assertIn(part, line)

    def test_read_only_console_refuses_acts(self):
        self.start("ConsolePort=0\n")
        status, _, text = self.ask("POST", "/api/act", body=self.ACT, **self.sign_in())
        self.assertEqual(status, 403)
        self.assertIn("ConsoleActs=Y", text)

    def test_requests_of_other_sites_change_nothing(self):
        self.start("ConsolePort=0\nConsoleActs=Y\n")
        fields = self.sign_in()
        cookie = {"Cookie": fields["Cookie"]}
        for more in ({}, {"X-CSRF-Token": "0" * 64},
                     {**fields, "Origin": "http://evil.example.com"},
                     {**fields, "Origin": "null"},
                     {**fields, "Sec-Fetch-Site": "cross-site"}):
            status = self.ask("POST", "/api/act", body=self.ACT, **{**cookie, **more})[0]
            self.assertEqual(status, 403, more)
        plain = {**fields, "Content-Type": "text/plain"}
        self.assertEqual(self.ask("POST", "/api/act", body=self.ACT, **plain)[0], 400)
        self.assertNotIn("NXF-7010", self.events.read_text())

    def test_wrong_acts_are_one_clear_line(self):
        self.start("ConsolePort=0\nConsoleActs=Y\n")
        gone = {**self.ACT, "session": "FIX.4.4:VENUE->GONE"}
        for body, status, words in ((gone, 409, "no session"), ({}, 400, "version"),
                                    ({**self.ACT, "reason": ""}, 400, "a reason"),
                                    ({**self.ACT, "request": "fly"}, 400, "a known request"),
                                    ({**self.ACT, "request": "log-on"}, 409, "acceptor")):
            answer = self.ask("POST", "/api/act", body=body, **self.bearer())
            self.assertEqual(answer[0], status, answer)
            self.assertIn(words, json.loads(answer[2])["error"])


class Shown(WithConsole):
    def test_stored_messages_are_decoded_searched_and_paged(self):
        self.start()
        script = "".join(f"send 35=D|11=ORD-{n}|55=ACME|54=1|38=100|40=2|44=10.5|60=now\n"
                         f"expect 35=8 150=0 11=ORD-{n}\n" for n in range(1, 4))
        self.assertEqual(self.connect(self.fix_port, script).returncode, 0)
        path = f"/api/messages?session={SESSION.replace('>', '%3E')}"
        page = json.loads(self.ask("GET", path, **self.bearer())[2])
        self.assertGreaterEqual(len(page["messages"]), 3)
        self.assertEqual(page["before"], 0)
        found = json.loads(self.ask("GET", path + "&text=ORD-2", **self.bearer())[2])["messages"]
        self.assertTrue(found)
        self.assertTrue(all("ORD-2" in one["text"] for one in found))
        self.assertIn(["55", "Symbol", "ACME", ""], found[0]["fields"])
        older = json.loads(self.ask("GET", path + f"&before={found[0]['number']}",
                                    **self.bearer())[2])["messages"]
        self.assertTrue(all(int(one["number"]) < int(found[0]["number"]) for one in older))

    def test_stored_messages_of_both_directions_are_paged_and_searched(self):
        self.start("ConsolePort=0\nJournalInbound=Y\n")
        orders = 60
        script = "".join(f"send 35=D|11=ORD-{n}|55=ACME|54=1|38=100|40=2|44=10.5|60=now\n"
                         f"expect 35=8 150=0 11=ORD-{n}\n" for n in range(1, orders + 1))
        self.assertEqual(self.connect(self.fix_port, script).returncode, 0)
        path = f"/api/messages?session={SESSION.replace('>', '%3E')}&direction=both"

        def page_of(more):
            return json.loads(self.ask("GET", path + more, **self.bearer())[2])

        page, shown = page_of(""), []
        self.assertEqual(len(page["messages"]), 100)
        while True:
            shown += page["messages"]
            if page["before"] == 0:
                break
            page = page_of(f"&before={page['before']}")
        # Each order is recorded after the reports that were sent because of it.
        for direction, name in (("in", "NewOrderSingle"), ("out", "ExecutionReport")):
            found = [one["text"] for one in shown
                     if one["name"] == name and one["direction"] == direction]
            newest_first = [f"|11=ORD-{n}|" for n in range(orders, 0, -1)]
            self.assertEqual([wanted for text in found for wanted in newest_first
                              if wanted in text], newest_first)
        self.assertEqual([one["direction"] for one in page_of("&text=11=ORD-7|")["messages"]],
                         ["in", "out"])

    def test_configuration_says_where_each_value_comes_from(self):
        self.start()
        path = f"/api/configuration?session={SESSION.replace('>', '%3E')}"
        values = {one["key"]: one for one in
                  json.loads(self.ask("GET", path, **self.bearer())[2])["values"]}
        self.assertEqual(values["SocketAcceptPort"]["line"], 4)
        self.assertTrue(values["SocketAcceptPort"]["is_of_default"])
        self.assertEqual(values["HeartBtInt"]["line"], 0)
        self.assertEqual(self.ask("GET", "/api/configuration?session=x", **self.bearer())[0], 404)

    def test_schedule_has_each_session(self):
        self.start()
        schedule = json.loads(self.ask("GET", "/api/schedule", **self.bearer())[2])
        self.assertEqual([(one["name"], one["is_non_stop"]) for one in schedule["sessions"]],
                         [(SESSION, True)])

    def test_quickfix_key_opens_a_read_only_console(self):
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        self.start(f"HttpAcceptPort={port}\nConsoleActs=Y\n# ConsolePort\n")
        self.assertEqual(self.console, port)
        overview = json.loads(self.ask("GET", "/api/overview", **self.bearer())[2])
        self.assertFalse(overview["allows_acts"])


class Strangers(WithConsole):
    def test_two_hundred_streams_and_half_requests_hold_nothing_up(self):
        self.start()
        head = f"Host: 127.0.0.1:{self.console}\r\nAuthorization: Bearer {OPERATOR_TOKEN}\r\n\r\n"
        sockets = []
        for _ in range(200):
            one = socket.create_connection(("127.0.0.1", self.console), LIMIT_SECONDS)
            self.addCleanup(one.close)
            one.sendall(b"GET /api/live HTTP/1.1\r\n" + head.encode())
            sockets.append(one)
        for _ in range(20):
            half = socket.create_connection(("127.0.0.1", self.console), LIMIT_SECONDS)
            self.addCleanup(half.close)
            half.sendall(b"GET / HTTP/1.1\r\nHost:")
        for one in sockets:
            text = b""
            while text.count(b"event: state") < 2:
                got = one.recv(65536)
                self.assertTrue(got, "the stream ended")
                text += got
        self.assertEqual(self.ask("GET", "/api/overview", **self.bearer())[0], 200)
        self.assertEqual(self.ask("GET", "/healthz", self.metrics)[0], 200)

    def test_bytes_that_are_no_request_are_refused(self):
        self.start()
        for sent, status in ((b"8=FIX.4.4\x019=5\x0135=A\x01\r\n\r\n", b"400"),
                             (b"GET / HTTP/1.1\r\nX: " + b"x" * 9000, b"431"),
                             (b"POST / HTTP/1.1\r\nContent-Length: 999999\r\n\r\n", b"413"),
                             (b"DELETE / HTTP/1.1\r\n\r\n", b"405")):
            with socket.create_connection(("127.0.0.1", self.console), LIMIT_SECONDS) as one:
                one.sendall(sent)
                self.assertEqual(one.recv(100).split()[1], status)


if __name__ == "__main__":
    command_test.NEXUSFIX = os.path.abspath(sys.argv.pop(1))
    unittest.main()
