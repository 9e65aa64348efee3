#include "session/sequence/new_seq_no.hpp"

#include <string_view>

#include <nexusfix/session/decisions.hpp>
#include <nexusfix/session/reject_reason.hpp>

#include "session/inbound/inbound.hpp"

namespace nexusfix::session::detail {

NewSeqNo new_seq_no_of(const wire::MessageView& message) noexcept {
  const auto rejected = [](SessionRejectReason reason) {
    return NewSeqNo{.reject_reason = static_cast<unsigned>(reason)};
  };
  const wire::OptionalField<std::uint64_t> value = message.get<std::uint64_t>(tag::NewSeqNo);
  if (value && *value != 0 && *value <= kMsgSeqNumMax) return {.value = *value};
  if (value || value.error().code == wire::FieldErrorCode::OutOfRange) {
    return rejected(SessionRejectReason::ValueIncorrect);
  }
  const bool is_missing = value.error().code == wire::FieldErrorCode::Missing;
  return rejected(is_missing ? SessionRejectReason::RequiredTagMissing
                             : SessionRejectReason::IncorrectDataFormat);
}

bool has_gap_fill_flag_form(const wire::MessageView& message) noexcept {
  const std::string_view flag = message[tag::GapFillFlag].value_or("N");
  return flag == "Y" || flag == "N";
}

}  // namespace nexusfix::session::detail
