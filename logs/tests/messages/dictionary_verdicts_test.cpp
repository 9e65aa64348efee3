// A session, `nexusfix validate`, `nexusfix dict` and `nexusfix decode` agree on what a message is,
// whatever a dictionary lacks.
#include <algorithm>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include <nexusfix/catalog.hpp>
#include <nexusfix/dictionary.hpp>
#include <nexusfix/wire/parser.hpp>

#include "config/api/settings.hpp"
#include "config/api/validators.hpp"
#include "logs/decode/decode.hpp"
#include "logs/validate/validate.hpp"
#include "nexusfix/dictionary/named_dictionary.hpp"
#include "support/disks/fake_disk.hpp"
#include "support/fix_text.hpp"
#include "support/output_text.hpp"

namespace nexusfix::command {
namespace {

using dictionary::Dictionary;
using dictionary::Version;
using testing::bar;
using testing::fix;

constexpr Version kVersions[] = {Version::Fix40, Version::Fix41, Version::Fix42,
                                 Version::Fix43, Version::Fix44, Version::Fixt11};

// The files that venues publish, with a message of their own: complete, without a header, without
// some or all session messages.
std::vector<Dictionary> files_of(Version version) {
  Dictionary complete = dictionary::builtin_dictionary(version);
  dictionary::MessageDefinition& own = complete.messages.emplace_back();
  own.msg_type = "U7";
  own.name = "DeskNote";
  own.admin = version == Version::Fixt11;
  std::vector<Dictionary> files{complete};
  for (const std::string_view lacks : {"A", "0", "012345A", "5A"}) {
    for (const bool has_header : {true, false}) {
      Dictionary& file = files.emplace_back(complete);
      std::erase_if(file.messages, [&](const dictionary::MessageDefinition& message) {
        return message.admin && lacks.contains(message.msg_type);
      });
      if (has_header) continue;
      file.header.clear();
      file.trailer.clear();
    }
  }
  return files;
}

// Messages of the session layer and of the application, right ones and others. A transport
// dictionary has no application messages and none of their fields.
std::vector<std::string> messages_of(Version version) {
  const std::string header = "34=2|49=T|56=V|52=20240115-10:30:00|";
  std::vector<std::string> bodies{
      "98=0|108=30|", "",        "112=HELLO|",         "7=1|16=0|",          "45=1|58=no|",
      "36=9|123=Y|",  "58=bye|", "384=1|372=D|385=S|", "98=0|108=30|1137=9|"};
  std::vector<const char*> types{"A", "0", "1", "2", "3", "4", "5", "U7", "U8", "n"};
  if (version != Version::Fixt11) {
    bodies.insert(bodies.end(),
                  {"11=A1|21=1|55=IBM|54=1|60=20240115-10:30:00|38=100|40=1|", "11=A1|"});
    types.insert(types.end(), {"D", "j"});
  }
  std::vector<std::string> messages;
  for (const char* type : types) {
    for (const std::string& body : bodies) {
      for (const char* more : {"", "141=Y|", "9999=x|", "108=often|", "50=|", "43=maybe|"}) {
        messages.push_back(
            fix(to_string(version), "35=" + std::string{type} + "|" + header + body + more));
      }
    }
  }
  return messages;
}

// What a session with this file answers: nullopt, or the SessionRejectReason.
std::vector<std::optional<int>> verdicts_of_a_session(testing::FakeDisk& disk, Version version,
                                                      const std::vector<std::string>& messages) {
  const std::string_view key = version == Version::Fixt11
                                   ? "DefaultApplVerID=FIX.5.0SP2\nTransportDataDictionary="
                                   : "DataDictionary=";
  auto settings = config::parse_settings(
      "[DEFAULT]\nConnectionType=acceptor\nSocketAcceptPort=0\nStore=memory\nStartTime=00:00:00\n"
      "EndTime=00:00:00\n[SESSION]\nBeginString=" +
          std::string{to_string(version)} + "\nSenderCompID=V\nTargetCompID=T\n" +
          std::string{key} + "venue.xml\n",
      "venue.cfg");
  EXPECT_TRUE(settings.has_value());
  if (!settings) return {};
  const auto made = config::make_validators(*settings, disk);
  EXPECT_TRUE(made.has_value()) << made.error().front().text;
  if (!made) return {};
  const auto& validator = settings->sessions.front().session.validation.validator;
  std::vector<std::optional<int>> verdicts;
  wire::Parser parser;
  for (const std::string& bytes : messages) {
    const auto message = parser.parse(bytes);
    EXPECT_TRUE(message.has_value()) << bar(bytes);
    const auto wrong = validator->validate(*message);
    verdicts.push_back(wrong ? std::optional{static_cast<int>(wrong->reason())} : std::nullopt);
  }
  return verdicts;
}

std::vector<std::optional<int>> verdicts_of_validate(testing::FakeDisk& disk,
                                                     const std::vector<std::string>& messages) {
  std::string log;
  for (const std::string& bytes : messages) log += bytes + "\n";
  disk.set_contents("log", log);
  testing::OutputText out;
  testing::OutputText err;
  ValidateOptions options;
  options.input.files = {"log"};
  options.dictionary = "venue.xml";
  options.json = true;
  static_cast<void>(validate_files(options, disk, {out.stream(), err.stream()}));
  std::vector<std::optional<int>> verdicts;
  std::istringstream lines{out.text()};
  for (std::string line; std::getline(lines, line);) {
    const auto json = nlohmann::json::parse(line);
    verdicts.push_back(json["valid"].get<bool>() ? std::nullopt
                                                 : std::optional{json["reason"].get<int>()});
  }
  return verdicts;
}

// The headings of the messages in the file "log".
std::vector<std::string> headings_of_decode(testing::FakeDisk& disk) {
  testing::OutputText out;
  testing::OutputText err;
  DecodeOptions options;
  options.input.files = {"log"};
  options.dictionary = "venue.xml";
  options.colour = ColourChoice::Never;
  options.summary = true;
  static_cast<void>(decode_files(options, disk, {out.stream(), err.stream()}));
  std::vector<std::string> headings;
  std::istringstream lines{out.text()};
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("  ")) headings.push_back(line);
  }
  if (!headings.empty()) headings.pop_back();  // the count
  return headings;
}

