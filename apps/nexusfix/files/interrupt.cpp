#include "nexusfix/files/interrupt.hpp"

#include <csignal>
#include <poll.h>
#include <unistd.h>

namespace nexusfix::command {
namespace {

volatile std::sig_atomic_t interrupted = 0;

// A signal between a test and poll() is noticed after this time.
constexpr int kBetweenReadsMillis = 100;

}  // namespace

void catch_interrupts() {
  struct sigaction action{};
  action.sa_handler = [](int) { interrupted = 1; };
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

void block_interrupts() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

bool is_interrupted() noexcept { return interrupted != 0; }

bool wait_for_more() {
  if (!is_interrupted()) ::poll(nullptr, 0, kBetweenReadsMillis);
  return !is_interrupted();
}

bool wait_for_input() {
  pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
  while (!is_interrupted()) {
    if (::poll(&input, 1, kBetweenReadsMillis) > 0) return !is_interrupted();
  }
  return false;
}

}  // namespace nexusfix::command
