#include "logs/anonymise/anonymise.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <nexusfix/wire/parser.hpp>

#include "support/disks/fake_disk.hpp"
#include "support/fix_text.hpp"
#include "support/output_text.hpp"
#include "support/sanitized.hpp"

namespace nexusfix::command {
namespace {

using testing::fix;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kKey = "a key of the tests, 2024";

std::map<std::string, std::string> fields_of(const std::string& message) {
  logs::MessageFields fields;
  fields.read(message);
  std::map<std::string, std::string> found;
  for (const logs::MessageField& field : fields.all()) {
    found.emplace(std::to_string(field.tag), field.value);
  }
  return found;
}

class Anonymise : public ::testing::Test {
 protected:
  Anonymise() { disk_.set_contents("key", std::string{kKey}); }

  int run(AnonymiseOptions options, const std::string& text) {
    disk_.set_contents("log", text);
    if (options.input.files.empty()) options.input.files = {"log"};
    if (options.key_file.empty() && options.new_key_file.empty()) options.key_file = "key";
    out_.emplace();
    return anonymise_files(options, disk_, {out_->stream(), err_.stream()});
  }
  // The only message of the output, without the text before it.
  std::string one(const std::string& message, AnonymiseOptions options = {}) {
    EXPECT_EQ(run(std::move(options), message + "\n"), kSuccess) << err_.text();
    const std::string text = out_->text();
    EXPECT_EQ(text.back(), '\n');
    return text.substr(0, text.size() - 1);
  }

