// The output of `nexusfix journal verify` and `repair`.
#pragma once

#include <string>

#include "journal/api/journal_tools.hpp"
#include "store/api/journal.hpp"

namespace nexusfix::command {

// Whether nothing is damaged, and nothing is known to be missing.
[[nodiscard]] bool is_sound(const store::JournalCheck& check);
// loss: how opening settles a loss of power; null: there was none.
[[nodiscard]] std::string check_text(const store::JournalCheck& check, const std::string& folder,
                                     const store::JournalReport* loss);
[[nodiscard]] std::string check_json(const store::JournalCheck& check, const std::string& folder,
                                     const store::JournalReport* loss);
[[nodiscard]] std::string numbers_text(const store::NumbersChange::Numbers& numbers);
[[nodiscard]] std::string changes_text(const store::JournalCheck& check);
[[nodiscard]] std::string repair_text(const store::RepairReport& report, const std::string& folder,
                                      store::RepairMode mode);

}  // namespace nexusfix::command
