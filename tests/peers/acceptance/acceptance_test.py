#!/usr/bin/env python3
"""Plays acceptance scripts against acceptance_server.

    acceptance_test.py --server PROGRAM --scripts FOLDER --derived FOLDER [--only REGEX]

The folder of the scripts has run_defs.py, which plays them, and the folders fix42 and fix50sp2; the
environment variable NEXUSFIX_ACCEPTANCE_SCRIPTS names another folder. derive_scripts.py makes
scripts of the other versions in the second folder. These and our own scripts are played, too.
Without the scripts the status is 77: skipped.
"""

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
SKIPPED = 77
# The longest version takes about 50 s, most of it heartbeats; folders are played side by side.
PLAY_SECONDS = 1100
JOBS = 12


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--server", required=True, type=Path)
    parser.add_argument("--scripts", required=True, type=Path)
    parser.add_argument("--derived", required=True, type=Path)
    parser.add_argument("--only", help="scripts whose folder/name matches")
    options = parser.parse_args()
    given = os.environ.get("NEXUSFIX_ACCEPTANCE_SCRIPTS")
    if given:
        options.scripts = Path(given)
    return options


def folders_to_play(options):
    """The scripts in the folder, and derived ones for the missing versions."""
    if options.derived.exists():
        shutil.rmtree(options.derived)
    subprocess.run([sys.executable, "-B", HERE / "derive_scripts.py", options.scripts,
                    options.derived], check=True)
    given = [folder for folder in sorted(options.scripts.iterdir())
             if folder.name.startswith("fix") and any(folder.glob("*.def"))]
    names = {folder.name for folder in given}
    derived = [folder for folder in sorted(options.derived.iterdir()) if folder.name not in names]
    return given + derived + [folder for folder in sorted((HERE / "scripts").iterdir())]


def play(options, player):
    server = subprocess.Popen([options.server, "0"], stdin=subprocess.DEVNULL, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        first_line = server.stdout.readline()
        if not first_line.startswith("listening on port "):
            print(f"{options.server} does not listen: {first_line!r}", file=sys.stderr)
            return 1
        port = first_line.split()[-1]
        command = [sys.executable, "-B", player, "--defs", *folders_to_play(options),
                   "--port", port, "--jobs", str(JOBS), "--brief"]
        if options.only:
            command += ["--only", options.only]
        return subprocess.run(command, check=False, timeout=PLAY_SECONDS).returncode
    finally:
        server.terminate()
        status = server.wait(30)
        print(f"server ended with status {status}")


def main():
    options = arguments()
    player = options.scripts / "run_defs.py"
    if not player.is_file():
        print(f"skipped: the folder of the scripts has no {player.name}; "
              "NEXUSFIX_ACCEPTANCE_SCRIPTS names one")
        return SKIPPED
    return play(options, player)


if __name__ == "__main__":
    sys.exit(main())
