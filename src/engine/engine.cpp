#include <algorithm>
#include <cstdio>
#include <future>
#include <iterator>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#if defined(__GLIBC__)
#include <malloc.h>
#endif

#include <nexusfix/base/language.hpp>

#include "base/api/core_dumps.hpp"
#include "base/api/thread_setup.hpp"
#include "config/api/logon_signer.hpp"
#include "config/api/loop_partition.hpp"
#include "config/api/preflight.hpp"
#include "control/api/operations.hpp"
#include "engine/cluster_membership.hpp"
#include "engine/directory/directory.hpp"
#include "engine/ground/loop_context.hpp"
#include "engine/ground/settings/settings_names.hpp"
#include "engine/loop/event_loop.hpp"
#include "engine/service/inbox/remote_state.hpp"
#include "engine/service/operator/control.hpp"
#include "engine/service/operator/operator_commands.hpp"
#include "transport/api/proxy.hpp"

namespace nexusfix::engine {

EngineError to_error(const SettingsErrors& errors) {
  EngineError error;
  for (const SettingsError& one : errors) {
    if (!error.text.empty()) error.text += '\n';
    error.text += one.what();
  }
  return error;
}

// The thread of start().
struct Engine::Worker {
  std::thread thread;
  int result = 0;
};

namespace {

// Returns free memory to the operating system: reading a large configuration leaves free blocks
// between live ones, which the C library would keep.
void give_back_memory() noexcept {
#if defined(__GLIBC__)
  constexpr std::size_t kKeptBytes = 1U << 20U;  // so that the next allocations need no system call
  static_cast<void>(::malloc_trim(kKeptBytes));
#endif
}

// Lets several event loops write to one log.
class SharedEventLog final : public observe::EventLog {
 public:
  explicit SharedEventLog(observe::EventLog& log) noexcept : log_{log} {}
  void write(const observe::Event& event) override {
    const std::lock_guard lock{mutex_};
    log_.write(event);
  }

 private:
  std::mutex mutex_;
  observe::EventLog& log_;
};

std::unexpected<EngineError> wrong_at(const std::string& file, std::size_t line,
                                      const std::string& text) {
  return std::unexpected{EngineError{SettingsError{file, line, text}.what()}};
}

// Checks that everything that the configuration needs is available, before anything is created. One
// loop reads the dictionaries before it creates anything. Several loops read them after their
// stores, so config::preflight() reads them here as well.
std::expected<void, EngineError> is_available(const Settings& settings, Disk& disk,
                                              const Parts& parts) {
  if (settings.event_loops == 1) {
    if (const auto errors = config::check_machine(settings, disk, parts); !errors.empty()) {
      return std::unexpected{to_error(errors)};
    }
  } else if (const auto found = config::preflight(settings, disk, parts); !found) {
    return std::unexpected{to_error(found.error())};
  }
  const ThreadSettings& threads = settings.threads;
  if (!threads.lock_memory) return {};
  if (auto locked = may_lock_memory(); !locked) {
    return wrong_at(settings.file, threads.lock_memory_line, locked.error());
  }
  return {};
}

// Called after everything that the start creates, because present pages are locked at once.
std::expected<void, EngineError> keep_memory(const ThreadSettings& threads,
                                             const std::string& file) {
  if (!threads.lock_memory) return {};
  if (auto locked = lock_memory(); !locked) {
    return wrong_at(file, threads.lock_memory_line, locked.error());
  }
  return {};
}

bool has_proxy(const SessionSettings& settings) {
  return std::ranges::any_of(settings.connect,
                             [](const auto& endpoint) { return endpoint.proxy != nullptr; });
}

// A callback that takes longer makes the reload fail.
constexpr std::chrono::seconds kReloadWaitMax{60};
// Logons whose passwords are being checked or wait for it.
constexpr std::uint32_t kLogonsBeingCheckedMax = 64;

class ReloadTask final : public LoopTask {
 public:
  explicit ReloadTask(std::shared_ptr<ReloadOrder> order) : order_{std::move(order)} {}
  void run(Floors& floors) override { floors.directory.reloader.begin_reload(std::move(order_)); }

