// SIGINT and SIGTERM end an engine gracefully; SIGHUP has it open its log files anew.
#pragma once

namespace nexusfix::engine {
class Engine;
}

namespace nexusfix::command {

// While one exists, the signals do that, and SIGPIPE is ignored: a reader of standard
// output that has gone away must not kill a venue. One at a time in a process.
class StopSignals {
 public:
  explicit StopSignals(engine::Engine& engine);  // must outlive this
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  [[nodiscard]] static bool received() noexcept;
};

}  // namespace nexusfix::command
