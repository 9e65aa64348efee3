// Notifies systemd, or another service manager with its protocol, of the state of the process:
// READY, STOPPING, WATCHDOG. The protocol is a datagram of such lines to the socket that
// NOTIFY_SOCKET names.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/transport/network.hpp>

namespace nexusfix::transport {

// One process's connection to its service manager. An engine that run() or start() serves has its
// own (EngineOptions::notify_systemd); a program that calls poll() makes one. Functions with the
// number of a loop belong to that loop's thread.
class ServiceNotifier {
 public:
  // What a service manager sets in the environment of its services.
  struct Options {
    std::string socket;  // a path, or `@` and a name in Linux's abstract namespace
    std::chrono::microseconds watchdog{0};  // the interval; 0: no sign of life is wanted
    std::uint32_t loops = 1;                // loops that must give a sign of life: 1 to 64
  };

  // Reads NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID. loops: as Options::loops. Null: no service
  // manager wants to be notified. An error: one does, and it cannot be reached, or its values
  // cannot be read.
  [[nodiscard]] static std::expected<std::unique_ptr<ServiceNotifier>, NetworkError>
  from_environment(std::uint32_t loops = 1);
  // Connects to the socket. An error: it is neither a path nor a name, or it cannot be reached.
  [[nodiscard]] static std::expected<std::unique_ptr<ServiceNotifier>, NetworkError> open(
      const Options& options);
  ~ServiceNotifier();
  ServiceNotifier(const ServiceNotifier&) = delete;
  ServiceNotifier& operator=(const ServiceNotifier&) = delete;

  // Sends READY, once. Any thread. It waits for the service manager if necessary: nothing else
  // waits at that point.
  void ready();
  // Sends STOPPING, once. Any thread. It does not wait, because sessions are to be logged out.
  void stopping();
  // The process goes on when its loops have ended: STOPPING is not sent, after which a service
  // manager ends a process that does not end by itself. Any thread.
  void goes_on() noexcept { is_stopping_ = true; }

  // Each loop calls it once a turn. The watchdog is notified when all loops have called it since
  // the last notification, so that one loop that hangs is enough to trigger the watchdog. Does not
  // wait. Almost always one comparison.
  void is_alive(std::uint32_t loop, MonoTime now) noexcept {
    if (now >= next_signs_[loop]) [[unlikely]]
      send_sign_of_life(loop, now);
  }
  // Reports the number of a loop's sessions that wait for changed configuration keys. The sum of
  // all loops is in the service's status. Does not wait.
  void report_waiting(std::uint32_t loop, std::uint32_t sessions) noexcept;
  // The loop has ended: its sign of life is not required any more.
  void has_ended(std::uint32_t loop) noexcept {
    living_loops_.fetch_and(~(std::uint64_t{1} << loop), std::memory_order_relaxed);
  }
  // The longest time that a loop may sleep between two calls; a week if no sign of life is wanted.
  [[nodiscard]] std::chrono::nanoseconds sleep_max() const noexcept { return sleep_max_; }

 private:
  static constexpr std::uint32_t kLoopsMax = 64;

  ServiceNotifier(int descriptor, const Options& options);
  void send_sign_of_life(std::uint32_t loop, MonoTime now) noexcept;
  void send(std::string_view text, int flags) const noexcept;

  int descriptor_;
  bool has_watchdog_;
  std::chrono::nanoseconds sleep_max_;
  // A bit for each loop. A bit that is lost when two loops set bits at once is set again soon
  // enough.
  std::atomic<std::uint64_t> living_loops_;
  std::atomic<std::uint64_t> signs_{0};
  std::atomic<bool> is_ready_{false};
  std::atomic<bool> is_stopping_{false};  // STOPPING was sent, or is not to be sent
  MonoTime next_signs_[kLoopsMax];        // each entry belongs to its loop
  std::atomic<std::uint32_t> waiting_[kLoopsMax]{};
};

}  // namespace nexusfix::transport
