// Whether a frame has the shape of an earlier one, for instruction sets that load whole vectors.
// Include this file after windows.inl.hpp, and define before it:
//
//   kVectorBytes                    of a ByteSum
//   load_vector(from)               a ByteSum
//   of_both(one, other)             the bits that both have
//   of_either(one, other)           the bits that one of them has
//   sum_of(one, other)              of each byte
//   beyond(bytes, lowest, width)    bits in each byte that is not within its range
//   is_none(bytes)                  no bit is set

inline bool fits(const char* frame, std::size_t size, const ByteRanges& ranges) noexcept {
  ByteSum sum = no_bytes();
  ByteSum others = no_bytes();
  const auto look_at = [&] [[gnu::always_inline]] (std::size_t at) noexcept {
    const ByteSum bytes = load_vector(frame + at);
    others = of_either(
        others, beyond(bytes, load_vector(ranges.lowest + at), load_vector(ranges.width + at)));
    return bytes;
  };
  std::size_t at = 0;
  for (; size - at >= kVectorBytes; at += kVectorBytes) sum = sum_of(sum, look_at(at));
  // Reads some bytes that were seen before.
  const ByteSum keep = load_vector(kKeep.at + kBlockBytes - kVectorBytes + (size - at));
  sum = sum_of(sum, of_both(look_at(size - kVectorBytes), keep));
  return is_none(others) && is_sum_right(frame, size, total_of(sum));
}
