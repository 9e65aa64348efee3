// Acceptors and initiators of one configuration file, on one event loop or on several.
#pragma once

#include <chrono>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/disk.hpp>
#include <nexusfix/config/settings.hpp>
#include <nexusfix/engine/application.hpp>
#include <nexusfix/engine/mailbox.hpp>
#include <nexusfix/engine/parts.hpp>
#include <nexusfix/engine/session.hpp>
#include <nexusfix/observe/event_log.hpp>
#include <nexusfix/observe/session_logs.hpp>
#include <nexusfix/store/store.hpp>
#include <nexusfix/transport/network.hpp>

namespace nexusfix::engine {

class EventLoop;

using config::Settings;

// The engine's environment. For a null pointer it uses the object of the operating system. It owns
// none of these objects; each must outlive the engine.
struct EngineOptions {
  Clock* clock = nullptr;
  Disk* disk = nullptr;
  transport::Network* network = nullptr;
  // Receives every event. null: standard error, except for sessions with other ScreenLogShowEvents.
  observe::EventLog* log = nullptr;
  // run() polls without sleeping. A post does not make descriptor() readable, because no thread
  // waits there.
  bool busy_spin = false;
  // run() and start() notify systemd when the engine is ready and when it stops, and send watchdog
  // signals of every loop if systemd wants them: see transport::ServiceNotifier, which a thread
  // that calls poll() uses directly. For one engine of a process. Without NOTIFY_SOCKET nothing
  // happens. nexusfix::run() sets it.
  bool notify_systemd = false;
  // The optional parts: proxies, passwords, PostgreSQL.
  Parts parts{};
};

struct EngineError {
  std::string text;  // every error, one a line, each with file and line if it has them
  [[nodiscard]] const std::string& what() const noexcept { return text; }
};

// Changed keys of a session whose old values are still in effect.
struct PendingChange {
  std::string session;
  PendingKeys keys;
};

// The result of a reload: names of sessions.
struct Reloaded {
  std::vector<std::string> added;
  std::vector<std::string> removed;
  std::vector<std::string> changed;    // its values differ from those of the text before
  std::vector<PendingChange> pending;  // all pending ones, also of earlier texts
};

struct EngineStats {
  std::uint64_t messages_in = 0;
  std::uint64_t messages_out = 0;
  std::uint64_t garbled = 0;
  std::uint64_t connections_refused = 0;
  // Application messages that came early, were held, and were never processed: a gap fill of the
  // counterparty or a reset of the sequence numbers skipped them.
  std::uint64_t out_of_order_discarded = 0;
};

class Engine {
 public:
  // Reads the configuration, opens the store, delivers the stored messages to the application, and
  // listens. The ports are open when it returns; run() or poll() serves the connections.
  template <class Application>
  [[nodiscard]] static std::expected<Engine, EngineError> open(const std::string& path,
                                                               Application& application,
                                                               EngineOptions options = {}) {
    static_assert(detail::CallbackCheck<Application>::kDone);
    return open_with(path, make_callbacks(application), options);
  }
  template <class Application>
  [[nodiscard]] static std::expected<Engine, EngineError> open(Settings settings,
                                                               Application& application,
                                                               EngineOptions options = {}) {
    static_assert(detail::CallbackCheck<Application>::kDone);
    return open_with(std::move(settings), make_callbacks(application), options);
  }

  Engine(Engine&&) noexcept;
  Engine& operator=(Engine&&) noexcept;
  ~Engine();

  // With EventLoops=N, the engine starts N - 1 threads beside the calling one. Each thread serves
  // its own sessions. Callbacks come from all of these threads, but those of one session always
  // from the same thread. Such an engine serves until stop(); a failed store stops only its own
  // loop.
  //
  // Serves until no work is left: stop() was called and every session has logged out (or its time
  // was over), or log_out() has logged out every session and all of them are initiators, or the
  // store failed. 0: success; 1: the store failed, as the log says.
  int run();
  // The same on a thread of the engine. join() waits for its end and returns the result of run().
  void start();
  int join();
  // One turn, for a thread of the caller: waits up to timeout for an event and handles it. False:
  // no work is left, as when run() would return.
  // With several loops the caller polls each loop, each on one thread.
  bool poll(std::chrono::nanoseconds timeout, std::uint32_t loop = 0);
  // Readable when poll(0) would find something to read. The engine also has timers: call poll() at
  // next_deadline() at the latest. The deadline lies in the past while a resend can go on, or while
  // a message that was sent between two polls waits to be journaled and transmitted.
  [[nodiscard]] int descriptor(std::uint32_t loop = 0) const noexcept;
  [[nodiscard]] MonoTime next_deadline(std::uint32_t loop = 0) const noexcept;
  [[nodiscard]] std::uint32_t loop_count() const noexcept;

