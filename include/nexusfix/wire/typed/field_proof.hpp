// What a validator knows about a sequence of tags, so that M::from() does not find it out again.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include <nexusfix/base/language.hpp>
#include <nexusfix/wire/typed/required_indexes.hpp>

namespace nexusfix::wire {

struct FieldCheck;
class MessageView;

// A proof for all valid messages with one sequence of tags. Which fields such a message has, and
// where, is the same for each of them, and a validator has checked each value against its
// dictionary. So most checks of a typed message are done once for the sequence: prove() remembers
// those that are left.
//
// The memory of a validator owns it. Only the thread of that memory calls functions that are not
// const.
class FieldProof {
 public:
  // Forgets everything: another sequence of tags.
  void begin() noexcept { *this = {}; }
  // The validator checks that the field with this index, below 64, is a UTCTimestamp.
  void add_timestamp(std::size_t field) noexcept { timestamps_ |= std::uint64_t{1} << field; }
  // The validator checks that the field is one of these ASCII characters, a bit each. Ignored if
  // there are too many such fields.
  void add_characters(std::size_t field, const std::array<std::uint64_t, 2>& allowed) noexcept {
    if (characters_count_ == kCharactersMax) return;
    characters_[characters_count_++] = {static_cast<std::uint8_t>(field), allowed};
  }

  // A valid message of the sequence has passed all of the checks. Remembers those that do not
  // follow from its sequence and its validity. checks: lives as long as the program.
  void prove(const MessageView& message, std::span<const FieldCheck> checks) noexcept;
  // Whether the last valid message of the sequence passes the checks. False: that is not known.
  [[nodiscard]] bool shows(const MessageView& message,
                           std::span<const FieldCheck> checks) const noexcept {
    return checks_ == checks.data() &&
           ((has_only_open_times_ && has_usual_times_) || are_open_right(message));
  }
  // Whether each timestamp of the last valid message is known to be of the years 2000 to 2099, in
  // milliseconds, microseconds or nanoseconds: then it is a WallTime.
  void set_usual_times(bool are_usual) noexcept { has_usual_times_ = are_usual; }
  // As set_usual_times() has set it.
  [[nodiscard]] bool has_usual_times() const noexcept { return has_usual_times_; }
  // The messages have PossDupFlag or PossResend.
  void set_flagged(bool is_flagged) noexcept { is_flagged_ = is_flagged; }
  // Whether they have.
  [[nodiscard]] bool is_flagged() const noexcept { return is_flagged_; }
  // The messages are application messages: known of their MsgType. False: ask.
  void set_application() noexcept { is_application_ = true; }
  // Whether that is known.
  [[nodiscard]] bool is_application() const noexcept { return is_application_; }
  // Where the fields of a message are that shows() is true for.
  [[nodiscard]] const FieldIndexes& indexes() const noexcept { return indexes_; }

 private:
  // A check that is made for each message.
  struct Open {
    std::uint8_t field = 0;
    std::uint8_t check = 0;  // its index
    bool is_timestamp = false;
  };
  struct Characters {
    std::uint8_t field = 0;
    std::array<std::uint64_t, 2> allowed{};
  };
  static constexpr std::size_t kCharactersMax = 6;
  static constexpr std::size_t kOpenMax = 8;

  [[nodiscard]] bool are_open_right(const MessageView& message) const noexcept;
  [[nodiscard]] bool follows(std::size_t field, const FieldCheck& check) const noexcept;
  [[nodiscard]] bool is_timestamp(std::size_t field) const noexcept {
    return (timestamps_ >> field & 1U) != 0;
  }

  const FieldCheck* checks_ = nullptr;  // null: prove() was not called
  FieldIndexes indexes_;
  std::uint64_t timestamps_ = 0;
  std::array<Open, kOpenMax> open_{};
  std::uint8_t open_count_ = 0;
  std::uint8_t characters_count_ = 0;
  bool is_flagged_ = false;
  bool is_application_ = false;
  bool has_usual_times_ = false;
  bool has_only_open_times_ = false;  // no check is open but for those of timestamps
  std::array<Characters, kCharactersMax> characters_{};
};

}  // namespace nexusfix::wire
