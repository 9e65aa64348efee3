// The date of the last timestamp of a field, so that the next one's is compared and not read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <nexusfix/wire/digits.hpp>

namespace nexusfix::dictionary {

class KnownDate {
 public:
  // Whether the text is a UTCTimestamp of this date, in milliseconds, microseconds or nanoseconds.
  // False: ask further. One path for the three, because a counterparty may mix them.
  [[nodiscard, gnu::always_inline]] inline bool has(std::string_view text) const noexcept {
    namespace detail = wire::detail;
    const std::size_t more = text.size() - kMillisBytes;
    if (more > 2 * kMoreDigits) return false;
    const char* const from = text.data();
    constexpr std::uint64_t kMostOfTime = 0x0500'0905'0009'0200;
    constexpr std::uint64_t kMostOfRest = 0x0909'0900'0905'0009;
    constexpr std::uint32_t kHours = 24;
    const std::uint64_t time = detail::load_word<std::uint64_t>(from + kTimeAt) ^
                               detail::word_of<std::uint64_t>("-00:00:0");
    const std::uint64_t rest = detail::load_word<std::uint64_t>(from + kRestAt) ^
                               detail::word_of<std::uint64_t>("0:00.000");
    const Last& last = kLast[more];
    const std::uint64_t end =
        detail::load_word<std::uint64_t>(from + text.size() - sizeof last.flip) ^ last.flip;
    const std::uint64_t hour = (time >> 8U & 0xffU) * 10 + (time >> 16U & 0xffU);
    return ((detail::load_word<std::uint64_t>(from) ^ date_) | detail::beyond(time, kMostOfTime) |
            detail::beyond(rest, kMostOfRest) | detail::beyond(end, last.most)) == 0 &&
           hour < kHours;
  }
  // A correct UTCTimestamp. Only the years 2000 to 2099 are remembered.
  [[gnu::always_inline]] inline void learn(std::string_view text) noexcept {
    if (!has_known_size(text) || !text.starts_with("20")) return;
    date_ = wire::detail::load_word<std::uint64_t>(text.data());
  }

 private:
  static constexpr std::size_t kMillisBytes = 21;  // YYYYMMDD-HH:MM:SS.sss
  static constexpr std::size_t kMoreDigits = 3;    // of microseconds, and of nanoseconds
  static constexpr std::size_t kTimeAt = 8;        // -HH:MM:S
  static constexpr std::size_t kRestAt = 13;       // the minute's last digit, :SS.sss

  // What the last eight bytes are, by the number of digits after those of milliseconds: after an
  // exclusive or with flip, no byte is above that of most.
  struct Last {
    std::uint64_t flip;
    std::uint64_t most;
  };
  // Only eight zeros, and some of these bytes are digits of the milliseconds.
  static constexpr Last kNone = {0, 0};
  static constexpr Last kLast[] = {
      {wire::detail::word_of<std::uint64_t>("0:00.000"), 0x0909'0900'0905'0009}, kNone, kNone,
      {wire::detail::word_of<std::uint64_t>("0.000000"), 0x0909'0909'0909'0009}, kNone, kNone,
      {wire::detail::word_of<std::uint64_t>("00000000"), 0x0909'0909'0909'0909}};

  [[nodiscard]] static constexpr bool has_known_size(std::string_view text) noexcept {
    constexpr std::uint64_t kSizes = 0b100'1001;  // 0, 3 and 6 more digits
    const std::size_t more = text.size() - kMillisBytes;
    return more <= 2 * kMoreDigits && (kSizes >> more & 1U) != 0;
  }

  // YYYYMMDD. At first any correct date: a text may have it before one is learned.
  std::uint64_t date_ = wire::detail::word_of<std::uint64_t>("20000101");
};

}  // namespace nexusfix::dictionary
