#!/usr/bin/env python3
"""Writes facts/<source>/<version>.facts from the public dictionaries that ours are compared with.

    make_facts.py [--sources FOLDER]

The sources are those of dictionaries/sources.py. --sources names a folder that already contains
the files. Copies only facts: tags, names, types, values and members.
"""

import argparse
import pathlib
import sys
import tempfile

import facts

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parents[2] / "dictionaries"))
import sources  # noqa: E402

FOLDER = HERE / "facts"
ORCHESTRA = {"FIX42": "FixRepository42.xml", "FIX44": "FixRepository44.xml",
             "FIX50SP2": "OrchestraFIXLatest.xml"}


def all_facts(folder):
    """(source, version, facts) of each."""
    for version in sources.VERSIONS:
        yield (f"quickfixj-{sources.QUICKFIXJ}", version,
               facts.read_xml(sources.quickfixj(folder, version)))
        yield sources.QUICKFIX, version, facts.read_xml(sources.quickfix(folder, version))
    for version, name in ORCHESTRA.items():
        yield "orchestra-1.5.4", version, facts.read_xml(sources.orchestra(folder, name))
    for version, root in sources.repository(folder).items():
        yield "repository-2010", version, facts.read_repository(root)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--sources", type=pathlib.Path, help="folder; default: fetched")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.sources or pathlib.Path(temporary)
        if not options.sources:
            sources.fetch_all(folder)
        for source, version, read in all_facts(folder):
            path = FOLDER / source / f"{version}.facts"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(facts.write(read), encoding="utf-8")


if __name__ == "__main__":
    main()
