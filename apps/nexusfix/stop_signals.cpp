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

// What logrotate sends, and a terminal that goes away: neither must end a venue.
void on_hangup(int) {
  if (engine::Engine* engine = stopped_engine; engine != nullptr) engine->reopen_logs();
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
  handle(SIGHUP, on_hangup);
}

StopSignals::~StopSignals() {
  handle(SIGINT, SIG_DFL);
  handle(SIGTERM, SIG_DFL);
  handle(SIGHUP, SIG_DFL);
  stopped_engine = nullptr;
}

bool StopSignals::received() noexcept { return stop_received; }

}  // namespace nexusfix::command
