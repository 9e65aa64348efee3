// Compile-time errors for callbacks that the engine would not call: a wrong signature, access,
// return type or spelling. make_callbacks() runs the checks.
#pragma once

#include <concepts>
#include <cstddef>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include <nexusfix/engine/events.hpp>
#include <nexusfix/engine/callbacks/handled_messages.hpp>
#include <nexusfix/engine/callbacks/message_reply.hpp>
#include <nexusfix/engine/outgoing.hpp>
#include <nexusfix/engine/session.hpp>
#include <nexusfix/session/version.hpp>
#include <nexusfix/wire/encoder.hpp>
#include <nexusfix/wire/message_view.hpp>
#include <nexusfix/wire/typed/typed.hpp>

namespace nexusfix::engine {

namespace detail {

// has_NAME<A>: whether class A has a member of this name: a function, overloaded or not, a
// template, or data, of any access. Both then inherits two of this name, and neither can be named.
// A final class has no derived class: only its accessible members that are not overloaded count.
//
// Its destructor is protected, because -Wnon-virtual-dtor would warn about an application that is
// an interface.
#define NEXUSFIX_MEMBER(name)                      \
  struct With_##name {                             \
    int name;                                      \
  };                                               \
  template <class A>                               \
  struct Both_##name : A, With_##name {            \
   protected:                                      \
    ~Both_##name() = default;                      \
  };                                               \
  template <class A>                               \
  consteval bool has_##name() {                    \
    if constexpr (std::is_final_v<A>) {            \
      return requires { &A::name; };               \
    } else {                                       \
      return !requires { &Both_##name<A>::name; }; \
    }                                              \
  }

NEXUSFIX_MEMBER(on_logon)
NEXUSFIX_MEMBER(on_logout)
NEXUSFIX_MEMBER(on_message)
NEXUSFIX_MEMBER(on_recovered)
NEXUSFIX_MEMBER(on_logon_request)
NEXUSFIX_MEMBER(on_admin)
NEXUSFIX_MEMBER(on_sending)
NEXUSFIX_MEMBER(on_sent)
NEXUSFIX_MEMBER(on_resend_request)
NEXUSFIX_MEMBER(on_disconnect)
NEXUSFIX_MEMBER(write_logon)
NEXUSFIX_MEMBER(on_writable)

// Other spellings, also those of QuickFIX and of the Google style.
NEXUSFIX_MEMBER(OnLogon)
NEXUSFIX_MEMBER(OnLogout)
NEXUSFIX_MEMBER(OnMessage)
NEXUSFIX_MEMBER(OnRecovered)
NEXUSFIX_MEMBER(OnLogonRequest)
NEXUSFIX_MEMBER(OnAdmin)
NEXUSFIX_MEMBER(OnSending)
NEXUSFIX_MEMBER(OnSent)
NEXUSFIX_MEMBER(OnResendRequest)
NEXUSFIX_MEMBER(OnDisconnect)
NEXUSFIX_MEMBER(WriteLogon)
NEXUSFIX_MEMBER(FromApp)
NEXUSFIX_MEMBER(ToApp)
NEXUSFIX_MEMBER(FromAdmin)
NEXUSFIX_MEMBER(ToAdmin)
NEXUSFIX_MEMBER(onLogon)
NEXUSFIX_MEMBER(onLogOn)
NEXUSFIX_MEMBER(on_log_on)
NEXUSFIX_MEMBER(on_login)
NEXUSFIX_MEMBER(on_logged_on)
NEXUSFIX_MEMBER(onLogout)
NEXUSFIX_MEMBER(onLogOut)
NEXUSFIX_MEMBER(on_log_out)
NEXUSFIX_MEMBER(on_logoff)
NEXUSFIX_MEMBER(on_logged_out)
NEXUSFIX_MEMBER(onMessage)
NEXUSFIX_MEMBER(on_messages)
NEXUSFIX_MEMBER(on_app_message)
NEXUSFIX_MEMBER(on_received)
NEXUSFIX_MEMBER(fromApp)
NEXUSFIX_MEMBER(from_app)
NEXUSFIX_MEMBER(onRecovered)
NEXUSFIX_MEMBER(on_recover)
NEXUSFIX_MEMBER(on_recovery)
NEXUSFIX_MEMBER(onLogonRequest)
NEXUSFIX_MEMBER(on_login_request)
NEXUSFIX_MEMBER(onAdmin)
NEXUSFIX_MEMBER(fromAdmin)
NEXUSFIX_MEMBER(from_admin)
NEXUSFIX_MEMBER(on_admin_message)
NEXUSFIX_MEMBER(onSending)
NEXUSFIX_MEMBER(on_send)
NEXUSFIX_MEMBER(toApp)
NEXUSFIX_MEMBER(to_app)
NEXUSFIX_MEMBER(toAdmin)
NEXUSFIX_MEMBER(to_admin)
NEXUSFIX_MEMBER(onSent)
NEXUSFIX_MEMBER(onResendRequest)
NEXUSFIX_MEMBER(on_resend)
NEXUSFIX_MEMBER(onDisconnect)
NEXUSFIX_MEMBER(on_disconnected)
NEXUSFIX_MEMBER(writeLogon)
NEXUSFIX_MEMBER(write_log_on)
NEXUSFIX_MEMBER(onWritable)
NEXUSFIX_MEMBER(OnWritable)
NEXUSFIX_MEMBER(onCreate)
NEXUSFIX_MEMBER(OnCreate)
NEXUSFIX_MEMBER(on_create)
NEXUSFIX_MEMBER(Handles)
#undef NEXUSFIX_MEMBER

