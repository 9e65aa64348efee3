// The sections of a configuration, before settings are built from them.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/build/store_settings.hpp"
#include "config/text/settings_section.hpp"
#include "config/text/settings_text.hpp"

namespace nexusfix::config {

struct Sections {
  std::deque<std::string> texts;  // of values with variables: the sections point into it
  Section defaults;
  std::vector<Section> sessions;
  // A misspelt FileStorePath, or one in an ignored section, was meant: another folder would begin
  // with other sequence numbers.
  FolderMeant folder = FolderMeant::Any;
};

// Unset: the reason is reported. The sections point into text.
[[nodiscard]] std::optional<Sections> read_sections(std::string_view text, SettingsReport& report);

}  // namespace nexusfix::config
