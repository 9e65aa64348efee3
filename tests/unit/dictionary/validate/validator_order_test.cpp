// Which of several violations of a message is reported: in QuickFIX's order
// (DataDictionary::validate()), which its acceptance scripts 14b and 14g of FIX 4.0 and 4.1 expect.
#include <algorithm>
#include <cstddef>
#include <gtest/gtest.h>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nexusfix/dictionary.hpp>
#include <nexusfix/dictionary/validator.hpp>
#include <nexusfix/wire/parser.hpp>
#include <nexusfix/wire/typed.hpp>

#include "support/fix_text.hpp"
#include "support/sanitized.hpp"

namespace nexusfix::dictionary {
namespace {

using Rule = Violation::Rule;

struct Reported {
  Rule rule;
  wire::Tag tag;
  friend bool operator==(const Reported&, const Reported&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Reported& one) {
    return out << "rule " << static_cast<int>(one.rule) << ", tag " << one.tag;
  }
};

// Validates with a memory and without one.
std::optional<Reported> reported(const std::string& fields, Version version = Version::Fix44) {
  const Dictionary& dictionary = builtin_dictionary(version);
  const auto validator = Validator::make(dictionary, {});
  wire::Parser parser;
  const std::string bytes = testing::fix(dictionary.begin_string, fields);
  const auto message = parser.parse(bytes);
  if (!message) throw std::runtime_error("garbled: " + fields);
  const std::optional<Violation> violation = validator->validate(*message);
  ValidationMemory memory;
  for (int time = 0; time < 3; ++time) {
    const std::optional<Violation> other = validator->validate(*message, memory);
    EXPECT_EQ(other.has_value(), violation.has_value()) << fields;
    if (!other || !violation) continue;
    EXPECT_EQ(other->rule, violation->rule) << fields;
    EXPECT_EQ(other->offset, violation->offset) << fields;
  }
  if (!violation) return std::nullopt;
  return Reported{violation->rule, violation->tag};
}

TEST(ValidatorOrder, of_quickfix_scripts) {
  // fix40/14b, fix41/14b: these messages do not have TransactTime (60), and Symbol is missing.
  const std::string header = "49=TW|34=3|56=ISLD|52=20240115-10:30:00|";
  const std::string body = "40=1|60=20240115-10:30:00|54=1|38=100|21=3|11=id|";
  for (const Version version : {Version::Fix40, Version::Fix41}) {
    EXPECT_EQ(reported("35=D|" + header + body, version), (Reported{Rule::RequiredTagMissing, 55}));
  }
  // fix41/14g: a header field after the header.
  EXPECT_EQ(reported("35=D|11=id|21=3|40=1|54=1|55=MSFT|60=20240115-10:30:00|34=2|49=TW|"
                     "52=20240115-10:30:00|56=ISLD|",
                     Version::Fix41),
            (Reported{Rule::TagOutOfSection, 34}));
}

TEST(ValidatorOrder, unreadable_fields_are_reported_first) {
  EXPECT_EQ(reported("35=D|34=2|0x=1|55=|54=Z|"), (Reported{Rule::TagMalformed, 0}));
  // A data field that does not follow its Length field: the beginning of the next field is unknown.
  EXPECT_EQ(reported("35=D|34=2|54=Z|354=3|58=x|355=abc|"), (Reported{Rule::DataOutOfOrder, 355}));
}

TEST(ValidatorOrder, header_before_body_before_groups) {
  EXPECT_EQ(reported("35=D|34=2|56=T|52=20240115-10:30:00|453=1|448=x|54=Z|"),
            (Reported{Rule::RequiredTagMissing, 49}));
  const std::string header = "49=S|56=T|34=2|52=20240115-10:30:00|";
  EXPECT_EQ(reported("35=E|" + header + "394=1|68=1|73=1|11=a|54=Z|"),
            (Reported{Rule::RequiredTagMissing, 66}));
  EXPECT_EQ(reported("35=E|" + header + "66=l|394=1|68=1|73=1|11=a|54=Z|"),
            (Reported{Rule::RequiredTagMissing, 55}));
}

TEST(ValidatorOrder, fields_in_their_order_and_an_empty_value_is_one_of_them) {
  const std::string order = "35=D|49=S|56=T|34=2|52=20240115-10:30:00|11=id|60=20240115-10:30:00|";
  EXPECT_EQ(reported(order + "55=|54=Z|40=1|38=1|"), (Reported{Rule::ValueEmpty, 55}));
  EXPECT_EQ(reported(order + "54=Z|55=|40=1|38=1|"), (Reported{Rule::ValueNotInEnumeration, 54}));
  EXPECT_EQ(reported(order + "55=|54=1|38=1|"), (Reported{Rule::RequiredTagMissing, 40}));
  EXPECT_EQ(reported(order + "55=|54=1|54=1|40=1|38=1|"), (Reported{Rule::TagRepeated, 54}));
}

TEST(ValidatorOrder, a_torn_group_hides_its_consequences) {
  // Its entries may not be separated where they seem to be, so missing or repeated fields are not
  // reported.
  const std::string order =
      "35=D|49=S|56=T|34=2|52=20240115-10:30:00|11=id|55=x|54=1|40=1|38=1|"
      "60=20240115-10:30:00|";
  EXPECT_EQ(reported(order + "453=2|447=D|448=a|452=1|447=D|448=b|452=1|"),
            (Reported{Rule::DelimiterMissing, 447}));
  EXPECT_EQ(reported(order + "453=3|448=a|452=1|448=b|452=1|"),
            (Reported{Rule::GroupCountWrong, 453}));
}

// A fault, its position in a valid message, and the expected report.
struct Fault {
  std::string_view name;
  int rank;  // order of the sections, repeated, missing, fields
  Reported expected;
};

// All combinations of faults in different fields.
TEST(ValidatorOrder, of_any_combination_of_faults_is_by_rank_and_then_by_position) {
  // Faults of fields in the order of the message, missing fields by tag.
  const std::vector<Fault> faults{
      {"header field after the body", 0, {Rule::TagOutOfSection, 50}},
      {"repeated", 1, {Rule::TagRepeated, 40}},
      {"52 missing", 2, {Rule::RequiredTagMissing, 52}},
      {"55 missing", 2, {Rule::RequiredTagMissing, 55}},
      {"21 has no such value", 3, {Rule::ValueNotInEnumeration, 21}},
      {"undefined field", 3, {Rule::TagNotInMessage, 17}},
      {"38 is no number", 3, {Rule::TypeWrong, 38}},
      {"58 is empty", 3, {Rule::ValueEmpty, 58}},
      {"386 counts wrong", 3, {Rule::GroupCountWrong, 386}},
  };
  for (std::size_t set = 0; set < std::size_t{1} << faults.size(); set += case_step(3)) {
    const auto has = [set](std::size_t i) { return (set >> i & 1U) != 0; };
    std::string text = "35=D|49=S|56=T|34=2|";
    if (!has(2)) text += "52=20240115-10:30:00|";
    text += has(4) ? "11=id|21=9|" : "11=id|21=1|";
    if (has(1)) text += "40=1|40=1|";
    if (has(0)) text += "50=sub|";
    if (has(5)) text += "17=x|";
    text += has(6) ? "38=x|" : "38=1|";
    text += has(7) ? "58=|" : "58=text|";
    if (!has(3)) text += "55=X|";
    text += has(8) ? "386=2|336=a|" : "386=1|336=a|";
    text += has(1) ? "54=1|" : "54=1|40=1|";
    text += "60=20240115-10:30:00|";
    std::optional<Reported> expected;
    int rank = 4;
    for (std::size_t i = 0; i < faults.size(); ++i) {
      if (!has(i) || faults[i].rank >= rank) continue;
      rank = faults[i].rank;
      expected = faults[i].expected;
    }
    EXPECT_EQ(reported(text, Version::Fix42), expected) << text;
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(ValidatorOrder, a_tag_with_a_leading_zero_or_above_64_bits_is_no_tag) {
  const std::string header = "35=0|49=TW|56=ISLD|34=3|52=20240115-10:30:00|";
  EXPECT_EQ(reported(header + "0112=id|"), (Reported{Rule::TagMalformed, 0}));
  EXPECT_EQ(reported(header + "18446744073709551728=id|"), (Reported{Rule::TagMalformed, 0}))
      << "2^64 + 112";
}

TEST(ValidatorOrder, a_count_above_64_bits_is_no_small_one) {
  EXPECT_EQ(reported("35=B|49=S|56=T|34=2|52=20240115-10:30:00|148=Head|33=18446744073709551617|"
                     "58=x|"),
            (Reported{Rule::GroupCountWrong, 33}));
}

TEST(ValidatorMemory, tags_of_65535_and_above_are_told_apart_in_a_known_sequence) {
  Dictionary dictionary = builtin_dictionary(Version::Fix44);
  constexpr wire::Tag kOwn = 70'001;
  FieldDefinition own;
  own.tag = kOwn;
  own.name = "Own";
  own.type = FieldType::String;
  dictionary.fields.push_back(own);
  const auto order = std::ranges::find(dictionary.messages, "D", &MessageDefinition::msg_type);
  order->members.push_back(
      {Member::Kind::Field, static_cast<Index>(dictionary.fields.size() - 1), false});
  const auto validator = Validator::make(dictionary, {});
  ASSERT_TRUE(validator);
  const auto with = [&](std::string_view tag) {
    return testing::fix(dictionary.begin_string,
                        "35=D|49=TW|56=ISLD|34=3|52=20240115-10:30:00|11=id|55=X|54=1|"
                        "60=20240115-10:30:00|38=1|40=1|" +
                            std::string{tag} + "=x|");
  };
  ValidationMemory memory;
  wire::Parser parser;
  for (int time = 0; time < 4; ++time) {
    const std::string own = with("70001");
    EXPECT_FALSE(validator->validate(*parser.parse(own), memory)) << time;
    const std::string other = with("70002");
    const auto found = validator->validate(*parser.parse(other), memory);
    ASSERT_TRUE(found) << time;
    EXPECT_EQ(found->tag, 70'002U);
  }
}

TEST(ValidatorMemory, a_length_without_data_is_0_in_a_known_sequence) {
  const Dictionary& dictionary = builtin_dictionary(Version::Fix44);
  const auto validator = Validator::make(dictionary, {});
  const auto news = [&](std::string_view length) {
    return testing::fix(dictionary.begin_string,
                        "35=B|49=S|56=T|34=2|52=20240115-10:30:00|148=Head|33=1|58=x|95=" +
                            std::string{length} + "|");
  };
  ValidationMemory memory;
  wire::Parser parser;
  for (int time = 0; time < 4; ++time) {
    const std::string none = news("0");
    EXPECT_FALSE(validator->validate(*parser.parse(none), memory)) << time;
  }
  const std::string announced = news("3");
  const auto found = validator->validate(*parser.parse(announced), memory);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->rule, Rule::DataMissing);
}

TEST(ValidatorMemory, a_proof_says_whether_the_messages_have_a_flag) {
  const Dictionary& dictionary = builtin_dictionary(Version::Fix44);
  const auto validator = Validator::make(dictionary, {});
  for (const std::string_view flag : {"", "43=Y|", "43=N|", "97=Y|"}) {
    ValidationMemory memory;
    wire::Parser parser;
    const std::string bytes =
        testing::fix(dictionary.begin_string,
                     "35=D|49=TW|56=ISLD|34=3|52=20240115-10:30:00|" + std::string{flag} +
                         "11=id|55=X|54=1|60=20240115-10:30:00|38=1|40=1|");
    const auto message = parser.parse(bytes);
    for (int time = 0; time < 3; ++time) EXPECT_FALSE(validator->validate(*message, memory));
    ASSERT_NE(memory.proof(), nullptr);
    EXPECT_EQ(memory.proof()->is_flagged(), !flag.empty()) << flag;
  }
}

TEST(ValidatorMemory, values_of_a_known_sequence_of_tags_are_checked_as_those_of_an_unknown_one) {
  const Dictionary& dictionary = builtin_dictionary(Version::Fix44);
  const auto validator = Validator::make(dictionary, {});
  ValidationMemory memory;
  wire::Parser parser;
  const auto with = [&](std::string_view tag, const std::string& value) {
    std::string fields = "35=D|49=TW|56=ISLD|34=3|52=20240115-10:30:00|11=id";
    for (const auto& [other, text] :
         {std::pair{"21", "1"}, std::pair{"77", "O"}, std::pair{"55", "AAPL"}, std::pair{"54", "1"},
          std::pair{"60", "20240115-10:30:00"}, std::pair{"38", "100"}, std::pair{"40", "2"},
          std::pair{"44", "1.5"}, std::pair{"59", "0"}, std::pair{"528", "A"}}) {
      fields += '|' + std::string{other} + '=' + (tag == other ? value : std::string{text});
    }
    return testing::fix(dictionary.begin_string, fields + '|');
  };
  const std::string valid = with("", "");
  const auto check = [&](const std::string& bytes) {
    const auto message = parser.parse(bytes);
    ASSERT_TRUE(message) << bytes;
    const auto expected = validator->validate(*message);
    const auto found = validator->validate(*message, memory);
    ASSERT_EQ(found.has_value(), expected.has_value()) << bytes;
    if (!found) return;
    EXPECT_EQ(found->rule, expected->rule) << bytes;
    EXPECT_EQ(found->tag, expected->tag) << bytes;
  };
  for (int time = 0; time < 3; ++time) check(valid);
  ASSERT_NE(memory.proof(), nullptr);
  // No date is known yet, which is not the date of eight NUL bytes.
  const std::string no_date = with("60", std::string(8, '\0') + "-12:34:56.789");
  const auto without_date = parser.parse(no_date);
  ASSERT_TRUE(without_date);
  ASSERT_TRUE(validator->validate(*without_date));
  check(no_date);
  for (const std::string_view tag :
       {"21", "77", "54", "40", "59", "528", "55", "60", "38", "44", "11"}) {
    for (const std::string value : {"1", "2", "Z", "~", "12", "1 2", "\x80", "\xff", "\x02", "A"}) {
      check(with(tag, value));
      check(valid);
    }
  }
  // The date of the timestamp before is known.
  const std::string time = "20240115-10:30:00.123";
  for (std::size_t at = 0; at < time.size(); ++at) {
    for (const char c : std::string_view{"0123456789:-. A"}) {
      check(with("60", time));
      check(with("60", time.substr(0, at) + c + time.substr(at + 1)));
    }
  }
}

}  // namespace
}  // namespace nexusfix::dictionary
