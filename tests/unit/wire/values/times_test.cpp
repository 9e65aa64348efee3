#include <gtest/gtest.h>
#include <string>

#include <nexusfix/wire/convert.hpp>

namespace nexusfix::wire {
namespace {

using std::chrono::nanoseconds;

std::string text_of(WallTime value, TimePrecision precision) {
  char out[kUtcTimestampBytesMax];
  return {out, from_utc_timestamp(value, precision, out)};
}
std::string text_of(TimeOfDay value, TimePrecision precision) {
  char out[kUtcTimestampBytesMax];
  return {out, from_time_of_day(value, precision, out)};
}
std::int64_t nanos_of(std::string_view text) {
  const auto value = to_utc_timestamp(text);
  EXPECT_TRUE(value) << text;
  return value.value_or(WallTime{}).time_since_epoch().count();
}

TEST(ToUtcTimestamp, reads_every_precision) {
  EXPECT_EQ(nanos_of("19700101-00:00:00"), 0);
  EXPECT_EQ(nanos_of("20240115-10:30:00"), 1705314600'000'000'000);
  EXPECT_EQ(nanos_of("20240115-10:30:00.1"), 1705314600'100'000'000);
  EXPECT_EQ(nanos_of("20240115-10:30:00.123"), 1705314600'123'000'000);
  EXPECT_EQ(nanos_of("20240115-10:30:00.123456"), 1705314600'123'456'000);
  EXPECT_EQ(nanos_of("20240115-10:30:00.123456789"), 1705314600'123'456'789);
  EXPECT_EQ(nanos_of("19691231-23:59:59.999999999"), -1);
}

TEST(ToUtcTimestamp, second_60_is_the_next_minutes_first) {
  EXPECT_EQ(nanos_of("20161231-23:59:60"), nanos_of("20170101-00:00:00"));
  EXPECT_EQ(nanos_of("20161231-23:59:60.5"), nanos_of("20170101-00:00:00.5"));
}

TEST(ToUtcTimestamp, knows_the_calendar) {
  EXPECT_TRUE(to_utc_timestamp("20240229-00:00:00"));
  EXPECT_TRUE(to_utc_timestamp("20000229-00:00:00"));
  for (const char* day : {"20230229", "19000229", "20240230", "20240431", "20240100", "20240132",
                          "20240001", "20241301"}) {
    const auto value = to_utc_timestamp(std::string{day} + "-00:00:00");
    ASSERT_FALSE(value) << day;
    EXPECT_EQ(value.error(), FieldErrorCode::Malformed) << day;
  }
}

TEST(ToUtcTimestamp, refuses_other_forms) {
  EXPECT_EQ(to_utc_timestamp("").error(), FieldErrorCode::Empty);
  for (const char* text : {"20040415",
                           "20040415-",
                           "2004041510:30:00",
                           "20040415 10:30:00",
                           "20040415-10:30",
                           "20040415-10:30:0",
                           "20040415-24:00:00",
                           "20040415-10:60:00",
                           "20040415-10:30:61",
                           "20040415-10-30-00",
                           "20040415-10:30:00.",
                           "20040415-10:30:00,5",
                           "20040415-10:30:00.12a",
                           "20040415-10:30:00Z",
                           "2004a415-10:30:00",
                           "20040415-1a:30:00",
                           "20040415-10:30:00.+1",
                           "-0040415-10:30:00",
                           "20040415-10:30:00.1234567890123",
                           "abc"}) {
    const auto value = to_utc_timestamp(text);
    ASSERT_FALSE(value) << text;
    EXPECT_EQ(value.error(), FieldErrorCode::Malformed) << text;
  }
}

TEST(ToUtcTimestamp, finer_than_nanoseconds_is_rounded_down) {
  EXPECT_EQ(nanos_of("20240115-10:30:00.123456789000"), 1705314600'123'456'789);
  EXPECT_EQ(nanos_of("20240115-10:30:00.0000000000"), 1705314600'000'000'000);
  EXPECT_EQ(nanos_of("20240115-10:30:00.1234567891"), 1705314600'123'456'789);
  EXPECT_EQ(nanos_of("20240115-10:30:00.12345678999"), 1705314600'123'456'789);
  EXPECT_EQ(nanos_of("20240115-10:30:00.123456789999"), 1705314600'123'456'789);
  EXPECT_EQ(nanos_of("19691231-23:59:59.999999999999"), -1);
  EXPECT_EQ(to_utc_timestamp("20240115-10:30:60.0000000009"),
            to_utc_timestamp("20240115-10:31:00"));
  EXPECT_EQ(to_time_of_day("10:30:00.123456789999"), to_time_of_day("10:30:00.123456789"));
}

TEST(ToPicoTime, reads_twelve_fraction_digits_exactly) {
  const auto value = to_pico_time("20240115-10:30:00.123456789012");
  ASSERT_TRUE(value);
  EXPECT_EQ(value->time.time_since_epoch().count(), 1705314600'123'456'789);
  EXPECT_EQ(value->picos, 12);
  EXPECT_EQ(to_pico_time("20240115-10:30:00.1234567891")->picos, 100);
  EXPECT_EQ(to_pico_time("20240115-10:30:00.123")->picos, 0);
  EXPECT_EQ(to_pico_time("16770921-00:12:43.145224192001")->picos, 1);
  EXPECT_EQ(to_pico_time("22620411-23:47:16.854775807999")->time, WallTime::max());
  EXPECT_EQ(to_pico_time("22620411-23:47:16.854775808").error(), FieldErrorCode::OutOfRange);
  EXPECT_EQ(to_pico_time("20240115-10:30:00.1234567890123").error(), FieldErrorCode::Malformed);
  EXPECT_EQ(to_pico_time("").error(), FieldErrorCode::Empty);
}

TEST(PicoTime, is_ordered_by_time_and_picoseconds) {
  const WallTime time{nanoseconds{5}};
  EXPECT_LT((PicoTime{time, 1}), (PicoTime{time, 2}));
  EXPECT_LT((PicoTime{time, 999}), (PicoTime{time + nanoseconds{1}, 0}));
}

TEST(ToUtcTimestamp, covers_the_range_of_nanoseconds_and_not_more) {
  EXPECT_EQ(nanos_of("22620411-23:47:16.854775807"), WallTime::max().time_since_epoch().count());
  EXPECT_EQ(nanos_of("16770921-00:12:43.145224192"), WallTime::min().time_since_epoch().count());
  for (const char* text :
       {"22620411-23:47:16.854775808", "22620412-00:00:00", "16770921-00:12:43.145224191",
        "16770920-23:59:59", "99991231-23:59:59", "00000101-00:00:00"}) {
    const auto value = to_utc_timestamp(text);
    ASSERT_FALSE(value) << text;
    EXPECT_EQ(value.error(), FieldErrorCode::OutOfRange) << text;
  }
}

TEST(FromUtcTimestamp, writes_every_precision_and_cuts_finer_digits) {
  const WallTime time{nanoseconds{1705314600'123'456'789}};
  EXPECT_EQ(text_of(time, TimePrecision::Seconds), "20240115-10:30:00");
  EXPECT_EQ(text_of(time, TimePrecision::Millis), "20240115-10:30:00.123");
  EXPECT_EQ(text_of(time, TimePrecision::Micros), "20240115-10:30:00.123456");
  EXPECT_EQ(text_of(time, TimePrecision::Nanos), "20240115-10:30:00.123456789");
  EXPECT_EQ(text_of(WallTime{nanoseconds{-1}}, TimePrecision::Nanos),
            "19691231-23:59:59.999999999");
  EXPECT_EQ(text_of(WallTime{nanoseconds{1'000'001}}, TimePrecision::Nanos),
            "19700101-00:00:00.001000001");
  EXPECT_EQ(text_of(WallTime::max(), TimePrecision::Nanos), "22620411-23:47:16.854775807");
  EXPECT_EQ(text_of(WallTime::min(), TimePrecision::Nanos), "16770921-00:12:43.145224192");
}

TEST(FromUtcTimestamp, writes_picoseconds) {
  char out[kUtcTimestampBytesMax];
  const PicoTime time{WallTime{nanoseconds{1705314600'123'456'789}}, 7};
  EXPECT_EQ((std::string_view{out, from_utc_timestamp(time, TimePrecision::Picos, out)}),
            "20240115-10:30:00.123456789007");
  EXPECT_EQ((std::string_view{out, from_utc_timestamp(time, TimePrecision::Nanos, out)}),
            "20240115-10:30:00.123456789");
  EXPECT_EQ(text_of(time.time, TimePrecision::Picos), "20240115-10:30:00.123456789000");
  EXPECT_EQ(text_of(TimeOfDay{1}, TimePrecision::Picos), "00:00:00.000000001000");
}

TEST(UtcTimestampWriter, follows_from_one_day_to_another_and_back) {
  detail::UtcTimestampWriter writer;
  for (const char* text :
       {"20240115-10:30:00.123456789", "20240115-23:59:59.999999999", "20240116-00:00:00.000000000",
        "20240115-00:00:00.000000000", "19700101-00:00:00.000000000", "19691231-23:59:59.999999999",
        "22620411-23:47:16.854775807", "16770921-00:12:43.145224192", "16770922-00:00:00.000000000",
        "19000228-12:00:00.000000000", "19000301-00:00:00.000000000", "21000228-23:59:59.999999999",
        "21000301-00:00:00.000000000", "22620411-00:00:00.000000000"}) {
    const WallTime time{nanoseconds{nanos_of(text)}};
    char out[kUtcTimestampBytesMax];
    EXPECT_EQ((std::string_view{out, writer.write(time, TimePrecision::Nanos, out)}), text);
    EXPECT_EQ(text_of(time, TimePrecision::Nanos), text);
  }
}

TEST(Date, every_day_of_eight_centuries_survives_the_round_trip) {
  char out[8];
  using namespace std::chrono;
  const sys_days end{year{2400} / January / 1};
  for (sys_days day{year{1600} / January / 1}; day < end; day += days{1}) {
    const Date date{day};
    ASSERT_EQ(from_date(date, out), 8U);
    ASSERT_EQ(to_date({out, 8}), date);
  }
}

TEST(Date, other_forms_are_refused) {
  EXPECT_EQ(to_date("").error(), FieldErrorCode::Empty);
  for (const char* text : {"2024011", "202401155", "20240115-", "2024-1-5", "20231301", "20230229",
                           "abcdefgh", " 2024115", "202401 5"}) {
    const auto value = to_date(text);
    ASSERT_FALSE(value) << text;
    EXPECT_EQ(value.error(), FieldErrorCode::Malformed) << text;
  }
  EXPECT_TRUE(to_date("00000101"));
  EXPECT_TRUE(to_date("99991231"));
}

TEST(TimeOfDay, round_trips_and_refuses_other_forms) {
  EXPECT_EQ(to_time_of_day("00:00:00"), TimeOfDay{0});
  EXPECT_EQ(to_time_of_day("23:59:59.999999999"), TimeOfDay{86'399'999'999'999});
  EXPECT_EQ(to_time_of_day("23:59:60"), TimeOfDay{86'400'000'000'000});
  EXPECT_EQ(text_of(TimeOfDay{86'400'500'000'000}, TimePrecision::Millis), "23:59:60.500");
  EXPECT_EQ(text_of(TimeOfDay{3'723'000'000'000}, TimePrecision::Seconds), "01:02:03");
  EXPECT_EQ(to_time_of_day("").error(), FieldErrorCode::Empty);
  for (const char* text : {"24:00:00", "12:60:00", "12:00:61", "1:00:00", "12:00", "12:00:00.",
                           "12-00-00", "12:00:00.x", "ab:cd:ef"}) {
    EXPECT_FALSE(to_time_of_day(text)) << text;
  }
}

}  // namespace
}  // namespace nexusfix::wire
