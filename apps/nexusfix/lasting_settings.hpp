// The configuration of a program that lives on after a restart out of the messages in its journal.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/engine/settings.hpp>

namespace nexusfix::command {

// Reads the file. Refuses PersistMessages=N, which would leave such a program without its past; why
// says what that means for this one. The error may have several lines.
[[nodiscard]] std::expected<engine::Settings, std::string> load_lasting_settings(
    Disk& disk, const std::string& path, std::string_view why);

}  // namespace nexusfix::command
