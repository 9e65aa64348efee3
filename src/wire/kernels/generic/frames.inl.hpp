// A complete kernel of windows.inl.hpp. Include this file after all that windows.inl.hpp needs, and
// after:
//
//   no_bytes(), total_of(sum)       of a ByteSum
//   sum_of_head(frame)              a ByteSum of the first 16 bytes

#include "wire/kernels/generic/windows.inl.hpp"

// The last block of a body is loaded from the body's end.
constexpr std::uint32_t kUsualFrameMin = kBlockBytes + kTrailerBytes;

// By the bytes of a head, from 15 on: their sum, less that of the frame's first 16. They have no 3
// of MsgType, or one SOH more.
constexpr std::uint8_t kRestsOfHeadSum[3] = {256 - '3', 0, '\x01'};

// Kernels that read no more bytes of a field than the trailer has index it like the others.
constexpr std::uint32_t kTrailersIndexed = kTagBytesRead <= kTrailerBytes ? 1 : 0;

// Indexes the fields of a usual frame, from a field on, that are not all ordinary. Returns the
// result of the kernel. Out of line, so that the usual loop has nothing to keep for later.
[[gnu::noinline]] static std::uint32_t index_slow_fields(const char* frame, std::uint32_t size,
                                                         Starts& starts, std::uint32_t fields,
                                                         std::uint32_t field,
                                                         IndexWork& work) noexcept {
  work.first.rule = kNoFault;
  work.first_but_empty.rule = kNoFault;
  const std::uint32_t trailer =
      index_fields(frame, size, starts, fields, field, work, kTrailersIndexed, field) -
      kTrailersIndexed;
  put_trailer(work.arrays, trailer, size);
  return work.first.rule == kNoFault ? trailer + 1 : (trailer + 1) | kFaultyMessage;
}

// Indexes a usual frame of one window: the bytes of its head are compared instead of being indexed.
// Returns 0 for any other frame, for one that is not a message, and if the arrays are too short.
template <unsigned Policy>
[[gnu::always_inline]] inline std::uint32_t index_usual_frame(const char* frame, std::uint32_t size,
                                                              IndexWork& work) noexcept {
  const UsualFields head = usual_head(frame, size);
  if (head.bytes == 0) return 0;
  Starts starts;
  starts.at[0] = 0;
  starts.at[1] = head.body_length;
  starts.at[kHeadFields] = head.bytes;
  ByteSum sum = sum_of_head(frame);
  const std::uint32_t body_end = size - kTrailerBytes;
  const std::uint32_t fields =
      kHeadFields + find_fields<kHeadFields>(frame, head.bytes, body_end, starts, sum);
  if constexpr ((Policy & kLeaveOutCheckSum) == 0) {
    constexpr std::uint32_t kLeastBytes = 15;
    const std::uint32_t body_sum = total_of(sum) + kRestsOfHeadSum[head.bytes - kLeastBytes];
    if (!is_trailer_of(frame, size, body_sum)) return 0;
  } else {
    if (!read_trailer(frame, size).good) return 0;
  }
  const FieldArrays arrays = work.arrays;
  if (fields >= arrays.capacity) [[unlikely]]
    return 0;
  const Patterns all = patterns(work.data);
  for (std::uint32_t field = 0; field < fields + kTrailersIndexed; field += kGroupFields) {
    const std::uint32_t slow = index_group(frame, starts.at + field, arrays, field, all);
    if (slow != 0 && bits_of(slow, fields - field) != 0) [[unlikely]] {
      return index_slow_fields(frame, size, starts, fields, field, work);
    }
  }
  if constexpr (kTrailersIndexed != 0) {
    arrays.places[fields].end = size - 1;
  } else {
    put_trailer(arrays, fields, size);
  }
  return fields + 1;
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
