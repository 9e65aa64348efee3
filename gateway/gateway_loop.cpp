#include "gateway/gateway_loop.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
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
  Loop(engine::Engine& engine, Gateway& gateway, std::span<ClientDoor* const> doors,
       const LoopOptions& options)
      : engine_{engine}, gateway_{gateway}, doors_{doors}, options_{options} {
    if (options_.service == nullptr) return;
    idle_wait_ = std::min<std::chrono::nanoseconds>(kIdleWait, options_.service->sleep_max());
    options_.service->ready();  // the doors are open
  }

  // False: the engine has ended.
  [[nodiscard]] bool turn() {
    for (ClientDoor* const door : doors_) door->poll();
    bool has_more = gateway_.serve();
    if (!engine_.poll(0ns)) return false;
    has_more |= gateway_.flush();
    if (!options_.spins) {
      wait(has_more);
    } else if (--until_look_ < 0) {
      until_look_ = kTurnsBetweenLooks;
      give_sign_of_life(clock_.now().mono);
      for (ClientDoor* const door : doors_) accept_all(*door);
    }
    return true;
  }

 private:
  static constexpr int kTurnsBetweenLooks = 1'000;

  void give_sign_of_life(MonoTime now) noexcept {
    if (options_.service != nullptr) options_.service->is_alive(0, now);
  }
  void wait(bool has_more) {
    descriptors_.clear();
    for (const ClientDoor* const door : doors_) {
      descriptors_.push_back({door->descriptor(), POLLIN, 0});
    }
    descriptors_.push_back({engine_.descriptor(), POLLIN, 0});
    descriptors_.push_back({gateway_.wake_descriptor(), POLLIN, 0});
    gateway_.visit_descriptors([this](int descriptor, bool wants_to_write) {
      const int events = wants_to_write ? POLLIN | POLLOUT : POLLIN;
      descriptors_.push_back({descriptor, static_cast<short>(events), 0});
    });
    const MonoTime now = clock_.now().mono;
    give_sign_of_life(now);
    const MonoTime latest = now + (has_more ? 0ns : gateway_.begin_sleep(idle_wait_));
    const MonoTime until = std::clamp(engine_.next_deadline(), now, latest);
    const auto time = std::chrono::duration_cast<std::chrono::nanoseconds>(until - now);
    const timespec timeout{.tv_sec = time / 1s, .tv_nsec = (time % 1s).count()};
    if (::ppoll(descriptors_.data(), descriptors_.size(), &timeout, nullptr) <= 0) return;
    for (std::size_t i = 0; i < doors_.size(); ++i) {
      if (descriptors_[i].revents != 0) accept_all(*doors_[i]);
    }
  }
  void accept_all(ClientDoor& door) {
    for (;;) {
      AcceptedClient accepted = door.accept();
      if (accepted.link == nullptr) return;
      gateway_.add(std::move(accepted.link), std::move(accepted.peer));
    }
  }

  engine::Engine& engine_;
  Gateway& gateway_;
  std::span<ClientDoor* const> doors_;
  LoopOptions options_;
  SystemClock clock_;
  std::vector<pollfd> descriptors_;
  std::chrono::nanoseconds idle_wait_ = kIdleWait;
  int until_look_ = 0;
};

}  // namespace

void serve_all(engine::Engine& engine, Gateway& gateway, std::span<ClientDoor* const> doors,
               const LoopOptions& options) {
  Loop loop{engine, gateway, doors, options};
  while (loop.turn()) {
  }
  gateway.stop();
}

}  // namespace nexusfix::gateway
