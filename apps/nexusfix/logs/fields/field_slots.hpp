// Finds a few fields in messages, without an index of all of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <nexusfix/wire/typed/field.hpp>

#include "nexusfix/logs/fields/each_soh.hpp"

namespace nexusfix::logs {

// Tags that are wanted, each with a number that the caller chooses.
class FieldSlots {
 public:
  static constexpr int kTagsMax = 1000;  // a wanted tag is below it
  static constexpr unsigned kSlotsMax = 254;

  FieldSlots();

  // slot: 1 to kSlotsMax. The tag of a Length field cannot be wanted.
  void want(wire::Tag tag, unsigned slot) noexcept {
    slots_[static_cast<std::size_t>(tag)] = static_cast<std::uint8_t>(slot);
  }
  [[nodiscard]] static bool can_want(wire::Tag tag) noexcept;
  // Of a tag that can be wanted; 0: it is not.
  [[nodiscard]] unsigned of(wire::Tag tag) const noexcept {
    return slots_[static_cast<std::size_t>(tag)];
  }

  // bytes: one message with SOH after each field. Calls use(slot, value) for each wanted field.
  // False: the message has a Length field, and only MessageFields knows where its data ends; use
  // was called for the fields before it.
  template <class Use>
  [[nodiscard, gnu::always_inline]] bool each(std::string_view bytes, Use use) const {
    std::size_t at = 0;
    bool is_whole = true;
    each_soh(bytes, [&](std::size_t end) __attribute__((always_inline)) {
      const char* const field = bytes.data() + at;
      const std::size_t size = end - at;
      const bool is_readable = bytes.size() - at >= kReadableMin;
      at = end + 1;
      if (!is_readable) {
        use_last({field, size}, use);
        return true;
      }
      const ShortTag tag = short_tag(field);
      if (tag.tag == 0 || tag.tag >= kTagsMax) {
        is_whole = use_unusual({field, size}, tag, use);
        return is_whole;
      }
      const std::uint8_t slot = slots_[static_cast<std::size_t>(tag.tag)];
      if (slot == 0) return true;
      is_whole = slot != kIsLength;
      if (is_whole) use(slot, std::string_view{field + tag.size, size - tag.size});
      return is_whole;
    });
    return is_whole;
  }

 private:
  static constexpr std::size_t kReadableMin = 8;
  static constexpr std::uint8_t kIsLength = 255;
  // Whether a field with this tag may be a Length field. tag: 0 if it has more than four digits.
  [[nodiscard]] static bool is_length(std::string_view field, int tag) noexcept;

  // A tag of one digit, or a long one. False: the field is a Length field.
  template <class Use>
  bool use_unusual(std::string_view field, ShortTag tag, Use& use) const {
    if (field.size() < 2 || field[1] != '=') return !is_length(field, tag.tag);
    const unsigned digit = static_cast<unsigned>(field[0]) - '0';
    const std::uint8_t slot = digit > 9 ? std::uint8_t{0} : slots_[digit];
    if (slot != 0) use(slot, field.substr(2));
    return true;
  }

  // The last bytes of a message: most often CheckSum.
  template <class Use>
  void use_last(std::string_view field, Use& use) const {
    char readable[kReadableMin]{};
    std::memcpy(readable, field.data(), field.size());
    const ShortTag tag = short_tag(readable);
    if (tag.tag == 0) {
      if (field.size() > 1) static_cast<void>(use_unusual(field, {kTagsMax, 0}, use));
      return;
    }
    if (tag.tag >= kTagsMax) return;
    const std::uint8_t slot = slots_[static_cast<std::size_t>(tag.tag)];
    if (slot != 0 && slot != kIsLength) use(slot, field.substr(tag.size));
  }

  std::array<std::uint8_t, kTagsMax> slots_{};
};

}  // namespace nexusfix::logs
