// Sets the next sequence numbers of a session in a running engine, by an operator's decision. The
// request goes through the socket `control` in the store's folder (docs/operations/store.md).
#pragma once

#include <chrono>
#include <cstddef>
#include <expected>
#include <string>

#include <nexusfix/session/state_machine.hpp>

namespace nexusfix::engine {

struct LiveNumbers {
  std::string session{};        // its name
  session::Numbers expected{};  // its present numbers; if they differ, nothing is set
  session::Numbers wanted{};
  std::string reason{};  // the operator and the reason, for the log; printable, at most 1,500 bytes
};
inline constexpr std::size_t kLiveReasonBytesMax = 1500;

struct LiveError {
  bool is_absent = false;  // no engine listens there
  std::string text;        // for people
};

// folder: of the store, or of one event loop's store. The engine runs Session::set_next_numbers()
// on its own thread. Returns when the change is in the log, when nothing was set, or when the
// engine did not answer in time: the text then says so.
[[nodiscard]] std::expected<void, LiveError> set_live_numbers(
    const std::string& folder, const LiveNumbers& request,
    std::chrono::milliseconds timeout = std::chrono::seconds{30});

}  // namespace nexusfix::engine
