#!/usr/bin/env python3
"""The site of the documents: no page has an error, every link leads to a page and a heading, the
navigation has every page, and the search finds what a desk looks for. Each check can fail.

    site_test.py FOLDER NODE    builds the site in FOLDER, and runs its search by NODE
"""

import html
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from urllib.parse import unquote, urlsplit

TESTS = Path(__file__).resolve().parent
sys.path.insert(0, str(TESTS.parents[2] / "tools"))
import docs  # noqa: E402

SKIPPED = 77
FIRST_RESULTS = 3
FOLDER, NODE = Path(), ""
# A parser of all HTML takes three times as long for the many links of the navigation.
TAG = re.compile(r"""<(/?\w+)((?:[^>"']|"[^"]*"|'[^']*')*)>""")
ATTRIBUTE = re.compile(r"""\s(id|name|href|src|class)=(?:"([^"]*)"|([^\s>]*))""")

# What a reader types, and the page that one of the first results must be.
QUERIES = {
    "MsgSeqNum too low": "operations/troubleshooting.html",
    "no answer to Logon": "operations/troubleshooting.html",
    "session does not connect": "operations/troubleshooting.html",
    "disk full": "operations/troubleshooting.html",
    "slow orders": "operations/troubleshooting.html",
    "trading hours": "operations/schedule.html",
    "weekend": "operations/schedule.html",
    "reset sequence numbers": "operations/schedule.html",
    "set next sequence numbers": "reference/command-journal.html",
    "restore backup": "operations/backup.html",
    "upgrade": "operations/backup.html",
    "failover": "operations/postgresql.html",
    "repair journal": "operations/journal-repair.html",
    "power loss": "operations/losses.html",
    "certificate expired": "operations/tls.html",
    "SOCKS proxy": "operations/proxy.html",
    "rotate logs": "operations/logs.html",
    "monitoring": "operations/monitoring.html",
    "reload SIGHUP": "operations/reload.html",
    "systemd": "operations/run.html",
    "container": "operations/install.html",
    "Password": "reference/identity.html",
    "exit status": "reference/exit-statuses.html",
    "ResendRequest": "reference/session.html",
    "heartbeat timeout": "reference/session.html",
    "limits": "reference/limits.html",
    "latency": "guide/low-latency.html",
    "QuickFIX": "guide/from-quickfix.html",
    "custom dictionary": "guide/dictionaries.html",
    "decode log": "guide/decode.html",
    "75": "reference/exit-statuses.html",
    "logrotate": "operations/logs.html",
    "message rate limit": "guide/sending.html",
    "messages per second": "guide/sending.html",
    "throttle outgoing orders per second": "guide/sending.html",
    "repeating group": "guide/codegen.html",
    "loop over group": "guide/codegen.html",
    "read a group of a message": "guide/codegen.html",
    "read fields of received message": "guide/codegen.html",
    "log out a session by hand": "operations/reload.html",
    "explain event": "reference/events.html",
    "what happened to my orders disk full": "operations/troubleshooting.html",
    "open port in firewall": "operations/security.html",
    "start again after crash": "operations/run.html",
    "change password of client": "reference/identity.html",
    "two sessions same CompID": "guide/application.html",
    "how many sessions per engine": "operations/run.html",
    "memory per session": "operations/run.html",
    "add a counterparty": "operations/reload.html",
    "change HeartBtInt without restart": "operations/reload.html",
    "SendingTime accuracy problem": "reference/events.html",
    "session logs out at night": "operations/schedule.html",
    "read raw messages": "operations/logs.html",
    "test request not answered": "reference/session.html",
    "when are sequence numbers reset": "operations/schedule.html",
    "disk full what now": "operations/troubleshooting.html",
    "rotate message logs": "operations/logs.html",
    "client certificate expires": "operations/tls.html",
    "find rejected orders in a log": "guide/logs.html",
    "count rejects in a log": "guide/logs.html",
    "disable a session": "operations/control.html",
    "which MsgSeqNum comes next": "operations/run.html",
    "restore yesterday's backup": "operations/backup.html",
    "orders are slow": "operations/troubleshooting.html",
    "import QuickFIX store": "guide/from-quickfix.html",
    "what does NXF-2008 mean": "reference/events.html",
    "limit orders per second": "guide/sending.html",
    "how much memory per session": "operations/run.html",
    "Prometheus health check": "operations/monitoring.html",
    "move journal to another machine": "operations/backup.html",
    "send order from another thread": "guide/threads.html",
    "change HeartBtInt": "operations/reload.html",
    "morning check": "operations/run.html",
    "follow messages live": "operations/control.html",
    "unsent messages": "operations/audit.html",
    "stop the engine": "operations/run.html",
    "halted session": "operations/runbook.html",
    "asio": "guide/event-loops.html",
    "timer callback": "guide/timers.html",
    "amend an order": "guide/drafts.html",
    "decode a log in the browser": "guide/browser.html",
}


