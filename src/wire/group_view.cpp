#include <nexusfix/wire/group_view.hpp>

namespace nexusfix::wire {

GroupView::EntryEnd GroupView::find_end(std::uint32_t at) const noexcept {
  if (!begins_entry(at)) return {at, 0};
  const std::uint16_t* const keys = message_.index_.keys;
  std::uint32_t end = at + 1;
  for (; end < limit_; ++end) {
    const std::uint16_t key = keys[end];
    if (key == kLargeTagKey) [[unlikely]] {
      const Tag tag = message_.large_tag(end);
      if (tag == shape_.delimiter() || !shape_.has_large(tag)) break;
    } else if (key == shape_.delimiter() || !shape_.has_key(key)) {
      break;
    }
  }
  std::uint32_t ignored = GroupEntry::ignored_of(end - at);
  if (end - at > 2 && message_.index_.narrow_count == 0 && at >= GroupEntry::kFieldsInFront)
    ignored |= GroupEntry::kIsUsual;
  return {end, shape_.has_large_members() ? ignored & ~kCompared : ignored};
}

detail::ValueAt GroupEntry::large_value(MessageView message, Tag tag, std::uint32_t from,
                                        std::uint32_t end) noexcept {
  detail::ValueAt found{};
  const std::size_t at = message.large_within(tag, from, end);
  if (at < end) message.read_value_at(at, found);
  return found;
}

std::size_t GroupEntry::far_key_bytes(const std::uint16_t* keys, std::uint16_t key,
                                      std::uint32_t count) noexcept {
  return MessageView::index_between(keys, key, MessageView::kKeysCompared, count) * sizeof(key);
}

GroupView::EntryEnd GroupView::find_end(std::uint32_t at, std::uint32_t like_begin,
                                        EntryEnd like) const noexcept {
  const std::uint32_t next = at + (at - like_begin);
  if (next < limit_ && (like.ignored & kCompared) != 0) {
    constexpr std::uint32_t kHalf = MessageView::kKeysCompared;
    const std::uint16_t* const keys = message_.index_.keys;
    const std::uint32_t equal = MessageView::equal_run(keys + at, keys + like_begin) |
                                MessageView::equal_run(keys + at + kHalf, keys + like_begin + kHalf)
                                    << (MessageView::kBitsPerKey * kHalf);
    if ((equal | like.ignored) == kAllEqual) return {next, like.ignored};
  }
  return find_end(at);
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

OptionalField<std::uint64_t> GroupView::announced() const noexcept {
  const Tag tag = shape_.count_tag();
  if (limit_ == 0) return std::unexpected{FieldError{FieldErrorCode::Missing, tag, 0}};
  return message_.read<std::uint64_t>(begin_ - 1, tag);
}

bool GroupView::count_is_valid() const noexcept {
  const OptionalField<std::uint64_t> count = announced();
  if (!count) return count.error().code == FieldErrorCode::Missing;
  return *count == size();
}

std::size_t GroupView::end_index() const noexcept {
  Iterator at = begin();
  while (at != end()) ++at;
  return at.begin_;
}

}  // namespace nexusfix::wire
