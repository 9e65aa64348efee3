// The short way of nearly every message: an application message whose turn it is, with nothing in
// its header that asks for more. The benchmark's row session/in-sequence shows what it takes.
#include <array>
#include <chrono>
#include <cstring>

#include <nexusfix/wire/digits.hpp>

#include "session/inbound.hpp"

namespace nexusfix::session {
namespace {

// The header's first fields behind those that a parser has verified.
constexpr std::size_t kHeaderBegin = 3;
constexpr std::array kHeaderTags{tag::SenderCompID, tag::TargetCompID, tag::MsgSeqNum,
                                 tag::SendingTime};

std::uint64_t header_keys(const wire::MessageView& message) noexcept {
  std::uint64_t keys;
  static_assert(sizeof keys == kHeaderTags.size() * sizeof *message.index().keys);
  std::memcpy(&keys, message.index().keys + kHeaderBegin, sizeof keys);
  return keys;
}

// Two texts of a few bytes each, most often, without a call.
bool are_equal(std::string_view a, std::string_view b) noexcept {
  using Word = std::uint64_t;
  using HalfWord = std::uint32_t;
  const auto ends_differ = [&]<class T>(T) {
    T words[4];
    std::memcpy(&words[0], a.data(), sizeof(T));
    std::memcpy(&words[1], b.data(), sizeof(T));
    std::memcpy(&words[2], a.data() + a.size() - sizeof(T), sizeof(T));
    std::memcpy(&words[3], b.data() + b.size() - sizeof(T), sizeof(T));
    return ((words[0] ^ words[1]) | (words[2] ^ words[3])) != 0;
  };
  if (a.size() != b.size()) return false;
  if (a.size() > 2 * sizeof(Word)) return a == b;
  if (a.size() >= sizeof(Word)) return !ends_differ(Word{});
  if (a.size() >= sizeof(HalfWord)) return !ends_differ(HalfWord{});
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i]) return false;
  }
  return true;
}

}  // namespace

// A counterparty's header has its fields in one order all day, so where they are is found once.
bool StateMachine::learn_header(const wire::MessageView& message) noexcept {
  if (message.field_count() <= kHeaderBegin + kHeaderTags.size()) return false;
  for (std::size_t i = 0; i < kHeaderTags.size(); ++i) {
    const std::size_t at = message.find_index(kHeaderTags[i]).value_or(0);
    if (at < kHeaderBegin || at >= kHeaderBegin + kHeaderTags.size()) return false;
    header_places_[i] = static_cast<std::uint8_t>(at);
  }
  header_keys_ = header_keys(message);
  return true;
}

// Whether the SendingTime is one, and near enough. Of one in milliseconds in the minute of the last
// message only the seconds are looked at.
bool StateMachine::is_sent_near(std::string_view text) noexcept {
  namespace detail = wire::detail;
  constexpr std::size_t kBytes = 21;         // YYYYMMDD-HH:MM:SS.sss
  constexpr std::size_t kLastOfMinute = 13;  // its last digit; behind it :SS.sss
  constexpr std::size_t kMinuteBackAt = kLastOfMinute + 1 - sizeof(std::uint64_t);
  if (text.size() == kBytes) [[likely]] {
    const char* const from = text.data();
    const auto front = detail::load_word<std::uint64_t>(from);
    const auto back = detail::load_word<std::uint64_t>(from + kMinuteBackAt);
    const std::uint64_t rest = detail::load_word<std::uint64_t>(from + kLastOfMinute) ^
                               detail::word_of<std::uint64_t>("0:00.000");
    constexpr std::uint64_t kMost = 0x0909'0900'0905'0009;
    const bool is_known =
        front == minute_text_[0] && back == minute_text_[1] && detail::beyond(rest, kMost) == 0;
    if (is_known && minute_ >= now_.wall - config_.max_latency &&
        minute_ + std::chrono::minutes{1} <= now_.wall + config_.max_latency) [[likely]] {
      return true;
    }
    const auto time = wire::convert<WallTime, wire::TextFront::Readable>(text);
    if (!time) return false;
    minute_ = std::chrono::floor<std::chrono::minutes>(*time);
    minute_text_ = {front, back};
    return !config_.check_latency || sending_time_is_near(*time);
  }
  const auto time = wire::convert<WallTime, wire::TextFront::Readable>(text);
  return time && (!config_.check_latency || sending_time_is_near(*time));
}

// Whether the message is one to deliver, by all that receive() would ask. False also in doubt:
// then receive() finds out what it is. Nothing is changed.
bool StateMachine::is_ordinary(const wire::MessageView& message) noexcept {
  using wire::TextFront;
  if (version_->has_default_appl_ver_id || is_administrative(message.msg_type())) return false;
  if (message.has(tag::PossDupFlag) || message.has(tag::PossResend)) return false;
  if (header_keys(message) != header_keys_ && !learn_header(message)) [[unlikely]]
    return false;
  const auto value = [&](std::size_t tag) { return message.field(header_places_[tag]).value; };
  const auto number = wire::convert<std::uint64_t, TextFront::Readable>(value(2));
  if (!number || *number != numbers_.next_inbound || *number <= held_high_) return false;
  if (config_.check_comp_id && !(are_equal(value(0), config_.id.target_comp_id) &&
                                 are_equal(value(1), config_.id.sender_comp_id))) {
    return false;
  }
  if (!is_sent_near(value(3))) return false;
  if (!are_equal(message.begin_string(), config_.id.begin_string)) return false;
  if (!config_.validator) return !message.fault();
  return config_.validation_memory != nullptr
             ? !config_.validator->validate(message, *config_.validation_memory)
             : !config_.validator->validate(message);
}

}  // namespace nexusfix::session
