#include "venues/certify/engine_process.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nexusfix/base/clock.hpp>

#include "base/api/printable_text.hpp"

extern char** environ;

namespace nexusfix::venues {
namespace {

constexpr std::chrono::milliseconds kTerminated{3'000};
constexpr std::chrono::milliseconds kTurn{10};
constexpr std::chrono::seconds kFirstLine{10};
constexpr std::size_t kFirstLineBytes = 4'096;
constexpr std::chrono::milliseconds kInterruptTurn{100};  // an interrupt is noticed after this time
constexpr int kOfSignal = 128;                            // as the shell counts

// Posix actions and attributes of a start; released at the end.
struct SpawnSetup {
  SpawnSetup() {
    ::posix_spawn_file_actions_init(&actions);
    ::posix_spawnattr_init(&attributes);
  }
  ~SpawnSetup() {
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
  }
  SpawnSetup(const SpawnSetup&) = delete;
  SpawnSetup& operator=(const SpawnSetup&) = delete;

  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
};

// Starts `sh -c command` in a process group of its own.
std::expected<pid_t, std::string> spawn(std::string command, SpawnSetup& setup,
                                        char* const* environment) {
  ::posix_spawnattr_setflags(&setup.attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  ::posix_spawnattr_setpgroup(&setup.attributes, 0);
  sigset_t all;
  ::sigfillset(&all);
  ::posix_spawnattr_setsigdefault(&setup.attributes, &all);
  std::string shell = "sh";
  std::string option = "-c";
  char* const arguments[] = {shell.data(), option.data(), command.data(), nullptr};
  pid_t process = 0;
  const int error =
      ::posix_spawnp(&process, "sh", &setup.actions, &setup.attributes, arguments, environment);
  if (error != 0) return std::unexpected{std::string{std::strerror(error)}};
  return process;
}

// Reads until the end, and keeps the begin. False: it has not come within kFirstLine, or before an
// interrupt.
bool read_begin(int from, std::string& begin, const std::function<bool()>& is_interrupted) {
  SystemClock clock;
  const MonoTime limit = clock.now().mono + kFirstLine;
  std::array<char, kFirstLineBytes> block{};
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(limit - clock.now().mono);
    pollfd one{.fd = from, .events = POLLIN, .revents = 0};
    if (left.count() <= 0 || is_interrupted()) return false;
    if (::poll(&one, 1, static_cast<int>(std::min(left, kInterruptTurn).count())) <= 0) continue;
    const ssize_t size = ::read(from, block.data(), block.size());
    if (size == 0) return true;
    if (size > 0 && begin.size() < kFirstLineBytes) {
      begin.append(block.data(), static_cast<std::size_t>(size));
    }
  }
}

int status_of(int waited) {
  return WIFSIGNALED(waited) ? kOfSignal + WTERMSIG(waited) : WEXITSTATUS(waited);
}

}  // namespace

std::expected<EngineProcess, std::string> EngineProcess::start(const std::string& command,
                                                               const Variables& variables,
                                                               const std::string& log) {
  SpawnSetup setup;
  constexpr mode_t kOwnerOnly = 0600;
  ::posix_spawn_file_actions_addopen(&setup.actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&setup.actions, STDOUT_FILENO, log.c_str(),
                                     O_WRONLY | O_CREAT | O_APPEND, kOwnerOnly);
  ::posix_spawn_file_actions_adddup2(&setup.actions, STDOUT_FILENO, STDERR_FILENO);
  std::vector<std::string> texts;
  for (const auto& [name, value] : variables) texts.push_back(name + "=" + value);
  std::vector<char*> environment;
  for (std::string& text : texts) environment.push_back(text.data());
  for (char** one = environ; *one != nullptr; ++one) environment.push_back(*one);
  environment.push_back(nullptr);
  const auto process = spawn(command, setup, environment.data());
  if (!process) return std::unexpected{process.error()};
  return EngineProcess{*process};
}

EngineProcess::~EngineProcess() {
  if (group_ == 0) return;
  ::kill(-group_, SIGTERM);
  // The shell may end before the program: the next start must not meet this one.
  if (!wait_for_group(kTerminated)) {
    ::kill(-group_, SIGKILL);
    static_cast<void>(wait_for_group(kTerminated));
  }
  reap(true);
}

bool EngineProcess::is_running() const { return ::kill(-group_, 0) == 0; }

std::optional<int> EngineProcess::status() {
  if (!status_) reap(false);
  return status_;
}

bool EngineProcess::wait_for_group(std::chrono::milliseconds limit) {
  for (auto waited = kTurn; waited < limit; waited += kTurn) {
    reap(false);
    if (::kill(-group_, 0) != 0) return true;
    static_cast<void>(::poll(nullptr, 0, static_cast<int>(kTurn.count())));
  }
  return false;
}

void EngineProcess::reap(bool waits) {
  if (status_) return;
  int waited = 0;
  pid_t ended = 0;
  do {
    ended = ::waitpid(group_, &waited, waits ? 0 : WNOHANG);
  } while (ended < 0 && errno == EINTR);
  if (ended == group_) status_ = status_of(waited);
}

std::expected<std::string, std::string> first_line_of(const std::string& command,
                                                      const std::function<bool()>& is_interrupted) {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) return std::unexpected{std::string{std::strerror(errno)}};
  SpawnSetup setup;
  ::posix_spawn_file_actions_addopen(&setup.actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&setup.actions, ends[1], STDOUT_FILENO);
  const auto process = spawn(command, setup, environ);
  ::close(ends[1]);
  std::string output;
  const bool has_ended = process && read_begin(ends[0], output, is_interrupted);
  ::close(ends[0]);
  if (!process) return std::unexpected{"the command cannot be started: " + command};
  if (!has_ended) ::kill(-*process, SIGKILL);
  int waited = 0;
  while (::waitpid(*process, &waited, 0) < 0 && errno == EINTR) {
  }
  if (!has_ended) {
    return std::unexpected{"the command has not ended within " +
                           std::to_string(kFirstLine.count()) + " s: " + command};
  }
  if (status_of(waited) != 0) return std::unexpected{"the command failed: " + command};
  std::string line;
  append_printable(line, std::string_view{output}.substr(0, output.find('\n')));
  if (line.empty()) return std::unexpected{"the command prints nothing: " + command};
  return line;
}

}  // namespace nexusfix::venues