 private:
  std::shared_ptr<ReloadOrder> order_;
};

// The first loop on this thread, the others on their own threads.
int run_all(const std::vector<EventLoop*>& loops, transport::ServiceNotifier* service) {
  if (service != nullptr) service->ready();  // the ports are open
  std::vector<std::thread> threads;
  std::vector<int> results(loops.size());
  for (std::size_t loop = 1; loop < loops.size(); ++loop) {
    threads.emplace_back(
        [event_loop = loops[loop], &result = results[loop]] { result = event_loop->run(); });
  }
  results[0] = loops[0]->run();
  for (std::thread& thread : threads) thread.join();
  if (service != nullptr) service->stopping();
  return std::ranges::max(results);
}

// Returns the stores by loop.
std::expected<std::vector<const store::Store*>, EngineError> open_stores(
    const std::vector<std::unique_ptr<EventLoop>>& loops, const Settings& settings) {
  std::vector<const store::Store*> stores;
  for (const auto& loop : loops) {
    if (auto opened = loop->open_store(settings); !opened) {
      return std::unexpected{std::move(opened.error())};
    }
    stores.push_back(&loop->store());
  }
  return stores;
}

// The loops do not move, but the Engine may. From here on other threads may serve them.
std::vector<EventLoop*> loops_to_run(const std::vector<std::unique_ptr<EventLoop>>& owned) {
  std::vector<EventLoop*> loops;
  for (const auto& loop : owned) {
    loop->inbox()->serve_elsewhere();
    loops.push_back(loop.get());
  }
  return loops;
}

// ControlSocket; otherwise one in the folder of each loop's journal, if that is on a disk of the
// operating system. Empty: none.
std::vector<std::string> control_sockets_of(const Settings& settings, bool is_on_disk) {
  if (!settings.control_socket.empty()) return {settings.control_socket};
  std::vector<std::string> paths;
  if (settings.store != StoreKind::Journal || !is_on_disk) return paths;
  for (std::uint32_t loop = 0; loop < settings.event_loops; ++loop) {
    paths.push_back(folder_of_loop(settings.store_folder, loop) + "/control");
  }
  return paths;
}

void decide_on_core_dumps(Settings& settings) {
  if (!settings.threads.core_dumps) return keep_memory_out_of_core_dumps(KeptOut::ForGood);
  if (let_memory_into_core_dumps()) return;
  settings.warnings.push_back({settings.file, 0,
                               "CoreDumps=Y has no effect: another engine of this process "
                               "excludes the memory from core dumps"});
}

}  // namespace

// Outlives the loops; destroyed after them.
struct Engine::Shared {
  using Paths = std::vector<std::string>;

  std::unique_ptr<Clock> clock;
  Clock* time = nullptr;  // of the engine
  WallTime started{};
  std::shared_ptr<Disk> disk;  // null: the application's is used
  std::unique_ptr<observe::EventLog> stderr_log;
  std::unique_ptr<SharedEventLog> log;
  std::unique_ptr<ClusterMembership> cluster;  // null: in no cluster; uses the log
  SharedByLoops common{.directory = {},
                       .remotes = std::make_shared<RemoteDirectory>(),
                       .disabled = {},
                       .budget = {},
                       .standby = std::make_shared<StandbyStatus>(),
                       .tls = {},
                       .credentials = {}};
  std::unique_ptr<transport::ServiceNotifier> service;  // null: systemd is not notified
  std::unique_ptr<OperatorCommands> commands;           // null until all is open
  std::unique_ptr<Control> control;              // uses commands; null: none from other processes
  std::unique_ptr<EngineOperations> operations;  // uses commands
  std::unique_ptr<OperationsServer> web;         // uses operations; null: no ports for operators
  std::string store_folder;                      // of a journal on the disk; empty: there is none
  bool has_proxies = false;                      // a session has UseTCPProxy
  bool has_tunnels = false;                      // a session has ProxyType

  // is_available() has checked that the parts exist: here and in dependencies_of().
  void check_passwords(const Settings& settings, const EngineOptions& options) {
    const auto has_file = [](const auto& one) { return !one.credentials.password_file.empty(); };
    if (std::ranges::none_of(settings.sessions, has_file)) return;
    NEXUSFIX_ASSERT(options.parts.passwords != nullptr);
    common.credentials =
        options.parts.passwords->make_service(*options.disk, disk, kLogonsBeingCheckedMax);
  }

