// engine: acceptors and initiators of one configuration file.
//
// What it is: the layer that connects the pure session layer to files and sockets. It reads a
// QuickFIX-style .cfg, opens the store, listens and connects, splits the stream into messages, and
// performs the actions of the session's state machine. Each event is one transaction, which is
// journaled before its messages are sent.
//
// What it is not: a thread pool or a scheduler. An engine has one event loop, or N with
// `EventLoops=N`. Each loop has its own sessions and its own store, and one thread serves it.
//
// Threads: any thread may call Engine::open(). Then run() serves the first loop on the calling
// thread, and the engine starts N - 1 threads for the others; start() serves all loops on threads
// of the engine. Instead, the program may call poll() for each loop, on one thread a loop.
//
// A Session belongs to the thread of its loop, which also runs its callbacks. Callbacks of sessions
// of different loops run at the same time: the application guards the state that they share. A
// function that takes the number of a loop belongs to the thread of that loop. Other threads reach
// sessions by a Remote (Engine::remote()). They and signal handlers call only the functions that
// say so, such as Engine::stop().
//
// Allocation: at start, when a counterparty connects, and when a buffer grows to a new maximum. A
// logged-on session in steady state allocates nothing between recv and send.
//
//   struct Venue {
//     MessageReply on_message(Session& session, const fix44::NewOrderSingle& order) {
//       auto sent = session.send<fix44::ExecutionReport>(fix44::OrderID{"1"}, ...);
//       return sent ? accept() : business_reject(0, 0, "cannot answer");
//     }
//   };
//   Venue venue;
//   return nexusfix::run("venue.cfg", venue);
#pragma once

#include <array>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/language.hpp>
#include <nexusfix/engine/application.hpp>
#include <nexusfix/engine/remote.hpp>
#include <nexusfix/engine/session.hpp>
#include <nexusfix/settings.hpp>
#include <nexusfix/wire/field.hpp>
#include <nexusfix/wire/typed.hpp>

// A program that uses one of these includes its header.
namespace nexusfix {
class Disk;  // <nexusfix/base/disk.hpp>
}  // namespace nexusfix
namespace nexusfix::observe {
class EventLog;    // <nexusfix/observe/logs.hpp>
class MessageLog;  // <nexusfix/observe/logs.hpp>
}  // namespace nexusfix::observe
namespace nexusfix::store {
class Store;         // <nexusfix/store.hpp>
class StoreFactory;  // <nexusfix/store.hpp>
}  // namespace nexusfix::store
namespace nexusfix::transport {
struct Endpoint;  // <nexusfix/transport/network.hpp>
class Network;    // <nexusfix/transport/network.hpp>
}  // namespace nexusfix::transport