template <class Result, class... Accepted>
concept OneOf = (std::same_as<Result, Accepted> || ...);

// The right callbacks.
template <class A>
concept OnLogon = requires(A& a, Session& s) {
  { a.on_logon(s) } -> std::same_as<void>;
};
template <class A>
concept OnLogout = requires(A& a, Session& s) {
  { a.on_logout(s) } -> std::same_as<void>;
};
template <class A>
concept OnLogonRequest = requires(A& a, Session& s, const LogonRequest& r) {
  { a.on_logon_request(s, r) } -> OneOf<LogonAnswer, std::optional<LogonAnswer>>;
};
template <class A>
concept OnResendRequest = requires(A& a, Session& s, const ResendRequest& r) {
  { a.on_resend_request(s, r) } -> std::same_as<ResendAnswer>;
};
template <class A>
concept OnDisconnect = requires(A& a, Session& s, const Disconnection& d) {
  { a.on_disconnect(s, d) } -> std::same_as<void>;
};
template <class A>
concept OnWritable = requires(A& a, Session& s) {
  { a.on_writable(s) } -> std::same_as<void>;
};
template <class A>
concept WriteLogon = requires(A& a, Session& s, wire::Encoder& e, const wire::MessageHeader& h) {
  { a.write_logon(s, e, h) } -> std::same_as<void>;
};
template <class A>
concept OnRecovered = requires(A& a, const RecoveredMessage& m) {
  { a.on_recovered(m) } -> std::same_as<void>;
};
template <class A>
concept OnAdmin = requires(A& a, Session& s, const wire::MessageView& m) {
  { a.on_admin(s, m) } -> std::same_as<void>;
};
template <class A>
concept OnSending = requires(A& a, Session& s, OutgoingMessage& m) {
  { a.on_sending(s, m) } -> OneOf<void, SendDecision>;
};
template <class A>
concept OnSent = requires(A& a, Session& s, const SentMessage& m) {
  { a.on_sent(s, m) } -> std::same_as<void>;
};
template <class A, class M>
concept OnMessage = requires(A& a, Session& s, const M& m) {
  { a.on_message(s, m) } -> OneOf<void, MessageReply>;
};

// Converts to a reference to any type.
struct Anything {
  template <class T>
  operator T&() const;  // NOLINT(google-explicit-constructor)
};
template <class A, class... Arguments>
concept Callable = requires(A& a, Arguments&&... arguments) {
  a.on_message(std::forward<Arguments>(arguments)...);
};
// Properties of a message that an on_message() of the application names.
template <class A, class M>
concept TakesAnywhere = Callable<A, Anything, M> || Callable<A, M> || Callable<A, M, Anything> ||
                        Callable<A, Anything, M, Anything>;
