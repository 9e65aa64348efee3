#!/usr/bin/env python3
"""The web console in a browser, while a counterparty trades with the venue."""

import os
import socket
import sys
import time
import unittest

import command_test
import webdriver
from command_test import wait_until
from console_test import LIMIT_SECONDS, OPERATOR_TOKEN, SESSION, WithConsole

MARKUP = "<script>window.hacked=1</script><img src=x onerror=window.hacked=1>"
TAB = "\ue004"
ESCAPE = "\ue00c"
SESSION_PAGE = "#/session/" + SESSION.replace(":", "%3A").replace(">", "%3E")

# Controls without a name for a screen reader.
NAMELESS = """
  return [...document.querySelectorAll('a, button, input, select, textarea, [role=img]')]
    .filter((one) => !(one.labels?.length || one.textContent.trim()
                       || one.getAttribute('aria-label') || one.querySelector('title')))
    .map((one) => one.outerHTML);"""


# Texts in which a line could break where it must not.
BREAKABLE = r"""
  const found = [];
  const walker = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (/NXF-\d|->/.test(node.data) && !parent.closest('.whole, caption, option')) {
      found.push(node.data);
    }
    if (parent.matches('.whole') && parent.getClientRects().length > 1) found.push(node.data);
  }
  return found;"""


