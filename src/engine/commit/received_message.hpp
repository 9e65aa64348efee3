// The received message of the running event, as the journal keeps it (JournalInbound=Y).
#pragma once

#include <string>
#include <string_view>

#include <nexusfix/wire/message_view.hpp>

#include "engine/statistics/administrative.hpp"

namespace nexusfix::engine {

struct SessionEntry;

// The loop's thread only.
class ReceivedMessage {
 public:
  // The message must outlive the event.
  void begin(const SessionEntry& entry, const wire::MessageView& message,
             PackedMsgType msg_type) noexcept {
    entry_ = &entry;
    message_ = &message;
    msg_type_ = msg_type;
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
  [[nodiscard]] std::string_view stored_form(const SessionEntry& entry);

 private:
  [[nodiscard]] bool has_secret(const SessionEntry& entry) const noexcept;
  [[nodiscard]] bool finds_secret(const SessionEntry& entry) const noexcept;

  const SessionEntry* entry_ = nullptr;  // null: no message is being processed
  const wire::MessageView* message_ = nullptr;
  PackedMsgType msg_type_ = 0;
  std::string masked_;
};

}  // namespace nexusfix::engine
