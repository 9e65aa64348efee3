// The example venue's orders, for scripts.
#pragma once

#include <string>

#include "venue/venue.hpp"

namespace nexusfix::command {

// {"orders": [...]}: every accepted order, open or closed, in the order of acceptance.
[[nodiscard]] std::string book_json(const venue::Venue& venue);

}  // namespace nexusfix::command
