#!/usr/bin/env python3
"""`nexusfix stream --otlp`: the spans of orders, read strictly by the field names of the OTLP
specification. With the package opentelemetry-proto its own parser reads them, too.

    otlp_test.py NEXUSFIX
"""

import base64
import hashlib
import json
import sys
import time
import unittest

from http_test import Server
from journals import JournalTest

try:
    from google.protobuf import json_format
    from opentelemetry.proto.collector.trace.v1 import trace_service_pb2
except ImportError:
    trace_service_pb2 = None

# opentelemetry-proto: trace.proto, common.proto, resource.proto, in lowerCamelCase.
FIELDS = {
    "request": {"resourceSpans"},
    "resourceSpans": {"resource", "scopeSpans", "schemaUrl"},
    "resource": {"attributes", "droppedAttributesCount"},
    "scopeSpans": {"scope", "spans", "schemaUrl"},
    "scope": {"name", "version", "attributes", "droppedAttributesCount"},
    "spans": {"traceId", "spanId", "traceState", "parentSpanId", "flags", "name", "kind",
              "startTimeUnixNano", "endTimeUnixNano", "attributes", "droppedAttributesCount",
              "events", "droppedEventsCount", "links", "droppedLinksCount", "status"},
    "attributes": {"key", "value"},
    "value": {"stringValue", "intValue"},
    "links": {"traceId", "spanId", "traceState", "attributes", "flags"},
    "status": {"code", "message"},
}


def check(name, found):
    for key, value in found.items():
        assert key in FIELDS[name], f"{name} has no field {key}"
        for one in value if isinstance(value, list) else [value]:
            if isinstance(one, dict):
                check(key, one)


def in_base64(found):
    """OTLP writes ids in hexadecimal, where the JSON of protobuf has base64."""
    if isinstance(found, list):
        return [in_base64(one) for one in found]
    if not isinstance(found, dict):
        return found
    return {key: base64.b64encode(bytes.fromhex(value)).decode() if key.endswith(("aceId", "panId"))
            else in_base64(value) for key, value in found.items()}


def fields(message):
    found = {}
    for one in message.replace("\x01", "|").split("|"):
        tag, _, value = one.partition("=")
        found.setdefault(tag, value)
    return found


def trace_of(session, message):
    """As docs/operations/otlp.md says it."""
    text = "\x01".join((session, "1", message["11"]))
    digits = hashlib.sha256(text.encode()).hexdigest()
    return digits[:32], digits[32:48]


class Spans(JournalTest):
    def server(self, *script):
        server = Server(script)
        self.addCleanup(server.end)
        return server

    def spans(self, server):
        found = []
        for path, headers, body in server.requests:
            self.assertEqual((path, headers["Content-Type"]), ("/v1/traces", "application/json"))
            request = json.loads(body)
            check("request", request)
            if trace_service_pb2:
                read = json_format.ParseDict(in_base64(request),
                                             trace_service_pb2.ExportTraceServiceRequest())
                for one in read.resource_spans[0].scope_spans[0].spans:
                    self.assertEqual((len(one.trace_id), len(one.span_id)), (16, 8))
            resource, = request["resourceSpans"]
            named = {one["key"] for one in resource["resource"]["attributes"]}
            self.assertEqual(named, {"service.name", "service.version", "host.name"})
            scope, = resource["scopeSpans"]
            found += scope["spans"]
        return found

    def url(self, server):
        return server.url.split("/fix")[0]

    def wanted(self):
        return [fields(one["message"]) for one in self.stored
                if fields(one["message"])["35"] in ("D", "8")]

    def test_each_order_is_a_trace_from_its_request_to_its_reports(self):
        server = self.server()
        done = self.stream("--otlp", self.url(server))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"{len(self.stored):,} messages acknowledged", done.stderr)
        spans, wanted = self.spans(server), self.wanted()
        self.assertEqual(len(spans), len(wanted))
        self.assertGreater(len(wanted), 2 * self.orders - 1)
        # The record of a report may stand before that of its request.
        begins = {one["traceId"]: one["startTimeUnixNano"] for one in spans
                  if one["name"] == "NewOrderSingle"}
        self.assertEqual(len(begins), self.orders)
        self.assertNotEqual([one["name"] for one in spans[:2]],
                            ["NewOrderSingle", "ExecutionReport"])
        for span, message in zip(spans, wanted):
            trace, order = trace_of("FIX.4.4:VENUE->TRADER", message)
            is_order = message["35"] == "D"
            self.assertEqual(span["traceId"], trace)
            self.assertEqual(span["name"], "NewOrderSingle" if is_order else "ExecutionReport")
            attributes = {one["key"]: next(iter(one["value"].values()))
                          for one in span["attributes"]}
            self.assertEqual(attributes["fix.cl_ord_id"], message["11"])
            self.assertEqual(attributes["fix.msg_seq_num"], message["34"])
            if is_order:
                self.assertEqual((span["spanId"], span["kind"]), (order, 2))
                self.assertNotIn("parentSpanId", span)
            else:
                self.assertEqual((span["parentSpanId"], span["kind"]), (order, 1))
                self.assertEqual(attributes["fix.ord_status"], message["39"])
                self.assertEqual(span["startTimeUnixNano"], begins[trace])
            self.assertGreaterEqual(int(span["endTimeUnixNano"]), int(span["startTimeUnixNano"]))
        self.assertEqual(len({one["spanId"] for one in spans}), len(spans))

    def test_what_is_repeated_after_a_kill_is_the_same_span(self):
        server = self.server()
        for pause in (0.05, 0.1, 0.2):
            process = self.follow("--otlp", self.url(server), "--batch", 20, "--batch-wait", 1)
            time.sleep(pause)
            process.kill()
            process.wait()
        done = self.stream("--otlp", self.url(server))
        self.assertEqual(done.returncode, 0, done.stderr)
        ids = {one["spanId"] for one in self.spans(server)}
        self.assertEqual(len(ids), len(self.wanted()))

    def test_a_collector_that_is_busy_is_asked_again_and_one_that_refuses_spans_ends_it(self):
        refused = '{"partialSuccess":{"rejectedSpans":"3","errorMessage":"too old"}}'
        server = self.server(503, (200, {}, '{"partialSuccess":{}}'), (200, {}, refused))
        done = self.stream("--otlp", self.url(server), "--batch", 100)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("no answer from the collector: HTTP 503", done.stderr)
        self.assertIn("too old", done.stderr)
        self.assertEqual(len(server.requests), 3)

    def test_wrong_arguments_are_refused(self):
        for arguments, reason in ((("--otlp", "127.0.0.1"), "--otlp: http://HOST"),
                                  (("--otlp", "http://127.0.0.1:1", "--format", "json"),
                                   "--format is not for --otlp")):
            done = self.stream(*arguments)
            self.assertEqual(done.returncode, 2)
            self.assertIn(reason, done.stderr)


if __name__ == "__main__":
    JournalTest.nexusfix = sys.argv.pop(1)
    unittest.main()
