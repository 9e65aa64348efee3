// The ends of fields in a message.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <nexusfix/wire/field.hpp>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace nexusfix::logs {

using wire::kSoh;

// A bit for each SOH in 32 bytes, the lowest for the first byte.
[[gnu::always_inline]] inline unsigned soh_places(const char* bytes) noexcept {
#if defined(__SSE2__)
  const __m128i soh = _mm_set1_epi8(kSoh);
  // Valid: unaligned loads of 16 bytes of the caller's text.
  const auto places_at = [&](const char* at) {
    return static_cast<unsigned>(_mm_movemask_epi8(
        _mm_cmpeq_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(at)), soh)));
  };
  return places_at(bytes) | places_at(bytes + 16) << 16U;
#else
  unsigned places = 0;
  for (unsigned i = 0; i < 32; ++i) places |= (bytes[i] == kSoh ? 1U : 0U) << i;
  return places;
#endif
}

// Calls use with the place of each SOH. Looks at 64 bytes at once: the number of SOH in a block is
// what a CPU cannot predict, so few blocks are fast. Inline: the loops that use it are the hottest
// ones of the log tools.
template <class Use>
[[gnu::always_inline]] inline void each_soh(std::string_view bytes, Use use) {
  constexpr std::size_t kLanes = 64;
  const auto use_all = [&](std::size_t block, std::uint64_t places) __attribute__((always_inline)) {
    for (; places != 0; places &= places - 1) {
      use(block + static_cast<std::size_t>(std::countr_zero(places)));
    }
  };
  const auto places_at = [&](std::size_t block) {
    const char* const from = bytes.data() + block;
    return soh_places(from) | std::uint64_t{soh_places(from + kLanes / 2)} << (kLanes / 2);
  };
  std::size_t at = 0;
  for (; at + kLanes <= bytes.size(); at += kLanes) use_all(at, places_at(at));
  if (at > 0 && at < bytes.size()) {
    // The last block overlaps the one before it.
    const std::size_t last = bytes.size() - kLanes;
    use_all(last, places_at(last) & (~std::uint64_t{0} << (at - last)));
    return;
  }
  for (; at < bytes.size(); ++at) {
    if (bytes[at] == kSoh) use(at);
  }
}

// A tag of two to four digits and its `=`, at the beginning of a field with at least 8 readable
// bytes. tag 0: it has another form, and a slower reader decides.
struct ShortTag {
  wire::Tag tag = 0;
  std::size_t size = 0;  // with `=`
};
[[gnu::always_inline]] inline ShortTag short_tag(const char* field) noexcept {
  const auto digit = [&](int i) { return static_cast<unsigned>(field[i]) - '0'; };
  const unsigned first = digit(0);
  const unsigned second = digit(1);
  if (first - 1 > 8 || second > 9) return {};
  unsigned tag = first * 10 + second;
  if (field[2] == '=') return {tag, 3};
  if (digit(2) > 9) return {};
  tag = tag * 10 + digit(2);
  if (field[3] == '=') return {tag, 4};
  if (digit(3) > 9 || field[4] != '=') return {};
  return {tag * 10 + digit(3), 5};
}

// The tag of one to four digits at the beginning of a field, and its `=`, without branches on the
// number of digits, which differs from field to field. bytes: at least 8, and one of them in the
// field. tag 0: it has another form.
[[gnu::always_inline]] inline ShortTag short_tag_at(std::string_view bytes,
                                                    std::size_t field) noexcept {
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  constexpr std::uint64_t kEach = 0x0101010101010101;
  constexpr std::uint64_t kHigh = 0x80 * kEach;
  constexpr unsigned kDigitsMax = 4;
  const std::size_t left = bytes.size() - field;
  std::uint64_t first = 0;
  std::memcpy(&first, bytes.data() + (left >= kWord ? field : bytes.size() - kWord), kWord);
  if constexpr (std::endian::native == std::endian::big) first = __builtin_bswap64(first);
  if (left < kWord) first >>= (kWord - left) * 8;
  const std::uint64_t unequal = first ^ '=' * kEach;
  // The lowest bit that is set is that of the first `=`.
  const std::uint64_t equals = (unequal - kEach) & ~unequal & kHigh;
  const auto digits = static_cast<unsigned>(std::countr_zero(equals)) / 8;
  if (digits - 1 >= kDigitsMax || (first & 0xffU) == '0') return {};
  // The digits, with zeros before them.
  const auto numbers =
      static_cast<std::uint32_t>((first ^ '0' * kEach) << (64 - 8 * digits) >> 32U);
  constexpr std::uint32_t kAboveNine = 0x76767676;  // moves 10 and more into the highest bit
  if (((numbers | (numbers + kAboveNine)) & 0x80808080U) != 0) return {};
  const std::uint32_t pairs = numbers * 10 + (numbers >> 8U);
  return {(pairs & 0xffU) * 100 + (pairs >> 16U & 0xffU), digits + 1};
}

}  // namespace nexusfix::logs
