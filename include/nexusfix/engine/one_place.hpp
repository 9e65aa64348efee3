// The compile-time error of a copied Session. A deleted copy would be an error within the
// containers of the standard library, which costs a page: here it is one error at the line of the
// program.
#pragma once

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

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

// The elements of containers of sessions: a vector's, and a map's with sessions as keys or values.
template <class T>
inline constexpr bool kHoldsSession = std::is_same_v<T, Session>;
template <class Key>
inline constexpr bool kHoldsSession<std::pair<const Key, Session>> = true;
template <class Value>
inline constexpr bool kHoldsSession<std::pair<const Session, Value>> = true;

// Of any T: instantiated only where a container is.
template <class T>
using NoCopyIn = NoCopy<std::conditional_t<std::is_object_v<T>, Session, T>>;

}  // namespace detail
}  // namespace nexusfix::engine

// Every container asks its allocator first, in its declaration.
template <class T>
  requires nexusfix::engine::detail::kHoldsSession<T>
class std::allocator<T> : public std::allocator<char> {
  static_assert(sizeof(nexusfix::engine::detail::NoCopyIn<T>) != 0);

 public:
  using value_type = T;
  template <class Other>
  struct rebind {
    using other = std::allocator<Other>;
  };
  allocator() = default;
  template <class Other>
  explicit allocator(const std::allocator<Other>&) noexcept {}
  T* allocate(std::size_t) { return nullptr; }
  void deallocate(T*, std::size_t) {}
};
