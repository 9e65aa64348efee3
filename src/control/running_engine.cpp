// The client of the control socket.
#include "control/api/running_engine.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <expected>
#include <filesystem>
#include <iterator>
#include <poll.h>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <variant>

#include <nexusfix/base/clock.hpp>

#include "control/api/control_protocol.hpp"
#include "transport/api/local_socket.hpp"

namespace nexusfix::engine {
namespace {

constexpr std::string_view kSocket = "/control";
constexpr std::string_view kSuffix = ".control";  // of a ControlSocket that is found by itself
constexpr std::chrono::milliseconds kBetweenLooks{5};

std::string socket_of(const std::string& folder) {
  std::error_code error;
  return std::filesystem::is_socket(folder, error) ? folder : folder + std::string{kSocket};
}

// Why the engine would not read the request; empty: it would.
std::string fault_of(const std::string& line) {
  if (line.size() >= transport::kLocalLineBytesMax) return "the request is too long";
  const auto read = read_request(line);
  return read ? std::string{} : read.error();
}

// Sends a request to the engine of this folder or control socket, and returns its answer. An error
// is also the engine's refusal. unknown: what a person must do if the answer did not come in time.
std::expected<ControlAnswer, LiveError> ask_engine(const std::string& folder,
                                                   const ControlRequest& request,
                                                   std::chrono::milliseconds timeout,
                                                   std::string_view unknown = {}) {
  const std::string line = line_of(request);
  if (std::string fault = fault_of(line); !fault.empty()) {
    return std::unexpected{LiveError{.text = std::move(fault)}};
  }
  const auto answered = transport::ask_local(socket_of(folder), line, timeout);
  if (!answered) {
    const int error_number = answered.error().error_number;
    std::string text = answered.error().text;
    if (error_number == ETIMEDOUT) text += unknown;
    return std::unexpected{
        LiveError{.is_absent = error_number == ENOENT || error_number == ECONNREFUSED,
                  .text = std::move(text)}};
  }
  ControlAnswer answer = read_answer(*answered);
  if (auto* const refusal = std::get_if<Refusal>(&answer)) {
    return std::unexpected{LiveError{.text = std::move(refusal->text)}};
  }
  return answer;
}

// The answer as this kind; another kind is an error.
template <class Kind>
[[nodiscard]] std::expected<Kind, LiveError> as(std::expected<ControlAnswer, LiveError> answer) {
  if (!answer) return std::unexpected{std::move(answer.error())};
  if (auto* const found = std::get_if<Kind>(&*answer)) return std::move(*found);
  return std::unexpected{LiveError{.text = "the engine has answered another request"}};
}

}  // namespace

std::expected<void, LiveError> set_live_numbers(const std::string& folder,
                                                const LiveNumbers& request,
                                                std::chrono::milliseconds timeout) {
  auto done = as<CarriedOut>(ask_engine(
      folder, request, timeout,
      ", so it is not known what came of it: nexusfix journal show shows the sequence numbers"));
  if (!done) return std::unexpected{std::move(done.error())};
  return {};
}

std::expected<std::string, LiveError> command_running_engine(const std::string& folder,
                                                             const OperatorCommand& command,
                                                             std::chrono::milliseconds timeout) {
  auto done = as<CarriedOut>(
      ask_engine(folder, command, timeout,
                 ", so it is not known what came of it: the event log says it (NXF-7010)"));
  if (!done) return std::unexpected{std::move(done.error())};
  return std::move(done->result);
}

std::expected<std::chrono::nanoseconds, LiveError> test_running_session(
    const std::string& folder, const std::string& session, const std::string& reason,
    std::chrono::milliseconds timeout) {
  const MonoTime deadline = SystemClock{}.now().mono + timeout;
  const auto left = [&] {
    return std::chrono::ceil<std::chrono::milliseconds>(deadline - SystemClock{}.now().mono);
  };
  const OperatorCommand command{
      .act = OperatorAct::TestRequest, .session = session, .reason = reason};
  const auto sent = as<CarriedOut>(ask_engine(
      folder, command, timeout, ", so it is not known whether the TestRequest was sent"));
  if (!sent) return std::unexpected{sent.error()};
  for (;;) {
    const auto trip = as<RoundTripAnswer>(
        ask_engine(folder, RoundTripRequest{session, sent->test_request.value_or(0)},
                   std::max(left(), kBetweenLooks)));
    if (!trip) return std::unexpected{trip.error()};
    if (trip->took) return *trip->took;
    if (left() <= kBetweenLooks) {
      return std::unexpected{LiveError{.text = "the TestRequest is sent, and no Heartbeat came "
                                               "back within " +
                                               std::to_string(timeout.count()) + " ms"}};
    }
    static_cast<void>(::poll(nullptr, 0, static_cast<int>(kBetweenLooks.count())));
  }
}

std::expected<EngineStatus, LiveError> status_of_running_engine(const std::string& folder,
                                                                std::chrono::milliseconds timeout) {
  EngineStatus engine;
  for (StatusRequest next; next.loop < engine.loops;) {
    auto page = as<StatusPage>(ask_engine(folder, next, timeout));
    if (!page) return std::unexpected{std::move(page.error())};
    auto sessions = std::move(engine.sessions);
    std::ranges::move(page->status.sessions, std::back_inserter(sessions));
    engine = std::move(page->status);
    engine.sessions = std::move(sessions);
    next = page->next;
  }
  return engine;
}

std::expected<std::vector<LatencyRow>, LiveError> latencies_of_running_engine(
    const std::string& folder, const std::string& session, std::chrono::milliseconds timeout) {
  return as<std::vector<LatencyRow>>(ask_engine(folder, LatencyRequest{session}, timeout));
}

std::vector<std::string> find_running_engines() {
  std::vector<std::string> found;
  const auto add_if_it_answers = [&found](std::string place) {
    // A socket of another program gives another answer.
    if (status_of_running_engine(place, std::chrono::seconds{2})) found.push_back(std::move(place));
  };
  for (const std::string& path : transport::find_local_sockets(kSocket.substr(1))) {
    if (path.ends_with(kSocket)) {
      add_if_it_answers(path.substr(0, path.size() - kSocket.size()));
    } else if (path.ends_with(kSuffix)) {
      add_if_it_answers(path);
    }
  }
  // Each of several loops has a socket in a folder of its own, within that of the first loop.
  const std::vector<std::string> all = found;
  std::erase_if(found, [&all](const std::string& folder) {
    const std::size_t end = folder.rfind("/loop-");
    return end != std::string::npos && std::ranges::find(all, folder.substr(0, end)) != all.end();
  });
  return found;
}

std::expected<MessageTail, LiveError> MessageTail::open(const std::string& folder,
                                                        const std::string& session,
                                                        std::chrono::milliseconds timeout) {
  const auto begun = as<TailBegun>(ask_engine(folder, TailRequest{session}, timeout));
  if (!begun) return std::unexpected{begun.error()};
  return MessageTail{folder, begun->id, timeout};
}

std::expected<LiveMessages, LiveError> MessageTail::next() {
  return as<LiveMessages>(ask_engine(folder_, TailReadRequest{id_}, timeout_));
}

}  // namespace nexusfix::engine
