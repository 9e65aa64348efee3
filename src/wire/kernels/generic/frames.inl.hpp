// A complete kernel of windows.inl.hpp. Include this file after all that windows.inl.hpp needs, and
// after:
//
//   no_bytes(), total_of(sum)       of a ByteSum
//   sum_of_head(frame)              a ByteSum of the first 16 bytes

#include "wire/kernels/generic/windows.inl.hpp"

// The sum of the bytes of a head of 15 to 17 bytes, less that of the frame's first 16.
inline std::uint32_t rest_of_head_sum(std::uint32_t head) noexcept {
  // Before MsgType's 3, or after the SOH of BodyLength.
  return head == 16 ? 0U : head == 15 ? -std::uint32_t{'3'} : std::uint32_t{'\x01'};
}

// The last block of a body is loaded from the body's end.
constexpr std::uint32_t kUsualFrameMin = kBlockBytes + kTrailerBytes;

// The bytes of the head of a usual frame: `8=FIX.4.x` or `8=FIXT.1.x`, `9=` and the right
// BodyLength in two or three digits. 0: it is not one, or 35 is not the next field.
inline std::uint32_t usual_head_bytes(const char* frame, std::uint32_t size) noexcept {
  constexpr std::uint32_t kBytesLeast = 15;  // FIX.4.x, two digits
  constexpr std::uint32_t kTwoDigitsMax = 99;
  const std::uint64_t start = load_word(frame);
  std::uint32_t bytes = kBytesLeast;
  if (start != kFix4Start) {
    if (!is_fixt1_start(frame, start)) return 0;
    ++bytes;
  }
  const std::uint32_t three = size - kTrailerBytes - bytes > kTwoDigitsMax ? 1 : 0;
  bytes += three;
  const std::uint64_t word = load_word(frame + bytes - sizeof word);
  const std::uint64_t wanted = kHeadWords.words[(size - kTrailerBytes - bytes) % kHeadWordCount];
  // The lower half of the version's last character: see is_usual_head().
  const std::uint64_t version_bits = three != 0 ? 0x0f : 0x0f00;
  constexpr std::uint32_t kMsgTypeStart = '3' | '5' << 8 | '=' << 16;
  const auto msg_type = static_cast<std::uint32_t>(load_word(frame + bytes)) & 0xff'ffff;
  return ((word ^ wanted) & ~version_bits) == 0 && msg_type == kMsgTypeStart ? bytes : 0;
}

// Indexes a usual frame of one window: the bytes of its head are compared instead of being indexed.
// Returns 0 for any other frame, for one that is not a message, and if the arrays are too short.
template <unsigned Policy>
[[gnu::always_inline]] inline std::uint32_t index_usual_frame(const char* frame, std::uint32_t size,
                                                              IndexWork& work) noexcept {
  const std::uint32_t head = usual_head_bytes(frame, size);
  if (head == 0) return 0;
  work.first.rule = kNoFault;
  work.first_but_empty.rule = kNoFault;
  if (size < kUsualFrameMin) __builtin_unreachable();
  constexpr std::uint32_t kBodyLengthAfterFix4 = 10;
  constexpr std::uint32_t kBodyLengthAfterFixt = 11;
  Starts starts;
  starts.at[0] = 0;
  starts.at[1] = frame[5] == 'T' ? kBodyLengthAfterFixt : kBodyLengthAfterFix4;
  starts.at[kHeadFields] = head;
  ByteSum sum = sum_of_head(frame);
  const std::uint32_t body_end = size - kTrailerBytes;
  const std::uint32_t fields =
      kHeadFields + find_fields(frame, head, body_end, starts, sum, kHeadFields);
  const std::uint32_t byte_sum = total_of(sum) + rest_of_head_sum(head);
  if constexpr ((Policy & kLeaveOutCheckSum) == 0) {
    if (!is_trailer_of(frame, size, byte_sum)) return 0;
  } else {
    if (!read_trailer(frame, size).good) return 0;
  }
  if (fields >= work.arrays.capacity) [[unlikely]]
    return 0;
  // Kernels that read no more bytes of a field than the trailer has index it like the others.
  constexpr std::uint32_t kMore = kTagBytesRead <= kTrailerBytes ? 1 : 0;
  const std::uint32_t entry =
      index_fields<false>(frame, size, starts, fields, 0, work, kMore) - kMore;
  if constexpr (kMore != 0) {
    work.arrays.places[entry].end = size - 1;
  } else {
    put_trailer(work.arrays, entry, size);
  }
  return work.first.rule == kNoFault ? entry + 1 : (entry + 1) | kFaultyMessage;
}

// Indexes any frame, window by window.
template <unsigned Policy>
[[gnu::noinline]] std::uint32_t index_any_frame(const char* frame, std::size_t frame_bytes,
                                                IndexWork& work) noexcept {
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
  Starts starts;
  starts.at[0] = 0;
  for (std::uint32_t from = 0; from < body_end; from += kWindowBytes) {
    const std::uint32_t rest = body_end - from;
    const std::uint32_t bytes = rest < kWindowBytes ? rest : kWindowBytes;
    const std::uint32_t fields = find_fields(frame, from, from + bytes, starts, sum);
    entry = index_fields(frame, size, starts, fields, entry, work);
    if (entry > work.arrays.capacity) {
      work.more_capacity = 1;
      return 0;
    }
    starts.at[0] = starts.at[fields];
  }
  put_trailer(work.arrays, entry, size);
  return verdict<Policy>(frame, size, trailer, entry + 1, total_of(sum) + trailer.byte_sum, work);
}

template <unsigned Policy>
std::uint32_t index_frame(const char* frame, std::size_t frame_bytes, IndexWork& work) noexcept {
  if (frame_bytes - kUsualFrameMin <= kWindowBytes - kUsualFrameMin) {
    const std::uint32_t count =
        index_usual_frame<Policy>(frame, static_cast<std::uint32_t>(frame_bytes), work);
    if (count != 0) [[likely]]
      return count;
  }
  return index_any_frame<Policy>(frame, frame_bytes, work);
}
