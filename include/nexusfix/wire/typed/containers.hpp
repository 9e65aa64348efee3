// Fields as keys of containers of the standard library: the hashes of prices, quantities and
// numbers, and the compile-time error of a text, which is a view of its message. The error of an
// ordered container is that of the fields' operator<=>.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <nexusfix/base/decimal.hpp>
#include <nexusfix/wire/typed/field.hpp>
#include <nexusfix/wire/typed/typed.hpp>

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
// The hash of the value.
template <nexusfix::wire::Tag FieldTag, class Value>
  requires requires(const Value& value) { std::hash<Value>{}(value); }
struct std::hash<nexusfix::wire::Field<FieldTag, Value>> {
  [[nodiscard]] std::size_t operator()(
      const nexusfix::wire::Field<FieldTag, Value>& field) const noexcept {
    return std::hash<Value>{}(field.value);
  }
};
// Does not compile: a text is a view of its message.
template <nexusfix::wire::Tag FieldTag>
struct std::hash<nexusfix::wire::Field<FieldTag, std::string_view>> {
  [[nodiscard]] std::size_t operator()(
      const nexusfix::wire::Field<FieldTag, std::string_view>&) const noexcept {
    static_assert(
        FieldTag == 0,
        "a text field is a view of its message and no key: take std::string{field.value}");
    return 0;
  }
};
// Does not compile: a draft changes.
template <class M>
struct std::hash<nexusfix::wire::Draft<M>> {
  [[nodiscard]] std::size_t operator()(const nexusfix::wire::Draft<M>&) const noexcept {
    static_assert(nexusfix::wire::detail::kCompiles<M>,
                  "a draft is no key: take a text, such as std::string{order.cl_ord_id_or(\"\")}");
    return 0;
  }
};
