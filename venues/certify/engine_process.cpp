#include "venues/certify/engine_process.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace nexusfix::venues {
namespace {

constexpr std::chrono::milliseconds kTerminated{3'000};
constexpr std::chrono::milliseconds kTurn{10};
constexpr int kOfSignal = 128;  // as the shell counts

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
  ::posix_spawnattr_setflags(&setup.attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  ::posix_spawnattr_setpgroup(&setup.attributes, 0);
  sigset_t all;
  ::sigfillset(&all);
  ::posix_spawnattr_setsigdefault(&setup.attributes, &all);
  std::vector<std::string> texts;
  for (const auto& [name, value] : variables) texts.push_back(name + "=" + value);
  std::vector<char*> environment;
  for (std::string& text : texts) environment.push_back(text.data());
  for (char** one = environ; *one != nullptr; ++one) environment.push_back(*one);
  environment.push_back(nullptr);
  std::string shell = "sh";
  std::string option = "-c";
  std::string line = command;
  char* const arguments[] = {shell.data(), option.data(), line.data(), nullptr};
  pid_t process = 0;
  const int error = ::posix_spawnp(&process, "sh", &setup.actions, &setup.attributes, arguments,
                                   environment.data());
  if (error != 0) return std::unexpected{std::string{std::strerror(error)}};
  return EngineProcess{process};
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

std::expected<std::string, std::string> first_line_of(const std::string& command) {
  std::FILE* const pipe = ::popen(command.c_str(), "re");
  if (pipe == nullptr) return std::unexpected{"the command cannot be started: " + command};
  std::string output;
  std::array<char, 4'096> block{};
  while (const std::size_t read = std::fread(block.data(), 1, block.size(), pipe)) {
    if (output.size() < block.size()) output.append(block.data(), read);
  }
  if (::pclose(pipe) != 0) return std::unexpected{"the command failed: " + command};
  output = output.substr(0, output.find('\n'));
  if (output.empty()) return std::unexpected{"the command prints nothing: " + command};
  return output;
}

}  // namespace nexusfix::venues
