#include <algorithm>
#include <charconv>
#include <functional>
#include <vector>

#include <nexusfix/simulator/scenario.hpp>
#include <nexusfix/statistics.hpp>

#include "simulator/order_flow.hpp"

namespace nexusfix::simulator {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr unsigned kSessionsMax = 1'000;
constexpr seconds kSettledWithin{600};
constexpr std::uint64_t kKeepBytesMin = 4U << 10U;

struct Version {
  std::string_view begin_string;
  std::string_view more;           // further lines of the session
  bool is_validated = false;       // the messages of the order flow conform to its dictionary
  bool has_last_processed = true;  // field 369
  bool has_next_expected = false;  // field 789
};
constexpr Version kVersions[] = {
    {"FIX.4.0", "", false, false},
    {"FIX.4.1", "", false, false},
    {"FIX.4.2", "", true},
    {"FIX.4.3", "", false},
    {"FIX.4.4", "", true, true, true},
    {"FIXT.1.1", "DefaultApplVerID=FIX.5.0\n", false, true, true},
    {"FIXT.1.1", "DefaultApplVerID=FIX.5.0SP1\n", false, true, true},
    {"FIXT.1.1", "DefaultApplVerID=FIX.5.0SP2\n", false, true, true},
};

// A Logon of FIX 4.0 cannot request a reset. If operators may need one, both sides of such a
// session reset at every Logon, as its counterparties agree to do.
bool may_need_reset(FaultSet faults) {
  return faults.has(Fault::Reset) || faults.has(Fault::DieInReset) ||
         faults.has(Fault::PowerLoss) || faults.has(Fault::Remount);
}

SeededRandom chance_of(const Scenario& scenario) {
  return SeededRandom{SeededRandom{scenario.seed * 64 + 63}.next()};
}

// The operators, the machines and the traffic of one scenario.
class Play {
 public:
  Play(const Scenario& scenario, TraceOptions trace)
      : scenario_{resolved(scenario)},
        chance_{chance_of(scenario)},
        gap_chance_{SeededRandom{scenario.seed * 64 + 62}.next()},
        limit_chance_{SeededRandom{scenario.seed * 64 + 61}.next()},
        retention_chance_{SeededRandom{scenario.seed * 64 + 60}.next()},
        pressure_chance_{SeededRandom{scenario.seed * 64 + 59}.next()},
        logout_chance_{SeededRandom{scenario.seed * 64 + 58}.next()},
        world_{{.seed = scenario.seed,
                .faults = *scenario_.faults,
                .trace_lines = trace.lines,
                .trace_stream = trace.stream}},
        books_{world_} {
    // resolved() has drawn this number.
    static_cast<void>(chance_.next());
    static_cast<void>(chance_.next());
    build();
  }

  Outcome run() {
    for (std::size_t i = 0; i < links_.size(); ++i) schedule_burst(i);
    world_.run(scenario_.duration);
    is_over_ = true;
    if (world_.settle(kSettledWithin)) check_orders();
    Outcome outcome{.violation = world_.violation(),
                    .statistics = world_.statistics(),
                    .duration = world_.now(),
                    .digest = 0,
                    .trace = world_.trace()};
    outcome.digest = digest_of(outcome);
    return outcome;
  }

 private:
  struct Link {
    ProcessId trader = 0;
    std::size_t session = 0;  // of the trader
    std::size_t index = 0;    // of the venue's
  };

  [[nodiscard]] bool one_in(std::uint64_t count) { return chance_.below(count) == 0; }

  std::string line(std::string_view key, std::string_view value) {
    return std::string{key} + '=' + std::string{value} + '\n';
  }
  std::string line(std::string_view key, std::uint64_t value) {
    return line(key, std::to_string(value));
  }

  std::string machine_lines(std::string_view type) {
    venue_is_sync_ = one_in(2);
    return "[DEFAULT]\n" + line("ConnectionType", type) + "FileStorePath=/journal\n" +
           line("JournalDurability", !venue_is_sync_               ? "process"
                                     : limit_chance_.below(2) == 0 ? "sync"
                                                                   : "group") +
           line("NonStopSession", "Y") + line("LogonTimeout", 2 + chance_.below(9)) +
           line("LogoutTimeout", 1 + chance_.below(3)) +
           line("LogoutCloseTimeout", 5 * logout_chance_.below(3)) +
           line("ReconnectInterval", 1 + chance_.below(5)) +
           line("SendRedundantResendRequests", one_in(10) ? "Y" : "N") +
           line("TimestampPrecision", 3 * chance_.below(4)) + "SocketAcceptPort=5001\n" +
           "SocketConnectHost=venue\nSocketConnectPort=5001\n" + retention_lines();
  }

