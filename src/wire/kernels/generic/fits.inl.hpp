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
  const auto beyond_at = [&] [[gnu::always_inline]] (ByteSum bytes, std::size_t at) noexcept {
    return beyond(bytes, load_vector(ranges.lowest + at), load_vector(ranges.width + at));
  };
  // The last bytes first: some of them are in the last whole vector, too, and count once.
  const std::size_t last = size - kVectorBytes;
  const ByteSum end = load_vector(frame + last);
  ByteSum others = beyond_at(end, last);
  const std::size_t whole = size & ~std::size_t{kVectorBytes - 1};
  ByteSum sum = of_both(end, load_vector(kKeep.at + kBlockBytes - kVectorBytes + (size - whole)));
  // Then two whole vectors at a time, of which a frame has at least two.
  std::size_t at = whole & kVectorBytes;
  if (at != 0) {
    const ByteSum bytes = load_vector(frame);
    others = of_either(others, beyond_at(bytes, 0));
    sum = sum_of(sum, bytes);
  }
  do {
    const ByteSum one = load_vector(frame + at);
    const ByteSum two = load_vector(frame + at + kVectorBytes);
    others = of_either(others, of_either(beyond_at(one, at), beyond_at(two, at + kVectorBytes)));
    sum = sum_of(sum, sum_of(one, two));
    at += 2 * kVectorBytes;
  } while (at != whole);
  return is_none(others) && is_sum_valid(frame, size, total_of(sum));
}
