#include "session/inbound/header_check.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <system_error>
#include <utility>

#include <nexusfix/session/identity.hpp>
#include <nexusfix/wire/typed.hpp>

namespace nexusfix::session::detail {
namespace {

using FaultRule = wire::Fault::Rule;

// RefTagID is an int. It is sent as the tag came, so only where it reads back as that.
bool is_ref_tag(std::string_view text) noexcept {
  std::int32_t number = 0;
  const char* const end = text.data() + text.size();
  const std::from_chars_result read = std::from_chars(text.data(), end, number);
  if (read.ec != std::errc{} || read.ptr != end) return false;
  return text == "0" || (!text.starts_with('0') && !text.starts_with("-0"));
}

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

constexpr std::array kBooleans{NamedTag{tag::PossDupFlag, "43"}, NamedTag{tag::PossResend, "97"}};

}  // namespace

// tag_text: the bytes before the `=` of a malformed field.
Objection HeaderCheck::form_fault(unsigned reason, std::string_view tag_text) noexcept {
  if (is_ref_tag(tag_text)) return {.reason = reason, .ref_tag = tag_text};
  return {.reason = reason,
          .text = texts_.with_unreadable_tag(session_reject_text(reason), tag_text)};
}

std::optional<Objection> HeaderCheck::objection_of(
    const Inbound& in, const dictionary::Violation& violation) noexcept {
  const unsigned reason = number(violation.reason());
  const bool is_rejected =
      rules_.config.validation.reject_invalid_message || !is_readable(violation.rule);
  if (is_rejected && violation.tag == 0) return form_fault(reason, violation.tag_text);
  const std::string_view ref_tag =
      violation.tag != 0 ? texts_.ref_tag(violation.tag) : std::string_view{};
  if (is_rejected) return Objection{.reason = reason, .ref_tag = ref_tag};
  actions_.notice(NoticeCode::MessageInvalid, texts_.with_tag(session_reject_text(reason), ref_tag),
                  at_.next_inbound, in.msg_seq_num);
  return std::nullopt;
}

bool supports_version(const ValidationConfig& config, std::string_view appl_ver_id) noexcept {
  const char version = wire::known_appl_ver_id(appl_ver_id);
  if (version == 0) return false;
  const auto& known = config.application_validators;
  return known.empty() || std::ranges::any_of(known, [&](const ApplicationValidator& one) {
           return one.appl_ver_id == version;
         });
}

// FIXT 1.1, ApplVerID: it overrides the DefaultApplVerID of the Logon for one message. What no
// of our dictionaries describes cannot be judged by another one. An empty value is a form fault.
std::optional<Objection> HeaderCheck::version_objection(const Inbound& in) const noexcept {
  if (!rules_.version.has_default_appl_ver_id || in.kind != MsgKind::Application)
    return std::nullopt;
  const std::optional<std::string_view> own = in.message[tag::ApplVerID];
  if (!own || own->empty() || supports_version(rules_.config.validation, *own)) return std::nullopt;
  return Objection{.reason = number(SessionRejectReason::UnsupportedApplicationVersion),
                   .ref_tag = "1128"};
}

const dictionary::Validator& HeaderCheck::validator_of(const Inbound& in) const noexcept {
  const ValidationConfig& config = rules_.config.validation;
  if (in.kind != MsgKind::Application) return *config.validator;
  const std::string_view own = in.message[tag::ApplVerID].value_or(std::string_view{});
  return validator_of_version(
      config, own.empty() ? rules_.counterparty_appl_ver_id : wire::known_appl_ver_id(own));
}

const dictionary::Validator& validator_of_version(const ValidationConfig& config,
                                                  char appl_ver_id) noexcept {
  const auto& known = config.application_validators;
  const auto found = std::ranges::find(known, appl_ver_id, &ApplicationValidator::appl_ver_id);
  return found == known.end() ? *config.validator : found->validator;
}

// What the dictionary objects to, or without one the parser.
std::optional<Objection> HeaderCheck::form_objection(const Inbound& in) noexcept {
  if (const std::optional<Objection> found = version_objection(in)) return found;
  if (rules_.config.validation.validator) {
    const dictionary::Validator& validator = validator_of(in);
    const std::optional<dictionary::Violation> violation =
        rules_.config.validation.memory != nullptr
            ? validator.validate(in.message, *rules_.config.validation.memory)
            : validator.validate(in.message);
    return violation ? objection_of(in, *violation) : std::nullopt;
  }
  const std::optional<wire::Fault>& fault = in.message.fault();
  if (!fault) return std::nullopt;
  return form_fault(reason_of(fault->rule), fault->tag_text);
}

std::optional<Objection> HeaderCheck::objection_to(const Inbound& in) noexcept {
  const wire::MessageView& message = in.message;
  if (const std::optional<Objection> objection = form_objection(in)) return objection;
  // The lowest of several that are missing is named.
  const auto missing = [](std::string_view ref_tag) {
    return Objection{.reason = number(SessionRejectReason::RequiredTagMissing), .ref_tag = ref_tag};
  };
  const std::optional<std::string_view> sender = message[tag::SenderCompID];
  const wire::OptionalField<WallTime> sending_time = message.get<WallTime>(tag::SendingTime);
  const std::optional<std::string_view> target = message[tag::TargetCompID];
  if (!sender) return missing("49");
  if (!sending_time && sending_time.error().code == wire::FieldErrorCode::Missing) {
    return missing("52");
  }
  if (!target) return missing("56");
  if (!sending_time) {
    return Objection{.reason = number(SessionRejectReason::IncorrectDataFormat), .ref_tag = "52"};
  }
  for (const NamedTag& boolean : kBooleans) {
    if (!is_boolean_if_present(message, boolean.tag)) {
      return Objection{.reason = number(SessionRejectReason::ValueIncorrect),
                       .ref_tag = boolean.text};
    }
  }
  const SessionConfig& config = rules_.config;
  if (config.header.check_comp_id &&
      (*sender != config.id.target_comp_id || *target != config.id.sender_comp_id)) {  // TC 2k
    return Objection{.reason = number(SessionRejectReason::CompIdProblem),
                     .ends_session = true,
                     .note = texts_.comp_ids(message, config.id)};
  }
  const bool may_be_old = in.msg_seq_num <= at_.highest_out_of_order;
  if (config.header.check_latency && !may_be_old &&
      !is_sending_time_near(*sending_time, config.header, at_)) {  // TC 2o
    return Objection{.reason = number(SessionRejectReason::SendingTimeAccuracyProblem),
                     .ends_session = true,
                     .note = texts_.sending_time(*sending_time, at_.now)};
  }
  return std::nullopt;
}

// TC 2f, 2g. A SequenceReset need not carry OrigSendingTime: it stands in for messages, and some
// engines leave the field out.
std::optional<Objection> poss_dup_objection(const Inbound& in,
                                            const HeaderConfig& config) noexcept {
  const wire::OptionalField<WallTime> original = in.message.get<WallTime>(tag::OrigSendingTime);
  if (!original) {
    if (original.error().code != wire::FieldErrorCode::Missing) {
      return Objection{.reason = number(SessionRejectReason::IncorrectDataFormat),
                       .ref_tag = "122"};
    }
    if (!config.requires_orig_sending_time || in.kind == MsgKind::SequenceReset) {
      return std::nullopt;
    }
    return Objection{.reason = number(SessionRejectReason::RequiredTagMissing), .ref_tag = "122"};
  }
  const wire::OptionalField<WallTime> sending_time = in.message.get<WallTime>(tag::SendingTime);
  if (sending_time && *original > *sending_time) {
    return Objection{.reason = number(SessionRejectReason::SendingTimeAccuracyProblem),
                     .ends_session = true,
                     .note = "OrigSendingTime is after SendingTime"};
  }
  return std::nullopt;
}

bool is_sending_time_near(WallTime sending_time, const HeaderConfig& config,
                          const HeaderCache::Position& at) noexcept {
  // Bounds, not a difference: that of two far times would overflow.
  const WallTime low = at.now - config.max_latency;
  const WallTime high = at.now + config.max_latency;
  return (at.is_delayed || sending_time >= low) && sending_time <= high;
}

}  // namespace nexusfix::session::detail
