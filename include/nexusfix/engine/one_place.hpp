// The compile-time error of a copied Session. A deleted copy would be an error within the
// containers of the standard library, which costs a page: here it is one error at the line of the
// program.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <set>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

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

// Elements of containers: sessions, and pairs with sessions as keys or values.
template <class T>
inline constexpr bool kHoldsSession = std::is_same_v<T, Session>;
template <class Key, class Value>
inline constexpr bool kHoldsSession<std::pair<Key, Value>> =
    std::is_same_v<std::remove_const_t<Key>, Session> || std::is_same_v<Value, Session>;

// Of any T: instantiated only where a container is.
template <class T>
using NoCopyIn = NoCopy<std::conditional_t<std::is_object_v<T>, Session, T>>;

// For the bases of the containers below, so that they have every function and no other error.
template <class T>
struct AnyAllocator {
  using value_type = T;
  template <class Other>
  struct rebind {
    using other = AnyAllocator<Other>;
  };
  AnyAllocator() = default;
  template <class Other>
  explicit AnyAllocator(const Other&) noexcept {}
  T* allocate(std::size_t) { return nullptr; }
  void deallocate(T*, std::size_t) {}
  friend bool operator==(const AnyAllocator&, const AnyAllocator&) { return true; }
};
struct AnyOrder {
  bool operator()(const auto&, const auto&) const { return false; }
};
struct AnyHash {
  std::size_t operator()(const auto&) const { return 0; }
};

}  // namespace detail
}  // namespace nexusfix::engine

// Every container asks its allocator in its declaration.
template <class T>
  requires nexusfix::engine::detail::kHoldsSession<T>
class std::allocator<T> : public nexusfix::engine::detail::AnyAllocator<T> {
  static_assert(sizeof(nexusfix::engine::detail::NoCopyIn<T>) != 0);

 public:
  using nexusfix::engine::detail::AnyAllocator<T>::AnyAllocator;
  template <class Other>
  struct rebind {
    using other = std::allocator<Other>;
  };
};
// The containers that programs use most ask nothing else before: clang lists each step to the
// error.
template <class T>
  requires nexusfix::engine::detail::kHoldsSession<T>
class std::vector<T> : public std::vector<T, nexusfix::engine::detail::AnyAllocator<T>> {
  static_assert(sizeof(nexusfix::engine::detail::NoCopyIn<T>) != 0);
};
template <class T, class Compare>
  requires std::is_same_v<T, nexusfix::engine::Session>
class std::set<T, Compare> : public std::set<T, nexusfix::engine::detail::AnyOrder,
                                             nexusfix::engine::detail::AnyAllocator<T>> {
  static_assert(sizeof(nexusfix::engine::detail::NoCopyIn<T>) != 0);
};
template <class Key, class Value, class Compare>
  requires nexusfix::engine::detail::kHoldsSession<std::pair<const Key, Value>>
class std::map<Key, Value, Compare>
    : public std::map<Key, Value, nexusfix::engine::detail::AnyOrder,
                      nexusfix::engine::detail::AnyAllocator<std::pair<const Key, Value>>> {
  static_assert(sizeof(nexusfix::engine::detail::NoCopyIn<Key>) != 0);
};
template <class Key, class Value, class Hash, class Equal>
  requires nexusfix::engine::detail::kHoldsSession<std::pair<const Key, Value>>
class std::unordered_map<Key, Value, Hash, Equal>
    : public std::unordered_map<
          Key, Value, nexusfix::engine::detail::AnyHash, nexusfix::engine::detail::AnyOrder,
          nexusfix::engine::detail::AnyAllocator<std::pair<const Key, Value>>> {
  static_assert(sizeof(nexusfix::engine::detail::NoCopyIn<Key>) != 0);
};
