// The first message names the session.
#include <string>

#include <nexusfix/wire/session_tags.hpp>

#include "engine/acceptor/acceptor.hpp"
#include "engine/acceptor/logon_admission.hpp"
#include "engine/connection/connections.hpp"
#include "engine/loops/connection_migration.hpp"
#include "engine/registry/dynamic_sessions.hpp"
#include "engine/registry/session_registry.hpp"
#include "engine/sessions/session_control.hpp"
#include "engine/sessions/transactor.hpp"

namespace nexusfix::engine {
namespace {

constexpr std::string_view kLogonTooLong = "more bytes than a Logon may have (MaxLogonSize)";

// Who a Logon says it is, each part cut to what a log line can bear.
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

// AllowedRemoteAddresses.
bool LogonAdmission::may_come_from(const SessionSettings& settings, std::string_view peer_name) {
  return settings.admission.allowed_remote_addresses.contains(
      transport::peer_address_of(peer_name));
}

// The first message names the session. Whoever cannot be placed is closed without a word, because
// an answer would use up a number of a session that is not proven (test cases 1S b, c and e).
bool LogonAdmission::bind(Connection& connection, const wire::MessageView& logon) {
  if (logon.msg_type() != std::string_view{"A"}) {
    connections_.refuse(connection, EventId::FirstMessageNotLogon,
                        "the first message is not a Logon");
    return false;
  }
  const LogonCredentials& credentials = connection.credentials;
  if (credentials.state == LogonCredentials::State::Refused) {
    connections_.refuse(connection, EventId::PasswordRefused,
                        describe_identity(logon) + ": " + credentials.text);
    return false;
  }
  // In front of all that makes or takes a session's place.
  if (const SessionSettings* const settings = acceptor_settings(connection, logon)) {
    if (logon.bytes().size() >
        settings->limits.logon_bytes_max) {  // Others of its port may have more.
      connections_.refuse(connection, EventId::LogonTooLong,
                          describe_identity(logon) + ": " + std::string{kLogonTooLong});
      return false;
    }
    if (const std::string fault = connections_.certificate_fault(connection, *settings);
        !fault.empty()) {
      connections_.refuse(connection, EventId::CertificateRefused,
                          describe_identity(logon) + ": " + fault);
      return false;
    }
  }
  SessionEntry* entry = find_acceptor(connection, logon);
  if (entry == nullptr && migration_.is_of_another_loop(connection, logon)) return false;
  if (entry == nullptr) {
    connections_.refuse(connection, EventId::SessionUnknown, why_unknown(logon));
    return false;
  }
  if (!may_come_from(entry->settings, loop_.network->peer_name(connection.socket))) {
    connections_.refuse(connection, EventId::SessionAddressRefused,
                        "session " + entry->name + " is not allowed from this address");
    return false;
  }
  // Whatever the reason: nobody who needs a password is let in without the right one.
  if (!entry->settings.credentials.password_file.empty() &&
      credentials.state != LogonCredentials::State::Right) {
    connections_.refuse(connection, EventId::PasswordNotChecked,
                        "session " + entry->name + ": its password was not checked");
    return false;
  }
  control_.follow_schedule(*entry);  // It may open in this very moment.
  if (!entry->may_log_on) {
    connections_.refuse(connection, EventId::LogonOutsideSchedule,
                        "session " + entry->name + " is closed by its schedule");
    return false;
  }
  if (entry->connection != nullptr) {
    connections_.refuse(connection, EventId::SessionAlreadyLoggedOn,
                        "session " + entry->name + " is logged on from elsewhere already");
    return false;
  }
  if (entry->accepts_only_reset && logon[tag::ResetSeqNumFlag] != std::string_view{"Y"}) {
    connections_.refuse(
        connection, EventId::SessionAwaitsOperator,
        "session " + entry->name + " waits for an operator to set its sequence numbers");
    return false;
  }
  acceptor_.leave_pending(connection);
  connection.entry = entry;
  connection.scanner = entry->frame_scanner();
  connection.deadline = kNever;
  entry->connection = &connection;
  loop_.report.peer(EventId::ConnectionAccepted, *entry,
                    "connection from " + loop_.network->peer_name(connection.socket) +
                        connections_.protection_of(connection) +
                        (credentials.text.empty() ? "" : ": " + credentials.text));
  transactor_.transact(
      *entry, [this](session::StateMachine& machine) { machine.on_connected(loop_.now()); });
  return connection.socket != 0 && !connection.closing;
}

// As we see it: the counterparty is the target. Nothing: a CompID is missing.
std::optional<session::SessionId> LogonAdmission::id_of(const wire::MessageView& logon) {
  const auto sender = logon[tag::SenderCompID];
  const auto target = logon[tag::TargetCompID];
  if (!sender || !target) return std::nullopt;
  const auto part = [&](wire::Tag tag) { return std::string{logon[tag].value_or("")}; };
  return session::SessionId{.begin_string = std::string{logon.begin_string()},
                            .sender_comp_id = std::string{*target},
                            .target_comp_id = std::string{*sender},
                            .sender_sub_id = part(tag::TargetSubID),
                            .sender_location_id = part(tag::TargetLocationID),
                            .target_sub_id = part(tag::SenderSubID),
                            .target_location_id = part(tag::SenderLocationID)};
}

session::SessionId LogonAdmission::without_sub_ids(const session::SessionId& id) {
  return {.begin_string = id.begin_string,
          .sender_comp_id = id.sender_comp_id,
          .target_comp_id = id.target_comp_id};
}

SessionEntry* LogonAdmission::find_acceptor(const Connection& connection,
                                            const wire::MessageView& logon) {
  const auto id = id_of(logon);
  if (!id) return nullptr;
  if (SessionEntry* const entry = known_acceptor(*id)) {
    return entry->listener == connection.listener ? entry : nullptr;
  }
  return dynamic_.make_dynamic(connection, without_sub_ids(*id));
}

// A session that is configured without SubIDs and LocationIDs is theirs who have any.
SessionEntry* LogonAdmission::known_acceptor(const session::SessionId& id) {
  SessionEntry* const found = registry_.find_acceptor(id.to_string());
  if (found != nullptr || !id.has_sub_ids()) return found;
  return registry_.find_acceptor(without_sub_ids(id).to_string());
}

std::string LogonAdmission::why_unknown(const wire::MessageView& logon) const {
  if (const auto id = id_of(logon)) {
    auto found = refused_sessions_.find(id->to_string());
    if (found == refused_sessions_.end()) {
      found = refused_sessions_.find(without_sub_ids(*id).to_string());
    }
    if (found != refused_sessions_.end()) {
      return "session " + found->first + " is not served since the start: " + found->second;
    }
  }
  return "no session of this configuration has these CompIDs and this BeginString: " +
         describe_identity(logon);
}

}  // namespace nexusfix::engine
