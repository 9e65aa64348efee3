#!/usr/bin/env python3
"""Makes the npm package of the WebAssembly module: its folder, and the archive that npm installs.

    make_package.py MODULE VERSION FOLDER ARCHIVE

The archive is what `npm pack` makes of the folder, without npm: two runs give the same bytes.
"""

import gzip
import io
import json
import shutil
import sys
import tarfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ROOT / "wasm" / "npm"
# The module contains parts of these; Debian has their licenses there.
LIBRARIES = ("libfmt-dev", "nlohmann-json3-dev", "libc++-19-dev-wasm32", "wasi-libc")
DOCUMENTS = Path("/usr/share/doc")
MODIFIED = 499162500  # seconds: the time that npm gives each file, 1985-10-26


def make_folder(module, version, folder):
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(SOURCES, folder)
    shutil.copy(module, folder / "nexusfix.wasm")
    for name in ("LICENSE", "NOTICE"):
        shutil.copy(ROOT / name, folder / name)
    (folder / "licenses").mkdir()
    for library in LIBRARIES:
        text = DOCUMENTS / library / "copyright"
        if text.is_file():
            shutil.copyfile(text, folder / "licenses" / f"{library}.txt")
        else:
            print(f"make_package: there is no {text}: add the license before you publish",
                  file=sys.stderr)
    settings = json.loads((SOURCES / "package.json").read_text(encoding="utf-8"))
    settings["version"] = version
    (folder / "package.json").write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")


def make_archive(folder, archive):
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            entry = tarfile.TarInfo(f"package/{path.relative_to(folder).as_posix()}")
            entry.size, entry.mtime, entry.mode = path.stat().st_size, MODIFIED, 0o644
            with path.open("rb") as file:
                tar.addfile(entry, file)
    archive.write_bytes(gzip.compress(raw.getvalue(), 9, mtime=0))


def main():
    module, version, folder, archive = sys.argv[1:]
    make_folder(Path(module), version, Path(folder))
    make_archive(Path(folder), Path(archive))


if __name__ == "__main__":
    main()
