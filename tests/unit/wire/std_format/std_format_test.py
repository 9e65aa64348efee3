#!/usr/bin/env python3
"""std::format, which g++ 12 does not have: std_format_test.py PROGRAM SOURCE MESSAGES WORK
COMPILER.

Compiles the program and the sources of base and wire with libc++, and runs it. As in the library,
the sources are compiled together, but those that CMakeLists.txt sets apart."""

import os
import re
import shutil
import subprocess
import sys
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

PROGRAM, SOURCE, MESSAGES, WORK, COMPILER = sys.argv[1:6]
SOURCE, WORK = Path(SOURCE), Path(WORK)
del sys.argv[1:]
LAUNCHER = [found] if (found := shutil.which("ccache")) else []
FLAGS = ["-std=c++23", "-stdlib=libc++", "-Wall", "-Wextra", "-Werror",
         "-ffunction-sections", f"-I{SOURCE}/include", f"-I{SOURCE}/src", f"-I{MESSAGES}"]


def run(*command):
    """The output of a command, which must succeed."""
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    output = ended.stdout + ended.stderr
    assert ended.returncode == 0, f"{command[-1]}: status {ended.returncode}\n{output}"
    return output


def compiled(path):
    target = WORK / f"{path.stem}.o"
    run(*LAUNCHER, COMPILER, *FLAGS, "-c", path, "-o", target)
    return target


def written_together(name, sources):
    path = WORK / f"{name}.cpp"
    # By paths that are the same in each clone, for ccache.
    path.write_text("".join(f'#include "{os.path.relpath(source, WORK)}"\n' for source in sources),
                    encoding="utf-8")
    return path


class StdFormatTest(unittest.TestCase):
    def test_values_messages_and_errors_are_formatted_as_to_string_writes_them(self):
        WORK.mkdir(parents=True, exist_ok=True)
        wire = SOURCE / "src" / "wire"
        lists = (wire / "CMakeLists.txt").read_text(encoding="utf-8")
        apart = [wire / name for name in re.search(r"nexusfix_apart\(([^)]+)\)", lists)[1].split()]
        kernels = sorted((wire / "kernels").glob("*.cpp"))
        others = [SOURCE / "src" / "base" / f"{name}.cpp"
                  for name in ("assert", "full_path", "printable_text", "secret", "utc_text")]
        others += sorted(set(wire.rglob("*.cpp")) - {*apart, *kernels})
        together = [written_together("kernels", kernels), written_together("others", others)]
        with ThreadPoolExecutor(2) as pool:
            objects = list(pool.map(compiled, [Path(PROGRAM), *together, *apart]))
        program = WORK / "std_format"
        run(COMPILER, "-stdlib=libc++", "-Wl,--gc-sections", *objects, "-o", program)
        self.assertEqual("", run(program))


if __name__ == "__main__":
    unittest.main()
