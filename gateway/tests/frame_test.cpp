// The frames of docs/reference/gateway-protocol.md.
#include "gateway/protocol/frame.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

namespace nexusfix::gateway {
namespace {

std::vector<char> frame_of(const FrameHeader& header, std::string_view body = {}) {
  std::vector<char> out;
  append_frame(out, header, body);
  return out;
}

TEST(GatewayFrame, example_of_the_page_has_these_bytes) {
  std::string order = "35=D|11=A1|55=AAPL|54=1|38=100|40=1|21=1|59=0|";
  for (char& byte : order) byte = byte == '|' ? '\x01' : byte;
  const std::vector<char> frame = frame_of({.kind = FrameKind::Send, .number = 7}, order);
  std::vector<char> expected{0x56, 0, 0, 0, 1, 3};
  expected.resize(32);
  expected.push_back(7);
  expected.resize(kHeaderBytes);
  expected.insert(expected.end(), order.begin(), order.end());
  EXPECT_EQ(frame, expected);
}

TEST(GatewayFrame, every_field_of_the_header_comes_back) {
  const FrameHeader header{.kind = FrameKind::Message,
                           .flags = kFlagFromJournal | kFlagSent,
                           .session = 0xffff'fffe,
                           .code = 0x1234'5678,
                           .epoch = 0x0102'0304'0506'0708,
                           .msg_seq_num = 1'000'000'000'000,
                           .number = ~0ULL};
  const std::vector<char> bytes = frame_of(header, "8=FIX.4.4");
  const auto frame = read_frame(bytes);
  ASSERT_TRUE(frame);
  EXPECT_EQ(frame->header, header);
  EXPECT_EQ(frame->body, "8=FIX.4.4");
}

TEST(GatewayFrame, length_is_unknown_until_its_four_bytes_have_come) {
  const std::vector<char> bytes = frame_of({.kind = FrameKind::CaughtUp});
  for (std::size_t size = 0; size < 4; ++size) {
    EXPECT_EQ(frame_bytes({bytes.data(), size}), 0U) << size;
  }
  for (std::size_t size = 4; size <= bytes.size(); ++size) {
    EXPECT_EQ(frame_bytes({bytes.data(), size}), kHeaderBytes) << size;
  }
}

TEST(GatewayFrame, a_length_below_the_header_and_above_the_limit_is_a_fault) {
  std::vector<char> bytes = frame_of({.kind = FrameKind::CaughtUp});
  const auto with_length = [&](std::uint32_t length) {
    for (int i = 0; i < 4; ++i)
      bytes[static_cast<std::size_t>(i)] = static_cast<char>(length >> (8 * i));
    return frame_bytes(bytes);
  };
  EXPECT_EQ(with_length(39), std::unexpected{FrameFault::Length});
  EXPECT_EQ(with_length(40), 40U);
  EXPECT_EQ(with_length(1'052'672), 1'052'672U);
  EXPECT_EQ(with_length(1'052'673), std::unexpected{FrameFault::Length});
  EXPECT_EQ(with_length(0), std::unexpected{FrameFault::Length});
  EXPECT_EQ(with_length(~0U), std::unexpected{FrameFault::Length});
}

TEST(GatewayFrame, another_version_is_a_fault_as_soon_as_its_byte_has_come) {
  std::vector<char> bytes = frame_of({.kind = FrameKind::Hello}, "name=a\n");
  bytes[4] = 2;
  EXPECT_EQ(frame_bytes({bytes.data(), 4}), bytes.size());
  EXPECT_EQ(frame_bytes({bytes.data(), 5}), std::unexpected{FrameFault::Version});
  EXPECT_EQ(read_frame(bytes).error(), FrameFault::Version);
}

TEST(GatewayFrame, an_unknown_kind_is_a_fault) {
  std::vector<char> bytes = frame_of({.kind = FrameKind::Hello});
  for (const int kind : {0, 10, 255}) {
    bytes[5] = static_cast<char>(kind);
    ASSERT_FALSE(read_frame(bytes)) << kind;
    EXPECT_EQ(read_frame(bytes).error(), FrameFault::Kind) << kind;
  }
}

TEST(GatewayFrame, bytes_that_are_not_exactly_one_frame_are_a_fault) {
  std::vector<char> bytes = frame_of({.kind = FrameKind::Hello}, "ab");
  EXPECT_FALSE(read_frame({bytes.data(), bytes.size() - 1}));
  bytes.push_back('x');
  EXPECT_FALSE(read_frame(bytes));
  EXPECT_FALSE(read_frame({}));
}

TEST(GatewayFrame, frames_follow_each_other_in_one_buffer) {
  std::vector<char> bytes = frame_of({.kind = FrameKind::Send, .number = 1}, "35=D");
  append_frame(bytes, {.kind = FrameKind::Send, .number = 2}, "35=F");
  const auto first = frame_bytes(bytes);
  ASSERT_TRUE(first);
  const auto second = read_frame({bytes.data() + *first, bytes.size() - *first});
  ASSERT_TRUE(second);
  EXPECT_EQ(second->header.number, 2U);
  EXPECT_EQ(second->body, "35=F");
}

}  // namespace
}  // namespace nexusfix::gateway
