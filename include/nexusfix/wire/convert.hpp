// Conversions between the text of a value and a C++ type, exact and without floating point.
#pragma once

#include <array>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/decimal.hpp>
#include <nexusfix/wire/digits.hpp>

// Text of FIX float (Price, Qty, Amt, Percentage) and its exact value.

namespace nexusfix::wire {

// FIX float (Price, Qty, Amt): optional minus, digits with at most one point; at least one digit;
// no exponent. Empty, Malformed, or OutOfRange if the digits do not fit into 64 bits or more than
// 18 of them follow the point (trailing zeros are dropped if that helps). No allocation; any
// thread.
template <detail::TextFront Front = detail::TextFront::Unreadable>
[[nodiscard]] Converted<Decimal> to_decimal(std::string_view text) noexcept;
// Reads a FixedPrice; OutOfRange if the value is outside of FixedPrice's range or not a multiple of
// 10^-8.
template <detail::TextFront Front = detail::TextFront::Unreadable>
[[nodiscard]] Converted<FixedPrice> to_fixed_price(std::string_view text) noexcept;

// Each function writes to out and returns the size of the text. It may overwrite all
// kDecimalBytesMax bytes of out. No allocation; any thread.
inline constexpr std::size_t kDecimalBytesMax = 24;
// Writes all digits of value after the point, with trailing zeros.
inline std::size_t from_decimal(Decimal value, char* out) noexcept;
// Writes no trailing zeros, and no point after a whole number.
inline std::size_t from_fixed_price(FixedPrice value, char* out) noexcept;

namespace detail {

// The slow path of the inline functions: texts of more than 16 bytes, a point at the end, errors.
[[nodiscard]] Converted<Decimal> to_any_decimal(std::string_view text) noexcept;
[[nodiscard]] Converted<FixedPrice> to_any_fixed_price(std::string_view text) noexcept;
// The value of a text that to_any_decimal() reads.
[[nodiscard]] Decimal checked_any_decimal(std::string_view text) noexcept;

// Does not read as a whole what was written in two pieces, because that would wait until both have
// reached the cache.
template <class Value>
[[nodiscard, gnu::always_inline]] constexpr Value by_parts(const Value& value) noexcept {
  if constexpr (std::same_as<Value, Decimal>) {
    return Decimal{value.mantissa(), value.scale()};
  } else {
    return value;
  }
}

// The last byte of a vector. A point is before it.
inline constexpr std::size_t kLastByteOfVector = 15;
struct PointTables {
  // By the point's byte: ones where digits stay. Digits before the point move up by one byte.
  alignas(16) std::array<std::array<std::uint8_t, 16>, kLastByteOfVector> stay;
  // By the scale: 10^(8 - scale), 0 where scale is larger.
  std::array<std::int64_t, kLastByteOfVector + 1> units;
};
extern const PointTables kPointTables;

#if defined(__SSE2__)

struct ScaleAndMantissa {
  unsigned scale;
  std::int64_t mantissa;
};

// The digits, as bytes of 0 to 9, without the point among them, which is at most eight bytes before
// the end: the digits before it move up by one byte. A table with the point's place as index would
// be a load at the end of a long chain; a subtraction makes the mask of the digits that stay.
[[nodiscard, gnu::always_inline]] inline __m128i without_point(__m128i digits) noexcept {
  constexpr char kBelowPoint = static_cast<char>('.' - '0' - 1);
  const __m128i moved = _mm_slli_si128(digits, 1);
  const __m128i first = _mm_subs_epu8(moved, _mm_set1_epi8(kBelowPoint));  // 1 after the point
  const __m128i stay = _mm_sub_epi64(_mm_setzero_si128(), first);
  return _mm_xor_si128(moved, _mm_and_si128(_mm_xor_si128(moved, digits), stay));
}
// Without a point at any byte but the last; others: its bit. Out of line, because few need it.
[[nodiscard]] __m128i without_far_point(__m128i digits, unsigned others) noexcept;

// False: the text is no number, or the slow path reads it: with a sign, or longer than a vector.
//
// A number without a point has its own path: a field that is a quantity has none, and a field that
// is a price nearly always has one, so that processors predict which.
template <TextFront Front>
[[nodiscard, gnu::always_inline]] inline bool parse_decimal(std::string_view text,
                                                            ScaleAndMantissa& parsed) noexcept {
  if (text.size() - 1 >= kVectorBytes) [[unlikely]]
    return false;
  __m128i digits = digits_of(load_last_vector<Front>(text), text.size());
  const unsigned others = other_bits(digits);
  parsed.scale = 0;
  if (others != 0) {
    // One point, and not as the last byte: that would need another test for a digit.
    constexpr unsigned kLastBit = 1U << kLastByteOfVector;
    constexpr unsigned kFarBits = (1U << (kVectorBytes / 2 - 1)) - 1;
    const std::size_t point = lowest_bit(others);
    const char* end = text.data() + text.size();
    asm("" : "+r"(end));  // hides the sum: a part of it would be made for all values
    if (end[static_cast<std::ptrdiff_t>(point) - std::ptrdiff_t{kVectorBytes}] != '.') [[unlikely]]
      return false;
    if ((others & ((others - 1) | kLastBit | kFarBits)) != 0) [[unlikely]] {
      if ((others & ((others - 1) | kLastBit)) != 0) return false;
      digits = without_far_point(digits, others);
    } else {
      digits = without_point(digits);
    }
    parsed.scale = static_cast<unsigned>(kLastByteOfVector - point);
  }
  parsed.mantissa = static_cast<std::int64_t>(value_of_digits(digits));
  return true;
}

#endif

// Out of line, so that the rest of from_decimal() is small enough to be inlined.
[[nodiscard]] std::size_t store_any_decimal(char* out, Decimal value) noexcept;

// Any number of units of 10^-8.
[[nodiscard]] std::size_t store_large_units(char* out, std::uint64_t units) noexcept;

struct WholeAndFraction {
  char* point;  // where the point is
  EightDigits fraction;
};

// units < 10^16 of 10^-8: the whole part, a point and eight digits.
inline WholeAndFraction store_units(char* out, std::uint64_t units) noexcept {
  const std::uint64_t whole = units / kTenToThe8;
  const EightDigits fraction = eight_digits(static_cast<std::uint32_t>(units - whole * kTenToThe8));
  char* const point =
      out + store_without_leading_zeros(out, eight_digits(static_cast<std::uint32_t>(whole)));
  *point = '.';
  store_word(point + 1, fraction.text);
  return {point, fraction};
}

// mantissa < 10^8, scale < 8. Stores the digits once, and the digits after the point a second time,
// after a point that overwrites the digit before them.
[[nodiscard]] inline std::size_t store_short_decimal(char* out, std::uint32_t mantissa,
                                                     unsigned scale) noexcept {
  constexpr std::uint64_t kLastDigit = std::uint64_t{1} << 56U;
  constexpr unsigned kBitsPerByte = 8;
  const EightDigits digits = eight_digits(mantissa);
  const unsigned scale_bits = kBitsPerByte * scale;
  // Removes leading zeros, except the one directly before the point.
  const std::uint64_t stop = kLastDigit >> scale_bits;
  const auto zeros = static_cast<unsigned>(__builtin_ctzll(digits.values | stop)) / kBitsPerByte;
  store_word(out, digits.text >> (kBitsPerByte * zeros));
  const std::size_t count = kWordBytes - zeros;
  char* const point = out + (count - scale);
  store_word(point, digits.text >> (56U - scale_bits));
  *point = '.';
  return count + (scale != 0 ? 1 : 0);
}

// Inlined, because a result in memory would be written in pieces and read at once.
template <TextFront Front>
[[gnu::always_inline]] inline Converted<Decimal> inlined_decimal(std::string_view text) noexcept {
#if defined(__SSE2__)
  ScaleAndMantissa parsed;
  if (parse_decimal<Front>(text, parsed)) [[likely]]
    return Converted<Decimal>{std::in_place, parsed.mantissa, parsed.scale};
#endif
  return to_any_decimal(text);
}

// The value of a text that was checked before, without a result that has to be in memory.
template <TextFront Front>
[[nodiscard, gnu::always_inline]] inline Decimal checked_decimal(std::string_view text) noexcept {
#if defined(__SSE2__)
  ScaleAndMantissa parsed;
  if (parse_decimal<Front>(text, parsed)) [[likely]]
    return Decimal{parsed.mantissa, parsed.scale};
#endif
  return checked_any_decimal(text);
}

}  // namespace detail

template <detail::TextFront Front>
Converted<Decimal> to_decimal(std::string_view text) noexcept {
  return detail::inlined_decimal<Front>(text);
}

template <detail::TextFront Front>
Converted<FixedPrice> to_fixed_price(std::string_view text) noexcept {
#if defined(__SSE2__)
  detail::ScaleAndMantissa parsed;
  if (detail::parse_decimal<Front>(text, parsed)) [[likely]] {
    const std::int64_t factor = detail::kPointTables.units[parsed.scale];
    std::int64_t units = 0;
    if (factor != 0 && !__builtin_mul_overflow(parsed.mantissa, factor, &units)) [[likely]] {
      return FixedPrice::from_units(units);
    }
  }
#endif
  return detail::to_any_fixed_price(text);
}

inline std::size_t from_decimal(Decimal value, char* out) noexcept {
  const auto mantissa = static_cast<std::uint64_t>(value.mantissa());  // of a negative one, large
  if (mantissa < detail::kTenToThe8 && value.scale() < detail::kWordBytes) [[likely]] {
    return detail::store_short_decimal(out, static_cast<std::uint32_t>(mantissa), value.scale());
  }
  return detail::store_any_decimal(out, value);
}

inline std::size_t from_fixed_price(FixedPrice value, char* out) noexcept {
  char* text = out;
  auto units = static_cast<std::uint64_t>(value.units());
  if (value.units() < 0) [[unlikely]] {
    *text++ = '-';
    units = 0 - units;
  }
  if (units >= detail::kTenToThe16) [[unlikely]] {
    return static_cast<std::size_t>(text - out) + detail::store_large_units(text, units);
  }
  const auto [point, fraction] = detail::store_units(text, units);
  // Counts from the end, which is the high byte; counting from the low byte is the faster
  // instruction.
  const std::uint64_t from_end = __builtin_bswap64(fraction.values);
  const auto zero_bits = static_cast<std::size_t>(__builtin_ctzll(from_end | (1ULL << 63U)));
  const std::size_t significant = detail::kWordBytes - zero_bits / 8;
  return static_cast<std::size_t>(point - out) + (fraction.values != 0 ? 1 + significant : 0);
}

// Text of UTCTimestamp, UTCDateOnly, LocalMktDate and UTCTimeOnly, and its value.

using Date = std::chrono::year_month_day;
using TimeOfDay = std::chrono::nanoseconds;  // since midnight

// The digits after the second. Picos: FIX 5.0 SP2 EP206.
enum class TimePrecision : std::uint8_t {
  Seconds = 0,
  Millis = 3,
  Micros = 6,
  Nanos = 9,
  Picos = 12
};

// YYYYMMDD-HH:MM:SS[.f{1,12}]. Second 60 is accepted and is the next minute's first second. The
// time is rounded down to a nanosecond: picoseconds are cut off. OutOfRange: beyond the range of
// WallTime. No allocation; any thread.
[[nodiscard]] inline Converted<WallTime> to_utc_timestamp(std::string_view text) noexcept;
// Reads the same texts, with picoseconds.
[[nodiscard]] inline Converted<PicoTime> to_pico_time(std::string_view text) noexcept;
[[nodiscard]] Converted<Date> to_date(std::string_view text) noexcept;  // YYYYMMDD
// HH:MM:SS[.f{1,12}], as in a UTCTimestamp, and rounded in the same way.
[[nodiscard]] Converted<TimeOfDay> to_time_of_day(std::string_view text) noexcept;

// Each function writes to out and returns the size of the text. Digits below the precision are cut
// off. It may overwrite all bytes of out up to the constant. No allocation; any thread.
inline constexpr std::size_t kUtcTimestampBytesMax = 30;
// The longest text of from_time_of_day().
inline constexpr std::size_t kTimeOfDayBytesMax = 21;
// The text of from_date().
inline constexpr std::size_t kDateBytes = 8;
// YYYYMMDD-HH:MM:SS with the digits of the precision.
inline std::size_t from_utc_timestamp(WallTime value, TimePrecision precision, char* out) noexcept;
// As above, with picoseconds.
inline std::size_t from_utc_timestamp(PicoTime value, TimePrecision precision, char* out) noexcept;
std::size_t from_date(Date value, char* out) noexcept;  // years 0 to 9999
// value: 0 to less than a day and a second. The leap second is 23:59:60.
inline std::size_t from_time_of_day(TimeOfDay value, TimePrecision precision, char* out) noexcept;

namespace detail {

inline constexpr std::uint64_t kSecondsPerDay = 86'400;
inline constexpr std::uint64_t kNanosPerSecond = 1'000'000'000;
inline constexpr std::uint64_t kNanosPerDay = kSecondsPerDay * kNanosPerSecond;
inline constexpr std::uint64_t kPicosPerNano = 1000;
inline constexpr std::size_t kTimeBytes = 8;  // HH:MM:SS

// From 1900-03-01 to 2100-02-28, every fourth year is a leap year, and a year that begins in March
// has its leap day at the end. So within these two centuries two small tables give the date.
inline constexpr std::int64_t kTwoCenturiesBegin = -25'508;  // days: 1900-03-01
inline constexpr std::uint64_t kTwoCenturiesDays = 73'049;   // 1900-03-01 to 2100-02-28
inline constexpr std::uint32_t kDaysPerFourYears = 1461;

struct CalendarText {
  std::array<std::array<char, 4>, 201> years;     // 1900 to 2100
  std::array<std::array<char, 4>, 366> days;      // MMDD, from March 1 on
  std::array<std::array<char, 8>, 1440> minutes;  // HH:MM: and two zeros, for each minute of a day
  std::array<std::array<char, 2>, 61> seconds;    // 60: the leap second
};
extern const CalendarText kCalendarText;
// The first of kCalendarText.days that belongs to the next calendar year: January 1.
inline constexpr std::uint32_t kMarchToDecemberDays = 306;

// For times outside of the two centuries.
struct DayAndNanos {
  std::int64_t day;     // since 1970-01-01
  std::uint64_t nanos;  // since midnight
};
[[nodiscard]] DayAndNanos split_any_century(WallTime value) noexcept;
void store_date_of_any_century(char* out, std::int64_t day) noexcept;

// day: since 1900-03-01, below kTwoCenturiesDays.
inline void store_date(char* out, std::uint32_t day) noexcept {
  const std::uint32_t quarters = day * 4 + 3;
  const std::uint32_t year = quarters / kDaysPerFourYears;
  const std::uint32_t day_of_year = quarters % kDaysPerFourYears / 4;
  const std::uint32_t january = day_of_year >= kMarchToDecemberDays ? 1 : 0;
  std::memcpy(out, &kCalendarText.years[year + january], 4);
  std::memcpy(out + 4, &kCalendarText.days[day_of_year], 4);
}

// HH:MM:SS. second: of the day, or 86400 for the leap second after it.
inline void store_time(char* out, std::uint32_t second) noexcept {
  const std::uint32_t leap = second == kSecondsPerDay ? 1 : 0;
  const std::uint32_t minute = (second - leap) / 60;
  std::memcpy(out, &kCalendarText.minutes[minute], 8);
  std::memcpy(out + 6, &kCalendarText.seconds[second - minute * 60], 2);
}

// Writes a point and the digits after the second and returns their number. nanos < 10^9, picos <
// 1000. The branches are predictable, because a session keeps its precision.
inline std::size_t store_fraction(char* out, std::uint32_t nanos, std::uint32_t picos,
                                  TimePrecision precision) noexcept {
  const std::uint32_t millis = nanos / 1'000'000;
  std::memcpy(out, &kThreeDigits[millis], 4);
  if (precision <= TimePrecision::Millis) return precision == TimePrecision::Seconds ? 0 : 4;
  // The digits of each entry overwrite the point of the next one.
  const std::uint32_t rest = nanos - millis * 1'000'000;
  const std::uint32_t micros = rest / 1000;
  std::memcpy(out + 4, kThreeDigits[micros].text.data() + 1, 3);
  std::memcpy(out + 7, kThreeDigits[rest - micros * 1000].text.data() + 1, 3);
  std::memcpy(out + 10, kThreeDigits[picos].text.data() + 1, 3);
  return std::size_t{1} + static_cast<std::size_t>(precision);
}

// The slow path of the inline functions: the years at the ends of WallTime's range, and errors.
[[nodiscard]] Converted<PicoTime> to_any_pico_time(std::string_view text) noexcept;
[[nodiscard]] Converted<WallTime> to_any_utc_timestamp(std::string_view text) noexcept;

inline constexpr std::size_t kTimeOffset = kDateBytes + 1;                // of HH:MM:SS
inline constexpr std::size_t kFractionOffset = kTimeOffset + kTimeBytes;  // of the point
inline constexpr std::size_t kFractionDigitsMax = 9;                      // nanoseconds
// FIX 5.0 SP2 EP206 allows picoseconds.
inline constexpr std::size_t kFractionDigitsLegal = 12;

// The years that WallTime contains completely.
inline constexpr std::uint32_t kFirstWholeYear = 1678;
inline constexpr std::uint32_t kWholeYears = 584;
// One entry for each month and each day that two digits can spell with these first digits, 00 to
// 39.
inline constexpr std::size_t kDaySpellings = 40;
inline constexpr std::size_t kMonthSpellings = 20;
inline constexpr std::size_t kDateSpellings = kDaySpellings * kMonthSpellings;
inline constexpr unsigned kLeapYearBits = 10;

struct CalendarTables {
  // The days from the first complete year to the beginning of this one, shifted left by
  // kLeapYearBits. The low bits are kDateSpellings for a leap year and 0 for a common year.
  std::array<std::uint32_t, kWholeYears> years;
  // The day of the year, from 1 on; 0: no such date. First for a common year, then for a leap year.
  std::array<std::uint16_t, 2 * kDateSpellings> days;
  // Indexed by the size of point and fraction: the factors that make nanoseconds and picoseconds of
  // the digits.
  std::array<std::uint64_t, kFractionDigitsLegal + 2> nanos;
  std::array<std::uint64_t, kFractionDigitsLegal + 2> picos;
};
extern const CalendarTables kCalendarTables;

// For a fraction's point and digits at the end of a vector, read from their size on.
struct FractionTables {
  std::array<std::uint8_t, 32> least;   // a point before zeros
  std::array<std::uint8_t, 32> kept;    // ones
  std::array<std::uint8_t, 32> to_top;  // what a byte above the largest one needs for its top bit
};
inline constexpr FractionTables kFractionTables = [] {
  FractionTables tables{};
  tables.least.fill('0');
  tables.least[16] = '.';
  for (std::size_t i = 16; i < tables.kept.size(); ++i) {
    tables.kept[i] = 0xff;
    tables.to_top[i] = i == 16 ? 0x7f : 0x7f - 9;
  }
  return tables;
}();

#if defined(__SSE2__)

struct SecondsAndFraction {
  bool valid;
  std::uint64_t seconds;       // since 1970-01-01, modulo 2^64
  std::uint64_t fraction;      // its digits as a number
  std::size_t fraction_bytes;  // of the digits and the point
};

// Compares every byte with the largest value of its position, makes one number of each two bytes,
// and adds up the numbers with weights. The colons count as zeros: they separate the tens and the
// ones of the minute, which have weights of their own.
template <std::size_t kDigitsMax>
[[nodiscard]] inline SecondsAndFraction parse_timestamp(std::string_view text) noexcept {
  SecondsAndFraction result{false, 0, 0, text.size() - kFractionOffset};
  const char* const from = text.data();
  // For a text that is too short, the number of bytes is huge.
  if (result.fraction_bytes > kDigitsMax + 1 || result.fraction_bytes == 1 ||
      from[kDateBytes] != '-') [[unlikely]] {
    return result;
  }
  const auto eight = [from](std::size_t at) noexcept {
    const void* const word = from + at;
    return _mm_loadl_epi64(static_cast<const __m128i*>(word));
  };
  const __m128i digits = _mm_sub_epi8(_mm_unpacklo_epi64(eight(0), eight(kTimeOffset)),
                                      _mm_setr_epi8('0', '0', '0', '0', '0', '0', '0', '0',  //
                                                    '0', '0', ':', '0', '0', ':', '0', '0'));
  const __m128i pairs = pairs_of_digits(digits);
  const __m128i sums = _mm_madd_epi16(
      pairs, _mm_setr_epi16(100, 1, static_cast<short>(kDaySpellings), 1, 3600, 600, 6, 1));
  const std::size_t bytes = result.fraction_bytes;
  const __m128i fraction =
      _mm_and_si128(_mm_sub_epi8(load_vector(from + text.size() - kVectorBytes),
                                 load_vector(kFractionTables.least.data() + bytes)),
                    load_vector(kFractionTables.kept.data() + bytes));
  constexpr auto to_top = [](char most) { return static_cast<char>(0x7f - most); };
  const __m128i largest_to_top = _mm_setr_epi8(
      to_top(9), to_top(9), to_top(9), to_top(9), to_top(1), to_top(9), to_top(3), to_top(9),
      to_top(2), to_top(9), to_top(0), to_top(5), to_top(9), to_top(0), to_top(6), to_top(9));
  // The top bit of each byte that is too large. Hours up to 23, seconds up to 60.
  const __m128i too_large = _mm_or_si128(
      _mm_or_si128(_mm_adds_epu8(digits, largest_to_top),
                   _mm_cmpgt_epi16(pairs, _mm_setr_epi16(99, 99, 99, 99, 23, 99, 99, 60))),
      _mm_adds_epu8(fraction, load_vector(kFractionTables.to_top.data() + bytes)));
  const auto date = static_cast<std::uint64_t>(_mm_cvtsi128_si64(sums));
  const auto time = static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm_unpackhi_epi64(sums, sums)));
  const std::uint32_t year = static_cast<std::uint32_t>(date) - kFirstWholeYear;
  if (_mm_movemask_epi8(too_large) != 0 || year >= kWholeYears) [[unlikely]]
    return result;
  const std::uint32_t days = kCalendarTables.years[year];
  constexpr std::uint32_t kLeapYearMask = (1U << kLeapYearBits) - 1;
  const std::uint32_t day_of_year = kCalendarTables.days[(days & kLeapYearMask) + (date >> 32U)];
  constexpr std::int64_t kDayBeforeFirst =
      std::chrono::sys_days{std::chrono::year{kFirstWholeYear} / 1 / 1}.time_since_epoch().count() -
      1;
  result.valid = day_of_year != 0;
  result.seconds = (std::uint64_t{days >> kLeapYearBits} + day_of_year) * kSecondsPerDay +
                   static_cast<std::uint32_t>(time) + (time >> 32U) +
                   static_cast<std::uint64_t>(kDayBeforeFirst) * kSecondsPerDay;
  result.fraction = value_of_digits(fraction);
  return result;
}

