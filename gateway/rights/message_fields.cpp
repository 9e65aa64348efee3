#include "gateway/rights/message_fields.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <optional>

#include <nexusfix/wire/header_template.hpp>

namespace nexusfix::gateway {
namespace {

using Failed = std::unexpected<std::string>;

constexpr char kSoh = '\x01';
constexpr std::size_t kFieldsMax = 100'000;

// The number at the beginning of the text, before the end character; nothing: there is none.
template <class Number>
std::optional<Number> consume_number(std::string_view& text, char end) {
  Number number{};
  const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || at == text.data() + text.size() || *at != end) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(at - text.data()) + 1);
  return number;
}

// A whole message has BeginString and BodyLength before MsgType.
bool may_come_first(wire::Tag tag, std::size_t at) noexcept {
  return at == 0 ? tag == tag::BeginString : tag == tag::BodyLength;
}

}  // namespace

std::expected<void, std::string> MessageFields::read(std::string_view text) {
  fields_.clear();
  msg_type_ = {};
  const std::size_t size = text.size();
  wire::Tag announced = 0;  // the data field that the field before has announced
  wire::Tag length_tag = 0;
  std::size_t length = 0;
  while (!text.empty()) {
    const std::size_t at = size - text.size();
    const auto tag = consume_number<wire::Tag>(text, '=');
    if (!tag || *tag == 0)
      return Failed{fmt::format("at byte {}: a tag and '=' were expected", at)};
    std::size_t end = announced == *tag ? length : text.find(kSoh);
    if (end >= text.size() || text[end] != kSoh) {
      return Failed{fmt::format("field {} at byte {} has no SOH at its end", *tag, at)};
    }
    const std::string_view value = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (*tag == tag::MsgType && msg_type_.empty()) {
      if (value.empty()) break;
      msg_type_ = value;
    }
    if (msg_type_.empty() && !may_come_first(*tag, at)) {
      return Failed{fmt::format("field {} at byte {} comes before MsgType (35)", *tag, at)};
    }
    if (!wire::belongs_to_session(*tag)) {
      if (fields_.size() == kFieldsMax) return Failed{"a message has at most 100,000 fields"};
      if (announced == *tag) fields_.pop_back();  // The encoder writes the Length field.
      fields_.push_back({*tag, value, announced == *tag ? length_tag : 0});
    }
    announced = wire::standard_data_tag(*tag);
    if (announced == 0) continue;
    length_tag = *tag;
    const auto read = std::from_chars(value.data(), value.data() + value.size(), length);
    if (read.ec != std::errc{} || read.ptr != value.data() + value.size()) {
      return Failed{fmt::format("field {} at byte {} is no length", *tag, at)};
    }
  }
  if (msg_type_.empty()) return Failed{"the message has no MsgType (35)"};
  return {};
}

std::string_view MessageFields::value(wire::Tag tag) const noexcept {
  const auto found = std::ranges::find(fields_, tag, &TextField::tag);
  return found == fields_.end() ? std::string_view{} : found->value;
}

}  // namespace nexusfix::gateway
