#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include <nexusfix/wire/frame.hpp>

#include "unit/wire/message_text.hpp"

namespace nexusfix::wire {
namespace {

using test::message_of;
using test::with_pipes;
using test::with_soh;

constexpr FrameLimits kLimits;

struct Framed {
  std::vector<std::string> frames;
  std::string rest;
  std::size_t garbled_bytes = 0;
};

Framed frame_all(std::string_view bytes, FrameLimits limits = {}) {
  Framer framer{bytes, limits};
  Framed result;
  while (const auto frame = framer.next()) result.frames.push_back(with_pipes(*frame));
  result.rest = with_pipes(framer.rest());
  result.garbled_bytes = framer.garbled_bytes();
  return result;
}

const std::string kHeartbeat = message_of("35=0|34=2|49=TW|52=20240115-10:30:00|56=ISLD|");
const std::string kTestRequest =
    message_of("35=1|34=3|49=TW|52=20240115-10:30:00|56=ISLD|112=HELLO|");

TEST(NextFrame, a_whole_message_is_complete) {
  const FrameResult result = next_frame(kHeartbeat, kLimits);
  EXPECT_EQ(result.status, FrameResult::Status::Complete);
  EXPECT_EQ(result.size, kHeartbeat.size());
}

TEST(NextFrame, no_bytes_need_more) {
  const FrameResult result = next_frame({}, kLimits);
  EXPECT_EQ(result.status, FrameResult::Status::NeedMore);
  EXPECT_GT(result.size, 0U);
}

TEST(NextFrame, torn_at_every_byte_needs_more_and_never_asks_for_more_than_the_message_has) {
  for (std::size_t size = 0; size < kTestRequest.size(); ++size) {
    const FrameResult result = next_frame(std::string_view{kTestRequest}.substr(0, size), kLimits);
    ASSERT_EQ(result.status, FrameResult::Status::NeedMore) << size;
    ASSERT_GT(result.size, size);
    ASSERT_LE(result.size, kTestRequest.size());
  }
}

TEST(NextFrame, once_body_length_is_known_the_needed_size_includes_the_trailer) {
  const std::string head = kTestRequest.substr(0, kTestRequest.find("34="));
  EXPECT_GE(next_frame(head, kLimits).size, kTestRequest.size() - 3);
}

TEST(Framer, several_messages_in_one_buffer_come_one_by_one) {
  const Framed framed = frame_all(kHeartbeat + kTestRequest + kHeartbeat.substr(0, 30));
  EXPECT_EQ(framed.frames,
            (std::vector<std::string>{with_pipes(kHeartbeat), with_pipes(kTestRequest)}));
  EXPECT_EQ(framed.rest, with_pipes(kHeartbeat.substr(0, 30)));
  EXPECT_EQ(framed.garbled_bytes, 0U);
}

TEST(Framer, every_version_and_number_of_digits_is_framed) {
  std::string stream;
  std::vector<std::string> messages;
  for (const char* version : {"FIX.4.0", "FIX.4.1", "FIX.4.2", "FIX.4.3", "FIX.4.4", "FIX.4.9",
                              "FIXT.1.1", "FIX.5.0SP2"}) {
    for (const std::size_t text : {0U, 60U, 900U, 980U, 9'950U, 12'000U, 120'000U}) {
      const std::string message =
          message_of("35=B|34=2|58=" + std::string(text, 'x') + "|", version);
      stream += message;
      messages.push_back(with_pipes(message));
    }
  }
  EXPECT_EQ(frame_all(stream).frames, messages);
}

TEST(Framer, leading_zeros_in_body_length_are_accepted) {
  for (std::size_t zeros = 1; zeros <= 18; ++zeros) {
    std::string padded = kHeartbeat;
    padded.insert(padded.find("9=") + 2, zeros, '0');
    EXPECT_EQ(frame_all(padded).frames, std::vector<std::string>{with_pipes(padded)}) << zeros;
  }
}

// FIX test case 2m, in the reading of the acceptance contract.
TEST(Framer, body_length_too_short_ends_the_frame_at_its_own_check_sum) {
  std::string wrong = kTestRequest;
  wrong.replace(wrong.find("9=") + 2, 2, "30");
  const Framed framed = frame_all(wrong + kHeartbeat);
  EXPECT_EQ(framed.frames, (std::vector<std::string>{with_pipes(wrong), with_pipes(kHeartbeat)}));
}

// FIX test case 2m: the next message is lost with it.
TEST(Framer, body_length_that_ends_inside_the_next_message_loses_that_message) {
  std::string wrong = kTestRequest;
  wrong.replace(wrong.find("9=") + 2, 2, "99");
  const Framed framed = frame_all(wrong + kHeartbeat + kTestRequest);
  EXPECT_EQ(framed.frames,
            (std::vector<std::string>{with_pipes(wrong + kHeartbeat), with_pipes(kTestRequest)}));
}

// FIX test case 2m: a small error in either direction never loses the message after the lost one.
TEST(Framer, body_length_off_by_up_to_five_never_loses_the_second_next_message) {
  const auto length = kTestRequest.size() - kTestRequest.find("35=") - 7;
  for (int off = -5; off <= 5; ++off) {
    std::string wrong = kTestRequest;
    wrong.replace(wrong.find("9=") + 2, 2, std::to_string(static_cast<int>(length) + off));
    const Framed framed = frame_all(wrong + kHeartbeat + kTestRequest);
    ASSERT_FALSE(framed.frames.empty());
    EXPECT_EQ(framed.frames.back(), with_pipes(kTestRequest)) << off;
    EXPECT_TRUE(framed.rest.empty()) << off;
  }
}

// FIX test case 2t: MsgType before BeginString.
TEST(Framer, a_field_before_begin_string_drops_only_that_message) {
  const std::string wrong =
      with_soh("35=0|8=FIX.4.2|9=29|34=2|49=TW42|52=20240115-10:30:00|56=ISLD|10=121|");
  const Framed framed = frame_all(wrong + kTestRequest);
  EXPECT_EQ(framed.frames, std::vector<std::string>{with_pipes(kTestRequest)});
  EXPECT_EQ(framed.garbled_bytes, wrong.size());
}

// FIX test case 2t: MsgSeqNum before MsgType.
TEST(Framer, a_third_field_that_is_not_msg_type_drops_only_that_message) {
  const std::string wrong = message_of("34=3|35=0|49=TW42|52=20240115-10:30:00|56=ISLD|");
  const Framed framed = frame_all(wrong + kTestRequest);
  EXPECT_EQ(framed.frames, std::vector<std::string>{with_pipes(kTestRequest)});
  EXPECT_EQ(next_frame(wrong, kLimits).reason, GarbledReason::FirstFieldsOutOfOrder);
}

// FIX test cases 2d and 3c: the trailer has one digit, but the frame ends there.
TEST(Framer, a_check_sum_of_one_digit_ends_the_frame) {
  std::string wrong = kHeartbeat;
  wrong.replace(wrong.size() - 4, 3, "0");
  const Framed framed = frame_all(wrong + kTestRequest);
  EXPECT_EQ(framed.frames, (std::vector<std::string>{with_pipes(wrong), with_pipes(kTestRequest)}));
}

TEST(Framer, a_check_sum_without_its_soh_does_not_lose_the_next_message) {
  const std::string cut = kHeartbeat.substr(0, kHeartbeat.size() - 1);
  const Framed framed = frame_all(cut + kTestRequest);
  EXPECT_EQ(framed.frames, (std::vector<std::string>{with_pipes(cut), with_pipes(kTestRequest)}));
}

TEST(Framer, garbage_directly_before_a_message_does_not_lose_it) {
  for (const std::string garbage : {"hello",
                                    "8",
                                    "8=",
                                    "8=F",
                                    "8=FI",
                                    "8=FIX",
                                    "8=FIX.4.4",
                                    "8=FIX.4.4|",
                                    "8=FIX.4.4|9=",
                                    "8=FIX.4.4|9=12",
                                    "8=FIX.4.4|9=12|",
                                    "8=FIX.4.4|9=12|35",
                                    "58=8=FIX",
                                    "|||",
                                    "98=0|108=30|",
                                    "8=FIX.4.4|9=|",
                                    "8=FIX.4.4|9=-5|",
                                    "8=FIX.4.4|9=4294967296|",
                                    "8=FOX.4.4|9=5|35=0|",
                                    "8=FIX.a.begin.string.of.hostile.length|9=5|35=0|10=000|"}) {
    const std::string bytes = with_soh(garbage);
    const Framed framed = frame_all(bytes + kHeartbeat);
    EXPECT_EQ(framed.frames, std::vector<std::string>{with_pipes(kHeartbeat)}) << garbage;
    EXPECT_EQ(framed.garbled_bytes, bytes.size()) << garbage;
  }
}

TEST(Framer, a_start_cut_at_the_end_of_garbage_is_kept) {
  for (std::size_t kept = 0; kept < 20; ++kept) {
    const Framed framed = frame_all("garbage" + kHeartbeat.substr(0, kept));
    EXPECT_EQ(framed.rest, with_pipes(kHeartbeat.substr(0, kept)));
    EXPECT_EQ(framed.garbled_bytes, 7U);
  }
}

struct BodyLengthCase {
  std::string text;
  FrameResult::Status status;
  GarbledReason reason = GarbledReason::NoBeginString;
};

// The body has 24 bytes.
std::vector<BodyLengthCase> body_length_cases() {
  constexpr auto kComplete = FrameResult::Status::Complete;
  constexpr auto kNeedMore = FrameResult::Status::NeedMore;
  constexpr auto kGarbled = FrameResult::Status::Garbled;
  constexpr auto kMalformed = GarbledReason::BodyLengthMalformed;
  constexpr auto kTooLarge = GarbledReason::BodyLengthTooLarge;
  const std::string fifty_digits(50, '9');
  const std::string fifty_zeros(50, '0');
  return {
      {"24", kComplete},
      {"024", kComplete},
      {"0024", kComplete},
      {"00024", kComplete},
      {"00000000000000000024", kComplete},
      {"0", kComplete},
      {"00", kComplete},
      {"1", kComplete},
      {"4", kComplete},
      {"5", kComplete},
      {"9", kComplete},
      {"23", kComplete},
      {"25", kNeedMore},
      {"31", kNeedMore},
      {"99", kNeedMore},
      {"100", kNeedMore},
      {"9999", kNeedMore},
      {"10000", kNeedMore},
      {"1048549", kNeedMore},  // a message of exactly the limit
      {"1048550", kGarbled, kTooLarge},
      {"", kGarbled, kMalformed},
      {"-1", kGarbled, kMalformed},
      {"+5", kGarbled, kMalformed},
      {" 5", kGarbled, kMalformed},
      {"5 ", kGarbled, kMalformed},
      {"abc", kGarbled, kMalformed},
      {"1e3", kGarbled, kMalformed},
      {"0x10", kGarbled, kMalformed},
      {"1.5", kGarbled, kMalformed},
      {"2/4", kGarbled, kMalformed},
      {"2:", kGarbled, kMalformed},
      {"000000000000000000024", kGarbled, kMalformed},
      {fifty_zeros, kGarbled, kMalformed},
      {fifty_digits, kGarbled, kTooLarge},
      {"1048577", kGarbled, kTooLarge},
      {"2147483647", kGarbled, kTooLarge},
      {"2147483648", kGarbled, kTooLarge},
      {"4294967295", kGarbled, kTooLarge},
      {"4294967296", kGarbled, kTooLarge},
      {"4294967320", kGarbled, kTooLarge},  // 2^32 + 24
      {"18446744073709551615", kGarbled, kTooLarge},
      {"18446744073709551616", kGarbled, kTooLarge},
      {"18446744073709551640", kGarbled, kTooLarge},  // 2^64 + 24
  };
}

TEST(NextFrame, body_lengths_of_every_kind_follow_the_frame_rule) {
  for (const BodyLengthCase& test : body_length_cases()) {
    const std::string bytes =
        with_soh("8=FIX.4.4|9=" + test.text + "|35=0|34=2|49=TW|56=ISLD|10=000|");
    const FrameResult result = next_frame(bytes, kLimits);
    EXPECT_EQ(result.status, test.status) << test.text;
    if (test.status == FrameResult::Status::NeedMore) {
      EXPECT_GT(result.size, bytes.size()) << test.text;
    } else {
      EXPECT_EQ(result.reason, test.reason) << test.text;
      EXPECT_EQ(result.size, bytes.size()) << test.text;
    }
  }
}

TEST(NextFrame, a_body_length_with_a_nondigit_of_the_right_value_is_garbled) {
  // `:` and `/` are the neighbours of the digits: read as the numbers 10 and -1, they would be
  // right.
  const std::pair<std::size_t, std::string> cases[] = {{20, "1:"},   {19, "2/"},   {110, "10:"},
                                                       {109, "11/"}, {200, "1:0"}, {1010, "100:"}};
  for (const auto& [body_bytes, text] : cases) {
    std::string message = message_of("35=B|58=" + std::string(body_bytes - 9, 'x') + "|");
    message.replace(message.find("9=") + 2, text.size(), text);
    const FrameResult result = next_frame(message, kLimits);
    EXPECT_EQ(result.status, FrameResult::Status::Garbled) << text;
    EXPECT_EQ(result.reason, GarbledReason::BodyLengthMalformed) << text;
  }
}

TEST(NextFrame, hostile_body_lengths_are_garbled_before_the_body_arrives) {
  for (const BodyLengthCase& test : body_length_cases()) {
    if (test.status != FrameResult::Status::Garbled) continue;
    const std::string head = with_soh("8=FIX.4.4|9=" + test.text + "|");
    const FrameResult result = next_frame(head, kLimits);
    EXPECT_EQ(result.status, FrameResult::Status::Garbled) << test.text;
    EXPECT_EQ(result.reason, test.reason) << test.text;
  }
}

TEST(NextFrame, an_announced_message_of_two_gigabytes_is_garbled_before_it_arrives) {
  const FrameResult result = next_frame(with_soh("8=FIX.4.4|9=2000000000|35=D|"), kLimits);
  EXPECT_EQ(result.status, FrameResult::Status::Garbled);
  EXPECT_EQ(result.reason, GarbledReason::BodyLengthTooLarge);
}

TEST(NextFrame, the_limit_counts_the_whole_message) {
  const FrameLimits exact{.message_bytes_max = kTestRequest.size()};
  EXPECT_EQ(next_frame(kTestRequest, exact).status, FrameResult::Status::Complete);
  const FrameLimits below{.message_bytes_max = kTestRequest.size() - 1};
  EXPECT_EQ(next_frame(kTestRequest, below).reason, GarbledReason::BodyLengthTooLarge);
}

TEST(NextFrame, body_length_zero_ends_at_the_first_check_sum) {
  const std::string bytes = with_soh("8=FIX.4.4|9=0|35=0|10=000|");
  const FrameResult result = next_frame(bytes, kLimits);
  EXPECT_EQ(result.status, FrameResult::Status::Complete);
  EXPECT_EQ(result.size, bytes.size());
}

TEST(Framer, a_check_sum_look_alike_inside_the_body_does_not_end_the_frame) {
  const std::string message = message_of("35=0|34=2|96=x|10=000|110=5|");
  EXPECT_EQ(frame_all(message).frames, std::vector<std::string>{with_pipes(message)});
}

TEST(Framer, a_body_length_that_points_into_a_tag_ending_in_10_does_not_end_the_frame_there) {
  std::string message = message_of("35=0|34=2|110=123|112=T|");
  const std::size_t inside = message.find("110=123") + 1 - message.find("35=");
  message.replace(message.find("9=") + 2, 2, std::to_string(inside));
  EXPECT_EQ(frame_all(message + kHeartbeat).frames,
            (std::vector<std::string>{with_pipes(message), with_pipes(kHeartbeat)}));
}

TEST(Framer, without_a_check_sum_the_wait_ends_at_the_limit) {
  const FrameLimits limits{.message_bytes_max = 200};
  const std::string endless = with_soh("8=FIX.4.4|9=5|35=0|") + std::string(300, 'x');
  for (std::size_t size = 20; size < 200; ++size) {
    ASSERT_EQ(next_frame(endless.substr(0, size), limits).status, FrameResult::Status::NeedMore)
        << size;
  }
  const FrameResult result = next_frame(endless.substr(0, 200), limits);
  EXPECT_EQ(result.status, FrameResult::Status::Garbled);
  EXPECT_EQ(result.reason, GarbledReason::TooLong);
  EXPECT_EQ(result.size, 200U);
  EXPECT_EQ(frame_all(endless + kHeartbeat, limits).frames,
            std::vector<std::string>{with_pipes(kHeartbeat)});
}

TEST(Framer, a_megabyte_of_starts_without_an_end_is_dropped_whole) {
  // A hunt inside the searched bytes would search them once for each start.
  std::string starts;
  while (starts.size() < (1U << 21U)) starts += with_soh("8=FIX.4.4|9=5|35=0|");
  const Framed framed = frame_all(starts + with_soh("8=") + kHeartbeat);
  ASSERT_FALSE(framed.frames.empty());
  EXPECT_TRUE(framed.frames.back().ends_with(with_pipes(kHeartbeat)));
}

TEST(NextFrame, every_garbled_result_makes_progress) {
  for (const char* text : {"x", "|", "8x", "8=FIX|", "8=FIX|x", "9=5|", "8=FIX.4.4|9=|8=FIX"}) {
    const FrameResult result = next_frame(with_soh(text), kLimits);
    if (result.status == FrameResult::Status::Garbled) {
      EXPECT_GT(result.size, 0U) << text;
    }
  }
}

TEST(GarbledReason, each_has_a_text_of_its_own) {
  std::vector<std::string_view> texts;
  for (int i = 0; i <= static_cast<int>(GarbledReason::FirstFieldsOutOfOrder); ++i) {
    texts.push_back(to_string(static_cast<GarbledReason>(i)));
  }
  std::sort(texts.begin(), texts.end());
  EXPECT_EQ(std::adjacent_find(texts.begin(), texts.end()), texts.end());
}

}  // namespace
}  // namespace nexusfix::wire
