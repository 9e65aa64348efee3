#include <cstddef>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include <nexusfix/dictionary.hpp>

namespace nexusfix::dictionary {
namespace {

using namespace std::string_literals;

std::string error_of(std::string_view text) {
  const auto loaded = load_dictionary(text, "a.xml");
  return loaded ? "no error" : loaded.error().what();
}

std::string quickfix(const std::string& fields, const std::string& messages = {}) {
  return "<fix major=\"4\" minor=\"4\"><messages>" + messages + "</messages><fields>" + fields +
         "</fields></fix>";
}

// The name of the only field of a dictionary in one encoding.
std::string name_in(const std::string& text, std::size_t warnings = 0) {
  const auto loaded = load_dictionary(text, "a.xml");
  if (!loaded) return loaded.error().what();
  if (loaded->fields.size() != 1) return "not one field";
  EXPECT_EQ(loaded->warnings.size(), warnings);
  return loaded->fields[0].name;
}

std::string with_name(const std::string& declaration, const std::string& name) {
  return declaration + quickfix("\n<field number=\"1\" name=\"" + name + "\" type=\"INT\"/>");
}

std::string utf16(const std::string& ascii, bool big_endian, bool mark) {
  std::string out = !mark ? "" : big_endian ? "\xFE\xFF" : "\xFF\xFE";
  for (const char c : ascii) out += big_endian ? "\0"s + c : c + "\0"s;
  return out;
}

TEST(LoadDictionary, detects_the_format_from_the_root_element) {
  EXPECT_EQ(error_of(quickfix("")), "no error");
  EXPECT_EQ(error_of("<f:repository version=\"FIX.4.4\"><f:fields/><f:messages/></f:repository>"),
            "no error");
  EXPECT_EQ(error_of("<html/>"),
            "a.xml:1: the root element is <html>, expected <fix> of QuickFIX or <repository> of "
            "FIX Orchestra");
  EXPECT_EQ(error_of("<fix major=\"4\"/>"), "a.xml:1: <fix> lacks the attribute \"minor\"");
  EXPECT_EQ(error_of("\n<repository/>"), "a.xml:2: there is no <fields>");
}

TEST(LoadDictionary, refuses_a_text_that_is_not_xml) {
  EXPECT_TRUE(error_of("").starts_with("a.xml:1: not XML: "));
  EXPECT_TRUE(error_of("8=FIX.4.4|9=5|").starts_with("a.xml:1: not XML: "));
  EXPECT_EQ(error_of(quickfix("") + "\n<fix/>"), "a.xml:2: a second root element: <fix>");
}

TEST(LoadDictionary, refuses_a_text_that_was_cut_at_any_byte) {
  const std::string text =
      quickfix("<field number=\"1\" name=\"A\" type=\"INT\"/>",
               "<message name=\"B\" msgtype=\"B\"><field name=\"A\"/></message>");
  ASSERT_EQ(error_of(text), "no error");
  for (std::size_t size = 0; size < text.size(); ++size) {
    EXPECT_TRUE(error_of(text.substr(0, size)).starts_with("a.xml:1: ")) << size;
  }
}

TEST(LoadDictionary, reads_the_encodings_that_files_have) {
  EXPECT_EQ(name_in(with_name("", "A\u00E9")), "A\u00E9");
  EXPECT_EQ(name_in(with_name("\xEF\xBB\xBF", "A")), "A");
  for (const bool big_endian : {true, false}) {
    for (const bool mark : {true, false}) {
      const std::string text = with_name("<?xml version=\"1.0\" encoding=\"UTF-16\"?>", "A");
      EXPECT_EQ(name_in(utf16(text, big_endian, mark)), "A") << big_endian << mark;
    }
  }
  EXPECT_EQ(name_in(with_name("<?xml version='1.0' encoding='iso-8859-1'?>", "A\xE9")), "A\u00E9");
  EXPECT_EQ(name_in(with_name("<?xml version='1.0' encoding=\"Windows-1252\"?>", "A\x80")),
            "A\u20AC");
}

TEST(LoadDictionary, warns_of_bytes_that_are_not_utf8) {
  const std::string text = with_name("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", "A\x92");
  EXPECT_EQ(name_in(text, 1), "A\u2019");
  EXPECT_EQ(load_dictionary(text, "a.xml")->warnings[0],
            "a.xml:3: not UTF-8, read as windows-1252");
}

TEST(LoadDictionary, refuses_an_unknown_encoding) {
  EXPECT_EQ(error_of(with_name("<?xml version='1.0' encoding='Shift_JIS'?>", "A")),
            "a.xml:1: the encoding is \"Shift_JIS\", expected UTF-8, UTF-16, ISO-8859-1 or "
            "windows-1252");
  EXPECT_EQ(error_of("\0\0\xFE\xFF"s), "a.xml:1: the encoding is UTF-32, expected UTF-8 or UTF-16");
  EXPECT_EQ(error_of("\xFF\xFE<"), "a.xml: looks like UTF-16, but is not valid UTF-16");
  EXPECT_EQ(error_of("\xFE\xFF\xD8\x00\x00<"s),
            "a.xml: looks like UTF-16, but is not valid UTF-16");
}

TEST(LoadDictionary, refuses_zero_bytes) {
  EXPECT_EQ(error_of("<fix>\n\0</fix>"s), "a.xml:2: a zero byte, which XML does not allow");
  EXPECT_EQ(error_of(quickfix("") + "\n\n\0"s), "a.xml:3: a zero byte, which XML does not allow");
}

TEST(LoadDictionary, refuses_entities_instead_of_expanding_them) {
  std::string laughs = "<!DOCTYPE fix [<!ENTITY a0 \"ha\">";
  for (int i = 1; i < 50; ++i) {
    laughs += "\n<!ENTITY a" + std::to_string(i) + " \"";
    for (int j = 0; j < 10; ++j) laughs += "&a" + std::to_string(i - 1) + ';';
    laughs += "\">";
  }
  EXPECT_EQ(error_of(with_name(laughs + "]>", "&a49;")),
            "a.xml:1: the document type defines entities, which are not supported");
  EXPECT_EQ(error_of(with_name("<!DOCTYPE fix [<!ENTITY x SYSTEM \"/etc/passwd\">]>", "&x;")),
            "a.xml:1: the document type defines entities, which are not supported");
  EXPECT_EQ(name_in(with_name("<!DOCTYPE fix SYSTEM \"fix.dtd\">", "A&amp;B")), "A&B");
}

TEST(LoadDictionary, refuses_a_text_beyond_the_limit_before_it_reads_it) {
  EXPECT_EQ(error_of(std::string(100'000'000, '<')), "a.xml: larger than 67108864 bytes");
}

TEST(LoadDictionary, limits_the_number_of_elements_and_attributes) {
  std::string elements = "<fix>";
  while (elements.size() < 32'000'000) elements += "<a/><a/><a/><a/><a/><a/><a/><a/>";
  EXPECT_EQ(error_of(elements + "</fix>"), "a.xml: more than 1000000 elements");
  std::string attributes = "<fix";
  while (attributes.size() < 16'000'000) attributes += " a='' a='' a='' a=''";
  EXPECT_EQ(error_of(attributes + "/>"), "a.xml: more than 2000000 attributes");
}

TEST(LoadDictionary, needs_no_stack_for_deeply_nested_elements) {
  const std::size_t depth = 500'000;
  std::string text;
  for (std::size_t i = 0; i < depth; ++i) text += "<fix>";
  EXPECT_TRUE(error_of(text).starts_with("a.xml:1: not XML: "));
  for (std::size_t i = 0; i < depth; ++i) text += "</fix>";
  EXPECT_EQ(error_of(text), "a.xml:1: <fix> lacks the attribute \"major\"");
}

// Each component contains the next one ten times, in a small text.
TEST(LoadDictionary, limits_the_expanded_members_of_components) {
  std::string components;
  for (int i = 0; i < 60; ++i) {
    components += "<component name=\"C" + std::to_string(i) + "\">";
    for (int j = 0; i < 59 && j < 10; ++j) {
      components += "<component name=\"C" + std::to_string(i + 1) + "\"/>";
    }
    components += "</component>\n";
  }
  const std::string text =
      "<fix major=\"4\" minor=\"4\"><components>" + components +
      "</components><fields/><messages><message name=\"A\" msgtype=\"A\"><component name=\"C0\"/>"
      "</message></messages></fix>";
  EXPECT_EQ(error_of(text),
            "a.xml:61: with message \"A\" the messages and their components contain more than "
            "16000000 fields");
}

// Each of 40 groups contains the next one twice, and no message contains any of them.
TEST(LoadDictionary, limits_the_members_of_groups_that_no_message_uses) {
  std::string fields;
  std::string groups;
  for (int i = 1; i <= 40; ++i) {
    const std::string id = std::to_string(i);
    const std::string next = std::to_string(i + 1);
    fields += "<field id=\"" + id + "\" name=\"F" + id + "\" type=\"NumInGroup\"/>";
    groups += "<group id=\"" + id + "\" name=\"G" + id + "\"><numInGroup id=\"" + id + "\"/>";
    groups += i == 40 ? "<fieldRef id=\"1\"/>"
                      : "<groupRef id=\"" + next + "\"/><groupRef id=\"" + next + "\"/>";
    groups += "</group>\n";
  }
  const std::string text =
      "<repository name=\"x\" version=\"FIX.Latest\"><fields>" + fields +
      "</fields><components><component id=\"1\" name=\"C\"><groupRef id=\"1\"/></component>"
      "</components><groups>" +
      groups + "</groups><messages/></repository>";
  EXPECT_EQ(error_of(text),
            "a.xml:1: with component \"C\" the messages and their components contain more than "
            "16000000 fields");
}

// Each component contains the next one ten times. Only with twenty of them the limit is exceeded.
TEST(LoadDictionary, limits_the_members_of_header_and_trailer) {
  for (const std::string place : {"header", "trailer"}) {
    std::string components;
    for (int i = 0; i < 6; ++i) {
      components += "<component name=\"C" + std::to_string(i) + "\">";
      for (int j = 0; j < 10; ++j) {
        components +=
            i == 5 ? "<field name=\"A\"/>" : "<component name=\"C" + std::to_string(i + 1) + "\"/>";
      }
      components += "</component>";
    }
    std::string members;
    for (int i = 0; i < 20; ++i) members += "<component name=\"C0\"/>";
    const std::string text = "<fix major=\"4\" minor=\"4\">\n<" + place + ">" + members + "</" +
                             place + "><components>" + components +
                             "</components><fields><field number=\"1\" name=\"A\" "
                             "type=\"INT\"/></fields><messages/></fix>";
    EXPECT_EQ(error_of(text), "a.xml:2: with the " + place +
                                  " the messages and their components contain more than 16000000 "
                                  "fields");
  }
}

TEST(LoadDictionary, messages_about_a_hostile_file_cannot_steer_a_terminal) {
  const std::string type = "<field number=\"1\" name=\"A&#27;[2J\" type=\"Q&#27;[31m\"/>";
  const auto loaded = load_dictionary(quickfix(type), "a.xml");
  ASSERT_TRUE(loaded) << loaded.error().what();
  ASSERT_EQ(loaded->warnings.size(), 1U);
  EXPECT_TRUE(loaded->warnings[0].ends_with(
      "unknown type \"Q\\x1b[31m\" of A\\x1b[2J, its values are text"))
      << loaded->warnings[0];
  const std::string error = error_of(quickfix(type + type));
  EXPECT_TRUE(error.ends_with("tag 1 is defined twice: A\\x1b[2J and A\\x1b[2J")) << error;
}

TEST(LoadDictionary, cuts_quotations_of_a_hostile_file) {
  const std::string name(1'000'000, 'x');
  EXPECT_LT(error_of(quickfix("<field number=\"" + name + "\" name=\"A\" type=\"INT\"/>")).size(),
            300U);
  EXPECT_LT(error_of("<" + name + "/>").size(), 300U);
  EXPECT_LT(error_of(quickfix("", "<message name=\"A\" msgtype=\"A\"><field name=\"" + name +
                                      "\"/></message>"))
                .size(),
            300U);
}

}  // namespace
}  // namespace nexusfix::dictionary
