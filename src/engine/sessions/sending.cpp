// Messages of ours: encoded, shown to the application, numbered, recorded, and queued.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include <nexusfix/base/assert.hpp>

#include "engine/loop/runtime.hpp"

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
wire::Encoder Runtime::begin_message(SessionSlot& slot, std::string_view msg_type) noexcept {
  if (phase_ != Phase::Observing) [[likely]]
    return begin_in_buffer(slot, msg_type);
  // The buffer is in use. finish_message() will say so.
  return wire::Encoder{{}, wire::HeaderFields{"-", "-", "-"}, {.msg_type = "-"}};
}

wire::Encoder Runtime::begin_in_buffer(SessionSlot& slot, std::string_view msg_type) noexcept {
  begun_ = &slot;
  begun_has_password_ = msg_type == kUserRequest;
  wire::Encoder encoder = slot.machine.begin_message(encode_buffer_, msg_type, now());
  encoder.note_passwords_in(begun_has_password_);
  return encoder;
}

SendResult Runtime::finish_message(
    SessionSlot& slot, const std::expected<std::string_view, wire::EncodeError>& bytes) noexcept {
  SendResult result = send_message(slot, bytes);
  // What on_sending() and on_sent() wanted beside it.
  if (phase_ == Phase::Idle && !deferred_.empty()) {
    transact(slot, [](session::StateMachine&) {});
  }
  return result;
}

// Of the sub and location IDs that a session's header has: one that the caller wrote once more.
wire::Tag Runtime::repeated_id(std::string_view bytes) {
  const auto message = sending_parser_.parse(bytes);
  if (!message) return 0;
  for (const wire::Tag id :
       {tag::SenderSubID, tag::TargetSubID, tag::SenderLocationID, tag::TargetLocationID}) {
    const auto is_it = [id](const auto& field) { return field.tag == id; };
    if (std::ranges::count_if(*message, is_it) > 1) return id;
  }
  return 0;
}

bool Runtime::was_encoded_here(std::string_view bytes) const noexcept {
  const auto at = reinterpret_cast<std::uintptr_t>(bytes.data()) -
                  reinterpret_cast<std::uintptr_t>(encode_buffer_.data());
  return at < encode_buffer_.size();
}

// Whether examine() would find nothing, as in most messages: nobody has to look into them.
bool Runtime::is_harmless(const SessionSlot& slot, std::string_view bytes) const noexcept {
  return was_encoded_here(bytes) && !begun_has_password_ && !slot.keeps_masked_out &&
         !slot.has_sub_ids;
}

// Whether the store may not have a message that was begun here. What was encoded here says of
// itself whether it has a password; what comes from elsewhere is searched.
bool Runtime::is_secret(const SessionSlot& slot, std::string_view bytes) {
  if (begun_has_password_) return true;
  if (was_encoded_here(bytes) && !slot.keeps_masked_out) return false;
  return has_secret(slot, bytes);
}

// Of what cannot be read nobody knows.
bool Runtime::has_secret(const SessionSlot& slot, std::string_view bytes) {
  const auto message = sending_parser_.parse(bytes);
  if (!message) return true;
  return std::ranges::any_of(*message, [&](const auto& field) {
    if (wire::is_password(field.tag)) return true;
    const std::vector<observe::MaskedField>& masked = slot.settings.log.masked;
    return slot.keeps_masked_out &&
           std::ranges::find(masked, field.tag, &observe::MaskedField::tag) != masked.end();
  });
}

// What on_sending() made of a message.
bool Runtime::is_edit_secret(const SessionSlot& slot, std::string_view edited) {
  return edits_.has_password() || (slot.keeps_masked_out && has_secret(slot, edited));
}

