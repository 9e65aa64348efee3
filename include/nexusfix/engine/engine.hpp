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

// Everything that the engine has from outside. A null pointer: the operating system's own. None is
// owned; each must outlive the engine.
struct EngineOptions {
  Clock* clock = nullptr;
  Disk* disk = nullptr;
  transport::Network* network = nullptr;
  // Every event; null: standard error, but for sessions whose ScreenLogShowEvents says otherwise.
  observe::EventLog* log = nullptr;
  // run() polls without sleeping. A post does not make descriptor() readable: nobody waits there.
  bool busy_spin = false;
  // run() and start() tell systemd that the engine serves and that it stops, and that every loop is
  // alive if it wants to know: see transport::ServiceNotifier, which a thread that calls poll()
  // uses by itself. One engine of a process. Nothing happens without NOTIFY_SOCKET. nexusfix::run()
  // sets it.
  bool tells_service_manager = false;
  // What is linked only where it is wanted: proxies, passwords, PostgreSQL.
  Parts parts{};
};

struct EngineError {
  std::string text;  // every mistake, one a line, each with file and line where it has one
  [[nodiscard]] const std::string& what() const noexcept { return text; }
};

// Changed keys of a session that do not count yet.
struct PendingChange {
  std::string session;
  PendingKeys keys;
};

// What has become of a configuration that was read again: names of sessions.
struct Reloaded {
  std::vector<std::string> added;
  std::vector<std::string> removed;
  std::vector<std::string> changed;    // other values than in the text before
  std::vector<PendingChange> pending;  // all that wait, of earlier texts too
};

struct EngineStats {
  std::uint64_t messages_in = 0;
  std::uint64_t messages_out = 0;
  std::uint64_t garbled = 0;
  std::uint64_t connections_refused = 0;
  // Application messages that came early, were held, and were never processed: the counterparty's
  // gap fill or a reset of the sequence numbers passed over them.
  std::uint64_t held_discarded = 0;
};

class Engine {
 public:
  // Reads the configuration, opens the store, shows the application what was stored, listens. After
  // it has returned the ports are open; nothing is served before run() or poll().
  template <class Application>
  [[nodiscard]] static std::expected<Engine, EngineError> open(const std::string& path,
                                                               Application& application,
                                                               EngineOptions options = {}) {
    return open_with(path, make_callbacks(application), options);
  }
  template <class Application>
  [[nodiscard]] static std::expected<Engine, EngineError> open(Settings settings,
                                                               Application& application,
                                                               EngineOptions options = {}) {
    return open_with(std::move(settings), make_callbacks(application), options);
  }

  Engine(Engine&&) noexcept;
  Engine& operator=(Engine&&) noexcept;
  ~Engine();

  // With EventLoops=N, N - 1 threads of the engine's own serve beside the calling one, each the
  // sessions that are its own: callbacks come from all of them, those of one session always from
  // the same. Such an engine serves until stop(); a store that fails stops its loop alone.
  //
  // Serves until nothing is left to do: stop() was called and every session has logged out (or its
  // time was over), or every session is an initiator that was logged out by log_out(), or the store
  // failed. 0: all well; 1: the store failed, as the log says.
  int run();
  // The same on a thread of the engine's own; join() waits for its end and returns what run()
  // would.
  void start();
  int join();
  // One turn, for a thread of the user's own: waits up to timeout for something to happen and does
  // it. False: nothing is left to do, as when run() would return.
  // With several loops, each is somebody's to poll, on one thread.
  bool poll(std::chrono::nanoseconds timeout, std::uint32_t loop = 0);
  // Readable when poll(0) would find something to read. The engine has work of its own, too: call
  // poll() when next_deadline() is reached at the latest. It lies in the past while a resend can go
  // on, or while something that was sent between two polls waits to be journaled and transmitted.
  [[nodiscard]] int descriptor(std::uint32_t loop = 0) const noexcept;
  [[nodiscard]] MonoTime next_deadline(std::uint32_t loop = 0) const noexcept;
  [[nodiscard]] std::uint32_t loop_count() const noexcept;

