// The client of the control socket.
#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <poll.h>
#include <string>
#include <system_error>
#include <utility>
#include <variant>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/engine/running_engine.hpp>

#include "engine/service/operator/control_client.hpp"
#include "engine/service/operator/control_protocol.hpp"
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

std::expected<std::string, LiveError> carry_out(const std::string& folder, const std::string& line,
                                                std::chrono::milliseconds timeout,
                                                std::string_view unknown) {
  auto answer = command_engine(folder, line, timeout, unknown);
  if (!answer) return std::unexpected{std::move(answer.error())};
  if (auto result = read_done_answer(*answer)) return *std::move(result);
  return std::unexpected{LiveError{.text = std::move(*answer)}};
}

}  // namespace

std::expected<std::string, LiveError> ask_engine(const std::string& folder, const std::string& line,
                                                 std::chrono::milliseconds timeout,
                                                 std::string_view unknown) {
  auto answer = transport::ask_local(socket_of(folder), line, timeout);
  if (answer) return *std::move(answer);
  const int error_number = answer.error().error_number;
  std::string text = std::move(answer.error().text);
  if (error_number == ETIMEDOUT) text += unknown;
  return std::unexpected{
      LiveError{.is_absent = error_number == ENOENT || error_number == ECONNREFUSED,
                .text = std::move(text)}};
}

std::expected<std::string, LiveError> command_engine(const std::string& folder,
                                                     const std::string& line,
                                                     std::chrono::milliseconds timeout,
                                                     std::string_view unknown) {
  if (read_request(line)) return ask_engine(folder, line, timeout, unknown);
  return std::unexpected{LiveError{
      .text = "the session's name and the reason go to the running engine as one line: printable "
              "characters, and a reason of up to " +
              std::to_string(kLiveReasonBytesMax) + " bytes"}};
}

std::string_view to_string(SessionState state) noexcept {
  switch (state) {
    case SessionState::LoggedOn:
      return "logged on";
    case SessionState::LoggingOn:
      return "logging on";
    case SessionState::LoggingOut:
      return "logging out";
    case SessionState::Connecting:
      return "connecting";
    case SessionState::Waiting:
      return "waiting";
    case SessionState::Listening:
      return "listening";
    case SessionState::LoggedOut:
      return "logged out";
    case SessionState::Disabled:
      return "disabled";
    case SessionState::OutOfSchedule:
      return "out of schedule";
    case SessionState::Halted:
      return "halted";
    case SessionState::StoreFailed:
      return "store failed";
  }
  return "unknown";
}

std::expected<void, LiveError> set_live_numbers(const std::string& folder,
                                                const LiveNumbers& request,
                                                std::chrono::milliseconds timeout) {
  auto done = carry_out(
      folder, line_of(request), timeout,
      ", so it is not known what came of it: nexusfix journal show shows the sequence numbers");
  if (!done) return std::unexpected{std::move(done.error())};
  return {};
}

std::expected<std::string, LiveError> command_running_engine(const std::string& folder,
                                                             const OperatorCommand& command,
                                                             std::chrono::milliseconds timeout) {
  return carry_out(folder, line_of(command), timeout,
                   ", so it is not known what came of it: the event log says it (NXF-7010)");
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
  const auto sent = command_engine(folder, line_of(command), timeout,
                                   ", so it is not known whether the TestRequest was sent");
  if (!sent) return std::unexpected{sent.error()};
  const auto id = read_number_answer(*sent, kSentTestRequest);
  if (!id) return std::unexpected{LiveError{.text = *sent}};
  for (;;) {
    const auto answer = ask_engine(folder, line_of(RoundTripRequest{session, *id}),
                                   std::max(left(), kBetweenLooks));
    if (!answer) return std::unexpected{answer.error()};
    if (const auto nanos = read_number_answer(*answer, kRoundTrip)) {
      return std::chrono::nanoseconds{static_cast<std::int64_t>(*nanos)};
    }
    if (*answer != kStillWaiting) return std::unexpected{LiveError{.text = *answer}};
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
  return read_all_pages(
      [&](const StatusRequest& next) { return ask_engine(folder, line_of(next), timeout); },
      [](std::string answer) { return LiveError{.text = std::move(answer)}; });
}

std::expected<std::vector<LatencyRow>, LiveError> latencies_of_running_engine(
    const std::string& folder, const std::string& session, std::chrono::milliseconds timeout) {
  const auto answer = command_engine(folder, line_of(LatencyRequest{session}), timeout, {});
  if (!answer) return std::unexpected{answer.error()};
  auto rows = read_latencies(*answer);
  if (!rows) return std::unexpected{LiveError{.text = *answer}};
  return *std::move(rows);
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

}  // namespace nexusfix::engine
