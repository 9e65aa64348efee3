// If the disk fails, no message leaves that is not stored, and nothing is confirmed to a
// counterparty.
#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <functional>
#include <sys/stat.h>

#include "support/disks/fake_disk.hpp"
#include "support/disks/gated_disk.hpp"
#include "unit/engine/support/acceptor_fixture.hpp"

namespace nexusfix::testing {
namespace {

// A clock that moves at each reading, so that a loop that waits comes to the end of its time.
class RunningClock final : public Clock {
 public:
  explicit RunningClock(ManualClock& clock) : clock_{clock} {}
  void run() { runs_ = true; }
  [[nodiscard]] Now now() noexcept override {
    if (runs_) clock_.advance(std::chrono::milliseconds{10});
    return clock_.now();
  }

 private:
  ManualClock& clock_;
  bool runs_ = false;
};

class StoreFailureTest : public AcceptorTest {
 protected:
  void open_on(Disk& disk) {
    EngineUnderTest opening = under_test();
    opening.settings.segment_bytes = segment_bytes;
    opening.options.disk = &disk;
    opening.options.clock = &running_clock;
    opening.open(acceptor, venue);
  }

  FakeDisk disk;
  RunningClock running_clock{clock};
  std::uint64_t segment_bytes = 64U << 20U;
};

TEST_F(StoreFailureTest, full_disk_disconnects_all_sessions_before_an_answer_leaves) {
  open_on(disk);
  RawPeer& other = log_on("OTHER");
  RawPeer& peer = log_on("TRADER");
  disk.fail(DiskCall::Write, 1, ENOSPC);
  peer.send(order("TRADER", 2, "A1"));
  EXPECT_TRUE(run_until([&] { return peer.closed() && other.closed(); }));
  EXPECT_EQ(peer.messages().size(), 1U) << "only the Logon";
  EXPECT_EQ(other.messages().size(), 1U);
  EXPECT_TRUE(log.has("the store failed")) << log.all();
  EXPECT_TRUE(log.has("No space left")) << log.all();
  EXPECT_EQ(venue.logouts, 2) << "the application hears of each";
  EXPECT_FALSE(acceptor->poll(std::chrono::nanoseconds{0}));
  EXPECT_EQ(acceptor->run(), 1);
}

TEST_F(StoreFailureTest, port_is_closed_when_the_store_has_failed) {
  // Otherwise a counterparty would connect and wait for an answer until the process ends.
  open_on(disk);
  RawPeer& peer = log_on("TRADER");
  disk.fail(DiskCall::Write, 1, EIO);
  peer.send(order("TRADER", 2, "A1"));
  const std::uint16_t port = acceptor->accept_port();
  ASSERT_TRUE(run_until([&] { return peer.closed(); }));
  RawPeer& late = *peers.emplace_back(std::make_unique<RawPeer>(port));
  EXPECT_TRUE(run_until([&] { return late.closed(); }));
}

TEST_F(StoreFailureTest, send_after_the_store_failed_is_refused_with_the_reason) {
  open_on(disk);
  RawPeer& peer = log_on("TRADER");
  disk.fail(DiskCall::Write, 1, EIO);
  peer.send(order("TRADER", 2, "A1"));
  ASSERT_TRUE(run_until([&] { return peer.closed(); }));
  Session& session = acceptor->session(0);
  wire::Encoder report = session.begin("8");
  report.field(11, "A2");
  const auto sent = session.finish(report);
  ASSERT_FALSE(sent.has_value());
  EXPECT_EQ(sent.error().failure, engine::SendFailure::StoreStopped);
}

TEST_F(StoreFailureTest, order_that_was_not_stored_is_requested_again_after_a_restart) {
  open_on(disk);
  RawPeer& peer = log_on("TRADER");
  disk.fail(DiskCall::Write, 1, EIO);
  peer.send(order("TRADER", 2, "A1"));
  ASSERT_TRUE(run_until([&] { return peer.closed(); }));
  EXPECT_EQ(venue.orders.size(), 1U);
  acceptor.reset();
  peers.clear();
  venue = {};
  disk.process_death();
  open_on(disk);
  EXPECT_TRUE(venue.recovered.empty());
  // The MsgSeqNum of the order is not used: the engine requests it again.
  RawPeer& again = connect();
  again.send(logon("TRADER", 3));
  ASSERT_TRUE(run_until([&] { return again.messages().size() == 2; })) << log.all();
  EXPECT_TRUE(contains(again.messages()[1], "|35=2|"));
  EXPECT_TRUE(contains(again.messages()[1], "|7=2|16=2|"));
}

// Catalogue D8: damage found during a resend.
TEST_F(StoreFailureTest, damaged_message_is_gap_filled_and_all_others_are_resent) {
  open_on(disk);
  RawPeer& other = log_on("OTHER");
  RawPeer& peer = log_on("TRADER");
  for (std::uint64_t number = 2; number <= 6; ++number) {
    peer.send(order("TRADER", number, "A" + std::to_string(number)));
  }
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 6; })) << log.all();
  const std::string file = folder.path() + "/store/0000000001.journal";
  std::string bytes = disk.contents(file);
  bytes[bytes.find("\00111=A4\001") + 5] = '9';
  disk.set_contents(file, bytes);
  peer.send(from("TRADER", "2", 7, "7=1|16=0|"));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 12; })) << log.all();
  const auto is_sent = [&](std::size_t index, std::string_view number, std::string_view what) {
    const std::string text = bar(peer.messages()[index]);
    EXPECT_TRUE(contains(text, number) && contains(text, what) && contains(text, "|43=Y|")) << text;
  };
  is_sent(6, "|34=1|", "|36=2|");  // the Logon
  is_sent(7, "|34=2|", "|11=A2|");
  is_sent(8, "|34=3|", "|11=A3|");
  is_sent(9, "|34=4|", "|36=5|");
  is_sent(10, "|34=5|", "|11=A5|");
  is_sent(11, "|34=6|", "|11=A6|");
  EXPECT_TRUE(log.has("ALARM in a resend")) << log.all();
  EXPECT_TRUE(log.has("numbers 4 to 4 cannot be read")) << log.all();
  EXPECT_FALSE(peer.closed());
  peer.send(order("TRADER", 8, "A8"));
  other.send(order("OTHER", 2, "B1"));
  EXPECT_TRUE(run_until([&] {
    return peer.messages().size() == 13 && other.messages().size() == 2;
  })) << log.all();
  EXPECT_TRUE(contains(peer.messages().back(), "|34=7|"));
}

