// The fields of a message, faulty or not: for tools that read millions of messages.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include <nexusfix/wire/field.hpp>

#include "base/api/ascii.hpp"

namespace nexusfix::logs {

struct MessageField {
  wire::Tag tag = 0;       // 0: the text before `=` is no tag
  std::string_view text;   // the whole field: `55=AAPL`
  std::string_view value;  // `AAPL`; without `=` the whole field
};

// A value in decimal digits; 0 if it is none.
[[nodiscard]] inline std::uint64_t number_of(std::string_view text) noexcept {
  constexpr std::size_t kDigitsMax = 19;  // cannot overflow
  std::uint64_t number = 0;
  if (text.size() > kDigitsMax) {
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
  }
  for (const char c : text) {
    if (!is_digit(c)) break;
    number = number * 10 + static_cast<std::uint64_t>(c - '0');
  }
  return number;
}

// Keeps its memory from one message to the next.
class MessageFields {
 public:
  // bytes: one message with SOH after each field. The Length field before a data field is its size,
  // if a SOH follows at that place. The fields are views of bytes, valid until the next call.
  void read(std::string_view bytes);

  [[nodiscard]] std::span<const MessageField> all() const noexcept {
    return {fields_.get(), count_};
  }
  // Whether a data field has a SOH that ends no field.
  [[nodiscard]] bool has_soh_in_value() const noexcept { return has_soh_in_value_; }
  // Whether a field has one of kPasswordTags.
  [[nodiscard]] bool has_password() const noexcept { return has_password_; }
  // The first value of a tag; empty: the message does not have it.
  [[nodiscard]] std::string_view value(wire::Tag tag) const noexcept;

 private:
  std::unique_ptr<MessageField[]> fields_;
  std::size_t capacity_ = 0;
  std::size_t count_ = 0;
  bool has_soh_in_value_ = false;
  bool has_password_ = false;
};

// Fields that hardly any message has, and that take more work. One search finds that there is none,
// in a tenth of the time of MessageFields::read().
struct RareFields {
  bool has_length = false;    // of a data field: only then a SOH may be part of a value
  bool has_password = false;  // or a part of a data field that looks like one
};
// bytes: one message, with SOH after each field.
[[nodiscard]] RareFields rare_fields(std::string_view bytes) noexcept;

// The fields that observe::MaskedField lists.
inline constexpr std::array<wire::Tag, 5> kPasswordTags{96, 554, 925, 1402, 1404};
[[nodiscard]] inline bool is_password(wire::Tag tag) noexcept {
  return std::ranges::find(kPasswordTags, tag) != kPasswordTags.end();
}

// The value of the third field if it is MsgType (35), as in every correct message; empty: it is
// not.
[[nodiscard]] std::string_view msg_type_of(std::string_view bytes) noexcept;

}  // namespace nexusfix::logs
