// What a state machine remembers of the headers of a session's messages, so that the next one is
// compared with it, and not read. Not for applications.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include <nexusfix/base/time.hpp>
#include <nexusfix/session/config.hpp>
#include <nexusfix/wire/message_view.hpp>

namespace nexusfix::session::detail {

// Sixteen bytes at once; compilers have an instruction for them where the CPU does.
using Block [[gnu::vector_size(2 * sizeof(std::uint64_t))]] = std::uint64_t;

// Up to a block of text, and which of its bits are meant.
struct CachedText {
  Block bytes{};
  Block mask{};
};

class HeaderCache {
 public:
  // What a header is judged by, beside the configuration.
  struct Position {
    std::uint64_t next_inbound = 0;
    std::uint64_t highest_out_of_order = 0;
    WallTime now{};
    bool is_delayed = false;  // what comes has waited at the owner's
  };

  // Whether is_in_sequence() would be true of the message if it has neither PossDupFlag nor
  // PossResend, found by comparison with the one before it. Its MsgSeqNum is digits then, and its
  // SendingTime is one. False also in doubt. Defined in src/session/inbound/matches_cached.hpp.
  [[nodiscard]] bool matches_cached(const wire::MessageView& message, const Position& at) noexcept;
  // Whether the header is one of a message whose turn it is, with nothing in it that asks for more.
  // False also in doubt: then the rules of receive() decide. What is learnt serves
  // matches_cached(). The caller looks at the MsgType and at ApplVerID.
  [[nodiscard]] bool is_in_sequence(const wire::MessageView& message, const SessionConfig& config,
                                    const Position& at) noexcept;
  // What was learnt was learnt by the rules of another configuration.
  void forget() noexcept { *this = {}; }

 private:
  struct NarrowPlaces;
  struct WidePlaces;

  [[nodiscard]] bool learn(const wire::MessageView& message, const SessionConfig& config) noexcept;
  void learn_minute(std::string_view sending_time, WallTime time,
                    const HeaderConfig& config) noexcept;
  [[nodiscard]] bool is_sent_near(std::string_view sending_time, const HeaderConfig& config,
                                  const Position& at) noexcept;
  // The MsgSeqNum of a message that is in sequence, as the counterparty writes it. The two words
  // up to its last byte are readable.
  void learn_number(std::string_view text, std::uint64_t number) noexcept;
  // The next message has the next number.
  void count_number() noexcept;
  void carry_number() noexcept;
  template <class Places>
  [[nodiscard]] bool is_same(const char* bytes, Places place) const noexcept;
  [[nodiscard]] bool is_same_wide(const char* bytes, const wire::FieldIndex& index) const noexcept;

  std::uint64_t keys_ = 0;                // of the header's first fields in an earlier message
  std::array<std::uint8_t, 4> places_{};  // where 49, 56, 34 and 52 are then
  // A SendingTime of that minute is near enough from here to there, by our clock.
  WallTime near_begin_ = WallTime::max();
  WallTime near_last_ = WallTime::min();

  // The rest is of use while this equals keys_; 0: what is configured cannot be compared like this.
  std::uint64_t compared_keys_ = 0;
  std::uint64_t sender_bytes_ = 0;  // of the values of 49 and 56
  std::uint64_t target_bytes_ = 0;
  CachedText begin_string_;  // from the message's first byte on
  CachedText sender_;        // up to the value's last byte
  CachedText target_;
  CachedText minute_text_;  // from the value's first byte on

  // The next MsgSeqNum, and its digits as text, the last one in the last byte. Counted in place, so
  // that no message's number is read. As two words: a message's digit may still be on its way to
  // the cache when the next one is compared, and a load of both would wait for it.
  std::uint64_t next_number_ = 0;   // 0: none is known
  std::uint64_t number_bytes_ = 0;  // of the text
  std::array<std::uint64_t, 2> number_digits_{};
  std::array<std::uint64_t, 2> number_mask_{};  // of the digits
};

}  // namespace nexusfix::session::detail
