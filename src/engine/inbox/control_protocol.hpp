// The lines of the control socket: fields separated by tabs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <nexusfix/engine/running_engine.hpp>

namespace nexusfix::engine {

// Every request but set-numbers begins with "ctl" and this number.
inline constexpr std::uint32_t kControlVersion = 1;

inline constexpr std::string_view kDone = "done";
// The session may be on another loop.
inline constexpr std::string_view kNoSession = "the engine serves no session ";

// Sessions of one loop, from this index on.
struct StatusRequest {
  std::uint32_t loop = 0;
  std::size_t first = 0;
};
using ControlRequest = std::variant<LiveNumbers, StatusRequest, OperatorCommand>;

// A part of the answer to a StatusRequest.
struct StatusPage {
  EngineStatus status;
  StatusRequest next;  // next.loop == status.loops: there is no further page
};

[[nodiscard]] std::string line_of(const LiveNumbers& request);
[[nodiscard]] std::string line_of(const StatusRequest& request);
[[nodiscard]] std::string line_of(const OperatorCommand& command);
// The error is the answer.
[[nodiscard]] std::expected<ControlRequest, std::string> read_request(std::string_view line);

// Appends to an answer. The caller begins it with the page's head and adds its rows.
void append_head(std::string& answer, const EngineStatus& engine, const StatusRequest& next);
void append_row(std::string& answer, const SessionStatus& session);
[[nodiscard]] std::optional<StatusPage> read_page(std::string_view answer);

}  // namespace nexusfix::engine