// Whether every on_message() of an application is public: for one that is private, the compiler's
// error names it, because a using-declaration names all. Of a final class nothing can be derived.
template <class A, bool IsChecked>
struct OnMessageMustBePublic {
  static constexpr bool kDone = true;
};
template <class A>
struct OnMessageMustBePublic<A, true> : A {
  using A::on_message;
  static constexpr bool kDone = true;

 protected:
  ~OnMessageMustBePublic() = default;
};

template <class A, class M>
struct IsTakenOtherwise
    : std::bool_constant<!Takes<A, M> && !TakesAnywhere<A, const UnknownMessage&> &&
                         (TakesAnywhere<A, const Exactly<M>&> || Callable<A, Anything, M&> ||
                          Callable<A, Anything, M> || Callable<A, Anything, const M*>)> {};
template <class A, class M>
struct IsTakenByTemplate : std::bool_constant<!TakesExactly<A, M> && Takes<A, M>> {};
template <class A, class M>
struct IsAnsweredOtherwise : std::bool_constant<Takes<A, M> && !OnMessage<A, M>> {};

// Properties of the list of messages.
template <class List>
inline constexpr bool kIsList = false;
template <class... Types>
inline constexpr bool kIsList<Messages<Types...>> = true;
template <class M, class List>
inline constexpr bool kIsListed = false;
template <class M, class... Types>
inline constexpr bool kIsListed<M, Messages<Types...>> = (std::same_as<M, Types> || ...);
template <class List>
inline constexpr bool kHasSessionMessage = false;
template <class... Types>
inline constexpr bool kHasSessionMessage<Messages<Types...>> =
    (session::is_administrative(Types::kMsgType) || ...);
template <class A>
concept MisnamesHandles = requires { requires kIsList<typename A::handles>; } || requires {
  requires kIsList<typename A::Handle>;
} || requires { requires kIsList<typename A::HandledMessages>; };

// Converts to each message that is not in the list and whose MsgType has this remainder. With all
// of them, several overloads would be ambiguous, as if there was none.
inline constexpr std::size_t kRemainders = 16;
[[nodiscard]] constexpr std::size_t remainder_of(std::string_view msg_type) noexcept {
  std::size_t sum = 0;
  for (const char c : msg_type) sum += static_cast<unsigned char>(c);
  return sum % kRemainders;
}
template <class List, std::size_t Remainder>
struct Unlisted {
  template <class T>
    requires wire::TypedMessage<T> && (!kIsListed<T, List>) &&
             (remainder_of(T::kMsgType) == Remainder)
  operator T() const;  // NOLINT(google-explicit-constructor)
};
// Whether an on_message() takes a message, of whatever dictionary, that is not in the list.
template <class A, class List>
consteval bool takes_unlisted() {
  return []<std::size_t... I>(std::index_sequence<I...>) {
    return (Takes<A, Unlisted<List, I>> || ...);
  }(std::make_index_sequence<kRemainders>{});
}

// The compiler's error names the messages of the list.
template <class List>
inline constexpr bool kIsEmpty = std::same_as<List, MessageNames<>>;
template <class A, class List>
inline constexpr bool kTakesAll = false;
template <class A, class... Types>
inline constexpr bool kTakesAll<A, Messages<Types...>> = (Takes<A, Types> && ...);

// A lambda, for example.
template <class A>
concept IsFunctionOnly = requires { &A::operator(); } && !has_on_message<A>() && !has_on_logon<A>();

template <class A>
concept Application =
    std::is_class_v<A> && !std::is_const_v<A> && Complete<A> && !requires(A& a) { a.operator->(); };
// Not the concept, whose reasons a compiler would list.
template <class A>
inline constexpr bool kIsApplication = Application<A>;

