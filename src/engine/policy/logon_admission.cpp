// Carries out what decide() decides on the first message of a connection.
#include <chrono>
#include <string>
#include <utility>

#include <nexusfix/wire/field.hpp>

#include "engine/ground/loop_context.hpp"
#include "engine/ground/statistics/session_state.hpp"
#include "engine/policy/policy.hpp"
#include "engine/session/sessions.hpp"
#include "session/api/logon_identity.hpp"

namespace nexusfix::engine {
namespace {

// At most this number of delayed Logons is admitted in one turn; the others follow in the next
// turns. All at once would make the loop late again.
constexpr unsigned kAdmittedPerTurn = 64;

}  // namespace

// No Logon was received yet.
std::size_t LogonAdmission::on_first_frame(Connection& connection, std::string_view frame) {
  FirstMessage first{.bytes = frame.size()};
  std::expected<wire::MessageView, wire::ParseError> message;
  if (frame.size() <= connection.accepted().logon_bytes_max) [[likely]] {
    message = loop_.parsers.inbound.parse(frame);
    if (!message) message = parse_repaired(connection, message.error().reason, frame);
    if (message) first.message = &*message;
    if (!message) first.fault = message.error().reason;
  }
  switch (admit(connection, first)) {
    case Step::Waits:
      return kMustWait;
    case Step::Bound:
      connection.framing().set_unsound(first.bytes - frame.size());
      sessions_.inbound.on_first_message(connection, *connection.entry(), *first.message, frame);
      return frame.size();
    case Step::Again:
    case Step::Ended:
      break;
  }
  if (first.fault) ++loop_.stats.garbled;
  if (first.message != nullptr) {
    ++loop_.stats.messages_in;
    loop_.stats.bytes_in += frame.size();
  }
  if (!connection.is_migrating()) {  // the other loop logs it
    loop_.report.logs().unknown(frame, first.message != nullptr, loop_.now().wall);
  }
  return frame.size();
}

LogonAdmission::Step LogonAdmission::admit(Connection& connection, const FirstMessage& first) {
  Attempt attempt{.connection = &connection, .message = first.message};
  if (first.message != nullptr) attempt.id = session::session_of(*first.message);
  Step step = Step::Again;
  while (step == Step::Again) {
    LogonFacts facts{.bytes = first.bytes,
                     .fault = first.fault,
                     .port_bytes_max = connection.accepted().logon_bytes_max,
                     .not_made = attempt.not_made};
    if (first.message != nullptr) add_facts(facts, connection, *first.message);
    if (attempt.id) add_facts(facts, connection, *attempt.id);
    step = std::visit([&](const auto& one) { return perform(attempt, facts, one); },
                      decide(facts, loop_.now()));
  }
  return step;
}

void LogonAdmission::add_facts(LogonFacts& facts, const Connection& connection,
                               const wire::MessageView& logon) const {
  facts.is_logon = logon.msg_type() == std::string_view{"A"};
  facts.resets = logon[tag::ResetSeqNumFlag] == std::string_view{"Y"};
  facts.identity = claimed_identity(logon);
  facts.username = logon[tag::Username].value_or("");
  facts.peer = loop_.network->peer_name(connection.socket_id());
  facts.is_late = lateness_.is_late(loop_.now().mono);
  const LogonCredentials& credentials = connection.credentials();
  if (credentials.are_valid()) facts.password = LogonFacts::Password::Accepted;
  if (credentials.are_refused()) facts.password = LogonFacts::Password::Refused;
  facts.password_text = credentials.text();
  facts.can_check_passwords = loop_.shared.credentials != nullptr;
}

// Follows the schedule of the session, which may open at this moment.
void LogonAdmission::add_facts(LogonFacts& facts, const Connection& connection,
                               const session::SessionId& id) {
  facts.name = session::without_sub_ids(id).to_string();
  const auto other = loop_.shared.directory ? loop_.shared.directory->find(id) : std::nullopt;
  if (other != loop_.index) facts.other_loop = other;
  auto broken = refused_sessions_.find(id.to_string());
  if (broken == refused_sessions_.end()) broken = refused_sessions_.find(facts.name);
  if (broken != refused_sessions_.end()) {
    facts.broken = broken->first;
    facts.broken_why = broken->second;
  }
  const Named named = named_by(connection, id);
  if (named.settings == nullptr) return;
  facts.settings = named.settings;
  if (!named.settings->admission.allowed_certificates.empty())
    facts.certificates = loop_.network->peer_identities(connection.socket_id());
  if (named.entry == nullptr) return;
  sessions_.control.follow_schedule(*named.entry);
  const SessionEntry& entry = *named.entry;
  facts.name = entry.name;
  facts.session = SessionFacts{.is_connected = entry.connection() != nullptr,
                               .is_to_be_closed = entry.machine.is_to_be_closed(),
                               .is_disabled = entry.schedule_status.is_disabled(),
                               .is_open = entry.schedule_status.is_open(),
                               .awaits_operator = entry.acceptor.halt.accepts_only_reset()};
  if (facts.session->is_connected) {
    facts.session->connected_from = loop_.network->peer_name(entry.connection()->socket_id());
  }
}

LogonAdmission::Named LogonAdmission::named_by(const Connection& connection,
                                               const session::SessionId& id) const {
  if (SessionEntry* const entry = known_acceptor(id)) {
    if (entry->acceptor.listener() != connection.accepted().listener) return {};
    return {.entry = entry, .settings = &entry->settings()};
  }
  const SessionTemplate* const found =
      sessions_.dynamic.template_for(connection, session::without_sub_ids(id));
  return {.entry = nullptr, .settings = found == nullptr ? nullptr : &found->settings};
}

// A session that is configured without SubIDs and LocationIDs accepts all of them.
SessionEntry* LogonAdmission::known_acceptor(const session::SessionId& id) const {
  SessionEntry* const found = sessions_.registry.find_acceptor(id.to_string());
  if (found != nullptr || !id.has_sub_ids()) return found;
  return sessions_.registry.find_acceptor(session::without_sub_ids(id).to_string());
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
  const auto id = session::session_of(*logon);
  const SessionSettings* const settings = id ? named_by(connection, *id).settings : nullptr;
  if (settings == nullptr && loop_.shared.directory) return logon;
  if (settings != nullptr && !settings->validates_check_sum && !settings->validates_length)
    return logon;
  frame = whole;
  if (settings == nullptr || settings->validates_check_sum) return failure;
  return repaired_.parse(loop_.parsers.inbound, frame, /*validates_length=*/true);
}

void LogonAdmission::bind(Connection& connection, SessionEntry& entry) {
  connection.leave_pending();
  connection.bind_to(entry);
  entry.logons.failed.begin();
  const std::string& user = connection.credentials().text();
  loop_.report.peer(EventId::ConnectionAccepted, entry,
                    "connection from " + loop_.network->peer_name(connection.socket_id()) +
                        io_.connections.protection_of(connection) +
                        (user.empty() ? "" : ": " + user));
  sessions_.transactor.transact(
      entry, [this](session::StateMachine& machine) { machine.on_connected(loop_.now()); });
}

LogonAdmission::Step LogonAdmission::perform(Attempt& attempt, const LogonFacts&, const Bind&) {
  bind(*attempt.connection, *known_acceptor(*attempt.id));
  return attempt.connection->listens() ? Step::Bound : Step::Ended;
}

// Without an answer if the application decides who may log on: it has not been asked yet.
LogonAdmission::Step LogonAdmission::perform(Attempt& attempt, const LogonFacts&,
                                             const RefuseByLogout& refusal) {
  SessionEntry& entry = *known_acceptor(*attempt.id);
  bind(*attempt.connection, entry);
  loop_.report.peer(refusal.id, entry, "its Logon is refused: " + refusal.why);
  entry.logons.failed.on_refusal(refusal.why);
  if (!entry.machine.config().logon.answers_invalid) {
    sessions_.disconnector.close(*entry.connection());
    return Step::Ended;
  }
  sessions_.transactor.transact(entry, [&](session::StateMachine& machine) {
    machine.on_logon_refused({.text = refusal.text, .session_status = refusal.session_status},
                             loop_.now());
  });
  return attempt.connection->listens() ? Step::Bound : Step::Ended;
}

LogonAdmission::Step LogonAdmission::perform(Attempt& attempt, const LogonFacts& facts,
                                             const Refuse& refusal) {
  if (refusal.not_made) {
    const bool is_limit = *refusal.not_made == EventId::TemplateLimitReached;
    loop_.report.unauthenticated(*refusal.not_made, attempt.connection->accepted().source,
                                 is_limit ? std::string{} : facts.name, refusal.not_made_why);
  }
  if (SessionEntry* const known = attempt.id ? known_acceptor(*attempt.id) : nullptr) {
    ++known->counters->logon_failures;
    known->logons.failed.count(refusal.why, loop_.now().wall);
    publish_state(*known, loop_.now());
  }
  io_.connections.refuse(*attempt.connection, refusal.id, refusal.why);
  return Step::Ended;
}

// A client without a valid password occupies no session, and creates none from a template.
LogonAdmission::Step LogonAdmission::perform(Attempt& attempt, const LogonFacts& facts,
                                             const CheckPassword& wanted) {
  Connection& connection = *attempt.connection;
  const wire::MessageView& logon = *attempt.message;
  const SessionSettings& settings = *facts.settings;
  const auto text_of = [&](wire::Tag tag) { return std::string{logon[tag].value_or("")}; };
  const transport::Source source = connection.accepted().source;
  auto refusal = loop_.shared.credentials->submit(
      {.loop = loop_.index,
       .socket = connection.socket_id(),
       .file = settings.credentials.password_file,
       .username = text_of(tag::Username),
       .password = Secret{logon[tag::Password].value_or("")},
       .new_password = Secret{logon[tag::NewPassword].value_or("")},
       .is_users_session = wanted.is_users_session,
       .pair = text_of(tag::SenderCompID) + " " + std::to_string(source),
       .source = source,
       .address = std::string{transport::peer_address_of(facts.peer)},
       .lockout = {settings.credentials.failures_max, settings.credentials.lockout},
       .address_lockout = {settings.credentials.failures_per_address_max,
                           settings.credentials.failures_interval},
       .now = loop_.now().mono});
  if (refusal) {
    connection.credentials().refuse(std::move(*refusal));
    return Step::Again;
  }
  connection.begin_password_check(loop_.now().mono, loop_.work);
  loop_.network->pause(connection.socket_id(), true);
  return Step::Waits;
}

// The message stays in `carried` like an incomplete one; LogonTimeout bounds the wait.
LogonAdmission::Step LogonAdmission::perform(Attempt& attempt, const LogonFacts&,
                                             const WaitForLoop& wait) {
  if (!logons_wait_) {
    logons_wait_ = true;
    loop_.report.engine_limited(
        EventId::LogonsDelayed,
        "the event loop is late, its timers by more than " +
            std::to_string(lateness_.late_max() / std::chrono::milliseconds{1}) +
            " ms: Logons wait until it is in time again");
  }
  Connection& connection = *attempt.connection;
  connection.defer_logon(loop_.now().mono, loop_.now().mono + wait.time, loop_.work);
  loop_.arm(connection, connection.paused_until());
  loop_.network->pause(connection.socket_id(), true);
  return Step::Waits;
}

LogonAdmission::Step LogonAdmission::perform(Attempt& attempt, const LogonFacts&,
                                             const MoveToLoop& move) {
  attempt.connection->begin_migration(
      {.loop = move.loop, .bytes = std::string{attempt.message->bytes()}});
  return Step::Ended;
}

LogonAdmission::Step LogonAdmission::perform(Attempt& attempt, const LogonFacts&, const TakeOver&) {
  const SessionEntry& entry = *known_acceptor(*attempt.id);
  sessions_.disconnector.close(*entry.connection(), EventId::ConnectionClosed,
                               "the counterparty connects again after the Logouts");
  return Step::Again;
}

LogonAdmission::Step LogonAdmission::perform(Attempt& attempt, const LogonFacts&,
                                             const MakeSession&) {
  auto made =
      sessions_.dynamic.make_dynamic(*attempt.connection, session::without_sub_ids(*attempt.id));
  if (!made) attempt.not_made = std::move(made.error());
  return Step::Again;
}

// True: the delayed Logon of the connection is tried again. Otherwise it waits, or is refused.
bool LogonAdmission::on_alarm(Connection& connection) {
  const MonoTime now = loop_.now().mono;
  const auto decision = decide(WaitFacts{.state = connection.state(),
                                         .is_over = connection.deadline() <= now,
                                         .is_due = connection.paused_until() <= now,
                                         .is_late = lateness_.is_late(now),
                                         .is_turn_full = admitted_this_turn_ >= kAdmittedPerTurn,
                                         .protection = io_.connections.protection_of(connection)});
  if (const auto* wait = std::get_if<Wait>(&decision); wait != nullptr && *wait == Wait::End) {
    ++admitted_this_turn_;
    return true;
  }
  if (const auto* wait = std::get_if<WaitForLoop>(&decision)) {
    connection.defer_logon_again(now + wait->time);
  } else if (const auto* refusal = std::get_if<Refuse>(&decision)) {
    io_.connections.refuse(connection, refusal->id, refusal->why);
  }
  return false;
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
  if (decision.is_valid) {
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
  loop_.report.peer(decision.is_valid ? EventId::PasswordChanged : EventId::PasswordNotChanged,
                    *entry, decision.text);
  connection->credentials().end_change(decision.is_valid);
  LogonAnswer answer = entry->logons.password_change.consume_answer();
  if (!decision.is_valid) {
    answer = LogonAnswer::refuse("NewPassword (925) cannot be taken");
  }
  sessions_.actions.answer_logon(*entry, entry->logons.password_change.logon_id(), answer);
}

}  // namespace nexusfix::engine
