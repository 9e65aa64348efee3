// The callbacks of an application, which are found at compile time: how the engine calls them, the
// messages that they handle, and the errors of the compiler for one that it would not call.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <nexusfix/base/language.hpp>
#include <nexusfix/engine/events.hpp>
#include <nexusfix/engine/session.hpp>
#include <nexusfix/session/identity.hpp>
#include <nexusfix/wire/message_view.hpp>
#include <nexusfix/wire/typed.hpp>

// The names of callbacks, and those that a program brings from QuickFIX, QuickFIX/J or QuickFIX/n,
// for the compile-time errors of CallbackCheck.

namespace nexusfix::engine::detail {

// clang-format off

// X(NAME) for each callback of an application.
#define NEXUSFIX_CALLBACKS(X) \
  X(on_logon) X(on_logout) X(on_message) X(on_recovered) X(on_logon_request) X(on_admin)          \
  X(on_sending) X(on_sent) X(on_not_sent) X(on_resend_request) X(on_disconnect) X(write_logon)    \
  X(on_writable) X(Handles)
// X(NAME) for each callback of QuickFIX, QuickFIX/J and QuickFIX/n.
#define NEXUSFIX_QUICKFIX_CALLBACKS(X) \
  X(onCreate) X(OnCreate) X(onLogon) X(OnLogon) X(onLogout) X(OnLogout) X(onMessage)              \
  X(OnMessage) X(fromApp) X(FromApp) X(fromAdmin) X(FromAdmin) X(toApp) X(ToApp) X(toAdmin)       \
  X(ToAdmin)
// clang-format on

// has_NAME<A>(): whether class A has a member of this name: a function, overloaded or not, a
// template, or data, of any access. WithNames then inherits two of this name, and neither can be
// named. A final class has no derived class: only its accessible members that are not overloaded
// count.
#define NEXUSFIX_NAME(name) int name;
struct CallbackNames {
  NEXUSFIX_CALLBACKS(NEXUSFIX_NAME)
  NEXUSFIX_QUICKFIX_CALLBACKS(NEXUSFIX_NAME)
};
#undef NEXUSFIX_NAME

// One class for all names, because a class takes longer to compile than a look-up. Its destructor
// is protected, because -Wnon-virtual-dtor would warn about an application that is an interface.
template <class A>
struct WithNames : A, CallbackNames {
 protected:
  ~WithNames() = default;
};

// Whether A or a base of it has a member of this name.
#define NEXUSFIX_MEMBER(name)                    \
  template <class A>                             \
  consteval bool has_##name() {                  \
    if constexpr (std::is_final_v<A>) {          \
      return requires { &A::name; };             \
    } else {                                     \
      return !requires { &WithNames<A>::name; }; \
    }                                            \
  }
NEXUSFIX_CALLBACKS(NEXUSFIX_MEMBER)
NEXUSFIX_QUICKFIX_CALLBACKS(NEXUSFIX_MEMBER)
#undef NEXUSFIX_MEMBER

// Whether it has one of them.
#define NEXUSFIX_OR(name) || has_##name<A>()
template <class A>
consteval bool has_any_name() {
  return false NEXUSFIX_CALLBACKS(NEXUSFIX_OR) NEXUSFIX_QUICKFIX_CALLBACKS(NEXUSFIX_OR);
}
#undef NEXUSFIX_OR

// Its instantiation gives the errors of QuickFIX's names. No macro makes them: g++ would show its
// lines beside each. Such a name is accepted beside the engine's: one class can serve two engines.
template <class A>
struct CallbackNameCheck {
  static_assert(!has_onLogon<A>() || has_on_logon<A>(),
                "onLogon() is not called: it is on_logon()");
  static_assert(!has_OnLogon<A>() || has_on_logon<A>(),
                "OnLogon() is not called: it is on_logon()");
  static_assert(!has_onLogout<A>() || has_on_logout<A>(),
                "onLogout() is not called: it is on_logout()");
  static_assert(!has_OnLogout<A>() || has_on_logout<A>(),
                "OnLogout() is not called: it is on_logout()");
  static_assert(!has_onMessage<A>() || has_on_message<A>(),
                "onMessage() is not called: it is on_message()");
  static_assert(!has_OnMessage<A>() || has_on_message<A>(),
                "OnMessage() is not called: it is on_message()");
  static_assert(!has_fromApp<A>() || has_on_message<A>(),
                "fromApp() is not called: it is on_message()");
  static_assert(!has_FromApp<A>() || has_on_message<A>(),
                "FromApp() is not called: it is on_message()");
  static_assert(!has_fromAdmin<A>() || has_on_admin<A>(),
                "fromAdmin() is not called: it is on_admin()");
  static_assert(!has_FromAdmin<A>() || has_on_admin<A>(),
                "FromAdmin() is not called: it is on_admin()");
  static_assert(!has_toApp<A>() || has_on_sending<A>(),
                "toApp() is not called: it is on_sending()");
  static_assert(!has_ToApp<A>() || has_on_sending<A>(),
                "ToApp() is not called: it is on_sending()");
  static_assert(!has_toAdmin<A>() || has_write_logon<A>(),
                "toAdmin() is not called: it is write_logon()");
  static_assert(!has_ToAdmin<A>() || has_write_logon<A>(),
                "ToAdmin() is not called: it is write_logon()");
  static_assert(!has_onCreate<A>() || has_on_logon<A>(),
                "onCreate() is not called: it is on_logon()");
  static_assert(!has_OnCreate<A>() || has_on_logon<A>(),
                "OnCreate() is not called: it is on_logon()");
  static constexpr bool kDone = true;
};

