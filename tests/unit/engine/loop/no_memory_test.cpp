// Each allocation fails in turn: the first, the second, and so on until the scenario needs no more.
// The engine does not crash, the journal loses and duplicates nothing, and the other sessions
// trade.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <thread>

#include "control/api/running_engine.hpp"
#include "support/disks/passing_disk.hpp"
#include "support/failing_new.hpp"
#include "unit/engine/support/acceptor_fixture.hpp"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define NEXUSFIX_HAS_ADDRESS_SANITIZER
#include <sanitizer/lsan_interface.h>
#endif
#endif

namespace nexusfix::testing {
namespace {

constexpr int kTurns = 40;

// A wire layer built without exceptions (NEXUSFIX_CORE_WITHOUT_EXCEPTIONS) cannot free its memory
// when an exception passes through it, for instance while a parser or a session is created again.
class LeaksOfWireIgnored {
#ifdef NEXUSFIX_HAS_ADDRESS_SANITIZER
 public:
  LeaksOfWireIgnored() { __lsan_disable(); }
  ~LeaksOfWireIgnored() { __lsan_enable(); }
  LeaksOfWireIgnored(const LeaksOfWireIgnored&) = delete;
  LeaksOfWireIgnored& operator=(const LeaksOfWireIgnored&) = delete;
#endif
};

class NoMemoryTest : public AcceptorTest {
 protected:
  // Opens a new engine, and logs on a live session beside the tested one.
  void begin() {
    peers.clear();
    acceptor.reset();
    venue = EchoVenue{};
    log.clear();
    folder_.emplace();
    open_in(folder_->path());
    live_ = &log_on("OTHER");
    live_number_ = 1;
    measure_other(calm_);
  }
  void open_in(const std::string& path) {
    EngineUnderTest opening = under_test();
    opening.settings.store_folder = path + "/store";
    opening.options.busy_spin = spins_;
    opening.open(acceptor, venue);
  }
  // The nth allocation from now on fails during the engine's turns. True if it was reached.
  bool fail_in_turns(std::size_t nth) {
    bool has_failed = false;
    for (int turn = 0; turn < kTurns; ++turn) {
      if (!has_failed) test::fail_at(nth);
      acceptor->poll(std::chrono::milliseconds{turn < kTurns / 2 ? 0 : 1});
      if (!has_failed) nth -= std::min(nth - 1, test::stop_failing());
      has_failed = has_failed || test::has_failed();
      for (const auto& peer : peers) peer->poll();
    }
    return has_failed;
  }
  // From the nth allocation on, this count in a row fails, over as many turns as needed. True if
  // the first of them was reached.
  bool starve_in_turns(std::size_t nth, std::size_t count) {
    bool has_failed = false;
    for (int turn = 0; turn < kTurns; ++turn) {
      for (std::uint32_t loop = 0; loop < acceptor->loop_count(); ++loop) {
        if (count > 0) test::fail_at(nth, count);
        acceptor->poll(std::chrono::milliseconds{turn < kTurns / 2 ? 0 : 1}, loop);
        if (count == 0) continue;
        const std::size_t used = test::stop_failing();
        has_failed = has_failed || test::has_failed();
        count -= used < nth ? 0 : std::min(count, used - nth + 1);
        nth = used < nth ? nth - used : 1;
      }
      for (const auto& peer : peers) peer->poll();
    }
    return has_failed;
  }
  // True if any peer received a message that contains this part.
  bool is_sent(const std::string& part) {
    return std::ranges::any_of(peers, [&](const auto& peer) {
      return std::ranges::any_of(peer->messages(),
                                 [&](const auto& text) { return contains(text, part); });
    });
  }
  // Runs turns of all loops.
  bool run_all_until(const std::function<bool()>& condition) {
    for (int turn = 0; turn < 2'000; ++turn) {
      if (condition()) return true;
      for (std::uint32_t loop = 0; loop < acceptor->loop_count(); ++loop) {
        acceptor->poll(std::chrono::milliseconds{turn < 50 ? 0 : 1}, loop);
      }
      for (const auto& peer : peers) peer->poll();
    }
    return condition();
  }
  // Only sockets are counted, not files: the store prepares its next file in the background.
  static std::size_t sockets() {
    const auto is_socket = [](const std::filesystem::directory_entry& entry) {
      std::error_code gone;
      return std::filesystem::read_symlink(entry, gone).native().starts_with("socket:");
    };
    const std::filesystem::directory_iterator end;
    return static_cast<std::size_t>(
        std::count_if(std::filesystem::directory_iterator{"/proc/self/fd"}, end, is_socket));
  }
  // For a peer whose Logon met a failed allocation: it is answered now, or its connection has ended
  // and the next Logon is answered.
  RawPeer& logged_on_at_last(RawPeer& peer, std::string_view who) {
    const auto is_decided = [](RawPeer& one) { return one.closed() || !one.messages().empty(); };
    EXPECT_TRUE(run_all_until([&] { return is_decided(peer); })) << log.all();
    if (!peer.closed()) return peer;
    RawPeer& again = connect();
    again.send(logon(who, 1));
    EXPECT_TRUE(run_all_until([&] { return is_decided(again); })) << log.all();
    EXPECT_FALSE(again.closed()) << log.all();
    return again;
  }
  void expect_others_unharmed() {
    ASSERT_FALSE(live_->closed()) << log.all();
    measure_other(harmed_);
  }
  void measure_other(std::vector<std::chrono::nanoseconds>& waits) {
    const auto begin = std::chrono::steady_clock::now();
    const std::size_t before = live_->messages().size();
    ++live_number_;
    live_->send(order("OTHER", live_number_, "LIVE" + std::to_string(live_number_)));
    EXPECT_TRUE(run_until([&] { return live_->messages().size() == before + 1; })) << log.all();
    waits.push_back(std::chrono::steady_clock::now() - begin);
  }
  void TearDown() override {
    show("calm", calm_);
    show("after an allocation that failed", harmed_);
    AcceptorTest::TearDown();
  }
  static void show(const char* when, std::vector<std::chrono::nanoseconds>& waits) {
    if (waits.empty()) return;
    std::ranges::sort(waits);
    const auto micros = [&](std::size_t at) {
      return static_cast<double>(waits[at].count()) / 1e3;
    };
    std::printf("other session, %s: %zu answers, P50 %.0f us, P99 %.0f us\n", when, waits.size(),
                micros(waits.size() / 2), micros((waits.size() - 1) * 99 / 100));
  }
  [[nodiscard]] Session& trader() { return acceptor->session(0); }
  [[nodiscard]] std::uint64_t expected() { return trader().numbers().next_inbound; }
  // A connection that is still logged on, or a new one with the numbers that the engine expects.
  RawPeer& ensure_logged_on(RawPeer& peer) {
    run_until([&] { return peer.closed() || trader().is_logged_on(); });
    if (!peer.closed() && trader().is_logged_on()) return peer;
    peer.close();
    EXPECT_TRUE(run_until([&] { return !trader().is_logged_on(); })) << log.all();
    turn(5);
    RawPeer& again = connect();
    again.send(logon("TRADER", expected()));
    EXPECT_TRUE(run_until([&] { return !again.messages().empty(); })) << log.all();
    return again;
  }
  // Checks that the store has each order's report exactly once.
  void expect_in_journal(const std::vector<std::string>& ids) {
    venue = EchoVenue{};
    acceptor.reset();
    peers.clear();
    open_in(folder_->path());
    for (const std::string& id : ids) {
      const auto has_it = [&](const std::string& text) {
        return contains(text, "|11=" + id + "|");
      };
      EXPECT_EQ(std::ranges::count_if(venue.recovered, has_it), 1) << id;
    }
  }

