// The client's side of the control socket.
#pragma once

#include <chrono>
#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include <nexusfix/engine/running_engine.hpp>

#include "engine/service/operator/control_protocol.hpp"

namespace nexusfix::engine {

// Sends a request to the engine of this folder or control socket, and returns its answer. An error
// is also the engine's refusal. unknown: what a person must do if the answer did not come in time.
[[nodiscard]] std::expected<ControlAnswer, LiveError> ask_engine(const std::string& folder,
                                                                 const ControlRequest& request,
                                                                 std::chrono::milliseconds timeout,
                                                                 std::string_view unknown = {});

// The answer as this kind; another kind is an error.
template <class Kind>
[[nodiscard]] std::expected<Kind, LiveError> as(std::expected<ControlAnswer, LiveError> answer) {
  if (!answer) return std::unexpected{std::move(answer.error())};
  if (auto* const found = std::get_if<Kind>(&*answer)) return std::move(*found);
  return std::unexpected{LiveError{.text = "the engine has answered another request"}};
}

}  // namespace nexusfix::engine
