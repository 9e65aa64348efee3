#include "nexusfix/messages/decoded_message.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <fmt/format.h>

namespace nexusfix::printing {
namespace {

std::optional<std::size_t> to_size(std::string_view text) {
  std::size_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, value);
  if (text.empty() || fault != std::errc{} || stop != end) return std::nullopt;
  return value;
}

wire::Tag to_tag(std::string_view text) {
  const std::optional<std::size_t> tag = to_size(text);
  if (!tag || *tag > wire::kTagMax || text.front() == '0') return 0;
  return static_cast<wire::Tag>(*tag);
}

class Decoder {
 public:
  explicit Decoder(std::string_view bytes) : bytes_{bytes} {}

  DecodedMessage decode() {
    while (at_ < bytes_.size()) read_field();
    check_first_fields();
    check_trailer();
    return std::move(message_);
  }

 private:
  void read_field() {
    field_begin_ = at_;
    const std::size_t soh = std::min(bytes_.find(wire::kSoh, at_), bytes_.size());
    std::string_view text = bytes_.substr(at_, soh - at_);
    const std::size_t equals = text.find('=');
    at_ = soh + 1;
    if (equals == text.npos) {
      message_.fields.push_back({0, text, {}});
      fault("field {} has no `=`", message_.fields.size());
      return;
    }
    DecodedField field{to_tag(text.substr(0, equals)), text.substr(0, equals),
                       text.substr(equals + 1)};
    extend_data(field);
    if (field.tag == 0) {
      fault("field {} has no tag of 1 to {}", message_.fields.size() + 1, wire::kTagMax);
    } else if (field.value.empty()) {
      fault("{} has no value", field.tag);
    }
    if (field.tag == tag::CheckSum) {
      trailer_begin_ = field_begin_;
      check_sum_ = field.value;
    }
    if (field.tag == tag::BodyLength && message_.fields.size() == 1) body_begin_ = at_;
    message_.fields.push_back(field);
  }

  // Extends the value to the size in the Length field.
  void extend_data(DecodedField& field) {
    static const wire::DataFieldTable kPairs = wire::DataFieldTable::standard();
    const std::optional<wire::Tag> length_tag = kPairs.length_tag_for(field.tag);
    if (!length_tag || message_.fields.empty() || message_.fields.back().tag != *length_tag) return;
    const std::optional<std::size_t> size = to_size(message_.fields.back().value);
    const auto value_begin = static_cast<std::size_t>(field.value.data() - bytes_.data());
    const std::size_t room = bytes_.size() - value_begin;
    if (!size || *size >= room || bytes_[value_begin + *size] != wire::kSoh) {
      fault("{} is {}, but {} does not end there", *length_tag, message_.fields.back().value,
            field.tag);
      return;
    }
    field.value = bytes_.substr(value_begin, *size);
    at_ = value_begin + *size + 1;
  }

  void check_first_fields() {
    constexpr wire::Tag kFirst[] = {tag::BeginString, tag::BodyLength, tag::MsgType};
    for (std::size_t i = 0; i < std::size(kFirst); ++i) {
      const wire::Tag tag = i < message_.fields.size() ? message_.fields[i].tag : 0;
      if (tag != kFirst[i]) {
        fault("field {} is not {}: a message begins with 8, 9, 35", i + 1, kFirst[i]);
        return;
      }
    }
  }

  void check_trailer() {
    if (!trailer_begin_) {
      fault("the message is cut off: it has no CheckSum");
      return;
    }
    if (message_.fields.back().tag != tag::CheckSum) fault("CheckSum is not the last field");
    check_body_length();
    check_sum();
  }

  void check_body_length() {
    if (!body_begin_ || *body_begin_ > *trailer_begin_) return;
    const std::string_view stated = message_.fields[1].value;
    const std::size_t actual = *trailer_begin_ - *body_begin_;
    if (to_size(stated) != actual) fault("BodyLength is {}, the body has {} bytes", stated, actual);
  }

  void check_sum() {
    unsigned sum = 0;
    for (const char c : bytes_.substr(0, *trailer_begin_)) sum += static_cast<unsigned char>(c);
    const std::string expected = fmt::format("{:03}", sum % 256);
    if (check_sum_ != expected) {
      fault("CheckSum is {}, the bytes add up to {}", check_sum_, expected);
    }
  }

  template <class... Arguments>
  void fault(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    message_.faults.push_back(fmt::format(format, std::forward<Arguments>(arguments)...));
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
  std::size_t field_begin_ = 0;
  std::optional<std::size_t> body_begin_;
  std::optional<std::size_t> trailer_begin_;  // of the last CheckSum field
  std::string_view check_sum_;
  DecodedMessage message_;
};

}  // namespace

std::string_view DecodedMessage::value(wire::Tag tag) const noexcept {
  const auto found = std::ranges::find(fields, tag, &DecodedField::tag);
  return found == fields.end() ? std::string_view{} : found->value;
}

DecodedMessage decode_message(std::string_view bytes) { return Decoder{bytes}.decode(); }

}  // namespace nexusfix::printing
