// The lines of the control socket: one JSON object each. docs/operations/control.md describes them
// for programs.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <nexusfix/observe/logs.hpp>

#include "control/api/running_engine.hpp"

namespace nexusfix::engine {

// The "version" of every request and answer.
inline constexpr std::uint32_t kControlVersion = 8;

// Sessions of one loop, from this index on.
struct StatusRequest {
  std::uint32_t loop = 0;
  std::size_t first = 0;
};
// What came of a TestRequest.
struct RoundTripRequest {
  std::string session;
  std::uint64_t id = 0;  // of the TestRequest
};
// Begins to follow messages.
struct TailRequest {
  std::string session;  // empty: all
};
// The messages since the last one.
struct TailReadRequest {
  std::uint64_t id = 0;  // of the tail
};
struct LatencyRequest {
  std::string session;  // empty: of each loop
};
// Not of the socket: a loop's store records an act on the whole engine.
struct RecordRequest {
  OperatorCommand command;
};
using ControlRequest = std::variant<LiveNumbers, StatusRequest, OperatorCommand, RoundTripRequest,
                                    TailRequest, TailReadRequest, LatencyRequest, RecordRequest>;

// Nothing was done, or it is not known: the text says which.
struct Refusal {
  std::string text;
  bool lacks_session = false;  // another loop may have the session
};
// A command that is done.
struct CarriedOut {
  std::string result{};                         // what came of it; empty: nothing is to be said
  std::optional<std::uint64_t> test_request{};  // the number of a TestRequest that was sent
};
struct RoundTripAnswer {
  std::optional<std::chrono::nanoseconds> took;  // absent: the Heartbeat has not come
};
// A part of the sessions.
struct StatusPage {
  EngineStatus status;
  StatusRequest next;  // next.loop == status.loops: there is no further page
};
struct TailBegun {
  std::uint64_t id = 0;
};
using ControlAnswer = std::variant<Refusal, CarriedOut, RoundTripAnswer, StatusPage, TailBegun,
                                   LiveMessages, std::vector<LatencyRow>>;

[[nodiscard]] Refusal lacks_session(std::string_view name);

// Lines have no line feed. request: not a RecordRequest.
[[nodiscard]] std::string line_of(const ControlRequest& request);
// The error says what was expected.
[[nodiscard]] std::expected<ControlRequest, std::string> read_request(std::string_view line);
[[nodiscard]] std::string line_of(const ControlAnswer& answer);
// A Refusal: also a line that is no answer of this version.
[[nodiscard]] ControlAnswer read_answer(std::string_view line);
// The bytes of a message in a line, at most.
[[nodiscard]] std::size_t line_bytes(const observe::LoggedMessage& message) noexcept;

}  // namespace nexusfix::engine
