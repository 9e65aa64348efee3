"""The binary interface of libnexusfix_c.so: the header, the version script and the library have
the same functions; and abidiff finds no change of a function, a struct or a constant of the header
since c/abi/nexusfix.abi was written.

    interface_test.py symbols HEADER MAP LIBRARY
    interface_test.py abi HEADER REFERENCE COMPILER
    interface_test.py write HEADER REFERENCE COMPILER     after an intended addition

abidiff reads a library of one function, whose argument has a pointer to each function of the
header, each struct, and an array of the size of each constant: handles are opaque there, as for a
user.
"""
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SKIPPED = 77


def code_of(header):
    return re.sub(r"/\*.*?\*/", "", Path(header).read_text(), flags=re.S)


def declared(header):
    return set(re.findall(r"\b(nxf_\w+)\(", code_of(header)))


def mapped(version_script):
    return set(re.findall(r"^\s+(nxf_\w+);", Path(version_script).read_text(), flags=re.M))


def exported(library):
    lines = subprocess.run(["nm", "-D", "--defined-only", library], check=True, text=True,
                           capture_output=True).stdout.splitlines()
    names = {}
    for line in lines:
        kind, name = line.split()[-2:]
        if kind == "A":  # the version itself
            continue
        symbol, _, version = name.partition("@@")
        names[symbol] = version
    return names


def check_symbols(header, version_script, library):
    in_header, in_map, in_library = declared(header), mapped(version_script), exported(library)
    wrong = [f"{name}: the header declares it, and the version script lacks it"
             for name in sorted(in_header - in_map)]
    wrong += [f"{name}: the version script names it, and the header lacks it"
              for name in sorted(in_map - in_header)]
    wrong += [f"{name}: the library lacks it" for name in sorted(in_map - set(in_library))]
    wrong += [f"{name}: the library shows it, and is not to"
              for name in sorted(set(in_library) - in_map)]
    wrong += [f"{name}: its version is '{version}'" for name, version in sorted(in_library.items())
              if not re.fullmatch(r"NEXUSFIX_\d+\.\d+", version)]
    print("\n".join(wrong) or f"{len(in_map)} functions")
    return 1 if wrong else 0


def everything(header):
    """C code whose one function has all that the header declares in its argument."""
    code = code_of(header)
    members = [f"  __typeof__(&{name}) {name};" for name in sorted(declared(header))]
    members += [f"  {name} of_{name};" for name in re.findall(r"^} (nxf_\w+);", code, flags=re.M)]
    members += [f"  char {name}[({name}) + 1];" for block in re.findall(r"enum {(.*?)}", code, re.S)
                for name in re.findall(r"\b(NXF_\w+) *=", block)]
    return "\n".join([f'#include "{Path(header).resolve()}"', "struct everything {", *members, "};",
                      "void nxf_everything(struct everything* all) { (void)all; }", ""])


def with_library(header, compiler, use):
    with tempfile.TemporaryDirectory() as folder:
        source, library = Path(folder, "everything.c"), Path(folder, "libeverything.so")
        source.write_text(everything(header))
        subprocess.run([compiler, "-std=gnu11", "-g", "-shared", "-fPIC",
                        f"-ffile-prefix-map={folder}=.", source, "-o", library], check=True)
        return use(library)


def needs(tool):
    if platform.machine() != "x86_64":
        print("skipped: c/abi/nexusfix.abi has the sizes of x86-64")
        return False
    if shutil.which(tool):
        return True
    print(f"skipped: {tool} is not installed; Debian's package is abigail-tools")
    return False


def write(header, reference, compiler):
    if not needs("abidw"):
        return SKIPPED
    return with_library(header, compiler, lambda library: subprocess.run(
        ["abidw", "--no-corpus-path", "--no-comp-dir-path", "--no-show-locs",
         "--out-file", reference, library], check=True).returncode)


def check_abi(header, reference, compiler):
    if not needs("abidiff"):
        return SKIPPED
    found = with_library(header, compiler, lambda library: subprocess.run(
        ["abidiff", reference, library], text=True, capture_output=True))
    print(found.stdout + found.stderr)
    return 0 if found.returncode == 0 else 1


def main(task, *arguments):
    return {"symbols": check_symbols, "abi": check_abi, "write": write}[task](*arguments)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
