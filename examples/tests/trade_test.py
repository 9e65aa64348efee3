#!/usr/bin/env python3
"""Runs two examples against each other: trade_test.py ACCEPTOR INITIATOR [LINE [LAST_LINE]]. LINE
is the expected line of the initiator, LAST_LINE the acceptor's last one. The system chooses the
acceptor's port. The test waits only for the programs' output and end."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

SETTINGS = """[DEFAULT]
ConnectionType={kind}
{place}
HeartBtInt=30
FileStorePath={store}
[SESSION]
BeginString=FIX.4.4
SenderCompID={sender}
TargetCompID={target}
"""


def main():
    acceptor_program, initiator_program, *expected = sys.argv[1:]
    expected = expected or ["order 1 filled"]
    last_line = ""
    with tempfile.TemporaryDirectory() as folder:
        venue, trader = Path(folder, "venue.cfg"), Path(folder, "trader.cfg")
        venue.write_text(SETTINGS.format(kind="acceptor", place="SocketAcceptPort=0",
                                         store=Path(folder, "venue"), sender="VENUE",
                                         target="TRADER"), encoding="utf-8")
        with subprocess.Popen([acceptor_program, venue], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True) as acceptor:
            try:
                port = next(match[1] for line in acceptor.stderr
                            if (match := re.search(r"listening on .* port (\d+)", line)))
                place = f"SocketConnectHost=127.0.0.1\nSocketConnectPort={port}"
                trader.write_text(SETTINGS.format(kind="initiator", place=place,
                                                  store=Path(folder, "trader"), sender="TRADER",
                                                  target="VENUE"), encoding="utf-8")
                result = subprocess.run([initiator_program, trader], capture_output=True,
                                        text=True, timeout=600, check=False)
                if len(expected) > 1:
                    last_line = acceptor.stdout.readline().rstrip("\n")
            finally:
                acceptor.kill()
    print(result.stdout, result.stderr, last_line, sep="")
    is_valid = result.stdout == expected[0] + "\n" and [last_line] == (expected[1:] or [""])
    return 0 if result.returncode == 0 and is_valid else 1


if __name__ == "__main__":
    sys.exit(main())
