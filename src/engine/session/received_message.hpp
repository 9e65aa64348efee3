// The received message of the running event, as the journal keeps it (JournalInbound=Y).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include <nexusfix/wire/message_view.hpp>

#include "engine/ground/statistics/session_state.hpp"

namespace nexusfix::engine {

class SessionEntry;

// The loop's thread only.
class ReceivedMessage {
 public:
  // The message must outlive the event. masks_tags: LogMaskedTags, and StoreMaskedTags=N.
  void begin(const SessionEntry& entry, const wire::MessageView& message, PackedMsgType msg_type,
             bool masks_tags) noexcept {
    entry_ = &entry;
    message_ = &message;
    msg_type_ = msg_type;
    is_searched_ = masks_tags || msg_type == kPackedLogon || msg_type == kPackedUserRequest;
  }
  void end() noexcept { entry_ = nullptr; }

  // Whether the session has received a message of this type in the running event.
  [[nodiscard]] bool is_of(const SessionEntry& entry, PackedMsgType msg_type) const noexcept {
    return entry_ == &entry && msg_type_ == msg_type;
  }
  // Whether it is a message that the counterparty sends only after it has asked for what it missed:
  // any but a Logon and a ResendRequest.
  [[nodiscard]] bool settles(const SessionEntry& entry) const noexcept {
    return entry_ == &entry && msg_type_ != kPackedLogon && msg_type_ != kPackedResendRequest;
  }
  // The message that the session has received in the running event, with *** in place of each
  // password; empty: it has received none. With LogMaskedTags and StoreMaskedTags=N, those values
  // are *** as well. Valid until the next call. Allocates only to mask.
  [[nodiscard]] std::string_view stored_form(const SessionEntry& entry) {
    if (entry_ != &entry) [[unlikely]]
      return {};
    if (!is_searched_ && !may_have_password(*message_)) [[likely]]
      return message_->bytes();
    return searched_form(entry);
  }

  // Each tag of a password is at least this one, and the tags of most messages are below it.
  static constexpr wire::Tag kPasswordsFrom = 512;

 private:
  static constexpr PackedMsgType kPackedUserRequest = pack("BE");

  // False: no field has such a tag, which one pass over the tags shows. Entries after the last
  // field count, too.
  [[nodiscard]] static bool may_have_password(const wire::MessageView& message) noexcept {
    if (message.field_count() > wire::kKeysReadable) [[unlikely]]
      return true;
    static_assert(std::has_single_bit(kPasswordsFrom) && wire::kKeysReadable == 32);
    constexpr std::uint16_t kHighBits = 0xffff & ~(kPasswordsFrom - 1);
    constexpr std::uint64_t kHighBitsOfFour = kHighBits * std::uint64_t{0x0001'0001'0001'0001};
    const std::uint16_t* const keys = message.index().keys;
    const auto four_at = [keys](std::size_t at) {
      std::uint64_t four;
      std::memcpy(&four, keys + at, sizeof four);
      return four;
    };
    return ((four_at(0) | four_at(4) | four_at(8) | four_at(12) | four_at(16) | four_at(20) |
             four_at(24) | four_at(28)) &
            kHighBitsOfFour) != 0;
  }
  [[nodiscard]] std::string_view searched_form(const SessionEntry& entry);
  [[nodiscard]] bool has_secret(const SessionEntry& entry) const noexcept;

  const SessionEntry* entry_ = nullptr;  // null: no message is being processed
  const wire::MessageView* message_ = nullptr;
  PackedMsgType msg_type_ = 0;
  bool is_searched_ = false;  // for passwords and masked tags, whatever its tags are
  std::string masked_;
};

}  // namespace nexusfix::engine