  std::optional<TemporaryFolder> folder_;
  bool spins_ = false;  // connections are received from directly, and their events are their own
  RawPeer* live_ = nullptr;
  std::uint64_t live_number_ = 1;
  std::vector<std::chrono::nanoseconds> calm_;
  std::vector<std::chrono::nanoseconds> harmed_;
};

TEST_F(NoMemoryTest, each_order_is_answered_once_if_any_allocation_fails) {
  const std::vector<std::string> ids{"A", "B", "C", "D"};
  std::size_t nth = 1;
  for (bool has_failed = true; has_failed && !HasFailure(); ++nth) {
    begin();
    RawPeer* peer = &log_on("TRADER");
    std::string bytes;
    for (std::size_t i = 0; i < ids.size(); ++i) bytes += order("TRADER", 2 + i, ids[i]);
    const std::size_t cut = bytes.size() / 3;
    peer->send(bytes.substr(0, cut));
    has_failed = fail_in_turns(nth);
    if (!peer->closed()) peer->send(bytes.substr(cut));
    if (!has_failed) has_failed = fail_in_turns(nth);
    turn(5);
    expect_others_unharmed();
    peer = &ensure_logged_on(*peer);
    for (const std::string& id : ids) {
      const std::string report = "|11=" + id + "|";
      const auto is_answered = [&] {
        return std::ranges::any_of(peers, [&](const auto& one) {
          return std::ranges::any_of(one->messages(),
                                     [&](const auto& text) { return contains(text, report); });
        });
      };
      // Reports sent on the broken connection are resent.
      if (!is_answered()) {
        peer->send(from("TRADER", "2", expected(), "7=1|16=0|"));
        turn(10);
      }
      if (!is_answered()) peer->send(order("TRADER", expected(), id));
      EXPECT_TRUE(run_until(is_answered)) << "allocation " << nth << ", " << id << "\n"
                                          << log.all();
    }
    expect_in_journal(ids);
  }
  EXPECT_GT(nth, 3U);
  std::printf("%zu allocations failed, each alone\n", nth - 1);
}

// The record of a large received message needs memory after the callback.
class NoMemoryForInboundTest : public NoMemoryTest, public ::testing::WithParamInterface<bool> {
 protected:
  NoMemoryForInboundTest() {
    extra = "JournalInbound=Y";
    spins_ = GetParam();
  }
};
INSTANTIATE_TEST_SUITE_P(WaitingAndSpinning, NoMemoryForInboundTest, ::testing::Bool());

TEST_P(NoMemoryForInboundTest, undone_event_leaves_no_progress_and_no_command) {
  const std::string fields = "11=ENDS-OTHER|58=" + std::string(9'000, 'x') + "|";
  for (const bool throws : {false, true}) {
    int undone = 0;
    std::size_t nth = 1;
    for (bool has_failed = true; has_failed && !HasFailure(); ++nth) {
      SCOPED_TRACE(nth);
      begin();
      RawPeer* peer = &log_on("TRADER");
      venue.before_answer = [&](Session&, const MessageView& message) {
        if (message[11] != "ENDS-OTHER") return;
        acceptor->session(1).log_out("ended by an order");
        if (throws) throw std::runtime_error{"so that the answer is a BusinessMessageReject"};
      };
      peer->send(from("TRADER", "D", 2, fields));
      has_failed = fail_in_turns(nth);
      turn(5);
      if (peer->closed() && expected() == 2) ++undone;
      // A session that took part in the event has lost its connection. Otherwise it goes on.
      if (peer->closed() && expected() == 2 && !live_->closed()) {
        expect_others_unharmed();
        for (const std::string& text : live_->messages()) EXPECT_FALSE(contains(text, "|35=5|"));
      }
      ensure_logged_on(*peer);
      const session::Numbers before = trader().numbers();
      venue = EchoVenue{};
      acceptor.reset();
      peers.clear();
      open_in(folder_->path());
      EXPECT_EQ(trader().numbers(), before);  // as after kill -9
    }
    EXPECT_GT(undone, 0) << throws;
  }
}

TEST_F(NoMemoryTest, logon_is_answered_at_once_or_at_the_next_attempt) {
  std::size_t nth = 1;
  for (bool has_failed = true; has_failed && !HasFailure(); ++nth) {
    begin();
    RawPeer& peer = connect();
    peer.send(logon("TRADER", 1));
    has_failed = fail_in_turns(nth);
    expect_others_unharmed();
    RawPeer& on = ensure_logged_on(peer);
    on.send(order("TRADER", expected(), "FIRST"));
    EXPECT_TRUE(run_until([&] { return venue.orders.size() >= 1 && on.all_sent(); }))
        << "allocation " << nth << "\n"
        << log.all();
    turn(5);
    std::erase(venue.orders, "FIRST");
    expect_in_journal({"FIRST"});
  }
  EXPECT_GT(nth, 10U);
  std::printf("%zu allocations failed, each alone\n", nth - 1);
}

TEST_F(NoMemoryTest, resend_is_complete_at_once_or_at_the_next_request) {
  constexpr std::uint64_t kReports = 20;
  std::size_t nth = 1;
  for (bool has_failed = true; has_failed && !HasFailure(); ++nth) {
    begin();
    for (std::uint64_t i = 0; i < kReports; ++i) EchoVenue::answer(trader(), std::to_string(i));
    RawPeer& peer = log_on("TRADER");
    peer.send(from("TRADER", "2", 2, "7=1|16=0|"));
    has_failed = fail_in_turns(nth);
    expect_others_unharmed();
    RawPeer& on = ensure_logged_on(peer);
    const std::size_t before = on.messages().size();
    on.send(from("TRADER", "2", expected(), "7=1|16=0|"));
    const auto is_complete = [&] {
      std::uint64_t count = 0;
      for (std::size_t i = before; i < on.messages().size(); ++i) {
        count += contains(on.messages()[i], "|35=8|") ? 1 : 0;
      }
      return count >= kReports;
    };
    EXPECT_TRUE(run_until(is_complete)) << "allocation " << nth << "\n" << log.all();
  }
  EXPECT_GT(nth, 3U);
  std::printf("%zu allocations failed, each alone\n", nth - 1);
}

// Numbers of allocations that fail in a row: a moment, a few turns, and longer than the engine
// retries.
constexpr std::size_t kStarvedFor[] = {4, 40, 300};

// The distance between two windows of failing allocations: they overlap by half.
constexpr std::size_t stride(std::size_t count) { return count / 2; }

TEST_F(NoMemoryTest, orders_are_reported_or_rejected_after_a_time_without_memory) {
  std::size_t tried = 0;
  for (const std::size_t count : kStarvedFor) {
    std::size_t nth = 1;
    for (bool has_failed = true; has_failed && !HasFailure(); nth += stride(count), ++tried) {
      begin();
      RawPeer& peer = log_on("TRADER");
      peer.send(order("TRADER", 2, "A") + order("TRADER", 3, "B"));
      has_failed = starve_in_turns(nth, count);
      turn(5);
      expect_others_unharmed();
      EXPECT_TRUE(!has_failed || log.has("there was no memory")) << log.all();
      RawPeer& on = ensure_logged_on(peer);
      on.send(from("TRADER", "2", expected(), "7=1|16=0|"));
      turn(10);
      std::vector<std::string> reported;
      for (const auto& [id, number] : {std::pair{"A", "2"}, std::pair{"B", "3"}}) {
        const std::string report = std::string{"|11="} + id + "|";
        if (!is_sent(report) && !is_sent(std::string{"|45="} + number + "|")) {
          on.send(order("TRADER", expected(), id));
          EXPECT_TRUE(run_until([&] { return is_sent(report); })) << log.all();
        }
        if (is_sent(report)) reported.emplace_back(id);
      }
      expect_in_journal(reported);
      EXPECT_FALSE(HasFailure()) << count << " from allocation " << nth << " on";
    }
  }
  std::printf("%zu times without memory for a while\n", tried);
}

class NoMemoryForTemplatesTest : public NoMemoryTest {
 protected:
  NoMemoryForTemplatesTest() {
    sessions +=
        "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=*\nAcceptorTemplate=Y\n";
  }
};

TEST_F(NoMemoryForTemplatesTest, session_of_a_template_is_created_at_once_or_at_the_next_attempt) {
  for (const std::size_t count : kStarvedFor) {
    std::size_t nth = 1;
    for (bool has_failed = true; has_failed && !HasFailure(); nth += stride(count)) {
      begin();
      RawPeer& peer = connect();
      peer.send(logon("STRANGER", 1));
      {
        [[maybe_unused]] const LeaksOfWireIgnored ignored;
        has_failed = starve_in_turns(nth, count);
      }
      expect_others_unharmed();
      RawPeer& on = logged_on_at_last(peer, "STRANGER");
      EXPECT_EQ(acceptor->session_count(), 3U) << log.all();
      on.send(order("STRANGER", acceptor->session(2).numbers().next_inbound, "S"));
      EXPECT_TRUE(run_until([&] { return std::ranges::count(venue.orders, "S") == 1; }))
          << log.all();
      turn(5);
      expect_in_journal({"S"});
      EXPECT_FALSE(HasFailure()) << count << " from allocation " << nth << " on";
    }
    EXPECT_GT(nth, 10U);
  }
}

class NoMemoryForLoopsTest : public NoMemoryTest {
 protected:
  NoMemoryForLoopsTest() {
    extra = "EventLoops=2";
    sessions =
        "[SESSION]\nBeginString=FIX.4.2\nSenderCompID=VENUE\nTargetCompID=OTHER\nEventLoop=0\n"
        "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=TRADER\nEventLoop=1\n";
  }
};

TEST_F(NoMemoryForLoopsTest, connection_migrates_to_its_loop_or_is_closed) {
  for (const std::size_t count : kStarvedFor) {
    std::size_t nth = 1;
    for (bool has_failed = true; has_failed && !HasFailure(); nth += stride(count)) {
      begin();
      const std::size_t before = sockets();
      RawPeer& peer = connect();
      peer.send(logon("TRADER", 1) + order("TRADER", 2, "T"));
      has_failed = starve_in_turns(nth, count);
      expect_others_unharmed();
      EXPECT_TRUE(run_all_until([&] { return peer.closed() || !peer.messages().empty(); }))
          << log.all();
      if (peer.closed()) {
        const std::uint64_t refused = acceptor->statistics().loops[0].connections_refused +
                                      acceptor->statistics().loops[1].connections_refused;
        EXPECT_TRUE(refused > 0 || log.has("memory")) << log.all();
        RawPeer& again = connect();
        Session& trader = *acceptor->find_session("FIX.4.4:VENUE->TRADER");
        again.send(logon("TRADER", trader.numbers().next_inbound));
        EXPECT_TRUE(run_all_until([&] { return again.closed() || !again.messages().empty(); }));
        EXPECT_FALSE(again.closed()) << log.all();
        if (std::ranges::count(venue.orders, "T") == 0 && !is_sent("|35=j|")) {
          again.send(order("TRADER", trader.numbers().next_inbound, "T"));
        }
      }
      // An order for which the application itself has no memory is rejected.
      const auto is_settled = [&] {
        return std::ranges::count(venue.orders, "T") == 1 || is_sent("|35=j|");
      };
      EXPECT_TRUE(run_all_until(is_settled)) << log.all();
      peers.resize(1);
      EXPECT_TRUE(run_all_until([&] { return sockets() <= before; }))
          << sockets() << " sockets, and there were " << before;
      EXPECT_FALSE(HasFailure()) << count << " from allocation " << nth << " on";
    }
    EXPECT_GT(nth, 10U);
  }
}

// The configuration is read again. This thread runs the turns of all loops.
class NoMemoryForReloadTest : public NoMemoryForLoopsTest {
 protected:
  void begin() {
    peers.clear();
    acceptor.reset();
    log.clear();
    sessions = kFirst;
    folder_.emplace();
    write();
    EngineUnderTest opening = under_test_of_file(path());
    opening.settings.store_folder = folder_->path() + "/store";
    // The file is read on this thread, so that its timing is deterministic.
    opening.options.disk = &disk_;
    opening.open(acceptor, venue);
  }
  [[nodiscard]] std::string path() const { return folder_->path() + "/venue.cfg"; }
  void write() { std::ofstream{path()} << config(); }
  void request(std::string_view more) {
    sessions += more;
    write();
    acceptor->request_reload();
  }
  void poll(std::uint32_t loop) { acceptor->poll(std::chrono::nanoseconds{0}, loop); }
  void poll_without_memory(std::uint32_t loop) {
    test::fail_at(1, kAllOfThem);
    poll(loop);
    static_cast<void>(test::stop_failing());
  }
  // Runs until each loop has prepared its part.
  void poll_until_prepared() {
    poll(0);
    poll(1);
  }
  bool logs_on(std::string_view who) {
    RawPeer& peer = connect();
    peer.send(logon(who, 1));
    EXPECT_TRUE(run_all_until([&] { return peer.closed() || !peer.messages().empty(); }))
        << log.all();
    return !peer.closed() && contains(peer.messages().front(), "|35=A|");
  }
  [[nodiscard]] long said(std::string_view part) const {
    return std::ranges::count_if(log.lines,
                                 [&](const std::string& line) { return line.contains(part); });
  }

  static constexpr std::size_t kAllOfThem = 1'000'000;
  static constexpr const char* kFirst =
      "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=TRADER\nEventLoop=0\n";
  static constexpr const char* kOfOne =
      "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=ONE\nEventLoop=1\n";
  static constexpr const char* kOfZero =
      "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=ZERO\nEventLoop=0\n";
  OneThreadDisk disk_;
};

TEST_F(NoMemoryForReloadTest, decided_reload_is_applied_although_the_next_one_is_refused) {
  begin();
  request(kOfOne);
  poll_until_prepared();
  request(kOfZero);
  for (int turn = 0; turn < 6; ++turn) {
    poll(0);
    poll_without_memory(1);
  }
  EXPECT_TRUE(run_all_until([&] { return said("ONE session added") == 1; })) << log.all();
  EXPECT_TRUE(logs_on("ONE")) << log.all();
  EXPECT_FALSE(logs_on("ZERO")) << log.all();
  acceptor->request_reload();
  EXPECT_TRUE(run_all_until([&] { return said("ZERO session added") == 1; })) << log.all();
  EXPECT_TRUE(logs_on("ZERO")) << log.all();
}

TEST_F(NoMemoryForReloadTest, reload_without_a_reported_result_does_not_block_the_next_one) {
  begin();
  request(kOfOne);
  poll_until_prepared();
  poll(0);
  poll(1);
  poll_without_memory(0);
  EXPECT_EQ(said("was read again: "), 0) << log.all();
  request(kOfZero);
  EXPECT_TRUE(run_all_until([&] { return said("was read again: 1 session added") == 1; }))
      << log.all();
  EXPECT_TRUE(logs_on("ONE")) << log.all();
  EXPECT_TRUE(logs_on("ZERO")) << log.all();
}

TEST_F(NoMemoryForReloadTest, unfinished_reload_is_dropped_when_the_loop_stops) {
  begin();
  request(kOfOne);
  poll_until_prepared();
  poll(0);
  poll_without_memory(1);
  acceptor->stop();
  poll_without_memory(1);
  poll(1);
  poll(1);
  EXPECT_EQ(said("ONE session added"), 0) << log.all();
}

TEST_F(NoMemoryForReloadTest, reload_is_applied_at_once_or_at_the_next_attempt) {
  std::size_t tried = 0;
  for (const std::size_t count : {std::size_t{40}, std::size_t{300}}) {
    std::size_t nth = 1;
    for (bool has_failed = true; has_failed && !HasFailure(); nth += stride(count), ++tried) {
      begin();
      request(std::string{kOfOne} + kOfZero);
      {
        [[maybe_unused]] const LeaksOfWireIgnored ignored;
        has_failed = starve_in_turns(nth, count);
      }
      // A request during another reload waits for that reload.
      for (int attempt = 0; attempt < 5 && said("session added") < 2; ++attempt) {
        acceptor->request_reload();
        for (int turn = 0; turn < kTurns; ++turn) poll(static_cast<std::uint32_t>(turn % 2));
      }
      EXPECT_TRUE(logs_on("ONE")) << log.all();
      EXPECT_TRUE(logs_on("ZERO")) << log.all();
      EXPECT_TRUE(logs_on("TRADER")) << log.all();
      EXPECT_FALSE(HasFailure()) << count << " from allocation " << nth << " on";
    }
  }
  EXPECT_GT(tried, 10U);
  std::printf("%zu times without memory for a while\n", tried);
}

TEST_F(NoMemoryForReloadTest, changed_keys_apply_at_once_or_at_the_next_attempt) {
  std::size_t tried = 0;
  for (const std::size_t count : {std::size_t{40}, std::size_t{300}}) {
    std::size_t nth = 1;
    for (bool has_failed = true; has_failed && !HasFailure(); nth += stride(count), ++tried) {
      begin();
      EXPECT_TRUE(logs_on("TRADER")) << log.all();
      sessions = std::string{kFirst} + "MaxHeartBtInt=20\nMaxLatency=60\nThrottleMessages=9\n";
      request({});
      {
        [[maybe_unused]] const LeaksOfWireIgnored ignored;
        has_failed = starve_in_turns(nth, count);
      }
      const auto counts = [&] {
        return said("values now in effect: MaxLatency, ThrottleMessages") > 0;
      };
      for (int attempt = 0; attempt < 5 && !counts(); ++attempt) {
        acceptor->request_reload();
        for (int turn = 0; turn < kTurns; ++turn) poll(static_cast<std::uint32_t>(turn % 2));
      }
      EXPECT_TRUE(counts()) << log.all();
      const auto pending = acceptor->pending_changes();
      ASSERT_EQ(pending.size(), 1U) << log.all();
      EXPECT_EQ(pending[0].keys.until_logon, std::vector<std::string>{"MaxHeartBtInt"});
      peers.clear();
      EXPECT_TRUE(run_all_until([&] { return acceptor->pending_changes().empty(); })) << log.all();
      EXPECT_FALSE(logs_on("TRADER")) << "its 30 s are too many now: " << log.all();
      EXPECT_FALSE(HasFailure()) << count << " from allocation " << nth << " on";
    }
  }
  EXPECT_GT(tried, 10U);
  std::printf("%zu times without memory for a while\n", tried);
}

TEST_F(NoMemoryTest, send_fails_without_memory_and_uses_no_number) {
  std::size_t nth = 1;
  for (bool has_failed = true; has_failed && !HasFailure(); ++nth) {
    begin();
    RawPeer& peer = log_on("TRADER");
    std::vector<std::string> sent;
    has_failed = false;
    std::size_t left = nth;
    for (int i = 0; i < 30; ++i) {
      const std::string id = "OUT" + std::to_string(i);
      const std::uint64_t number = trader().numbers().next_outbound;
      wire::Encoder report = trader().begin("8");
      report.field(11, id).field(150, '0').field(58, std::string(1'000, 'x'));
      if (!has_failed) test::fail_at(left);
      const SendResult result = trader().finish(report);
      if (!has_failed) left -= std::min(left - 1, test::stop_failing());
      has_failed = has_failed || test::has_failed();
      if (result) {
        sent.push_back(id);
        EXPECT_EQ(result->msg_seq_num, number);
      } else {
        EXPECT_EQ(result.error().failure, engine::SendFailure::OutOfMemory);
        EXPECT_EQ(trader().numbers().next_outbound, number);
      }
    }
    EXPECT_GE(sent.size(), 29U);
    EXPECT_TRUE(run_until([&] { return peer.messages().size() == 1 + sent.size(); }))
        << peer.messages().size() << " of " << sent.size() << log.all();
    expect_others_unharmed();
    expect_in_journal(sent);
  }
  EXPECT_GT(nth, 2U);
}

// The search for a masked tag in an outbound message: the message has more fields than any before,
// so memory has to grow first.
class NoMemoryForMaskedTest : public NoMemoryTest {
 protected:
  NoMemoryForMaskedTest() { extra = "LogMaskedTags=5554"; }
};

TEST_F(NoMemoryForMaskedTest, send_fails_without_memory_and_uses_no_number) {
  std::size_t refused = 0;
  for (std::size_t nth = 1; nth <= 8 && !HasFailure(); ++nth) {
    begin();
    log_on("TRADER");
    for (const int fields : {20, 3'000}) {
      const std::uint64_t number = trader().numbers().next_outbound;
      wire::Encoder report = trader().begin("8");
      for (int i = 0; i < fields; ++i) report.field(5'000 + static_cast<wire::Tag>(i % 500), "x");
      test::fail_at(nth);
      const SendResult result = trader().finish(report);
      static_cast<void>(test::stop_failing());
      if (result) {
        EXPECT_EQ(trader().numbers().next_outbound, number + 1);
        continue;
      }
      ++refused;
      EXPECT_EQ(result.error().failure, engine::SendFailure::OutOfMemory);
      EXPECT_EQ(trader().numbers().next_outbound, number);
    }
    expect_others_unharmed();
  }
  EXPECT_GT(refused, 0U);
}

// An operator's command through the socket: the answer states the actual result.
TEST_F(NoMemoryTest, numbers_are_set_or_the_answer_is_an_error) {
  const session::Numbers wanted{.next_inbound = 7, .next_outbound = 40};
  std::size_t refused = 0;
  for (std::size_t nth = 1; nth < 100 && !HasFailure(); ++nth) {
    begin();
    auto asked = std::async(std::launch::async, [&] {
      return engine::set_live_numbers(folder_->path() + "/store",
                                      {.session = "FIX.4.4:VENUE->TRADER",
                                       .expected = {.next_inbound = 1, .next_outbound = 1},
                                       .wanted = wanted,
                                       .reason = "anna: agreed by phone with somebody"});
    });
    std::size_t left = nth;
    bool has_failed = false;
    while (asked.wait_for(std::chrono::milliseconds{0}) != std::future_status::ready) {
      if (!has_failed) test::fail_at(left);
      acceptor->poll(std::chrono::milliseconds{1});
      if (!has_failed) left -= std::min(left - 1, test::stop_failing());
      has_failed = has_failed || test::has_failed();
    }
    const auto done = asked.get();
    if (!done) ++refused;
    const auto said = done ? std::string{"done"} : done.error().text;
    EXPECT_EQ(trader().numbers() == wanted, done.has_value()) << nth << ": " << said;
    expect_others_unharmed();
    const session::Numbers now = trader().numbers();
    acceptor.reset();
    peers.clear();
    open_in(folder_->path());
    EXPECT_EQ(trader().numbers(), now) << nth << ": " << said;
    if (!has_failed) break;
  }
  EXPECT_GT(refused, 0U);
}

// Nothing comes, and the clock passes the times at which the loop looks at the disk and at buffers.
// All allocations fail, those of reports as well.
TEST_F(NoMemoryTest, idle_turns_go_on) {
  begin();
  RawPeer& peer = log_on("TRADER");
  turn(5);
  for (int turn = 0; turn < 100; ++turn) {
    clock.advance(std::chrono::milliseconds{250});
    test::fail_at(1, 1'000'000);
    EXPECT_TRUE(acceptor->poll(std::chrono::nanoseconds{0})) << turn;
    static_cast<void>(test::stop_failing());
  }
  expect_others_unharmed();
  peer.send(order("TRADER", 2, "A"));
  EXPECT_TRUE(run_until([&] { return is_sent("|11=A|"); })) << log.all();
  EXPECT_FALSE(peer.closed()) << log.all();
}

// Outside of an event the loop cannot roll anything back: it ends in order.
TEST_F(NoMemoryTest, stop_logs_out_or_ends_in_order) {
  std::size_t ended = 0;
  std::size_t nth = 1;
  for (bool has_failed = true; has_failed && !HasFailure(); ++nth) {
    begin();
    RawPeer& peer = log_on("TRADER");
    peer.send(order("TRADER", 2, "A"));
    EXPECT_TRUE(run_until([&] { return is_sent("|11=A|"); })) << log.all();
    connect();  // and sends no Logon
    turn(5);
    acceptor->stop();
    has_failed = fail_in_turns(nth);
    const bool has_ended = log.has("the engine ends in order");
    clock.advance(std::chrono::minutes{1});  // No counterparty answers its Logout.
    EXPECT_TRUE(run_until([&] {
      return std::ranges::all_of(peers, [](const auto& one) { return one->closed(); });
    })) << log.all();
    EXPECT_EQ(acceptor->run(), has_ended ? 1 : 0) << log.all();
    EXPECT_EQ(venue.logouts, 2) << "allocation " << nth << "\n" << log.all();
    if (has_ended) {
      ++ended;
      wire::Encoder report = trader().begin("8");
      report.field(11, "B");
      const SendResult result = trader().finish(report);
      ASSERT_FALSE(result.has_value());
      EXPECT_EQ(result.error().failure, engine::SendFailure::StoreStopped);
      EXPECT_EQ(
          std::ranges::count_if(
              log.lines, [](const std::string& line) { return line.contains("ends in order"); }),
          1);
    }
    const session::Numbers now = trader().numbers();
    expect_in_journal({"A"});
    EXPECT_EQ(trader().numbers(), now) << "allocation " << nth << "\n" << log.all();
  }
  EXPECT_GT(ended, 0U);
  std::printf("%zu allocations failed, each alone; the engine ended %zu times\n", nth - 1, ended);
}

TEST_F(NoMemoryTest, post_is_done_once_or_returns_the_reason) {
  std::size_t nth = 1;
  for (bool has_failed = true; has_failed && !HasFailure(); ++nth) {
    begin();
    RawPeer& peer = log_on("TRADER");
    engine::Remote remote = acceptor->remote();
    std::vector<engine::PostResult::Outcome> outcomes;
    outcomes.reserve(1);
    const engine::SessionHandle handle = trader().handle();
    bool is_posted = false;
    std::thread{[&] {
      test::fail_at(nth);
      is_posted = remote
                      .post(
                          handle, [](Session& s) { EchoVenue::answer(s, "P"); },
                          [&](const engine::PostResult& one) { outcomes.push_back(one.outcome); })
                      .has_value();
      static_cast<void>(test::stop_failing());
    }}.join();
    ASSERT_TRUE(is_posted);
    has_failed = fail_in_turns(nth);
    expect_others_unharmed();
    ASSERT_EQ(outcomes.size(), 1U);
    turn(5);
    EXPECT_TRUE(peer.messages().size() == 2 || outcomes[0] == engine::PostResult::Outcome::Threw)
        << log.all();
    if (peer.messages().size() == 2) expect_in_journal({"P"});
  }
}

}  // namespace
}  // namespace nexusfix::testing
