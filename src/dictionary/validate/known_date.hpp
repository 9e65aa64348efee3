// The date of the last timestamp of a field, so that the next one's is compared and not read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <nexusfix/wire/digits.hpp>

#include "dictionary/validate/value_checks.hpp"

namespace nexusfix::dictionary {

// What each of sixteen bytes may be: after an exclusive or with flip, at most a byte of two words.
class ByteLimits {
 public:
  // Compilers have an instruction for it where the CPU does.
  using Block [[gnu::vector_size(2 * sizeof(std::uint64_t))]] = std::uint64_t;
  static constexpr std::uint64_t kHighBits = 0x8080'8080'8080'8080;

  constexpr ByteLimits(std::uint64_t flip, std::uint64_t most, std::uint64_t next_flip,
                       std::uint64_t next_most) noexcept
      : flip_{flip, next_flip}, room_{~kHighBits - most, ~kHighBits - next_most} {}
  // The high bits of bytes that may not be.
  [[nodiscard, gnu::always_inline]] inline Block others(const char* from) const noexcept {
    Block bytes;
    std::memcpy(&bytes, from, sizeof bytes);
    bytes ^= flip_;
    return (bytes + room_) | bytes;
  }

 private:
  Block flip_;
  Block room_;  // what can be added to each byte below its high bit
};

class KnownDate {
 public:
  // Whether the text is a UTCTimestamp of this date, in milliseconds, microseconds or nanoseconds,
  // whose hour begins with the known digit. False: ask further. One path for the three, because a
  // counterparty may mix them.
  [[nodiscard, gnu::always_inline]] inline bool has(std::string_view text) const noexcept {
    const std::size_t more = text.size() - kMillisBytes;
    if (more > 2 * kMoreDigits) return false;
    const ByteLimits::Block others =
        begin_.others(text.data()) |
        kEnds[more].others(text.data() + text.size() - sizeof(ByteLimits::Block));
#if defined(__SSE2__)
    return _mm_movemask_epi8(reinterpret_cast<__m128i>(others)) == 0;
#else
    return ((others[0] | others[1]) & ByteLimits::kHighBits) == 0;
#endif
  }
  // A correct UTCTimestamp. Only the years 2000 to 2099 are remembered.
  [[gnu::always_inline]] inline void learn(std::string_view text) noexcept {
    if (!text.starts_with("20")) return;
    const char tens = text[kHourAt];
    begin_ = {wire::detail::load_word<std::uint64_t>(text.data()), 0,
              kTime | static_cast<std::uint64_t>(tens) << 8U,
              tens == '2' ? kMostAfter20 : kMostOfTime};
  }

 private:
  static constexpr std::size_t kMillisBytes = 21;  // YYYYMMDD-HH:MM:SS.sss
  static constexpr std::size_t kMoreDigits = 3;    // of microseconds, and of nanoseconds
  static constexpr std::size_t kHourAt = 9;        // after -
  static constexpr std::uint64_t kTime = wire::detail::word_of<std::uint64_t>("-00:00:0");
  static constexpr std::uint64_t kMostOfTime = 0x0500'0905'0009'0000;
  static constexpr std::uint64_t kMostAfter20 = 0x0500'0905'0003'0000;
  static constexpr std::uint64_t kAny = 0x7f7f'7f7f'7f7f'7f7f;

  // What the last sixteen bytes are, by the number of digits after those of milliseconds. begin_
  // has those that may be any here.
  static constexpr ByteLimits kNone = {0, 0, 0, 0};  // zeros, where begin_ has digits
  static constexpr ByteLimits kEnds[] = {
      {0, kAny, wire::detail::word_of<std::uint64_t>("0:00.000"), 0x0909'0900'0905'0009},
      kNone,
      kNone,
      {0, kAny, wire::detail::word_of<std::uint64_t>("0.000000"), 0x0909'0909'0909'0009},
      kNone,
      kNone,
      {wire::detail::word_of<std::uint64_t>("000000.0"), 0x0900'097f'7f7f'7f7f,
       wire::detail::word_of<std::uint64_t>("00000000"), 0x0909'0909'0909'0909}};

  // At first any correct date: a text may have it before one is learned.
  ByteLimits begin_ = {wire::detail::word_of<std::uint64_t>("20000101"), 0, kTime, kMostOfTime};
};

// date: of the last timestamp of this field. Clears are_usual if it does not have this one.
[[nodiscard, gnu::always_inline]] inline bool is_timestamp_near(std::string_view text,
                                                                KnownDate& date,
                                                                bool& are_usual) noexcept {
  if (date.has(text)) [[likely]]
    return true;
  are_usual = false;
  if (!is_utc_timestamp(text)) return false;
  date.learn(text);
  return true;
}

}  // namespace nexusfix::dictionary
