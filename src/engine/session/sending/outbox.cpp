#include "engine/session/sending/outbox.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>

#include "base/api/exceptions.hpp"
#include "base/api/full_path.hpp"
#include "config/api/logon_signer.hpp"
#include "engine/ground/statistics/session_state.hpp"
#include "engine/session/sessions.hpp"

namespace nexusfix::engine {
namespace {

std::unexpected<SendError> failure(SendFailure failure, wire::EncodeError encode = {}) noexcept {
  return std::unexpected{SendError{failure, encode}};
}

// UserRequest is the application message for passwords: its RawData may be one, too. A message with
// a password is not stored, and so cannot be sent again.
constexpr PackedMsgType kUserRequest = pack("BE");

constexpr std::size_t kEncodedBytesMax = wire::FrameLimits{}.message_bytes_max;

// For the entries after a message in its record: with JournalInbound, one is a received message.
constexpr std::size_t kRoomAfterBytes = 8U << 10U;

// bytes: messages, of which the first may be cut at its beginning. 0: there is none. The text of a
// data field can only make the result lower.
std::uint64_t lowest_number(std::string_view bytes, std::uint64_t next_outbound) noexcept {
  constexpr std::string_view kMsgSeqNum =
      "\x01"
      "34=";
  if (bytes.empty()) return 0;
  std::uint64_t lowest = next_outbound;
  for (std::size_t at = 0; (at = bytes.find(kMsgSeqNum, at)) != std::string_view::npos;) {
    at += kMsgSeqNum.size();
    std::uint64_t number = 0;
    const auto read = std::from_chars(bytes.data() + at, bytes.data() + bytes.size(), number);
    if (read.ec == std::errc{}) lowest = std::min(lowest, number);
  }
  const bool is_cut = !bytes.starts_with("8=");
  return std::max<std::uint64_t>(1, is_cut && lowest > 1 ? lowest - 1 : lowest);
}

}  // namespace

Outbox::Outbox(LoopContext& loop, Io& io, Sessions& sessions)
    : loop_{loop},
      io_{io},
      sessions_{sessions},
      encode_buffer_(store::Transaction::kRoomBytes + kEncodedBytesMax + kRoomAfterBytes),
      plain_bytes_{loop.callbacks.on_sending || loop.callbacks.on_sent || FullPathOnly::is_on()
                       ? 0
                       : encode_buffer_.size()},
      edited_buffer_(loop.callbacks.on_sending != nullptr ? kEncodedBytesMax : 0) {}

// The Encoder is constructed in place for the caller; several returns of one variable would prevent
// that. Inlined, as is all that it calls for a callback's message: the header is written without
// another function.
[[gnu::always_inline]] inline wire::Encoder Outbox::begin_message(
    SessionEntry& entry, std::string_view msg_type) noexcept {
  if (sessions_.transactor.phase() < Phase::Event) [[unlikely]]
    return begin_outside_event(entry, msg_type);
  return begin_in_buffer(entry, msg_type);
}

// Apart, so that a callback's message needs no saved registers.
[[gnu::noinline]] wire::Encoder Outbox::begin_outside_event(SessionEntry& entry,
                                                            std::string_view msg_type) noexcept {
  if (sessions_.transactor.phase() == Phase::Observing) return begin_nothing();
  loop_.time.update();
  return begin_in_buffer(entry, msg_type);
}

[[gnu::always_inline]] inline wire::Encoder Outbox::begin_in_buffer(
    SessionEntry& entry, std::string_view msg_type) noexcept {
  if (lent_.are_out() || sessions_.transactor.record().is_in_place()) [[unlikely]]
    free_encode_buffer();
  sessions_.transactor.begin_message(entry);
  begun_msg_type_ = pack(msg_type);
  begun_has_password_ = begun_msg_type_ == kUserRequest;
  wire::Encoder encoder = entry.machine.begin_message(
      encode_buffer_.span().subspan(store::Transaction::kRoomBytes, kEncodedBytesMax), msg_type,
      loop_.now());
  encoder.record_passwords_in(begun_has_password_);
  return encoder;
}

// The message before this one was copied nowhere, or only into the store.
[[gnu::noinline]] void Outbox::free_encode_buffer() noexcept {
  sessions_.transactor.record().own();
  lent_.recall();
}

// The buffer is in use: finish_message() fails.
[[gnu::noinline]] wire::Encoder Outbox::begin_nothing() noexcept {
  return wire::Encoder{{}, wire::HeaderFields{"-", "-", "-"}, {.msg_type = "-"}};
}

// The message has no effect.
[[gnu::noinline]] SendResult Outbox::out_of_memory() noexcept {
  loop_.report.memory_failed();
  return failure(SendFailure::OutOfMemory);
}

// OutboundMessages acts before a message is numbered.
[[gnu::noinline]] SendResult Outbox::send_or_wait(SessionEntry& entry,
                                                  const Encoded& bytes) noexcept {
  try {
    const bool is_limited = entry.outbound_limit && bytes && entry.connection() != nullptr &&
                            entry.machine.outlet() == session::Outlet::Wire &&
                            !session::is_administrative(unpack(begun_msg_type_));
    return is_limited ? send_limited(entry, *bytes) : send_examined(entry, bytes);
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  }
}

// NOLINTNEXTLINE(bugprone-exception-escape): transact() ends an event that has no memory.
[[gnu::always_inline]] inline SendResult Outbox::finish_message(SessionEntry& entry,
                                                                const Encoded& bytes) noexcept {
  SendResult result = send_message<true>(entry, bytes);
  if (sessions_.transactor.is_idle()) {
    // Commands that on_sending() and on_sent() gave.
    sessions_.transactor.run_deferred_commands(entry);
  }
  return result;
}

// The two functions of Session that each message calls.
wire::Encoder Session::begin(std::string_view msg_type) noexcept {
  return services_->sessions.outbox.begin_message(*entry_, msg_type);
}
SendResult Session::finish(
    const std::expected<std::string_view, wire::EncodeError>& bytes) noexcept {
  return services_->sessions.outbox.finish_message(*entry_, bytes);
}

SendResult Session::finish(wire::Encoder& encoder) noexcept {
  const auto bytes = encoder.finish();
  encoder.close();
  return finish(bytes);
}

SendResult Session::finish(wire::Encoder& encoder, std::uint32_t counter, std::uint64_t count) {
  const auto bytes = encoder.finish();
  encoder.close();
  return services_->sessions.outbox.finish_counted(*entry_, bytes, counter, count);
}

// The full path: the usual one stays where it is, within finish_message().
SendResult Outbox::finish_counted(SessionEntry& entry, const Encoded& bytes,
                                  store::SessionKey counter, std::uint64_t count) {
  store::Transaction& record = sessions_.transactor.record();
  const store::Transaction::Mark mark = record.mark();
  record.inbound_progress(counter, count + 1);
  SendResult sent = send_message<false>(entry, bytes);
  if (!sent || sent->is_queued) record.rollback(mark);
  if (sessions_.transactor.is_idle()) sessions_.transactor.run_deferred_commands(entry);
  return sent;
}

// Finds a sub or location ID of the session's header that the caller has written again. 0: none.
wire::Tag Outbox::repeated_id(std::string_view bytes) {
  const auto message = loop_.parsers.parse_outbound(bytes);
  if (!message) return 0;
  for (const wire::Tag id :
       {tag::SenderSubID, tag::TargetSubID, tag::SenderLocationID, tag::TargetLocationID}) {
    const auto is_it = [id](const auto& field) { return field.tag == id; };
    if (std::ranges::count_if(*message, is_it) > 1) return id;
  }
  return 0;
}

// Where in the encode buffer they are; beyond its end for any other bytes.
[[gnu::always_inline]] inline std::size_t Outbox::place_of(std::string_view bytes) const noexcept {
  return reinterpret_cast<std::uintptr_t>(bytes.data()) -
         reinterpret_cast<std::uintptr_t>(encode_buffer_.data());
}

// Whether the store must not have this message. For a message that was encoded here,
// begun_has_password_ says whether it has a password; other bytes are searched.
bool Outbox::is_secret(const SessionEntry& entry, std::string_view bytes) {
  if (begun_has_password_) return true;
  if (place_of(bytes) < encode_buffer_.size() && !entry.outbound().keeps_masked_out) return false;
  return has_secret(entry, bytes);
}

// A message that cannot be parsed counts as secret.
bool Outbox::has_secret(const SessionEntry& entry, std::string_view bytes) {
  const auto message = loop_.parsers.parse_outbound(bytes);
  if (!message) return true;
  return std::ranges::any_of(*message, [&](const auto& field) {
    if (wire::is_password(field.tag)) return true;
    const std::vector<observe::MaskedField>& masked = entry.settings().log.masked;
    return entry.outbound().keeps_masked_out &&
           std::ranges::find(masked, field.tag, &observe::MaskedField::tag) != masked.end();
  });
}

// Whether the store must not have the message as on_sending() edited it.
bool Outbox::is_edit_secret(const SessionEntry& entry, std::string_view edited) {
  return edits_.has_password() || (entry.outbound().keeps_masked_out && has_secret(entry, edited));
}

// Checks a finished message: the value says whether it is secret, the error why it cannot be sent.
// A message with more fields than any before needs memory.
std::expected<bool, SendError> Outbox::examine(const SessionEntry& entry, std::string_view bytes) {
  if (entry.outbound().has_sub_ids) [[unlikely]] {
    if (const wire::Tag repeated = repeated_id(bytes); repeated != 0)
      return failure(SendFailure::Encode, {wire::EncodeErrorCode::TagInvalid, repeated});
  }
  return is_secret(entry, bytes);
}

// The reason why the engine cannot send any message, on any session.
SendFailure Outbox::obstacle() const noexcept {
  if (sessions_.transactor.phase() == Phase::Observing) return SendFailure::WithinSending;
  if (io_.commit.has_failed()) return SendFailure::StoreStopped;
  return io_.commit.is_draining() ? SendFailure::Draining : SendFailure::StoreFull;
}

std::optional<SendFailure> Outbox::obstacle_of(const SessionEntry& entry) const noexcept {
  if (sessions_.transactor.phase() == Phase::Observing || io_.commit.has_failed() ||
      io_.commit.is_draining()) {
    return obstacle();
  }
  if (entry.machine.outlet() != session::Outlet::Wire) return obstacle_off_wire(entry);
  if (!entry.outbound_limit || entry.outbound_limit->may_take(loop_.now().mono))
    return std::nullopt;
  return SendFailure::RateLimited;
}

// The session is not logged on.
std::optional<SendFailure> Outbox::obstacle_off_wire(const SessionEntry& entry) noexcept {
  if (!entry.settings().sends_while_logged_out || entry.stored.is_on_trial()) {
    return SendFailure::NotLoggedOn;
  }
  if (entry.machine.is_about_to_reset()) return SendFailure::SessionEnding;
  return std::nullopt;
}

template <bool has_usual_path>
inline SendResult Outbox::send_message(SessionEntry& entry, const Encoded& bytes) {
  const std::size_t record_bytes = sessions_.transactor.record().entries().size();
  const std::string_view text = bytes ? *bytes : std::string_view{};
  const bool may_send = sessions_.transactor.phase() != Phase::Observing &&
                        io_.commit.has_room_for(record_bytes + text.size());
  if (!may_send) [[unlikely]]
    return failure(obstacle());
  if (sessions_.transactor.consume_begun() != &entry) [[unlikely]]
    return failure(SendFailure::NotBegun);
  if (has_usual_path && record_bytes <= kTransactionBytesMax && is_plain(entry, text) &&
      has_room_for(entry, text.size())) [[likely]]
    return send_plain(entry, text);
  return send_or_wait(entry, bytes);
}

// Whether send_plain() needs no memory.
[[gnu::always_inline]] inline bool Outbox::has_room_for(const SessionEntry& entry,
                                                        std::size_t bytes) const noexcept {
  Transactor& transactor = sessions_.transactor;
  return transactor.has_room_for_undo() && transactor.record().has_room_for_message(bytes) &&
         entry.connection()->outbound().storage_for(bytes) == 0 &&
         (!loop_.report.logs().is_open_for_messages() || transactor.sent().has_room_for(bytes));
}

// Whether no callback or check looks at the message, and its connection takes it at once.
[[gnu::always_inline]] inline bool Outbox::is_plain(const SessionEntry& entry,
                                                    std::string_view bytes) const noexcept {
  return entry.machine.goes_on_wire() && place_of(bytes) < plain_bytes_ && !begun_has_password_ &&
         entry.outbound().is_plain && entry.connection() != nullptr &&
         !entry.connection()->is_draining() && !entry.resend.is_in_progress() &&
         !entry.stored.is_on_trial();
}

// A message's last step before its socket.
[[gnu::always_inline]] inline void Outbox::on_queued(Connection& connection) {
  io_.connections.mark_unsent(connection);
  loop_.latency.on_queued(connection.timed_answer());
  if (!connection.is_in_event()) sessions_.transactor.add_connection(connection);
}

void Outbox::transmit(SessionEntry& entry, std::string_view bytes) {
  Connection* const connection = entry.connection();
  if (connection == nullptr || connection->is_draining()) return;
  if (!io_.buffers.push(*connection, connection->outbound(), bytes)) return;
  // Bytes that waited for the end of a resend have their records already.
  connection->wait_for(io_.commit.appended());
  on_queued(*connection);
}

// A message is mostly the first entry of its record.
[[gnu::always_inline]] inline void Outbox::record_plain(SessionEntry& entry,
                                                        std::uint64_t msg_seq_num,
                                                        std::string_view bytes) {
  store::Transaction& record = sessions_.transactor.record();
  if (!record.empty()) [[unlikely]]
    return record.outbound_message(entry.stored.key(), msg_seq_num, bytes);
  char* const begin = encode_buffer_.span().data() + (bytes.data() - encode_buffer_.data());
  record.outbound_message_in_place(entry.stored.key(), msg_seq_num, {begin, bytes.size()},
                                   kRoomAfterBytes);
}

// The steps of send_examined() that a plain message needs. Within an event they need no memory.
[[gnu::always_inline]] inline SendResult Outbox::send_plain(SessionEntry& entry,
                                                            std::string_view bytes) noexcept {
  UndoEntry& message = sessions_.transactor.next_undo();
  message.entry = &entry;
  message.next_outbound = entry.machine.sequence_numbers().next_outbound;
  message.outbound_size = entry.connection()->outbound().size();
  message.msg_type = begun_msg_type_;
  message.bytes = static_cast<std::uint32_t>(bytes.size());
  message.kind = UndoEntry::Kind::Plain;
  const std::uint64_t msg_seq_num = entry.machine.finish_on_wire();
  record_plain(entry, msg_seq_num, bytes);
  entry.connection()->outbound().lend(bytes, lent_);
  on_queued(*entry.connection());
  // on_sent() has no function here.
  if (loop_.report.logs().is_open_for_messages()) [[unlikely]]
    add_sent(entry, {.msg_seq_num = msg_seq_num, .bytes = bytes});
  if (sessions_.transactor.phase() == Phase::Callback) [[likely]] {
    sessions_.transactor.keep_undo_of_callback();
    return Sent{.msg_seq_num = msg_seq_num, .is_transmitted = true};
  }
  if (sessions_.transactor.is_idle()) {
    try {
      sessions_.transactor.append_record();
      publish(entry, loop_.now());
    } catch (const std::bad_alloc&) {  // The record had only this message.
      sessions_.transactor.sent().clear();
      sessions_.transactor.record().clear();
      sessions_.transactor.next_undo().undo();
      return out_of_memory();
    }
  }
  sessions_.transactor.keep_undo();
  if (sessions_.transactor.is_idle() && io_.commit.has_failed()) [[unlikely]]
    return failure(SendFailure::StoreStopped);
  return Sent{.msg_seq_num = msg_seq_num, .is_transmitted = true};
}

[[gnu::noinline]] SendResult Outbox::send_examined(SessionEntry& entry, const Encoded& bytes) {
  const session::Outlet outlet = entry.machine.outlet();
  const bool is_transmitted = outlet == session::Outlet::Wire;
  bool is_kept_out = false;  // not stored
  if (bytes) {
    const auto examined = examine(entry, *bytes);
    if (!examined) return std::unexpected{examined.error()};
    is_kept_out = *examined;
  }
  if (!is_transmitted) [[unlikely]] {
    if (const auto why = obstacle_off_wire(entry)) return failure(*why);
    if (is_kept_out) return failure(SendFailure::NotLoggedOn);
  }
  if (sessions_.transactor.record().entries().size() > kTransactionBytesMax) {
    return failure(SendFailure::TransactionTooLarge);
  }
  const Encoded* message = &bytes;
  Encoded edited;
  if (loop_.callbacks.on_sending != nullptr && bytes) [[unlikely]] {
    const auto offered =
        offer(entry, *bytes, entry.machine.sequence_numbers().next_outbound, /*is_resend=*/false);
    if (!offered) return std::unexpected{offered.error()};
    if (offered->data() != bytes->data()) is_kept_out |= is_edit_secret(entry, *offered);
    if (is_kept_out && !is_transmitted) return failure(SendFailure::NotLoggedOn);
    edited = *offered;
    message = &edited;
  }
  UndoEntry& numbered = sessions_.transactor.next_undo();
  const auto outbound = entry.machine.finish_message(*message);
  if (!outbound) {
    const bool encode = outbound.error().code == session::OutboundErrorCode::Encode;
    return failure(encode ? SendFailure::Encode : SendFailure::NotApplicationMessage,
                   outbound.error().encode);
  }
  numbered = {
      .entry = &entry,
      .next_outbound = outbound->msg_seq_num,
      .outbound_size = entry.connection() != nullptr ? entry.connection()->outbound().size() : 0,
      .msg_type = begun_msg_type_,
      .bytes = is_transmitted ? static_cast<std::uint32_t>(outbound->bytes.size()) : 0,
      .kind = UndoEntry::Kind::WithQueues,
      .queues = {entry.resend.queued().size(), entry.until_logon.queued().size(),
                 entry.until_logon.left_to_resend()}};
  UndoGuard undo{
      [&, mark = sessions_.transactor.record().mark(), sent = sessions_.transactor.sent().mark()] {
        sessions_.transactor.sent().rollback(sent);
        sessions_.transactor.record().rollback(mark);
        numbered.undo();
      }};
  record_outbound(entry, outbound->msg_seq_num, outbound->bytes, !is_kept_out);
  if (is_transmitted) {
    queue_bytes(entry, outbound->bytes);
  } else if (outlet == session::Outlet::AfterLogon) {
    queue_until_logon(entry, outbound->bytes);
  }
  record_sent(entry, SentMessage::Kind::Application, outbound->msg_seq_num, outbound->bytes,
              is_transmitted);
  if (sessions_.transactor.is_idle()) {
    sessions_.transactor.append_record();
    publish(entry, loop_.now());
  }
  undo.keep();
  sessions_.transactor.keep_undo();
  if (io_.commit.has_failed()) return failure(SendFailure::StoreStopped);
  return Sent{.msg_seq_num = outbound->msg_seq_num, .is_transmitted = is_transmitted};
}

// Shows a message to the application before it is sent. Returns the argument's bytes or an edited
// copy, valid until the next call. A callback that throws withholds the message.
std::expected<std::string_view, SendError> Outbox::offer(SessionEntry& entry,
                                                         std::string_view bytes,
                                                         std::uint64_t msg_seq_num,
                                                         bool is_resend) {
  const auto message = loop_.parsers.parse_outbound(bytes);
  // A damaged message of the store, or one of the session layer: the state machine refuses it.
  if (!message || session::is_administrative(message->msg_type())) return bytes;
  edits_.clear();
  OutgoingMessage outgoing{*message, edits_, msg_seq_num, is_resend};
  SendDecision answer = SendDecision::Withhold;
  const std::exception_ptr thrown = sessions_.transactor.observe([&] {
    answer = loop_.callbacks.on_sending(loop_.callbacks.application, entry.session, outgoing);
  });
  if (thrown) {
    answer = SendDecision::Withhold;
    loop_.report.peer(EventId::SendingCallbackThrew, entry,
                      {"on_sending() threw; the message is withheld: ", what_of(thrown)});
  }
  if (answer == SendDecision::Withhold) return failure(SendFailure::Vetoed);
  if (edits_.empty()) return bytes;
  const auto edited = wire::edited_copy(*message, edits_, edited_buffer_.span());
  if (!edited) return failure(SendFailure::Encode, edited.error());
  return *edited;
}

// A callback that throws adds a field that cannot be encoded, so that no Logon is sent. The Logon
// has its MsgSeqNum already: no other message may take it meanwhile.
void Outbox::write_logon(SessionEntry& entry, wire::Encoder& encoder,
                         const wire::MessageHeader& header) noexcept {
  std::exception_ptr thrown;
  if (loop_.callbacks.write_logon != nullptr) {
    thrown = sessions_.transactor.observe([&] {
      loop_.callbacks.write_logon(loop_.callbacks.application, entry.session, encoder, header);
    });
  }
  if (thrown) {
    loop_.report.session(EventId::LogonCallbackThrew, entry,
                         {"write_logon() threw: ", what_of(thrown)});
    encoder.field(wire::Tag{0}, "");
  } else if (entry.settings().logon_signer != nullptr) {
    sign_logon(entry, encoder, header);
  }
}

// The signature is the last field: the application's fields may be signed, too.
void Outbox::sign_logon(SessionEntry& entry, wire::Encoder& encoder,
                        const wire::MessageHeader& header) noexcept {
  std::expected<void, std::string> done;
  const std::exception_ptr thrown = exception_of(
      [&] { done = entry.settings().logon_signer->sign(encoder, header.sending_time); });
  if (!thrown && done) return;
  loop_.report.session(
      EventId::LogonNotSigned, entry,
      {"our Logon cannot be signed: ", thrown ? what_of(thrown) : std::string_view{done.error()}});
  encoder.field(wire::Tag{0}, "");
}

std::uint64_t lowest_waiting(const SessionEntry& entry) noexcept {
  if (entry.resend.is_in_progress() || entry.until_logon.left_to_resend() != 0) return 1;
  const std::uint64_t next_outbound = entry.machine.sequence_numbers().next_outbound;
  std::uint64_t lowest = 0;
  const auto add = [&](const OutboundQueue& queue) {
    const std::span<const char> waiting = queue.waiting();
    const std::uint64_t number = lowest_number({waiting.data(), waiting.size()}, next_outbound);
    if (number != 0 && (lowest == 0 || number < lowest)) lowest = number;
  };
  if (entry.connection() != nullptr) add(entry.connection()->outbound());
  add(entry.resend.queued());
  add(entry.until_logon.queued());
  return lowest;
}

}  // namespace nexusfix::engine
