// A message on one line, with marks below some of its bytes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace nexusfix::dictionary {

struct MarkedText {
  std::string line;   // `|` for SOH; "..." where something is left out
  std::string marks;  // as many spaces as columns stand in front of the first byte, then ^~~~
};

// Bytes [begin, end) of bytes are marked, or the one place begin if they are none. Either may be as
// large as bytes.size(). A long message is cut to what stands around begin.
[[nodiscard]] MarkedText mark(std::string_view bytes, std::size_t begin, std::size_t end);

}  // namespace nexusfix::dictionary
