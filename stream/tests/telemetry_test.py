#!/usr/bin/env python3
"""`nexusfix otlp`: the metrics and events of an engine at a collector, by the rules of OTLP/HTTP.
With the package opentelemetry-proto its own parser reads them, too.

    telemetry_test.py NEXUSFIX
"""

import json
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

from http_test import Server, raw
from journals import LIMIT_SECONDS, wait_until

try:
    from google.protobuf import json_format
    from opentelemetry.proto.collector.logs.v1 import logs_service_pb2
    from opentelemetry.proto.collector.metrics.v1 import metrics_service_pb2
except ImportError:
    json_format = None

NEXUSFIX = ""
# opentelemetry-proto: metrics.proto, logs.proto, common.proto, resource.proto, in lowerCamelCase.
FIELDS = {
    "request": {"resourceMetrics", "resourceLogs"},
    "resourceMetrics": {"resource", "scopeMetrics", "schemaUrl"},
    "resourceLogs": {"resource", "scopeLogs", "schemaUrl"},
    "resource": {"attributes", "droppedAttributesCount"},
    "scopeMetrics": {"scope", "metrics", "schemaUrl"},
    "scopeLogs": {"scope", "logRecords", "schemaUrl"},
    "scope": {"name", "version", "attributes", "droppedAttributesCount"},
    "metrics": {"name", "description", "unit", "gauge", "sum", "histogram"},
    "gauge": {"dataPoints"},
    "sum": {"dataPoints", "aggregationTemporality", "isMonotonic"},
    "histogram": {"dataPoints", "aggregationTemporality"},
    "dataPoints": {"attributes", "startTimeUnixNano", "timeUnixNano", "asInt", "asDouble", "count",
                   "sum", "bucketCounts", "explicitBounds", "min", "max", "flags"},
    "logRecords": {"timeUnixNano", "observedTimeUnixNano", "severityNumber", "severityText",
                   "body", "attributes", "eventName", "traceId", "spanId", "flags"},
    "body": {"stringValue"},
    "attributes": {"key", "value"},
    "value": {"stringValue", "intValue"},
}


def check(name, found):
    for key, value in found.items():
        assert key in FIELDS[name], f"{name} has no field {key}"
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, dict):
                check(key, one)


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return probe.getsockname()[1]


