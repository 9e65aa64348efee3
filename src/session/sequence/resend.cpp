#include <algorithm>

#include <nexusfix/wire/field.hpp>

#include "session/api/config.hpp"
#include "session/api/sequence.hpp"

namespace nexusfix::session::detail {
namespace {

constexpr unsigned kMissing = static_cast<unsigned>(SessionRejectReason::RequiredTagMissing);
constexpr unsigned kMalformed = static_cast<unsigned>(SessionRejectReason::IncorrectDataFormat);
constexpr unsigned kIncorrect = static_cast<unsigned>(SessionRejectReason::ValueIncorrect);

}  // namespace

// FIX Session Layer, "ResendRequest": BeginSeqNo to EndSeqNo, both inclusive; EndSeqNo 0 (999999 in
// FIX 4.0 and 4.1) is "everything sent so far". That is fixed now: numbers that are assigned while
// the resend goes on are not part of it.
std::expected<ResendRange, Objection> requested_range(const wire::MessageView& request,
                                                      std::uint64_t next_outbound,
                                                      const VersionTraits& version) noexcept {
  const auto objection_to = [](const wire::FieldError& error, std::string_view ref_tag) {
    const bool is_missing = error.code == wire::FieldErrorCode::Missing;
    return std::unexpected{
        Objection{.reason = is_missing ? kMissing : kMalformed, .ref_tag = ref_tag}};
  };
  const wire::OptionalField<std::uint64_t> begin = request.get<std::uint64_t>(tag::BeginSeqNo);
  if (!begin) return objection_to(begin.error(), "7");
  const wire::OptionalField<std::uint64_t> end = request.get<std::uint64_t>(tag::EndSeqNo);
  if (!end) return objection_to(end.error(), "16");
  const std::uint64_t last_sent = next_outbound - 1;
  if (*begin == 0 || *begin > last_sent) {
    return std::unexpected{Objection{.reason = kIncorrect, .ref_tag = "7"}};
  }
  const bool to_infinity = *end == 0 || *end == version.resend_to_infinity;
  if (!to_infinity && *end < *begin) {
    return std::unexpected{Objection{.reason = kIncorrect, .ref_tag = "16"}};
  }
  return ResendRange{.begin = *begin, .end = to_infinity ? last_sent : std::min(*end, last_sent)};
}

bool ResendGovernor::admits(const ResendRange& range, std::uint64_t next_outbound,
                            const ResendConfig& config) noexcept {
  if (range.begin != served_.begin || range.end < served_.end) served_count_ = 0;
  served_ = range;
  const bool is_too_much = asks_too_much(range, next_outbound, config);
  const bool is_repeated = ++served_count_ > config.repeats_max && config.repeats_max != 0;
  return !is_repeated && !is_too_much;
}

// Whatever the pattern: all that was asked for is at most repeats_max times what there is from the
// lowest of it on. A counterparty that fetches a gap in parts asks for each number once.
bool ResendGovernor::asks_too_much(const ResendRange& range, std::uint64_t next_outbound,
                                   const ResendConfig& config) noexcept {
  lowest_ = lowest_ == 0 ? range.begin : std::min(lowest_, range.begin);
  count_ += range.end - range.begin + 1;
  // A Logon's answer that it asks for, too, has no number yet.
  const std::uint64_t end = std::max(next_outbound, range.end + 1);
  const std::uint64_t there_are = end - lowest_;
  return config.repeats_max != 0 && (count_ - 1) / config.repeats_max >= there_are;
}

ResendRange ResendGovernor::consume_request() noexcept {
  const ResendRange range = asked_;
  asked_ = {};
  return range;
}

void ResendGovernor::forget() noexcept {
  asked_ = {};
  served_ = {};
  served_count_ = 0;
  lowest_ = 0;
  count_ = 0;
}

void ResendProgress::serve(const ResendRange& range, const ResendConfig& config,
                           ActionQueue& actions) noexcept {
  if (is_active()) {
    const bool is_first = waiting_.begin == 0;
    waiting_ = is_first
                   ? range
                   : ResendRange{.begin = std::min(waiting_.begin, range.begin),
                                 .end = std::max(waiting_.end, range.end),
                                 .resend_from = std::min(waiting_.resend_from, range.resend_from)};
    return;
  }
  const std::uint64_t count_max = config.messages_max;
  std::uint64_t from = std::max(range.begin, range.resend_from);
  if (count_max != 0 && range.end >= count_max) from = std::max(from, range.end - count_max + 1);
  if (from > range.begin) actions.notice(NoticeCode::ResendLimited, {}, from, range.begin);
  current_ = range;
  first_ = range.begin;
  if (config.persist_messages && from <= range.end) {
    actions.push({.step = Step::Replay, .first = from, .second = range.end});
  } else {
    actions.push({.step = Step::RetransmitRest});
  }
}

ResendRange ResendProgress::finish(ActionQueue& actions) noexcept {
  actions.notice(NoticeCode::ResendServed, {}, first_, current_.end);
  const ResendRange next = waiting_;
  forget();
  return next;
}

void ResendProgress::on_stored(std::uint64_t msg_seq_num, std::string_view bytes,
                               ActionQueue& actions) noexcept {
  if (!is_active() || msg_seq_num < current_.begin || msg_seq_num > current_.end) return;
  stored_seq_num_ = msg_seq_num;
  stored_bytes_ = bytes;
  actions.push({.step = Step::RetransmitStored});
}

}  // namespace nexusfix::session::detail
