// Integers as text, and blocks of digits: what all conversions of numbers are made of.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <expected>
#include <string_view>

#include <nexusfix/base/language.hpp>
#include <nexusfix/wire/field.hpp>

#if defined(__SSE2__) && defined(__x86_64__)
#define NEXUSFIX_BYTE_BLOCK_SSE2 1
#include <emmintrin.h>
#else
#define NEXUSFIX_BYTE_BLOCK_SSE2 0
#endif
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

// Up to sixteen bytes in a register: loads them without reading past them, searches them for SOH,
// and sums them for CheckSum. Inline, because every encoded field passes here.

namespace nexusfix::wire::detail {

// The compiler's cost model must not turn these into calls, because a field's bytes would then
// leave their registers.
#define NEXUSFIX_ALWAYS_INLINE [[gnu::always_inline]] inline

inline constexpr std::size_t kBlockBytes = 16;

// bytes, rounded up to whole blocks, so that those can be copied.
[[nodiscard]] constexpr std::size_t whole_blocks(std::size_t bytes) noexcept {
  return (bytes + kBlockBytes - 1) / kBlockBytes * kBlockBytes;
}

template <class Word>
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE std::uint64_t load(const char* from) noexcept {
  Word word;
  std::memcpy(&word, from, sizeof word);
  return word;
}

template <class Word>
NEXUSFIX_ALWAYS_INLINE void store(char* to, Word word) noexcept {
  std::memcpy(to, &word, sizeof word);
}

#if NEXUSFIX_BYTE_BLOCK_SSE2

struct Block {
  __m128i bytes;
};

[[nodiscard]] NEXUSFIX_ALWAYS_INLINE Block no_bytes() noexcept { return {_mm_setzero_si128()}; }
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE Block block_of(std::uint64_t low) noexcept {
  return {_mm_cvtsi64_si128(static_cast<long long>(low))};
}
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE Block block_of(std::uint64_t low,
                                                    std::uint64_t high) noexcept {
  return {_mm_unpacklo_epi64(block_of(low).bytes, block_of(high).bytes)};
}
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE Block load_block(const char* from) noexcept {
  Block block;
  std::memcpy(&block.bytes, from, kBlockBytes);
  return block;
}
NEXUSFIX_ALWAYS_INLINE void store_block(char* to, Block block) noexcept {
  std::memcpy(to, &block.bytes, kBlockBytes);
}
// Stores the first eight bytes of the block.
NEXUSFIX_ALWAYS_INLINE void store_low_half(char* to, Block block) noexcept {
  void* const address = to;
  _mm_storel_epi64(static_cast<__m128i*>(address), block.bytes);
}
// Lane by lane, modulo 256, which is enough for CheckSum.
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE Block add_bytes(Block a, Block b) noexcept {
  return {_mm_add_epi8(a.bytes, b.bytes)};
}
// Not 0 if a byte is SOH.
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE std::uint64_t soh_bits(Block block) noexcept {
  return static_cast<std::uint32_t>(
      _mm_movemask_epi8(_mm_cmpeq_epi8(block.bytes, _mm_set1_epi8('\x01'))));
}
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE std::uint32_t sum_of(Block block) noexcept {
  const __m128i sums = _mm_sad_epu8(block.bytes, _mm_setzero_si128());
  return static_cast<std::uint32_t>(
      _mm_cvtsi128_si32(_mm_add_epi32(sums, _mm_unpackhi_epi64(sums, sums))));
}

#else

struct Block {
  std::uint64_t low;
  std::uint64_t high;
};

inline constexpr std::uint64_t kLowBits = 0x0101'0101'0101'0101;
inline constexpr std::uint64_t kHighBits = kLowBits << 7U;

[[nodiscard]] NEXUSFIX_ALWAYS_INLINE Block no_bytes() noexcept { return {0, 0}; }
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE Block block_of(std::uint64_t low,
                                                    std::uint64_t high = 0) noexcept {
  return {low, high};
}
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE Block load_block(const char* from) noexcept {
  return {load<std::uint64_t>(from), load<std::uint64_t>(from + 8)};
}
NEXUSFIX_ALWAYS_INLINE void store_block(char* to, Block block) noexcept {
  store(to, block.low);
  store(to + 8, block.high);
}
NEXUSFIX_ALWAYS_INLINE void store_low_half(char* to, Block block) noexcept { store(to, block.low); }
// The high bit of each byte is added without its carry.
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE std::uint64_t add_bytes(std::uint64_t a,
                                                             std::uint64_t b) noexcept {
  return ((a & ~kHighBits) + (b & ~kHighBits)) ^ ((a ^ b) & kHighBits);
}
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE Block add_bytes(Block a, Block b) noexcept {
  return {add_bytes(a.low, b.low), add_bytes(a.high, b.high)};
}
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE std::uint64_t soh_bits(Block block) noexcept {
  const std::uint64_t low = block.low ^ kLowBits;
  const std::uint64_t high = block.high ^ kLowBits;
  return (((low - kLowBits) & ~low) | ((high - kLowBits) & ~high)) & kHighBits;
}
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE std::uint32_t sum_of(Block block) noexcept {
  std::uint64_t sum = 0;
  for (const std::uint64_t word : {block.low, block.high}) {
    for (unsigned shift = 0; shift < 64; shift += 8) sum += word >> shift & 0xffU;
  }
  return static_cast<std::uint32_t>(sum);
}

#endif

[[nodiscard]] NEXUSFIX_ALWAYS_INLINE bool holds_soh(Block block) noexcept {
  return soh_bits(block) != 0;
}

#if NEXUSFIX_BYTE_BLOCK_SSE2
// By the number of bytes: the shift of the second of two overlapping pieces of 8 or 4 bytes.
inline constexpr std::array<std::uint64_t, kBlockBytes + 1> kPieceShifts = [] {
  std::array<std::uint64_t, kBlockBytes + 1> shifts{};
  for (std::size_t i = 4; i < shifts.size(); ++i) {
    shifts[i] = 8 * (i > 8 ? kBlockBytes - i : i - 4);
  }
  return shifts;
}();

[[nodiscard]] NEXUSFIX_ALWAYS_INLINE __m128i load_half(const void* from) noexcept {
  return _mm_loadl_epi64(static_cast<const __m128i*>(from));
}

// Loads a table's entry. If the compiler knew the table, it would load the entry into a
// general register first, and an encoder has few of them.
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE __m128i load_entry(const std::uint64_t& entry) noexcept {
  __m128i half;
  asm("movq %1, %0" : "=x"(half) : "m"(entry));
  return half;
}

[[nodiscard]] NEXUSFIX_ALWAYS_INLINE __m128i load_quarter(const char* from) noexcept {
  return _mm_cvtsi32_si128(static_cast<int>(load<std::uint32_t>(from)));
}
#endif

// bytes: 1 to kBlockBytes. Bytes after them are not read and are zero in the block. Pieces of a
// fixed size overlap if the number of bytes is not a power of two.
[[nodiscard]] NEXUSFIX_ALWAYS_INLINE Block load_block(const char* from,
                                                      std::size_t bytes) noexcept {
#if NEXUSFIX_BYTE_BLOCK_SSE2
  // Shifted in the vector register, because the general registers have more to do.
  if (bytes > 8) {
    const __m128i last =
        _mm_srl_epi64(load_half(from + bytes - 8), load_entry(kPieceShifts[bytes]));
    return {_mm_unpacklo_epi64(load_half(from), last)};
  }
  if (bytes >= 4) {
    const __m128i last =
        _mm_sll_epi64(load_quarter(from + bytes - 4), load_entry(kPieceShifts[bytes]));
    return {_mm_or_si128(load_quarter(from), last)};
  }
#else
  if (bytes > 8) {
    // Modulo 64 this is 8 * (16 - bytes), which shifts out the overlap.
    const std::size_t overlap_bits = (0 - 8 * bytes) & 63U;
    return block_of(load<std::uint64_t>(from),
                    load<std::uint64_t>(from + bytes - 8) >> overlap_bits);
  }
  if (bytes >= 4) {
    return block_of(load<std::uint32_t>(from) | load<std::uint32_t>(from + bytes - 4)
                                                    << (8 * (bytes - 4)));
  }
#endif
  const std::size_t middle = bytes / 2;
  return block_of(load<std::uint8_t>(from) | load<std::uint8_t>(from + middle) << (8 * middle) |
                  load<std::uint8_t>(from + bytes - 1) << (8 * (bytes - 1)));
}

}  // namespace nexusfix::wire::detail

