#!/usr/bin/env python3
"""Checks the rules of STYLE.md that a program can check. Prints `path:line: what` for each breach.

    tools/tidy.py                  the whole tree; status 1 when a rule is broken
    tools/tidy.py --list-sources   the C++ files, for clang-format
    tools/tidy.py --format         that clang-format-19 would change nothing
    tools/tidy.py --verbose        with the warnings, which are only counted otherwise
"""

import argparse
import functools
import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import mutants
import pages
import structure
from pages import line_of

# Row may include column; every layer may include itself. The last rows are the products beside the
# core, each with the layers and products whose public headers it includes.
LAYERS = {
    "base": set(),
    "deferred": {"base"},
    "wire": {"base"},
    "dictionary": {"base", "wire"},
    "session": {"base", "wire", "dictionary"},
    "store": {"base"},
    "transport": {"base"},
    "observe": {"base", "deferred"},
    "config": {"base", "wire", "dictionary", "session", "store", "transport", "observe"},
    "control": {"base", "deferred", "wire", "session", "store", "transport", "observe", "config"},
    "engine": {"base", "wire", "dictionary", "session", "store", "transport", "observe",
               "deferred", "config", "control"},
    "catalog": {"base", "wire", "dictionary"},
    "coroutine": {"base", "wire", "engine"},
    "journal": {"base", "store"},
    "logger": {"base", "deferred"},
    "logs": {"base", "wire", "dictionary", "session", "store", "transport", "observe", "config",
             "engine", "catalog", "explanation", "journal"},
    "explanation": {"base", "wire", "dictionary"},
    "http": {"base"},
    "passwords": {"base", "transport", "config", "engine"},
    "proxy": {"base", "transport"},
    "stream": {"base", "wire", "store", "observe", "console", "http", "journal", "logs"},
    "python": {"base", "wire", "dictionary", "session", "store", "transport", "observe", "config",
               "deferred", "control", "engine", "catalog", "explanation", "logs", "passwords",
               "simulator"},
    "c": {"base", "wire", "dictionary", "session", "store", "transport", "observe", "config",
          "engine", "catalog", "explanation", "gateway", "logs", "passwords", "proxy"},
    "simulator": {"base", "wire", "dictionary", "session", "store", "transport", "observe",
                  "config", "control", "engine"},
    "console": {"base", "wire", "dictionary", "session", "store", "transport", "observe", "config",
                "control", "engine"},
    "cluster": {"base", "wire", "session", "store", "transport", "observe", "config", "control",
                "engine", "http", "journal", "proxy"},
    "clients": set(),  # other languages
    "gateway": {"base", "wire", "dictionary", "session", "store", "transport", "observe", "config",
                "engine", "journal"},
    "tester": {"base", "wire", "session", "transport", "observe", "config", "engine"},
    "venue": {"base", "wire", "dictionary", "session", "store", "transport", "observe", "config",
              "control", "engine"},
    "record_store": {"base", "store"},
    "testing": {"base", "store"},
    "venues": {"base", "wire", "session", "transport", "observe", "config", "engine", "proxy",
               "tester", "venue"},
    "wasm": {"base", "wire", "dictionary", "explanation", "logs"},
}
# Made from a dictionary at build time: base and wire are all that they need.
GENERATED = re.compile(r"fix(t11|4[0-4]|50(sp[12])?)")
# Public headers that are named for what users look for, and not for their layer.
LAYER_OF_HEADER = {"settings": "config", "statistics": "control"}
PURE_LAYERS = {"wire", "session"}
# The private headers of the command that a product includes, and why.
PRODUCT_READS = {
    "logs": {
        "nexusfix/command.hpp": "the list of subcommands, and how arguments are parsed",
        "nexusfix/dictionary/field_names.hpp": "arguments name fields and values",
        "nexusfix/dictionary/named_dictionary.hpp": "an argument names a version or a file",
        "nexusfix/dictionary/own_dictionary.hpp": "--dict",
        "nexusfix/files/engine_options.hpp": "replay opens an engine",
        "nexusfix/files/interrupt.hpp": "Ctrl-C ends the reading of a log",
        "nexusfix/files/write_file.hpp": "bench --json",
        "nexusfix/help/pager.hpp": "output on a terminal",
        "nexusfix/help/read_progress.hpp": "output on a terminal",
        "nexusfix/journal/archive/journal_archive.hpp": "a journal is read as a log",
        "nexusfix/journal/journal_summary.hpp": "a journal is read as a log",
        "nexusfix/messages/decoded_message.hpp": "messages for people",
        "nexusfix/messages/print_message.hpp": "messages for people",
        "nexusfix/run/bench_of_log.hpp": "bench --from",
        "nexusfix/text/json.hpp": "output of all subcommands",
        "nexusfix/text/text.hpp": "output of all subcommands",
    },
    "stream": {
        "nexusfix/command.hpp": "the list of subcommands, and how arguments are parsed",
        "nexusfix/dictionary/field_names.hpp": "arguments name fields",
        "nexusfix/events/explain.hpp": "explain describes the metrics of a stream",
        "nexusfix/files/engine_options.hpp": "the part of the program that reads a database",
        "nexusfix/files/interrupt.hpp": "a signal ends a stream",
        "nexusfix/files/journal_locator.hpp": "an argument names a journal or a configuration",
        "nexusfix/files/settings_loader.hpp": "otlp reads where an engine shows its metrics",
        "nexusfix/journal/archive/journal_archive.hpp": "archived segments are streamed, too",
        "nexusfix/text/text.hpp": "output of all subcommands",
    },
    "gateway": {
        "nexusfix/command.hpp": "the list of subcommands, and how arguments are parsed",
        "nexusfix/files/engine_options.hpp": "gateway opens an engine",
        "nexusfix/files/journal_locator.hpp": "the folder of the journal",
        "nexusfix/files/settings_loader.hpp": "gateway reads a configuration",
        "nexusfix/run/serve_until_ended.hpp": "gateway opens an engine again after a hand-over",
    },
    "tester": {
        "nexusfix/command.hpp": "the list of subcommands, and how arguments are parsed",
        "nexusfix/files/interrupt.hpp": "Ctrl-C ends a run, whose report is whole",
        "nexusfix/files/settings_loader.hpp": "--config",
        "nexusfix/files/write_file.hpp": "--junit and --html",
    },
    "venue": {
        "nexusfix/command.hpp": "the list of subcommands, and how arguments are parsed",
        "nexusfix/dictionary/field_names.hpp": "rules name fields and values",
        "nexusfix/files/engine_options.hpp": "serve and trade open an engine",
        "nexusfix/files/journal_locator.hpp": "--dump-book",
        "nexusfix/files/settings_loader.hpp": "serve and trade read a configuration",
        "nexusfix/files/write_file.hpp": "--book",
        "nexusfix/journal/journal_summary.hpp": "the demonstration compares two journals",
        "nexusfix/messages/print_message.hpp": "the demonstration shows messages",
        "nexusfix/run/serve_until_ended.hpp": "serve opens an engine again after a hand-over",
        "nexusfix/text/json.hpp": "the book for scripts",
        "nexusfix/text/text.hpp": "the times of trade",
    },
    "venues": {
        "nexusfix/command.hpp": "the list of subcommands, and how arguments are parsed",
        "nexusfix/files/engine_options.hpp": "serve --venue opens an engine",
        "nexusfix/files/interrupt.hpp": "Ctrl-C ends a certification, whose report is whole",
    },
    "wasm": {
        "nexusfix/messages/decoded_message.hpp": "the fields of a message, faulty or not",
        "nexusfix/messages/print_message.hpp": "messages for people",
        "nexusfix/text/json.hpp": "orders as the command prints them",
    },
    "python": {
        "nexusfix/dictionary/named_dictionary.hpp": "the name of a version, and session messages",
        "nexusfix/messages/print_message.hpp": "repr() prints a message as decode does",
    },
    "console": {
        "nexusfix/command.hpp": "the list of subcommands, and how arguments are parsed",
        "nexusfix/control/engine_place.hpp": "--engine, as ctl has it",
        "nexusfix/control/engine_report.hpp": "which sessions need attention",
        "nexusfix/files/interrupt.hpp": "a signal ends the live screen",
        "nexusfix/events/explain.hpp": "explain describes the metrics",
        "nexusfix/text/json.hpp": "output of all subcommands",
        "nexusfix/text/text.hpp": "output of all subcommands",
    },
    "cluster": {
        "nexusfix/command.hpp": "its subcommands",
        "nexusfix/files/settings_loader.hpp": "its subcommands read a configuration",
        "nexusfix/files/interrupt.hpp": "front-door ends at Ctrl-C",
        "nexusfix/text/json.hpp": "cluster status --json",
        "nexusfix/text/text.hpp": "the table of cluster status",
    },
}

