#include "engine/inbox/control.hpp"

#include <array>
#include <cerrno>
#include <filesystem>
#include <poll.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <variant>

#include <nexusfix/base/clock.hpp>

namespace nexusfix::engine {

Control::Control(std::vector<Place> places, WholeEngine engine,
                 std::chrono::milliseconds loop_timeout)
    : places_{std::move(places)},
      engine_{std::move(engine)},
      loop_timeout_{loop_timeout},
      opened_at_{SystemClock{}.now().wall} {}

std::expected<std::unique_ptr<Control>, std::string> Control::open(
    std::vector<Place> places, WholeEngine engine, std::chrono::milliseconds loop_timeout) {
  std::unique_ptr<Control> control{new Control{std::move(places), std::move(engine), loop_timeout}};
  std::vector<std::string> paths;
  for (const Place& place : control->places_) {
    // Absolute, so that find_running_engines() finds it from every folder.
    std::error_code error;
    const auto folder = std::filesystem::absolute(place.folder, error).lexically_normal();
    paths.push_back((error ? place.folder : folder.string()) + "/control");
  }
  auto server = transport::LocalServer::open(paths, *control);
  if (!server) return std::unexpected{std::move(server.error().text)};
  control->server_ = std::move(*server);
  return control;
}

Control::~Control() = default;

// Waits until the order is answered, the time-out has passed, or stop is readable.
std::string Control::wait_for(ControlOrder& order, int stop) const {
  SystemClock clock;
  const MonoTime deadline = clock.now().mono + loop_timeout_;
  std::array<pollfd, 2> waited{pollfd{order.answered, POLLIN, 0}, pollfd{stop, POLLIN, 0}};
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - clock.now().mono);
    if (left.count() <= 0) break;
    const int count = ::poll(waited.data(), waited.size(), static_cast<int>(left.count()));
    if (count != 0 && !(count < 0 && errno == EINTR)) break;
  }
  using State = ControlOrder::State;
  auto waiting = State::Waiting;
  if (order.state.compare_exchange_strong(waiting, State::Aborted)) {
    return "the engine did not look at it in time: nothing was set";
  }
  auto taken = State::Taken;
  if (order.state.compare_exchange_strong(taken, State::Aborted)) {
    return "the engine has taken it, but the disk did not have it in time: look at the sequence "
           "numbers with nexusfix journal show";
  }
  return std::move(order.answer);
}

std::string Control::ask(std::size_t place, ControlRequest request, int stop) {
  auto order = std::make_shared<ControlOrder>(std::move(request));
  if (order->answered < 0) return "the engine is out of descriptors: nothing was set";
  order->engine = {.process = ::getpid(),
                   .started = opened_at_,
                   .loops = static_cast<std::uint32_t>(places_.size()),
                   .sessions = {}};
  places_[place].room->add(make_control_task(order, engine_));
  return wait_for(*order, stop);
}

// An event or a record has the user and the process that the kernel reports, beside the reason that
// the client gives.
std::string Control::answer(std::size_t socket, const transport::LocalPeer& peer,
                            std::string_view line, int stop) {
  auto request = read_request(line);
  if (!request) return std::move(request.error());
  const std::string of_peer = " (given to the running engine by user " + std::to_string(peer.user) +
                              ", process " + std::to_string(peer.process) + ")";
  if (auto* const status = std::get_if<StatusRequest>(&*request)) {
    if (status->loop >= places_.size()) return "the engine has no event loop of this number";
    return ask(status->loop, *std::move(request), stop);
  }
  if (auto* const numbers = std::get_if<LiveNumbers>(&*request)) {
    numbers->reason += of_peer;
    return ask(socket, *std::move(request), stop);
  }
  auto& command = std::get<OperatorCommand>(*request);
  command.reason += of_peer;
  if (!needs_session(command.act)) return ask(0, *std::move(request), stop);
  std::string text;
  for (std::size_t place = 0; place < places_.size(); ++place) {
    text = ask(place, *request, stop);
    if (!text.starts_with(kNoSession)) break;
  }
  return text;
}

}  // namespace nexusfix::engine
