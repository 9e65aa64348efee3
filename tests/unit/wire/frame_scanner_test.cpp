// A stream that arrives in pieces: the scanner's state between them, and that it examines no byte
// twice.
#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/wire/frame.hpp>

#include "unit/wire/message_text.hpp"

namespace nexusfix::wire {
namespace {

using test::message_of;
using test::with_pipes;
using test::with_soh;

const std::string kHeartbeat = message_of("35=0|34=2|49=TW|52=20240115-10:30:00|56=ISLD|");
const std::string kTestRequest =
    message_of("35=1|34=3|49=TW|52=20240115-10:30:00|56=ISLD|112=HELLO|");

struct Scanned {
  std::vector<std::string> frames;
  std::size_t garbled = 0;
  std::size_t calls = 0;
};

// Gives the stream to the scanner in pieces of one size. Overwrites every byte that the scanner has
// already examined before the next call, so the frames can be right only if no byte is examined
// twice.
Scanned scan(std::string_view stream, std::size_t piece_bytes, FrameLimits limits = {}) {
  FrameScanner scanner{limits};
  Scanned scanned;
  std::string looked_at;
  std::size_t front = 0;  // of the stream: the first byte not yet consumed
  std::size_t needed = 0;
  std::size_t blanked = 0;
  for (std::size_t end = 0; end < stream.size();) {
    const std::size_t size = std::min(piece_bytes, stream.size() - end);
    looked_at += stream.substr(end, size);
    end += size;
    while (!looked_at.empty() && looked_at.size() >= needed) {
      const FrameResult result = scanner.next(looked_at);
      ++scanned.calls;
      if (result.status == FrameResult::Status::NeedMore) {
        needed = result.size;
        for (; blanked < looked_at.size(); ++blanked) looked_at[blanked] = '\x01';
        break;
      }
      if (result.status == FrameResult::Status::Complete) {
        scanned.frames.emplace_back(stream.substr(front, result.size));
      }
      if (result.status == FrameResult::Status::Garbled) ++scanned.garbled;
      front += result.size;
      looked_at.erase(0, result.size);
      blanked -= std::min(blanked, result.size);
      needed = 0;
    }
  }
  return scanned;
}

TEST(FrameScanner, no_byte_is_examined_twice_for_any_size_of_pieces) {
  const std::string stream = kHeartbeat + with_soh("garbage8=8=FI|8=FIX.48=") + kTestRequest +
                             with_soh("8=FIX.4.4|9=5|34=1|") + kHeartbeat;
  for (std::size_t piece_bytes = 1; piece_bytes <= stream.size(); ++piece_bytes) {
    const Scanned scanned = scan(stream, piece_bytes);
    ASSERT_EQ(scanned.frames, (std::vector<std::string>{kHeartbeat, kTestRequest, kHeartbeat}))
        << piece_bytes;
    ASSERT_EQ(scanned.garbled, 3U) << piece_bytes;
  }
}

TEST(FrameScanner, a_check_sum_that_is_far_away_is_searched_for_once) {
  // BodyLength leads to the third field. 64,000 bytes of near-CheckSums follow.
  std::string message = with_soh("8=FIX.4.4|9=5|35=0|");
  while (message.size() < 64'000) message += with_soh("|1|10|58=8=FI|");
  message += with_soh("|10=000|");
  for (const std::size_t piece_bytes : {1U, 7U, 4096U}) {
    EXPECT_EQ(scan(message, piece_bytes).frames, std::vector<std::string>{message}) << piece_bytes;
  }
}

TEST(FrameScanner, a_check_sum_value_that_does_not_end_is_read_once) {
  const std::string head = with_soh("8=FIX.4.4|9=5|35=0|10=");
  const std::string endless = head + std::string(60'000, '8');
  EXPECT_EQ(scan(endless + kHeartbeat, 1).frames, (std::vector<std::string>{endless, kHeartbeat}));
}

TEST(FrameScanner, garbage_is_searched_once_and_counted_once) {
  std::string garbage;
  while (garbage.size() < (1U << 19U))
    garbage +=
        "8=FI8=F\x01"
        "108=8";
  for (const std::size_t piece_bytes : {1U, 5U, 4096U}) {
    const Scanned scanned = scan(garbage + kHeartbeat, piece_bytes);
    EXPECT_EQ(scanned.frames, std::vector<std::string>{kHeartbeat}) << piece_bytes;
    EXPECT_EQ(scanned.garbled, 1U) << piece_bytes;
  }
}

TEST(FrameScanner, a_body_that_has_not_arrived_costs_no_calls) {
  const std::string message = message_of("35=B|58=" + std::string(500'000, 'x') + "|");
  const Scanned scanned = scan(message, 1);
  EXPECT_EQ(scanned.frames, std::vector<std::string>{message});
  // One for each byte of the head and of the trailer's end.
  EXPECT_LE(scanned.calls, 40U);
}

TEST(FrameScanner, a_megabyte_of_starts_in_pieces_is_linear) {
  std::string starts;
  while (starts.size() < (1U << 20U)) starts += "8=FIX";
  const Scanned scanned = scan(starts + with_soh("|") + kHeartbeat, 3);
  EXPECT_EQ(scanned.frames, std::vector<std::string>{kHeartbeat});
  EXPECT_LE(scanned.calls, starts.size());
}

TEST(FrameScanner, after_its_garbled_result_the_same_garbage_is_only_skipped) {
  FrameScanner scanner;
  const FrameResult first = scanner.next("garbage8=F");
  EXPECT_EQ(first.status, FrameResult::Status::Garbled);
  EXPECT_EQ(first.reason, GarbledReason::NoBeginString);
  EXPECT_EQ(first.size, 7U);
  EXPECT_EQ(scanner.next("8=F").status, FrameResult::Status::NeedMore);
  const FrameResult second = scanner.next("8=Fgarbage");
  EXPECT_EQ(second.status, FrameResult::Status::Skipped);
  EXPECT_EQ(second.size, 10U);
  EXPECT_EQ(scanner.next(kHeartbeat).status, FrameResult::Status::Complete);
  EXPECT_EQ(scanner.next("more").status, FrameResult::Status::Garbled);
}

TEST(FrameScanner, without_a_check_sum_the_wait_ends_at_the_limit) {
  const FrameLimits limits{.message_bytes_max = 200};
  const std::string endless = with_soh("8=FIX.4.4|9=5|35=0|") + std::string(300, 'x');
  FrameScanner scanner{limits};
  for (std::size_t size = 1; size < 200; ++size) {
    ASSERT_EQ(scanner.next(std::string_view{endless}.substr(0, size)).status,
              FrameResult::Status::NeedMore);
  }
  const FrameResult result = scanner.next(std::string_view{endless}.substr(0, 200));
  EXPECT_EQ(result.status, FrameResult::Status::Garbled);
  EXPECT_EQ(result.reason, GarbledReason::TooLong);
  EXPECT_EQ(result.size, 200U);
}

TEST(FrameScanner, a_start_that_the_limit_cuts_off_is_not_lost) {
  const FrameLimits limits{.message_bytes_max = 200};
  for (std::size_t cut = 1; cut < 5; ++cut) {
    const std::string endless =
        with_soh("8=FIX.4.4|9=5|35=0|") + std::string(200 - 19 - cut, 'x') + kHeartbeat;
    FrameScanner scanner{limits};
    ASSERT_EQ(scanner.next(std::string_view{endless}.substr(0, 199)).status,
              FrameResult::Status::NeedMore);
    const FrameResult result = scanner.next(endless);
    EXPECT_EQ(result.reason, GarbledReason::TooLong);
    EXPECT_EQ(result.size, 200U - cut);
    EXPECT_EQ(scanner.next(std::string_view{endless}.substr(200 - cut)).size, kHeartbeat.size());
  }
}

TEST(FrameScanner, check_sum_far_after_the_announced_end_is_not_awaited) {
  // The body begins after 14 bytes.
  constexpr std::size_t kWindow = 14 + 5 + FrameLimits::kBytesAfterBodyMax;
  const std::string head = with_soh("8=FIX.4.4|9=5|35=0|");
  const std::string trailer = with_soh("|10=000|");
  for (const std::size_t size : {kWindow - 1, kWindow}) {
    const std::string whole =
        head + std::string(size - head.size() - trailer.size(), 'x') + trailer;
    EXPECT_EQ(scan(whole, whole.size()).frames, std::vector<std::string>{whole});
  }
  const std::string longer =
      head + std::string(kWindow + 1 - head.size() - trailer.size(), 'x') + trailer;
  for (const std::size_t piece_bytes : {std::size_t{1'000}, longer.size()}) {
    EXPECT_EQ(scan(longer + kHeartbeat, piece_bytes).frames, std::vector<std::string>{kHeartbeat});
  }
  FrameScanner scanner;
  EXPECT_EQ(scanner.next(longer).reason, GarbledReason::TooLong);
}

// Cases that other engines' stream readers get wrong.

TEST(FrameScanner, a_thousand_bytes_of_garbage_and_a_long_message_do_not_stall_the_reader) {
  const std::string garbage(1'000, '\x7f');
  const std::string longer = message_of("35=B|58=" + std::string(70'000, 'x') + "|");
  const std::string stream = garbage + longer + garbage + kHeartbeat;
  for (const std::size_t piece_bytes : {std::size_t{1}, std::size_t{1'000}, stream.size()}) {
    EXPECT_EQ(scan(stream, piece_bytes).frames, (std::vector<std::string>{longer, kHeartbeat}));
  }
}

TEST(FrameScanner, garbage_directly_before_a_message_does_not_lose_it) {
  for (const std::string_view garbage : {"x", "8", "8=", "8=F", "8=FI", "8=FIX", "8=FIX.48"}) {
    const std::string stream = std::string{garbage} + kHeartbeat;
    for (std::size_t piece_bytes = 1; piece_bytes < 20; ++piece_bytes) {
      EXPECT_EQ(scan(stream, piece_bytes).frames, std::vector<std::string>{kHeartbeat}) << garbage;
    }
  }
}

TEST(FrameScanner, a_message_with_a_data_field_survives_every_cut) {
  const std::string message = message_of("35=B|34=2|95=19|96=a|10=000|8=FIX.4.4|b|58=x|");
  for (std::size_t piece_bytes = 1; piece_bytes <= message.size(); ++piece_bytes) {
    EXPECT_EQ(scan(message, piece_bytes).frames, std::vector<std::string>{message}) << piece_bytes;
  }
}

}  // namespace
}  // namespace nexusfix::wire
