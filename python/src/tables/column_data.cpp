#include "python/src/tables/column_data.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/api/printable_text.hpp"
#include "logs/output/json_bytes.hpp"

namespace nexusfix::python {

using logs::ColumnType;

namespace {

constexpr wire::Tag kFreeText = 58;

// What a schema owns.
struct SchemaParts {
  std::string format;
  std::string name;
  std::vector<ArrowSchema> children;
  std::vector<ArrowSchema*> places;
  ArrowSchema dictionary{};
};

// What an array owns.
struct ArrayParts {
  std::vector<std::uint8_t> validity;
  std::vector<std::int64_t> numbers;
  std::vector<std::int32_t> days;
  std::vector<logs::Int128> decimals;
  std::vector<std::uint8_t> flags;
  std::vector<std::int32_t> ends;
  std::vector<char> bytes;
  std::vector<ArrowArray> children;
  std::vector<ArrowArray*> places;
  ArrowArray dictionary{};
  std::array<const void*, 3> buffers{};
};

// The consumer may have moved a child out, which is then released already.
template <class Struct, class Parts>
void release(Struct* released) {
  auto* const parts = static_cast<Parts*>(released->private_data);
  for (Struct& child : parts->children) {
    if (child.release != nullptr) child.release(&child);
  }
  if (parts->dictionary.release != nullptr) parts->dictionary.release(&parts->dictionary);
  delete parts;
  released->release = nullptr;
}

// children: as many places as the struct has; each is filled afterwards.
SchemaParts& make_schema(ArrowSchema& to, std::string_view format, std::string_view name,
                         std::size_t children) {
  auto* const parts = new SchemaParts{.format = std::string{format},
                                      .name = std::string{name},
                                      .children = std::vector<ArrowSchema>(children),
                                      .places = {}};
  for (ArrowSchema& child : parts->children) parts->places.push_back(&child);
  to = {.format = parts->format.c_str(),
        .name = parts->name.c_str(),
        .metadata = nullptr,
        .flags = kArrowNullable,
        .n_children = static_cast<std::int64_t>(children),
        .children = parts->places.data(),
        .dictionary = nullptr,
        .release = release<ArrowSchema, SchemaParts>,
        .private_data = parts};
  return *parts;
}

ArrayParts& make_array(ArrowArray& to, std::int64_t rows, std::int64_t nulls,
                       std::size_t children) {
  auto* const parts = new ArrayParts{};
  parts->children.resize(children);
  for (ArrowArray& child : parts->children) parts->places.push_back(&child);
  to = {.length = rows,
        .null_count = nulls,
        .offset = 0,
        .n_buffers = 1,
        .n_children = static_cast<std::int64_t>(children),
        .buffers = parts->buffers.data(),
        .children = parts->places.data(),
        .dictionary = nullptr,
        .release = release<ArrowArray, ArrayParts>,
        .private_data = parts};
  return *parts;
}

void set_texts(ArrowArray& to, ArrayParts& parts, Texts texts) {
  parts.ends = std::move(texts.ends);
  parts.bytes = std::move(texts.bytes);
  parts.bytes.reserve(1);  // a pointer to no byte, not null
  parts.buffers[1] = parts.ends.data();
  parts.buffers[2] = parts.bytes.data();
  to.n_buffers = 3;
}

std::string format_of(const logs::Column& column) {
  switch (column.type) {
    case ColumnType::Text:
      return "u";
    case ColumnType::Bytes:
      return "z";
    case ColumnType::Integer:
      return "l";
    case ColumnType::Decimal:
      return "d:" + std::to_string(logs::kDecimalDigits) + "," + std::to_string(column.scale);
    case ColumnType::Boolean:
      return "b";
    case ColumnType::Timestamp:
      return "tsn:UTC";
    case ColumnType::Date:
      return "tdD";
    case ColumnType::TimeOfDay:
      return "ttn";
    case ColumnType::Group:
      return "+l";
  }
  return "u";
}

template <class Number>
Number load(const char* from) noexcept {
  Number number;
  std::memcpy(&number, from, sizeof(number));
  return number;
}

// The first eight bytes; zeros follow a shorter text. The loads of a short text overlap.
std::uint64_t first_bytes(std::string_view text) noexcept {
  constexpr unsigned kBits = 8;
  const std::size_t size = text.size();
  if (size >= sizeof(std::uint64_t)) return load<std::uint64_t>(text.data());
  if (size >= sizeof(std::uint32_t)) {
    const std::size_t rest = size - sizeof(std::uint32_t);
    return load<std::uint32_t>(text.data()) | std::uint64_t{load<std::uint32_t>(text.data() + rest)}
                                                  << kBits * rest;
  }
  if (size == 0) return 0;
  const auto byte = [&](std::size_t at) {
    return std::uint64_t{static_cast<std::uint8_t>(text[at])} << kBits * at;
  };
  return byte(0) | byte(size / 2) | byte(size - 1);
}

std::uint64_t hash_of(std::string_view text, std::uint64_t first) noexcept {
  constexpr std::uint64_t kMultiplier = 0x9e37'79b9'7f4a'7c15;
  std::uint64_t hash = (first ^ text.size()) * kMultiplier;
  while (text.size() > sizeof(first)) {
    text.remove_prefix(sizeof(first));
    hash = ((hash ^ hash >> 32) ^ first_bytes(text)) * kMultiplier;
  }
  return hash ^ hash >> 32;
}

}  // namespace

void Texts::append(std::string_view text) {
  bytes.insert(bytes.end(), text.begin(), text.end());
  ends.push_back(static_cast<std::int32_t>(bytes.size()));
}

TextTable::Slot& TextTable::slot_of(std::string_view text, std::uint64_t first) {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash_of(text, first) & mask;; at = (at + 1) & mask) {
    Slot& slot = slots_[at];
    if (slot.number < 0) return slot;
    if (slot.first != first || slot.size != text.size()) continue;
    if (text.size() <= sizeof(first) || texts_.at(static_cast<std::size_t>(slot.number)) == text) {
      return slot;
    }
  }
}

