#!/usr/bin/env python3
"""The message log of a venue: 15_message_log_test.py EXAMPLE NEXUSFIX."""

import re
import signal
from pathlib import Path

from counterparty import Client, Example, main


def test(example, nexusfix, folder):
    log = Path(folder, "messages.log")
    with Example(example, "15_message_log.cfg", folder, arguments=[log]) as venue:
        with Client(nexusfix, folder, venue.port, "ALICE",
                    further="Username=alice\nPassword=secret") as alice:
            alice.send("35=B|148=hello|33=1|58=world")
            alice.quit()
        venue.process.send_signal(signal.SIGINT)
        if venue.process.wait() != 0:
            raise AssertionError("the venue has failed")
    text = log.read_text(encoding="utf-8")
    print(text)
    expected = (r"<FIX\.4\.4:VENUE->ALICE 8=FIX.*\|35=A\|.*\|553=alice\|554=\*\*\*\|.*\n"
                r">FIX\.4\.4:VENUE->ALICE 8=FIX.*\|35=A\|.*\n"
                r"<FIX\.4\.4:VENUE->ALICE 8=FIX.*\|35=B\|.*\|148=hello\|.*\n"
                r"<.*\|35=5\|.*\n>.*\|35=5\|.*\n")
    if not re.fullmatch(expected, text):
        raise AssertionError("the log has other messages")


main(test)
