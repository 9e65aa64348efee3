#include "session/logon_check.hpp"

#include <charconv>
#include <chrono>

#include <nexusfix/wire/field.hpp>

#include "session/api/config.hpp"
#include "session/inbound/header_check.hpp"

namespace nexusfix::session::detail {
namespace {

// The bytes of a value that is repeated in a text.
constexpr std::size_t kShownBytesMax = 20;

std::optional<std::chrono::seconds> heart_bt_int_of(const wire::MessageView& message) noexcept {
  const wire::OptionalField<std::int64_t> value = message.get<std::int64_t>(tag::HeartBtInt);
  if (!value || *value < 0 || *value > kHeartBtIntMax.count()) return std::nullopt;
  return std::chrono::seconds{*value};
}

std::string_view reset_flag_error(const Inbound& in, const ResetConfig& config,
                                  bool answers_our_reset) noexcept {
  const std::string_view flag = in.message[tag::ResetSeqNumFlag].value_or("N");
  if (flag != "Y" && flag != "N") return "ResetSeqNumFlag is neither Y nor N";
  if (flag == "Y" && in.msg_seq_num != 1) return "ResetSeqNumFlag with MsgSeqNum other than 1";
  if (flag == "Y" && !config.allows_reset_seq_num_flag && !answers_our_reset) {
    return "ResetSeqNumFlag is not accepted";
  }
  return {};
}

// The number after word; 0: there is none.
std::uint64_t number_after(std::string_view text, std::string_view word) noexcept {
  const std::size_t at = text.find(word);
  if (at == std::string_view::npos) return 0;
  const std::string_view rest = text.substr(at + word.size());
  std::uint64_t number = 0;
  std::from_chars(rest.data(), rest.data() + rest.size(), number);
  return number;
}

bool contradicts_too_low(const NumbersClaim& claim, const SentNumbers& sent) noexcept {
  if (claim.expecting == 0) return false;
  if (claim.received == 0) return claim.expecting <= sent.first;
  if (claim.received >= claim.expecting) return true;
  if (claim.received < sent.first || claim.received >= sent.next_outbound) return true;
  return claim.received != sent.first && claim.expecting <= sent.next_outbound;
}

bool contradicts_too_high(const NumbersClaim& claim, const SentNumbers& sent) noexcept {
  if (sent.next_expected == 0) return true;
  if (claim.expecting == 0 || claim.received == 0) return false;
  return claim.received <= claim.expecting || claim.received > sent.next_expected;
}

}  // namespace

NumbersClaim numbers_claim(std::string_view text, const SentNumbers& sent) noexcept {
  using Kind = NumbersClaim::Kind;
  const bool is_too_low = text.starts_with(std::string_view{"MsgSeqNum too low"});
  const bool is_too_high = text.starts_with(std::string_view{"NextExpectedMsgSeqNum too high"});
  if (!is_too_low && !is_too_high) return {};
  NumbersClaim claim{.expecting = number_after(text, "expecting "),
                     .received = number_after(text, "received ")};
  const bool is_untrue =
      is_too_low ? contradicts_too_low(claim, sent) : contradicts_too_high(claim, sent);
  claim.kind = is_untrue ? Kind::Untrue : Kind::Lost;
  return claim;
}

LogonFacts facts_of(const Inbound& in, const SessionConfig& config,
                    const VersionTraits& version) noexcept {
  LogonFacts facts;
  facts.msg_seq_num = in.msg_seq_num;
  facts.wants_reset = version.has_reset_seq_num_flag && in.says_yes(tag::ResetSeqNumFlag);
  facts.heart_bt_int = heart_bt_int_of(in.message).value_or(config.heartbeat.heart_bt_int);
  const wire::OptionalField<std::uint64_t> next =
      in.message.get<std::uint64_t>(tag::NextExpectedMsgSeqNum);
  if (exchanges_next_expected(config, version) && next && !facts.wants_reset) {
    facts.next_expected = *next;
  }
  if (version.has_default_appl_ver_id) {
    facts.appl_ver_id = wire::known_appl_ver_id(in.message[tag::DefaultApplVerID].value_or("9"));
  }
  return facts;
}

std::string_view logon_error(const Inbound& in, const std::optional<Objection>& objection,
                             const SessionConfig& config, const VersionTraits& version,
                             bool answers_our_reset, EventTexts& texts) noexcept {
  if (objection) return texts.with_tag(session_reject_text(objection->reason), objection->ref_tag);
  const wire::MessageView& message = in.message;
  if (message.get<std::int64_t>(tag::EncryptMethod) != 0) return "EncryptMethod is not 0";
  const std::optional<std::chrono::seconds> heart_bt_int = heart_bt_int_of(message);
  if (!heart_bt_int) return "HeartBtInt is not between 0 and 3600";
  if (config.role == Role::Acceptor && (*heart_bt_int < config.heartbeat.heart_bt_int_min ||
                                        *heart_bt_int > config.heartbeat.heart_bt_int_max)) {
    return "HeartBtInt is not in the range that is accepted";
  }
  if (version.has_reset_seq_num_flag) {
    const std::string_view wrong = reset_flag_error(in, config.reset, answers_our_reset);
    if (!wrong.empty()) return wrong;
  }
  if (exchanges_next_expected(config, version)) {
    const auto next = message.get<std::uint64_t>(tag::NextExpectedMsgSeqNum);
    const bool is_missing = !next && next.error().code == wire::FieldErrorCode::Missing;
    if (!is_missing && (!next || *next == 0)) return "NextExpectedMsgSeqNum is not a number";
  }
  if (version.has_default_appl_ver_id) {
    const std::optional<std::string_view> appl_ver_id = message[tag::DefaultApplVerID];
    if (!appl_ver_id) return "DefaultApplVerID missing";
    if (!supports_version(config.validation, *appl_ver_id)) {
      return texts.with_tag("DefaultApplVerID is not supported",
                            appl_ver_id->substr(0, kShownBytesMax));
    }
  }
  return {};
}

bool is_worth_an_answer(const Inbound& in, const std::optional<Objection>& objection,
                        const SessionConfig& config, const VersionTraits& version) noexcept {
  if (!config.logon.answers_invalid) return false;
  if (in.message.begin_string() != config.id.begin_string) return false;
  if (objection && objection->ends_session) return false;
  return !version.has_default_appl_ver_id || in.message.has(tag::DefaultApplVerID);
}

}  // namespace nexusfix::session::detail
