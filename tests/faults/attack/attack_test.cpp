// A venue whose sessions trade while another process attacks its ports.
#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <gtest/gtest.h>
#include <malloc.h>
#include <memory>
#include <netinet/in.h>
#include <optional>
#include <spawn.h>
#include <string>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <vector>

#include <nexusfix/engine.hpp>
#include <nexusfix/passwords.hpp>
#include <nexusfix/statistics.hpp>
#include <nexusfix/wire/encoder.hpp>

#include "config/api/settings.hpp"
#include "faults/attack/traders.hpp"
#include "faults/soak/process_use.hpp"
#include "support/disks/temporary_folder.hpp"
#include "support/recording_log.hpp"
#include "support/test_certificates.hpp"
#include "transport/api/tls.hpp"

extern char** environ;

namespace nexusfix::attack {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kSessions = 100;
constexpr std::size_t kSessionsWithTls = 20;
constexpr std::size_t kCalmOrders = 300;  // of each session, at full size
constexpr std::size_t kOfAKind = 4;       // sessions that visitors use in turn
constexpr std::size_t kDribblers = 5'000;
// After this time the test hangs; it is not merely slow.
constexpr std::chrono::seconds kPatience{540};
constexpr std::chrono::seconds kLogonPatience{20};
constexpr int kRoundsMax = 5;                 // of the attack
constexpr std::uint64_t kGarbledMax = 1'000;  // a second
constexpr std::uint64_t kHeapGrowthMax = 4U << 20U;
// The journal prepares, closes and reads segments meanwhile; the attacker opens thousands of
// descriptors.
constexpr std::size_t kDescriptorGrowthMax = 8;
// On a quiet machine, where times are comparable.
constexpr double kSlowerMax = 3;
constexpr std::chrono::seconds kStrictLogon{1};

bool is_strict() { return std::getenv("NEXUSFIX_ATTACK_STRICT") != nullptr; }

std::size_t parts() {
  const char* const given = std::getenv("NEXUSFIX_ATTACK_PERCENT");
  constexpr std::size_t kWithoutBeingAsked = 10;  // The full size takes minutes beside other tests.
  if (given == nullptr) return is_strict() ? 100 : kWithoutBeingAsked;
  return std::strtoul(given, nullptr, 10);
}

// A real attacker has its own machine and takes no CPU time from the venue. Where no time is
// bounded, the test takes its share of this machine: otherwise other tests would slow the attack
// down, and the sessions would trade three times as long.
int attacker_niceness() { return is_strict() ? 19 : 0; }

// The pause of the sessions between two orders during the attack. Without it the venue is busy all
// the time, which matters only where a time is bounded.
std::chrono::milliseconds pace() { return is_strict() ? 0ms : 50ms; }

struct Venue {
  MessageReply on_message(Session& session, const MessageView& order) {
    wire::Encoder report = session.begin("8");
    report.field(11, order[11].value_or("")).field(150, '0').field(39, '0');
    return session.finish(report) ? accept() : engine::unsupported_message_type();
  }
};

// The port of this process's listener at that address.
std::uint16_t listening_port(std::uint32_t host) {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  for (int descriptor = 0; descriptor < static_cast<int>(limit.rlim_cur); ++descriptor) {
    int is_listening = 0;
    socklen_t size = sizeof is_listening;
    if (::getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &is_listening, &size) != 0) continue;
    sockaddr_in address{};
    size = sizeof address;
    ::getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size);
    if (is_listening != 0 && ntohl(address.sin_addr.s_addr) == host) return ntohs(address.sin_port);
  }
  return 0;
}

// The number of dribblers for which this process has descriptors; the attacker inherits the limit.
std::size_t dribblers() {
  constexpr std::size_t kOthers = 2'500;
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur >= kDribblers + kOthers) return kDribblers;
  const std::size_t left = limit.rlim_cur > kOthers ? limit.rlim_cur - kOthers : 100;
  std::printf("no more than %zu descriptors (ulimit -Hn): %zu dribblers instead of %zu\n",
              static_cast<std::size_t>(limit.rlim_cur), left, kDribblers);
  return left;
}

