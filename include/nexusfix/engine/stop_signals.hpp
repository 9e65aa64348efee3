// SIGINT and SIGTERM end an engine gracefully. SIGHUP reopens its log files, and reads its
// certificates (Engine::reload_certificates()) and its configuration (Engine::request_reload())
// again. For programs with their own main(); nexusfix::run() does this by itself.
#pragma once

#include <array>
#include <csignal>
#include <cstddef>

#include <nexusfix/base/language.hpp>

namespace nexusfix::engine {

class Engine;

// The signals have these effects while an object exists, and SIGPIPE is ignored: a closed reader of
// standard output must not end a venue. The destructor restores the earlier handlers except that of
// SIGPIPE. A process may have one object at a time.
class StopSignals {
 public:
  // Takes over the four signals. The engine must outlive this object. Signals call only functions
  // that any thread may call, so it does not matter which threads serve the event loops.
  explicit StopSignals(Engine& engine);
  // For Engine::open(): SIGINT or SIGTERM ends the wait of a standby, and open() fails. So an
  // engine of a cluster gives its lease back. The second one ends the process. SIGHUP does nothing.
  StopSignals();
  // Restores the earlier handlers, except that of SIGPIPE.
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  // Whether SIGINT or SIGTERM has come since the process began. Any thread.
  [[nodiscard]] static bool received() noexcept;

 private:
  static constexpr std::array kSignals{SIGPIPE, SIGINT, SIGTERM, SIGHUP};
  void handle(std::size_t index, void (*handler)(int), int flags = 0) noexcept;

  std::array<struct sigaction, kSignals.size()> before_{};
};

}  // namespace nexusfix::engine
