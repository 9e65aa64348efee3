#!/usr/bin/env python3
"""The components of an installation: components_test.py COMPILER SOURCE BUILD."""

import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

COMPILER, SOURCE, BUILD = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
del sys.argv[1:]
# A component of find_package(nexusfix) for each product that has libraries.
LIBRARIES = {"catalog": "catalog", "cluster": "postgres", "console": "metrics",
             "coroutine": "coroutine", "explanation": "explanation",
             "logger": "logger", "passwords": "passwords", "proxy": "proxy",
             "record_store": "record_store",
             "simulator": "simulator", "testing": "store_contract"}
FENCED = re.compile(r"^ *```.*?^ *```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s#]+)[#)]")
USER = """cmake_minimum_required(VERSION 3.25)
project(user CXX)
find_package(nexusfix REQUIRED COMPONENTS {})
"""


def install(component, prefix):
    """The files of a component; of None: of all."""
    chosen = ["--component", component] if component else []
    subprocess.run(["cmake", "--install", BUILD, "--prefix", prefix, *chosen], check=True,
                   capture_output=True)
    return {path.relative_to(prefix).as_posix() for path in Path(prefix).rglob("*")
            if path.is_file()}


class ComponentsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.built = [product for product in LIBRARIES if install(product, self.folder / product)]

    def finds(self, component, prefix):
        """What CMake says to a project that wants the component; empty: it is found."""
        project = self.folder / "user" / component
        project.mkdir(parents=True, exist_ok=True)
        (project / "CMakeLists.txt").write_text(USER.format(component), encoding="utf-8")
        done = subprocess.run(
            ["cmake", "--fresh", "-S", project, "-B", project / "build",
             f"-DCMAKE_CXX_COMPILER={COMPILER}", f"-DCMAKE_PREFIX_PATH={prefix}",
             "-DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF"], capture_output=True, text=True, check=False)
        return "" if done.returncode == 0 else done.stderr

    def test_the_components_together_are_the_installation(self):
        # arrow: the command with Apache Arrow; c: the C interface. A build without it has no file.
        parts = [install(component, self.folder / component)
                 for component in ("core", "command", "arrow", "c", *self.built)]
        # The component venues has the command, too.
        parts.append({name for name in install("venues", self.folder / "venues")
                      if name.startswith("share/nexusfix/venues/")})
        self.assertEqual(install(None, self.folder / "all"), set().union(*parts))
        self.assertEqual(sum(map(len, parts)), len(set().union(*parts)))

    def test_the_core_has_no_file_of_a_product_and_is_found_without_it(self):
        prefix = self.folder / "prefix"
        core = install("core", prefix)
        self.assertEqual("", self.finds("engine", prefix))
        for product in self.built:
            own = install(product, self.folder / product)
            self.assertTrue(any(name.startswith("include/nexusfix/") for name in own), own)
            self.assertTrue(own.isdisjoint(core))
            library = LIBRARIES[product]
            self.assertIn(f"no such component: {library};", self.finds(library, prefix))
            install(product, prefix)
            self.assertEqual("", self.finds(library, prefix))

    def test_a_product_is_found_beside_a_core_that_was_built_without_products(self):
        prefix, alone = self.folder / "prefix", self.folder / "alone"
        install("core", prefix)
        subprocess.run(["cmake", "-G", "Ninja", "-S", SOURCE, "-B", alone,
                        "-DNEXUSFIX_PRODUCTS=OFF", "-DNEXUSFIX_TESTS=OFF",
                        f"-DCMAKE_CXX_COMPILER={COMPILER}"], check=True, capture_output=True)
        [config] = prefix.rglob("nexusfixConfig.cmake")
        shutil.copy(alone / "nexusfixConfig.cmake", config)
        self.assertIn("no such component: proxy;", self.finds("proxy", prefix))
        for product in self.built:
            install(product, prefix)
        libraries = " ".join(LIBRARIES[product] for product in self.built)
        self.assertEqual("", self.finds(libraries, prefix))

    def test_each_link_of_an_installed_document_leads_to_an_installed_file(self):
        for component in (None, "core", "logs", "venues"):
            prefix = self.folder / f"documents-{component}"
            install(component, prefix)
            links = [(page.relative_to(prefix), link) for page in prefix.rglob("*.md")
                     for link in LINK.findall(FENCED.sub("", page.read_text(encoding="utf-8")))
                     if "://" not in link and "mailto:" not in link]
            self.assertTrue(links or component)
            self.assertEqual([], [(page.as_posix(), link) for page, link in links
                                  if not (prefix / page.parent / link).exists()])


if __name__ == "__main__":
    unittest.main()
