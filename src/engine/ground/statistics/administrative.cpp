#include "engine/ground/statistics/administrative.hpp"

#include <cstdint>
#include <optional>
#include <utility>

#include <nexusfix/wire/field.hpp>

namespace nexusfix::engine {
namespace {

void count_reject(const wire::MessageView& message, PackedMsgType msg_type,
                  MadeOnce<RejectCounters>& figures) noexcept {
  RejectCounters* const rejects = figures.made();
  if (rejects == nullptr) return;
  const bool is_business = msg_type == kPackedBusinessReject;
  const auto given = message.get<std::uint64_t>(is_business ? tag::BusinessRejectReason
                                                            : tag::SessionRejectReason);
  std::optional<std::uint32_t> reason;
  if (given && *given <= UINT32_MAX) reason = static_cast<std::uint32_t>(*given);
  rejects->count(is_business ? RejectKind::Business : RejectKind::Session, reason);
}

}  // namespace

void count_answer(const wire::MessageView& message, PackedMsgType msg_type, MonoTime now,
                  SessionCounters& session, LoopCounters& loop) noexcept {
  if (msg_type == kPackedReject || msg_type == kPackedBusinessReject) {
    if (SessionDetails* const details = session.details.get()) {
      count_reject(message, msg_type, details->rejects_in);
    }
    return;
  }
  const bool is_answer = msg_type == kPackedHeartbeat && session.test_request_at != kNever &&
                         message.has(tag::TestReqID);
  if (!is_answer) return;
  const MonoTime::duration taken = now - std::exchange(session.test_request_at, kNever);
  loop.test_request_round_trip.record(taken);
  if (SessionLatency* const latency = session.test_request_round_trip.made()) {
    latency->record(taken);
  }
}

void count_sent_reject(const wire::MessageView& message, PackedMsgType msg_type,
                       SessionCounters& session) noexcept {
  if (SessionDetails* const details = session.details.get()) {
    count_reject(message, msg_type, details->rejects_out);
  }
}

}  // namespace nexusfix::engine
