#!/usr/bin/env python3
"""Proves that tools/tidy.py finds each breach: a test writes a small tree that breaks one rule.
Nothing is found in a tree that breaks no rule."""

import shutil
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tools"))
import structure  # noqa: E402
import tidy  # noqa: E402

GOOD_TREE = {
    "README.md": "# A tree\n\n[source](src/wire/frame.cpp)\n",
    "include/nexusfix/wire/frame.hpp": "#pragma once\n\n#include <nexusfix/base/clock.hpp>\n",
    "examples/headers.txt": "\n".join(["nexusfix/wire/frame.hpp", "nexusfix/wire.hpp",
                                      "nexusfix/store/own.hpp",
                                      *(f"nexusfix/{one}/x.hpp" for one in tidy.LAYERS)]) + "\n",
    "src/wire/frame.cpp": "#include <nexusfix/wire/frame.hpp>\n\nint frame() { return 1; }\n",
    "src/wire/CMakeLists.txt": "nexusfix_layer(wire SOURCES frame.cpp)\n",
    "tests/unit/wire/frame_test.cpp": '#include "wire/kernels/table.hpp"\n',
    "tests/unit/wire/CMakeLists.txt": "nexusfix_test(frame_test SOURCES frame_test.cpp)\n",
}


class TidyTest(unittest.TestCase):
    def check(self, files):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            for name, text in (GOOD_TREE | files).items():
                path = root / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return tidy.check_tree(root)

    def assert_found(self, files, place, words):
        problems = self.check(files).problems
        self.assertEqual(1, len(problems), problems)
        self.assertTrue(problems[0].startswith(place + ": "), problems)
        self.assertIn(words, problems[0])

    def assert_clean(self, files):
        tree = self.check(files)
        self.assertEqual([], tree.problems)
        return tree

    @staticmethod
    def source(text, folder="src/wire"):
        """A source file that is built, so that only its text can be wrong."""
        cmake = GOOD_TREE.get(f"{folder}/CMakeLists.txt", "")
        return {f"{folder}/x.cpp": text, f"{folder}/CMakeLists.txt": cmake + "x(x.cpp)\n"}

    def test_a_tree_that_breaks_no_rule_is_clean(self):
        self.assertEqual([], self.assert_clean({}).warnings)

    def test_every_forbidden_include_between_layers_is_found(self):
        for layer, allowed in tidy.LAYERS.items():
            for other in tidy.LAYERS:
                text = f"#pragma once\n#include <nexusfix/{other}/username.hpp>\n"
                name = f"include/nexusfix/{layer}/x.hpp"
                if layer in structure.PRODUCTS:
                    name = f"{layer}/{name}"
                files = {name: text}
                with self.subTest(layer=layer, other=other):
                    if other == layer or other in allowed:
                        self.assert_clean(files)
                    else:
                        self.assert_found(files, f"{name}:2",
                                          f"layer {layer} may not include {other}")

    def test_session_never_includes_store_transport_observe_or_engine(self):
        self.assertTrue(tidy.LAYERS["session"].isdisjoint(
            {"store", "transport", "observe", "engine"}))

    def test_front_header_counts_as_its_layer(self):
        self.assert_found({"include/nexusfix/wire/x.hpp":
                           "#pragma once\n#include <nexusfix/session.hpp>\n"},
                          "include/nexusfix/wire/x.hpp:2", "wire may not include session")
        self.assert_found({"include/nexusfix/wire.hpp":
                           "#pragma once\n#include <nexusfix/session/x.hpp>\n"},
                          "include/nexusfix/wire.hpp:2", "wire may not include session")

    def test_a_layer_of_the_core_that_includes_a_product_is_found(self):
        for product in structure.PRODUCTS:
            # Its public headers may be in the folder of a layer.
            files = {f"{product}/include/nexusfix/store/own.hpp": "#pragma once\n",
                     **self.source("#include <nexusfix/store/own.hpp>\n", product),
                     **self.source("#include <nexusfix/store/own.hpp>\n", "apps/tool")}
            self.assert_clean(files)
            layers = sorted(tidy.LAYERS.keys() - set(structure.PRODUCTS))
            for layer in layers:
                files |= self.source("#include <nexusfix/store/own.hpp>\n"
                                     f"#include <nexusfix/{product}.hpp>\n"
                                     f'#include "{product}/x.hpp"\n', f"src/{layer}")
            problems = self.check(files).problems
            places = [f"src/{layer}/x.cpp:{line}" for layer in layers for line in (1, 2, 3)]
            self.assertEqual(places, sorted(problem.split(": ")[0] for problem in problems))
            for problem in problems:
                self.assertIn(product, problem)

    def test_a_product_includes_private_headers_of_the_core_only_if_they_are_listed(self):
        files = self.source('#include "store/format/entry.hpp"\n', "logs")
        self.assert_found(files, "logs/x.cpp:1", "private header of store is for store alone")
        listed = {"logs": {"store/format/entry.hpp": "a reason"}}
        with unittest.mock.patch.object(tidy, "PRODUCT_READS", listed):
            self.assert_clean(files)
        self.assert_found(self.source('#include "nexusfix/run/script.hpp"\n', "logs"),
                          "logs/x.cpp:1", "may not include run")
        self.assert_found(self.source('#include "logs/y.hpp"\n', "apps/tool"),
                          "apps/tool/x.cpp:1", "only public headers")

    def test_a_product_includes_another_one_only_if_its_row_names_it(self):
        line = '#include "logs/source/log_reader.hpp"\n'
        self.assert_clean(self.source(line, "stream"))
        line = '#include "stream/broker.hpp"\n'
        self.assert_found(self.source(line, "logs/grep"), "logs/grep/x.cpp:1",
                          "private header of stream is for stream alone")

    def test_generated_messages_are_not_for_the_layers_below_engine(self):
        self.assert_found(self.source("#include <nexusfix/fix44/heartbeat.hpp>\n"),
                          "src/wire/x.cpp:1", "generated messages")

    def test_private_header_of_another_layer_is_found(self):
        self.assert_found(self.source('#include "base/inside.hpp"\n'), "src/wire/x.cpp:1",
                          "private header of base")

    def test_header_that_a_layer_shows_is_for_the_layers_above_it(self):
        self.assert_clean(self.source('#include "base/api/shown.hpp"\n'))
        self.assert_found(self.source('#include "engine/api/shown.hpp"\n'), "src/wire/x.cpp:1",
                          "private header of engine")

    def test_header_that_a_layer_shows_is_for_programs_of_the_project_and_for_no_example(self):
        line = '#include "base/api/shown.hpp"\n'
        self.assert_clean(self.source(line, "apps/tool"))
        self.assert_found(self.source(line, "examples"), "examples/x.cpp:1", "only public headers")

    def test_private_header_in_an_application_is_found(self):
        self.assert_found(self.source('#include "wire/inside.hpp"\n', "apps/tool"),
                          "apps/tool/x.cpp:1", "only public headers")

    def test_the_benchmark_may_name_a_kernel_and_nothing_else_that_is_private(self):
        self.assert_clean(self.source('#include "wire/kernels/kernel_table.hpp"\n', "bench"))
        self.assert_found(self.source('#include "wire/digits.hpp"\n', "bench"),
                          "bench/x.cpp:1", "only public headers")

    def test_private_header_and_third_party_in_a_public_header_are_found(self):
        name = "include/nexusfix/wire/x.hpp"
        self.assert_found({name: '#pragma once\n#include "wire/inside.hpp"\n'}, f"{name}:2",
                          "a public header includes")
        self.assert_found({name: "#pragma once\n#include <fmt/core.h>\n"}, f"{name}:2",
                          "third party")

    def test_commented_out_include_is_no_include(self):
        self.assert_clean(self.source("// #include <nexusfix/engine.hpp>\n"))

    def test_each_seam_is_guarded_in_layers_and_applications(self):
        for call in ("auto t = std::chrono::steady_clock::now();", "::clock_gettime(0, &t);",
                     "auto t = std::chrono::system_clock::now();", "auto t = std::time(nullptr);",
                     "std::this_thread::sleep_for(x);",
                     "std::random_device device;", "int r = rand();", "::getrandom(p, 8, 0);",
                     "std::ofstream file;", "auto* f = std::fopen(p, m);", "::open(p, 0);",
                     "void* m = mmap(p);", "int s = ::socket(a, b, c);", "::connect(s, p, n);",
                     "::accept(s, p, n);"):
            for folder in ("src/engine", "apps/tool", "examples"):
                with self.subTest(call=call, folder=folder):
                    self.assert_found(self.source(f"void f() {{\n  {call}\n}}\n", folder),
                                      f"{folder}/x.cpp:2", "seam")

    def test_seams_themselves_may_ask_the_operating_system(self):
        self.assert_clean({
            "src/base/system_clock.cpp": "void f() { ::clock_gettime(0, &t); }\n",
            "src/base/posix_disk.cpp": "int f() { return ::open(p, 0); }\n",
            "src/base/random.cpp": "void f() { ::getrandom(p, 8, 0); }\n",
            "src/base/CMakeLists.txt": "x(system_clock.cpp posix_disk.cpp random.cpp)\n",
            "src/transport/tcp/epoll_network.cpp": "int f() { return ::accept(1); }\n",
            "src/transport/CMakeLists.txt": "x(epoll_network.cpp)\n"})

    def test_members_and_words_that_resemble_a_seam_are_fine(self):
        self.assert_clean(self.source(
            "// rand() and ::open() in a comment.\n"
            'const char* text = "::socket(1)";\n'
            "void f() { disk.open(p); network.connect(e); return engine::accept(); }\n"
            "int operand(int x);\n"))

    def test_unfinished_work_is_found_in_any_text(self):
        for word in ("TO" + "DO", "FIX" + "ME", "XX" + "X", "not yet impl" + "emented"):
            with self.subTest(word=word):
                self.assert_found(self.source(f"// {word}: later\n"), "src/wire/x.cpp:1", "finish")
                self.assert_found({"a.md": f"{word}\n"}, "a.md:1", "finish")

    def test_ticket_numbers_and_machine_paths_are_found(self):
        self.assert_found(self.source("// See tic" "ket 12.\n"), "src/wire/x.cpp:1", "reason")
        self.assert_found({"a.md": "In /ho" "me/ann/x.\n"}, "a.md:1", "one machine")

    def test_vague_names_are_found(self):
        for name in ("src/util/x.hpp", "src/wire/string_helpers.hpp", "src/common/x.hpp",
                     "src/wire/session_manager.hpp"):
            with self.subTest(name=name):
                self.assert_found({name: "#pragma once\n"}, f"{name}:1", "says nothing")

    def test_format_that_is_no_literal_is_found(self):
        for call in ("std::printf(text);", "std::fprintf(stderr, text.c_str());",
                     "std::snprintf(buffer, sizeof buffer, text);"):
            with self.subTest(call=call):
                self.assert_found(self.source(f"void f() {{ {call} }}\n"), "src/wire/x.cpp:1",
                                  "format")
        self.assert_clean(self.source('void f() { std::fprintf(stderr, "%s", text.c_str()); }\n'))

    def test_std_function_in_a_hot_layer_is_found(self):
        for layer in ("wire", "session", "engine", "store"):
            with self.subTest(layer=layer):
                self.assert_found(self.source("std::function<void()> f;\n", f"src/{layer}"),
                                  f"src/{layer}/x.cpp:1", "std::function")
        self.assert_clean(self.source("std::function<void()> f;\n", "apps/tool"))

    def test_throw_and_threads_in_a_pure_layer_are_found(self):
        self.assert_found(self.source("void f() { throw 1; }\n", "src/session"),
                          "src/session/x.cpp:1", "value")
        self.assert_found(self.source("#include <thread>\n", "src/session"), "src/session/x.cpp:1",
                          "threads")

    def test_using_namespace_std_and_banners_are_found(self):
        self.assert_found(self.source("using namespace std;\n"), "src/wire/x.cpp:1", "std::")
        self.assert_clean(self.source("using namespace std::chrono_literals;\n"))
        self.assert_found(self.source("// ---- Part two\n"), "src/wire/x.cpp:1", "banner")

    def test_silence_without_its_check_and_a_reason_is_found(self):
        for silence in ("NOLINT", "NOLINT: a reason", "NOLINT(bugprone-x)", "NOLINTNEXTLINE(a-b)",
                        "NOLINT(*): a reason", "NOLINTBEGIN(a-b)"):
            with self.subTest(silence=silence):
                self.assert_found(self.source(f"int x;  // {silence}\n"),
                                  "src/wire/x.cpp:1", "NOLINT(check): why")
        for silence in ("NOLINT(bugprone-x): a reason", "NOLINTNEXTLINE(a-b, c-d.E): a reason"):
            self.assert_clean(self.source(f"// {silence}\nint x;\n"))

    def test_line_of_100_columns_is_fine_and_one_of_101_is_not(self):
        self.assert_clean(self.source("// " + "a" * 97 + "\n"))
        self.assert_found(self.source("// " + "a" * 98 + "\n"), "src/wire/x.cpp:1", "101 columns")

    def test_file_lengths_have_a_warning_and_a_limit(self):
        self.assertEqual([], [w for w in self.assert_clean(self.source("\n" * 500)).warnings
                              if "lines" in w])
        self.assertEqual(1, len([w for w in self.assert_clean(self.source("\n" * 501)).warnings
                                 if "lines" in w]))
        self.assert_clean(self.source("\n" * 800))
        self.assert_found(self.source("\n" * 801), "src/wire/x.cpp:1", "801 lines")

    def test_function_of_70_lines_is_fine_and_one_of_71_is_not(self):
        head = "namespace a {\n\nint f(int x) noexcept {\n"
        self.assert_clean(self.source(head + "  g();\n" * 68 + "}\n\n}\n"))
        self.assert_found(self.source(head + "  g();\n" * 69 + "}\n\n}\n"), "src/wire/x.cpp:3",
                          "a function of 71 lines")

    def test_function_length_sees_members_tests_and_initialiser_lists(self):
        body = "  if (x) {\n  }\n" * 40
        for head in ("TEST(Frame, is_found) {", "Frame::Frame(int a) : a_{a}, b_{1} {",
                     "template <class T>\nauto f(T t) -> int {"):
            with self.subTest(head=head):
                self.assert_found(self.source(f"{head}\n{body}}}\n"), "src/wire/x.cpp:1",
                                  "a function of")
        self.assert_clean(self.source("struct A {\n  int f(int x);\n" + "\n" * 90 + "};\n"))
        self.assert_clean(self.source("constexpr int kTable[] = {\n" + "  g(1),\n" * 90 + "};\n"))

    def test_marked_flat_switch_may_be_longer(self):
        long = "// tidy: flat switch\nint f(int x) {\n" + "  g();\n" * 90 + "}\n"
        self.assert_clean(self.source(long))

    def test_blanks_tabs_carriage_returns_and_a_missing_last_line_end_are_found(self):
        for text, words in (("int x; \n", "blanks"), ("\tint x;\n", "a tab"),
                            ("int x;\r\n", "line feed"), ("int x;", "does not end")):
            with self.subTest(words=words):
                with tempfile.TemporaryDirectory() as folder:
                    path = Path(folder) / "x.cpp"
                    path.write_bytes(text.encode())
                    tree = tidy.Tree(Path(folder))
                    tidy.check_text(tree)
                self.assertEqual(1, len(tree.problems), tree.problems)
                self.assertIn(words, tree.problems[0])

    def test_header_without_pragma_once_is_found(self):
        self.assert_found({"src/wire/x.hpp": "int f();\n"}, "src/wire/x.hpp:1", "#pragma once")

    def test_instruction_set_flags_and_global_flags_are_found(self):
        self.assert_found({"CMakeLists.txt": "set(FLAGS -mavx2)\n"}, "CMakeLists.txt:1",
                          "instruction set")
        self.assert_found({"CMakeLists.txt": "add_compile_options(-O3)\n"}, "CMakeLists.txt:1",
                          "target")

    def test_time_limit_of_a_single_test_is_found(self):
        self.assert_found({"CMakeLists.txt": "set_tests_properties(a PROPERTIES TIMEOUT 5)\n"},
                          "CMakeLists.txt:1", "for hangs")
        self.assert_clean({"CMakeLists.txt": "gtest_discover_tests(a DISCOVERY_TIMEOUT 600)\n"})

    def test_source_that_nothing_builds_is_found(self):
        self.assert_found({"src/wire/dead.cpp": "int f();\n"}, "src/wire/dead.cpp:1", "no CMake")
        self.assert_clean({"tests/unit/a/CMakeLists.txt":
                           "foreach(name one two)\n  t(SOURCES ${name}_test.cpp)\nendforeach()\n",
                           "tests/unit/a/one_test.cpp": "int f();\n"})
        self.assert_found({"tests/unit/a/CMakeLists.txt":
                           "foreach(name one two)\n  t(SOURCES ${name}_test.cpp)\nendforeach()\n",
                           "tests/unit/a/six_test.cpp": "int f();\n"},
                          "tests/unit/a/six_test.cpp:1", "no CMake")

    def test_source_that_another_folder_builds_by_its_path_is_fine(self):
        self.assert_clean({"tests/support/fake.cpp": "int f();\n",
                           "tests/unit/a/CMakeLists.txt": "t(SOURCES ../../support/fake.cpp)\n"})
        self.assert_found({"tests/support/fake.cpp": "int f();\n",
                           "tests/unit/a/CMakeLists.txt": "t(SOURCES fake.cpp)\n"},
                          "tests/support/fake.cpp:1", "no CMake")

    def test_skipped_test_needs_a_reason(self):
        skip = "GTEST_" "SKIP()"
        self.assert_found(self.source(f"void f() {{ {skip}; }}\n"), "src/wire/x.cpp:1", "finish")
        self.assert_clean(self.source(f'void f() {{ {skip} << "no IPv6 here"; }}\n'))

    def test_warnings_are_counted_and_shown_only_when_asked_for(self):
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder, "src/wire/x.cpp")
            source.parent.mkdir(parents=True)
            source.write_text("\n" * 501, encoding="utf-8")
            source.with_name("CMakeLists.txt").write_text("x(x.cpp)\n", encoding="utf-8")

            def run(*options):
                command = [sys.executable, "-B", tidy.__file__, "--root", folder, *options]
                return subprocess.run(command, capture_output=True, text=True, check=True).stdout

            self.assertEqual("tidy: 2 files, 0 problems, 1 warnings (--verbose shows them)\n",
                             run())
            self.assertIn("warning: src/wire/x.cpp: 501 lines", run("--verbose"))

    @unittest.skipUnless(shutil.which("clang-format-19"), "clang-format-19 is not installed")
    def test_a_format_is_checked_again_when_the_source_or_the_settings_have_changed(self):
        with tempfile.TemporaryDirectory() as folder:
            settings, source = Path(folder, ".clang-format"), Path(folder, "x.cpp")
            settings.write_text("BasedOnStyle: Google\n", encoding="utf-8")
            source.write_text("int f() { return 1; }\n", encoding="utf-8")

            def status():
                command = [sys.executable, "-B", tidy.__file__, "--root", folder, "--format"]
                return subprocess.run(command, capture_output=True, check=False).returncode

            self.assertEqual([0, 0], [status(), status()])
            source.write_text("int f() {return 1;}\n", encoding="utf-8")
            self.assertEqual([1, 1], [status(), status()])
            source.write_text("int f() { return 1; }\n", encoding="utf-8")
            self.assertEqual(0, status())
            settings.write_text("BasedOnStyle: GNU\n", encoding="utf-8")
            self.assertEqual(1, status())

    def test_link_to_a_missing_file_is_found(self):
        self.assert_found({"a.md": "[x](docs/none.md#part)\n"}, "a.md:1", "no such file")
        self.assert_clean({"a.md": "[x](README.md) [y](https://example.org/z#part)\n"})

    def test_link_to_a_missing_heading_is_found(self):
        page = "# A page\n\n## The `first` part\n\n## Again\n\n## Again\n\n"
        self.assert_clean({"a.md": page + "[x](#the-first-part) [y](a.md#again-1)\n"})
        self.assert_found({"a.md": page + "[x](#the-second-part)\n"}, "a.md:9", "no such heading")
        self.assert_found({"a.md": page, "b.md": "\n[x](a.md#again-2)\n"}, "b.md:2",
                          "no such heading: a.md#again-2")

    def test_link_to_an_anchor_that_a_document_names_is_fine(self):
        row = '| <a id="nxf-1"></a>NXF-1 | one |\n'
        self.assert_clean({"a.md": "# T\n\n" + row, "b.md": "# T\n\n[x](a.md#nxf-1)\n"})
        self.assert_found({"a.md": "# T\n\n" + row, "b.md": "# T\n\n[x](a.md#nxf-2)\n"}, "b.md:3",
                          "no such heading: a.md#nxf-2")

    def test_word_that_the_field_does_not_use_is_found(self):
        self.assert_found({"a.md": "# T\n\nThe bytes come\nbe" + "hind the header.\n"}, "a.md:4",
                          "after (order, time)")
        self.assert_clean({"a.md": "# T\n\n`be" + "hind` and\n\n```\nbe" + "hind\n```\n"})

    def test_numbers_that_are_not_named_are_found(self):
        for text in ("Both sides lose their numbers.", "A reset. Num" + "bers are 1.",
                     "| a | num" + "bers set |"):
            self.assert_found({"a.md": f"# T\n\n{text}\n"}, "a.md:3", "MsgSeqNums")
        self.assert_clean({"a.md": "# T\n\n- Sequence\n  numbers, random numbers, numbers of "
                                   "orders.\n"})

    def test_dialect_in_a_source_that_users_read_is_found(self):
        text = "// It is " + "told of an order.\nint a;\n"
        self.assert_found(self.source(text, "examples"), "examples/x.cpp:1", "is notified")
        self.assert_clean(self.source("// The numbers.\nint a;\n", "examples"))

    def test_link_with_the_name_of_a_page_is_found(self):
        self.assert_found({"a.md": "# T\n\n[b.m" + "d](b.md)\n", "b.md": "# B\n"}, "a.md:3",
                          "what the page is")

    def test_sentence_that_is_too_long_is_found(self):
        line = " ".join(["word"] * 18)
        self.assert_found({"a.md": f"# T\n\nShort. {line}\n{line}.\n"}, "a.md:3",
                          "36 words, 35 at most")
        self.assert_clean({"a.md": f"# T\n\n{line}.\n\n- {line}\n- {line}\n"})

    def test_name_of_a_missing_file_in_a_document_is_found(self):
        self.assert_found({"a.md": "See `wire/gone.cpp`.\n"}, "a.md:1", "no such file")
        self.assert_clean({"a.md": "See `wire/frame.cpp` and `nexusfix/wire/frame.hpp`.\n"})

    def test_quoted_block_must_equal_the_file_or_its_region(self):
        code = "int a;\n// [part]\n  int b;\n    int c;\n// [end]\nint d;\n"
        example = self.source(code, "examples")

        def page(quote, block):
            return example | {"a.md": f"<!-- quote: {quote} -->\n```cpp\n{block}```\n"}
        self.assert_clean(page("examples/x.cpp", code))
        self.assert_clean(page("examples/x.cpp#part", "int b;\n  int c;\n"))
        self.assert_found(page("examples/x.cpp#part", "int b;\n"), "a.md:1", "differs")
        self.assert_found(page("examples/x.cpp", "int a;\n"), "a.md:1", "differs")
        self.assert_found(page("examples/y.cpp", "int a;\n"), "a.md:1", "does not exist")

    def test_quoted_table_must_equal_that_of_the_page_but_for_its_links(self):
        def tree(cell):
            table = "| a | b |\n|---|---|\n| c | {} |\n"
            return {"README.md": "# T\n\n<!-- quote-table: docs/a.md -->\n" + table.format("yes"),
                    "docs/a.md": "# A\n\n" + table.format(cell)}

        self.assert_clean(tree("yes"))
        self.assert_clean(tree("[yes](a.md)"))
        self.assert_found(tree("no"), "README.md:3", "the table differs from that of docs/a.md")
        self.assert_found({"README.md": tree("")["README.md"]}, "README.md:3", "the table differs")

    def test_cpp_of_a_page_must_be_a_quote(self):
        self.assert_found({"a.md": "# T\n\n```cpp\nint a;\n```\n"}, "a.md:3", "quote C++")
        self.assert_found({"a.md": "- T\n\n  ```cpp\n  int a;\n  ```\n"}, "a.md:3", "quote C++")
        self.assert_clean({"a.md": "# T\n\n```sh\nls\n```\n"})

    def test_function_and_event_of_a_page_must_exist(self):
        source = self.source("void there();\n", "examples")
        self.assert_clean(source | {"a.md": "# T\n\n`x.there(1)`, `there()`, (not) code ()\n"})
        self.assert_found(source | {"a.md": "# T\n\nsee `gone(1)`\n"}, "a.md:3",
                          "no such function: gone()")
        events = {"docs/reference/events.md": "# Events\n\nNXF-1001\n"}
        self.assert_clean(events | {"a.md": "# T\n\nNXF-1001\n"})
        self.assert_found(events | {"a.md": "# T\n\nNXF-1002\n"}, "a.md:3", "no such event")

    def test_readme_has_120_lines_at_most(self):
        self.assert_clean({"README.md": "a\n\n" * 60})
        self.assert_found({"README.md": "a\n\n" * 60 + "a\n"}, "README.md:1", "121 lines")

    def test_build_folder_is_not_checked_but_a_room_of_its_name_is(self):
        self.assert_clean({"build/x.cpp": "using namespace std;\n"})
        self.assert_found(self.source("using namespace std;\n", "src/config/build"),
                          "src/config/build/x.cpp:1", "write std::")


if __name__ == "__main__":
    unittest.main()
