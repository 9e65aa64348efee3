#include <cstring>

#include <nexusfix/wire/group_view.hpp>

namespace nexusfix::wire {
namespace {

// How many of the first count keys are the same here and there.
std::uint32_t equal_keys(const std::uint16_t* here, const std::uint16_t* there,
                         std::uint32_t count) noexcept {
  std::uint32_t at = 0;
#if defined(__SSE2__)
  constexpr std::uint32_t kStep = 8;
  static_assert(kStep <= kKeysReadable);
  for (; at < count; at += kStep) {
    const void* const a = here + at;
    const void* const b = there + at;
    const auto equal = static_cast<std::uint32_t>(
        _mm_movemask_epi8(_mm_cmpeq_epi16(_mm_loadu_si128(static_cast<const __m128i*>(a)),
                                          _mm_loadu_si128(static_cast<const __m128i*>(b)))));
    constexpr std::uint32_t kAllEqual = 0xffff;
    if (equal != kAllEqual) {
      at += static_cast<std::uint32_t>(__builtin_ctz(~equal)) / 2;  // bytes a key
      return at < count ? at : count;
    }
  }
  return count;
#else
  while (at < count && here[at] == there[at]) ++at;
  return at;
#endif
}

}  // namespace

// Entries of one group mostly have the same tags in the same order, so that what was found of the
// last entry's need not be looked up again. Equal keys are equal tags but for those above 16 bits.
std::uint32_t GroupView::entry_end(std::uint32_t at, std::uint32_t like_begin,
                                   std::uint32_t like_end) const noexcept {
  const std::uint16_t* const keys = message_.index_.keys;
  std::uint32_t end = at + 1;
  if (!shape_.has_large_members()) {
    const std::uint32_t like_size = like_end - like_begin;
    const std::uint32_t count = like_size < limit_ - at ? like_size : limit_ - at;
    const std::uint32_t same = equal_keys(keys + at, keys + like_begin, count);
    if (same != 0) end = at + same;
  }
  for (; end < limit_; ++end) {
    const std::uint16_t key = keys[end];
    if (key == kLargeTagKey) [[unlikely]] {
      const Tag tag = message_.large_tag(end);
      if (tag == shape_.delimiter() || !shape_.has_large(tag)) break;
    } else if (key == shape_.delimiter() || !shape_.has_key(key)) {
      break;
    }
  }
  return end;
}

std::size_t GroupView::size() const noexcept {
  std::size_t entries = 0;
  for (Iterator at = begin(); at != end(); ++at) ++entries;
  return entries;
}

std::optional<GroupEntry> GroupView::entry(std::size_t number) const noexcept {
  Iterator at = begin();
  for (; at != end(); ++at) {
    if (number == 0) return *at;
    --number;
  }
  return std::nullopt;
}

std::optional<FieldView> GroupView::count_field() const noexcept {
  if (limit_ == 0) return std::nullopt;
  return message_.field(begin_ - 1);
}

bool GroupView::count_is_right() const noexcept {
  const FieldResult<std::uint64_t> count = announced();
  if (!count) return count.error().code == FieldErrorCode::Missing;
  return *count == size();
}

std::size_t GroupView::end_index() const noexcept {
  Iterator at = begin();
  while (at != end()) ++at;
  return at.begin_;
}

}  // namespace nexusfix::wire
