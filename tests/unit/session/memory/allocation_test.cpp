// The state machine does not allocate after its construction. operator new of this program counts.
#include <array>
#include <gtest/gtest.h>

#include <nexusfix/wire/field.hpp>

#include "support/counted_new.hpp"
#include "unit/session/side.hpp"

namespace nexusfix::session::test {
namespace {

using nexusfix::test::allocations;

// Performs the actions like an owner that allocates no memory.
class BareOwner {
 public:
  BareOwner() : machine_{acceptor_config(), {}} {}

  void connect(Now now) {
    machine_.on_connected(now);
    drain(now);
  }
  void receive(std::string_view frame, Now now) {
    const auto message = parser_.parse(frame);
    machine_.on_message(*message, now);
    drain(now);
  }
  void wake(Now now) {
    machine_.on_time(now);
    drain(now);
  }

  StateMachine& machine() { return machine_; }
  std::size_t delivered = 0;

 private:
  void drain(Now now) {
    while (const auto action = machine_.next_action(scratch_)) {
      if (std::holds_alternative<Deliver>(*action)) {
        ++delivered;
        reply(now);
        machine_.on_delivered(
            {.kind = delivered % 2 == 0 ? detail::DeliveryDecision::Kind::Accept
                                        : detail::DeliveryDecision::Kind::RejectBusiness,
             .reason = 5,
             .ref_tag = 38,
             .text = "no"},
            now);
      }
      if (const auto* replay = std::get_if<Replay>(&*action)) serve(*replay, now);
    }
  }
  void reply(Now now) {
    wire::Encoder encoder = machine_.begin_message(buffer_, "8", now);
    encoder.field(tag::Text, "report");
    const auto outbound = machine_.finish_message(encoder);
    last_number_ = outbound->msg_seq_num;
    last_bytes_ = outbound->bytes;
  }
  void serve(const Replay& replay, Now now) {
    if (last_number_ >= replay.begin && last_number_ <= replay.end) {
      machine_.on_replay_message(last_number_, last_bytes_, now);
      drain(now);
    }
    machine_.on_replay_done(now);
    drain(now);
  }

  StateMachine machine_;
  wire::Parser parser_;
  std::array<char, StateMachine::kScratchBytes> scratch_;
  std::array<char, 1'024> buffer_;
  std::uint64_t last_number_ = 0;
  std::string_view last_bytes_;
};

TEST(Allocation, none_from_logon_to_logout) {
  // The layer's contract: no allocation after construction, with any input.
  const SessionConfig config = acceptor_config();
  Now now = test_start();
  std::vector<std::string> frames;
  const auto add = [&](const std::string& fields) {
    frames.push_back(message_to(config, now, fields));
  };
  add("35=A|34=1|98=0|108=30");
  for (int n = 2; n < 200; ++n) add("35=D|34=" + std::to_string(n) + "|115=X|11=id");
  add("35=1|34=200|112=X");
  add("35=D|34=205|11=early");
  add("35=2|34=206|7=1|16=0");
  add("35=4|34=201|43=Y|36=207|123=Y");
  add("35=0|34=207|-5=x");
  add("35=D|34=3|43=Y|11=no original time");
  add("35=D|34=208|49=WRONG|11=x");
  add("35=5|34=209");

  BareOwner owner;
  owner.connect(now);
  for (const std::string& frame : frames) owner.receive(frame, now);  // grows the parser's index
  owner.machine().on_disconnected(now);
  std::array<char, StateMachine::kScratchBytes> scratch;
  while (owner.machine().next_action(scratch)) {
  }

  BareOwner measured;
  measured.connect(now);
  measured.receive(frames[0], now);
  const std::size_t before = allocations;
  for (std::size_t i = 1; i < frames.size(); ++i) measured.receive(frames[i], now);
  now.mono += 10s;
  measured.wake(now);
  const std::size_t after = allocations;
  EXPECT_EQ(after - before, 0U);
  EXPECT_EQ(measured.delivered, 198U);
  EXPECT_EQ(measured.machine().state(), State::Disconnected);
}

TEST(Allocation, counter_counts) {
  // The test above must be able to fail.
  const std::size_t before = allocations;
  const std::string long_enough(1'000, 'x');
  EXPECT_GT(allocations, before);
  EXPECT_EQ(long_enough.size(), 1'000U);
}

}  // namespace
}  // namespace nexusfix::session::test
