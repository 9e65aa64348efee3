#!/usr/bin/env python3
"""`nexusfix codegen` from the view of a user: its output, its exit status, and its files."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

NEXUSFIX = ""  # set by main


def run(*arguments):
    return subprocess.run([NEXUSFIX, *map(str, arguments)], capture_output=True, text=True,
                          timeout=600, check=False, stdin=subprocess.DEVNULL)


class Codegen(unittest.TestCase):
    DICTIONARY = """<fix type='FIX' major='4' minor='4'><header/><trailer/><components/>
<messages><message name='Hint' msgtype='UH' msgcat='app'>
<field name='Symbol' required='Y'/></message></messages>
<fields><field number='55' name='Symbol' type='STRING'/></fields></fix>
"""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="nexusfix-codegen-")
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def write(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def test_headers_are_written_once(self):
        dictionary = self.write("venue.xml", self.DICTIONARY)
        for written in (7, 0):
            result = run("codegen", dictionary, "-o", self.folder / "out")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(result.stdout, f"{self.folder}/out/nexusfix/venue: 7 headers, "
                                            f"{written} written\n")
        header = (self.folder / "out/nexusfix/venue/hint.hpp").read_text()
        self.assertIn("namespace nexusfix::venue", header)

    def test_namespace_may_be_another(self):
        dictionary = self.write("venue.xml", self.DICTIONARY)
        result = run("codegen", dictionary, "-o", self.folder, "--namespace", "acme")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertTrue((self.folder / "nexusfix/acme/hint.hpp").exists())

    def test_other_languages_have_files_of_their_own(self):
        dictionary = self.write("venue.xml", self.DICTIONARY)
        for language, files in (("go", ["venue/venue.go"]),
                                ("java", ["nexusfix/venue/Venue.java"]),
                                ("typescript", ["venue.js", "venue.d.ts"])):
            result = run("codegen", dictionary, "--language", language, "-o", self.folder / "out")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(result.stdout, f"{self.folder}/out: {len(files)} files, "
                                            f"{len(files)} written\n")
            for name in files:
                self.assertIn("venue.xml", (self.folder / "out" / name).read_text())

    def test_unknown_language_and_its_keywords_are_wrong_arguments(self):
        dictionary = self.write("venue.xml", self.DICTIONARY)
        for arguments, named in ((("--language", "cobol"), "java or typescript"),
                                 (("--language", "go", "--namespace", "func"), "'func'")):
            result = run("codegen", dictionary, *arguments, "-o", self.folder / "out")
            self.assertEqual(result.returncode, 2)
            self.assertIn(named, result.stderr)
        self.assertFalse((self.folder / "out").exists())

    def test_faulty_dictionary_is_answered_with_its_line(self):
        dictionary = self.write("venue.xml", self.DICTIONARY.replace("name='Symbol' req",
                                                                     "name='Symbl' req"))
        result = run("codegen", dictionary, "-o", self.folder / "out")
        self.assertEqual(result.returncode, 1)
        self.assertIn("venue.xml:3:", result.stderr)
        self.assertFalse((self.folder / "out").exists())

    def test_invalid_namespace_is_a_wrong_argument(self):
        dictionary = self.write("venue.xml", self.DICTIONARY)
        for name in ("std", "class", "wire", "a-b", "__x"):
            result = run("codegen", dictionary, "-o", self.folder / "out", "--namespace", name)
            self.assertEqual(result.returncode, 2, name)
            self.assertIn(name, result.stderr)
        self.assertEqual(run("codegen", dictionary).returncode, 2, "no folder")
        self.assertFalse((self.folder / "out").exists())

    def test_missing_dictionary_is_named(self):
        result = run("codegen", self.folder / "absent.xml", "-o", self.folder)
        self.assertEqual(result.returncode, 1)
        self.assertIn("absent.xml", result.stderr)

    def test_folder_that_cannot_be_written_is_named(self):
        dictionary = self.write("venue.xml", self.DICTIONARY)
        in_the_way = self.write("out", "a file")
        result = run("codegen", dictionary, "-o", in_the_way)
        self.assertEqual(result.returncode, 1)
        self.assertIn(str(in_the_way), result.stderr)


if __name__ == "__main__":
    NEXUSFIX = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
