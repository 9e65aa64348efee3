#include "nexusfix/stop_signals.hpp"

#include <atomic>
#include <csignal>

#include <nexusfix/engine/engine.hpp>

namespace nexusfix::command {
namespace {

// Lock-free atomics are what a signal handler may touch. The handler's loads pair with the
// constructor's stores, which come before the handler is installed: relaxed would do on one thread,
// and sequential consistency costs nothing here.
std::atomic<engine::Engine*> stopped_engine{nullptr};
std::atomic<bool> stop_received{false};
static_assert(std::atomic<engine::Engine*>::is_always_lock_free);

void on_signal(int) {
  stop_received = true;
  if (engine::Engine* engine = stopped_engine; engine != nullptr) engine->stop();
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  ::sigaction(signal, &action, nullptr);
}

}  // namespace

StopSignals::StopSignals(engine::Engine& engine) {
  stopped_engine = &engine;
  handle(SIGPIPE, SIG_IGN);
  handle(SIGINT, on_signal);
  handle(SIGTERM, on_signal);
}

StopSignals::~StopSignals() {
  handle(SIGINT, SIG_DFL);
  handle(SIGTERM, SIG_DFL);
  stopped_engine = nullptr;
}

bool StopSignals::received() noexcept { return stop_received; }

}  // namespace nexusfix::command