// A message as it was handed over: whether it is a secret, or why it cannot be sent. Looking into
// one that has more fields than any before takes memory.
std::expected<bool, SendError> Runtime::examine(const SessionSlot& slot,
                                                std::string_view bytes) noexcept {
  bool is_kept_out = false;
  wire::Tag repeated = 0;
  const bool is_examined = with_memory([&] {
    is_kept_out = is_secret(slot, bytes);
    if (slot.has_sub_ids) [[unlikely]]
      repeated = repeated_id(bytes);
  });
  if (!is_examined) return failure(SendFailure::OutOfMemory);
  if (repeated != 0) {
    return failure(SendFailure::Encode, {wire::EncodeErrorCode::TagInvalid, repeated});
  }
  return is_kept_out;
}

// What keeps the engine from sending anything, of anybody.
std::optional<SendFailure> Runtime::obstacle(std::size_t bytes) noexcept {
  if (phase_ == Phase::Observing) return SendFailure::WithinSending;
  if (store_failed_) return SendFailure::StoreStopped;
  if (!has_room_for(bytes)) return SendFailure::StoreFull;
  return std::nullopt;
}

SendResult Runtime::send_message(
    SessionSlot& slot, const std::expected<std::string_view, wire::EncodeError>& bytes) noexcept {
  if (const auto why = obstacle(bytes ? bytes->size() : 0)) [[unlikely]]
    return failure(*why);
  if (std::exchange(begun_, nullptr) != &slot) return failure(SendFailure::NotBegun);
  const session::Outlet outlet = slot.machine.outlet();
  const bool is_transmitted = outlet == session::Outlet::Wire;
  bool is_kept_out = false;  // of the store
  if (bytes && !is_harmless(slot, *bytes)) [[unlikely]] {
    const auto examined = examine(slot, *bytes);
    if (!examined) return std::unexpected{examined.error()};
    is_kept_out = *examined;
  }
  if (!is_transmitted) [[unlikely]] {
    if (!slot.settings.sends_while_logged_out || is_kept_out || slot.trial != nullptr) {
      return failure(SendFailure::NotLoggedOn);
    }
    if (slot.machine.is_about_to_reset()) return failure(SendFailure::SessionEnding);
  }
  if (transaction_.entries().size() > kTransactionBytesMax) {
    return failure(SendFailure::TransactionTooLarge);
  }
  std::expected<std::string_view, wire::EncodeError> message = bytes;
  if (callbacks_.on_sending != nullptr && message) {
    const auto offered =
        offer(slot, *message, slot.machine.sequence_numbers().next_outbound, /*is_resend=*/false);
    if (!offered) return std::unexpected{offered.error()};
    message = *offered;
    const bool is_edited = message->data() != bytes->data();
    if (is_edited && !with_memory([&] { is_kept_out |= is_edit_secret(slot, *message); })) {
      return failure(SendFailure::OutOfMemory);
    }
    if (is_kept_out && !is_transmitted) return failure(SendFailure::NotLoggedOn);
  }
  if (phase_ == Phase::Callback && !with_memory([&] { touch(slot); }))
    return failure(SendFailure::OutOfMemory);
  const auto outbound = slot.machine.finish_message(message);
  if (!outbound) {
    const bool encode = outbound.error().code == session::OutboundErrorCode::Encode;
    return failure(encode ? SendFailure::Encode : SendFailure::NotApplicationMessage,
                   outbound.error().encode);
  }
  const store::Transaction::Mark mark = transaction_.mark();
  const SentMessages::Mark sent = sent_.mark();
  const Touched before{&slot,
                       outbound->msg_seq_num,
                       slot.connection != nullptr ? slot.connection->outbound.size() : 0,
                       slot.behind_replay.size(),
                       slot.kept_back.size(),
                       slot.left_to_resend};
  try {
    record_outbound(slot, outbound->msg_seq_num, outbound->bytes, !is_kept_out);
    if (is_transmitted) {
      queue_bytes(slot, outbound->bytes);
    } else if (outlet == session::Outlet::AfterLogon) {
      keep_back(slot, outbound->bytes);
    }
    note_sent(slot, SentMessage::Kind::Application, outbound->msg_seq_num, outbound->bytes,
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
std::expected<std::string_view, SendError> Runtime::offer(SessionSlot& slot, std::string_view bytes,
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
      [&] { answer = callbacks_.on_sending(callbacks_.application, slot.session, outgoing); });
  phase_ = outer;
  if (thrown) {
    answer = Outgoing::Withhold;
    static_cast<void>(with_memory([&] {
      report_.peer(EventId::SendingCallbackThrew, slot,
                   "on_sending() threw; the message is withheld: " + *thrown);
    }));
  }
  if (answer == Outgoing::Withhold) return failure(SendFailure::Vetoed);
  if (edits_.empty()) return bytes;
  const auto edited = wire::edited_copy(*message, edits_, edited_buffer_);
  if (!edited) return failure(SendFailure::Encode, edited.error());
  return *edited;
}

void Runtime::note_sent(SessionSlot& slot, SentMessage::Kind kind, std::uint64_t msg_seq_num,
                        std::string_view bytes, bool is_transmitted) {
  // What waits for a Logon is logged when it goes out.
  const bool is_logged = report_.logs().takes_sent(slot.log) && is_transmitted &&
                         slot.connection != nullptr && !slot.connection->closing;
  if (callbacks_.on_sent == nullptr && !is_logged) return;
  sent_.add({&slot, kind, is_transmitted, is_logged, msg_seq_num}, bytes);
}

void Runtime::notify_sent() noexcept {
  if (sent_.empty()) return;
  const Phase outer = std::exchange(phase_, Phase::Observing);
  sent_.notify([&](const SentMessages::Message& one, std::string_view bytes) {
    if (one.is_logged) report_.logs().sent(one.slot->log, bytes, now_.wall);
    if (callbacks_.on_sent == nullptr) return;
    const SentMessage sent{.kind = one.kind,
                           .msg_seq_num = one.msg_seq_num,
                           .bytes = bytes,
                           .is_transmitted = one.is_transmitted};
    const std::optional<std::string> thrown =
        failure_of([&] { callbacks_.on_sent(callbacks_.application, one.slot->session, sent); });
    if (!thrown) return;
    static_cast<void>(with_memory([&] {
      report_.peer(EventId::SentCallbackThrew, *one.slot,
                   "on_sent() threw; the message is sent all the same: " + *thrown);
    }));
  });
  phase_ = outer;
}

// The session layer's own application message, a BusinessMessageReject, can be changed too, so that
// it looks the same when it is sent again. It has its number, so it cannot be withheld.
void Runtime::perform(SessionSlot& slot, const session::Transmit& action) {
  std::string_view bytes = action.bytes;
  if (action.is_resendable && callbacks_.on_sending != nullptr) {
    const auto offered = offer(slot, bytes, action.msg_seq_num, /*is_resend=*/false);
    if (offered) bytes = *offered;
  }
  if (slot.trial != nullptr) [[unlikely]]
    end_trial(slot, action.msg_type);
  const bool is_edited = bytes.data() != action.bytes.data();
  const bool is_kept_out =
      is_edited ? is_edit_secret(slot, bytes) : slot.keeps_masked_out && has_secret(slot, bytes);
  record_outbound(slot, action.msg_seq_num, bytes, action.is_resendable && !is_kept_out);
  queue_bytes(slot, bytes);
  using Kind = SentMessage::Kind;
  note_sent(slot, action.is_resendable ? Kind::Application : Kind::Administrative,
            action.msg_seq_num, bytes);
  if (action.msg_type == kReject) note_reject(slot);
}

void Runtime::perform(SessionSlot& slot, const session::Retransmit& action) {
  ++stats_.messages_out;
  transmit(slot, action.bytes);
  note_sent(slot, SentMessage::Kind::Resend, action.msg_seq_num, action.bytes);
}

// A callback that throws leaves a field that cannot be encoded, so that no Logon is sent. The Logon
// has its number already: nothing else may take it meanwhile.
void Runtime::write_logon(SessionSlot& slot, wire::Encoder& encoder,
                          const wire::MessageHeader& header) noexcept {
  const Phase outer = std::exchange(phase_, Phase::Observing);
  const std::optional<std::string> thrown = failure_of(
      [&] { callbacks_.write_logon(callbacks_.application, slot.session, encoder, header); });
  phase_ = outer;
  if (!thrown) return;
  static_cast<void>(with_memory([&] {
    report_.session(EventId::LogonCallbackThrew, slot, "write_logon() threw: " + *thrown);
  }));
  encoder.field(wire::Tag{0}, "");
}

void Runtime::record_outbound(SessionSlot& slot, std::uint64_t msg_seq_num, std::string_view bytes,
                              bool is_resendable) {
  if (slot.trial != nullptr) [[unlikely]]
    return;
  if (is_resendable && slot.settings.session.resend.persist_messages) {
    transaction_.outbound_message(slot.key, msg_seq_num, bytes);
  } else {
    transaction_.outbound_number(slot.key, msg_seq_num);
  }
}

// Bytes that have a number of their own. During a resend they wait behind it: the counterparty
// expects the lower numbers first.
void Runtime::queue_bytes(SessionSlot& slot, std::string_view bytes) {
  ++stats_.messages_out;
  if (!slot.replay) {
    transmit(slot, bytes);
  } else if (slot.connection != nullptr && !slot.is_given_up) {
    if (!push(*slot.connection, slot.behind_replay, bytes)) return;
    mark_unsent(*slot.connection);  // So that the limit of what waits is looked at.
  }
}

// An initiator's message behind its Logon, which is not answered yet: the counterparty would see a
// gap behind the Logon only when the next message comes. What is too much is left to a resend.
void Runtime::keep_back(SessionSlot& slot, std::string_view bytes) {
  const std::size_t most =
      std::min<std::size_t>(kKeptBackBytesMax, slot.settings.limits.queued_bytes_max);
  const bool is_kept = slot.left_to_resend == 0 && slot.connection != nullptr &&
                       slot.kept_back.size() + bytes.size() <= most &&
                       push(*slot.connection, slot.kept_back, bytes);
  if (!is_kept) ++slot.left_to_resend;
}

// The counterparty begins anew, unasked: their numbers mean nothing any more.
void Runtime::report_kept_back_lost(SessionSlot& slot) {
  std::uint64_t lost = slot.left_to_resend;
  const std::span<const char> kept = slot.kept_back.waiting();
  for (std::string_view rest{kept.data(), kept.size()}; !rest.empty(); ++lost) {
    const wire::FrameResult frame = wire::next_frame(rest, {.message_bytes_max = rest.size()});
    NEXUSFIX_ASSERT(frame.status == wire::FrameStatus::Complete);  // It was encoded here.
    rest.remove_prefix(frame.size);
  }
  if (lost == 0) return;
  report_.peer(EventId::QueuedMessagesDiscarded, slot,
               std::to_string(lost) +
                   " messages that waited for the answer to our Logon are not sent: the sequence "
                   "numbers are reset");
}

void Runtime::perform(SessionSlot& slot, const session::Release&) {
  const std::span<const char> kept = slot.kept_back.waiting();
  std::string_view rest{kept.data(), kept.size()};
  while (!rest.empty()) {
    const wire::FrameResult frame = wire::next_frame(rest, {.message_bytes_max = rest.size()});
    NEXUSFIX_ASSERT(frame.status == wire::FrameStatus::Complete);  // It was encoded here.
    const std::string_view bytes = rest.substr(0, frame.size);
    rest.remove_prefix(frame.size);
    queue_bytes(slot, bytes);
    const auto message = sending_parser_.parse(bytes);
    NEXUSFIX_ASSERT(message.has_value());
    note_sent(slot, SentMessage::Kind::Application,
              message->get<std::uint64_t>(tag::MsgSeqNum).value_or(0), bytes);
  }
  if (slot.left_to_resend != 0) slot.machine.send_heartbeat();
  slot.forget_kept_back();
}

void Runtime::transmit(SessionSlot& slot, std::string_view bytes) {
  if (slot.connection == nullptr || slot.connection->closing) return;
  Connection& connection = *slot.connection;
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