#endif

// Writes all that follows the date. nanos: since midnight.
inline std::size_t store_dash_and_time(char* out, std::uint64_t nanos, std::uint32_t picos,
                                       TimePrecision precision) noexcept {
  const std::uint64_t second = nanos / kNanosPerSecond;
  *out = '-';
  store_time(out + 1, static_cast<std::uint32_t>(second));
  return 1 + kTimeBytes +
         store_fraction(out + 1 + kTimeBytes,
                        static_cast<std::uint32_t>(nanos - second * kNanosPerSecond), picos,
                        precision);
}

// Nanoseconds since 1900-03-01. Above kTwoCenturiesDays for earlier times, too.
[[nodiscard]] inline std::uint64_t since_two_centuries_begin(WallTime value) noexcept {
  return static_cast<std::uint64_t>(value.time_since_epoch().count()) -
         static_cast<std::uint64_t>(kTwoCenturiesBegin) * kNanosPerDay;
}

}  // namespace detail

inline Converted<WallTime> to_utc_timestamp(std::string_view text) noexcept {
#if defined(__SSE2__)
  const detail::SecondsAndFraction parsed =
      detail::parse_timestamp<detail::kFractionDigitsMax>(text);
  if (parsed.valid) [[likely]] {
    return WallTime{std::chrono::nanoseconds{static_cast<std::int64_t>(
        parsed.seconds * detail::kNanosPerSecond +
        parsed.fraction * detail::kCalendarTables.nanos[parsed.fraction_bytes])}};
  }
#endif
  return detail::to_any_utc_timestamp(text);
}

