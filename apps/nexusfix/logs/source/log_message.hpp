// A message of a log, as it is passed to a command.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace nexusfix::logs {

struct LogMessage {
  std::string_view bytes{};   // with SOH after each field
  std::string_view prefix{};  // the text before it in its line
  std::uint64_t offset = 0;   // in the unpacked bytes of its file
  std::size_t file = 0;       // position in LogReport::files
  std::string_view path{};    // of that file
};

enum class AfterMessage : std::uint8_t { Continue, Stop };

}  // namespace nexusfix::logs
