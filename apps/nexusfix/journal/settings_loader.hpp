// What the subcommands ask of a configuration file before they open an engine on it.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/config/settings.hpp>

namespace nexusfix::command {

// What becomes of a key that nobody knows, which is most likely a misspelt one.
enum class UnknownKeys : std::uint8_t { Warn, Refuse };

// "error: trader.cfg:12: HeartBtInt=abc: ..." A key that nobody knows is told beside mistakes, and
// is none of them itself: a warning, unless it is refused.
[[nodiscard]] std::string labelled(const config::SettingsError& told, UnknownKeys unknown_keys);

// Reads the file. The error names every mistake, a line for each.
[[nodiscard]] std::expected<config::Settings, std::string> load_settings(
    Disk& disk, const std::string& path, UnknownKeys unknown_keys = UnknownKeys::Warn);

// What a program that speaks to one counterparty needs. To be asked before an engine is opened,
// which would create a store and listen.
[[nodiscard]] bool is_one_initiator(const config::Settings& settings) noexcept;
[[nodiscard]] bool has_acceptor(const config::Settings& settings) noexcept;

// Reads the file, too. Refuses PersistMessages=N and the retirement of old segments, which would
// leave such a program without its past; why says what that means for this one; and more than one
// event loop. The error may have several lines.
[[nodiscard]] std::expected<config::Settings, std::string> load_lasting_settings(
    Disk& disk, const std::string& path, std::string_view why,
    UnknownKeys unknown_keys = UnknownKeys::Warn);

}  // namespace nexusfix::command
