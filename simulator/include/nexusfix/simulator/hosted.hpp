// An application with its engine, as a simulated process runs it: made at every start, destroyed at
// every death. Its callbacks are watched.
#pragma once

#include <exception>
#include <expected>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include <nexusfix/base/language.hpp>
#include <nexusfix/engine.hpp>
#include <nexusfix/engine/application.hpp>
#include <nexusfix/settings.hpp>
#include <nexusfix/wire/encoder.hpp>

namespace nexusfix::simulator {

// Fault::Throw makes a callback throw this.
class InjectedThrow final : public std::exception {
 public:
  // "thrown by the simulator". Static lifetime.
  [[nodiscard]] const char* what() const noexcept override { return "thrown by the simulator"; }
};

// Comes between the engine and an application's callbacks.
class CallbackWatch {
 public:
  virtual ~CallbackWatch() = default;
  // For every callback that has no function below: false if the process is dead, or dies now. A
  // dead process runs no code.
  [[nodiscard]] virtual bool runs() noexcept = 0;
  // Calls the application's on_logon(), unless the process is dead.
  virtual void on_logon(const engine::Callbacks& inner, engine::Session& session) = 0;
  // Calls the application's on_logout(), unless the process is dead.
  virtual void on_logout(const engine::Callbacks& inner, engine::Session& session) = 0;
  // Calls the application's on_message(), unless the process is dead. Throws InjectedThrow after
  // the call if Fault::Throw strikes.
  virtual engine::MessageReply on_message(const engine::Callbacks& inner, engine::Session& session,
                                          const wire::MessageView& message) = 0;
};

// The application that the engine sees: it passes each callback to the watch.
class WatchedApplication {
 public:
  // inner: of the watched application. It and the watch must outlive this object.
  WatchedApplication(engine::Callbacks inner, CallbackWatch& watch)
      : inner_{inner}, watch_{watch} {}

  // Calls CallbackWatch::on_logon().
  void on_logon(engine::Session& session) { watch_.on_logon(inner_, session); }
  // Calls CallbackWatch::on_logout().
  void on_logout(engine::Session& session) { watch_.on_logout(inner_, session); }
  // Calls CallbackWatch::on_message().
  engine::MessageReply on_message(engine::Session& session, const wire::MessageView& message) {
    return watch_.on_message(inner_, session, message);
  }
  // Calls the callback of a timer, unless the process is dead.
  void run_timer(engine::Session&, FunctionRef<void()> callback) {
    if (watch_.runs()) callback();
  }
  // Calls the application's on_recovered(), if it has one. Not watched: Engine::open() calls it.
  void on_recovered(const engine::RecoveredMessage& message) {
    if (inner_.on_recovered != nullptr) inner_.on_recovered(inner_.application, message);
  }

 protected:
  engine::Callbacks inner_;  // of the watched application
  CallbackWatch& watch_;     // decides whether a callback runs
};

// With the optional callbacks that Application has: an engine behaves differently if they exist.
template <class Application>
class WatchedAs final : public WatchedApplication {
 public:
  // The constructor of WatchedApplication.
  using WatchedApplication::WatchedApplication;

