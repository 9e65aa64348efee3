// A venue whose sessions trade while another process does to its port what it can.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <gtest/gtest.h>
#include <malloc.h>
#include <memory>
#include <optional>
#include <spawn.h>
#include <string>
#include <sys/wait.h>
#include <vector>

#include <nexusfix/engine.hpp>

#include "soak/process_use.hpp"
#include "support/fix_text.hpp"
#include "support/raw_peer.hpp"
#include "support/recording_log.hpp"
#include "support/temporary_folder.hpp"

extern char** environ;

namespace nexusfix::attack {
namespace {

using std::chrono::steady_clock;
using testing::RawPeer;

constexpr std::size_t kSessions = 4;
constexpr int kCalmOrders = 500;  // of each session
// Says that something hangs, not that it is slow.
constexpr std::chrono::seconds kPatience{60};
// Of attacker.cpp: 200 that dribble, 400 that send what is no Logon of a session here; and more
// garbled messages than MaxGarbledPerSecond.
constexpr std::uint64_t kRefusedMin = 600;
constexpr std::uint64_t kGarbledMin = 200;
constexpr std::uint64_t kHeapGrowthMax = 4U << 20U;
// The journal prepares, closes and reads segments meanwhile; the attacker opens thousands.
constexpr std::size_t kDescriptorGrowthMax = 8;

struct Venue {
  Verdict on_message(Session& session, const MessageView& order) {
    wire::Encoder report = session.begin("8");
    report.field(11, order[11].value_or("")).field(150, '0').field(39, '0');
    return session.finish(report) ? accept() : engine::unsupported_message_type();
  }
};

std::string message(const std::string& who, std::string_view type, int number,
                    const std::string& body) {
  return testing::fix("FIX.4.4", "35=" + std::string{type} + "|49=" + who + "|56=VENUE|34=" +
                                     std::to_string(number) + "|52=20260105-10:00:00.000|" + body);
}

// One order at a time, and the time that its answer takes.
class Trader {
 public:
  Trader(std::string name, std::uint16_t port, const std::string& from)
      : name_{std::move(name)}, peer_{port, from} {
    peer_.send(message(name_, "A", 1, "98=0|108=0|141=Y|"));
  }

  // Whether an answer has come, and the next order has gone.
  bool go_on(std::vector<steady_clock::duration>* times) {
    peer_.poll();
    if (peer_.messages().size() < answers_ + 1) return false;
    const std::string text = testing::bar(peer_.messages().back());
    const std::string expected = answers_ == 0 ? "|35=A|" : "|11=" + name_ + order() + "|";
    EXPECT_EQ(peer_.messages().size(), answers_ + 1);
    EXPECT_NE(text.find(expected), std::string::npos) << text;
    if (times != nullptr && answers_ > 0) times->push_back(steady_clock::now() - sent_at_);
    ++answers_;
    peer_.send(message(name_, "D", static_cast<int>(answers_) + 1, "11=" + name_ + order() + "|"));
    sent_at_ = steady_clock::now();
    peer_.poll();
    return true;
  }
  [[nodiscard]] std::size_t answers() const noexcept { return answers_; }
  [[nodiscard]] bool closed() const noexcept { return peer_.closed(); }

 private:
  [[nodiscard]] std::string order() const { return "-" + std::to_string(answers_); }

  std::string name_;
  RawPeer peer_;
  std::size_t answers_ = 0;
  steady_clock::time_point sent_at_;
};

double percentile_99_us(std::vector<steady_clock::duration> times) {
  if (times.empty()) return 0;
  const auto at = times.begin() + static_cast<std::ptrdiff_t>(times.size() * 99 / 100);
  std::nth_element(times.begin(), at, times.end());
  return std::chrono::duration<double, std::micro>(*at).count();
}

class AttackTest : public ::testing::Test {
 protected:
  void open() {
    std::string text =
        "[DEFAULT]\nConnectionType=acceptor\nSocketAcceptPort=0\nSocketAcceptAddress=127.0.0.1\n"
        "NonStopSession=Y\nUseDataDictionary=N\nCheckLatency=N\nBeginString=FIX.4.4\n"
        "SenderCompID=VENUE\nLogonTimeout=2\nMaxPendingLogons=300\n"
        "MaxPendingLogonsPerAddress=100\nMaxQueuedBytes=262144\nMaxAdminMessagesPerSecond="
        "200\nMaxGarbledPerSecond=200\nFileStorePath=" +
        folder_.path() + "/store\n";
    for (const std::string who :
         {"LIVE0", "LIVE1", "LIVE2", "LIVE3", "HONEST", "GARBLER", "DEAF", "ASKER", "PINGER"}) {
      text += "[SESSION]\nTargetCompID=" + who + "\n";
    }
    auto settings = engine::parse_settings(text, "venue.cfg");
    ASSERT_TRUE(settings.has_value()) << settings.error().front().what();
    constexpr std::uint64_t kSegmentBytes = 4U << 20U;
    settings->segment_bytes = kSegmentBytes;
    EngineOptions options;
    options.log = &log_;
    auto opened = Engine::open(std::move(*settings), venue_, options);
    ASSERT_TRUE(opened.has_value()) << opened.error().what();
    engine_.emplace(std::move(*opened));
  }

