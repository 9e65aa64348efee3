// Our messages before and after they are sent, as an application sees them.
#pragma once

#include <cstdint>
#include <string_view>

#include <nexusfix/wire/edit.hpp>
#include <nexusfix/wire/message_view.hpp>

namespace nexusfix::engine {

// The answer of on_sending().
enum class SendDecision : std::uint8_t {
  Send,
  // A new message: it gets no MsgSeqNum, and send() fails with Vetoed. A resend: a gap fill is sent
  // in its place.
  Withhold,
};

// An application message before it is sent. It and its views live until on_sending() returns.
class OutgoingMessage {
 public:
  OutgoingMessage(const wire::MessageView& message, wire::FieldEdits& edits,
                  std::uint64_t msg_seq_num, bool is_resend) noexcept
      : message_{message}, edits_{edits}, msg_seq_num_{msg_seq_num}, is_resend_{is_resend} {}

  // The encoded message; of a resend, the message as it was sent first. Without the edits.
  [[nodiscard]] const wire::MessageView& view() const noexcept { return message_; }
  // The MsgSeqNum of a resend, or that of the new message.
  [[nodiscard]] std::uint64_t msg_seq_num() const noexcept { return msg_seq_num_; }
  // The message was sent before, and the counterparty asks for it again.
  [[nodiscard]] bool is_resend() const noexcept { return is_resend_; }

  // Changes the message: wire::FieldEdits says how, and which fields cannot be changed. A new
  // message is stored with its changes; those of a resend apply to this resend only. FIX wants a
  // resent message to equal the first one (Session Layer, "Possible Duplicates"): change its header
  // only, unless the counterparty agrees to more, or withhold it and send it as a new message with
  // PossResend.
  [[nodiscard]] wire::FieldEdits& edit() noexcept { return edits_; }

 private:
  const wire::MessageView& message_;
  wire::FieldEdits& edits_;
  std::uint64_t msg_seq_num_;
  bool is_resend_;
};

// One of our messages that this event sends: it goes to the store, and then to the connection.
// Lives until on_sent() returns.
struct SentMessage {
  enum class Kind : std::uint8_t {
    Application,     // with a new MsgSeqNum
    Administrative,  // the same
    Resend,          // with PossDupFlag, or the gap fill in place of others
  };
  Kind kind = Kind::Application;
  std::uint64_t msg_seq_num = 0;
  std::string_view bytes{};
  // false: only stored. A resend after the next Logon sends it to the counterparty. Or our Logon
  // had no answer yet when it was sent: on_sent() is then called again with true when the answer
  // comes. If the sequence numbers are reset first, for example by that answer, the message is not
  // sent.
  bool is_transmitted = true;
};

}  // namespace nexusfix::engine
