#!/usr/bin/env python3
"""Installs the Python packages of `nexusfix export`, for its build and its test.

    columns.py          installs what is missing, and prints the path of the Python that has it

The Arrow project builds its C++ library for the package pyarrow; logs/columns/arrow.cmake links it.
"""

import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WANTED = ROOT / "tools" / "columns" / "requirements.txt"
WORK = ROOT / "build" / "columns"


def main():
    wanted = WANTED.read_text(encoding="utf-8")
    stamp = WORK / "installed.txt"
    python = WORK / "venv" / "bin" / "python3"
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != wanted:
        venv.create(WORK / "venv", with_pip=True, clear=True)
        done = subprocess.run([python, "-m", "pip", "install", "--quiet", "--retries", "1",
                               "--disable-pip-version-check", "-r", WANTED],
                              stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode != 0:
            sys.exit(done.stderr)
        stamp.write_text(wanted, encoding="utf-8")
    print(python)


if __name__ == "__main__":
    main()