namespace nexusfix::engine {

class EventLoop;
struct EngineStatistics;  // <nexusfix/statistics.hpp>

namespace detail {

// The program's own conditions on a configuration. open() calls it before it creates anything, and
// each reload before anything changes, on a thread that reads files; an error refuses the
// configuration.
struct SettingsCheck {
  // The error is for people, and has a line for each fault. Null: there are no conditions.
  std::expected<void, std::string> (*call)(void* context,
                                           const nexusfix::Settings& settings) = nullptr;
  void* context = nullptr;  // passed to call; it must outlive the engine
};

}  // namespace detail

// The engine's environment. For a null pointer it uses the object of the operating system. It owns
// none of these objects; each must outlive the engine.
struct EngineOptions {
  // The time of events, timers and SendingTime. With several loops, all of their threads call it.
  Clock* clock = nullptr;
  Disk* disk = nullptr;  // has the configuration's files, the store and the logs
  // The connections. One event loop only: with several, open() returns an error unless it is null.
  transport::Network* network = nullptr;
  // Receives every event, from one loop at a time. null: standard error, except for sessions that
  // set ScreenLogShowEvents.
  observe::EventLog* log = nullptr;
  // Receives every message, on the thread of its event loop: nexusfix/observe/logs.hpp. It
  // has no effect on the logs of FileLogPath. null: none.
  observe::MessageLog* message_log = nullptr;
  // Opens the stores of Store=program: nexusfix/store.hpp. null: Store=program is an
  // error; with a factory, every other store is one.
  store::StoreFactory* store_factory = nullptr;
  // true: run() polls without sleeping. No thread waits for descriptor(): neither a posted task nor
  // received bytes need to make it readable. BusySpin=Y has the same effect.
  bool busy_spin = false;
  // true: run() and start() notify systemd when the engine is ready and when it stops, and send the
  // watchdog's signs of life if systemd wants them. Only one engine of a process may do so. Without
  // NOTIFY_SOCKET it has no effect. nexusfix::run() sets it. A program that calls poll() uses
  // transport::ServiceNotifier itself.
  bool notify_systemd = false;
  // The optional parts: proxies, passwords, PostgreSQL.
  Parts parts{};
  // What the program demands of a configuration besides.
  detail::SettingsCheck check_settings{};
};

// Why an engine could not start, or why a change was refused.
struct EngineError {
  std::string text;  // every error, one a line, each with file and line if it has them
  // The text; valid as long as this object.
  [[nodiscard]] const std::string& what() const noexcept { return text; }
  // The text.
  friend std::string to_string(const EngineError& error) { return error.what(); }
};

// Changed keys of a session whose old values are still in effect.
struct PendingChange {
  std::string session;  // its name, as Session::name()
  PendingKeys keys;     // by the time at which their new values take effect
};

// The result of a reload. Sessions have their names, as Session::name().
struct Reloaded {
  std::vector<std::string> added;      // sessions that are new in the file
  std::vector<std::string> removed;    // sessions that are no longer in the file: they log out
  std::vector<std::string> changed;    // sessions whose values differ from those of the text before
  std::vector<PendingChange> pending;  // all pending ones, also of earlier texts
};

namespace detail {

int run_with(const std::string& path, Callbacks callbacks, EngineOptions options);

}  // namespace detail

// The sessions of one configuration, with their store, ports and logs.
//
// Where a comment names no thread, it is the one that serves the only event loop; with several
// loops, any one thread before they run. docs/guide/threads.md has all threads in one table.
class Engine {
 public:
  // Reads the configuration, opens the store, calls on_recovered() on the calling thread for each
  // stored application message, and listens. The ports are open when it returns; run() or poll()
  // serves the connections. The application must outlive the engine. Blocks while it reads files.
  // An error names every fault of the configuration, or the file, port or CPU that cannot be used.
  template <class Application>
  [[nodiscard]] static std::expected<Engine, EngineError> open(const std::string& path,
                                                               Application& application,
                                                               EngineOptions options = {}) {
    return open_with(path, make_callbacks(application), options);
  }
  // Opens with settings that the program has read: load_settings(), parse_settings() of
  // <nexusfix/settings.hpp>. After parse_settings(), reload() returns an error.
  template <class Application>
  [[nodiscard]] static std::expected<Engine, EngineError> open(nexusfix::Settings&& settings,
                                                               Application& application,
                                                               EngineOptions options = {}) {
    return open_with(std::move(settings), make_callbacks(application), options);
  }
  // Opens with a copy of the settings.
  template <class Application>
  [[nodiscard]] static std::expected<Engine, EngineError> open(const nexusfix::Settings& settings,
                                                               Application& application,
                                                               EngineOptions options = {}) {
    return open_with(settings, make_callbacks(application), options);
  }

  // Does not compile: the application is a temporary, which would end before the engine.
  template <class Source, class Application>
    requires(!std::is_lvalue_reference_v<Application>)
  static std::expected<Engine, EngineError> open(const Source&, Application&&, EngineOptions = {}) {
    static_assert(detail::CallbackCheck<Application>::kDone);
    static_assert(!detail::kIsApplication<Application>,
                  "the application must outlive its engine: Desk desk; "
                  "Engine::open(\"desk.cfg\", desk)");
    return std::unexpected{EngineError{}};
  }

