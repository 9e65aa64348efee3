// `nexusfix journal set`: an operator's decision about a session's next numbers.
#pragma once

#include <string>
#include <string_view>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/disk.hpp>
#include <nexusfix/store.hpp>

#include "nexusfix/files/journal_locator.hpp"

namespace nexusfix::command {

struct SetNumbers {
  LogPlace place;
  std::string session;
  store::NumbersChange::Wanted wanted;
  std::string reason;
  bool may_be_new = false;    // creates a session that the log does not have
  bool is_confirmed = false;  // does not ask
};

// The user who runs this program: "anna@host".
[[nodiscard]] std::string operator_name();

// Whether the log accepts this text as an operator's reason: at most 1,024 bytes.
[[nodiscard]] bool is_reason(std::string_view text) noexcept;
inline constexpr const char* kReasonTooLong = "--reason: at most 1024 bytes";

// Asks on standard input if it is a terminal. False if it is none, or the answer is no.
[[nodiscard]] bool is_confirmed_by_hand(const std::string& question);

int set_numbers(Disk& disk, const SetNumbers& request, OpenPostgres open_postgres, WallTime now);

}  // namespace nexusfix::command