// Catalogue D17: the counterparty requests messages in segments that the operator has retired.
TEST_F(StoreFailureTest, messages_in_retired_segments_are_gap_filled_and_logged) {
  segment_bytes = 2'000;
  extra = "JournalKeepBytes=2000\nJournalRetireCurrent=Y";
  open_on(disk);
  RawPeer& peer = log_on("TRADER");
  constexpr std::uint64_t kLast = 80;
  for (std::uint64_t number = 2; number <= kLast; ++number) {
    peer.send(order("TRADER", number, "A" + std::to_string(number)));
    ASSERT_TRUE(run_until([&] { return peer.messages().size() == number; })) << log.all();
  }
  ASSERT_FALSE(disk.exists(folder.path() + "/store/0000000001.journal"));
  EXPECT_FALSE(log.has("are retired")) << log.all();
  peer.send(from("TRADER", "2", kLast + 1, "7=1|16=0|"));
  ASSERT_TRUE(run_until([&] {
    return contains(bar(peer.messages().back()), "|34=80|") && peer.messages().size() > kLast;
  })) << log.all();
  const std::string filled = bar(peer.messages()[kLast]);
  EXPECT_TRUE(contains(filled, "|34=1|") && contains(filled, "|123=Y|")) << filled;
  EXPECT_LT(peer.messages().size(), 2 * kLast) << "some are gone";
  EXPECT_GT(peer.messages().size(), kLast + 2) << "some are not";
  EXPECT_TRUE(log.has("are retired")) << log.all();
  EXPECT_FALSE(peer.closed());
}