SKIPPED_FOLDERS = {".git", "__pycache__", "target", ".cache"}
SKIPPED_AT_ROOT = {"build"}  # elsewhere it is the name of a module
CPP_SUFFIXES = {".cpp", ".hpp"}
TEXT_SUFFIXES = CPP_SUFFIXES | {".py", ".sh", ".md", ".cmake", ".txt", ".json", ".in", ".java",
                                ".xml", ".cfg", ".yml", ".yaml"}
TEXT_NAMES = {"Makefile", "run", ".clang-format", ".editorconfig", ".gitignore", ".gitattributes"}
# Made from public facts by a script, or bytes for a test: their lines are as long as they are.
DATA_FOLDERS = ("dictionaries/", "docs/images/order.txt", "tests/random/fuzz/corpus/",
                "tests/random/fuzz/regressions/")

LINE_COLUMNS_MAX = 100
FILE_LINES_WARN = 500
FILE_LINES_SOFT = 800
FUNCTION_LINES_MAX = 70
# Above a function that is one flat switch: it may be longer than the others.
FLAT_SWITCH_MARK = "tidy: flat switch"

# The resources that a simulator must control, and the only files that may use the operating system
# for them.
SEAMS = [
    ("the time", r"src/base/system_clock\.cpp",
     r"\b(clock_gettime|gettimeofday|steady_clock|high_resolution_clock|sleep_for|sleep_until"
     r"|usleep|nanosleep|__rdtsc\w*)\b|\bsystem_clock\s*::\s*now\b"
     r"|(?<![\w.>])(std::)?time\s*\(\s*(nullptr|NULL|0|&\w+)\s*\)"),
    ("random numbers", r"src/base/random\.cpp",
     r"\b(getrandom|random_device|s?rand|random_shuffle|arc4random\w*|mt19937(_64)?)\b\s*[({]"
     r"|\b(random_device|mt19937(_64)?)\b|\bgetentropy\b"),
    # The network's file keeps /dev/null open, to have a descriptor when there are none left. The
    # clock's file reads the kernel's clock source. A local socket has a path, also that of the
    # gateway. Shared memory has a name, and two processes.
    ("files", r"src/base/(posix_disk|map_file|system_clock)\.cpp"
     r"|src/transport/(tcp/socket_calls|local/local_socket)\.cpp"
     r"|gateway/(ring/ring_file|door/socket_door)\.cpp",
     r"(?<!\w)::(open|openat|creat|rename|unlink)\s*\(|\b(fopen|freopen|mmap|munmap|mkstemp)\s*\("
     r"|\b(ofstream|ifstream|fstream)\b|#\s*include\s*<fstream>"),
    # The gateway serves processes of this machine by Unix sockets. One byte by such a socket wakes
    # the other side of a ring in shared memory.
    ("the network", r"src/transport/\w+/\w+\.(cpp|hpp)"
     r"|gateway/(ring/client_ring|attach/frame_socket|door/(ring|socket)_\w+)\.cpp",
     r"(?<!\w)::(socket|accept4?|connect|bind|listen|recv\w*|send\w*)\s*\("
     r"|(?<![\w.>:])(socket|accept4|epoll_create1?|epoll_wait|getaddrinfo)\s*\("
     r"|#\s*include\s*<sys/(socket|epoll)\.h>"),
]
SEAM_FOLDERS = ("include/", "src/", "apps/", "examples/", "tools/", *structure.IN_PRODUCTS)

