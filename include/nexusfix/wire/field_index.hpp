// The arrays that a parser fills and a message reads.
#pragma once

#include <cstdint>

namespace nexusfix::wire {

// One entry a field, in wire order. A key is the field's tag, or kLargeTagKey for every tag that is
// not below that: such a tag is read from its text again. 16 bits a tag let a lookup compare eight
// tags with one SSE2 instruction, and hold 32 of them in a cache line.
struct FieldIndex {
  const std::uint16_t* keys = nullptr;
  const std::uint32_t* begins = nullptr;  // of the values, from the start of the message
  const std::uint32_t* ends = nullptr;    // of the values: positions of their SOH
  std::uint32_t count = 0;
};

inline constexpr std::uint16_t kLargeTagKey = 0xffff;

// keys may be read up to this many entries behind count: a lookup takes that many at a time.
inline constexpr std::uint32_t kKeysReadable = 32;

}  // namespace nexusfix::wire