class AttackTest : public ::testing::Test {
 protected:
  void SetUp() override {
    dribblers_ = dribblers();
    const auto hash = engine::hash_password("pa55word");
    ASSERT_TRUE(hash.has_value()) << hash.error();
    PosixDisk disk;
    const auto done = engine::change_password_file(disk, users_file(), true, [&](auto& users) {
      for (std::size_t i = 0; i < kOfAKind; ++i) users.set("KEEPER" + std::to_string(i), *hash);
      return true;
    });
    ASSERT_TRUE(done.has_value()) << done.error().what();
    transport::TlsSettings settings;
    settings.authorities_file = authority_.file();
    tls_ = transport::TlsContext::make(std::move(settings), disk).value();
  }
  [[nodiscard]] std::string users_file() const { return folder_.path() + "/users"; }

  void open() {
    const auto files = authority_.issue("venue", {.names = "IP:127.0.0.2"});
    std::string text =
        "[DEFAULT]\nConnectionType=acceptor\nSocketAcceptPort=0\nSocketAcceptAddress=127.0.0.1\n"
        "NonStopSession=Y\nUseDataDictionary=N\nCheckLatency=N\nBeginString=FIX.4.4\n"
        "SenderCompID=VENUE\nLogonTimeout=15\nMaxQueuedBytes=262144\nMaxBufferedBytes=16777216\n"
        "FileStorePath=" +
        folder_.path() + "/store\n";
    const std::string with_tls =
        "SocketAcceptAddress=127.0.0.2\nServerCertificateFile=" + files.certificate +
        "\nServerCertificateKeyFile=" + files.key + "\n";
    const auto add = [&](const std::string& who, const std::string& more = {}) {
      text += "[SESSION]\nTargetCompID=" + who + "\n" + more;
    };
    for (std::size_t i = 0; i < kSessions; ++i) {
      add("LIVE" + std::to_string(i), i + kSessionsWithTls < kSessions ? "" : with_tls);
    }
    for (const char* const who : {"GARBLER", "DEAF", "ASKER", "PINGER", "COSTLY"}) add(who);
    for (std::size_t i = 0; i < kOfAKind; ++i) {
      add("HONEST" + std::to_string(i));
      add("KEEPER" + std::to_string(i), "PasswordFile=" + users_file() + "\n");
      add("GUARDED" + std::to_string(i), with_tls);
      add("HOARDER" + std::to_string(i), "MaxQueuedBytes=67108864\n");  // the default
    }
    auto settings = config::parse_settings(text, "venue.cfg");
    ASSERT_TRUE(settings.has_value()) << settings.error().front().what();
    constexpr std::uint64_t kSegmentBytes = 4U << 20U;
    settings->segment_bytes = kSegmentBytes;
    // Otherwise a hoarder that no other one displaces stays for three times the default, 90 s.
    for (config::SessionSettings& one : settings->sessions) {
      if (!is_strict()) one.session.gap.resend_timeout = std::chrono::seconds{5};
    }
    EngineOptions options;
    options.log = &log_;
    options.parts.passwords = engine::password_part();
    auto opened = Engine::open(std::move(*settings), venue_, options);
    ASSERT_TRUE(opened.has_value()) << opened.error().what();
    engine_.emplace(std::move(*opened));
    port_ = listening_port(INADDR_LOOPBACK);
    tls_port_ = listening_port(INADDR_LOOPBACK + 1);
    ASSERT_NE(port_, 0);
    ASSERT_NE(tls_port_, 0);
    transport::Endpoint protected_one{"127.0.0.2", tls_port_};
    protected_one.tls = tls_;
    live_.emplace(kSessions, LiveTraders::Venue{.port = port_,
                                                .protected_one = protected_one,
                                                .protected_count = kSessionsWithTls});
  }

  // Turns the venue, its traders and a visitor until the condition holds.
  template <class Condition>
  [[nodiscard]] bool trade_until(AnswerTimes* times, Condition&& condition,
                                 std::chrono::milliseconds pace = 0ms) {
    const auto until = steady_clock::now() + kPatience;
    steady_clock::time_point next_orders{};
    while (!condition()) {
      const auto now = steady_clock::now();
      if (now > until || !live_->trouble().empty()) return false;
      engine_->poll(std::min<std::chrono::nanoseconds>(pace, 1ms));
      if (now >= next_orders) {
        live_->poll(times);
        next_orders = now + pace;
      }
      if (visitor_) visitor_->poll();
    }
    return true;
  }

