#include "nexusfix/messages/find_bytes.hpp"

#include <bit>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace nexusfix::printing {
namespace {

// The last places, where a vector would read after the end.
std::size_t find_near_end(std::string_view text, std::string_view wanted,
                          std::size_t from) noexcept {
  if (from >= text.size()) return text.npos;
  const void* const found =
      ::memmem(text.data() + from, text.size() - from, wanted.data(), wanted.size());
  if (found == nullptr) return text.npos;
  return static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
}

}  // namespace

std::size_t find_bytes(std::string_view text, std::string_view wanted, std::size_t from) noexcept {
#if defined(__SSE2__)
  constexpr std::size_t kLanes = 16;
  const std::size_t distance = wanted.size() - 1;
  const __m128i first = _mm_set1_epi8(wanted.front());
  const __m128i last = _mm_set1_epi8(wanted.back());
  const auto load = [](const char* at) {
    // Valid: an unaligned load of 16 bytes of text.
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
  };
  for (; from + distance + kLanes <= text.size(); from += kLanes) {
    const char* const at = text.data() + from;
    const __m128i both = _mm_and_si128(_mm_cmpeq_epi8(load(at), first),
                                       _mm_cmpeq_epi8(load(at + distance), last));
    for (auto places = static_cast<unsigned>(_mm_movemask_epi8(both)); places != 0;
         places &= places - 1) {
      const char* const place = at + std::countr_zero(places);
      if (std::memcmp(place, wanted.data(), wanted.size()) == 0) {
        return static_cast<std::size_t>(place - text.data());
      }
    }
  }
#endif
  return find_near_end(text, wanted, from);
}

}  // namespace nexusfix::printing
