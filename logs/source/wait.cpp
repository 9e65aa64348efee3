#include "logs/source/wait.hpp"

#include <poll.h>
#include <unistd.h>

#include "nexusfix/files/interrupt.hpp"

namespace nexusfix::logs {
namespace {

// A signal between a test and poll() is noticed after this time.
constexpr int kBetweenReadsMillis = 100;

}  // namespace

bool wait_for_more() {
  if (!command::is_interrupted()) ::poll(nullptr, 0, kBetweenReadsMillis);
  return !command::is_interrupted();
}

bool wait_for_input() {
  pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
  while (!command::is_interrupted()) {
    if (::poll(&input, 1, kBetweenReadsMillis) > 0) return !command::is_interrupted();
  }
  return false;
}

}  // namespace nexusfix::logs
