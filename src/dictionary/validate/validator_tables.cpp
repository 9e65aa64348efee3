#include "dictionary/validate/validator_tables.hpp"

#include <algorithm>
#include <functional>
#include <span>

namespace nexusfix::dictionary {
namespace {

template <class Word>
std::uint64_t load(const char* from) noexcept {
  Word word = 0;
  std::memcpy(&word, from, sizeof word);
  return word;
}

// Two loads that may overlap. Their common bytes are equal. 2 <= text.size() <= 8
ShortText short_text(std::string_view text) noexcept {
  constexpr unsigned kBitsPerByte = 8;
  const std::size_t half = text.size() < sizeof(std::uint32_t) ? 2 : sizeof(std::uint32_t);
  const char* const back = text.data() + text.size() - half;
  const std::uint64_t low = half == 2 ? load<std::uint16_t>(text.data())  //
                                      : load<std::uint32_t>(text.data());
  const std::uint64_t high = half == 2 ? load<std::uint16_t>(back) : load<std::uint32_t>(back);
  return {low | high << (kBitsPerByte * (text.size() - half)), text.size()};
}

template <class Item>
std::size_t bytes_of(const std::vector<Item>& items) noexcept {
  return items.capacity() * sizeof(Item);
}

}  // namespace

bool Enumeration::has_text(std::string_view text) const noexcept {
  if (text.size() < 2 || text.size() > ShortText::kBytesMax) {
    return std::binary_search(long_texts.begin(), long_texts.end(), text, std::less<>{});
  }
  if (short_texts.empty()) return false;
  const ShortText wanted = short_text(text);
  const std::size_t mask = short_texts.size() - 1;
  for (std::size_t at = hash(wanted.word) & mask;; at = (at + 1) & mask) {
    if (short_texts[at] == wanted) return true;
    if (short_texts[at].size == 0) return false;
  }
}

bool Enumeration::has_list(std::string_view text) const noexcept {
  while (true) {
    const std::size_t space = text.find(' ');
    const std::string_view item = text.substr(0, space);
    const bool is_valid = has_item(item) || (!item.empty() && is_other_value(others, item));
    if (!is_valid) return false;
    if (space == std::string_view::npos) return true;
    text.remove_prefix(space + 1);
  }
}

void Enumeration::add(const std::vector<FieldDefinition::EnumValue>& values) {
  std::size_t short_count = 0;
  for (const FieldDefinition::EnumValue& value : values) {
    const std::size_t size = value.value.size();
    short_count += size >= 2 && size <= ShortText::kBytesMax ? 1 : 0;
  }
  constexpr std::size_t kSpareFactor = 2;
  if (short_count != 0) short_texts.resize(std::bit_ceil(short_count * kSpareFactor));
  for (const FieldDefinition::EnumValue& value : values) add(value.value);
  std::ranges::sort(long_texts);
}

void Enumeration::add(const std::string& value) {
  const auto code = static_cast<unsigned char>(value.empty() ? '\0' : value.front());
  if (value.size() == 1 && code < kCharacterEnd) {
    characters[code / 64] |= std::uint64_t{1} << (code % 64);
  } else if (value.size() >= 2 && value.size() <= ShortText::kBytesMax) {
    const ShortText text = short_text(value);
    const std::size_t mask = short_texts.size() - 1;
    std::size_t at = hash(text.word) & mask;
    while (short_texts[at].size != 0) at = (at + 1) & mask;
    short_texts[at] = text;
  } else {
    long_texts.push_back(value);
  }
}

const MemberRule* MemberContext::find_overflow(wire::Tag tag) const noexcept {
  const std::span<const OverflowRule> all{overflow, overflow_count};
  const auto found = std::ranges::lower_bound(all, tag, {}, &OverflowRule::tag);
  return found != all.end() && found->tag == tag ? &found->rule : nullptr;
}

const MemberContext* ValidatorTables::long_message(std::string_view msg_type) const noexcept {
  const auto found = std::ranges::lower_bound(
      long_msg_types, msg_type, {},
      [](const LongMsgType& type) -> std::string_view { return type.msg_type; });
  const bool is_known = found != long_msg_types.end() && found->msg_type == msg_type;
  return is_known ? &contexts[found->context] : nullptr;
}

const FieldRule* ValidatorTables::field(const MemberContext& of, wire::Tag tag) const noexcept {
  const std::vector<FieldRule>& all = fields[of.is_application];
  const auto found = std::ranges::lower_bound(all, tag, {}, &FieldRule::tag);
  return found != all.end() && found->tag == tag ? &*found : nullptr;
}

std::size_t ValidatorTables::size_bytes() const noexcept {
  std::size_t bytes = sizeof *this + bytes_of(contexts) + bytes_of(fields[0]) +
                      bytes_of(fields[1]) + bytes_of(long_msg_types) + bytes_of(enumerations) +
                      bytes_of(rows) + bytes_of(rule_entries) + bytes_of(overflow) +
                      bytes_of(required) + bytes_of(data_pairs);
  for (const Enumeration& enumeration : enumerations) {
    bytes += bytes_of(enumeration.short_texts) + bytes_of(enumeration.long_texts);
    for (const std::string& text : enumeration.long_texts) bytes += text.capacity();
  }
  return bytes;
}

}  // namespace nexusfix::dictionary
