// The lines of the control socket: fields separated by tabs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <nexusfix/engine/running_engine.hpp>

namespace nexusfix::engine {

// Every request but set-numbers begins with "ctl" and this number.
inline constexpr std::uint32_t kControlVersion = 7;

inline constexpr std::string_view kDone = "done";  // or "done", a tab, and what came of it
inline constexpr std::string_view kSentTestRequest = "sent";  // and its number
inline constexpr std::string_view kRoundTrip = "round-trip";  // and nanoseconds
inline constexpr std::string_view kStillWaiting = "waiting";
inline constexpr std::string_view kTail = "tail";          // and the number of the tail
inline constexpr std::string_view kMessages = "messages";  // and the number of lost messages
// The session may be on another loop.
inline constexpr std::string_view kNoSession = "the engine serves no session ";

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

// A part of the answer to a StatusRequest.
struct StatusPage {
  EngineStatus status;
  StatusRequest next;  // next.loop == status.loops: there is no further page
};

[[nodiscard]] std::string line_of(const LiveNumbers& request);
[[nodiscard]] std::string line_of(const StatusRequest& request);
[[nodiscard]] std::string line_of(const OperatorCommand& command);
[[nodiscard]] std::string line_of(const RoundTripRequest& request);
[[nodiscard]] std::string line_of(const TailRequest& request);
[[nodiscard]] std::string line_of(const TailReadRequest& request);
[[nodiscard]] std::string line_of(const LatencyRequest& request);
// The error is the answer.
[[nodiscard]] std::expected<ControlRequest, std::string> read_request(std::string_view line);

// Appends to an answer. The caller begins it with the page's head and adds its rows.
void append_head(std::string& answer, const EngineStatus& engine, const StatusRequest& next);
void append_row(std::string& answer, const SessionStatus& session);
[[nodiscard]] std::optional<StatusPage> read_page(std::string_view answer);

// Reads the pages of all sessions. ask: the answer to each StatusRequest, or an error. to_error:
// makes the same kind of error of an answer that is no page.
template <class Ask, class ToError>
auto read_all_pages(Ask ask, ToError to_error)
    -> std::expected<EngineStatus, decltype(to_error(std::string{}))> {
  EngineStatus engine;
  for (StatusRequest next; next.loop < engine.loops;) {
    auto answer = ask(next);
    if (!answer) return std::unexpected{std::move(answer.error())};
    auto page = read_page(*answer);
    if (!page) return std::unexpected{to_error(*std::move(answer))};
    auto sessions = std::move(engine.sessions);
    std::ranges::move(page->status.sessions, std::back_inserter(sessions));
    engine = std::move(page->status);
    engine.sessions = std::move(sessions);
    next = page->next;
  }
  return engine;
}

// An answer of an act that is done: what came of it, or empty. Nullopt: it was refused.
[[nodiscard]] std::string done_answer(std::string_view result);
[[nodiscard]] std::optional<std::string> read_done_answer(std::string_view answer);
// An answer that is a word and a number: "done 7".
[[nodiscard]] std::string number_answer(std::string_view word, std::uint64_t number);
[[nodiscard]] std::optional<std::uint64_t> read_number_answer(std::string_view answer,
                                                              std::string_view word);

// The answer to a TailReadRequest: the number of lost messages, and then each message.
void append_message(std::string& answer, const observe::LoggedMessage& message);
[[nodiscard]] std::optional<LiveMessages> read_messages(std::string_view answer);

// The answer to a LatencyRequest.
[[nodiscard]] std::string latencies_answer(const std::vector<LatencyRow>& rows);
[[nodiscard]] std::optional<std::vector<LatencyRow>> read_latencies(std::string_view answer);

}  // namespace nexusfix::engine
