// Fields in containers of the standard library: the hashes of prices, quantities and numbers, and
// the compile-time errors of containers that would keep what ends before them: views of received
// messages, and texts that are keys. Without these specialisations such a container would compile,
// or be an error of a page within the standard library.
//
// Each type is named, and none is asked for its members: the element of a container may be a type
// that is not complete yet.
//
// The standard allows specialisations of its templates for a program's own types ([namespace.std]),
// and each of these has the functions of its original. None is in a program that runs, because its
// assertion does not compile. A member of the message itself cannot have this error: a container
// only copies its elements, and so does a function that takes a message by value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <nexusfix/base/decimal.hpp>
#include <nexusfix/wire/typed/field.hpp>
#include <nexusfix/wire/typed/typed.hpp>

namespace nexusfix::wire {

// Whether a type is not an element of a container. A generated header has it for its message.
template <class T>
inline constexpr bool kIsNoElement = false;

namespace detail {

// Their instantiation gives the errors, once in a program.
template <class T>
struct ElementError {
  static_assert(kCompiles<T>,
                "a received message is a view, and its bytes are overwritten by the next one: keep "
                "drafts, such as *NewOrderSingle::Draft::from(order)");
};
template <class T>
struct KeyError {
  static_assert(kCompiles<T>,
                "a text field is a view of its message and no key: take std::string{field.value}; "
                "of other fields field.value");
};
template <class M>
struct KeyError<Draft<M>> {
  static_assert(kCompiles<M>,
                "a draft is no key: take a text, such as std::string{order.cl_ord_id_or(\"\")}");
};

// Fields whose order or hash has no meaning for a container that outlives their message.
template <class T>
inline constexpr bool kHasNoOrder = false;
template <Tag FieldTag, class Value>
inline constexpr bool kHasNoOrder<Field<FieldTag, Value>> = !kIsPrice<Value>;
template <Tag FieldTag, Tag LengthTag>
inline constexpr bool kHasNoOrder<DataField<FieldTag, LengthTag>> = true;
template <class M>
inline constexpr bool kHasNoOrder<Draft<M>> = true;
template <class T>
inline constexpr bool kHasNoHash = false;
template <Tag FieldTag, class Value>
inline constexpr bool kHasNoHash<Field<FieldTag, Value>> = kIsText<Value>;
template <Tag FieldTag, Tag LengthTag>
inline constexpr bool kHasNoHash<DataField<FieldTag, LengthTag>> = true;
template <class M>
inline constexpr bool kHasNoHash<Draft<M>> = true;

// Elements of maps, too.
template <class T>
inline constexpr bool kHoldsNoElement = kIsNoElement<T>;
template <class Key, class Value>
inline constexpr bool kHoldsNoElement<std::pair<Key, Value>> =
    kIsNoElement<std::remove_const_t<Key>> || kIsNoElement<Value>;
// A container with the standard's own order or hash. One that the program brings may know better.
template <class Key, class Compare>
inline constexpr bool kIsNoOrderedKey = kHasNoOrder<Key> && std::is_same_v<Compare, std::less<Key>>;
template <class Key, class Hash>
inline constexpr bool kIsNoHashedKey = kHasNoHash<Key> && std::is_same_v<Hash, std::hash<Key>>;

// The error of a container's element, by its name only: clang lists each instantiation around it.
template <class T>
struct ErrorOf {
  using Type = std::conditional_t<kIsNoElement<T>, ElementError<T>, KeyError<T>>;
};
template <class Key, class Value>
struct ErrorOf<std::pair<Key, Value>>
    : ErrorOf<std::conditional_t<kIsNoElement<Value>, Value, std::remove_const_t<Key>>> {};

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
template <class Key>
using AnySet = std::set<Key, AnyOrder, AnyAllocator<Key>>;
template <class Key, class Value>
using AnyMap = std::map<Key, Value, AnyOrder, AnyAllocator<std::pair<const Key, Value>>>;
template <class Key>
using AnyHashSet = std::unordered_set<Key, AnyHash, AnyOrder, AnyAllocator<Key>>;
template <class Key, class Value>
using AnyHashMap =
    std::unordered_map<Key, Value, AnyHash, AnyOrder, AnyAllocator<std::pair<const Key, Value>>>;

}  // namespace detail
}  // namespace nexusfix::wire

