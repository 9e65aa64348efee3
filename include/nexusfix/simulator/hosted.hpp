// An application with its engine, as a simulated process runs it: made at every start, destroyed at
// every death. Its callbacks are watched.
#pragma once

#include <exception>
#include <expected>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include <nexusfix/engine/application.hpp>
#include <nexusfix/engine/engine.hpp>

namespace nexusfix::simulator {

// Fault::Throw makes a callback throw this.
class InjectedThrow final : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override { return "thrown by the simulator"; }
};

// Comes between the engine and an application's callbacks.
class CallbackWatch {
 public:
  virtual ~CallbackWatch() = default;
  // For every other callback: false if the process is dead, or dies now.
  [[nodiscard]] virtual bool runs() noexcept = 0;
  // Each calls the callback, unless the process is dead: a dead process runs no code.
  virtual void on_logon(const engine::Callbacks& inner, engine::Session& session) = 0;
  virtual void on_logout(const engine::Callbacks& inner, engine::Session& session) = 0;
  virtual engine::MessageReply on_message(const engine::Callbacks& inner, engine::Session& session,
                                          const wire::MessageView& message) = 0;
};

// The engine takes it for the application.
class WatchedApplication {
 public:
  WatchedApplication(engine::Callbacks inner, CallbackWatch& watch)
      : inner_{inner}, watch_{watch} {}

  void on_logon(engine::Session& session) { watch_.on_logon(inner_, session); }
  void on_logout(engine::Session& session) { watch_.on_logout(inner_, session); }
  engine::MessageReply on_message(engine::Session& session, const wire::MessageView& message) {
    return watch_.on_message(inner_, session, message);
  }
  void on_recovered(const engine::RecoveredMessage& message) {
    if (inner_.on_recovered != nullptr) inner_.on_recovered(inner_.application, message);
  }

 protected:
  engine::Callbacks inner_;
  CallbackWatch& watch_;
};

// With the optional callbacks that Application has: an engine behaves differently if they exist.
template <class Application>
class WatchedAs final : public WatchedApplication {
 public:
  using WatchedApplication::WatchedApplication;

  std::optional<engine::LogonAnswer> on_logon_request(engine::Session& session,
                                                      const engine::LogonRequest& request)
    requires requires(Application& a) { a.on_logon_request(session, request); }
  {
    if (!watch_.runs()) return std::nullopt;
    return inner_.on_logon_request(inner_.application, session, request);
  }
  void write_logon(engine::Session& session, wire::Encoder& encoder,
                   const wire::MessageHeader& header)
    requires requires(Application& a) { a.write_logon(session, encoder, header); }
  {
    if (watch_.runs()) inner_.write_logon(inner_.application, session, encoder, header);
  }
  void on_admin(engine::Session& session, const wire::MessageView& message)
    requires requires(Application& a) { a.on_admin(session, message); }
  {
    if (watch_.runs()) inner_.on_admin(inner_.application, session, message);
  }
  // The answer of a dead process does not matter: nothing of it is sent.
  engine::SendDecision on_sending(engine::Session& session, engine::OutgoingMessage& message)
    requires requires(Application& a) { a.on_sending(session, message); }
  {
    if (!watch_.runs()) return engine::SendDecision::Send;
    return inner_.on_sending(inner_.application, session, message);
  }
  void on_sent(engine::Session& session, const engine::SentMessage& message)
    requires requires(Application& a) { a.on_sent(session, message); }
  {
    if (watch_.runs()) inner_.on_sent(inner_.application, session, message);
  }
  engine::ResendAnswer on_resend_request(engine::Session& session,
                                         const engine::ResendRequest& request)
    requires requires(Application& a) { a.on_resend_request(session, request); }
  {
    if (!watch_.runs()) return {};
    return inner_.on_resend_request(inner_.application, session, request);
  }
  void on_disconnect(engine::Session& session, const engine::Disconnection& disconnection)
    requires requires(Application& a) { a.on_disconnect(session, disconnection); }
  {
    if (watch_.runs()) inner_.on_disconnect(inner_.application, session, disconnection);
  }
};

class ProcessImage {
 public:
  virtual ~ProcessImage() = default;
  [[nodiscard]] virtual engine::Engine& engine() noexcept = 0;
  [[nodiscard]] virtual void* application() noexcept = 0;
  // Fault::Throw has struck the last callback: what it sent is undone, and its message is answered
  // with a reject. Calls the application's on_undone(), if it has one.
  virtual void callback_undone() = 0;
};

using OpenedProcess = std::expected<std::unique_ptr<ProcessImage>, engine::EngineError>;

template <class Application>
class HostedApplication final : public ProcessImage {
 public:
  template <class... Arguments>
  explicit HostedApplication(CallbackWatch& watch, Arguments&... arguments)
      : application_{arguments...}, watched_{engine::make_callbacks(application_), watch} {}

  [[nodiscard]] std::expected<void, engine::EngineError> open(config::Settings settings,
                                                              engine::EngineOptions options) {
    auto opened = engine::Engine::open(std::move(settings), watched_, options);
    if (!opened) return std::unexpected{std::move(opened.error())};
    engine_.emplace(std::move(*opened));
    return {};
  }
  [[nodiscard]] engine::Engine& engine() noexcept override { return *engine_; }
  [[nodiscard]] void* application() noexcept override { return &application_; }
  void callback_undone() override {
    if constexpr (requires { application_.on_undone(); }) application_.on_undone();
  }

 private:
  Application application_;
  WatchedAs<Application> watched_;
  std::optional<engine::Engine> engine_;
};

}  // namespace nexusfix::simulator
