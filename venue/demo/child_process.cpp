#include "venue/demo/child_process.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace nexusfix::command {
namespace {

constexpr std::size_t kErrorLinesKept = 20;

struct Pipe {
  int read = -1;
  int write = -1;
};

std::optional<Pipe> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
  return Pipe{ends[0], ends[1]};
}

void close_pipe(const Pipe& pipe) {
  ::close(pipe.read);
  ::close(pipe.write);
}

// Runs in the new process: becomes the program, or ends with 127. All calls are safe after fork().
[[noreturn]] void become(char* const* arguments, int output, int errors, pid_t parent) {
  constexpr int kCannotRun = 127;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(kCannotRun);  // The parent ended before the line above.
  // A pipe without a writer reads as empty: standard input needs no file.
  int input[2];
  if (::pipe(input) != 0) ::_exit(kCannotRun);
  ::close(input[1]);
  ::dup2(input[0], STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(errors, STDERR_FILENO);
  ::execv("/proc/self/exe", arguments);
  ::_exit(kCannotRun);
}

}  // namespace

LinePipe::~LinePipe() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

LinePipe::LinePipe(LinePipe&& other) noexcept
    : descriptor_{std::exchange(other.descriptor_, -1)}, text_{std::move(other.text_)} {}

void LinePipe::read_some() {
  std::array<char, 65'536> buffer;
  const ssize_t size = ::read(descriptor_, buffer.data(), buffer.size());
  if (size > 0) {
    text_.append(buffer.data(), static_cast<std::size_t>(size));
  } else if (size == 0 || errno != EINTR) {
    ::close(std::exchange(descriptor_, -1));
  }
}

std::optional<std::string> LinePipe::next_line() {
  const std::size_t end = text_.find('\n');
  if (end == std::string::npos) {
    if (descriptor_ >= 0 || text_.empty()) return std::nullopt;
    return std::exchange(text_, {});
  }
  std::string line = text_.substr(0, end);
  text_.erase(0, end + 1);
  return line;
}

std::expected<ChildProcess, std::string> ChildProcess::start(
    std::string name, const std::vector<std::string>& arguments) {
  const auto output = make_pipe();
  if (!output) return std::unexpected{fmt::format("pipe: {}", std::strerror(errno))};
  const auto errors = make_pipe();
  if (!errors) {
    close_pipe(*output);
    return std::unexpected{fmt::format("pipe: {}", std::strerror(errno))};
  }
  std::string program = "nexusfix";
  std::vector<std::string> copies = arguments;
  std::vector<char*> pointers{program.data()};
  for (std::string& argument : copies) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid == 0) become(pointers.data(), output->write, errors->write, parent);
  const int error = errno;
  if (pid < 0) {
    close_pipe(*output);
    close_pipe(*errors);
    return std::unexpected{fmt::format("fork: {}", std::strerror(error))};
  }
  ::close(output->write);
  ::close(errors->write);
  return ChildProcess{std::move(name), pid, output->read, errors->read};
}

ChildProcess::~ChildProcess() {
  if (pid_ == 0) return;
  ::kill(pid_, SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : name_{std::move(other.name_)},
      pid_{std::exchange(other.pid_, 0)},
      output_{std::move(other.output_)},
      errors_{std::move(other.errors_)},
      last_errors_{std::move(other.last_errors_)},
      wait_status_{other.wait_status_} {}

void ChildProcess::collect_errors() {
  while (auto line = errors_.next_line()) {
    last_errors_.push_back(std::move(*line));
    if (last_errors_.size() > kErrorLinesKept) last_errors_.pop_front();
  }
}

std::string ChildProcess::last_errors() const {
  std::string text;
  for (const std::string& line : last_errors_) text += fmt::format("  {}: {}\n", name_, line);
  return text;
}

void ChildProcess::terminate() noexcept {
  if (pid_ != 0) ::kill(pid_, SIGTERM);
}

std::optional<std::string> ChildProcess::ended() {
  if (pid_ != 0) {
    int status = 0;
    if (::waitpid(pid_, &status, WNOHANG) != pid_) return std::nullopt;
    pid_ = 0;
    wait_status_ = status;
  }
  const int status = wait_status_.value_or(0);
  if (WIFSIGNALED(status)) {
    return fmt::format("the {} was killed by signal {}", name_, WTERMSIG(status));
  }
  return fmt::format("the {} ended with status {}", name_, WEXITSTATUS(status));
}

}  // namespace nexusfix::command
