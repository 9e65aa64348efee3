// Conversions: any text gives the reference's value or error, and a value that is written again
// reads the same.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include <nexusfix/wire/convert.hpp>
#include <nexusfix/wire/frame.hpp>

#include "random/fuzz/harness/target.hpp"
#include "random/property/wire/conversion_reference.hpp"

namespace {

using namespace nexusfix;
using namespace nexusfix::wire;

void require(bool condition) {
  if (!condition) std::abort();
}

// In their digits, too: 1.0 and 1.00 are equal but different.
void require_same_decimal(const Converted<Decimal>& got, const Converted<Decimal>& wanted) {
  require(got == wanted);
  if (got) require(got->scale() == wanted->scale());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::vector<char> exact{data, data + size};
  const std::string_view text{exact.data(), exact.size()};
  char out[32];
  if (const auto value = to_int(text)) require(to_int({out, from_int(*value, out)}) == *value);
  if (const auto value = to_uint(text)) require(to_uint({out, from_uint(*value, out)}) == *value);
  if (const auto value = to_decimal(text)) {
    const auto back = to_decimal({out, from_decimal(*value, out)});
    require(back && back->mantissa() == value->mantissa() && back->scale() == value->scale());
  }
  if (const auto value = to_fixed_price(text)) {
    require(to_fixed_price({out, from_fixed_price(*value, out)}) == *value);
    require(to_decimal(text) == value->to_decimal());
  }
  if (const auto value = to_pico_time(text)) {
    const std::size_t bytes = from_utc_timestamp(*value, TimePrecision::Picos, out);
    require(to_pico_time({out, bytes}) == *value);
    require(to_utc_timestamp(text) == value->time);
  }
  if (const auto value = to_utc_timestamp(text)) {
    const std::size_t bytes = from_utc_timestamp(*value, TimePrecision::Nanos, out);
    require(to_utc_timestamp({out, bytes}) == *value);
  }
  if (const auto value = to_date(text)) require(to_date({out, from_date(*value, out)}) == *value);
  if (const auto value = to_time_of_day(text)) {
    const std::size_t bytes = from_time_of_day(*value, TimePrecision::Nanos, out);
    require(to_time_of_day({out, bytes}) == *value);
  }
  require(to_int(text) == reference::to_int(text));
  require(to_uint(text) == reference::to_uint(text));
  require_same_decimal(to_decimal(text), reference::to_decimal(text));
  require(to_fixed_price(text) == reference::to_fixed_price(text));
  require(to_pico_time(text) == reference::to_pico_time(text));
  require(to_utc_timestamp(text) == reference::to_utc_timestamp(text));
  unsigned sum = 0;
  for (const char c : text) sum += static_cast<unsigned char>(c);
  require(check_sum(text) == sum % 256);
  // That text after sixteen other bytes, which a conversion may read but must not use.
  std::vector<char> surrounded(kReadableFrontBytes + exact.size(), '7');
  std::ranges::copy(exact, surrounded.begin() + kReadableFrontBytes);
  const std::string_view within{surrounded.data() + kReadableFrontBytes, exact.size()};
  require(to_int<wire::detail::TextFront::Readable>(within) == to_int(text));
  require(to_uint<wire::detail::TextFront::Readable>(within) == to_uint(text));
  require(to_decimal<wire::detail::TextFront::Readable>(within) == to_decimal(text));
  require(to_fixed_price<wire::detail::TextFront::Readable>(within) == to_fixed_price(text));
  static_cast<void>(to_bool(text));
  static_cast<void>(to_char(text));
  return 0;
}
