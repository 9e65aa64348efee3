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
// entries are overwritten later.
template <class Start>
[[gnu::always_inline]] inline Start* write_starts(Start* out, std::uint32_t base,
                                                  std::uint64_t bits) noexcept {
  constexpr std::uint32_t kMore = sizeof(Start) == 1 ? 2 : 3;
  Start* const end = out + bit_count(bits);
  bits = write_some_starts<kUsualFields>(out, base, bits);
  for (out += kUsualFields; out < end; out += kMore)
    bits = write_some_starts<kMore>(out, base, bits);
  return end;
}
