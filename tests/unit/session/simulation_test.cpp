// Two machines, a connection that breaks at any moment and loses the bytes on its way, and messages
// of both applications at any time: every message arrives, in order, once, and the numbers agree.
#include <array>
#include <cstdint>
#include <deque>
#include <gtest/gtest.h>
#include <iostream>
#include <string>
#include <vector>

#include <nexusfix/base/clock.hpp>

#include "support/sanitized.hpp"
#include "unit/session/side.hpp"

namespace nexusfix::session::test {
namespace {

constexpr std::uint64_t kSeeds = 600 / case_step(4);
constexpr int kSteps = 500;
constexpr int kSettlingRoundsMax = 400;

class Simulation {
 public:
  explicit Simulation(std::uint64_t seed)
      : random_{seed},
        initiator_{simulated(initiator_config(), random_)},
        acceptor_{simulated(acceptor_config(), random_)} {
    for (Side* side : {&initiator_, &acceptor_}) {
      side->can_buffer = random_.below(4) != 0;
      side->serves_replays_in_slices = random_.below(2) == 0;
    }
    acceptor_.application = [this](Side&, const Deliver&) {
      if (random_.below(3) == 0) send(acceptor_, acceptor_sent_);
      return detail::DeliveryDecision{};
    };
  }

  void run() {
    for (int step = 0; step < kSteps; ++step) run_step();
    settle();
  }

  void check() {
    check_delivery(initiator_sent_, acceptor_);
    check_delivery(acceptor_sent_, initiator_);
    EXPECT_EQ(initiator_.next_out(), acceptor_.next_in());
    EXPECT_EQ(acceptor_.next_out(), initiator_.next_in());
    EXPECT_EQ(initiator_.resets + acceptor_.resets, 0);
    // The work is bounded: each message can be lost and requested again at most once with each
    // connection.
    const std::uint64_t messages = initiator_.next_out() + acceptor_.next_out();
    EXPECT_LE(transmitted_, 4 * messages * (connections_ + 1));
  }

  [[nodiscard]] std::uint64_t delivered() const {
    return initiator_.delivered.size() + acceptor_.delivered.size();
  }
  [[nodiscard]] std::uint64_t lost() const { return lost_; }
  [[nodiscard]] std::uint64_t resent() const { return resent_; }

 private:
  // Each side has its own ways to close a gap.
  static SessionConfig simulated(SessionConfig config, SeededRandom& random) {
    config.heartbeat.heart_bt_int = 5s;
    config.gap.resend_timeout = 4s;
    config.gap.resend_request_chunk = random.below(2) * (4 + random.below(20));
    if (random.below(2) == 0) config.gap.closed_resend_requests = random.below(2) == 0;
    config.gap.send_redundant_resend_requests = random.below(8) == 0;
    return config;
  }

