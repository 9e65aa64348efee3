// Messages of ours on their way out, as an application may see them.
#pragma once

#include <cstdint>
#include <string_view>

#include <nexusfix/wire/edit.hpp>
#include <nexusfix/wire/message_view.hpp>

namespace nexusfix::engine {

// What on_sending() says.
enum class Outgoing : std::uint8_t {
  Send,
  // A new message: it gets no number, and send() fails with Vetoed. A resend: a gap fill goes out
  // in its place.
  Withhold,
};

// An application message before it goes out. Lives until on_sending() returns, and so does all that
// it shows.
class OutgoingMessage {
 public:
  OutgoingMessage(const wire::MessageView& message, wire::FieldEdits& edits,
                  std::uint64_t msg_seq_num, bool is_resend) noexcept
      : message_{message}, edits_{edits}, msg_seq_num_{msg_seq_num}, is_resend_{is_resend} {}

  // As it was encoded; of a resend, as it was sent first. Edits do not show.
  [[nodiscard]] const wire::MessageView& view() const noexcept { return message_; }
  // The number that it gets or has.
  [[nodiscard]] std::uint64_t msg_seq_num() const noexcept { return msg_seq_num_; }
  // It was sent before, and the counterparty asks for it again.
  [[nodiscard]] bool is_resend() const noexcept { return is_resend_; }

  // Changes it: wire::FieldEdits says how, and what cannot be changed. What is sent new is stored
  // with the changes; those of a resend concern that one sending. FIX wants a resent message to be
  // the one that was sent first (Session Layer, "Possible Duplicates"): change its header only,
  // unless you have agreed otherwise, or withhold it and send it as a new one with PossResend.
  [[nodiscard]] wire::FieldEdits& edit() noexcept { return edits_; }

 private:
  const wire::MessageView& message_;
  wire::FieldEdits& edits_;
  std::uint64_t msg_seq_num_;
  bool is_resend_;
};

// A message of ours that is part of what this event does: on its way to the store, and to the
// connection behind that. Lives until on_sent() returns.
struct SentMessage {
  enum class Kind : std::uint8_t {
    Application,     // with a new number
    Administrative,  // likewise
    Resend,          // with PossDupFlag, or the gap fill in place of others
  };
  Kind kind = Kind::Application;
  std::uint64_t msg_seq_num = 0;
  std::string_view bytes{};
  // false: only stored. It reaches the counterparty by resend after the next Logon; or it was sent
  // while our Logon was under way, and is told once more, true, when that is answered. A reset of
  // the sequence numbers that comes first, in that answer for one, forgets it.
  bool is_transmitted = true;
};

}  // namespace nexusfix::engine
