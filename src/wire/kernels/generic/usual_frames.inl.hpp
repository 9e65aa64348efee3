// index_usual_frame() for kernels that read several tags at once. Include this file between
// windows.inl.hpp and frames.inl.hpp, after sum_of_head(frame): a ByteSum of the first 16 bytes.

// Indexes the fields of a usual frame, from a field on, that are not all ordinary. Returns the
// result of the kernel. Out of line, so that the usual loop has nothing to keep for later.
[[gnu::noinline]] static std::uint32_t index_slow_fields(const char* frame, std::uint32_t size,
                                                         Starts& starts, std::uint32_t fields,
                                                         std::uint32_t field,
                                                         IndexWork& work) noexcept {
  work.first.rule = kNoFault;
  work.first_but_empty.rule = kNoFault;
  const std::uint32_t trailer =
      index_fields(frame, size, starts, fields, field, work, 1, field) - 1;
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
  if (!has_good_end<Policy>(frame, size, head, total_of(sum))) return 0;
  const FieldArrays arrays = work.arrays;
  if (fields >= arrays.capacity) [[unlikely]]
    return 0;
  const Patterns all = patterns(work.data);
  for (std::uint32_t field = 0; field < fields + 1; field += kGroupFields) {
    const std::uint32_t slow = index_group(frame, starts.at + field, arrays, field, all);
    if (slow != 0 && bits_of(slow, fields - field) != 0) [[unlikely]] {
      return index_slow_fields(frame, size, starts, fields, field, work);
    }
  }
  arrays.places[fields].end = size - 1;
  return fields + 1;
}
