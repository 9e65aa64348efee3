#!/usr/bin/env python3
"""Writes facts/<source>/<version>.facts from the public dictionaries that ours are compared with.

    make_facts.py [--sources FOLDER]

Sources: QuickFIX/J's message artefacts 2.3.2 and the FIX Trading Community's fix-standard 1.5.4,
fetched by Maven, and QuickFIX 1.16.0, whose source package pip fetches. --sources is a folder that
already holds these jars and quickfix-1.16.0.tar.gz. Only facts are taken: tags, names, types,
values, and what holds what.
"""

import argparse
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import zipfile

import facts

FOLDER = pathlib.Path(__file__).parent / "facts"
VERSIONS = ("FIX40", "FIX41", "FIX42", "FIX43", "FIX44", "FIX50", "FIX50SP1", "FIX50SP2", "FIXT11")
ORCHESTRA = {"FIX42": "FixRepository42.xml", "FIX44": "FixRepository44.xml",
             "FIX50SP2": "OrchestraFIXLatest.xml"}
MAVEN = [("org.quickfixj", f"quickfixj-messages-{version.lower()}", "2.3.2")
         for version in VERSIONS]
MAVEN.append(("io.fixprotocol.orchestrations", "fix-standard", "1.5.4"))
QUICKFIX = "quickfix-1.16.0"


def fetch(folder):
    for artefact in MAVEN:
        subprocess.run(["mvn", "-q", "-B", "dependency:copy", f"-DoutputDirectory={folder}",
                        f"-Dartifact={':'.join(artefact)}"], check=True)
    subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--no-binary",
                    ":all:", "-d", folder, QUICKFIX.replace("-", "==")], check=True)


def sources(folder):
    """(source, version, XML) of each."""
    for version in VERSIONS:
        with zipfile.ZipFile(folder / f"quickfixj-messages-{version.lower()}-2.3.2.jar") as jar:
            yield "quickfixj-2.3.2", version, jar.read(f"{version}.xml")
    with tarfile.open(folder / f"{QUICKFIX}.tar.gz") as archive:
        for version in VERSIONS:
            yield QUICKFIX, version, archive.extractfile(f"{QUICKFIX}/spec/{version}.xml").read()
    with zipfile.ZipFile(folder / "fix-standard-1.5.4.jar") as jar:
        for version, name in ORCHESTRA.items():
            yield "orchestra-1.5.4", version, jar.read(name)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--sources", type=pathlib.Path, help="folder; default: fetched")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.sources or pathlib.Path(temporary)
        if not options.sources:
            fetch(folder)
        for source, version, text in sources(folder):
            path = FOLDER / source / f"{version}.facts"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(facts.write(facts.read_xml(text)), encoding="utf-8")


if __name__ == "__main__":
    main()
