// Visits the delimiters of a message: the loop of the rungs 3 to 5.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "bench/ladder/delimiters.hpp"
#include "bench/ladder/field_table.hpp"
#include "bench/ladder/text.hpp"

namespace nexusfix::bench::ladder {

struct Scanned {
  bool well_formed = false;
  std::uint32_t sum = 0;  // of all bytes
};

// Calls on_field(tag, begin of the field, begin of the value, its end) for each field of bytes.
// Offsets are from the first byte. Stops at the first malformed field.
template <class OnField>
[[nodiscard]] Scanned scan_fields(std::string_view bytes, OnField on_field) {
  constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  Scanned scanned;
  std::size_t field = 0;
  std::size_t equals = kNone;
  for (std::size_t base = 0; base < bytes.size(); base += kBlockBytes) {
    const std::size_t rest = bytes.size() - base;
    const Delimiters found = rest >= kBlockBytes ? delimiters_of(bytes.data() + base)
                                                 : delimiters_of_rest(bytes.data() + base, rest);
    scanned.sum += found.sum;
    for (std::uint64_t bits = found.soh | found.equals; bits != 0; bits &= bits - 1) {
      const auto bit = static_cast<unsigned>(std::countr_zero(bits));
      const std::size_t at = base + bit;
      if ((found.soh >> bit & 1U) == 0) {
        if (equals == kNone) equals = at;  // another `=` belongs to the value
        continue;
      }
      const Tag tag = equals == kNone ? 0 : tag_of(bytes.substr(field, equals - field));
      if (tag == 0 || equals + 1 == at) return scanned;
      on_field(tag, field, equals + 1, at);
      field = at + 1;
      equals = kNone;
    }
  }
  scanned.well_formed = field == bytes.size();
  return scanned;
}

// Splits a complete message into fields. False: it is invalid.
[[nodiscard]] inline bool scan_message(std::string_view message, FieldTable& fields) {
  fields.clear();
  std::size_t body_begin = 0;
  std::size_t trailer_begin = 0;
  const Scanned scanned =
      scan_fields(message, [&](Tag tag, std::size_t field, std::size_t value, std::size_t end) {
        if (fields.size() == 2) body_begin = field;
        trailer_begin = field;
        fields.add(tag, message.substr(value, end - value));
      });
  return scanned.well_formed &&
         fields_are_valid(fields, body_begin, trailer_begin,
                          scanned.sum - sum_of_bytes(message.substr(trailer_begin)));
}

}  // namespace nexusfix::bench::ladder
