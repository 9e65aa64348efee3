// The contents of a journal, for people and for scripts.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include <nexusfix/base/disk.hpp>

#include "nexusfix/text/json.hpp"
#include "store/api/journal.hpp"

namespace nexusfix::command {

struct SessionSummary {
  std::string name;
  store::SessionRecord record;
  std::uint64_t messages = 0;       // kept, of every epoch
  std::uint64_t retired_until = 0;  // as Store::retired_until()
};

struct JournalSummary {
  std::string name;
  std::optional<store::JournalReport> report;  // nothing: a database
  std::vector<SessionSummary> sessions;        // in the order of their first opening
};

// Opens a journal for reading. Changes nothing in the folder. Fails if the folder has no journal.
[[nodiscard]] std::expected<store::OpenedJournal, std::string> open_for_reading(
    Disk& disk, const std::string& folder);

// report: the report of the opening, if it is a journal.
[[nodiscard]] std::expected<JournalSummary, std::string> summarize_log(
    store::Store& store, std::optional<store::JournalReport> report, const std::string& name);

// What a loss of power means for the next process that opens the journal; empty without a loss.
[[nodiscard]] std::string power_loss_text(const store::JournalReport& report);
// Sets "power_lost", "loss" and "skipped", also without a loss.
void set_power_loss(Json& json, const store::JournalReport& report);

[[nodiscard]] std::string summary_text(const JournalSummary& summary);
[[nodiscard]] std::string summary_json(const JournalSummary& summary);

}  // namespace nexusfix::command
