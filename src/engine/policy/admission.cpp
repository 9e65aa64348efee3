#include "engine/policy/admission.hpp"

#include <algorithm>
#include <utility>

#include <nexusfix/wire/field.hpp>

#include "base/api/utc_text.hpp"
#include "engine/link/io.hpp"

namespace nexusfix::engine {
namespace {

constexpr std::uint32_t kLogonsNotAllowed = 7;  // SessionStatus (1409): "at this time"

// How soon a delayed Logon is tried again. These alarms also show whether the loop is still late.
constexpr std::chrono::milliseconds kHeldBack{100};
// The loop is in time again, and admits others first.
constexpr std::chrono::milliseconds kNextTurns{10};

constexpr std::array kIdentityTags{tag::BeginString,     tag::SenderCompID, tag::TargetCompID,
                                   tag::SenderSubID,     tag::TargetSubID,  tag::SenderLocationID,
                                   tag::TargetLocationID};
constexpr std::size_t kAlwaysNamed = 3;  // also if they are missing
constexpr std::size_t kSender = 1;

// Each field is cut to kPartBytesMax bytes.
std::string text_of(const ClaimedIdentity& identity) {
  constexpr std::size_t kPartBytesMax = 64;
  std::string text;
  for (std::size_t i = 0; i < identity.size(); ++i) {
    if (i >= kAlwaysNamed && !identity[i]) continue;
    text += (i == 0 ? "" : " ") + std::to_string(kIdentityTags[i]) + "=";
    text += identity[i].value_or("(missing)").substr(0, kPartBytesMax);
  }
  return text;
}

Refuse refuse(EventId id, std::string why) { return {.id = id, .why = std::move(why)}; }

// No session of this loop is at the port, and no template makes one.
Admission decide_unknown(const LogonFacts& facts) {
  if (facts.other_loop) return MoveToLoop{*facts.other_loop};
  Refuse refusal{
      .id = EventId::SessionUnknown,
      .why = "no session of this configuration has these CompIDs and this BeginString: " +
             text_of(facts.identity)};
  if (!facts.broken.empty()) {
    refusal.why = "session " + std::string{facts.broken} +
                  " is not served since the start: " + std::string{facts.broken_why};
  }
  if (!facts.not_made) return refusal;
  const std::string none = "no session is made for " + facts.name + ": ";
  switch (facts.not_made->reason) {
    case NotMade::Reason::TooMany:
      refusal.not_made = EventId::TemplateLimitReached;
      refusal.not_made_why = none + "DynamicSessionsMax of them have been made since the start";
      break;
    case NotMade::Reason::TooManyOfSource:
      refusal.not_made = EventId::TemplateLimitReached;
      refusal.not_made_why =
          none + "half of DynamicSessionsMax has been made for its address since the start";
      break;
    case NotMade::Reason::NotStored:
      refusal.not_made = EventId::SessionNotStored;
      refusal.not_made_why = facts.not_made->text;
      break;
  }
  return refusal;
}

// The counterparty is the session's.
Admission decide_on(const SessionFacts& session, const LogonFacts& facts, Now now) {
  if (session.is_connected && !session.is_to_be_closed) {
    return refuse(EventId::SessionAlreadyLoggedOn,
                  "session " + facts.name +
                      " is logged on from elsewhere already: " + session.connected_from);
  }
  if (session.is_connected) return TakeOver{};
  if (session.is_disabled) {
    return RefuseByLogout{.id = EventId::LogonSessionDisabled,
                          .why = "an operator has disabled the session",
                          .text = std::string{kDisabledText}};
  }
  if (!session.is_open) {
    const auto next =
        facts.settings->schedule.next_logon(std::chrono::floor<std::chrono::seconds>(now.wall));
    const std::string until = next ? " until " + utc_text(*next, UtcForm::Plain) + " UTC" : "";
    return RefuseByLogout{.id = EventId::LogonOutsideSchedule,
                          .why = "the session is closed by its schedule" + until,
                          .text = "Session closed by its schedule" + until,
                          .session_status = kLogonsNotAllowed};
  }
  if (session.awaits_operator && !facts.resets) {
    return RefuseByLogout{
        .id = EventId::SessionAwaitsOperator,
        .why = "the session waits for an operator to set its sequence numbers (NXF-2009 says why)",
        .text = "Session halted: its operator must set the sequence numbers"};
  }
  return Bind{};
}

}  // namespace

bool may_come_from(const SessionSettings& settings, std::string_view peer_name) {
  return settings.admission.allowed_remote_addresses.contains(
      transport::peer_address_of(peer_name));
}

bool is_users_session(const SessionSettings& settings, std::string_view comp_id,
                      std::string_view username) {
  return username == comp_id || std::ranges::any_of(settings.credentials.allowed_usernames,
                                                    [&](const std::string& allowed) {
                                                      return allowed == "*" || allowed == username;
                                                    });
}

std::string certificate_fault(const SessionSettings& settings,
                              const std::vector<std::string>& shown) {
  const std::vector<std::string>& allowed = settings.admission.allowed_certificates;
  if (allowed.empty()) return {};
  if (shown.empty()) return "it has shown no certificate, and AllowedCertificates asks for one";
  if (std::ranges::find_first_of(shown, allowed) != shown.end()) return {};
  std::string text = "its certificate is none of AllowedCertificates:";
  constexpr std::size_t kLoggedBytesMax = 400;
  for (const std::string& one : shown) {
    if (text.size() + one.size() > kLoggedBytesMax) return text + " ...";
    text += " " + one;
  }
  return text;
}

ClaimedIdentity claimed_identity(const wire::MessageView& logon) {
  ClaimedIdentity identity;
  std::ranges::transform(kIdentityTags, identity.begin(),
                         [&](wire::Tag tag) { return logon[tag]; });
  return identity;
}

Admission decide(const LogonFacts& facts, Now now) {
  using Password = LogonFacts::Password;
  if (facts.bytes > facts.port_bytes_max) {
    return refuse(EventId::LogonTooLong, std::string{kLogonTooLong});
  }
  if (facts.fault) {
    return refuse(EventId::NotFix,
                  "what came first is no FIX message: " + std::string{to_string(*facts.fault)});
  }
  if (!facts.is_logon) {
    return refuse(EventId::FirstMessageNotLogon, "the first message is not a Logon");
  }
  // Sessions that are logged on come first. The other loop may be in time.
  if (facts.is_late && !facts.other_loop) return WaitForLoop{kHeldBack};
  if (facts.password == Password::Refused) {
    return refuse(EventId::PasswordRefused,
                  text_of(facts.identity) + ": " + std::string{facts.password_text});
  }
  if (facts.settings == nullptr) return decide_unknown(facts);
  // The port has the largest limit of its sessions; this session may allow less.
  if (facts.bytes > facts.settings->limits.logon_bytes_max) {
    return refuse(EventId::LogonTooLong,
                  text_of(facts.identity) + ": " + std::string{kLogonTooLong});
  }
  if (const std::string fault = certificate_fault(*facts.settings, facts.certificates);
      !fault.empty()) {
    return refuse(EventId::CertificateRefused, text_of(facts.identity) + ": " + fault);
  }
  if (!may_come_from(*facts.settings, facts.peer)) {
    if (!facts.session) return decide_unknown(facts);
    return refuse(EventId::SessionAddressRefused,
                  "session " + facts.name + " is not allowed from this address");
  }
  // No client that needs a password is admitted without the right one, whatever the cause. Without
  // it a template makes no session, which would stay.
  if (!facts.settings->credentials.password_file.empty() && facts.password != Password::Accepted) {
    if (facts.can_check_passwords) {
      return CheckPassword{
          is_users_session(*facts.settings, facts.identity[kSender].value_or(""), facts.username)};
    }
    if (!facts.session) return decide_unknown(facts);
    return refuse(EventId::PasswordNotChecked,
                  "session " + facts.name + ": its password was not checked");
  }
  if (facts.session) return decide_on(*facts.session, facts, now);
  if (facts.not_made) return decide_unknown(facts);
  return MakeSession{};
}

std::variant<Wait, WaitForLoop, Refuse> decide(const WaitFacts& facts) {
  const bool is_delayed = facts.state == LinkState::Deferred && facts.is_due;
  if (is_delayed && !facts.is_late && !facts.is_turn_full) return Wait::End;
  if (!facts.is_over) {
    if (is_delayed) return WaitForLoop{facts.is_late ? kHeldBack : kNextTurns};
    return Wait::GoOn;
  }
  if (facts.state == LinkState::CheckingPassword) {
    return refuse(EventId::PasswordCheckTimedOut,
                  "its Logon has waited for LogonTimeout, and its password is not checked yet");
  }
  if (facts.state == LinkState::Deferred) {
    return refuse(EventId::LogonTimedOutLoopLate,
                  "its Logon has waited for LogonTimeout, and the event loop is still late");
  }
  return refuse(EventId::LogonTimedOut, "no Logon came in time" + facts.protection);
}

}  // namespace nexusfix::engine
