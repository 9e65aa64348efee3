// Checks the version of C++: a compiler without C++23 stops here, and the error names the remedy.
// Every public header that includes no other public header includes this one.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>
#include <version>

#ifndef __cpp_lib_expected
#error "NexusFIX needs C++23: compile with -std=c++23 (g++ 12, clang 19 or later)"
#endif

// Assertions for our own mistakes. No byte from a counterparty, a file or a user may ever fail one:
// bad input is an error value, but a broken invariant ends the process before it harms an order.

namespace nexusfix::detail {

// Prints the condition and its place to standard error and aborts.
[[noreturn]] void assertion_failed(const char* condition, const char* file, int line) noexcept;

}  // namespace nexusfix::detail

// Ends the process if the condition is false, in every build. The condition must cost O(1).
#define NEXUSFIX_ASSERT(condition)    \
  ((condition) ? static_cast<void>(0) \
               : ::nexusfix::detail::assertion_failed(#condition, __FILE__, __LINE__))

// Checks only in debug, sanitizer and simulation builds. Otherwise the condition is not
// evaluated.
#ifdef NDEBUG
#define NEXUSFIX_DEBUG_ASSERT(condition) static_cast<void>(sizeof((condition) ? 1 : 0))
#else
#define NEXUSFIX_DEBUG_ASSERT(condition) NEXUSFIX_ASSERT(condition)
#endif

// A reference to a callable, for an argument that is not kept: two words, no allocation.

namespace nexusfix {

// Defined for signatures only: FunctionRef<Result(Arguments...)>.
template <class Signature>
class FunctionRef;

// A reference to a callable with this signature, for an argument that is not kept. Two words; no
// allocation. Pass it by value.
//
//   void each(FunctionRef<bool(int)> visit);
//   each([&](int n) { return use(n); });
template <class Result, class... Arguments>
class FunctionRef<Result(Arguments...)> {
 public:
  // Refers to callable, which must outlive this object. A lambda in the argument list does: the
  // conversion is implicit for it. Wrap a plain function in a lambda, because a pointer to an
  // object cannot have its address.
  template <class Callable>
    requires(!std::is_same_v<std::remove_cvref_t<Callable>, FunctionRef> &&
             !std::is_function_v<std::remove_reference_t<Callable>> &&
             std::is_invocable_r_v<Result, Callable&, Arguments...>)
  explicit(false) FunctionRef(Callable&& callable) noexcept
      : object_{const_cast<void*>(static_cast<const void*>(std::addressof(callable)))},
        call_{[](void* object, Arguments... arguments) -> Result {
          return (*static_cast<std::remove_reference_t<Callable>*>(object))(
              std::forward<Arguments>(arguments)...);
        }} {}

  // Calls the callable, and returns its result.
  Result operator()(Arguments... arguments) const {
    return call_(object_, std::forward<Arguments>(arguments)...);
  }

 private:
  void* object_;
  Result (*call_)(void*, Arguments...);
};

}  // namespace nexusfix
