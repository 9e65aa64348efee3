"""The pytest plugin: counterparties on free loopback ports, with faults on demand.

    def test_an_order_is_acknowledged(fix_venue):
        fix_venue.on("D").reply("ExecutionReport", OrderID="1", ExecID="1", ExecType="0",
                                OrdStatus="0", Symbol=lambda order: order["Symbol"], ...)
        my_program(port=fix_venue.port)
        assert fix_venue.expect("NewOrderSingle")["OrderQty"] == 100

A fixture's engine runs on a thread of its own, so that tests are plain functions. Between it and
the program is a relay, which records the conversation and makes the faults.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:  # imported when a fixture is used: pytest also runs tests of other things
    from nexusfix.testing import Client, Conversation, Counterparty, Venue

# Differ from run to run: BodyLength, CheckSum, SendingTime, TransactTime, OrigSendingTime.
VOLATILE_TAGS = (9, 10, 52, 60, 122)
_SNAPSHOTS = "fix_snapshots"
_counterparties = pytest.StashKey["list[Counterparty]"]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("nexusfix").addoption(
        "--fix-snapshot-update", action="store_true",
        help="write the conversations of fix_snapshot instead of comparing them")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Any:
    report = yield
    if report.failed:
        shown = {""}  # a venue and its client may have the same conversation
        for one in item.stash.get(_counterparties, []):
            text = one.conversation.columns()
            if text not in shown:
                report.sections.append((f"FIX conversation of {one.name}", text))
            shown.add(text)
    return report


def _open(request: pytest.FixtureRequest, counterparty: Counterparty) -> None:
    request.node.stash.setdefault(_counterparties, []).append(counterparty)
    counterparty.open()


@pytest.fixture
def fix_venue(request: pytest.FixtureRequest) -> Iterator[Venue]:
    """A venue that accepts any CompIDs and every version of FIX, at port."""
    from nexusfix.testing import Venue

    venue = Venue()
    _open(request, venue)
    yield venue
    venue.close()


@pytest.fixture
def fix_client(request: pytest.FixtureRequest) -> Iterator[Callable[..., Client]]:
    """Makes clients: fix_client(port, sender="CLIENT", target="VENUE", version="FIX.4.4")."""
    from nexusfix.testing import Client

    opened: list[Client] = []

    def connect(port: int, **options: Any) -> Client:
        client = Client(port, **options)
        opened.append(client)
        _open(request, client)
        return client

    yield connect
    for client in reversed(opened):
        client.close()


@pytest.fixture
def fix_snapshot(request: pytest.FixtureRequest) -> Callable[..., None]:
    """Compares a conversation with a file beside the test: fix_snapshot(fix_venue.conversation).

    ignore: tags whose values are not compared; those of times and sums never are. The messages
    Heartbeat and TestRequest are left out. `pytest --fix-snapshot-update` writes the file.
    """
    used: list[Path] = []

    def check(conversation: Conversation, *, name: str = "", ignore: tuple[int, ...] = ()) -> None:
        stem = re.sub(r"[^\w.-]+", "_", f"{request.node.name}{name and '-' + name}")
        file = request.node.path.parent / _SNAPSHOTS / request.node.path.stem / f"{stem}.fix"
        if file in used:
            raise ValueError(f"{file.name} is compared already: give this conversation a name")
        used.append(file)
        found = conversation.text((*VOLATILE_TAGS, *ignore))
        if request.config.getoption("--fix-snapshot-update"):
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(found, encoding="utf-8")
            return
        if not file.exists():
            pytest.fail(f"{file} does not exist: pytest --fix-snapshot-update writes it")
        expected = file.read_text(encoding="utf-8").splitlines()
        assert found.splitlines() == expected, f"the conversation differs from {file}"

    return check
