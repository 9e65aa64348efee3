// Checks the passwords of Logons. During the check a Logon waits, as it does for a late loop, and
// has no session yet. A client without the right password occupies no session, and creates none
// from a template.
#include <algorithm>
#include <string>
#include <utility>

#include <nexusfix/wire/session_tags.hpp>

#include "engine/ground/loop_context.hpp"
#include "engine/policy/logon_admission.hpp"
#include "engine/session/admission_rules.hpp"
#include "engine/session/sessions.hpp"
#include "session/api/logon_identity.hpp"

namespace nexusfix::engine {

// A connection that was closed meanwhile has no answer; a failure has been counted nevertheless.
Connection* LogonAdmission::take_check(Credentials::Decision& decision) {
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
  LogonAnswer answer = entry->logons.password_change.take_answer();
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
