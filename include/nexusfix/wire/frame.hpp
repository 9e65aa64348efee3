// Finds messages in a stream of bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include <nexusfix/base/language.hpp>
#include <nexusfix/wire/digits.hpp>

#if defined(__SSE2__)
#include <emmintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace nexusfix::wire {

// Why bytes are garbled: they are no frame, or the frame is no message. The last four come from the
// parser, for a complete frame.
enum class GarbledReason : std::uint8_t {
  NoBeginString,          // garbage before the next `8=`
  BodyLengthMalformed,    // second field is not 9=<digits>
  BodyLengthTooLarge,     // above the limit: the next frame's position is unknown
  TooLong,                // no CheckSum field found within FrameLimits
  BodyLengthWrong,        // BodyLength is not the number of bytes of the body
  CheckSumMalformed,      // the last field is not 10=<three digits>
  CheckSumWrong,          // CheckSum is not the sum of the bytes
  FirstFieldsOutOfOrder,  // 8, 9, 35 are not the first three
};

// The front of the bytes that were examined.
struct FrameResult {
  // What a search for a frame has found at the front of the bytes.
  enum class Status : std::uint8_t {
    Complete,  // bytes [0, size) are one frame; the parser verifies its CheckSum
    NeedMore,  // the stream ends inside a frame: call again with at least size bytes
    Garbled,   // bytes [0, size) belong to no frame: skip them
    Skipped,   // FrameScanner only: [0, size) continue the garbage of the last Garbled:
               // skip them, too, and do not count them as another Garbled
  };
  Status status = Status::NeedMore;                     // what the front is
  std::size_t size = 0;                                 // bytes of it; see Status
  GarbledReason reason = GarbledReason::NoBeginString;  // only when Garbled
};

// Offsets within a message have 32 bits, so no limit allows a longer message than this.
inline constexpr std::size_t kMessageBytesMax = 0x7fff'ffff;

// Protects a receiver from frames that are too large.
struct FrameLimits {
  // A message ends at most this number of bytes after the end of the body that BodyLength
  // announces: its BodyLength may be too small, but it does not grow for ever.
  static constexpr std::size_t kBytesAfterBodyMax = 64U << 10U;

  std::size_t message_bytes_max = 1U << 20U;  // bytes of a message, at most kMessageBytesMax
};

namespace detail {

inline constexpr std::size_t kOrdinaryHeadBytes = 24;
inline constexpr std::size_t kOrdinaryTrailerBytes = 8;  // with the SOH before it
inline constexpr std::size_t kOrdinaryPatternBytes = kOrdinaryHeadBytes + kOrdinaryTrailerBytes;
// No ordinary message is shorter, so its head may be loaded without another check.
inline constexpr std::size_t kOrdinaryBytesMin = kOrdinaryPatternBytes;

// The required first and last bytes of a message: after an exclusive or with flip, each of them is
// at most at_most.
struct OrdinaryPattern {
  alignas(16) std::array<unsigned char, kOrdinaryPatternBytes> flip{};
  alignas(16) std::array<unsigned char, kOrdinaryPatternBytes> at_most{};
};

// In the text, '#' is a digit, '?' is any byte, and every other byte is itself.
[[nodiscard]] consteval OrdinaryPattern ordinary_pattern(
    const char (&text)[kOrdinaryPatternBytes + 1]) {
  OrdinaryPattern pattern;
  for (std::size_t i = 0; i < kOrdinaryPatternBytes; ++i) {
    const bool is_digit = text[i] == '#';
    const bool is_any = text[i] == '?';
    pattern.flip[i] = static_cast<unsigned char>(is_digit ? '0' : is_any ? '\0' : text[i]);
    pattern.at_most[i] = is_digit ? 9 : is_any ? 0xff : 0;
  }
  return pattern;
}

// By the number of digits of BodyLength, which begins at byte 12 of FIX.4.x and 13 of FIXT.1.x.
// clang-format off
inline constexpr OrdinaryPattern kFix4Of2 =
    ordinary_pattern("8=FIX.4.#\x01" "9=##\x01" "35=??????" "\x01" "10=###\x01");
inline constexpr OrdinaryPattern kFix4Of3 =
    ordinary_pattern("8=FIX.4.#\x01" "9=###\x01" "35=?????" "\x01" "10=###\x01");
inline constexpr OrdinaryPattern kFix4Of4 =
    ordinary_pattern("8=FIX.4.#\x01" "9=####\x01" "35=????" "\x01" "10=###\x01");
inline constexpr OrdinaryPattern kFixtOf2 =
    ordinary_pattern("8=FIXT.1.#\x01" "9=##\x01" "35=?????" "\x01" "10=###\x01");
inline constexpr OrdinaryPattern kFixtOf3 =
    ordinary_pattern("8=FIXT.1.#\x01" "9=###\x01" "35=????" "\x01" "10=###\x01");
inline constexpr OrdinaryPattern kFixtOf4 =
    ordinary_pattern("8=FIXT.1.#\x01" "9=####\x01" "35=???" "\x01" "10=###\x01");
// clang-format on

[[nodiscard]] inline bool matches(const char* head, const char* trailer,
                                  const OrdinaryPattern& pattern) noexcept {
#if defined(__SSE2__)
  const auto load = [](const auto* at) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
  };
  const auto load_half = [](const char* at) {
    return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(at));
  };
  // A byte above at_most leaves a nonzero remainder. One test checks all 32 bytes.
  const __m128i first =
      _mm_subs_epu8(_mm_xor_si128(load(head), load(&pattern.flip[0])), load(&pattern.at_most[0]));
  const __m128i both = _mm_unpacklo_epi64(load_half(head + 16), load_half(trailer));
  const __m128i second =
      _mm_subs_epu8(_mm_xor_si128(both, load(&pattern.flip[16])), load(&pattern.at_most[16]));
  const __m128i above = _mm_or_si128(first, second);
  return _mm_movemask_epi8(_mm_cmpeq_epi8(above, _mm_setzero_si128())) == 0xffff;
