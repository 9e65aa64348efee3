// Options for gaps: requests of a bounded size, and early messages that are not buffered. "Session
// Layer" is the FIX Session Layer specification.
#include <cstddef>
#include <deque>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "support/sanitized.hpp"
#include "unit/session/side.hpp"

namespace nexusfix::session::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::string numbered(std::string_view type, int number, std::string_view rest = {}) {
  return "35=" + std::string{type} + "|34=" + std::to_string(number) + std::string{rest};
}

constexpr std::string_view kResent = "|43=Y|122=20240115-10:29:00";

TEST(ResendRequestChunk, requests_one_chunk_and_the_next_when_it_has_arrived) {
  // Session Layer, "ResendRequest": a range may be requested in parts.
  SessionConfig config = acceptor_config();
  config.gap.resend_request_chunk = 2;
  Side acceptor{config};
  acceptor.establish();
  acceptor.in(numbered("0", 7));
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=2|34=2|7=2|16=3"));
  acceptor.in(numbered("D", 2, kResent));
  EXPECT_THAT(acceptor.sent(), IsEmpty());
  acceptor.in(numbered("D", 3, kResent));
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=2|34=3|7=4|16=5"));
  acceptor.in("35=4|34=4|43=Y|36=6|123=Y");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=2|34=4|7=6|16=6"));
  acceptor.in(numbered("D", 6, kResent));
  EXPECT_THAT(acceptor.sent(), IsEmpty());
  EXPECT_EQ(acceptor.next_in(), 8U);  // with the buffered one
  EXPECT_TRUE(acceptor.has_notice(NoticeCode::GapClosed));
}

TEST(ResendRequestChunk, larger_than_the_gap_requests_the_gap) {
  // QuickFIX/J's ResendRequestChunkSize.
  SessionConfig config = acceptor_config();
  config.gap.resend_request_chunk = 100;
  Side acceptor{config};
  acceptor.establish();
  acceptor.in(numbered("0", 4));
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=2|34=2|7=2|16=3"));
}

TEST(ResendRequestChunk, that_is_not_answered_is_requested_again_and_then_ends_the_session) {
  // QuickFIX/J's ResendRequestChunkSize; the limit is a rule of this engine.
  SessionConfig config = acceptor_config();
  config.gap.resend_request_chunk = 2;
  config.heartbeat.heart_bt_int = 0s;
  Side acceptor{config};
  acceptor.connect();
  acceptor.in("35=A|34=1|98=0|108=0");
  acceptor.in(numbered("0", 7));
  static_cast<void>(acceptor.sent());
  acceptor.advance(config.gap.resend_timeout);
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=2|34=3|7=2|16=3"));
  acceptor.in(numbered("D", 2, kResent));
  acceptor.advance(3 * config.gap.resend_timeout);
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=2|34=4|7=3|16=4", "35=2|34=5|7=3|16=4",
                                           "35=5|34=6|58=ResendRequest not answered"));
}

TEST(ResendRequestChunk, gap_fill_beyond_the_chunk_is_accepted_and_no_part_requested_twice) {
  // QuickFIX/J's ResendRequestChunkSize; TC 10b.
  SessionConfig config = acceptor_config();
  config.gap.resend_request_chunk = 2;
  Side acceptor{config};
  acceptor.establish();
  acceptor.in(numbered("0", 9));
  static_cast<void>(acceptor.sent());
  acceptor.in("35=4|34=2|43=Y|36=8|123=Y");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=2|34=3|7=8|16=8"));
}

TEST(ClosedResendRequest, ends_at_the_end_of_the_gap) {
  // Session Layer, "ResendRequest": EndSeqNo is the last missing number.
  SessionConfig config = acceptor_config();
  config.gap.closed_resend_requests = true;
  Side acceptor{config};
  acceptor.establish();
  acceptor.in(numbered("0", 7));
  acceptor.in(numbered("0", 8));
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=2|34=2|7=2|16=6"));
}

TEST(Gap, within_a_resend_is_detected_and_requested_after_the_timeout) {
  // Session Layer, "Message gap": the next message shows that a resent one is missing. One
  // ResendRequest is open, and no second one is sent before its timeout.
  Side acceptor{acceptor_config()};
  acceptor.establish();
  acceptor.in(numbered("D", 6));
  static_cast<void>(acceptor.sent());
  acceptor.in(numbered("D", 2, kResent));
  acceptor.in(numbered("D", 4, kResent));
  acceptor.in(numbered("D", 5, kResent));
  EXPECT_THAT(acceptor.sent(), IsEmpty());
  EXPECT_EQ(acceptor.next_in(), 3U);
  acceptor.in(numbered("D", 3, kResent));
  EXPECT_EQ(acceptor.next_in(), 7U);
  EXPECT_EQ(acceptor.delivered.size(), 5U);
}

// Ways to close a gap; each side has its own.
struct GapWays {
  std::uint64_t chunk = 0;
  bool is_closed = false;
  bool is_redundant = false;
};

