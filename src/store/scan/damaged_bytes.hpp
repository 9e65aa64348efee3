// A place of the log that cannot be read.
#pragma once

#include <cstddef>
#include <cstdint>

#include <nexusfix/store/store.hpp>

#include "store/scan/segment_reader.hpp"

namespace nexusfix::store {

// Bytes that are no record although the log goes on after them.
struct DamagedBytes {
  std::uint64_t segment = 1;
  std::uint64_t offset = 0;  // in the segment's file
  LogPosition position = 0;  // of the same place in the log
  std::uint64_t bytes = 0;   // up to the next intact record, or to the segment's end
  RecordFault fault = RecordFault::None;
  bool is_header = false;  // the segment's header, whose content is known from its neighbours
};

// A log with more damages than this is not read on: it would take longer than the result is worth.
inline constexpr std::size_t kDamagesMax = 1000;

}  // namespace nexusfix::store
