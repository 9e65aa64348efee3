// A complete kernel of windows.inl.hpp. Include this file after all that windows.inl.hpp needs, and
// after:
//
//   no_bytes(), total_of(sum)       of a ByteSum

#include "wire/kernels/generic/windows.inl.hpp"

// By BodyLength, below 256 and without padding: the four bytes before its SOH, with `9=` or `=`.
struct ShortBodyLengths {
  std::uint32_t words[256];
};

constexpr ShortBodyLengths make_short_body_lengths() noexcept {
  ShortBodyLengths lengths{};
  for (std::uint32_t length = 0; length < 256; ++length) {
    const std::uint32_t tens = '0' + length / 10 % 10;
    const std::uint32_t ones = '0' + length % 10;
    lengths.words[length] = length >= 100
                                ? '=' | ('0' + length / 100) << 8 | tens << 16 | ones << 24
                            : length >= 10 ? '9' | '=' << 8 | tens << 16 | ones << 24
                                           : '\x01' | '9' << 8 | '=' << 16 | ones << 24;
  }
  return lengths;
}

alignas(64) constexpr ShortBodyLengths kShortBodyLengths = make_short_body_lengths();

// Whether BodyLength is the given one, below 256, and without padding. body: where the body begins,
// after `8=...` SOH and `9=...` SOH. The bytes before it are readable.
inline bool is_short_body_length(const char* body, std::uint32_t length) noexcept {
  std::uint32_t word;
  __builtin_memcpy(&word, body - 1 - sizeof word, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  word = __builtin_bswap32(word);
#endif
  return word == kShortBodyLengths.words[length & 0xff];
}

// Checks in the bytes what has_good_head() checks in the index, so that no load waits for a recent
// store. Also false if the check would take longer.
inline bool has_usual_head(const char* frame, std::uint32_t body_end,
                           const std::uint32_t* starts) noexcept {
  constexpr std::uint32_t kLengthsMax = 256;  // the limit of is_short_body_length()
  const std::uint32_t length = body_end - starts[2];
  // The size of the second field, with its SOH.
  const std::uint32_t field_bytes = 4U + (length >= 10 ? 1U : 0U) + (length >= 100 ? 1U : 0U);
  return __builtin_memcmp(frame, "8=", 2) == 0 &&
         __builtin_memcmp(frame + starts[1], "9=", 2) == 0 &&
         __builtin_memcmp(frame + starts[2], "35=", 3) == 0 && length < kLengthsMax &&
         starts[2] - starts[1] == field_bytes && is_short_body_length(frame + starts[2], length);
}

template <unsigned Policy>
std::uint32_t index_frame(const char* frame, std::size_t frame_bytes, IndexWork& work) noexcept {
  // One comparison checks both limits.
  if (frame_bytes - kFrameBytesMin > kFrameBytesMax - kFrameBytesMin) return 0;
  const auto size = static_cast<std::uint32_t>(frame_bytes);
  const Trailer trailer = read_trailer(frame, size);
  if (!trailer.good) return 0;
  work.first.rule = kNoFault;
  work.first_but_empty.rule = kNoFault;
  const std::uint32_t body_end = size - kTrailerBytes;
  ByteSum sum = no_bytes();
  std::uint32_t entry = 0;
  bool is_usual = false;
  Starts starts;
  starts.at[0] = 0;
  for (std::uint32_t from = 0; from < body_end; from += kWindowBytes) {
    const std::uint32_t rest = body_end - from;
    const std::uint32_t bytes = rest < kWindowBytes ? rest : kWindowBytes;
    const std::uint32_t fields = find_fields(frame, from, from + bytes, starts, sum);
    constexpr std::uint32_t kFieldsInFront = 3;
    is_usual = from == 0 && fields >= kFieldsInFront && has_usual_head(frame, body_end, starts.at);
    entry = index_fields(frame, size, starts, fields, entry, work);
    if (entry > work.arrays.capacity) {
      work.more_capacity = 1;
      return 0;
    }
    starts.at[0] = starts.at[fields];
  }
  put_trailer(work.arrays, entry, size);
  if constexpr (Policy == 0) {
    // Without a fault, the first three fields of the message are those of the index.
    if (is_usual && work.first.rule == kNoFault) {
      constexpr std::uint32_t kCheckSumModulus = 256;
      return total_of(sum) % kCheckSumModulus == trailer.check_sum ? entry + 1 : 0;
    }
  }
  return verdict<Policy>(frame, size, trailer, entry + 1, total_of(sum) + trailer.byte_sum, work);
}
