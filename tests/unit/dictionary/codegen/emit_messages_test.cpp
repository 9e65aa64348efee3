#include "codegen/emit_messages.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/dictionary.hpp>

#include "codegen/emit_names.hpp"

namespace nexusfix::codegen {
namespace {

std::string fixture(const std::string& name) {
  PosixDisk disk;
  const auto text = read_file(disk, std::string{NEXUSFIX_FIXTURES} + '/' + name, 1U << 20U);
  EXPECT_TRUE(text) << name;
  return text.value_or("");
}

dictionary::Dictionary tiny() {
  auto loaded = dictionary::load_dictionary(fixture("tiny.xml"), "tiny.xml");
  EXPECT_TRUE(loaded);
  return loaded.value_or(dictionary::Dictionary{});
}

// To regenerate the golden file: nexusfix_codegen messages tiny.xml --namespace tiny -o DIR. Then
// read the difference.
TEST(EmitMessages, writes_the_approved_headers) {
  std::string all;
  for (const GeneratedFile& file : emit_messages(tiny(), {"tiny", "tiny.xml"})) {
    all += "==> " + file.path + "\n" + file.text;
  }
  EXPECT_EQ(all, fixture("golden/tiny.txt"));
}

TEST(EmitMessages, writes_the_same_bytes_again) {
  const auto first = emit_messages(tiny(), {"tiny", "tiny.xml"});
  const auto second = emit_messages(tiny(), {"tiny", "tiny.xml"});
  EXPECT_TRUE(std::ranges::equal(first, second, {}, &GeneratedFile::text, &GeneratedFile::text));
}

TEST(EmitMessages, gives_a_message_called_like_a_field_another_name) {
  const auto files = emit_messages(tiny(), {"tiny", "tiny.xml"});
  const auto found =
      std::ranges::find(files, "nexusfix/tiny/status_message.hpp", &GeneratedFile::path);
  ASSERT_NE(found, files.end());
  EXPECT_NE(found->text.find("class StatusMessage :"), std::string::npos);
}

std::string text_of(const std::vector<GeneratedFile>& files) {
  std::string text;
  for (const GeneratedFile& file : files) text += file.text;
  return text;
}

// Every character that begins a new line.
TEST(EmitMessages, keeps_names_of_a_dictionary_within_their_comment) {
  dictionary::Dictionary dictionary = tiny();
  for (auto& field : dictionary.fields) field.name += "\ninjected field";
  for (auto& component : dictionary.components) component.name += "\rinjected component";
  for (auto& message : dictionary.messages) {
    message.name += "\ninjected message";
    message.msg_type += "\ninjected type\\";
  }
  dictionary.begin_string += "\ninjected version";
  const std::string text = text_of(emit_messages(dictionary, {"tiny", "t\ninjected.xml\\"}));
  EXPECT_EQ(text.find("\ninjected"), std::string::npos);
  EXPECT_EQ(text.find('\r'), std::string::npos);
  EXPECT_EQ(text.find("\\\n"), std::string::npos);
  EXPECT_NE(text.find("\\x0ainjected message"), std::string::npos);
}

// The form in which an application gets the version of a message.
TEST(EmitMessages, names_a_service_pack_of_fix_5_0_only) {
  dictionary::Dictionary dictionary = tiny();
  dictionary.service_pack = 2;
  for (const auto& [begin_string, version] :
       {std::pair{"FIX.4.4", "\"FIX.4.4\""}, std::pair{"FIX.5.0", "\"FIX.5.0SP2\""},
        std::pair{"FIXT.1.1", "\"FIXT.1.1\""}}) {
    dictionary.begin_string = begin_string;
    const std::string text = text_of(emit_messages(dictionary, {"tiny", "tiny.xml"}));
    EXPECT_NE(text.find(std::string{"kApplicationVersion = "} + version + ';'), std::string::npos)
        << begin_string;
  }
}

TEST(EmitNames, shares_one_text_between_dictionaries) {
  const std::string once = emit_names({tiny()});
  const std::string twice = emit_names({tiny(), tiny()});
  const auto text_of = [](const std::string& source) {
    return source.substr(0, source.find("};"));
  };
  EXPECT_EQ(text_of(once), text_of(twice));
  EXPECT_NE(twice.find("kFields1"), std::string::npos);
}

}  // namespace
}  // namespace nexusfix::codegen
