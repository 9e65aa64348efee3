#include <atomic>

#include <nexusfix/engine.hpp>

namespace nexusfix::engine {
namespace {

// A signal handler may use lock-free atomics. The handler's loads pair with the constructor's
// stores, which come before the handler is installed. On one thread relaxed would do; sequential
// consistency costs nothing here.
std::atomic<Engine*> stopped_engine{nullptr};
std::atomic<bool> stop_received{false};
static_assert(std::atomic<Engine*>::is_always_lock_free);

void on_signal(int) {
  stop_received = true;
  if (Engine* const engine = stopped_engine; engine != nullptr) engine->stop();
}

// SIGHUP comes from logrotate, from an operator, and from a closed terminal: it must not end a
// venue.
void on_hangup(int) {
  Engine* const engine = stopped_engine;
  if (engine == nullptr) return;
  engine->reopen_logs();
  engine->reload_certificates();
  engine->request_reload();
}

}  // namespace

void StopSignals::handle(std::size_t index, void (*handler)(int), int flags) noexcept {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigemptyset(&action.sa_mask);
  ::sigaction(kSignals[index], &action, &before_[index]);
}

StopSignals::StopSignals(Engine& engine) {
  stopped_engine = &engine;
  handle(0, SIG_IGN);
  handle(1, on_signal);
  handle(2, on_signal);
  handle(3, on_hangup);
}

StopSignals::StopSignals() {
  constexpr auto kOnce = static_cast<int>(SA_RESETHAND);
  handle(0, SIG_IGN);
  handle(1, on_signal, kOnce);
  handle(2, on_signal, kOnce);
  handle(3, SIG_IGN);
}

// SIGPIPE stays ignored: the last writes of the process must not end it either.
StopSignals::~StopSignals() {
  for (std::size_t i = 1; i < kSignals.size(); ++i) {
    ::sigaction(kSignals[i], &before_[i], nullptr);
  }
  stopped_engine = nullptr;
}

bool StopSignals::received() noexcept { return stop_received; }

}  // namespace nexusfix::engine
