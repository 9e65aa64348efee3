// Sequence numbers that an operator sets while the engine runs.
#include "unit/engine/support/acceptor_fixture.hpp"

namespace nexusfix::testing {
namespace {

class SetNumbersTest : public AcceptorTest {
 protected:
  [[nodiscard]] Session& trader() { return acceptor->session(0); }
  void log_out_again(RawPeer& peer, std::uint64_t msg_seq_num) {
    peer.send(from("TRADER", "5", msg_seq_num));
    ASSERT_TRUE(run_until([&] { return peer.closed(); })) << log.all();
    turn(3);
  }
};

TEST_F(SetNumbersTest, higher_numbers_are_used_and_survive_a_restart) {
  open();
  ASSERT_TRUE(
      trader().set_next_numbers({.next_inbound = 7, .next_outbound = 40}, "by A. Operator"));
  EXPECT_TRUE(log.has("by A. Operator")) << log.all();
  reopen();
  EXPECT_EQ(trader().numbers().next_inbound, 7U);
  RawPeer& peer = log_on("TRADER", 7);
  EXPECT_TRUE(contains(peer.messages()[0], "|34=40|")) << bar(peer.messages()[0]);
}

TEST_F(SetNumbersTest, lower_outbound_number_begins_a_new_epoch) {
  open();
  RawPeer& peer = log_on("TRADER");
  peer.send(order("TRADER", 2, "OLD"));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 2; }));
  log_out_again(peer, 3);
  ASSERT_TRUE(trader().set_next_numbers({.next_inbound = 1, .next_outbound = 2}, "agreed"));
  RawPeer& again = log_on("TRADER", 1);
  EXPECT_TRUE(contains(again.messages()[0], "|34=2|")) << bar(again.messages()[0]);
  again.send(from("TRADER", "2", 2, "7=1|16=0|"));
  ASSERT_TRUE(run_until([&] { return again.messages().size() == 2; })) << log.all();
  EXPECT_TRUE(contains(again.messages()[1], "|36=3|123=Y|")) << "the old report is not resent";
}

TEST_F(SetNumbersTest, set_numbers_are_the_recorded_progress) {
  // Otherwise the next connection would record them again, or a later one would omit a record
  // because its number equals the earlier one.
  extra = "Store=memory";  // its log has only the records of sessions
  open();
  const auto bytes_of_logon = [&](std::string_view who, std::uint64_t msg_seq_num) {
    const store::LogPosition before = acceptor->store().appended();
    log_on(who, msg_seq_num);
    return acceptor->store().appended() - before;
  };
  ASSERT_TRUE(trader().set_next_numbers({.next_inbound = 7, .next_outbound = 1}, "agreed"));
  const std::uint64_t after_set = bytes_of_logon("TRADER", 7);
  EXPECT_EQ(after_set, bytes_of_logon("OTHER", 1));
}

TEST_F(SetNumbersTest, gap_fill_of_skipped_numbers_is_not_limited_by_the_resend_rate) {
  extra = "MaxResendsPerSecond=2";
  open();
  RawPeer& peer = log_on("TRADER");
  peer.send(order("TRADER", 2, "OLD"));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 2; }));
  log_out_again(peer, 3);
  constexpr std::uint64_t kHole = 65'536;  // MsgSeqNums that a loss of power skips
  ASSERT_TRUE(trader().set_next_numbers({.next_inbound = 4, .next_outbound = kHole}, "agreed"));
  RawPeer& again = log_on("TRADER", 4);
  again.send(from("TRADER", "2", 5, "7=2|16=0|"));
  turn(400);
  ASSERT_EQ(again.messages().size(), 3U) << log.all();
  EXPECT_TRUE(contains(again.messages()[1], "|11=OLD|")) << bar(again.messages()[1]);
  EXPECT_TRUE(contains(again.messages()[2], "|36=65537|123=Y|")) << bar(again.messages()[2]);
}

TEST_F(SetNumbersTest, set_numbers_leaves_room_below_the_limit_of_the_store) {
  open();
  constexpr std::uint64_t kMax = 1'000'000'000'000'000'000;
  for (const session::Numbers& wrong : {session::Numbers{kMax + 1, 1}, {1, kMax + 1}}) {
    const auto done = trader().set_next_numbers(wrong, "x");
    ASSERT_FALSE(done.has_value());
    EXPECT_EQ(done.error(), "a next number is 1 to 1000000000000000000");
  }
  ASSERT_TRUE(trader().set_next_numbers({.next_inbound = kMax, .next_outbound = kMax}, "x"));
  RawPeer& peer = log_on("TRADER", kMax);
  peer.send(order("TRADER", kMax + 1, "A"));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 2; })) << log.all();
  EXPECT_TRUE(contains(peer.messages()[1], "|34=1000000000000000001|"));
  reopen();
  EXPECT_EQ(trader().numbers().next_inbound, kMax + 2);
}

TEST_F(SetNumbersTest, counterparty_at_the_largest_number_ends_its_own_session_only) {
  open();
  constexpr std::uint64_t kLast = (std::uint64_t{1} << 62U) - 1;
  {
    store::Store& store = acceptor->store();
    store::Transaction transaction;
    transaction.inbound_progress(store.find_session(trader().name()).value(), kLast - 1);
    ASSERT_TRUE(store.append(transaction, WallTime{}));
  }
  reopen();
  RawPeer& other = log_on("OTHER");
  RawPeer& peer = log_on("TRADER", kLast - 1);
  peer.send(from("TRADER", "1", kLast, "112=LAST|"));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 2; })) << log.all();
  EXPECT_TRUE(contains(peer.messages()[1], "|112=LAST|")) << bar(peer.messages()[1]);
  peer.send(from("TRADER", "1", kLast + 1, "112=OVER|"));
  ASSERT_TRUE(run_until([&] { return peer.closed(); })) << log.all();
  EXPECT_TRUE(contains(peer.messages().back(), "|58=MsgSeqNum missing or malformed|"));
  EXPECT_TRUE(log.has("message rejected: MsgSeqNum missing or malformed")) << log.all();
  other.send(order("OTHER", 2, "A"));
  ASSERT_TRUE(run_until([&] { return other.messages().size() == 2; })) << log.all();
  reopen();
  EXPECT_EQ(trader().numbers().next_inbound, kLast + 1);
}

TEST_F(SetNumbersTest, set_numbers_is_refused_for_a_connected_session_or_invalid_numbers) {
  open();
  EXPECT_FALSE(trader().set_next_numbers({.next_inbound = 0, .next_outbound = 1}, "x"));
  EXPECT_FALSE(trader().set_next_numbers({.next_inbound = 1, .next_outbound = ~0ULL}, "x"));
  RawPeer& peer = log_on("TRADER");
  const auto connected = trader().set_next_numbers({.next_inbound = 9, .next_outbound = 9}, "x");
  ASSERT_FALSE(connected.has_value());
  EXPECT_NE(connected.error().find("log it out"), std::string::npos);
  std::string within;
  venue.before_answer = [&](Session&, const MessageView&) {
    const auto refused =
        acceptor->session(1).set_next_numbers({.next_inbound = 9, .next_outbound = 9}, "x");
    within = refused ? "allowed" : refused.error();
  };
  peer.send(order("TRADER", 2, "A"));
  ASSERT_TRUE(run_until([&] { return !within.empty(); }));
  EXPECT_EQ(within, "not from within a callback");
  EXPECT_EQ(acceptor->session(1).numbers().next_inbound, 1U);
}

}  // namespace
}  // namespace nexusfix::testing