class Page:
    """The links of a page, those of its navigation, and its anchors."""

    def __init__(self, path):
        self.links, self.navigation, self.anchors = [], set(), set()
        depth = 0  # of <nav> in the navigation
        for tag, attributes in TAG.findall(path.read_text(encoding="utf-8")):
            if tag == "/nav" and depth:
                depth -= 1
            values = {name: html.unescape(quoted or bare)
                      for name, quoted, bare in ATTRIBUTE.findall(attributes)}
            if tag == "nav" and (depth or "md-nav--primary" in values.get("class", "")):
                depth += 1
            self.anchors |= {values[name] for name in ("id", "name") if values.get(name)}
            link = values.get("href") or values.get("src")
            if link:
                self.links.append(link)
                if depth:
                    self.navigation.add(link)


def read_pages(site):
    """The pages by their paths. The page of an unknown address has absolute links: it is left
    out. The page that decodes logs is a program of its own."""
    return {path: Page(path) for path in sorted(site.rglob("*.html"))
            if path.name not in ("404.html", docs.DECODER.name)}


def broken_links(site, pages):
    broken = []
    files = {str(path) for path in site.rglob("*") if path.is_file()}
    anchors = {str(path): page.anchors for path, page in pages.items()}
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = os.path.normpath(f"{path.parent}/{unquote(parts.path)}"
                                      if parts.path else path)
            anchor = unquote(parts.fragment)
            if target not in files or (anchor and not anchor.startswith("__")
                                       and anchor not in anchors.get(target, ())):
                broken.append(f"{path.relative_to(site)}: {link}")
    return broken


def pages_without_navigation(site, pages):
    home = site / "index.html"
    linked = {(site / unquote(urlsplit(link).path)).resolve() for link in pages[home].navigation}
    return [str(path.relative_to(site)) for path in pages if path not in linked | {home}]


def missed_queries(site, expected):
    """The queries whose first results do not have their page."""
    done = subprocess.run([NODE, TESTS / "search.js", site], input="\n".join(expected), text=True,
                          stdout=subprocess.PIPE, check=True)
    missed = []
    for (query, page), line in zip(expected.items(), done.stdout.splitlines(), strict=True):
        first = [sections[0].split("#")[0] for sections in json.loads(line)[:FIRST_RESULTS]]
        if page not in first:
            missed.append(f"{query}: {', '.join(first) or 'nothing'}, not {page}")
    return missed


class SiteTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.site = FOLDER / "site"
        cls.problems = docs.build_documents(FOLDER, cls.site)
        cls.pages = read_pages(cls.site)

    def test_no_page_has_an_error(self):
        self.assertEqual("", self.problems)
        self.assertGreater(len(self.pages), 50)

    def test_every_link_leads_to_a_page_and_a_heading(self):
        self.assertEqual([], broken_links(self.site, self.pages))

    def test_the_navigation_has_every_page(self):
        self.assertEqual([], pages_without_navigation(self.site, self.pages))

    def test_the_search_finds_what_a_desk_looks_for_and_every_key_and_every_event(self):
        reference = docs.ROOT / "docs" / "reference"
        keys = re.findall(r"^\| `(\w+)`", (reference / "keys.md").read_text("utf-8"), re.MULTILINE)
        events = re.findall(r"^\| <a .*?>(NXF-\d+)\b", (reference / "events.md").read_text("utf-8"),
                            re.MULTILINE)
        self.assertGreater(min(len(keys), len(events)), 100)
        expected = (dict.fromkeys(keys, "reference/keys.html")
                    | dict.fromkeys(events, "reference/events.html")
                    | QUERIES)  # last: Password is a word, too, and its topic comes first
        self.assertEqual([], missed_queries(self.site, expected))

    @unittest.skipUnless(docs.DECODER.exists(), "make wasm has not been run")
    def test_the_page_that_decodes_logs_is_what_was_built(self):
        self.assertEqual(docs.DECODER.read_bytes(), (self.site / docs.DECODER.name).read_bytes())
        guide = self.pages[self.site / "guide" / "browser.html"]
        self.assertIn(f"../{docs.DECODER.name}", guide.links)

    def test_every_event_has_an_anchor_that_the_search_leads_to(self):
        page = docs.ROOT / "docs" / "reference" / "events.md"
        events = re.findall(r"^\| <a .*?>(NXF-\d+)\b", page.read_text("utf-8"), re.MULTILINE)
        anchors = {event.lower() for event in events}
        self.assertEqual(set(), anchors - self.pages[self.site / "reference/events.html"].anchors)
        index = json.loads((self.site / "search/search_index.json").read_text("utf-8"))
        places = {entry["location"] for entry in index["docs"]}
        self.assertEqual(set(), {f"reference/events.html#{anchor}" for anchor in anchors} - places)


class CanFailTest(unittest.TestCase):
    """Small sites with errors."""

    def build(self, **pages):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        work = Path(folder.name).resolve()
        (work / "pages" / "assets").mkdir(parents=True)
        for asset in (docs.SETTINGS / "assets").iterdir():
            (work / "pages" / "assets" / asset.name).write_bytes(asset.read_bytes())
        for name, text in pages.items():
            (work / "pages" / f"{name}.md").write_text(f"# Home\n\n{text}\n", encoding="utf-8")
        self.site = work / "site"
        return docs.build(work, self.site, work / "pages",
                          "nav:\n" + "".join(f"  - {name}.md\n" for name in pages))

    def test_a_true_page_has_no_problem_and_a_broken_one_and_additions_are_found(self):
        self.assertEqual("code blocks are broken on broken.html",
                         self.build(README="## Part\n\n[a part](#part)",
                                    broken="text ```cpp\nint i;\n"))
        pages = read_pages(self.site)
        self.assertEqual([], broken_links(self.site, pages))
        self.assertEqual([], pages_without_navigation(self.site, pages))
        self.assertEqual([], missed_queries(self.site, {"part": "index.html",
                                                        "of the parts": "index.html"}))
        (self.site / "other.html").write_text('<a href="no.html">a</a><a href="index.html#no">b</a>'
                                              '<img src="no.svg">', encoding="utf-8")
        pages = read_pages(self.site)
        self.assertEqual(["other.html: no.html", "other.html: index.html#no", "other.html: no.svg"],
                         broken_links(self.site, pages))
        self.assertEqual(["other.html"], pages_without_navigation(self.site, pages))
        self.assertEqual(["zebra: nothing, not index.html"],
                         missed_queries(self.site, {"zebra": "index.html"}))

    def test_links_to_no_page_and_to_no_heading_are_found(self):
        problems = self.build(README="[a page](nowhere.md) [a part](#part)")
        self.assertIn("nowhere.md", problems)
        self.assertIn("#part", problems)


if __name__ == "__main__":
    FOLDER, NODE = Path(sys.argv[1]).resolve(), sys.argv[2]
    FOLDER.mkdir(parents=True, exist_ok=True)
    try:
        docs.install()
    except docs.NoRegistry as error:
        print(f"skipped: PyPI has no MkDocs, or cannot be reached:\n{error}")
        sys.exit(SKIPPED)
    unittest.main(argv=sys.argv[:1])
