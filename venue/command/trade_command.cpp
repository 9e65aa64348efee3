// nexusfix trade: the example trader on a configuration file.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <optional>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/disk.hpp>
#include <nexusfix/engine.hpp>
#include <nexusfix/statistics.hpp>

#include "nexusfix/command.hpp"
#include "nexusfix/files/engine_options.hpp"
#include "nexusfix/files/settings_loader.hpp"
#include "nexusfix/text/text.hpp"
#include "venue/command/flow_command.hpp"
#include "venue/trader/trader.hpp"

namespace nexusfix::command {
namespace {

constexpr std::string_view kTradeCommand = "trade";
constexpr std::string_view kWhyOrders =
    "the trader knows from the messages in its journal which orders it has sent";

struct TradeOptions {
  std::string config;
  UnknownKeys unknown_keys = UnknownKeys::Warn;
  std::string report_file;
  std::string rules;  // a file; empty: orders that fill each other
  std::optional<std::uint64_t> seed;
  trader::TraderPlan plan;
  bool stream = false;
  bool partials = false;
  bool spin = false;
  bool results = false;
  std::uint64_t progress_every = 0;
  std::uint64_t silence_seconds = 30;
};

void print_progress(const trader::TraderCounts& counts) {
  fmt::print("progress sent={} acknowledged={} finished={}\n", counts.sent, counts.acknowledged,
             counts.finished);
  std::fflush(stdout);
}

// Prints every measured time, in nanoseconds. The demonstration reads this.
void print_results(const trader::TraderTimes& times) {
  fmt::print("streamed orders={} nanoseconds={}\nround_trips", times.streamed,
             times.stream_time.count());
  for (const trader::Nanoseconds time : times.round_trips) fmt::print(" {}", time.count());
  fmt::print("\n");
}

// Runs the engine until the trader is done, and then logs out.
class Run {
 public:
  Run(const TradeOptions& options, engine::Engine& engine, trader::Trader& trader, Clock& clock)
      : options_{options}, engine_{engine}, trader_{trader}, clock_{clock} {}

  // Empty: all is well.
  std::string until_done() {
    const auto pause = options_.spin ? std::chrono::nanoseconds{0} : std::chrono::milliseconds{50};
    last_report_ = last_change_ = clock_.now().mono;
    bool more = false;
    while (engine_.poll(more ? std::chrono::nanoseconds{0} : pause)) {
      more = trader_.go_on(engine_.session(0));
      if (const std::string failure = look(); !failure.empty()) return failure;
    }
    if (!trader_.failure().empty()) return trader_.failure();
    if (!trader_.finished()) {
      return engine::StopSignals::received() ? "stopped before all orders were finished"
                                             : "the session ended before all orders were finished";
    }
    return {};
  }

 private:
  std::string look() {
    // In a spinning loop this would take most of the time.
    constexpr unsigned kTurnsBetweenLooks = 256;
    if (options_.spin && ++turns_ % kTurnsBetweenLooks != 0) return {};
    const trader::TraderCounts& counts = trader_.counts();
    const MonoTime now = clock_.now().mono;
    engine::Session& session = engine_.session(0);
    const std::uint64_t next_inbound = session.numbers().next_inbound;
    if (counts.reports != seen_reports_) last_report_ = last_change_ = now;
    // A Heartbeat changes next_inbound, too, but is no answer to an order.
    if (next_inbound != seen_inbound_) last_change_ = now;
    seen_reports_ = counts.reports;
    seen_inbound_ = next_inbound;
    progress(counts);
    if (!trader_.failure().empty()) {
      log_out(session);
    } else if (trader_.finished() && session.is_logged_on() && now - last_change_ >= kSettleTime) {
      log_out(session);
    }
    if (now - last_report_ < std::chrono::seconds{options_.silence_seconds}) return {};
    engine_.stop();
    return fmt::format(
        "no ExecutionReport came for {} s: {} of {} orders sent, {} acknowledged, {} "
        "finished; the session is {}{}",
        options_.silence_seconds, counts.sent, options_.plan.orders, counts.acknowledged,
        counts.finished, session.is_logged_on() ? "logged on" : "not logged on: ",
        engine_.statistics().sessions.front().why);
  }

  void progress(const trader::TraderCounts& counts) {
    if (options_.progress_every == 0) return;
    const std::uint64_t step = counts.finished / options_.progress_every;
    if (step == shown_step_ && !(trader_.finished() && !shown_end_)) return;
    shown_step_ = step;
    shown_end_ = trader_.finished();
    print_progress(counts);
  }

  void log_out(engine::Session& session) {
    if (!logged_out_) session.log_out();
    logged_out_ = true;
  }

  // The wait before the Logout: messages that the counterparty resends after a crash arrive in it.
  static constexpr std::chrono::milliseconds kSettleTime{100};

