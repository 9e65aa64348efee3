// A message on one line, with marks below some of its bytes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace nexusfix::dictionary {

struct MarkedText {
  std::string line;   // `|` for SOH; "..." for omitted bytes
  std::string marks;  // spaces up to the first marked column, then ^~~~
};

// Marks bytes [begin, end) of bytes, or the position begin if they are empty. Both are at most
// bytes.size(). Cuts a long message to the bytes around begin.
[[nodiscard]] MarkedText mark(std::string_view bytes, std::size_t begin, std::size_t end);

}  // namespace nexusfix::dictionary
