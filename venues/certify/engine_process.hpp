// The user's program while a case is played: a command of the shell, in a process group of its own.
#pragma once

#include <chrono>
#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace nexusfix::venues {

using Variables = std::vector<std::pair<std::string, std::string>>;  // of the environment

class EngineProcess {
 public:
  // Starts `sh -c command`. Its output and errors are added to the file log. The error: it cannot
  // be started.
  [[nodiscard]] static std::expected<EngineProcess, std::string> start(const std::string& command,
                                                                       const Variables& variables,
                                                                       const std::string& log);
  // Ends the process group: SIGTERM, and SIGKILL after three seconds.
  ~EngineProcess();
  EngineProcess(EngineProcess&& other) noexcept : group_{std::exchange(other.group_, 0)} {}
  EngineProcess& operator=(EngineProcess&&) = delete;

  // Whether a process of its group is there, which the shell may have started before its end.
  [[nodiscard]] bool is_running() const;
  // The status with which it has ended, as the shell shows it; nothing: it runs. Does not wait.
  [[nodiscard]] std::optional<int> status();

 private:
  explicit EngineProcess(pid_t group) : group_{group} {}
  void reap(bool waits);
  // False: a process of the group is still there.
  [[nodiscard]] bool wait_for_group(std::chrono::milliseconds limit);

  pid_t group_;  // 0: moved from
  std::optional<int> status_;
};

// What a command prints, its first line, with bytes that are not printable as \xff; the error says
// why there is none. Blocks until it ends, at most 10 s and not after an interrupt: then its
// process group is killed.
[[nodiscard]] std::expected<std::string, std::string> first_line_of(
    const std::string& command, const std::function<bool()>& is_interrupted);

}  // namespace nexusfix::venues
