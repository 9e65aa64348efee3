// The event that names who costs an event loop its time.
#include <algorithm>
#include <functional>
#include <thread>

#include "engine/ground/event_boundary.hpp"
#include "unit/engine/support/acceptor_fixture.hpp"

namespace nexusfix::testing {
namespace {

using std::chrono::milliseconds;

class LoopCostsTest : public AcceptorTest {
 protected:
  // Each order of TRADER takes this time, each of OTHER a tenth.
  void open_with_slow_orders(milliseconds time) {
    venue.before_answer = [this, time](Session&, const MessageView& message) {
      clock.advance(message[49] == "TRADER" ? time : time / 10);
    };
    open();
    trader_ = &log_on("TRADER");
    other_ = &log_on("OTHER");
  }
  void send_orders(int count) {
    for (int i = 0; i < count; ++i) {
      trader_->send(order("TRADER", next_, "T"));
      other_->send(order("OTHER", next_, "O"));
      ++next_;
      ASSERT_TRUE(run_until([&] {
        return trader_->messages().size() == next_ - 1 && other_->messages().size() == next_ - 1;
      })) << log.all();
    }
  }
  [[nodiscard]] bool is_named(std::string_view who) const {
    return log.has(EventId::LoopCostly, std::string{who} + " took ");
  }
  [[nodiscard]] std::ptrdiff_t count_named() const {
    return std::ranges::count(log.ids, EventId::LoopCostly);
  }

  RawPeer* trader_ = nullptr;
  RawPeer* other_ = nullptr;
  std::uint64_t next_ = 2;
};

TEST_F(LoopCostsTest, session_that_takes_most_of_the_time_is_named) {
  open_with_slow_orders(milliseconds{20});
  send_orders(70);
  EXPECT_TRUE(is_named("FIX.4.4:VENUE->TRADER")) << log.all();
  EXPECT_FALSE(is_named("FIX.4.2:VENUE->OTHER")) << log.all();
  EXPECT_EQ(count_named(), 1) << log.all();
}

TEST_F(LoopCostsTest, loop_with_short_turns_names_no_session) {
  open_with_slow_orders(milliseconds{1});
  send_orders(100);
  EXPECT_EQ(count_named(), 0) << log.all();
}

struct SlowResendVenue : EchoVenue {
  SendDecision on_sending(Session&, OutgoingMessage& message) const {
    if (message.is_resend()) clock->advance(milliseconds{1});
    return SendDecision::Send;
  }
  ManualClock* clock = nullptr;
};

class SlowResendTest : public LoopCostsTest {
 protected:
  void TearDown() override { acceptor.reset(); }

