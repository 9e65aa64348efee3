#include "logs/messages/find_bytes.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace nexusfix::printing {
namespace {

#if defined(__SSE2__)
constexpr std::size_t kLanes = 16;

// Valid: unaligned loads and stores of 16 bytes of the caller's text.
__m128i load(const char* at) noexcept {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
}
void store(char* at, __m128i bytes) noexcept {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(at), bytes);
}
#endif

#if defined(__SSE2__)
// The texts are short: a call of memcmp() would take longer.
bool is_equal(const char* at, std::string_view wanted) noexcept {
  for (const char c : wanted) {
    if (*at++ != c) return false;
  }
  return true;
}
#endif

#if defined(__x86_64__)
constexpr std::size_t kWideLanes = 32;
const bool has_avx2 = __builtin_cpu_supports("avx2") != 0;

// find_bytes() with 32 bytes at a time. text has at least 32 places.
[[gnu::target("avx2")]] std::size_t find_wide(std::string_view text, std::string_view wanted,
                                              std::size_t from) noexcept {
  const std::size_t distance = wanted.size() - 1;
  const __m256i first = _mm256_set1_epi8(wanted.front());
  const __m256i next_to_last = _mm256_set1_epi8(wanted[distance - 1]);
  const __m256i last = _mm256_set1_epi8(wanted.back());
  const std::size_t last_block = text.size() - distance - kWideLanes;
  const std::string_view middle = wanted.substr(1, wanted.size() - 3);
  while (from < text.size() - distance) {
    const std::size_t block = std::min(from, last_block);
    const char* const at = text.data() + block;
    // Valid: unaligned loads of 32 bytes of the text.
    const __m256i ends = _mm256_and_si256(
        _mm256_cmpeq_epi8(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(at + distance - 1)),
                          next_to_last),
        _mm256_cmpeq_epi8(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(at + distance)),
                          last));
    const __m256i begins =
        _mm256_cmpeq_epi8(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(at)), first);
    auto places = static_cast<unsigned>(_mm256_movemask_epi8(_mm256_and_si256(begins, ends)));
    // The last block overlaps the one before it.
    for (places &= ~0U << (from - block); places != 0; places &= places - 1) {
      const char* const place = at + std::countr_zero(places);
      if (is_equal(place + 1, middle)) return static_cast<std::size_t>(place - text.data());
    }
    from = block + kWideLanes;
  }
  return text.npos;
}
#endif

}  // namespace

