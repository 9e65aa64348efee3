// Finds a few fields in messages, without an index of all of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <nexusfix/wire/field.hpp>

#include "logs/fields/each_soh.hpp"
#include "logs/fields/field_begins.hpp"

namespace nexusfix::logs {

// Tags that are wanted, each with a number that the caller chooses.
class FieldSlots {
 public:
  static constexpr wire::Tag kTagsMax = 1000;  // a wanted tag is below it
  static constexpr unsigned kSlotsMax = 254;

  FieldSlots();

  // slot: 1 to kSlotsMax. The tag of a Length field cannot be wanted.
  void want(wire::Tag tag, unsigned slot);
  [[nodiscard]] static bool can_want(wire::Tag tag) noexcept;
  // The slot of a tag that can be wanted; 0: it is not.
  [[nodiscard]] unsigned of(wire::Tag tag) const noexcept {
    return slots_[static_cast<std::size_t>(tag)];
  }

  // bytes: one message with SOH after each field. Calls use(slot, value) for each wanted field.
  // False: the message has a Length field, and only MessageFields knows where its data ends; use
  // was called for the fields before it.
  template <class Use>
  [[nodiscard, gnu::always_inline]] bool each(std::string_view bytes, Use use) const {
    constexpr std::size_t kBytesMin = 8;  // no message is that short
    if (bytes.size() < kBytesMin) return true;
    FieldBegins::Places places;
    for (std::size_t at = 0; at < bytes.size();) {
      at = begins_.find(bytes, at, places);
      for (std::size_t i = 0; i < places.count; ++i) {
        const auto [begin, end] = places.all[i];
        const ShortTag tag = short_tag_at(bytes, begin);
        const unsigned slot = tag.tag > 0 && tag.tag < kTagsMax
                                  ? slots_[tag.tag]
                                  : slot_of_long(bytes.substr(begin, end - begin));
        if (slot == kIsLength) return false;
        const char* const value = bytes.data() + begin + tag.size;
        if (slot != 0) use(slot, std::string_view{value, end - begin - tag.size});
      }
    }
    return true;
  }

 private:
  static constexpr std::uint8_t kIsLength = 255;
  // For a field with another tag: 0 or kIsLength.
  [[nodiscard]] static unsigned slot_of_long(std::string_view field) noexcept;

  std::array<std::uint8_t, kTagsMax> slots_{};
  FieldBegins begins_;
};

}  // namespace nexusfix::logs
