"""The Python example of each venue kit against its simulated venue."""

import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
from program import find_command

VENUES = Path(__file__).parents[2] / "venues"
KITS = runpy.run_path(str(VENUES / "tests" / "kit_table.py"))["KITS"]
LIMIT_SECONDS = 60  # a test must not hang


@pytest.fixture
def simulate(tmp_path):
    """Starts the simulated venue of a kit, whose files are then in the folder of its name."""
    venues = []

    def start(kit):
        venue = subprocess.Popen(
            [find_command("venues"), "serve", "--venue", kit, "--port", "0"], cwd=tmp_path,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        venues.append(venue)
        assert "simulated" in venue.stdout.readline()
        for _ in KITS[kit]["endpoints"]:
            assert "listening on port" in venue.stdout.readline()
        return tmp_path / kit

    yield start
    for venue in venues:
        venue.terminate()
        venue.communicate(timeout=LIMIT_SECONDS)


@pytest.mark.parametrize("kit", KITS)
def test_the_example_of_a_kit_trades_at_its_simulated_venue(kit, simulate):
    folder = simulate(kit)
    done = subprocess.run(
        [sys.executable, folder / "example.py", folder / "client.cfg",
         folder / KITS[kit]["dictionary"], *KITS[kit].get("arguments", [])],
        capture_output=True, text=True, timeout=LIMIT_SECONDS, check=False)
    assert done.returncode == 0, done.stderr
    found = re.search(KITS[kit]["python"], done.stdout)
    assert found, done.stdout + done.stderr


def test_the_book_of_an_example_follows_the_orders_of_others(simulate, tmp_path):
    folder = simulate("coinbase")
    with subprocess.Popen(
            [sys.executable, folder / "book" / "example.py", folder / "market-data.cfg",
             folder / "market-data.xml", "9"], stdout=subprocess.PIPE, text=True) as book:
        try:
            first = book.stdout.readline()
            assert "2 orders, bid 50000, offer 50010" in first
            script = tmp_path / "order.txt"
            script.write_text("send 35=D|11=A1|38=2|40=2|44=50010|54=1|55=BTC-USD|59=1|60=now\n"
                              "wait 35=8 11=A1 39=2\n", encoding="utf-8")
            subprocess.run([find_command(), "connect", folder / "client.cfg", "--script", script],
                           capture_output=True, timeout=LIMIT_SECONDS, check=True)
            rest = book.communicate(timeout=LIMIT_SECONDS)[0]
        finally:
            book.kill()
    assert book.returncode == 0
    assert "1 orders, bid 50000" in rest
