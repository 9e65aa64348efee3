// Our messages: encoded, shown to the application, numbered, recorded and queued.
#pragma once

#include <expected>
#include <string_view>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/engine/session.hpp>
#include <nexusfix/wire/edit.hpp>
#include <nexusfix/wire/encoder.hpp>

#include "engine/ground/loop_context.hpp"
#include "engine/ground/scratch_buffer.hpp"
#include "session/api/actions.hpp"

namespace nexusfix::engine {

struct Io;
struct Sessions;

class Outbox {
 public:
  // A message that an encoder has finished.
  using Encoded = std::expected<std::string_view, wire::EncodeError>;

  Outbox(LoopContext& loop, Io& io, Sessions& sessions);

  // Called by Session.
  [[nodiscard]] wire::Encoder begin_message(SessionEntry& entry,
                                            std::string_view msg_type) noexcept;
  SendResult finish_message(SessionEntry& entry, const Encoded& bytes) noexcept;
  // The message's record has the program's counter, too.
  SendResult finish_counted(SessionEntry& entry, const Encoded& bytes, store::SessionKey counter,
                            std::uint64_t count);
  void write_logon(SessionEntry& entry, wire::Encoder& encoder,
                   const wire::MessageHeader& header) noexcept;
  [[nodiscard]] std::expected<std::string_view, SendError> offer(SessionEntry& entry,
                                                                 std::string_view bytes,
                                                                 std::uint64_t msg_seq_num,
                                                                 bool is_resend);
  // Why no application message can be sent on the session; nothing: one can.
  [[nodiscard]] std::optional<SendFailure> obstacle_of(const SessionEntry& entry) const noexcept;
  void report_queued_lost(SessionEntry& entry);
  // Sends what OutboundMessages permits of the messages that wait for it. True: the session is
  // writable again.
  bool send_waiting(SessionEntry& entry);
  // The session is not logged on any more: the application gets the messages that wait.
  void give_back_waiting(SessionEntry& entry);
  void transmit(SessionEntry& entry, std::string_view bytes);
  void perform(SessionEntry& entry, const session::Transmit& action);
  void perform(SessionEntry& entry, const session::Retransmit& action);
  void perform(SessionEntry& entry, const session::Release& action);

 private:
  [[nodiscard]] static wire::Encoder begin_nothing() noexcept;
  [[nodiscard]] wire::Encoder begin_outside_event(SessionEntry& entry,
                                                  std::string_view msg_type) noexcept;
  [[nodiscard]] wire::Encoder begin_in_buffer(SessionEntry& entry,
                                              std::string_view msg_type) noexcept;
  void sign_logon(SessionEntry& entry, wire::Encoder& encoder,
                  const wire::MessageHeader& header) noexcept;
  [[nodiscard]] wire::Tag repeated_id(std::string_view bytes);
  [[nodiscard]] std::size_t place_of(std::string_view bytes) const noexcept;
  [[nodiscard]] bool is_secret(const SessionEntry& entry, std::string_view bytes);
  [[nodiscard]] bool has_secret(const SessionEntry& entry, std::string_view bytes);
  [[nodiscard]] bool is_edit_secret(const SessionEntry& entry, std::string_view edited);
  [[nodiscard]] std::expected<bool, SendError> examine(const SessionEntry& entry,
                                                       std::string_view bytes);
  [[nodiscard]] SendFailure obstacle() const noexcept;
  [[nodiscard]] static std::optional<SendFailure> obstacle_off_wire(
      const SessionEntry& entry) noexcept;
  SendResult out_of_memory() noexcept;
  template <bool has_usual_path>
  [[gnu::always_inline]] inline SendResult send_message(SessionEntry& entry, const Encoded& bytes);
  SendResult send_or_wait(SessionEntry& entry, const Encoded& bytes) noexcept;
  SendResult send_limited(SessionEntry& entry, std::string_view bytes);
  void wait(SessionEntry& entry, std::string_view bytes);
  void arm_waiting(SessionEntry& entry);
  void send_later(SessionEntry& entry, const WaitingMessage& waiting);
  void give_back(SessionEntry& entry, const WaitingMessage& waiting, const SendError& why);
  [[nodiscard]] bool is_kept_out(SessionEntry& entry, const session::Transmit& action,
                                 std::string_view bytes);
  [[nodiscard]] bool is_plain(const SessionEntry& entry, std::string_view bytes) const noexcept;
  [[nodiscard]] bool has_room_for(const SessionEntry& entry, std::size_t bytes) const noexcept;
  SendResult send_plain(SessionEntry& entry, std::string_view bytes) noexcept;
  SendResult send_examined(SessionEntry& entry, const Encoded& bytes);
  // Whether on_sent() or a message log gets the messages.
  [[nodiscard]] bool are_sent_noted() const noexcept {
    return loop_.callbacks.on_sent != nullptr || loop_.report.logs().is_open_for_messages();
  }
  // Whether the store gets the bytes of the session's messages.
  [[nodiscard]] static bool is_stored(const SessionEntry& entry) noexcept {
    return !entry.stored.is_on_trial() && entry.settings().session.resend.persist_messages;
  }
  void record_sent(SessionEntry& entry, SentMessage::Kind kind, std::uint64_t msg_seq_num,
                   std::string_view bytes, bool is_transmitted = true) {
    if (are_sent_noted()) [[unlikely]]
      add_sent(entry, {kind, msg_seq_num, bytes, is_transmitted});
  }
  void add_sent(SessionEntry& entry, const SentMessage& sent);
  void record_reset_logon(SessionEntry& entry, std::uint64_t msg_seq_num);
  void record_outbound(SessionEntry& entry, std::uint64_t msg_seq_num, std::string_view bytes,
                       bool is_resendable);
  void on_queued(Connection& connection);
  [[gnu::always_inline]] inline void record_plain(SessionEntry& entry, std::uint64_t msg_seq_num,
                                                  std::string_view bytes);
  void free_encode_buffer() noexcept;
  void queue_bytes(SessionEntry& entry, std::string_view bytes);
  void record_transmitted(SessionEntry& entry, PackedMsgType msg_type, std::string_view bytes);
  void queue_until_logon(SessionEntry& entry, std::string_view bytes);

  LoopContext& loop_;
  Io& io_;
  Sessions& sessions_;

  // A message stays in it, with the room that its record needs around it, until its record is in
  // the store and its connection has sent or copied it.
  ScratchBuffer encode_buffer_;
  LentBytes lent_;                   // of encode_buffer_
  const std::size_t plain_bytes_;    // of encode_buffer_; 0: callbacks look at our messages
  bool begun_has_password_ = false;  // set while it is encoded
  PackedMsgType begun_msg_type_ = 0;
  wire::FieldEdits edits_;
  ScratchBuffer edited_buffer_;
};

// The lowest MsgSeqNum that may wait for the session's connection: in its queue, in those of a
// resend and of a Logon. A message of which the socket took a part waits. 0: none waits. 1: it is
// not known which, because a resend is not at its end.
[[nodiscard]] std::uint64_t lowest_waiting(const SessionEntry& entry) noexcept;

}  // namespace nexusfix::engine
