#!/usr/bin/env python3
"""The shared libraries: shared_library_test.py COMPILER SOURCE BUILD.

Builds them, installs them, and links and runs a trader with them. Their objects are the same as
those of the static libraries in BUILD, so that ccache has them. It is the core alone, without any
product: what it needs of one does not compile or link."""

import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

COMPILER, SOURCE, BUILD = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
del sys.argv[1:]
# ccache sees the same paths in a folder of the same depth only.
SHARED_BUILD = BUILD.with_name(BUILD.name + "-shared")
WORK = BUILD / "tests" / "install" / "shared"
PREFIX = WORK / "prefix"
LAUNCHER = shutil.which("ccache") or ""
LAYERS = {"base", "wire", "dictionary", "session", "store", "transport", "observe", "config",
          "control", "engine", "deferred", "proxy", "passwords"}
# What a trader calls; the functions of the path of a message are inline.
CALLED = ("nexusfix::engine::Engine::open", "nexusfix::engine::Session::finish",
          "nexusfix::parse_settings")


def run(*command):
    """The output of a command, which must succeed."""
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    output = ended.stdout + ended.stderr
    assert ended.returncode == 0, f"{command}: status {ended.returncode}\n{output}"
    return ended.stdout


def configure(source, build, *options):
    run("cmake", "-G", "Ninja", "-S", source, "-B", build, f"-DCMAKE_CXX_COMPILER={COMPILER}",
        *options)


def same_flags():
    """The options that make CMake compile as in BUILD."""
    cached = (BUILD / "CMakeCache.txt").read_text(encoding="utf-8")
    return [f"-D{name}={value}" for name, value in re.findall(
        r"^(CMAKE_BUILD_TYPE|CMAKE_CXX_FLAGS\w*|NEXUSFIX_WERROR):\w+=(.*)$", cached, re.MULTILINE)]


def dynamic(path, tag):
    """The values of a tag, such as NEEDED, of a library or a program."""
    return re.findall(rf"\({tag}\).*\[(.*)\]", run("readelf", "--dynamic", "--wide", path))


def symbols(path, kind):
    return run("nm", "--dynamic", "--demangle", f"--{kind}-only", path)


class SharedLibraryTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        configure(SOURCE, SHARED_BUILD, "-DNEXUSFIX_SHARED=ON", "-DNEXUSFIX_DEVELOPER=OFF",
                  "-DNEXUSFIX_TESTS=OFF", "-DNEXUSFIX_POSTGRES=OFF", "-DNEXUSFIX_WEB=OFF",
                  "-DNEXUSFIX_SIMULATOR=OFF", "-DNEXUSFIX_METRICS=OFF", *same_flags())
        run("cmake", "--build", SHARED_BUILD, "--parallel", "2", "--target", "nexusfix_installed")
        shutil.rmtree(PREFIX, ignore_errors=True)
        run("cmake", "--install", SHARED_BUILD, "--prefix", PREFIX)
        # Without optimisation, so that the trader calls what an optimised one may inline.
        configure(SOURCE / "tests" / "product" / "install" / "minimal_trader", WORK / "trader",
                  f"-DCMAKE_CXX_COMPILER_LAUNCHER={LAUNCHER}", "-DCMAKE_CXX_FLAGS=-O0",
                  f"-DCMAKE_PREFIX_PATH={PREFIX}", "-DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF")
        run("cmake", "--build", WORK / "trader", "--clean-first")
        cls.trader = WORK / "trader" / "consumer"
        cls.libraries = {path.name[len("libnexusfix_"):-len(".so")]: path
                         for path in PREFIX.rglob("libnexusfix_*.so")}
        text = (SOURCE / "CMakeLists.txt").read_text(encoding="utf-8")
        cls.version = re.search(r"project\(nexusfix VERSION ([0-9.]+)", text)[1]

    def test_each_layer_is_a_library_whose_soname_has_the_minor_version(self):
        minor = ".".join(self.version.split(".")[:2])
        self.assertLessEqual(LAYERS, self.libraries.keys())
        self.assertEqual([], list(PREFIX.rglob("*.a")))
        for layer, path in self.libraries.items():
            soname = f"libnexusfix_{layer}.so.{minor}"
            self.assertEqual([soname], dynamic(path, "SONAME"))
            self.assertEqual(f"libnexusfix_{layer}.so.{self.version}", path.resolve().name)
            self.assertTrue((path.parent / soname).exists(), soname)

    def test_a_trader_runs_with_the_installed_libraries(self):
        expected = SOURCE / "tests" / "product" / "install" / "minimal_trader" / "expected.txt"
        self.assertEqual(expected.read_text(encoding="utf-8"), run(self.trader))

    def test_a_trader_takes_the_engine_from_the_library(self):
        self.assertIn(dynamic(self.libraries["engine"], "SONAME")[0],
                      dynamic(self.trader, "NEEDED"))
        exported = symbols(self.libraries["engine"], "defined") + \
            symbols(self.libraries["config"], "defined")
        wanted = symbols(self.trader, "undefined")
        for name in CALLED:
            self.assertIn(name, exported)
            self.assertIn(name, wanted)

    def test_the_decoder_s_library_needs_neither_engine_nor_tls(self):
        needed = dynamic(self.libraries["wire"], "NEEDED")
        ours = [name for name in needed if name.startswith("libnexusfix")]
        self.assertEqual(dynamic(self.libraries["base"], "SONAME"), ours)
        self.assertFalse([name for name in needed if "ssl" in name or "crypto" in name], needed)

    def test_libraries_of_another_minor_version_are_refused(self):
        other = WORK / "other"
        shutil.rmtree(other, ignore_errors=True)
        shutil.copytree(self.libraries["engine"].parent, other, symlinks=True)
        for path in other.glob("libnexusfix_engine.so*"):
            path.unlink()
        moved = WORK / "moved_trader"
        shutil.copy(self.trader, moved)
        PREFIX.rename(PREFIX.with_name("away"))
        try:
            ended = subprocess.run([moved], capture_output=True, text=True, check=False,
                                   env={"LD_LIBRARY_PATH": str(other)})
        finally:
            PREFIX.with_name("away").rename(PREFIX)
        self.assertEqual(127, ended.returncode)
        self.assertIn("libnexusfix_engine.so", ended.stderr)


if __name__ == "__main__":
    if shutil.which("ninja") is None:
        sys.exit(77)
    unittest.main()