inline Converted<PicoTime> to_pico_time(std::string_view text) noexcept {
#if defined(__SSE2__)
  const detail::SecondsAndFraction parsed =
      detail::parse_timestamp<detail::kFractionDigitsLegal>(text);
  if (parsed.valid) [[likely]] {
    const std::uint64_t picos =
        parsed.fraction * detail::kCalendarTables.picos[parsed.fraction_bytes];
    const std::uint64_t nanos = picos / detail::kPicosPerNano;
    return PicoTime{WallTime{std::chrono::nanoseconds{static_cast<std::int64_t>(
                        parsed.seconds * detail::kNanosPerSecond + nanos)}},
                    static_cast<std::uint16_t>(picos - nanos * detail::kPicosPerNano)};
  }
#endif
  return detail::to_any_pico_time(text);
}

inline std::size_t from_utc_timestamp(PicoTime value, TimePrecision precision, char* out) noexcept {
  const std::uint64_t nanos = detail::since_two_centuries_begin(value.time);
  if (nanos >= detail::kTwoCenturiesDays * detail::kNanosPerDay) [[unlikely]] {
    const detail::DayAndNanos split = detail::split_any_century(value.time);
    detail::store_date_of_any_century(out, split.day);
    return kDateBytes +
           detail::store_dash_and_time(out + kDateBytes, split.nanos, value.picos, precision);
  }
  const std::uint64_t day = nanos / detail::kNanosPerDay;
  detail::store_date(out, static_cast<std::uint32_t>(day));
  return kDateBytes + detail::store_dash_and_time(out + kDateBytes,
                                                  nanos - day * detail::kNanosPerDay, value.picos,
                                                  precision);
}

