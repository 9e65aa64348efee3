// A reference to a callable, for an argument that is not kept: two words, no allocation.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

#include <nexusfix/base/language.hpp>

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
