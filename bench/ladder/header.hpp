// The beginning of a message as constants, and the trailer, which has a fixed size.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "bench/ladder/rung.hpp"
#include "bench/ladder/text.hpp"

namespace nexusfix::bench::ladder {

// `8=FIX.4.4` SOH `9=`, its offsets and the sum of its bytes.
template <std::size_t BeginStringBytes>
struct HeaderTemplate {
  static constexpr std::size_t kBeginString = 2;
  static constexpr std::size_t kBodyLength = kBeginString + BeginStringBytes + 3;

  std::array<char, kBodyLength> bytes{};
  std::uint32_t sum = 0;

  consteval explicit HeaderTemplate(std::string_view begin_string) {
    std::size_t at = 0;
    const auto add = [&](std::string_view text) {
      for (const char c : text) {
        bytes[at++] = c;
        sum += static_cast<unsigned char>(c);
      }
    };
    add("8=");
    add(begin_string);
    add("\x01"
        "9=");
  }

  // The compiler turns memcmp with a constant size into two compares.
  [[nodiscard]] bool begins(std::string_view message) const noexcept {
    return message.size() > kBodyLength &&
           std::memcmp(message.data(), bytes.data(), kBodyLength) == 0;
  }
};

inline constexpr HeaderTemplate<7> kFix44{"FIX.4.4"};

inline constexpr std::size_t kTrailerBytes = 7;  // `10=` three digits SOH

// The three digits of the trailer; kNoNumber if the message does not end with a trailer.
[[nodiscard]] inline std::size_t trailer_sum(std::string_view message) noexcept {
  const std::string_view trailer = message.substr(message.size() - kTrailerBytes);
  if (std::memcmp(trailer.data(), "10=", 3) != 0 || trailer.back() != kSoh) return kNoNumber;
  return digits_of(trailer.substr(3, 3));
}

// The end of BodyLength's digits, if there are two to four; otherwise 0.
[[nodiscard]] inline std::size_t body_length_end(std::string_view message) noexcept {
  constexpr std::size_t kAt = decltype(kFix44)::kBodyLength;
  constexpr std::size_t kSizeLeast = kAt + 5 + kTrailerBytes;
  if (message.size() < kSizeLeast) return 0;
  if (message[kAt + 3] == kSoh) return kAt + 3;
  if (message[kAt + 2] == kSoh) return kAt + 2;
  if (message[kAt + 4] == kSoh) return kAt + 4;
  return 0;
}

}  // namespace nexusfix::bench::ladder
