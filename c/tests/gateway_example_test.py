"""An example trades through `nexusfix gateway`: gateway_example_test.py NEXUSFIX EXAMPLE"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "clients" / "tests"))
from world import LIMIT_S, TOKEN, World  # noqa: E402  pylint: disable=wrong-import-position


def main(nexusfix, example):
    for door in ([], ["memory"]):
        with tempfile.TemporaryDirectory(prefix="nxf") as folder:
            world = World(nexusfix, folder)
            try:
                world.start_gateway()
                ran = subprocess.run([example, world.socket, "desk", TOKEN, *door],
                                     capture_output=True, text=True, timeout=LIMIT_S)
            finally:
                world.close()
        print(ran.stdout + ran.stderr)
        if ran.returncode != 0 or not re.search(r"OrderID \S+, OrdStatus \S+\n", ran.stdout):
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