  // Opens the ports for operators, which nothing uses before serve_operators().
  std::expected<void, EngineError> open_web(Settings& settings, const Parts& parts) {
    const config::WebSettings& wanted = settings.web;
    if (!wanted.metrics_port && !wanted.console_port) return {};
    if (parts.web == nullptr) {
      settings.warnings.push_back({settings.file, wanted.console_line,
                                   "HttpAcceptPort: no web page is served: this program was built "
                                   "without nexusfix::web"});
      return {};
    }
    auto opened = parts.web->open(settings);
    if (!opened) return std::unexpected{EngineError{std::move(opened.error())}};
    web = std::move(*opened);
    return {};
  }
  std::expected<void, EngineError> serve_operators(const Loops& loops) {
    std::vector<LoopContext*> all;
    std::vector<std::string> folders;
    for (const auto& loop : loops) {
      all.push_back(&loop->context());
      if (!store_folder.empty()) folders.push_back(folder_of_loop(store_folder, loop->index()));
    }
    operations = std::make_unique<EngineOperations>(
        std::move(all), EngineOperations::Facts{.clock = time,
                                                .started = started,
                                                .budget = common.budget,
                                                .standby = common.standby,
                                                .cluster = cluster ? &cluster->member() : nullptr,
                                                .commands = commands.get(),
                                                .inbox = loops.front()->inbox(),
                                                .journal_folders = std::move(folders)});
    if (!web) return {};
    for (const auto& loop : loops) loop->accept_commands_from_outside();
    auto serving = web->start(*operations);
    if (serving) return {};
    return std::unexpected{EngineError{std::move(serving.error())}};
  }
  // Makes TLS contexts for the sessions that have TLS, and signers for those that sign.
  std::expected<void, EngineError> protect(Settings& settings, Disk& files) {
    auto contexts = std::make_shared<TlsContexts>();
    SettingsErrors errors = contexts->give(settings, files);
    std::ranges::move(config::give_signers(settings, files, /*with_commands=*/true),
                      std::back_inserter(errors));
    if (!errors.empty()) return std::unexpected{to_error(errors)};
    if (!contexts->empty()) common.tls = std::move(contexts);
    return {};
  }

  // What connections from outside need: certificates, ports for operators, passwords, proxies.
  std::expected<void, EngineError> prepare_outside(Settings& settings,
                                                   const std::vector<std::string>& sockets,
                                                   const EngineOptions& options) {
    if (auto read = read_disabled(sockets); !read) return read;
    if (auto given = protect(settings, *options.disk); !given) return given;
    if (auto opened = open_web(settings, options.parts); !opened) return opened;
    if (auto joined = join_cluster(settings, options); !joined) return joined;
    check_passwords(settings, options);
    find_proxies(settings);
    const bool has_journal = disk != nullptr && settings.store == StoreKind::Journal;
    if (has_journal) store_folder = settings.store_folder;
    return {};
  }

  // The dependencies of one loop, with its network.
  std::expected<LoopDependencies, EngineError> dependencies_of(std::uint32_t loop,
                                                               std::chrono::nanoseconds busy_poll,
                                                               const EngineOptions& options) const {
    LoopDependencies dependencies;
    dependencies.clock = options.clock;
    dependencies.disk = options.disk;
    dependencies.owned_disk = disk;
    dependencies.logs = {.events = options.log,
                         .event_tap = web ? &web->events() : nullptr,
                         .messages = options.message_log,
                         .is_standard_error = stderr_log != nullptr};
    dependencies.store_factory = options.store_factory;
    dependencies.network = options.network;
    dependencies.parts = options.parts;
    dependencies.index = loop;
    dependencies.service = service.get();
    dependencies.shared = common;
    OwnedNetworks& networks = dependencies.networks;
    if (dependencies.network == nullptr) {
      auto network = transport::make_epoll_network(busy_poll);
      if (!network) return std::unexpected{EngineError{network.error().text}};
      networks.system = std::move(*network);
      dependencies.network = networks.system.get();
    }
    NEXUSFIX_ASSERT(options.parts.proxy != nullptr || (!has_proxies && !has_tunnels));
    if (has_proxies) {
      networks.proxied = options.parts.proxy->make_proxied_network(*dependencies.network);
      dependencies.network = networks.proxied.get();
    }
    if (has_tunnels) {
      networks.tunnel = options.parts.proxy->make_tunnel_network(*dependencies.network);
      dependencies.network = networks.tunnel.get();
    }
    if (!common.tls) return dependencies;
    networks.tls = transport::make_tls_network(*dependencies.network);
    dependencies.network = networks.tls.get();
    return dependencies;
  }

