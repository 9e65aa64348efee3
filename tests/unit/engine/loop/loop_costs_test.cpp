// The event that names who costs an event loop its time.
#include "engine/loop/loop_costs.hpp"

#include <algorithm>

#include "unit/engine/acceptor/acceptor_fixture.hpp"

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
  EXPECT_FALSE(costs.is_over(kBegin + milliseconds{1'001}));
  EXPECT_TRUE(costs.is_over(kBegin + milliseconds{1'002}));
}

TEST(LoopCosts, who_takes_a_quarter_of_a_window_is_named_once_a_minute) {
  engine::LoopCosts costs;
  const auto window = [&](MonoTime at, milliseconds of_one) {
    costs.begin_turn(at - milliseconds{5});
    costs.end_turn(at);
    for (int i = 0; i < 10; ++i) costs.add("ONE", of_one / 10);
    costs.add("OTHER", milliseconds{20});
    return costs.end_window(at + milliseconds{1'000});
  };
  EXPECT_FALSE(window(kBegin, milliseconds{240}));
  const auto named = window(kBegin, milliseconds{250});
  ASSERT_TRUE(named);
  EXPECT_EQ(named->who, "ONE");
  EXPECT_EQ(named->events, 10U);
  EXPECT_EQ(named->time, milliseconds{250});
  EXPECT_EQ(named->window, milliseconds{1'000});
  EXPECT_FALSE(window(kBegin + std::chrono::seconds{59}, milliseconds{900}));
  EXPECT_TRUE(window(kBegin + std::chrono::seconds{61}, milliseconds{900}));
  EXPECT_FALSE(costs.is_measuring());
}

}  // namespace
}  // namespace nexusfix::testing
