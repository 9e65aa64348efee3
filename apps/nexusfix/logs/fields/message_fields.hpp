// The fields of a message, faulty or not: for tools that read millions of messages.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include <nexusfix/wire/typed/field.hpp>

namespace nexusfix::logs {

struct MessageField {
  wire::Tag tag = 0;       // 0: the text before `=` is no tag
  std::string_view text;   // the whole field: `55=AAPL`
  std::string_view value;  // `AAPL`; without `=` the whole field
};

// A value in decimal digits; 0 if it is none.
[[nodiscard]] inline std::uint64_t number_of(std::string_view text) noexcept {
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
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
  // The first value of a tag; empty: the message does not have it.
  [[nodiscard]] std::string_view value(wire::Tag tag) const noexcept;

 private:
  std::unique_ptr<MessageField[]> fields_;
  std::size_t capacity_ = 0;
  std::size_t count_ = 0;
  bool has_soh_in_value_ = false;
};

// Whether a field is the Length of a data field that follows it: only then a SOH may be part of a
// value. Takes half the time of MessageFields::read().
[[nodiscard]] bool has_data_field(std::string_view bytes) noexcept;

// The value of the third field if it is MsgType (35), as in every correct message; empty: it is
// not.
[[nodiscard]] std::string_view msg_type_of(std::string_view bytes) noexcept;

}  // namespace nexusfix::logs
