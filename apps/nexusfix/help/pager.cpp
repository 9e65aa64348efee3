#include "nexusfix/help/pager.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>

namespace nexusfix::command {
namespace {

constexpr std::array<std::string_view, 9> kPaged{"decode", "dict",  "diff",  "explain", "grep",
                                                 "help",   "order", "stats", "validate"};
constexpr int kInterrupted = 130;  // as a shell reports SIGINT

// One for the process: the signal handler needs it.
volatile pid_t running_pager = 0;
bool has_pager = false;

void wait_for(pid_t pid) noexcept {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
}

// The pager still has the terminal: what was printed can be read to its end.
extern "C" void wait_for_pager(int) {
  ::close(STDOUT_FILENO);
  wait_for(running_pager);
  ::_exit(kInterrupted);
}

std::string pager_command() {
  for (const char* const name : {"NEXUSFIX_PAGER", "PAGER"}) {
    if (const char* const value = std::getenv(name); value != nullptr) return value;
  }
  return "less -FRX";
}

bool is_paged(std::string_view name, std::span<const std::string> arguments) {
  const auto has = [&](std::string_view word) {
    return std::ranges::find(arguments, word) != arguments.end();
  };
  if (has("-f") || has("--follow") || has("-q") || has("--quiet")) return false;
  return has("--help") || has("-h") || std::ranges::find(kPaged, name) != kPaged.end();
}

}  // namespace

bool is_output_a_terminal() noexcept { return has_pager || ::isatty(STDOUT_FILENO) == 1; }

Pager::Pager(std::string_view name, std::span<const std::string> arguments) {
  if (::isatty(STDOUT_FILENO) != 1 || !is_paged(name, arguments)) return;
  const std::string command = pager_command();
  if (command.empty() || command == "cat") return;
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) return;
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::dup2(ends[0], STDIN_FILENO);
    ::close(ends[0]);
    ::close(ends[1]);
    // Without a pager the shell copies the output.
    const std::string line = command + " || cat";
    ::execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
    ::_exit(kInterrupted);
  }
  ::close(ends[0]);
  if (pid < 0) {
    ::close(ends[1]);
    return;
  }
  std::fflush(stdout);
  ::dup2(ends[1], STDOUT_FILENO);
  ::close(ends[1]);
  pid_ = pid;
  running_pager = pid;
  has_pager = true;
  std::signal(SIGINT, wait_for_pager);
}

Pager::~Pager() {
  if (pid_ == 0) return;
  std::fflush(stdout);
  ::close(STDOUT_FILENO);
  wait_for(pid_);
}

}  // namespace nexusfix::command