inline std::size_t from_utc_timestamp(WallTime value, TimePrecision precision, char* out) noexcept {
  return from_utc_timestamp(PicoTime{value, 0}, precision, out);
}

inline std::size_t from_time_of_day(TimeOfDay value, TimePrecision precision, char* out) noexcept {
  const auto nanos = static_cast<std::uint64_t>(value.count());
  const std::uint64_t second = nanos / detail::kNanosPerSecond;
  detail::store_time(out, static_cast<std::uint32_t>(second));
  return detail::kTimeBytes +
         detail::store_fraction(
             out + detail::kTimeBytes,
             static_cast<std::uint32_t>(nanos - second * detail::kNanosPerSecond), 0, precision);
}

// Conversions between the text of a value and a C++ type, exact and without floating point.

// Y or N.
[[nodiscard]] inline Converted<bool> to_bool(std::string_view text) noexcept {
  if (text.empty()) return std::unexpected{FieldErrorCode::Empty};
  if (text.size() != 1 || (text[0] != 'Y' && text[0] != 'N')) {
    return std::unexpected{FieldErrorCode::Malformed};
  }
  return text[0] == 'Y';
}

// Exactly one byte.
[[nodiscard]] inline Converted<char> to_char(std::string_view text) noexcept {
  if (text.size() == 1) return text[0];
  return std::unexpected{text.empty() ? FieldErrorCode::Empty : FieldErrorCode::Malformed};
}

