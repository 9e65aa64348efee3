#include "stream/sinks/child_process.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace nexusfix::stream {
namespace {

using Failed = std::unexpected<std::string>;

constexpr int kGraceMillis = 5'000;
constexpr int kTerminateMillis = 1'000;
constexpr int kLookMillis = 10;

std::string error_text(int error) { return std::generic_category().message(error); }

struct Pipe {
  int read = -1;
  int write = -1;

  Pipe() = default;
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    if (read >= 0) ::close(read);
    if (write >= 0) ::close(write);
  }
  [[nodiscard]] bool open() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return false;
    read = ends[0];
    write = ends[1];
    return true;
  }
};

void make_nonblocking(int descriptor) {
  ::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) | O_NONBLOCK);
}

int spawn(const std::string& command, const Pipe& input, const Pipe& output, pid_t& process) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input.read, STDIN_FILENO);
  if (output.write >= 0) posix_spawn_file_actions_adddup2(&actions, output.write, STDOUT_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  posix_spawnattr_setpgroup(&attributes, 0);
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  std::string shell = "sh";
  std::string option = "-c";
  std::string text = command;
  std::array<char*, 4> arguments{shell.data(), option.data(), text.data(), nullptr};
  const int error =
      ::posix_spawn(&process, "/bin/sh", &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

}  // namespace

ChildProcess::~ChildProcess() {
  close_input();
  if (is_running() && !ends_within(kGraceMillis)) {
    ::kill(-process_, SIGTERM);
    if (!ends_within(kTerminateMillis)) kill();
  }
  close_output();
}

std::expected<void, std::string> ChildProcess::start(const std::string& command, Output output) {
  close_input();
  close_output();
  Pipe to_command;
  Pipe from_command;
  if (!to_command.open() || (output == Output::Read && !from_command.open())) {
    return Failed{"pipe: " + error_text(errno)};
  }
  pid_t process = -1;
  if (const int error = spawn(command, to_command, from_command, process); error != 0) {
    return Failed{"/bin/sh: " + error_text(error)};
  }
  process_ = process;
  input_ = std::exchange(to_command.write, -1);
  output_ = std::exchange(from_command.read, -1);
  make_nonblocking(input_);
  if (output_ >= 0) make_nonblocking(output_);
  return {};
}

std::optional<std::size_t> ChildProcess::write(std::string_view text) {
  if (input_ < 0) return std::nullopt;
  const ssize_t done = ::write(input_, text.data(), text.size());
  if (done >= 0) return static_cast<std::size_t>(done);
  if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) return 0;
  return std::nullopt;
}

bool ChildProcess::read_output(std::string& to) {
  if (output_ < 0) return false;
  std::array<char, 4096> bytes{};
  const ssize_t got = ::read(output_, bytes.data(), bytes.size());
  if (got > 0) to.append(bytes.data(), static_cast<std::size_t>(got));
  if (got > 0 || (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))) {
    return true;
  }
  close_output();
  return false;
}

void ChildProcess::close_input() {
  if (input_ >= 0) ::close(std::exchange(input_, -1));
}

void ChildProcess::close_output() {
  if (output_ >= 0) ::close(std::exchange(output_, -1));
}

bool ChildProcess::has_ended() {
  if (!is_running()) return true;
  if (::waitpid(process_, &status_, WNOHANG) != process_) return false;
  process_ = -1;
  return true;
}

bool ChildProcess::ends_within(int milliseconds) {
  std::string ignored;
  for (int waited = 0; !has_ended(); waited += kLookMillis) {
    if (waited >= milliseconds) return false;
    // A command that prints must not wait for a reader.
    if (read_output(ignored)) ignored.clear();
    ::poll(nullptr, 0, kLookMillis);
  }
  return true;
}

void ChildProcess::kill() {
  if (!is_running()) return;
  ::kill(-process_, SIGKILL);
  ::waitpid(process_, &status_, 0);
  process_ = -1;
}

std::string ChildProcess::how_it_ended() const {
  return WIFSIGNALED(status_)
             ? fmt::format("the command was ended by signal {}", WTERMSIG(status_))
             : fmt::format("the command ended with status {}", WEXITSTATUS(status_));
}

bool ChildProcess::has_succeeded() const noexcept {
  return WIFEXITED(status_) && WEXITSTATUS(status_) == 0;
}

}  // namespace nexusfix::stream