// The result of a conversion from text.

namespace nexusfix::wire {

// The value, or Empty, Malformed or OutOfRange.
template <class T>
using Converted = std::expected<T, FieldErrorCode>;

// The bytes that end with a text and are readable with TextFront::Readable.
inline constexpr std::size_t kReadableFrontBytes = 16;

}  // namespace nexusfix::wire

// Decimal digits as machine words, shared by the conversions. Not for applications.

namespace nexusfix::wire::detail {

// What a conversion may read besides the text. Readable: the 16 bytes that end with the text are
// readable, which holds for every value of a complete message except the first two. Such a text is
// one load, even if it is short. Bytes after a text are never read.
enum class TextFront : std::uint8_t { Unreadable, Readable };

// The first character of a text is the lowest byte of a word.
static_assert(std::endian::native == std::endian::little);

inline constexpr std::size_t kWordBytes = 8;
inline constexpr std::uint64_t kEveryByte = 0x0101'0101'0101'0101;
inline constexpr std::uint64_t kZeros = kEveryByte * '0';
inline constexpr std::uint64_t kTenToThe4 = 10'000;
inline constexpr std::uint64_t kTenToThe8 = 100'000'000;
inline constexpr std::uint64_t kTenToThe16 = kTenToThe8 * kTenToThe8;

inline constexpr std::size_t kUint64DigitsMax = 20;

inline constexpr std::array<std::uint64_t, kUint64DigitsMax> kPowersOfTen = [] {
  std::array<std::uint64_t, kUint64DigitsMax> powers{};
  std::uint64_t power = 1;
  for (std::uint64_t& entry : powers) {
    entry = power;
    power *= 10;  // only the step after the last entry, 10^19, wraps
  }
  return powers;
}();

// Eight digits with leading zeros: once as numbers 0 to 9 and once as characters.
struct EightDigits {
  std::uint64_t values;
  std::uint64_t text;
};

struct SixteenDigits {
  EightDigits front;
  EightDigits back;
};

// Constants that the compiler cannot see. It would otherwise replace a vector multiplication by ten
// by three or four instructions.
struct DigitConstants {
  alignas(16) std::array<std::uint16_t, 8> tens;      // 10 in each
  alignas(16) std::array<std::uint16_t, 8> tens_off;  // 10 * 2^8 - 1 in each
  alignas(16) std::array<std::uint16_t, 8> pairs;     // 10 * 2^8 + 1 in each
};
extern const DigitConstants kDigitConstants;

// A point and the digits of 0 to 999 with leading zeros.
struct ThreeDigits {
  std::array<char, 4> text;
};
extern const std::array<ThreeDigits, 1000> kThreeDigits;

inline void store_word(char* out, std::uint64_t word) noexcept {
  std::memcpy(out, &word, sizeof word);
}

template <class Word>
[[nodiscard]] inline Word load_word(const char* from) noexcept {
  Word word;
  std::memcpy(&word, from, sizeof word);
  return word;
}

// The word that load_word() makes of these characters.
template <class Word>
[[nodiscard]] consteval Word word_of(const char* text) noexcept {
  Word word = 0;
  for (std::size_t i = 0; i < sizeof word; ++i) {
    word |= static_cast<Word>(static_cast<unsigned char>(text[i])) << (8 * i);
  }
  return word;
}

// Nonzero if a byte of the text is larger than the same byte of most. Bytes of most are below 0x80.
template <class Word>
[[nodiscard]] inline Word beyond(Word bytes, Word most) noexcept {
  constexpr Word kHighBits = static_cast<Word>(0x8080'8080'8080'8080);
  return ((bytes + (static_cast<Word>(~kHighBits) - most)) | bytes) & kHighBits;
}

// The position of the lowest set bit. bits is not 0.
[[nodiscard, gnu::always_inline]] inline std::size_t lowest_bit(std::uint32_t bits) noexcept {
#if defined(__x86_64__)
  // The intrinsic returns an int, which compilers extend again. CPUs with tzcnt execute this as
  // tzcnt.
  std::size_t at;
  asm("rep bsfl %1, %k0" : "=r"(at) : "r"(bits) : "cc");
  return at;
#else
  return static_cast<std::size_t>(std::countr_zero(bits));
#endif
}

#if defined(__SSE2__)

// floor(v / 10^4) for v < 10^8 is the product with this, shifted right by 45.
inline constexpr std::uint32_t kReciprocalOf10000 = 3'518'437'209;
inline constexpr int kReciprocalOf10000Shift = 45;

[[nodiscard]] inline __m128i constants(const std::array<std::uint16_t, 8>& eight) noexcept {
  const void* const from = eight.data();
  return _mm_load_si128(static_cast<const __m128i*>(from));
}

// One move out of the vector registers for both words. A second move would use a vector port, which
// the conversions need, while an integer port is idle.
[[nodiscard]] inline EightDigits from_vector(__m128i digits) noexcept {
  const auto values = static_cast<std::uint64_t>(_mm_cvtsi128_si64(digits));
  return {values, values | kZeros};
}

// value < 10^8. Copies each of two groups of four digits to four 16-bit lanes and divides them by
// 1000, 100, 10 and 1 at once. Then it subtracts ten times the left neighbour from each lane.
[[nodiscard]] inline EightDigits eight_digits(std::uint32_t value) noexcept {
  const __m128i whole = _mm_cvtsi32_si128(static_cast<int>(value));
  const __m128i front =
      _mm_srli_epi64(_mm_mul_epu32(whole, _mm_cvtsi32_si128(static_cast<int>(kReciprocalOf10000))),
                     kReciprocalOf10000Shift);
  const __m128i back =
      _mm_sub_epi32(whole, _mm_mul_epu32(front, _mm_cvtsi32_si128(static_cast<int>(kTenToThe4))));
  // Four times the groups, because the lane that divides by 1 needs a product of 2^32.
  __m128i groups = _mm_slli_epi16(_mm_unpacklo_epi32(front, back), 2);
  groups = _mm_shufflelo_epi16(groups, _MM_SHUFFLE(2, 2, 0, 0));
  groups = _mm_unpacklo_epi16(groups, groups);
  constexpr auto kHalf = static_cast<short>(0x8000);
  const __m128i reciprocals = _mm_setr_epi16(8389, 5243, 13'108, kHalf, 8389, 5243, 13'108, kHalf);
  const __m128i shifts =
      _mm_setr_epi16(1 << 7, 1 << 11, 1 << 13, kHalf, 1 << 7, 1 << 11, 1 << 13, kHalf);
  const __m128i quotients = _mm_mulhi_epu16(_mm_mulhi_epu16(groups, reciprocals), shifts);
  const __m128i neighbours =
      _mm_slli_epi64(_mm_mullo_epi16(quotients, constants(kDigitConstants.tens)), 16);
  const __m128i digits = _mm_sub_epi16(quotients, neighbours);
  return from_vector(_mm_packus_epi16(digits, digits));
}

// front, back < 10^8. Halves the groups: two of eight digits, four of four, eight of two, sixteen
// digits.
[[nodiscard]] inline SixteenDigits sixteen_digits(std::uint64_t front,
                                                  std::uint64_t back) noexcept {
  const __m128i eights = _mm_unpacklo_epi64(_mm_cvtsi64_si128(static_cast<long long>(front)),
                                            _mm_cvtsi64_si128(static_cast<long long>(back)));
  __m128i quotients = _mm_srli_epi64(_mm_mul_epu32(eights, _mm_set1_epi64x(kReciprocalOf10000)),
                                     kReciprocalOf10000Shift);
  const __m128i fours = _mm_or_si128(
      quotients,
      _mm_slli_epi64(_mm_sub_epi32(eights, _mm_mul_epu32(quotients, _mm_set1_epi64x(kTenToThe4))),
                     32));
  // v * 5243 / 2^19 is v / 100 rounded down for v < 10^4, and v * 6554 / 2^16 is v / 10 for v <
  // 100.
  quotients = _mm_srli_epi16(_mm_mulhi_epu16(fours, _mm_set1_epi32(5243)), 3);
  const __m128i twos = _mm_or_si128(
      quotients,
      _mm_slli_epi32(_mm_sub_epi16(fours, _mm_mullo_epi16(quotients, _mm_set1_epi32(100))), 16));
  quotients = _mm_mulhi_epu16(twos, _mm_set1_epi16(6554));
  // Tens in the low byte, ones in the high one: q + 256 * (v - 10 * q).
  const __m128i digits = _mm_sub_epi16(
      _mm_slli_epi16(twos, 8), _mm_mullo_epi16(quotients, constants(kDigitConstants.tens_off)));
  return {from_vector(digits), from_vector(_mm_unpackhi_epi64(digits, digits))};
}

inline constexpr std::size_t kVectorBytes = 16;

[[nodiscard, gnu::always_inline]] inline __m128i load_vector(const void* from) noexcept {
  return _mm_loadu_si128(static_cast<const __m128i*>(from));
}

// Sixteen zeros and sixteen ones. Read from n bytes on, it keeps the last n bytes of a vector.
inline constexpr std::array<std::uint8_t, 2 * kVectorBytes> kOnesAfterZeros = [] {
  std::array<std::uint8_t, 2 * kVectorBytes> mask{};
  for (std::size_t i = kVectorBytes; i < mask.size(); ++i) mask[i] = 0xff;
  return mask;
}();

[[nodiscard, gnu::always_inline]] inline __m128i keep_last(std::size_t bytes) noexcept {
  return load_vector(kOnesAfterZeros.data() + bytes);
}

// The word that ends where the text ends. Bytes before the text are shifted out and replaced by
// '\0'. 1 <= text.size() <= 8.
[[nodiscard]] inline std::uint64_t load_last_word(std::string_view text) noexcept {
  const std::size_t size = text.size();
  const char* const from = text.data();
  const std::size_t missing_bits = 8 * (kWordBytes - size);
  if (size >= 4) {
    std::uint32_t front;
    std::uint32_t back;
    std::memcpy(&front, from, sizeof front);
    std::memcpy(&back, from + size - sizeof back, sizeof back);
    const std::uint64_t shifted = std::uint64_t{front} << missing_bits;
    return static_cast<std::uint32_t>(shifted) | (std::uint64_t{back} << 32U);
  }
  // The first, the middle and the last byte cover one, two or three bytes.
  const auto byte = [from](std::size_t at) noexcept {
    return std::uint64_t{static_cast<unsigned char>(from[at])} << (8 * at);
  };
  return (byte(0) | byte(size / 2) | byte(size - 1)) << missing_bits;
}

// The vector that ends where the text ends. The bytes before the text are arbitrary. 1 <=
// text.size() <= 16.
template <TextFront Front>
[[nodiscard]] inline __m128i load_last_vector(std::string_view text) noexcept {
  const char* const from = text.data();
  const std::size_t size = text.size();
  if constexpr (Front == TextFront::Readable) {
    return load_vector(from + size - kVectorBytes);
  } else {
    if (size >= kWordBytes) {
      // A vector shift by 64 bits, for a text of eight bytes, is defined and gives zero.
      const auto missing_bits = static_cast<int>(8 * (kVectorBytes - size));
      const void* const back = from + size - kWordBytes;
      const void* const front = from;
      return _mm_unpacklo_epi64(_mm_sll_epi64(_mm_loadl_epi64(static_cast<const __m128i*>(front)),
                                              _mm_cvtsi32_si128(missing_bits)),
                                _mm_loadl_epi64(static_cast<const __m128i*>(back)));
    }
    return _mm_slli_si128(_mm_cvtsi64_si128(static_cast<long long>(load_last_word(text))), 8);
  }
}

// The last bytes of text as numbers, 0 to 9 if they are digits, with zeros before them.
[[nodiscard, gnu::always_inline]] inline __m128i digits_of(__m128i text,
                                                           std::size_t bytes) noexcept {
  return _mm_and_si128(_mm_sub_epi8(text, _mm_set1_epi8('0')), keep_last(bytes));
}

// Sets the sign of each byte that is not 0 to 9.
[[nodiscard, gnu::always_inline]] inline __m128i other_signs(__m128i digits) noexcept {
  constexpr char kAboveNine = 0x76;  // carries 10 to the sign
  return _mm_adds_epu8(digits, _mm_set1_epi8(kAboveNine));
}
// A bit for each byte that is not.
[[nodiscard, gnu::always_inline]] inline unsigned other_bits(__m128i digits) noexcept {
  return static_cast<unsigned>(_mm_movemask_epi8(other_signs(digits)));
}
// Whether a text of 1 to 16 bytes, with which last_bytes ends, is digits with at most one point,
// which is not its last byte. One path for all, because no branch predictor knows which prices have
// a point.
[[nodiscard, gnu::always_inline]] inline bool is_plain_decimal(__m128i last_bytes,
                                                               std::size_t bytes) noexcept {
  constexpr unsigned kFirstByte = 1U << kVectorBytes;  // of the text, in bits that are moved
  const __m128i is_point = _mm_cmpeq_epi8(last_bytes, _mm_set1_epi8('.'));
  const __m128i digits = _mm_sub_epi8(last_bytes, _mm_set1_epi8('0'));
  const auto point_bits = static_cast<unsigned>(_mm_movemask_epi8(is_point));
  const auto others =
      static_cast<unsigned>(_mm_movemask_epi8(_mm_andnot_si128(is_point, other_signs(digits))));
  const unsigned points = point_bits << bytes;
  return ((points & (points - kFirstByte)) | others << bytes | point_bits << 1U) < kFirstByte;
}

// Two digits become one 16-bit number: (d0 + 2^8 * d1) * (10 * 2^8 + 1) has 10 * d0 + d1 in its
// high byte.
[[nodiscard, gnu::always_inline]] inline __m128i pairs_of_digits(__m128i digits) noexcept {
  return _mm_srli_epi16(_mm_mullo_epi16(digits, constants(kDigitConstants.pairs)), 8);
}

// The value of sixteen digits, below 10^16.
[[nodiscard, gnu::always_inline]] inline std::uint64_t value_of_digits(__m128i digits) noexcept {
  constexpr int kHundredAndOne = 100 | (1 << 16);
  constexpr int kTenThousandAndOne = 10'000 | (1 << 16);
  const __m128i fours = _mm_madd_epi16(pairs_of_digits(digits), _mm_set1_epi32(kHundredAndOne));
  const __m128i eights =
      _mm_madd_epi16(_mm_packs_epi32(fours, fours), _mm_set1_epi32(kTenThousandAndOne));
  const auto both = static_cast<std::uint64_t>(_mm_cvtsi128_si64(eights));
  return std::uint64_t{static_cast<std::uint32_t>(both)} * kTenToThe8 + (both >> 32U);
}

#else

// value < 10^8. Halves the groups within one word: two of four digits, four of two, eight digits.
// Each step, such as q + (v - 100 * q) * 2^16, is one multiplication.
[[nodiscard]] inline EightDigits eight_digits(std::uint32_t value) noexcept {
  const std::uint64_t thousands = value / kTenToThe4;
  const std::uint64_t fours = (std::uint64_t{value} << 32U) + thousands * (1 - (kTenToThe4 << 32U));
  const std::uint64_t hundreds = ((fours * 10'486) >> 20U) & 0x0000'007f'0000'007f;
  const std::uint64_t twos = (fours << 16U) - hundreds * ((100U << 16U) - 1);
  const std::uint64_t tens = ((twos * 103) >> 10U) & 0x000f'000f'000f'000f;
  const std::uint64_t digits = (twos << 8U) - tens * ((10U << 8U) - 1);
  return {digits, digits | kZeros};
}

// front, back < 10^8.
[[nodiscard]] inline SixteenDigits sixteen_digits(std::uint64_t front,
                                                  std::uint64_t back) noexcept {
  return {eight_digits(static_cast<std::uint32_t>(front)),
          eight_digits(static_cast<std::uint32_t>(back))};
}

#endif

// Writes the digits without leading zeros, but at least one, and returns their number. Always
// stores eight bytes.
inline std::size_t store_without_leading_zeros(char* out, EightDigits digits) noexcept {
  constexpr std::uint64_t kLastDigitCounts = std::uint64_t{1} << 56U;
  const auto zero_bits = static_cast<unsigned>(__builtin_ctzll(digits.values | kLastDigitCounts));
  store_word(out, digits.text >> (zero_bits & 0x38U));
  return kWordBytes - zero_bits / 8;
}

// "00" to "99", so that one division by 100 gives two digits.
inline constexpr std::array<char, 200> kTwoDigits = [] {
  std::array<char, 200> text{};
  for (std::size_t i = 0; i < 100; ++i) {
    text[2 * i] = static_cast<char>('0' + i / 10);
    text[2 * i + 1] = static_cast<char>('0' + i % 10);
  }
  return text;
}();

inline void write_two_digits(char* out, unsigned value) noexcept {
  std::memcpy(out, &kTwoDigits[std::size_t{2} * value], 2);
}

}  // namespace nexusfix::wire::detail

// Text of FIX int, SeqNum, Length and NumInGroup, and its value.

namespace nexusfix::wire {

// FIX int: optional minus, digits, leading zeros allowed; no plus, no blank. Empty, Malformed, or
// OutOfRange beyond 64 bits. No allocation; any thread.
template <detail::TextFront Front = detail::TextFront::Unreadable>
[[nodiscard]] Converted<std::int64_t> to_int(std::string_view text) noexcept;
// Reads a number without a sign: SeqNum, Length, NumInGroup.
template <detail::TextFront Front = detail::TextFront::Unreadable>
[[nodiscard]] Converted<std::uint64_t> to_uint(std::string_view text) noexcept;

// Each function writes to out and returns the size of the text. It may overwrite all kIntBytesMax
// bytes of out. No allocation; any thread.
inline constexpr std::size_t kIntBytesMax = 20;
inline std::size_t from_int(std::int64_t value, char* out) noexcept;
inline std::size_t from_uint(std::uint64_t value, char* out) noexcept;

namespace detail {

// The slow path of the inline functions: texts of more than 16 bytes, negative numbers, errors.
[[nodiscard]] Converted<std::int64_t> to_any_int(std::string_view text) noexcept;
[[nodiscard]] Converted<std::uint64_t> to_any_uint(std::string_view text) noexcept;

// value >= 10^8. Most sequence numbers of a busy day have nine digits, so they need no sixteen.
[[nodiscard]] inline std::size_t store_long_uint(char* out, std::uint64_t value) noexcept {
  if (value < 10 * kTenToThe8) [[likely]] {
    const std::uint64_t first = value / kTenToThe8;
    *out = static_cast<char>('0' + first);
    store_word(out + 1, eight_digits(static_cast<std::uint32_t>(value - first * kTenToThe8)).text);
    return 1 + kWordBytes;
  }
  char* const begin = out;
  if (value >= kTenToThe16) {
    out += store_without_leading_zeros(
        out, eight_digits(static_cast<std::uint32_t>(value / kTenToThe16)));
    const std::uint64_t rest = value % kTenToThe16;
    const SixteenDigits digits = sixteen_digits(rest / kTenToThe8, rest % kTenToThe8);
    store_word(out, digits.front.text);
    out += kWordBytes;
    store_word(out, digits.back.text);
  } else {
    const SixteenDigits digits = sixteen_digits(value / kTenToThe8, value % kTenToThe8);
    out += store_without_leading_zeros(out, digits.front);
    store_word(out, digits.back.text);
  }
  return static_cast<std::size_t>(out - begin) + kWordBytes;
}

// The value of a text of 1 to 16 digits. False: another text, which the slow path reads.
template <TextFront Front>
[[nodiscard, gnu::always_inline]] inline bool parse_digits(std::string_view text,
                                                           std::uint64_t& value) noexcept {
#if defined(__SSE2__)
  if (text.size() - 1 < kVectorBytes) [[likely]] {
    const __m128i digits = digits_of(load_last_vector<Front>(text), text.size());
    if (other_bits(digits) == 0) [[likely]] {
      value = value_of_digits(digits);
      return true;
    }
  }
#else
  static_cast<void>(text);
  static_cast<void>(value);
#endif
  return false;
}

}  // namespace detail

template <detail::TextFront Front>
Converted<std::uint64_t> to_uint(std::string_view text) noexcept {
  std::uint64_t value;
  if (detail::parse_digits<Front>(text, value)) [[likely]]
    return value;
  return detail::to_any_uint(text);
}

template <detail::TextFront Front>
Converted<std::int64_t> to_int(std::string_view text) noexcept {
  std::uint64_t value;
  if (detail::parse_digits<Front>(text, value)) [[likely]]
    return static_cast<std::int64_t>(value);
  return detail::to_any_int(text);
}

inline std::size_t from_uint(std::uint64_t value, char* out) noexcept {
  if (value >= detail::kTenToThe8) [[unlikely]]
    return detail::store_long_uint(out, value);
  return detail::store_without_leading_zeros(
      out, detail::eight_digits(static_cast<std::uint32_t>(value)));
}

inline std::size_t from_int(std::int64_t value, char* out) noexcept {
  if (value >= 0) [[likely]]
    return from_uint(static_cast<std::uint64_t>(value), out);
  *out = '-';
  // 0 - v in unsigned arithmetic is correct for the smallest value, too. Its negation does not fit
  // into int64.
  return 1 + from_uint(0 - static_cast<std::uint64_t>(value), out + 1);
}

}  // namespace nexusfix::wire
