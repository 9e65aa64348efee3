#!/usr/bin/env python3
"""Writes the sources of session, engine and store with every deliberate bug of mutations.json, each
of which one variable enables, and a table of their names.

    mutate.py MUTATIONS.json SOURCE_ROOT OUTPUT_FOLDER

The product's own sources are only read, and stay unchanged.
"""

import json
import sys
from pathlib import Path

LAYERS = ("session", "engine", "store")


def mutated(text, mutation, index):
    for find, replacement in mutation["edits"]:
        if text.count(find) != 1:
            sys.exit(f"mutations.json: {mutation['name']}: {mutation['file']} has this text "
                     f"{text.count(find)} times, not once: {find!r}")
        text = text.replace(find, replacement.replace("MUTATED", f"NEXUSFIX_MUTATED({index})"))
    return text


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def main():
    mutations = json.loads(Path(sys.argv[1]).read_text())
    root, output = Path(sys.argv[2]), Path(sys.argv[3])
    texts = {path.relative_to(root).as_posix(): path.read_text()
             for layer in LAYERS for path in sorted((root / "src" / layer).rglob("*.cpp"))}
    for index, mutation in enumerate(mutations, 1):
        texts[mutation["file"]] = mutated(texts[mutation["file"]], mutation, index)
    for name, text in texts.items():
        write(output / name, text)
    rows = "".join(f'    {{"{m["name"]}", "{m["bug"]}", {m.get("world", 1)}}},\n'
                   for m in mutations)
    write(output / "mutations.inl", rows)


if __name__ == "__main__":
    main()
