// A message log of the program: EngineOptions::message_log.
#include <algorithm>
#include <mutex>
#include <thread>

#include <nexusfix/observe/logs.hpp>

#include "unit/engine/support/event_loops_fixture.hpp"

namespace nexusfix::testing {
namespace {

using observe::MessageKind;

struct Kept {
  MessageKind kind{};
  std::string session;
  std::string bytes;
  WallTime time;
  std::uint32_t loop = 0;
  std::thread::id thread;
};

class KeepingLog final : public observe::MessageLog {
 public:
  void write(const observe::LoggedMessage& message) override {
    const std::lock_guard lock{mutex};
    kept.push_back({message.kind, std::string{message.session}, bar(message.bytes), message.time,
                    message.loop, std::this_thread::get_id()});
    if (throws) throw std::runtime_error{"the broker is gone"};
  }

  std::mutex mutex;
  std::vector<Kept> kept;
  bool throws = false;
};

class MessageLogTest : public EventLoopsTest {
 protected:
  MessageLogTest() {
    extra.clear();
    sessions =
        "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=TRADER\n"
        "[SESSION]\nBeginString=FIX.4.2\nSenderCompID=VENUE\nTargetCompID=OTHER\n";
  }
  template <class Venue>
  void open_logged(Venue& application) {
    EngineUnderTest opening = under_test();
    opening.options.message_log = &messages;
    opening.open(acceptor, application);
  }

  KeepingLog messages;
};

TEST_F(MessageLogTest, each_message_has_its_session_its_direction_its_time_and_its_bytes) {
  open_logged(venue);
  RawPeer& peer = log_on("TRADER");
  const std::string bytes = order("TRADER", 2, "A1");
  peer.send(bytes);
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 2; })) << log.all();
  ASSERT_EQ(messages.kept.size(), 4U);
  const std::vector<std::string> expected{bar(logon("TRADER", 1)), bar(peer.messages()[0]),
                                          bar(bytes), bar(peer.messages()[1])};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(messages.kept[i].kind, i % 2 == 0 ? MessageKind::Received : MessageKind::Sent);
    EXPECT_EQ(messages.kept[i].session, "FIX.4.4:VENUE->TRADER");
    EXPECT_EQ(messages.kept[i].bytes, expected[i]);
    EXPECT_EQ(messages.kept[i].time, clock.now().wall);
    EXPECT_EQ(messages.kept[i].loop, 0U);
  }
}

TEST_F(MessageLogTest, the_log_files_have_the_same_messages) {
  extra = "FileLogPath=" + folder.path() + "/log\nLogMaxBytes=1000000";
  open_logged(venue);
  static_cast<void>(log_on("TRADER"));
  EXPECT_EQ(acceptor->statistics().logs.lost_in_queue, 0U);
  EXPECT_GE(acceptor->statistics().logs.taken, 2U);
  EXPECT_EQ(messages.kept.size(), 2U);
}

TEST_F(MessageLogTest, passwords_and_masked_fields_are_not_passed) {
  extra = "LogMaskedTags=58";
  open_logged(venue);
  RawPeer& peer = connect();
  peer.send(logon("TRADER", 1, "58=inside|95=5|96=seals|553=me|554=secret|"));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 1; })) << log.all();
  const std::string& first = messages.kept.at(0).bytes;
  EXPECT_NE(first.find("|58=***|95=3|96=***|553=me|554=***|"), std::string::npos) << first;
}

TEST_F(MessageLogTest, garbled_bytes_and_unknown_peers_are_passed_as_such) {
  open_logged(venue);
  RawPeer& peer = log_on("TRADER");
  std::string broken = order("TRADER", 2, "A1");
  broken[broken.size() - 2] = broken[broken.size() - 2] == '0' ? '1' : '0';
  peer.send(broken);
  RawPeer& unknown = connect();
  unknown.send(logon("UNKNOWN", 1, "554=secret|"));
  ASSERT_TRUE(run_until([&] { return messages.kept.size() == 4 && unknown.closed(); }));
  std::ranges::sort(messages.kept, {}, &Kept::session);
  EXPECT_EQ(messages.kept[0].session, "");
  EXPECT_NE(messages.kept[0].bytes.find("|49=UNKNOWN|"), std::string::npos);
  EXPECT_NE(messages.kept[0].bytes.find("|554=***|"), std::string::npos);
  EXPECT_EQ(messages.kept[3].kind, MessageKind::Garbled);
  EXPECT_EQ(messages.kept[3].session, "FIX.4.4:VENUE->TRADER");
}

TEST_F(MessageLogTest, a_log_that_throws_loses_no_order_and_is_reported_once_a_second) {
  open_logged(venue);
  messages.throws = true;
  RawPeer& peer = log_on("TRADER");
  for (std::uint64_t n = 2; n <= 6; ++n) peer.send(order("TRADER", n, "A" + std::to_string(n)));
  ASSERT_TRUE(run_until([&] { return peer.messages().size() == 6; })) << log.all();
  EXPECT_EQ(venue.orders.size(), 5U);
  turn(3);
  EXPECT_EQ(std::ranges::count(log.ids, EventId::MessageLogFailed), 1) << log.all();
  clock.advance(std::chrono::seconds{2});
  turn(3);
  EXPECT_EQ(std::ranges::count(log.ids, EventId::MessageLogFailed), 2) << log.all();
  EXPECT_TRUE(log.has("the last exception: the broker is gone")) << log.all();
  EXPECT_EQ(messages.kept.size(), 12U);
}

TEST_F(MessageLogTest, each_event_loop_calls_it_on_its_own_thread) {
  extra = "EventLoops=2";
  sessions.clear();
  for (int i = 0; i < kSessions; ++i) {
    sessions += session_text(i, "EventLoop=" + std::to_string(i % 2) + "\n");
  }
  open_logged(loop_venue);
  acceptor->start();
  for (int i = 0; i < kSessions; ++i) {
    connect().send(logon(who(i), 1) + order(who(i), 2, who(i)));
  }
  ASSERT_TRUE(wait_until([&] {
    return std::ranges::all_of(peers,
                               [](const auto& peer) { return peer->messages().size() == 2; });
  }));
  stop_and_join();
  EXPECT_GE(messages.kept.size(), 4U * kSessions);
  for (const Kept& one : messages.kept) {
    ASSERT_FALSE(one.session.empty()) << one.bytes;
    EXPECT_EQ(one.loop, static_cast<std::uint32_t>((one.session.back() - '0') % 2));
    EXPECT_EQ(loop_venue.threads[one.session], std::set{one.thread});
  }
}

}  // namespace
}  // namespace nexusfix::testing