  // Journals with segments so short that some are retired every few seconds, or minutes.
  std::string retention_lines() {
    if (!retires_) return {};
    return line("JournalKeepBytes", kKeepBytesMin << retention_chance_.below(5)) +
           line("JournalRetireCurrent", retires_current_ ? "Y" : "N");
  }

  // Ways to close gaps; each side may have its own.
  std::string gap_lines() {
    return line("ResendRequestChunkSize", gap_chance_.below(2) * gap_chance_.below(20)) +
           line("ClosedResendInterval", gap_chance_.below(2) == 0 ? "Y" : "N");
  }
  // Limits on what a side receives and resends. They delay messages, and lose none.
  std::string limit_lines() {
    if (is_pressed_) return pressed_limit_lines();
    std::string text;
    if (limit_chance_.below(4) == 0) {
      text += line("ThrottleMessages", 20 + limit_chance_.below(60));
    }
    if (limit_chance_.below(4) == 0) {
      text += line("MaxResendsPerSecond", 50 + limit_chance_.below(500));
    }
    return text;
  }
  // So low that faults find many resends and throttled messages.
  std::string pressed_limit_lines() {
    std::string text;
    if (pressure_chance_.below(3) == 0) {
      text += line("ThrottleMessages", 20 + pressure_chance_.below(60));
    }
    if (pressure_chance_.below(3) != 0) {
      text += line("MaxResendsPerSecond", 10 + pressure_chance_.below(50));
    }
    return text;
  }
  std::string field_lines(const Version& version) {
    std::string text;
    if (version.has_last_processed && gap_chance_.below(2) == 0) {
      text += line("EnableLastMsgSeqNumProcessed", "Y");
    }
    if (version.has_next_expected && gap_chance_.below(2) == 0) {
      text += line("SendNextExpectedMsgSeqNum", "Y");
    }
    return text;
  }

  // Both sides' parts of one session.
  std::pair<std::string, std::string> session_lines(std::size_t index, bool checks_latency) {
    const std::string trader = "TRADER" + std::to_string(index);
    const Version& version = kVersions[chance_.below(std::size(kVersions))];
    const bool validates = version.is_validated && validates_;
    std::string both = "[SESSION]\n" + line("BeginString", version.begin_string) +
                       std::string{version.more} +
                       line("CheckLatency", checks_latency ? "Y" : "N") +
                       line("UseDataDictionary", validates ? "Y" : "N");
    std::string initiator;
    constexpr std::uint64_t kIntervals[] = {1, 2, 5, 10, 20, 30};
    initiator += line("HeartBtInt", kIntervals[chance_.below(std::size(kIntervals))]);
    std::uint64_t kind = chance_.below(24);
    const bool can_say_reset = version.begin_string != "FIX.4.0";
    constexpr std::uint64_t kResetOnLogout = 3;
    if (is_pressed_ && can_say_reset && pressure_chance_.below(8) == 0) kind = kResetOnLogout;
    if (!can_say_reset) {
      if (kind <= 2 || may_need_reset(*scenario_.faults)) both += line("ResetOnLogon", "Y");
    } else if (kind <= 2) {
      initiator += line("ResetOnLogon", "Y");
    }
    if (kind == 2 && can_say_reset) both += line("ResetOnDisconnect", "Y");
    if (kind == kResetOnLogout && can_say_reset) {
      both += line("ResetOnLogout", "Y");
      books_.allow_repetition(std::string{version.begin_string} + ":VENUE->" + trader);
    }
    std::string acceptor;
    if (closes_gaps_otherwise_) {
      both += field_lines(version);
      initiator += gap_lines();
      acceptor += gap_lines();
    }
    initiator += limit_lines();
    acceptor += limit_lines();
    return {both + line("SenderCompID", trader) + line("TargetCompID", "VENUE") + initiator,
            both + line("SenderCompID", "VENUE") + line("TargetCompID", trader) + acceptor};
  }