TEST_F(StoreFailureTest, read_error_ends_the_connection_that_requests_a_resend) {
  open_on(disk);
  RawPeer& other = log_on("OTHER");
  RawPeer& peer = log_on("TRADER");
  peer.send(order("TRADER", 2, "A1"));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 2; }));
  // The first read is the owner record, which is checked when the request is made durable.
  disk.fail(DiskCall::Read, 2, EIO);
  peer.send(from("TRADER", "2", 3, "7=2|16=0|"));
  // The next attempt may be able to read it, so it must not be gap-filled now.
  ASSERT_TRUE(run_until([&] { return peer.closed(); })) << log.all();
  EXPECT_EQ(peer.messages().size(), 2U);
  EXPECT_TRUE(log.has("cannot resend")) << log.all();
  other.send(order("OTHER", 2, "B1"));
  EXPECT_TRUE(run_until([&] { return other.messages().size() == 2; })) << log.all();
}

// Catalogue D13: a store restored from yesterday's backup. The lost day used more MsgSeqNums than a
// restart skips. TRADER logs on with MsgSeqNum 20.
class RestoredStoreTest : public StoreFailureTest {
 protected:
  void SetUp() override {
    const std::string store = folder.path() + "/store";
    const std::string copy = folder.path() + "/copy";
    open();
    RawPeer& yesterday = log_on("TRADER");
    yesterday.send(order("TRADER", 2, "A1"));
    ASSERT_TRUE(run_until([&] { return yesterday.messages().size() == 2; }));
    acceptor.reset();
    std::filesystem::copy(store, copy);
    open();
    RawPeer& today = log_on("TRADER", 3);
    for (std::uint64_t number = 4; number < 9; ++number) today.send(order("TRADER", number, "B"));
    ASSERT_TRUE(run_until([&] { return today.messages().size() == 6; })) << log.all();
    acceptor.reset();
    peers.clear();
    std::filesystem::remove_all(store);
    std::filesystem::copy(copy, store);
    log.clear();
    open();
  }

  // MsgSeqNum of the acceptor's Logon. Its ResendRequest follows.
  [[nodiscard]] std::uint64_t logon_number() {
    return acceptor->session(0).numbers().next_outbound - 2;
  }

  void expect_stopped(std::string_view said,
                      std::string_view alarm = "ALARM: the counterparty knows sequence numbers") {
    EXPECT_TRUE(log.has(alarm)) << log.all();
    EXPECT_TRUE(log.has(said)) << log.all();
    EXPECT_TRUE(log.has("nexusfix journal set LOG 'FIX.4.4:VENUE->TRADER'")) << log.all();
    const auto numbers = acceptor->session(0).numbers();
    RawPeer& again = connect();
    again.send(logon("TRADER", 22));
    EXPECT_TRUE(run_until([&] { return again.closed(); })) << log.all();
    ASSERT_EQ(again.messages().size(), 1U) << log.all();
    const std::string answer = "|58=Session halted: its operator must set the sequence numbers|";
    EXPECT_TRUE(contains(again.messages()[0], answer)) << bar(again.messages()[0]);
    // As any message it has a number of its own.
    EXPECT_TRUE(
        contains(again.messages()[0], "|34=" + std::to_string(numbers.next_outbound) + "|"));
    EXPECT_EQ(acceptor->session(0).numbers().next_outbound, numbers.next_outbound + 1);
    EXPECT_TRUE(log.has("waits for an operator")) << log.all();
    expect_still_serving();
  }
};

TEST_F(RestoredStoreTest, logout_of_the_counterparty_halts_the_session_for_an_operator) {
  RawPeer& peer = connect();
  peer.send(logon("TRADER", 20));
  ASSERT_TRUE(run_until([&] { return !peer.messages().empty(); })) << log.all();
  const std::string said = "expecting 99999 but received " + std::to_string(logon_number());
  peer.send(from("TRADER", "5", 21, "58=MsgSeqNum too low, " + said + "|"));
  ASSERT_TRUE(run_until([&] { return peer.closed(); })) << log.all();
  expect_stopped(said);
  ASSERT_TRUE(acceptor->session(0).set_next_numbers({.next_inbound = 23, .next_outbound = 99999},
                                                    "anna: agreed by phone"));
  RawPeer& agreed = connect();
  agreed.send(logon("TRADER", 23));
  ASSERT_TRUE(run_until([&] { return agreed.messages().size() == 1; })) << log.all();
  EXPECT_TRUE(contains(agreed.messages().front(), "|34=99999|"));
}

