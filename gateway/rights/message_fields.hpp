// The fields of a message that a client wants to send.
#pragma once

#include <cstddef>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/wire/field.hpp>

namespace nexusfix::gateway {

// A field, as the client wrote it.
struct TextField {
  wire::Tag tag = 0;
  std::string_view value;  // may have SOH if it is the data field of length_tag
  wire::Tag length_tag = 0;
};

// Reads a whole message, or its fields from MsgType (35) on. One object for many messages: its
// memory is used again. One thread.
class MessageFields {
 public:
  // The views of the fields are those of text. The error is one line for the client.
  [[nodiscard]] std::expected<void, std::string> read(std::string_view text);
  // Without MsgType, and without those that the session itself writes.
  [[nodiscard]] std::span<const TextField> fields() const noexcept { return fields_; }
  [[nodiscard]] std::string_view msg_type() const noexcept { return msg_type_; }
  // The first value of this tag; empty: there is none.
  [[nodiscard]] std::string_view value(wire::Tag tag) const noexcept;

 private:
  std::string_view msg_type_;
  std::vector<TextField> fields_;
};

}  // namespace nexusfix::gateway
