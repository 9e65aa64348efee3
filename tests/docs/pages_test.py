#!/usr/bin/env python3
"""Every command of the documents runs, and prints what its page shows.

    pages_test.py PATH/nexusfix [PAGE ...]
"""

import sys
import tempfile
from pathlib import Path

import console

ROOT = Path(__file__).resolve().parents[2]


def main():
    environment = console.environment_for(Path(sys.argv[1]).resolve(), ROOT)
    pages = [Path(name) for name in sys.argv[2:]] or [
        *sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
    failed = commands = 0
    for page in pages:
        text = page.read_text(encoding="utf-8")
        commands += sum(not step.file for step in console.steps_of(text))
        with tempfile.TemporaryDirectory() as folder:
            for line, problem in (console.unknown_commands(text, environment)
                                  + console.check_page(text, folder, environment)):
                failed += 1
                print(f"{page}:{line}: {problem}\n", flush=True)
    print(f"{commands} commands, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