// Its instantiation gives the errors. A class, and not functions that call each other: a compiler
// lists every step of an instantiation.
template <class A>
struct CallbackCheck {
  static_assert(kIsApplication<A>,
                "the application is an object of a class that is defined before: not const, a "
                "pointer or a union");
  static constexpr bool kIsNamed = false;
  static constexpr bool kDone = true;
};
template <Application A>
struct CallbackCheck<A> {
  static_assert(!has_on_logon<A>() || OnLogon<A>,
                "on_logon() must be: public: void on_logon(Session&)");
  static_assert(!has_on_logout<A>() || OnLogout<A>,
                "on_logout() must be: public: void on_logout(Session&)");
  static_assert(!has_on_logon_request<A>() || OnLogonRequest<A>,
                "on_logon_request() must be: public: std::optional<LogonAnswer> "
                "on_logon_request(Session&, const LogonRequest&)");
  static_assert(!has_on_resend_request<A>() || OnResendRequest<A>,
                "on_resend_request() must be: public: ResendAnswer "
                "on_resend_request(Session&, const ResendRequest&)");
  static_assert(!has_on_disconnect<A>() || OnDisconnect<A>,
                "on_disconnect() must be: public: void "
                "on_disconnect(Session&, const Disconnection&)");
  static_assert(!has_on_writable<A>() || OnWritable<A>,
                "on_writable() must be: public: void on_writable(Session&)");
  static_assert(!has_write_logon<A>() || WriteLogon<A>,
                "write_logon() must be: public: void "
                "write_logon(Session&, wire::Encoder&, const wire::MessageHeader&)");
  static_assert(!has_on_recovered<A>() || OnRecovered<A>,
                "on_recovered() must be: public: void on_recovered(const RecoveredMessage&)");
  static_assert(!has_on_admin<A>() || OnAdmin<A>,
                "on_admin() must be: public: void on_admin(Session&, const MessageView&)");
  static_assert(!has_on_sending<A>() || OnSending<A>,
                "on_sending() must be: public: SendDecision or void "
                "on_sending(Session&, OutgoingMessage&)");
  static_assert(!has_on_sent<A>() || OnSent<A>,
                "on_sent() must be: public: void on_sent(Session&, const SentMessage&)");

