// Binds a connection to the session that its first message names.
#include <chrono>
#include <string>

#include <nexusfix/wire/session_tags.hpp>

#include "base/api/utc_text.hpp"
#include "engine/ground/statistics/session_state.hpp"
#include "engine/policy/logon_admission.hpp"
#include "engine/session/admission_rules.hpp"
#include "engine/session/sessions.hpp"
#include "session/api/logon_identity.hpp"

namespace nexusfix::engine {
namespace {

constexpr std::uint32_t kLogonsNotAllowed = 7;  // SessionStatus (1409): "at this time"

// The identity that a Logon claims. Each field is cut to kPartBytesMax bytes.
std::string describe_identity(const wire::MessageView& logon) {
  constexpr std::size_t kPartBytesMax = 64;
  const auto part = [&](wire::Tag tag) {
    return std::to_string(tag) + "=" +
           std::string{logon[tag].value_or("(missing)").substr(0, kPartBytesMax)};
  };
  std::string text =
      part(tag::BeginString) + " " + part(tag::SenderCompID) + " " + part(tag::TargetCompID);
  for (const wire::Tag tag :
       {tag::SenderSubID, tag::TargetSubID, tag::SenderLocationID, tag::TargetLocationID}) {
    if (logon[tag]) text += " " + part(tag);
  }
  return text;
}

}  // namespace

// A connection that cannot be bound is closed without an answer, because an answer would use a
// MsgSeqNum of a session that the peer has not proven to be its own (test cases 1S b, c and e).
bool LogonAdmission::bind(Connection& connection, const wire::MessageView& logon) {
  const LogonCredentials& credentials = connection.credentials();
  const auto refuse = [&](const Refusal& refusal) {
    if (const auto id = session::session_of(logon)) {
      if (SessionEntry* const known = known_acceptor(*id)) {
        ++known->counters->logon_failures;
        known->logons.failed.count(refusal.why, loop_.now().wall);
        publish_state(*known, loop_.now());
      }
    }
    io_.connections.refuse(connection, refusal.id, refusal.why);
    return false;
  };
  if (const auto refusal = refusal_of(connection, logon)) return refuse(*refusal);
  SessionEntry* const entry = find_acceptor(connection, logon);
  if (entry == nullptr && begin_migration(connection, logon)) return false;
  if (entry == nullptr) return refuse({EventId::SessionUnknown, why_unknown(logon)});
  sessions_.control.follow_schedule(*entry);  // It may open at this moment.
  if (const auto refusal = refusal_of(connection, *entry)) return refuse(*refusal);
  if (entry->connection() != nullptr) {
    sessions_.disconnector.close(*entry->connection(), EventId::ConnectionClosed,
                                 "the counterparty connects again after the Logouts");
    if (find_acceptor(connection, logon) != entry) {  // It was removed while it was logged on.
      return refuse({EventId::SessionUnknown, why_unknown(logon)});
    }
  }
  connection.leave_pending();
  connection.bind_to(*entry);
  entry->logons.failed.begin();
  loop_.report.peer(EventId::ConnectionAccepted, *entry,
                    "connection from " + loop_.network->peer_name(connection.socket_id()) +
                        io_.connections.protection_of(connection) +
                        (credentials.text().empty() ? "" : ": " + credentials.text()));
  sessions_.transactor.transact(
      *entry, [this](session::StateMachine& machine) { machine.on_connected(loop_.now()); });
  if (const auto refusal = answered_refusal_of(logon, *entry)) answer(*entry, *refusal);
  return connection.listens();
}

// Reasons that the session has, not the counterparty, which has proven who it is as far as the
// session asks for it: it may know why (FIX Session Layer, "Logon": a Logout with a Text refuses).
std::optional<LogonAdmission::AnsweredRefusal> LogonAdmission::answered_refusal_of(
    const wire::MessageView& logon, const SessionEntry& entry) const {
  if (entry.timetable.is_disabled()) {
    return AnsweredRefusal{.id = EventId::LogonSessionDisabled,
                           .why = "an operator has disabled the session",
                           .answer = {.text = kDisabledText}};
  }
  if (!entry.timetable.is_open()) {
    const auto next = entry.settings().schedule.next_logon(
        std::chrono::floor<std::chrono::seconds>(loop_.now().wall));
    const std::string until = next ? " until " + utc_text(*next, UtcForm::Plain) + " UTC" : "";
    return AnsweredRefusal{.id = EventId::LogonOutsideSchedule,
                           .why = "the session is closed by its schedule" + until,
                           .text = "Session closed by its schedule" + until,
                           .answer = {.session_status = kLogonsNotAllowed}};
  }
  if (entry.acceptor.halt.accepts_only_reset() &&
      logon[tag::ResetSeqNumFlag] != std::string_view{"Y"}) {
    return AnsweredRefusal{
        .id = EventId::SessionAwaitsOperator,
        .why = "the session waits for an operator to set its sequence numbers (NXF-2009 says why)",
        .answer = {.text = "Session halted: its operator must set the sequence numbers"}};
  }
  return std::nullopt;
}

// Without an answer if the application decides who may log on: it has not been asked yet.
void LogonAdmission::answer(SessionEntry& entry, AnsweredRefusal refusal) {
  if (!refusal.text.empty()) refusal.answer.text = refusal.text;
  loop_.report.peer(refusal.id, entry, "its Logon is refused: " + refusal.why);
  entry.logons.failed.on_refusal(refusal.why);
  if (!entry.machine.config().logon.answers_invalid) {
    return sessions_.disconnector.close(*entry.connection());
  }
  sessions_.transactor.transact(entry, [&](session::StateMachine& machine) {
    machine.on_logon_refused(refusal.answer, loop_.now());
  });
}

// Runs before the Logon creates a session from a template, or is bound to one.
std::optional<LogonAdmission::Refusal> LogonAdmission::refusal_of(const Connection& connection,
                                                                  const wire::MessageView& logon) {
  if (logon.msg_type() != std::string_view{"A"}) {
    return Refusal{EventId::FirstMessageNotLogon, "the first message is not a Logon"};
  }
  const LogonCredentials& credentials = connection.credentials();
  if (credentials.are_refused()) {
    return Refusal{EventId::PasswordRefused, describe_identity(logon) + ": " + credentials.text()};
  }
  const SessionSettings* const settings = acceptor_settings(connection, logon);
  if (settings == nullptr) return std::nullopt;
  // The port has the largest limit of its sessions; this session may allow less.
  if (logon.bytes().size() > settings->limits.logon_bytes_max) {
    return Refusal{EventId::LogonTooLong,
                   describe_identity(logon) + ": " + std::string{kLogonTooLong}};
  }
  const std::string fault = io_.connections.certificate_fault(connection, *settings);
  if (fault.empty()) return std::nullopt;
  return Refusal{EventId::CertificateRefused, describe_identity(logon) + ": " + fault};
}

std::optional<LogonAdmission::Refusal> LogonAdmission::refusal_of(const Connection& connection,
                                                                  const SessionEntry& entry) const {
  const std::string session = "session " + entry.name;
  if (!may_come_from(entry.settings(), loop_.network->peer_name(connection.socket_id()))) {
    return Refusal{EventId::SessionAddressRefused, session + " is not allowed from this address"};
  }
  // No client that needs a password is admitted without the right one, whatever the cause.
  if (!entry.settings().credentials.password_file.empty() &&
      !connection.credentials().are_right()) {
    return Refusal{EventId::PasswordNotChecked, session + ": its password was not checked"};
  }
  if (entry.connection() != nullptr && !entry.machine.is_to_be_closed()) {
    return Refusal{EventId::SessionAlreadyLoggedOn,
                   session + " is logged on from elsewhere already: " +
                       loop_.network->peer_name(entry.connection()->socket_id())};
  }
  return std::nullopt;
}

std::optional<std::uint32_t> LogonAdmission::other_loop_of(const wire::MessageView& logon) const {
  if (!loop_.shared.directory) return std::nullopt;
  const auto id = session::session_of(logon);
  const auto other = id ? loop_.shared.directory->find(*id) : std::nullopt;
  return other == loop_.index ? std::nullopt : other;
}

bool LogonAdmission::begin_migration(Connection& connection, const wire::MessageView& logon) const {
  const auto other = other_loop_of(logon);
  if (!other) return false;
  connection.begin_migration({.loop = *other, .bytes = std::string{logon.bytes()}});
  return true;
}

SessionEntry* LogonAdmission::find_acceptor(const Connection& connection,
                                            const wire::MessageView& logon) {
  const auto id = session::session_of(logon);
  if (!id) return nullptr;
  if (SessionEntry* const entry = known_acceptor(*id)) {
    return entry->acceptor.listener() == connection.accepted().listener ? entry : nullptr;
  }
  return sessions_.dynamic.make_dynamic(connection, session::without_sub_ids(*id));
}

// A session that is configured without SubIDs and LocationIDs accepts all of them.
SessionEntry* LogonAdmission::known_acceptor(const session::SessionId& id) {
  SessionEntry* const found = sessions_.registry.find_acceptor(id.to_string());
  if (found != nullptr || !id.has_sub_ids()) return found;
  return sessions_.registry.find_acceptor(session::without_sub_ids(id).to_string());
}

std::string LogonAdmission::why_unknown(const wire::MessageView& logon) const {
  if (const auto id = session::session_of(logon)) {
    auto found = refused_sessions_.find(id->to_string());
    if (found == refused_sessions_.end()) {
      found = refused_sessions_.find(session::without_sub_ids(*id).to_string());
    }
    if (found != refused_sessions_.end()) {
      return "session " + found->first + " is not served since the start: " + found->second;
    }
  }
  return "no session of this configuration has these CompIDs and this BeginString: " +
         describe_identity(logon);
}

}  // namespace nexusfix::engine