// A text as a value of a type that the caller names.

namespace detail {

// Writes timestamps of one day faster, because it remembers the date. Times may still come in any
// order and from any day. One thread at a time; no allocation.
class UtcTimestampWriter {
 public:
  // As from_utc_timestamp().
  std::size_t write(PicoTime value, TimePrecision precision, char* out) noexcept {
    const std::uint64_t nanos =
        static_cast<std::uint64_t>(value.time.time_since_epoch().count()) - midnight_;
    if (nanos >= kNanosPerDay) [[unlikely]]
      return write_other_day(value, precision, out);
    std::memcpy(out, date_.data(), kDateBytes);
    return kDateBytes + store_dash_and_time(out + kDateBytes, nanos, value.picos, precision);
  }
  // As above, for a time without picoseconds.
  std::size_t write(WallTime value, TimePrecision precision, char* out) noexcept {
    return write(PicoTime{value, 0}, precision, out);
  }

 private:
  std::size_t write_other_day(PicoTime value, TimePrecision precision, char* out) noexcept;

  std::uint64_t midnight_ = 0;  // nanoseconds since 1970-01-01, modulo 2^64
  std::array<char, kDateBytes> date_ = {'1', '9', '7', '0', '0', '1', '0', '1'};
};

template <class T, TextFront Front>
[[nodiscard, gnu::always_inline]] inline Converted<T> inlined_convert(
    std::string_view text) noexcept {
  if constexpr (std::is_same_v<T, std::string_view>) {
    if (text.empty()) return std::unexpected{FieldErrorCode::Empty};
    return text;
  } else if constexpr (std::is_same_v<T, char>) {
    return to_char(text);
  } else if constexpr (std::is_same_v<T, bool>) {
    return to_bool(text);
  } else if constexpr (std::is_same_v<T, std::int64_t>) {
    return to_int<Front>(text);
  } else if constexpr (std::is_same_v<T, std::uint64_t>) {
    return to_uint<Front>(text);
  } else if constexpr (std::is_same_v<T, Decimal>) {
    return inlined_decimal<Front>(text);
  } else if constexpr (std::is_same_v<T, FixedPrice>) {
    return to_fixed_price<Front>(text);
  } else if constexpr (std::is_same_v<T, WallTime>) {
    return to_utc_timestamp(text);
  } else if constexpr (std::is_same_v<T, PicoTime>) {
    return to_pico_time(text);
  } else if constexpr (std::is_same_v<T, Date>) {
    return to_date(text);
  } else {
    constexpr bool kIsRead = std::is_same_v<T, TimeOfDay>;
    static_assert(kIsRead,
                  "no FIX type is read as this C++ type: std::string_view, std::int64_t, "
                  "nexusfix::Decimal, char, bool, WallTime, Date are");
    if constexpr (kIsRead) {
      return to_time_of_day(text);
    } else {
      return std::unexpected{FieldErrorCode::Malformed};
    }
  }
}

}  // namespace detail

// Converts text to a T with the matching function above.
template <class T, detail::TextFront Front = detail::TextFront::Unreadable>
[[nodiscard]] Converted<T> convert(std::string_view text) noexcept {
  return detail::inlined_convert<T, Front>(text);
}
// Converts a value within a message. Inlined, because its results are used at once.
template <class T, detail::TextFront Front>
  requires(Front == detail::TextFront::Readable)
[[nodiscard, gnu::always_inline]] inline Converted<T> convert(std::string_view text) noexcept {
  return detail::inlined_convert<T, Front>(text);
}

}  // namespace nexusfix::wire
