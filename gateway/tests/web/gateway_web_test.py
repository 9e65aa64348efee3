#!/usr/bin/env python3
"""`nexusfix gateway` with clients at the WebSocket: all cases of the Unix socket, JSON, and what
only a port of the network has: other sites, cut frames, pings and TLS.

    gateway_web_test.py --nexusfix PATH
"""

import argparse
import json
import shutil
import signal
import socket
import subprocess
import sys
import unittest
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[1])]
import gateway_test  # noqa: E402  pylint: disable=wrong-import-position
from gateway_client import (  # noqa: E402  pylint: disable=wrong-import-position
    ACCEPTED, CAUGHT_UP, CLOSED, HELLO, STATE, WELCOME, frame_bytes)
from gateway_test import SESSION, TOKEN, order  # noqa: E402  pylint: disable=wrong-import-position
from tcp_ports import free_port  # noqa: E402  pylint: disable=wrong-import-position
from web_client import (  # noqa: E402  pylint: disable=wrong-import-position
    BINARY, CONTINUATION, END, PING, PONG, TEXT, WebClient, request, web_frame)

ORIGIN = "https://desk.example.com"
DESK = f"name=desk\ntoken={TOKEN}".encode()

gateway_test.GatewayClient = WebClient


class WebTest(gateway_test.GatewayTest):
    def setUp(self):
        self.web_port = free_port()
        self.door_keys = f"WebSocketPort={self.web_port}\nWebSocketOrigins={ORIGIN}\n"
        super().setUp()

    def attach_logged_on(self, name="desk", **more):
        """Waits with the same connection: a client that is away for the time of a handshake has its
        session logged out, if the file says so."""
        client = self.attach(name, **more)
        seen = []
        while " on FIX" not in client.welcome.body.decode() and (
                not seen or (seen[-1].kind, seen[-1].code) != (STATE, 1)):
            seen.append(client.read())
            self.assertIsNotNone(seen[-1])
        client.kept = seen[:-1]
        return client

    def connect(self, **options):
        client = WebClient(self.socket, **options)
        self.clients.append(client)
        return client

    def json_client(self):
        """A client that writes JSON, whose session is logged on."""
        while True:
            client = self.connect()
            client.send_json(type="hello", name="desk", token=TOKEN)
            welcome = client.read_json("welcome")
            if welcome["sessions"][0]["loggedOn"]:
                client.welcome = welcome
                return client
            client.read_json("state")
            client.close()

    def assert_json_closed(self, client, code):
        while (value := client.read_json())["type"] != "closed":
            pass
        self.assertEqual(value["code"], code, value)
        self.assertIsNone(client.read_json())
        self.assertEqual(client.close_code, 4000 + code)
        return value["reason"]

    def assert_goes_on(self, client, number=1):
        client.send(number, order(f"after{number}"))
        self.assertEqual(client.read_kind(ACCEPTED).number, number)

    # JSON.

    def test_order_in_json_is_accepted_and_reported_with_the_same_numbers(self):
        self.start_venue()
        gateway = self.start_gateway()
        client = self.json_client()
        self.assertEqual(client.welcome["lastAccepted"], 0)
        self.assertEqual(client.welcome["sessions"][0]["name"], SESSION)
        message = {"MsgType": "D", "Account": "ACC1", "ClOrdID": "A1", "Symbol": "AAPL",
                   "Side": "1", "OrderQty": 100, "OrdType": "2", "Price": "10",
                   "TimeInForce": "0", "TransactTime": "20240115-10:30:00"}
        client.send_json(type="send", session=0, number=7, message=message)
        accepted = client.read_json("accepted")
        self.assertEqual(accepted, {"type": "accepted", "session": 0, "number": 7, "epoch": 1,
                                    "msgSeqNum": 2})
        report = client.read_json("message")
        self.assertIn("\x0135=8\x01", report["fix"])
        self.assertIn("\x0111=A1\x01", report["fix"])
        client.send_json(type="send", session=0, number=8, message={"MsgType": "D", "Nothing": "1"})
        refused = client.read_json("refused")
        self.assertEqual((refused["number"], refused["code"]), (8, 1))
        self.assertIn("Nothing", refused["reason"])
        client.send_json(type="send", session=0, number=8,
                         fix=order("A2").replace("|", "\x01"))
        self.assertEqual(client.read_json("accepted")["number"], 8)
        client.send_json(type="send", session=0, number=8, fix="35=D\x01")
        self.assertTrue(client.read_json("accepted")["duplicate"])
        gateway.send_signal(signal.SIGTERM)
        self.assert_json_closed(client, 7)

    def test_cursor_in_json_brings_the_messages_after_it_from_the_journal(self):
        self.start_venue()
        self.start_gateway()
        client = self.json_client()
        client.send_json(type="send", session=0, number=1, fix=order("A1").replace("|", "\x01"))
        first = client.read_json("message")
        client.close()
        client = self.connect()
        client.send_json(type="hello", name="desk", token=TOKEN, cursors=[
            {"session": SESSION, "epoch": first["epoch"], "msgSeqNum": first["msgSeqNum"] - 1}])
        again = client.read_json("message")
        self.assertEqual(again["fix"], first["fix"])
        self.assertTrue(again["fromJournal"])
        client.read_json("caughtUp")

    def test_hostile_json_is_cut_with_a_reason_and_others_go_on(self):
        self.start_venue()
        self.start_gateway()
        good = self.attach_logged_on()
        hello = json.dumps({"type": "hello", "name": "desk", "token": TOKEN})
        send = '{"type":"send","session":0,"number":1,"fix":"35=D\\u0001"}'
        for number, (text, code, reason) in enumerate((
                ("[" * 100_000, 4, "in one another"),
                ('{"type":"send","number":1e999}', 4, "number"),
                ('{"type":"send","number":' + "9" * 5000 + "}", 4, "number"),
                ('{"type":"hello","type":"hello"}', 4, "twice"),
                ('"' + "x" * 300_000 + '"', 4, "at most 262144 bytes"),
                ("nonsense", 4, "no JSON"), ("", 4, "no JSON"), ("null", 4, "an object"),
                ('{"type":"welcome"}', 4, "expected"),
                ('{"type":"caughtUp"}', 4, "a client sends Hello"),
                ('{"type":"hello","name":"desk","token":"wrong"}', 2, "unknown name or token"),
                ('{"type":"hello","name":"a\\ntoken=b","token":"c"}', 4, "line feed"),
                (send, 4, "no Hello"), (hello, 3, "another connection"))):
            client = self.connect()
            try:
                client.send_message(TEXT, text.encode())
            except OSError:
                pass  # It was cut while it wrote.
            self.assertIn(reason, self.assert_json_closed(client, code))
            self.assert_goes_on(good, number + 1)
        good.close()
        client = self.json_client()
        try:
            client.send_message(TEXT, b'{"type":"' + b"x" * 10_000_000)
        except OSError:
            pass
        self.assertIn("at most 2097152 bytes", self.assert_json_closed(client, 4))

    def test_text_that_is_no_utf8_ends_the_websocket(self):
        self.start_venue()
        self.start_gateway()
        good = self.attach_logged_on()
        client = self.connect()
        client.send_message(TEXT, b'{"type":"hello","name":"\xff"}')
        self.assertIsNone(client.read_message())
        self.assertEqual(client.close_code, 1007)
        self.assert_goes_on(good)

    # Who may attach.

    def test_page_of_another_site_is_refused_before_its_first_message(self):
        self.start_venue()
        self.start_gateway()
        for origin in ("https://evil.example.com", "null", "", "http://desk.example.com",
                       ORIGIN + ".evil.com", ORIGIN + ":8443", "https://DESK.example.com/"):
            self.assertEqual(self.connect(fields=[f"Origin: {origin}"]).status, 403, origin)
        twice = self.connect(fields=[f"Origin: {ORIGIN}", "Origin: https://evil.example.com"])
        self.assertEqual(twice.status, 403)
        for fields in ([f"Origin: {ORIGIN}"], []):
            client = self.connect(fields=fields)
            self.assertEqual(client.status, 101)
            self.assertEqual(client.attach("desk", TOKEN).kind, WELCOME)
            client.send_bytes(frame_bytes(CLOSED, code=10))
            while client.read() is not None:
                pass
        while "https://evil.example.com" not in self.log():
            pass

    def test_token_in_a_url_is_refused_and_is_not_in_the_log(self):
        self.start_venue()
        self.start_gateway()
        secret = "a-token-in-a-url-0123456789"
        self.assertEqual(self.connect(target=f"/?token={secret}").status, 400)
        while "the URL has a query" not in self.log():
            pass
        self.assertNotIn(secret, self.log())

    def test_requests_that_are_no_handshake_have_an_http_answer(self):
        self.start_venue()
        self.start_gateway()
        good = self.attach_logged_on()
        for data, status in ((b"GET / HTTP/1.1\r\nHost: a\r\n\r\n", 426),
                             (b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc", 400),
                             (b"\x00\x01\x02\r\n\r\n", 400),
                             (request([f"X{i}: {'y' * 500}" for i in range(100)]), 400),
                             (request().replace(b"Version: 13", b"Version: 7"), 426)):
            client = self.connect(connects=False)
            client.connect(data)
            self.assertEqual(client.status, status, data[:60])
        self.assert_goes_on(good)

    def test_shared_memory_is_not_for_a_websocket(self):
        self.start_venue()
        self.start_gateway()
        client = self.connect()
        client.send_bytes(frame_bytes(HELLO, DESK + b"\nring=1"))
        self.assert_closed(client, 11)

    # What a connection does.

    def test_hostile_bytes_are_cut_with_a_reason_and_others_go_on(self):
        self.start_venue()
        self.start_gateway()
        good = self.attach_logged_on()
        whole = frame_bytes(HELLO, DESK)
        for data, code in ((b"GET / HTTP/1.1\r\n\r\n", 4), (frame_bytes(1, b"x", version=2), 1),
                           (frame_bytes(1, b"nonsense"), 4), (frame_bytes(77), 4),
                           (whole[:-1], 4), (whole + b"x", 4), (whole + whole, 4), (b"", 4),
                           (b"x" * 70_000, 4),
                           (frame_bytes(1, b"name=desk\ntoken=wrong"), 2),
                           (frame_bytes(3, b"35=D\x01", number=1), 4), (frame_bytes(2), 4),
                           (whole, 3)):
            client = self.connect()
            client.send_bytes(data)
            # Before the first frame the gateway does not know that the client writes binary.
            self.assertIn(client.read_message()[0], (TEXT, BINARY))
            self.assertIsNone(client.read_message())
            self.assertEqual(client.close_code, 4000 + code, data[:40])
        self.assert_goes_on(good)
        while "another connection has the name desk" not in self.log():
            pass

    def test_frames_against_the_rfc_end_the_websocket_and_others_go_on(self):
        self.start_venue()
        self.start_gateway()
        good = self.attach_logged_on()
        for data in (b"\x82\x05hello", b"\xf2\x80" + b"\x00" * 4, web_frame(3, b"x"),
                     web_frame(CONTINUATION, b"x"), web_frame(PING, b"x" * 126),
                     web_frame(PING, b"x", last=False), b"\x82\xff" + b"\xff" * 12):
            client = self.connect()
            client.socket.sendall(data)
            client.read_message()
            self.assertIsNone(client.read_message(), data[:10])
        self.assert_goes_on(good)

    def test_message_in_many_parts_with_pings_between_them_is_one_frame(self):
        self.start_venue()
        self.start_gateway()
        self.attach_logged_on().close()
        client = self.connect()
        hello = frame_bytes(HELLO, DESK)
        data = web_frame(BINARY, hello[:10], last=False) + web_frame(PING, b"are you there")
        data += web_frame(CONTINUATION, b"", last=False)
        data += web_frame(CONTINUATION, hello[10:20], last=False)
        data += web_frame(CONTINUATION, hello[20:])
        for at in range(0, len(data), 7):
            client.socket.sendall(data[at:at + 7])
        self.assertEqual(client.read_web_frame(), (0x80 | PONG, b"are you there"))
        self.assertEqual(client.read().kind, WELCOME)

    def test_kinds_of_messages_are_not_mixed(self):
        self.start_venue()
        self.start_gateway()
        client = self.attach()
        client.send_json(type="closed")
        self.assert_closed(client, 4)

    def test_client_that_is_cut_in_the_middle_of_a_frame_sends_nothing(self):
        self.start_venue()
        self.start_gateway()
        client = self.attach_logged_on()
        whole = web_frame(BINARY, frame_bytes(3, order("A1").replace("|", "\x01").encode(),
                                              number=1))
        client.socket.sendall(whole[:-1])
        client.close()
        client = self.attach()
        self.assertEqual(client.welcome.number, 0)
        self.assert_goes_on(client)

    def test_client_that_says_the_end_is_answered(self):
        self.start_venue()
        self.start_gateway()
        client = self.attach_logged_on()
        client.send_message(END, (1000).to_bytes(2, "big"))
        while client.read_message() is not None:
            pass
        self.assertEqual(client.close_code, 1000)
        while "has closed its connection" not in self.log():
            pass
        self.assert_goes_on(self.attach())

    def test_flood_of_pings_of_a_client_that_reads_nothing_does_not_stop_others(self):
        self.start_venue()
        self.start_gateway()
        good = self.attach_logged_on()
        client = self.connect()
        client.socket.settimeout(2)
        flood = web_frame(PING, b"x" * 125) * 1000
        try:
            for _ in range(1000):
                client.socket.sendall(flood)
        except socket.timeout:
            pass  # The gateway reads no more, because its answers are not read.
        else:
            self.fail("the gateway has taken 131 MB of pings, and kept the answers")
        self.assert_goes_on(good)

    # The configuration.

    def test_port_in_use_is_one_line(self):
        self.start_venue()
        with socket.create_server(("127.0.0.1", self.web_port)):
            result = self.run_gateway()
        self.assertEqual(result.returncode, 1)
        said = [line for line in result.stderr.splitlines() if "NXF-" not in line]
        self.assertEqual(len(said), 1, result.stderr)
        self.assertIn(f"127.0.0.1:{self.web_port}: Address already in use", said[0])

    def test_faults_of_the_keys_are_found_before_the_start(self):
        for keys, fault in (("WebSocketPort=70000", "0 to 65535"),
                            ("WebSocketPort=1\nWebSocketHost=0.0.0.0", "WebSocketCertificateFile"),
                            ("WebSocketPort=1\nWebSocketOrigins=*", "There is no pattern"),
                            ("WebSocketPort=1\nWebSocketOrigins=null", "There is no pattern"),
                            ("WebSocketPort=1\nWebSocketOrigins=https://a/b", "no pattern"),
                            ("WebSocketOrigins=https://a", "need WebSocketPort"),
                            ("WebSocketPort=1\nWebSocketCertificateKeyFile=a", "keys of TLS"),
                            ("WebSocketNothing=1", "is no key of [GATEWAY]")):
            self.door_keys = keys + "\n"
            self.write_clients()
            result = self.run_gateway("--check")
            self.assertEqual(result.returncode, 1, keys)
            self.assertIn(fault, result.stderr)

    @unittest.skipUnless(shutil.which("openssl"), "openssl is not installed")
    def test_tls_protects_the_port(self):
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                        "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
                        "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout",
                        self.folder / "key.pem", "-out", self.folder / "certificate.pem"],
                       check=True, capture_output=True)
        (self.folder / "key.pem").chmod(0o600)
        self.door_keys += (f"WebSocketCertificateFile={self.folder}/certificate.pem\n"
                           f"WebSocketCertificateKeyFile={self.folder}/key.pem\n")
        self.write_clients()
        self.start_venue()
        gateway = self.start_gateway()
        self.assertIn("wss://127.0.0.1:", gateway.stdout.readline())
        client = self.connect(authority=self.folder / "certificate.pem")
        self.assertEqual(client.attach("desk", TOKEN).kind, WELCOME)
        while client.read().kind != CAUGHT_UP:
            pass
        self.assertIsNone(self.connect().status)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--nexusfix", required=True)
    known, rest = parser.parse_known_args()
    gateway_test.NEXUSFIX = known.nexusfix
    unittest.main(argv=[sys.argv[0], *rest], verbosity=2)
