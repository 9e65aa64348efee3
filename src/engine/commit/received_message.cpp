#include "engine/commit/received_message.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>

#include <nexusfix/observe/message_log.hpp>
#include <nexusfix/wire/session_tags.hpp>

#include "engine/sessions/session_entry.hpp"

namespace nexusfix::engine {

namespace {

constexpr PackedMsgType kPackedUserRequest = pack("BE");

// All tags of passwords are at least this one, and those of most messages below it.
constexpr wire::Tag kPasswordsFrom = 512;
static_assert(std::has_single_bit(kPasswordsFrom) && tag::Password >= kPasswordsFrom &&
              tag::NewPassword >= kPasswordsFrom && tag::EncryptedPassword >= kPasswordsFrom &&
              tag::EncryptedNewPassword >= kPasswordsFrom);

// False: no field has such a tag. Entries after the last field count, too.
bool may_have_password(const wire::MessageView& message) noexcept {
  if (message.field_count() > wire::kKeysReadable) [[unlikely]]
    return true;
  constexpr std::uint16_t kHighBits = 0xffff & ~(kPasswordsFrom - 1);
  constexpr std::uint64_t kHighBitsOfFour = kHighBits * std::uint64_t{0x0001'0001'0001'0001};
  const std::uint16_t* const keys = message.index().keys;
  const auto four_at = [keys](std::size_t at) {
    std::uint64_t four;
    std::memcpy(&four, keys + at, sizeof four);
    return four;
  };
  static_assert(wire::kKeysReadable == 32);
  return ((four_at(0) | four_at(4) | four_at(8) | four_at(12) | four_at(16) | four_at(20) |
           four_at(24) | four_at(28)) &
          kHighBitsOfFour) != 0;
}

}  // namespace

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

// The same fields as observe::append_masked(). Most messages have no tag that is as high as those:
// one pass shows it.
inline bool ReceivedMessage::has_secret(const SessionEntry& entry) const noexcept {
  const bool has_raw_password = msg_type_ == kPackedLogon || msg_type_ == kPackedUserRequest;
  return (has_raw_password || entry.outbound.keeps_masked_out || may_have_password(*message_)) &&
         finds_secret(entry);
}

bool ReceivedMessage::finds_secret(const SessionEntry& entry) const noexcept {
  const wire::MessageView& message = *message_;
  if (message.has_either(tag::Password, tag::NewPassword) ||
      message.has_either(tag::EncryptedPassword, tag::EncryptedNewPassword)) {
    return true;
  }
  const bool has_raw_password = msg_type_ == kPackedLogon || msg_type_ == kPackedUserRequest;
  if (has_raw_password && message.has(tag::RawData)) return true;
  return entry.outbound.keeps_masked_out &&
         std::ranges::any_of(entry.settings.log.masked, [&](const observe::MaskedField& field) {
           return message.has(field.tag);
         });
}

}  // namespace nexusfix::engine