# Written in pieces, so that this file does not break its own rule.
UNFINISHED = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b|\bnot (yet )?impl" r"emented\b"
                        r"|\bDISA" r"BLED_|\bGTEST_" r"SKIP\(\)\s*;")
TICKET = re.compile(r"\b(tic" r"ket|iss" r"ue)[ _#-]*\d+", re.IGNORECASE)
MACHINE_PATH = re.compile(r"(?<![\w./~}>-])/(ho" r"me|wo" r"rk|ro" r"ot|Us" r"ers)/\w")
REGISTRY = re.compile(r"\b(repo1?\.mav" r"en|registry\.npm" r"js|py" r"pi\.org|proxy\.gol" r"ang)")
TEXT_RULES = [(UNFINISHED, "finish it, or leave it out"),
              (TICKET, "say the reason itself, not its number elsewhere"),
              (MACHINE_PATH, "a path of one machine"),
              (REGISTRY, "the user's own settings name the registry")]
VAGUE_NAME = re.compile(r"(^|_)(utils?|helpers?|common|manager|misc)(_|$)")

RULES_IN_CODE = [
    (r"^[ \t]*//\s*[-=*#~/]{4,}", "a banner line says nothing"),
    (r"\busing\s+namespace\s+std\b(?!::)", "write std:: where it is used"),
    (r"(?<![\w.>])v?printf\s*\(\s*(?=[^\s\"])|\bfprintf\s*\(\s*[^,()]+,\s*(?=[^\s\"])"
     r"|\bsnprintf\s*\(\s*[^,]+,\s*[^,]+,\s*(?=[^\s\"])|\bfmt::runtime\b|\bfmt::vformat\b",
     "a format must be a literal: outside text is an argument, never the format"),
]
# In comments: clang-tidy reads them.
SILENCE_WITHOUT_REASON = (r"//[^\n]*?\bNOLINT(?!\w*\([a-z][\w.-]*(?:, [a-z][\w.-]*)*\): \w)",
                          "write NOLINT(check): why the code stays as it is")