  void build() {
    const bool checks_latency = !one_in(4);
    // A process builds its dictionaries at each start, which takes long.
    validates_ = one_in(12);
    closes_gaps_otherwise_ = gap_chance_.below(3) == 0;
    is_pressed_ =
        scenario_.faults->has(Fault::ResetWithin) || scenario_.faults->has(Fault::AskAgain);
    if (is_pressed_) closes_gaps_otherwise_ |= pressure_chance_.below(2) == 0;
    // None of the worlds in regressions.txt: they must stay the same.
    retires_ = retention_chance_.below(5) == 4;
    retires_current_ = retires_ && retention_chance_.below(2) == 0;
    const std::size_t traders = scenario_.sessions > 1 && one_in(2) ? 2 : 1;
    std::vector<std::string> trader_files;
    trader_files.reserve(traders);
    for (std::size_t i = 0; i < traders; ++i) {
      trader_files.push_back(machine_lines("initiator"));
    }
    std::string venue_file = machine_lines("acceptor");
    for (std::size_t i = 0; i < scenario_.sessions; ++i) {
      auto [initiator, acceptor] = session_lines(i, checks_latency);
      trader_files[i % traders] += initiator;
      venue_file += acceptor;
      links_.push_back({.trader = 1 + i % traders, .session = i / traders, .index = i});
    }
    venue_ = world_.add_process<SimulatedVenue>("venue", std::move(venue_file), std::ref(books_));
    for (std::size_t i = 0; i < traders; ++i) {
      world_.add_process<SimulatedTrader>("trader" + std::to_string(i + 1),
                                          std::move(trader_files[i]), std::ref(books_));
    }
  }