  // Logs out every session and ends run(). Any thread, and signal handlers.
  void stop() noexcept;

  // Lets one other thread reach sessions: see Mailbox. Any thread. An engine with an open mailbox
  // serves until stop(), because a task may log on an initiator again.
  [[nodiscard]] Mailbox open_mailbox();

  // Sessions in the order of the file; with several loops, one loop's sessions after another's. The
  // engine's thread; with several loops: before they run.
  [[nodiscard]] std::size_t session_count() const noexcept;
  [[nodiscard]] Session& session(std::size_t index) noexcept;
  [[nodiscard]] Session* find_session(std::string_view name) noexcept;
  // Adds the sessions of another configuration to the present ones: all of them or, with an error,
  // none. Its settings of stores and threads are ignored. Call it on that loop's thread, not from
  // within a callback; the call reads the files that the sessions name. Session::remove() removes
  // such a session again.
  [[nodiscard]] std::expected<void, EngineError> add_sessions(Settings settings,
                                                              std::uint32_t loop = 0);
  // Reads the engine's file again and applies all of it or, with an error, nothing. New sessions
  // are added. Sessions that are no longer in the file log out and are removed. Changed keys of the
  // other sessions take effect at once, at their next Logon, or at the next start
  // (docs/operations/reload.md): the event log and the result name the pending ones. Sessions of
  // add_sessions() do not change. One loop: the engine's thread, not from within a callback. The
  // call waits while files are read, at most 2 seconds for one call of the file system. Several
  // loops: any thread that serves none of them, while they run. Other threads read the files. The
  // call waits for all loops; if one does not answer for a minute, nothing changes. Hold no lock
  // during the call that a callback needs: that is a deadlock.
  [[nodiscard]] std::expected<Reloaded, EngineError> reload();
  // The pending changes of that loop's sessions. That loop's thread.
  [[nodiscard]] std::vector<PendingChange> pending_changes(std::uint32_t loop = 0) const;
  // Does the same as reload(), soon and on the engine's threads; the event log has the result. A
  // separate thread reads the files, and no session waits for them. Nothing happens if the engine
  // was not opened with a file. Any thread, and signal handlers.
  void request_reload() noexcept;
  // The port of the first acceptor; for SocketAcceptPort=0, the actual port. 0: the engine has no
  // acceptor.
  [[nodiscard]] std::uint16_t accept_port() const noexcept;
  // The listen addresses, with the actual ports for SocketAcceptPort=0. Sessions that share one
  // have one. Any thread while no loop is served; otherwise the thread of the only loop.
  [[nodiscard]] std::vector<transport::Endpoint> accept_endpoints() const;
  // That loop's thread.
  [[nodiscard]] const EngineStats& stats(std::uint32_t loop = 0) const noexcept;
  [[nodiscard]] store::Store& store(std::uint32_t loop = 0) noexcept;

  // Closes the log files (FileLogPath) and opens them again by their names, for log rotation. Any
  // thread, and signal handlers; it happens soon, in the background.
  void reopen_logs() noexcept;
  // Reads certificates, keys and revocation lists again, for new connections; present connections
  // go on. Any thread, and signal handlers; it happens soon, on a separate thread, and events
  // report the result.
  void reload_certificates() noexcept;
  // The numbers of logged and lost lines. Any thread.
  [[nodiscard]] observe::SessionLogsStats log_stats() const noexcept;

 private:
  struct Worker;
  struct Shared;
  using Loops = std::vector<std::unique_ptr<EventLoop>>;

  Engine(std::unique_ptr<Shared> shared, Loops loops) noexcept;
  [[nodiscard]] EventLoop& at(std::uint32_t loop) const noexcept;
  [[nodiscard]] static std::expected<Engine, EngineError> open_with(const std::string& path,
                                                                    Callbacks callbacks,
                                                                    EngineOptions options);
  [[nodiscard]] static std::expected<Engine, EngineError> open_with(Settings settings,
                                                                    Callbacks callbacks,
                                                                    EngineOptions options);
  std::unique_ptr<Shared> shared_;
  Loops loops_;
  std::unique_ptr<Worker> worker_;
};

namespace detail {

int run_opened(std::expected<Engine, EngineError> engine);

}  // namespace detail

// A whole main(), for a program that needs no more of its engine: opens it and calls run(), ends on
// SIGINT and SIGTERM, and notifies systemd if NOTIFY_SOCKET is set. 0: success; 1: it could not
// start, as standard error says, or the store failed.
template <class Application>
int run(const std::string& path, Application& application, EngineOptions options = {}) {
  static_assert(detail::CallbackCheck<Application>::kDone);
  options.notify_systemd = true;
  return detail::run_opened(Engine::open(path, application, options));
}

}  // namespace nexusfix::engine
