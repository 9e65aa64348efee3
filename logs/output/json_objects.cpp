#include "logs/output/json_objects.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>

#include <nexusfix/wire/field.hpp>

#include "base/api/printable_text.hpp"
#include "logs/output/json_bytes.hpp"

namespace nexusfix::logs {
namespace {

constexpr std::size_t kDigitsMax = 20;
constexpr std::size_t kNameBytesMax = 128;  // with quotes and signs; a longer name is not written

char* write_number(char* out, std::uint64_t number) noexcept {
  return std::to_chars(out, out + kDigitsMax, number).ptr;
}

char* write_hex_member(char* out, std::string_view bytes) noexcept {
  constexpr std::string_view kHexDigits = "0123456789abcdef";
  out = write_text(out, ",\"message_hex\":\"");
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    *out++ = kHexDigits[byte >> 4U];
    *out++ = kHexDigits[byte & 0xfU];
  }
  return write_text(out, "\"");
}

}  // namespace

void JsonObjects::Occurrences::begin_message() noexcept {
  if (message_ > std::numeric_limits<std::uint32_t>::max() - 3) {
    messages_.fill(0);
    message_ = 0;
  }
  message_ += 2;
}

void JsonObjects::Occurrences::add(wire::Tag tag) noexcept {
  std::uint32_t& last = messages_[place_of(tag)];
  last = message_ + (last >= message_ ? 1 : 0);
}

bool JsonObjects::Occurrences::may_repeat(wire::Tag tag) const noexcept {
  return messages_[place_of(tag)] > message_;
}

char* JsonObjects::write_bytes(char* out, std::string_view text, const char* readable) const {
  return is_plain_ ? write_plain_json(out, text, readable) : write_json_bytes(out, text, readable);
}

char* JsonObjects::write_string(char* out, std::string_view text, const char* readable) const {
  *out++ = '"';
  out = write_bytes(out, text, readable);
  *out++ = '"';
  return out;
}

bool JsonObjects::is_wanted(wire::Tag tag) const noexcept {
  return columns_.empty() || std::ranges::find(columns_, tag) != columns_.end();
}

// The values of the wanted fields.
bool JsonObjects::are_utf8() const noexcept {
  return std::ranges::all_of(fields_.all(), [&](const MessageField& field) {
    return !is_wanted(field.tag) || is_utf8(field.value);
  });
}

void JsonObjects::append(std::string& to, LogMessage message, std::string_view path,
                         PasswordMask* mask) {
  fields_.read(message.bytes);
  if (mask != nullptr && fields_.has_password()) {
    message.bytes = mask->with_mask(message.bytes);
    fields_.read(message.bytes);
  }
  const std::size_t texts = path.size() + message.prefix.size() + 2 * message.bytes.size();
  const std::size_t most = texts * kJsonByteMax + 2 * message.bytes.size() +
                           (fields_.all().size() + 2) * kNameBytesMax + kJsonSlack;
  const std::size_t before = to.size();
  to.resize_and_overwrite(before + most, [&](char* data, std::size_t) {
    return static_cast<std::size_t>(write(data + before, message, path) - data);
  });
}

char* JsonObjects::write(char* out, const LogMessage& message, std::string_view path) {
  out = write_text(out, "{");
  if (!path.empty()) {
    out = write_text(out, "\"file\":");
    out = write_json_string(out, path, path.data() + path.size());
    out = write_text(out, ",");
  }
  out = write_text(out, "\"offset\":");
  out = write_number(out, message.offset);
  out = write_text(out, ",\"prefix\":");
  const std::string_view prefix = message.prefix;
  out = write_json_string(out, prefix, prefix.data() + prefix.size());
  is_plain_ = !fields_.has_soh_in_value() && is_plain_json(message.bytes);
  if (columns_.empty()) {
    out = write_message(out, message.bytes);
  } else if (!is_plain_ && !is_utf8(message.bytes) && !are_utf8()) {
    out = write_hex_member(out, message.bytes);
  }
  out = write_text(out, ",\"fields\":{");
  out = write_fields(out, message.bytes);
  return write_text(out, "}}");
}

