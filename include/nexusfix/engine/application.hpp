// The interface between an application and the engine. The callbacks are found at compile time.
#pragma once

#include <concepts>
#include <cstdint>
#include <expected>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include <nexusfix/base/language.hpp>
#include <nexusfix/engine/callbacks.hpp>
#include <nexusfix/engine/events.hpp>
#include <nexusfix/engine/session.hpp>
#include <nexusfix/wire/dispatch.hpp>
#include <nexusfix/wire/message_view.hpp>
#include <nexusfix/wire/typed.hpp>

namespace nexusfix::engine {

// The engine's view of an application: plain functions, so that the engine is no template.
// make_callbacks() makes them; an application calls none of them. A callback that the application
// does not have is null: it is not called and costs nothing. The thread of the session's event loop
// calls them; on_recovered() runs on the thread that calls Engine::open().
struct Callbacks {
  void* application = nullptr;  // the first argument of every function; not owned
  // Both sides are logged on.
  void (*on_logon)(void*, Session&) = nullptr;
  // The session is no longer logged on, for any reason.
  void (*on_logout)(void*, Session&) = nullptr;
  // A valid application message, in the order of MsgSeqNum. Never null.
  MessageReply (*on_message)(void*, Session&, const wire::MessageView&) = nullptr;
  // A stored message, before any port is open.
  void (*on_recovered)(void*, const RecoveredMessage&) = nullptr;
  // Acceptor. No value: the answer comes later, by Session::answer_logon(). A null callback: every
  // Logon that breaks no rule is accepted.
  std::optional<LogonAnswer> (*on_logon_request)(void*, Session&, const LogonRequest&) = nullptr;
  // An administrative message that the session processes, except a Logon that on_logon_request()
  // received.
  void (*on_admin)(void*, Session&, const wire::MessageView&) = nullptr;
  // Before an application message is sent, the first time or again. A null callback: Send.
  SendDecision (*on_sending)(void*, Session&, OutgoingMessage&) = nullptr;
  // At the end of the event, for each of its sent messages of any type.
  void (*on_sent)(void*, Session&, const SentMessage&) = nullptr;
  // The counterparty requests messages again. A null callback: resend as requested.
  ResendAnswer (*on_resend_request)(void*, Session&, const ResendRequest&) = nullptr;
  // After on_logout(), with the reason.
  void (*on_disconnect)(void*, Session&, const Disconnection&) = nullptr;
  // For each of our Logons, when its MsgSeqNum and time are known. A null callback: nothing is
  // added.
  void (*write_logon)(void*, Session&, wire::Encoder&, const wire::MessageHeader&) = nullptr;
  // Few bytes wait for the connection, after many did.
  void (*on_writable)(void*, Session&) = nullptr;
  // Calls the callback of a timer. A null callback: the engine calls it. For the simulator, where a
  // dead process runs no code.
  void (*run_timer)(void*, Session&, FunctionRef<void()>) = nullptr;
};

// The callbacks as virtual functions, for a program that comes from QuickFIX or chooses its
// application at run time. A class derives from it and overrides what it needs; `override` finds a
// misspelt name. A class that is `final` costs nothing for a callback that it does not override:
// the engine does not call it. Given as an Application& or a class that is not final, each callback
// is called. Then every Logon is shown to on_logon_request(), and an invalid one is not answered.
//
// Messages come as MessageView: wire::dispatch() makes typed ones. When each function is called,
// and what it may do: Callbacks, and docs/guide/application.md. Thread: as for Callbacks.
struct Application {
  Application() = default;
  Application(const Application&) = delete;
  Application& operator=(const Application&) = delete;
  virtual ~Application() = default;