TEST_F(RestoredStoreTest, repeated_msg_seq_num_halts_the_session_for_an_operator) {
  RawPeer& peer = connect();
  peer.send(logon("TRADER", 20));
  ASSERT_TRUE(run_until([&] { return !peer.messages().empty(); })) << log.all();
  const std::uint64_t logon = logon_number();
  const std::string received = "but received " + std::to_string(logon);
  peer.send(
      from("TRADER", "5", 21,
           "58=MsgSeqNum too low, expecting " + std::to_string(logon + 1) + " " + received + "|"));
  ASSERT_TRUE(run_until([&] { return peer.closed(); })) << log.all();
  EXPECT_FALSE(log.has("knows sequence numbers")) << log.all();
  expect_stopped(received, "ALARM: the counterparty received a MsgSeqNum a second time");
}

TEST_F(RestoredStoreTest, untrue_logout_text_halts_no_session) {
  RawPeer& peer = connect();
  peer.send(logon("TRADER", 20));
  ASSERT_TRUE(run_until([&] { return !peer.messages().empty(); })) << log.all();
  peer.send(from("TRADER", "5", 21, "58=MsgSeqNum too low, expecting 2 but received 99999|"));
  ASSERT_TRUE(run_until([&] { return log.has("Logout received"); })) << log.all();
  clock.advance(std::chrono::seconds{2});  // LogoutTimeout: the messages before it are missing
  ASSERT_TRUE(run_until([&] { return peer.closed(); })) << log.all();
  EXPECT_FALSE(log.has("ALARM")) << log.all();
  EXPECT_TRUE(log.has("the Logout contradicts what was sent")) << log.all();
  RawPeer& again = connect();
  again.send(logon("TRADER", 22));
  ASSERT_TRUE(run_until([&] { return !again.messages().empty(); })) << log.all();
  EXPECT_TRUE(contains(again.messages().front(), "|35=A|"));
}

TEST_F(RestoredStoreTest, next_expected_msg_seq_num_halts_the_session_until_a_reset) {
  extra = "EnableNextExpectedMsgSeqNum=Y";
  acceptor.reset();
  open();
  RawPeer& peer = connect();
  peer.send(logon("TRADER", 20, "789=99999|"));
  ASSERT_TRUE(run_until([&] { return peer.closed(); })) << log.all();
  expect_stopped("NextExpectedMsgSeqNum too high");
  // Both sides reset their sequence numbers.
  RawPeer& again = connect();
  again.send(logon("TRADER", 1, "141=Y|789=1|"));
  ASSERT_TRUE(run_until([&] { return again.messages().size() == 1; })) << log.all();
  EXPECT_TRUE(contains(again.messages().front(), "|34=1|"));
}

// The system clock is set back while the engine runs, and again before it restarts.
TEST_F(StoreFailureTest, clock_set_back_loses_no_session_and_no_message) {
  open();
  RawPeer& peer = log_on("TRADER");
  peer.send(order("TRADER", 2, "A1"));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 2; }));
  clock.set_wall_back(std::chrono::hours{3});
  peer.send(order("TRADER", 3, "A2"));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 3; })) << log.all();
  clock.advance(std::chrono::seconds{31});
  ASSERT_TRUE(run_until([&] { return contains(peer.messages().back(), "|35=0|"); })) << log.all();
  clock.set_wall_back(std::chrono::hours{30});
  reopen();
  ASSERT_EQ(venue.recovered.size(), 2U);
  RawPeer& again = log_on("TRADER", 4);
  again.send(from("TRADER", "2", 5, "7=2|16=3|"));
  ASSERT_TRUE(run_until([&] { return again.messages().size() == 3; })) << log.all();
  EXPECT_TRUE(contains(again.messages()[1], "|11=A1|"));
  EXPECT_TRUE(contains(again.messages()[2], "|11=A2|"));
}

