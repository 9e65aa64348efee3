// The names of callbacks, and those that a program brings from QuickFIX, QuickFIX/J or QuickFIX/n,
// for the compile-time errors of callback_check.hpp.
#pragma once

#include <type_traits>

#include <nexusfix/base/language.hpp>

namespace nexusfix::engine::detail {

// clang-format off

// X(NAME) for each callback of an application.
#define NEXUSFIX_CALLBACKS(X) \
  X(on_logon) X(on_logout) X(on_message) X(on_recovered) X(on_logon_request) X(on_admin)          \
  X(on_sending) X(on_sent) X(on_resend_request) X(on_disconnect) X(write_logon) X(on_writable)    \
  X(Handles)
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
