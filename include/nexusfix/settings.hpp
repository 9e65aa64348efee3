// settings: a configuration file or text, read by the program itself.
//
// nexusfix::run() and Engine::open() read a file by its name, and need none of this. A program
// includes it to change settings before the engine starts, or to make them of a text in memory.
//
//   auto settings = nexusfix::parse_settings(text, "venue.cfg");
//   if (!settings) return complain(settings.error());  // every error of the text
//   settings->sessions.front().limits.message_bytes_max = 64U << 10U;
//   auto engine = nexusfix::Engine::open(std::move(*settings), application);
#pragma once

#include <nexusfix/config/settings.hpp>

namespace nexusfix {

using config::load_settings;
using config::parse_settings;
using config::Settings;
using config::SettingsError;
using config::SettingsErrors;

}  // namespace nexusfix
