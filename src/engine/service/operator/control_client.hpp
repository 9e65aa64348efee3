// The client's side of the control socket.
#pragma once

#include <chrono>
#include <expected>
#include <string>
#include <string_view>

#include <nexusfix/engine/running_engine.hpp>

namespace nexusfix::engine {

// Sends a line to the engine of this folder or control socket, and returns its answer. unknown:
// what a person must do if the answer did not come in time.
[[nodiscard]] std::expected<std::string, LiveError> ask_engine(const std::string& folder,
                                                               const std::string& line,
                                                               std::chrono::milliseconds timeout,
                                                               std::string_view unknown = {});

// For a command, whose texts are checked first. The error is also the engine's refusal.
[[nodiscard]] std::expected<std::string, LiveError> command_engine(
    const std::string& folder, const std::string& line, std::chrono::milliseconds timeout,
    std::string_view unknown);

}  // namespace nexusfix::engine
