#include "logs/fields/field_begins.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include <nexusfix/wire/field.hpp>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace nexusfix::logs {
namespace {

using wire::kSoh;

constexpr unsigned low_bits(char c) noexcept { return static_cast<unsigned>(c) & 0xfU; }

// Within a set every first byte goes with every second and third one, so similar tags share a set.
unsigned set_of(std::string_view digits, FieldBegins::Kind kind) {
  const bool is_short = digits.size() <= 2;
  const auto first = static_cast<unsigned>(digits.front() - '1');
  if (kind == FieldBegins::Kind::Rare) return is_short ? 7 : std::min(first, 6U);
  if (kind == FieldBegins::Kind::Length) return is_short ? 6 : 7;
  if (!is_short) return 5;
  return std::min(first, 4U);
}

#if defined(__x86_64__)
const bool has_avx2 = __builtin_cpu_supports("avx2") != 0;
#endif

}  // namespace

void FieldBegins::add(wire::Tag tag, Kind kind) {
  const std::string digits = std::to_string(tag);
  const std::string field = digits + '=';
  const unsigned bit = 1U << set_of(digits, kind);
  for (std::size_t i = 0; i < kBeginBytes; ++i) {
    for (unsigned low = 0; low < sets_[i].size(); ++low) {
      // Any byte may follow the `=` of a tag of one digit.
      if (i < field.size() && low != low_bits(field[i])) continue;
      sets_[i][low] = static_cast<std::uint8_t>(sets_[i][low] | bit);
    }
  }
}

// field: at least three bytes.
bool FieldBegins::may_begin(std::string_view field) const noexcept {
  return (sets_[0][low_bits(field[0])] & sets_[1][low_bits(field[1])] &
          sets_[2][low_bits(field[2])]) != 0;
}

void FieldBegins::add_first(std::string_view bytes, Places& to) const {
  const std::size_t end = bytes.find(kSoh);
  if (bytes.size() < kBeginBytes || end == bytes.npos || !may_begin(bytes)) return;
  to.all[to.count++] = {0, static_cast<std::uint32_t>(end)};
}

std::size_t FieldBegins::find_each(std::string_view bytes, std::size_t from, Places& to) const {
  to.count = 0;
  if (from == 0) add_first(bytes, to);
  std::size_t soh = bytes.find(kSoh, from);
  while (soh != bytes.npos && to.count < kPlacesMax) {
    const std::size_t begin = soh + 1;
    const std::size_t end = bytes.find(kSoh, begin);
    if (end == bytes.npos) break;
    if (begin + kBeginBytes <= bytes.size() && may_begin(bytes.substr(begin))) {
      to.all[to.count++] = {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
    }
    soh = end;
  }
  return to.count < kPlacesMax ? bytes.size() : soh;
}

#if defined(__x86_64__)

// The sets of a FieldBegins in registers. Compares 32 bytes at a time, by bits.
struct FieldBegins::WideSets {
  struct Bits {
    unsigned sohs = 0;
    unsigned others = 0;  // what follows begins none of the tags
  };

  [[gnu::target("avx2"), gnu::always_inline]] explicit WideSets(const Sets& sets) noexcept
      : first{load_set(sets[0])}, second{load_set(sets[1])}, third{load_set(sets[2])} {}

  // data: 32 bytes of the message, and three after them.
  [[nodiscard]] [[gnu::target("avx2"), gnu::always_inline]] Bits bits(
      const char* data) const noexcept {
    const __m256i sets =
        _mm256_and_si256(_mm256_and_si256(_mm256_shuffle_epi8(first, load(data + 1)),
                                          _mm256_shuffle_epi8(second, load(data + 2))),
                         _mm256_shuffle_epi8(third, load(data + 3)));
    const __m256i sohs = _mm256_cmpeq_epi8(load(data), _mm256_set1_epi8(kSoh));
    const __m256i others = _mm256_cmpeq_epi8(sets, _mm256_setzero_si256());
    return {static_cast<unsigned>(_mm256_movemask_epi8(sohs)),
            static_cast<unsigned>(_mm256_movemask_epi8(others))};
  }

  [[gnu::target("avx2"), gnu::always_inline]] static __m256i load(const char* data) noexcept {
    // Valid: an unaligned load of 32 bytes of the message.
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(data));
  }
  [[gnu::target("avx2"), gnu::always_inline]] static __m256i load_set(
      const std::array<std::uint8_t, 16>& set) noexcept {
    // Valid: 16 bytes of the array.
    return _mm256_broadcastsi128_si256(
        _mm_loadu_si128(reinterpret_cast<const __m128i*>(set.data())));
  }

  __m256i first;
  __m256i second;
  __m256i third;
};

