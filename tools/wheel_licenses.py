"""Puts the license of each library that a wheel contains into the wheel."""

import base64
import hashlib
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import package

ROOT = Path(__file__).resolve().parents[1]
OWN = ("LICENSE", "NOTICE")
GRAFTED = re.compile(r"nexusfix\.libs/(lib.+?)-[0-9a-f]{8,}(\.so[.\d]*)$")


def grafted_packages(names, root):
    """Debian's packages of the shared libraries that auditwheel has put into the wheel."""
    libraries = {found[1] + found[2] for found in map(GRAFTED.match, names) if found}
    paths = [path for path in Path(root).glob("usr/lib/*/*") if path.name in libraries]
    found = {os.path.realpath(path) for path in paths}
    done = subprocess.run(["dpkg", "-S", *sorted(found)], capture_output=True, text=True,
                          check=False)
    return {line.partition(":")[0] for line in done.stdout.splitlines()}


def nanobind_texts(tools):
    """The licenses of nanobind and of robin-map, whose code is compiled into the module."""
    asked = subprocess.run([tools, "-c", "import nanobind; print(nanobind.__path__[0])"],
                           capture_output=True, text=True, check=True)
    folder = Path(asked.stdout.strip())
    [own] = folder.parent.glob("nanobind-*.dist-info/licenses/LICENSE")
    # The license of robin-map is the comment at the begin of its header.
    header = (folder / "ext/robin_map/include/tsl/robin_map.h").read_bytes()
    return {"nanobind": own.read_bytes(), "robin-map": header.partition(b"*/")[0] + b"*/\n"}


def texts_for(wheel, tree, tools, root="/"):
    """The license texts of a wheel by name. tree: the build whose libraries are linked. root: the
    Debian that has them; another than "/" was unpacked for a cross compiler."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    if root == "/":
        packages = {*package.Packager.linked(tree, "nexusfix_python"),
                    *grafted_packages(names, root)}
        texts = package.licenses_of(sorted(packages))
    else:
        texts = {path.parent.name: path.read_bytes()
                 for path in Path(root).glob("usr/share/doc/*/copyright")}
    own = {name: (ROOT / name).read_bytes() for name in OWN}
    return own | {f"{name}.txt": text for name, text in {**texts, **nanobind_texts(tools)}.items()}


def record_line(name, data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}\n"


def add(wheel, texts):
    """Writes the wheel again with the texts in its dist-info/licenses, which METADATA names."""
    with zipfile.ZipFile(wheel) as archive:
        entries = [(one, archive.read(one)) for one in archive.infolist()
                   if "/licenses/" not in one.filename]
    [metadata] = [one.filename for one, _ in entries
                  if one.filename.endswith(".dist-info/METADATA")]
    folder = metadata.rpartition("/")[0]
    record, licenses = f"{folder}/RECORD", f"{folder}/licenses"
    date = next(one.date_time for one, _ in entries if one.filename == metadata)
    changed = []
    for one, data in entries:
        if one.filename == metadata:
            head, blank, body = data.decode().partition("\n\n")
            lines = [line for line in head.splitlines() if not line.startswith("License-File:")]
            lines += [f"License-File: {name}" for name in sorted(texts)]
            data = ("\n".join(lines) + blank + body).encode()
        if one.filename != record:
            changed.append((one, data))
    for name in sorted(texts):
        one = zipfile.ZipInfo(f"{licenses}/{name}", date)
        one.external_attr = 0o644 << 16
        one.compress_type = zipfile.ZIP_DEFLATED
        changed.append((one, texts[name]))
    lines = [record_line(one.filename, data) for one, data in changed if not one.is_dir()]
    one = zipfile.ZipInfo(record, date)
    one.external_attr = 0o644 << 16
    one.compress_type = zipfile.ZIP_DEFLATED
    changed.append((one, ("".join(lines) + f"{record},,\n").encode()))
    written = Path(wheel).with_suffix(".written")
    with zipfile.ZipFile(written, "w") as archive:
        for one, data in changed:
            archive.writestr(one, data)
    written.replace(wheel)
    print(f"wheels: {Path(wheel).name} has {len(texts)} license files", file=sys.stderr)
