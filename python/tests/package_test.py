"""The installed package: its size at import, the command, the examples of its docstrings."""

import doctest
import importlib.metadata
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import nexusfix
import nexusfix.gateway
import nexusfix.load
import nexusfix.logs
import nexusfix.sessions
import nexusfix.simulation
import nexusfix.testing
import nexusfix.values
import pytest

IMPORT_SECONDS_MAX = 0.1
MEASURE = """
import time
began = time.process_time()
import nexusfix
print(time.process_time() - began)
"""
PAGES = sorted((Path(__file__).resolve().parent.parent.parent / "docs/guide").glob("python*.md"))


def run(*arguments):
    return subprocess.run(arguments, capture_output=True, text=True, check=True).stdout


def test_import_takes_less_than_a_tenth_of_a_second():
    assert min(float(run(sys.executable, "-c", MEASURE)) for _ in range(5)) < IMPORT_SECONDS_MAX


@pytest.mark.parametrize("module", [nexusfix, nexusfix.gateway, nexusfix.logs,
                                    nexusfix.sessions, nexusfix.simulation, nexusfix.testing,
                                    nexusfix.values])
def test_the_examples_of_docstrings_run(module):
    found = doctest.testmod(module)
    assert found.attempted > 0 and found.failed == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_examples_of_pages_run(page):
    text = re.sub("^```.*$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    test = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    assert runner.run(test).failed == 0


def test_the_pages_are_there():
    assert PAGES


def test_a_wheel_has_its_license_and_that_of_each_library_in_it():
    try:
        found = importlib.metadata.distribution("nexusfix")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("the package is not installed")
    libraries = {re.match("[a-z]+2?", path.name)[0] for path in found.files
                 if path.parts[0] == "nexusfix.libs"}
    if not libraries:
        pytest.skip("the package is no wheel that contains libraries")
    names = found.metadata.get_all("License-File")
    texts = {name: found.read_text(f"licenses/{name}") for name in names}
    assert all(texts.values())
    assert {"LICENSE", "NOTICE", "nanobind.txt", "robin-map.txt"} <= set(names)
    for library in libraries:
        package = {"libcrypto": "libssl"}.get(library, library)  # one package has both
        assert any(name.startswith(package) for name in names), library


def test_the_package_has_its_types_and_its_command():
    assert (Path(nexusfix.__file__).parent / "py.typed").exists()
    assert (Path(nexusfix.__file__).parent / "fix44.pyi").exists()
    command = Path(sysconfig.get_path("scripts")) / "nexusfix"
    if not command.exists():
        pytest.skip("the package was built without the command: tools/wheels.py --own")
    assert run(command, "--version").startswith("nexusfix 0.9")


def test_an_archive_of_the_sources_is_refused_with_what_to_do(monkeypatch, tmp_path):
    pytest.importorskip("scikit_build_core")
    monkeypatch.syspath_prepend(str(Path(__file__).resolve().parent.parent))
    import build_backend

    with pytest.raises(SystemExit, match="pip install ./python"):
        build_backend.build_sdist(str(tmp_path))
