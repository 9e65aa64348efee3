#include <gtest/gtest.h>
#include <string>

#include <nexusfix/wire/message_view.hpp>
#include <nexusfix/wire/parser.hpp>

#include "unit/wire/kernels/guarded_bytes.hpp"
#include "unit/wire/message_text.hpp"

namespace nexusfix::wire {
namespace {

using test::message_of;

class MessageViewTest : public testing::Test {
 protected:
  MessageView parse(std::string_view body) {
    frame_ = message_of(body);
    return *parser_.parse(frame_);
  }

  std::string frame_;
  Parser parser_;
};

TEST_F(MessageViewTest, default_constructed_has_no_fields) {
  const MessageView message;
  EXPECT_EQ(message.field_count(), 0U);
  EXPECT_TRUE(message.bytes().empty());
  EXPECT_TRUE(message.begin_string().empty());
  EXPECT_TRUE(message.msg_type().empty());
  EXPECT_FALSE(message.fault());
  EXPECT_FALSE(message[35]);
  EXPECT_TRUE(message.begin() == message.end());
}

TEST_F(MessageViewTest, a_field_is_found_at_every_position) {
  std::string body = "35=W|";
  for (int i = 0; i < 100; ++i) body += std::to_string(1000 + i) + "=v" + std::to_string(i) + "|";
  const MessageView message = parse(body);
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(message[static_cast<Tag>(1000 + i)], "v" + std::to_string(i));
    ASSERT_EQ(message.find_index(static_cast<Tag>(1000 + i)), static_cast<std::size_t>(3 + i));
  }
  EXPECT_FALSE(message[999]);
  EXPECT_FALSE(message[1100]);
}

TEST_F(MessageViewTest, fields_of_a_longer_message_before_are_not_found) {
  parse("35=D|11=A|55=OLD|54=1|38=100|44=1.5|59=0|60=x|");
  const MessageView message = parse("35=0|34=1|");
  for (const Tag tag : {11U, 55U, 54U, 38U, 44U, 59U, 60U}) {
    EXPECT_FALSE(message.has(tag)) << tag;
  }
  EXPECT_FALSE(message.has(0));
}

TEST_F(MessageViewTest, repeated_tags_are_found_one_after_the_other) {
  const MessageView message = parse("35=W|268=3|269=0|270=1|269=1|270=2|269=2|270=3|");
  EXPECT_EQ(message[269], "0");
  std::vector<std::string> values;
  for (auto at = message.find_index(269); at; at = message.find_index(269, *at + 1)) {
    values.emplace_back(message.field(*at).value);
  }
  EXPECT_EQ(values, (std::vector<std::string>{"0", "1", "2"}));
  EXPECT_FALSE(message.find_index(269, message.field_count()));
  EXPECT_FALSE(message.find_index(269, 1000));
}

TEST_F(MessageViewTest, tags_above_sixteen_bits_are_distinguished_from_their_low_bits) {
  const MessageView message = parse("35=D|65591=high|2147483647=top|55=low|");  // 65536 + 55
  EXPECT_EQ(message[55], "low");
  EXPECT_EQ(message[65'591], "high");
  EXPECT_EQ(message[kTagMax], "top");
}

TEST_F(MessageViewTest, typed_reads_stay_within_the_message) {
  frame_ = message_of("35=5|1=5|2=-7|3=1.5|");
  test::GuardedBytes guarded{4096};
  const MessageView message = *parser_.parse(guarded.at_begin(frame_));
  EXPECT_EQ(message.get<std::uint64_t>(9), 20U);  // fewer than sixteen bytes precede it
  EXPECT_EQ(message.get<std::int64_t>(9), 20);
  EXPECT_EQ(message.get<Decimal>(9), (Decimal{20, 0}));
  EXPECT_EQ(message.get<FixedPrice>(9), FixedPrice::from_units(2'000'000'000));
  EXPECT_EQ(message.get<std::uint64_t>(35), 5U);
  EXPECT_EQ(message.get<std::uint64_t>(1), 5U);
  EXPECT_EQ(message.get<std::int64_t>(2), -7);
  EXPECT_EQ(message.get<Decimal>(3), (Decimal{15, 1}));
  EXPECT_EQ(message.get<FixedPrice>(3), FixedPrice::from_units(150'000'000));
}

TEST_F(MessageViewTest, typed_reads_give_values) {
  const MessageView message = parse(
      "35=D|1=text|2=x|3=Y|4=-5|5=18446744073709551615|6=150.25|7=20240115-10:30:00.123|"
      "8001=20240229|8002=23:59:59.5|");
  EXPECT_EQ(message.get<std::string_view>(1), "text");
  EXPECT_EQ(message.get<char>(2), 'x');
  EXPECT_EQ(message.get<bool>(3), true);
  EXPECT_EQ(message.get<std::int64_t>(4), -5);
  EXPECT_EQ(message.get<std::uint64_t>(5), 18446744073709551615U);
  EXPECT_EQ(message.get<FixedPrice>(6), FixedPrice::from_units(15'025'000'000));
  EXPECT_EQ(message.get<PicoTime>(7)->time, *message.get<WallTime>(7));
  EXPECT_EQ(message.get<Decimal>(6), (Decimal{15025, 2}));
  EXPECT_EQ(message.get<WallTime>(7), WallTime{std::chrono::milliseconds{1705314600123}});
  EXPECT_EQ(message.get<Date>(8001),
            (Date{std::chrono::year{2024}, std::chrono::month{2}, std::chrono::day{29}}));
  EXPECT_EQ(message.get<TimeOfDay>(8002), std::chrono::milliseconds{86'399'500});
}

TEST_F(MessageViewTest, typed_reads_return_the_error_and_its_position) {
  const MessageView message = parse("35=D|38=abc|39=99999999999999999999|40=|");
  const auto malformed = message.get<std::int64_t>(38);
  ASSERT_FALSE(malformed);
  EXPECT_EQ(malformed.error().code, FieldErrorCode::Malformed);
  EXPECT_EQ(malformed.error().tag, 38U);
  EXPECT_EQ(malformed.error().offset, frame_.find("abc"));
  EXPECT_EQ(message.get<std::int64_t>(39).error().code, FieldErrorCode::OutOfRange);
  EXPECT_EQ(message.get<std::int64_t>(40).error().code, FieldErrorCode::Empty);
  const auto missing = message.get<std::int64_t>(41);
  EXPECT_EQ(missing.error().code, FieldErrorCode::Missing);
  EXPECT_EQ(missing.error().tag, 41U);
}

TEST_F(MessageViewTest, iteration_visits_every_field_once) {
  const MessageView message = parse("35=0|34=1|");
  std::vector<Tag> tags;
  for (const FieldView field : message) tags.push_back(field.tag);
  EXPECT_EQ(tags, (std::vector<Tag>{8, 9, 35, 34, 10}));
}

}  // namespace
}  // namespace nexusfix::wire
