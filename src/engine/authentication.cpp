// Logons whose passwords are checked: they wait as those do that a late loop holds back, in front
// of their session. Whoever has no password takes nobody's place, and gets no session of a
// template.
#include <algorithm>
#include <string>
#include <utility>

#include <nexusfix/wire/session_tags.hpp>

#include "engine/runtime.hpp"

namespace nexusfix::engine {
namespace {

// A user is called as the counterparty is, or is named by the session.
bool is_users_session(const SessionSettings& settings, std::string_view comp_id,
                      std::string_view username) {
  return username == comp_id ||
         std::ranges::any_of(settings.allowed_usernames, [&](const std::string& allowed) {
           return allowed == "*" || allowed == username;
         });
}

}  // namespace

// A password that is right lets in now: what was received waits where it is.
void Runtime::take_credentials() {
  if (!seams_.credentials) [[likely]]
    return;
  for (Credentials::Verdict& verdict : seams_.credentials->take(loop())) {
    if (!verdict.trouble.empty()) report_own(observe::Severity::Error, verdict.trouble);
    if (!verdict.lockout.empty()) report_own(observe::Severity::Warning, verdict.lockout);
    Connection* const connection = connections_.find(verdict.socket);
    if (connection == nullptr ||
        connection->credentials.state != LogonCredentials::State::BeingChecked) {
      continue;  // It has gone meanwhile. A failure counts all the same.
    }
    connection->credentials = {
        verdict.is_right ? LogonCredentials::State::Right : LogonCredentials::State::Refused,
        verdict.has_new_password, std::move(verdict.text)};
    if (!with_memory([&] { resume(*connection); })) give_up(*connection);
  }
}

// Of the session that the Logon is for, or of the template that one would be made of; null: of
// none on this loop.
const SessionSettings* Runtime::acceptor_settings(const Connection& connection,
                                                  const wire::MessageView& logon) {
  const auto id = id_of(logon);
  if (!id) return nullptr;
  if (const SessionSlot* slot = known_acceptor(*id)) {
    return slot->listener == connection.listener ? &slot->settings : nullptr;
  }
  const Template* const found = template_for(connection, without_sub_ids(*id));
  return found == nullptr ? nullptr : &found->settings;
}

bool Runtime::waits_for_credentials(Connection& connection, const wire::MessageView& logon) {
  using State = LogonCredentials::State;
  if (!seams_.credentials || connection.credentials.state != State::NotLookedAt) return false;
  if (logon.msg_type() != std::string_view{"A"}) return false;
  const SessionSettings* const settings = acceptor_settings(connection, logon);
  if (settings == nullptr || settings->password_file.empty()) return false;
  const std::string peer = seams_.network->peer_name(connection.socket);
  if (!may_come_from(*settings, peer) || !certificate_fault(connection, *settings).empty()) {
    return false;  // bind() says so.
  }
  const auto text_of = [&](wire::Tag tag) { return std::string{logon[tag].value_or("")}; };
  const std::string comp_id = text_of(tag::SenderCompID);
  Credentials::Check check{.loop = loop(),
                           .socket = connection.socket,
                           .file = settings->password_file,
                           .username = text_of(tag::Username),
                           .password = Secret{logon[tag::Password].value_or("")},
                           .new_password = Secret{logon[tag::NewPassword].value_or("")},
                           .pair = comp_id + " " + std::to_string(connection.source),
                           .source = connection.source,
                           .address = std::string{transport::peer_address_of(peer)},
                           .lockout = {settings->logon_failures_max, settings->logon_lockout},
                           .address_lockout = {settings->logon_failures_per_address_max,
                                               settings->logon_failures_interval},
                           .now = now_.mono};
  check.is_users_session = is_users_session(*settings, comp_id, check.username);
  if (auto refusal = seams_.credentials->submit(std::move(check))) {
    connection.credentials = {State::Refused, false, std::move(*refusal)};
    return false;
  }
  connection.credentials.state = State::BeingChecked;
  connection.was_held_back = true;
  connection.resumes_at = connection.deadline;
  seams_.network->pause(connection.socket, true);
  return true;
}

}  // namespace nexusfix::engine
