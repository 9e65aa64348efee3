#include "logs/fields/message_fields.hpp"

#include <array>
#include <bit>
#include <bitset>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>

#include <nexusfix/wire/field.hpp>

#include "base/api/ascii.hpp"
#include "logs/fields/each_soh.hpp"
#include "logs/fields/field_begins.hpp"

namespace nexusfix::logs {
namespace {

// The tag before `=`; 0: it is none. size: of the text with `=`; 0: there is no `=`.
ShortTag read_tag(std::string_view field) {
  constexpr std::size_t kUsualDigitsMax = 9;  // cannot overflow
  wire::Tag tag = 0;
  std::size_t at = 0;
  while (at < field.size() && at < kUsualDigitsMax && is_digit(field[at])) {
    tag = tag * 10 + static_cast<wire::Tag>(field[at] - '0');
    ++at;
  }
  const bool is_number = at > 0 && field.front() != '0';
  if (at < field.size() && field[at] == '=') return {is_number ? tag : 0, at + 1};
  const std::size_t equals = field.find('=');
  if (equals == field.npos) return {};
  std::uint64_t number = 0;
  const auto [stop, fault] = std::from_chars(field.data(), field.data() + equals, number);
  const bool is_tag = is_number && fault == std::errc{} && stop == field.data() + equals &&
                      number <= static_cast<std::uint64_t>(wire::kTagMax);
  return {is_tag ? static_cast<wire::Tag>(number) : 0, equals + 1};
}

// The tags of up to four digits that are those of Length fields and of passwords.
using RareBits = std::bitset<10'000>;

const RareBits& rare_bits() {
  static const RareBits kBits = [] {
    RareBits bits;
    for (const wire::Tag tag : kPasswordTags) bits.set(static_cast<std::size_t>(tag));
    const wire::DataFieldTable standard = wire::DataFieldTable::standard();
    for (const wire::DataFieldTable::Pair& pair : standard.pairs()) {
      if (static_cast<std::size_t>(pair.length) < bits.size()) {
        bits.set(static_cast<std::size_t>(pair.length));
      }
    }
    return bits;
  }();
  return kBits;
}

std::optional<std::size_t> size_of(std::string_view text) {
  std::size_t size = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, size);
  if (text.empty() || fault != std::errc{} || stop != end) return std::nullopt;
  return size;
}

}  // namespace

void MessageFields::read(std::string_view bytes) {
  // Not more fields than bytes, and one without SOH at the end.
  if (capacity_ < bytes.size() + 1) {
    capacity_ = bytes.size() + 1;
    fields_ = std::make_unique_for_overwrite<MessageField[]>(capacity_);
  }
  MessageField* out = fields_.get();
  const RareBits& rare = rare_bits();
  bool has_password = false;
  std::size_t at = 0;        // of the field
  std::size_t data_end = 0;  // the value of a data field goes on up to here
  wire::Tag data_tag = 0;    // that the field before announced
  std::size_t data_size = 0;
  constexpr std::size_t kReadableMin = 8;
  const auto end_field = [&](std::size_t end) __attribute__((always_inline)) {
    if (end < data_end) return;
    const std::string_view text{bytes.data() + at, end - at};
    ShortTag tag;
    if (bytes.size() - at >= kReadableMin) {
      tag = short_tag(text.data());
    }
    if (tag.tag == 0) tag = read_tag(text);
    if (data_tag != 0 && tag.tag == data_tag) {
      const std::size_t value = at + tag.size;
      const bool fits = data_size < bytes.size() - value && bytes[value + data_size] == kSoh;
      if (fits && end < value + data_size) {
        data_end = value + data_size;
        return;
      }
    }
    *out++ = {tag.tag, text, {text.data() + tag.size, text.size() - tag.size}};
    data_tag = 0;
    const auto number = static_cast<std::size_t>(tag.tag);
    if (number >= rare.size() || rare[number]) {
      has_password = has_password || is_password(tag.tag);
      const auto size = size_of(text.substr(tag.size));
      data_tag = size ? wire::standard_data_tag(tag.tag) : 0;
      data_size = size.value_or(0);
    }
    at = end + 1;
  };
  each_soh(bytes, end_field);
  if (at < bytes.size()) end_field(bytes.size());
  count_ = static_cast<std::size_t>(out - fields_.get());
  has_soh_in_value_ = data_end != 0;
  has_password_ = has_password;
}

std::string_view MessageFields::value(wire::Tag tag) const noexcept {
  for (const MessageField& field : all()) {
    if (field.tag == tag) return field.value;
  }
  return {};
}

RareFields rare_fields(std::string_view bytes) noexcept {
  static const FieldBegins kBegins = [] {
    FieldBegins begins;
    const wire::DataFieldTable standard = wire::DataFieldTable::standard();
    for (const wire::DataFieldTable::Pair& pair : standard.pairs()) {
      begins.add(pair.length, FieldBegins::Kind::Rare);
    }
    for (const wire::Tag tag : kPasswordTags) begins.add(tag, FieldBegins::Kind::Rare);
    return begins;
  }();
  RareFields rare;
  for (std::size_t at = 0; (at = kBegins.next(bytes, at)) != bytes.npos;) {
    const wire::Tag tag = read_tag(bytes.substr(at)).tag;
    rare.has_length = rare.has_length || wire::standard_data_tag(tag) != 0;
    rare.has_password = rare.has_password || is_password(tag);
  }
  return rare;
}

std::string_view msg_type_of(std::string_view bytes) noexcept {
  constexpr std::string_view kMsgType = "35=";
  constexpr std::size_t kBegin = 5;  // of a separator, at the earliest: after `8=FIX`
  constexpr std::size_t kUsual = 32;
  if (bytes.size() >= kUsual) {
    // Most often the first three fields end within these bytes.
    const unsigned first = soh_places(bytes.data()) & (~0U << kBegin);
    const unsigned second = first & (first - 1);
    const unsigned third = second & (second - 1);
    if (third != 0) {
      const auto at = static_cast<std::size_t>(std::countr_zero(second)) + 1;
      const auto end = static_cast<std::size_t>(std::countr_zero(third));
      const std::string_view field = bytes.substr(at, end - at);
      return field.starts_with(kMsgType) ? field.substr(kMsgType.size()) : std::string_view{};
    }
  }
  const auto end_of_field = [&](std::size_t at) {
    while (at < bytes.size() && bytes[at] != kSoh) ++at;
    return at;
  };
  const std::size_t body_length = end_of_field(kBegin) + 1;
  const std::size_t at = end_of_field(body_length) + 1;
  if (at >= bytes.size() || !bytes.substr(at).starts_with(kMsgType)) return {};
  const std::size_t value = at + kMsgType.size();
  return bytes.substr(value, end_of_field(value) - value);
}

}  // namespace nexusfix::logs
