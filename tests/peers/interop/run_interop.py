#!/usr/bin/env python3
"""Runs one interop scenario; exits with 0 if it holds. README.md describes the parts."""

import argparse
import os
import shutil
import sys
import tempfile
import traceback

from engines import Arena
from processes import Failure
from scenarios import SCENARIOS

ENGINES = ("nexusfix", "quickfix", "quickfixj")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scenario", choices=SCENARIOS)
    parser.add_argument("--peer", choices=ENGINES[1:], required=True)
    parser.add_argument("--subject", choices=ENGINES, default="nexusfix",
                        help="the engine under test")
    parser.add_argument("--mover", choices=ENGINES[1:], default="quickfix",
                        help="change_engines: the engine whose store moves to ours and back")
    parser.add_argument("--version", default="FIX.4.4")
    parser.add_argument("--nexusfix", help="the nexusfix command")
    parser.add_argument("--quickfix", help="the QuickFIX peer program")
    parser.add_argument("--quickfixj", help="the folder of the QuickFIX/J peer's jar files")
    parser.add_argument("--tls", action="store_true",
                        help="protected, both sides with certificates: ours and QuickFIX/J's")
    parser.add_argument("--keep", action="store_true", help="do not remove the folder")
    return parser.parse_args()


def programs(arguments):
    """The command line of each engine of the scenario; a Failure names what is missing."""
    commands = {}
    engines = {arguments.peer, arguments.subject}
    if arguments.scenario == "change_engines":
        engines.add(arguments.mover)
    for engine in engines:
        path = getattr(arguments, engine) or ""
        program = os.path.join(path, "quickfixj-peer.jar") if engine == "quickfixj" else path
        if not os.path.isfile(program):
            raise Failure(f"{engine} is missing ({program}): `make deps` installs what the peers "
                          "need, then configure and build again")
        commands[engine] = [path]
        if engine == "quickfixj":
            jars = program + ":" + os.path.join(path, "lib", "*")
            # Few threads, little memory, and the fast compiler: many scenarios run at once on
            # small machines.
            commands[engine] = ["java", "-Xmx128m", "-XX:+UseSerialGC",
                                "-XX:TieredStopAtLevel=1", "-cp", jars, "Peer"]
    return commands


def run(arguments, folder):
    arena = None
    try:
        arena = Arena(folder, programs(arguments), arguments.peer, arguments.subject,
                      arguments.version, arguments.mover, arguments.tls)
        SCENARIOS[arguments.scenario](arena)
        return True
    except Failure as failure:
        print(f"FAILED: {failure}")
    except Exception:  # An error of the test itself must show the output of the processes, too.
        traceback.print_exc(file=sys.stdout)
    finally:
        if arena:
            arena.end()
    print_evidence(arena, folder)
    return False


def print_evidence(arena, folder):
    if not arena:
        return
    print(arena.report())
    for base, _, names in sorted(os.walk(os.path.join(folder, "peer", "log"))):
        for name in sorted(names):
            with open(os.path.join(base, name), encoding="latin-1") as file:
                lines = file.read().replace("\x01", "|").splitlines()
            print(f"--- {name}, last lines of {len(lines)}", *lines[-60:], sep="\n")


def main():
    arguments = parse_arguments()
    folder = tempfile.mkdtemp(prefix="nexusfix-interop-")
    try:
        return 0 if run(arguments, folder) else 1
    finally:
        if arguments.keep:
            print("folder kept:", folder)
        else:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