  const TradeOptions& options_;
  engine::Engine& engine_;
  trader::Trader& trader_;
  Clock& clock_;
  MonoTime last_report_{};
  MonoTime last_change_{};  // the time of the last inbound message
  std::uint64_t seen_reports_ = 0;
  std::uint64_t seen_inbound_ = 0;
  std::uint64_t shown_step_ = 0;
  bool shown_end_ = false;
  bool logged_out_ = false;
  unsigned turns_ = 0;
};

std::string summary(const trader::Trader& trader, std::uint64_t orders) {
  const trader::TraderCounts& counts = trader.counts();
  std::string text = fmt::format("{} of {} filled, {} in this run", with_thousands(counts.filled),
                                 counted(orders, "order"), counted(counts.reports, "report"));
  const trader::TraderTimes& times = trader.times();
  if (!times.round_trips.empty()) {
    const auto latency = trader::summarize(times.round_trips);
    text += fmt::format("; round trip P50 {}, P99 {}", duration_text(latency.p50),
                        duration_text(latency.p99));
  }
  if (times.stream_time.count() > 0) {
    const double rate =
        static_cast<double>(times.streamed) * 1e9 / static_cast<double>(times.stream_time.count());
    text += fmt::format("; {} orders/s streamed", with_thousands(static_cast<std::uint64_t>(rate)));
  }
  return text;
}

// The report is not in the file, so it must not count as received: the process ends at once, and
// nothing is stored. After a restart the counterparty resends the report.
[[noreturn]] void end_at_once(const DiskError& error) {
  std::fflush(stdout);
  fail(kTradeCommand,
       fmt::format("the report file: {}; ended at once, so that the file misses no report. "
                   "Free space and start again: the trader continues where it was",
                   error.what()));
  std::_Exit(kFailure);
}

// Without the reports of earlier runs, the trader would wait for them forever.
std::string missing_reports(const std::optional<trader::ReportFile>& file,
                            const TradeOptions& options, std::uint64_t sent) {
  if (sent == 0 || (file && !file->is_new())) return {};
  const std::string found = fmt::format(
      "the journal of {} holds orders of earlier runs (up to T{}); which of them were "
      "filled is only in the report file of those runs: ",
      options.config, sent);
  if (!file) return found + "pass it with --report FILE";
  return found + options.report_file + " is no report file";
}

// The trader sends only while it is logged on: SendWhileLoggedOut=N keeps no order out of the
// journal.
std::expected<void, std::string> check_orders(config::Settings settings) {
  for (config::SessionSettings& one : settings.sessions) one.sends_while_logged_out = true;
  return check_persistent(settings, kWhyOrders);
}

int trade(const TradeOptions& options) {
  SystemClock clock;
  PosixDisk disk;
  auto settings = read_settings(disk, options.config, options.unknown_keys);
  if (!settings) return fail(kTradeCommand, settings.error());
  if (const auto right = check_orders(*settings); !right) {
    return fail(kTradeCommand, right.error());
  }
  if (!is_one_initiator(*settings)) {
    return fail(kTradeCommand, options.config + ": exactly one session, an initiator, is needed");
  }
  if (settings->store == config::StoreKind::Memory) {
    fmt::print(stderr,
               "nexusfix {}: warning: Store=memory: a trader that is started again begins with "
               "order T1, and a venue that remembers it refuses it\n",
               kTradeCommand);
  }
  trader::Trader trader{options.plan, clock};
  std::optional<trader::ReportFile> report_file;
  if (!options.report_file.empty()) {
    auto opened =
        trader::ReportFile::open(disk, options.report_file,
                                 [&](const trader::ReportLine& line) { trader.on_reported(line); });
    if (!opened) return fail(kTradeCommand, opened.error().what());
    report_file = std::move(*opened);
    trader.record_to(*report_file, end_at_once);
  }
  engine::EngineOptions engine_settings = engine_options(options.spin);
  engine_settings.check_settings.call = [](void*, const Settings& fresh) {
    return check_orders(fresh.values());
  };
  auto engine = engine::Engine::open(std::move(*settings), trader, engine_settings);
  if (!engine) return fail(kTradeCommand, engine.error().what());
  if (auto missing = missing_reports(report_file, options, trader.counts().sent);
      !missing.empty()) {
    // A new, empty file must not look like the correct one at the next start.
    if (report_file) static_cast<void>(disk.remove(options.report_file));
    return fail(kTradeCommand, missing);
  }
  // The trader would count the orders of another run as its own, finished orders.
  if (trader.last_reported() > trader.counts().sent) {
    return fail(kTradeCommand,
                fmt::format("{}: the report file holds orders that this journal never sent (up to "
                            "T{}; the journal of {} holds {}). Keep the two together, or start "
                            "with two new ones",
                            options.report_file, trader.last_reported(), options.config,
                            trader.counts().sent == 0
                                ? "none"
                                : fmt::format("those up to T{}", trader.counts().sent)));
  }
  const std::string_view version = engine->session(0).application_version();
  if (version != "FIX.4.2" && version != "FIX.4.4" && version != "FIX.5.0SP2") {
    return fail(kTradeCommand,
                options.config + ": the trader speaks FIX.4.2, FIX.4.4 and FIX.5.0SP2 only");
  }
  const engine::StopSignals signals{*engine};
  const std::string failure = Run{options, *engine, trader, clock}.until_done();
  if (options.results) print_results(trader.times());
  fmt::print("{}\n", summary(trader, options.plan.orders));
  std::fflush(stdout);
  return failure.empty() ? kSuccess : fail(kTradeCommand, failure);
}

void add_options(CLI::App& app, TradeOptions& options) {
  app.add_option("CONFIG", options.config, "the configuration file, with one initiator session")
      ->required();
  app.add_option("--orders", options.plan.orders,
                 "the number of orders over all runs on the same journal, even")
      ->capture_default_str()
      ->check(CLI::Range(std::uint64_t{2}, std::uint64_t{100'000'000}))
      ->option_text("N");
  add_strict(app, options.unknown_keys);
  app.add_flag("--stream", options.stream, "do not wait for one order's reports before the next");
  app.add_option("--one-at-a-time", options.plan.one_at_a_time,
                 "with --stream: send the first N orders one at a time")
      ->option_text("N");
  app.add_option("--window", options.plan.window, "with --stream: at most N orders are unanswered")
      ->capture_default_str()
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{100'000}))
      ->option_text("N");
  app.add_flag("--partials", options.partials, "orders of different sizes, filled in parts");
  app.add_option("--symbol", options.plan.symbol, "the symbol to trade, up to 64 bytes")
      ->capture_default_str()
      ->check([](const std::string& symbol) -> std::string {
        return symbol.empty() || symbol.size() > 64 ? "a symbol of 1 to 64 bytes was expected" : "";
      })
      ->option_text("TEXT");
  app.add_option("--report", options.report_file,
                 "append a line to FILE for each ExecutionReport; a restart needs it")
      ->option_text("FILE");
  app.add_option("--silence", options.silence_seconds,
                 "fail after this time without an ExecutionReport")
      ->capture_default_str()
      ->check(CLI::Range(1, 3600))
      ->option_text("SECONDS");
  app.add_option("--progress", options.progress_every,
                 "print a line each time N more orders are finished")
      ->option_text("N");
  app.add_flag("--results", options.results, "print every measured time, in nanoseconds");
  app.add_flag("--spin", options.spin, "poll without sleeping: lower latency, a whole core");
  CLI::Option* const rules =
      app.add_option("--rules", options.rules,
                     "trade as FILE says, instead of orders that fill each other: "
                     "docs/guide/venue.md")
          ->option_text("FILE");
  for (const char* const other :
       {"--orders", "--stream", "--one-at-a-time", "--window", "--partials", "--symbol", "--report",
        "--progress", "--results"}) {
    rules->excludes(app.get_option(other));
  }
  app.add_option("--seed", options.seed, "of what the rules leave to chance; without it, any")
      ->needs(rules)
      ->option_text("N");
  app.footer(
      "Examples:\n"
      "  $ nexusfix trade trader.cfg --orders 1000 --report fills.tsv\n"
      "  $ nexusfix trade trader.cfg --rules trader.rules --seed 7\n\n"
      "Exit status:\n"
      "  0  every order is filled\n"
      "  1  an order was not filled in time, or FILE could not be written\n"
      "  2  the arguments are wrong");
}

}  // namespace

int run_trade(Arguments arguments) {
  TradeOptions options;
  CLI::App app{
      "Sends orders that fill each other, waits for every fill, and logs out. It continues after a "
      "crash: start it again with the same journal and the same report file.",
      "nexusfix trade"};
  add_options(app, options);
  if (const auto status = parse_arguments(app, std::move(arguments))) return *status;
  if (!options.rules.empty()) {
    return trade_by_rules({.config = options.config,
                           .rules = options.rules,
                           .unknown_keys = options.unknown_keys,
                           .seed = options.seed,
                           .silence_seconds = options.silence_seconds,
                           .spin = options.spin});
  }
  options.plan.pattern = options.partials ? trader::Pattern::Partials : trader::Pattern::Pairs;
  if (!options.stream) options.plan.one_at_a_time = options.plan.orders;
  const std::uint64_t group = trader::group_size(options.plan.pattern);
  if (options.plan.orders % group != 0 || options.plan.one_at_a_time % group != 0) {
    fmt::print(stderr, "nexusfix {}: --orders and --one-at-a-time must be multiples of {}: {}\n",
               kTradeCommand, group, "buys and sells fill each other");
    return kUsage;
  }
  return trade(options);
}

}  // namespace nexusfix::command
