// Removes passwords from messages that are printed.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "logs/fields/message_fields.hpp"

namespace nexusfix::logs {

// One thread.
class PasswordMask {
 public:
  // The message with *** in place of each password, as the engine's own logs have it: BodyLength,
  // CheckSum and the Length fields are those of the result, and do not depend on the password. The
  // same bytes if there is none. Valid until the next call, and while the bytes are. Nearly all
  // messages have no password, and cost one search.
  [[nodiscard]] std::string_view masked(std::string_view bytes) {
    return rare_fields(bytes).has_password ? with_mask(bytes) : bytes;
  }
  // masked() of a message with one of kPasswordTags.
  [[nodiscard]] std::string_view with_mask(std::string_view bytes);

 private:
  [[nodiscard]] static bool append_masked(std::string& to, std::span<const MessageField> fields,
                                          bool masks_raw_data);

  MessageFields fields_;
  std::string text_;
  std::string body_;
};

}  // namespace nexusfix::logs
