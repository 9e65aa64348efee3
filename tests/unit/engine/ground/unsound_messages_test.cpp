// ValidateLengthAndChecksum=N: messages with a wrong BodyLength or CheckSum are accepted.
#include <nexusfix/base/clock.hpp>

#include "engine/ground/connection/repaired_frame.hpp"
#include "unit/engine/support/acceptor_fixture.hpp"

namespace nexusfix::testing {
namespace {

using engine::BodyLengthRule;
using engine::first_message_size;
using engine::repaired_frame;

std::string with_length(std::string message, const std::string& length) {
  const std::size_t at = message.find(
                             "\x01"
                             "9=") +
                         3;
  return message.replace(at, message.find('\x01', at) - at, length);
}
std::string with_check_sum(std::string message, const std::string& sum) {
  const std::size_t at = message.rfind(
                             "\x01"
                             "10=") +
                         4;
  return message.replace(at, message.find('\x01', at) - at, sum);
}
int length_of(const std::string& message) {
  return std::stoi(message.substr(message.find("\x01"
                                               "9=") +
                                  3));
}

TEST(RepairedFrame, repaired_frame_is_the_intended_message) {
  SeededRandom random{7};
  const std::string message = fix("FIX.4.4", "35=D|49=A|56=B|34=2|11=x|55=10|58=10=1|");
  for (int i = 0; i < 1'000; ++i) {
    std::string broken = with_length(message, std::to_string(random.below(100'000)));
    if (random.below(2) == 0) broken = with_check_sum(broken, std::to_string(random.below(9'999)));
    EXPECT_EQ(repaired_frame(broken, BodyLengthRule::Any), message) << bar(broken);
    EXPECT_EQ(first_message_size(broken), broken.size());
    EXPECT_EQ(first_message_size(broken + message), broken.size());
    EXPECT_EQ(first_message_size(broken + broken + message), broken.size());
  }
  EXPECT_EQ(repaired_frame(with_check_sum(message, "x"), BodyLengthRule::Valid), message);
  EXPECT_EQ(repaired_frame(with_length(message, "1"), BodyLengthRule::Valid), "");
}

TEST(RepairedFrame, repaired_frame_accepts_any_bytes) {
  SeededRandom random{8};
  const std::string message = fix("FIX.4.4", "35=D|49=A|56=B|34=2|11=x|");
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes = message.substr(random.below(5), random.below(message.size()));
    for (std::uint64_t n = random.below(4); n > 0 && !bytes.empty(); --n) {
      bytes[random.below(bytes.size())] = "\x01=0819A"[random.below(7)];
    }
    EXPECT_LE(first_message_size(bytes), bytes.size());
    const std::string repaired = repaired_frame(bytes, BodyLengthRule::Any);
    if (repaired.empty()) continue;
    EXPECT_EQ(repaired_frame(repaired, BodyLengthRule::Valid), repaired);
  }
}

class UnsoundMessagesTest : public AcceptorTest {
 protected:
  UnsoundMessagesTest() { extra = "ValidateLengthAndChecksum=N"; }
  void expect_orders(RawPeer& peer, const std::vector<std::string>& ids) {
    EXPECT_TRUE(run_until([&] { return venue.orders.size() >= ids.size() || peer.closed(); }))
        << log.all();
    EXPECT_EQ(venue.orders, ids) << log.all();
  }
};

TEST_F(UnsoundMessagesTest, wrong_check_sums_and_lengths_are_accepted_for_any_split) {
  open();
  RawPeer& peer = log_on("TRADER");
  const std::string first = order("TRADER", 2, "A");
  const std::string all =
      with_check_sum(first, "000") + with_length(order("TRADER", 3, "B"), "5") +
      with_check_sum(order("TRADER", 4, "C"), "7") +
      with_length(order("TRADER", 5, "D"), std::to_string(length_of(first) - 1)) +
      order("TRADER", 6, "E");
  for (const char c : all) {
    peer.send({&c, 1});
    turn(1);
  }
  expect_orders(peer, {"A", "B", "C", "D", "E"});
  EXPECT_EQ(acceptor->statistics().loops[0].garbled, 0U);
}

// QuickFIX reads both as one message; here none is lost.
TEST_F(UnsoundMessagesTest, length_that_reaches_into_the_next_message_loses_neither) {
  open();
  RawPeer& peer = log_on("TRADER");
  const std::string long_one = order("TRADER", 2, "A");
  peer.send(with_length(long_one, std::to_string(length_of(long_one) + 30)) +
            order("TRADER", 3, "B") + order("TRADER", 4, "C"));
  expect_orders(peer, {"A", "B", "C"});
  peer.send(with_length(order("TRADER", 5, "D"), "300") +
            with_check_sum(order("TRADER", 6, "E"), "1") + order("TRADER", 7, "F"));
  expect_orders(peer, {"A", "B", "C", "D", "E", "F"});
}

TEST_F(UnsoundMessagesTest, logon_with_a_wrong_check_sum_follows_the_rule_of_its_session) {
  extra.clear();
  sessions =
      "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=TRADER\n"
      "ValidateLengthAndChecksum=N\n"
      "[SESSION]\nBeginString=FIX.4.2\nSenderCompID=VENUE\nTargetCompID=OTHER\n"
      "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\nTargetCompID=SUMS\n"
      "ValidateChecksum=N\n";
  open();
  const auto is_taken = [&](const std::string& logon_text) {
    RawPeer& peer = connect();
    peer.send(logon_text);
    EXPECT_TRUE(run_until([&] { return peer.closed() || !peer.messages().empty(); }));
    return !peer.messages().empty();
  };
  EXPECT_FALSE(is_taken(with_check_sum(logon("OTHER", 1), "000")));
  EXPECT_TRUE(log.has("what came first is no FIX message: CheckSum is wrong")) << log.all();
  EXPECT_FALSE(is_taken(with_length(logon("SUMS", 1), "12")));
  EXPECT_TRUE(is_taken(with_check_sum(logon("SUMS", 1), "000"))) << log.all();
  EXPECT_TRUE(is_taken(with_length(logon("TRADER", 1), "12"))) << log.all();
  EXPECT_FALSE(is_taken(with_check_sum(logon("STRANGER", 1), "000")));
}

TEST_F(UnsoundMessagesTest, wrong_length_is_garbled_if_only_check_sums_are_ignored) {
  extra = "ValidateChecksum=N";
  open();
  RawPeer& peer = log_on("TRADER");
  peer.send(with_check_sum(order("TRADER", 2, "A"), "000"));
  expect_orders(peer, {"A"});
  peer.send(with_length(order("TRADER", 3, "B"), "5"));
  EXPECT_TRUE(run_until([&] { return acceptor->statistics().loops[0].garbled == 1; })) << log.all();
  EXPECT_EQ(venue.orders.size(), 1U);
}

TEST_F(UnsoundMessagesTest, wrong_check_sum_is_garbled_by_default) {
  extra.clear();
  open();
  RawPeer& peer = log_on("TRADER");
  peer.send(with_check_sum(order("TRADER", 2, "A"), "000"));
  EXPECT_TRUE(run_until([&] { return acceptor->statistics().loops[0].garbled == 1; })) << log.all();
  EXPECT_TRUE(venue.orders.empty());
}

TEST_F(UnsoundMessagesTest, message_held_during_a_gap_is_accepted_in_its_turn) {
  open();
  RawPeer& peer = log_on("TRADER");
  peer.send(with_check_sum(order("TRADER", 3, "B"), "000"));
  EXPECT_TRUE(run_until([&] { return peer.messages().size() == 2; })) << log.all();
  EXPECT_TRUE(contains(peer.messages()[1], "|35=2|"));
  peer.send(with_length(order("TRADER", 2, "A"), "9"));
  expect_orders(peer, {"A", "B"});
}

}  // namespace
}  // namespace nexusfix::testing
