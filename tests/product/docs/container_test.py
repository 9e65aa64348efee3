#!/usr/bin/env python3
"""The image of share/container/Containerfile has every library that the command loads.

    container_test.py PATH/nexusfix
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SKIPPED = 77
IN_EVERY_IMAGE = {"libc6", "libgcc-s1", "libstdc++6"}
# The image is built without the PostgreSQL store and without the streams to Kafka and NATS.
NOT_IN_THE_IMAGE = {"libnats3.4", "libpq5", "librdkafka1"}


def libraries_of(program):
    """Without those of the Arrow project, which `make install` leaves out."""
    shown = subprocess.run(["readelf", "-d", program], text=True, capture_output=True, check=True)
    return [name for name in re.findall(r"\(NEEDED\).*\[(.*)\]", shown.stdout)
            if not name.startswith(("libarrow.", "libparquet."))]


def package_of(library):
    for folder in ("/lib", "/usr/lib"):
        done = subprocess.run(["dpkg", "-S", f"{folder}/*/{library}"], text=True,
                              capture_output=True, check=False)
        if done.returncode == 0:
            return done.stdout.split(":")[0]
    raise LookupError(f"no package has {library}")


def main():
    system = Path("/etc/os-release").read_text(encoding="utf-8")
    if shutil.which("dpkg") is None or 'VERSION_ID="12"' not in system:
        print("skipped: the image is a Debian 12, and this is another system")
        return SKIPPED
    text = (ROOT / "share/container/Containerfile").read_text(encoding="utf-8")
    image = set(text.rsplit("FROM ", 1)[1].split())
    needed = {package_of(library) for library in libraries_of(sys.argv[1])}
    missing = needed - image - IN_EVERY_IMAGE - NOT_IN_THE_IMAGE
    print(f"{len(needed)} packages, missing: {', '.join(sorted(missing)) or 'none'}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
