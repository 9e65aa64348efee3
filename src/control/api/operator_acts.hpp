// What an operator can ask of a running engine, and the JSON of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include <nexusfix/session/identity.hpp>

namespace nexusfix::engine {

// What an operator can do. The first nine need a session.
enum class OperatorAct : std::uint8_t {
  LogOut,              // Session::log_out()
  LogOn,               // Session::log_on()
  Disconnect,          // Session::disconnect()
  Reset,               // Session::reset()
  ResetInSession,      // Session::reset_in_session()
  TestRequest,         // sends a TestRequest: see test_running_session()
  SendGapFill,         // sends a SequenceReset-GapFill: our next MsgSeqNum is `number`
  Enable,              // ends Disable
  Disable,             // logs the session out; no Logon until Enable, also after a restart
  Reload,              // Engine::request_reload()
  RotateLogs,          // Engine::reopen_logs()
  ReloadCertificates,  // Engine::reload_certificates()
  Stop,                // Engine::stop()
  Drain,               // Engine::stop() when resends and unsent bytes are done; `number`: seconds
  MoveShard,  // the shard of the engine goes to the node `text`: docs/operations/cluster.md
  DrainNode,  // the engine's node hands its shards over, and takes none until JoinNode
  JoinNode,   // ends DrainNode
};
// "log-out", "log-on", "disconnect", "reset", "reset-in-session", "test-request", "send-gap-fill",
// "enable", "disable", "reload", "rotate-logs", "reload-certificates", "stop", "drain",
// "move-shard", "drain-node", "join-node".
[[nodiscard]] std::string_view to_string(OperatorAct act) noexcept;
// The act of this text; nothing: there is none.
[[nodiscard]] std::optional<OperatorAct> operator_act_of(std::string_view text) noexcept;
// Whether the act is one on the cluster of the engine.
[[nodiscard]] constexpr bool is_of_cluster(OperatorAct act) noexcept {
  return act >= OperatorAct::MoveShard;
}
// Whether the act is one on a session, and not on the whole engine.
[[nodiscard]] constexpr bool needs_session(OperatorAct act) noexcept {
  return act <= OperatorAct::Disable;
}

// A command to a running engine. All texts are printable.
struct OperatorCommand {
  OperatorAct act = OperatorAct::Reload;  // what to do
  std::string session{};                  // its name, as Session::name(); empty: the whole engine
  // Text (58) of the Logout of LogOut, Reset and Disable; MoveShard: a node.
  std::string text{};
  std::uint64_t number = 0;  // SendGapFill: NewSeqNo; Drain: its time limit
  std::string reason{};      // operator and cause; at most kLiveReasonBytesMax bytes
};
// The longest time limit of Drain: an hour.
inline constexpr std::uint64_t kDrainSecondsMax = 3'600;
// The MsgSeqNums that one SendGapFill may skip.
inline constexpr std::uint64_t kGapFillSkipsMax = 1'000'000;
// The longest reason of a request, in bytes.
inline constexpr std::size_t kLiveReasonBytesMax = 1500;

// A request to set the next sequence numbers of one session.
struct LiveNumbers {
  std::string session{};        // its name, as Session::name()
  session::Numbers expected{};  // its present next MsgSeqNums; if they differ, nothing is set
  session::Numbers wanted{};    // the new next MsgSeqNums, both 1 to 10^18
  std::string reason{};         // operator and cause; printable, at most kLiveReasonBytesMax bytes
};

// What an operator asks of a session or the whole engine.
using OperatorRequest = std::variant<OperatorCommand, LiveNumbers>;
// Reads a command as the control socket gets it: one JSON object (docs/operations/control.md). The
// error says what was expected, and that nothing was done.
[[nodiscard]] std::expected<OperatorRequest, std::string> read_operator_request(
    std::string_view json);
// The answer of the control socket to such a request: one JSON object.
[[nodiscard]] std::string operator_answer(const std::expected<void, std::string>& done);

}  // namespace nexusfix::engine