  // Both sides are logged on.
  virtual void on_logon(Session&) {}
  // The session is no longer logged on, for any reason.
  virtual void on_logout(Session&) {}
  // A valid application message, in the order of MsgSeqNum. Unless it is overridden, the answer is
  // a BusinessMessageReject "unsupported message type".
  virtual MessageReply on_message(Session&, const wire::MessageView&) {
    return unsupported_message_type();
  }
  // A stored message, before any port is open.
  virtual void on_recovered(const RecoveredMessage&) {}
  // Acceptor: a Logon arrives. No value: the answer comes later, by Session::answer_logon().
  virtual std::optional<LogonAnswer> on_logon_request(Session&, const LogonRequest&) {
    return LogonAnswer::accept();
  }
  // An administrative message that the session processes.
  virtual void on_admin(Session&, const wire::MessageView&) {}
  // Before an application message is sent, the first time or again.
  virtual SendDecision on_sending(Session&, OutgoingMessage&) { return SendDecision::Send; }
  // One of the session's messages, of any type, was sent.
  virtual void on_sent(Session&, const SentMessage&) {}
  // The counterparty requests messages again.
  virtual ResendAnswer on_resend_request(Session&, const ResendRequest&) { return {}; }
  // After on_logout(), with the reason.
  virtual void on_disconnect(Session&, const Disconnection&) {}
  // The engine writes one of its Logons: fields may be added.
  virtual void write_logon(Session&, wire::Encoder&, const wire::MessageHeader&) {}
  // Few bytes wait for the connection, after many did.
  virtual void on_writable(Session&) {}
};

namespace detail {

// The callbacks that a final class leaves to engine::Application are null.
template <class A>
void drop_inherited(Callbacks& callbacks) {
  using Base = engine::Application;
  const auto drop = []<class Own, class Inherited>(Own, Inherited, auto& callback) {
    if constexpr (std::same_as<Own, Inherited>) callback = nullptr;
  };
  drop(&A::on_logon, &Base::on_logon, callbacks.on_logon);
  drop(&A::on_logout, &Base::on_logout, callbacks.on_logout);
  drop(&A::on_recovered, &Base::on_recovered, callbacks.on_recovered);
  drop(&A::on_logon_request, &Base::on_logon_request, callbacks.on_logon_request);
  drop(&A::on_admin, &Base::on_admin, callbacks.on_admin);
  drop(&A::on_sending, &Base::on_sending, callbacks.on_sending);
  drop(&A::on_sent, &Base::on_sent, callbacks.on_sent);
  drop(&A::on_resend_request, &Base::on_resend_request, callbacks.on_resend_request);
  drop(&A::on_disconnect, &Base::on_disconnect, callbacks.on_disconnect);
  drop(&A::write_logon, &Base::write_logon, callbacks.write_logon);
  drop(&A::on_writable, &Base::on_writable, callbacks.on_writable);
}

// Exactly this signature: an application may have a run_timer() of its own.
template <class Application>
concept RunsTimers = requires {
  []<class Base>(void (Base::*)(Session&, FunctionRef<void()>)) {}(&Application::run_timer);
};

// Its coroutines get a message before on_message() does: see conversation.hpp.
template <class Application>
concept Converses = requires { typename Application::Conversing; };

template <class Application, class Argument>
MessageReply call(Application& application, Session& session, const Argument& argument) {
  if constexpr (!OnMessage<Application, Argument>) {  // CallbackCheck has reported it
    return accept();
  } else if constexpr (std::same_as<void, decltype(application.on_message(session, argument))>) {
    application.on_message(session, argument);
    return accept();
  } else {
    return application.on_message(session, argument);
  }
}

// The visitor of wire::dispatch(): it calls the application's callbacks.
template <class Application>
struct ApplicationVisitor {
  Application& application;
  Session& session;

