#include "gateway/gateway_loop.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fmt/format.h>
#include <poll.h>
#include <vector>

#include <nexusfix/base/clock.hpp>

namespace nexusfix::gateway {
namespace {

using namespace std::chrono_literals;

// An idle loop looks for clients that are overdue.
constexpr auto kIdleWait = 1s;

class Loop {
 public:
  Loop(engine::Engine& engine, Gateway& gateway, SocketDoor& door, const LoopOptions& options)
      : engine_{engine}, gateway_{gateway}, door_{door}, options_{options} {}

  // False: the engine has ended.
  [[nodiscard]] bool turn() {
    bool has_more = gateway_.serve();
    if (!engine_.poll(0ns)) return false;
    has_more |= gateway_.flush();
    if (!options_.spins) {
      wait(has_more);
    } else if (--until_look_ < 0) {
      until_look_ = kTurnsBetweenLooks;
      accept_all();
    }
    return true;
  }

 private:
  static constexpr int kTurnsBetweenLooks = 1'000;

  void wait(bool has_more) {
    descriptors_.clear();
    descriptors_.push_back({engine_.descriptor(), POLLIN, 0});
    descriptors_.push_back({door_.descriptor(), POLLIN, 0});
    descriptors_.push_back({gateway_.wake_descriptor(), POLLIN, 0});
    gateway_.visit_descriptors([this](int descriptor, bool wants_to_write) {
      const int events = wants_to_write ? POLLIN | POLLOUT : POLLIN;
      descriptors_.push_back({descriptor, static_cast<short>(events), 0});
    });
    const MonoTime now = clock_.now().mono;
    const MonoTime latest = now + (has_more ? 0ns : gateway_.begin_sleep(kIdleWait));
    const MonoTime until = std::clamp(engine_.next_deadline(), now, latest);
    const auto time = std::chrono::duration_cast<std::chrono::nanoseconds>(until - now);
    const timespec timeout{.tv_sec = time / 1s, .tv_nsec = (time % 1s).count()};
    if (::ppoll(descriptors_.data(), descriptors_.size(), &timeout, nullptr) <= 0) return;
    if (descriptors_[1].revents != 0) accept_all();
  }
  void accept_all() {
    for (;;) {
      AcceptedClient accepted = door_.accept();
      if (accepted.link == nullptr) return;
      gateway_.add(std::move(accepted.link),
                   fmt::format("user {}, process {}", accepted.peer.user, accepted.peer.process));
    }
  }

  engine::Engine& engine_;
  Gateway& gateway_;
  SocketDoor& door_;
  LoopOptions options_;
  SystemClock clock_;
  std::vector<pollfd> descriptors_;
  int until_look_ = 0;
};

}  // namespace

void serve_all(engine::Engine& engine, Gateway& gateway, SocketDoor& door,
               const LoopOptions& options) {
  Loop loop{engine, gateway, door, options};
  while (loop.turn()) {
  }
  gateway.stop();
}

}  // namespace nexusfix::gateway