  void find_proxies(const Settings& settings) {
    has_proxies = std::ranges::any_of(settings.sessions, [](const SessionSettings& one) {
      return one.accept && one.accept->trusted_proxies;
    });
    has_tunnels = std::ranges::any_of(settings.sessions, has_proxy);
  }

  // The list is beside the first socket.
  std::expected<void, EngineError> read_disabled(const std::vector<std::string>& sockets) {
    auto read =
        DisabledSessions::open(sockets.empty() ? std::string{} : sockets.front() + ".disabled");
    if (!read) return std::unexpected{EngineError{std::move(read.error())}};
    common.disabled = *std::move(read);
    return {};
  }

  void open_desk(const Loops& loops) {
    std::vector<std::shared_ptr<TaskInbox>> inboxes;
    WholeEngine engine{.loops = {}, .tls = common.tls};
    for (const auto& loop : loops) {
      inboxes.push_back(loop->inbox());
      engine.loops.push_back(&loop->context());
    }
    commands = std::make_unique<OperatorCommands>(std::move(inboxes), std::move(engine),
                                                  common.disabled, common.standby);
    if (cluster) commands->show_cluster(cluster->member());
  }

  std::expected<Loops, EngineError> make_loops(const Settings& settings, Callbacks callbacks,
                                               const EngineOptions& options) const {
    const ThreadSettings& threads = settings.threads;
    // Without a CPU that no loop uses, polling delays what the loops wait for.
    const bool has_cpu_left = std::thread::hardware_concurrency() > settings.event_loops;
    const std::chrono::nanoseconds busy_poll =
        has_cpu_left ? threads.busy_poll : std::chrono::microseconds{0};
    Loops loops;
    for (std::uint32_t loop = 0; loop < settings.event_loops; ++loop) {
      auto dependencies = dependencies_of(loop, busy_poll, options);
      if (!dependencies) return std::unexpected{std::move(dependencies.error())};
      if (loop < threads.cpus.size()) dependencies->cpu = threads.cpus[loop];
      loops.push_back(std::make_unique<EventLoop>(std::move(*dependencies), callbacks,
                                                  options.busy_spin || threads.busy_spin));
    }
    return loops;
  }

  // One loop creates nothing on the disk before everything else is checked. Several loops need
  // their stores first, which say to which loop each session belongs. The owner for whose log a
  // standby waits may be on this machine, or have the address.
  static std::expected<void, EngineError> prepare_first(EventLoop& first, Settings& settings,
                                                        bool is_single, bool may_wait) {
    std::expected<void, EngineError> right = first.listeners().could_listen(settings);
    std::string not_now;
    if (!right && may_wait) {
      not_now = std::move(right.error().text) + "; a standby listens when it takes over";
      right = {};
    }
    if (right && is_single) right = first.prepare(settings);
    if (right && !not_now.empty()) {
      first.report().engine(EventId::ConfigurationWarning, not_now);
    }
    return right;
  }

  // The control socket and the ports for operators serve from here on.
  std::expected<void, EngineError> open_for_operators(const Paths& sockets, const Loops& loops,
                                                      const EngineOptions& options) {
    open_desk(loops);
    listen_for_commands(sockets, loops, options);
    return serve_operators(loops);
  }

  // Serves until the ports are open: the engine may wait for its log.
  std::expected<void, EngineError> begin_standby(const Paths& sockets, const Loops& loops,
                                                 const EngineOptions& options) {
    common.standby->set({}, time->now().wall);
    return open_for_operators(sockets, loops, options);
  }

  // Opens the socket for an operator's commands. Without it, everything else works.
  void listen_for_commands(const std::vector<std::string>& paths, const Loops& loops,
                           const EngineOptions& options) {
    if (paths.empty()) return;
    auto opened = Control::open(paths, *commands);
    if (opened) {
      control = std::move(*opened);
      for (const auto& loop : loops) loop->accept_commands_from_outside();
      return;
    }
    options.log->write(
        {.time = options.clock->now().wall,
         .id = EventId::CommandsUnavailable,
         .session = {},
         .text = "this engine accepts no commands while it runs: " + opened.error()});
  }

  // With several threads that write to it.
  void share_log(const Settings& settings, EngineOptions& options) {
    if (settings.event_loops == 1 && settings.cluster.shard.empty()) return;
    log = std::make_unique<SharedEventLog>(*options.log);
    options.log = log.get();
  }