  // Moves an engine, also after start(): sessions stay where they are, and references to them
  // remain valid. No other thread may use the engine meanwhile.
  Engine(Engine&&) noexcept;
  // Ends the engine that is replaced, as its destructor does.
  Engine& operator=(Engine&&) noexcept;
  // Ends the engine: if start() was called, as stop() and join() do; otherwise open connections end
  // without a Logout.
  ~Engine();

  // Serves all loops until no work is left: the first one on the calling thread, each of the others
  // on a thread that it starts. 0: success; 1: a store failed, as the log says.
  //
  // stop() ends it when every session has logged out, or when the time for that is over. An engine
  // with one loop also ends when its store fails, or when log_out() has logged out every session,
  // all of them are initiators, and no timer of the application waits. An engine with several loops
  // serves until stop(), and a failed store ends only its own loop.
  int run();
  // As run(), with a thread of the engine in place of the calling one, and returns at once. Call it
  // once before join().
  void start();
  // Waits until the engine that start() has started ends, and returns the result of run(). Any
  // thread that is none of the engine's.
  int join();
  // One turn of one loop, on a thread of the caller: waits for an event, at most for timeout, and
  // handles all events that are ready. 0: does not wait. False: no work is left, as when run()
  // would return. With several loops the program polls each of them, always on the same thread.
  bool poll(std::chrono::nanoseconds timeout, std::uint32_t loop = 0);
  // A file descriptor for a loop of the caller: it is readable when poll(0) would find something to
  // read. The engine also has timers, so call poll() at next_deadline() at the latest, and once
  // before the first wait: docs/guide/event-loops.md. Owned by the engine, and the same until it is
  // destroyed. -1: the network has none (a simulator).
  [[nodiscard]] int descriptor(std::uint32_t loop = 0) const noexcept;
  // The monotonic time of the next timer; kNever: there is none. It is in the past while a resend
  // can go on, or while a message that was sent between two polls waits to be journaled and
  // transmitted. It changes with each poll() and each call of a session.
  [[nodiscard]] MonoTime next_deadline(std::uint32_t loop = 0) const noexcept;
  // EventLoops, 1 to 64: loops have the numbers from 0 to loop_count() - 1. Any thread.
  [[nodiscard]] std::uint32_t loop_count() const noexcept;

  // Logs out every session and ends run(). Any thread, and signal handlers.
  void stop() noexcept;

  // Says that the program will not serve what open() has brought back, as after a loss that it does
  // not accept. In a cluster, `nexusfix cluster status` shows the node as refused with this reason
  // (at most 2,000 bytes) from the end of the engine on, until an engine of the node serves the
  // shard. Without a cluster it has no effect. Call it before run() and poll(), and then destroy
  // the engine. The thread of open(); allocates.
  void refuse(const std::string& why);
  // Lets other threads send and run tasks on a session, in any loop: see Remote. session: its name
  // (Session::name()); or, if no other session has the same, its SessionQualifier, or its CompIDs
  // as the name has them. Any thread, also while the engine runs. An engine with a Remote serves
  // until stop(), because its log_on() may log on an initiator again. Error: there is no such
  // session, or several; the text has the nearest name, or up to ten names. Allocates a queue of
  // 256 KiB, which the copies of the Remote share.
  //
  //   auto remote = engine.remote("FIX.4.4:TRADER->VENUE");
  //   auto remote = engine.remote("TRADER->VENUE");
  //   auto remote = engine.remote("desk7");    // of SessionQualifier=desk7
  [[nodiscard]] std::expected<Remote, EngineError> remote(std::string_view session);
  // The remote of an identity. Error: no session has it.
  [[nodiscard]] std::expected<Remote, EngineError> remote(const session::SessionId& session);
  // A remote that has no session of its own: Remote::post() reaches sessions by their handles. Any
  // thread.
  [[nodiscard]] Remote remote();