char* JsonObjects::write_message(char* out, std::string_view bytes) const {
  const char* const readable = bytes.data() + bytes.size();
  out = write_text(out, ",\"message\":\"");
  if (!is_plain_ && !is_utf8(bytes)) {
    out = write_json_bytes(out, bytes, readable);
    return write_hex_member(write_text(out, "\""), bytes);
  }
  for (const MessageField& field : fields_.all()) {
    out = write_bytes(out, field.text, readable);
    out = write_text(out, "\\u0001");
  }
  return write_text(out, "\"");
}

char* JsonObjects::write_fields(char* out, std::string_view bytes) {
  const std::span<const MessageField> all = fields_.all();
  const command::TagNames::Version& names = names_.of(fields_.value(tag::BeginString));
  const char* const readable = bytes.data() + bytes.size();
  is_written_.assign(all.size(), 0);
  occurrences_.begin_message();
  for (const MessageField& field : all) occurrences_.add(field.tag);
  if (all.size() > kSearchedFields) link_equal_tags();
  bool is_first = true;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const MessageField& field = all[i];
    if (is_written_[i] != 0 || !is_wanted(field.tag)) continue;
    if (!is_first) *out++ = ',';
    is_first = false;
    const command::TagNames::Version::Key* const key = names.key(field.tag);
    if (key != nullptr && key->size > 0 && !occurrences_.may_repeat(field.tag)) {
      std::memcpy(out, key->text.data(), key->text.size());  // a copy of constant size is fast
      out = write_bytes(out + key->size, field.value, readable);
      *out++ = '"';
      continue;
    }
    *out++ = '"';
    const std::string_view name = names.name(field.tag);
    if (!name.empty() && name.size() < kNameBytesMax / 2) {
      out = write_text(out, name);
    } else if (field.tag != 0) {
      out = write_number(out, static_cast<std::uint64_t>(field.tag));
    }
    out = write_text(out, "\":");
    if (occurrences_.may_repeat(field.tag)) {
      out = write_values(out, i, readable);
    } else {
      out = write_string(out, field.value, readable);
    }
  }
  return out;
}

// For messages with more fields: a search from each of them would take too long.
void JsonObjects::link_equal_tags() {
  const std::span<const MessageField> all = fields_.all();
  std::vector<std::pair<wire::Tag, std::size_t>> places;
  places.reserve(all.size());
  for (std::size_t i = 0; i < all.size(); ++i) places.emplace_back(all[i].tag, i);
  std::ranges::sort(places);
  next_equal_.assign(all.size(), all.size());
  for (std::size_t i = 1; i < places.size(); ++i) {
    const auto [tag, place] = places[i - 1];
    if (places[i].first == tag) next_equal_[place] = places[i].second;
  }
}

// The next field with the same tag; the number of fields: there is none.
std::size_t JsonObjects::next_equal(std::size_t place) const noexcept {
  const std::span<const MessageField> all = fields_.all();
  if (all.size() > kSearchedFields) return next_equal_[place];
  const wire::Tag tag = all[place].tag;
  do ++place;
  while (place < all.size() && all[place].tag != tag);
  return place;
}

// The value of this field, or an array with those of the later fields with the same tag.
char* JsonObjects::write_values(char* out, std::size_t first, const char* readable) {
  const std::span<const MessageField> all = fields_.all();
  char* const begin = out;
  out = write_text(out, "[");
  out = write_string(out, all[first].value, readable);
  bool has_several = false;
  for (std::size_t i = next_equal(first); i < all.size(); i = next_equal(i)) {
    has_several = true;
    is_written_[i] = 1;
    *out++ = ',';
    out = write_string(out, all[i].value, readable);
  }
  return has_several ? write_text(out, "]") : write_string(begin, all[first].value, readable);
}

}  // namespace nexusfix::logs
