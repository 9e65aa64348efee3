"""The crate c/rust: its tests, and its example with `nexusfix serve`.

    rust_test.py CRATE LIBRARY_FOLDER TARGET_FOLDER [NEXUSFIX]
"""
import os
import shutil
import subprocess
import sys
from pathlib import Path

import example_test

SKIPPED = 77


def main(crate, libraries, target, nexusfix=None):
    cargo = shutil.which("cargo")
    if cargo is None:
        print("skipped: cargo is not installed")
        return SKIPPED
    os.environ.update({"NEXUSFIX_LIB_DIR": libraries, "LD_LIBRARY_PATH": libraries,
                       "CARGO_TARGET_DIR": target})
    for task in (["test"], ["build", "--examples"]):
        if subprocess.run([cargo, *task, "--offline"], cwd=crate).returncode != 0:
            return 1
    if nexusfix is None:
        return 0
    return example_test.main(nexusfix, str(Path(target, "debug", "examples", "order")))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
