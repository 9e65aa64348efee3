#include "engine/commit/received_message.hpp"

#include <algorithm>
#include <span>

#include <nexusfix/observe/message_log.hpp>
#include <nexusfix/wire/session_tags.hpp>

#include "engine/sessions/session_entry.hpp"

namespace nexusfix::engine {

std::string_view ReceivedMessage::stored_form(const SessionEntry& entry) {
  if (entry_ != &entry) return {};
  if (!has_secret(entry)) [[likely]]
    return message_->bytes();
  const std::vector<observe::MaskedField>& masked = entry.settings.log.masked;
  masked_.clear();
  observe::append_masked(masked_, message_->bytes(),
                         entry.outbound.keeps_masked_out ? std::span{masked}
                                                         : std::span<const observe::MaskedField>{});
  return masked_;
}

// The same fields as observe::append_masked(). Without a password a message of a usual length costs
// two compares of its tags.
bool ReceivedMessage::has_secret(const SessionEntry& entry) const noexcept {
  const wire::MessageView& message = *message_;
  if (message.has_either(tag::Password, tag::NewPassword) ||
      message.has_either(tag::EncryptedPassword, tag::EncryptedNewPassword)) {
    return true;
  }
  const std::string_view type = message.msg_type();
  if ((type == "A" || type == "BE") && message.has(tag::RawData)) return true;
  return entry.outbound.keeps_masked_out &&
         std::ranges::any_of(entry.settings.log.masked, [&](const observe::MaskedField& field) {
           return message.has(field.tag);
         });
}

}  // namespace nexusfix::engine
