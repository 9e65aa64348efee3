// nexusfix config: explains, checks and writes configuration files.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <optional>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/disk.hpp>

#include "config/api/preflight.hpp"
#include "nexusfix/command.hpp"
#include "nexusfix/config/config_report.hpp"
#include "nexusfix/config/key_reference.hpp"
#include "nexusfix/files/engine_options.hpp"
#include "nexusfix/files/settings_loader.hpp"
#include "nexusfix/files/write_file.hpp"
#include "nexusfix/text/meant_names.hpp"

namespace nexusfix::command {
namespace {

constexpr std::string_view kConfigCommand = "config";

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
    static_cast<void>(fail(kConfigCommand, labelled(error, unknown_keys)));
  }
  return kFailure;
}

int check(const CheckOptions& options) {
  PosixDisk disk;
  auto explained = config::explain_settings(disk, options.file);
  const UnknownKeys unknown_keys = options.strict ? UnknownKeys::Refuse : UnknownKeys::Warn;
  if (!explained) return fail_all(explained.error(), unknown_keys);
  const auto found = config::preflight(explained->settings, disk, linked_parts());
  config::SettingsErrors errors = config::missing_addresses(explained->settings);
  const bool has_postgres = postgres_opener() != nullptr;
  std::ranges::copy(missing_parts(*explained, has_postgres), std::back_inserter(errors));
  if (!found) std::ranges::copy(found.error(), std::back_inserter(errors));
  if (!errors.empty()) {
    std::ranges::sort(errors, {}, &config::SettingsError::line);
    return fail_all(errors);
  }
  std::ranges::copy(*found, std::back_inserter(explained->settings.warnings));
  std::ranges::copy(config::expiring_certificates(explained->settings, disk, this_second()),
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
  if (!question.session.empty()) {
    std::vector<std::string_view> names;
    names.reserve(explained->sessions.size());
    for (const config::ExplainedSession& session : explained->sessions) {
      names.push_back(session.name);
    }
    const std::vector<std::size_t> meant = meant_names(names, question.session);
    if (meant.size() != 1) {
      return fail(kConfigCommand, file + ": " + not_one_session(names, question.session));
    }
    question.session = names[meant.front()];
  }
  fmt::print("{}", schedule_text(*explained, question));
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
    return fail(kConfigCommand, file + ": the file exists; it was not changed");
  }
  const auto written = write_whole_file(disk, file, text);
  return written ? kSuccess : fail(kConfigCommand, written.error());
}

int show_keys(const std::vector<std::string>& names, bool is_page) {
  const std::expected<std::string, std::string> text = is_page ? keys_page() : describe_keys(names);
  if (!text) {
    static_cast<void>(fail(kConfigCommand, text.error()));
    return kUsage;
  }
  fmt::print("{}", *text);
  return kSuccess;
}

CLI::App* add_check(CLI::App& app, CheckOptions& options) {
  CLI::App* command = app.add_subcommand(
      "check",
      "find errors, and show the value of each key\n"
      "Reports errors and warnings, also in the dictionaries, folders, addresses and CPUs that "
      "FILE names. Then it shows the store and each session, and the line that sets each value. It "
      "creates and changes nothing.");
  command->add_option("FILE", options.file, "the configuration file")->required();
  command->add_flag("--all", options.all, "also show the keys that FILE does not set");
  command->add_flag("--strict", options.strict, "treat an unknown key as an error");
  command->add_flag("--json", options.json, "print JSON, for programs");
  command->footer(
      "Example:\n"
      "  $ nexusfix config check trader.cfg\n\n"
      "Exit status:\n"
      "  0  the configuration has no error; it may have warnings\n"
      "  1  the configuration has an error\n"
      "  2  the arguments are wrong");
  return command;
}

CLI::App* add_schedule(CLI::App& app, ScheduleQuestion& question, std::string& file,
                       std::string& from) {
  CLI::App* command = app.add_subcommand(
      "schedule",
      "show when sessions open, close and reset, and why\n"
      "Shows the open session and the next ones, in UTC and in local time, with the keys and lines "
      "of FILE that determine them.");
  command->add_option("FILE", file, "the configuration file")->required();
  command
      ->add_option("--from", from,
                   "begin at this time, in UTC: 2026-11-20 or 2026-11-20T12:00:00 (default: now)")
      ->check([](const std::string& text) -> std::string {
        return read_moment(text) ? "" : text + ": 2026-11-20 or 2026-11-20T12:00:00 was expected";
      })
      ->option_text("TIME");
  command->add_option("--count", question.count, "the number of times to show for each session")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000))
      ->option_text("N");
  command
      ->add_option("--session", question.session,
                   "only this session: its name, or a part that only it has")
      ->option_text("NAME");
  command->footer(
      "Example:\n"
      "  $ nexusfix config schedule trader.cfg --from 2026-12-24");
  return command;
}

void add_new(CLI::App& app, std::string& file, bool& is_acceptor) {
  CLI::App* command = app.add_subcommand(
      "new",
      "write a commented configuration to start from\n"
      "Writes every key with its meaning and its default. It never overwrites a file.");
  command->add_option("FILE", file, "the file to create; without it: standard output");
  command->add_flag("--acceptor", is_acceptor, "write it for an acceptor (default: an initiator)");
  command->footer(
      "Examples:\n"
      "  $ nexusfix config new trader.cfg\n"
      "  $ nexusfix config new --acceptor venue.cfg");
}

CLI::App* add_keys(CLI::App& app, std::vector<std::string>& key_names, bool& is_page) {
  CLI::App* command = app.add_subcommand("keys",
                                         "explain configuration keys\n"
                                         "Prints the meaning, the values and the default of each "
                                         "key, and when a change takes effect.");
  CLI::Option* const names =
      command->add_option("NAME", key_names, "the keys; without one: a list of all");
  command->add_flag("--markdown", is_page, "print all keys as the page docs/reference/keys.md")
      ->excludes(names);
  command->footer(
      "Example:\n"
      "  $ nexusfix config keys HeartBtInt\n\n"
      "Exit status:\n"
      "  0  success\n"
      "  2  there is no such key, or the arguments are wrong");
  return command;
}

}  // namespace

int run_config(Arguments arguments) {
  CLI::App app{"A configuration file has the form of QuickFIX: [DEFAULT], [SESSION], Key=Value.",
               "nexusfix config"};
  app.require_subcommand(1);
  CheckOptions options;
  CLI::App* check_command = add_check(app, options);
  ScheduleQuestion question;
  std::string schedule_file;
  std::string from;
  CLI::App* schedule_command = add_schedule(app, question, schedule_file, from);
  std::string new_file;
  bool is_acceptor = false;
  add_new(app, new_file, is_acceptor);
  std::vector<std::string> key_names;
  bool is_page = false;
  CLI::App* keys_command = add_keys(app, key_names, is_page);
  app.footer(
      "Examples:\n"
      "  $ nexusfix config new trader.cfg\n"
      "  $ nexusfix config check trader.cfg\n"
      "  $ nexusfix config keys HeartBtInt");
  if (const auto status = parse_arguments(app, std::move(arguments))) return *status;
  if (keys_command->parsed()) return show_keys(key_names, is_page);
  if (check_command->parsed()) return check(options);
  if (schedule_command->parsed()) return show_schedule(schedule_file, question, from);
  return write_new(new_file, is_acceptor);
}

}  // namespace nexusfix::command
