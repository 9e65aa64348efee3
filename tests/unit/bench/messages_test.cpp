#include "bench/messages/messages.hpp"

#include <cmath>
#include <gtest/gtest.h>
#include <set>

#include <nexusfix/wire.hpp>

namespace nexusfix::bench {
namespace {

void expect_sound(const Messages& messages, std::size_t count, std::uint64_t fields) {
  wire::Parser parser;
  double bytes = 0;
  ASSERT_EQ(messages.texts.size(), count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto message = parser.parse(messages.texts[i]);
    ASSERT_TRUE(message) << messages.texts[i];
    EXPECT_FALSE(message->fault()) << messages.texts[i];
    EXPECT_EQ(message->field_count(), fields);
    EXPECT_EQ(messages.field_counts[i], fields);
    bytes += static_cast<double>(messages.texts[i].size());
  }
  EXPECT_NEAR(messages.mean_bytes, bytes / static_cast<double>(count), 1e-6);
  EXPECT_EQ(std::set<std::string>(messages.texts.begin(), messages.texts.end()).size(), count);
}

TEST(MessagesTest, every_set_has_different_sound_messages_of_one_structure) {
  expect_sound(execution_reports(), kRotation, 22);
  expect_sound(unusual_execution_reports(), kRotation, 26);
  expect_sound(heartbeats(), kRotation, 8);
  expect_sound(new_order_singles(), kRotation, 17);
  expect_sound(market_data_snapshots(100), kRotation, 11 + 300);
  expect_sound(market_data_snapshots(5000), 4, 11 + 15'000);
}

TEST(MessagesTest, an_execution_report_is_as_long_as_the_reference_message) {
  // The reference message has 209 bytes.
  EXPECT_NEAR(execution_reports().mean_bytes, 209, 15);
}

TEST(MessagesTest, messages_are_the_same_in_every_run) {
  EXPECT_EQ(execution_reports().texts, execution_reports().texts);
  EXPECT_EQ(mixed_stream(10'000).bytes, mixed_stream(10'000).bytes);
}

TEST(MessagesTest, unusual_reports_have_long_tags_and_an_equals_sign_in_text) {
  wire::Parser parser;
  const Messages messages = unusual_execution_reports();
  for (const std::string& text : messages.texts) {
    const auto message = parser.parse(text);
    ASSERT_TRUE(message);
    EXPECT_TRUE(message->has(10011) && message->has(20022) && message->has(30033));
    EXPECT_NE((*message)[58].value_or("").find('='), std::string_view::npos);
  }
}

TEST(MessagesTest, a_stream_is_a_sequence_of_its_messages) {
  const Stream stream = mixed_stream(100'000);
  EXPECT_GE(stream.bytes.size(), 100'000U);
  std::size_t at = 0;
  std::size_t fields = 0;
  wire::Framer framer{stream.bytes};
  wire::Parser parser;
  for (std::size_t i = 0; i < stream.begins.size(); ++i) {
    EXPECT_EQ(stream.begins[i], at);
    at += stream.sizes[i];
    const auto frame = framer.next();
    ASSERT_TRUE(frame);
    EXPECT_EQ(frame->size(), stream.sizes[i]);
    fields += parser.parse(*frame)->field_count();
  }
  EXPECT_EQ(at, stream.bytes.size());
  EXPECT_EQ(fields, stream.field_count);
}

TEST(MessagesTest, prices_are_the_same_number_in_all_three_forms) {
  const PriceJob job = prices();
  const std::vector<std::string>& texts = job.values.texts;
  ASSERT_EQ(texts.size(), kRotation);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto decimal = wire::to_decimal(texts[i]);
    const auto fixed = wire::to_fixed_price(texts[i]);
    ASSERT_TRUE(decimal && fixed) << texts[i];
    EXPECT_EQ(static_cast<std::uint64_t>(fixed->units()), job.units[i]);
    EXPECT_EQ(static_cast<std::uint64_t>(decimal->mantissa()), job.mantissas[i]);
    EXPECT_DOUBLE_EQ(static_cast<double>(job.mantissas[i]) / std::pow(10.0, decimal->scale()),
                     job.doubles[i]);
  }
}

void expect_in_messages(const ValueTexts& values) {
  wire::Parser parser;
  std::set<std::size_t> sizes;
  ASSERT_EQ(values.messages.size(), values.texts.size());
  for (std::size_t i = 0; i < values.texts.size(); ++i) {
    const auto message = parser.parse(values.messages[i]);
    ASSERT_TRUE(message) << values.messages[i];
    EXPECT_EQ((*message)[static_cast<wire::Tag>(values.tag)], values.texts[i]);
    sizes.insert(values.texts[i].size());
  }
  EXPECT_TRUE(sizes.size() > 4 || values.tag == 60) << sizes.size();
}

TEST(MessagesTest, every_value_is_in_a_message_and_lengths_differ) {
  expect_in_messages(integers().values);
  expect_in_messages(prices().values);
  expect_in_messages(timestamps().values);
}

TEST(MessagesTest, messages_of_many_fields_have_exactly_that_number) {
  expect_sound(many_fields(20), kRotation, 20);
  expect_sound(many_fields(100), 16, 100);
  expect_sound(many_fields(10'000), 4, 10'000);
  expect_sound(many_data_fields(1000), 4, 1000);
  expect_sound(many_long_values(1000), 4, 1000);
}

TEST(MessagesTest, data_fields_hold_delimiters) {
  wire::Parser parser;
  const Messages messages = many_data_fields(1000);
  const auto message = parser.parse(messages.texts.front());
  ASSERT_TRUE(message);
  const std::string_view data = (*message)[96].value_or("");
  EXPECT_NE(data.find('\x01'), std::string_view::npos);
  EXPECT_NE(data.find('='), std::string_view::npos);
}

TEST(MessagesTest, times_and_amounts_are_written_in_full) {
  EXPECT_EQ(timestamp_text(1'705'314'600'007), "20240115-10:30:00.007");
  EXPECT_EQ(cents_text(15005), "150.05");
  EXPECT_EQ(cents_text(7), "0.07");
}

}  // namespace
}  // namespace nexusfix::bench
