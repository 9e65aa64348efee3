// Binds a connection to the session that its first message names.
#include <chrono>
#include <string>
#include <utility>

#include <nexusfix/wire/field.hpp>

#include "base/api/utc_text.hpp"
#include "engine/ground/loop_context.hpp"
#include "engine/ground/statistics/session_state.hpp"
#include "engine/policy/policy.hpp"
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

// How soon a delayed Logon is tried again. These alarms also show whether the loop is still late.
constexpr std::chrono::milliseconds kHeldBack{100};
// At most this number of delayed Logons is admitted in one turn; the others follow in the next
// turns. All at once would make the loop late again.
constexpr unsigned kAdmittedPerTurn = 64;
constexpr std::chrono::milliseconds kNextTurns{10};

}  // namespace

// No Logon was received yet.
std::size_t LogonAdmission::on_first_frame(Connection& connection, std::string_view frame) {
  if (frame.size() > connection.accepted().logon_bytes_max) [[unlikely]] {
    loop_.report.logs().unknown(frame, /*is_message=*/false, loop_.now().wall);
    io_.connections.refuse(connection, EventId::LogonTooLong, kLogonTooLong);
    return frame.size();
  }
  const std::size_t whole = frame.size();
  auto message = loop_.parsers.inbound.parse(frame);
  if (!message) [[unlikely]] {
    const wire::GarbledReason reason = message.error().reason;
    message = parse_repaired(connection, reason, frame);
    if (!message) {
      io_.reader.refuse_no_fix(connection, reason, frame);
      return frame.size();
    }
  }
  if (delays_logon(connection, *message) || waits_for_credentials(connection, *message))
    return kMustWait;
  connection.framing().set_unsound(whole - frame.size());
  if (bind(connection, *message)) {
    sessions_.inbound.on_first_message(connection, *connection.entry(), *message, frame);
    return frame.size();
  }
  ++loop_.stats.messages_in;
  loop_.stats.bytes_in += frame.size();
  if (!connection.is_migrating()) {  // the other loop logs it
    loop_.report.logs().unknown(frame, /*is_message=*/true, loop_.now().wall);
  }
  return frame.size();
}

