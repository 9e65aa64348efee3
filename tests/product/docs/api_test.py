#!/usr/bin/env python3
"""Which comments of a header document which names, and how they look in the API reference."""

import sys
import tempfile
import unittest
from pathlib import Path
from xml.etree import ElementTree

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tools" / "docs"))
import api_comments  # noqa: E402
import api_pages  # noqa: E402


class CommentsTest(unittest.TestCase):
    def assert_converted(self, expected, header):
        lines = api_comments.without_details(header.splitlines())
        converted = list(api_comments.converted("a.hpp", list(lines)))
        self.assertEqual(expected.splitlines(), converted)

    def test_first_comment_describes_the_file(self):
        self.assert_converted("/// @file a.hpp One.\n/// Two.\n#pragma once",
                              "// One.\n// Two.\n#pragma once")

    def test_comment_above_and_after_a_declaration(self):
        self.assert_converted("\n  /// An int.\n  int a = 0;    /**< in bytes */",
                              "\n  // An int.\n  int a = 0;    // in bytes")

    def test_lines_after_a_trailing_comment_belong_to_it(self):
        self.assert_converted("int a;  /**< one\n        two */\n/// Next.\nint b;",
                              "int a;  // one\n        // two\n// Next.\nint b;")

    def test_text_is_no_command(self):
        self.assert_converted("\n/// A \\@b, \\<c\\>, `<d>`.", "\n// A @b, <c>, `<d>`.")

    def test_indented_lines_are_code(self):
        self.assert_converted("\n/// So:\n/// @code{.cpp}   f(<T>);\n///   g(); @endcode\n/// End.",
                              "\n// So:\n//   f(<T>);\n//   g();\n// End.")

    def test_notes_to_tools_are_no_comments(self):
        self.assert_converted("\nint a;  // NOLINT: why\n// clang-format off",
                              "\nint a;  // NOLINT: why\n// clang-format off")

    def test_members_of_an_iterator_are_hidden(self):
        self.assert_converted("class V::Iterator {\n private:\n};\nclass B {\n public:\n};",
                              "class V::Iterator {\n public:\n};\nclass B {\n public:\n};")


class PagesTest(unittest.TestCase):
    MEMBER = """
      <memberdef kind="function" prot="public" static="no">
        <type>const T &amp;</type><name>get</name><argsstring>(Tag tag=1) const</argsstring>
        <briefdescription><para>See put() and kMax; a | b.</para></briefdescription>
        <detaileddescription/><location file="nexusfix/wire/a.hpp" line="{line}"/>
      </memberdef>"""

    def page(self):
        with tempfile.TemporaryDirectory() as folder:
            xml, pages = Path(folder) / "xml", Path(folder) / "pages"
            xml.mkdir()
            (xml / "file.xml").write_text("""<doxygen><compounddef id="f" kind="file">
              <compoundname>a.hpp</compoundname><briefdescription/>
              <detaileddescription><para>The file.</para></detaileddescription>
              <location file="nexusfix/wire/a.hpp"/></compounddef></doxygen>""", encoding="utf-8")
            (xml / "space.xml").write_text(f"""<doxygen>
              <compounddef id="n" kind="namespace"><compoundname>nexusfix::wire</compoundname>
              <sectiondef kind="func">{self.MEMBER.format(line=2)}
              {self.MEMBER.format(line=1).replace(">get<", ">put<")}</sectiondef>
              </compounddef></doxygen>""", encoding="utf-8")
            navigation = api_pages.write(xml, pages)
            self.assertEqual([("wire", "wire/README.md", [("a.hpp", "wire/a.md")])], navigation)
            return (pages / "wire" / "a.md").read_text(encoding="utf-8")

    def test_names_in_the_order_of_the_header_with_links(self):
        page = self.page()
        self.assertIn("# wire/a.hpp\n\n```cpp\n#include <nexusfix/wire/a.hpp>\n```\n\nThe file.",
                      page)
        self.assertLess(page.index("## put { #put }"), page.index("## get { #get }"))
        self.assertIn("```cpp\nconst T& get(Tag tag = 1) const;\n```\n\n"
                      "See [`put()`](#put) and `kMax`; a &#124; b.", page)

    def test_declarations_in_the_style_of_the_project(self):
        node = ElementTree.fromstring("<type>std::span&lt; const <ref>Tag</ref> &gt; &amp;</type>")
        self.assertEqual("std::span<const Tag>&", api_pages.flat(node))


if __name__ == "__main__":
    unittest.main()
