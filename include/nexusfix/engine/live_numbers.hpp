// An operator's decision about the next numbers of a session that a running engine serves, told to
// it over the socket `control` in its store's folder (docs/store.md).
#pragma once

#include <chrono>
#include <cstddef>
#include <expected>
#include <string>

#include <nexusfix/session/state_machine.hpp>

namespace nexusfix::engine {

struct LiveNumbers {
  std::string session{};        // its name
  session::Numbers expected{};  // that it has now; or nothing is set
  session::Numbers wanted{};
  std::string reason{};  // who and why, for the log; printable, up to 1,500 bytes
};
inline constexpr std::size_t kLiveReasonBytesMax = 1500;

struct LiveError {
  bool is_absent = false;  // no engine listens there
  std::string text;        // for people
};

// folder: of the store, or of one event loop's. The engine does it as Session::set_next_numbers()
// does, on its own thread. Returns when the log keeps it, or nothing was set; or when the engine
// has not answered in time: the text then says so.
[[nodiscard]] std::expected<void, LiveError> set_live_numbers(
    const std::string& folder, const LiveNumbers& request,
    std::chrono::milliseconds timeout = std::chrono::seconds{30});

}  // namespace nexusfix::engine