  // From here on the engine waits until the shard is its own.
  std::expected<void, EngineError> join_cluster(Settings& settings, const EngineOptions& options) {
    if (settings.cluster.shard.empty()) return {};
    if (options.parts.cluster == nullptr) {
      return wrong_at(settings.file, settings.cluster.line, config::missing_cluster_text());
    }
    auto membership = std::make_unique<ClusterMembership>(*options.log, *time, service.get());
    if (auto joined = membership->join(*options.parts.cluster, settings.cluster); !joined) {
      return wrong_at(settings.file, settings.cluster.line, joined.error());
    }
    cluster = std::move(membership);
    settings.postgres.lease = &cluster->member();
    return {};
  }

  std::unexpected<EngineError> not_open(EngineError error) {
    if (cluster) cluster->on_not_open(error);
    return std::unexpected{std::move(error)};
  }

  void end_commands() noexcept {
    if (cluster) cluster->member().stop_serving();
    web.reset();
    operations.reset();
    control.reset();
    commands.reset();
  }

  // Fills in the objects of the operating system where the caller gave none, and the notifier of
  // systemd.
  std::expected<void, EngineError> supply(EngineOptions& options, const Settings& settings) {
    if (auto right = check(options.check_settings, settings); !right) return right;
    common.check_settings = options.check_settings;
    if (options.clock == nullptr) {
      clock = std::make_unique<SystemClock>();
      options.clock = clock.get();
    }
    time = options.clock;
    started = time->now().wall;
    if (options.disk == nullptr) {
      disk = std::make_shared<PosixDisk>();
      options.disk = disk.get();
    }
    if (options.log == nullptr) {
      stderr_log = std::make_unique<observe::StreamEventLog>(stderr);
      options.log = stderr_log.get();
    }
    if (!options.notify_systemd) return {};
    auto notifier = transport::ServiceNotifier::from_environment(settings.event_loops);
    if (!notifier) return std::unexpected{EngineError{notifier.error().text}};
    service = std::move(*notifier);
    return {};
  }
};

Engine::Engine(std::unique_ptr<Shared> shared, Loops loops) noexcept
    : shared_{std::move(shared)}, loops_{std::move(loops)} {}
Engine::Engine(Engine&&) noexcept = default;

Engine& Engine::operator=(Engine&& other) noexcept {
  if (this != &other) {
    if (worker_) {
      stop();
      static_cast<void>(join());
    }
    if (shared_) shared_->end_commands();
    loops_ = std::move(other.loops_);  // before the objects that they use
    shared_ = std::move(other.shared_);
    worker_ = std::move(other.worker_);
  }
  return *this;
}

Engine::~Engine() {
  if (worker_) {
    stop();
    static_cast<void>(join());
  }
  // The control socket closes before the store's lock is released.
  if (shared_) shared_->end_commands();
}

std::expected<Engine, EngineError> Engine::open_with(const std::string& path, Callbacks callbacks,
                                                     EngineOptions options) {
  PosixDisk posix_disk;
  Disk& disk = options.disk != nullptr ? *options.disk : posix_disk;
  keep_memory_out_of_core_dumps();  // before the passwords are read
  auto settings = config::load_settings(disk, path);
  if (!settings) return std::unexpected{to_error(settings.error())};
  return open_with(std::move(*settings), callbacks, options);
}

std::expected<Engine, EngineError> Engine::open_with(nexusfix::Settings given, Callbacks callbacks,
                                                     EngineOptions options) {
  Settings settings = std::move(given.values());
  auto shared = std::make_unique<Shared>();
  if (auto done = shared->supply(options, settings); !done) {
    return std::unexpected{std::move(done.error())};
  }
  if (settings.event_loops > 1) {
    if (options.network != nullptr) {
      return std::unexpected{EngineError{"EngineOptions::network serves one event loop only"}};
    }
    shared->common.directory = std::make_shared<LoopDirectory>();
  }
  shared->share_log(settings, options);
  shared->common.budget =
      std::make_shared<BufferBudget>(settings.buffered_bytes_max, settings.event_loops);
  const ThreadSettings threads = settings.threads;
  const std::string file = settings.file;
  const std::vector<std::string> sockets =
      control_sockets_of(settings, /*is_on_disk=*/shared->disk != nullptr);
  decide_on_core_dumps(settings);
  if (auto ready = is_available(settings, *options.disk, options.parts); !ready) {
    return std::unexpected{std::move(ready.error())};
  }
  std::ranges::move(config::open_folders(settings, *options.disk),
                    std::back_inserter(settings.warnings));
  if (auto prepared = shared->prepare_outside(settings, sockets, options); !prepared) {
    return std::unexpected{std::move(prepared.error())};
  }
  auto made = shared->make_loops(settings, callbacks, options);
  if (!made) return shared->not_open(std::move(made.error()));
  Loops loops = std::move(*made);
  // The threads that serve operators end before the loops.
  std::unique_ptr<Shared, void (*)(Shared*)> ender{shared.get(),
                                                   [](Shared* one) { one->end_commands(); }};
  const bool may_wait =
      settings.store == StoreKind::PostgreSQL && settings.postgres.if_owned == store::IfOwned::Wait;
  const bool is_single = loops.size() == 1;
  auto right = Shared::prepare_first(*loops.front(), settings, is_single, may_wait);
  if (right && may_wait) right = shared->begin_standby(sockets, loops, options);
  if (!right) return shared->not_open(std::move(right.error()));
  const auto stores = open_stores(loops, settings);
  if (!stores) return shared->not_open(stores.error());
  auto shares = config::partition_by_loop(std::move(settings), *options.disk, *stores);
  if (!shares) return shared->not_open(EngineError{std::move(shares.error())});
  for (std::size_t loop = 0; loop < loops.size(); ++loop) {
    Settings& share = (*shares)[loop];
    std::expected<void, EngineError> done;
    if (!is_single) done = loops[loop]->prepare(share);
    if (done) done = loops[loop]->open(std::move(share));
    if (!done) return shared->not_open(std::move(done.error()));
  }
  shares->clear();
  // A simulation opens engines so often that they would get it back at once.
  if (shared->disk != nullptr) give_back_memory();
  if (auto kept = keep_memory(threads, file); !kept) {
    return shared->not_open(std::move(kept.error()));
  }
  if (!may_wait) {
    if (auto served = shared->open_for_operators(sockets, loops, options); !served) {
      return shared->not_open(std::move(served.error()));
    }
  }
  shared->common.standby->clear();
  if (shared->cluster) shared->cluster->serve_soon(*loops.front()->inbox());
  static_cast<void>(ender.release());
  return Engine{std::move(shared), std::move(loops)};
}

void Engine::refuse(const std::string& why) {
  if (shared_->cluster) shared_->cluster->member().refuse(why);
}

int Engine::run() { return run_all(loops_to_run(loops_), shared_->service.get()); }

namespace {

// Not inlined, so that poll() has no registers to save.
[[gnu::noinline]] bool poll_one_of_several(LoopDirectory& directory, EventLoop& loop,
                                           std::chrono::nanoseconds timeout) {
  directory.serve_here();
  return loop.poll(timeout);
}

}  // namespace

bool Engine::poll(std::chrono::nanoseconds timeout, std::uint32_t loop) {
  if (shared_->common.directory) [[unlikely]]
    return poll_one_of_several(*shared_->common.directory, *loops_.at(loop), timeout);
  return loops_.at(loop)->poll(timeout);
}
int Engine::descriptor(std::uint32_t loop) const noexcept { return at(loop).descriptor(); }
MonoTime Engine::next_deadline(std::uint32_t loop) const noexcept {
  return at(loop).next_deadline();
}
std::uint32_t Engine::loop_count() const noexcept {
  return static_cast<std::uint32_t>(loops_.size());
}

void Engine::stop() noexcept {
  for (const auto& loop : loops_) loop->context().stop.ask({});
}

void Engine::start() {
  NEXUSFIX_ASSERT(worker_ == nullptr);
  worker_ = std::make_unique<Worker>();
  worker_->thread =
      std::thread{[worker = worker_.get(), loops = loops_to_run(loops_),
                   service = shared_->service.get()] { worker->result = run_all(loops, service); }};
}

int Engine::join() {
  NEXUSFIX_ASSERT(worker_ != nullptr);
  worker_->thread.join();
  const int result = worker_->result;
  worker_.reset();
  return result;
}

EventLoop& Engine::at(std::uint32_t loop) const noexcept {
  NEXUSFIX_ASSERT(loop < loops_.size());
  return *loops_[loop];
}

Remote Engine::remote() {
  return Remote{std::make_shared<detail::RemoteState>(shared_->common.remotes, nullptr)};
}

std::expected<Remote, EngineError> Engine::remote(std::string_view session) {
  auto found = shared_->common.remotes->find(session);
  if (!found) return std::unexpected{EngineError{std::move(found.error())}};
  return Remote{std::make_shared<detail::RemoteState>(shared_->common.remotes, std::move(*found))};
}

std::expected<Remote, EngineError> Engine::remote(const session::SessionId& session) {
  return remote(session.to_string());
}

std::size_t Engine::session_count() const noexcept {
  std::size_t count = 0;
  for (const auto& loop : loops_) count += loop->registry().entries().size();
  return count;
}

Session& Engine::session(std::size_t index) noexcept {
  NEXUSFIX_ASSERT(index < session_count());
  std::size_t loop = 0;
  while (index >= loops_[loop]->registry().entries().size())
    index -= loops_[loop++]->registry().entries().size();
  return loops_[loop]->registry().entries()[index]->session;
}

Session* Engine::find_session(std::string_view name) noexcept {
  for (const auto& loop : loops_) {
    if (SessionEntry* const entry = loop->registry().find_entry(name)) return &entry->session;
  }
  return nullptr;
}

Session* Engine::find_session(const session::SessionId& id) {
  return find_session(std::string_view{id.to_string()});
}

SessionRange Engine::sessions() const noexcept {
  return {loops_.data(), loops_.data() + loops_.size()};
}
SessionRange Engine::sessions(std::uint32_t loop) const noexcept {
  NEXUSFIX_ASSERT(loop < loops_.size());
  return {loops_.data() + loop, loops_.data() + loop + 1};
}

Session& SessionRange::Iterator::operator*() const noexcept {
  return (*loop_)->registry().entries()[index_]->session;
}
void SessionRange::Iterator::skip_ends() noexcept {
  while (loop_ != end_ && index_ == (*loop_)->registry().entries().size()) {
    ++loop_;
    index_ = 0;
  }
}

std::expected<void, EngineError> Engine::add_sessions(nexusfix::Settings settings,
                                                      std::uint32_t loop) {
  return at(loop).add_sessions(std::move(settings.values()));
}

std::expected<Reloaded, EngineError> Engine::reload() {
  const auto refusal = [](const char* why) { return std::unexpected{EngineError{why}}; };
  LoopDirectory* const directory = shared_->common.directory.get();
  if (directory == nullptr) return loops_.front()->reloader().reload();
  if (directory->is_served_here()) {
    return refusal("not on a thread that serves an event loop: request_reload() is for that");
  }
  auto order = std::make_shared<ReloadOrder>();
  std::future<ReloadResult> result = order->result();
  const std::weak_ptr<ReloadOrder> placed = order;
  directory->post(0, std::make_unique<ReloadTask>(std::move(order)));
  if (result.wait_for(kReloadWaitMax) == std::future_status::ready) return result.get();
  if (const auto still = placed.lock(); still && still->abort()) {
    return refusal("an event loop has not answered for a minute: nothing has changed");
  }
  return result.get();
}
std::vector<PendingChange> Engine::pending_changes(std::uint32_t loop) const {
  return at(loop).changes().pending_changes();
}

void Engine::request_reload() noexcept { loops_.front()->reloader().request_reload(); }

std::uint16_t Engine::accept_port() const noexcept {
  for (const auto& loop : loops_) {
    if (const std::uint16_t port = loop->listeners().accept_port(); port != 0) return port;
  }
  return 0;
}

std::vector<transport::Endpoint> Engine::accept_endpoints() const {
  std::vector<transport::Endpoint> endpoints;
  for (const auto& loop : loops_) loop->listeners().append_accept_endpoints(endpoints);
  return endpoints;
}

EngineStatistics Engine::statistics() const { return shared_->operations->statistics(); }
store::Store& Engine::store(std::uint32_t loop) noexcept { return at(loop).store(); }
void Engine::reopen_logs() noexcept {
  for (const auto& loop : loops_) loop->logs().reopen();
}

void Engine::reload_certificates() noexcept {
  if (!shared_->common.tls) return;
  shared_->common.tls->want_reload();
  loops_.front()->wake();
}

int detail::run_with(const std::string& path, Callbacks callbacks, EngineOptions options) {
  options.notify_systemd = true;
  auto engine = Engine::open_with(path, callbacks, options);
  if (engine) {
    const StopSignals signals{*engine};
    return engine->run();
  }
  std::fprintf(stderr, "%s\n", engine.error().what().c_str());
  return 1;
}

}  // namespace nexusfix::engine
