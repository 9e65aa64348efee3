// HeaderCache::matches_cached(), on the path of every message, for the one source that calls it.
// The benchmark's row session/in-sequence shows what it takes.
#pragma once

#include <cstring>

#include <nexusfix/wire/digits.hpp>
#include <nexusfix/wire/field.hpp>

#include "session/api/connection_state.hpp"

namespace nexusfix::session::detail {

// The header's first fields after those that a parser has verified.
inline constexpr std::size_t kHeaderBegin = 3;
inline constexpr std::array kHeaderTags{tag::SenderCompID, tag::TargetCompID, tag::MsgSeqNum,
                                        tag::SendingTime};

inline std::uint64_t header_keys(const wire::MessageView& message) noexcept {
  std::uint64_t keys;
  static_assert(sizeof keys == kHeaderTags.size() * sizeof *message.index().keys);
  std::memcpy(&keys, message.index().keys + kHeaderBegin, sizeof keys);
  return keys;
}

// Bits other than 0 where the bytes from there on are others than the cached ones.
inline Block difference(const CachedText& cached, const char* from) noexcept {
  Block block;
  std::memcpy(&block, from, sizeof block);
  return (block ^ cached.bytes) & cached.mask;
}

// SendingTimes in milliseconds are compared: YYYYMMDD-HH:MM:SS.sss.
inline constexpr std::size_t kTimeBytes = 21;
inline constexpr std::size_t kMinuteBytes = 14;

// Bits other than 0 if what comes after the minute is no :SS.sss, the minute's last digit being
// one.
inline std::uint64_t beyond_minute(const char* time) noexcept {
  constexpr std::uint64_t kMost = 0x0909'0900'0905'0009;
  const auto rest = wire::detail::load_word<std::uint64_t>(time + kMinuteBytes - 1);
  return wire::detail::beyond(rest ^ wire::detail::word_of<std::uint64_t>("0:00.000"), kMost);
}

// A word of a MsgSeqNum's digits; two are compared at most.
inline constexpr std::size_t kDigitsOfWord = sizeof(std::uint64_t);

struct HeaderCache::NarrowPlaces {
  const wire::detail::FieldIndex& index;
  wire::detail::FieldPlace operator()(std::size_t at) const noexcept {
    const wire::detail::NarrowPlace narrow = index.narrow_places[at];
    return {narrow.begin, std::uint32_t{narrow.begin} + narrow.size};
  }
};
struct HeaderCache::WidePlaces {
  const wire::detail::FieldIndex& index;
  wire::detail::FieldPlace operator()(std::size_t at) const noexcept { return index.places[at]; }
};

// Whether the values of 8, 49 and 56 are the cached ones, the SendingTime is in the cached minute,
// and the MsgSeqNum is the next one. All texts are compared at once, as each alone would be equal
// nearly always. Every block lies within the message, which is longer than one: what is compared up
// to its end has as much before it.
template <class Places>
[[gnu::always_inline]] inline bool HeaderCache::is_same(const char* bytes,
                                                        Places place) const noexcept {
  if (place(kHeaderBegin - 1).begin < sizeof(Block)) return false;
  const wire::detail::FieldPlace sender = place(places_[0]);
  const wire::detail::FieldPlace target = place(places_[1]);
  const wire::detail::FieldPlace number = place(places_[2]);
  const wire::detail::FieldPlace time = place(places_[3]);
  const Block texts = difference(begin_string_, bytes) |
                      difference(sender_, bytes + sender.end - sizeof(Block)) |
                      difference(target_, bytes + target.end - sizeof(Block)) |
                      difference(minute_text_, bytes + time.begin);
  const std::uint64_t sizes = ((sender.end - sender.begin) ^ sender_bytes_) |
                              ((target.end - target.begin) ^ target_bytes_) |
                              ((number.end - number.begin) ^ number_bytes_) |
                              ((time.end - time.begin) ^ kTimeBytes);
  const char* const number_end = bytes + number.end;
  const auto other_digits = [&](std::size_t word) {
    const char* const from = number_end - (number_digits_.size() - word) * kDigitsOfWord;
    return (wire::detail::load_word<std::uint64_t>(from) ^ number_digits_[word]) &
           number_mask_[word];
  };
  const std::uint64_t others =
      texts[0] | texts[1] | sizes | other_digits(1) | beyond_minute(bytes + time.begin);
  if (others != 0) return false;
  return number_bytes_ <= kDigitsOfWord || other_digits(0) == 0;
}

// What comes after the last digit is the byte that carries.
[[gnu::always_inline]] inline void HeaderCache::count_number() noexcept {
  constexpr std::uint64_t kLastDigit = std::uint64_t{1} << 56U;
  ++next_number_;
  number_digits_[1] += kLastDigit;
  if (number_digits_[1] >= ('9' + 1) * kLastDigit) [[unlikely]]
    carry_number();
}

[[gnu::always_inline]] inline bool HeaderCache::matches_cached(const wire::MessageView& message,
                                                               const Position& at) noexcept {
  const wire::detail::FieldIndex& index = message.index();
  // What needs no text comes first, so that nothing of it takes a register later.
  if (at.next_inbound != next_number_ || at.next_inbound <= at.highest_out_of_order ||
      at.now < near_begin_ || at.now > near_last_ || header_keys(message) != compared_keys_) {
    return false;
  }
  const char* const bytes = message.bytes().data();
  const bool is_same_header =
      index.narrow_count != 0 ? is_same(bytes, NarrowPlaces{index}) : is_same_wide(bytes, index);
  if (!is_same_header) return false;
  count_number();
  return true;
}

}  // namespace nexusfix::session::detail
