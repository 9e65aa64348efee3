// Our messages before and after they are sent, as an application sees them.
#pragma once

#include <cstdint>
#include <string_view>

#include <nexusfix/wire/edit.hpp>
#include <nexusfix/wire/message_view.hpp>

namespace nexusfix::engine {

// The answer of on_sending().
enum class SendDecision : std::uint8_t {
  Send,  // the message is sent, with its edits
  // A new message: it gets no MsgSeqNum, and send() fails with Vetoed. A resend: a gap fill is sent
  // in its place.
  Withhold,
};

// An application message before it is sent. It and its views live until on_sending() returns.
class OutgoingMessage {
 public:
  // For the engine, which passes it to on_sending(). message and edits must outlive it.
  OutgoingMessage(const wire::MessageView& message, wire::FieldEdits& edits,
                  std::uint64_t msg_seq_num, bool is_resend) noexcept
      : message_{message}, edits_{edits}, msg_seq_num_{msg_seq_num}, is_resend_{is_resend} {}

  // The encoded message, without the edits; of a resend, the message as it was sent first.
  [[nodiscard]] const wire::MessageView& view() const noexcept { return message_; }
  // The MsgSeqNum of a resend, or that of the new message.
  [[nodiscard]] std::uint64_t msg_seq_num() const noexcept { return msg_seq_num_; }
  // Whether the message was sent before and the counterparty requests it again.
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
  // Who made the message, and whether it was sent before.
  enum class Kind : std::uint8_t {
    Application,     // an application message with a new MsgSeqNum
    Administrative,  // a message of the session layer with a new MsgSeqNum
    Resend,          // a message with PossDupFlag, or the gap fill in place of messages
  };
  Kind kind = Kind::Application;  // application message, administrative message or resend
  std::uint64_t msg_seq_num = 0;  // MsgSeqNum (34); of a gap fill, the first one that it replaces
  std::string_view bytes{};       // the whole message, from BeginString (8) to CheckSum (10)
  // Whether the message goes to the connection. false: it is only stored, and a resend after the
  // next Logon sends it to the counterparty. If it was sent while our Logon waited for its answer,
  // on_sent() is called again with true when the answer comes. If the sequence numbers are reset
  // first, for example by that answer, the message is not sent.
  bool is_transmitted = true;
};

}  // namespace nexusfix::engine
