// Logons whose passwords are checked: they wait as those do that a late loop holds back, in front
// of their session. Whoever has no password takes nobody's place, and gets no session of a
// template.
#include <algorithm>
#include <string>
#include <utility>

#include <nexusfix/wire/session_tags.hpp>

#include "engine/loop/runtime.hpp"

namespace nexusfix::engine {
namespace {

// SessionStatus (1409): "new session password does not comply with policy".
constexpr std::uint32_t kPasswordAgainstPolicy = 3;

// A user is called as the counterparty is, or is named by the session.
bool is_users_session(const SessionSettings& settings, std::string_view comp_id,
                      std::string_view username) {
  return username == comp_id || std::ranges::any_of(settings.credentials.allowed_usernames,
                                                    [&](const std::string& allowed) {
                                                      return allowed == "*" || allowed == username;
                                                    });
}

}  // namespace

// A password that is right lets in now: what was received waits where it is.
void Runtime::take_credentials() {
  if (!seams_.credentials) [[likely]]
    return;
  for (Credentials::Verdict& verdict : seams_.credentials->take(loop())) {
    if (!verdict.trouble.empty()) {
      report_.engine_limited(EventId::PasswordFileFailed, verdict.trouble);
    }
    if (!verdict.lockout.empty()) {
      report_.engine_limited(EventId::AddressLockedOut, verdict.lockout);
    }
    Connection* const connection = connections_.find(verdict.socket);
    if (verdict.is_change) {
      take_changed_password(connection, verdict);
      continue;
    }
    if (connection == nullptr ||
        connection->credentials.state != LogonCredentials::State::BeingChecked) {
      continue;  // It has gone meanwhile. A failure counts all the same.
    }
    connection->credentials.state =
        verdict.is_right ? LogonCredentials::State::Right : LogonCredentials::State::Refused;
    connection->credentials.text = std::move(verdict.text);
    connection->credentials.change = std::move(verdict.change);
    if (!with_memory([&] { resume(*connection); })) give_up(*connection);
  }
}

// Of a Logon that breaks no rule and that the application accepts: the last thing before the
// answer, which waits for it. True: it does.
bool Runtime::changes_password(SessionSlot& slot, LogonAnswer& answer) {
  if (slot.connection == nullptr) return false;
  LogonCredentials& credentials = slot.connection->credentials;
  if (credentials.is_changing) return true;  // It has been accepted already.
  if (!credentials.change || !answer.accepted) return false;
  if (!slot.machine.would_admit()) return false;  // The machine says why.
  const std::string_view wrong =
      seams_.credentials->new_password_error(credentials.change->new_password.view());
  if (!wrong.empty()) {
    report_.peer(EventId::NewPasswordRefused, slot, "NewPassword (925): " + std::string{wrong});
    answer = {.accepted = false,
              .text = "NewPassword (925): " + std::string{wrong},
              .session_status = kPasswordAgainstPolicy};
    return false;
  }
  credentials.is_changing = true;
  slot.accepted_answer = std::move(answer);
  slot.accepted_answer_id = slot.commands.logon_id();
  seams_.credentials->submit(Credentials::Change{.loop = loop(),
                                                 .socket = slot.connection->socket,
                                                 .password = std::move(*credentials.change)});
  credentials.change.reset();
  return true;
}

void Runtime::take_changed_password(Connection* connection, const Credentials::Verdict& verdict) {
  SessionSlot* const slot = connection == nullptr ? nullptr : connection->slot;
  const bool waits = slot != nullptr && slot->machine.state() == session::State::LogonReceived &&
                     connection->credentials.is_changing;
  if (!waits) {
    return report_.engine_limited(EventId::PasswordChangeUnanswered,
                                  verdict.text + "; its Logon ended before without an answer");
  }
  report_.peer(verdict.is_right ? EventId::PasswordChanged : EventId::PasswordNotChanged, *slot,
               verdict.text);
  connection->credentials.is_changing = false;
  connection->credentials.is_changed = verdict.is_right;
  LogonAnswer answer = *std::exchange(slot->accepted_answer, std::nullopt);
  if (!verdict.is_right) {
    answer = {.accepted = false, .text = "NewPassword (925) cannot be taken", .session_status = {}};
  }
  answer_logon(*slot, slot->accepted_answer_id, answer);
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
  if (settings == nullptr || settings->credentials.password_file.empty()) return false;
  const std::string peer = seams_.network->peer_name(connection.socket);
  if (!may_come_from(*settings, peer) || !certificate_fault(connection, *settings).empty()) {
    return false;  // bind() says so.
  }
  const auto text_of = [&](wire::Tag tag) { return std::string{logon[tag].value_or("")}; };
  const std::string comp_id = text_of(tag::SenderCompID);
  Credentials::Check check{
      .loop = loop(),
      .socket = connection.socket,
      .file = settings->credentials.password_file,
      .username = text_of(tag::Username),
      .password = Secret{logon[tag::Password].value_or("")},
      .new_password = Secret{logon[tag::NewPassword].value_or("")},
      .pair = comp_id + " " + std::to_string(connection.source),
      .source = connection.source,
      .address = std::string{transport::peer_address_of(peer)},
      .lockout = {settings->credentials.failures_max, settings->credentials.lockout},
      .address_lockout = {settings->credentials.failures_per_address_max,
                          settings->credentials.failures_interval},
      .now = now_.mono};
  check.is_users_session = is_users_session(*settings, comp_id, check.username);
  if (auto refusal = seams_.credentials->submit(std::move(check))) {
    connection.credentials.state = State::Refused;
    connection.credentials.text = std::move(*refusal);
    return false;
  }
  connection.credentials.state = State::BeingChecked;
  connection.was_held_back = true;
  connection.resumes_at = connection.deadline;
  seams_.network->pause(connection.socket, true);
  return true;
}

}  // namespace nexusfix::engine