  // Turns the venue and its traders until it is so.
  template <class Condition>
  bool trade_until(std::vector<steady_clock::duration>* times, Condition&& condition) {
    const auto until = steady_clock::now() + kPatience;
    while (!condition()) {
      if (steady_clock::now() > until) return false;
      engine_->poll(std::chrono::nanoseconds{0});
      for (const auto& trader : live_) trader->go_on(times);
    }
    return true;
  }

  [[nodiscard]] std::size_t answers() const {
    std::size_t all = 0;
    for (const auto& trader : live_) all += trader->answers();
    return all;
  }

  // From an address of its own: logs on, trades, and leaves.
  void honest_visit(std::vector<steady_clock::duration>* times) {
    Trader honest{"HONEST", engine_->accept_port(), "127.0.0.3"};
    EXPECT_TRUE(trade_until(times, [&] {
      honest.go_on(nullptr);
      return honest.answers() == 3 || honest.closed();
    }));
    EXPECT_EQ(honest.answers(), 3U);
    if (honest.answers() == 3) ++visits_;
  }

  // The attacker's end is waited for; what it says is on standard output.
  int attack(std::vector<steady_clock::duration>* times) {
    const std::string port = std::to_string(engine_->accept_port());
    std::string program = NEXUSFIX_ATTACKER;
    std::string argument = port;
    char* const arguments[] = {program.data(), argument.data(), nullptr};
    pid_t pid = 0;
    if (::posix_spawn(&pid, program.c_str(), nullptr, nullptr, arguments, environ) != 0) return -1;
    int status = 0;
    const auto has_ended = [&] { return ::waitpid(pid, &status, WNOHANG) == pid; };
    std::size_t next_visit = answers();
    const bool ended = trade_until(times, [&] {
      if (has_ended()) return true;
      if (answers() < next_visit || visits_ == kVisitsMax) return false;
      honest_visit(times);
      next_visit = answers() + 500;
      return false;
    });
    if (!ended) ::kill(pid, SIGKILL);
    return ended && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  static constexpr int kVisitsMax = 10;
  testing::TemporaryFolder folder_;
  testing::RecordingLog log_;
  Venue venue_;
  std::optional<Engine> engine_;
  std::vector<std::unique_ptr<Trader>> live_;
  int visits_ = 0;
};

TEST_F(AttackTest, live_sessions_lose_nothing_and_an_honest_client_logs_on) {
  open();
  for (std::size_t i = 0; i < kSessions; ++i) {
    live_.push_back(
        std::make_unique<Trader>("LIVE" + std::to_string(i), engine_->accept_port(), "127.0.0.1"));
  }
  std::vector<steady_clock::duration> calm;
  std::vector<steady_clock::duration> attacked;
  ASSERT_TRUE(trade_until(&calm, [&] { return answers() >= kSessions * kCalmOrders; }));
  honest_visit(nullptr);
  const std::size_t before_attack = answers();
  static_cast<void>(::malloc_trim(0));
  const soak::ProcessUse before = soak::use_now(folder_.path());

  EXPECT_EQ(attack(&attacked), 0) << "the attacker was to be closed everywhere";
  EXPECT_GE(visits_, 2) << "one in calm, and one under attack at least";
  // Limits whose lines no storm of others takes the place of; and who dribbled or sent rubbish.
  for (const std::string_view passed :
       {"(MaxPendingLogonsPerAddress)", "administrative messages within a second"}) {
    EXPECT_TRUE(log_.has(passed)) << passed << " is not in:\n" << log_.all();
  }
  EXPECT_GE(engine_->stats().connections_refused, kRefusedMin);
  EXPECT_GT(engine_->stats().garbled, kGarbledMin);
  const std::size_t goal = answers() + kSessions * 100;
  EXPECT_TRUE(trade_until(nullptr, [&] { return answers() >= goal; }));
  for (const auto& trader : live_) EXPECT_FALSE(trader->closed());
  for (std::size_t i = 0; i < kSessions; ++i) {
    EXPECT_TRUE(engine_->session(i).is_logged_on());
    // The last order is on its way, or has been processed.
    const std::uint64_t next_inbound = engine_->session(i).numbers().next_inbound;
    EXPECT_GE(next_inbound, live_[i]->answers() + 1);
    EXPECT_LE(next_inbound, live_[i]->answers() + 2);
  }

  const soak::ProcessUse after = soak::use_now(folder_.path());
  const std::size_t kept = (answers() - before_attack) * 400;  // what the traders keep themselves
  EXPECT_LE(after.descriptors, before.descriptors + kDescriptorGrowthMax);
  EXPECT_LE(after.heap_bytes, before.heap_bytes + kept + kHeapGrowthMax);
  std::printf(
      "P99 of an order's answer: calm %.0f us (%zu), attacked %.0f us (%zu); "
      "%d honest visits, %llu events\n",
      percentile_99_us(calm), calm.size(), percentile_99_us(attacked), attacked.size(), visits_,
      static_cast<unsigned long long>(log_.lines.size()));
}

}  // namespace
}  // namespace nexusfix::attack
