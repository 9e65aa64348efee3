// What a state machine remembers of the headers of a session's messages, so that the next one is
// compared with it, and not read. Not for applications.
#pragma once

#include <array>
#include <cstdint>

#include <nexusfix/base/time.hpp>

namespace nexusfix::session::detail {

// Sixteen bytes at once; compilers have an instruction for them where the CPU does.
using Block [[gnu::vector_size(2 * sizeof(std::uint64_t))]] = std::uint64_t;

// Up to a block of text, and which of its bits are meant.
struct KnownText {
  Block bytes{};
  Block mask{};
};

struct KnownHeader {
  std::uint64_t keys = 0;                // of the header's first fields in a message of before
  std::array<std::uint8_t, 4> places{};  // where 49, 56, 34 and 52 are then
  // A SendingTime of that minute is near enough from here to there, by our clock.
  WallTime near_begin = WallTime::max();
  WallTime near_last = WallTime::min();

  // The rest is of use while this equals keys; 0: what is configured cannot be compared like this.
  std::uint64_t compared_keys = 0;
  std::uint64_t sender_bytes = 0;  // of the values of 49 and 56
  std::uint64_t target_bytes = 0;
  KnownText begin_string;  // from the message's first byte on
  KnownText sender;        // up to the value's last byte
  KnownText target;
  KnownText minute_text;  // from the value's first byte on
};

}  // namespace nexusfix::session::detail
