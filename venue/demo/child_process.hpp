// A child process of this program, and the lines that it prints.
#pragma once

#include <deque>
#include <expected>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace nexusfix::command {

// The reading end of a pipe, and the lines that were read.
class LinePipe {
 public:
  explicit LinePipe(int descriptor) noexcept : descriptor_{descriptor} {}
  ~LinePipe();
  LinePipe(LinePipe&& other) noexcept;
  LinePipe& operator=(LinePipe&&) = delete;

  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }  // -1: the pipe has ended
  // Reads the available bytes. Call it when the descriptor is readable or has hung up.
  void read_some();
  // The complete lines, in order. An incomplete line at the end of the pipe is a line, too.
  [[nodiscard]] std::optional<std::string> next_line();

 private:
  int descriptor_;
  std::string text_;
};

// The destructor kills and reaps the process. The kernel kills it if this process ends first.
class ChildProcess {
 public:
  // arguments: of this program, without its name. Standard input is empty.
  [[nodiscard]] static std::expected<ChildProcess, std::string> start(
      std::string name, const std::vector<std::string>& arguments);
  ~ChildProcess();
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] LinePipe& output() noexcept { return output_; }
  [[nodiscard]] LinePipe& errors() noexcept { return errors_; }

  // Keeps the last lines of standard error, to be shown if the process fails.
  void collect_errors();
  [[nodiscard]] std::string last_errors() const;

  void terminate() noexcept;  // SIGTERM
  // Says how the process ended; nothing while it runs. Does not wait.
  [[nodiscard]] std::optional<std::string> ended();
  [[nodiscard]] bool succeeded() const noexcept { return wait_status_ == 0; }

 private:
  ChildProcess(std::string name, pid_t pid, int output, int errors)
      : name_{std::move(name)}, pid_{pid}, output_{output}, errors_{errors} {}

  std::string name_;
  pid_t pid_;  // 0: reaped, or moved from
  LinePipe output_;
  LinePipe errors_;
  std::deque<std::string> last_errors_;
  std::optional<int> wait_status_;
};

}  // namespace nexusfix::command
