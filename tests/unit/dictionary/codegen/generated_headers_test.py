#!/usr/bin/env python3
"""Compiles all headers of a generated namespace in one piece, with the warnings that users turn on.

    generated_headers_test.py COMPILER FOLDER NAMESPACE INCLUDE...
"""

import subprocess
import sys
import tempfile
from pathlib import Path

WARNINGS = ("-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wold-style-cast "
            "-Werror").split()


def main():
    compiler, folder, name, *includes = sys.argv[1:]
    headers = sorted(Path(folder, "nexusfix", name).rglob("*.hpp"))
    if not headers:
        sys.exit(f"{folder} has no header of {name}")
    with tempfile.TemporaryDirectory(prefix="nexusfix-headers-") as temporary:
        source = Path(temporary, "all.cpp")
        source.write_text("".join(f"#include <{header.relative_to(folder)}>\n"
                                  for header in headers))
        return subprocess.run([compiler, "-std=c++23", "-fsyntax-only", *WARNINGS, f"-I{folder}",
                               *(f"-I{include}" for include in includes), source],
                              check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
