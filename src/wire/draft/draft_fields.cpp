// The memory of a draft, and how it is read.
#include <algorithm>
#include <cstring>
#include <new>

#include <nexusfix/wire/digits.hpp>
#include <nexusfix/wire/draft.hpp>
#include <nexusfix/wire/draft_fields.hpp>
#include <nexusfix/wire/encoder.hpp>
#include <nexusfix/wire/text.hpp>

#include "base/api/secret.hpp"

namespace nexusfix::wire {
namespace {

// Readers and writers of whole blocks may touch the bytes after the last field.
constexpr std::size_t kSlackBytes = 64;

[[nodiscard]] constexpr std::size_t key_bytes(std::size_t fields) noexcept {
  const std::size_t bytes = (fields + kKeysReadable) * sizeof(std::uint16_t);
  return (bytes + kKeysAlignment - 1) / kKeysAlignment * kKeysAlignment;
}

}  // namespace

std::uint16_t* DraftFields::Block::keys() const noexcept {
  return reinterpret_cast<std::uint16_t*>(memory);  // the block begins with the keys
}
detail::FieldPlace* DraftFields::Block::places() const noexcept {
  return reinterpret_cast<detail::FieldPlace*>(memory +
                                               key_bytes(fields));  // aligned as the keys are
}
char* DraftFields::Block::text() const noexcept {
  return memory + key_bytes(fields) + fields * sizeof(detail::FieldPlace);
}

std::size_t DraftFields::Block::size() const noexcept {
  return key_bytes(fields) + fields * sizeof(detail::FieldPlace) + bytes + kSlackBytes;
}

DraftFields::Block DraftFields::Block::allocate(std::size_t fields_min,
                                                std::size_t bytes_min) const {
  Block block{resource, nullptr, static_cast<std::uint32_t>(fields_min),
              static_cast<std::uint32_t>(bytes_min)};
  const std::size_t size = block.size();
  void* const memory_of_size = resource == nullptr
                                   ? ::operator new(size, std::align_val_t{kKeysAlignment})
                                   : resource->allocate(size, kKeysAlignment);
  block.memory = static_cast<char*>(std::memset(memory_of_size, 0, size));
  return block;
}

// A draft may have had a password.
void DraftFields::Block::free() noexcept {
  if (memory == nullptr) return;
  wipe_bytes({text(), bytes});
  if (resource == nullptr) {
    ::operator delete(memory, std::align_val_t{kKeysAlignment});
  } else {
    resource->deallocate(memory, size(), kKeysAlignment);
  }
  memory = nullptr;
}

DraftFields::DraftFields(const DraftFields& other) { copy(other); }

// It has no memory.
void DraftFields::copy(const DraftFields& other) {
  if (other.count_ == 0) return;
  block_ = block_.allocate(other.count_, other.begin_of(other.count_));
  other.copy_to(block_);
  count_ = other.count_;
  has_groups_ = other.has_groups_;
}

DraftFields& DraftFields::operator=(const DraftFields& other) {
  if (this == &other) return *this;
  if (block_.fields < other.count_ || block_.bytes < other.begin_of(other.count_)) {
    DraftFields larger;
    larger.block_.resource = block_.resource;
    larger.copy(other);
    larger.swap(*this);
    return *this;
  }
  other.copy_to(block_);
  count_ = other.count_;
  has_groups_ = other.has_groups_;
  return *this;
}

DraftFields::~DraftFields() { block_.free(); }

void DraftFields::swap(DraftFields& other) noexcept {
  std::swap(block_, other.block_);
  std::swap(count_, other.count_);
  std::swap(has_groups_, other.has_groups_);
}

void DraftFields::copy_to(const Block& block) const noexcept {
  if (count_ == 0) return;
  std::memcpy(block.keys(), block_.keys(), count_ * sizeof(std::uint16_t));
  std::memcpy(block.places(), block_.places(), count_ * sizeof(detail::FieldPlace));
  std::memcpy(block.text(), block_.text(), begin_of(count_));
}

MessageView DraftFields::view() const noexcept {
  if (count_ == 0) return {};
  detail::FieldIndex index;
  index.keys = block_.keys();
  index.places = block_.places();
  index.count = count_;
  return MessageView{{block_.text(), begin_of(count_)}, index};
}

std::string_view DraftFields::body() const noexcept {
  if (field_count() == 0) return {};
  const std::uint32_t begin = begin_of(kFrontFields) - 1;
  return {block_.text() + begin, begin_of(count_) - 1 - begin};
}

bool DraftFields::has_password() const noexcept {
  const MessageView fields = view();
  return fields.has_either(tag::Password, tag::NewPassword) ||
         fields.has_either(tag::EncryptedPassword, tag::EncryptedNewPassword);
}

void DraftFields::clear() noexcept {
  if (has_password()) wipe_bytes({block_.text(), begin_of(count_)});
  count_ = 0;
  has_groups_ = false;
}

std::uint32_t DraftFields::begin_of(std::uint32_t field) const noexcept {
  return field == 0 ? 0 : block_.places()[field - 1].end + 1;
}

Tag DraftFields::tag_at(std::uint32_t field) const noexcept {
  const std::uint16_t key = block_.keys()[field];
  return key != kLargeTagKey ? key : view().field(field).tag;
}

std::string_view DraftFields::value_at(std::uint32_t field) const noexcept {
  const detail::FieldPlace place = block_.places()[field];
  return {block_.text() + place.begin, place.end - place.begin};
}

std::uint32_t DraftFields::header_end() const noexcept {
  std::uint32_t field = std::min(kFrontFields, count_);
  while (field < count_ && is_header_tag(tag_at(field))) ++field;
  return field;
}

const detail::DraftRules* DraftFields::group_of(const detail::DraftRules& rules, Tag tag) noexcept {
  for (const detail::DraftRules* const group : rules.groups) {
    if (group->shape->count_tag() == tag) return group;
  }
  return nullptr;
}

GroupView DraftFields::group_at(std::uint32_t field,
                                const detail::DraftRules& group) const noexcept {
  return view().group(*group.shape, field);
}

// A field, or a count field with its entries.
std::uint32_t DraftFields::item_end(std::uint32_t field, const detail::DraftRules& rules,
                                    std::uint32_t end) const noexcept {
  if (!has_groups_) return field + 1;
  const detail::DraftRules* const group = group_of(rules, tag_at(field));
  if (group == nullptr) return field + 1;
  return std::min(end, static_cast<std::uint32_t>(group_at(field, *group).end_index()));
}

// range.end for an absent tag.
std::uint32_t DraftFields::find_item(Range range, const detail::DraftRules& rules,
                                     Tag tag) const noexcept {
  const auto first = view().find_index(tag, range.begin);
  if (!first || *first >= range.end) return range.end;
  if (!has_groups_) return static_cast<std::uint32_t>(*first);
  // The first one may be within a group.
  for (std::uint32_t at = range.begin; at < range.end; at = item_end(at, rules, range.end)) {
    if (tag_at(at) == tag) return at;
  }
  return range.end;
}

std::optional<DraftFields::Range> DraftFields::range_of(
    const detail::DraftPath& path) const noexcept {
  Range range{std::min(kFrontFields, count_), count_};
  const detail::DraftRules* rules = path.message;
  for (std::size_t i = 0; i < path.depth; ++i) {
    const detail::DraftPath::Step& step = path.steps[i];
    const std::uint32_t at = find_item(range, *rules, step.group->shape->count_tag());
    if (at == range.end) return std::nullopt;
    const auto entry = group_at(at, *step.group).entry(step.entry);
    if (!entry || entry->first_index() >= range.end) return std::nullopt;
    range.begin = static_cast<std::uint32_t>(entry->first_index());
    range.end = static_cast<std::uint32_t>(range.begin + entry->field_count());
    rules = step.group;
  }
  return range;
}

std::optional<GroupEntry> DraftFields::entry(const detail::DraftPath& path) const noexcept {
  if (path.depth == 0) return GroupEntry::whole(view());
  detail::DraftPath around = path;
  const detail::DraftPath::Step last = path.steps[--around.depth];
  const std::optional<Range> range = range_of(around);
  if (!range) return std::nullopt;
  const std::uint32_t at = find_item(*range, around.rules(), last.group->shape->count_tag());
  if (at == range->end) return std::nullopt;
  return group_at(at, *last.group).entry(last.entry);
}

std::size_t DraftFields::entry_count(const detail::DraftPath& around,
                                     const detail::DraftRules& group) const noexcept {
  const std::optional<Range> range = range_of(around);
  if (!range) return 0;
  const std::uint32_t at = find_item(*range, around.rules(), group.shape->count_tag());
  return at == range->end ? 0 : group_at(at, group).size();
}

bool DraftFields::has(const detail::DraftPath& path, Tag tag) const noexcept {
  const std::optional<Range> range = range_of(path);
  return range && find_item(*range, path.rules(), tag) != range->end;
}

bool DraftFields::equals(const DraftFields& other, const detail::DraftRules& rules) const noexcept {
  if (field_count() != other.field_count()) return false;
  if (body() == other.body()) return true;
  const Range range{std::min(kFrontFields, count_), count_};
  return same_items(range, other, {kFrontFields, other.count_}, rules);
}

bool DraftFields::same_items(Range range, const DraftFields& other, Range other_range,
                             const detail::DraftRules& rules) const noexcept {
  if (range.end - range.begin != other_range.end - other_range.begin) return false;
  for (std::uint32_t at = range.begin; at < range.end; at = item_end(at, rules, range.end)) {
    const std::uint32_t same = other.find_item(other_range, rules, tag_at(at));
    if (same == other_range.end || !same_item(at, other, same, rules)) return false;
  }
  return true;
}

bool DraftFields::same_item(std::uint32_t field, const DraftFields& other,
                            std::uint32_t other_field,
                            const detail::DraftRules& rules) const noexcept {
  if (value_at(field) != other.value_at(other_field)) return false;
  const detail::DraftRules* const group = group_of(rules, tag_at(field));
  if (group == nullptr) return true;
  const GroupView entries = group_at(field, *group);
  const GroupView other_entries = other.group_at(other_field, *group);
  auto same = other_entries.begin();
  for (const GroupEntry entry : entries) {
    if (same == other_entries.end()) return false;
    const GroupEntry other_entry = *same;
    ++same;
    const auto range_of_entry = [](const GroupEntry& of) {
      const auto begin = static_cast<std::uint32_t>(of.first_index());
      return Range{begin, static_cast<std::uint32_t>(begin + of.field_count())};
    };
    if (!same_items(range_of_entry(entry), other, range_of_entry(other_entry), *group)) {
      return false;
    }
  }
  return same == other_entries.end();
}

std::string DraftFields::text() const {
  std::string text;
  constexpr std::uint32_t kMsgTypeField = 2;
  for (std::uint32_t at = kMsgTypeField; at < count_; ++at) {
    append_field(text, {.tag = tag_at(at), .value = value_at(at)}, value_at(kMsgTypeField));
  }
  if (!text.empty()) text.pop_back();
  return text;
}

namespace detail {

GroupEntry absent_entry() noexcept {
  static constexpr std::string_view kText = "0=\x01";
  alignas(kKeysAlignment) static constexpr std::uint16_t kKeys[1 + kKeysReadable] = {};
  static constexpr FieldPlace kPlace{2, 2};
  FieldIndex index;
  index.keys = kKeys;
  index.places = &kPlace;
  index.count = 1;
  return GroupEntry::whole(MessageView{kText, index});
}

}  // namespace detail

}  // namespace nexusfix::wire
