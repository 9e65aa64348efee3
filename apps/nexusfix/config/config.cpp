// nexusfix config: explains, checks and writes configuration files.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <optional>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/disk.hpp>
#include <nexusfix/engine/preflight.hpp>

#include "nexusfix/command.hpp"
#include "nexusfix/config/config_report.hpp"
#include "nexusfix/config/key_reference.hpp"
#include "nexusfix/journal/settings_loader.hpp"
#include "nexusfix/journal/write_file.hpp"
#include "nexusfix/run/engine_options.hpp"

namespace nexusfix::command {
namespace {

constexpr std::string_view kName = "config";

struct CheckOptions {
  std::string file;
  bool all = false;
  bool strict = false;
  bool json = false;
};

std::chrono::sys_seconds this_second() {
  SystemClock clock;
  return std::chrono::floor<std::chrono::seconds>(clock.now().wall);
}

int fail_all(const config::SettingsErrors& errors, UnknownKeys unknown_keys = UnknownKeys::Warn) {
  for (const config::SettingsError& error : errors) {
    static_cast<void>(fail(kName, labelled(error, unknown_keys)));
  }
  return kFailure;
}

int check(const CheckOptions& options) {
  PosixDisk disk;
  auto explained = config::explain_settings(disk, options.file);
  const UnknownKeys unknown_keys = options.strict ? UnknownKeys::Refuse : UnknownKeys::Warn;
  if (!explained) return fail_all(explained.error(), unknown_keys);
  const auto found = engine::preflight(explained->settings, disk, linked_parts());
  config::SettingsErrors errors = engine::missing_addresses(explained->settings);
  const bool has_postgres = postgres_opener() != nullptr;
  std::ranges::copy(missing_parts(*explained, has_postgres), std::back_inserter(errors));
  if (!found) std::ranges::copy(found.error(), std::back_inserter(errors));
  if (!errors.empty()) {
    std::ranges::sort(errors, {}, &config::SettingsError::line);
    return fail_all(errors);
  }
  std::ranges::copy(*found, std::back_inserter(explained->settings.warnings));
  std::ranges::copy(engine::expiring_certificates(explained->settings, disk, this_second()),
                    std::back_inserter(explained->settings.warnings));
  fmt::print("{}", options.json ? config_json(*explained)
                                : config_text(*explained, this_second(), options.all));
  if (!options.strict) return kSuccess;
  config::SettingsErrors unknown;
  std::ranges::copy_if(explained->settings.warnings, std::back_inserter(unknown),
                       config::is_unknown_key);
  return unknown.empty() ? kSuccess : fail_all(unknown, UnknownKeys::Refuse);
}

// "2026-11-20" or "2026-11-20T12:00:00", in UTC.
std::optional<std::chrono::sys_seconds> read_moment(std::string_view text) {
  constexpr std::string_view kForm = "0000-00-00T00:00:00";
  constexpr std::size_t kDateBytes = 10;
  if (text.size() != kForm.size() && text.size() != kDateBytes) return std::nullopt;
  unsigned parts[6] = {};
  std::size_t part = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (kForm[i] != '0') {
      if (text[i] != kForm[i]) return std::nullopt;
      ++part;
    } else if (text[i] < '0' || text[i] > '9') {
      return std::nullopt;
    } else {
      parts[part] = parts[part] * 10 + static_cast<unsigned>(text[i] - '0');
    }
  }
  const std::chrono::year_month_day date{std::chrono::year{static_cast<int>(parts[0])},
                                         std::chrono::month{parts[1]}, std::chrono::day{parts[2]}};
  if (!date.ok() || parts[3] > 23 || parts[4] > 59 || parts[5] > 59) return std::nullopt;
  return std::chrono::sys_days{date} + std::chrono::hours{parts[3]} +
         std::chrono::minutes{parts[4]} + std::chrono::seconds{parts[5]};
}

int show_schedule(const std::string& file, ScheduleQuestion question, const std::string& from) {
  question.from = from.empty() ? this_second() : *read_moment(from);
  PosixDisk disk;
  const auto explained = config::explain_settings(disk, file);
  if (!explained) return fail_all(explained.error());
  const std::string text = schedule_text(*explained, question);
  if (text.empty()) return fail(kName, "no session " + question.session + " in " + file);
  fmt::print("{}", text);
  return kSuccess;
}

int write_new(const std::string& file, bool is_acceptor) {
  const std::string text = new_config_text(is_acceptor);
  if (file.empty()) {
    fmt::print("{}", text);
    return kSuccess;
  }
  PosixDisk disk;
  const auto there = disk.open(file, OpenMode::ReadRegular);
  if (there || !there.error().cause.empty()) {
    return fail(kName, file + ": the file exists; it was not changed");
  }
  const auto written = write_whole_file(disk, file, text);
  return written ? kSuccess : fail(kName, written.error());
}

int show_keys(const std::vector<std::string>& names, bool is_page) {
  const std::expected<std::string, std::string> text = is_page ? keys_page() : describe_keys(names);
  if (!text) {
    static_cast<void>(fail(kName, text.error()));
    return kUsage;
  }
  fmt::print("{}", *text);
  return kSuccess;
}

}  // namespace