std::int32_t TextTable::number_of(std::string_view text) {
  if (2 * texts_.size() >= slots_.size()) grow();
  const std::uint64_t first = first_bytes(text);
  Slot& slot = slot_of(text, first);
  if (slot.number < 0) {
    slot = {.first = first,
            .size = static_cast<std::uint32_t>(text.size()),
            .number = static_cast<std::int32_t>(texts_.size())};
    texts_.append(text);
  }
  return slot.number;
}

void TextTable::grow() {
  const std::vector<Slot> before = std::exchange(slots_, std::vector<Slot>(2 * slots_.size()));
  for (const Slot& slot : before) {
    if (slot.number < 0) continue;
    slot_of(texts_.at(static_cast<std::size_t>(slot.number)), slot.first) = slot;
  }
}

Texts TextTable::take() {
  slots_.assign(kSlotsLeast, {});
  return std::exchange(texts_, {});
}

ColumnData::ColumnData(const logs::Column& column)
    : column_{column},
      is_coded_{column.type == ColumnType::Text && !column.is_identifier &&
                column.tag != kFreeText},
      format_{format_of(column)} {
  for (const logs::Column& member : column.members) {
    members_.push_back(std::make_unique<ColumnData>(member));
  }
  is_set_.resize(members_.size());
}

void ColumnData::mark_null() {
  const auto place = static_cast<std::size_t>(rows_ / 8);
  if (validity_.size() <= place) validity_.resize(place + 1, 0xff);
  validity_[place] = static_cast<std::uint8_t>(validity_[place] & ~(1U << (rows_ % 8)));
  ++nulls_;
}

void ColumnData::append_null() {
  mark_null();
  switch (column_.type) {
    case ColumnType::Text:
    case ColumnType::Bytes:
      if (is_coded_) {
        days_.push_back(0);
      } else {
        texts_.append({});
      }
      break;
    case ColumnType::Decimal:
      decimals_.push_back(0);
      break;
    case ColumnType::Date:
      days_.push_back(0);
      break;
    case ColumnType::Boolean:
      flags_.resize(static_cast<std::size_t>(rows_ / 8) + 1);
      break;
    case ColumnType::Group:
      list_ends_.push_back(static_cast<std::int32_t>(entries_));
      break;
    default:
      numbers_.push_back(0);
      break;
  }
  ++rows_;
}

bool ColumnData::append_again() {
  if (rows_ == 0) return false;
  days_.push_back(days_.back());
  ++rows_;
  return true;
}

void ColumnData::append_number(std::int64_t value) {
  numbers_.push_back(value);
  ++rows_;
}

std::string_view ColumnData::text_of(std::string_view value, bool is_ascii) {
  if (column_.codes != nullptr) {
    value = column_.codes->name(value, named_);
    is_ascii = false;
  }
  if (is_ascii || logs::is_utf8(value)) return value;
  escaped_.clear();
  append_printable(escaped_, value);
  return escaped_;
}

// False: the value is not of the type.
bool ColumnData::append_converted(std::string_view value) {
  const auto put = [](auto& values, const auto& converted) {
    if (converted) values.push_back(*converted);
    return converted.has_value();
  };
  switch (column_.type) {
    case ColumnType::Integer:
      return put(numbers_, logs::integer_value(value));
    case ColumnType::Timestamp:
      return put(numbers_, timestamps_.read(value));
    case ColumnType::TimeOfDay:
      return put(numbers_, logs::time_of_day_value(value));
    case ColumnType::Date:
      return put(days_, logs::date_value(value));
    case ColumnType::Decimal:
      return put(decimals_, logs::decimal_value(value, column_.scale));
    case ColumnType::Boolean: {
      if (value != "Y" && value != "N") return false;
      flags_.resize(static_cast<std::size_t>(rows_ / 8) + 1);
      if (value == "Y") flags_.back() |= static_cast<std::uint8_t>(1U << (rows_ % 8));
      return true;
    }
    default:
      return false;
  }
}