  template <wire::TypedMessage Message>
  MessageReply operator()(const Message& message) {
    if constexpr (Converses<Application>) {
      if (Application::Conversing::deliver(session, message)) return accept();
    }
    return call(application, session, message);
  }
  MessageReply operator()(const wire::MessageView& message) {
    if constexpr (OnMessage<Application, wire::MessageView>) {
      return call(application, session, message);
    } else {
      return unsupported_message_type();
    }
  }
  MessageReply operator()(const wire::MessageView&, const wire::FieldError& error) noexcept {
    return reject_for(error);
  }
};

template <class Application>
void make_logout(Application&, Callbacks& callbacks) {
  if constexpr (Converses<Application>) {
    callbacks.on_logout = [](void* a, Session& s) {
      Application::Conversing::log_out(s, [&] {
        if constexpr (OnLogout<Application>) static_cast<Application*>(a)->on_logout(s);
      });
    };
  } else if constexpr (OnLogout<Application>) {
    callbacks.on_logout = [](void* a, Session& s) { static_cast<Application*>(a)->on_logout(s); };
  }
}

template <class Application>
void make_notices(Application&, Callbacks& callbacks) {
  if constexpr (OnAdmin<Application>) {
    callbacks.on_admin = [](void* a, Session& s, const wire::MessageView& message) {
      static_cast<Application*>(a)->on_admin(s, message);
    };
  }
  if constexpr (OnResendRequest<Application>) {
    callbacks.on_resend_request = [](void* a, Session& s, const ResendRequest& request) {
      return static_cast<Application*>(a)->on_resend_request(s, request);
    };
  }
  if constexpr (OnWritable<Application>) {
    callbacks.on_writable = [](void* a, Session& s) {
      static_cast<Application*>(a)->on_writable(s);
    };
  }
  if constexpr (RunsTimers<Application>) {
    callbacks.run_timer = [](void* a, Session& s, FunctionRef<void()> callback) {
      static_cast<Application*>(a)->run_timer(s, callback);
    };
  }
  if constexpr (OnDisconnect<Application>) {
    callbacks.on_disconnect = [](void* a, Session& s, const Disconnection& disconnection) {
      static_cast<Application*>(a)->on_disconnect(s, disconnection);
    };
  }
}

template <class Application>
void make_sending(Application&, Callbacks& callbacks) {
  if constexpr (OnSending<Application>) {
    callbacks.on_sending = [](void* a, Session& s, OutgoingMessage& message) {
      auto& of = *static_cast<Application*>(a);
      if constexpr (std::same_as<void, decltype(of.on_sending(s, message))>) {
        of.on_sending(s, message);
        return SendDecision::Send;
      } else {
        return of.on_sending(s, message);
      }
    };
  }
  if constexpr (OnSent<Application>) {
    callbacks.on_sent = [](void* a, Session& s, const SentMessage& message) {
      static_cast<Application*>(a)->on_sent(s, message);
    };
  }
}

}  // namespace detail

// An application is any type with some of these public functions; those that it lacks are not
// called. A function with one of these names, or a similar one, that the engine cannot call is an
// error of the compiler:
//
//   void on_logon(Session&);   void on_logout(Session&);
//   void on_recovered(const RecoveredMessage&);                   before start
//   std::optional<LogonAnswer> on_logon_request(Session&, const LogonRequest&);   acceptor
//   void write_logon(Session&, wire::Encoder&, const wire::MessageHeader&);       e.g. a signature
//   void on_admin(Session&, const MessageView&);                  session layer's messages
//   void on_sent(Session&, const SentMessage&);                   one of our messages was sent
//   ResendAnswer on_resend_request(Session&, const ResendRequest&);
//   void on_disconnect(Session&, const Disconnection&);           e.g. cancel on disconnect
//   void on_writable(Session&);   after Session::is_writable() was false
//
// The following may also return void:
//
//   MessageReply on_message(Session&, const fix44::NewOrderSingle&);   one for each typed message
//   MessageReply on_message(Session&, const MessageView&);             every other message
//   SendDecision on_sending(Session&, OutgoingMessage&);               before a message is sent
//
// The typed messages are those of the standard dictionaries whose headers are included. For those
// of a dictionary of its own, or for an on_message() that is a template, an application lists all:
//
//   using Handles = Messages<venue::NewOrderSingle, ...>;
//
// docs/guide/application.md says when each is called, and what it may do. A message that the
// application does not handle is answered with a BusinessMessageReject. The application must
// outlive the engine.
template <class Application>
[[nodiscard]] Callbacks make_callbacks(Application& application) {
  static_assert(detail::CallbackNameCheck<detail::Named<Application>>::kDone);
  static_assert(detail::CallbackCheck<Application>::kDone);
  Callbacks callbacks;
  callbacks.application = &application;
  if constexpr (detail::OnLogon<Application>) {
    callbacks.on_logon = [](void* a, Session& s) { static_cast<Application*>(a)->on_logon(s); };
  }
  detail::make_logout(application, callbacks);
  callbacks.on_message = [](void* a, Session& s, const wire::MessageView& message) {
    return wire::dispatch(
        typename detail::HandlesOf<Application>::type{}, s.versions_->counterparty, message,
        detail::ApplicationVisitor<Application>{*static_cast<Application*>(a), s});
  };
  if constexpr (detail::OnLogonRequest<Application>) {
    callbacks.on_logon_request = [](void* a, Session& s, const LogonRequest& request) {
      return std::optional<LogonAnswer>{static_cast<Application*>(a)->on_logon_request(s, request)};
    };
  }
  detail::make_notices(application, callbacks);
  detail::make_sending(application, callbacks);
  if constexpr (detail::WriteLogon<Application>) {
    callbacks.write_logon = [](void* a, Session& s, wire::Encoder& e,
                               const wire::MessageHeader& h) {
      static_cast<Application*>(a)->write_logon(s, e, h);
    };
  }
  if constexpr (detail::OnRecovered<Application>) {
    callbacks.on_recovered = [](void* a, const RecoveredMessage& m) {
      static_cast<Application*>(a)->on_recovered(m);
    };
  }
  if constexpr (std::derived_from<Application, engine::Application> &&
                std::is_final_v<Application>) {
    detail::drop_inherited<Application>(callbacks);
  }
  return callbacks;
}

}  // namespace nexusfix::engine