std::vector<GapWays> all_gap_ways() {
  std::vector<GapWays> all;
  for (const std::uint64_t chunk : {0U, 1U, 2U, 7U}) {
    for (const bool is_closed : {false, true}) {
      for (const bool is_redundant : {false, true}) all.push_back({chunk, is_closed, is_redundant});
    }
  }
  return all;
}

SessionConfig with(SessionConfig config, const GapWays& ways) {
  config.gap.resend_request_chunk = ways.chunk;
  config.gap.closed_resend_requests = ways.is_closed;
  config.gap.send_redundant_resend_requests = ways.is_redundant;
  return config;
}

std::string readable_ways(const GapWays& ways) {
  return "chunk " + std::to_string(ways.chunk) + (ways.is_closed ? " closed" : "") +
         (ways.is_redundant ? " redundant" : "");
}

// The number of messages until both sides are silent; above the bound: they do not end.
std::size_t messages_until_silence(Pair& pair, std::size_t bound) {
  std::size_t messages = 0;
  while (messages <= bound) {
    const std::deque<std::string> up = pair.initiator.consume_wire();
    const std::deque<std::string> down = pair.acceptor.consume_wire();
    if (up.empty() && down.empty()) break;
    messages += up.size() + down.size();
    for (const std::string& bytes : up) pair.acceptor.receive(bytes);
    for (const std::string& bytes : down) pair.initiator.receive(bytes);
  }
  return messages;
}

void expect_both_gaps_close(const GapWays& of_initiator, const GapWays& of_acceptor, int lost,
                            int after) {
  SCOPED_TRACE(readable_ways(of_initiator) + " / " + readable_ways(of_acceptor) + ", lost " +
               std::to_string(lost) + ", after " + std::to_string(after));
  Pair pair{with(initiator_config(), of_initiator), with(acceptor_config(), of_acceptor)};
  pair.connect();
  for (int i = 0; i < lost + after; ++i) {
    pair.initiator.send("D", "up");
    pair.acceptor.send("8", "down");
    if (i >= lost) continue;
    static_cast<void>(pair.initiator.consume_wire());
    static_cast<void>(pair.acceptor.consume_wire());
  }
  constexpr std::size_t kMessagesMax = 150;  // the most ever seen is 120
  ASSERT_LE(messages_until_silence(pair, kMessagesMax), kMessagesMax);
  const auto sent = static_cast<std::size_t>(lost + after);
  EXPECT_EQ(pair.acceptor.delivered.size(), sent);
  EXPECT_EQ(pair.initiator.delivered.size(), sent);
  EXPECT_EQ(pair.acceptor.next_in(), pair.initiator.next_out());
  EXPECT_EQ(pair.initiator.next_in(), pair.acceptor.next_out());
}

TEST(Gap, of_both_sides_at_once_closes_with_any_options) {
  // Session Layer, "Message gap". An early ResendRequest is served at once and not requested:
  // otherwise each request would enlarge the gap of the next.
  std::size_t number = 0;
  for (const GapWays& of_initiator : all_gap_ways()) {
    for (const GapWays& of_acceptor : all_gap_ways()) {
      if (number++ % case_step(5) != 0) continue;
      for (const int lost : {1, 3, 8}) {
        for (const int after : {1, 4}) {
          expect_both_gaps_close(of_initiator, of_acceptor, lost, after);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST(LastMsgSeqNumProcessed, is_in_the_header_of_every_message) {
  // FIX 4.2, Standard Header: 369, the last number received and processed.
  SessionConfig config = acceptor_config("FIX.4.2");
  config.header.send_last_msg_seq_num_processed = true;
  Side acceptor{config};
  acceptor.connect();
  acceptor.in("35=A|34=1|98=0|108=30");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=A|34=1|369=1|98=0|108=30"));
  acceptor.in("35=1|34=2|112=X");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=0|34=2|369=2|112=X"));
  acceptor.send("8", "report");
  EXPECT_THAT(acceptor.sent(), ElementsAre("35=8|34=3|369=2|58=report"));
  acceptor.in("35=2|34=3|7=1|16=2");
  EXPECT_THAT(acceptor.sent(),
              ElementsAre("35=4|34=1|43=Y|122=20240115-10:30:00.000|369=3|36=3|123=Y"));
}

TEST(LastMsgSeqNumProcessed, is_omitted_if_the_version_does_not_define_it) {
  // FIX 4.2, Standard Header: 369 was introduced there.
  for (const char* version : {"FIX.4.0", "FIX.4.1"}) {
    SessionConfig config = acceptor_config(version);
    config.header.send_last_msg_seq_num_processed = true;
    Side acceptor{config};
    acceptor.connect();
    acceptor.in("35=A|34=1|98=0|108=30");
    EXPECT_THAT(acceptor.sent(), ElementsAre("35=A|34=1|98=0|108=30"));
  }
}

}  // namespace
}  // namespace nexusfix::session::test