  // A wrong name is accepted beside the right one: one class can serve two engines.
  static_assert(!has_onLogon<A>() || has_on_logon<A>(),
                "onLogon() is not called: it is on_logon()");
  static_assert(!has_onLogOn<A>() || has_on_logon<A>(),
                "onLogOn() is not called: it is on_logon()");
  static_assert(!has_on_log_on<A>() || has_on_logon<A>(),
                "on_log_on() is not called: it is on_logon()");
  static_assert(!has_on_login<A>() || has_on_logon<A>(),
                "on_login() is not called: it is on_logon()");
  static_assert(!has_on_logged_on<A>() || has_on_logon<A>(),
                "on_logged_on() is not called: it is on_logon()");
  static_assert(!has_onLogout<A>() || has_on_logout<A>(),
                "onLogout() is not called: it is on_logout()");
  static_assert(!has_onLogOut<A>() || has_on_logout<A>(),
                "onLogOut() is not called: it is on_logout()");
  static_assert(!has_on_log_out<A>() || has_on_logout<A>(),
                "on_log_out() is not called: it is on_logout()");
  static_assert(!has_on_logoff<A>() || has_on_logout<A>(),
                "on_logoff() is not called: it is on_logout()");
  static_assert(!has_on_logged_out<A>() || has_on_logout<A>(),
                "on_logged_out() is not called: it is on_logout()");
  static_assert(!has_onMessage<A>() || has_on_message<A>(),
                "onMessage() is not called: it is on_message()");
  static_assert(!has_on_messages<A>() || has_on_message<A>(),
                "on_messages() is not called: it is on_message()");
  static_assert(!has_on_app_message<A>() || has_on_message<A>(),
                "on_app_message() is not called: it is on_message()");
  static_assert(!has_on_received<A>() || has_on_message<A>(),
                "on_received() is not called: it is on_message()");
  static_assert(!has_fromApp<A>() || has_on_message<A>(),
                "fromApp() is not called: it is on_message()");
  static_assert(!has_from_app<A>() || has_on_message<A>(),
                "from_app() is not called: it is on_message()");
  static_assert(!has_onRecovered<A>() || has_on_recovered<A>(),
                "onRecovered() is not called: it is on_recovered()");
  static_assert(!has_on_recover<A>() || has_on_recovered<A>(),
                "on_recover() is not called: it is on_recovered()");
  static_assert(!has_on_recovery<A>() || has_on_recovered<A>(),
                "on_recovery() is not called: it is on_recovered()");
  static_assert(!has_onLogonRequest<A>() || has_on_logon_request<A>(),
                "onLogonRequest() is not called: it is on_logon_request()");
  static_assert(!has_on_login_request<A>() || has_on_logon_request<A>(),
                "on_login_request() is not called: it is on_logon_request()");
  static_assert(!has_onAdmin<A>() || has_on_admin<A>(),
                "onAdmin() is not called: it is on_admin()");
  static_assert(!has_fromAdmin<A>() || has_on_admin<A>(),
                "fromAdmin() is not called: it is on_admin()");
  static_assert(!has_from_admin<A>() || has_on_admin<A>(),
                "from_admin() is not called: it is on_admin()");
  static_assert(!has_on_admin_message<A>() || has_on_admin<A>(),
                "on_admin_message() is not called: it is on_admin()");
  static_assert(!has_onSending<A>() || has_on_sending<A>(),
                "onSending() is not called: it is on_sending()");
  static_assert(!has_on_send<A>() || has_on_sending<A>(),
                "on_send() is not called: it is on_sending()");
  static_assert(!has_toApp<A>() || has_on_sending<A>(),
                "toApp() is not called: it is on_sending()");
  static_assert(!has_to_app<A>() || has_on_sending<A>(),
                "to_app() is not called: it is on_sending()");
  static_assert(!has_toAdmin<A>() || has_write_logon<A>(),
                "toAdmin() is not called: it is write_logon()");
  static_assert(!has_to_admin<A>() || has_write_logon<A>(),
                "to_admin() is not called: it is write_logon()");
  static_assert(!has_onSent<A>() || has_on_sent<A>(), "onSent() is not called: it is on_sent()");
  static_assert(!has_onResendRequest<A>() || has_on_resend_request<A>(),
                "onResendRequest() is not called: it is on_resend_request()");
  static_assert(!has_on_resend<A>() || has_on_resend_request<A>(),
                "on_resend() is not called: it is on_resend_request()");
  static_assert(!has_onDisconnect<A>() || has_on_disconnect<A>(),
                "onDisconnect() is not called: it is on_disconnect()");
  static_assert(!has_on_disconnected<A>() || has_on_disconnect<A>(),
                "on_disconnected() is not called: it is on_disconnect()");
  static_assert(!has_writeLogon<A>() || has_write_logon<A>(),
                "writeLogon() is not called: it is write_logon()");
  static_assert(!has_write_log_on<A>() || has_write_logon<A>(),
                "write_log_on() is not called: it is write_logon()");
  static_assert(!has_onWritable<A>() || has_on_writable<A>(),
                "onWritable() is not called: it is on_writable()");
  static_assert(!has_OnWritable<A>() || has_on_writable<A>(),
                "OnWritable() is not called: it is on_writable()");
  static_assert(!has_OnLogon<A>() || has_on_logon<A>(),
                "OnLogon() is not called: it is on_logon()");
  static_assert(!has_OnLogout<A>() || has_on_logout<A>(),
                "OnLogout() is not called: it is on_logout()");
  static_assert(!has_OnMessage<A>() || has_on_message<A>(),
                "OnMessage() is not called: it is on_message()");
  static_assert(!has_OnRecovered<A>() || has_on_recovered<A>(),
                "OnRecovered() is not called: it is on_recovered()");
  static_assert(!has_OnLogonRequest<A>() || has_on_logon_request<A>(),
                "OnLogonRequest() is not called: it is on_logon_request()");
  static_assert(!has_OnAdmin<A>() || has_on_admin<A>(),
                "OnAdmin() is not called: it is on_admin()");
  static_assert(!has_OnSending<A>() || has_on_sending<A>(),
                "OnSending() is not called: it is on_sending()");
  static_assert(!has_OnSent<A>() || has_on_sent<A>(), "OnSent() is not called: it is on_sent()");
  static_assert(!has_OnResendRequest<A>() || has_on_resend_request<A>(),
                "OnResendRequest() is not called: it is on_resend_request()");
  static_assert(!has_OnDisconnect<A>() || has_on_disconnect<A>(),
                "OnDisconnect() is not called: it is on_disconnect()");
  static_assert(!has_WriteLogon<A>() || has_write_logon<A>(),
                "WriteLogon() is not called: it is write_logon()");
  static_assert(!has_FromApp<A>() || has_on_message<A>(),
                "FromApp() is not called: it is on_message()");
  static_assert(!has_ToApp<A>() || has_on_sending<A>(),
                "ToApp() is not called: it is on_sending()");
  static_assert(!has_FromAdmin<A>() || has_on_admin<A>(),
                "FromAdmin() is not called: it is on_admin()");
  static_assert(!has_ToAdmin<A>() || has_write_logon<A>(),
                "ToAdmin() is not called: it is write_logon()");
  static_assert(!has_onCreate<A>() || has_on_logon<A>(),
                "onCreate() is not called: on_logon() is; Engine::sessions() has all sessions");
  static_assert(!has_OnCreate<A>() || has_on_logon<A>(),
                "OnCreate() is not called: on_logon() is; Engine::sessions() has all sessions");
  static_assert(!has_on_create<A>() || has_on_logon<A>(),
                "on_create() is not called: on_logon() is; Engine::sessions() has all sessions");
  static_assert(!IsFunctionOnly<A>,
                "the application is an object of a class with callbacks such as on_message(): a "
                "function or a lambda is not called");
  static_assert(NamesHandles<A> || !(has_Handles<A>() || MisnamesHandles<A>),
                "the list of messages must be: public: using Handles = Messages<...>");

