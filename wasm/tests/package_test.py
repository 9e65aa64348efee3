#!/usr/bin/env python3
"""The npm package: its size, its files, its types and its example.

    package_test.py NODE FOLDER ARCHIVE EXAMPLE
"""

import gzip
import json
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path

NODE, FOLDER, ARCHIVE, EXAMPLE = sys.argv[1:5]
FOLDER, ARCHIVE = Path(FOLDER), Path(ARCHIVE)
MODULE_BYTES_MAX = 400 << 10  # compressed by gzip -9
FILES = ["LICENSE", "NOTICE", "README.md", "examples/decode.mjs", "index.d.ts", "index.js",
         *sorted(f"licenses/{path.name}" for path in (FOLDER / "licenses").iterdir()),
         "nexusfix.wasm", "package.json"]


def run(*words, **options):
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, check=False,
                          **options)
    assert done.returncode == 0, f"{words}: {done.stderr}{done.stdout}"
    return done.stdout


class Package(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="nexusfix-npm-")
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def install(self):
        """As npm does with an archive."""
        with tarfile.open(ARCHIVE) as tar:
            tar.extractall(self.folder)
        installed = self.folder / "node_modules" / "nexusfix"
        installed.parent.mkdir()
        (self.folder / "package").rename(installed)

    def test_module_has_at_most_400_kilobytes_compressed(self):
        size = len(gzip.compress((FOLDER / "nexusfix.wasm").read_bytes(), 9, mtime=0))
        print(f"nexusfix.wasm: {size} bytes compressed")
        self.assertLessEqual(size, MODULE_BYTES_MAX)

    def test_archive_has_the_files_of_the_package_alone(self):
        with tarfile.open(ARCHIVE) as tar:
            self.assertEqual([f"package/{name}" for name in FILES], tar.getnames())

    def test_module_asks_the_system_for_no_file_and_no_connection(self):
        listed = run(NODE, "-e", "console.log(JSON.stringify(WebAssembly.Module.imports(new "
                     "WebAssembly.Module(require('fs').readFileSync(process.argv[1])))))",
                     FOLDER / "nexusfix.wasm")
        names = {one["name"] for one in json.loads(listed)}
        self.assertEqual(set(), {name for name in names
                                 if name.startswith(("path_", "sock_", "random_", "clock_"))})

    def test_example_prints_the_fault_and_the_order(self):
        self.install()
        script = shutil.copy(FOLDER / "examples" / "decode.mjs", self.folder)
        printed = run(NODE, script, EXAMPLE, "A1", cwd=self.folder)
        self.assertIn("  Side is BUY\n", printed)
        self.assertIn("Side (54) is 'X', which is not one of its values\n", printed)
        self.assertIn("State now: FILLED", printed)

    def test_types_name_what_the_module_has(self):
        types = (FOLDER / "index.d.ts").read_text(encoding="utf-8")
        module = (FOLDER / "index.js").read_text(encoding="utf-8")
        exported = r"^export (?:async )?(?:function|class) (\w+)"
        self.assertEqual(set(re.findall(exported, module, re.MULTILINE)),
                         set(re.findall(exported, types, re.MULTILINE)))
        methods = r"^  (?:\* |get )?(?!constructor|private|if|for|while|return|yield)([a-z]\w+)\("
        self.assertLess(5, len(set(re.findall(methods, types, re.MULTILINE))))
        typed = set(re.findall(methods, types, re.MULTILINE))
        for name in typed:
            self.assertRegex(module, rf"(?m)^  (\* |get )?{name}\(")

    @unittest.skipUnless(shutil.which("npm"), "npm is not installed")
    def test_npm_packs_and_installs_the_same_files(self):
        packed = json.loads(run("npm", "pack", "--dry-run", "--json", "--offline", cwd=FOLDER))
        self.assertEqual(FILES, sorted(one["path"] for one in packed[0]["files"]))
        (self.folder / "package.json").write_text('{"private": true, "type": "module"}')
        run("npm", "install", "--offline", "--no-audit", "--no-fund", ARCHIVE, cwd=self.folder)
        self.assertEqual("scalar\n", run(
            NODE, "--input-type=module", "-e",
            "import {load} from 'nexusfix'; console.log((await load()).kernel);",
            cwd=self.folder))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
