// Who talks to whom, in which version.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

#include <nexusfix/base/language.hpp>

namespace nexusfix::session {

// Written "FIX.4.4:VENUE->TRADER" or "FIX.4.4:VENUE->TRADER:desk7"; sender is always our side. Sub
// and location IDs follow their CompID, as in QuickFIX/J: "FIX.4.4:VENUE/DESK7/LDN->TRADER"; a
// location alone leaves the place between empty: "VENUE//LDN".
//
// Different identities have different names: within a part, a byte that would separate (':', '/',
// '>') or that is not printable ASCII is written %XX, and so is a '%' before two hexadecimal
// digits: the CompID "A->B" is "A-%3EB".
struct SessionId {
  std::string begin_string{};
  std::string sender_comp_id{};      // 49 of what we send
  std::string target_comp_id{};      // 56
  std::string qualifier{};           // distinguishes two sessions of the same IDs, on our side only
  std::string sender_sub_id{};       // 50; empty: none, and so are those below
  std::string sender_location_id{};  // 142; from FIX 4.1 on
  std::string target_sub_id{};       // 57
  std::string target_location_id{};  // 143; from FIX 4.1 on

  friend auto operator<=>(const SessionId&, const SessionId&) = default;
  [[nodiscard]] std::string to_string() const;
  // The identity that has this name; nothing: none has.
  [[nodiscard]] static std::optional<SessionId> parse(std::string_view name);
  // Its name without escapes, as stores have it that were written before there were any. Several
  // identities may share one.
  [[nodiscard]] std::string former_name() const;
  // Whether each of our messages has sub or location IDs.
  [[nodiscard]] bool has_sub_ids() const noexcept {
    return !(sender_sub_id.empty() && sender_location_id.empty() && target_sub_id.empty() &&
             target_location_id.empty());
  }
};

}  // namespace nexusfix::session
