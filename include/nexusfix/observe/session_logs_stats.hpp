// What the logs of an engine have counted.
#pragma once

#include <cstdint>

#include <nexusfix/base/language.hpp>

namespace nexusfix::observe {

// Counts since the start.
struct SessionLogsStats {
  std::uint64_t taken = 0;           // messages and events that found room in the queue
  std::uint64_t lost_in_queue = 0;   // messages and events that found no room
  std::uint64_t lost_on_disk = 0;    // lines that could not be written
  std::uint64_t lost_on_screen = 0;  // lines that the terminal did not take in time
  std::uint64_t reopenings = 0;      // finished reopen() calls
  std::uint64_t not_reopened = 0;    // files that the last one could not open
};

}  // namespace nexusfix::observe
