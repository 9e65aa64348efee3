// The client of the control socket.
#include <algorithm>
#include <cerrno>
#include <iterator>
#include <string>
#include <utility>
#include <variant>

#include <nexusfix/engine/running_engine.hpp>
#include <nexusfix/transport/local_socket.hpp>

#include "engine/inbox/control_protocol.hpp"

namespace nexusfix::engine {
namespace {

constexpr std::string_view kSocket = "/control";

// unknown: what a person must do if the answer did not come in time.
std::expected<std::string, LiveError> ask(const std::string& folder, const std::string& line,
                                          std::chrono::milliseconds timeout,
                                          std::string_view unknown) {
  auto answer = transport::ask_local(folder + std::string{kSocket}, line, timeout);
  if (answer) return *std::move(answer);
  const int error_number = answer.error().error_number;
  std::string text = std::move(answer.error().text);
  if (error_number == ETIMEDOUT) text += unknown;
  return std::unexpected{
      LiveError{.is_absent = error_number == ENOENT || error_number == ECONNREFUSED,
                .text = std::move(text)}};
}

std::expected<void, LiveError> carry_out(const std::string& folder, const std::string& line,
                                         std::chrono::milliseconds timeout,
                                         std::string_view unknown) {
  if (!read_request(line)) {
    return std::unexpected{LiveError{
        .text = "the session's name and the reason go to the running engine as one line: printable "
                "characters, and a reason of up to " +
                std::to_string(kLiveReasonBytesMax) + " bytes"}};
  }
  auto answer = ask(folder, line, timeout, unknown);
  if (!answer) return std::unexpected{std::move(answer.error())};
  if (*answer == kDone) return {};
  return std::unexpected{LiveError{.text = std::move(*answer)}};
}

}  // namespace

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
  return carry_out(
      folder, line_of(request), timeout,
      ", so it is not known what came of it: nexusfix journal show shows the sequence numbers");
}

std::expected<void, LiveError> command_running_engine(const std::string& folder,
                                                      const OperatorCommand& command,
                                                      std::chrono::milliseconds timeout) {
  return carry_out(folder, line_of(command), timeout,
                   ", so it is not known what came of it: the event log says it (NXF-7010)");
}

std::expected<EngineStatus, LiveError> status_of_running_engine(const std::string& folder,
                                                                std::chrono::milliseconds timeout) {
  EngineStatus engine;
  for (StatusRequest next; next.loop < engine.loops;) {
    const auto answer = ask(folder, line_of(next), timeout, {});
    if (!answer) return std::unexpected{answer.error()};
    auto page = read_page(*answer);
    if (!page) return std::unexpected{LiveError{.text = *answer}};
    auto sessions = std::move(engine.sessions);
    std::move(page->status.sessions.begin(), page->status.sessions.end(),
              std::back_inserter(sessions));
    engine = std::move(page->status);
    engine.sessions = std::move(sessions);
    next = page->next;
  }
  return engine;
}

std::vector<std::string> find_running_engines() {
  std::vector<std::string> folders;
  for (const std::string& path : transport::find_local_sockets(kSocket.substr(1))) {
    std::string folder = path.substr(0, path.size() - kSocket.size());
    // A socket of another program gives another answer.
    if (status_of_running_engine(folder, std::chrono::seconds{2})) {
      folders.push_back(std::move(folder));
    }
  }
  // Each of several loops has a socket in a folder of its own, within that of the first loop.
  const std::vector<std::string> all = folders;
  std::erase_if(folders, [&all](const std::string& folder) {
    const std::size_t end = folder.rfind("/loop-");
    return end != std::string::npos && std::ranges::find(all, folder.substr(0, end)) != all.end();
  });
  return folders;
}

}  // namespace nexusfix::engine
