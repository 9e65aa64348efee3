#!/usr/bin/env python3
"""The web console in a browser, while a counterparty trades with the venue."""

import os
import sys
import time
import unittest

import command_test
import webdriver
from command_test import wait_until
from console_test import OPERATOR_TOKEN, SESSION, WithConsole

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
