// A complete kernel of windows.inl.hpp. Include this file after that one, and after:
//
//   no_bytes(), total_of(sum)       of a ByteSum
//   index_usual_frame<Policy>(frame, size, work)
//                                   the kernel's result for a usual frame; 0: index_any_frame()

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