std::size_t find_bytes(std::string_view text, std::string_view wanted, std::size_t from) noexcept {
  const std::size_t distance = wanted.size() - 1;
#if defined(__x86_64__)
  if (has_avx2 && text.size() >= distance + kWideLanes) return find_wide(text, wanted, from);
#endif
#if defined(__SSE2__)
  const __m128i first = _mm_set1_epi8(wanted.front());
  const __m128i next_to_last = _mm_set1_epi8(wanted[distance - 1]);
  const __m128i last = _mm_set1_epi8(wanted.back());
  const auto places_at = [&](const char* at) {
    const __m128i end = _mm_and_si128(_mm_cmpeq_epi8(load(at + distance - 1), next_to_last),
                                      _mm_cmpeq_epi8(load(at + distance), last));
    return static_cast<unsigned>(
        _mm_movemask_epi8(_mm_and_si128(_mm_cmpeq_epi8(load(at), first), end)));
  };
  if (text.size() >= distance + kLanes) {
    const std::size_t last_block = text.size() - distance - kLanes;
    while (from < text.size() - distance) {
      const std::size_t block = std::min(from, last_block);
      // The last block overlaps the one before it.
      unsigned places = places_at(text.data() + block) & (~0U << (from - block));
      for (; places != 0; places &= places - 1) {
        const char* const place = text.data() + block + std::countr_zero(places);
        if (is_equal(place + 1, wanted.substr(1, wanted.size() - 3))) {
          return static_cast<std::size_t>(place - text.data());
        }
      }
      from = block + kLanes;
    }
    return text.npos;
  }
#endif
  if (from + distance >= text.size()) return text.npos;
  const void* const found =
      ::memmem(text.data() + from, text.size() - from, wanted.data(), wanted.size());
  if (found == nullptr) return text.npos;
  return static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

void replace_bytes(char* data, std::size_t size, char from, char to) noexcept {
  std::size_t at = 0;
#if defined(__SSE2__)
  const __m128i wanted = _mm_set1_epi8(from);
  const __m128i change = _mm_set1_epi8(static_cast<char>(from ^ to));
  for (; at + kLanes <= size; at += kLanes) {
    const __m128i bytes = load(data + at);
    store(data + at, _mm_xor_si128(bytes, _mm_and_si128(_mm_cmpeq_epi8(bytes, wanted), change)));
  }
#endif
  for (; at < size; ++at) {
    if (data[at] == from) data[at] = to;
  }
}

bool contains_any(std::string_view text, const std::array<char, 4>& bytes) noexcept {
  std::size_t at = 0;
#if defined(__SSE2__)
  const __m128i wanted[] = {_mm_set1_epi8(bytes[0]), _mm_set1_epi8(bytes[1]),
                            _mm_set1_epi8(bytes[2]), _mm_set1_epi8(bytes[3])};
  const auto has = [&](const char* place) {
    const __m128i found = load(place);
    const __m128i first =
        _mm_or_si128(_mm_cmpeq_epi8(found, wanted[0]), _mm_cmpeq_epi8(found, wanted[1]));
    const __m128i second =
        _mm_or_si128(_mm_cmpeq_epi8(found, wanted[2]), _mm_cmpeq_epi8(found, wanted[3]));
    return _mm_movemask_epi8(_mm_or_si128(first, second)) != 0;
  };
  if (text.size() >= kLanes) {
    for (; at + kLanes <= text.size(); at += kLanes) {
      if (has(text.data() + at)) return true;
    }
    // The last block overlaps the one before it.
    return has(text.data() + text.size() - kLanes);
  }
#endif
  for (; at < text.size(); ++at) {
    if (std::ranges::count(bytes, text[at]) > 0) return true;
  }
  return false;
}

bool write_with_bars(char* to, std::string_view bytes) noexcept {
  constexpr char kSoh = '\x01';
  std::size_t at = 0;
#if defined(__SSE2__)
  const __m128i soh = _mm_set1_epi8(kSoh);
  const __m128i change = _mm_set1_epi8(kSoh ^ '|');
  const __m128i space = _mm_set1_epi8(' ');
  const __m128i deleted = _mm_set1_epi8(0x7f);
  __m128i special = _mm_setzero_si128();
  for (; at + kLanes <= bytes.size(); at += kLanes) {
    const __m128i found = load(bytes.data() + at);
    const __m128i barred = _mm_xor_si128(found, _mm_and_si128(_mm_cmpeq_epi8(found, soh), change));
    store(to + at, barred);
    // Bytes from 0x80 are negative.
    special = _mm_or_si128(
        special, _mm_or_si128(_mm_cmplt_epi8(barred, space), _mm_cmpeq_epi8(barred, deleted)));
  }
  if (_mm_movemask_epi8(special) != 0) return false;
#endif
  for (; at < bytes.size(); ++at) {
    const char byte = bytes[at] == kSoh ? '|' : bytes[at];
    if (byte < ' ' || byte == 0x7f) return false;
    to[at] = byte;
  }
  return true;
}

bool is_ascii(std::string_view text) noexcept {
  std::size_t at = 0;
  unsigned high = 0;
#if defined(__SSE2__)
  for (; at + kLanes <= text.size(); at += kLanes) {
    high |= static_cast<unsigned>(_mm_movemask_epi8(load(text.data() + at)));
  }
#endif
  for (; at < text.size(); ++at) high |= static_cast<unsigned char>(text[at]) & 0x80U;
  return high == 0;
}

}  // namespace nexusfix::printing