#elif defined(__aarch64__)
  const auto load = [](const auto* at) {
    return vld1q_u8(reinterpret_cast<const unsigned char*>(at));
  };
  const auto load_half = [](const char* at) {
    return vld1_u8(reinterpret_cast<const unsigned char*>(at));
  };
  const uint8x16_t first =
      vqsubq_u8(veorq_u8(load(head), load(&pattern.flip[0])), load(&pattern.at_most[0]));
  const uint8x16_t both = vcombine_u8(load_half(head + 16), load_half(trailer));
  const uint8x16_t second =
      vqsubq_u8(veorq_u8(both, load(&pattern.flip[16])), load(&pattern.at_most[16]));
  return vmaxvq_u8(vorrq_u8(first, second)) == 0;
#else
  unsigned above = 0;
  for (std::size_t i = 0; i < kOrdinaryPatternBytes; ++i) {
    const char byte = i < kOrdinaryHeadBytes ? head[i] : trailer[i - kOrdinaryHeadBytes];
    const unsigned flipped = static_cast<unsigned char>(byte) ^ unsigned { pattern.flip[i] };
    above |= flipped > pattern.at_most[i] ? 1U : 0U;
  }
  return above == 0;
#endif
}

// The size of a frame whose BodyLength has Digits digits and begins at byte LengthAt; any number if
// these bytes are not digits. The order of the additions keeps few instructions between one frame's
// digits and the address of the next frame, because that chain limits the speed of framing.
template <std::size_t LengthAt, std::size_t Digits>
[[nodiscard]] inline std::size_t announced_size(const char* bytes) noexcept {
  const auto byte_at = [bytes](std::size_t i) -> std::size_t {
    return static_cast<unsigned char>(bytes[LengthAt + i]);
  };
  constexpr std::size_t kZeroDigits = '0' * (Digits == 2 ? 11 : Digits == 3 ? 111 : 1111);
  constexpr std::size_t kAround = LengthAt + Digits + kOrdinaryTrailerBytes - kZeroDigits;
  if constexpr (Digits == 2) return (kAround + byte_at(1)) + 10 * byte_at(0);
  if constexpr (Digits == 3) {
    std::size_t quarter = 25 * byte_at(0);
    asm("" : "+r"(quarter));
    return (kAround + byte_at(2) + 10 * byte_at(1)) + 4 * quarter;
  } else {
    return (kAround + byte_at(3) + 10 * byte_at(2)) + (100 * byte_at(1) + 1000 * byte_at(0));
  }
}

