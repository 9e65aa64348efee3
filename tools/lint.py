#!/usr/bin/env python3
"""Runs clang-tidy-19 with the checks of .clang-tidy.

    tools/lint.py                  sources and headers that differ from the branch main
    tools/lint.py --all            all of src, include, apps and the products: half an hour of CPU
    tools/lint.py FILE...          these
"""

import argparse
import concurrent.futures
import json
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import structure
from build import ROOT, Progress, job_count

FOLDERS = ("include/", "src/", "apps/", *structure.IN_PRODUCTS)
BUILD = ROOT / "build" / "lint"
DEFINITIONS = ["CMAKE_BUILD_TYPE=Release", "CMAKE_CXX_COMPILER=clang++-19", "NEXUSFIX_TESTS=OFF",
               "CMAKE_EXPORT_COMPILE_COMMANDS=ON", "NEXUSFIX_POSTGRES=ON", "NEXUSFIX_KAFKA=AUTO",
               "NEXUSFIX_NATS=AUTO", "NEXUSFIX_ARROW=AUTO"]
INCLUDE = re.compile(r'^#include [<"]([^">]+)[">]', re.MULTILINE)
OF_INCLUDE = re.compile(r"^(.*/)?include/|^src/|^apps/")
GENERATED = ("nexusfix_typed_messages", "src/dictionary/builtin_rows.cpp",
             "apps/nexusfix/build_facts.cpp")


def prepare(is_unity):
    """Returns the sources that the build compiles. is_unity: twenty sources at once, each header of
    which is read once. A source alone shows its own place."""
    definitions = [*DEFINITIONS, f"CMAKE_UNITY_BUILD={'ON' if is_unity else 'OFF'}",
                   "CMAKE_UNITY_BUILD_BATCH_SIZE=20"]
    for command in (["cmake", "-G", "Ninja", "-S", ROOT, "-B", BUILD,
                     *(f"-D{one}" for one in definitions)],
                    ["ninja", "-C", BUILD, f"-j{job_count()}", *GENERATED]):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(done.stdout + done.stderr)
    commands = json.loads((BUILD / "compile_commands.json").read_text(encoding="utf-8"))
    paths = (Path(one["file"]) for one in commands)
    return {path.relative_to(ROOT).as_posix() for path in paths if path.exists()}


def changed_files():
    """Files that differ from the branch main, and those that git does not know yet."""
    def names(*arguments):
        return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True,
                              check=True).stdout.split()
    base = names("merge-base", "HEAD", "main")[0]
    return names("diff", "--name-only", "--diff-filter=d", base) + names(
        "ls-files", "--others", "--exclude-standard")


def headers(folder):
    return [path.relative_to(ROOT).as_posix() for path in (ROOT / folder).rglob("*.hpp")]


def sources_of(files, compiled):
    """The compiled sources through which clang-tidy reads the files: for a header the source of its
    name, or else one that includes it, if only through other headers."""
    users = defaultdict(list)
    for name in sorted(compiled.union(header for folder in FOLDERS for header in headers(folder))):
        for included in INCLUDE.findall((ROOT / name).read_text(encoding="utf-8")):
            users[included].append(name)
    sources = {name for name in files if name in compiled}
    for name in files:
        near = [name] if name.endswith(".hpp") else []
        for header in near:  # which grows: the sources that include it come before those far away
            near += [user for user in users[OF_INCLUDE.sub("", header)] if user not in near]
        through = [one for one in near if one in compiled]
        through.sort(key=lambda source: (Path(source).stem != Path(name).stem,
                                        not source.startswith(FOLDERS)))
        if near and not through:
            print(f"lint: no source includes {name}")
        sources.update(through[:1])
    return sorted(sources)


def lint(sources):
    """Prints what clang-tidy reports, each place once. Returns the number of places."""
    progress = Progress(f"lint {len(sources)} sources")
    places = {}

    def run(name):
        return subprocess.run(["nice", "clang-tidy-19", "-p", BUILD, "--quiet", ROOT / name],
                              cwd=ROOT, capture_output=True, text=True, check=False)
    with concurrent.futures.ThreadPoolExecutor(job_count()) as pool:
        for count, done in enumerate(pool.map(run, sources), 1):
            progress.step(count, len(sources))
            for report in re.split(r"\n(?=\S+:\d+:\d+: (?:warning|error): )", "\n" + done.stdout):
                place = re.match(r"\S+:\d+:\d+: (?:warning|error): .*", report)
                if place and place[0] not in places:
                    places[place[0]] = None
                    print("\n" + report.strip().replace(f"{ROOT}/", ""))
            if done.returncode < 0 or (done.returncode > 0 and not done.stdout):
                sys.exit(f"{done.args[-1]}: ended with {done.returncode}\n{done.stderr}")
    progress.end(f"{len(places)} problems")
    return len(places)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("files", nargs="*", help="sources and headers (default: changed ones)")
    parser.add_argument("--all", action="store_true", help="all sources and headers")
    arguments = parser.parse_args()
    if arguments.all:
        made = ("build/lint/" + folder for folder in FOLDERS)
        wanted = (*FOLDERS, *made)
        sources = sorted(name for name in prepare(is_unity=True) if name.startswith(wanted))
        return 1 if lint(sources) else 0
    files = [name for name in arguments.files or changed_files() if name.startswith(FOLDERS)]
    sources = sources_of(files, prepare(is_unity=False)) if files else []
    return 1 if lint(sources) else 0


if __name__ == "__main__":
    sys.exit(main())
