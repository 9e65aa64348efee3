// What the subcommands ask of a configuration file before they open an engine on it.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/engine/settings.hpp>

namespace nexusfix::command {

// Reads the file. The error names every mistake, a line for each.
[[nodiscard]] std::expected<engine::Settings, std::string> load_settings(Disk& disk,
                                                                         const std::string& path);

// What a program that speaks to one counterparty needs. To be asked before an engine is opened,
// which would create a store and listen.
[[nodiscard]] bool is_one_initiator(const engine::Settings& settings) noexcept;
[[nodiscard]] bool has_acceptor(const engine::Settings& settings) noexcept;

// Reads the file, too. Refuses PersistMessages=N, which would leave such a program without its
// past; why says what that means for this one. The error may have several lines.
[[nodiscard]] std::expected<engine::Settings, std::string> load_lasting_settings(
    Disk& disk, const std::string& path, std::string_view why);

}  // namespace nexusfix::command
