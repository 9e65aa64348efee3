// Gives sessions the validators that their configuration asks for.
#pragma once

#include <expected>
#include <vector>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/wire/data_fields.hpp>

#include "engine/settings_names.hpp"

namespace nexusfix::engine {

// What the dictionary files of a configuration say besides.
struct InDictionaries {
  std::vector<SettingsError> warnings;  // and notes
  // The standard's, and those of all files: one parser serves all sessions.
  wire::DataFieldTable data_fields = wire::DataFieldTable::standard();
};

// Sessions of one dictionary and the same rules share one validator. An error: a file that cannot
// be read or is no dictionary; one of another version than its session speaks that has not what it
// is for, a Logon or messages of the application. One that has is used, with a note.
[[nodiscard]] std::expected<InDictionaries, SettingsErrors> make_validators(Settings& settings,
                                                                            Disk& disk);

}  // namespace nexusfix::engine
