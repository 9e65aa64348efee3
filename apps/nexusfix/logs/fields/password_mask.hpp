// Removes passwords from messages that are printed.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "nexusfix/logs/fields/field_begins.hpp"
#include "nexusfix/logs/fields/message_fields.hpp"

namespace nexusfix::logs {

// Nearly all messages have no password, and cost one search. One thread.
class PasswordMask {
 public:
  PasswordMask();
  // The message with *** in place of each password, as the engine's own logs have it: BodyLength,
  // CheckSum and the Length fields are those of the result, and do not depend on the password. The
  // same bytes if there is none. Valid until the next call, and while the bytes are.
  [[nodiscard]] std::string_view masked(std::string_view bytes);

 private:
  [[nodiscard]] bool may_have_password(std::string_view bytes) const;
  [[nodiscard]] static bool append_masked(std::string& to, std::span<const MessageField> fields,
                                          bool masks_raw_data);

  FieldBegins begins_;
  MessageFields fields_;
  std::string text_;
  std::string body_;
};

}  // namespace nexusfix::logs