// The gate outlives the engine.
class StalledDiskTest : public StoreFailureTest {
 protected:
  void TearDown() override {
    gate.release_syncs();
    StoreFailureTest::TearDown();
  }
  GatedDisk gate;
};

// Catalogue D16: modes in which bytes wait for a sync on another thread.
class StalledSyncTest : public StalledDiskTest, public ::testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override { extra = "JournalDurability=" + std::string{GetParam()} + '\n'; }
  // Sends an order to a loop whose disk is stalled.
  void handle_order(RawPeer& peer) {
    peer.send(order("TRADER", 2, "A1"));
    ASSERT_TRUE(run_until([&] { return venue.orders.size() == 1; }));
    gate.wait_for_held_sync();
    turn(10);
    EXPECT_EQ(peer.messages().size(), 1U) << "nothing leaves before it is on the disk";
  }
};

INSTANTIATE_TEST_SUITE_P(Modes, StalledSyncTest, ::testing::Values("group", "sync"),
                         [](const auto& one) { return std::string{one.param}; });

TEST_P(StalledSyncTest, only_sessions_that_wait_too_long_for_the_disk_are_disconnected) {
  extra += "JournalStallTimeout=2";
  open_on(gate);
  RawPeer& other = log_on("OTHER");
  RawPeer& peer = log_on("TRADER");
  gate.hold_syncs();
  handle_order(peer);
  EXPECT_FALSE(peer.closed());
  clock.advance(std::chrono::seconds{3});
  EXPECT_TRUE(run_until([&] { return peer.closed(); })) << log.all();
  EXPECT_TRUE(log.has("ALARM: the store does not answer")) << log.all();
  EXPECT_FALSE(other.closed());
  gate.release_syncs();
  other.send(order("OTHER", 2, "B1"));
  EXPECT_TRUE(run_until([&] { return other.messages().size() == 2; })) << log.all();
}

TEST_P(StalledSyncTest, at_most_once_message_that_is_not_recorded_in_time_is_not_delivered) {
  extra += "JournalStallTimeout=2\nInboundDelivery=AtMostOnce";
  open_on(gate);
  RawPeer& peer = log_on("TRADER");
  gate.hold_syncs();
  running_clock.run();
  peer.send(order("TRADER", 2, "A1"));
  EXPECT_TRUE(run_until([&] { return log.has(EventId::InboundNotRecorded); })) << log.all();
  gate.release_syncs();
  EXPECT_TRUE(run_until([&] { return peer.closed(); })) << log.all();
  EXPECT_EQ(venue.orders, std::vector<std::string>{});
}

TEST_P(StalledSyncTest, thread_with_a_stalled_disk_serves_sessions_of_another_store) {
  extra += "JournalStallTimeout=3600";
  open_on(gate);
  RawPeer& peer = log_on("TRADER");
  gate.hold_syncs();
  handle_order(peer);
  // Another engine on this thread, with its store in memory.
  extra = "Store=memory";
  EchoVenue kept_in_memory;
  std::optional<Engine> second;
  ASSERT_NO_FATAL_FAILURE(under_test(config(), "memory.cfg").open(second, kept_in_memory));
  RawPeer other{second->accept_port()};
  const auto both_run_until = [&](const std::function<bool()>& condition) {
    return run_until([&] {
      second->poll(std::chrono::nanoseconds{0});
      other.poll();
      return condition();
    });
  };
  other.send(logon("OTHER", 1));
  ASSERT_TRUE(both_run_until([&] { return other.messages().size() == 1; })) << log.all();
  for (std::uint64_t beat = 2; beat < 5; ++beat) {
    clock.advance(std::chrono::seconds{30});
    other.send(from("OTHER", "0", beat));
    ASSERT_TRUE(both_run_until([&] { return other.messages().size() == beat; })) << log.all();
    EXPECT_TRUE(contains(other.messages().back(), "|35=0|")) << bar(other.messages().back());
    peer.send(from("TRADER", "0", beat + 1));
  }
  EXPECT_EQ(peer.messages().size(), 1U);
  EXPECT_FALSE(peer.closed());
  gate.release_syncs();
  EXPECT_TRUE(run_until([&] { return peer.messages().size() >= 2; })) << log.all();
  EXPECT_TRUE(contains(peer.messages()[1], "|11=A1|"));
}

