"""The notebooks run, are short, and are on the site with their charts."""

import re
import sys
from pathlib import Path

import pytest

pytest.importorskip("matplotlib")
pytest.importorskip("polars")
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "notebooks"))
import make_day  # noqa: E402
import render  # noqa: E402

LINES_MAX = 15
TEXT = re.compile(r"<text\b[^>]*>(.*?)</text>", re.DOTALL)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("day")
    make_day.write_day(made / "day.log")
    return made


@pytest.mark.parametrize("name", render.NAMES)
def test_a_notebook_draws_the_chart_that_is_on_the_site(name, folder):
    _, code = render.cells_of(name)
    assert len([line for line in code.splitlines() if line]) <= LINES_MAX
    drawn = render.picture_of(code, folder)
    shown = (render.IMAGES / f"{name}.svg").read_text(encoding="utf-8")
    assert len(TEXT.findall(drawn)) > 5 and "<path" in drawn
    assert TEXT.findall(drawn) == TEXT.findall(shown)


def test_the_page_has_the_code_of_the_notebooks():
    assert render.PAGE.read_text(encoding="utf-8") == render.page()
    assert {path.stem for path in render.FOLDER.glob("*.ipynb")} == set(render.NAMES)


def test_two_days_with_the_same_seed_are_equal(folder, tmp_path):
    make_day.write_day(tmp_path / "again.log")
    assert (tmp_path / "again.log").read_bytes() == (folder / "day.log").read_bytes()
    make_day.write_day(tmp_path / "other.log", seed=2)
    assert (tmp_path / "other.log").read_bytes() != (folder / "day.log").read_bytes()
