#include "engine/session/received_message.hpp"

#include <algorithm>
#include <span>

#include <nexusfix/wire/field.hpp>

#include "engine/ground/loop_context.hpp"
#include "observe/api/logs.hpp"

namespace nexusfix::engine {

namespace {

// All tags of passwords are at least this one, and those of most messages below it.
constexpr wire::Tag kPasswordsFrom = ReceivedMessage::kPasswordsFrom;
static_assert(tag::Password >= kPasswordsFrom && tag::NewPassword >= kPasswordsFrom &&
              tag::EncryptedPassword >= kPasswordsFrom &&
              tag::EncryptedNewPassword >= kPasswordsFrom);

}  // namespace

std::string_view ReceivedMessage::searched_form(const SessionEntry& entry) {
  if (!has_secret(entry)) return message_->bytes();
  const std::vector<observe::MaskedField>& masked = entry.settings().log.masked;
  masked_.clear();
  observe::append_masked(masked_, message_->bytes(),
                         entry.outbound().keeps_masked_out
                             ? std::span{masked}
                             : std::span<const observe::MaskedField>{});
  return masked_;
}

// Looks for the fields of observe::append_masked().
bool ReceivedMessage::has_secret(const SessionEntry& entry) const noexcept {
  const wire::MessageView& message = *message_;
  if (message.has_either(tag::Password, tag::NewPassword) ||
      message.has_either(tag::EncryptedPassword, tag::EncryptedNewPassword)) {
    return true;
  }
  const bool has_raw_password = msg_type_ == kPackedLogon || msg_type_ == kPackedUserRequest;
  if (has_raw_password && message.has(tag::RawData)) return true;
  return entry.outbound().keeps_masked_out &&
         std::ranges::any_of(entry.settings().log.masked, [&](const observe::MaskedField& field) {
           return message.has(field.tag);
         });
}

}  // namespace nexusfix::engine
