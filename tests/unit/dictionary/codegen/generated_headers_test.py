#!/usr/bin/env python3
"""Compiles all headers of a generated namespace in one piece, with the warnings that users turn on.

    generated_headers_test.py COMPILER FOLDER NAMESPACE WORK INCLUDE...
"""

import shutil
import subprocess
import sys
from pathlib import Path

LAUNCHER = [found] if (found := shutil.which("ccache")) else []

WARNINGS = ("-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wold-style-cast "
            "-Werror").split()


def main():
    compiler, folder, name, work, *includes = sys.argv[1:]
    headers = sorted(Path(folder, "nexusfix", name).rglob("*.hpp"))
    if not headers:
        sys.exit(f"{folder} has no header of {name}")
    source = Path(work, f"all_{name}.cpp")  # always the same one, for ccache
    source.parent.mkdir(parents=True, exist_ok=True)
    source.write_text("".join(f"#include <{header.relative_to(folder)}>\n" for header in headers),
                      encoding="utf-8")
    return subprocess.run([*LAUNCHER, compiler, "-std=c++23", *WARNINGS, f"-I{folder}",
                           *(f"-I{include}" for include in includes), "-c", source,
                           "-o", source.with_suffix(".o")], check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
