#include "nexusfix/lasting_settings.hpp"

#include <fmt/format.h>
#include <utility>

namespace nexusfix::command {

std::expected<engine::Settings, std::string> load_lasting_settings(Disk& disk,
                                                                   const std::string& path,
                                                                   std::string_view why) {
  std::string faults;
  const auto add = [&](std::string_view fault) {
    if (!faults.empty()) faults += '\n';
    faults += fault;
  };
  auto settings = engine::load_settings(disk, path);
  if (!settings) {
    for (const engine::SettingsError& error : settings.error()) add(error.what());
    return std::unexpected{std::move(faults)};
  }
  for (const engine::SessionSettings& one : settings->sessions) {
    if (one.session.persist_messages) continue;
    add(fmt::format("{}:{}: session {}: PersistMessages=N: {}. Leave the key out", settings->file,
                    one.line, one.session.id.to_string(), why));
  }
  if (!faults.empty()) return std::unexpected{std::move(faults)};
  return std::move(*settings);
}

}  // namespace nexusfix::command
