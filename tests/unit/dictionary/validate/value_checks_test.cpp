// FIX 5.0 SP2 volume 1, "FIX Datatypes": valid and invalid values of each type.
#include "dictionary/validate/value_checks.hpp"

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "dictionary/validate/known_date.hpp"
#include "unit/wire/kernels/guarded_bytes.hpp"

namespace nexusfix::dictionary {
namespace {

struct TypeCase {
  FieldType type;
  std::vector<std::string> right;
  std::vector<std::string> wrong;
};

const std::vector<TypeCase>& cases() {
  static const std::vector<TypeCase> kCases{
      {FieldType::Char, {"A", " ", "1"}, {"AB", "11"}},
      {FieldType::Boolean, {"Y", "N"}, {"y", "YES", "1", "YN"}},
      {FieldType::Int,
       {"0", "-1", "00012", "1234567890123456", "12345678901234567", "-123456789012345678901"},
       {"-", "+1", "1.0", "1-", "--1", " 1", "1 ", "12345678901234567x", "-x", "a"}},
      {FieldType::SeqNum,
       {"1", "0007", "99999999999999999999"},
       {"0", "00", "-1", "1.0", "x", "1 "}},
      {FieldType::Length, {"0", "10"}, {"-1", ""}},
      {FieldType::NumInGroup, {"0", "3"}, {"-3", "3.0"}},
      {FieldType::DayOfMonth, {"1", "01", "31"}, {"0", "32", "001", "-1", "x"}},
      {FieldType::Price,
       {"1", "-1", "1.", ".5", "-.5", "-5.", "0023.2300", "1234567890.12345", "1234567890.123456",
        "12345678901234567890.12345678"},
       {".", "-", "-.", "1.2.3", "1e5", "+1", "1,5", "0x1", "1.2-", "..", " 1",
        "1234567890.1234567.", "123456789012.345x"}},
      {FieldType::UtcTimestamp,
       {"20240115-10:30:00", "20240115-10:30:00.1", "20240115-10:30:00.123",
        "20240115-10:30:00.123456789012", "20240229-23:59:60", "99991231-23:59:59",
        "00010101-00:00:00"},
       {"20240115", "20240115 10:30:00", "20240115-10:30", "20240115-10:30:00.",
        "20240115-10:30:00.1234567890123", "20230229-10:30:00", "20241301-10:30:00",
        "20240115-24:30:00", "20240115-10:60:00", "20240115-10:30:61", "2024011510:30:00x"}},
      {FieldType::Time, {"20240115-10:30:00"}, {"10:30:00"}},
      {FieldType::LocalMktDate, {"20240115", "20240229"}, {"20230229", "2024011", "2024-1-1", "x"}},
      {FieldType::UtcDateOnly, {"20240115"}, {"20240132"}},
      {FieldType::Date, {"20240115"}, {"20240115-10:30:00"}},
      {FieldType::UtcTimeOnly,
       {"10:30:00", "10:30:00.123", "23:59:60", "10:30:00.123456789012"},
       {"10:30", "1:30:00", "24:00:00", "10:30:00.", "10:30:00Z"}},
      {FieldType::MonthYear,
       {"202401", "20240115", "202401w1", "202412w5"},
       {"202413", "202400", "202401w0", "202401w6", "2024", "20240132", "20240x", "20240115x"}},
      {FieldType::TzTimeOnly,
       {"10:30", "10:30Z", "10:30:00Z", "10:30:00.123Z", "10:30-05", "10:30:00+05:30", "23:59+00"},
       {"10", "10:3", "24:00Z", "10:60", "10:30ZZ", "10:30+5", "10:30+05:60", "10:30+24", "Z",
        "10:30+0530", "10:30+05:", "10-30Z"}},
      {FieldType::TzTimestamp,
       {"20240115-10:30Z", "20240115-10:30:00+05:30", "20240115-10:30"},
       {"20240115", "20240115-", "20240132-10:30Z", "20240115 10:30Z"}},
      {FieldType::MultipleCharValue, {"A", "A B C"}, {"AB", "A  B", " A", "A ", "A BC"}},
      {FieldType::MultipleStringValue, {"AB", "AB C"}, {"AB  C", " AB", "AB "}},
      {FieldType::MultipleValueString, {"AB", "AB C"}, {"AB  C"}},
      {FieldType::Currency,
       {"USD", "USDT", "GBp", "756"},
       {"US D", "U\tD", "\xe2\x82\xac", "US", "U$D", "1234567890"}},
      {FieldType::Country, {"CH", "uk"}, {"C H", "C", "CHE", "C1"}},
      {FieldType::Exchange, {"XNYS", "N"}, {" N"}},
      {FieldType::Language, {"en", "gsw", "de-CH"}, {"e n", "e", "engl", "en-", "1n"}},
      {FieldType::String, {"any text at all", "\xff"}, {}},
      {FieldType::Data, {std::string("\x01=\0", 3)}, {}},
      {FieldType::Unknown, {"?"}, {}},
  };
  return kCases;
}

TEST(ValueChecksTest, texts_of_each_type) {
  for (const TypeCase& type : cases()) {
    for (const std::string& text : type.right) {
      EXPECT_TRUE(is_of_type(type.type, text)) << to_string(type.type) << ' ' << text;
    }
    for (const std::string& text : type.wrong) {
      EXPECT_FALSE(is_of_type(type.type, text)) << to_string(type.type) << ' ' << text;
    }
  }
}

// These bytes always precede a value of one byte: "8=FIX.4.4|9=5|35=0|1=".
constexpr std::string_view kFront = "8=FIX.4.4|9=5|35=0|1=";

// The fast paths return the same result and read no byte after the value.
TEST(ValueChecksTest, values_within_a_message) {
  constexpr std::size_t kBytesMax = 256;
  test::GuardedBytes guarded{kBytesMax};
  for (const TypeCase& type : cases()) {
    const auto check = [&](const std::string& text, bool expected) {
      if (text.empty()) return;
      // Digits, points and signs before the value do not belong to it.
      for (const char before : {'|', '1', '.', '-'}) {
        std::string bytes{kFront};
        for (char& c : bytes) c = before;
        const std::string_view at_end = guarded.at_end(bytes + text);
        const ValueInMessage value{at_end.data(), static_cast<std::uint32_t>(bytes.size()),
                                   static_cast<std::uint32_t>(bytes.size() + text.size())};
        switch (check_of(type.type)) {
          case Check::Integer:
            EXPECT_EQ(is_integer(value), expected) << text;
            break;
          case Check::Digits:
            EXPECT_EQ(is_digits(value), expected) << text;
            break;
          case Check::Decimal:
            EXPECT_EQ(is_decimal(value), expected) << text;
            break;
          case Check::UtcTimestamp:
            EXPECT_EQ(is_utc_timestamp(value.text()), expected) << text;
            break;
          default:
            EXPECT_EQ(is_of_type(type.type, value.text()), expected) << text;
            break;
        }
      }
    };
    for (const std::string& text : type.right) check(text, true);
    for (const std::string& text : type.wrong) check(text, false);
  }
}

// Every byte at every position.
TEST(ValueChecksTest, a_known_date_never_accepts_more_than_the_slow_path) {
  for (const std::string right :
       {"20240131-23:59:59.999", "20240131-19:59:59.999999", "20240131-00:00:00.123456789"}) {
    KnownDate date;
    date.learn(right);
    EXPECT_TRUE(date.has(right));
    for (std::size_t at = 0; at < right.size(); ++at) {
      for (unsigned byte = 0; byte < 256; ++byte) {
        std::string text = right;
        text[at] = static_cast<char>(byte);
        EXPECT_TRUE(!date.has(text) || is_utc_timestamp(text)) << text;
      }
    }
    for (std::size_t size = 0; size < right.size(); ++size) {
      const std::string text = right.substr(0, size);
      EXPECT_TRUE(!date.has(text) || is_utc_timestamp(text)) << text;
    }
  }
}

TEST(ValueChecksTest, every_day_of_a_year_has_timestamps_and_no_other_day) {
  const auto two = [](unsigned number) {
    return std::string{static_cast<char>('0' + number / 10), static_cast<char>('0' + number % 10)};
  };
  std::size_t days = 0;
  for (const std::string year : {"2023", "2024", "1900"}) {
    for (unsigned month = 0; month < 20; ++month) {
      for (unsigned day = 0; day < 40; ++day)
        days += is_utc_timestamp(year + two(month) + two(day) + "-10:00:00.000") ? 1 : 0;
    }
  }
  EXPECT_EQ(days, 365U + 366U + 365U);
}

}  // namespace
}  // namespace nexusfix::dictionary
