// write_starts() of windows.inl.hpp, bit by bit. Include this file before that one, and define
// before this one:
//
//   kUsualFields                    how many fields a block of 64 bytes usually has, at least
//   trailing_zeros(bits)            64 or any smaller number if there is no bit
//   bit_count(bits)

template <std::uint32_t Count, class Start>
[[gnu::always_inline]] inline std::uint64_t write_some_starts(Start* out, std::uint32_t base,
                                                              std::uint64_t bits) noexcept {
#pragma GCC unroll 16
  for (std::uint32_t i = 0; i < Count; ++i) {
    out[i] = static_cast<Start>(base + trailing_zeros(bits));
    bits &= bits - 1;
    __asm__ volatile("" : "+r"(bits));
  }
  return bits;
}

// Writes base plus the position of every bit. Writes several at a time without a test of how many
// there are, because a branch predictor cannot know the number of fields in a block. The surplus
// entries are overwritten later. Messages with known tags mostly have a field more in a block.
template <class Start>
[[gnu::always_inline]] inline Start* write_starts(Start* out, std::uint32_t base,
                                                  std::uint64_t bits) noexcept {
  constexpr bool kKnownTags = sizeof(Start) == 1;
  constexpr std::uint32_t kFirst = kUsualFields + (kKnownTags ? 1 : 0);
  constexpr std::uint32_t kMore = kKnownTags ? 2 : 3;
  Start* const end = out + bit_count(bits);
  bits = write_some_starts<kFirst>(out, base, bits);
  for (out += kFirst; out < end; out += kMore) bits = write_some_starts<kMore>(out, base, bits);
  return end;
}
