#include <thread>
#include <utility>

#include <nexusfix/base/assert.hpp>
#include <nexusfix/engine/engine.hpp>

#include "engine/mailbox_state.hpp"
#include "engine/runtime.hpp"

namespace nexusfix::engine {

struct Engine::Worker {
  std::thread thread;
  int result = 0;
};

namespace {

EngineError to_error(const SettingsErrors& errors) {
  EngineError error;
  for (const SettingsError& one : errors) {
    if (!error.text.empty()) error.text += '\n';
    error.text += one.what();
  }
  return error;
}

std::expected<Runtime::Seams, EngineError> resolve(const EngineOptions& options) {
  Runtime::Seams seams;
  seams.clock = options.clock;
  seams.disk = options.disk;
  seams.network = options.network;
  seams.log = options.log;
  seams.open_postgres = options.open_postgres;
  if (seams.clock == nullptr) {
    seams.owned_clock = std::make_unique<SystemClock>();
    seams.clock = seams.owned_clock.get();
  }
  if (seams.disk == nullptr) {
    seams.owned_disk = std::make_unique<PosixDisk>();
    seams.disk = seams.owned_disk.get();
  }
  if (seams.network == nullptr) {
    auto network = transport::make_epoll_network();
    if (!network) return std::unexpected{EngineError{network.error().text}};
    seams.owned_network = std::move(*network);
    seams.network = seams.owned_network.get();
  }
  if (seams.log == nullptr) {
    seams.owned_log = std::make_unique<observe::StreamEventLog>(stderr);
    seams.log = seams.owned_log.get();
  }
  return seams;
}

}  // namespace

Engine::Engine(std::unique_ptr<Runtime> runtime) noexcept : runtime_{std::move(runtime)} {}
Engine::Engine(Engine&&) noexcept = default;

Engine& Engine::operator=(Engine&& other) noexcept {
  if (this != &other) {
    if (worker_) {
      stop();
      static_cast<void>(join());
    }
    runtime_ = std::move(other.runtime_);
    worker_ = std::move(other.worker_);
  }
  return *this;
}

Engine::~Engine() {
  if (worker_) {
    stop();
    static_cast<void>(join());
  }
}

std::expected<Engine, EngineError> Engine::open_with(const std::string& path, Callbacks callbacks,
                                                     EngineOptions options) {
  PosixDisk posix_disk;
  Disk& disk = options.disk != nullptr ? *options.disk : posix_disk;
  auto settings = load_settings(disk, path);
  if (!settings) return std::unexpected{to_error(settings.error())};
  return open_with(std::move(*settings), callbacks, options);
}

std::expected<Engine, EngineError> Engine::open_with(Settings settings, Callbacks callbacks,
                                                     EngineOptions options) {
  auto seams = resolve(options);
  if (!seams) return std::unexpected{std::move(seams.error())};
  auto runtime = std::make_unique<Runtime>(std::move(*seams), callbacks, options.busy_spin);
  if (auto opened = runtime->open(std::move(settings)); !opened) {
    return std::unexpected{std::move(opened.error())};
  }
  return Engine{std::move(runtime)};
}

int Engine::run() { return runtime_->run(); }
bool Engine::poll(std::chrono::nanoseconds timeout) { return runtime_->poll(timeout); }
int Engine::descriptor() const noexcept { return runtime_->descriptor(); }
MonoTime Engine::next_deadline() const noexcept { return runtime_->next_deadline(); }
void Engine::stop() noexcept { runtime_->request_stop(); }

void Engine::start() {
  NEXUSFIX_ASSERT(worker_ == nullptr);
  worker_ = std::make_unique<Worker>();
  worker_->thread = std::thread{
      [worker = worker_.get(), runtime = runtime_.get()] { worker->result = runtime->run(); }};
}

int Engine::join() {
  NEXUSFIX_ASSERT(worker_ != nullptr);
  worker_->thread.join();
  const int result = worker_->result;
  worker_.reset();
  return result;
}

Mailbox Engine::open_mailbox() {
  auto state = std::make_unique<detail::MailboxState>();
  state->doorbell = std::make_shared<Doorbell>();
  auto lane = std::make_shared<MailLane>();
  lane->doorbell = state->doorbell;
  state->ways.push_back({lane, runtime_->mail_room()});
  runtime_->mail_room()->add(std::move(lane));
  return Mailbox{std::move(state)};
}

std::size_t Engine::session_count() const noexcept { return runtime_->slots().size(); }

Session& Engine::session(std::size_t index) noexcept {
  NEXUSFIX_ASSERT(index < runtime_->slots().size());
  return runtime_->slots()[index]->session;
}

Session* Engine::find_session(std::string_view name) noexcept {
  SessionSlot* const slot = runtime_->find_slot(name);
  return slot != nullptr ? &slot->session : nullptr;
}

std::expected<void, EngineError> Engine::add_sessions(Settings settings) {
  return runtime_->add_sessions(std::move(settings));
}

std::uint16_t Engine::accept_port() const noexcept { return runtime_->accept_port(); }
const EngineStats& Engine::stats() const noexcept { return runtime_->stats(); }
store::Store& Engine::store() noexcept { return runtime_->store(); }

}  // namespace nexusfix::engine