// The size of the frame that bytes begin with, if it has the common form: `8=FIX.4.x` or
// `8=FIXT.1.x`, a correct BodyLength of two to four digits, MsgType third, and a CheckSum of three
// digits. 0 for every other frame, and for one that exceeds size bytes or the limit: the slow path
// then decides. Always inlined: a call would return a number that waits for the last comparison,
// and so would the next frame's address.
[[nodiscard, gnu::always_inline]] inline std::size_t ordinary_frame_size(
    const char* bytes, std::size_t size, std::size_t message_bytes_max) noexcept {
  const std::size_t size_max = size < message_bytes_max ? size : message_bytes_max;
  if (size_max < kOrdinaryBytesMin) return 0;
  constexpr char kSoh = '\x01';
  const OrdinaryPattern* pattern = &kFix4Of3;
  std::size_t announced = 0;
  if (bytes[5] == '.') [[likely]] {
    if (bytes[15] == kSoh) [[likely]] {
      announced = announced_size<12, 3>(bytes);
    } else if (bytes[14] == kSoh) {
      announced = announced_size<12, 2>(bytes);
      pattern = &kFix4Of2;
    } else {
      announced = announced_size<12, 4>(bytes);
      pattern = &kFix4Of4;
    }
  } else if (bytes[16] == kSoh) {
    announced = announced_size<13, 3>(bytes);
    pattern = &kFixtOf3;
  } else if (bytes[15] == kSoh) {
    announced = announced_size<13, 2>(bytes);
    pattern = &kFixtOf2;
  } else {
    announced = announced_size<13, 4>(bytes);
    pattern = &kFixtOf4;
  }
  // One comparison for both ends of the range: a size that is too small wraps.
  if (announced - kOrdinaryBytesMin > size_max - kOrdinaryBytesMin) [[unlikely]]
    return 0;
  const char* const trailer = bytes + announced - kOrdinaryTrailerBytes;
  if (!matches(bytes, trailer, *pattern)) [[unlikely]]
    return 0;
  // Keeps the branch above a branch. With a conditional move, the result, and so the address of the
  // next frame, would wait for the comparison.
  asm volatile("");
  return announced;
}

}  // namespace detail

// Finds the frames of a stream that arrives in pieces. It keeps what it has learned about an
// incomplete frame, so it examines no byte twice. Frames, Garbled results and sums of skipped bytes
// do not depend on where the stream is split. One object for each stream; 56 bytes. Never
// allocates.
//
//   FrameResult result = scanner.next(bytes);   // bytes: received and not yet consumed
//
// After NeedMore, call it again with the same bytes and at least one more. It does not examine the
// earlier bytes again, except the last four of a message that turns out to be TooLong. Within a
// frame, fewer than size bytes cannot change the result. After every other result, continue size
// bytes further. Not thread-safe.
class FrameScanner {
 public:
  // A scanner at the start of a stream.
  explicit FrameScanner(FrameLimits limits = {}) noexcept
      : message_bytes_max_{limits.message_bytes_max < kMessageBytesMax ? limits.message_bytes_max
                                                                       : kMessageBytesMax} {}

  // Whether the next frame begins with the next byte, and may have this number of bytes.
  [[nodiscard]] bool may_begin(std::size_t bytes) const noexcept {
    return step_ == Step::Start && at_ == 0 && bytes <= message_bytes_max_;
  }
  // Examines the front of bytes. Never reads past them; O(examined bytes).
  [[nodiscard, gnu::always_inline]] FrameResult next(std::string_view bytes) noexcept {
    if (step_ == Step::Start && at_ == 0) {
      if (const std::size_t size =
              detail::ordinary_frame_size(bytes.data(), bytes.size(), message_bytes_max_)) {
        return {FrameResult::Status::Complete, size, {}};
      }
    }
    return resume(bytes);
  }

 private:
  enum class Step : std::uint8_t {
    Hunt,       // for the next `8=FIX`
    Start,      // `8=FIX`
    Version,    // the rest of BeginString
    LengthTag,  // `9=`
    Length,     // its digits
    TypeTag,    // `35=`
    Search,     // for SOH and `10=`, from the position that BodyLength announces
    CheckSum,   // its value
  };
  enum class Progress : std::uint8_t { Done, Torn, Malformed };