// ValidateLengthAndChecksum=N: by the rules of the session that the Logon names. If that is on
// another loop, that loop checks them.
std::expected<wire::MessageView, wire::ParseError> LogonAdmission::parse_repaired(
    const Connection& connection, wire::GarbledReason reason, std::string_view& frame) {
  const std::unexpected failure{wire::ParseError{reason, 0}};
  const bool is_accepted = loop_.parsers.accepts_unsound ||
                           (loop_.shared.directory && loop_.shared.directory->accepts_unsound());
  if (!can_be_repaired(reason) || !is_accepted) return failure;
  const std::string_view whole = frame;
  auto logon = repaired_.parse(loop_.parsers.inbound, frame, /*validates_length=*/false);
  if (!logon) return failure;
  const SessionSettings* const settings = acceptor_settings(connection, *logon);
  if (settings == nullptr && loop_.shared.directory) return logon;
  if (settings != nullptr && !settings->validates_check_sum && !settings->validates_length)
    return logon;
  frame = whole;
  if (settings == nullptr || settings->validates_check_sum) return failure;
  return repaired_.parse(loop_.parsers.inbound, frame, /*validates_length=*/true);
}

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
  if (entry.schedule_status.is_disabled()) {
    return AnsweredRefusal{.id = EventId::LogonSessionDisabled,
                           .why = "an operator has disabled the session",
                           .answer = {.text = kDisabledText}};
  }
  if (!entry.schedule_status.is_open()) {
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

// Logons wait while the event loop is late, so that they do not delay the sessions that are logged
// on. due: the earliest deadline that has passed.
void LogonAdmission::record_lateness(MonoTime due) {
  admitted_this_turn_ = 0;
  lateness_.done(due, loop_.now().mono);
  if (const auto late = stall_detector_.done(due, loop_.now().mono)) [[unlikely]] {
    loop_.report.engine(
        EventId::LoopStalled,
        "the event loop was stalled: what was due is done " +
            std::to_string(*late / std::chrono::milliseconds{1}) +
            " ms later. It waited for the disk, a callback or a processor, or the machine was "
            "suspended");
  }
  if (!logons_wait_ || lateness_.is_late(loop_.now().mono)) [[likely]]
    return;
  logons_wait_ = false;
  loop_.report.engine_limited(EventId::LogonsResumed,
                              "the event loop is in time again: Logons are answered");
}

// The first message of an unauthenticated peer while the loop is late. It stays in `carried` like
// an incomplete message; LogonTimeout bounds the wait.
bool LogonAdmission::delays_logon(Connection& connection, const wire::MessageView& logon) {
  if (!lateness_.is_late(loop_.now().mono)) [[likely]]
    return false;
  if (logon.msg_type() != std::string_view{"A"} || other_loop_of(logon)) return false;
  if (!logons_wait_) {
    logons_wait_ = true;
    loop_.report.engine_limited(
        EventId::LogonsDelayed,
        "the event loop is late, its timers by more than " +
            std::to_string(lateness_.late_max() / std::chrono::milliseconds{1}) +
            " ms: Logons wait until it is in time again");
  }
  connection.defer_logon(loop_.now().mono, loop_.now().mono + kHeldBack, loop_.work);
  loop_.arm(connection, connection.paused_until());
  loop_.network->pause(connection.socket_id(), true);
  return true;
}

// Whether the delayed Logon is admitted now. False: paused_until() is the time of the next attempt.
bool LogonAdmission::admits_delayed(Connection& connection) {
  if (connection.is_checking_password()) return false;
  const bool is_late = lateness_.is_late(loop_.now().mono);
  if (!is_late && admitted_this_turn_ < kAdmittedPerTurn) {
    ++admitted_this_turn_;
    return true;
  }
  connection.defer_logon_again(loop_.now().mono + (is_late ? kHeldBack : kNextTurns));
  return false;
}

// During the check of its password a Logon waits, as it does for a late loop, and has no session
// yet: a client without a valid password occupies no session, and creates none from a template.

// A connection that was closed meanwhile has no answer; a failure has been counted nevertheless.
Connection* LogonAdmission::finish_check(Credentials::Decision& decision) {
  if (!decision.trouble.empty()) {
    loop_.report.engine_limited(EventId::PasswordFileFailed, decision.trouble);
  }
  if (!decision.lockout.empty()) {
    loop_.report.engine_limited(EventId::AddressLockedOut, decision.lockout);
  }
  Connection* const connection = io_.connections.find(decision.socket);
  if (decision.is_change) {
    on_password_changed(connection, decision);
    return nullptr;
  }
  if (connection == nullptr || !connection->is_checking_password()) return nullptr;
  LogonCredentials& credentials = connection->credentials();
  if (decision.is_right) {
    credentials.admit(std::move(decision.text), std::move(decision.change));
  } else {
    credentials.refuse(std::move(decision.text));
  }
  return connection;
}

void LogonAdmission::on_password_changed(Connection* connection,
                                         const Credentials::Decision& decision) {
  SessionEntry* const entry = connection == nullptr ? nullptr : connection->entry();
  const bool waits = entry != nullptr && entry->machine.state() == session::State::LogonReceived &&
                     connection->credentials().is_changing();
  if (!waits) {
    return loop_.report.engine_limited(
        EventId::PasswordChangeUnanswered,
        decision.text + "; its Logon ended before without an answer");
  }
  loop_.report.peer(decision.is_right ? EventId::PasswordChanged : EventId::PasswordNotChanged,
                    *entry, decision.text);
  connection->credentials().end_change(decision.is_right);
  LogonAnswer answer = entry->logons.password_change.consume_answer();
  if (!decision.is_right) {
    answer = LogonAnswer::refuse("NewPassword (925) cannot be taken");
  }
  sessions_.actions.answer_logon(*entry, entry->logons.password_change.logon_id(), answer);
}

// The settings of the session that the Logon names, or of the template that would create it; null:
// this loop has neither.
const SessionSettings* LogonAdmission::acceptor_settings(const Connection& connection,
                                                         const wire::MessageView& logon) {
  const auto id = session::session_of(logon);
  if (!id) return nullptr;
  if (const SessionEntry* entry = known_acceptor(*id)) {
    return entry->acceptor.listener() == connection.accepted().listener ? &entry->settings()
                                                                        : nullptr;
  }
  const SessionTemplate* const found =
      sessions_.dynamic.template_for(connection, session::without_sub_ids(*id));
  return found == nullptr ? nullptr : &found->settings;
}

bool LogonAdmission::waits_for_credentials(Connection& connection, const wire::MessageView& logon) {
  if (!loop_.shared.credentials || !connection.credentials().are_unchecked()) return false;
  if (logon.msg_type() != std::string_view{"A"}) return false;
  const SessionSettings* const settings = acceptor_settings(connection, logon);
  if (settings == nullptr || settings->credentials.password_file.empty()) return false;
  const std::string peer = loop_.network->peer_name(connection.socket_id());
  if (!may_come_from(*settings, peer) ||
      !io_.connections.certificate_fault(connection, *settings).empty()) {
    return false;  // bind() refuses it.
  }
  const auto text_of = [&](wire::Tag tag) { return std::string{logon[tag].value_or("")}; };
  const std::string comp_id = text_of(tag::SenderCompID);
  Credentials::Check check{
      .loop = loop_.index,
      .socket = connection.socket_id(),
      .file = settings->credentials.password_file,
      .username = text_of(tag::Username),
      .password = Secret{logon[tag::Password].value_or("")},
      .new_password = Secret{logon[tag::NewPassword].value_or("")},
      .pair = comp_id + " " + std::to_string(connection.accepted().source),
      .source = connection.accepted().source,
      .address = std::string{transport::peer_address_of(peer)},
      .lockout = {settings->credentials.failures_max, settings->credentials.lockout},
      .address_lockout = {settings->credentials.failures_per_address_max,
                          settings->credentials.failures_interval},
      .now = loop_.now().mono};
  check.is_users_session = is_users_session(*settings, comp_id, check.username);
  if (auto refusal = loop_.shared.credentials->submit(std::move(check))) {
    connection.credentials().refuse(std::move(*refusal));
    return false;
  }
  connection.begin_password_check(loop_.now().mono, loop_.work);
  loop_.network->pause(connection.socket_id(), true);
  return true;
}

}  // namespace nexusfix::engine
