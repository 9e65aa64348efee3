// SIGINT and SIGTERM end an engine gracefully; SIGHUP has it open its log files anew, read its
// certificates again (Engine::reload_certificates()) and its configuration anew
// (Engine::request_reload()). For programs whose main() is not nexusfix::run(), which does this by
// itself.
#pragma once

#include <array>
#include <csignal>
#include <cstddef>

#include <nexusfix/base/language.hpp>

namespace nexusfix::engine {

class Engine;

// While one exists, the signals do that, and SIGPIPE is ignored: a reader of standard output that
// has gone away must not kill a venue. Then the first three do again what they did before. One at a
// time in a process.
class StopSignals {
 public:
  explicit StopSignals(Engine& engine);  // must outlive this
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  // Whether SIGINT or SIGTERM has come since the process began. Any thread.
  [[nodiscard]] static bool received() noexcept;

 private:
  static constexpr std::array kSignals{SIGPIPE, SIGINT, SIGTERM, SIGHUP};
  void handle(std::size_t index, void (*handler)(int)) noexcept;

  std::array<struct sigaction, kSignals.size()> before_{};
};

}  // namespace nexusfix::engine