void ColumnData::append(std::string_view value, bool is_ascii) {
  if (column_.type == ColumnType::Text) {
    const std::string_view text = text_of(value, is_ascii);
    if (is_coded_) {
      days_.push_back(table_.number_of(text));
    } else {
      texts_.append(text);
    }
  } else if (column_.type == ColumnType::Bytes) {
    texts_.append(value);
  } else if (!append_converted(value)) {
    ++misfits_;
    append_null();
    return;
  }
  ++rows_;
}

// The entry ends at a field that is no member, or that the entry has already.
std::size_t ColumnData::append_entry(std::span<const logs::MessageField> fields, std::size_t at) {
  is_set_.assign(members_.size(), false);
  while (at < fields.size()) {
    const auto member = std::ranges::find(members_, fields[at].tag, &ColumnData::tag);
    if (member == members_.end()) break;
    const auto place = static_cast<std::size_t>(member - members_.begin());
    if (is_set_[place]) break;
    is_set_[place] = true;
    if ((*member)->is_group()) {
      at = (*member)->append_group(fields, at);
    } else {
      (*member)->append(fields[at].value, false);
      ++at;
    }
  }
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (!is_set_[i]) members_[i]->append_null();
  }
  ++entries_;
  return at;
}

std::size_t ColumnData::append_group(std::span<const logs::MessageField> fields, std::size_t at) {
  const auto count = logs::integer_value(fields[at].value);
  if (!count || *count < 0) {
    ++misfits_;
    append_null();
    return at + 1;
  }
  const auto is_member = [&](wire::Tag tag) {
    return std::ranges::find(members_, tag, &ColumnData::tag) != members_.end();
  };
  std::int64_t found = 0;
  ++at;
  for (; found < *count && at < fields.size() && is_member(fields[at].tag); ++found) {
    at = append_entry(fields, at);
  }
  if (found < *count) ++misfits_;
  list_ends_.push_back(static_cast<std::int32_t>(entries_));
  ++rows_;
  return at;
}

void ColumnData::describe(ArrowSchema& to) const {
  SchemaParts& parts = make_schema(to, is_coded_ ? "i" : format_, column_.name, is_group() ? 1 : 0);
  if (is_group()) describe_struct(parts.children[0], "item", members_);
  if (!is_coded_) return;
  make_schema(parts.dictionary, "u", "", 0);
  to.dictionary = &parts.dictionary;
}

void ColumnData::take(ArrowArray& to) {
  if (nulls_ > 0) validity_.resize(static_cast<std::size_t>(rows_ + 7) / 8, 0xff);
  ArrayParts& parts =
      make_array(to, std::exchange(rows_, 0), std::exchange(nulls_, 0), is_group() ? 1 : 0);
  parts.validity = std::exchange(validity_, {});
  if (to.null_count > 0) parts.buffers[0] = parts.validity.data();
  const auto set = [&](auto& kept, auto& values) {
    kept = std::exchange(values, {});
    kept.reserve(1);
    parts.buffers[1] = kept.data();
    to.n_buffers = 2;
  };
  switch (column_.type) {
    case ColumnType::Text:
    case ColumnType::Bytes:
      if (!is_coded_) {
        set_texts(to, parts, std::exchange(texts_, {}));
        break;
      }
      set(parts.days, days_);
      make_array(parts.dictionary, 0, 0, 0);
      set_texts(parts.dictionary, *static_cast<ArrayParts*>(parts.dictionary.private_data),
                table_.take());
      parts.dictionary.length = static_cast<std::int64_t>(
          static_cast<ArrayParts*>(parts.dictionary.private_data)->ends.size() - 1);
      to.dictionary = &parts.dictionary;
      break;
    case ColumnType::Decimal:
      set(parts.decimals, decimals_);
      break;
    case ColumnType::Date:
      set(parts.days, days_);
      break;
    case ColumnType::Boolean:
      set(parts.flags, flags_);
      break;
    case ColumnType::Group:
      set(parts.ends, list_ends_);
      list_ends_.push_back(0);
      move_struct(parts.children[0], std::exchange(entries_, 0), members_);
      break;
    default:
      set(parts.numbers, numbers_);
      break;
  }
}

std::uint64_t ColumnData::misfits() const noexcept {
  std::uint64_t count = misfits_;
  for (const auto& member : members_) count += member->misfits();
  return count;
}

void describe_struct(ArrowSchema& to, const char* name,
                     const std::vector<std::unique_ptr<ColumnData>>& children) {
  SchemaParts& parts = make_schema(to, "+s", name, children.size());
  for (std::size_t i = 0; i < children.size(); ++i) children[i]->describe(parts.children[i]);
}

void move_struct(ArrowArray& to, std::int64_t rows,
                 const std::vector<std::unique_ptr<ColumnData>>& children) {
  ArrayParts& parts = make_array(to, rows, 0, children.size());
  for (std::size_t i = 0; i < children.size(); ++i) children[i]->take(parts.children[i]);
}

}  // namespace nexusfix::python
