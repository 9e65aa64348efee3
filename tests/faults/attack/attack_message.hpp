// Messages to the venue, of honest and of hostile counterparties.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "support/fix_text.hpp"

namespace nexusfix::attack {

inline std::string message(std::string_view who, std::string_view type, std::size_t number,
                           std::string_view body) {
  return testing::fix("FIX.4.4", "35=" + std::string{type} + "|49=" + std::string{who} +
                                     "|56=VENUE|34=" + std::to_string(number) +
                                     "|52=20260105-10:00:00.000|" + std::string{body});
}
inline std::string logon(std::string_view who, std::string_view more = {}) {
  return message(who, "A", 1, "98=0|108=0|141=Y|" + std::string{more});
}

}  // namespace nexusfix::attack
