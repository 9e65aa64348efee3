// The identity of a session: the FIX version and the two counterparties.
#pragma once

#include <compare>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <nexusfix/base/language.hpp>

namespace nexusfix::session {

// The identity of a session. A value. Its name, as to_string() writes it:
//
//   FIX.4.4:VENUE->TRADER              sender is always our side
//   FIX.4.4:VENUE->TRADER:desk7        with a qualifier
//   FIX.4.4:VENUE/DESK7/LDN->TRADER    with a sub ID and a location ID, as in QuickFIX/J
//   FIX.4.4:VENUE//LDN->TRADER         with a location ID only
//
// Different identities have different names. Within a part of the name, these bytes are written as
// `%` and two hexadecimal digits: `:`, `/` and `>`, bytes that are not printable ASCII, and a `%`
// before two hexadecimal digits. So the CompID `A->B` is `A-%3EB`.
struct SessionId {
  std::string begin_string{};        // BeginString (8): FIX.4.0 to FIX.4.4, or FIXT.1.1
  std::string sender_comp_id{};      // SenderCompID (49) of our messages
  std::string target_comp_id{};      // TargetCompID (56) of our messages
  std::string qualifier{};           // distinguishes sessions with the same IDs; never sent
  std::string sender_sub_id{};       // SenderSubID (50) of our messages; empty: none
  std::string sender_location_id{};  // SenderLocationID (142), from FIX 4.1 on; empty: none
  std::string target_sub_id{};       // TargetSubID (57); empty: none
  std::string target_location_id{};  // TargetLocationID (143), from FIX 4.1 on; empty: none

  // Member by member, as text.
  friend auto operator<=>(const SessionId&, const SessionId&) = default;
  // The name, such as `FIX.4.4:VENUE->TRADER`. parse() reads it back.
  [[nodiscard]] std::string to_string() const;
  // The identity that has this name. Unset: no identity has it, or it is not spelled as to_string()
  // spells it.
  [[nodiscard]] static std::optional<SessionId> parse(std::string_view name);
  // The name without escapes. Stores that an early version wrote have sessions under it. Several
  // identities may share one.
  [[nodiscard]] std::string former_name() const;
  // Whether our messages carry a sub ID or a location ID.
  [[nodiscard]] bool has_sub_ids() const noexcept {
    return !(sender_sub_id.empty() && sender_location_id.empty() && target_sub_id.empty() &&
             target_location_id.empty());
  }
};

}  // namespace nexusfix::session

// The hash of its name. Allocates.
template <>
struct std::hash<nexusfix::session::SessionId> {
  [[nodiscard]] std::size_t operator()(const nexusfix::session::SessionId& id) const {
    return std::hash<std::string>{}(id.to_string());
  }
};
