#!/usr/bin/env python3
"""The page that decodes logs, in a browser: page_test.py NEXUSFIX PAGE [PICTURE]

With PICTURE it also writes the picture of the documents there.
"""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import webdriver

NEXUSFIX, PAGE = sys.argv[1:3]
PICTURE = sys.argv[3] if len(sys.argv) > 3 else None
EXAMPLE = Path(__file__).resolve().parents[1] / "page" / "example.log"
TAB = "\ue004"
SPACE = " "
HOSTILE = "<script>window.hacked=1</script><img src=x onerror=window.hacked=1>"

# Controls without a name for a screen reader.
NAMELESS = """
  return [...document.querySelectorAll('a, button, input, select, textarea')]
    .filter((one) => !(one.labels?.length || one.textContent.trim()
                       || one.getAttribute('aria-label')))
    .map((one) => one.outerHTML);"""
# Colours of texts whose contrast to what is below them is less than 4.5: WCAG 2, AA.
FAINT = r"""
  const luminance = (colour) => {
    const [r, g, b] = colour.match(/[\d.]+/g).map((value) => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (element) => {
    for (let one = element; one; one = one.parentElement) {
      const colour = getComputedStyle(one).backgroundColor;
      if (!/, 0\)$/.test(colour)) return colour;
    }
    return 'rgb(255, 255, 255)';
  };
  return [...document.querySelectorAll('body *')].filter((one) => one.offsetParent !== null
    && [...one.childNodes].some((child) => child.nodeType === 3 && child.data.trim()))
    .filter((one) => {
      const [low, high] = [luminance(getComputedStyle(one).color), luminance(ground(one))]
        .sort((a, b) => a - b);
      return (high + 0.05) / (low + 0.05) < 4.5;
    }).map((one) => `${one.tagName} ${one.className} ${one.textContent.slice(0, 30)}`);"""
WIDE = "return document.documentElement.scrollWidth - document.documentElement.clientWidth"


def command(*arguments):
    return subprocess.run([NEXUSFIX, *map(str, arguments)], capture_output=True, text=True,
                          check=False).stdout


