#include "tester/load/load_options.hpp"

#include <CLI/CLI.hpp>
#include <array>
#include <charconv>
#include <string_view>

#include "tester/load/process_memory.hpp"

namespace nexusfix::tester {
namespace {

constexpr double kLargest = 999'999;

// "500us", "2ms", "1.5s".
std::optional<Duration> parsed_time(std::string_view text) {
  struct Unit {
    std::string_view name;
    double nanoseconds;
  };
  constexpr std::array kUnits{Unit{"us", 1e3}, Unit{"ms", 1e6}, Unit{"s", 1e9}};
  double count = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  const std::string_view unit{stop, static_cast<std::size_t>(text.data() + text.size() - stop)};
  if (error != std::errc{} || !(count > 0) || count > kLargest) return std::nullopt;
  for (const Unit& one : kUnits) {
    if (unit == one.name) return Duration{static_cast<std::int64_t>(count * one.nanoseconds)};
  }
  return std::nullopt;
}

}  // namespace

void add_load_options(CLI::App& app, LoadTexts& texts) {
  LoadOptions& options = texts.options;
  app.add_option("--messages", options.messages, "performance: of each measurement but rates")
      ->capture_default_str()
      ->check(CLI::Range(1, 10'000'000))
      ->option_text("N");
  app.add_option("--rate", options.rate,
                 "performance: messages a second; default: as many as the engine takes")
      ->check(CLI::Range(0.001, kLargest))
      ->option_text("N");
  app.add_option("--seconds", options.seconds,
                 "how long a rate is measured (default 5), or a soak runs (default 60)")
      ->check(CLI::Range(0.001, kLargest))
      ->option_text("S");
  app.add_option("--max-p50", texts.max_p50, "a round trip's p50 above this fails: 500us, 2ms, 1s")
      ->option_text("TIME");
  app.add_option("--max-p99", texts.max_p99, "a p99 above this fails")->option_text("TIME");
  app.add_option("--max-recovery", texts.max_recovery, "a recovery that takes longer fails")
      ->option_text("TIME");
  app.add_option("--min-rate", options.min_rate, "fewer messages a second fail")
      ->check(CLI::Range(0.0, kLargest))
      ->option_text("N");
  app.add_option("--pid", options.process_id, "soak: the engine's process, to read its memory")
      ->option_text("PID");
  app.add_option("--max-growth", options.max_growth_mebibytes,
                 "soak: memory that grows by more than this fails")
      ->capture_default_str()
      ->check(CLI::Range(0.0, kLargest))
      ->option_text("MIB");
}

std::expected<LoadOptions, std::string> load_options_of(const LoadTexts& texts) {
  LoadOptions options = texts.options;
  struct Limit {
    std::string_view name;
    const std::string& text;
    std::optional<Duration>& value;
  };
  for (const Limit& limit : {Limit{"--max-p50", texts.max_p50, options.max_p50},
                             Limit{"--max-p99", texts.max_p99, options.max_p99},
                             Limit{"--max-recovery", texts.max_recovery, options.max_recovery}}) {
    if (limit.text.empty()) continue;
    limit.value = parsed_time(limit.text);
    if (limit.value) continue;
    return std::unexpected{std::string{limit.name} + ": \"" + limit.text +
                           "\" is no time; 500us, 2ms and 1.5s are"};
  }
  PosixDisk disk;
  if (options.process_id != 0 && !resident_mebibytes(options.process_id, disk)) {
    return std::unexpected{"--pid: there is no process " + std::to_string(options.process_id)};
  }
  return options;
}

}  // namespace nexusfix::tester