  testing::FakeDisk disk_;
  std::optional<testing::OutputText> out_;  // of the last run
  testing::OutputText err_;
};

TEST_F(Anonymise, replaces_names_and_texts_and_keeps_what_is_harmless) {
  const std::string before =
      fix("FIX.4.4",
          "35=D|34=7|49=BROKER|50=desk9|52=20240115-10:30:00|56=VENUE|1=ACC-77|11=Ord0001|55=SAP|"
          "54=1|38=100|40=2|44=150.5|59=0|60=20240115-10:30:00|15=EUR|58=call Miss Jones|"
          "453=1|448=DEUTDEFF|447=B|452=1|");
  const auto old = fields_of(before);
  const auto now = fields_of(one(before));
  for (const char* const tag : {"49", "50", "56", "1", "11", "58", "448"}) {
    EXPECT_NE(now.at(tag), old.at(tag)) << tag;
    EXPECT_EQ(now.at(tag).size(), old.at(tag).size()) << tag;
    EXPECT_THAT(out_->text(), Not(HasSubstr(old.at(tag)))) << tag;
  }
  for (const char* const tag : {"8", "35", "34", "52", "55", "54", "38", "40", "44", "59", "60",
                                "15", "453", "447", "452"}) {
    EXPECT_EQ(now.at(tag), old.at(tag)) << tag;
  }
  EXPECT_THAT(now.at("1"), ::testing::MatchesRegex("[A-Z]{3}-[0-9]{2}"));
  EXPECT_THAT(now.at("58"), ::testing::MatchesRegex("[a-z]{4} [A-Z][a-z]{3} [A-Z][a-z]{4}"));
}

// Found by log_tools_fuzz: the pseudonym of 03 was a tag.
TEST_F(Anonymise, a_number_that_is_no_tag_does_not_become_one) {
  const std::string now = one(fix("FIX.4.4", "35=D|034=77|9999999999=secret|49=A|"));
  EXPECT_THAT(now, HasSubstr("\x01"
                             "034="));
  EXPECT_THAT(now, HasSubstr("\x01"
                             "9999999999="));
  EXPECT_THAT(now, Not(HasSubstr("secret")));
}

TEST_F(Anonymise, the_output_is_valid_fix) {
  wire::Parser parser;
  for (const auto prices : {logs::PriceChoice::Keep, logs::PriceChoice::Scale}) {
    const std::string message =
        one(fix("FIX.4.4",
                "35=A|34=1|49=A|52=20240115-10:30:00|56=B|98=0|108=30|95=3|96=a\x01"
                "b|"
                "553=joe|554=very secret|44=1|"),
            {.prices = prices});
    const auto parsed = parser.parse(message);
    ASSERT_TRUE(parsed);
    EXPECT_THAT(message, Not(HasSubstr("secret")));
    EXPECT_THAT(message, Not(HasSubstr("joe")));
    EXPECT_THAT(message, HasSubstr("\x01"
                                   "95=8\x01"
                                   "96=********\x01"));
    EXPECT_THAT(message, HasSubstr("\x01"
                                   "554=********\x01"));
  }
}

TEST_F(Anonymise, files_with_one_key_agree_and_other_keys_do_not) {
  const std::string order = fix("FIX.4.4", "35=D|34=1|49=BROKER|56=VENUE|11=A1234567|");
  const std::string cancel =
      fix("FIX.4.2", "35=F|34=2|49=BROKER|56=VENUE|11=B7654321|41=A1234567|");
  const auto first = fields_of(one(order));
  const auto second = fields_of(one(cancel));
  EXPECT_EQ(first.at("11"), second.at("41"));
  EXPECT_EQ(first.at("49"), second.at("49"));
  disk_.set_contents("other", "another key of the tests");
  const auto other = fields_of(one(order, {.key_file = "other"}));
  EXPECT_NE(other.at("11"), first.at("11"));
}

TEST_F(Anonymise, a_new_key_is_written_once_and_gives_the_same_names_again) {
  const std::string order = fix("FIX.4.4", "35=D|34=1|49=BROKER|56=VENUE|11=A1234567|");
  ASSERT_TRUE(disk_.make_directories("keys"));
  const std::string first = one(order, {.new_key_file = "keys/new"});
  EXPECT_EQ(one(order, {.key_file = "keys/new"}), first);
  EXPECT_EQ(run({.new_key_file = "keys/new"}, order), kUsage);
  EXPECT_THAT(err_.text(), HasSubstr("keys/new: it exists; --key reads it"));
  disk_.set_contents("short", "abc");
  EXPECT_EQ(run({.key_file = "short"}, order), kUsage);
  EXPECT_THAT(err_.text(), HasSubstr("a key has at least 16 bytes"));
}

TEST_F(Anonymise, what_is_unknown_or_of_the_wrong_type_is_masked) {
  const auto now =
      fields_of(one(fix("FIX.4.4",
                        "35=D|34=1|49=A|56=B|38=Jones|20005=Smith 42|15=Jones Bros|60=at ten|"
                        "54=Z|207=WESTERN|354=5|355=Jones|")));
  EXPECT_NE(now.at("38"), "Jones");
  EXPECT_NE(now.at("15"), "Jones Bros");
  EXPECT_NE(now.at("60"), "at ten");
  EXPECT_NE(now.at("54"), "Z");
  EXPECT_NE(now.at("207"), "WESTERN");
  EXPECT_EQ(now.at("355"), "xxxxx");
  EXPECT_THAT(now.at("20005"), ::testing::MatchesRegex("[A-Z][a-z]{4} [0-9]{2}"));
  EXPECT_NE(now.at("20005"), "Smith 42");
}

TEST_F(Anonymise, the_text_before_a_message_has_its_time_and_direction_only) {
  EXPECT_EQ(run({}, "2024-01-15 10:30:00,123 [BROKER->VENUE] sent Jones " +
                        fix("FIX.4.4", "35=0|34=1|49=BROKER|56=VENUE|") + "\n" + "Jones called\n" +
                        fix("FIX.4.4", "35=0|34=2|49=BROKER|56=VENUE|")),
            kSuccess);
  EXPECT_THAT(out_->text(), ::testing::StartsWith("20240115-10:30:00.123000 OUT : 8=FIX.4.4\x01"));
  EXPECT_THAT(out_->text(), HasSubstr("\n8=FIX.4.4\x01"));
  EXPECT_THAT(out_->text(), Not(HasSubstr("Jones")));
  EXPECT_THAT(out_->text(), Not(HasSubstr("BROKER")));
}

TEST_F(Anonymise, fields_can_be_kept_and_hidden_but_passwords_never_kept) {
  const std::string message =
      fix("FIX.4.4", "35=D|34=1|49=A|56=B|55=SAP|58=hello|38=123456|554=hunter2|");
  const auto now = fields_of(one(message, {.kept = "Text,554", .hidden = "55,OrderQty"}));
  EXPECT_EQ(now.at("58"), "hello");
  EXPECT_NE(now.at("55"), "SAP");
  EXPECT_NE(now.at("38"), "123456");
  EXPECT_EQ(now.at("554"), "********");
  EXPECT_EQ(run({.hidden = "453"}, message), kUsage);
  EXPECT_EQ(run({.hidden = "BodyLength"}, message), kUsage);
  EXPECT_EQ(run({.kept = "Sybmol"}, message), kUsage);
  EXPECT_THAT(err_.text(), HasSubstr("--keep: 'Sybmol' is no field of FIX"));
}

TEST_F(Anonymise, prices_are_scaled_by_one_factor_with_the_same_digits) {
  const auto now = fields_of(one(fix("FIX.4.4", "35=D|34=1|49=A|56=B|44=1000.00|99=2000.00|38=7|"),
                                 {.prices = logs::PriceChoice::Scale}));
  const double price = std::stod(now.at("44"));
  EXPECT_NE(now.at("44"), "1000.00");
  EXPECT_EQ(now.at("44").size() - now.at("44").find('.'), 3U);
  EXPECT_DOUBLE_EQ(std::stod(now.at("99")), 2 * price);
  EXPECT_EQ(now.at("38"), "7");
  EXPECT_EQ(logs::scaled("1.5", 2000), "3.0");
  EXPECT_EQ(logs::scaled("-0.01", 500), "-0.01");
  EXPECT_EQ(logs::scaled("0", 1500), "0");
  EXPECT_EQ(logs::scaled("0.001", 900), "0.001");
  EXPECT_EQ(logs::scaled("99999999999999999999999999999999", 1000),
            "99999999999999999999999999999900");
}

TEST(Pseudonyms, are_a_permutation_without_fixed_points_for_every_shape) {
  logs::Pseudonyms names{logs::key_of(kKey)};
  for (std::size_t digits = 1; digits <= (kIsSanitized ? 4U : 5U); ++digits) {
    std::set<std::string> seen;
    std::size_t end = 1;
    for (std::size_t i = 0; i < digits; ++i) end *= 10;
    for (std::size_t i = 0; i < end; ++i) {
      std::string value = std::to_string(i);
      value.insert(0, digits - value.size(), '0');
      const std::string pseudonym{names.of(value)};
      EXPECT_NE(pseudonym, value);
      EXPECT_TRUE(seen.insert(pseudonym).second) << value;
    }
    EXPECT_EQ(seen.size(), end);
  }
  EXPECT_EQ(names.of("M\xc3\xbcller"), names.of("M\xc3\xbcller"));
  EXPECT_THAT(std::string{names.of("\xc3\xbc\x1b-/")}, "xx?-/");
}

// No value of a field that names someone occurs in the output, whatever it is.
TEST_F(Anonymise, no_original_value_survives) {
  std::mt19937 random{7};
  const auto word = [&](std::size_t size) {
    constexpr std::string_view kCharacters =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_/ .@";
    std::string text;
    while (text.size() < size) text += kCharacters[random() % kCharacters.size()];
    return text;
  };
  const std::vector<std::string> tags{"49", "50",  "56",  "57",  "1",   "11",    "37",   "17", "41",
                                      "58", "448", "553", "554", "109", "20001", "5001", "76"};
  for (int round = 0; round < 300; ++round) {
    std::string body = "35=8|34=1|";
    std::vector<std::string> values;
    for (const std::string& tag : tags) {
      values.push_back(word(8 + random() % 20));
      body += tag + "=" + values.back() + "|";
    }
    const std::string message = one(fix("FIX.4.4", body));
    for (const std::string& value : values) EXPECT_THAT(message, Not(HasSubstr(value)));
  }
}

TEST_F(Anonymise, bad_input_is_one_line_and_status_1) {
  EXPECT_EQ(run({}, std::string("\0\xff\x01 nothing", 11)), kFailure);
  EXPECT_EQ(err_.text(), "nexusfix anonymise: no message\n");
  EXPECT_EQ(run({.expression = "Sybmol=1"}, ""), kUsage);
  EXPECT_THAT(err_.text(), HasSubstr("Did you mean Symbol?"));
  AnonymiseOptions options;
  options.input.files = {"none"};
  EXPECT_EQ(run(options, ""), kUsage);
  EXPECT_THAT(err_.text(), HasSubstr("none"));
}

}  // namespace
}  // namespace nexusfix::command
