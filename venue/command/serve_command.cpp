// nexusfix serve: the venue on a configuration file.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fmt/format.h>
#include <optional>
#include <string>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/disk.hpp>
#include <nexusfix/engine.hpp>
#include <nexusfix/wire/parser.hpp>

#include "nexusfix/command.hpp"
#include "nexusfix/files/engine_options.hpp"
#include "nexusfix/files/journal_locator.hpp"
#include "nexusfix/files/settings_loader.hpp"
#include "nexusfix/files/write_file.hpp"
#include "nexusfix/run/serve_until_ended.hpp"
#include "store/api/journal.hpp"
#include "venue/command/book_json.hpp"
#include "venue/command/rules_watch.hpp"
#include "venue/venue.hpp"

namespace nexusfix::command {
namespace {

constexpr std::string_view kServeCommand = "serve";
constexpr std::string_view kWhyReports =
    "the venue rebuilds its book and its ExecIDs from the messages in the journal";

struct ServeOptions {
  std::string config;
  std::string book_file;
  std::string rules;  // a file; empty: none
  std::optional<std::uint64_t> seed;
  std::string venue;  // for the help alone: run_serve_venue() reads it
  UnknownKeys unknown_keys = UnknownKeys::Warn;
  bool dump_book = false;
  bool check_rules = false;
  bool accept_losses = false;
  bool spin = false;
  std::uint16_t console_port = 0;  // 0: as the configuration says
};

// At the start and at each reload.
std::expected<void, std::string> check_venue(const config::Settings& settings) {
  for (const config::SessionSettings& one : settings.sessions) {
    const std::string_view version = one.session.id.begin_string;
    if (version == "FIX.4.2" || version == "FIX.4.4") continue;
    constexpr std::string_view kFix50Sp2 = "9";  // DefaultApplVerID
    if (version == "FIXT.1.1" && one.session.fixt.default_appl_ver_id == kFix50Sp2) continue;
    return std::unexpected{
        fmt::format("{}:{}: session {}: this venue speaks FIX.4.2, FIX.4.4 and FIX.5.0SP2 only",
                    settings.file, one.line, one.session.id.to_string())};
  }
  return check_persistent(settings, kWhyReports);
}

// Prints the book that a start would rebuild, without listening.
int dump_book(const ServeOptions& options) {
  PosixDisk disk;
  const auto settings = load_persistent_settings(disk, options.config, kWhyReports);
  if (!settings) return fail(kServeCommand, settings.error());
  const auto place = find_log(disk, options.config);
  if (!place) return fail(kServeCommand, place.error());
  auto log = look_into(disk, *place, postgres_opener());
  if (!log) return fail(kServeCommand, log.error());
  if (log->report && log->report->in_use) {
    fmt::print(stderr, "nexusfix {}: the venue is running: this is its book a moment ago\n",
               kServeCommand);
  }
  venue::Venue venue{{.former_ids = venue::kNoOrder}};  // every order of the journal
  wire::Parser parser;
  std::string unreadable;
  const auto visit = [&](const store::Store::LogMessage& stored) {
    if (const auto message = parser.parse(stored.bytes)) {
      venue.on_recovered({stored.session, stored.msg_seq_num, *message});
    } else {
      unreadable =
          fmt::format("message {} of {} does not parse", stored.msg_seq_num, stored.session);
    }
  };
  if (auto scanned = log->store->scan(visit); !scanned) {
    return fail(kServeCommand, scanned.error().text);
  }
  if (!unreadable.empty()) return fail(kServeCommand, unreadable);
  if (!venue.failure().empty()) return fail(kServeCommand, venue.failure());
  if (!venue.loss().empty()) {
    fmt::print(stderr,
               "nexusfix {}: ALARM: lost: {}. This is the book without it: orders are missing, or "
               "may be filled\n",
               kServeCommand, venue.loss());
  }
  fmt::print("{}", book_json(venue));
  return kSuccess;
}

// Whether the store has a report of the session's current epoch after this number.
bool has_report_after(store::Store& store, store::SessionKey key, std::uint64_t number) {
  wire::Parser parser;
  bool is_one = false;
  const auto look = [&](std::uint64_t, std::string_view bytes) {
    const auto message = parser.parse(bytes);
    is_one = message && message->msg_type() == "8";
    return !is_one;
  };
  const std::uint64_t last = store.session(key).next_outbound - 1;
  return number < last && store.read(key, number + 1, last, look) && is_one;
}

// The numbers that the logs have lost, without those that a later report has settled.
venue::Losses losses_of(engine::Engine& engine, const ServeOptions& options) {
  venue::Losses losses{.numbers = {}, .are_accepted = options.accept_losses};
  for (std::uint32_t loop = 0; loop < engine.loop_count(); ++loop) {
    store::Store& store = engine.store(loop);
    for (std::size_t at = 0; at < store.session_count(); ++at) {
      const auto key = static_cast<store::SessionKey>(at);
      for (const store::NumberRange& lost : store.lost_numbers(key)) {
        if (has_report_after(store, key, lost.last)) continue;
        losses.numbers.push_back({std::string{store.session_name(key)}, lost.first, lost.last});
      }
    }
  }
  return losses;
}

Served serve(const ServeOptions& options) {
  PosixDisk disk;
  auto settings = load_persistent_settings(disk, options.config, kWhyReports, options.unknown_keys);
  if (!settings) return {.status = fail(kServeCommand, settings.error())};
  if (!has_acceptor(*settings)) {
    return {.status = fail(kServeCommand, options.config + ": an acceptor session is needed")};
  }
  if (settings->store == config::StoreKind::Memory) {
    fmt::print(stderr,
               "nexusfix {}: warning: Store=memory: every order and fill is forgotten when the "
               "venue ends, and OrderIDs and ExecIDs begin at 1 again\n",
               kServeCommand);
  }
  if (options.console_port != 0) settings->web.console_port = options.console_port;
  SystemRandom random;
  venue::VenueWithRules venue{{.hash_seed = random.next()}, options.seed.value_or(random.next())};
  venue::Venue& plain = venue;
  RulesWatch rules{disk, options.rules, venue};
  if (!options.rules.empty()) {
    if (const auto loaded = rules.load(); !loaded) {
      return {.status = fail(kServeCommand, loaded.error())};
    }
  }
  engine::EngineOptions engine_settings = engine_options(options.spin);
  engine_settings.notify_systemd = true;
  engine_settings.check_settings.call = [](void*, const Settings& fresh) {
    return check_venue(fresh.values());
  };
  auto engine = options.rules.empty()
                    ? open_to_serve(kServeCommand, std::move(*settings), plain, engine_settings)
                    : open_to_serve(kServeCommand, std::move(*settings), venue, engine_settings);
  if (!engine) return engine.error();
  venue.set_losses(losses_of(*engine, options));
  if (!venue.attach(*engine)) {
    engine->refuse(venue.failure());
    return {.status = fail(kServeCommand, venue.failure()), .was_open = true};
  }
  if (!venue.alarm().empty()) fmt::print(stderr, "nexusfix {}: {}\n", kServeCommand, venue.alarm());
  if (!options.rules.empty()) rules.follow(*engine);
  Served served{.was_open = true};
  {
    const engine::StopSignals signals{*engine};
    if (engine::StopSignals::received()) engine->stop();
    const std::vector<transport::Endpoint> endpoints = engine->accept_endpoints();
    for (const transport::Endpoint& one : endpoints) {
      const bool has_host = endpoints.size() > 1 && !one.host.empty();
      fmt::print("listening on port {}{}\n", one.port, has_host ? " of " + one.host : "");
    }
    std::fflush(stdout);
    served.status = engine->run() == 0 ? kSuccess : kFailure;
  }
  // The store may have failed meanwhile: the next owner has claimed the log, or the database is
  // away. Both pass.
  served.is_handed_over = is_handed_over(*engine);
  const auto fail_for_good = [&](const std::string& why) {
    served.is_handed_over = false;
    served.status = fail(kServeCommand, why);
  };
  if (!venue.failure().empty()) fail_for_good(venue.failure());
  if (!options.book_file.empty()) {
    const auto written = write_whole_file(disk, options.book_file, book_json(venue));
    if (!written) fail_for_good(written.error());
  }
  return served;
}

// Says whether the file of rules has faults, and starts nothing.
int check_rules(const ServeOptions& options) {
  PosixDisk disk;
  venue::Venue venue{{.orders = 1}};
  RulesWatch rules{disk, options.rules, venue};
  if (const auto loaded = rules.load(); !loaded) return fail(kServeCommand, loaded.error());
  fmt::print("{}: no faults\n", options.rules);
  return kSuccess;
}

void add_options(CLI::App& app, ServeOptions& options) {
  app.add_option("CONFIG", options.config, "the configuration file, with acceptor sessions")
      ->required();
  add_strict(app, options.unknown_keys);
  CLI::Option* const rules =
      app.add_option("--rules", options.rules,
                     "what the venue does with messages: docs/guide/venue.md. It reads FILE again "
                     "when it changes")
          ->option_text("FILE");
  app.add_flag("--check-rules", options.check_rules, "say whether the rules have faults, and end")
      ->needs(rules);
  app.add_option("--seed", options.seed, "of what the rules leave to chance; without it, any")
      ->option_text("N");
  app.add_flag("--spin", options.spin, "poll without sleeping: lower latency, a whole core");
  if (linked_parts().web != nullptr) {
    app.add_option("--console", options.console_port,
                   "serve a web console on 127.0.0.1, as ConsolePort does")
        ->check(CLI::Range(1, 65'535))
        ->option_text("PORT");
  }
  app.add_option("--venue", options.venue, "simulate the venue of a kit: its own --help says how")
      ->option_text("NAME");
  app.add_option("--book", options.book_file, "write the order book to FILE (JSON) at the end")
      ->option_text("FILE");
  app.add_flag("--dump-book", options.dump_book,
               "print the order book of the journal (JSON), and end");
  app.add_flag("--accept-losses", options.accept_losses,
               "start although a repair lost reports: cancel every open order");
  app.footer(
      "Examples:\n"
      "  $ nexusfix serve venue.cfg\n"
      "  $ nexusfix serve venue.cfg --rules venue.rules --seed 7\n\n"
      "Exit status:\n"
      "  0  the venue ended in order\n"
      "  1  the engine could not start, or the order book could not be stored\n"
      "  2  the arguments are wrong");
}

}  // namespace

int run_serve(Arguments arguments) {
  const auto is_venue = [](std::string_view word) {
    return word == "--venue" || word.starts_with("--venue=");
  };
  if (std::ranges::any_of(arguments, is_venue)) return run_serve_venue(std::move(arguments));
  ServeOptions options;
  CLI::App app{
      "Accepts the sessions of CONFIG, in FIX.4.2, FIX.4.4 and FIX.5.0SP2. It matches limit and "
      "market orders by price and time, and accepts cancels and replacements. A file of rules "
      "changes what it does. After a restart it rebuilds its order book from the journal.\n\n"
      "Ctrl-C or SIGTERM logs the sessions out and ends it. SIGHUP opens the log files again and "
      "reloads the configuration.",
      "nexusfix serve"};
  add_options(app, options);
  if (const auto status = parse_arguments(app, std::move(arguments))) return *status;
  if (options.check_rules) return check_rules(options);
  if (options.dump_book) return dump_book(options);
  return serve_until_ended([&options] { return serve(options); });
}

}  // namespace nexusfix::command