  // Each visit is of another kind, and uses another session of that kind, so that the last visitor
  // of the session has left.
  void begin_visit() {
    const std::string number = std::to_string(visits_ / 3 % kOfAKind);
    const std::string keeper = "KEEPER" + number;
    switch (visits_++ % 3) {
      case 0:
        return void(visitor_.emplace(Visitor::Visit{.who = "HONEST" + number, .port = port_}));
      case 1:
        return void(visitor_.emplace(Visitor::Visit{
            .who = keeper, .port = port_, .logon_fields = "553=" + keeper + "|554=pa55word|"}));
      default:
        visitor_.emplace(Visitor::Visit{
            .who = "GUARDED" + number, .port = tls_port_, .host = "127.0.0.2", .tls = tls_});
    }
  }
  void end_visit() {
    EXPECT_EQ(visitor_->trouble(), "");
    EXPECT_LE(visitor_->logon_time(), is_strict() ? kStrictLogon : kLogonPatience);
    logon_times_.push_back(visitor_->logon_time());
    visitor_.reset();
    next_visit_ = steady_clock::now() + 50ms + 10 * pace();
  }
  void receive_visitors() {
    if (visitor_ && visitor_->is_over()) end_visit();
    if (!visitor_ && steady_clock::now() >= next_visit_) begin_visit();
  }

