"""An example trades through `nexusfix gateway`, and another one reads the journal afterwards:

    gateway_example_test.py NEXUSFIX EXAMPLE READ_LOG
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "clients" / "tests"))
from world import LIMIT_S, TOKEN, World  # noqa: E402  pylint: disable=wrong-import-position


def main(nexusfix, example, read_log):
    for door in ([], ["memory"]):
        with tempfile.TemporaryDirectory(prefix="nxf") as folder:
            world = World(nexusfix, folder)
            try:
                world.start_gateway()
                ran = subprocess.run([example, world.socket, "desk", TOKEN, *door],
                                     capture_output=True, text=True, timeout=LIMIT_S)
            finally:
                world.close()
            read = subprocess.run([read_log, f"{folder}/gateway"], capture_output=True, text=True,
                                  timeout=LIMIT_S)
        print(ran.stdout + ran.stderr + read.stdout + read.stderr)
        if read.returncode != 0 or "D 1\n" not in read.stdout:
            return 1
        if ran.returncode != 0 or not re.search(r"OrderID \S+, OrdStatus \S+\n", ran.stdout):
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
