// A venue and a trader, for an hour or for SECONDS, over connections that are cut, torn and
// stalled, with messages lost and engines stopped and killed. At the end each message has arrived
// once and in order, and the process uses no more memory and descriptors than after the warm-up.
//   soak [SECONDS [SEED]]
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <functional>
#include <malloc.h>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <nexusfix/base/clock.hpp>

#include "faults/soak/counterparties.hpp"
#include "faults/soak/faulty_link.hpp"
#include "faults/soak/process_use.hpp"
#include "faults/soak/side.hpp"
#include "support/disks/temporary_folder.hpp"

namespace nexusfix::soak {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr std::size_t kSessions = 6;
// 1,200 orders a second in all, and about three times as many messages.
constexpr std::chrono::microseconds kBetweenOrders{5'000};
constexpr milliseconds kBetweenFaults{600};
constexpr milliseconds kBetweenSamples{500};

// The allowed growth from the end of the warm-up to the end, both idle. A connection that was torn
// just then is four descriptors; on a busy machine, two connections may be.
constexpr std::uint64_t kResidentGrowthMax = 6U << 20U;
constexpr std::uint64_t kHeapGrowthMax = 3U << 20U;
constexpr std::uint64_t kDescriptorGrowthMax = 10;
// The size of both journals: JournalKeepBytes of each, and some segments.
constexpr std::uint64_t kFolderBytesMax = 48U << 20U;
// The time for all messages to arrive after the last fault. Generous: after it a session hangs, and
// is not merely slow.
constexpr seconds kSettleMax{180};

std::string common_keys(const std::string& folder, std::string_view durability) {
  return fmt::format(
      "[DEFAULT]\nNonStopSession=Y\nUseDataDictionary=N\nHeartBtInt=3\nReconnectInterval=1\n"
      "SocketSendBufferSize=16384\nSocketReceiveBufferSize=16384\nMaxQueuedBytes=65536\n"
      "FileStorePath={}\nJournalDurability={}\nJournalKeepBytes=4194304\n"
      "JournalRetireCurrent=Y\nFileLogPath={}-logs\nLogMaxBytes=262144\nLogKeepFiles=2\n",
      folder, durability, folder);
}

std::string sessions(std::string_view us, std::string_view them) {
  constexpr std::array kVersions{"FIX.4.2", "FIX.4.4", "FIXT.1.1"};
  std::string text;
  for (std::size_t i = 0; i < kSessions; ++i) {
    const std::string_view version = kVersions[i % kVersions.size()];
    text += fmt::format("[SESSION]\nBeginString={}\nSenderCompID={}{}\nTargetCompID={}{}\n",
                        version, us, i, them, i);
    if (version == "FIXT.1.1") text += "DefaultApplVerID=FIX.5.0SP2\n";
  }
  return text;
}

std::string venue_config(const std::string& folder) {
  return common_keys(folder + "/venue", "process") +
         "ConnectionType=acceptor\nSocketAcceptAddress=127.0.0.1\nSocketAcceptPort=0\n" +
         sessions("VENUE", "TRADER");
}

std::string trader_config(const std::string& folder, std::uint16_t port) {
  return common_keys(folder + "/trader", "group") +
         fmt::format(
             "ConnectionType=initiator\nSocketConnectHost=127.0.0.1\nSocketConnectPort={}\n",
             port) +
         sessions("TRADER", "VENUE");
}

class Soak {
 public:
  Soak(seconds duration, std::uint64_t seed) : duration_{duration}, random_{seed}, link_{seed} {
    deal();
  }
  // Returns the exit status.
  int run();

 private:
  using Act = std::function<void()>;

  void deal();
  void disturb();
  void sample();
  void print_line() const;
  void live_until(steady_clock::time_point end);
  void come_to_rest();
  void compare();
  void expect_growth();
  void expect_faults();

  [[nodiscard]] double elapsed_s() const {
    return std::chrono::duration<double>(steady_clock::now() - began_).count();
  }
  [[nodiscard]] std::uint64_t sum(std::atomic<std::uint64_t> Progress::* what) const {
    std::uint64_t all = 0;
    for (const Progress& one : trader_.sessions()) all += (one.*what).load();
    for (const Progress& one : venue_.sessions()) all += (one.*what).load();
    return all;
  }
  [[nodiscard]] std::uint64_t restarts() const {
    const std::uint64_t openings = venue_side_.openings() + trader_side_.openings();
    return openings > 2 ? openings - 2 : 0;
  }

  seconds duration_;
  steady_clock::time_point began_ = steady_clock::now();
  testing::TemporaryFolder folder_;
  Faults faults_;
  SeededRandom random_;
  FaultyLink link_;
  SoakVenue venue_{"venue", kSessions, faults_};
  SoakTrader trader_{kSessions, faults_, kBetweenOrders};
  Side<SoakVenue> venue_side_{venue_config(folder_.path()), venue_, faults_,
                              [this](std::uint16_t port) { link_.forward_to(port); }};
  Side<SoakTrader> trader_side_{trader_config(folder_.path(), link_.port()), trader_, faults_,
                                [](std::uint16_t) {}};
  std::vector<Act> deck_;  // the next faults, in a random order
  ProcessUse use_{};
  ProcessUse warm_{};  // at rest after the warm-up
};

// Each kind of fault occurs once before any repeats.
void Soak::deal() {
  const auto link = [this](LinkFault fault) { return [this, fault] { link_.inflict(fault); }; };
  deck_ = {link(LinkFault::Cut),
           link(LinkFault::Cut),
           link(LinkFault::Tear),
           link(LinkFault::Tear),
           link(LinkFault::CutAll),
           link(LinkFault::Lose),
           link(LinkFault::Lose),
           link(LinkFault::Lose),
           link(LinkFault::Stall),
           link(LinkFault::Stall),
           link(LinkFault::Stall),
           [this] { venue_side_.restart(Restart::Stop); },
           [this] { venue_side_.restart(Restart::Kill); },
           [this] { trader_side_.restart(Restart::Stop); },
           [this] { trader_side_.restart(Restart::Kill); }};
  for (std::size_t i = deck_.size(); i > 1; --i) std::swap(deck_[i - 1], deck_[random_.below(i)]);
}

void Soak::disturb() {
  if (deck_.empty()) deal();
  deck_.back()();
  deck_.pop_back();
}

void Soak::sample() {
  use_ = use_now(folder_.path());
  if (use_.folder_bytes > kFolderBytesMax) {
    faults_.add(fmt::format("the journals and logs take {} bytes, more than {}", use_.folder_bytes,
                            kFolderBytesMax));
  }
}

void Soak::print_line() const {
  constexpr double kMebi = 1U << 20U;
  fmt::print(
      "{:6.0f} s  {} messages, {} by resend; {} cuts, {} torn, {} lost, {} stalls, {} restarts; "
      "{:.1f} MiB resident, {:.1f} of its own, {:.1f} of heap, {} descriptors, {:.0f} MiB on "
      "disk\n",
      elapsed_s(), sum(&Progress::received), sum(&Progress::resent),
      link_.inflicted(LinkFault::Cut) + link_.inflicted(LinkFault::CutAll),
      link_.inflicted(LinkFault::Tear), link_.inflicted(LinkFault::Lose),
      link_.inflicted(LinkFault::Stall), restarts(),
      static_cast<double>(use_.resident_bytes) / kMebi,
      static_cast<double>(use_.anonymous_bytes) / kMebi,
      static_cast<double>(use_.heap_bytes) / kMebi, use_.descriptors,
      static_cast<double>(use_.folder_bytes) / kMebi);
  std::fflush(stdout);
}

// Faults and orders, until that time.
void Soak::live_until(steady_clock::time_point end) {
  const seconds between_lines = std::clamp(duration_ / 60, seconds{2}, seconds{10});
  trader_.trade(true);
  auto fault_at = steady_clock::now() + kBetweenFaults;
  auto sample_at = steady_clock::now();
  auto line_at = sample_at;
  while (steady_clock::now() < end && !faults_.any()) {
    const auto now = steady_clock::now();
    if (now >= fault_at) {
      disturb();
      fault_at = now + kBetweenFaults;
    }
    if (now >= sample_at) {
      sample();
      sample_at = now + kBetweenSamples;
    }
    if (now >= line_at) {
      print_line();
      line_at = now + between_lines;
    }
    std::this_thread::sleep_for(milliseconds{20});
  }
}

// All messages arrive, and all sessions are logged on.
void Soak::come_to_rest() {
  trader_.trade(false);
  const auto until = steady_clock::now() + kSettleMax;
  while (!trader_.all_answered() || !trader_.all_logged_on() || !venue_.all_logged_on()) {
    if (faults_.any()) return;
    if (steady_clock::now() > until) return faults_.add("some sessions did not become idle");
    std::this_thread::sleep_for(milliseconds{20});
  }
  sample();
  print_line();
}

void Soak::compare() {
  for (std::size_t i = 0; i < kSessions; ++i) {
    const Progress& trader = trader_.sessions()[i];
    const Progress& venue = venue_.sessions()[i];
    if (venue.received != trader.sent || trader.received != venue.sent) {
      faults_.add(fmt::format("{}: {} orders were sent and {} arrived; {} reports and {}",
                              trader.name, trader.sent.load(), venue.received.load(),
                              venue.sent.load(), trader.received.load()));
    }
  }
}

void Soak::expect_growth() {
  const auto expect = [this](std::string_view what, std::uint64_t warm, std::uint64_t now,
                             std::uint64_t growth_max) {
    fmt::print("idle: {} {} after the warm-up, {} at the end; {} more are allowed\n", warm, what,
               now, growth_max);
    if (now > warm + growth_max) faults_.add(fmt::format("there are too many {}", what));
  };
  expect("resident bytes of its own", warm_.anonymous_bytes, use_.anonymous_bytes,
         kResidentGrowthMax);
  expect("bytes of heap", warm_.heap_bytes, use_.heap_bytes, kHeapGrowthMax);
  expect("descriptors", warm_.descriptors, use_.descriptors, kDescriptorGrowthMax);
}

void Soak::expect_faults() {
  for (std::size_t fault = 0; fault < kLinkFaults; ++fault) {
    if (link_.inflicted(static_cast<LinkFault>(fault)) == 0) {
      faults_.add(fmt::format("fault {} of the link never happened", fault));
    }
  }
  if (sum(&Progress::resent) == 0) faults_.add("nothing was ever resent");
  if (restarts() == 0) faults_.add("no engine was ever restarted");
}

int Soak::run() {
  live_until(began_ + duration_ / 3);
  come_to_rest();
  warm_ = use_;
  live_until(began_ + duration_);
  come_to_rest();
  if (!faults_.any()) {
    compare();
    expect_growth();
    expect_faults();
  }
  for (const std::string& fault : faults_.all()) fmt::print("FAILED: {}\n", fault);
  fmt::print("soak: {}\n", faults_.any() ? "failed" : "passed");
  return faults_.any() ? 1 : 0;
}

}  // namespace
}  // namespace nexusfix::soak

int main(int argc, char** argv) {
  const long duration = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 3'600;
  if (argc > 3 || duration < 20 || duration > 1'000'000) {
    fmt::print(stderr, "Usage: soak [SECONDS [SEED]]\nSECONDS: 20 to 1000000 (default 3600)\n");
    return 2;
  }
  // Allocated memory counts at once, not at the first use of a buffer; and a read of freed memory
  // returns rubbish.
  ::mallopt(M_PERTURB, 0xa5);
  // Otherwise each thread has its own heap, and restarts begin new ones for minutes, each of which
  // keeps what was freed in it: a growth that ends, but looks like a leak.
  ::mallopt(M_ARENA_MAX, 1);
  nexusfix::SystemRandom random;
  const std::uint64_t seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : random.next();
  fmt::print("soak: {} seconds, seed {}\n", duration, seed);
  return nexusfix::soak::Soak{std::chrono::seconds{duration}, seed}.run();
}