class Telemetry(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        self.events = self.folder / "events"
        self.events.touch()
        self.port, self.metrics = free_port(), free_port()
        self.config = self.folder / "venue.cfg"
        self.config.write_text(
            f"[DEFAULT]\nConnectionType=acceptor\nSocketAcceptHost=127.0.0.1\n"
            f"SocketAcceptPort={self.port}\nMetricsPort={self.metrics}\n"
            f"FileLogPath={self.folder}/log\nFileStorePath={self.folder}/venue\n"
            "[SESSION]\nBeginString=FIX.4.4\n"
            f"SenderCompID=VENUE\nTargetCompID=TRADER\n")
        self.trader = self.folder / "trader.cfg"
        self.trader.write_text(
            f"[DEFAULT]\nConnectionType=initiator\nSocketConnectHost=127.0.0.1\n"
            f"SocketConnectPort={self.port}\nHeartBtInt=30\nFileStorePath={self.folder}/trader\n"
            "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=TRADER\nTargetCompID=VENUE\n")

    def serve(self):
        venue = subprocess.Popen([NEXUSFIX, "serve", self.config], stdout=subprocess.PIPE,
                                 stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(venue.stdout.close)
        self.addCleanup(venue.wait)
        self.addCleanup(venue.kill)
        venue.stdout.readline()
        return venue

    def trade(self, orders=100):
        done = subprocess.run([NEXUSFIX, "trade", self.trader, "--stream", f"--orders={orders}"],
                              capture_output=True, text=True, timeout=LIMIT_SECONDS, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def server(self, *script, **more):
        server = Server(script, **more)
        self.addCleanup(server.end)
        return server

    def send(self, url, *arguments, config=None):
        with self.events.open("a") as log:
            process = subprocess.Popen(
                [NEXUSFIX, "otlp", "--to", url, "--interval", "1", *map(str, arguments),
                 config or self.config], stderr=log, stdin=subprocess.DEVNULL)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def end(self, process):
        process.terminate()
        self.assertEqual(process.wait(timeout=LIMIT_SECONDS), 0)

    def base(self, server):
        return server.url.split("/fix")[0]

    def requests(self, server, signal):
        """The read requests of a signal, after each was checked."""
        found = []
        with server.lock:
            requests = list(server.requests)
        for path, headers, body in requests:
            self.assertIn(path, ("/v1/metrics", "/v1/logs"))
            self.assertEqual(headers["Content-Type"], "application/json")
            if path != f"/v1/{signal}":
                continue
            request = json.loads(body)
            check("request", request)
            if json_format:
                service = metrics_service_pb2 if signal == "metrics" else logs_service_pb2
                json_format.Parse(body, getattr(
                    service, f"Export{signal.capitalize()}ServiceRequest")())
            found.append(request)
        return found

    def points(self, server):
        """The last points by metric and attributes."""
        last = {}
        for request in self.requests(server, "metrics"):
            for metric in request["resourceMetrics"][0]["scopeMetrics"][0]["metrics"]:
                kind, = {"gauge", "sum", "histogram"} & set(metric)
                for point in metric[kind]["dataPoints"]:
                    names = tuple(sorted((one["key"], one["value"]["stringValue"])
                                         for one in point["attributes"]))
                    last[(metric["name"], names)] = point
        return last

    def value(self, server, name, **attributes):
        names = tuple(sorted((key.replace("_", ".", 1), value)
                             for key, value in attributes.items()))
        point = self.points(server).get((name, names))
        return point and (point["asInt"] if "asInt" in point else point["asDouble"])

    def records(self, server):
        return [record for request in self.requests(server, "logs")
                for record in request["resourceLogs"][0]["scopeLogs"][0]["logRecords"]]

    def log_text(self):
        return self.events.read_text()

    def test_metrics_and_events_of_an_engine_arrive(self):
        venue, server = self.serve(), self.server()
        process = self.send(self.base(server), "--service", "desk", "--instance", "one")
        wait_until(lambda: self.value(server, "nexusfix.up") == "1", "the metrics")
        self.trade()
        session = {"fix_session": "FIX.4.4:VENUE->TRADER", "fix_direction": "in"}
        wait_until(lambda: int(self.value(server, "nexusfix.session.messages", **session)) > 100,
                   "the messages of the session")
        wait_until(lambda: any(one.get("eventName") == "NXF-1002" for one in self.records(server)),
                   "the event of the Logout")
        logout = next(one for one in self.records(server) if one.get("eventName") == "NXF-1002")
        self.assertEqual(logout["severityText"], "INFO")
        self.assertEqual(logout["body"], {"stringValue": "logged out"})
        self.assertIn({"key": "fix.session", "value": {"stringValue": "FIX.4.4:VENUE->TRADER"}},
                      logout["attributes"])
        point = self.points(server)[("nexusfix.loop.receive_to_sent", (("nexusfix.loop", "0"),))]
        self.assertEqual(len(point["bucketCounts"]), len(point["explicitBounds"]) + 1)
        self.assertEqual(sum(map(int, point["bucketCounts"])), int(point["count"]))
        self.assertGreater(int(point["timeUnixNano"]), int(point["startTimeUnixNano"]))
        resource = {one["key"]: one["value"]["stringValue"] for one in
                    self.requests(server, "logs")[0]["resourceLogs"][0]["resource"]["attributes"]}
        self.assertEqual(resource, resource | {
            "service.name": "desk", "service.instance.id": "one",
            "host.name": socket.gethostname()})
        self.assertIn("service.version", resource)
        self.end(process)
        self.assertIn("0 metric points and 0 events dropped", self.log_text())
        venue.terminate()
        self.assertEqual(venue.wait(timeout=LIMIT_SECONDS), 0)

    def test_an_engine_that_is_away_is_down_and_comes_back(self):
        server = self.server()
        process = self.send(self.base(server))
        wait_until(lambda: self.value(server, "nexusfix.up") == "0", "the engine is down")
        wait_until(lambda: "NXF-5071" in self.log_text(), "NXF-5071")
        self.assertIn("no answer from the engine: connect: Connection refused", self.log_text())
        self.serve()
        wait_until(lambda: self.value(server, "nexusfix.up") == "1", "the engine is up")
        # The folder of events has appeared meanwhile, with the events of the start.
        wait_until(lambda: self.records(server), "events")
        self.end(process)

    def test_a_collector_that_is_busy_gets_the_request_again_when_it_wants_it(self):
        self.serve()
        server = self.server(*[(status, {"Retry-After": "1"}, "busy") for status in
                               (429, 502, 503, 504)])
        process = self.send(self.base(server), "--events", self.folder / "none")
        wait_until(lambda: self.value(server, "nexusfix.up") == "1", "the metrics")
        wait_until(lambda: len(server.requests) > 5, "requests")
        bodies = [body for _, _, body in server.requests[:5]]
        self.assertEqual(len(set(bodies)), 1)  # the first one, until it was taken
        wait_until(lambda: "answers from the collector, for metrics come again" in self.log_text(),
                   "NXF-5072")
        self.assertIn("HTTP 429", self.log_text())
        # Newer metrics have replaced those that waited.
        wait_until(lambda: int(self.dropped(server)) > 3, "the count of what was dropped")
        self.end(process)

    def test_a_refused_request_is_dropped_and_counted_and_the_next_one_leaves(self):
        for answer in ((400, {}, "no such thing"), (413, {}, ""), (401, {}, ""), 301,
                       (200, {}, '{"partialSuccess":{"rejectedDataPoints":"3",'
                                 '"errorMessage":"too old"}}')):
            with self.subTest(answer):
                server = self.server(answer)
                process = self.send(self.base(server), "--metrics",
                                    f"http://127.0.0.1:{free_port()}", "--events",
                                    self.folder / "none")
                wait_until(lambda server=server: self.dropped(server) == "3", "what was dropped")
                self.assertNotEqual(server.requests[0][2], server.requests[1][2])
                self.end(process)
        self.assertIn("it has rejected 3 of 3: too old", self.log_text())
        self.assertIn("HTTP 400 Bad Request: no such thing", self.log_text())

    def dropped(self, server, signal="metrics"):
        point = self.points(server).get(("nexusfix.otlp.dropped", (("nexusfix.signal", signal),)))
        return point and point["asInt"]

    def test_a_hostile_collector_harms_nothing(self):
        self.serve()
        bad = [raw(data) for data in (b"", b"\x00\xff\r\n\r\n", b"HTTP/1.1 200 OK\r\n",
                                      b"HTTP/1.1 999 ?\r\n\r\n", b"SSH-2.0-x\r\n")]
        server = self.server(*bad, (200, {}, "{" * 100_000),
                             (200, {}, '{"partialSuccess":{"rejectedDataPoints":-7}}'),
                             (200, {}, '{"partialSuccess":[]}'), (200, {}, "\x00<html>"))
        process = self.send(self.base(server))
        wait_until(lambda: not server.script, "all answers")
        wait_until(lambda: self.value(server, "nexusfix.up") == "1", "the metrics")
        self.assertIsNone(process.poll())
        self.end(process)
        for line in self.log_text().splitlines():
            self.assertTrue(line.isprintable(), line)

    def test_a_collector_that_never_answers_holds_neither_the_engine_nor_the_end(self):
        self.serve()
        release = threading.Event()
        self.addCleanup(release.set)

        def hang(handler):
            release.wait(LIMIT_SECONDS)
            handler.close_connection = True

        server = self.server(*[hang] * 100)
        process = self.send(self.base(server), "--drain", 1)
        wait_until(lambda: server.requests, "a request")
        self.trade(1000)
        self.end(process)
        self.assertIn("what waited is lost", self.log_text())

    def test_events_are_bounded_while_the_collector_is_away_and_what_is_dropped_is_counted(self):
        log = self.folder / "log"
        log.mkdir()
        file = log / "GLOBAL.event.current.log"
        file.touch()
        port = free_port()
        process = self.send(f"http://127.0.0.1:{port}", "--metrics",
                            f"http://127.0.0.1:{free_port()}")
        wait_until(lambda: "the collector, for metrics: connect" in self.log_text(), "NXF-5071")
        count = 25_000

        def read_bytes():
            io = Path(f"/proc/{process.pid}/io").read_text(encoding="ascii")
            return int(io.split()[1])  # rchar
        before = read_bytes()
        with file.open("a") as to:
            for i in range(count):
                to.write(f"20240115-10:30:00.000000001 INFO NXF-1001 : event {i}\n")
        wait_until(lambda: "the collector, for events: connect" in self.log_text(), "NXF-5071")
        wait_until(lambda: read_bytes() - before >= file.stat().st_size, "all events are read")
        server = self.server(port=port)
        wait_until(lambda: any(one["body"]["stringValue"] == f"event {count - 1}"
                               for one in self.records(server)), "the last event")
        got = [one["body"]["stringValue"] for one in self.records(server)]
        self.assertEqual(len(got), len(set(got)))
        wait_until(lambda: self.dropped(server, "logs") == str(count - len(got)),
                   "the count of what was dropped")
        # What waited, and the request that was on its way.
        self.assertGreaterEqual(len(got), 20_000)
        self.assertLessEqual(len(got), 21_000)
        self.end(process)

    def test_each_folder_of_events_is_followed(self):
        folders = [self.folder / name for name in ("one", "two")]
        for folder in folders:
            folder.mkdir()
        config = self.folder / "two.cfg"
        config.write_text(self.config.read_text().replace("MetricsPort", "#").replace(
            f"{self.folder}/log", str(folders[0])) + f"[SESSION]\nBeginString=FIX.4.4\n"
            f"SenderCompID=VENUE\nTargetCompID=OTHER\nFileLogPath={folders[1]}\n")
        server = self.server()
        process = self.send(self.base(server), config=config)
        for folder in folders:
            file = folder / "FIX.4.4-A-B.event.current.log"

            def arrives(file=file):
                with file.open("a") as to:
                    to.write(f"{file}\n")
                return any(one["body"]["stringValue"] == str(file)
                           for one in self.records(server))
            wait_until(arrives, file)
        self.end(process)

    def test_tls_is_checked_and_a_token_is_sent_and_never_shown(self):
        key, certificate = self.folder / "key.pem", self.folder / "certificate.pem"
        self.serve()
        for name in ("127.0.0.1", "127.0.0.9"):
            subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                            "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key, "-out",
                            certificate, "-subj", "/CN=collector", "-days", "2", "-addext",
                            f"subjectAltName=IP:{name}"], check=True, capture_output=True)
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate, key)
            token = self.folder / "token"
            token.write_text("tiger-secret\n")
            token.chmod(0o600)
            server = self.server((400, {}, "you sent tiger-secret"), tls=context)
            process = self.send(self.base(server), "--ca", certificate, "--token-file", token)
            if name == "127.0.0.1":
                wait_until(lambda server=server: self.value(server, "nexusfix.up") == "1",
                           "the metrics")
                self.assertEqual(server.requests[0][1]["Authorization"], "Bearer tiger-secret")
                wait_until(lambda: "you sent ***" in self.log_text(), "the answer")
            else:
                wait_until(lambda: "IP address mismatch" in self.log_text(), "the wrong name")
                self.assertEqual(server.requests, [])
            self.end(process)
        self.assertNotIn("tiger", self.log_text())

    def test_wrong_arguments_are_refused(self):
        bare = self.folder / "bare.cfg"
        bare.write_text(self.config.read_text().replace("MetricsPort", "#").replace("FileLogPath",
                                                                                    "#"))
        url = "http://127.0.0.1:1"
        for arguments, reason in (((self.config,), "--to is required"),
                                  (("--to", "127.0.0.1", self.config), "--to: http://HOST"),
                                  (("--to", url + "/?key=1", self.config), "without a query"),
                                  (("--to", url), "a configuration file, --metrics URL or"),
                                  (("--to", url, bare), "MetricsPort or FileLogPath was expected"),
                                  (("--to", url, self.folder / "no.cfg"), "no.cfg"),
                                  (("--to", url, "--metrics", "x"), "--metrics: http://HOST"),
                                  (("--to", url, "--interval", 0, self.config), "--interval"),
                                  (("--to", url, "--key", "k", self.config), "belong together"),
                                  (("--to", url, "--token-file", bare, self.config),
                                   "--token-file")):
            done = subprocess.run([NEXUSFIX, "otlp", *map(str, arguments)], capture_output=True,
                                  text=True, timeout=LIMIT_SECONDS, check=False)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(reason, done.stderr)
            self.assertEqual(done.stdout, "")


if __name__ == "__main__":
    NEXUSFIX = sys.argv.pop(1)
    unittest.main()