RULES_IN_HOT_LAYERS = [
    (r"\bstd::function\b", "std::function allocates: use nexusfix::FunctionRef or a plain pointer"),
]
RULES_IN_PURE_LAYERS = [
    (r"\bthrow\b(?!\s*\()", "an error is a value here: std::expected"),
    (r"#\s*include\s*<(thread|mutex|atomic|iostream|functional|future|filesystem)>",
     "neither threads nor streams nor std::function here"),
]
HOT_LAYERS = PURE_LAYERS | {"deferred", "store", "engine", "cluster"}
RULES_IN_CMAKE = [
    (r"(?<![\w-])-m(arch|cpu|tune|avx|sse|bmi)\w*",
     "no instruction set by flag: a kernel uses a target region, so that one binary runs anywhere"),
    (r"(?<!DISCOVERY_)\bTIMEOUT\b",
     "no limit of a test's own: tools/run_tests.py has one for all, and it is for hangs"),
    (r"^[ \t]*(add_compile_options|add_definitions|include_directories|link_libraries)\s*\(",
     "flags belong to a target, PRIVATE"),
]

INCLUDE = re.compile(r"^[ \t]*#\s*include\s*([<\"])([^>\"]+)[>\"]", re.MULTILINE)
COMMENT_OR_STRING = re.compile(
    r"//[^\n]*|/\*.*?\*/|R\"(?P<d>[^()\s\\]{0,16})\(.*?\)(?P=d)\"|\"(?:\\.|[^\"\\\n])*\""
    r"|(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])+'", re.DOTALL)


