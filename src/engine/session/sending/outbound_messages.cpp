// Messages that have their MsgSeqNum: recorded, queued for their connection, and reported as sent.
#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include <nexusfix/base/language.hpp>

#include "engine/ground/statistics/session_state.hpp"
#include "engine/session/control/floods.hpp"
#include "engine/session/sending/push_bytes.hpp"
#include "engine/session/sessions.hpp"

namespace nexusfix::engine {
namespace {

// The most bytes that are queued until the answer to our Logon; further messages are only stored.
constexpr std::size_t kQueuedUntilLogonBytesMax = 1U << 20U;
constexpr std::string_view kReject = "3";
constexpr std::string_view kLogon = "A";

}  // namespace

void Outbox::add_sent(SessionEntry& entry, SentMessage::Kind kind, std::uint64_t msg_seq_num,
                      std::string_view bytes, bool is_transmitted) {
  // Messages that wait for a Logon are logged when they are sent.
  const bool is_logged = loop_.report.logs().takes_sent(entry.stored.log()) && is_transmitted &&
                         entry.connection() != nullptr && !entry.connection()->is_draining();
  if (loop_.callbacks.on_sent == nullptr && !is_logged) return;
  sessions_.transactor.sent().add({&entry, kind, is_transmitted, is_logged, msg_seq_num}, bytes);
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
  const bool is_kept_out = is_edited
                               ? is_edit_secret(entry, bytes)
                               : entry.outbound().keeps_masked_out && has_secret(entry, bytes);
  if (is_reset_logon) [[unlikely]] {
    record_reset_logon(entry, action.msg_seq_num);
  } else {
    record_outbound(entry, action.msg_seq_num, bytes, action.is_resendable && !is_kept_out);
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

void Outbox::transmit(SessionEntry& entry, std::string_view bytes) {
  if (entry.connection() == nullptr || entry.connection()->is_draining()) return;
  push_bytes<false>(*entry.connection(), bytes);
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
  const bool is_kept = entry.until_logon.left_to_resend() == 0 && entry.connection() != nullptr &&
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
    NEXUSFIX_ASSERT(frame.status == wire::FrameStatus::Complete);  // It was encoded here.
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
    NEXUSFIX_ASSERT(frame.status == wire::FrameStatus::Complete);  // It was encoded here.
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

}  // namespace nexusfix::engine
