// Where a typed message's required fields are, so that no getter searches for them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <nexusfix/wire/field_index.hpp>

namespace nexusfix::wire {

// The index of each required field in the message, in the order of the type's checks.
class RequiredIndexes {
 public:
  // The first kCount fields have an index here; getters search for the others.
  static constexpr std::size_t kCount = 16;
  // Of a field that getters search for. BeginString has this index, which no type requires.
  static constexpr std::size_t kUnknown = 0;

  // The index of the field with this number, which is below kCount.
  [[nodiscard]] constexpr std::size_t operator[](std::size_t number) const noexcept {
    return indexes_[number];
  }
  // Enters an index.
  constexpr void set(std::size_t number, std::size_t index) noexcept {
    indexes_[number] = static_cast<std::uint8_t>(index <= UINT8_MAX ? index : kUnknown);
  }

 private:
  alignas(16) std::array<std::uint8_t, kCount> indexes_{};
};

namespace detail {

// The first tags of some messages of one type, and where their required fields are. A message that
// begins with the same tags has its fields at the same places, because each search finds the first
// field with a tag.
struct TagMemory {
  struct Slot {
    alignas(kKeysAlignment) std::array<std::uint16_t, kKeysReadable> keys{};
    RequiredIndexes at;
    std::uint32_t ignored = 0;  // a bit for each key after the last required field
    std::uint32_t last = 0;     // the index of that field
    // The numbers of the checks of values: characters, decimals and others. Texts need none in a
    // message without a fault, because they are not empty.
    std::array<std::uint8_t, RequiredIndexes::kCount> checks{};
    std::uint8_t characters_end = 0;
    std::uint8_t decimals_end = 0;
    std::uint8_t others_end = 0;
  };
  // Messages of one type that differ usually have a different number of fields: a new order's
  // report and a fill's.
  static constexpr std::size_t kSlots = 8;

  std::array<Slot, kSlots> slots{};
  RequiredIndexes not_kept;  // of the last message whose keys do not show its indexes

  [[nodiscard]] Slot& slot_of(std::size_t field_count) noexcept {
    return slots[field_count % kSlots];
  }
};

// One of each thread, so that none waits for another one's cache line.
template <class M>
inline thread_local constinit TagMemory tag_memory;

}  // namespace detail

}  // namespace nexusfix::wire
