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

ROOT = Path(__file__).resolve().parents[2]
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


def check(nexusfix, page):
    """Prints the problems of a page. Returns the number of them."""
    environment = console.environment_for(Path(nexusfix).resolve(), ROOT)
    text = page.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        problems = [*commands.Commands(environment).problems_of_page(text),
                    *console.check_page(text, folder, environment)]
    for line, problem in problems:
        print(f"{page}:{line}: {problem}\n", flush=True)
    return len(problems)


def check_help(nexusfix, pages):
    """Prints the problems of the help texts. Returns the number of them."""
    environment = console.environment_for(Path(nexusfix).resolve(), ROOT)
    problems = list(commands.Commands(environment).problems_of_help(
        [page.read_text(encoding="utf-8") for page in pages]))
    for problem in problems:
        print(problem, flush=True)
    return len(problems)


def main():
    if sys.argv[1] == INSIDE:
        enable_loopback()
        return 1 if check(sys.argv[2], Path(sys.argv[3])) else 0
    nexusfix = sys.argv[1]
    all_pages = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md")),
                 ROOT / "examples" / "README.md"]
    pages = [Path(name) for name in sys.argv[2:]] or all_pages
    own_network = can_have_own_network()
    failed = check_help(nexusfix, all_pages)
    count = 0
    for page in pages:
        steps = console.steps_of(page.read_text(encoding="utf-8"))
        count += sum(not step.file for step in steps)
        if own_network and steps:
            run = [*OWN_NETWORK, sys.executable, "-B", __file__, INSIDE, nexusfix, str(page)]
            failed += subprocess.run(run, check=False).returncode != 0
        else:
            failed += check(nexusfix, page) != 0
    print(f"{len(pages)} pages with {count} commands, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
