// Who talks to whom, in which version.
#pragma once

#include <compare>
#include <string>

namespace nexusfix::session {

// Written "FIX.4.4:VENUE->TRADER" or "FIX.4.4:VENUE->TRADER:desk7"; sender is always our side.
struct SessionId {
  std::string begin_string{};
  std::string sender_comp_id{};
  std::string target_comp_id{};
  std::string qualifier{};  // tells two sessions of the same CompIDs apart, on our side only

  friend auto operator<=>(const SessionId&, const SessionId&) = default;
  [[nodiscard]] std::string to_string() const;
};

}  // namespace nexusfix::session