class Console(WithConsole):
    def setUp(self):
        super().setUp()
        # The day of the schedule changes twelve hours from now, so that no run sees it.
        boundary = time.strftime("%H:%M:%S", time.gmtime(time.time() + 12 * 3600))
        self.start("ConsolePort=0\nConsoleActs=Y\n"
                   f"StartTime={boundary}\nEndTime={boundary}\n")
        self.browser = webdriver.Browser()
        self.addCleanup(self.browser.__exit__)
        self.base = f"http://localhost:{self.console}/"

    def sign_in_by_hand(self):
        self.browser.open(self.base)
        self.browser.wait_for_text("Sign in")
        self.browser.type("#token", "a wrong one\n")
        self.browser.wait_for_text("the token is wrong")
        self.browser.type("#token", OPERATOR_TOKEN + "\n")
        self.browser.wait_for_text(SESSION, "#sessions")

    def trade(self, number):
        done = self.connect(
            self.fix_port, f"send 35=D|11=ORD-{number}|55=ACME|54=1|38=100|40=2|44=10.5|60=now|"
            f"58={MARKUP}\nexpect 35=8 150=0 11=ORD-{number}\n")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_operator_watches_and_acts(self):
        browser = self.browser
        self.sign_in_by_hand()
        self.assertIn("listening", browser.text("#sessions"))
        self.look_at_messages()
        self.act()
        self.look_at_the_rest()
        self.check_width_and_scheme()
        self.assertFalse(browser.run("return 'hacked' in window"))
        expected = [one for one in browser.complaints() if "401" not in one]
        self.assertEqual(expected, [])
        # The policy of the page refuses a script that stands in the page.
        browser.run("const made = document.createElement('script');"
                    "made.textContent = 'window.hacked = 1'; document.body.append(made);")
        self.assertFalse(browser.run("return 'hacked' in window"))

    def look_at_messages(self):
        """Live and stored ones. What the counterparty sends is shown, and never run."""
        browser = self.browser
        browser.click("#sessions a")
        browser.wait_for_text("New messages appear here")
        number = 0

        def is_shown():
            nonlocal number
            number += 1
            self.trade(number)
            return "NewOrderSingle" in browser.text("#messages")
        wait_until(is_shown, "a live message")
        self.assertIn(MARKUP, browser.text("#messages"))
        browser.run("""[...document.querySelectorAll('.message > summary')]
          .find((one) => one.textContent.includes('NewOrderSingle')).click()""")
        browser.wait_for_text("ClOrdID", ".message .body")
        self.assertIn(MARKUP, browser.text(".message .body"))
        self.assertEqual(browser.run("return document.querySelectorAll('main script, img').length"),
                         0)
        browser.run("""const source = document.getElementById('message-source');
          source.value = 'stored'; source.dispatchEvent(new Event('change'));""")
        browser.wait_for_text("ExecutionReport", "#messages")
        browser.type("#message-text", "11=ORD-1|\n")
        browser.wait_for("document.querySelectorAll('.message').length === 1", "one message")

    def act(self):
        """A dialog asks for the reason, and Escape leaves it."""
        browser = self.browser
        browser.click("[data-act=disable]")
        browser.wait_for("document.activeElement.id === 'act-reason'", "the focus in the dialog")
        browser.press(ESCAPE)
        browser.wait_for("!document.getElementById('dialog').open", "a closed dialog")
        browser.click("[data-act=disable]")
        browser.type("#act-reason", "the counterparty asked by phone\n")
        browser.wait_for_text("disabled", ".row .state")
        browser.open(self.base + "#/events")
        browser.wait_for_text("the counterparty asked by phone", "#events")
        self.assertIn("web console, anna from 127.0.0.1", browser.text("#events"))

    def look_at_the_rest(self):
        browser = self.browser
        for place, selector, words in (
                (f"{SESSION_PAGE}/configuration", "#configuration", "line 4, [DEFAULT]"),
                (f"{SESSION_PAGE}/figures", "main", "From receive to sent"),
                ("#/latency", "main", "measured"), ("#/schedule", "#timeline", SESSION),
                ("#/sessions", "#sessions", "disabled")):
            with self.subTest(place):
                browser.open(self.base + place)
                browser.wait_for_text(words, selector)
                self.assertEqual(browser.run(NAMELESS), [])
        browser.call("POST", f"{browser.session}/refresh", {})
        browser.wait_for_text("disabled", "#sessions")
        browser.press(TAB)
        self.assertEqual(browser.run("return document.activeElement.textContent"),
                         "Skip to content")

    def check_width_and_scheme(self):
        browser = self.browser
        ground = "return getComputedStyle(document.body).backgroundColor"
        browser.prefer("light")
        light = browser.run(ground)
        browser.prefer("dark")
        self.assertNotEqual(browser.run(ground), light)
        browser.resize(390, 844)
        for place in ("#/sessions", "#/events", "#/schedule", "#/latency",
                      f"{SESSION_PAGE}/messages", f"{SESSION_PAGE}/configuration"):
            browser.open(self.base + place)
            browser.wait_for("document.querySelector('main').children.length > 0", place)
            self.assertLessEqual(browser.run("return document.scrollingElement.scrollWidth"), 390,
                                 place)

    def refuse_logons(self, count):
        """Logons with an EncryptMethod that the venue refuses."""
        for _ in range(count):
            now = time.strftime("%Y%m%d-%H:%M:%S", time.gmtime())
            body = f"35=A|49=TRADER|56=VENUE|34=1|52={now}|98=1|108=30|141=Y|".replace("|", "\x01")
            text = f"8=FIX.4.4\x019={len(body)}\x01{body}"
            with socket.create_connection(("127.0.0.1", self.fix_port), LIMIT_SECONDS) as client:
                client.sendall(f"{text}10={sum(text.encode()) % 256:03}\x01".encode())
                while client.recv(4096):
                    pass

    def test_failed_logons_need_attention_and_names_stay_whole(self):
        self.refuse_logons(3)
        self.sign_in_by_hand()
        browser = self.browser
        browser.wait_for_text("3 failed Logons", "#sessions")
        self.assertRegex(browser.text(".tile.bad"), "^Need attention\\s+1\\s")
        browser.open(f"{self.base}{SESSION_PAGE}/events")
        browser.wait_for_text("3 failed Logons since", ".notice")
        browser.wait_for_text("EncryptMethod", "#events")
        for place in ("#/sessions", "#/events", f"{SESSION_PAGE}/events"):
            for width in (1280, 390):
                browser.resize(width, 844)
                browser.open(self.base + place)
                browser.wait_for("document.querySelector('main td')", place)
                self.assertEqual(browser.run(BREAKABLE), [], (place, width))
                self.assertEqual(browser.text("#views [aria-current]"),
                                 "Events" if place == "#/events" else "Sessions")

        # On a phone the navigation stays, and a card begins with time, event and session.
        browser.run("window.scrollTo(0, document.body.scrollHeight)")
        self.assertEqual(
            browser.run("return document.querySelector('.bar').getBoundingClientRect().top"), 0)
        cells = browser.run("""
          return [...document.querySelectorAll('#events tbody tr:first-child td')]
            .sort((a, b) => { const [x, y] = [a, b].map((one) => one.getBoundingClientRect());
                              return x.top - y.top || x.left - y.left; })
            .map((one) => one.innerText.split('\\n')[0]);""")
        self.assertRegex(" ".join(cells), rf"^\d\d:\d\d:\d\d NXF-\d+ \w+ {SESSION} ")
        self.assertNotIn("`", browser.run("return document.querySelector('main').textContent"))

    def test_acts_that_would_be_refused_are_disabled(self):
        self.sign_in_by_hand()
        browser = self.browser
        browser.click("#sessions a")

        def disabled():
            return browser.run("return [...document.querySelectorAll('.acts button:disabled')]"
                               ".map((one) => one.dataset.act)")
        off = ["log-on", "test-request", "enable", "log-out", "disconnect", "send-gap-fill"]
        wait_until(lambda: disabled() == off, f"{off} are disabled")
        self.assertEqual(browser.run(
            "return document.querySelector('[data-act=disconnect]').title"),
            "The session is not connected.")
        browser.click("[data-act=disable]")
        browser.type("#act-reason", "by phone\n")
        browser.wait_for_text("disabled", ".row .state")
        off = ["log-on", "test-request", "log-out", "disconnect", "disable", "send-gap-fill"]
        wait_until(lambda: disabled() == off, f"{off} are disabled")
        self.assertEqual(browser.run("return [...document.querySelectorAll('.acts legend')]"
                                     ".map((one) => one.textContent)"),
                         ["Session", "Ends the connection", "Changes MsgSeqNums"])

    def test_page_says_that_the_engine_has_gone(self):
        self.sign_in_by_hand()
        self.venue.kill()
        self.venue.wait()
        self.browser.wait_for_text("no connection to the engine", "#engine")


if __name__ == "__main__":
    command_test.NEXUSFIX = os.path.abspath(sys.argv.pop(1))
    if not webdriver.is_installed():
        print("chromium and chromium-driver are not installed", file=sys.stderr)
        sys.exit(1)
    unittest.main()
