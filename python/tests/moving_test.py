"""Programs of simplefix and QuickFIX beside those that replace them: moving/, which the page
docs/guide/python-from-others.md shows."""

import subprocess
import sys
from pathlib import Path

import pytest
from nexusfix.testing import Venue

SCRIPTS = Path(__file__).parent / "moving"


def output_of(script, *arguments):
    done = subprocess.run([sys.executable, SCRIPTS / script, *arguments], capture_output=True,
                          timeout=60, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


def test_a_program_of_simplefix_and_its_successor_do_the_same():
    pytest.importorskip("simplefix")
    before, after = output_of("simplefix_before.py"), output_of("simplefix_after.py")
    assert before == after
    assert before.startswith(b"A1 1 150.25\n['DESK', 'BANK']\n8=FIX.4.4\x01")


@pytest.mark.parametrize("script", ["quickfix_before.py", "quickfix_after.py"])
def test_a_program_of_quickfix_and_its_successor_do_the_same(tmp_path, script):
    if script == "quickfix_before.py":
        pytest.importorskip("quickfix")
    with Venue() as venue:
        venue.on("D").reply("ExecutionReport", OrderID="1", ExecID="1", ExecType="0", OrdStatus="0",
                            ClOrdID=lambda order: order["ClOrdID"], Symbol="AAPL", Side="1",
                            LeavesQty=100, CumQty=0, AvgPx=0)
        file = tmp_path / "trader.cfg"
        file.write_text(
            "[DEFAULT]\nConnectionType=initiator\nHeartBtInt=30\nReconnectInterval=1\n"
            f"StartTime=00:00:00\nEndTime=00:00:00\nFileStorePath={tmp_path}/store\n"
            "UseDataDictionary=N\n[SESSION]\nBeginString=FIX.4.4\nSenderCompID=ME\n"
            "TargetCompID=VENUE\nSocketConnectHost=127.0.0.1\n"
            f"SocketConnectPort={venue.port}\n", encoding="utf-8")
        assert output_of(script, file).splitlines()[-1] == b"A1 0"
        order = venue.expect("NewOrderSingle", OrderQty=100)
        assert order["Side"] == "1"
        logon = next(iter(venue.conversation)).message
        assert logon["Username"] == "me"
