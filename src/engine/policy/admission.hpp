// Who may log on, and why not: decide() has all answers. LogonAdmission collects the facts, and
// carries out what is decided.
//
// Before a first message is whole, Acceptor refuses the addresses that no session of a port allows
// and connections beyond its limits, and FrameReader bytes that are no FIX or too many. After
// decide(), the session's state machine examines the Logon, and the application may refuse it.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/wire/message_view.hpp>

#include "engine/ground/loop_context.hpp"
#include "engine/session/sessions.hpp"

namespace nexusfix::engine {

// AllowedRemoteAddresses. peer_name: as Network::peer_name() gives it.
[[nodiscard]] bool may_come_from(const SessionSettings& settings, std::string_view peer_name);
// AllowedUsernames. The Username must be the counterparty's CompID, or one of the list, where "*"
// allows all.
[[nodiscard]] bool is_users_session(const SessionSettings& settings, std::string_view comp_id,
                                    std::string_view username);
// AllowedCertificates. shown: the names in the counterparty's certificate. Empty: it is accepted.
[[nodiscard]] std::string certificate_fault(const SessionSettings& settings,
                                            const std::vector<std::string>& shown);

// BeginString, CompIDs, SubIDs and LocationIDs as a Logon has them: views into it.
using ClaimedIdentity = std::array<std::optional<std::string_view>, 7>;
[[nodiscard]] ClaimedIdentity claimed_identity(const wire::MessageView& logon);

// A session of this loop.
struct SessionFacts {
  bool is_connected = false;
  bool is_to_be_closed = false;  // its connection, after the Logouts
  std::string connected_from{};
  bool is_disabled = false;
  bool is_open = true;           // by its schedule
  bool awaits_operator = false;  // for its sequence numbers
};

// What is known when the first message of a connection has come.
struct LogonFacts {
  // The message. If it is longer than the port allows, or has a fault, nothing else of it is
  // known. A fault: it cannot be parsed, also if the session's settings allow more than others.
  std::size_t bytes = 0;
  std::optional<wire::GarbledReason> fault{};
  bool is_logon = true;
  bool resets = false;  // ResetSeqNumFlag=Y
  ClaimedIdentity identity{};
  std::string_view username{};

  // The connection.
  std::uint32_t port_bytes_max = 0;  // the largest MaxLogonSize of the port's sessions
  std::string peer{};                // as Network::peer_name() gives it
  std::vector<std::string> certificates{};
  enum class Password : std::uint8_t { NotChecked, Accepted, Refused } password{};
  std::string_view password_text{};  // why it is refused

  // The loop.
  bool is_late = false;
  bool can_check_passwords = false;
  std::optional<std::uint32_t> other_loop{};  // it has the session
  // The store refused this session at the start, and why.
  std::string_view broken{};
  std::string_view broken_why{};

  // The session that the Logon names: its settings, or those of the template that would make it.
  // Null: this loop has neither at the port.
  const SessionSettings* settings = nullptr;
  std::string name{};
  std::optional<SessionFacts> session{};  // unset: there is at most a template
  std::optional<NotMade> not_made{};      // the template could not make it
};

// It gets the session, whose state machine answers the Logon.
struct Bind {};
// It gets the session for a Logout with this text: the counterparty has proven who it is as far as
// the session asks for it, and may know a reason that the session has (FIX Session Layer, "Logon").
struct RefuseByLogout {
  EventId id;
  std::string why;   // for the event
  std::string text;  // Text (58)
  std::optional<std::uint32_t> session_status{};
};
// It is closed without an answer, because an answer would use a MsgSeqNum of a session that the
// peer has not proven to be its own (test cases 1S b, c and e).
struct Refuse {
  EventId id;
  std::string why;
  // Reported before: why a template made no session.
  std::optional<EventId> not_made{};
  std::string not_made_why{};
};
// It waits for the check of its Username and Password. False: it fails, whatever the password.
struct CheckPassword {
  bool is_users_session = false;
};
// It waits, because the loop is late, and is tried again after this time.
struct WaitForLoop {
  std::chrono::milliseconds time;
};
struct MoveToLoop {
  std::uint32_t loop;
};
// These two change the facts, and decide() is asked again. First the template makes the session, or
// the session's present connection, which has exchanged Logouts, is closed.
struct MakeSession {};
struct TakeOver {};

using Admission = std::variant<Bind, RefuseByLogout, Refuse, CheckPassword, WaitForLoop, MoveToLoop,
                               MakeSession, TakeOver>;
[[nodiscard]] Admission decide(const LogonFacts& facts, Now now);

// What is known when the alarm of a connection without a session comes.
struct WaitFacts {
  LinkState state = LinkState::AwaitingLogon;
  bool is_over = false;       // LogonTimeout has passed
  bool is_due = false;        // a delayed Logon is to be tried again
  bool is_late = false;       // the loop
  bool is_turn_full = false;  // it has admitted as many delayed Logons as one turn may
  std::string protection{};   // of the connection, for the event
};
enum class Wait : std::uint8_t {
  End,   // the delayed Logon is tried again
  GoOn,  // nothing is due
};
[[nodiscard]] std::variant<Wait, WaitForLoop, Refuse> decide(const WaitFacts& facts);

}  // namespace nexusfix::engine
