// Finds the messages that an application handles: its Handles, or those that its overloads of
// `on_message()` take.
#pragma once

#include <concepts>
#include <type_traits>

#include <nexusfix/engine/session.hpp>
#include <nexusfix/wire/typed/dispatch.hpp>
#include <nexusfix/wire/typed/message_list.hpp>

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

using wire::MessageNames;

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
}  // namespace nexusfix::engine
