// Messages of ours: encoded, shown to the application, numbered, recorded, and queued.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include <nexusfix/base/assert.hpp>

#include "engine/loop/event_loop.hpp"

namespace nexusfix::engine {
namespace {

std::unexpected<SendError> failure(SendFailure failure, wire::EncodeError encode = {}) noexcept {
  return std::unexpected{SendError{failure, encode}};
}

// UserRequest, the one application message that is there for passwords: its RawData may be one,
// too. What has a password has no place in a store, and so cannot be sent again.
constexpr std::string_view kUserRequest = "BE";
constexpr std::string_view kReject = "3";

}  // namespace

// Made where the caller wants it, which a function with several returns of a variable would not do.
wire::Encoder EventLoop::begin_message(SessionEntry& entry, std::string_view msg_type) noexcept {
  if (phase_ != Phase::Observing) [[likely]]
    return begin_in_buffer(entry, msg_type);
  // The buffer is in use. finish_message() will say so.
  return wire::Encoder{{}, wire::HeaderFields{"-", "-", "-"}, {.msg_type = "-"}};
}

wire::Encoder EventLoop::begin_in_buffer(SessionEntry& entry, std::string_view msg_type) noexcept {
  begun_ = &entry;
  begun_has_password_ = msg_type == kUserRequest;
  wire::Encoder encoder = entry.machine.begin_message(encode_buffer_, msg_type, now());
  encoder.note_passwords_in(begun_has_password_);
  return encoder;
}

SendResult EventLoop::finish_message(
    SessionEntry& entry, const std::expected<std::string_view, wire::EncodeError>& bytes) noexcept {
  SendResult result = send_message(entry, bytes);
  // What on_sending() and on_sent() wanted beside it.
  if (phase_ == Phase::Idle && !deferred_.empty()) {
    transact(entry, [](session::StateMachine&) {});
  }
  return result;
}

// Of the sub and location IDs that a session's header has: one that the caller wrote once more.
wire::Tag EventLoop::repeated_id(std::string_view bytes) {
  const auto message = sending_parser_.parse(bytes);
  if (!message) return 0;
  for (const wire::Tag id :
       {tag::SenderSubID, tag::TargetSubID, tag::SenderLocationID, tag::TargetLocationID}) {
    const auto is_it = [id](const auto& field) { return field.tag == id; };
    if (std::ranges::count_if(*message, is_it) > 1) return id;
  }
  return 0;
}

bool EventLoop::was_encoded_here(std::string_view bytes) const noexcept {
  const auto at = reinterpret_cast<std::uintptr_t>(bytes.data()) -
                  reinterpret_cast<std::uintptr_t>(encode_buffer_.data());
  return at < encode_buffer_.size();
}

// Whether examine() would find nothing, as in most messages: nobody has to look into them.
bool EventLoop::needs_no_examination(const SessionEntry& entry, std::string_view bytes) const noexcept {
  return was_encoded_here(bytes) && !begun_has_password_ && !entry.keeps_masked_out &&
         !entry.has_sub_ids;
}

// Whether the store may not have a message that was begun here. What was encoded here says of
// itself whether it has a password; what comes from elsewhere is searched.
bool EventLoop::is_secret(const SessionEntry& entry, std::string_view bytes) {
  if (begun_has_password_) return true;
  if (was_encoded_here(bytes) && !entry.keeps_masked_out) return false;
  return has_secret(entry, bytes);
}

// Of what cannot be read nobody knows.
bool EventLoop::has_secret(const SessionEntry& entry, std::string_view bytes) {
  const auto message = sending_parser_.parse(bytes);
  if (!message) return true;
  return std::ranges::any_of(*message, [&](const auto& field) {
    if (wire::is_password(field.tag)) return true;
    const std::vector<observe::MaskedField>& masked = entry.settings.log.masked;
    return entry.keeps_masked_out &&
           std::ranges::find(masked, field.tag, &observe::MaskedField::tag) != masked.end();
  });
}

// What on_sending() made of a message.
bool EventLoop::is_edit_secret(const SessionEntry& entry, std::string_view edited) {
  return edits_.has_password() || (entry.keeps_masked_out && has_secret(entry, edited));
}

// A message as it was handed over: whether it is a secret, or why it cannot be sent. Looking into
// one that has more fields than any before takes memory.
std::expected<bool, SendError> EventLoop::examine(const SessionEntry& entry,
                                                std::string_view bytes) noexcept {
  bool is_kept_out = false;
  wire::Tag repeated = 0;
  const bool is_examined = with_memory([&] {
    is_kept_out = is_secret(entry, bytes);
    if (entry.has_sub_ids) [[unlikely]]
      repeated = repeated_id(bytes);
  });
  if (!is_examined) return failure(SendFailure::OutOfMemory);
  if (repeated != 0) {
    return failure(SendFailure::Encode, {wire::EncodeErrorCode::TagInvalid, repeated});
  }
  return is_kept_out;
}

// What keeps the engine from sending anything, of anybody.
std::optional<SendFailure> EventLoop::obstacle(std::size_t bytes) noexcept {
  if (phase_ == Phase::Observing) return SendFailure::WithinSending;
  if (store_failed_) return SendFailure::StoreStopped;
  if (!has_room_for(bytes)) return SendFailure::StoreFull;
  return std::nullopt;
}

SendResult EventLoop::send_message(
    SessionEntry& entry, const std::expected<std::string_view, wire::EncodeError>& bytes) noexcept {
  if (const auto why = obstacle(bytes ? bytes->size() : 0)) [[unlikely]]
    return failure(*why);
  if (std::exchange(begun_, nullptr) != &entry) return failure(SendFailure::NotBegun);
  const session::Outlet outlet = entry.machine.outlet();
  const bool is_transmitted = outlet == session::Outlet::Wire;
  bool is_kept_out = false;  // of the store
  if (bytes && !needs_no_examination(entry, *bytes)) [[unlikely]] {
    const auto examined = examine(entry, *bytes);
    if (!examined) return std::unexpected{examined.error()};
    is_kept_out = *examined;
  }
  if (!is_transmitted) [[unlikely]] {
    if (!entry.settings.sends_while_logged_out || is_kept_out || entry.trial != nullptr) {
      return failure(SendFailure::NotLoggedOn);
    }
    if (entry.machine.is_about_to_reset()) return failure(SendFailure::SessionEnding);
  }
  if (transaction_.entries().size() > kTransactionBytesMax) {
    return failure(SendFailure::TransactionTooLarge);
  }
  std::expected<std::string_view, wire::EncodeError> message = bytes;
  if (callbacks_.on_sending != nullptr && message) {
    const auto offered =
        offer(entry, *message, entry.machine.sequence_numbers().next_outbound, /*is_resend=*/false);
    if (!offered) return std::unexpected{offered.error()};
    message = *offered;
    const bool is_edited = message->data() != bytes->data();
    if (is_edited && !with_memory([&] { is_kept_out |= is_edit_secret(entry, *message); })) {
      return failure(SendFailure::OutOfMemory);
    }
    if (is_kept_out && !is_transmitted) return failure(SendFailure::NotLoggedOn);
  }
  if (phase_ == Phase::Callback && !with_memory([&] { save_for_undo(entry); }))
    return failure(SendFailure::OutOfMemory);
  const auto outbound = entry.machine.finish_message(message);
  if (!outbound) {
    const bool encode = outbound.error().code == session::SendErrorCode::Encode;
    return failure(encode ? SendFailure::Encode : SendFailure::NotApplicationMessage,
                   outbound.error().encode);
  }
  const store::Transaction::Mark mark = transaction_.mark();
  const SentMessages::Mark sent = sent_.mark();
  const UndoEntry before{&entry,
                       outbound->msg_seq_num,
                       entry.connection != nullptr ? entry.connection->outbound.size() : 0,
                       entry.queued_after_resend.size(),
                       entry.queued_until_logon.size(),
                       entry.left_to_resend};
  try {
    record_outbound(entry, outbound->msg_seq_num, outbound->bytes, !is_kept_out);
    if (is_transmitted) {
      queue_bytes(entry, outbound->bytes);
    } else if (outlet == session::Outlet::AfterLogon) {
      queue_until_logon(entry, outbound->bytes);
    }
    note_sent(entry, SentMessage::Kind::Application, outbound->msg_seq_num, outbound->bytes,
              is_transmitted);
    if (phase_ == Phase::Idle) append_transaction();
  } catch (const std::bad_alloc&) {
    report_.memory_failed();
    sent_.rollback(sent);
    transaction_.rollback(mark);
    undo(before);
    return failure(SendFailure::OutOfMemory);
  }
  if (store_failed_) return failure(SendFailure::StoreStopped);
  return Sent{.msg_seq_num = outbound->msg_seq_num, .is_transmitted = is_transmitted};
}

// Shows a message to the application before it goes out. The bytes that come back are those of the
// argument, or an edited copy, until the next one is offered. A callback that throws withholds.
std::expected<std::string_view, SendError> EventLoop::offer(SessionEntry& entry, std::string_view bytes,
                                                          std::uint64_t msg_seq_num,
                                                          bool is_resend) noexcept {
  std::optional<wire::MessageView> message;
  const bool is_parsed = with_memory([&] {
    if (const auto parsed = sending_parser_.parse(bytes)) message = *parsed;
  });
  if (!is_parsed) return failure(SendFailure::OutOfMemory);
  // A damaged one out of the store, or one of the session layer's: the machine says no to it.
  if (!message || session::is_administrative(message->msg_type())) return bytes;
  edits_.clear();
  OutgoingMessage outgoing{*message, edits_, msg_seq_num, is_resend};
  Outgoing answer = Outgoing::Withhold;
  const Phase outer = std::exchange(phase_, Phase::Observing);
  const std::optional<std::string> thrown = failure_of(
      [&] { answer = callbacks_.on_sending(callbacks_.application, entry.session, outgoing); });
  phase_ = outer;
  if (thrown) {
    answer = Outgoing::Withhold;
    static_cast<void>(with_memory([&] {
      report_.peer(EventId::SendingCallbackThrew, entry,
                   "on_sending() threw; the message is withheld: " + *thrown);
    }));
  }
  if (answer == Outgoing::Withhold) return failure(SendFailure::Vetoed);
  if (edits_.empty()) return bytes;
  const auto edited = wire::edited_copy(*message, edits_, edited_buffer_);
  if (!edited) return failure(SendFailure::Encode, edited.error());
  return *edited;
}

void EventLoop::note_sent(SessionEntry& entry, SentMessage::Kind kind, std::uint64_t msg_seq_num,
                        std::string_view bytes, bool is_transmitted) {
  // What waits for a Logon is logged when it goes out.
  const bool is_logged = report_.logs().takes_sent(entry.log) && is_transmitted &&
                         entry.connection != nullptr && !entry.connection->closing;
  if (callbacks_.on_sent == nullptr && !is_logged) return;
  sent_.add({&entry, kind, is_transmitted, is_logged, msg_seq_num}, bytes);
}

void EventLoop::notify_sent() noexcept {
  if (sent_.empty()) return;
  const Phase outer = std::exchange(phase_, Phase::Observing);
  sent_.notify([&](const SentMessages::Message& one, std::string_view bytes) {
    if (one.is_logged) report_.logs().sent(one.entry->log, bytes, now_.wall);
    if (callbacks_.on_sent == nullptr) return;
    const SentMessage sent{.kind = one.kind,
                           .msg_seq_num = one.msg_seq_num,
                           .bytes = bytes,
                           .is_transmitted = one.is_transmitted};
    const std::optional<std::string> thrown =
        failure_of([&] { callbacks_.on_sent(callbacks_.application, one.entry->session, sent); });
    if (!thrown) return;
    static_cast<void>(with_memory([&] {
      report_.peer(EventId::SentCallbackThrew, *one.entry,
                   "on_sent() threw; the message is sent all the same: " + *thrown);
    }));
  });
  phase_ = outer;
}

// The session layer's own application message, a BusinessMessageReject, can be changed too, so that
// it looks the same when it is sent again. It has its number, so it cannot be withheld.
void EventLoop::perform(SessionEntry& entry, const session::Transmit& action) {
  std::string_view bytes = action.bytes;
  if (action.is_resendable && callbacks_.on_sending != nullptr) {
    const auto offered = offer(entry, bytes, action.msg_seq_num, /*is_resend=*/false);
    if (offered) bytes = *offered;
  }
  if (entry.trial != nullptr) [[unlikely]]
    end_trial(entry, action.msg_type);
  const bool is_edited = bytes.data() != action.bytes.data();
  const bool is_kept_out =
      is_edited ? is_edit_secret(entry, bytes) : entry.keeps_masked_out && has_secret(entry, bytes);
  record_outbound(entry, action.msg_seq_num, bytes, action.is_resendable && !is_kept_out);
  queue_bytes(entry, bytes);
  using Kind = SentMessage::Kind;
  note_sent(entry, action.is_resendable ? Kind::Application : Kind::Administrative,
            action.msg_seq_num, bytes);
  if (action.msg_type == kReject) note_reject(entry);
}

void EventLoop::perform(SessionEntry& entry, const session::Retransmit& action) {
  ++stats_.messages_out;
  transmit(entry, action.bytes);
  note_sent(entry, SentMessage::Kind::Resend, action.msg_seq_num, action.bytes);
}

// A callback that throws leaves a field that cannot be encoded, so that no Logon is sent. The Logon
// has its number already: nothing else may take it meanwhile.
void EventLoop::write_logon(SessionEntry& entry, wire::Encoder& encoder,
                          const wire::MessageHeader& header) noexcept {
  const Phase outer = std::exchange(phase_, Phase::Observing);
  const std::optional<std::string> thrown = failure_of(
      [&] { callbacks_.write_logon(callbacks_.application, entry.session, encoder, header); });
  phase_ = outer;
  if (!thrown) return;
  static_cast<void>(with_memory([&] {
    report_.session(EventId::LogonCallbackThrew, entry, "write_logon() threw: " + *thrown);
  }));
  encoder.field(wire::Tag{0}, "");
}

void EventLoop::record_outbound(SessionEntry& entry, std::uint64_t msg_seq_num, std::string_view bytes,
                              bool is_resendable) {
  if (entry.trial != nullptr) [[unlikely]]
    return;
  if (is_resendable && entry.settings.session.resend.persist_messages) {
    transaction_.outbound_message(entry.key, msg_seq_num, bytes);
  } else {
    transaction_.outbound_number(entry.key, msg_seq_num);
  }
}

// Bytes that have a number of their own. During a resend they wait behind it: the counterparty
// expects the lower numbers first.
void EventLoop::queue_bytes(SessionEntry& entry, std::string_view bytes) {
  ++stats_.messages_out;
  if (!entry.replay) {
    transmit(entry, bytes);
  } else if (entry.connection != nullptr && !entry.is_aborted) {
    if (!push(*entry.connection, entry.queued_after_resend, bytes)) return;
    mark_unsent(*entry.connection);  // So that the limit of what waits is looked at.
  }
}

// An initiator's message behind its Logon, which is not answered yet: the counterparty would see a
// gap behind the Logon only when the next message comes. What is too much is left to a resend.
void EventLoop::queue_until_logon(SessionEntry& entry, std::string_view bytes) {
  const std::size_t most =
      std::min<std::size_t>(kKeptBackBytesMax, entry.settings.limits.queued_bytes_max);
  const bool is_kept = entry.left_to_resend == 0 && entry.connection != nullptr &&
                       entry.queued_until_logon.size() + bytes.size() <= most &&
                       push(*entry.connection, entry.queued_until_logon, bytes);
  if (!is_kept) ++entry.left_to_resend;
}

// The counterparty begins anew, unasked: their numbers mean nothing any more.
void EventLoop::report_queued_lost(SessionEntry& entry) {
  std::uint64_t lost = entry.left_to_resend;
  const std::span<const char> kept = entry.queued_until_logon.waiting();
  for (std::string_view rest{kept.data(), kept.size()}; !rest.empty(); ++lost) {
    const wire::FrameResult frame = wire::next_frame(rest, {.message_bytes_max = rest.size()});
    NEXUSFIX_ASSERT(frame.status == wire::FrameStatus::Complete);  // It was encoded here.
    rest.remove_prefix(frame.size);
  }
  if (lost == 0) return;
  report_.peer(EventId::QueuedMessagesDiscarded, entry,
               std::to_string(lost) +
                   " messages that waited for the answer to our Logon are not sent: the sequence "
                   "numbers are reset");
}

void EventLoop::perform(SessionEntry& entry, const session::Release&) {
  const std::span<const char> kept = entry.queued_until_logon.waiting();
  std::string_view rest{kept.data(), kept.size()};
  while (!rest.empty()) {
    const wire::FrameResult frame = wire::next_frame(rest, {.message_bytes_max = rest.size()});
    NEXUSFIX_ASSERT(frame.status == wire::FrameStatus::Complete);  // It was encoded here.
    const std::string_view bytes = rest.substr(0, frame.size);
    rest.remove_prefix(frame.size);
    queue_bytes(entry, bytes);
    const auto message = sending_parser_.parse(bytes);
    NEXUSFIX_ASSERT(message.has_value());
    note_sent(entry, SentMessage::Kind::Application,
              message->get<std::uint64_t>(tag::MsgSeqNum).value_or(0), bytes);
  }
  if (entry.left_to_resend != 0) entry.machine.send_heartbeat();
  entry.forget_queued_until_logon();
}

void EventLoop::transmit(SessionEntry& entry, std::string_view bytes) {
  if (entry.connection == nullptr || entry.connection->closing) return;
  Connection& connection = *entry.connection;
  if (!push(connection, connection.outbound, bytes)) [[unlikely]]
    return;
  // What waited behind a resend has its record already; what this event adds comes on top.
  connection.waits_for = store_->appended();
  mark_unsent(connection);
  if (!connection.in_event) {
    connection.in_event = true;
    in_event_connections_.push_back(&connection);
  }
}

}  // namespace nexusfix::engine
