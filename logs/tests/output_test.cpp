#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include <nexusfix/dictionary.hpp>

#include "base/api/printable_text.hpp"
#include "logs/output/json_bytes.hpp"
#include "logs/output/message_writer.hpp"
#include "support/fix_text.hpp"
#include "support/output_text.hpp"
#include "support/sanitized.hpp"

namespace nexusfix::logs {
namespace {

using testing::bar;
using testing::fix;
using testing::soh;

const std::string kOrder = fix(
    "FIX.4.4", "35=D|34=2|11=A\"1\"|453=2|448=X|448=Y|55=a,b|58=two\nlines \\ \xc3\xa4|9999=z|");

std::string written(const OutputOptions& options, const std::string& bytes, int times = 1) {
  testing::OutputText out;
  MessageWriter writer{out.stream(), options};
  for (int i = 0; i < times; ++i) {
    writer.write({.bytes = bytes, .prefix = "10:30 \x1b", .offset = 17, .path = "log"});
  }
  writer.finish();
  return out.text();
}

TEST(MessageWriter, keeps_the_exact_bytes_in_json) {
  const auto object = nlohmann::json::parse(written({.form = OutputForm::Ndjson}, kOrder));
  EXPECT_EQ(object["message"], kOrder);
  EXPECT_EQ(object["offset"], 17);
  EXPECT_EQ(object["prefix"], "10:30 \x1b");
  EXPECT_EQ(object["fields"]["ClOrdID"], "A\"1\"");
  EXPECT_EQ(object["fields"]["PartyID"], (nlohmann::json{"X", "Y"}));
  EXPECT_EQ(object["fields"]["Text"], "two\nlines \\ \xc3\xa4");
  EXPECT_EQ(object["fields"]["9999"], "z");
  const auto array = nlohmann::json::parse(written({.form = OutputForm::Json}, kOrder, 2));
  ASSERT_EQ(array.size(), 2U);
  EXPECT_EQ(array[1], object);
  EXPECT_EQ(written({.form = OutputForm::Json}, kOrder, 0), "[]\n");
}

// Tags of users are above those of most versions.
TEST(MessageWriter, has_the_names_of_a_dictionary_in_every_form_for_programs) {
  dictionary::Dictionary own;
  own.fields.push_back({.tag = 5001, .name = "DeskCode", .values = {}});
  own.fields.push_back({.tag = 90'001, .name = "AlgoId", .values = {}});
  const dictionary::LoadedNames loaded{own};
  const dictionary::NameTable table = loaded.table();
  const std::string bytes = fix("FIX.4.2", "35=D|11=A|5001=X|90001=7|453=1|");
  OutputOptions options{.own_names = &table};
  for (const OutputForm form : {OutputForm::Ndjson, OutputForm::Json}) {
    options.form = form;
    auto object = nlohmann::json::parse(written(options, bytes));
    if (object.is_array()) object = object[0];
    EXPECT_EQ(object["fields"]["DeskCode"], "X");
    EXPECT_EQ(object["fields"]["AlgoId"], "7");
    EXPECT_EQ(object["fields"]["NoPartyIDs"], "1");  // of another version
  }
  options.columns = {5001, 90'001, 453};
  options.form = OutputForm::Csv;
  EXPECT_EQ(written(options, bytes), "DeskCode,AlgoId,NoPartyIDs\r\nX,7,1\r\n");
  options.form = OutputForm::Table;
  EXPECT_EQ(written(options, bytes), "DeskCode  AlgoId  NoPartyIDs\nX         7       1\n");
}

TEST(MessageWriter, has_the_bytes_in_hex_if_they_are_not_utf_8) {
  const std::string bytes = fix("FIX.4.4", "35=B|58=\xff\xfe|");
  const auto object = nlohmann::json::parse(written({.form = OutputForm::Ndjson}, bytes));
  std::string hex;
  for (const char c : bytes) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned char>(c));
    hex += digits;
  }
  EXPECT_EQ(object["message_hex"], hex);
  EXPECT_EQ(object["fields"]["Text"], "\\xff\\xfe");
  const auto object_of = [&](wire::Tag column) {
    return nlohmann::json::parse(written({.form = OutputForm::Ndjson, .columns = {column}}, bytes));
  };
  EXPECT_EQ(object_of(58)["message_hex"], hex);
  EXPECT_FALSE(object_of(35).contains("message_hex"));
}

// A message is copied without a look at its values if no byte of it is special.
TEST(MessageWriter, escapes_a_special_byte_at_any_place_of_a_value) {
  for (std::size_t size = 1; size < 70; size += case_step(3)) {
    for (const std::string special : {"a", "\"", "\\", "\n", "\x7f"}) {
      for (const std::size_t at : {std::size_t{0}, size / 2, size - 1}) {
        std::string value(size, 'a');
        value.replace(at, 1, special);
        const std::string bytes = fix("FIX.4.4", "35=B|58=" + value + "|");
        const auto object = nlohmann::json::parse(written({.form = OutputForm::Ndjson}, bytes));
        ASSERT_EQ(object["message"], bytes);
        ASSERT_EQ(object["fields"]["Text"], value);
      }
    }
  }
}

TEST(MessageWriter, escapes_the_soh_in_a_data_field) {
  const std::string bytes = fix("FIX.4.4", "35=B|95=3|96=a|b|58=c|");
  const auto object = nlohmann::json::parse(written({.form = OutputForm::Ndjson}, bytes));
  EXPECT_EQ(object["message"], bytes);
  EXPECT_EQ(object["fields"]["RawData"], std::string{"a\x01"
                                                     "b"});
}

TEST(MessageWriter, has_an_array_only_of_what_repeats_in_the_same_message) {
  const std::string once = fix("FIX.4.4", "35=D|448=X|570=N|58=a|");
  const std::string twice = fix("FIX.4.4", "35=D|448=X|448=Y|58=a|");
  testing::OutputText out;
  MessageWriter writer{out.stream(), {.form = OutputForm::Ndjson}};
  for (const std::string& bytes : {once, twice, once}) writer.write({.bytes = bytes});
  writer.finish();
  std::istringstream lines{out.text()};
  std::string line;
  for (const std::string values : {"\"X\"", "[\"X\",\"Y\"]", "\"X\""}) {
    ASSERT_TRUE(std::getline(lines, line));
    EXPECT_EQ(nlohmann::json::parse(line)["fields"]["PartyID"].dump(), values);
  }
}

TEST(MessageWriter, has_every_value_of_a_message_with_many_fields) {
  std::string body = "35=D|";
  for (int i = 0; i < 300; ++i) {
    body += std::to_string(1000 + i % 150) + "=" + std::to_string(i) + "|";
  }
  const auto object =
      nlohmann::json::parse(written({.form = OutputForm::Ndjson}, fix("FIX.4.4", body)));
  for (int i = 0; i < 150; ++i) {
    const auto values = nlohmann::json{std::to_string(i), std::to_string(i + 150)};
    const std::size_t found =
        static_cast<std::size_t>(std::ranges::count(object["fields"], values));
    EXPECT_EQ(found, 1U) << i;
  }
}

TEST(MessageWriter, prints_only_the_wanted_fields) {
  const std::vector<wire::Tag> columns{55, 448};
  const auto object =
      nlohmann::json::parse(written({.form = OutputForm::Ndjson, .columns = columns}, kOrder));
  EXPECT_FALSE(object.contains("message"));
  EXPECT_EQ(object["fields"].size(), 2U);
  EXPECT_EQ(written({.columns = columns}, kOrder), "10:30 \\x1b448=X|448=Y|55=a,b|\n");
  EXPECT_EQ(written({.form = OutputForm::Csv, .columns = columns, .with_path = true}, kOrder),
            "file,Symbol,PartyID\r\nlog,\"a,b\",X;Y\r\n");
}

TEST(MessageWriter, quotes_csv_as_rfc_4180_says) {
  EXPECT_EQ(written({.form = OutputForm::Csv, .columns = {11, 58, 9999, 1}}, kOrder),
            "ClOrdID,Text,9999,Account\r\n\"A\"\"1\"\"\",\"two\nlines \\ \xc3\xa4\",z,\r\n");
}

TEST(MessageWriter, shows_control_characters_of_csv_on_a_terminal) {
  const std::string order = fix("FIX.4.4",
                                "35=D|11=\x1b]0;x\x07|55=\xc2\x9b"
                                "31m|58=a,\x1b|");
  OutputOptions options{.form = OutputForm::Csv, .columns = {11, 55, 58}};
  EXPECT_THAT(written(options, order), ::testing::HasSubstr("\x1b]0;x\x07"));
  options.is_on_terminal = true;
  EXPECT_EQ(written(options, order),
            "ClOrdID,Symbol,Text\r\n\\x1b]0;x\\x07,\\xc2\\x9b"
            "31m,\"a,\\x1b\"\r\n");
}

TEST(MessageWriter, gives_a_spreadsheet_no_formula) {
  const auto cell = [](const std::string& text, OutputForm form) {
    const std::string all =
        written({.form = form, .columns = {58}}, fix("FIX.4.4", "35=D|58=" + text + "|"));
    const std::string names = "Text\r\n";
    EXPECT_TRUE(all.starts_with(names) && all.ends_with("\r\n"));
    return all.substr(names.size(), all.size() - names.size() - 2);
  };
  for (const std::string text :
       {"=1+1", "+cmd(' /C calc')!A0", "-1+1", "@SUM(A1)", "\t=1", "-", "+"}) {
    EXPECT_EQ(cell(text, OutputForm::Spreadsheet), "\"'" + text + '"') << text;
    EXPECT_EQ(cell(text, OutputForm::Csv), text);
  }
  for (const std::string text : {"-1.5", "+2", "-0.000001", "a=b", "150.25", ""}) {
    EXPECT_EQ(cell(text, OutputForm::Spreadsheet), text);
  }
  EXPECT_EQ(cell("=\"a\",1", OutputForm::Spreadsheet), "\"'=\"\"a\"\",1\"");
}

TEST(MessageWriter, a_row_has_every_value_of_a_field_and_each_column_that_was_named) {
  const std::string order = fix("FIX.4.4", "35=D|448=X|95=3|96=a|b|448=|11=1|448=Y,Z|5001=u|11=2|");
  const OutputOptions few{.form = OutputForm::Csv, .columns = {11, 448, 11, 35}};
  const OutputOptions all{.form = OutputForm::Csv, .columns = {11, 448, 11, 35, 5001, 96}};
  for (int times = 1; times <= 2; ++times) {
    const std::string row = "1;2,\"X;;Y,Z\",1;2,D";
    std::string rows = "ClOrdID,PartyID,ClOrdID,MsgType\r\n";
    std::string long_rows = "ClOrdID,PartyID,ClOrdID,MsgType,5001,RawData\r\n";
    for (int i = 0; i < times; ++i) {
      rows += row + "\r\n";
      long_rows += row +
                   ",u,a\x01"
                   "b\r\n";
    }
    EXPECT_EQ(written(few, order, times), rows);
    EXPECT_EQ(written(all, order, times), long_rows);
  }
}

TEST(MessageWriter, masks_passwords_unless_they_are_wanted) {
  const std::string logon = fix("FIX.4.4", "35=A|95=3|96=raw|553=me|554=CANARY|1402=|");
  for (const OutputForm form : {OutputForm::Line, OutputForm::Raw, OutputForm::Ndjson,
                                OutputForm::Json, OutputForm::Csv, OutputForm::Table}) {
    OutputOptions options{.form = form};
    if (form == OutputForm::Csv || form == OutputForm::Table) options.columns = {554, 96};
    const std::string masked = written(options, logon);
    EXPECT_THAT(masked, ::testing::Not(::testing::ContainsRegex("CANARY|raw")));
    EXPECT_THAT(masked, ::testing::HasSubstr("***"));
    options.shows_passwords = true;
    EXPECT_THAT(written(options, logon), ::testing::HasSubstr("CANARY"));
  }
  // RawData is no password in other messages.
  EXPECT_THAT(written({}, fix("FIX.4.4", "35=B|95=3|96=raw|")), ::testing::HasSubstr("96=raw"));
}

TEST(MessageWriter, prints_a_line_as_field_by_field_whatever_its_bytes) {
  for (const std::string value : {"plain", "\x1b", "\x7f", "\xc3\xa4", "\xff", "a\tb", "ends|"}) {
    for (std::size_t size = 0; size < 40; size += case_step(7)) {
      const std::string text = std::string(size, 'x') + value;
      const std::string bytes = fix("FIX.4.4", "35=B|58=" + text + "|");
      std::string expected = "10:30 \\x1b";
      append_printable(expected, std::string_view{bytes}.substr(0, bytes.find("58=")));
      for (std::size_t at = expected.size(); (at = expected.rfind("\\x01", at)) != expected.npos;) {
        expected.replace(at, 4, "|");
      }
      expected += "58=";
      append_printable(expected, text);
      expected += "|" + bytes.substr(bytes.size() - 7, 6) + "|\n";
      ASSERT_EQ(written({}, bytes), expected);
    }
  }
  EXPECT_EQ(written({}, fix("FIX.4.4", "35=B|95=3|96=a|b|")),
            "10:30 \\x1b8=FIX.4.4|9=17|35=B|95=3|96=a\\x01"
            "b|10=" +
                fix("FIX.4.4", "35=B|95=3|96=a|b|").substr(35, 3) + "|\n");
}

TEST(MessageWriter, keeps_the_exact_bytes_in_raw_form) {
  EXPECT_EQ(written({.form = OutputForm::Raw}, kOrder), "10:30 \x1b" + kOrder + "\n");
}

TEST(MessageWriter, aligns_a_table) {
  EXPECT_EQ(written({.form = OutputForm::Table, .columns = {35, 11}}, kOrder, 2),
            "MsgType  ClOrdID\nD        A\"1\"\nD        A\"1\"\n");
}

TEST(MessageWriter, reads_columns_by_name_and_tag) {
  const command::FieldNames names;
  EXPECT_EQ(read_columns("11, Symbol,99999", names), (std::vector<wire::Tag>{11, 55, 99999}));
  EXPECT_EQ(read_columns("Sybmol", names).error(),
            "'Sybmol' is no field of FIX. Did you mean Symbol?");
  EXPECT_FALSE(read_columns("", names).has_value());
  EXPECT_FALSE(read_columns(",", names).has_value());
}

// Each length, and each place of a special byte, within and at the end of vectors.
TEST(JsonBytes, are_read_back_as_they_were) {
  for (std::size_t size = 0; size < 40; ++size) {
    for (std::size_t at = 0; at <= size; ++at) {
      for (const char* const special :
           {"\"", "\\", "\n", "\x01", "\x7f", "\xc2\x85", "\xe2\x82\xac"}) {
        std::string text(size, 'a');
        text.insert(at, special);
        std::string json(text.size() * kJsonByteMax + kJsonSlack + 2, '\0');
        const char* const end = write_json_string(json.data(), text, text.data() + text.size());
        json.resize(static_cast<std::size_t>(end - json.data()));
        ASSERT_EQ(nlohmann::json::parse(json), text) << json;
      }
    }
  }
}

}  // namespace
}  // namespace nexusfix::logs