  [[nodiscard]] FrameResult resume(std::string_view bytes) noexcept;
  [[nodiscard]] Progress read_head(std::string_view bytes) noexcept;
  [[nodiscard]] Progress read_text(char c, std::string_view text, Step following,
                                   GarbledReason reason) noexcept;
  [[nodiscard]] Progress read_version(char c) noexcept;
  [[nodiscard]] Progress read_length(char c) noexcept;
  [[nodiscard]] bool search(std::string_view window) noexcept;
  [[nodiscard]] std::size_t check_sum_end(std::string_view window) noexcept;
  [[nodiscard]] std::size_t hunt(std::string_view bytes) noexcept;
  [[nodiscard]] bool go_on_matching(std::string_view bytes, std::string_view text) noexcept;
  [[nodiscard]] FrameResult garbled(std::string_view bytes) noexcept;
  [[nodiscard]] FrameResult begin_again(const FrameResult& result) noexcept;

  std::size_t message_bytes_max_;
  std::size_t at_ = 0;        // the first byte not yet examined
  std::size_t value_at_ = 0;  // of the value that it is reading
  std::size_t body_end_ = 0;  // before the body: BodyLength so far
  std::size_t matched_ = 0;   // bytes before at_ that match the beginning of the searched text
  Step step_ = Step::Start;
  GarbledReason reason_ = GarbledReason::NoBeginString;
};

// The slow path of next_frame().
[[nodiscard]] FrameResult next_slow_path_frame(std::string_view bytes,
                                               const FrameLimits& limits) noexcept;

// Examines the front of bytes, where a frame should begin. A frame ends with the first CheckSum
// field at or after the position that BodyLength announces. Never reads past bytes, never
// allocates, O(examined bytes). Any thread. For a stream that arrives in pieces use FrameScanner.
[[nodiscard, gnu::always_inline]] inline FrameResult next_frame(
    std::string_view bytes, const FrameLimits& limits) noexcept {
  if (const std::size_t size =
          detail::ordinary_frame_size(bytes.data(), bytes.size(), limits.message_bytes_max)) {
    return {FrameResult::Status::Complete, size, {}};
  }
  return next_slow_path_frame(bytes, limits);
}

// Iterates over the complete frames of a buffer and counts the bytes between them.
class Framer {
 public:
  // bytes must outlive the framer and the frames that it returns.
  explicit Framer(std::string_view bytes, FrameLimits limits = {}) noexcept
      : rest_{bytes}, limits_{limits} {}

  // The next complete frame, a view into the buffer. Nothing: rest() holds the incomplete one.
  [[nodiscard, gnu::always_inline]] std::optional<std::string_view> next() noexcept {
    std::size_t size =
        detail::ordinary_frame_size(rest_.data(), rest_.size(), limits_.message_bytes_max);
    if (size == 0) {
      // By value, because a member whose address is known elsewhere cannot stay in a register.
      const SlowPathFrame found = next_slow_path(rest_, limits_);
      garbled_bytes_ += found.garbled_bytes;
      rest_.remove_prefix(found.garbled_bytes);
      if (found.size == 0) return std::nullopt;
      size = found.size;
    }
    const std::string_view frame{rest_.data(), size};
    rest_.remove_prefix(size);
    return frame;
  }

  // The bytes after the last frame. After next() has returned nothing: the start of the next frame,
  // to be kept until more bytes arrive.
  [[nodiscard]] std::string_view rest() const noexcept { return rest_; }
  // The number of bytes so far that belong to no frame.
  [[nodiscard]] std::size_t garbled_bytes() const noexcept { return garbled_bytes_; }

 private:
  struct SlowPathFrame {
    std::size_t garbled_bytes = 0;  // before the frame
    std::size_t size = 0;           // 0: there is no complete frame
  };
  [[nodiscard]] static SlowPathFrame next_slow_path(std::string_view bytes,
                                                    FrameLimits limits) noexcept;

  std::string_view rest_;
  FrameLimits limits_;
  std::size_t garbled_bytes_ = 0;
};

// The reason as a text for a log. It lives as long as the program.
[[nodiscard]] std::string_view to_string(GarbledReason reason) noexcept;

// CheckSum (10): the sum of all bytes of a message up to and including the SOH before `10=`, modulo
// 256 (FIX Session Layer, sec. "Checksum calculation").

// The sum of the bytes modulo 256. bytes may be empty and of any size; nothing outside of them is
// read. Any thread; no allocation. The sums of parts add up to the sum of the whole.
[[nodiscard]] inline std::uint8_t check_sum(std::string_view bytes) noexcept;