#undef NEXUSFIX_CALLBACKS
#undef NEXUSFIX_QUICKFIX_CALLBACKS

}  // namespace nexusfix::engine::detail

// Finds the messages that an application handles: its Handles, or those that its overloads of
// `on_message()` take.

// Defined by the generated headers of these dictionaries, if a program includes them.
namespace nexusfix::fix40::members {
struct AllMessages;
}
namespace nexusfix::fix41::members {
struct AllMessages;
}
namespace nexusfix::fix42::members {
struct AllMessages;
}
namespace nexusfix::fix43::members {
struct AllMessages;
}
namespace nexusfix::fix44::members {
struct AllMessages;
}
namespace nexusfix::fix50::members {
struct AllMessages;
}
namespace nexusfix::fix50sp1::members {
struct AllMessages;
}
namespace nexusfix::fix50sp2::members {
struct AllMessages;
}
namespace nexusfix::fixt11::members {
struct AllMessages;
}

namespace nexusfix::engine {

// The messages that an application handles: `using Handles = Messages<fix44::NewOrderSingle, ...>;`
// Without Handles, they are those of the dictionaries above that its on_message() functions take.
using wire::Messages;

namespace detail {

using wire::detail::MessageNames;

template <class T>
concept Complete = requires { sizeof(T); };

// Converts to M and to no other message: an overload of on_message() is viable with it exactly if
// it takes M, by reference or by value.
template <class M>
struct Exactly {
  operator const M&() const;  // NOLINT(google-explicit-constructor): overloads need it
};
// No application knows it: only a template without a constraint takes it.
struct UnknownMessage {};

// The session of a callback. One that takes a Session by value does not take it.
class AnySession : public Session {};

template <class A, class M>
concept Takes = requires(A& a, AnySession& s, const M& m) { a.on_message(s, m); };
template <class A, class M>
concept TakesExactly = Takes<A, Exactly<M>>;
template <class A>
concept TakesEverything = Takes<A, UnknownMessage>;

template <class A, class M>
struct IsTaken : std::bool_constant<TakesExactly<A, M>> {};
// Its header is not included: the engine cannot read it.
template <class A, class M>
struct IsTakenIncomplete : std::bool_constant<!Complete<M> && TakesExactly<A, M>> {};

template <class... First, class... Second>
consteval MessageNames<First..., Second...> operator+(MessageNames<First...>,
                                                      MessageNames<Second...>) {
  return {};
}

// The messages with a property among those whose headers are included, or, for IsTakenIncomplete,
// among the others.
template <class A, template <class, class> class Is, class M>
consteval auto selected_message() {
  if constexpr (!Complete<M> && !std::same_as<Is<A, M>, IsTakenIncomplete<A, M>>) {
    return MessageNames<>{};
  } else if constexpr (Is<A, M>::value) {
    return MessageNames<M>{};
  } else {
    return MessageNames<>{};
  }
}
template <class A, template <class, class> class Is, class... Types>
consteval auto select_messages(MessageNames<Types...>) {
  return (selected_message<A, Is, Types>() + ... + MessageNames<>{});
}
template <class A, template <class, class> class Is, class Dictionary>
consteval auto select_in() {
  if constexpr (Complete<Dictionary>) {
    return select_messages<A, Is>(typename Dictionary::Names{});
  } else {
    return MessageNames<>{};
  }
}
template <class A, template <class, class> class Is, class... All>
consteval auto select_in_all(MessageNames<All...>) {
  return (select_in<A, Is, All>() + ... + MessageNames<>{});
}

// The dictionaries whose messages are found without Handles.
using Dictionaries = MessageNames<
    fix40::members::AllMessages, fix41::members::AllMessages, fix42::members::AllMessages,
    fix43::members::AllMessages, fix44::members::AllMessages, fix50::members::AllMessages,
    fix50sp1::members::AllMessages, fix50sp2::members::AllMessages, fixt11::members::AllMessages>;

template <class A, template <class, class> class Is>
using Selected = decltype(select_in_all<A, Is>(Dictionaries{}));

template <class List>
struct AsHandles;
template <class... Types>
struct AsHandles<MessageNames<Types...>> {
  using type = Messages<Types...>;
};

template <class A>
concept NamesHandles = requires { typename A::Handles; };

template <class A>
struct HandlesOf {
  using type = typename AsHandles<Selected<A, IsTaken>>::type;
};
template <NamesHandles A>
struct HandlesOf<A> {
  using type = typename A::Handles;
};

}  // namespace detail

// Compile-time errors for callbacks that the engine would not call: an invalid signature, access,
// return type or spelling. make_callbacks() runs the checks.

namespace detail {

template <class Result, class... Accepted>
concept OneOf = (std::same_as<Result, Accepted> || ...);

// The callbacks with their names and signatures.
template <class A>
concept OnLogon = requires(A& a, AnySession& s) {
  { a.on_logon(s) } -> std::same_as<void>;
};
template <class A>
concept OnLogout = requires(A& a, AnySession& s) {
  { a.on_logout(s) } -> std::same_as<void>;
};
template <class A>
concept OnLogonRequest = requires(A& a, AnySession& s, const LogonRequest& r) {
  { a.on_logon_request(s, r) } -> OneOf<LogonAnswer, std::optional<LogonAnswer>>;
};
template <class A>
concept OnResendRequest = requires(A& a, AnySession& s, const ResendRequest& r) {
  { a.on_resend_request(s, r) } -> std::same_as<ResendAnswer>;
};
template <class A>
concept OnDisconnect = requires(A& a, AnySession& s, const Disconnection& d) {
  { a.on_disconnect(s, d) } -> std::same_as<void>;
};
template <class A>
concept OnWritable = requires(A& a, AnySession& s) {
  { a.on_writable(s) } -> std::same_as<void>;
};
template <class A>
concept WriteLogon = requires(A& a, AnySession& s, wire::Encoder& e, const wire::MessageHeader& h) {
  { a.write_logon(s, e, h) } -> std::same_as<void>;
};
template <class A>
concept OnRecovered = requires(A& a, const RecoveredMessage& m) {
  { a.on_recovered(m) } -> std::same_as<void>;
};
template <class A>
concept OnAdmin = requires(A& a, AnySession& s, const wire::MessageView& m) {
  { a.on_admin(s, m) } -> std::same_as<void>;
};
template <class A>
concept OnSending = requires(A& a, AnySession& s, OutgoingMessage& m) {
  { a.on_sending(s, m) } -> OneOf<void, SendDecision>;
};
template <class A>
concept OnSent = requires(A& a, AnySession& s, const SentMessage& m) {
  { a.on_sent(s, m) } -> std::same_as<void>;
};
template <class A, class M>
concept OnMessage = requires(A& a, AnySession& s, const M& m) {
  { a.on_message(s, m) } -> OneOf<void, MessageReply>;
};

// Converts to a reference to any type.
struct Anything {
  template <class T>
  operator T&() const;  // NOLINT(google-explicit-constructor): overloads need it
};
template <class A, class... Arguments>
concept Callable = requires(A& a, Arguments&&... arguments) {
  a.on_message(std::forward<Arguments>(arguments)...);
};
// Binds to a const M&, and is ambiguous for an M by value, which would be a copy.
template <class M>
struct ByReference {
  operator const M&() const;  // NOLINT(google-explicit-constructor): overloads need it
  operator M() const;         // NOLINT(google-explicit-constructor): overloads need it
};
// Properties of a message that an on_message() of the application names.
template <class A, class M>
concept TakesAnywhere = Callable<A, Anything, M> || Callable<A, M> || Callable<A, M, Anything> ||
                        Callable<A, Anything, M, Anything>;
// An object of another class that is made of M, such as its draft; no template takes braces.
template <class A, class M>
concept TakesInBraces = requires(A& a, AnySession& s, const M& m) { a.on_message(s, {m}); };
template <class A, class M>
struct IsTakenOtherwise
    : std::bool_constant<
          Takes<A, M> ? wire::TypedMessage<M> &&
                            (TakesExactly<A, M> ? !Takes<A, ByReference<M>> : TakesInBraces<A, M>)
                      : !TakesAnywhere<A, const UnknownMessage&> &&
                            (TakesAnywhere<A, const Exactly<M>&> || Callable<A, Anything, M&> ||
                             Callable<A, Anything, M> || Callable<A, Anything, const M*>)> {};
template <class A, class M>
struct IsTakenByTemplate
    : std::bool_constant<!TakesExactly<A, M> && Takes<A, M> && !TakesInBraces<A, M>> {};
// The bytes of a message.
template <class A>
concept TakesText =
    !TakesEverything<A> && (TakesExactly<A, std::string_view> || TakesExactly<A, std::string>);
template <class A, class M>
struct IsAnsweredOtherwise : std::bool_constant<Takes<A, M> && !OnMessage<A, M>> {};

// Properties of the list of messages.
template <class M, class List>
inline constexpr bool kIsListed = false;
template <class M, class... Types>
inline constexpr bool kIsListed<M, Messages<Types...>> = (std::same_as<M, Types> || ...);
template <class List>
inline constexpr bool kHasSessionMessage = false;
template <class... Types>
inline constexpr bool kHasSessionMessage<Messages<Types...>> =
    (session::is_administrative(Types::kMsgType) || ...);

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
  operator T() const;  // NOLINT(google-explicit-constructor): overloads need it
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

// The names of what is no application, of which CallbackCheck has the error.
struct NoNames {};
template <class A>
using Named = std::conditional_t<kIsApplication<A>, A, NoNames>;

// Its instantiation gives the errors. A class, and not functions that call each other: a compiler
// lists every step of an instantiation. So CallbackNameCheck<Named<A>> is no base of it.
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

