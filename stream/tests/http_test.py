#!/usr/bin/env python3
"""`nexusfix stream` to an HTTP server: batches, answers of each kind, hostile answers, and kills.

    http_test.py NEXUSFIX
"""

import ssl
import subprocess
import sys
import threading
import time
import unittest
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from journals import LIMIT_SECONDS, JournalTest, consume, wait_until


class Server(ThreadingHTTPServer):
    """Each request gets the next answer of the script, then 204. An answer is a status, a tuple of
    status, headers and body, or a function of the handler."""

    daemon_threads = True

    def __init__(self, script=(), port=0, tls=None):
        self.script, self.lines, self.requests = list(script), [], []
        self.lock = threading.Lock()
        super().__init__(("127.0.0.1", port), Handler)
        if tls:
            self.socket = tls.wrap_socket(self.socket, server_side=True)
        self.url = f"http{'s' if tls else ''}://127.0.0.1:{self.server_port}/fix?day=1"
        self.thread = threading.Thread(target=self.serve_forever, args=(0.02,))
        self.thread.start()

    def end(self):
        self.shutdown()
        self.server_close()
        self.thread.join()

    def handle_error(self, request, client_address):
        pass  # a stream that was killed


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with self.server.lock:
            answer = self.server.script.pop(0) if self.server.script else 204
            self.server.requests.append((self.path, dict(self.headers), body))
            status = answer if isinstance(answer, int) else 0
            if 200 <= status < 300 or callable(answer):
                self.server.lines += body.decode().splitlines()
        if callable(answer):
            answer(self)
            return
        status, headers, text = (answer, {}, "") if isinstance(answer, int) else answer
        self.send_response(status)
        if status != 204:
            self.send_header("Content-Length", str(len(text)))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if status != 204:
            self.wfile.write(text.encode())

    def log_message(self, *_):
        pass


def raw(data):
    def answer(handler):
        handler.wfile.write(data)
        handler.close_connection = True
    return answer


