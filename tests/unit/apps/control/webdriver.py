"""A browser for tests: headless Chromium, by the WebDriver protocol (W3C) of chromedriver."""

import base64
import json
import os
import re
import shutil
import subprocess
import time
import urllib.error
import urllib.request

LIMIT_SECONDS = 60
STARTS = 5
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # the key that the protocol gives to elements


def is_installed():
    return shutil.which("chromedriver") is not None and shutil.which("chromium") is not None


def start_driver():
    """A chromedriver and its address. It may exit at its start: its port may be taken."""
    for _ in range(STARTS):
        driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL, text=True)
        said = []
        for line in driver.stdout:
            if match := re.search(r"started successfully on port (\d+)", line):
                return driver, f"http://127.0.0.1:{match[1]}"
            said.append(line)
        driver.stdout.close()
        said.append(f"exit status {driver.wait(LIMIT_SECONDS)}")
    raise AssertionError("chromedriver does not start: " + "".join(said))


class Browser:
    """One window. Use it in a with statement."""

    def __init__(self, dark=False, width=1280, height=900):
        self.driver, self.base = start_driver()
        arguments = ["--headless=new", "--disable-gpu", "--disable-dev-shm-usage",
                     "--hide-scrollbars", f"--window-size={width},{height}"]
        if os.geteuid() == 0:
            arguments.append("--no-sandbox")
        if dark:
            arguments.append("--force-dark-mode")
        wanted = {"browserName": "chrome", "goog:loggingPrefs": {"browser": "ALL"},
                  "goog:chromeOptions": {"binary": shutil.which("chromium"), "args": arguments}}
        made = self.call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self.session = f"/session/{made['sessionId']}"

    def __enter__(self):
        return self

    def __exit__(self, *error):
        try:
            self.call("DELETE", self.session)
        finally:
            self.driver.terminate()
            self.driver.wait(LIMIT_SECONDS)
            self.driver.stdout.close()

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data=data, method=method,
                                         headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=LIMIT_SECONDS) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(json.load(error)["value"]["message"]) from None

    def open(self, url):
        self.call("POST", f"{self.session}/url", {"url": url})

    def run(self, script, *arguments):
        return self.call("POST", f"{self.session}/execute/sync",
                         {"script": script, "args": list(arguments)})

    def find(self, selector):
        found = self.call("POST", f"{self.session}/element",
                          {"using": "css selector", "value": selector})
        return found[ELEMENT]

    def click(self, selector):
        self.call("POST", f"{self.session}/element/{self.find(selector)}/click", {})

    def type(self, selector, text):
        self.call("POST", f"{self.session}/element/{self.find(selector)}/value", {"text": text})

    def press(self, *keys):
        """Keys on the element that has the focus, such as \\ue004 for Tab."""
        actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self.call("POST", f"{self.session}/actions",
                  {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def text(self, selector="body"):
        return self.run("return document.querySelector(arguments[0])?.innerText ?? ''", selector)

    def wait_for(self, condition, what):
        """Waits until the script returns something true, and returns that."""
        deadline = time.monotonic() + LIMIT_SECONDS
        while True:
            if found := self.run(f"return {condition}"):
                return found
            if time.monotonic() > deadline:
                raise AssertionError(f"never happened: {what}: {self.text()}")
            time.sleep(0.05)

    def wait_for_text(self, text, selector="body"):
        quoted, place = json.dumps(text), json.dumps(selector)
        self.wait_for(f"(document.querySelector({place})?.innerText ?? '').includes({quoted})",
                      text)

    def resize(self, width, height):
        self.call("POST", f"{self.session}/goog/cdp/execute",
                  {"cmd": "Emulation.setDeviceMetricsOverride",
                   "params": {"width": width, "height": height, "deviceScaleFactor": 1,
                              "mobile": width < 600}})

    def prefer(self, scheme):
        self.call("POST", f"{self.session}/goog/cdp/execute",
                  {"cmd": "Emulation.setEmulatedMedia",
                   "params": {"features": [{"name": "prefers-color-scheme", "value": scheme}]}})

    def screenshot(self, path):
        picture = self.call("GET", f"{self.session}/screenshot")
        with open(path, "wb") as file:
            file.write(base64.b64decode(picture))

    def complaints(self):
        """What the browser logs as errors: refused scripts, missing files, exceptions."""
        return [one["message"] for one in self.call("POST", f"{self.session}/se/log",
                                                    {"type": "browser"})
                if one["level"] == "SEVERE"]
