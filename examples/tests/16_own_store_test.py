#!/usr/bin/env python3
"""A venue over SQLite that is killed: 16_own_store_test.py EXAMPLE NEXUSFIX."""

from pathlib import Path

from counterparty import Client, Example, main


def test(example, nexusfix, folder):
    for run in (0, 1):
        with Example(example, "16_own_store.cfg", folder,
                     arguments=[Path(folder, "fix.db")]) as venue:
            with Client(nexusfix, folder, venue.port, "ALICE") as alice:
                alice.send(f"35=D|11=A{run}|55=AAPL|54=1|38=100|40=1|60=now")
                # A Logon and a report in each run: the numbers and the ExecIDs go on.
                # The venue resends the first one if ALICE was killed before it was recorded.
                alice.wait_for(rf"^< .*\|35=8\|34={2 * run + 2}\|.*\|17={run + 1}\|")
                venue.kill()


main(test)
