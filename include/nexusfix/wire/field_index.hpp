// The arrays that a parser fills and a message reads.
#pragma once

#include <cstddef>
#include <cstdint>

#include <nexusfix/base/language.hpp>

namespace nexusfix::wire {

// Where a value lies, as offsets from the start of the message. Both are in one word, because every
// reader needs both.
struct FieldPlace {
  std::uint32_t begin;  // of the value's first byte
  std::uint32_t end;    // of the SOH after the value
};

// A place in a message of up to 255 bytes, as its kernel finds it. Widening all places would take
// a fifth of the parser's time, and readers need only some of them.
struct NarrowPlace {
  std::uint8_t begin;  // offset of the value's first byte
  std::uint8_t size;   // bytes of the value
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
  const std::uint16_t* keys = kNoKeys;         // kKeysReadable more than count are readable
  const FieldPlace* places = nullptr;          // used if narrow_count is 0
  const NarrowPlace* narrow_places = nullptr;  // used if narrow_count is not 0
  std::uint32_t count = 0;                     // the number of fields
  std::uint32_t narrow_count = 0;              // 0, or count if the message has narrow places

  // The place of the value of field index, which is below count.
  [[nodiscard]] FieldPlace place(std::size_t index) const noexcept {
    if (index >= narrow_count) return places[index];
    const NarrowPlace narrow = narrow_places[index];
    return {narrow.begin, std::uint32_t{narrow.begin} + narrow.size};
  }
};

// The key of all tags that do not fit into a key. The tags below it are their own keys.
inline constexpr std::uint16_t kLargeTagKey = 0xffff;

}  // namespace nexusfix::wire
