#!/usr/bin/env python3
"""The programs of docs/guide/from-quickfix.md: first both as they were with QuickFIX, then with one
of them, or both, ported to NexusFIX. A ported program takes over the configuration and the file
store of the original, in their folder. The second run must be the first one again, message by
message, with the sequence numbers continued."""

import argparse
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path

from engines import schedule_keys
from fix_log import conduct_faults, read_log
from processes import Child, Failure, free_port

ROOT = str(Path(__file__).resolve().parents[3])
# BodyLength, CheckSum, MsgSeqNum, SendingTime, TransactTime.
CHANGING_TAGS = (9, 10, 34, 52, 60)
CONVERSATION = [("TRADER", "A"), ("VENUE", "A"), ("TRADER", "D"), ("VENUE", "8"), ("TRADER", "5"),
                ("VENUE", "5")]
SCENARIOS = {"venue": {"venue"}, "trader": {"trader"}, "both": {"venue", "trader"}}


def expect_equal(expected, actual, what):
    if expected != actual:
        raise Failure(f"{what}:\n{expected} expected,\n{actual} found")


class Side:
    """The venue or the trader: a folder with the configuration that both programs read."""

    def __init__(self, name, folder, programs, keys):
        self.name = name
        self.folder = os.path.join(folder, name)
        self.programs = programs
        self.keys = keys
        self.children = []
        self.read = 0  # messages of the log
        os.makedirs(os.path.join(self.folder, "store"))
        os.makedirs(os.path.join(self.folder, "log"))
        shutil.copy(os.path.join(ROOT, "dictionaries", "FIX44.xml"), self.folder)
        with open(os.path.join(ROOT, "examples", "from_quickfix", name + ".cfg"),
                  encoding="utf-8") as file:
            text = file.read()
        for key, value in keys.items():
            text, found = re.subn(rf"(?m)^{key}=.*$", f"{key}={value}", text)
            expect_equal(1, found, f"{key} in {name}.cfg")
        self.config = name + ".cfg"
        with open(os.path.join(self.folder, self.config), "w", encoding="utf-8") as file:
            file.write(text)

    def start(self, is_ported):
        program = self.programs["ported" if is_ported else "original"][self.name]
        name = f"{self.name}{len(self.children) + 1}"
        self.children.append(Child(name, [program, self.config], self.folder))
        return self.children[-1]

    def import_store(self):
        command = [self.programs["nexusfix"], "journal", "import", self.config, "--quickfix",
                   "store"]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=600,
                              check=False, stdin=subprocess.DEVNULL)
        if done.returncode != 0 or "next inbound 4, next outbound 4" not in done.stdout:
            raise Failure(f"journal import of {self.name}: {done.stdout}{done.stderr}")

    def new_messages(self):
        messages = read_log(os.path.join(self.folder, "log"))
        expect_equal([], conduct_faults(messages, self.name.upper()), f"conduct of {self.name}")
        recent, self.read = messages[self.read:], len(messages)
        return recent


def wait_for_listener(port, child):
    """QuickFIX uses a MsgSeqNum for each Logon that it cannot send, so the venue must be there."""
    for _ in range(6000):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return
        except ConnectionRefusedError:
            time.sleep(0.1)
        if child.process.poll() is not None:
            break
    raise Failure(f"{child.name} does not listen on port {port}")


def trade(venue, trader, ported):
    """Starts both, and ends the venue after the trader has ended. The messages of the run."""
    open_venue = venue.start("venue" in ported)
    wait_for_listener(venue.keys["SocketAcceptPort"], open_venue)
    open_trader = trader.start("trader" in ported)
    open_trader.expect(r"^order 1 filled$")
    expect_equal(0, open_trader.wait_exit(600), "status of the trader")
    if "venue" in ported:
        expect_equal(0, open_venue.terminate(), "status of the venue")
    else:
        open_venue.send_line("")
        expect_equal(0, open_venue.wait_exit(600), "status of the venue")
    messages = venue.new_messages()
    expect_equal([m.raw for m in messages], [m.raw for m in trader.new_messages()],
                 "the messages in the logs of both sides")
    expect_equal(CONVERSATION, [(m.get(49), m.type) for m in messages], "the conversation")
    return messages


def lasting_fields(message):
    return sorted(field for field in message.fields if field[0] not in CHANGING_TAGS)


def run(scenario, venue, trader):
    ported = SCENARIOS[scenario]
    before = trade(venue, trader, set())
    for side in (venue, trader):
        if side.name in ported:
            side.import_store()
    after = trade(venue, trader, ported)
    for old, new in zip(before, after):
        expect_equal(lasting_fields(old), lasting_fields(new), "the message of the ported program")
        expect_equal(old.number + 3, new.number, "MsgSeqNum")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scenario", choices=SCENARIOS)
    for side in ("venue", "trader"):
        parser.add_argument(f"--quickfix-{side}", required=True, help="the program for QuickFIX")
        parser.add_argument(f"--{side}", required=True, help="the ported program")
    parser.add_argument("--nexusfix", required=True, help="the nexusfix command")
    return parser.parse_args()


def sides_of(arguments, folder):
    programs = {"original": {"venue": arguments.quickfix_venue,
                             "trader": arguments.quickfix_trader},
                "ported": {"venue": arguments.venue, "trader": arguments.trader},
                "nexusfix": arguments.nexusfix}
    for program in programs["original"].values():
        if not os.path.isfile(program):
            raise Failure(f"{program} is missing: `make deps` installs QuickFIX, then configure "
                          "and build again")
    keys = schedule_keys()
    port = free_port()
    return (Side("venue", folder, programs, keys | {"SocketAcceptPort": port}),
            Side("trader", folder, programs, keys | {"SocketConnectPort": port,
                                                     "HttpAcceptPort": free_port(),
                                                     "ReconnectInterval": 1}))


def main():
    arguments = parse_arguments()
    folder = tempfile.mkdtemp(prefix="nexusfix-ported-")
    sides = ()
    try:
        sides = sides_of(arguments, folder)
        run(arguments.scenario, *sides)
        return 0
    except Failure as failure:
        print(f"FAILED: {failure}")
    except Exception:  # An error of the test itself must show the output of the processes, too.
        traceback.print_exc(file=sys.stdout)
    finally:
        for child in [child for side in sides for child in side.children]:
            child.end()
            print(f"--- {child.name} (pid {child.process.pid})\n{child.output()}")
        shutil.rmtree(folder, ignore_errors=True)
    return 1


if __name__ == "__main__":
    sys.exit(main())