@functools.cache
def blank_out(text, keep_includes=False):
    """The code with comments and the contents of literals replaced by blanks: same lines, same
    columns, so that a position found in it is one in the file."""
    def blank(match):
        found = match[0]
        if found[0] == '"' or found[0] == "R":
            start = text.rfind("\n", 0, match.start()) + 1
            if keep_includes and text[start:match.start()].lstrip().startswith("#"):
                return found
            return '"' + re.sub(r"[^\n]", " ", found[1:-1]) + '"'
        return re.sub(r"[^\n]", " ", found)
    return COMMENT_OR_STRING.sub(blank, text)


class Tree:
    """The files below a root, and their problems."""

    def __init__(self, root):
        self.root = root
        self.problems = []
        self.warnings = []
        self.texts = {}
        paths = []
        for folder, folders, names in os.walk(root):
            folders[:] = set(folders) - SKIPPED_FOLDERS
            if Path(folder) == Path(root):
                folders[:] = set(folders) - SKIPPED_AT_ROOT
            paths += [Path(folder, name) for name in names]
        for path in sorted(paths):
            if path.is_file():
                name = path.relative_to(root).as_posix()
                if path.suffix in TEXT_SUFFIXES or path.name in TEXT_NAMES:
                    # As bytes, so that a carriage return is seen and not translated.
                    self.texts[name] = path.read_bytes().decode("utf-8", errors="replace")
                else:
                    self.texts.setdefault(name, None)

    def problem(self, name, line, what):
        self.problems.append(f"{name}:{line}: {what}")

    def matches(self, name, text, pattern, what, flags=re.MULTILINE):
        for match in re.finditer(pattern, text, flags):
            self.problem(name, line_of(text, match.start()), what)

    def of_suffix(self, suffixes, folders=("",)):
        for name, text in self.texts.items():
            if text is not None and Path(name).suffix in suffixes and name.startswith(folders):
                yield name, text


def layer_of(name):
    """The layer whose public or private folder holds the file, or the product."""
    product, *rest = Path(name).parts
    if product in structure.PRODUCTS:
        return product if rest[0] != "tests" else None
    match = re.match(r"(?:include/nexusfix|src)/(\w+)(?:/|\.hpp$)", name)
    layer = LAYER_OF_HEADER.get(match[1], match[1]) if match else None
    return layer if layer in LAYERS else None


def check_text(tree):
    for name, text in tree.texts.items():
        if text is None or name.startswith(DATA_FOLDERS):
            continue
        suffix = Path(name).suffix
        lines = text.split("\n")
        rules = [rule for rule in TEXT_RULES if rule[0].search(text)]
        if text and not text.endswith("\n"):
            tree.problem(name, len(lines), "the last line does not end")
        if "\r" in text:
            tree.problem(name, line_of(text, text.index("\r")), "lines end with a line feed alone")
        for number, line in enumerate(lines, 1):
            if line.rstrip() != line.rstrip("\r"):
                tree.problem(name, number, "blanks at the end of the line")
            if "\t" in line and Path(name).name != "Makefile":
                tree.problem(name, number, "a tab")
            if len(line) > LINE_COLUMNS_MAX and not line_may_be_long(suffix, line):
                tree.problem(name, number, f"{len(line)} columns, {LINE_COLUMNS_MAX} at most")
            for pattern, what in rules:
                if pattern.search(line):
                    tree.problem(name, number, f"'{pattern.search(line)[0]}': {what}")
        if suffix in CPP_SUFFIXES | {".py", ".sh", ".cmake", ".java"} or name == "CMakeLists.txt":
            structure.check_size(tree, name, len(lines) - 1, FILE_LINES_SOFT, "lines")
            if FILE_LINES_SOFT >= len(lines) - 1 > FILE_LINES_WARN:
                tree.warnings.append(f"{name}: {len(lines) - 1} lines, more than {FILE_LINES_WARN}")