  // Waits for the attacker's end; its output goes to standard output.
  int attack(AnswerTimes* times) {
    std::string program = NEXUSFIX_ATTACKER;
    std::vector<std::string> words{program,
                                   std::to_string(port_),
                                   std::to_string(tls_port_),
                                   std::to_string(dribblers_),
                                   std::to_string(parts()),
                                   std::to_string(attacker_niceness())};
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    pid_t pid = 0;
    if (::posix_spawn(&pid, program.c_str(), nullptr, nullptr, arguments.data(), environ) != 0) {
      return -1;
    }
    int status = 0;
    const bool ended = trade_until(
        times,
        [&] {
          receive_visitors();
          return ::waitpid(pid, &status, WNOHANG) == pid;
        },
        pace());
    if (!ended) ::kill(pid, SIGKILL);
    return ended && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  [[nodiscard]] bool finish_visits() {
    return trade_until(nullptr, [&] {
      if (visitor_ && visitor_->is_over()) end_visit();
      return !visitor_;
    });
  }

  void expect_nothing_lost() {
    EXPECT_EQ(live_->trouble(), "");
    for (std::size_t i = 0; i < kSessions; ++i) {
      EXPECT_TRUE(engine_->session(i).is_logged_on());
      // The last order has not arrived yet, or has been processed.
      const std::uint64_t next_inbound = engine_->session(i).numbers().next_inbound;
      EXPECT_GE(next_inbound, live_->answers_of(i) + 1);
      EXPECT_LE(next_inbound, live_->answers_of(i) + 2);
    }
  }

  testing::TemporaryFolder folder_;
  testing::TestAuthority authority_{folder_.path(), "authority"};
  testing::RecordingLog log_;
  Venue venue_;
  std::optional<Engine> engine_;
  std::uint16_t port_ = 0;
  std::uint16_t tls_port_ = 0;
  std::size_t dribblers_ = 0;
  std::shared_ptr<transport::TlsContext> tls_;
  std::optional<LiveTraders> live_;
  std::optional<Visitor> visitor_;
  steady_clock::time_point next_visit_{};
  std::size_t visits_ = 0;
  std::vector<std::chrono::nanoseconds> logon_times_;
};

std::uint64_t bytes_of(const AnswerTimes& times) {
  return (times.by_clock.capacity() + times.by_own_time.capacity()) *
         sizeof(std::chrono::nanoseconds);
}
std::uint64_t bytes_of(const testing::RecordingLog& log) {
  std::uint64_t bytes = log.lines.capacity() * sizeof(std::string);
  for (const std::string& line : log.lines) bytes += line.capacity() + 2 * sizeof(void*);
  return bytes;
}

void print_times(const char* what, const AnswerTimes& times) {
  std::printf(
      "%s: %zu answers, P50 %.0f us, P99 %.0f us; of our own CPU time P50 %.0f us, P99 %.0f us\n",
      what, times.by_clock.size(), percentile_us(times.by_clock, 50),
      percentile_us(times.by_clock, 99), percentile_us(times.by_own_time, 50),
      percentile_us(times.by_own_time, 99));
}

double longest_ms(const std::vector<std::chrono::nanoseconds>& times) {
  if (times.empty()) return 0;
  return std::chrono::duration<double, std::milli>(std::ranges::max(times)).count();
}

TEST_F(AttackTest, live_sessions_lose_nothing_and_an_honest_client_logs_on) {
  open();
  AnswerTimes calm;
  AnswerTimes attacked;
  // Each kind of visit without an attack, too.
  ASSERT_TRUE(trade_until(nullptr, [&] {
    receive_visitors();
    return live_->least_answers() > 1 && logon_times_.size() >= 3;
  })) << live_->trouble();
  ASSERT_TRUE(finish_visits());
  const std::size_t calm_answers = kSessions * kCalmOrders * parts() / 100;
  ASSERT_TRUE(trade_until(&calm, [&] { return calm.by_clock.size() >= calm_answers; }));
  logon_times_.clear();
  static_cast<void>(::malloc_trim(0));
  const soak::ProcessUse before = soak::use_now(folder_.path());

  const auto begun = steady_clock::now();
  // Limits whose events are not suppressed by those of other attacks. On a busy machine too few
  // attackers may log on to reach all of them: then they come again.
  constexpr std::array<std::string_view, 3> kReached{
      "half of MaxPendingLogons", "administrative messages within a second", "(MaxBufferedBytes)"};
  const auto is_reached = [&](std::string_view limit) { return log_.has(limit); };
  for (int round = 0; round < kRoundsMax; ++round) {
    EXPECT_EQ(attack(&attacked), 0) << "the venue must close all connections of the attacker";
    if (std::ranges::all_of(kReached, is_reached)) break;
  }
  const double seconds = std::chrono::duration<double>(steady_clock::now() - begun).count();
  EXPECT_TRUE(finish_visits());
  EXPECT_GE(logon_times_.size(), 3U) << "at least one of each kind";
  for (const std::string_view limit : kReached) {
    EXPECT_TRUE(is_reached(limit)) << limit << " is not in:\n" << log_.all();
  }
  const engine::LoopStatistics stats = engine_->statistics().loops[0];
  EXPECT_GT(stats.garbled, kGarbledMax)
      << "more than the limit of a second: the connections were closed";
  EXPECT_GE(stats.connections_refused, dribblers_);
  const std::size_t goal = live_->least_answers() + 100;
  EXPECT_TRUE(trade_until(nullptr, [&] { return live_->least_answers() >= goal; }));
  expect_nothing_lost();

  const soak::ProcessUse after = soak::use_now(folder_.path());
  const std::uint64_t kept = bytes_of(attacked) + bytes_of(log_);  // the memory of the test itself
  EXPECT_LE(after.descriptors, before.descriptors + kDescriptorGrowthMax);
  EXPECT_LE(after.heap_bytes, before.heap_bytes + kept + kHeapGrowthMax);
  print_times("calm", calm);
  print_times("attacked", attacked);
  std::printf(
      "attack of %.1f s; %zu honest logons, %.0f ms the longest; %llu connections refused, "
      "%llu garbled messages, %zu events; heap %+lld bytes\n",
      seconds, logon_times_.size(), longest_ms(logon_times_),
      static_cast<unsigned long long>(stats.connections_refused),
      static_cast<unsigned long long>(stats.garbled), log_.lines.size(),
      static_cast<long long>(after.heap_bytes - before.heap_bytes - kept));
  if (!is_strict()) return;
  EXPECT_LE(percentile_us(attacked.by_clock, 99), kSlowerMax * percentile_us(calm.by_clock, 99));
}

}  // namespace
}  // namespace nexusfix::attack