  using Handles = typename HandlesOf<A>::type;
  static constexpr bool kIsTemplate =
      TakesEverything<A> || !kIsEmpty<Selected<A, IsTakenByTemplate>>;
  static constexpr bool kIsOtherwise =
      !kIsEmpty<Selected<A, IsTakenOtherwise>> || IsTakenOtherwise<A, wire::MessageView>::value;
  static constexpr bool kTakesUnlisted = !kIsTemplate && takes_unlisted<A, Handles>();
  static_assert(!kIsOtherwise,
                "on_message() must be: public: MessageReply or void "
                "on_message(Session&, const M&)");
  static_assert(kIsTemplate || kIsEmpty<Selected<A, IsAnsweredOtherwise>>,
                "on_message() must return MessageReply or void");
  static_assert(!kHasSessionMessage<Handles>,
                "on_message() does not get messages of the session layer: "
                "void on_admin(Session&, const MessageView&) does");
  static_assert(!kIsTemplate || NamesHandles<A>,
                "on_message() is a template: list its messages, using Handles = Messages<...>, "
                "or take const M&");
  static_assert(kIsTemplate || kIsEmpty<Selected<A, IsTakenIncomplete>>,
                "on_message() takes a message whose header is not included");
  static_assert(!kTakesUnlisted || !NamesHandles<A>,
                "on_message() takes a message that Handles does not list");
  static_assert(!kTakesUnlisted || NamesHandles<A>,
                "on_message() takes a message of another dictionary: list all messages, "
                "using Handles = Messages<...>");
  static_assert(kTakesAll<A, Handles>,
                "Handles lists a message that no public on_message(Session&, const M&) takes");
  static constexpr bool kIsNamed =
      kIsTemplate || kIsOtherwise || kTakesUnlisted || !kIsEmpty<Selected<A, IsTakenIncomplete>> ||
      !std::same_as<Handles, Messages<>> || Takes<A, wire::MessageView>;
  static_assert(!has_on_message<A>() || kIsNamed,
                "on_message() is never called: it must be public, and have the arguments "
                "(Session&, const M&); include M's header, or list it, "
                "using Handles = Messages<...>");
  static_assert(!Takes<A, wire::MessageView> || OnMessage<A, wire::MessageView>,
                "on_message() must return MessageReply or void");

  static constexpr bool kDone = true;
};

// Not within CallbackCheck: each instantiation around an error costs three lines of it.
template <class A>
inline constexpr bool kIsSeenWhole = false;
template <Application A>
inline constexpr bool kIsSeenWhole<A> =
    has_on_message<A>() && CallbackCheck<A>::kIsNamed && !std::is_final_v<A>;
template <class A>
using PublicCheck = OnMessageMustBePublic<A, kIsSeenWhole<A>>;

}  // namespace detail
}  // namespace nexusfix::engine