def line_may_be_long(suffix, line):
    """Tables and links of Markdown cannot be broken, nor can a message's bytes in a text, nor the
    formula of a configuration."""
    if suffix == ".cfg" and line.startswith("LogonSignature="):
        return True
    return suffix in {".xml", ".json"} or (suffix == ".md" and ("|" in line or "](" in line))


def check_names(tree):
    for name in tree.texts:
        for part in Path(name).parts:
            if VAGUE_NAME.search(Path(part).stem.lower()):
                tree.problem(name, 1, f"'{part}' says nothing: name it for the one thing it holds")


def check_includes(tree):
    owners = {name.split("/include/", 1)[1]: layer_of(name) for name in tree.texts
              if name.startswith(structure.IN_PRODUCTS) and "/include/" in name}
    for name, text in tree.of_suffix(CPP_SUFFIXES):
        public = name.startswith("include/") or name.split("/", 1)[-1].startswith("include/")
        layer = layer_of(name)
        for match in INCLUDE.finditer(blank_out(text, keep_includes=True)):
            what = include_problem(name, layer, public, match[1], match[2], owners)
            if what:
                tree.problem(name, line_of(text, match.start(1)), what)


def include_problem(name, layer, public, bracket, included, owners):
    """owners: the product of each of the public headers that are not of the core."""
    parts = Path(included).parts
    if included in PRODUCT_READS.get(layer, {}):
        return None
    if parts[0] == "nexusfix":
        target = Path(parts[1]).stem if len(parts) == 2 else parts[1]
        target = owners.get(included, LAYER_OF_HEADER.get(target, target))
        if layer is None or target == layer:
            return None
        if GENERATED.fullmatch(target):
            is_example = name.endswith("/example.cpp")
            return (None if layer in ("engine", "venue") or is_example else
                    f"{layer} may not include generated messages")
        if target not in LAYERS[layer]:
            return f"layer {layer} may not include {target}"
        return None
    if public and bracket == '"':
        return "a public header includes <nexusfix/...> and the standard library only"
    if layer == "testing" and included == "gtest/gtest.h":  # for users who have GoogleTest
        return None
    if public and not re.fullmatch(r"[a-z_0-9]+|[a-z]mmintrin\.h|arm_neon\.h", included):
        return f"a public header includes no third party: <{included}>"
    if bracket == '"' and parts[0] in LAYERS and len(parts) > 1:
        if parts[0] in structure.PRODUCTS and parts[0] in LAYERS.get(layer, ()):
            return None
        is_shown = parts[1] == "api"  # a layer shows it to the layers above it, and to no user
        if layer is not None and parts[0] != layer and not (is_shown and
                                                            parts[0] in LAYERS[layer]):
            return f"a private header of {parts[0]} is for {parts[0]} alone"
        # The generator is the dictionary layer's other half: it makes one of its sources. The
        # benchmark compares kernels, and only there can one be named.
        if name.startswith("bench/") and included == "wire/kernels/kernel_table.hpp":
            return None
        # The rows gateway/* measure both sides of a gateway.
        if name.startswith("bench/engine/") and parts[0] == "gateway":
            return None
        is_test = name.startswith("tests/") or name.split("/", 1)[-1].startswith("tests/")
        if layer is None and is_shown and name.startswith(("apps/", "bench/")):
            return None
        if layer is None and not is_test and not name.startswith("tools/codegen/"):
            return "only public headers here: <nexusfix/...>"
    return None