// Catalogue D3: the disk is full.
class FullDiskTest : public StalledDiskTest, public ::testing::WithParamInterface<const char*> {
 protected:
  engine::SendResult send_news() {
    Session& session = acceptor->session(0);
    wire::Encoder news = session.begin("B");
    news.field(58, std::string(1000, 'x'));
    return session.finish(news);
  }
  // The second segment exists; the third cannot be created.
  void fill_disk() {
    const std::string second = folder.path() + "/store/0000000002.journal";
    struct stat status{};
    ASSERT_TRUE(run_until([&] {
      return ::stat(second.c_str(), &status) == 0 &&
             static_cast<std::uint64_t>(status.st_size) >= segment_bytes;
    }));
    gate.fail_reserves(ENOSPC);
    for (int i = 0; i < 64; ++i) {
      ASSERT_TRUE(send_news());
      turn(1);
    }
    // The prepared segment is checked when a message is sent; the current segment has room for this
    // number.
    constexpr int kMore = 20;
    int more = 0;
    ASSERT_TRUE(run_until([&] {
      if (log.has("cannot be prepared")) return true;
      if (more < kMore) {
        ++more;
        EXPECT_TRUE(send_news());
        turn(100);
      }
      return false;
    })) << log.all();
  }
  // Sends until a message is refused. Null if none is.
  std::optional<engine::SendError> send_until_refused() {
    for (int i = 0; i < 64; ++i) {
      if (const auto sent = send_news(); !sent) return sent.error();
      turn(1);
    }
    return std::nullopt;
  }
};

TEST_P(FullDiskTest, application_messages_are_refused_and_sessions_continue_until_there_is_room) {
  extra = std::string{"JournalDurability="} + GetParam();
  segment_bytes = 64U << 10U;
  open_on(gate);
  RawPeer& peer = log_on("TRADER");
  fill_disk();
  const auto refused = send_until_refused();
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->failure, engine::SendFailure::StoreFull) << refused->what();
  EXPECT_TRUE(log.has(EventId::StoreFull)) << log.all();
  EXPECT_TRUE(log.has("No space left")) << log.all();
  const std::uint64_t next = acceptor->session(0).numbers().next_outbound;
  EXPECT_FALSE(send_news());
  EXPECT_EQ(acceptor->session(0).numbers().next_outbound, next) << "a refused one has no number";
  // The session layer continues, for this counterparty and for one that logs on now.
  const std::size_t before = peer.messages().size();
  peer.send(from("TRADER", "1", 2, "112=THERE|"));
  ASSERT_TRUE(run_until([&] {
    return peer.messages().size() > before && contains(peer.messages().back(), "|112=THERE|");
  })) << log.all();
  RawPeer& other = log_on("OTHER");
  clock.advance(std::chrono::seconds{31});
  EXPECT_TRUE(run_until([&] { return contains(other.messages().back(), "|35=0|"); })) << log.all();
  // The engine looks for free space each second.
  gate.fail_reserves(0);
  ASSERT_TRUE(run_until([&] { return log.has(EventId::StoreHasRoom); })) << log.all();
  EXPECT_TRUE(send_news());
  EXPECT_TRUE(run_until([&] {
    return contains(peer.messages().back(), "|34=" + std::to_string(next + 2) + "|");
  })) << log.all();
  EXPECT_FALSE(peer.closed());
  EXPECT_FALSE(other.closed());
}

