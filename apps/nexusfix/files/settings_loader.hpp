// Loads a configuration file, and checks what a subcommand needs, before an engine opens it.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

#include <nexusfix/base/disk.hpp>

#include "config/api/settings.hpp"

namespace nexusfix::command {

// What happens on an unknown key, which is most likely misspelt.
enum class UnknownKeys : std::uint8_t { Warn, Refuse };

// "error: trader.cfg:12: HeartBtInt=abc: ..." An unknown key is a warning, unless it is refused.
[[nodiscard]] std::string labelled(const config::SettingsError& error, UnknownKeys unknown_keys);

// Reads the file. The error has one line for each error in the file.
[[nodiscard]] std::expected<config::Settings, std::string> read_settings(
    Disk& disk, const std::string& path, UnknownKeys unknown_keys = UnknownKeys::Warn);

// Whether the configuration has one session, an initiator. Check this before an engine is opened,
// because that creates a store and listens.
[[nodiscard]] bool is_one_initiator(const config::Settings& settings) noexcept;
[[nodiscard]] bool has_acceptor(const config::Settings& settings) noexcept;

// The keys with which a program cannot rebuild its state from the journal, a line each: those that
// keep an order or a report out of it, that remove old messages, that send none while a session is
// logged out, and sessions that no configuration names; and more than one event loop. why: the
// reason.
[[nodiscard]] std::expected<void, std::string> check_persistent(const config::Settings& settings,
                                                                std::string_view why);

// Reads the file for such a program. The error may have several lines.
[[nodiscard]] std::expected<config::Settings, std::string> load_persistent_settings(
    Disk& disk, const std::string& path, std::string_view why,
    UnknownKeys unknown_keys = UnknownKeys::Warn);

}  // namespace nexusfix::command
