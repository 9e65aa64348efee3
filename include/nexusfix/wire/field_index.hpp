// The arrays that a parser fills and a message reads.
#pragma once

#include <cstddef>
#include <cstdint>

#include <nexusfix/base/language.hpp>

namespace nexusfix::wire {

// Where a value lies, as offsets from the start of the message. end is the position of its SOH.
// Both are in one word, because every reader needs both.
struct FieldPlace {
  std::uint32_t begin;
  std::uint32_t end;
};

// The same for a message of up to 255 bytes, as its kernel finds it. Widening all places would take
// a fifth of the parser's time, and readers need only some of them.
struct NarrowPlace {
  std::uint8_t begin;
  std::uint8_t size;
};

// A lookup reads this many keys at a time, so this many keys after `count` are readable.
inline constexpr std::uint32_t kKeysReadable = 32;
// The alignment of keys, in bytes.
inline constexpr std::size_t kKeysAlignment = 64;
// The keys of a message without fields.
alignas(kKeysAlignment) inline constexpr std::uint16_t kNoKeys[kKeysReadable] = {};

// One entry for each field, in wire order. A key is the field's tag, or kLargeTagKey for every tag
// that is not below that; such a tag is read from its text again. With 16 bits for a tag, a lookup
// compares eight tags by one SSE2 instruction, and a cache line holds 32 of them.
struct FieldIndex {
  const std::uint16_t* keys = kNoKeys;
  const FieldPlace* places = nullptr;
  const NarrowPlace* narrow_places = nullptr;
  std::uint32_t count = 0;
  std::uint32_t narrow_count = 0;  // 0: use places; else it equals count

  // index < count.
  [[nodiscard]] FieldPlace place(std::size_t index) const noexcept {
    if (index >= narrow_count) return places[index];
    const NarrowPlace narrow = narrow_places[index];
    return {narrow.begin, std::uint32_t{narrow.begin} + narrow.size};
  }
};

inline constexpr std::uint16_t kLargeTagKey = 0xffff;

}  // namespace nexusfix::wire
