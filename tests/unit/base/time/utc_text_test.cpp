#include "base/api/utc_text.hpp"

#include <chrono>
#include <gtest/gtest.h>
#include <string>

namespace nexusfix {
namespace {

// 2024-01-15 10:30:00.123456789
constexpr WallTime kMorning{std::chrono::nanoseconds{1'705'314'600'123'456'789}};

std::string text_of(WallTime time, UtcForm form, unsigned fraction_digits) {
  std::string text;
  append_utc(text, time, form, fraction_digits);
  return text;
}

TEST(UtcText, has_the_forms_of_fix_of_iso_8601_and_of_people) {
  EXPECT_EQ(text_of(kMorning, UtcForm::Fix, 0), "20240115-10:30:00");
  EXPECT_EQ(text_of(kMorning, UtcForm::Iso, 0), "2024-01-15T10:30:00");
  EXPECT_EQ(text_of(kMorning, UtcForm::Plain, 0), "2024-01-15 10:30:00");
  EXPECT_EQ(utc_text(std::chrono::floor<std::chrono::seconds>(kMorning), UtcForm::Plain),
            "2024-01-15 10:30:00");
}

TEST(UtcText, fraction_is_cut_and_never_longer_than_nanoseconds) {
  EXPECT_EQ(text_of(kMorning, UtcForm::Fix, 1), "20240115-10:30:00.1");
  EXPECT_EQ(text_of(kMorning, UtcForm::Fix, 5), "20240115-10:30:00.12345");
  EXPECT_EQ(text_of(kMorning, UtcForm::Fix, 9), "20240115-10:30:00.123456789");
  EXPECT_EQ(text_of(kMorning, UtcForm::Fix, 10), "20240115-10:30:00.123456789");
  EXPECT_EQ(text_of(kMorning, UtcForm::Iso, 99).size(), kUtcTextBytesMax);
}

TEST(UtcText, every_wall_time_can_be_written) {
  using std::chrono::nanoseconds;
  EXPECT_EQ(text_of(WallTime{}, UtcForm::Fix, 9), "19700101-00:00:00.000000000");
  EXPECT_EQ(text_of(WallTime{nanoseconds{-1}}, UtcForm::Fix, 9), "19691231-23:59:59.999999999");
  EXPECT_EQ(text_of(WallTime::max(), UtcForm::Fix, 9), "22620411-23:47:16.854775807");
  EXPECT_EQ(text_of(WallTime::min(), UtcForm::Fix, 9), "16770921-00:12:43.145224192");
}

}  // namespace
}  // namespace nexusfix
