#!/usr/bin/env python3
"""Compiles the public headers as a user does: headers_test.py COMPILER SOURCE BUILD."""

import os
import re
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

COMPILER, SOURCE, BUILD = sys.argv.pop(1), Path(sys.argv.pop(1)), Path(sys.argv.pop(1))
LAUNCHER = [found] if (found := shutil.which("ccache")) else []
# The public headers of the core, and of each product beside it.
ROOTS = [SOURCE / "include", *sorted(SOURCE.glob("*/include"))]
LANGUAGE_HEADER = "nexusfix/base/language.hpp"
# Function templates are instantiated, so that warnings of the optimiser in them are seen, too.
PROGRAM = SOURCE / "examples" / "12_bridge.cpp"
WARNINGS = ("-Wall", "-Wextra", "-Wshadow", "-Wconversion")
# It warns of the same at any level, and before it makes code.
CLANG = shutil.which("clang++-19") if "clang" not in Path(COMPILER).name else None
TYPED = ("fix42", "fix44", "fix50sp2", "fixt11")
# Where the optimiser inlines a handle, it could take it for a dangling pointer.
CONVERSATIONS = """#include <nexusfix/coroutine.hpp>
#include <nexusfix/engine.hpp>
#include <nexusfix/fix44/execution_report.hpp>
#include <chrono>
#include <string>
struct Desk : nexusfix::Conversations<Desk> {
  void on_message(nexusfix::Session&, const nexusfix::fix44::ExecutionReport&) {}
  void on_logon(nexusfix::Session& session) { life(session, "C1").start(); }
  nexusfix::Conversation life(nexusfix::Session& session, std::string id) {
    const auto report = co_await next<nexusfix::fix44::ExecutionReport>(std::chrono::seconds{5});
    if (!report || report->cl_ord_id() == id) session.log_out();
  }
};
int main(int, char** arguments) {
  Desk desk;
  return nexusfix::run(arguments[1], desk);
}
"""


def compiled(text, *flags, compiler=COMPILER):
    """The exit status and the output of the compiler for a source with this text."""
    includes = [*(f"-I{root}" for root in ROOTS), f"-I{PROGRAM.parent}"]
    includes += [f"-I{BUILD}/tools/codegen/nexusfix_{name}/include" for name in TYPED]
    folder = BUILD / "tests" / "install" / "headers"  # always the same one, for ccache
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "user.cpp"
    path.write_text(text, encoding="utf-8")
    ended = subprocess.run([*LAUNCHER, compiler, *includes, *flags, "-c", path, "-o",
                            folder / "user.o"], capture_output=True, text=True, check=False,
                           env={**os.environ, "LC_ALL": "C"})
    return ended.returncode, ended.stderr


def public_headers():
    """The file of each header, by its name."""
    return {path.relative_to(root).as_posix(): path
            for root in ROOTS for path in sorted(root.rglob("*.hpp"))}


class HeadersTest(unittest.TestCase):
    def test_an_older_language_is_an_error_that_names_the_remedy(self):
        for header in ("nexusfix/wire.hpp", "nexusfix/engine.hpp", "nexusfix/base/disk.hpp"):
            status, output = compiled(f"#include <{header}>\n", "-std=c++20", "-fmax-errors=1")
            self.assertNotEqual(0, status, header)
            first = re.search(r"error: (.*)", output)[1]
            self.assertIn("NexusFIX needs C++23: compile with -std=c++23", first, header)

    def test_each_header_checks_the_language_before_its_own_code(self):
        for header, path in public_headers().items():
            text = path.read_text(encoding="utf-8")
            if header != LANGUAGE_HEADER:
                self.assertRegex(text, r"#include <nexusfix/", f"{header}: {LANGUAGE_HEADER}")

    def test_each_part_of_an_example_compiles_alone(self):
        for part in sorted((PROGRAM.parent / "parts").glob("*.hpp")):
            self.assertEqual((0, ""), compiled(f'#include "parts/{part.name}"\n', "-std=c++23"))

    def test_no_header_has_a_warning_in_a_user_s_build(self):
        text = "".join(f"#include <{header}>\n" for header in public_headers())
        text += PROGRAM.read_text(encoding="utf-8")
        self.assertEqual((0, ""), compiled(text, "-std=c++23", "-O3", *WARNINGS))
        if CLANG:
            # The handles of this program and the generated headers, too: each compiler reads the
            # library once. generated_headers.* has those for g++.
            text = "".join(f"#include <nexusfix/{name}.hpp>\n" for name in TYPED) + text
            text += CONVERSATIONS.replace("int main", "int converse")
            self.assertEqual((0, ""), compiled(text, "-std=c++23", "-fsyntax-only", *WARNINGS,
                                               compiler=CLANG))

    def test_a_discarded_handle_has_no_warning_where_the_optimiser_inlines_it(self):
        for level in ("-O1", "-O2", "-O3"):
            self.assertEqual((0, ""), compiled(CONVERSATIONS, "-std=c++23", level, *WARNINGS),
                             level)

    def test_the_engine_s_header_reads_no_header_of_its_parts(self):
        status, output = compiled("#include <nexusfix/engine.hpp>\n", "-std=c++23", "-MM", "-MF",
                                  "/dev/stderr")
        self.assertEqual(0, status, output)
        self.assertIn("nexusfix/engine/session.hpp", output)
        for hidden in ("store/", "transport/", "deferred/", "config/", "dictionary/",
                       "observe/session_logs.hpp", "session/state_machine.hpp"):
            self.assertNotIn(f"include/nexusfix/{hidden}", output)


if __name__ == "__main__":
    unittest.main()
