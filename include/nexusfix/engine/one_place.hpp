// The compile-time error of a copied Session. A deleted copy would be an error within the
// containers of the standard library, which costs a page: here it is one error at the line of the
// program.
#pragma once

#include <nexusfix/wire/typed/containers.hpp>
#include <nexusfix/wire/typed/field.hpp>

namespace nexusfix::engine {

class Session;

namespace detail {

// Its instantiation gives the error, once in a program.
template <class T>
struct NoCopy {
  static_assert(wire::detail::kCompiles<T>,
                "a Session is not copied: take a Session&, and keep a Session*, or a SessionHandle "
                "for other threads");
};

// A base of Session whose copies do not compile, although std::is_copy_constructible is true.
template <class T>
class OnePlace {
 protected:
  OnePlace() noexcept = default;
  explicit OnePlace(NoCopy<T>) noexcept {}
  OnePlace(const OnePlace&) noexcept { static_cast<void>(NoCopy<T>{}); }
  OnePlace& operator=(const OnePlace&) noexcept {
    static_cast<void>(NoCopy<T>{});
    return *this;
  }
  ~OnePlace() = default;
};

}  // namespace detail
}  // namespace nexusfix::engine

// No container holds a Session.
template <>
inline constexpr bool nexusfix::wire::kIsNoElement<nexusfix::engine::Session> = true;
template <>
struct nexusfix::wire::detail::ErrorOf<nexusfix::engine::Session> {
  using Type = nexusfix::engine::detail::NoCopy<nexusfix::engine::Session>;
};