def check_code(tree):
    for name, text in tree.of_suffix(CPP_SUFFIXES):
        code = blank_out(text)
        layer = layer_of(name)
        rules = list(RULES_IN_CODE[1:])
        rules += RULES_IN_HOT_LAYERS if layer in HOT_LAYERS else []
        rules += RULES_IN_PURE_LAYERS if layer in PURE_LAYERS else []
        for pattern, what in rules:
            tree.matches(name, code, pattern, what)
        tree.matches(name, text, *RULES_IN_CODE[0])
        tree.matches(name, text, *SILENCE_WITHOUT_REASON)
        if name.endswith(".hpp") and not name.endswith(".inl.hpp") and "#pragma once" not in text:
            tree.problem(name, 1, "#pragma once is missing")
        if name.startswith(SEAM_FOLDERS) and not structure.is_product_test(name):
            for seam, allowed, pattern in SEAMS:
                if not re.fullmatch(allowed, name):
                    tree.matches(name, code, pattern,
                                 f"for {seam} there is a seam (base/clock, random, disk; "
                                 "transport/network), so that a simulator can own it")
        check_function_lengths(tree, name, text, code)


def check_function_lengths(tree, name, text, code):
    """Finds functions by their braces: a block after a parameter list, outside any other block."""
    open_blocks = []  # (kind, line of its head)
    head_start = 0
    lines = text.split("\n")
    for match in re.finditer(r"[{};]", code):
        position = match.start()
        if match[0] == "{":
            head = code[head_start:position]
            inside = any(kind == "function" for kind, _ in open_blocks)
            kind = "block" if inside else block_kind(head)
            first = head_start + len(head) - len(head.lstrip())
            open_blocks.append((kind, line_of(code, first)))
            if kind == "initialiser":
                continue  # The head of the function continues after it.
        elif match[0] == "}" and open_blocks:
            kind, first_line = open_blocks.pop()
            if kind == "initialiser":
                continue
            length = line_of(code, position) - first_line + 1
            if kind == "function" and length > FUNCTION_LINES_MAX:
                above = "\n".join(lines[max(0, first_line - 4):first_line])
                if FLAT_SWITCH_MARK not in above:
                    tree.problem(name, first_line, f"a function of {length} lines, "
                                                   f"{FUNCTION_LINES_MAX} at most")
        elif open_blocks and open_blocks[-1][0] == "initialiser":
            continue
        head_start = position + 1


def block_kind(head):
    """The kind of a block, by the text before its brace."""
    head = re.sub(r"^[ \t]*#.*$", "", head, flags=re.MULTILINE).strip()
    flat = head
    while "(" in flat and flat != (shorter := re.sub(r"\([^()]*\)", "<>", flat)):
        flat = shorter
    if re.match(r"(namespace|class|struct|union|enum|extern)\b", flat) or "<>" not in flat:
        return "container"
    if re.search(r">\s*(class|struct|union)\s+\w+", flat):
        return "container"
    if "(" in flat or ("operator" not in flat and re.search(r"(?<![=<>!])=(?!=)", flat)):
        return "container"
    if re.search(r"<>\s*(noexcept\s*)?:(?!:)", flat) and re.search(r"[\w]$", flat):
        return "initialiser"
    return "function"


def check_cmake(tree):
    for name, text in tree.texts.items():
        if text is None or not (name.endswith((".cmake", "CMakeLists.txt", "Presets.json"))):
            continue
        code = re.sub(r"#.*", "", text)
        for pattern, what in RULES_IN_CMAKE:
            tree.matches(name, code, pattern, what)