int run_config(Arguments arguments) {
  CLI::App app{
      "Explains a configuration file: the errors in it and in the dictionaries, folders and CPUs\n"
      "that it names, and the value of each key in each session, with the line that sets it.\n"
      "It creates and changes nothing.\n\n"
      "  $ nexusfix config check trader.cfg\n"
      "  $ nexusfix config schedule trader.cfg --from 2026-12-24\n"
      "  $ nexusfix config new trader.cfg\n"
      "  $ nexusfix config keys HeartBtInt",
      "nexusfix config"};
  app.require_subcommand(1);
  CheckOptions options;
  CLI::App* check_command = app.add_subcommand("check", "Explain a configuration");
  check_command->add_option("FILE", options.file, "the configuration")->required();
  check_command->add_flag("--all", options.all, "also the keys that the file does not set");
  check_command->add_flag("--strict", options.strict, "an unknown key is an error");
  check_command->add_flag("--json", options.json, "for programs");
  ScheduleQuestion question;
  std::string schedule_file;
  std::string from;
  CLI::App* schedule_command =
      app.add_subcommand("schedule", "Show the next sessions and resets, and why");
  schedule_command->add_option("FILE", schedule_file, "the configuration")->required();
  schedule_command->add_option("--from", from, "a day, or a moment 2026-11-20T12:00:00, in UTC")
      ->check([](const std::string& text) -> std::string {
        return read_moment(text) ? "" : text + ": 2026-11-20 or 2026-11-20T12:00:00 was expected";
      })
      ->option_text("TIME");
  schedule_command->add_option("--count", question.count, "sessions of each")
      ->check(CLI::Range(1, 1000))
      ->option_text("NUMBER");
  schedule_command->add_option("--session", question.session, "of this one only")
      ->option_text("NAME");
  std::string new_file;
  bool is_acceptor = false;
  CLI::App* new_command =
      app.add_subcommand("new", "Write a commented configuration to start from");
  new_command->add_option("FILE", new_file, "the file to create; none: standard output");
  new_command->add_flag("--acceptor", is_acceptor, "for a venue; otherwise for an initiator");
  std::vector<std::string> key_names;
  bool is_page = false;
  CLI::App* keys_command = app.add_subcommand("keys", "Explain configuration keys");
  CLI::Option* const names =
      keys_command->add_option("NAME", key_names, "the keys; none: a list of all");
  keys_command->add_flag("--markdown", is_page, "all keys as the page docs/reference/keys.md")
      ->excludes(names);
  if (const auto status = parse_arguments(app, std::move(arguments))) return *status;
  if (keys_command->parsed()) return show_keys(key_names, is_page);
  if (check_command->parsed()) return check(options);
  if (schedule_command->parsed()) return show_schedule(schedule_file, question, from);
  return write_new(new_file, is_acceptor);
}

}  // namespace nexusfix::command