class Decoder(unittest.TestCase):
    def setUp(self):
        self.browser = webdriver.Browser()
        self.addCleanup(self.browser.__exit__)
        self.browser.open(Path(PAGE).resolve().as_uri())
        self.browser.wait_for_text("Ready.", "#status")

    def paste(self, text):
        self.browser.run("const log = document.querySelector('#log'); log.value = arguments[0];"
                         "log.dispatchEvent(new Event('input'));", text)

    def test_pasted_log_is_decoded_as_the_command_does(self):
        browser = self.browser
        self.paste(EXAMPLE.read_text(encoding="utf-8"))
        browser.wait_for_text("7 messages, 0 faulty, 1 invalid", "#status")
        headings = browser.run("return [...document.querySelectorAll('summary')]"
                               ".map((one) => one.firstChild.textContent"
                               " + one.childNodes[1].textContent)")
        summary = command("decode", "--summary", EXAMPLE).splitlines()
        self.assertEqual(summary[:-1], headings)
        cells = browser.run("return [...document.querySelectorAll('li:first-child tr')]"
                            ".map((row) => [...row.children].map((cell) => cell.textContent))")
        self.assertIn(["54", "Side", "1", "BUY"], cells)
        self.assertIn(["55", "Symbol", "AAPL", ""], cells)
        verdict = browser.run("return document.querySelector('.verdict').textContent")
        whole = command("validate", EXAMPLE)
        self.assertIn(verdict.split("\n", 1)[1], whole)
        line, marks = verdict.split("\n")[1:3]
        self.assertEqual("X", line[marks.index("^")])
        self.assertEqual(["54", "Side", "X", ""], browser.run(
            "return [...document.querySelector('tr.marked').children]"
            ".map((cell) => cell.textContent)"))

    def test_order_is_followed_as_the_command_does(self):
        browser = self.browser
        browser.click("#example")
        browser.wait_for_text("7 messages", "#status")
        browser.click("li:first-child .id")
        browser.wait_for_text("State now", "#story")
        story = browser.run("return [...document.querySelectorAll('#story span')]"
                            ".map((line) => line.textContent).join('\\n')")
        self.assertEqual(command("order", "A1", EXAMPLE), story)
        self.assertEqual("A1", browser.run("return document.querySelector('#order-id').value"))
        browser.run("document.querySelector('#order-id').value = ''")
        browser.type("#order-id", "none\n")
        browser.wait_for_text("No order has the identifier none.", "#story")

    def test_nothing_leaves_the_page_and_no_text_is_markup(self):
        browser = self.browser
        for attempt in ("fetch('http://127.0.0.1:9/')",
                        "new Promise((yes, no) => { const one = new Image();"
                        "one.onerror = no; one.src = 'http://127.0.0.1:9/a.png'; })",
                        "Promise.resolve().then(() => new WebSocket('ws://127.0.0.1:9/'))"):
            refused = browser.run(
                "const refused = [];"
                "document.addEventListener('securitypolicyviolation',"
                "  (event) => refused.push(event.violatedDirective), {once: true});"
                f"return {attempt}.catch(() => {{}}).then(() => new Promise((done) =>"
                "  setTimeout(() => done(refused), 200)));")
            self.assertEqual(1, len(refused), attempt)
        self.assertFalse(browser.run("return navigator.sendBeacon('http://127.0.0.1:9/', 'a')"
                                     " && performance.getEntriesByType('resource')"
                                     ".some((one) => one.responseStatus > 0)"))
        browser.complaints()
        self.paste(f"{HOSTILE} 8=FIX.4.4|9=5|35=D|49={HOSTILE}|58={HOSTILE}|10=000|")
        browser.wait_for_text("1 message", "#status")
        self.assertIn(HOSTILE, browser.text("#list"))
        browser.run("return new Promise((done) => setTimeout(done, 100))")
        self.assertFalse(browser.run("return 'hacked' in window"))
        self.assertEqual([], browser.complaints())

    def test_file_is_read_and_filtered(self):
        browser = self.browser
        log = EXAMPLE.read_text(encoding="utf-8") * 1000
        with tempfile.NamedTemporaryFile("w", suffix=".log", encoding="utf-8") as file:
            file.write(log)
            file.flush()
            browser.type("#file", file.name)
            browser.wait_for_text("7,000 messages, 0 faulty, 1000 invalid", "#status")
        self.assertEqual("The first 5,000 messages of 7,000", browser.text("#shown"))
        self.assertEqual(200, browser.run("return document.querySelectorAll('li').length"))
        browser.click("#more")
        self.assertEqual(400, browser.run("return document.querySelectorAll('li').length"))
        browser.click("#invalid")
        browser.wait_for_text("1,000 messages", "#shown")
        browser.type("#filter", "Symbol=AAPL")
        browser.wait_for_text("0 messages", "#shown")
        browser.click("#clear")
        browser.wait_for_text("Ready.", "#status")
        self.assertEqual("", browser.text("#list"))

    def test_keyboard_widths_and_schemes(self):
        browser = self.browser
        self.paste(EXAMPLE.read_text(encoding="utf-8"))
        browser.wait_for_text("7 messages", "#status")
        browser.run("document.querySelector('#invalid').focus()")
        browser.press(TAB)
        self.assertEqual("SUMMARY", browser.run("return document.activeElement.tagName"))
        browser.press(SPACE)
        self.assertFalse(browser.run("return document.querySelector('details').open"))
        browser.press(SPACE)
        browser.wait_for("document.querySelector('li:first-child table') !== null", "a table")
        self.assertEqual([], browser.run(NAMELESS))
        browser.click("li:first-child .id")
        browser.wait_for_text("State now", "#story")
        for width in (390, 800, 1280):
            browser.resize(width, 900)
            self.assertEqual(0, browser.run(WIDE), f"{width} pixels")
        for scheme in ("light", "dark"):
            browser.prefer(scheme)
            self.assertEqual([], browser.run(FAINT), scheme)
        self.assertEqual([], browser.complaints())

    def test_policy_has_the_digests_of_this_page_alone(self):
        self.browser.run("const made = document.createElement('script');"
                         "made.textContent = 'window.hacked = 1'; document.body.append(made);")
        self.assertFalse(self.browser.run("return 'hacked' in window"))

    @unittest.skipUnless(PICTURE, "no picture was asked for")
    def test_picture(self):
        browser = self.browser
        browser.prefer("light")
        browser.resize(900, 1080)
        browser.click("#example")
        browser.wait_for_text("7 messages", "#status")
        browser.click("li:first-child .id")
        browser.wait_for_text("State now", "#story")
        browser.run("scrollTo(0, 0)")
        browser.screenshot(PICTURE)


if __name__ == "__main__":
    if not webdriver.is_installed():
        print("chromium and chromium-driver are not installed", file=sys.stderr)
        sys.exit(1)
    unittest.main(argv=sys.argv[:1])