  void schedule_burst(std::size_t link) {
    world_.after(milliseconds{200 + world_.random().below(5'000)}, [this, link] {
      if (is_over_) return;
      burst(links_[link]);
      schedule_burst(link);
    });
  }

  void burst(const Link& link) {
    SeededRandom& random = world_.random();
    const std::uint64_t orders = 1 + random.below(std::uint64_t{1} << (1 + random.below(6)));
    const std::uint64_t news = random.below(3) == 0 ? random.below(16) : 0;
    const bool also_offline = random.below(3) == 0;
    if (engine::Engine* const engine = world_.engine(link.trader)) {
      engine::Session& session = engine->session(link.session);
      for (std::uint64_t i = 0; i < orders && (also_offline || session.is_logged_on()); ++i) {
        if (!send_order(books_, session)) break;
      }
    }
    if (engine::Engine* const engine = world_.engine(venue_)) {
      engine::Session& session = engine->session(link.index);
      for (std::uint64_t i = 0; i < news && (also_offline || session.is_logged_on()); ++i) {
        if (!send_news(books_, session, ++news_)) break;
      }
    }
  }

  void check_orders() {
    // Without a sync, a loss of power may take reports that were promised.
    const FaultSet& faults = *scenario_.faults;
    if (!venue_is_sync_ && (faults.has(Fault::PowerLoss) || faults.has(Fault::Remount))) return;
    // An order that the venue forgot in a crash may be retired before the venue requests it again.
    if (retires_current_) return;
    // An order whose report a crash took comes again, and may then be refused for its SendingTime.
    const auto jumps = static_cast<std::size_t>(Fault::JumpInFlight);
    if (world_.statistics().faults[jumps] != 0) return;
    const auto* const venue = world_.application<SimulatedVenue>(venue_);
    if (venue == nullptr) return;
    if (std::string missing = venue->find_missing_answer(*world_.engine(venue_));
        !missing.empty()) {
      world_.found("order-unanswered", std::move(missing));
    }
  }

  static std::uint64_t digest_of(const Outcome& outcome) {
    const WorldStatistics& counts = outcome.statistics;
    std::uint64_t digest = 0;
    const auto mix = [&digest](std::uint64_t value) {
      digest = (digest ^ value) * 0x9FB21C651E98DF25U;
      digest ^= digest >> 32U;
    };
    for (const std::uint64_t one : counts.faults) mix(one);
    for (const std::uint64_t one : {counts.wire_messages, counts.delivered, counts.delivered_again,
                                    counts.promised, counts.epochs, counts.starts, counts.turns,
                                    counts.rolls, counts.retired, counts.resets_in_resend}) {
      mix(one);
    }
    mix(static_cast<std::uint64_t>(outcome.duration.count()));
    return digest;
  }

  Scenario scenario_;
  SeededRandom chance_;
  SeededRandom gap_chance_;
  SeededRandom limit_chance_;
  SeededRandom retention_chance_;
  SeededRandom pressure_chance_;
  SeededRandom logout_chance_;
  World world_;
  OrderBooks books_;
  ProcessId venue_ = 0;
  bool venue_is_sync_ = false;
  bool validates_ = false;
  bool closes_gaps_otherwise_ = false;
  bool is_pressed_ = false;  // by counterparties with other engines
  bool retires_ = false;
  bool retires_current_ = false;
  bool is_over_ = false;
  std::uint64_t news_ = 0;
  std::vector<Link> links_;
};

}  // namespace

Scenario resolved(Scenario scenario) {
  SeededRandom chance = chance_of(scenario);
  const std::uint64_t sessions = 1 + chance.below(4);
  std::uint64_t kinds = chance.next();
  if (scenario.sessions == 0) scenario.sessions = static_cast<unsigned>(sessions);
  if (!scenario.faults) {
    scenario.faults.emplace();
    for (std::size_t i = 0; i < kFaults; ++i, kinds >>= 1U) {
      if ((kinds & 1U) != 0) scenario.faults->add(static_cast<Fault>(i));
    }
  }
  return scenario;
}

Outcome run_scenario(const Scenario& scenario, TraceOptions trace) {
  return Play{scenario, trace}.run();
}

std::string to_string(const Scenario& scenario) {
  std::string text = "seed=" + std::to_string(scenario.seed);
  if (scenario.sessions != 0) text += " sessions=" + std::to_string(scenario.sessions);
  text += " seconds=" + std::to_string(scenario.duration.count());
  if (scenario.faults) text += " faults=" + to_string(*scenario.faults);
  return text;
}

std::expected<Scenario, std::string> parse_scenario(std::string_view text) {
  Scenario scenario;
  const auto to_number = [](std::string_view digits, auto& number) {
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return error == std::errc{} && end == digits.data() + digits.size();
  };
  while (!text.empty()) {
    const std::size_t blank = text.find(' ');
    const std::string_view part = text.substr(0, blank);
    text.remove_prefix(blank == std::string_view::npos ? text.size() : blank + 1);
    if (part.empty()) continue;
    const std::size_t equals = part.find('=');
    const std::string_view key = part.substr(0, equals);
    const std::string_view value =
        equals == std::string_view::npos ? std::string_view{} : part.substr(equals + 1);
    bool is_valid = false;
    if (key == "seed") {
      is_valid = to_number(value, scenario.seed);
    } else if (key == "sessions") {
      is_valid = to_number(value, scenario.sessions) && scenario.sessions <= kSessionsMax;
    } else if (key == "seconds") {
      seconds::rep count = 0;
      is_valid = to_number(value, count) && count >= 0;
      scenario.duration = seconds{count};
    } else if (key == "faults") {
      const auto faults = parse_faults(value);
      is_valid = faults.has_value();
      if (is_valid) scenario.faults = *faults;
    }
    if (!is_valid) {
      return std::unexpected{std::string{part} +
                             ": seed=, sessions=, seconds= or faults= was expected"};
    }
  }
  return scenario;
}

Scenario shrink(const Scenario& scenario, const Violation& violation, unsigned runs_max) {
  Scenario best = resolved(scenario);
  Violation found = violation;
  unsigned runs = 0;
  const auto try_it = [&](const Scenario& smaller) {
    if (runs == runs_max) return false;
    ++runs;
    const Outcome outcome = run_scenario(smaller);
    if (!outcome.violation || outcome.violation->invariant != violation.invariant) return false;
    best = smaller;
    found = *outcome.violation;
    return true;
  };
  for (std::size_t i = 0; i < kFaults; ++i) {
    Scenario smaller = best;
    smaller.faults->remove(static_cast<Fault>(i));
    if (smaller.faults != best.faults) try_it(smaller);
  }
  for (unsigned sessions = 1; sessions < best.sessions; ++sessions) {
    Scenario smaller = best;
    smaller.sessions = sessions;
    if (try_it(smaller)) break;
  }
  // The time after the violation, and the time before the first remaining fault.
  const seconds until{std::chrono::ceil<seconds>(found.time)};
  for (const seconds duration : {until, best.duration / 2, best.duration / 4, best.duration / 8}) {
    Scenario smaller = best;
    smaller.duration = std::max(seconds{1}, duration);
    if (smaller.duration < best.duration) try_it(smaller);
  }
  return best;
}

}  // namespace nexusfix::simulator