// Catalogue D8: the disk damages written data.
TEST_F(StalledDiskTest, damage_in_a_closed_segment_is_logged_and_no_session_stops) {
  segment_bytes = 64U << 10U;
  open_on(gate);
  RawPeer& peer = log_on("TRADER");
  Session& session = acceptor->session(0);
  const auto send_news = [&](const std::string& text) {
    wire::Encoder news = session.begin("B");
    news.field(58, text);
    ASSERT_TRUE(session.finish(news));
    turn(1);
  };
  send_news("DAMAGED");
  const std::string path = folder.path() + "/store/0000000001.journal";
  const std::string bytes = read_file(gate, path, 1U << 20U).value();
  const std::size_t at = bytes.find("DAMAGED");
  ASSERT_NE(at, std::string::npos);
  ASSERT_TRUE((*gate.open(path, OpenMode::ReadWrite))->write_at(at, std::string_view{"dAMAGED"}));
  for (int i = 0; i < 100; ++i) send_news(std::string(1000, 'x'));
  ASSERT_TRUE(run_until([&] { return log.has("damaged at offset"); })) << log.all();
  EXPECT_TRUE(log.has(path)) << log.all();
  EXPECT_TRUE(log.has("nexusfix journal repair")) << log.all();
  EXPECT_FALSE(peer.closed());
  // A requested message that is damaged is gap-filled; the others are resent.
  const std::size_t before = peer.messages().size();
  peer.send(from("TRADER", "2", 2, "7=2|16=3|"));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == before + 2; })) << log.all();
  EXPECT_TRUE(contains(peer.messages()[before], "|35=4|")) << bar(peer.messages()[before]);
  EXPECT_TRUE(contains(peer.messages()[before], "|36=3|")) << bar(peer.messages()[before]);
  EXPECT_TRUE(contains(peer.messages()[before + 1], "|35=B|"));
  EXPECT_TRUE(log.has("ALARM in a resend")) << log.all();
}

INSTANTIATE_TEST_SUITE_P(Modes, FullDiskTest, ::testing::Values("process", "group", "sync", "none"),
                         [](const auto& one) { return std::string{one.param}; });

TEST_P(StalledSyncTest, answer_leaves_when_it_is_durable) {
  open_on(gate);
  RawPeer& peer = log_on("TRADER");
  gate.hold_syncs();
  handle_order(peer);
  gate.release_syncs();
  EXPECT_TRUE(run_until([&] { return peer.messages().size() == 2; })) << log.all();
}

TEST_P(StalledSyncTest, what_one_event_sends_to_several_sessions_leaves_when_it_is_durable) {
  sessions += "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=THIRD\n";
  open_on(gate);
  std::array<RawPeer*, 3> all = {&log_on("OTHER"), &log_on("TRADER"), &log_on("THIRD")};
  venue.before_answer = [&](Session& session, const MessageView&) {
    for (Session& one : acceptor->sessions()) {
      if (&one != &session && one.is_logged_on()) EchoVenue::answer(one, "NEWS");
    }
  };
  gate.hold_syncs();
  handle_order(*all[1]);
  for (const RawPeer* peer : all) {
    EXPECT_EQ(peer->messages().size(), 1U) << "nothing leaves before it is on the disk";
  }
  gate.release_syncs();
  EXPECT_TRUE(run_until([&] {
    return std::ranges::all_of(all,
                               [](const RawPeer* peer) { return peer->messages().size() == 2; });
  })) << log.all();
}

TEST_F(StoreFailureTest, numbers_skipped_after_a_loss_of_power_are_logged) {
  adjust = [](config::Settings& settings) { settings.numbers_ahead = 50; };
  open_on(disk);
  log_on("TRADER");
  disk.power_loss();
  acceptor.reset();
  peers.clear();
  open_on(disk);
  EXPECT_TRUE(log.has("the machine went down")) << log.all();
  EXPECT_TRUE(log.has("MsgSeqNum 1 to 50 are skipped")) << log.all();
  // Each side sees a gap and sends a ResendRequest; the one of this side is gap-filled.
  RawPeer& peer = connect();
  peer.send(logon("TRADER", 2));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 2; })) << log.all();
  EXPECT_TRUE(contains(peer.messages()[0], "|34=51|")) << bar(peer.messages()[0]);
  peer.send(from("TRADER", "2", 3, "7=2|16=50|"));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 3; })) << log.all();
  EXPECT_TRUE(contains(peer.messages()[2], "|35=4|")) << bar(peer.messages()[2]);
  EXPECT_TRUE(contains(peer.messages()[2], "|36=51|")) << bar(peer.messages()[2]);
}

}  // namespace
}  // namespace nexusfix::testing
