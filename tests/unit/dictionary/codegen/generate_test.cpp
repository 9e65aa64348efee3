// A folder of headers from a dictionary's file.
#include "codegen/generate.hpp"

#include <cerrno>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "support/disks/fake_disk.hpp"

namespace nexusfix::codegen {
namespace {

using testing::DiskCall;
using testing::FakeDisk;

// messages: the content of <messages>.
std::string dictionary(std::string_view messages) {
  return std::string{
      "<fix type='FIX' major='4' minor='4'><header/><trailer/><components/><messages>"}
      .append(messages)
      .append(
          "</messages><fields><field number='55' name='Symbol' type='STRING'/>"
          "<field number='58' name='Text' type='STRING'/></fields></fix>");
}

constexpr std::string_view kQuote =
    "<message name='Quote' msgtype='S' msgcat='app'><field name='Symbol' required='Y'/></message>";
constexpr std::string_view kNews =
    "<message name='News' msgtype='B' msgcat='app'><field name='Text' required='N'/></message>";

class Generate : public ::testing::Test {
 protected:
  std::expected<Generated, std::string> run(std::string_view messages,
                                            std::string name_space = "venue") {
    disk_.set_contents("Venue.v2.xml", dictionary(messages));
    return generate_messages(disk_, {"Venue.v2.xml", "out", std::move(name_space)});
  }
  std::string error(std::string_view messages, std::string name_space = "venue") {
    const auto generated = run(messages, std::move(name_space));
    return generated ? "none" : generated.error();
  }

  FakeDisk disk_;
};

TEST_F(Generate, writes_a_header_for_each_message) {
  const auto generated = run(kQuote);
  ASSERT_TRUE(generated) << generated.error();
  EXPECT_EQ(generated->folder, "out/nexusfix/venue");
  EXPECT_EQ(generated->headers, 7U);  // with those of tags, fields, and all messages
  EXPECT_EQ(generated->written, 7U);
  EXPECT_NE(disk_.contents("out/nexusfix/venue/quote.hpp").find("class Quote :"),
            std::string::npos);
}

TEST_F(Generate, writes_again_only_what_differs) {
  ASSERT_TRUE(run(kQuote));
  const unsigned writes = disk_.calls(DiskCall::Write);
  const auto again = run(kQuote);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->written, 0U);
  EXPECT_EQ(disk_.calls(DiskCall::Write), writes);
  const auto more = run(std::string{kQuote}.append(kNews));
  ASSERT_TRUE(more);
  EXPECT_EQ(more->headers, 8U);
  EXPECT_EQ(more->written, 3U);  // the new message's, and the two that name all messages
}

TEST_F(Generate, removes_only_headers_that_the_dictionary_no_longer_has) {
  ASSERT_TRUE(run(std::string{kQuote}.append(kNews)));
  disk_.set_contents("out/nexusfix/venue/mine.hpp", "#pragma once\n");
  const auto fewer = run(kQuote);
  ASSERT_TRUE(fewer);
  EXPECT_EQ(fewer->removed, 1U);
  EXPECT_FALSE(disk_.exists("out/nexusfix/venue/news.hpp"));
  EXPECT_TRUE(disk_.exists("out/nexusfix/venue/mine.hpp"));
  EXPECT_TRUE(disk_.exists("out/nexusfix/venue/quote.hpp"));
}

TEST_F(Generate, names_the_namespace_after_the_file_by_default) {
  const auto generated = run(kQuote, "");
  ASSERT_TRUE(generated);
  EXPECT_EQ(generated->folder, "out/nexusfix/venue");
}

TEST_F(Generate, a_file_whose_name_is_not_a_namespace_requires_the_option) {
  const auto name = name_space_of({.dictionary = "std.xml", .folder = "out", .name_space = ""});
  ASSERT_FALSE(name);
  EXPECT_NE(name.error().find("choose another namespace with --namespace"), std::string::npos);
}

TEST_F(Generate, refuses_an_invalid_or_reserved_namespace) {
  EXPECT_NE(error(kQuote, "a-b").find("'a-b'"), std::string::npos);
  EXPECT_EQ(error(kQuote, "class"), "'class' is a keyword of C++; choose another namespace");
  for (const char* reserved : {"std", "a__b", "_Upper", "linux"}) {
    EXPECT_EQ(error(kQuote, reserved), "'" + std::string{reserved} +
                                           "' is a name that C++ or compilers reserve; "
                                           "choose another namespace");
  }
  EXPECT_NE(error(kQuote, "nexusfix").find("own namespace"), std::string::npos);
  EXPECT_NE(error(kQuote, "wire").find("nexusfix::wire"), std::string::npos);
  EXPECT_FALSE(disk_.exists("out/nexusfix/wire/quote.hpp"));
}

TEST_F(Generate, reports_errors_of_the_dictionary_with_their_lines) {
  const std::string wrong = error(
      "<message name='Quote' msgtype='S' msgcat='app'>\n"
      "<field name='Symbl' required='Y'/></message>");
  EXPECT_NE(wrong.find("Venue.v2.xml:2"), std::string::npos) << wrong;
  EXPECT_NE(wrong.find("Symbl"), std::string::npos) << wrong;
  EXPECT_NE(error("").find("no message"), std::string::npos);
}

TEST_F(Generate, names_the_file_that_it_cannot_read_or_write) {
  const auto absent = generate_messages(disk_, {"absent.xml", "out", "venue"});
  ASSERT_FALSE(absent);
  EXPECT_NE(absent.error().find("absent.xml"), std::string::npos) << absent.error();
  disk_.fail(DiskCall::Write, 1, ENOSPC);
  const std::string full = error(kQuote);
  EXPECT_NE(full.find("out/nexusfix/venue/"), std::string::npos) << full;
}

}  // namespace
}  // namespace nexusfix::codegen
