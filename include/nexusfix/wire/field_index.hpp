// The arrays that a parser fills and a message reads.
#pragma once

#include <cstddef>
#include <cstdint>

#include <nexusfix/base/language.hpp>

namespace nexusfix::wire {

// Where a value stands, from the start of the message; end is the position of its SOH. Both in one
// word, as nobody needs one without the other.
struct FieldPlace {
  std::uint32_t begin;
  std::uint32_t end;
};

// The same for a message of up to 255 bytes, as its kernel finds it. Widening all of them would
// take as long as a fifth of the rest, and readers want a few.
struct NarrowPlace {
  std::uint8_t begin;
  std::uint8_t size;
};

// keys may be read up to this many entries behind count: a lookup takes that many at a time.
inline constexpr std::uint32_t kKeysReadable = 32;
// Of keys, in bytes.
inline constexpr std::size_t kKeysAlignment = 64;
// The keys of no field at all.
alignas(kKeysAlignment) inline constexpr std::uint16_t kNoKeys[kKeysReadable] = {};

// One entry a field, in wire order. A key is the field's tag, or kLargeTagKey for every tag that is
// not below that: such a tag is read from its text again. 16 bits a tag let a lookup compare eight
// tags with one SSE2 instruction, and hold 32 of them in a cache line.
struct FieldIndex {
  const std::uint16_t* keys = kNoKeys;
  const FieldPlace* places = nullptr;
  const NarrowPlace* narrow_places = nullptr;
  std::uint32_t count = 0;
  std::uint32_t narrow_count = 0;  // 0: places has them; else count

  // index < count.
  [[nodiscard]] FieldPlace place(std::size_t index) const noexcept {
    if (index >= narrow_count) return places[index];
    const NarrowPlace narrow = narrow_places[index];
    return {narrow.begin, std::uint32_t{narrow.begin} + narrow.size};
  }
};

inline constexpr std::uint16_t kLargeTagKey = 0xffff;

}  // namespace nexusfix::wire
