// The edits of a draft.
#include <algorithm>
#include <array>
#include <cstring>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/wire/draft_fields.hpp>
#include <nexusfix/wire/field.hpp>
#include <nexusfix/wire/header_template.hpp>

namespace nexusfix::wire {
namespace {

constexpr std::size_t kFieldsMin = 32;
constexpr std::size_t kBytesMin = 512;
constexpr std::size_t kGrowth = 2;
constexpr std::size_t kTagDigitsMax = 10;
// "1=A" and SOH.
constexpr std::size_t kFieldBytesMin = 4;

// In an array of `all` elements those of [to, to_end) go, and those of [from, from + count) take
// their place. to_end is at most from.
template <class T>
void move_elements(T* array, std::size_t from, std::size_t count, std::size_t to,
                   std::size_t to_end, std::size_t all) noexcept {
  constexpr std::size_t kCopiedMax = 256 / sizeof(T);
  const std::size_t between = from - to_end;
  if (count > kCopiedMax) {
    std::rotate(array + to, array + from, array + from + count);
    std::memmove(array + to + count, array + to_end + count, (all - to_end - count) * sizeof(T));
    return;
  }
  std::array<T, kCopiedMax> moved;
  std::memcpy(moved.data(), array + from, count * sizeof(T));
  std::memmove(array + to + count, array + to_end, between * sizeof(T));
  std::memmove(array + to + count + between, array + from + count,
               (all - from - count) * sizeof(T));
  std::memcpy(array + to, moved.data(), count * sizeof(T));
}

// Fields that name the two sides of the session on which a message was received, and those that a
// session writes itself. A draft of the message does not keep them.
[[nodiscard]] bool belongs_to_received(Tag tag) noexcept {
  switch (tag) {
    case tag::SenderSubID:
    case tag::TargetSubID:
    case tag::SenderLocationID:
    case tag::TargetLocationID:
    case tag::PossResend:
      return true;
    default:
      return !is_draft_tag(tag);
  }
}

// Whether its data field follows each Length field. A lone one would announce what a draft has
// after it.
[[nodiscard]] bool has_whole_data(const MessageView& message) noexcept {
  Tag announced = 0;
  for (const FieldView field : message) {
    if (announced != 0 && field.tag != announced) return false;
    announced = announced == 0 ? standard_data_tag(field.tag) : 0;
  }
  return announced == 0;
}

}  // namespace

void DraftFields::reserve(std::size_t bytes) {
  const std::size_t room = kGrowth * std::min(bytes, kDraftBytesMax);
  const std::size_t fields = kFrontFields + room / kFieldBytesMin;
  if (block_.fields >= fields && block_.bytes >= room) return;
  Block block = block_.allocate(std::max<std::size_t>(fields, block_.fields),
                                std::max<std::size_t>(room, block_.bytes));
  copy_to(block);
  std::swap(block_, block);
  block.free();
}

void DraftFields::relocate(std::uint32_t from, std::uint32_t count, std::uint32_t to,
                           std::uint32_t to_end, std::uint32_t all) noexcept {
  const std::uint32_t to_byte = begin_of(to);
  const std::uint32_t to_end_byte = begin_of(to_end);
  const std::uint32_t from_byte = begin_of(from);
  const std::uint32_t from_end_byte = begin_of(from + count);
  const std::uint32_t bytes = from_end_byte - from_byte;
  move_elements(block_.text(), from_byte, bytes, to_byte, to_end_byte, begin_of(all));
  move_elements(block_.keys(), from, count, to, to_end, all);
  detail::FieldPlace* const places = block_.places();
  move_elements(places, from, count, to, to_end, all);

  // Modulo 2^32, so that a difference may be negative.
  const auto shift = [places](std::uint32_t begin, std::uint32_t end, std::uint32_t by) {
    for (std::uint32_t i = begin; i < end; ++i) {
      places[i].begin += by;
      places[i].end += by;
    }
  };
  const std::uint32_t removed = to_end_byte - to_byte;
  const std::uint32_t between_end = to + count + (from - to_end);
  shift(to, to + count, to_byte - from_byte);
  shift(to + count, between_end, bytes - removed);
  shift(between_end, all - (to_end - to), 0U - removed);
}

detail::DraftEdit::DraftEdit(DraftFields& fields, const detail::DraftRules& message)
    : fields_{fields}, count_before_{fields.count_} {
  if (fields.count_ != 0) {
    written_ = taken_ = fields.count_;
    return;
  }
  append(tag::BeginString, message.begin_string);
  append(tag::BodyLength, "0");
  append(tag::MsgType, message.msg_type);
  fields_.count_ = taken_ = written_;
}

detail::DraftEdit::~DraftEdit() {
  fields_.count_ = count_before_;
  before_.free();
}

void detail::DraftEdit::keep() noexcept { count_before_ = fields_.count_; }

std::uint32_t detail::DraftEdit::bytes() const noexcept { return fields_.begin_of(written_); }

void detail::DraftEdit::refuse(DraftError::Code code, Tag tag) noexcept {
  if (!error_) error_ = DraftError{.code = code, .tag = tag};
}

std::uint32_t detail::DraftEdit::consume_field_count() noexcept {
  return written_ - std::exchange(taken_, written_);
}

void detail::DraftEdit::text(Tag tag, std::string_view value) {
  if (value.empty()) return refuse(DraftError::Code::EmptyValue, tag);
  if (value.find(kSoh) != value.npos) return refuse(DraftError::Code::SohInValue, tag);
  append(tag, value);
}

void detail::DraftEdit::now(Tag tag) { value(tag, wall_now()); }

void detail::DraftEdit::data(Tag length_tag, Tag data_tag, std::string_view value) {
  if (value.empty()) return refuse(DraftError::Code::EmptyValue, data_tag);
  this->value(length_tag, value.size());
  append(data_tag, value);
}

void detail::DraftEdit::group(Tag count_tag, std::size_t entries) {
  fields_.has_groups_ = true;
  value(count_tag, entries);
}

void detail::DraftEdit::raw(Tag tag, std::string_view value) {
  if (value.empty()) return refuse(DraftError::Code::EmptyValue, tag);
  append(tag, value);
}

void detail::DraftEdit::append(Tag tag, std::string_view value) {
  if (error_) return;
  const std::size_t before = bytes();
  if (value.size() > kDraftBytesMax || before + value.size() > kDraftBytesMax) {
    return refuse(DraftError::Code::TooLong, tag);
  }
  const std::size_t bytes_max = before + kTagDigitsMax + 1 + value.size() + 1;
  if (written_ == fields_.block_.fields || bytes_max > fields_.block_.bytes) {
    grow(written_ + 1, bytes_max);
  }
  char* const begin = fields_.block_.text();
  char* at = begin + before;
  at += from_uint(tag, at);
  *at++ = '=';
  const auto value_begin = static_cast<std::uint32_t>(at - begin);
  std::memcpy(at, value.data(), value.size());
  at[value.size()] = kSoh;
  fields_.block_.keys()[written_] =
      static_cast<std::uint16_t>(std::min<Tag>(tag, Tag{kLargeTagKey}));
  fields_.block_.places()[written_] = {value_begin,
                                       static_cast<std::uint32_t>(value_begin + value.size())};
  ++written_;
}

// The memory of the draft before this edit is kept until the edit ends, because values may be views
// of it.
void detail::DraftEdit::grow(std::size_t fields, std::size_t bytes) {
  const DraftFields::Block old = fields_.block_;
  const auto enough = [](std::size_t wanted, std::size_t now, std::size_t least) {
    return wanted <= now ? now : std::max({wanted, kGrowth * now, least});
  };
  const DraftFields::Block block =
      old.allocate(enough(fields, old.fields, kFieldsMin), enough(bytes, old.bytes, kBytesMin));
  if (old.memory != nullptr) {
    std::memcpy(block.keys(), old.keys(), written_ * sizeof(std::uint16_t));
    std::memcpy(block.places(), old.places(), written_ * sizeof(detail::FieldPlace));
    std::memcpy(block.text(), old.text(), this->bytes());
  }
  fields_.block_ = block;
  DraftFields::Block unused = old;
  if (before_.memory == nullptr) std::swap(before_, unused);
  unused.free();
}

void detail::DraftEdit::place(std::uint32_t from, std::uint32_t count, std::uint32_t to,
                              std::uint32_t to_end) {
  if (from != to || to != to_end) fields_.relocate(from, count, to, to_end, written_);
  written_ -= to_end - to;
  fields_.count_ += count - (to_end - to);
}

DraftResult detail::DraftEdit::commit(const detail::DraftPath& path, std::span<const Part> parts) {
  if (error_) return std::unexpected{*error_};
  std::optional<DraftFields::Range> range = fields_.range_of(path);
  if (!range) {
    const detail::DraftPath::Step& step = path.steps[path.depth - 1];
    return std::unexpected{DraftError{.code = DraftError::Code::NoEntry,
                                      .group = step.group->shape->count_tag(),
                                      .entry = static_cast<std::uint32_t>(step.entry)}};
  }
  for (const Part& part : parts) {
    std::uint32_t to = fields_.find_item(*range, path.rules(), part.tag);
    std::uint32_t to_end = 0;
    if (to != range->end) {
      to_end = fields_.item_end(to, path.rules(), range->end);
      const bool has_length =
          part.length_tag != 0 && to != range->begin && fields_.tag_at(to - 1) == part.length_tag;
      if (has_length) --to;
    } else {
      const Tag first = part.length_tag != 0 ? part.length_tag : part.tag;
      to = to_end = fields_.position_for(*range, path, first);
    }
    place(fields_.count_, part.fields, to, to_end);
    range->end += part.fields - (to_end - to);
  }
  keep();
  return {};
}

std::uint32_t DraftFields::position_for(Range range, const detail::DraftPath& path,
                                        Tag tag) const noexcept {
  if (path.depth == 0) return is_header_tag(tag) ? header_end() : range.end;
  const detail::DraftRules& rules = path.rules();
  const auto rank = [&rules](Tag of) { return std::ranges::find(rules.members, of); };
  for (std::uint32_t at = range.begin; at < range.end; at = item_end(at, rules, range.end)) {
    if (rank(tag_at(at)) > rank(tag)) return at;
  }
  return range.end;
}

DraftResult detail::DraftEdit::commit_entry(const detail::DraftPath& around,
                                            const detail::DraftRules& group) {
  const Tag count_tag = group.shape->count_tag();
  const std::uint32_t fields = consume_field_count();
  const std::size_t entries = fields_.entry_count(around, group);
  value(count_tag, entries + 1);
  fields_.has_groups_ = true;
  if (error_) return std::unexpected{*error_};
  if (entries == 0) {
    // The count field goes before its entry.
    fields_.relocate(written_ - 1, 1, written_ - 1 - fields, written_ - 1 - fields, written_);
    const Part part{.tag = count_tag, .fields = fields + 1};
    return commit(around, {&part, 1});
  }
  const std::optional<DraftFields::Range> range = fields_.range_of(around);
  const std::uint32_t at = fields_.find_item(*range, around.rules(), count_tag);
  const std::uint32_t end = fields_.item_end(at, around.rules(), range->end);
  place(fields_.count_, fields, end, end);
  place(fields_.count_, 1, at, at + 1);
  keep();
  return {};
}

DraftResult DraftFields::erase_entry(const detail::DraftPath& around,
                                     const detail::DraftRules& group, std::size_t number) {
  const std::size_t entries = entry_count(around, group);
  const Tag count_tag = group.shape->count_tag();
  if (number >= entries) {
    return std::unexpected{DraftError{.code = DraftError::Code::NoEntry,
                                      .group = count_tag,
                                      .entry = static_cast<std::uint32_t>(number)}};
  }
  detail::DraftEdit edit{*this, *around.message};
  if (entries == 1) {
    const detail::DraftEdit::Part part{.tag = count_tag};
    return edit.commit(around, {&part, 1});
  }
  edit.value(count_tag, entries - 1);
  if (edit.error_) return std::unexpected{*edit.error_};
  const Range entry = *range_of(around.with(group, number));
  edit.place(count_, 0, entry.begin, entry.end);
  const Range range = *range_of(around);
  const std::uint32_t at = find_item(range, around.rules(), count_tag);
  edit.place(count_, 1, at, at + 1);
  edit.keep();
  return {};
}

DraftResult detail::DraftEdit::commit_checked(const detail::DraftPath& path, Tag tag) {
  const detail::DraftRules& rules = path.rules();
  const std::uint32_t fields = consume_field_count();
  const auto is_of_data = [tag](const detail::DraftRules::DataPair& pair) {
    return pair.data == tag || pair.length == tag;
  };
  const auto member = std::ranges::find(rules.members, tag);
  if (!is_draft_tag(tag) || std::ranges::any_of(rules.data_pairs, is_of_data) ||
      DraftFields::group_of(rules, tag) != nullptr) {
    refuse(DraftError::Code::TagInvalid, tag);
  } else if (member != rules.members.end()) {
    if (!error_) {
      const auto index = static_cast<std::size_t>(member - rules.members.begin());
      const detail::FieldCheck& check = rules.checks[index];
      const auto fault = find_fault(check, fields_.value_at(written_ - 1));
      if (fault == FieldErrorCode::OutOfRange) refuse(DraftError::Code::ValueOutOfRange, tag);
      if (fault) refuse(DraftError::Code::ValueMalformed, tag);
    }
  } else if (path.depth != 0 || (tag < kUserDefinedTagMin && !is_header_tag(tag))) {
    refuse(DraftError::Code::FieldNotInMessage, tag);
  }
  const Part part{.tag = tag, .fields = fields};
  return commit(path, {&part, 1});
}

DraftResult DraftFields::assign(const MessageView& message, const detail::DraftRules& rules) {
  if (message.msg_type() != rules.msg_type || message.begin_string() != rules.begin_string) {
    return std::unexpected{DraftError{.code = DraftError::Code::OtherType, .tag = tag::MsgType}};
  }
  if (message.fault() || !has_whole_data(message)) {
    return std::unexpected{DraftError{.code = DraftError::Code::MessageMalformed}};
  }
  detail::DraftEdit edit{*this, rules};
  for (const bool header : {true, false}) {
    for (const FieldView field : message) {
      if (belongs_to_received(field.tag) || is_header_tag(field.tag) != header) continue;
      edit.raw(field.tag, field.value);
    }
  }
  return edit.commit_all(true);
}

void DraftFields::assign_members_of(const DraftFields& other, const detail::DraftRules& other_rules,
                                    const detail::DraftRules& rules) {
  detail::DraftEdit edit{*this, rules};
  const Range range{std::min(kFrontFields, other.count_), other.count_};
  edit.copy_members(other, range, other_rules, rules);
  // The fields are no longer than those of other, so there is no error.
  static_cast<void>(edit.commit_all(other.has_groups_));
}

// The written fields take the place of all others.
DraftResult detail::DraftEdit::commit_all(bool has_groups) {
  if (error_) return std::unexpected{*error_};
  place(fields_.count_, consume_field_count(), DraftFields::kFrontFields, fields_.count_);
  fields_.has_groups_ = has_groups;
  keep();
  return {};
}

// Only the message has fields that are not among its members: those of the header, and those with
// user-defined tags.
void detail::DraftEdit::copy_members(const DraftFields& source, DraftFields::Range range,
                                     const detail::DraftRules& source_rules,
                                     const detail::DraftRules& rules) {
  for (std::uint32_t at = range.begin; at < range.end;) {
    const std::uint32_t end = source.item_end(at, source_rules, range.end);
    const Tag tag = source.tag_at(at);
    const detail::DraftRules* const source_group = DraftFields::group_of(source_rules, tag);
    const detail::DraftRules* const group = DraftFields::group_of(rules, tag);
    const bool is_member =
        std::ranges::find(rules.members, tag) != rules.members.end() ||
        (rules.shape == nullptr && (is_header_tag(tag) || tag >= kUserDefinedTagMin));
    if (source_group != nullptr && group != nullptr &&
        source_group->shape->delimiter() == group->shape->delimiter()) {
      raw(tag, source.value_at(at));
      for (const GroupEntry entry : source.group_at(at, *source_group)) {
        const auto begin = static_cast<std::uint32_t>(entry.first_index());
        const auto entry_end = static_cast<std::uint32_t>(begin + entry.field_count());
        copy_members(source, {begin, entry_end}, *source_group, *group);
      }
    } else if (source_group == nullptr && group == nullptr && is_member) {
      raw(tag, source.value_at(at));
    }
    at = end;
  }
}

}  // namespace nexusfix::wire