  static_assert(!IsFunctionOnly<A>,
                "the application is an object of a class with callbacks such as on_message(): a "
                "function or a lambda is not called");
  static_assert(NamesHandles<A> || !has_Handles<A>(),
                "the list of messages must be: public: using Handles = Messages<...>");

  using Handles = typename HandlesOf<A>::type;
  static constexpr bool kIsTemplate =
      TakesEverything<A> || !kIsEmpty<Selected<A, IsTakenByTemplate>>;
  static constexpr bool kIsOtherwise = !kIsEmpty<Selected<A, IsTakenOtherwise>> ||
                                       IsTakenOtherwise<A, wire::MessageView>::value ||
                                       TakesText<A>;
  static constexpr bool kTakesUnlisted = !kIsTemplate && takes_unlisted<A, Handles>();
  static_assert(!kIsOtherwise,
                "on_message() must be: public: MessageReply or void "
                "on_message(Session&, const M&)");
  static_assert(kIsTemplate || kIsEmpty<Selected<A, IsAnsweredOtherwise>>,
                "on_message() must return MessageReply or void");
  static_assert(!kHasSessionMessage<Handles> || (kIsTemplate && !NamesHandles<A>),
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
  static_assert(!std::is_final_v<A> || kIsNamed || has_any_name<A>(),
                "a final class without a public callback: private ones are not called, and the "
                "compiler does not see them; write public:, or leave out final");

  static constexpr bool kDone = true;
};

// Whether a base of the application takes a message that the application does not. g++ lists the
// bases of a class. With clang they are the classes that declare its other callbacks, and, of an
// application without constructors, those that its first initializer can be.
template <class A, class... Bases>
consteval bool hides_any() {
  return ((!TakesEverything<Bases> && takes_unlisted<Bases, typename HandlesOf<A>::type>()) || ...);
}
#if defined(__clang__)
template <class A, class Result, class Base>
consteval bool hides_of(Result Base::*) {
  if constexpr (std::is_same_v<A, Base>) {
    return false;
  } else {
    return hides_any<A, Base>();
  }
}
template <class A, class Function>
consteval bool hides_of(Function*) {  // of a static function nothing is known
  return false;
}
template <class A>
struct HidingBase {
  template <class Base>
    requires(std::is_base_of_v<Base, A> && !std::is_same_v<Base, A> && hides_any<A, Base>())
  operator Base() const;  // NOLINT(google-explicit-constructor): overloads need it
};
template <class A>
consteval bool hides_on_message() {
  bool hides = requires { A{HidingBase<A>{}}; };
  if constexpr (requires { &A::on_logon; }) hides = hides || hides_of<A>(&A::on_logon);
  if constexpr (requires { &A::on_logout; }) hides = hides || hides_of<A>(&A::on_logout);
  if constexpr (requires { &A::on_disconnect; }) hides = hides || hides_of<A>(&A::on_disconnect);
  if constexpr (requires { &A::on_recovered; }) hides = hides || hides_of<A>(&A::on_recovered);
  return hides;
}
#else
template <class A>
consteval bool hides_on_message() {
  return hides_any<A, __bases(A)...>();
}
#endif
// Within a derived class a protected on_message() can be called, and a private one cannot.
template <class A>
struct Derived : A {
  template <class M>
  static consteval bool takes() {
    return requires(Derived& a, AnySession& s, const M& m) { a.on_message(s, m); };
  }

