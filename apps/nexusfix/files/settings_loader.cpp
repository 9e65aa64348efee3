#include "nexusfix/files/settings_loader.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

namespace nexusfix::command {
namespace {

constexpr std::string_view kRemove = "Remove the key";

// The fields of the messages of this program's venue and trader, and of their header.
constexpr std::array kTagsOfOrders{6,  11,  14,  17,  20,  21,  31,  32,  34,  37,  38,  39,
                                   40, 41,  44,  49,  50,  52,  54,  55,  56,  57,  58,  59,
                                   60, 102, 103, 115, 142, 143, 150, 151, 369, 434, 442, 797};

bool is_of_orders(const observe::MaskedField& field) noexcept {
  return std::ranges::find(kTagsOfOrders, static_cast<int>(field.tag)) != kTagsOfOrders.end();
}

void add_line(std::string& lines, std::string_view line) {
  if (!lines.empty()) lines += '\n';
  lines += line;
}

}  // namespace

std::string labelled(const config::SettingsError& error, UnknownKeys unknown_keys) {
  const bool is_warning = unknown_keys == UnknownKeys::Warn && config::is_unknown_key(error);
  return (is_warning ? "warning: " : "error: ") + error.what();
}

std::expected<config::Settings, std::string> read_settings(Disk& disk, const std::string& path,
                                                           UnknownKeys unknown_keys) {
  auto settings = config::load_settings(disk, path);
  std::string faults;
  if (settings) {
    for (const config::SettingsError& warning : settings->warnings) {
      const bool is_refused = unknown_keys == UnknownKeys::Refuse;
      if (is_refused && config::is_unknown_key(warning)) {
        add_line(faults, labelled(warning, unknown_keys));
      }
    }
    if (faults.empty()) return std::move(*settings);
  } else {
    for (const config::SettingsError& error : settings.error()) {
      add_line(faults, labelled(error, unknown_keys));
    }
  }
  return std::unexpected{std::move(faults)};
}

bool is_one_initiator(const config::Settings& settings) noexcept {
  return settings.sessions.size() == 1 && !settings.sessions.front().accept;
}

bool has_acceptor(const config::Settings& settings) noexcept {
  return std::ranges::any_of(
      settings.sessions, [](const config::SessionSettings& one) { return one.accept.has_value(); });
}

std::expected<void, std::string> check_persistent(const config::Settings& settings,
                                                  std::string_view why) {
  std::string faults;
  if (settings.event_loops > 1) {
    add_line(faults, fmt::format("{}: EventLoops={}: this program has one book, for one loop; a "
                                 "program of your own may have more. Remove the key",
                                 settings.file, settings.event_loops));
  }
  if (settings.journal_retention.is_wanted()) {
    add_line(
        faults,
        fmt::format(
            "{}: JournalKeepBytes and JournalKeepDays remove old messages: {}. Remove the keys",
            settings.file, why));
  }
  for (const config::SessionSettings& one : settings.sessions) {
    const auto refuse = [&](std::string_view key, std::string_view change) {
      add_line(faults, fmt::format("{}:{}: session {}: {}: {}. {}", settings.file, one.line,
                                   one.session.id.to_string(), key, why, change));
    };
    if (!one.session.resend.persist_messages) refuse("PersistMessages=N", kRemove);
    if (!one.sends_while_logged_out) refuse("SendWhileLoggedOut=N", kRemove);
    if (!one.log.stores_masked && std::ranges::any_of(one.log.masked, is_of_orders)) {
      refuse("LogMaskedTags has a field of orders or reports, and keeps them out of the journal",
             "Add StoreMaskedTags=Y, or remove the field");
    }
    if (one.is_template) {
      refuse("AcceptorTemplate and DynamicSessions make sessions that no file names",
             "Name each session in a section of its own");
    }
  }
  if (!faults.empty()) return std::unexpected{std::move(faults)};
  return {};
}

std::expected<config::Settings, std::string> load_persistent_settings(Disk& disk,
                                                                      const std::string& path,
                                                                      std::string_view why,
                                                                      UnknownKeys unknown_keys) {
  auto settings = read_settings(disk, path, unknown_keys);
  if (!settings) return settings;
  if (auto right = check_persistent(*settings, why); !right) {
    return std::unexpected{std::move(right.error())};
  }
  return settings;
}

}  // namespace nexusfix::command