def check_dead_sources(tree):
    """A .cpp that no CMakeLists.txt names is never compiled. A CMakeLists.txt in its folder or
    above uses its name, any other its path."""
    everything = "\n".join(t for n, t in tree.texts.items() if n.endswith("CMakeLists.txt"))
    for name, _ in tree.of_suffix({".cpp"}):
        path = Path(name)
        near = "\n".join(tree.texts.get((folder / "CMakeLists.txt").as_posix()) or ""
                         for folder in path.parents)
        suffixes = re.findall(r"\$\{\w+\}(\w*\.cpp)", near)
        words = [path.name, *(path.name.removesuffix(s) for s in suffixes if path.name.endswith(s))]
        found = any(re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", near) for word in words)
        if not found and f"{path.parent.name}/{path.name}" not in everything:
            tree.problem(name, 1, "no CMakeLists.txt names this file: build it or delete it")


def check_mutants(tree):
    """Each bug of `make mutants` is planted at one place of its source."""
    tree.problems += mutants.stale_entries(tree.root)


CHECKS = [check_text, check_names, check_includes, check_code, check_cmake, check_dead_sources,
          check_mutants, pages.check_markdown, pages.check_words,
          pages.check_names]


def check_tree(root):
    tree = Tree(root)
    for check in CHECKS:
        check(tree)
    structure.check_structure(tree, blank_out)
    return tree


def list_sources(root):
    return [name for name, _ in Tree(root).of_suffix(CPP_SUFFIXES)]


def sums_of_sources(root, program):
    """The C++ files with a sum of all that their format depends on."""
    version = subprocess.run([program, "--version"], capture_output=True, check=True).stdout
    settings = hashlib.sha256(version + (root / ".clang-format").read_bytes())
    sums = {}
    for name in list_sources(root):
        one = settings.copy()
        one.update(f"\n{name}\n".encode() + (root / name).read_bytes())
        sums[name] = one.hexdigest()
    return sums


def check_format(root):
    """Sources that have passed before are not read by clang-format again."""
    program = shutil.which("clang-format-19")
    if program is None:
        print("clang-format-19 is not installed: make deps", file=sys.stderr)
        return 1
    sums, passed = sums_of_sources(root, program), root / "build" / "formatted.txt"
    known = set(passed.read_text(encoding="utf-8").split()) if passed.exists() else set()
    names = [name for name, one in sums.items() if one not in known]
    result = subprocess.run([program, "--dry-run", "-Werror", *names], cwd=root, input="",
                            capture_output=True, text=True, check=False)
    if result.returncode == 0:
        passed.parent.mkdir(exist_ok=True)
        passed.write_text("\n".join(sums.values()) + "\n", encoding="utf-8")
    places = re.findall(r"^(.+?:\d+):\d+: error: code should be", result.stderr, re.MULTILINE)
    for name in sorted({place.rsplit(":", 1)[0] for place in places}):
        first = next(place for place in places if place.startswith(name + ":"))
        print(f"{first}: make format would change it")
    if result.returncode != 0 and not places:
        print(result.stderr)
    return result.returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent,
                        help="check this tree (default: the tree of this file)")
    parser.add_argument("--list-sources", action="store_true",
                        help="print the C++ files, for clang-format")
    parser.add_argument("--format", action="store_true",
                        help="check that clang-format-19 would change nothing")
    parser.add_argument("--verbose", action="store_true", help="print the warnings, too")
    arguments = parser.parse_args()
    if arguments.list_sources:
        print("\n".join(list_sources(arguments.root)))
        return 0
    if arguments.format:
        return check_format(arguments.root)
    tree = check_tree(arguments.root)
    if arguments.verbose:
        for warning in tree.warnings:
            print(f"warning: {warning}")
    for problem in tree.problems:
        print(problem)
    hint = "" if arguments.verbose or not tree.warnings else " (--verbose shows them)"
    print(f"tidy: {len(tree.texts)} files, {len(tree.problems)} problems, "
          f"{len(tree.warnings)} warnings{hint}")
    return 1 if tree.problems else 0


if __name__ == "__main__":
    sys.exit(main())
