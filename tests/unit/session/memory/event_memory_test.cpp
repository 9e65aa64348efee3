// Several state machines with one EventMemory, as in an event loop.
#include <array>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "unit/session/side.hpp"

namespace nexusfix::session::test {
namespace {

class Machine {
 public:
  Machine(std::string_view counterparty, EventMemory& memory)
      : machine_{config_of(counterparty), {}, &memory} {}

  void connect() {
    machine_.on_connected(now_);
    static_cast<void>(consume_all());
  }
  // Takes no action.
  void receive(std::string_view fields) {
    bytes_ = message_to(machine_.config(), now_, fields);
    const auto message = parser_.parse(bytes_);
    ASSERT_TRUE(message.has_value());
    message_ = *message;
    machine_.on_message(message_, now_);
  }
  void log_on() {
    connect();
    receive("35=A|34=1|98=0|108=30");
    static_cast<void>(consume_all());
    ASSERT_EQ(machine_.state(), State::LoggedOn);
  }
  [[nodiscard]] std::vector<Action> consume_all() {
    std::vector<Action> all;
    while (const auto action = machine_.next_action(scratch_)) all.push_back(*action);
    return all;
  }
  [[nodiscard]] StateMachine& machine() noexcept { return machine_; }
  [[nodiscard]] Now now() const noexcept { return now_; }

 private:
  static SessionConfig config_of(std::string_view counterparty) {
    SessionConfig config = acceptor_config();
    config.id.target_comp_id = counterparty;
    return config;
  }

  StateMachine machine_;
  wire::Parser parser_;
  wire::MessageView message_;
  std::string bytes_;
  std::array<char, StateMachine::kScratchBytes> scratch_{};
  Now now_ = test_start();
};

template <class Wanted>
std::size_t count_of(const std::vector<Action>& actions) {
  std::size_t count = 0;
  for (const Action& one : actions) count += std::holds_alternative<Wanted>(one) ? 1U : 0U;
  return count;
}

TEST(EventMemory, serves_the_events_of_several_machines_in_turn) {
  EventMemory memory;
  Machine one{"ONE", memory};
  Machine other{"OTHER", memory};
  one.log_on();
  other.log_on();
  for (int i = 2; i < 50; ++i) {
    for (Machine* const machine : {&one, &other}) {
      machine->receive("35=1|34=" + std::to_string(i) + "|112=PING");
      const std::vector<Action> actions = machine->consume_all();
      ASSERT_EQ(actions.size(), 1U) << i;
      EXPECT_NE(std::get<Transmit>(actions[0]).bytes.find("112=PING"), std::string_view::npos);
    }
  }
  EXPECT_EQ(one.machine().sequence_numbers(), other.machine().sequence_numbers());
}

// Its actions are not taken, and their memory is another event's then.
TEST(EventMemory, the_end_of_a_session_is_reported_after_its_event_was_rolled_back) {
  EventMemory memory;
  Machine one{"ONE", memory};
  Machine other{"OTHER", memory};
  one.log_on();
  other.log_on();
  one.receive("35=5|34=2");
  one.machine().roll_back({2, 2});
  other.receive("35=1|34=2|112=PING");
  EXPECT_EQ(other.consume_all().size(), 1U);
  one.machine().on_disconnected(one.now());
  const std::vector<Action> left = one.consume_all();
  EXPECT_EQ(count_of<LoggedOut>(left), 1U);
  EXPECT_EQ(left.size(), 1U);
}

TEST(EventMemory, a_reset_follows_after_its_event_was_rolled_back) {
  EventMemory memory;
  Machine one{"ONE", memory};
  Machine other{"OTHER", memory};
  other.log_on();
  one.machine().on_session_end("over", one.now());
  one.machine().roll_back({5, 7});
  other.receive("35=1|34=2|112=PING");
  EXPECT_EQ(other.consume_all().size(), 1U);
  one.machine().on_disconnected(one.now());
  EXPECT_EQ(count_of<Reset>(one.consume_all()), 1U);
  EXPECT_EQ(one.machine().sequence_numbers(), (Numbers{1, 1}));
}

}  // namespace
}  // namespace nexusfix::session::test
