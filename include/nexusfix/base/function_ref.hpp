// A reference to a callable, for an argument that is not kept: two words, no allocation.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>

#include <nexusfix/base/language.hpp>

namespace nexusfix {

template <class Signature>
class FunctionRef;

template <class Result, class... Arguments>
class FunctionRef<Result(Arguments...)> {
 public:
  // The callable must outlive the FunctionRef; a lambda in the argument list does. Wrap a plain
  // function in a lambda, because its address does not fit into the pointer kept here.
  template <class Callable>
    requires(!std::is_same_v<std::remove_cvref_t<Callable>, FunctionRef> &&
             !std::is_function_v<std::remove_reference_t<Callable>> &&
             std::is_invocable_r_v<Result, Callable&, Arguments...>)
  FunctionRef(Callable&& callable) noexcept  // NOLINT: implicit, so that a lambda can be passed
      : object_{const_cast<void*>(static_cast<const void*>(std::addressof(callable)))},
        call_{[](void* object, Arguments... arguments) -> Result {
          return (*static_cast<std::remove_reference_t<Callable>*>(object))(
              std::forward<Arguments>(arguments)...);
        }} {}

  Result operator()(Arguments... arguments) const {
    return call_(object_, std::forward<Arguments>(arguments)...);
  }

 private:
  void* object_;
  Result (*call_)(void*, Arguments...);
};

}  // namespace nexusfix
