// The client of the control socket: what another process sees of a running engine, and how it sends
// the commands of an operator.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/observe/logs.hpp>
#include <nexusfix/session/identity.hpp>
#include <nexusfix/statistics.hpp>

#include "control/api/operator_acts.hpp"

namespace nexusfix::engine {

// Why a request was not carried out, or it is not known whether it was.
struct LiveError {
  bool is_absent = false;  // no engine listens in this folder
  std::string text;        // the reason, for people
};

// A running engine, at one moment.
struct EngineStatus {
  std::int32_t process = 0;  // its process ID
  WallTime started{};        // when it was opened
  std::uint32_t loops = 1;   // EventLoops
  // For what a standby waits: "waits for the log, which ... owns". Empty: it serves its sessions.
  std::string standby{};
  // "node a has shard s1 of cluster c: fencing token 17; the lease was renewed 412 ms ago". Empty:
  // it is in no cluster.
  std::string cluster{};
  // The sessions of all loops, as Engine::session() has them; without by_type, rejects,
  // resend_requests and latencies.
  std::vector<SessionStatistics> sessions{};
};

// Asks the engine that runs with this store for its sessions. folder: of the store, or the path of
// the control socket, as in all functions of this file. Blocks for at
// most timeout for each 32 sessions: they are read by their loop, 32 in a turn, so that no order
// waits for a long list. Any thread or process of the engine's user, or of root.
[[nodiscard]] std::expected<EngineStatus, LiveError> status_of_running_engine(
    const std::string& folder, std::chrono::milliseconds timeout = std::chrono::seconds{15});

// Has the engine that runs with this store carry out a command. The event log has it (NXF-7010),
// and so has the store, with the user and the process that the kernel reports. Returns when the
// engine has begun it, or refuses it: a Logout and a stop take longer. A reload, and opening logs
// or reading certificates again, are complete then: the result says what came of it, and the error
// why it was refused. Empty for other acts. folder and
// threads: as status_of_running_engine(). Blocks for at most timeout; after a timeout the command
// may still be carried out, and the text says so.
[[nodiscard]] std::expected<std::string, LiveError> command_running_engine(
    const std::string& folder, const OperatorCommand& command,
    std::chrono::milliseconds timeout = std::chrono::seconds{15});

// Sends a TestRequest on a session that is logged on, and returns the time until its Heartbeat came
// back, as the engine's event loop measured it. Recorded like a command. Blocks for at most
// timeout; is_absent is false then, and the text says that no Heartbeat came.
[[nodiscard]] std::expected<std::chrono::nanoseconds, LiveError> test_running_session(
    const std::string& folder, const std::string& session, const std::string& reason,
    std::chrono::milliseconds timeout = std::chrono::seconds{10});

// One message of a running engine.
struct LiveMessage {
  WallTime time{};              // when it was received or sent, UTC
  observe::MessageKind kind{};  // received, sent, or bytes that are no message
  std::string session{};        // its name; empty: the peer belongs to no session
  std::string bytes{};          // with SOH; passwords and values of LogMaskedTags are ***
};

// The messages since the last call.
struct LiveMessages {
  std::vector<LiveMessage> messages{};  // those of one event loop in their order
  std::uint64_t lost = 0;               // messages that did not fit, because next() was called late
};

// A reader of an engine's messages. The engine copies each message into a ring of 1 MiB for each of
// its event loops, and waits for no reader: what does not fit is counted. The engine ends a reader
// that has not called next() for a minute. One thread at a time.
//
//   auto tail = MessageTail::open("/srv/venue/store", "FIX.4.4:VENUE->BROKER");
//   while (auto got = tail->next()) show(*got);
class MessageTail {
 public:
  // The readers that an engine has at once.
  static constexpr std::size_t kReadersMax = 32;

  // folder: as of status_of_running_engine(). session: only its messages; empty: all of them. The
  // error says that the engine has no such session, or kReadersMax readers already.
  [[nodiscard]] static std::expected<MessageTail, LiveError> open(
      const std::string& folder, const std::string& session,
      std::chrono::milliseconds timeout = std::chrono::seconds{15});
  // The messages that wait, up to about 40 KiB; none if none came. Does not wait for any. An error:
  // the engine has ended, or has ended this reader.
  [[nodiscard]] std::expected<LiveMessages, LiveError> next();

 private:
  MessageTail(std::string folder, std::uint64_t id, std::chrono::milliseconds timeout) noexcept
      : folder_{std::move(folder)}, id_{id}, timeout_{timeout} {}

  std::string folder_;
  std::uint64_t id_;
  std::chrono::milliseconds timeout_;
};

// One of the durations that an engine measures: see docs/guide/statistics.md.
struct LatencyRow {
  std::uint32_t loop = 0;   // the index of the event loop
  std::string what{};       // "receive to callback", "callback to sent", ...
  std::uint64_t count = 0;  // of the measured durations; the figures below are 0 without any
  std::chrono::nanoseconds mean{0};     // of all durations
  std::chrono::nanoseconds p50{0};      // half of all durations are below it
  std::chrono::nanoseconds p90{0};      // and so on
  std::chrono::nanoseconds p99{0};      // 99 %
  std::chrono::nanoseconds p999{0};     // 99.9 %
  std::chrono::nanoseconds highest{0};  // the longest one
};

// Asks a running engine for its latencies: of one session, or of each event loop (empty).
[[nodiscard]] std::expected<std::vector<LatencyRow>, LiveError> latencies_of_running_engine(
    const std::string& folder, const std::string& session,
    std::chrono::milliseconds timeout = std::chrono::seconds{15});

// The engines that run on this machine under this user: the folder of the store of a socket that is
// called `control`, and the path of one that is called *.control. Reads /proc/net/unix.
[[nodiscard]] std::vector<std::string> find_running_engines();

// Asks the engine that runs with this store to set sequence numbers. folder: of the store, or of
// one event loop's store. The session's loop runs Session::set_next_numbers() on its own thread.
// Blocks until the change is in the log, until the engine refuses it, or for at most timeout; after
// a timeout the change may still happen, and the text says so. Threads: as
// status_of_running_engine().
[[nodiscard]] std::expected<void, LiveError> set_live_numbers(
    const std::string& folder, const LiveNumbers& request,
    std::chrono::milliseconds timeout = std::chrono::seconds{30});

}  // namespace nexusfix::engine
