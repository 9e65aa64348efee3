#include "nexusfix/files/interrupt.hpp"

#include <csignal>
#include <pthread.h>

namespace nexusfix::command {
namespace {

volatile std::sig_atomic_t interrupted = 0;

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

}  // namespace nexusfix::command
