// wire allocates only a Parser's index and the memory that to_owned() takes from its resource. This
// program counts every allocation.
#include <array>
#include <cstddef>
#include <gtest/gtest.h>
#include <string>

#include <nexusfix/base/arena.hpp>
#include <nexusfix/wire.hpp>

#include "support/counted_new.hpp"
#include "unit/wire/message_text.hpp"

namespace nexusfix::wire {
namespace {

using nexusfix::test::allocations;

TEST(Allocation, framing_parsing_and_reading_allocate_nothing_in_steady_state) {
  const std::string stream = test::message_of(test::kExecutionReportBody) +
                             test::message_of("35=0|34=2|") + "garbage" +
                             test::message_of("35=D|95=3|96=a|b|0=fault|");
  Parser parser;
  const std::size_t before = allocations;
  std::size_t parsed = 0;
  for (int i = 0; i < 1000; ++i) {
    Framer framer{stream};
    while (const auto frame = framer.next()) {
      const auto message = parser.parse(*frame);
      parsed += message.has_value() ? 1 : 0;
      static_cast<void>(message->get<Decimal>(44));
      static_cast<void>(message->get<WallTime>(52));
    }
  }
  EXPECT_EQ(allocations, before);
  EXPECT_EQ(parsed, 3000U);
}

TEST(Allocation, a_parser_grows_once_for_a_message_with_more_fields_than_before) {
  std::string body = "35=W|";
  for (int i = 0; i < 10'000; ++i) body += "270=1|";
  const std::string large = test::message_of(body);
  Parser parser;
  EXPECT_TRUE(parser.parse(large));
  const std::size_t before = allocations;
  EXPECT_TRUE(parser.parse(large));
  EXPECT_EQ(allocations, before);
}

TEST(Allocation, encoding_with_a_template_allocates_nothing) {
  std::array<char, 1024> buffer;
  HeaderTemplate session = *HeaderTemplate::make({"FIX.4.4", "SENDER", "TARGET"});
  const std::size_t before = allocations;
  for (std::uint64_t i = 1; i < 1000; ++i) {
    Encoder encoder{buffer, session, {.msg_type = "D", .msg_seq_num = i * 1'000}};
    encoder.field<55>("AAPL").field<11>("an identifier longer than a block").field<38>(i);
    encoder.group(453, 1).entry().field<448>("A");
    EXPECT_TRUE(encoder.finish().has_value());
  }
  EXPECT_EQ(allocations, before);
}

TEST(Allocation, keeping_messages_in_an_arena_allocates_nothing_in_steady_state) {
  Parser parser;
  const std::string text = test::message_of(test::kExecutionReportBody);
  const auto message = parser.parse(text);
  ASSERT_TRUE(message);
  Arena arena;
  std::size_t before = 0;
  for (int lap = 0; lap < 100; ++lap) {
    if (lap == 1) before = allocations;
    for (int i = 0; i < 500; ++i) EXPECT_TRUE(to_owned(*message, arena));
    arena.reset();
  }
  EXPECT_EQ(allocations, before);
}

TEST(Allocation, encoding_and_resending_allocate_nothing) {
  std::array<char, 1024> buffer;
  std::array<char, 1024> copy;
  MessageHeader header;
  header.msg_type = "D";
  header.msg_seq_num = 1;
  const std::size_t before = allocations;
  for (int i = 0; i < 1000; ++i) {
    Encoder encoder{buffer, {"FIX.4.4", "SENDER", "TARGET"}, header};
    encoder.field(11, "A1").field(38, i).field(44, Decimal{15025, 2}).data(95, 96, "x");
    const auto message = encoder.finish();
    EXPECT_TRUE(message && resend_copy(*message, WallTime{}, TimePrecision::Millis, copy));
  }
  EXPECT_EQ(allocations, before);
}

}  // namespace
}  // namespace nexusfix::wire