class Http(JournalTest):
    def server(self, *script, **more):
        server = Server(script, **more)
        self.addCleanup(server.end)
        return server

    def assert_arrived(self, server, dropped=0):
        kept, repeated = consume(server.lines)
        self.assert_whole(kept)
        self.assertEqual(repeated, dropped)

    def test_batches_arrive_once_and_in_order_with_a_key_each(self):
        server = self.server()
        done = self.stream("--http", server.url, "--batch", 100)
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        self.assert_arrived(server)
        self.assertEqual(len(server.requests), -(-len(self.stored) // 100))
        keys = set()
        for path, headers, body in server.requests:
            self.assertEqual((path, headers["Content-Type"]),
                             ("/fix?day=1", "application/x-ndjson"))
            ids = [one["id"] for one in consume(body.decode().splitlines())[0]]
            self.assertLessEqual(len(ids), 100)
            self.assertEqual(headers["Idempotency-Key"], f'"{ids[0]}..{ids[-1]}"')
            keys.add(headers["Idempotency-Key"])
        self.assertEqual(len(keys), len(server.requests))

    def test_a_batch_that_is_not_full_leaves_after_its_wait(self):
        server = self.server()
        process = self.follow("--http", server.url, "--batch", 10_000, "--batch-wait", 300)
        wait_until(lambda: len(server.lines) == len(self.stored), "the lines")
        process.terminate()
        self.assertEqual(process.wait(timeout=LIMIT_SECONDS), 0)
        self.assert_arrived(server)

    def test_a_server_that_is_busy_gets_the_batch_again_when_it_wants_it(self):
        server = self.server(503, (429, {"Retry-After": "2"}, "slow down"), 500, 408)
        start = time.monotonic()
        done = self.stream("--http", server.url, "--batch", 1000)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(time.monotonic() - start, 2)
        self.assertEqual([done.stderr.count(f"NXF-{one}") for one in (5071, 5072)], [1, 1])
        first = server.requests[:5]
        self.assertEqual(len({headers["Idempotency-Key"] for _, headers, _ in first}), 1)
        self.assertEqual(len({body for _, _, body in first}), 1)
        self.assert_arrived(server)

    def test_a_server_that_is_away_is_waited_for(self):
        server = Server()
        port, url = server.server_port, server.url
        server.end()
        process = self.follow("--http", url)
        self.await_event(5071)
        self.assertIn("Connection refused", self.events.read_text())
        server = self.server(port=port)
        wait_until(lambda: len(server.lines) == len(self.stored), "the lines")
        self.await_event(5072)
        process.terminate()
        self.assertEqual(process.wait(timeout=LIMIT_SECONDS), 0)
        self.assert_arrived(server)

    def test_an_answer_that_refuses_the_batch_ends_the_stream_and_drops_nothing(self):
        for answer, reason in (((400, {}, "no\nsuch field"), r"HTTP 400 Bad Request: no\\x0asuch"),
                               ((302, {"Location": "http://127.0.0.1:1/"}, ""), "HTTP 302 Found"),
                               ((404, {}, ""), "HTTP 404 Not Found")):
            with self.subTest(answer=answer):
                server = self.server(answer)
                done = self.stream("--http", server.url)
                self.assertEqual(done.returncode, 1)
                self.assertRegex(done.stderr, reason)
                self.assertEqual(len(server.requests), 1)
                self.assertIn(" 0 messages acknowledged", done.stderr)
        server = self.server()
        self.assertEqual(self.stream("--http", server.url).returncode, 0)
        self.assert_arrived(server)

    def test_a_batch_that_is_too_large_is_halved_down_to_one_message(self):
        server = self.server(*[413] * 3)
        done = self.stream("--http", server.url, "--batch", 400)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([len(body.splitlines()) for _, _, body in server.requests[:4]],
                         [400, 200, 100, 50])
        self.assert_arrived(server)
        (self.copy / "cursors" / "http").unlink()
        server = self.server(*[413] * 2)
        done = self.stream("--http", server.url, "--batch", 2)
        self.assertEqual(done.returncode, 1)
        self.assertIn("(a batch of 1 messages", done.stderr)

    def test_hostile_answers_are_no_acknowledgement_and_cost_no_memory(self):
        endless = b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 100_000
        server = self.server(raw(b"no HTTP at all\r\n\r\n"), raw(endless), raw(b""),
                             raw(b"HTTP/1.1 200"), raw(b"HTTP/1.1 999999 OK\r\n\r\n"),
                             # The status says that it is taken, whatever the body is.
                             raw(b"HTTP/1.1 200 OK\r\nContent-Length: 99999999\r\n\r\n"
                                 + b"x" * 1_000_000))
        done = self.stream("--http", server.url, "--batch", 10_000, "--drain", 100)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(server.script, [])
        self.assertEqual(done.stderr.count("NXF-5071"), 1)
        kept, dropped = consume(server.lines)
        self.assert_whole(kept)
        self.assertGreater(dropped, 4 * 1_000)

    def test_a_signal_ends_it_also_when_no_answer_comes(self):
        release = threading.Event()
        self.addCleanup(release.set)
        server = self.server(lambda _: release.wait(LIMIT_SECONDS))
        process = self.follow("--http", server.url, "--drain", "1")
        wait_until(lambda: server.requests, "a request")
        process.terminate()
        self.assertEqual(process.wait(timeout=LIMIT_SECONDS), 0)
        self.assertIn(" 0 messages acknowledged", self.events.read_text())
        self.assertIn("the rest follows at the next start", self.events.read_text())

    def test_kill_9_in_the_middle_loses_nothing(self):
        server = self.server()
        for pause in (0.05, 0.1, 0.15, 0.2, 0.3):
            process = self.follow("--http", server.url, "--batch", 7, "--batch-wait", 1)
            time.sleep(pause)
            process.kill()
            process.wait()
        done = self.stream("--http", server.url)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_whole(consume(server.lines)[0])

    def test_a_token_is_read_again_and_never_shown(self):
        token = self.folder / "token"
        token.write_text("first-secret\n")
        token.chmod(0o600)
        server = self.server((401, {}, "first-secret has expired"))
        process = self.follow("--http", server.url, "--token-file", token)
        self.await_event(5071)
        token.write_text("second-secret\n")
        wait_until(lambda: len(server.lines) == len(self.stored), "the lines")
        process.terminate()
        self.assertEqual(process.wait(timeout=LIMIT_SECONDS), 0)
        self.assertEqual([headers["Authorization"] for _, headers, _ in server.requests[:2]],
                         ["Bearer first-secret", "Bearer second-secret"])
        text = self.events.read_text()
        self.assertIn("HTTP 401 Unauthorized: *** has expired", text)
        self.assertNotIn("secret", text)

    def test_tls_verifies_the_server(self):
        made = subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
             "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
             "subjectAltName=IP:127.0.0.1", "-keyout", self.folder / "key", "-out",
             self.folder / "certificate"], capture_output=True, check=False)
        self.assertEqual(made.returncode, 0, made.stderr)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.folder / "certificate", self.folder / "key")
        server = self.server(tls=context)
        process = self.follow("--http", server.url, "--drain", "0")
        self.await_event(5071)
        self.assertIn("the certificate of the server is refused", self.events.read_text())
        process.terminate()
        process.wait(timeout=LIMIT_SECONDS)
        self.assertEqual(server.requests, [])
        done = self.stream("--http", server.url, "--ca", self.folder / "certificate")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assert_arrived(server)

    def test_wrong_arguments_are_refused_before_a_cursor_is_made(self):
        token = self.folder / "token"
        token.write_text("secret")
        token.chmod(0o644)
        empty = self.folder / "empty"
        empty.touch(0o600)
        for arguments, reason in (
                (("--http", "127.0.0.1:80"), "http://HOST:PORT/PATH"),
                (("--http", "http://u:p@127.0.0.1/"), "every user sees the command line"),
                (("--http", "http://127.0.0.1:0/"), "a port from 1 to 65535"),
                (("--http", "http://127.0.0.1:99999/"), "a port from 1 to 65535"),
                (("--http", "http://[::1/"), "[ADDRESS] was expected"),
                (("--http", "http:///x"), "the host is missing"),
                (("--http", "http://127.0.0.1/", "--token-file", token), "chmod 600"),
                (("--http", "http://127.0.0.1/", "--token-file", empty), "one token"),
                (("--http", "http://127.0.0.1/", "--token-file", "none"), "No such file"),
                (("--http", "http://192.0.2.1/", "--token-file", empty), "use https://"),
                (("--http", "https://127.0.0.1/", "--key", empty), "need each other"),
                (("--stdout", "--token-file", token), "are for --http")):
            with self.subTest(arguments=arguments):
                done = self.stream(*arguments)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertIn(reason, done.stderr)
                self.assertNotIn("secret ", done.stderr.replace("has a secret", ""))
        self.assertFalse((self.copy / "cursors").exists())


if __name__ == "__main__":
    JournalTest.nexusfix = sys.argv.pop(1)
    unittest.main()
