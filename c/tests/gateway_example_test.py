"""An example trades twice through `nexusfix gateway`, and is refused as an observer. Another one
reads the journal afterwards:

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
                ran, again, refused = [
                    subprocess.run([example, world.socket, name, TOKEN, *door],
                                   capture_output=True, text=True, timeout=LIMIT_S, check=False)
                    for name in ("desk", "desk", "watch")]
            finally:
                world.close()
            read = subprocess.run([read_log, f"{folder}/gateway"], capture_output=True, text=True,
                                  timeout=LIMIT_S)
        print(*(one.stdout + one.stderr for one in (ran, again, refused, read)))
        if read.returncode != 0 or "D 2\n" not in read.stdout:
            return 1
        if not all(re.search(r"OrderID \S+, OrdStatus 0\n", one.stdout) for one in (ran, again)):
            return 1
        if refused.returncode != 1 or refused.stderr != "refused: an observer sends nothing\n":
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
