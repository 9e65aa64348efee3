#!/usr/bin/env python3
"""Every command of the documents runs, and prints what its page shows; a command
that a test cannot run exists, with its options.

    pages_test.py PATH/nexusfix [PAGE ...]

A page has a network of its own, where the system permits it: its ports are free.
"""

import fcntl
import socket
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import commands
import console

ROOT = Path(__file__).resolve().parents[3]
OWN_NETWORK = ["unshare", "--user", "--map-current-user", "--keep-caps", "--net", "--"]
INSIDE = "--inside"
SIOCSIFFLAGS = 0x8914
IFF_UP = 1


def can_have_own_network():
    try:
        return subprocess.run([*OWN_NETWORK, "true"], capture_output=True,
                              check=False).returncode == 0
    except FileNotFoundError:
        return False


def enable_loopback():
    with socket.socket() as any_socket:
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", IFF_UP))


def report(page, problems):
    """Prints the problems of a page. Returns the number of them."""
    problems = list(problems)
    for line, problem in problems:
        print(f"{page}:{line}: {problem}\n", flush=True)
    return len(problems)


def run(environment, page):
    """Runs the commands of a page. Returns the number of problems."""
    with tempfile.TemporaryDirectory() as folder:
        return report(page, console.check_page(page.read_text(encoding="utf-8"), folder,
                                               environment))


def check_help(known, pages):
    """Prints the problems of the help texts. Returns the number of them."""
    problems = list(known.problems_of_help([page.read_text(encoding="utf-8") for page in pages]))
    for problem in problems:
        print(problem, flush=True)
    return len(problems)


def main():
    nexusfix = sys.argv[2] if sys.argv[1] == INSIDE else sys.argv[1]
    environment = console.environment_for(Path(nexusfix).resolve(), ROOT)
    if sys.argv[1] == INSIDE:
        enable_loopback()
        return 1 if run(environment, Path(sys.argv[3])) else 0
    known = commands.Commands(environment)
    all_pages = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md")),
                 ROOT / "examples" / "README.md"]
    pages = [Path(name) for name in sys.argv[2:]] or all_pages
    own_network = can_have_own_network()
    failed = check_help(known, all_pages)
    count = 0
    for page in pages:
        text = page.read_text(encoding="utf-8")
        steps = console.steps_of(text)
        count += sum(not step.file for step in steps)
        broken = report(page, known.problems_of_page(text)) != 0
        if own_network and steps:
            inside = [*OWN_NETWORK, sys.executable, "-B", __file__, INSIDE, nexusfix, str(page)]
            broken |= subprocess.run(inside, check=False).returncode != 0
        else:
            broken |= run(environment, page) != 0
        failed += broken
    print(f"{len(pages)} pages with {count} commands, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
