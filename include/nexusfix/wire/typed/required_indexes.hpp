// Where a typed message's fields are, so that no getter searches for them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <nexusfix/wire/field_index.hpp>

namespace nexusfix::wire {

// The index of each required field in the message, in the order of the type's checks.
class RequiredIndexes {
 public:
  // The first kCount fields have an index here; getters search for the others.
  static constexpr std::size_t kCount = 16;
  // The index of a field that getters search for. BeginString has this index, which no type
  // requires.
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

// Where the other fields of a message are, by a hash of their tags, for all messages with one
// sequence of tags. It never changes: typed messages point to it, on any thread.
class TagIndexes {
 public:
  // The index of tags that a search must find: nothing is known of them, or two fields share a
  // place.
  static constexpr std::size_t kUnknown = 0;
  // The message has no field with such a tag.
  static constexpr std::size_t kAbsent = 1;

  // The indexes of the messages with these keys, learned once in a process. Valid as long as that.
  // Nothing is known if there are too many sequences, or too many keys. No allocation.
  [[nodiscard]] static const TagIndexes& of(std::span<const std::uint16_t> keys) noexcept;

  // The index of the first field with this key, if the field there has the key; otherwise kAbsent,
  // kUnknown, or the index of a field with another key, which proves that the message has no such
  // field. kUnknown and kAbsent are the indexes of BeginString and BodyLength, so that one
  // comparison of keys is enough.
  [[nodiscard]] constexpr std::size_t operator[](std::uint16_t key) const noexcept {
    return indexes_[place_of(key)];
  }

 private:
  static constexpr unsigned kBits = 6;
  // With this factor, the usual fields of orders and reports rarely share a place.
  static constexpr std::uint16_t kFactor = 1'031;

  [[nodiscard]] static constexpr std::size_t place_of(std::uint16_t key) noexcept {
    return static_cast<std::uint16_t>(key * kFactor) >> (16U - kBits);
  }
  void learn(std::span<const std::uint16_t> keys) noexcept;

  std::array<std::uint8_t, std::size_t{1} << kBits> indexes_{};
};

// For messages whose other fields are searched for.
inline constexpr TagIndexes kNoTagIndexes;

// What a typed message knows of the places of its fields.
struct FieldIndexes {
  RequiredIndexes required;            // of the required fields
  const TagIndexes* others = nullptr;  // of the others; never null in a typed message
};

namespace detail {

// The first tags of some messages of one type, and where their required fields are. A message that
// begins with the same tags has its fields at the same places, because each search finds the first
// field with a tag.
struct TagMemory {
  struct Slot {
    alignas(kKeysAlignment) std::array<std::uint16_t, kKeysReadable> keys{};
    FieldIndexes front;         // of messages with the keys up to the last required field
    FieldIndexes whole;         // of messages with all keys
    std::uint32_t ignored = 0;  // a bit for each key after the last required field
    std::uint32_t last = 0;     // the index of that field
    std::uint32_t beyond = 0;   // a bit for each key after the last field
    std::uint32_t count = 0;    // of the fields; 0: more than there are keys, or none
    bool is_repeated = false;   // a second message had all keys
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
  FieldIndexes not_kept;  // of the last message whose keys do not show its indexes

  [[nodiscard]] Slot& slot_of(std::size_t field_count) noexcept {
    return slots[field_count % kSlots];
  }
};

// One of each thread, so that none waits for another one's cache line.
template <class M>
inline thread_local constinit TagMemory tag_memory;

}  // namespace detail

}  // namespace nexusfix::wire
