// Worlds in which the trader limits what it sends (OutboundMessages and its like): random traffic,
// lost connections, deaths. The wire is read by itself, and the application keeps its own books.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/simulator.hpp>
#include <nexusfix/statistics.hpp>
#include <nexusfix/wire/convert.hpp>
#include <nexusfix/wire/encoder.hpp>

#include "simulator/check/wire_message.hpp"

namespace nexusfix::simulator {
namespace {

using namespace std::chrono_literals;

constexpr wire::Tag kClOrdId = 11;
constexpr std::string_view kOrder = "D";
constexpr std::string_view kCancel = "F";
// The bytes of a turn leave at its end, some turns of 20 us after the engine has counted them.
constexpr WorldTime kLate = 1ms;

struct Limits {
  std::size_t messages = 0;
  std::size_t orders = 0;  // of MsgType D; 0: no limit of their own
  std::chrono::seconds interval{};
  std::string rule;
};

std::string limit_lines(const Limits& limits, std::uint64_t queued_max) {
  std::string text = "OutboundMessages=" + std::to_string(limits.messages) +
                     "\nOutboundInterval=" + std::to_string(limits.interval.count()) +
                     "\nOutboundLimitRule=" + limits.rule +
                     "\nOutboundQueueMessages=" + std::to_string(queued_max) + "\n";
  if (limits.orders != 0)
    text += "OutboundMessagesByType=D:" + std::to_string(limits.orders) + "\n";
  return text;
}

std::uint64_t number_of(std::string_view digits) {
  std::uint64_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

// Reads what the trader sends, when it sends it, and forwards it.
class Wire final : public Middleman {
 public:
  explicit Wire(Limits limits) : limits_{std::move(limits)} {}

  void watch(World& world) { world_ = &world; }
  // The application was told that a message has this number.
  void number_given(std::uint64_t msg_seq_num) { numbers_.insert(msg_seq_num); }
  // A process knows of no messages that it sent in an earlier life.
  void life_begins() {
    sent_.clear();
    orders_.clear();
  }

  void sent(SimulatedInternet& internet, std::uint64_t connection, Side side,
            std::string_view bytes) override {
    if (side == 0) read(halves_[connection], bytes);
    internet.forward(connection, side, bytes);
  }
  void over(std::uint64_t connection) override { halves_.erase(connection); }

  [[nodiscard]] std::uint64_t resent() const { return resent_; }
  [[nodiscard]] std::uint64_t full_windows() const { return full_windows_; }

 private:
  struct Half {
    std::string partial;
    WorldTime begun{};             // of its first byte
    std::uint64_t last_fresh = 0;  // MsgSeqNum without PossDupFlag; 0: none yet
  };

  void read(Half& half, std::string_view bytes) {
    if (half.partial.empty()) half.begun = world_->now();
    half.partial += bytes;
    while (const auto size = wire_message_size(half.partial)) {
      if (*size == 0) return;
      const std::string_view bytes_of_one = std::string_view{half.partial}.substr(0, *size);
      if (const auto message = read_wire_message(bytes_of_one)) {
        check(half, *message, message->poss_dup ? half.begun : numbered_at(bytes_of_one));
      }
      half.partial.erase(0, *size);
      half.begun = world_->now();
    }
    world_->found("stream-malformed", "the trader sent bytes that are no FIX");
  }

  // When the engine gave a message its number, and counted it: the session layer's own ones may
  // then wait for the end of a resend.
  static WorldTime numbered_at(std::string_view bytes) {
    const std::string_view time = bytes.substr(bytes.find("\x01"
                                                          "52=") +
                                               4);
    const auto sent = wire::to_utc_timestamp(time.substr(0, time.find('\x01')));
    return sent ? *sent - kWorldBegin : WorldTime::zero();
  }

  void check(Half& half, const WireMessage& message, WorldTime at) {
    if (!message.poss_dup) {
      check_hole(half.last_fresh, message.msg_seq_num);
      half.last_fresh = message.msg_seq_num;
    } else {
      ++resent_;
    }
    // Messages of the session layer count, and never wait.
    insert(sent_, at);
    if (!message.is_administrative()) check_window(sent_, limits_.messages, "OutboundMessages");
    if (message.msg_type != kOrder || message.poss_dup || limits_.orders == 0) return;
    insert(orders_, at);
    check_window(orders_, limits_.orders, "OutboundMessagesByType");
  }

  // A message that waits has no number: a hole has messages that were sent while the Logon was not
  // answered, and come by a resend.
  void check_hole(std::uint64_t last, std::uint64_t next) {
    for (std::uint64_t n = last + 1; last != 0 && n < next; ++n) {
      if (numbers_.contains(n)) continue;
      world_->found("number-kept-for-waiting", std::to_string(n) + " is left out");
    }
  }

  static void insert(std::vector<WorldTime>& times, WorldTime at) {
    times.insert(std::ranges::upper_bound(times, at), at);
  }

  void check_window(const std::vector<WorldTime>& times, std::size_t most, const char* key) {
    if (times.size() <= most) return;
    const WorldTime within = times.back() - times[times.size() - 1 - most];
    if (within < limits_.interval + kLate) ++full_windows_;
    if (within >= limits_.interval - kLate) return;
    world_->found(
        "limit-exceeded",
        std::string{key} + ": " + std::to_string(most + 1) + " messages in " +
            std::to_string(std::chrono::round<std::chrono::milliseconds>(within).count()) + " ms");
  }

  Limits limits_;
  World* world_ = nullptr;
  std::map<std::uint64_t, Half> halves_;
  std::vector<WorldTime> sent_;
  std::vector<WorldTime> orders_;
  std::set<std::uint64_t> numbers_;
  std::uint64_t resent_ = 0;
  std::uint64_t full_windows_ = 0;
};

// What became of the messages that send() took. It outlives the processes.
struct Books {
  enum class State : std::uint8_t { Waiting, Stored, NotSent };
  struct Message {
    State state = State::Waiting;
    unsigned life = 0;
    bool has_arrived = false;
  };

  World* world = nullptr;
  Wire* wire = nullptr;
  bool cancels_first = false;
  std::map<std::uint64_t, Message> messages{};
  std::uint64_t last_id = 0;
  unsigned life = 0;
  std::uint64_t queued = 0;
  std::uint64_t given_back = 0;
  std::uint64_t refused = 0;
  std::map<std::string, std::uint64_t, std::less<>> last_arrived{};  // by kind

  void fail(const char* invariant, std::uint64_t id) {
    world->found(invariant, "message " + std::to_string(id));
  }

  void stored(std::uint64_t id) {
    Message& message = messages[id];
    if (message.state == State::NotSent) fail("sent-after-given-back", id);
    message.state = State::Stored;
    message.life = life;
  }
  void not_sent(std::uint64_t id) {
    const auto found = messages.find(id);
    if (found == messages.end()) return fail("given-back-unknown", id);
    if (found->second.state != State::Waiting) fail("given-back-after-sent", id);
    found->second.state = State::NotSent;
    ++given_back;
  }
  void arrived(std::uint64_t id, std::string_view kind) {
    const auto found = messages.find(id);
    if (found == messages.end()) return fail("message-invented", id);
    if (found->second.state == State::NotSent) fail("arrived-after-given-back", id);
    if (std::exchange(found->second.has_arrived, true)) return;
    // Only cancels overtake, and only if the rule is CancelsFirst.
    std::uint64_t& last = last_arrived[std::string{cancels_first ? kind : ""}];
    if (id < last) fail("overtaken", id);
    last = id;
  }
  // After the end of the traffic. Messages that waited when their process died are gone.
  void check_all() {
    for (const auto& [id, message] : messages) {
      if (message.life != life) continue;
      if (message.state == State::Waiting) fail("waits-for-ever", id);
      if (message.state == State::Stored && !message.has_arrived) fail("lost", id);
    }
  }
};

class Trader {
 public:
  explicit Trader(Books& books) : books_{books} {
    ++books_.life;
    books_.wire->life_begins();
  }

  void send(engine::Session& session, std::string_view msg_type) {
    const std::uint64_t id = ++books_.last_id;
    books_.messages[id].life = books_.life;
    wire::Encoder encoder = session.begin(msg_type);
    encoder.field(kClOrdId, id).field(58, "as fast as allowed");
    const auto sent = session.finish(encoder);
    if (!sent) {
      books_.messages.erase(id);
      ++books_.refused;
    } else if (sent->is_queued) {
      ++books_.queued;
      if (sent->msg_seq_num != 0) books_.fail("number-kept-for-waiting", id);
    } else {
      books_.world->promised(session, *sent);
    }
  }

  void on_message(engine::Session&, const wire::MessageView&) {}
  void on_sent(engine::Session& session, const engine::SentMessage& sent) {
    if (sent.kind != engine::SentMessage::Kind::Application) return;
    const std::size_t at = sent.bytes.find(
        "\x01"
        "11=");
    books_.stored(number_of(sent.bytes.substr(at + 4)));
    books_.wire->number_given(sent.msg_seq_num);
    books_.world->promised(session, {.msg_seq_num = sent.msg_seq_num});
  }
  void on_not_sent(engine::Session&, const engine::NotSentMessage& message) {
    books_.not_sent(number_of(message.bytes.substr(message.bytes.find("\x01"
                                                                      "11=") +
                                                   4)));
  }

 private:
  Books& books_;
};

struct Venue {
  Books& books;
  void on_message(engine::Session&, const wire::MessageView& message) {
    books.arrived(number_of(message[kClOrdId].value_or("")), message.msg_type());
  }
};

struct Played {
  std::uint64_t queued = 0;
  std::uint64_t given_back = 0;
  std::uint64_t refused = 0;
  std::uint64_t resent = 0;
  std::uint64_t full_windows = 0;
  std::uint64_t lives = 0;
};

// One world. The violation; empty: there is none.
std::string play(std::uint64_t seed, FaultSet faults, std::string rule, Played& totals) {
  SeededRandom chance{seed};
  static_cast<void>(chance.next());
  // With a limit of 1, a gap fill leaves together with the message after it.
  const Limits limits{.messages = 2 + chance.below(7),
                      .orders = chance.below(2) == 0 ? 0 : 1 + chance.below(3),
                      .interval = std::chrono::seconds{1 + chance.below(3)},
                      .rule = std::move(rule)};
  Wire wire{limits};
  World world{{.seed = seed, .faults = faults, .trace_lines = 60, .middleman = &wire}};
  wire.watch(world);
  Books books{.world = &world, .wire = &wire, .cancels_first = limits.rule == "CancelsFirst"};
  const std::string both = "FileStorePath=/journal\nNonStopSession=Y\nUseDataDictionary=N\n";
  world.add_process<Venue>("venue",
                           "[DEFAULT]\nConnectionType=acceptor\nSocketAcceptPort=5001\n" + both +
                               "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=VENUE\n"
                               "TargetCompID=TRADER\n",
                           std::ref(books));
  const ProcessId trader = world.add_process<Trader>(
      "trader",
      "[DEFAULT]\nConnectionType=initiator\nSocketConnectHost=venue\nSocketConnectPort=5001\n"
      "ReconnectInterval=1\nHeartBtInt=10\nJournalDurability=process\n" +
          both + limit_lines(limits, 5 + chance.below(25)) +
          "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=TRADER\nTargetCompID=VENUE\n",
      std::ref(books));
  std::function<void()> burst = [&] {
    if (world.now() >= 90s) return;
    auto* const application = world.application<Trader>(trader);
    if (application != nullptr) {
      engine::Session& session = world.engine(trader)->session(0);
      for (std::uint64_t i = 1 + world.random().below(12); i > 0; --i) {
        application->send(session, world.random().below(4) == 0 ? kCancel : kOrder);
      }
    }
    world.after(std::chrono::milliseconds{20 + world.random().below(3'000)}, burst);
  };
  world.after(1s, burst);
  world.run(200s);
  // What waits leaves after the resends, or is given back.
  static_cast<void>(world.settle(2h));
  world.run(5min);
  if (world.settle(2h)) books.check_all();
  totals.queued += books.queued;
  totals.given_back += books.given_back;
  totals.refused += books.refused;
  totals.resent += wire.resent();
  totals.full_windows += wire.full_windows();
  totals.lives += books.life;
  if (!world.violation()) return {};
  return world.violation()->invariant + ": " + world.violation()->what + "\n" + world.trace();
}

class LimitedSending : public ::testing::TestWithParam<const char*> {};

// docs/guide/sending.md, "Limit outgoing messages".
TEST_P(LimitedSending, no_interval_has_more_messages_and_none_is_lost_under_faults) {
  constexpr std::uint64_t kWorlds = 40;
  constexpr FaultSet kFaultSets[] = {
      {},
      {Fault::Drop, Fault::Refuse, Fault::HalfOpen},
      {Fault::Kill, Fault::Drop},
      {Fault::Kill, Fault::Drop, Fault::Alter, Fault::Delay, Fault::Reorder, Fault::Logout}};
  Played totals;
  for (std::uint64_t seed = 1; seed <= kWorlds; ++seed) {
    const FaultSet faults = kFaultSets[seed % std::size(kFaultSets)];
    const std::string violation = play(seed, faults, GetParam(), totals);
    ASSERT_EQ(violation, "") << "seed " << seed << ", faults " << to_string(faults);
  }
  // The worlds had what they are for.
  const bool refuses = std::string_view{GetParam()} == "Refuse";
  EXPECT_EQ(refuses, totals.queued == 0);
  EXPECT_EQ(refuses, totals.given_back == 0);
  EXPECT_GT(totals.refused, kWorlds);
  EXPECT_GT(totals.resent, kWorlds);
  EXPECT_GT(totals.full_windows, kWorlds);
  EXPECT_GT(totals.lives, kWorlds + kWorlds / 4);
}

INSTANTIATE_TEST_SUITE_P(Rules, LimitedSending,
                         ::testing::Values("Queue", "CancelsFirst", "Refuse"),
                         [](const auto& rule) { return std::string{rule.param}; });

}  // namespace
}  // namespace nexusfix::simulator