  // Logs out every session and ends run(). Any thread, and signal handlers.
  void stop() noexcept;

  // For one other thread to reach sessions by: see Mailbox. Any thread. An engine with an open
  // mailbox serves until stop(): the mailbox may have an initiator that was logged out log on
  // again.
  [[nodiscard]] Mailbox open_mailbox();

  // Sessions in the order of the file; with several loops, one loop's behind the other's. The
  // engine's thread; several: before they run.
  [[nodiscard]] std::size_t session_count() const noexcept;
  [[nodiscard]] Session& session(std::size_t index) noexcept;
  [[nodiscard]] Session* find_session(std::string_view name) noexcept;
  // Opens the sessions of another configuration beside those that there are, all of them or, with
  // an error, none. What it says of stores and threads is not looked at. That loop's thread, which
  // reads the files that the sessions name, and not from within a callback; Session::remove() is
  // the way back.
  [[nodiscard]] std::expected<void, EngineError> add_sessions(Settings settings,
                                                              std::uint32_t loop = 0);
  // Reads the file that the engine was opened with anew: all of it or, with an error, nothing.
  // Sessions that have come into it are added, those that have gone from it log out and are
  // removed. Changed keys of those that stay count at once, from their next Logon on or from the
  // next start on (docs/reload.md): the event log and the result name those that wait. Sessions of
  // add_sessions() stay as they are. The engine's thread, not from within a callback; it waits for
  // files to be read, 2 seconds for a call of the file system. Several loops: any thread that
  // serves none of them, while they run; files are read beside them. It waits for all of them; if
  // one does not answer for a minute, nothing has changed. Hold no lock in it that a callback
  // wants: that is a deadlock.
  [[nodiscard]] std::expected<Reloaded, EngineError> reload();
  // What waits of that loop's sessions. That loop's thread.
  [[nodiscard]] std::vector<PendingChange> pending_changes(std::uint32_t loop = 0) const;
  // The same as reload(), soon and on the engine's threads; the event log has the result. Files are
  // read on a thread of their own, and no session waits for them. Nothing happens if the engine was
  // not opened with a file. Any thread, and signal handlers.
  void request_reload() noexcept;
  // The port of the first acceptor: what SocketAcceptPort=0 became. 0: there is none.
  [[nodiscard]] std::uint16_t accept_port() const noexcept;
  // Where it listens, with the ports that SocketAcceptPort=0 became; sessions that share one have
  // one. Any thread while no loop is served; else the only loop's.
  [[nodiscard]] std::vector<transport::Endpoint> accept_endpoints() const;
  // That loop's thread.
  [[nodiscard]] const EngineStats& stats(std::uint32_t loop = 0) const noexcept;
  [[nodiscard]] store::Store& store(std::uint32_t loop = 0) noexcept;

  // The files of the logs (FileLogPath) are closed, and opened anew by their names: for whoever has
  // moved them. Any thread, and signal handlers; it happens soon, in the background.
  void reopen_logs() noexcept;
  // Certificates, keys and lists of revoked certificates are read again, for connections that begin
  // after it; those that are there go on. Any thread, and signal handlers; it happens soon, on a
  // thread of its own, and events say what came of it.
  void reload_certificates() noexcept;
  // What was logged and what was lost. Any thread.
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

// A whole main(), for a program that needs no more of its engine: opens it and run()s it, ends on
// SIGINT and SIGTERM, and tells systemd if NOTIFY_SOCKET is set. 0: all well; 1: it could not
// start, and standard error says why, or the store failed.
template <class Application>
int run(const std::string& path, Application& application, EngineOptions options = {}) {
  options.tells_service_manager = true;
  return detail::run_opened(Engine::open(path, application, options));
}

}  // namespace nexusfix::engine
