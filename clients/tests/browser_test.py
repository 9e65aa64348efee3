"""The example page of the TypeScript client in headless Chromium: it attaches by WebSocket, sends
an order and shows the report.

    browser_test.py NEXUSFIX CLIENTS DICTIONARY WORK_FOLDER
"""
import functools
import http.server
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

import webdriver
from world import TOKEN, World

SKIPPED = 77
NEXUSFIX, CLIENTS, DICTIONARY, WORK = sys.argv[1:5]


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *words):
        pass


class Page(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="nxf")
        self.addCleanup(temporary.cleanup)
        self.folder = temporary.name
        package = Path(WORK, "browser")
        shutil.rmtree(package, ignore_errors=True)
        shutil.copytree(Path(CLIENTS, "typescript"), package)
        subprocess.run([NEXUSFIX, "codegen", "--language", "typescript", "-o", package,
                        DICTIONARY], check=True, stdin=subprocess.DEVNULL)
        self.server = http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0), functools.partial(Quiet, directory=package))
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.origin = f"http://127.0.0.1:{self.server.server_port}"
        self.browser = webdriver.Browser()
        self.addCleanup(self.browser.__exit__)

    def start(self, origin):
        world = World(NEXUSFIX, self.folder, has_web_socket=True, origin=origin)
        self.addCleanup(world.close)
        world.start_gateway()
        self.browser.open(f"{self.origin}/example/order.html")
        self.browser.run("document.querySelector('[name=url]').value = arguments[0];"
                         "document.querySelector('[name=token]').value = arguments[1];",
                         f"ws://127.0.0.1:{world.web_port}/", TOKEN)
        self.browser.click("button")

    def test_page_logs_on_sends_an_order_and_gets_the_report(self):
        self.start(self.origin)
        self.browser.wait_for_text("OrderID ", "pre")
        self.assertIn("OrdStatus 0", self.browser.text("pre"))

    def test_page_of_another_site_cannot_attach(self):
        self.start("https://desk.example.com")
        self.browser.wait_for_text("the WebSocket has ended", "pre")
        self.assertNotIn("OrderID", self.browser.text("pre"))


if __name__ == "__main__":
    if not webdriver.is_installed():
        print("skipped: chromium and chromium-driver are not installed")
        sys.exit(SKIPPED)
    unittest.main(argv=sys.argv[:1], verbosity=2)
