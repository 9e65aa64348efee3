#include <bit>

#include <nexusfix/wire/message_view.hpp>

#include "wire/digits.hpp"

namespace nexusfix::wire {

// The parser has verified that the digits of a valid tag precede the `=` of the value.
Tag MessageView::tag_before(const char* value) noexcept {
  const char* const end = value - 1;
  const char* begin = end;
  while (is_digit(begin[-1])) --begin;
  Tag tag = 0;
  for (; begin != end; ++begin) tag = tag * 10 + static_cast<Tag>(*begin - '0');
  return tag;
}

std::size_t MessageView::index_after(const std::uint16_t* keys, std::size_t count, Tag tag,
                                     std::size_t from) noexcept {
  const auto key = static_cast<std::uint16_t>(tag);
  std::size_t at = from - from % kKeysReadable;
  std::uint32_t eligible = ~std::uint32_t{0} << from % kKeysReadable;
  for (; at < count; at += kKeysReadable) {
    const std::uint32_t bits = equal_bits(keys + at, key) & eligible;
    // Entries after the last field belong to an earlier message. The caller detects that.
    if (bits != 0) return at + static_cast<unsigned>(std::countr_zero(bits));
    eligible = ~std::uint32_t{0};
  }
  return count;
}

std::size_t MessageView::index_between(const std::uint16_t* keys, Tag tag, std::size_t from,
                                       std::size_t to) noexcept {
  for (; from < to; from += kKeysCompared) {
    const std::uint32_t bits = equal_bits_at(keys + from, static_cast<std::uint16_t>(tag));
    if (bits != 0) return from + detail::lowest_bit(bits) / kBitsPerKey;
  }
  return to;
}

std::size_t MessageView::large_within(Tag tag, std::size_t from, std::size_t to) const noexcept {
  std::size_t at = from;
  while (at < to && !(index_.keys[at] == kLargeTagKey && large_tag(at) == tag)) ++at;
  return at;
}

std::optional<std::size_t> MessageView::find_large(Tag tag, std::size_t from) const noexcept {
  const std::size_t index = large_within(tag, from, field_count());
  if (index >= field_count()) return std::nullopt;
  return index;
}

// The parser has verified that the tag before the value's `=` has digits only. The byte before them
// is the SOH of another field, or the message begins with them.
std::uint32_t MessageView::field_begin(std::size_t index) const noexcept {
  std::uint32_t at = index_.place(index).begin - 1;
  while (at != 0 && is_digit(bytes_[at - 1])) --at;
  return at;
}

}  // namespace nexusfix::wire
