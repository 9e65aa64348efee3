// The store of an engine. It belongs to all sessions, but other engines give its keys to each.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <nexusfix/config/settings.hpp>

#include "config/text/settings_section.hpp"

namespace nexusfix::config {

// Whether the file has a FileStorePath that cannot be read as one.
enum class FolderMeant : std::uint8_t { Any, Lost };

class StoreBuilder {
 public:
  StoreBuilder(Settings& settings, SettingsReport& report) : settings_{settings}, report_{report} {}

  // Reports values that differ from an earlier session's.
  void take(const MergedSection& session);
  void finish(std::size_t first_session_line, FolderMeant meant);

 private:
  void take_shared(Key key, const std::optional<Given>& given);
  void finish_folder(std::size_t first_session_line, FolderMeant meant);
  void take_folder(const std::optional<Given>& given);
  void finish_journal();
  void finish_retention();
  void finish_postgres();
  // Null: not given.
  [[nodiscard]] const Given* chosen(Key key) const;

  Settings& settings_;
  SettingsReport& report_;
  std::array<std::optional<Given>, kKeyCount> chosen_;
};

}  // namespace nexusfix::config
