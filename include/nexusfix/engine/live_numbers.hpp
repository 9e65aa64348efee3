// Sets the next sequence numbers of a session in a running engine, by an operator's decision. The
// request goes through the socket `control` in the store's folder (docs/operations/store.md).
#pragma once

#include <chrono>
#include <cstddef>
#include <expected>
#include <string>

#include <nexusfix/session/decisions.hpp>

namespace nexusfix::engine {

// A request to set the next sequence numbers of one session.
struct LiveNumbers {
  std::string session{};        // its name, as Session::name()
  session::Numbers expected{};  // its present next numbers; if they differ, nothing is set
  session::Numbers wanted{};    // the new next numbers, both 1 to 2^62
  std::string reason{};         // operator and cause; printable, at most kLiveReasonBytesMax bytes
};
// The longest reason of a request, in bytes.
inline constexpr std::size_t kLiveReasonBytesMax = 1500;

// Why set_live_numbers() has not set the sequence numbers, or does not know it.
struct LiveError {
  bool is_absent = false;  // no engine listens in this folder
  std::string text;        // the reason, for people
};

// Asks the engine that runs with this store to set sequence numbers. folder: of the store, or of
// one event loop's store. The session's loop runs Session::set_next_numbers() on its own thread.
// Blocks until the change is in the log, until the engine refuses it, or for at most timeout; after
// a timeout the change may still happen, and the text says so. Any thread or process of the
// engine's user, or of root.
[[nodiscard]] std::expected<void, LiveError> set_live_numbers(
    const std::string& folder, const LiveNumbers& request,
    std::chrono::milliseconds timeout = std::chrono::seconds{30});

}  // namespace nexusfix::engine
