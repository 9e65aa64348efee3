#!/usr/bin/env python3
"""The compilation cost of typed messages, compared with an empty program.

    tools/compile_cost.py                           print a table, of a release build
    tools/compile_cost.py --lines-max fix44=N ...   end with 1 if a program reads more lines
    tools/compile_cost.py --includes-max engine.hpp=N ...
        end with 1 if the header includes more lines of public headers, itself among them

A program reads three messages, some of their fields and a group. The times are CPU seconds, user
and system, the minimum of five runs with -O2. The lines are those after the preprocessor, without
those of <nexusfix/wire/typed_read.hpp>: they depend on no machine and no standard library.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RUNS = 5
FIXED = {"empty": "int main() {}\n",
         "typed_read": "#include <nexusfix/wire/typed_read.hpp>\n"}
PROGRAM = """#include <nexusfix/{ns}/execution_report.hpp>
#include <nexusfix/{ns}/new_order_single.hpp>
#include <nexusfix/{ns}/order_cancel_request.hpp>

namespace fix = nexusfix::{ns};

std::size_t read(const nexusfix::wire::MessageView& view) {{
  std::size_t bytes = 0;
  if (const auto order = view.as<fix::NewOrderSingle>()) {{
    bytes += order->cl_ord_id().value.size() + (order->side() == fix::Side::Buy ? 1 : 0);
    if (const auto price = order->price()) bytes += price->value.scale();
    for (const auto allocation : order->no_allocs()) {{
      bytes += allocation.alloc_account().value.size();
    }}
  }}
  if (const auto report = view.as<fix::ExecutionReport>()) {{
    bytes += report->exec_id().value.size() + report->leaves_qty().value.scale();
    if (const auto text = report->text()) bytes += text->value.size();
  }}
  if (const auto cancel = view.as<fix::OrderCancelRequest>()) {{
    bytes += cancel->cl_ord_id().value.size();
  }}
  return bytes;
}}
"""


def run(command):
    """The output, and the CPU seconds of the compiler and its parts."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    return done.stdout, (after.ru_utime - before.ru_utime) + (after.ru_stime - before.ru_stime)


class Compiler:
    def __init__(self, name, build, folder):
        self.name, self.build, self.folder = name, Path(build), Path(folder)

    def command(self, name_space, *arguments):
        source = self.folder / f"{name_space}.cpp"
        text = FIXED.get(name_space) or PROGRAM.format(ns=name_space)
        source.write_text(text, encoding="utf-8")
        generated = self.build / "tools/codegen" / f"nexusfix_{name_space}" / "include"
        return [self.name, "-std=c++23", f"-I{ROOT / 'include'}", f"-I{generated}", *arguments,
                str(source)]

    def lines(self, name_space):
        def count(name):
            return run(self.command(name, "-E", "-P"))[0].count("\n")

        return count(name_space) - count("typed_read")

    def seconds(self, name_space):
        command = self.command(name_space, "-O2", "-c", "-o", os.devnull)
        return min(run(command)[1] for _ in range(RUNS))


    def included_lines(self, header):
        source = self.folder / "header.cpp"
        source.write_text(f"#include <nexusfix/{header}>\n", encoding="utf-8")
        rule = run([self.name, "-std=c++23", f"-I{ROOT / 'include'}", "-M", str(source)])[0]
        public = {Path(word) for word in rule.split() if word.startswith(f"{ROOT}/include/")}
        return sum(one.read_text(encoding="utf-8").count("\n") for one in public)


def check(compiler, limits):
    wrong = 0
    for limit in limits:
        name_space, _, most = limit.partition("=")
        lines = compiler.lines(name_space)
        print(f"{name_space}: {lines} lines, at most {most} allowed")
        run(compiler.command(name_space, "-fsyntax-only"))
        wrong += lines > int(most)
    return 1 if wrong else 0


def check_includes(compiler, limits):
    wrong = 0
    for limit in limits:
        header, _, most = limit.partition("=")
        lines = compiler.included_lines(header)
        print(f"{header}: {lines} lines of public headers, at most {most} allowed")
        wrong += lines > int(most)
    return 1 if wrong else 0


def show(compiler):
    empty = compiler.seconds("empty")
    print("three messages of   lines   CPU seconds over an empty program")
    for name_space in ["fix42", "fix44", "fix50sp2"]:
        lines, seconds = compiler.lines(name_space), compiler.seconds(name_space) - empty
        print(f"{name_space:17} {lines:7}   {seconds:.1f}")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=ROOT / "build/release",
                        help="the folder of a build (default: build/release)")
    parser.add_argument("--compiler", default="g++", help="the compiler (default: g++)")
    parser.add_argument("--lines-max", nargs="+", metavar="NAMESPACE=LINES",
                        help="fail if a program reads more lines; measure no times")
    parser.add_argument("--includes-max", nargs="+", metavar="HEADER=LINES",
                        help="fail if a public header includes more lines; needs no build")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        compiler = Compiler(given.compiler, given.build, folder)
        if given.includes_max:
            return check_includes(compiler, given.includes_max)
        return check(compiler, given.lines_max) if given.lines_max else show(compiler)


if __name__ == "__main__":
    sys.exit(main())
