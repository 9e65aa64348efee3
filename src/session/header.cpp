// What the standard header of a message may be objected to for.
#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include <nexusfix/session/reject_reason.hpp>
#include <nexusfix/wire/typed/dispatch.hpp>

#include "session/inbound.hpp"

namespace nexusfix::session {
namespace {

using wire::FaultRule;

// A RefTagID longer than this is no tag that anybody could mean.
constexpr std::size_t kRefTagBytesMax = 20;

unsigned number(SessionRejectReason reason) noexcept { return std::to_underlying(reason); }

unsigned reason_of(FaultRule rule) noexcept {
  switch (rule) {
    case FaultRule::TagMalformed:
      return number(SessionRejectReason::InvalidTagNumber);
    case FaultRule::TagWithoutValue:
    case FaultRule::ValueEmpty:
      return number(SessionRejectReason::TagWithoutValue);
    case FaultRule::DataLengthWrong:
      return number(SessionRejectReason::IncorrectDataFormat);
  }
  return number(SessionRejectReason::Other);
}

bool is_boolean_if_present(const wire::MessageView& message, wire::Tag tag) noexcept {
  const std::optional<std::string_view> value = message[tag];
  return !value || *value == "Y" || *value == "N";
}

struct NamedTag {
  wire::Tag tag;
  std::string_view text;
};

// By ascending tag: of several that are missing, the lowest is named.
constexpr std::array kRequired{NamedTag{tag::SenderCompID, "49"}, NamedTag{tag::SendingTime, "52"},
                               NamedTag{tag::TargetCompID, "56"}};
constexpr std::array kBooleans{NamedTag{tag::PossDupFlag, "43"}, NamedTag{tag::PossResend, "97"}};

}  // namespace

StateMachine::Inbound::Inbound(const wire::MessageView& received, std::uint64_t number) noexcept
    : message{received}, kind{MsgKind::Application}, msg_seq_num{number} {
  poss_dup = says_yes(tag::PossDupFlag);
  const std::string_view type = received.msg_type();
  if (type.size() != 1) return;
  switch (type.front()) {
    case '0':
      kind = MsgKind::Heartbeat;
      break;
    case '1':
      kind = MsgKind::TestRequest;
      break;
    case '2':
      kind = MsgKind::ResendRequest;
      break;
    case '3':
      kind = MsgKind::Reject;
      break;
    case '4':
      kind = MsgKind::SequenceReset;
      break;
    case '5':
      kind = MsgKind::Logout;
      break;
    case 'A':
      kind = MsgKind::Logon;
      break;
    default:
      break;
  }
}

bool StateMachine::Inbound::says_yes(wire::Tag tag) const noexcept {
  const std::optional<std::string_view> value = message[tag];
  return value && *value == "Y";
}

// RefTagID as it is sent, until the next event that needs one.
std::string_view StateMachine::ref_tag_text(wire::Tag tag) noexcept {
  char* const begin = ref_tag_text_.data();
  const std::to_chars_result end = std::to_chars(begin, begin + ref_tag_text_.size(), tag);
  return {begin, static_cast<std::size_t>(end.ptr - begin)};
}

// text and behind it, in parentheses, the tag if there is one; until the next event. An event may
// have several such texts, so each has its own part of the buffer.
std::string_view StateMachine::noted_text(std::string_view text,
                                          std::string_view ref_tag) noexcept {
  const std::size_t size = text.size() + ref_tag.size() + 3;
  if (ref_tag.empty() || size > noted_text_.size() - noted_size_) return text;
  char* const begin = noted_text_.data() + noted_size_;
  char* out = begin;
  for (const std::string_view part : {text, std::string_view{" ("}, ref_tag}) {
    out = std::ranges::copy(part, out).out;
  }
  *out = ')';
  noted_size_ += size;
  return {begin, size};
}

std::optional<StateMachine::Objection> StateMachine::objection_to(
    const Inbound& in, const dictionary::Violation& violation) noexcept {
  const unsigned reason = number(violation.reason());
  const std::string_view ref_tag = violation.tag != 0 ? ref_tag_text(violation.tag)
                                   : violation.tag_text.size() <= kRefTagBytesMax
                                       ? violation.tag_text
                                       : std::string_view{};
  if (config_.validation.reject_invalid_message || !is_readable(violation.rule)) {
    return Objection{.reason = reason, .ref_tag = ref_tag};
  }
  notice(NoticeCode::MessageInvalid, noted_text(session_reject_text(reason), ref_tag),
         numbers_.next_inbound, in.msg_seq_num);
  return std::nullopt;
}

bool StateMachine::supports_version(std::string_view appl_ver_id) const noexcept {
  const char version = wire::known_appl_ver_id(appl_ver_id);
  if (version == 0) return false;
  const auto& known = config_.validation.application_validators;
  return known.empty() || std::ranges::any_of(known, [&](const ApplicationValidator& one) {
           return one.appl_ver_id == version;
         });
}

// FIXT 1.1, ApplVerID: it overrides the DefaultApplVerID of the Logon for one message. What no
// dictionary of ours describes cannot be judged by another one. An empty value is a form fault.
std::optional<StateMachine::Objection> StateMachine::version_objection(
    const Inbound& in) const noexcept {
  if (!version_->has_default_appl_ver_id || in.kind != MsgKind::Application) return std::nullopt;
  const std::optional<std::string_view> own = in.message[tag::ApplVerID];
  if (!own || own->empty() || supports_version(*own)) return std::nullopt;
  return Objection{.reason = number(SessionRejectReason::UnsupportedApplicationVersion),
                   .ref_tag = "1128"};
}

// Of an administrative message any is right: they share the transport dictionary.
const dictionary::Validator& StateMachine::validator_of(const Inbound& in) const noexcept {
  const auto& known = config_.validation.application_validators;
  if (known.empty() || in.kind != MsgKind::Application) return *config_.validation.validator;
  const std::string_view own = in.message[tag::ApplVerID].value_or(std::string_view{});
  const char wanted = own.empty() ? counterparty_appl_ver_id_ : wire::known_appl_ver_id(own);
  const auto found = std::ranges::find(known, wanted, &ApplicationValidator::appl_ver_id);
  return found == known.end() ? *config_.validation.validator : found->validator;
}

// What the dictionary objects to, or without one the parser.
std::optional<StateMachine::Objection> StateMachine::form_objection(const Inbound& in) noexcept {
  if (const std::optional<Objection> found = version_objection(in)) return found;
  if (config_.validation.validator) {
    const dictionary::Validator& validator = validator_of(in);
    const std::optional<dictionary::Violation> violation =
        config_.validation.memory != nullptr
            ? validator.validate(in.message, *config_.validation.memory)
            : validator.validate(in.message);
    return violation ? objection_to(in, *violation) : std::nullopt;
  }
  const std::optional<wire::Fault>& fault = in.message.fault();
  if (!fault) return std::nullopt;
  const bool is_tag = fault->tag_text.size() <= kRefTagBytesMax;
  return Objection{.reason = reason_of(fault->rule),
                   .ref_tag = is_tag ? fault->tag_text : std::string_view{}};
}

// The form of the message comes first, whom it is for and when it was sent second: the answer to a
// missing or empty TargetCompID is "required tag missing" or "without a value", not "CompID
// problem" (TC 14b, 14d).
std::optional<StateMachine::Objection> StateMachine::header_objection(const Inbound& in) noexcept {
  const wire::MessageView& message = in.message;
  if (const std::optional<Objection> objection = form_objection(in)) return objection;
  for (const NamedTag& required : kRequired) {
    if (!message.has(required.tag)) {
      return Objection{.reason = number(SessionRejectReason::RequiredTagMissing),
                       .ref_tag = required.text};
    }
  }
  const wire::FieldResult<WallTime> sending_time = message.get<WallTime>(tag::SendingTime);
  if (!sending_time) {
    return Objection{.reason = number(SessionRejectReason::IncorrectDataFormat), .ref_tag = "52"};
  }
  for (const NamedTag& boolean : kBooleans) {
    if (!is_boolean_if_present(message, boolean.tag)) {
      return Objection{.reason = number(SessionRejectReason::ValueIncorrect),
                       .ref_tag = boolean.text};
    }
  }
  if (config_.header.check_comp_id && !comp_ids_match(message)) {  // TC 2k
    return Objection{.reason = number(SessionRejectReason::CompIdProblem), .ends_session = true};
  }
  const bool may_be_old = in.msg_seq_num <= held_high_;
  if (config_.header.check_latency && !may_be_old &&
      !sending_time_is_near(*sending_time)) {  // TC 2o
    return Objection{.reason = number(SessionRejectReason::SendingTimeAccuracyProblem),
                     .ends_session = true};
  }
  return std::nullopt;
}

// TC 2f, 2g. A SequenceReset need not carry OrigSendingTime: it stands in for messages, and some
// engines leave the field out.
std::optional<StateMachine::Objection> StateMachine::poss_dup_objection(
    const Inbound& in) const noexcept {
  const wire::FieldResult<WallTime> original = in.message.get<WallTime>(tag::OrigSendingTime);
  if (!original) {
    if (original.error().code != wire::FieldErrorCode::Missing) {
      return Objection{.reason = number(SessionRejectReason::IncorrectDataFormat),
                       .ref_tag = "122"};
    }
    if (!config_.header.requires_orig_sending_time || in.kind == MsgKind::SequenceReset) {
      return std::nullopt;
    }
    return Objection{.reason = number(SessionRejectReason::RequiredTagMissing), .ref_tag = "122"};
  }
  const wire::FieldResult<WallTime> sending_time = in.message.get<WallTime>(tag::SendingTime);
  if (sending_time && *original > *sending_time) {
    return Objection{.reason = number(SessionRejectReason::SendingTimeAccuracyProblem),
                     .ends_session = true};
  }
  return std::nullopt;
}

bool StateMachine::comp_ids_match(const wire::MessageView& message) const noexcept {
  return message[tag::SenderCompID] == std::string_view{config_.id.target_comp_id} &&
         message[tag::TargetCompID] == std::string_view{config_.id.sender_comp_id};
}

bool StateMachine::sending_time_is_near(WallTime sending_time) const noexcept {
  // Bounds, not a difference: that of two far times would overflow.
  const WallTime low = now_.wall - config_.header.max_latency;
  const WallTime high = now_.wall + config_.header.max_latency;
  return (is_delayed_ || sending_time >= low) && sending_time <= high;
}

}  // namespace nexusfix::session