  // The number of sessions, without templates. One loop: its thread; several loops: before they
  // run. The same holds for session() and find_session().
  [[nodiscard]] std::size_t session_count() const noexcept;
  // The session at a 0-based index below session_count(), in the order of the file; with several
  // loops, the sessions of one loop after those of another. The reference is valid until the
  // session is removed or the engine ends. An index changes when a session is removed.
  [[nodiscard]] Session& session(std::size_t index) noexcept;
  // All sessions, in the order of session(): for (Session& session : engine.sessions()). See
  // SessionRange for how long it is valid. One loop: its thread; several loops: before they run.
  [[nodiscard]] SessionRange sessions() const noexcept;
  // The sessions of that loop. That loop's thread, or before it runs.
  [[nodiscard]] SessionRange sessions(std::uint32_t loop) const noexcept;
  // The session of this name (Session::name()), in any loop. Null: there is none.
  [[nodiscard]] Session* find_session(std::string_view name) noexcept;
  // The session of this identity (Session::id()), in any loop. Null: there is none. Allocates its
  // name.
  [[nodiscard]] Session* find_session(const session::SessionId& id);
  // Adds the sessions of another configuration to the present ones: all of them or, with an error,
  // none. Its settings of stores and threads are ignored. A session cannot have TLS, UseTCPProxy,
  // ProxyType or PasswordFile if none had it at the start. Call it on that loop's thread, not from
  // within a callback; it blocks while it reads the files that the sessions name. Session::remove()
  // removes such a session again.
  [[nodiscard]] std::expected<void, EngineError> add_sessions(nexusfix::Settings settings,
                                                              std::uint32_t loop = 0);
  // Reads the engine's file again and applies all of it or, with an error, nothing. New sessions
  // are added. Sessions that are no longer in the file log out and are removed. Changed keys of the
  // other sessions take effect at once, at their next Logon, or at the next start
  // (docs/operations/reload.md): the event log and the result name the pending ones. Sessions of
  // add_sessions() do not change.
  //
  // One loop: the thread that serves it, not from within a callback. The call waits while files are
  // read, at most 2 seconds for one call of the file system.
  //
  // Several loops: any thread that serves none of them, while they run. Other threads read the
  // files. The call waits for all loops; if one does not answer for a minute, nothing changes. Hold
  // no lock during the call that a callback needs: that is a deadlock.
  [[nodiscard]] std::expected<Reloaded, EngineError> reload();
  // The pending changes of that loop's sessions. That loop's thread.
  [[nodiscard]] std::vector<PendingChange> pending_changes(std::uint32_t loop = 0) const;
  // Does the same as reload(), soon and on the engine's threads; the event log has the result. A
  // separate thread reads the files, and no session waits for them. Nothing happens without
  // a file. Any thread, and signal handlers.
  void request_reload() noexcept;
  // The port of the first acceptor; for SocketAcceptPort=0, the actual port. 0: the engine has no
  // acceptor. Threads: as accept_endpoints().
  [[nodiscard]] std::uint16_t accept_port() const noexcept;
  // The listen addresses, with the actual ports for SocketAcceptPort=0, each once also if several
  // sessions share it. Any thread while no loop is served; otherwise the thread of the only loop.
  [[nodiscard]] std::vector<transport::Endpoint> accept_endpoints() const;
  // All that the engine counts and measures, of every loop and session, as it is now. Any thread,
  // also while the engine runs: no loop waits for the reader. It allocates what it returns, about
  // 1 KiB a session.
  //
  //   const nexusfix::EngineStatistics now = engine.statistics();
  //   for (const auto& session : now.sessions) show(session.name, session.in.messages);
  [[nodiscard]] EngineStatistics statistics() const;
  // The store of that loop's sessions. That loop's thread; valid until the engine ends. Read it
  // only, but for the names of counters (Session::finish()): the engine writes each record itself.
  [[nodiscard]] store::Store& store(std::uint32_t loop = 0) noexcept;

  // Closes the log files (FileLogPath) and opens them again by their names, for log rotation. Any
  // thread, and signal handlers; it happens soon, in the background.
  void reopen_logs() noexcept;
  // Reads certificates, keys and revocation lists again, for new connections; present connections
  // go on. Any thread, and signal handlers; it happens soon, on a separate thread, and events
  // report the result.
  void reload_certificates() noexcept;

 private:
  friend int detail::run_with(const std::string& path, Callbacks callbacks, EngineOptions options);
  struct Worker;
  struct Shared;
  using Loops = std::vector<std::unique_ptr<EventLoop>>;

