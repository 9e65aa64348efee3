// The validators of a configuration's sessions, from the dictionaries that it names.
#pragma once

#include <expected>
#include <vector>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/wire/field.hpp>

#include "config/api/settings.hpp"

namespace nexusfix::config {

// The other content of a configuration's dictionary files.
struct InDictionaries {
  std::vector<SettingsError> warnings;  // and notes
  // The pairs of the standard and of all files: one parser serves all sessions.
  wire::DataFieldTable data_fields = wire::DataFieldTable::standard();
};

// Sessions with the same dictionary and rules share one validator. An error: a file that cannot be
// read or is no dictionary; or a file of another version than its session's without the needed
// messages (a Logon, or application messages). With them it is used, with a note.
[[nodiscard]] std::expected<InDictionaries, SettingsErrors> make_validators(Settings& settings,
                                                                            Disk& disk);

}  // namespace nexusfix::config