// Equal values have one hash, whatever their scales: 1.50 and 1.5.
template <>
struct std::hash<nexusfix::Decimal> {
  [[nodiscard]] constexpr std::size_t operator()(nexusfix::Decimal value) const noexcept {
    std::int64_t mantissa = value.mantissa();
    unsigned scale = mantissa == 0 ? 0 : value.scale();
    for (; scale > 0 && mantissa % 10 == 0; --scale) mantissa /= 10;
    // Fibonacci hashing: neighbouring prices lie in different buckets of a table of 2^n, too.
    return (static_cast<std::size_t>(mantissa) + scale) * std::size_t{0x9e37'79b9'7f4a'7c15};
  }
};
// The hash of the value. A text has none: it is a view of its message.
template <nexusfix::wire::Tag FieldTag, class Value>
  requires(!nexusfix::wire::detail::kIsText<Value>) &&
          requires(const Value& value) { std::hash<Value>{}(value); }
struct std::hash<nexusfix::wire::Field<FieldTag, Value>> {
  [[nodiscard]] std::size_t operator()(
      const nexusfix::wire::Field<FieldTag, Value>& field) const noexcept {
    return std::hash<Value>{}(field.value);
  }
};

// Every container asks its allocator in its declaration.
template <class T>
  requires nexusfix::wire::detail::kHoldsNoElement<T>
class std::allocator<T> : public nexusfix::wire::detail::AnyAllocator<T> {
  static_assert(sizeof(typename nexusfix::wire::detail::ErrorOf<T>::Type) != 0);

 public:
  using nexusfix::wire::detail::AnyAllocator<T>::AnyAllocator;
  template <class Other>
  struct rebind {
    using other = std::allocator<Other>;
  };
};
// The containers that programs use most ask nothing else before: clang lists each step to the
// error.
template <class T>
  requires nexusfix::wire::detail::kHoldsNoElement<T>
class std::vector<T> : public std::vector<T, nexusfix::wire::detail::AnyAllocator<T>> {
  static_assert(sizeof(typename nexusfix::wire::detail::ErrorOf<T>::Type) != 0);
};
template <class T>
  requires nexusfix::wire::detail::kHoldsNoElement<T>
class std::deque<T> : public std::deque<T, nexusfix::wire::detail::AnyAllocator<T>> {
  static_assert(sizeof(typename nexusfix::wire::detail::ErrorOf<T>::Type) != 0);
};
template <class Key, class Compare>
  requires(nexusfix::wire::kIsNoElement<Key> ||
           nexusfix::wire::detail::kIsNoOrderedKey<Key, Compare>)
class std::set<Key, Compare> : public nexusfix::wire::detail::AnySet<Key> {
  static_assert(sizeof(typename nexusfix::wire::detail::ErrorOf<Key>::Type) != 0);
};
template <class Key, class Value, class Compare>
  requires(nexusfix::wire::detail::kHoldsNoElement<std::pair<Key, Value>> ||
           nexusfix::wire::detail::kIsNoOrderedKey<Key, Compare>)
class std::map<Key, Value, Compare> : public nexusfix::wire::detail::AnyMap<Key, Value> {
  static_assert(sizeof(typename nexusfix::wire::detail::ErrorOf<std::pair<Key, Value>>::Type) != 0);
};
template <class Key, class Hash, class Equal>
  requires(nexusfix::wire::kIsNoElement<Key> || nexusfix::wire::detail::kIsNoHashedKey<Key, Hash>)
class std::unordered_set<Key, Hash, Equal> : public nexusfix::wire::detail::AnyHashSet<Key> {
  static_assert(sizeof(typename nexusfix::wire::detail::ErrorOf<Key>::Type) != 0);
};
template <class Key, class Value, class Hash, class Equal>
  requires(nexusfix::wire::detail::kHoldsNoElement<std::pair<Key, Value>> ||
           nexusfix::wire::detail::kIsNoHashedKey<Key, Hash>)
class std::unordered_map<Key, Value, Hash, Equal>
    : public nexusfix::wire::detail::AnyHashMap<Key, Value> {
  static_assert(sizeof(typename nexusfix::wire::detail::ErrorOf<std::pair<Key, Value>>::Type) != 0);
};
