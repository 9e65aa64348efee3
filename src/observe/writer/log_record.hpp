// The records in the queue between the event loop and the log writer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <nexusfix/base/clock.hpp>

#include "observe/api/session_logs.hpp"

namespace nexusfix::observe {

inline constexpr std::string_view kFullQueue =
    "they came faster than the disk took them, and found no room in the queue";

// Precedes the bytes of every record.
struct LogRecordHead {
  std::int64_t time_ns = 0;
  std::uint32_t session = 0;
  std::uint32_t cut_bytes = 0;  // of an event: the size of the name that its text begins with
  std::uint8_t kind = 0;
  std::uint8_t unused[5]{};
  EventId event{};
};
static_assert(sizeof(LogRecordHead) == 24);

// The bytes of a record that reports losses.
struct LogLossRecord {
  std::uint64_t count = 0;
  std::int64_t first_ns = 0;
  std::int64_t last_ns = 0;
};

}  // namespace nexusfix::observe
