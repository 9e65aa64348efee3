// A command whose standard input gets lines.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>

namespace nexusfix::stream {

// One thread. The command has a process group of its own, so that Ctrl-C in a terminal ends the
// stream first, and the command by the end of its input.
class ChildProcess {
 public:
  enum class Output : std::uint8_t {
    Read,       // for read_output()
    Inherited,  // that of this process
  };
  ChildProcess() = default;
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  // Closes its input and waits 5 s for its end, then 1 s after SIGTERM, then kills it.
  ~ChildProcess();

  // Starts /bin/sh -c command. The error is one line.
  [[nodiscard]] std::expected<void, std::string> start(const std::string& command, Output output);
  [[nodiscard]] bool is_running() const noexcept { return process_ > 0; }
  // Writes what its pipe takes. Returns the number of bytes; no value: the command reads no more.
  [[nodiscard]] std::optional<std::size_t> write(std::string_view text);
  // Appends what it has printed. False: it has closed its output.
  [[nodiscard]] bool read_output(std::string& to);
  void close_input();
  [[nodiscard]] int input() const noexcept { return input_; }    // -1: closed
  [[nodiscard]] int output() const noexcept { return output_; }  // -1: closed
  // Whether it has ended; then its end is in how_it_ended() and has_succeeded().
  [[nodiscard]] bool has_ended();
  void kill();
  // "the command ended with status 1", "the command was ended by signal 9".
  [[nodiscard]] std::string how_it_ended() const;
  [[nodiscard]] bool has_succeeded() const noexcept;

 private:
  void close_output();
  [[nodiscard]] bool ends_within(int milliseconds);

  pid_t process_ = -1;
  int input_ = -1;
  int output_ = -1;
  int status_ = 0;
};

}  // namespace nexusfix::stream
