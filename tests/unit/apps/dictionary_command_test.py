#!/usr/bin/env python3
"""`nexusfix validate` and `nexusfix dict` from the view of a user and of a program."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

NEXUSFIX = ""  # set by main
LIMIT_SECONDS = 600


def run(*arguments):
    return subprocess.run([NEXUSFIX, *map(str, arguments)], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=LIMIT_SECONDS, check=False)


class Dictionaries(unittest.TestCase):
    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="nexusfix-dictionary-")
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def message(self, more=""):
        body = ("35=D|49=T|56=V|34=2|52=20240115-10:30:00|11=A1|55=X|54=1|60=20240115-10:30:00|"
                f"38=100|40=1|{more}").replace("|", "\x01")
        front = f"8=FIX.4.4\x019={len(body)}\x01{body}"
        return f"{front}10={sum(front.encode()) % 256:03}\x01"

    def test_the_exit_status_of_validate_says_whether_the_messages_are_valid(self):
        log = self.write("valid.log", self.message())
        self.assertEqual(run("validate", log).returncode, 0)
        wrong = self.write("wrong.log", self.message().replace("\x01", "|") + "\n" +
                           self.message("59=Z|").replace("\x01", "|") + "\n")
        done = run("validate", "--json", wrong)
        self.assertEqual(done.returncode, 1)
        objects = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual([one["valid"] for one in objects], [True, False])
        self.assertEqual((objects[1]["tag"], objects[1]["reason"]), (59, 5))
        self.assertEqual(run("validate", self.folder / "none.log").returncode, 2)
        self.assertEqual(run("validate", "--set", "AllowUnknownEnumValues=Y", wrong).returncode, 0)
        for arguments in (("--set", "Nonsense=Y"), ("--version", "4.4", "--dict", "x"),
                          ("--version", "9")):
            self.assertEqual(run("validate", *arguments, log).returncode, 2, arguments)

    def test_a_dictionary_without_a_header_is_read_in_that_of_its_version(self):
        fields = "".join(f"<field number='{tag}' name='{name}' type='STRING'/>" for tag, name in (
            (11, "ClOrdID"), (21, "HandlInst"), (38, "OrderQty"), (40, "OrdType"), (54, "Side"),
            (55, "Symbol"), (60, "TransactTime")))
        members = "".join(f"<field name='{name}' required='N'/>" for name in (
            "ClOrdID", "OrderQty", "OrdType", "Side", "Symbol", "TransactTime"))
        path = self.write("venue.xml", f"""<fix type='FIX' major='4' minor='4'><messages>
            <message name='Order' msgtype='D' msgcat='app'>{members}</message></messages>
            <fields>{fields}</fields></fix>""")
        log = self.write("orders.log", self.message())
        done = run("validate", "--dict", path, log)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_dict_answers_and_its_json_is_json(self):
        self.assertEqual(run("dict", "39=2").stdout, "39 OrdStatus = 2: FILLED  (FIX.4.4)\n")
        done = run("dict", "--json", "150", "D", "Parties", "8")
        self.assertEqual(done.returncode, 0)
        kinds = [json.loads(line)["kind"] for line in done.stdout.splitlines()]
        self.assertEqual(kinds, ["field", "message", "component", "field", "message"])
        done = run("dict", "ExecTpye")
        self.assertEqual(done.returncode, 1)
        self.assertIn("Did you mean ExecType?", done.stderr)

    def test_every_version_is_answered_for_and_compared_in_json(self):
        versions = run("dict", "--version", "none").stderr.split("none of ")[1].split()
        self.assertEqual(len(versions), 9)
        for version in versions:
            overview = json.loads(run("dict", "--version", version, "--json").stdout)
            self.assertGreater(len(overview["messages"]), 5)
            # One in ten: the JSON of all messages of FIX 5.0 SP2 has 35 MB.
            words = [message["msg_type"] for message in overview["messages"][::10]]
            done = run("dict", "--version", version, "--json", "--", *words)
            self.assertEqual(done.returncode, 0, version)
            self.assertGreaterEqual(len([json.loads(line) for line in done.stdout.splitlines()]),
                                    len(words))
        compared = json.loads(run("dict", "--json", "--diff", "FIX.4.2", "FIX.4.4").stdout)
        self.assertGreater(len(compared["fields"]), 100)
        self.assertRegex(run("dict", "--diff", "FIX.4.2", "FIX.4.4", "D").stdout,
                         "~ 21 HandlInst required -> optional")
        self.assertEqual(run("dict", "--diff", "FIX.4.2").returncode, 2)


if __name__ == "__main__":
    NEXUSFIX = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
