// The ends of fields in a message.
#pragma once

#include <bit>
#include <cstddef>
#include <string_view>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace nexusfix::logs {

// Calls use with the place of each SOH, until it returns false. Looks at 16 bytes at once. Inline:
// the loops that use it are the hottest ones of the log tools.
template <class Use>
[[gnu::always_inline]] inline void each_soh(std::string_view bytes, Use use) {
  constexpr char kSoh = '\x01';
  std::size_t at = 0;
#if defined(__SSE2__)
  constexpr std::size_t kLanes = 16;
  const __m128i soh = _mm_set1_epi8(kSoh);
  for (; at + kLanes <= bytes.size(); at += kLanes) {
    // Valid: an unaligned load of 16 bytes of the message.
    const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes.data() + at));
    auto places = static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(block, soh)));
    for (; places != 0; places &= places - 1) {
      if (!use(at + static_cast<std::size_t>(std::countr_zero(places)))) return;
    }
  }
#endif
  for (; at < bytes.size(); ++at) {
    if (bytes[at] == kSoh && !use(at)) return;
  }
}

// A tag of two to four digits and its `=`, at the beginning of a field with at least 8 readable
// bytes. tag 0: it has another form, and a slower reader decides.
struct ShortTag {
  int tag = 0;
  std::size_t size = 0;  // with `=`
};
[[gnu::always_inline]] inline ShortTag short_tag(const char* field) noexcept {
  const auto digit = [&](int i) { return static_cast<unsigned>(field[i]) - '0'; };
  const unsigned first = digit(0);
  const unsigned second = digit(1);
  if (first - 1 > 8 || second > 9) return {};
  unsigned tag = first * 10 + second;
  if (field[2] == '=') return {static_cast<int>(tag), 3};
  if (digit(2) > 9) return {};
  tag = tag * 10 + digit(2);
  if (field[3] == '=') return {static_cast<int>(tag), 4};
  if (digit(3) > 9 || field[4] != '=') return {};
  return {static_cast<int>(tag * 10 + digit(3)), 5};
}

}  // namespace nexusfix::logs
