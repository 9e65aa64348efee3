#!/usr/bin/env python3
"""Removes the journal of a running venue, in every durability mode: its folder is deleted, renamed
or replaced by a copy, its segment unlinked or truncated. No client is connected, so nothing is
appended meanwhile. The venue must stop by itself, with an ALARM that names the path.

    folder_test.py --nexusfix PATH

Prints how long each took: at most two seconds are promised, on a machine that is not busy.
"""

import argparse
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

from crash_test import Failure, Process, free_port

MODES = ("none", "process", "group", "sync")


def delete(journal):
    shutil.rmtree(journal)


def rename(journal):
    journal.rename(journal.with_name("elsewhere"))


def replace(journal):
    copy = journal.with_name("copy")
    # Not the control socket.
    shutil.copytree(journal, copy, ignore=shutil.ignore_patterns("control"))
    rename(journal)
    copy.rename(journal)


def unlink(journal):
    (journal / "0000000001.journal").unlink()


def cut(journal):
    os.truncate(journal / "0000000001.journal", 4096)


def remove_session(nexusfix, folder, mode, how):
    journal = folder / "journal"
    (folder / "venue.cfg").write_text(
        "[DEFAULT]\nConnectionType=acceptor\nSocketAcceptHost=127.0.0.1\n"
        f"SocketAcceptPort={free_port()}\nFileStorePath={journal}\nJournalDurability={mode}\n"
        "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=TRADER\n")
    log = folder / "venue.log"
    venue = Process("venue", [nexusfix, "serve", str(folder / "venue.cfg")], log)
    try:
        venue.wait_for(lambda line: True if line.startswith("listening on port") else None)
        begin = time.monotonic()
        how(journal)
        venue.end(expected=1)
        seconds = time.monotonic() - begin
    finally:
        if venue.process.poll() is None:
            venue.kill()
    alarms = [line for line in log.read_text().split("\n") if "ALARM" in line]
    if len(alarms) != 1 or str(journal) not in alarms[0]:
        raise Failure(f"{mode}, {how.__name__}: one alarm with the path is expected: {alarms}")
    print(f"{mode}, {how.__name__}: stopped after {seconds:.2f} s: {alarms[0]}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--nexusfix", required=True)
    options = parser.parse_args()
    for mode in MODES:
        for how in (delete, rename, replace, unlink, cut):
            folder = Path(tempfile.mkdtemp(prefix="nexusfix-folder-"))
            try:
                remove_session(options.nexusfix, folder, mode, how)
            except Failure as failure:
                print(f"FAILED: {failure}; {folder} is kept")
                return 1
            shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