 protected:
  ~Derived() = default;
};
template <class A>
consteval bool has_protected_on_message() {
  return []<class List, std::size_t... I>(List, std::index_sequence<I...>) {
    return ((Derived<A>::template takes<Unlisted<List, I>>() && !Takes<A, Unlisted<List, I>>) ||
            ...);
  }(typename HandlesOf<A>::type{}, std::make_index_sequence<kRemainders>{}) ||
         (Derived<A>::template takes<wire::MessageView>() && !Takes<A, wire::MessageView>);
}

// Whether every on_message() of an application is public, and those of its bases are not hidden.
// For one that is private, the compiler's error names it, because a using-declaration names all. Of
// a final class nothing can be derived.
//
// Not within CallbackCheck: each instantiation around an error costs three lines of it.
template <class A, bool IsChecked>
struct AllOnMessagesCheck {
  static constexpr bool kDone = true;
};
template <class A>
struct AllOnMessagesCheck<A, true> : A {
  using A::on_message;
  static_assert(!has_protected_on_message<A>(),
                "an on_message() is protected, and is never called: it must be public");
  static_assert(!hides_on_message<A>(),
                "an on_message() hides that of a base, which is never called: add "
                "using Base::on_message;");
  static constexpr bool kDone = true;

 protected:
  ~AllOnMessagesCheck() = default;
};
template <class A>
inline constexpr bool kIsSeenWhole = false;
template <Application A>
inline constexpr bool kIsSeenWhole<A> =
    has_on_message<A>() && CallbackCheck<A>::kIsNamed && !std::is_final_v<A>;
template <class A>
using PublicCheck = AllOnMessagesCheck<A, kIsSeenWhole<A>>;

template <class A>
concept IsFinal = Complete<A> && std::derived_from<A, engine::Application> && std::is_final_v<A>;

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
  drop(&A::on_not_sent, &Base::on_not_sent, callbacks.on_not_sent);
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

// Its coroutines get a message before on_message() does: see <nexusfix/coroutine.hpp>.
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
  if constexpr (has_on_not_sent<Named<Application>>())
    callbacks.on_not_sent = [](void* a, Session& s, const NotSentMessage& message) {
      static_cast<Application*>(a)->on_not_sent(s, message);
    };
}

}  // namespace detail