namespace detail {

// Fewer than 16 bytes, in two pieces that may overlap. The bytes that both contain are shifted out
// of the second one.
[[nodiscard]] inline std::uint64_t sum_of_few(const char* from, std::size_t size) noexcept {
  const auto piece = [&]<class Word>(std::size_t at, Word) noexcept -> std::uint64_t {
    Word word;
    std::memcpy(&word, from + at, sizeof word);
    return word;
  };
  constexpr std::uint64_t kEvenBytes = 0x00ff'00ff'00ff'00ff;
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  if (size >= 8) {
    first = piece(0, std::uint64_t{});
    // In two steps, because a shift by all 64 bits is undefined.
    second = piece(size - 8, std::uint64_t{}) >> 8 >> 8 * (15 - size);
  } else if (size >= 4) {
    first = piece(0, std::uint32_t{});
    second = piece(size - 4, std::uint32_t{}) >> 8 * (8 - size);
  } else if (size >= 2) {
    first = piece(0, std::uint16_t{});
    second = piece(size - 2, std::uint16_t{}) >> 8 * (4 - size);
  } else if (size == 1) {
    first = piece(0, std::uint8_t{});
  }
  const std::uint64_t sums = (first & kEvenBytes) + (first >> 8U & kEvenBytes) +
                             (second & kEvenBytes) + (second >> 8U & kEvenBytes);
  // Adds the four 16-bit sums into the highest one.
  return sums * 0x0001'0001'0001'0001 >> 48U;
}

}  // namespace detail

#if defined(__SSE2__)

// Adds bytes as bytes, because only the sum modulo 256 matters, and adds up the vector once at the
// end.
inline std::uint8_t check_sum(std::string_view bytes) noexcept {
  using detail::kVectorBytes;
  using detail::load_vector;
  const char* at = bytes.data();
  const std::size_t size = bytes.size();
  if (size < kVectorBytes) return static_cast<std::uint8_t>(detail::sum_of_few(at, size));

  // The remainder that is no whole vector: the last bytes of a vector that ends where the bytes
  // end.
  __m128i a =
      _mm_and_si128(load_vector(at + size - kVectorBytes), detail::keep_last(size % kVectorBytes));
  __m128i b = _mm_setzero_si128();
  // After the blocks of eight vectors, adds one, two and four vectors as needed: fewer branches
  // than a loop.
  constexpr std::size_t kBlock = 8 * kVectorBytes;
  for (const char* const end = at + size / kBlock * kBlock; at != end; at += kBlock) {
    a = _mm_add_epi8(a, load_vector(at));
    b = _mm_add_epi8(b, load_vector(at + kVectorBytes));
    a = _mm_add_epi8(a, load_vector(at + 2 * kVectorBytes));
    b = _mm_add_epi8(b, load_vector(at + 3 * kVectorBytes));
    a = _mm_add_epi8(a, load_vector(at + 4 * kVectorBytes));
    b = _mm_add_epi8(b, load_vector(at + 5 * kVectorBytes));
    a = _mm_add_epi8(a, load_vector(at + 6 * kVectorBytes));
    b = _mm_add_epi8(b, load_vector(at + 7 * kVectorBytes));
  }
  if ((size & (4 * kVectorBytes)) != 0) {
    a = _mm_add_epi8(a, load_vector(at));
    b = _mm_add_epi8(b, load_vector(at + kVectorBytes));
    a = _mm_add_epi8(a, load_vector(at + 2 * kVectorBytes));
    b = _mm_add_epi8(b, load_vector(at + 3 * kVectorBytes));
    at += 4 * kVectorBytes;
  }
  if ((size & (2 * kVectorBytes)) != 0) {
    a = _mm_add_epi8(a, load_vector(at));
    b = _mm_add_epi8(b, load_vector(at + kVectorBytes));
    at += 2 * kVectorBytes;
  }
  if ((size & kVectorBytes) != 0) a = _mm_add_epi8(a, load_vector(at));
  const __m128i sums = _mm_sad_epu8(_mm_add_epi8(a, b), _mm_setzero_si128());
  return static_cast<std::uint8_t>(_mm_cvtsi128_si32(sums) + _mm_extract_epi16(sums, 4));
}

#else

inline std::uint8_t check_sum(std::string_view bytes) noexcept {
  constexpr std::size_t kPiece = 8;
  std::uint64_t sum = 0;
  for (; bytes.size() > kPiece; bytes.remove_prefix(kPiece)) {
    sum += detail::sum_of_few(bytes.data(), kPiece);
  }
  return static_cast<std::uint8_t>(sum + detail::sum_of_few(bytes.data(), bytes.size()));
}

#endif

}  // namespace nexusfix::wire
