#include <nexusfix/wire/message_view.hpp>

#include "wire/digits.hpp"

namespace nexusfix::wire {

// The parser has verified that digits of a valid tag stand in front of the value's `=`.
Tag MessageView::large_tag(std::size_t index) const noexcept {
  const char* const end = bytes_.data() + index_.place(index).begin - 1;
  const char* begin = end;
  while (is_digit(begin[-1])) --begin;
  Tag tag = 0;
  for (; begin != end; ++begin) tag = tag * 10 + static_cast<Tag>(*begin - '0');
  return tag;
}

std::optional<std::size_t> MessageView::find_large(Tag tag, std::size_t from) const noexcept {
  for (std::size_t at = from; at < field_count(); ++at) {
    if (index_.keys[at] == kLargeTagKey && large_tag(at) == tag) return at;
  }
  return std::nullopt;
}

}  // namespace nexusfix::wire
