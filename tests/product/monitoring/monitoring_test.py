#!/usr/bin/env python3
"""Prometheus, as Debian has it, reads the metrics of a venue that trades; our alerts and our
dashboard.

    monitoring_test.py NEXUSFIX    with promtool and prometheus in PATH
"""

import json
import re
import subprocess
import sys
import unittest
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

import command_test
from command_test import WithFolder, run, wait_until

ROOT = Path(__file__).resolve().parents[3]
ALERTS = ROOT / "share" / "prometheus" / "nexusfix_alerts.yml"
DASHBOARD = ROOT / "share" / "grafana" / "nexusfix.json"
SESSION = "FIX.4.4:VENUE->TRADER"
# As often as it helps the test; a desk uses 15 s.
PROMETHEUS = """global: {scrape_interval: 200ms, evaluation_interval: 200ms}
rule_files: [alerts.yml]
scrape_configs:
  - {job_name: nexusfix, static_configs: [{targets: ["%s"]}]}
"""


def get(url):
    """The status and the text of an answer."""
    try:
        with urllib.request.urlopen(url, timeout=command_test.LIMIT_SECONDS) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read().decode()


def promtool(*arguments, **options):
    return subprocess.run(["promtool", *map(str, arguments)], capture_output=True, text=True,
                          timeout=command_test.LIMIT_SECONDS, check=False, **options)


class Rules(WithFolder):
    def test_each_alert_fires_when_it_should_and_not_before(self):
        self.write(ALERTS.name, ALERTS.read_text())
        cases = Path(__file__).parent / "nexusfix_alerts_test.yml"
        test = self.write("test.yml", cases.read_text())
        done = promtool("check", "rules", ALERTS)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        done = promtool("test", "rules", test)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_the_page_of_the_alerts_names_each_of_them(self):
        page = (ROOT / "docs" / "operations" / "monitoring.md").read_text()
        alerts = re.findall(r"- alert: (\w+)", ALERTS.read_text())
        self.assertEqual(re.findall(r"(?m)^\| `(Nexusfix\w+)`", page), alerts)

    def test_alerts_and_dashboard_use_metrics_that_exist(self):
        known = {json.loads(line)["name"]
                 for line in run("explain", "--metrics", "--json").stdout.splitlines()}
        for path in (ALERTS, DASHBOARD):
            used = set(re.findall(r"\bnexusfix_\w+", path.read_text())) - {"nexusfix_alerts"}
            used = {re.sub(r"_(bucket|sum|count)$", "", name) for name in used}
            self.assertLessEqual(used, known, path)
            self.assertGreater(len(used), 10)


class Monitored(WithFolder):
    def serve_monitored(self, more=""):
        """Starts a venue with MetricsPort; returns its process, its port and its address."""
        config = self.venue_config(more=more)
        config.write_text(config.read_text().replace("[SESSION]", "MetricsPort=0\n[SESSION]", 1))
        events = open(self.folder / "events", "w+", encoding="utf-8")
        self.addCleanup(events.close)
        venue = subprocess.Popen([command_test.NEXUSFIX, "serve", config],
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=events,
                                 text=True)
        for cleanup in (venue.stdout.close, venue.wait, venue.kill):
            self.addCleanup(cleanup)
        port = int(re.search(r"\d+", venue.stdout.readline())[0])
        found = re.compile(r"metrics: http://(127\.0\.0\.1:\d+)/metrics")

        def address():
            return found.search((self.folder / "events").read_text())
        wait_until(address, "the event with the address of the metrics")
        return venue, port, address()[1]

    def trade(self, port):
        """A trader that sends orders until it is killed."""
        trader = subprocess.Popen([command_test.NEXUSFIX, "trade", self.trader_config(port),
                                   "--orders", "100000000"],
                                  stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL)
        self.addCleanup(trader.wait)
        self.addCleanup(trader.kill)
        return trader

    def start_prometheus(self, target):
        """Prometheus with our alerts, which fire at once; returns its URL."""
        self.write("alerts.yml", re.sub(r"\n *for: \w+", "", ALERTS.read_text()))
        config = self.write("prometheus.yml", PROMETHEUS % target)
        log = self.folder / "prometheus.log"
        with open(log, "w", encoding="utf-8") as output:
            process = subprocess.Popen(
                ["prometheus", f"--config.file={config}", "--web.listen-address=127.0.0.1:0",
                 f"--storage.tsdb.path={self.folder}/prometheus"],
                stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        listening = re.compile(r'msg="Listening on" address=(\S+)')

        def is_ready():  # its two lines come in any order
            text = log.read_text()
            return "ready to receive" in text and listening.search(text)
        wait_until(lambda: is_ready() or process.poll() is not None, "Prometheus is ready")
        self.assertIsNone(process.poll(), log.read_text())
        return "http://" + listening.search(log.read_text())[1]

    def test_prometheus_scrapes_a_trading_venue_and_an_alert_fires_when_a_session_is_lost(self):
        _, port, metrics = self.serve_monitored()
        prometheus = self.start_prometheus(metrics)

        def value(query):
            url = prometheus + "/api/v1/query?" + urllib.parse.urlencode({"query": query})
            result = json.loads(get(url)[1])["data"]["result"]
            return float(result[0]["value"][1]) if result else None

        def firing():
            alerts = json.loads(get(prometheus + "/api/v1/alerts")[1])["data"]["alerts"]
            return {one["labels"]["alertname"]: one["labels"].get("session") for one in alerts
                    if one["state"] == "firing"}

        trader = self.trade(port)
        logged_on = f'nexusfix_session_logged_on{{session="{SESSION}"}}'
        wait_until(lambda: value(logged_on) == 1, "the session is logged on")
        orders = f'nexusfix_session_messages_by_type_total{{session="{SESSION}",msg_type="D"}}'
        wait_until(lambda: (value(orders) or 0) > 100, "orders are counted")
        wait_until(lambda: (value("histogram_quantile(0.99, "
                                  "rate(nexusfix_loop_receive_to_sent_seconds_bucket[10s]))") or 0)
                   > 0, "the latency of its answers has a P99")
        self.assertEqual(value("nexusfix_ready"), 1)
        self.assertNotIn("NexusfixSessionLost", firing())
        trader.kill()
        trader.wait()
        wait_until(lambda: firing().get("NexusfixSessionLost") == SESSION, "the alert")

    def test_text_is_what_promtool_expects(self):
        _, port, metrics = self.serve_monitored()
        done = self.connect(port, "send 35=D|11=A1|55=AAPL|54=1|38=100|40=2|44=10.5|60=now\n"
                                  "expect 35=8 150=0\n")
        self.assertEqual(done.returncode, 0, done.stderr)
        status, text = get(f"http://{metrics}/metrics")
        self.assertEqual(status, 200)
        checked = promtool("check", "metrics", input=text)
        self.assertEqual((checked.returncode, checked.stdout + checked.stderr), (0, ""))

    def test_ready_is_the_answer_of_an_engine_whose_sessions_are_as_they_should_be(self):
        _, _, metrics = self.serve_monitored()
        self.assertEqual(get(f"http://{metrics}/healthz"), (200, "ok\n"))
        self.assertEqual(get(f"http://{metrics}/readyz"), (200, "ok\n"))


if __name__ == "__main__":
    command_test.NEXUSFIX = sys.argv[1]
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