// 64 bytes at a time. bytes: at least these, and those that the last of them looks at.
[[gnu::target("avx2")]] std::size_t FieldBegins::find_wide(std::string_view bytes, std::size_t from,
                                                           Places& to) const {
  constexpr std::size_t kLanes = 32;
  constexpr std::size_t kBlock = 2 * kLanes;
  constexpr std::size_t kFoundMax = kBlock / 2;  // in a block
  const WideSets wide{sets_};
  const std::size_t last_block = bytes.size() - kBlock - kBeginBytes;
  const std::size_t end = bytes.size() - kBeginBytes;
  Place* out = to.all.data() + to.count;
  const Place* const full = to.all.data() + (kPlacesMax - kFoundMax);
  bool is_open = false;  // *out has no end yet
  for (; from < end && out < full;) {
    const std::size_t block = std::min(from, last_block);
    std::uint64_t sohs = 0;
    std::uint64_t others = 0;  // that begin none of the tags
    for (std::size_t half = 0; half < kBlock; half += kLanes) {
      const WideSets::Bits bits = wide.bits(bytes.data() + block + half);
      sohs |= std::uint64_t{bits.sohs} << half;
      others |= std::uint64_t{bits.others} << half;
    }
    // The last block overlaps the one before it.
    sohs &= ~std::uint64_t{0} << (from - block);
    const auto place = [&](std::uint64_t places) {
      return static_cast<std::uint32_t>(block + static_cast<std::size_t>(std::countr_zero(places)));
    };
    if (is_open && sohs != 0) {
      out++->end = place(sohs);
      is_open = false;
    }
    for (std::uint64_t found = sohs & ~others; found != 0; found &= found - 1) {
      out->begin = place(found) + 1;
      const std::uint64_t later = sohs & ~(found ^ (found - 1));
      is_open = later == 0;
      if (is_open) break;  // it is the last SOH of the block
      out++->end = place(later);
    }
    from = block + kBlock;
  }
  if (is_open) {
    const std::size_t close = bytes.find(kSoh, out->begin);
    if (close != bytes.npos) out++->end = static_cast<std::uint32_t>(close);
  }
  to.count = static_cast<std::size_t>(out - to.all.data());
  return from < end ? from : bytes.size();
}

// 32 bytes at a time. bytes: at least these, and those that the last of them looks at.
[[gnu::target("avx2")]] std::size_t FieldBegins::next_wide(std::string_view bytes,
                                                           std::size_t from) const {
  constexpr std::size_t kLanes = 32;
  const WideSets wide{sets_};
  const std::size_t end = bytes.size() - kBeginBytes;
  while (from < end) {
    // The last block overlaps the one before it.
    const std::size_t block = std::min(from, end - kLanes);
    const WideSets::Bits bits = wide.bits(bytes.data() + block);
    const unsigned places = bits.sohs & ~bits.others & ~0U << (from - block);
    if (places != 0) return block + static_cast<std::size_t>(std::countr_zero(places)) + 1;
    from = block + kLanes;
  }
  return bytes.npos;
}

#endif

std::size_t FieldBegins::next(std::string_view bytes, std::size_t from) const {
#if defined(__x86_64__)
  constexpr std::size_t kBytesMin = 32 + kBeginBytes;
  if (has_avx2 && bytes.size() >= kBytesMin) return next_wide(bytes, from);
#endif
  while ((from = bytes.find(kSoh, from)) != bytes.npos) {
    ++from;
    if (from + kBeginBytes <= bytes.size() && may_begin(bytes.substr(from))) break;
  }
  return from;
}

std::size_t FieldBegins::find(std::string_view bytes, std::size_t from, Places& to) const {
#if defined(__x86_64__)
  constexpr std::size_t kBytesMin = 64 + kBeginBytes;
  if (has_avx2 && bytes.size() >= kBytesMin) {
    to.count = 0;
    if (from == 0) add_first(bytes, to);
    return find_wide(bytes, from, to);
  }
#endif
  return find_each(bytes, from, to);
}

}  // namespace nexusfix::logs