TEST(DictionaryVerdicts, session_and_commands_agree_on_each_message_and_each_dictionary) {
  constexpr int kInvalidMsgType = 11;
  for (const Version version : kVersions) {
    const std::vector<std::string> messages = messages_of(version);
    const std::vector<Dictionary> files = files_of(version);
    std::vector<std::optional<int>> complete;
    for (std::size_t file = 0; file < files.size(); ++file) {
      SCOPED_TRACE(std::string{to_string(version)} + ", file " + std::to_string(file));
      testing::FakeDisk disk;
      disk.set_contents("venue.xml", dictionary::to_quickfix_xml(files[file]));
      const auto session = verdicts_of_a_session(disk, version, messages);
      if (file == 0) complete = session;
      ASSERT_EQ(session.size(), messages.size());
      EXPECT_EQ(session, complete) << "what the file lacks is that of the standard";
      const auto validate = verdicts_of_validate(disk, messages);
      ASSERT_EQ(validate.size(), messages.size());
      const auto headings = headings_of_decode(disk);
      ASSERT_EQ(headings.size(), messages.size());
      const auto named =
          NamedDictionary::load(disk, "venue.xml", dictionary::DictionaryFaults::Refuse);
      ASSERT_TRUE(named.has_value());
      for (std::size_t i = 0; i < messages.size(); ++i) {
        ASSERT_EQ(session[i], validate[i]) << bar(messages[i]);
        const std::string bytes = bar(messages[i]);
        const std::size_t type = bytes.find("|35=") + 4;
        const std::string msg_type = bytes.substr(type, bytes.find('|', type) - type);
        const dictionary::MessageDefinition* known = nullptr;
        for (const Dictionary* one : named->both()) {
          if (known == nullptr) known = one->message(msg_type);
        }
        ASSERT_EQ(known != nullptr, session[i] != kInvalidMsgType) << bytes;
        if (known == nullptr) continue;  // `decode` may name what another version has
        ASSERT_TRUE(headings[i].starts_with(known->name + " (" + msg_type + ")"))
            << bytes << ": " << headings[i];
      }
    }
  }
}

}  // namespace
}  // namespace nexusfix::command