  Engine(std::unique_ptr<Shared> shared, Loops loops) noexcept;
  [[nodiscard]] EventLoop& at(std::uint32_t loop) const noexcept;
  [[nodiscard]] static std::expected<Engine, EngineError> open_with(const std::string& path,
                                                                    Callbacks callbacks,
                                                                    EngineOptions options);
  [[nodiscard]] static std::expected<Engine, EngineError> open_with(nexusfix::Settings settings,
                                                                    Callbacks callbacks,
                                                                    EngineOptions options);
  std::unique_ptr<Shared> shared_;
  Loops loops_;
  std::unique_ptr<Worker> worker_;
};

// A whole main(), for a program that needs no more of its engine. It opens the engine, calls run(),
// handles signals as StopSignals does, and notifies systemd if NOTIFY_SOCKET is set. 0: success; 1:
// the engine could not start, as standard error says, or the store failed.
template <class Object>
[[nodiscard]] int run(const std::string& path, Object&& application, EngineOptions options = {}) {
  return detail::run_with(path, make_callbacks(application), options);
}

}  // namespace nexusfix::engine

template <>
inline constexpr bool nexusfix::kIsPrinted<nexusfix::engine::EngineError> = true;

// SIGINT and SIGTERM end an engine gracefully. SIGHUP reopens its log files, and reads its
// certificates (Engine::reload_certificates()) and its configuration (Engine::request_reload())
// again. For programs with their own main(); nexusfix::run() does this by itself.

namespace nexusfix::engine {

// The signals have these effects while an object exists, and SIGPIPE is ignored: a closed reader of
// standard output must not end a venue. The destructor restores the earlier handlers except that of
// SIGPIPE. A process may have one object at a time.
class StopSignals {
 public:
  // Takes over the four signals. The engine must outlive this object. Signals call only functions
  // that any thread may call, so it does not matter which threads serve the event loops.
  explicit StopSignals(Engine& engine);
  // For Engine::open(): SIGINT or SIGTERM ends the wait of a standby, and open() fails. So an
  // engine of a cluster gives its lease back. The second one ends the process. SIGHUP does nothing.
  StopSignals();
  // Restores the earlier handlers, except that of SIGPIPE.
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  // Whether SIGINT or SIGTERM has come since the process began. Any thread.
  [[nodiscard]] static bool received() noexcept;

 private:
  static constexpr std::array kSignals{SIGPIPE, SIGINT, SIGTERM, SIGHUP};
  void handle(std::size_t index, void (*handler)(int), int flags = 0) noexcept;

  std::array<struct sigaction, kSignals.size()> before_{};
};

}  // namespace nexusfix::engine

namespace nexusfix {

// The names that an application uses.
using engine::accept;
using engine::Application;
using engine::business_reject;
using engine::Disconnection;
using engine::Engine;
using engine::EngineError;
using engine::EngineOptions;
using engine::EngineStatistics;
using engine::LogonAnswer;
using engine::LogonRequest;
using engine::LogonWait;
using engine::MessageReply;
using engine::Messages;
using engine::OutgoingMessage;
using engine::PendingChange;
using engine::PendingKeys;
using engine::PostResult;
using engine::PostToken;
using engine::RecoveredMessage;
using engine::reject_for;
using engine::Reloaded;
using engine::Remote;
using engine::RemoteError;
using engine::ResendAnswer;
using engine::ResendRequest;
using engine::run;
using engine::SendDecision;
using engine::SendError;
using engine::SendFailure;
using engine::SendResult;
using engine::Sent;
using engine::SentMessage;
using engine::Session;
using engine::session_reject;
using engine::SessionHandle;
using engine::SessionRange;
using engine::StopSignals;
using engine::TimerHandle;
using engine::unsupported_message_type;
using engine::detail::PostedTask;
using engine::detail::TimerCallback;
using observe::EventLog;
using session::DisconnectReason;
using session::Numbers;
using session::SessionId;
using wire::MessageView;

}  // namespace nexusfix
