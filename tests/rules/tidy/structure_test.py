#!/usr/bin/env python3
"""Proves that tools/structure.py finds folders, classes and words beyond their limits."""

import sys
import tempfile
import unittest
import unittest.mock
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tools"))
import structure  # noqa: E402
import tidy  # noqa: E402

README = "# A module\n\nWhat lives here.\n"


class StructureTest(unittest.TestCase):
    def problems(self, files):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                path = Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            tree = tidy.Tree(Path(folder))
            structure.check_structure(tree, tidy.blank_out)
            return tree.problems

    def assert_found(self, files, words):
        problems = self.problems(files)
        self.assertEqual(1, len(problems), problems)
        self.assertIn(words, problems[0])

    @staticmethod
    def class_of(count, kind="class"):
        members = "".join(f"  std::map<int, int> m{i}_{{}};\n" for i in range(count))
        return (f"{kind} Wide : Base {{\n public:\n  explicit Wide(int a);\n"
                "  Wide(int a, int b) : Base{a}, m0_{a}, m1_{b} { m0_.clear(); }\n"
                "  [[nodiscard]] int f() const noexcept { return m0_; }\n"
                "  using Map = std::map<int, int>;\n  static constexpr int kMax = 3;\n"
                f"  enum class Kind {{ One, Two }};\n{members}}};\n")

    def test_a_folder_with_many_sources_has_its_reason(self):
        most = structure.FOLDER_FILES_SOFT
        files = {f"src/wire/f{i}.cpp": "\n" for i in range(most)} | {"src/wire/README.md": README}
        self.assertEqual([], self.problems(files))
        more = files | {"src/wire/one_more.cpp": "\n"}
        self.assert_found(more, f"{most + 1} source files")
        with unittest.mock.patch.dict(structure.LARGER, {"src/wire": "a source a kernel"}):
            self.assertEqual([], self.problems(more))
            self.assert_found(files, "it needs no reason in LARGER")

    def test_a_module_has_a_readme(self):
        files = {f"src/wire/f{i}.cpp": "\n" for i in range(structure.README_WANTED_ABOVE + 1)}
        self.assert_found(files, "a README.md must say")
        self.assertEqual([], self.problems(files | {"src/wire/README.md": README}))
        self.assert_found(files | {"src/wire/README.md": README * 4}, "12 lines, 10 at most")

    def test_a_component_of_the_engine_holds_few_references(self):
        def component(count):
            members = "".join(f"  Part{i}& part{i}_;\n" for i in range(count))
            return {"src/engine/a.hpp": "class Outbox {\n public:\n"
                    f"  explicit Outbox(Part0& part);\n private:\n{members}}};\n"}
        self.assertEqual([], self.problems(component(structure.ENGINE_REFERENCES_MAX)))
        self.assert_found(component(structure.ENGINE_REFERENCES_MAX + 1),
                          "Outbox holds 4 references")

    def test_a_floor_of_the_engine_includes_no_floor_above(self):
        floors = {"src/engine/link/gate.hpp": "\n", "src/engine/link/store/gate.hpp": "\n",
                  "src/engine/session/actions.cpp": '#include "engine/link/gate.hpp"\n',
                  "src/engine/engine.cpp": '#include "engine/session/sessions.hpp"\n'}
        self.assertEqual([], self.problems(floors))
        for name in ("src/engine/link/gate.hpp", "src/engine/link/store/gate.hpp"):
            wrong = '#include "engine/session/sessions.hpp"\n'
            self.assert_found(floors | {name: wrong}, "which is on a floor above")
        wrong = '#include "engine/engine_parts.hpp"\n'
        self.assert_found(floors | {"src/engine/service/a.cpp": wrong}, "which is on a floor above")
        self.assert_found({"src/engine/attic/a.cpp": "\n"}, "the floors of the engine are ground,")

    def test_the_knot_of_the_floor_of_sessions_is_small(self):
        def floor(calls):
            parts = "abcdef"
            files = {"src/engine/session/sessions.hpp": "\nstruct Sessions {\n" + "".join(
                f"  Part{part.upper()} {part};\n" for part in parts) + "};\n"}
            files["src/engine/session/sessions.cpp"] = "".join(
                f"void Part{one.upper()}::act() {{\n  sessions_.{other}.act();\n}}\n"
                for one, other in calls)
            return files
        circle = ["ab", "bc", "cd", "da"]
        chords = ["ac", "bd", "ca", "db"]
        self.assertEqual([], self.problems(floor(circle + chords + ["ae", "ef"])))
        self.assert_found(floor(circle + chords + ["ba"]), "call each other in 9 ways")
        self.assert_found(floor(["ab", "bc", "cd", "de", "ea"]),
                          "PartA, PartB, PartC, PartD, PartE call each other in 5 ways")

    def test_a_floor_of_the_engine_is_one_module(self):
        readme = README + "Interface: `store/gate.hpp`.\n"
        files = {"src/engine/link/README.md": readme,
                 "src/engine/link/store/gate.hpp": "\n",
                 "src/engine/link/store/README.md": README,
                 "src/engine/link/store/private.hpp": "\n",
                 "src/engine/link/io.cpp": '#include "engine/link/store/private.hpp"\n',
                 "src/engine/loop/a.cpp": '#include "engine/link/store/gate.hpp"\n'}
        self.assertEqual([], self.problems(files))
        wrong = '#include "engine/link/store/private.hpp"\n'
        self.assert_found(files | {"src/engine/loop/b.cpp": wrong},
                          "store/private.hpp is private to src/engine/link")

    def test_floors_of_the_engine_offer_few_headers(self):
        def ground(count):
            names = [f"part{i}.hpp" for i in range(count)]
            offered = ", ".join(f"`{name}`" for name in names)
            includes = "".join(f'#include "engine/ground/{name}"\n' for name in names)
            return {"src/engine/ground/README.md": README + f"Interface: {offered}.\n",
                    "src/engine/loop/a.cpp": includes}
        self.assertEqual([], self.problems(ground(structure.FLOOR_HEADERS_MAX)))
        many = structure.FLOOR_HEADERS_MAX + 1
        self.assert_found(ground(many), f"{many} headers to others")

    def test_the_engine_includes_only_finished_settings(self):
        self.assertEqual([], self.problems({
            "src/engine/a.cpp": "#include <nexusfix/settings.hpp>\n",
            "src/config/b.cpp": '#include "config/api/explain_settings.hpp"\n'}))
        for line in ('#include "config/api/explain_settings.hpp"\n',
                     '#include "config/keys/find_key.hpp"\n'):
            self.assert_found({"src/engine/a.cpp": line}, "the engine includes of config only")

    def test_the_dialect_is_counted_in_identifiers_too(self):
        words = "bool is_told_so = leaves_nothing_behind();\n"
        few, many = words * (structure.DIALECT_MAX // 2), words * structure.DIALECT_MAX
        self.assertEqual([], self.problems({"tests/a.cpp": few}))
        self.assert_found({"tests/a.cpp": many}, "words of the dialect")

    def test_a_module_includes_only_the_interface_of_another(self):
        readme = README + "\nCalled by: all.\nInterface: `open.hpp`,\n`more.hpp`.\n\nBegin here.\n"
        files = {"src/store/write/README.md": readme,
                 "src/store/write/open.hpp": "#pragma once\n",
                 "src/store/write/more.hpp": "#pragma once\n",
                 "src/store/write/closed.hpp": "#pragma once\n",
                 "src/store/write/a.cpp": '#include "store/write/closed.hpp"\n',
                 "src/store/scan/b.cpp": '#include "store/write/open.hpp"\n'
                                         '#include "store/write/more.hpp"\n'}
        self.assertEqual([], self.problems(files))
        self.assert_found(files | {"src/store/c.cpp": '#include "store/write/closed.hpp"\n'},
                          "closed.hpp is private to src/store/write")
        self.assert_found(files | {"src/store/scan/b.cpp": '#include "store/write/open.hpp"\n'},
                          "no other module includes more.hpp")
        self.assert_found(files | {"src/store/write/README.md": README}, "Interface:")
        self.assert_found({"apps/nexusfix/run/README.md": README + "Interface: no header.\n",
                           "apps/nexusfix/run/a.hpp": "#pragma once\n",
                           "apps/nexusfix/stream/b.cpp": '#include "nexusfix/run/a.hpp"\n'},
                          "a.hpp is private to apps/nexusfix/run")
        self.assertEqual([], self.problems(
            {"src/store/a.hpp": "#pragma once\n", "src/store/README.md":
             README + "Interface: no header.\n"}))

    def test_a_module_of_a_product_is_included_by_its_interface_but_by_its_tests(self):
        files = {"logs/grep/README.md": README + "Interface: no header.\n",
                 "logs/grep/a.hpp": "#pragma once\n",
                 "logs/tests/a_test.cpp": '#include "logs/grep/a.hpp"\n'}
        self.assertEqual([], self.problems(files))
        self.assert_found(files | {"logs/diff/b.cpp": '#include "logs/grep/a.hpp"\n'},
                          "a.hpp is private to logs/grep")

    def test_members_of_a_class_are_counted(self):
        most = structure.CLASS_MEMBERS_SOFT
        for kind in ("class", "struct"):
            self.assertEqual([], self.problems({"src/wire/x.hpp": self.class_of(most, kind)}))
            self.assert_found({"src/wire/x.hpp": self.class_of(most + 1, kind)},
                              f"wire/Wide has {most + 1} data members, more than {most}")

    def test_inherited_members_count(self):
        most = structure.CLASS_MEMBERS_SOFT
        base = "struct Base { int a = 0; };\nclass Other : public Base { int b_ = 0; };\n"
        text = self.class_of(most - 1)
        self.assertEqual([], self.problems({"src/wire/x.hpp": base + text}))
        self.assert_found({"src/wire/x.hpp": base + text.replace(": Base", ": public Other")},
                          f"wire/Wide has {most + 1} data members, more than {most}")

    def test_enumerators_are_no_members(self):
        names = ", ".join(f"N{i}" for i in range(100))
        self.assertEqual([], self.problems({"src/wire/x.hpp": f"enum class Many {{ {names} }};\n"}))

    def test_methods_of_a_class_are_in_few_files(self):
        files = {f"src/wire/x{i}.cpp": f"void Wide::f{i}() {{}}\n"
                 for i in range(structure.CLASS_FILES_MAX)}
        self.assertEqual([], self.problems(files))
        self.assert_found(files | {"src/wire/more.cpp": "int Wide::more() const {\n}\n"},
                          f"files with methods of wire/Wide: {structure.CLASS_FILES_MAX + 1}")
        inline = "inline int Wide::more() const {\n}\n"
        self.assert_found(files | {"src/wire/more.hpp": inline}, "files with methods of wire/Wide")
        self.assertEqual([], self.problems(
            files | {"src/wire/wide.hpp": "class Wide {\n int more() const;\n};\n" + inline}))

    def test_a_class_with_many_members_has_its_reason(self):
        most = structure.CLASS_MEMBERS_SOFT
        with unittest.mock.patch.dict(structure.MANY_MEMBERS, {"wire/Wide": "a member an option"}):
            self.assertEqual([], self.problems({"src/wire/x.hpp": self.class_of(most + 1)}))
            self.assert_found({"src/wire/x.hpp": self.class_of(most)}, "it needs no reason")

    def test_source_of_a_header_for_others_has_a_test_of_its_name(self):
        for header, source in (("include/nexusfix/wire/draft/x.hpp", "src/wire/x.cpp"),
                               ("src/wire/api/x.hpp", "src/wire/values/x.cpp"),
                               ("logs/include/nexusfix/x.hpp", "logs/grep/x.cpp")):
            page = {"docs/x.md": f"`{header.split('include/')[-1]}`\n"}
            files = page | {header: "", source: ""}
            with self.subTest(source=source):
                self.assert_found(files, "there is no x_test.cpp")
                test = {"tests/unit/wire/values/x_test.cpp": ""}
                self.assertEqual([], self.problems(files | test))
                with unittest.mock.patch.dict(structure.TESTED_ELSEWHERE, {source: "y_test.cpp"}):
                    self.assertEqual([], self.problems(files))
                    self.assert_found(files | test, "it needs no reason in TESTED_ELSEWHERE")
        self.assertEqual([], self.problems({"src/wire/x.cpp": "", "src/wire/x.hpp": ""}))

    def test_public_header_that_no_page_names_is_found(self):
        for header in ("include/nexusfix/wire/x.hpp", "logs/include/nexusfix/x.hpp"):
            name = header.split("include/")[1]
            with self.subTest(header=header):
                self.assert_found({header: "", "src/wire/README.md": f"`{name}`\n"},
                                  "no example, page or test of the installation names")
                for place in ("docs/x.md", "examples/x.cpp", "tests/product/install/x.cpp"):
                    self.assertEqual([], self.problems({header: "", place: f"<{name}>\n"}))

    def test_public_headers_are_few(self):
        most = structure.PUBLIC_HEADERS_MAX
        names = [f"nexusfix/wire/{place}/x{i}.hpp" for place in "abcd" for i in range(20)]
        page = {"docs/x.md": "\n".join(names)}
        files = {f"include/{name}": "" for name in names[:most]}
        self.assertEqual([], self.problems(page | files))
        self.assert_found(page | files | {f"include/{names[most]}": ""},
                          f"{most + 1} public headers, {most} at most")

    def test_private_file_that_a_public_header_names_is_found(self):
        files = {"docs/x.md": "nexusfix/wire/x.hpp nexusfix/wire/y.hpp",
                 "include/nexusfix/wire/y.hpp": "", "src/wire/api/z.hpp": ""}
        for named in ("y.hpp", "wire/y.hpp", "nexusfix/fix44/enum_names.hpp"):
            text = f"// See {named}.\n#include <nexusfix/wire/w.hpp>\n"
            self.assertEqual([], self.problems(files | {"include/nexusfix/wire/x.hpp": text}))
        for named in ("z.hpp", "src/wire/x.cpp"):
            self.assert_found(files | {"include/nexusfix/wire/x.hpp": f"int x;  // see {named}\n"},
                              f"x.hpp:1: users have no {named}")

    def test_header_of_the_engine_includes_few_lines(self):
        most = structure.ENGINE_HEADER_LINES_MAX
        page = {"docs/x.md": "nexusfix/engine.hpp nexusfix/wire/x.hpp"}
        engine = {"include/nexusfix/engine.hpp": "#include <nexusfix/wire/x.hpp>\n"}
        self.assertEqual([], self.problems(
            page | engine | {"include/nexusfix/wire/x.hpp": "\n" * (most - 1)}))
        self.assert_found(page | engine | {"include/nexusfix/wire/x.hpp": "\n" * most},
                          f"includes {most + 1} lines, {most} at most")

    def test_words_of_the_dialect_are_counted(self):
        word = "be" + "hind"
        most = structure.DIALECT_MAX
        self.assertEqual([], self.problems({"src/x.cpp": f"// {word}\n" * most}))
        self.assert_found({"src/x.cpp": f"// {word}\n" * (most + 1)},
                          f"{most + 1} words of the dialect, {most} at most: src/x.cpp")


if __name__ == "__main__":
    unittest.main()
