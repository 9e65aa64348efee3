// What a user's program is to the engine, and how its callbacks are found: at compile time.
#pragma once

#include <concepts>
#include <cstdint>
#include <expected>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include <nexusfix/engine/session.hpp>
#include <nexusfix/session/state_machine.hpp>
#include <nexusfix/wire/dispatch.hpp>
#include <nexusfix/wire/message_view.hpp>
#include <nexusfix/wire/typed.hpp>

namespace nexusfix::engine {

// What an application handles: `using Handles = Messages<fix44::NewOrderSingle, ...>;`
using wire::Messages;

// An application message out of the store, shown before the engine starts: an application rebuilds
// from these what it had in memory.
struct RecoveredMessage {
  std::string_view session;  // SessionId::to_string()
  std::uint64_t msg_seq_num = 0;
  wire::MessageView message;
};

// The engine's view of an application: plain functions, so that the engine need not be a template.
// Made by make_callbacks(); every function may be called on the engine's thread only.
struct Callbacks {
  void* application = nullptr;
  void (*on_logon)(void*, Session&) = nullptr;
  void (*on_logout)(void*, Session&) = nullptr;
  session::Verdict (*on_message)(void*, Session&, const wire::MessageView&) = nullptr;
  void (*on_recovered)(void*, const RecoveredMessage&) = nullptr;  // null: not wanted
  // Acceptor. Nothing: the answer comes later, by Session::answer_logon(). null: every Logon that
  // breaks no rule is accepted.
  std::optional<LogonAnswer> (*on_logon_request)(void*, Session&, const LogonRequest&) = nullptr;
  // Every Logon of ours, when its number and time are known. null: nothing is added.
  void (*write_logon)(void*, Session&, wire::Encoder&, const wire::MessageHeader&) = nullptr;
};

[[nodiscard]] inline session::Verdict accept() noexcept { return {}; }

// Answers with a BusinessMessageReject (Reject before FIX 4.2). text must outlive the callback:
// a literal, or a member of the application.
[[nodiscard]] session::Verdict business_reject(unsigned reason, wire::Tag ref_tag,
                                               std::string_view text) noexcept;
[[nodiscard]] session::Verdict session_reject(unsigned reason, wire::Tag ref_tag,
                                              std::string_view text) noexcept;
[[nodiscard]] session::Verdict unsupported_message_type() noexcept;
[[nodiscard]] session::Verdict reject_for(const wire::FieldError& error) noexcept;

namespace detail {

template <class Application, class Argument>
session::Verdict call(Application& application, Session& session, const Argument& argument) {
  if constexpr (std::same_as<void, decltype(application.on_message(session, argument))>) {
    application.on_message(session, argument);
    return accept();
  } else {
    return application.on_message(session, argument);
  }
}

// What wire::dispatch() calls, in terms of an application's callbacks.
template <class Application>
struct ApplicationVisitor {
  Application& application;
  Session& session;

  template <wire::TypedMessage Message>
  session::Verdict operator()(const Message& message) {
    return call(application, session, message);
  }
  session::Verdict operator()(const wire::MessageView& message) {
    if constexpr (requires { application.on_message(session, message); }) {
      return call(application, session, message);
    } else {
      return unsupported_message_type();
    }
  }
  session::Verdict operator()(const wire::MessageView&, const wire::FieldError& error) noexcept {
    return reject_for(error);
  }
};

template <class Application>
struct HandlesOf {
  using type = Messages<>;
};
template <class Application>
  requires requires { typename Application::Handles; }
struct HandlesOf<Application> {
  using type = typename Application::Handles;
};

}  // namespace detail

// An application is any type with some of these; what it lacks is not called:
//   using Handles = Messages<fix44::NewOrderSingle, ...>;
//   void on_logon(Session&);   void on_logout(Session&);
//   void or Verdict on_message(Session&, const fix44::NewOrderSingle&);   one for each of Handles
//   void or Verdict on_message(Session&, const MessageView&);             everything else
//   void on_recovered(const RecoveredMessage&);                           before start
//   std::optional<LogonAnswer> on_logon_request(Session&, const LogonRequest&);   acceptor
//   void write_logon(Session&, wire::Encoder&, const wire::MessageHeader&);       e.g. a signature
// A message that nobody handles is answered with a BusinessMessageReject. The application must
// outlive the engine.
template <class Application>
[[nodiscard]] Callbacks make_callbacks(Application& application) {
  Callbacks callbacks;
  callbacks.application = &application;
  if constexpr (requires(Session& s) { application.on_logon(s); }) {
    callbacks.on_logon = [](void* a, Session& s) { static_cast<Application*>(a)->on_logon(s); };
  }
  if constexpr (requires(Session& s) { application.on_logout(s); }) {
    callbacks.on_logout = [](void* a, Session& s) { static_cast<Application*>(a)->on_logout(s); };
  }
  callbacks.on_message = [](void* a, Session& s, const wire::MessageView& message) {
    return wire::dispatch(
        typename detail::HandlesOf<Application>::type{}, s.counterparty_version(), message,
        detail::ApplicationVisitor<Application>{*static_cast<Application*>(a), s});
  };
  if constexpr (requires(Session& s, const LogonRequest& r) {
                  application.on_logon_request(s, r);
                }) {
    callbacks.on_logon_request = [](void* a, Session& s, const LogonRequest& request) {
      return std::optional<LogonAnswer>{static_cast<Application*>(a)->on_logon_request(s, request)};
    };
  }
  if constexpr (requires(Session& s, wire::Encoder& e, const wire::MessageHeader& h) {
                  application.write_logon(s, e, h);
                }) {
    callbacks.write_logon = [](void* a, Session& s, wire::Encoder& e,
                               const wire::MessageHeader& h) {
      static_cast<Application*>(a)->write_logon(s, e, h);
    };
  }
  if constexpr (requires(const RecoveredMessage& m) { application.on_recovered(m); }) {
    callbacks.on_recovered = [](void* a, const RecoveredMessage& m) {
      static_cast<Application*>(a)->on_recovered(m);
    };
  }
  return callbacks;
}

}  // namespace nexusfix::engine
