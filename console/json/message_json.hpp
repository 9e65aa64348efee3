// A message, decoded for the page.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/dictionary.hpp>

#include "console/json/json.hpp"

namespace nexusfix::web {

// Its fields with the names of the session's own tables, then of the built-in dictionary of its
// version. bytes: with SOH; a message that is garbled is decoded as far as it has fields.
[[nodiscard]] Json message_json(std::string_view bytes,
                                std::vector<dictionary::NameTable> own = {});
// The message as people read and search it: with `|` for SOH.
[[nodiscard]] std::string shown_message(std::string_view bytes);

}  // namespace nexusfix::web
