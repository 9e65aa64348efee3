// Messages that have their MsgSeqNum: recorded, queued for their connection, and reported as sent.
// Messages above OutboundMessages, which have none yet: refused, or kept until they may be sent.
#include <algorithm>
#include <array>
#include <chrono>
#include <string>

#include <nexusfix/base/language.hpp>
#include <nexusfix/wire/field.hpp>

#include "engine/ground/statistics/session_state.hpp"
#include "engine/session/inbound_messages.hpp"
#include "engine/session/sessions.hpp"

namespace nexusfix::engine {
namespace {

// The most bytes that are queued until the answer to our Logon; further messages are only stored.
constexpr std::size_t kQueuedUntilLogonBytesMax = 1U << 20U;
constexpr std::string_view kReject = "3";
constexpr std::string_view kLogon = "A";

// Messages that are sent in one event when their limit permits it, so that other sessions go on.
constexpr std::size_t kSentPerEvent = 256;

[[nodiscard]] std::unexpected<SendError> rate_limited(MonoTime::duration wait) noexcept {
  using Wait = decltype(SendError::wait);
  return std::unexpected{SendError{.failure = SendFailure::RateLimited,
                                   .wait = std::chrono::ceil<Wait>(std::max(wait, {}))}};
}

// Whether the session writes the field again.
[[nodiscard]] bool is_of_header(const session::SessionId& id, wire::Tag tag) noexcept {
  switch (tag) {
    case tag::SenderSubID:
      return !id.sender_sub_id.empty();
    case tag::TargetSubID:
      return !id.target_sub_id.empty();
    case tag::SenderLocationID:
      return !id.sender_location_id.empty();
    case tag::TargetLocationID:
      return !id.target_location_id.empty();
    default:
      return wire::belongs_to_session(tag);
  }
}

void copy_fields(const wire::MessageView& message, const session::SessionId& id,
                 wire::Encoder& encoder) noexcept {
  const std::size_t count = message.field_count();
  for (std::size_t i = 0; i < count; ++i) {
    const wire::FieldView field = message.field(i);
    if (is_of_header(id, field.tag)) continue;
    const wire::FieldView next = i + 1 < count ? message.field(i + 1) : wire::FieldView{};
    if (next.value.contains(wire::kSoh)) {  // a data field, after its length
      encoder.data(field.tag, next.tag, next.value);
      ++i;
    } else if (field.value.empty()) {
      encoder.field_without_value(field.tag);
    } else {
      encoder.field(field.tag, field.value);
    }
  }
}

}  // namespace

void Outbox::add_sent(SessionEntry& entry, const SentMessage& sent) {
  // Messages that wait for a Logon are logged when they are sent.
  const bool is_logged = loop_.report.logs().takes_sent(entry.stored.log()) &&
                         sent.is_transmitted && entry.connection() != nullptr &&
                         !entry.connection()->is_draining();
  if (loop_.callbacks.on_sent == nullptr && !is_logged) return;
  sessions_.transactor.sent().add(
      {&entry, sent.kind, sent.is_transmitted, is_logged, sent.msg_seq_num}, sent.bytes);
}

// A Logon of a reset within the session, without what only its counterparty is to know.
void Outbox::record_reset_logon(SessionEntry& entry, std::uint64_t msg_seq_num) {
  const session::SessionId& id = entry.settings().session.id;
  std::array<char, 1'024> buffer;
  wire::Encoder encoder{
      buffer,
      {.begin_string = id.begin_string,
       .sender_comp_id = id.sender_comp_id,
       .target_comp_id = id.target_comp_id},
      {.msg_type = kLogon, .msg_seq_num = msg_seq_num, .sending_time = loop_.now().wall}};
  const auto bytes = encoder.field(tag::ResetSeqNumFlag, 'Y').finish();
  NEXUSFIX_ASSERT(bytes.has_value());
  sessions_.transactor.record().outbound_message(entry.stored.key(), msg_seq_num, *bytes);
}

// The session layer's own application message, a BusinessMessageReject, can be changed too, so that
// a resend of it is the same. It has its MsgSeqNum already, so it cannot be withheld.
void Outbox::perform(SessionEntry& entry, const session::Transmit& action) {
  std::string_view bytes = action.bytes;
  if (action.is_resendable && loop_.callbacks.on_sending != nullptr) {
    const auto offered = offer(entry, bytes, action.msg_seq_num, /*is_resend=*/false);
    if (offered) bytes = *offered;
  }
  if (entry.stored.is_on_trial()) [[unlikely]]
    sessions_.dynamic.end_trial(entry, action.msg_type);
  const bool is_reset_logon = action.is_resendable && action.msg_type == kLogon;
  const bool is_edited = bytes.data() != action.bytes.data();
  const bool is_out =
      (is_edited || !entry.outbound().is_plain) && is_kept_out(entry, action, bytes);
  if (is_reset_logon) [[unlikely]] {
    record_reset_logon(entry, action.msg_seq_num);
  } else {
    record_outbound(entry, action.msg_seq_num, bytes, action.is_resendable && !is_out);
  }
  // A gap fill uses all MsgSeqNums that it skips.
  if (action.skips_to > action.msg_seq_num + 1) [[unlikely]]
    record_outbound(entry, action.skips_to - 1, {}, /*is_resendable=*/false);
  const PackedMsgType msg_type = pack(action.msg_type);
  queue_bytes(entry, bytes);
  sessions_.transactor.count_sent(entry, msg_type, bytes.size());
  using Kind = SentMessage::Kind;
  const bool is_application = action.is_resendable && !is_reset_logon;
  record_sent(entry, is_application ? Kind::Application : Kind::Administrative, action.msg_seq_num,
              bytes);
  if (action.msg_type == kReject) count_reject(loop_, entry);
  record_transmitted(entry, msg_type, bytes);
}

// Whether the store must not have the session layer's message, which OutboundMessages counts.
[[gnu::noinline]] bool Outbox::is_kept_out(SessionEntry& entry, const session::Transmit& action,
                                           std::string_view bytes) {
  if (entry.outbound_limit) {
    entry.outbound_limit->windows.count(pack(action.msg_type), loop_.now().mono);
  }
  if (bytes.data() != action.bytes.data()) return is_edit_secret(entry, bytes);
  return entry.outbound().keeps_masked_out && has_secret(entry, bytes);
}

void Outbox::record_transmitted(SessionEntry& entry, PackedMsgType msg_type,
                                std::string_view bytes) {
  if (msg_type == kPackedTestRequest) entry.counters->test_request_at = loop_.now().mono;
  const bool is_reject = msg_type == kPackedReject || msg_type == kPackedBusinessReject;
  if (!is_reject && msg_type != kPackedLogon && msg_type != kPackedLogout) return;
  const auto message = loop_.parsers.parse_outbound(bytes);
  if (!message) return;
  if (is_reject) return count_sent_reject(*message, msg_type, *entry.counters);
  if (msg_type == kPackedLogon) return entry.logons.failed.on_sent(*message, loop_.now().mono);
  const std::string_view text = (*message)[tag::Text].value_or(std::string_view{});
  loop_.report.peer(EventId::LogoutSent, entry,
                    {"Logout sent, MsgSeqNum ", (*message)[tag::MsgSeqNum].value_or("?"),
                     text.empty() ? "" : ": ", text});
}

void Outbox::perform(SessionEntry& entry, const session::Retransmit& action) {
  ++loop_.stats.messages_out;
  loop_.stats.bytes_out += action.bytes.size();
  if (entry.outbound_limit) entry.outbound_limit->windows.count(0, loop_.now().mono);
  entry.counters->on_resent(action.bytes.size(), loop_.now().wall);
  transmit(entry, action.bytes);
  record_sent(entry, SentMessage::Kind::Resend, action.msg_seq_num, action.bytes);
}

void Outbox::record_outbound(SessionEntry& entry, std::uint64_t msg_seq_num, std::string_view bytes,
                             bool is_resendable) {
  if (entry.stored.is_on_trial()) [[unlikely]]
    return;
  if (is_resendable && is_stored(entry)) {
    sessions_.transactor.record().outbound_message(entry.stored.key(), msg_seq_num, bytes);
  } else {
    sessions_.transactor.record().outbound_number(entry.stored.key(), msg_seq_num);
  }
}

// New messages wait for the end of a resend: the counterparty expects the lower MsgSeqNums first.
void Outbox::queue_bytes(SessionEntry& entry, std::string_view bytes) {
  if (!entry.resend.is_in_progress()) [[likely]] {
    transmit(entry, bytes);
  } else if (entry.connection() != nullptr && !entry.abort.is_pending()) {
    if (!io_.buffers.push(*entry.connection(), entry.resend.queued(), bytes)) return;
    // send_unsent() then checks the limit of the queue.
    io_.connections.mark_unsent(*entry.connection());
  }
}

// Queues an initiator's messages after its Logon, which has no answer yet. Messages that do not fit
// are left to a resend.
void Outbox::queue_until_logon(SessionEntry& entry, std::string_view bytes) {
  const std::size_t most =
      std::min<std::size_t>(kQueuedUntilLogonBytesMax, entry.settings().limits.queued_bytes_max);
  // A resend obeys OutboundMessages.
  const bool is_kept = !entry.outbound_limit && entry.until_logon.left_to_resend() == 0 &&
                       entry.connection() != nullptr &&
                       entry.until_logon.queued().size() + bytes.size() <= most &&
                       io_.buffers.push(*entry.connection(), entry.until_logon.queued(), bytes);
  if (!is_kept) entry.until_logon.leave_one_to_resend();
}

// The counterparty resets the sequence numbers without our request: the MsgSeqNums of the queued
// messages are void.
void Outbox::report_queued_lost(SessionEntry& entry) {
  std::uint64_t lost = entry.until_logon.left_to_resend();
  const std::span<const char> kept = entry.until_logon.queued().waiting();
  for (std::string_view rest{kept.data(), kept.size()}; !rest.empty(); ++lost) {
    const wire::FrameResult frame = wire::next_frame(rest, {.message_bytes_max = rest.size()});
    NEXUSFIX_ASSERT(frame.status == wire::FrameResult::Status::Complete);  // It was encoded here.
    rest.remove_prefix(frame.size);
  }
  if (lost == 0) return;
  loop_.report.peer(
      EventId::QueuedMessagesDiscarded, entry,
      std::to_string(lost) +
          " messages that waited for the answer to our Logon are not sent: the sequence "
          "numbers are reset");
}

void Outbox::perform(SessionEntry& entry, const session::Release&) {
  const std::span<const char> kept = entry.until_logon.queued().waiting();
  std::string_view rest{kept.data(), kept.size()};
  while (!rest.empty()) {
    const wire::FrameResult frame = wire::next_frame(rest, {.message_bytes_max = rest.size()});
    NEXUSFIX_ASSERT(frame.status == wire::FrameResult::Status::Complete);  // It was encoded here.
    const std::string_view bytes = rest.substr(0, frame.size);
    rest.remove_prefix(frame.size);
    const auto message = loop_.parsers.parse_outbound(bytes);
    NEXUSFIX_ASSERT(message.has_value());
    queue_bytes(entry, bytes);
    sessions_.transactor.count_sent(entry, pack(message->msg_type()), bytes.size());
    record_sent(entry, SentMessage::Kind::Application,
                message->get<std::uint64_t>(tag::MsgSeqNum).value_or(0), bytes);
  }
  if (entry.until_logon.left_to_resend() != 0) entry.machine.send_heartbeat();
  entry.until_logon.clear();
}

// The session is logged on. A message that is undone later stays counted.
SendResult Outbox::send_limited(SessionEntry& entry, std::string_view bytes) {
  OutboundLimit& limit = *entry.outbound_limit;
  const PackedMsgType msg_type = begun_msg_type_;
  const MonoTime now = loop_.now().mono;
  const MonoTime next = limit.windows.next_at(msg_type);
  // During a resend the counterparty expects lower MsgSeqNums, which use the limit up.
  const bool must_wait = next > now || entry.resend.is_in_progress() ||
                         limit.waiting.has_before(limit.is_cancel(msg_type));
  if (!must_wait) {
    SendResult sent = send_examined(entry, bytes);
    if (sent) limit.windows.count(msg_type, now);
    return sent;
  }
  if (limit.rule == OutboundLimitRule::Refuse || limit.waiting.size() >= limit.queued_max)
    return rate_limited(next > now ? next - now : MonoTime::duration{});
  if (const auto examined = examine(entry, bytes); !examined)
    return std::unexpected{examined.error()};
  if (!loop_.parsers.parse_outbound(bytes)) {
    return std::unexpected{
        SendError{SendFailure::Encode, {wire::EncodeErrorCode::MessageMalformed, 0}}};
  }
  if (!io_.buffers.may_grow(*entry.connection(), bytes.size(), bytes.size()))
    return std::unexpected{SendError{.failure = SendFailure::OutOfMemory}};
  wait(entry, bytes);
  return Sent{.msg_seq_num = 0, .is_transmitted = false, .is_queued = true};
}

void Outbox::wait(SessionEntry& entry, std::string_view bytes) {
  OutboundLimit& limit = *entry.outbound_limit;
  UndoEntry& undo = sessions_.transactor.next_undo();
  limit.waiting.push({std::string{bytes}, begun_msg_type_, loop_.now().wall},
                     limit.is_cancel(begun_msg_type_));
  undo = {.entry = &entry, .msg_type = begun_msg_type_, .kind = UndoEntry::Kind::Waiting};
  sessions_.transactor.keep_undo();
  limit.waiting.begin_high(limit.queued_max);
  entry.publish_waiting();
  arm_waiting(entry);
}

void Outbox::arm_waiting(SessionEntry& entry) {
  const OutboundLimit& limit = *entry.outbound_limit;
  const MonoTime due = limit.waiting.due_at(limit.windows);
  if (due != kNever) loop_.arm(entry, std::max(due, loop_.now().mono));
}

bool Outbox::send_waiting(SessionEntry& entry) {
  OutboundLimit& limit = *entry.outbound_limit;
  if (limit.waiting.empty() || entry.resend.is_in_progress() || io_.commit.has_failed() ||
      entry.machine.outlet() != session::Outlet::Wire) {
    return false;  // The end of the resend or of the Logon continues.
  }
  sessions_.transactor.transact(entry, [&](session::StateMachine&) {
    for (std::size_t i = 0; i < kSentPerEvent; ++i) {
      const auto next = limit.waiting.pop_due(limit.windows, loop_.now().mono);
      if (!next) break;
      send_later(entry, *next);
    }
    entry.publish_waiting();
  });
  arm_waiting(entry);
  return limit.waiting.end_high(limit.queued_max);
}

// The message gets its MsgSeqNum and its SendingTime now.
void Outbox::send_later(SessionEntry& entry, const WaitingMessage& waiting) {
  const std::size_t bytes_after =
      sessions_.transactor.record().entries().size() + waiting.bytes.size();
  if (!io_.commit.is_draining() && !io_.commit.has_room_for(bytes_after))
    return give_back(entry, waiting, {.failure = SendFailure::StoreFull});
  const auto message = loop_.parsers.parse_outbound(waiting.bytes);
  NEXUSFIX_ASSERT(message.has_value());  // It was parsed before it waited.
  wire::Encoder encoder = entry.session.begin(message->msg_type());
  copy_fields(*message, entry.settings().session.id, encoder);
  const auto bytes = encoder.finish();
  encoder.close();
  sessions_.transactor.forget_begun();
  const SendResult sent = send_examined(entry, bytes);
  if (!sent) return give_back(entry, waiting, sent.error());
  entry.outbound_limit->windows.count(waiting.msg_type, loop_.now().mono);
}

void Outbox::give_back(SessionEntry& entry, const WaitingMessage& waiting, const SendError& why) {
  if (loop_.callbacks.on_not_sent == nullptr) return;
  static_cast<void>(sessions_.transactor.run_callback(entry, [&] {
    loop_.callbacks.on_not_sent(loop_.callbacks.application, entry.session,
                                {.bytes = waiting.bytes, .why = why});
  }));
}

void Outbox::give_back_waiting(SessionEntry& entry) {
  WaitingMessages& waiting = entry.outbound_limit->waiting;
  if (waiting.empty()) return;
  loop_.report.peer(EventId::WaitingMessagesNotSent, entry,
                    {static_cast<std::uint64_t>(waiting.size()),
                     " messages that waited for OutboundMessages are not sent: the session is not "
                     "logged on any more"});
  while (const auto next = waiting.pop()) {
    give_back(entry, *next, {.failure = SendFailure::NotLoggedOn});
  }
  static_cast<void>(waiting.end_high(entry.outbound_limit->queued_max));
  entry.publish_waiting();
}

}  // namespace nexusfix::engine
