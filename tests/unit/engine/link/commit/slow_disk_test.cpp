// Catalogue D16: a disk that stalls for a while without an error.
#include <algorithm>

#include "support/disks/gated_disk.hpp"
#include "support/network/fake_network.hpp"
#include "unit/engine/support/acceptor_fixture.hpp"

namespace nexusfix::testing {
namespace {

class SlowDiskTest : public AcceptorTest {
 protected:
  void TearDown() override {
    gate.release_changes();
    AcceptorTest::TearDown();
  }
  void open_on_gate(transport::Network* network = nullptr) {
    EngineUnderTest opening = under_test();
    opening.options.disk = &gate;
    opening.options.network = network;
    opening.open(acceptor, venue);
  }
  static bool has_got(const RawPeer& peer, std::string_view part) {
    return std::ranges::any_of(peer.messages(),
                               [&](const std::string& one) { return contains(one, part); });
  }
  // Stalls the disk while it syncs the appended records.
  void stand_still(RawPeer& peer, std::string_view order_bytes) {
    const std::size_t before = peer.messages().size();
    gate.hold_changes();
    peer.send(order_bytes);
    ASSERT_TRUE(run_until([&] { return peer.messages().size() > before; })) << log.all();
    gate.wait_for_held_sync();
  }
  // Time passes for the next Heartbeat of each side. Then both counterparties send a Heartbeat, a
  // TestRequest and an order, and get the answers.
  void live_on(RawPeer& peer, RawPeer& other, std::uint64_t number) {
    for (int part = 0; part < 4; ++part) {
      clock.advance(std::chrono::seconds{8});
      turn(2);
    }
    const std::string id = std::to_string(number);
    for (RawPeer* one : {&peer, &other}) {
      ASSERT_TRUE(run_until([&] { return contains(one->messages().back(), "|35=0|"); }))
          << "no heartbeat\n"
          << log.all();
      const std::string_view who = one == &peer ? "TRADER" : "OTHER";
      one->send(from(who, "0", number));
      one->send(from(who, "1", number + 1, "112=T" + id + "|"));
      one->send(order(who, number + 2, "A" + id));
      ASSERT_TRUE(run_until([&] { return contains(one->messages().back(), "|11=A" + id + "|"); }))
          << log.all();
      EXPECT_TRUE(contains((*one).messages().rbegin()[1], "|112=T" + id + "|"));
    }
  }
  // They outlive the engine, which uses them.
  GatedDisk gate;
  transport::FakeInternet internet;
  transport::FakeNetwork network{internet, "10.0.0.1"};
};

TEST_F(SlowDiskTest, in_process_mode_sessions_continue_while_the_disk_stalls) {
  extra = "JournalDurability=process\nJournalStallTimeout=2";
  open_on_gate();
  RawPeer& other = log_on("OTHER");
  RawPeer& peer = log_on("TRADER");
  other.send(order("OTHER", 2, "B"));
  ASSERT_TRUE(run_until([&] { return other.messages().size() == 2; })) << log.all();
  stand_still(peer, order("TRADER", 2, "A"));
  for (const std::uint64_t number : {3U, 6U, 9U, 12U}) {
    live_on(peer, other, number);
    ASSERT_FALSE(HasFatalFailure());
  }
  EXPECT_FALSE(peer.closed());
  EXPECT_FALSE(other.closed());
  EXPECT_EQ(gate.changes_by_holder(), 0U) << "the event loop asks nothing of the disk";
  EXPECT_TRUE(log.has("the disk has taken nothing of the log for")) << log.all();
  EXPECT_FALSE(log.has("takes the log again"));
  gate.release_changes();
  ASSERT_TRUE(run_until([&] {
    clock.advance(std::chrono::milliseconds{10});
    return log.has("the disk takes the log again, after");
  })) << log.all();
  // After a restart the store has all messages.
  const std::uint64_t next = acceptor->session(0).numbers().next_outbound;
  acceptor.reset();
  peers.clear();
  open_on_gate();
  EXPECT_EQ(venue.recovered.size(), 10U);
  EXPECT_EQ(acceptor->session(0).numbers().next_outbound, next);
  RawPeer& again = log_on("TRADER", 15);
  again.send(from("TRADER", "2", 16, "7=1|16=0|"));
  EXPECT_TRUE(run_until([&] { return has_got(again, "|11=A12|"); })) << log.all();
  for (const char* id : {"|11=A|", "|11=A3|", "|11=A6|", "|11=A9|"}) {
    EXPECT_TRUE(has_got(again, id)) << id;
  }
}

TEST_F(SlowDiskTest, network_expects_a_wake_while_the_disk_syncs) {
  extra = "JournalDurability=sync";
  open_on_gate(&network);
  ASSERT_TRUE(
      run_until([&] { return acceptor->store().durable() == acceptor->store().appended(); }));
  turn(1);
  const unsigned before = network.expected_wakes();
  turn(3);
  EXPECT_EQ(before, network.expected_wakes());
  gate.hold_syncs();
  EchoVenue::answer(acceptor->session(0), "STORED");
  turn(1);
  EXPECT_EQ(before + 1, network.expected_wakes());
  gate.release_syncs();
}

TEST_F(SlowDiskTest, disk_that_syncs_in_time_is_not_reported) {
  extra = "JournalDurability=process\nJournalStallTimeout=2";
  open_on_gate();
  RawPeer& peer = log_on("TRADER");
  const std::string first = folder.path() + "/store/0000000001.journal";
  // When the second sync begins, the first one has ended.
  for (std::uint64_t number = 2; number < 4; ++number) {
    const unsigned syncs = gate.syncs(first);
    peer.send(order("TRADER", number, "A"));
    ASSERT_TRUE(run_until([&] { return gate.syncs(first) > syncs; })) << log.all();
  }
  for (int look = 0; look < 4; ++look) {
    turn(2);
    clock.advance(std::chrono::milliseconds{800});
  }
  turn(2);
  EXPECT_FALSE(log.has("the disk has taken nothing")) << log.all();
}

TEST_F(SlowDiskTest, in_process_mode_session_without_reserved_numbers_waits_and_is_disconnected) {
  extra = "JournalDurability=process\nJournalStallTimeout=2";
  adjust = [](config::Settings& settings) { settings.numbers_ahead = 8; };
  open_on_gate();
  RawPeer& other = log_on("OTHER");
  RawPeer& peer = log_on("TRADER");
  stand_still(peer, order("TRADER", 2, "A2"));
  constexpr std::uint64_t kLast = 20;
  for (std::uint64_t number = 3; number <= kLast; ++number) {
    peer.send(order("TRADER", number, "A" + std::to_string(number)));
  }
  ASSERT_TRUE(run_until([&] { return venue.orders.size() == kLast - 1; })) << log.all();
  turn(10);
  const std::size_t left = peer.messages().size();
  EXPECT_LT(left, 10U) << "a number that a loss of power could give out again";
  EXPECT_FALSE(peer.closed());
  clock.advance(std::chrono::seconds{3});
  ASSERT_TRUE(run_until([&] { return peer.closed(); })) << log.all();
  EXPECT_TRUE(log.has("the store does not answer")) << log.all();
  EXPECT_FALSE(other.closed());
  gate.release_changes();
  RawPeer& again = log_on("TRADER", kLast + 1);
  again.send(from("TRADER", "2", kLast + 2, "7=" + std::to_string(left + 1) + "|16=0|"));
  const std::string last = "|11=A" + std::to_string(kLast) + "|";
  EXPECT_TRUE(run_until([&] { return has_got(again, last); })) << log.all();
}

}  // namespace
}  // namespace nexusfix::testing