  SlowResendVenue slow_;
};

TEST_F(SlowResendTest, session_whose_resend_takes_most_of_the_time_is_named) {
  slow_.clock = &clock;
  under_test().open(acceptor, slow_);
  trader_ = &log_on("TRADER");
  Session& session = *acceptor->find_session("FIX.4.4:VENUE->TRADER");
  constexpr std::size_t kNews = 2'000;
  for (std::size_t i = 0; i < kNews; ++i) EchoVenue::send_text(session, 10);
  ASSERT_TRUE(run_until([&] { return trader_->messages().size() == kNews + 1; })) << log.all();
  trader_->send(from("TRADER", "2", 2, "7=1|16=0|"));
  ASSERT_TRUE(run_until([&] { return trader_->messages().size() >= 2 * kNews; })) << log.all();
  turn(2);
  EXPECT_TRUE(is_named("FIX.4.4:VENUE->TRADER")) << log.all();
}

TEST_F(LoopCostsTest, session_whose_timers_take_most_of_the_time_is_named) {
  open();
  trader_ = &log_on("TRADER");
  int calls = 0;
  std::function<void(Session&)> slow = [&](Session& session) {
    clock.advance(milliseconds{20});
    if (++calls < 80) session.call_after(milliseconds{0}, [&](Session& same) { slow(same); });
  };
  acceptor->find_session("FIX.4.4:VENUE->TRADER")
      ->call_after(milliseconds{0}, [&](Session& session) { slow(session); });
  ASSERT_TRUE(run_until([&] { return calls == 80; })) << log.all();
  EXPECT_TRUE(is_named("FIX.4.4:VENUE->TRADER")) << log.all();
}

TEST_F(LoopCostsTest, session_whose_posted_tasks_take_most_of_the_time_is_named) {
  open();
  trader_ = &log_on("TRADER");
  engine::Remote remote = acceptor->remote();
  const SessionHandle handle = acceptor->find_session("FIX.4.4:VENUE->TRADER")->handle();
  for (int i = 0; i < 80; ++i) {
    ASSERT_TRUE(remote.post(handle, [this](Session&) { clock.advance(milliseconds{20}); }));
    turn(1);
  }
  turn(2);
  EXPECT_TRUE(is_named("FIX.4.4:VENUE->TRADER")) << log.all();
}

class LoopStallTest : public LoopCostsTest {
 protected:
  // run() gets these orders in one turn, and ends after the answers.
  void run_with_orders_of(const std::vector<std::string>& senders) {
    std::vector<std::size_t> expected;
    for (const auto& peer : peers) expected.push_back(peer->messages().size());
    for (const std::string& sender : senders) {
      const std::size_t at = sender == "TRADER" ? 0 : 1;
      peers[at]->send(order(sender, 2, "S"));
      ++expected[at];
      while (!peers[at]->all_sent()) peers[at]->poll();
    }
    std::thread counterparties{[&] {
      for (std::size_t at = 0; at < peers.size(); ++at) {
        while (peers[at]->messages().size() < expected[at]) peers[at]->poll();
      }
      // The clock stands still: no Logout could time out.
      peers.clear();
      acceptor->stop();
    }};
    EXPECT_EQ(acceptor->run(), 0);
    counterparties.join();
  }
  [[nodiscard]] std::string stalls() const {
    std::string found;
    for (const std::string& line : log.lines) {
      if (line.contains("one turn of the event loop took")) found += line + '\n';
    }
    return found;
  }
};

TEST_F(LoopStallTest, one_stall_is_reported_with_the_sessions_that_it_served) {
  open_with_slow_orders(milliseconds{300});
  run_with_orders_of({"TRADER"});
  EXPECT_EQ(stalls(),
            " one turn of the event loop took 300 ms. It served FIX.4.4:VENUE->TRADER. The other "
            "sessions of this loop waited meanwhile\n")
      << log.all();
}

TEST_F(LoopStallTest, stall_below_a_quarter_of_a_second_is_not_reported) {
  open_with_slow_orders(milliseconds{249});
  run_with_orders_of({"TRADER"});
  EXPECT_EQ(stalls(), "") << log.all();
}

TEST_F(LoopStallTest, stall_of_several_sessions_names_each) {
  open_with_slow_orders(milliseconds{250});
  run_with_orders_of({"TRADER", "OTHER"});
  EXPECT_TRUE(stalls().contains("FIX.4.4:VENUE->TRADER")) << log.all();
}

// A program that calls poll() may sleep between two calls.
TEST_F(LoopStallTest, time_between_two_polls_is_no_stall) {
  open_with_slow_orders(milliseconds{0});
  for (int i = 0; i < 5; ++i) {
    send_orders(1);
    clock.advance(std::chrono::seconds{2});
    turn(3);
  }
  EXPECT_EQ(stalls(), "") << log.all();
}

constexpr MonoTime kBegin{std::chrono::hours{1}};

TEST(LoopCosts, only_a_slow_turn_begins_a_window_of_a_second) {
  engine::LoopCosts costs;
  costs.begin_turn(kBegin);
  costs.end_turn(kBegin + milliseconds{1});
  EXPECT_FALSE(costs.is_measuring());
  costs.end_turn(kBegin + milliseconds{500});  // slept since
  EXPECT_FALSE(costs.is_measuring());
  costs.begin_turn(kBegin);
  costs.forget_turn();
  costs.end_turn(kBegin + milliseconds{500});
  EXPECT_FALSE(costs.is_measuring());
  costs.begin_turn(kBegin);
  costs.end_turn(kBegin + milliseconds{2});
  EXPECT_TRUE(costs.is_measuring());
  EXPECT_FALSE(costs.is_due(kBegin + milliseconds{1'001}));
  EXPECT_TRUE(costs.is_due(kBegin + milliseconds{1'002}));
}

TEST(LoopCosts, who_takes_a_quarter_of_a_window_is_named_once_a_minute) {
  engine::LoopCosts costs;
  ManualClock clock;
  const engine::LoopClock time{clock};
  int names = 0;
  const auto step = [&](transport::SocketId socket, const char* name, milliseconds takes) {
    const auto name_of = [&] {
      ++names;
      return std::string{name};
    };
    costs.measure({nullptr, socket}, time, name_of, [&] { clock.advance(takes); });
  };
  const auto window = [&](MonoTime at, milliseconds of_one) {
    costs.begin_turn(at - milliseconds{5});
    costs.end_turn(at);
    // Its two connections count together.
    for (transport::SocketId i = 0; i < 10; ++i) step(1 + i % 2, "ONE", of_one / 10);
    step(3, "OTHER", milliseconds{20});
    return costs.end_window(at + milliseconds{1'000});
  };
  EXPECT_FALSE(window(kBegin, milliseconds{240}));
  const auto named = window(kBegin, milliseconds{250});
  ASSERT_TRUE(named);
  EXPECT_EQ(named->who, "ONE");
  EXPECT_EQ(named->events, 10U);
  EXPECT_EQ(named->time, milliseconds{250});
  EXPECT_EQ(named->window, milliseconds{1'000});
  EXPECT_EQ(names, 6);  // once for each owner in each window
  EXPECT_FALSE(window(kBegin + std::chrono::seconds{59}, milliseconds{900}));
  EXPECT_TRUE(window(kBegin + std::chrono::seconds{61}, milliseconds{900}));
  EXPECT_FALSE(costs.is_measuring());
}

TEST(LoopCosts, stall_has_the_owners_of_its_turn_and_is_reported_once_a_minute) {
  engine::LoopCosts costs;
  const auto turn = [&](MonoTime at, milliseconds takes, std::size_t events) {
    costs.begin_turn(at);
    for (std::size_t i = 0; i < events; ++i) costs.count({nullptr, i + 1});
    costs.end_turn(at + takes);
    return costs.is_due(at + takes) ? costs.consume_stall(at + takes, true) : std::nullopt;
  };
  EXPECT_FALSE(turn(kBegin, milliseconds{249}, 1));
  EXPECT_TRUE(costs.is_measuring());
  const auto found = turn(kBegin, milliseconds{250}, engine::LoopCosts::kServedMax + 2);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->time, milliseconds{250});
  EXPECT_EQ(found->served.size(), engine::LoopCosts::kServedMax);
  EXPECT_EQ(found->served.front().socket, 1U);
  EXPECT_EQ(found->more, 2U);
  EXPECT_TRUE(costs.is_measuring());  // the window goes on
  EXPECT_FALSE(turn(kBegin + std::chrono::seconds{59}, milliseconds{900}, 1));
  const auto next = turn(kBegin + std::chrono::seconds{61}, milliseconds{900}, 1);
  ASSERT_TRUE(next);
  EXPECT_EQ(next->served.size(), 1U);
  EXPECT_EQ(next->more, 0U);
}

}  // namespace
}  // namespace nexusfix::testing