  // Calls the application's on_logon_request(); a dead process gives no answer.
  std::optional<engine::LogonAnswer> on_logon_request(engine::Session& session,
                                                      const engine::LogonRequest& request)
    requires requires(Application& a) { a.on_logon_request(session, request); }
  {
    if (!watch_.runs()) return std::nullopt;
    return inner_.on_logon_request(inner_.application, session, request);
  }
  // Calls the application's write_logon().
  void write_logon(engine::Session& session, wire::Encoder& encoder,
                   const wire::MessageHeader& header)
    requires requires(Application& a) { a.write_logon(session, encoder, header); }
  {
    if (watch_.runs()) inner_.write_logon(inner_.application, session, encoder, header);
  }
  // Calls the application's on_admin().
  void on_admin(engine::Session& session, const wire::MessageView& message)
    requires requires(Application& a) { a.on_admin(session, message); }
  {
    if (watch_.runs()) inner_.on_admin(inner_.application, session, message);
  }
  // Calls the application's on_sending(). The answer of a dead process does not matter: nothing of
  // it is sent.
  engine::SendDecision on_sending(engine::Session& session, engine::OutgoingMessage& message)
    requires requires(Application& a) { a.on_sending(session, message); }
  {
    if (!watch_.runs()) return engine::SendDecision::Send;
    return inner_.on_sending(inner_.application, session, message);
  }
  // Calls the application's on_sent().
  void on_sent(engine::Session& session, const engine::SentMessage& message)
    requires requires(Application& a) { a.on_sent(session, message); }
  {
    if (watch_.runs()) inner_.on_sent(inner_.application, session, message);
  }
  // Calls the application's on_not_sent().
  void on_not_sent(engine::Session& session, const engine::NotSentMessage& message)
    requires requires(Application& a) { a.on_not_sent(session, message); }
  {
    if (watch_.runs()) inner_.on_not_sent(inner_.application, session, message);
  }
  // Calls the application's on_resend_request().
  engine::ResendAnswer on_resend_request(engine::Session& session,
                                         const engine::ResendRequest& request)
    requires requires(Application& a) { a.on_resend_request(session, request); }
  {
    if (!watch_.runs()) return {};
    return inner_.on_resend_request(inner_.application, session, request);
  }
  // Calls the application's on_writable().
  void on_writable(engine::Session& session)
    requires requires(Application& a) { a.on_writable(session); }
  {
    if (watch_.runs()) inner_.on_writable(inner_.application, session);
  }
  // Calls the application's on_disconnect().
  void on_disconnect(engine::Session& session, const engine::Disconnection& disconnection)
    requires requires(Application& a) { a.on_disconnect(session, disconnection); }
  {
    if (watch_.runs()) inner_.on_disconnect(inner_.application, session, disconnection);
  }
};

// The memory of a running process: an application with its engine, whatever the application's type.
class ProcessImage {
 public:
  virtual ~ProcessImage() = default;
  // The engine. Valid as long as this object.
  [[nodiscard]] virtual engine::Engine& engine() noexcept = 0;
  // The application, of the type that World::add_process() got. Valid as long as this object.
  [[nodiscard]] virtual void* application() noexcept = 0;
  // Fault::Throw has struck the last callback: what it sent is undone, and its message is answered
  // with a reject. Calls the application's on_undone(), if it has one.
  virtual void callback_undone() = 0;
  // Before each Engine::poll(). Calls the application's begin_turn(), if it has one.
  virtual void begin_turn() = 0;
  // After each Engine::poll() that the process has survived. Calls the application's end_turn(), if
  // it has one. True: the application has more to do at once.
  [[nodiscard]] virtual bool end_turn() = 0;
  // After the Engine::poll() that has ended the engine, and its end_turn(). Calls the application's
  // ended(), if it has one.
  virtual void ended() = 0;
};

// A started process, or why its engine could not be opened.
using OpenedProcess = std::expected<std::unique_ptr<ProcessImage>, engine::EngineError>;

// The memory of a process with this type of application.
template <class Application>
class HostedApplication final : public ProcessImage {
 public:
  // Makes the application from these arguments. The watch must outlive this object.
  template <class... Arguments>
  explicit HostedApplication(CallbackWatch& watch, Arguments&... arguments)
      : application_{arguments...}, watched_{engine::make_callbacks(application_), watch} {}

  // Opens the engine. Call it once, before engine(). Calls the application's opened(), if it has
  // one, with the engine and what it was opened with: its clock, disk and log.
  [[nodiscard]] std::expected<void, engine::EngineError> open(Settings settings,
                                                              engine::EngineOptions options) {
    auto opened = engine::Engine::open(std::move(settings), watched_, options);
    if (!opened) return std::unexpected{std::move(opened.error())};
    engine_.emplace(std::move(*opened));
    if constexpr (requires { application_.opened(*engine_, options); })
      application_.opened(*engine_, options);
    return {};
  }
  // The engine, after open() has succeeded.
  [[nodiscard]] engine::Engine& engine() noexcept override { return *engine_; }
  // The address of the Application.
  [[nodiscard]] void* application() noexcept override { return &application_; }
  // Calls the application's on_undone(), if it has one.
  void callback_undone() override {
    if constexpr (requires { application_.on_undone(); }) application_.on_undone();
  }
  // Calls the application's begin_turn(), if it has one.
  void begin_turn() override {
    if constexpr (requires { application_.begin_turn(); }) application_.begin_turn();
  }
  // Calls the application's end_turn(), if it has one.
  [[nodiscard]] bool end_turn() override {
    if constexpr (requires { application_.end_turn(); }) return application_.end_turn();
    return false;
  }
  // Calls the application's ended(), if it has one.
  void ended() override {
    if constexpr (requires { application_.ended(); }) application_.ended();
  }

 private:
  Application application_;
  WatchedAs<Application> watched_;
  std::optional<engine::Engine> engine_;
};

}  // namespace nexusfix::simulator
