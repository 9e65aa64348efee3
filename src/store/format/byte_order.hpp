// Little-endian numbers in unaligned bytes: how every number in a journal is written.
#pragma once

#include <bit>
#include <concepts>
#include <cstring>

namespace nexusfix::store {

template <std::integral Number>
[[nodiscard]] Number load_little_endian(const char* bytes) noexcept {
  Number value;
  std::memcpy(&value, bytes, sizeof value);
  if constexpr (std::endian::native == std::endian::big) value = std::byteswap(value);
  return value;
}

template <std::integral Number>
void store_little_endian(char* bytes, Number value) noexcept {
  if constexpr (std::endian::native == std::endian::big) value = std::byteswap(value);
  std::memcpy(bytes, &value, sizeof value);
}

}  // namespace nexusfix::store