  void run_step() {
    switch (random_.below(16)) {
      case 0:
      case 1:
      case 2:
        send(initiator_, initiator_sent_);
        break;
      case 3:
      case 4:
        send(acceptor_, acceptor_sent_);
        break;
      case 5:
        advance(std::chrono::milliseconds{random_.below(12'000)});
        break;
      case 6:
        advance(std::chrono::milliseconds{random_.below(200)});
        break;
      case 7:
        if (random_.below(4) == 0) break_link();
        break;
      case 8:
        if (random_.below(8) == 0) (random_.below(2) == 0 ? initiator_ : acceptor_).log_out();
        break;
      case 9:
      case 10:
        connect();
        break;
      case 11:
        initiator_.serve_slice();
        break;
      case 12:
        acceptor_.serve_slice();
        break;
      default:
        carry(random_.below(6), random_.below(6));
        break;
    }
    collect();
  }

  void send(Side& side, std::vector<std::string>& sent) {
    sent.push_back("message " + std::to_string(sent.size()));
    ASSERT_NE(side.send("D", sent.back()), 0U);
  }

  void advance(MonoTime::duration duration) {
    initiator_.advance(duration);
    acceptor_.advance(duration);
  }

  void connect() {
    if (initiator_.is_connected() || acceptor_.is_connected()) return;
    to_acceptor_.clear();
    to_initiator_.clear();
    ++connections_;
    acceptor_.connect();
    initiator_.connect();
  }

  // Onto the wire, if it is connected: messages sent before a close arrive.
  void collect() {
    for (std::string& bytes : initiator_.consume_wire()) to_acceptor_.push_back(std::move(bytes));
    for (std::string& bytes : acceptor_.consume_wire()) to_initiator_.push_back(std::move(bytes));
  }

  void carry(std::uint64_t up, std::uint64_t down) {
    for (; up > 0 && !to_acceptor_.empty(); --up) deliver(to_acceptor_, acceptor_);
    for (; down > 0 && !to_initiator_.empty(); --down) deliver(to_initiator_, initiator_);
    // The end of the stream comes after the messages sent before it.
    if (!initiator_.is_connected() && to_acceptor_.empty() && acceptor_.is_connected()) {
      acceptor_.disconnect();
    }
    if (!acceptor_.is_connected() && to_initiator_.empty() && initiator_.is_connected()) {
      initiator_.disconnect();
    }
  }

  void deliver(std::deque<std::string>& from, Side& to) {
    const std::string bytes = std::move(from.front());
    from.pop_front();
    ++transmitted_;
    resent_ += bytes.find(
                   "\x01"
                   "43=Y\x01") != std::string::npos
                   ? 1U
                   : 0U;
    to.receive(bytes);
    collect();
  }

  void break_link() {
    collect();
    carry(random_.below(to_acceptor_.size() + 1), random_.below(to_initiator_.size() + 1));
    lost_ += to_acceptor_.size() + to_initiator_.size();
    to_acceptor_.clear();
    to_initiator_.clear();
    if (initiator_.is_connected()) initiator_.disconnect();
    if (acceptor_.is_connected()) acceptor_.disconnect();
    (void)initiator_.consume_wire();
    (void)acceptor_.consume_wire();
  }

  [[nodiscard]] bool is_settled() const {
    return to_acceptor_.empty() && to_initiator_.empty() && initiator_.state() == State::LoggedOn &&
           acceptor_.state() == State::LoggedOn && acceptor_.next_in() == initiator_.next_out() &&
           initiator_.next_in() == acceptor_.next_out();
  }

  // No more faults: everything must settle in bounded time.
  void settle() {
    for (int round = 0; round < kSettlingRoundsMax; ++round) {
      connect();
      while (initiator_.serve_slice() || acceptor_.serve_slice()) collect();
      collect();
      carry(to_acceptor_.size(), to_initiator_.size());
      collect();
      if (is_settled()) return;
      advance(50ms);
      collect();
    }
    ADD_FAILURE() << "did not settle: initiator expects " << initiator_.next_in() << " of "
                  << acceptor_.next_out() << ", acceptor expects " << acceptor_.next_in() << " of "
                  << initiator_.next_out();
  }

  static void check_delivery(const std::vector<std::string>& sent, const Side& receiver) {
    ASSERT_EQ(receiver.delivered.size(), sent.size());
    std::uint64_t number = 0;
    for (std::size_t i = 0; i < sent.size(); ++i) {
      const Delivered& message = receiver.delivered[i];
      ASSERT_TRUE(message.text.ends_with("58=" + sent[i])) << message.text;
      ASSERT_EQ(message.poss_dup, message.text.find("|43=Y|") != std::string::npos);
      ASSERT_GT(message.msg_seq_num, number);
      number = message.msg_seq_num;
    }
  }

  SeededRandom random_;
  Side initiator_;
  Side acceptor_;
  std::vector<std::string> initiator_sent_;
  std::vector<std::string> acceptor_sent_;
  std::deque<std::string> to_acceptor_;
  std::deque<std::string> to_initiator_;
  std::uint64_t connections_ = 0;
  std::uint64_t transmitted_ = 0;
  std::uint64_t resent_ = 0;
  std::uint64_t lost_ = 0;
};

TEST(Simulation, every_message_arrives_in_order_once_over_breaking_connections) {
  // FIX Session Layer, "Message recovery": after any break, both sides agree in the end.
  std::uint64_t delivered = 0;
  std::uint64_t resent = 0;
  std::uint64_t lost = 0;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Simulation simulation{seed};
    simulation.run();
    simulation.check();
    if (testing::Test::HasFailure()) {
      std::cerr << "seed " << seed << '\n';
      return;
    }
    delivered += simulation.delivered();
    resent += simulation.resent();
    lost += simulation.lost();
  }
  std::cout << delivered << " messages delivered, " << lost << " lost on the way, " << resent
            << " sent again\n";
  EXPECT_GT(delivered, 80 * kSeeds);
  EXPECT_GT(lost, 16 * kSeeds);
  EXPECT_GT(resent, 80 * kSeeds);
}

// A counterparty that breaks every rule at random, in messages that are still parsed.
class RudeCounterparty {
 public:
  explicit RudeCounterparty(std::uint64_t seed)
      : random_{seed}, acceptor_{acceptor_config(version())} {
    acceptor_.can_buffer = random_.below(2) == 0;
    acceptor_.serves_replays_in_slices = random_.below(2) == 0;
    acceptor_.application = [this](Side& side, const Deliver&) {
      if (random_.below(2) == 0) side.send("8", "answer");
      return detail::DeliveryDecision{
          .kind = static_cast<detail::DeliveryDecision::Kind>(random_.below(3)),
          .reason = static_cast<unsigned>(random_.below(20)),
          .ref_tag = static_cast<wire::Tag>(random_.below(100)),
          .text = {}};
    };
  }

  void run(int steps) {
    for (int step = 0; step < steps && !testing::Test::HasFailure(); ++step) {
      const std::uint64_t expected = acceptor_.next_in();
      const int resets = acceptor_.resets;
      if (!acceptor_.is_connected()) {
        acceptor_.connect();
        acceptor_.in("35=A|34=" + std::to_string(acceptor_.next_in()) + "|98=0|108=10|1137=9");
      } else {
        run_step();
      }
      if (acceptor_.resets == resets) {
        ASSERT_GE(acceptor_.next_in(), expected);
      } else {
        next_number_ = 1;
      }
      check_sent();
    }
  }

 private:
  std::string_view version() {
    static constexpr std::array<std::string_view, 6> kVersions{"FIX.4.0", "FIX.4.1", "FIX.4.2",
                                                               "FIX.4.3", "FIX.4.4", "FIXT.1.1"};
    return kVersions[random_.below(kVersions.size())];
  }

  void run_step() {
    switch (random_.below(12)) {
      case 0:
        acceptor_.advance(std::chrono::milliseconds{random_.below(6'000)});
        break;
      case 1:
        acceptor_.serve_slice();
        break;
      case 2:
        if (random_.below(4) == 0) acceptor_.disconnect();
        break;
      case 3:
        if (random_.below(16) == 0) acceptor_.log_out("enough");
        break;
      case 4:
        acceptor_.garbled(static_cast<wire::GarbledReason>(random_.below(8)));
        break;
      default:
        acceptor_.in(message());
        break;
    }
  }

  // A number near the expected one, or any number.
  std::string number() {
    static constexpr std::array<std::string_view, 7> kWild{
        "0", "-1", "x", "", "9223372036854775807", "18446744073709551615", "00000000000000000005"};
    if (random_.below(12) == 0) return std::string{kWild[random_.below(kWild.size())]};
    const std::uint64_t around = acceptor_.next_in() + random_.below(4);
    return std::to_string(random_.below(3) != 0 ? acceptor_.next_in() : around - around / 4 % 3);
  }

  std::string message() {
    static constexpr std::array<std::string_view, 12> kTypes{"0", "1", "2", "3", "4",  "5",
                                                             "A", "D", "8", "j", "AE", "4"};
    std::string text = "35=" + std::string{kTypes[random_.below(kTypes.size())]};
    if (random_.below(50) != 0) text += "|34=" + number();
    static constexpr std::array<std::string_view, 14> kFields{"43=Y",   "122=20240115-10:29:00",
                                                              "97=Y",   "123=Y",
                                                              "123=N",  "112=TEST",
                                                              "98=0",   "108=5",
                                                              "141=Y",  "58=",
                                                              "-1=x",   "115=XY",
                                                              "1137=9", "122=soon"};
    for (const std::string_view field : kFields) {
      if (random_.below(4) == 0) (text += '|') += field;
    }
    for (const std::string_view tag : {"7", "16", "36"}) {
      if (random_.below(2) == 0) ((text += '|') += tag) += '=' + number();
    }
    if (random_.below(60) == 0) text += "|49=STRANGER";
    if (random_.below(60) == 0) text += "|52=20010101-00:00:00";
    return text;
  }

  // All output is messages, and new ones have consecutive numbers.
  void check_sent() {
    wire::Parser parser;
    for (const std::string& bytes : acceptor_.consume_wire()) {
      const auto message = parser.parse(bytes);
      ASSERT_TRUE(message.has_value()) << readable(bytes);
      ASSERT_FALSE(message->fault().has_value()) << readable(bytes);
      const auto number = message->get<std::uint64_t>(34);
      ASSERT_TRUE(number.has_value()) << readable(bytes);
      if ((*message)[43] == "Y") {
        ASSERT_LT(*number, acceptor_.next_out()) << readable(bytes);
        continue;
      }
      if (*number == 1) next_number_ = 1;
      ASSERT_GE(*number, next_number_) << readable(bytes);
      next_number_ = *number + 1;
    }
  }

  SeededRandom random_;
  Side acceptor_;
  std::uint64_t next_number_ = 1;
};

TEST(Simulation, rude_counterparty_never_breaks_the_machine_or_its_numbers) {
  // No byte of a counterparty may reach an assertion, whatever it is and whenever it comes.
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RudeCounterparty counterparty{seed};
    counterparty.run(200);
    if (testing::Test::HasFailure()) {
      std::cerr << "seed " << seed << '\n';
      return;
    }
  }
}

}  // namespace
}  // namespace nexusfix::session::test
