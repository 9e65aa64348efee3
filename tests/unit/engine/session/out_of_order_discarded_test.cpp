// Messages received out of order: what happens if the counterparty skips them, if there is no room
// for them, and if the sequence numbers are reset.
#include <algorithm>

#include "unit/engine/support/acceptor_fixture.hpp"

namespace nexusfix::testing {
namespace {

class HeldDiscardedTest : public AcceptorTest {
 protected:
  // Orders from first to last, in one piece.
  void send_orders(RawPeer& peer, std::uint64_t first, std::uint64_t last) {
    std::string all;
    for (std::uint64_t number = first; number <= last; ++number) {
      all += order("TRADER", number, "A" + std::to_string(number));
    }
    peer.send(all);
  }
  [[nodiscard]] std::string gap_fill(std::uint64_t number, std::uint64_t new_seq_no) {
    return from("TRADER", "4", number,
                "43=Y|122=" + time_text() + "|123=Y|36=" + std::to_string(new_seq_no) + "|");
  }
  // Waits until all messages so far are processed: the engine has answered a TestRequest with this
  // MsgSeqNum.
  void settle(RawPeer& peer, std::uint64_t number) {
    peer.send(from("TRADER", "1", number, "112=SETTLED|"));
    ASSERT_TRUE(run_until([&] {
      return !peer.messages().empty() && contains(peer.messages().back(), "|112=SETTLED|");
    })) << log.all();
  }
  [[nodiscard]] static std::uint64_t number_after(const std::string& message,
                                                  std::string_view tag) {
    return std::stoull(message.substr(message.find(tag) + tag.size()));
  }
  [[nodiscard]] bool has_sent(RawPeer& peer, std::string_view part) {
    return run_until([&] {
      return std::ranges::any_of(peer.messages(),
                                 [&](const std::string& one) { return contains(one, part); });
    });
  }
};

TEST_F(HeldDiscardedTest, only_missing_messages_are_requested_and_a_gap_fill_loses_nothing) {
  // FIX 4.4 volume 2, "Ordered Message Processing". The counterparty gap-fills the whole requested
  // range.
  open();
  RawPeer& peer = log_on("TRADER");
  send_orders(peer, 3, 9);
  ASSERT_TRUE(has_sent(peer, "|7=2|16=2|")) << log.all();
  peer.send(gap_fill(2, 3));
  settle(peer, 10);
  EXPECT_EQ(venue.orders.size(), 7U);
  EXPECT_EQ(acceptor->statistics().loops[0].out_of_order_discarded, 0U);
  EXPECT_FALSE(log.has("discarded")) << log.all();
}

TEST_F(HeldDiscardedTest, gap_fill_beyond_the_request_loses_nothing_and_is_logged) {
  open();
  RawPeer& peer = log_on("TRADER");
  send_orders(peer, 3, 9);
  ASSERT_TRUE(has_sent(peer, "|7=2|16=2|")) << log.all();
  peer.send(gap_fill(2, 10));
  settle(peer, 10);
  EXPECT_EQ(venue.orders.size(), 7U);
  EXPECT_EQ(acceptor->statistics().loops[0].out_of_order_discarded, 0U);
  EXPECT_TRUE(
      log.has("gap fill beyond the requested range: messages received out of order are processed"
              ": up to MsgSeqNum 9 instead of 2"))
      << log.all();
}

TEST_F(HeldDiscardedTest, messages_skipped_by_a_gap_fill_are_counted_in_a_warning) {
  // ClosedResendInterval=N also requests the held messages, so the gap fill covers them.
  extra = "ClosedResendInterval=N";
  open();
  RawPeer& peer = log_on("TRADER");
  send_orders(peer, 3, 5);
  peer.send(from("TRADER", "0", 6));
  send_orders(peer, 7, 9);
  ASSERT_TRUE(has_sent(peer, "|7=2|16=0|")) << log.all();
  peer.send(gap_fill(2, 10));
  settle(peer, 10);
  EXPECT_TRUE(venue.orders.empty());
  EXPECT_EQ(acceptor->statistics().loops[0].out_of_order_discarded, 6U);
  EXPECT_TRUE(
      log.has(observe::Severity::Warning,
              "6 held messages are discarded and never delivered: MsgSeqNum 3 to 5, 7 to 9: "
              "the counterparty's SequenceReset passes over them (6 of this session since "
              "the start)"))
      << log.all();
  EXPECT_TRUE(log.has("held administrative messages are dropped: MsgSeqNum 6")) << log.all();
  // Later discarded messages are added to the count.
  send_orders(peer, 12, 12);
  ASSERT_TRUE(has_sent(peer, "|7=11|16=0|")) << log.all();
  peer.send(gap_fill(11, 13));
  settle(peer, 13);
  EXPECT_EQ(acceptor->statistics().loops[0].out_of_order_discarded, 7U);
  EXPECT_TRUE(log.has(observe::Severity::Warning,
                      "1 held message is discarded and never delivered: MsgSeqNum 12"))
      << log.all();
  EXPECT_TRUE(log.has("(7 of this session since the start)")) << log.all();
}

TEST_F(HeldDiscardedTest, resent_messages_are_not_counted_as_discarded) {
  extra = "ClosedResendInterval=N";
  open();
  RawPeer& peer = log_on("TRADER");
  send_orders(peer, 3, 5);
  const std::string again = "43=Y|122=" + time_text() + "|55=AAPL|54=1|38=100|40=2|44=10.5|";
  for (std::uint64_t number = 2; number <= 5; ++number) {
    peer.send(from("TRADER", "D", number, "11=B" + std::to_string(number) + "|" + again));
  }
  settle(peer, 6);
  EXPECT_EQ(venue.orders.size(), 4U);
  EXPECT_EQ(acceptor->statistics().loops[0].out_of_order_discarded, 0U);
}

TEST_F(HeldDiscardedTest, warning_names_a_limited_number_of_ranges) {
  extra = "ClosedResendInterval=N";
  open();
  RawPeer& peer = log_on("TRADER");
  for (std::uint64_t number = 3; number <= 41; number += 2) send_orders(peer, number, number);
  ASSERT_TRUE(has_sent(peer, "|7=2|16=0|")) << log.all();
  peer.send(gap_fill(2, 42));
  settle(peer, 42);
  EXPECT_TRUE(log.has(observe::Severity::Warning,
                      "20 held messages are discarded and never delivered: MsgSeqNum 3, 5, 7, 9, "
                      "11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31, 33 and 4 ranges more: "))
      << log.all();
}

TEST_F(HeldDiscardedTest, sequence_reset_in_reset_mode_discards_held_messages) {
  open();
  RawPeer& peer = log_on("TRADER");
  send_orders(peer, 4, 6);
  ASSERT_TRUE(has_sent(peer, "|7=2|16=3|")) << log.all();
  peer.send(from("TRADER", "4", 7, "123=N|36=6|"));
  settle(peer, 7);
  EXPECT_EQ(venue.orders, (std::vector<std::string>{"A6"}));
  EXPECT_TRUE(log.has(observe::Severity::Warning,
                      "2 held messages are discarded and never delivered: MsgSeqNum 4 to 5: the "
                      "counterparty's SequenceReset passes over them"))
      << log.all();
}

TEST_F(HeldDiscardedTest, reset_of_the_sequence_numbers_names_discarded_messages) {
  // 141=Y within the session, during a gap: the early messages have old sequence numbers.
  open();
  RawPeer& peer = log_on("TRADER");
  send_orders(peer, 4, 5);
  ASSERT_TRUE(has_sent(peer, "|7=2|16=3|")) << log.all();
  peer.send(logon("TRADER", 1, "141=Y|"));
  settle(peer, 2);
  EXPECT_TRUE(venue.orders.empty());
  EXPECT_EQ(acceptor->statistics().loops[0].out_of_order_discarded, 2U);
  EXPECT_TRUE(log.has(observe::Severity::Warning,
                      "2 held messages are discarded and never delivered: MsgSeqNum 4 to 5: the "
                      "sequence numbers are reset"))
      << log.all();
}

TEST_F(HeldDiscardedTest, lost_connection_names_discarded_messages_only_if_it_resets) {
  for (const bool resets : {false, true}) {
    extra = resets ? "ResetOnDisconnect=Y" : "";
    sessions = "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=" + std::string{resets ? "R" : "V"} +
               "\nTargetCompID=TRADER\n";
    acceptor.reset();
    peers.clear();
    log = {};
    open();
    const auto as_target = [&](std::string message) {
      return fix("FIX.4.4", "35=" + message.substr(0, 1) + "|49=TRADER|56=" + (resets ? "R" : "V") +
                                "|52=" + time_text() + "|" + message.substr(2));
    };
    RawPeer& peer = connect();
    peer.send(as_target("A|34=1|98=0|108=30|"));
    ASSERT_TRUE(run_until([&] { return peer.messages().size() == 1; })) << log.all();
    peer.send(as_target("D|34=3|11=early|55=AAPL|54=1|38=100|40=2|44=10.5|"));
    ASSERT_TRUE(has_sent(peer, "|7=2|16=2|")) << log.all();
    peers.clear();
    ASSERT_TRUE(run_until([&] { return venue.logouts == (resets ? 2 : 1); })) << log.all();
    EXPECT_EQ(log.has(observe::Severity::Warning, "1 held message is discarded"), resets)
        << log.all();
    EXPECT_EQ(acceptor->statistics().loops[0].out_of_order_discarded, resets ? 1U : 0U);
  }
}

TEST_F(HeldDiscardedTest, messages_dropped_for_want_of_room_are_requested_again_at_once) {
  // Only the gap fill follows, so no later message shows that one is missing.
  adjust = [](config::Settings& settings) {
    settings.sessions.front().limits.out_of_order_bytes_max = 700;
  };
  open();
  RawPeer& peer = log_on("TRADER");
  send_orders(peer, 3, 9);
  ASSERT_TRUE(has_sent(peer, "|7=2|16=2|")) << log.all();
  EXPECT_TRUE(log.has("is dropped and will be requested again")) << log.all();
  peer.send(gap_fill(2, 3));
  ASSERT_TRUE(run_until([&] { return !venue.orders.empty(); })) << log.all();
  const std::uint64_t next = venue.orders.size() + 3;
  ASSERT_LT(next, 10U);
  ASSERT_TRUE(has_sent(peer, "|7=" + std::to_string(next) + "|16=9|")) << log.all();
}

TEST_F(HeldDiscardedTest, all_missing_messages_are_requested_without_another_message) {
  // Each set bit marks an order of 2 to 9 that is lost; the last one never is. The counterparty
  // answers each ResendRequest exactly, and sends nothing else.
  constexpr unsigned kPatterns = 1U << 7U;
  for (const unsigned chunk : {0U, 1U}) {
    for (unsigned lost = 1; lost < kPatterns; lost += chunk == 0 ? 2 : 10) {
      SCOPED_TRACE(std::to_string(lost) + ", chunk " + std::to_string(chunk));
      extra = "Store=memory\nResendRequestChunkSize=" + std::to_string(chunk);
      venue.orders.clear();
      open();
      RawPeer& peer = log_on("TRADER");
      std::vector<std::string> all;
      for (std::uint64_t number = 2; number <= 9; ++number) {
        all.push_back("A" + std::to_string(number));
        if ((lost >> (number - 2) & 1U) == 0) peer.send(order("TRADER", number, all.back()));
      }
      std::size_t seen = 0;
      const auto answer = [&] {
        for (; seen < peer.messages().size(); ++seen) {
          const std::string request = bar(peer.messages()[seen]);
          if (!contains(peer.messages()[seen], "|35=2|")) continue;
          const std::uint64_t end = number_after(request, "|16=");
          for (std::uint64_t number = number_after(request, "|7="); number <= end; ++number) {
            peer.send(from("TRADER", "D", number,
                           "43=Y|122=" + time_text() + "|11=A" + std::to_string(number) +
                               "|55=AAPL|54=1|38=100|40=2|44=10.5|"));
          }
        }
        return venue.orders.size() == all.size();
      };
      ASSERT_TRUE(run_until(answer)) << log.all();
      EXPECT_EQ(venue.orders, all);
      peers.clear();
      acceptor.reset();
    }
  }
}

}  // namespace
}  // namespace nexusfix::testing