// An application is any type with some of these public functions; those that it lacks are not
// called. One of these names that the engine cannot call is an error of the compiler:
//
//   void on_logon(Session&);   void on_logout(Session&);
//   void on_recovered(const RecoveredMessage&);                   before start
//   std::optional<LogonAnswer> on_logon_request(Session&, const LogonRequest&);   acceptor
//   void write_logon(Session&, wire::Encoder&, const wire::MessageHeader&);       e.g. a signature
//   void on_admin(Session&, const MessageView&);                  session layer's messages
//   void on_sent(Session&, const SentMessage&);                   one of our messages was sent
//   ResendAnswer on_resend_request(Session&, const ResendRequest&);
//   void on_disconnect(Session&, const Disconnection&);           e.g. cancel on disconnect
//   void on_writable(Session&);   void on_not_sent(Session&, const NotSentMessage&);
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
// docs/guide/application.md says when each is called, and what it may do. A message without a
// callback is answered with a BusinessMessageReject. The application must outlive the engine.
template <class Application>
[[nodiscard]] Callbacks make_callbacks(Application& application) {
  static_assert(detail::CallbackNameCheck<detail::Named<Application>>::kDone);
  static_assert(detail::CallbackCheck<Application>::kDone);
  static_assert(detail::PublicCheck<Application>::kDone);
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
  if constexpr (detail::IsFinal<Application>) detail::drop_inherited<Application>(callbacks);
  return callbacks;
}

}  // namespace nexusfix::engine
