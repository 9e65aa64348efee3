// A configuration's sections as they were read, before anything is built of them.
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
  // What is misspelt, or stands in a section that is ignored, was meant: another folder would begin
  // with other numbers.
  FolderMeant folder = FolderMeant::Any;
};

// Nothing: it is reported why. The sections point into text.
[[nodiscard]] std::optional<Sections> read_sections(std::string_view text, SettingsReport& report);

}  // namespace nexusfix::config
