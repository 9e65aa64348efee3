// The short way of nearly every message: an application message whose turn it is, with nothing in
// its header that asks for more. The benchmark's row session/in-sequence shows what it takes.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>

#include <nexusfix/wire/values/digits.hpp>

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

using detail::Block;

// Bits other than 0 where the bytes from there on are others than the known ones.
Block difference(const detail::KnownText& known, const char* from) noexcept {
  Block block;
  std::memcpy(&block, from, sizeof block);
  return (block ^ known.bytes) & known.mask;
}

// text at the block's begin, or at its end. At most a block.
detail::KnownText known_text(std::string_view text, bool at_end) noexcept {
  detail::KnownText known;
  std::array<char, sizeof(Block)> bytes{};
  std::array<char, sizeof(Block)> mask{};
  const std::size_t at = at_end ? bytes.size() - text.size() : 0;
  std::memcpy(bytes.data() + at, text.data(), text.size());
  std::memset(mask.data() + at, ~0, text.size());
  std::memcpy(&known.bytes, bytes.data(), sizeof bytes);
  std::memcpy(&known.mask, mask.data(), sizeof mask);
  return known;
}

// SendingTimes in milliseconds are compared: YYYYMMDD-HH:MM:SS.sss.
constexpr std::size_t kTimeBytes = 21;
constexpr std::size_t kMinuteBytes = 14;

// Bits other than 0 if what comes behind the minute is no :SS.sss, the minute's last digit being
// one.
std::uint64_t beyond_minute(const char* time) noexcept {
  constexpr std::uint64_t kMost = 0x0909'0900'0905'0009;
  const auto rest = wire::detail::load_word<std::uint64_t>(time + kMinuteBytes - 1);
  return wire::detail::beyond(rest ^ wire::detail::word_of<std::uint64_t>("0:00.000"), kMost);
}

// Whether the text, of which the block up to its last byte may be read, is this number.
bool says(const char* text, std::size_t size, std::uint64_t number) noexcept {
#if defined(__SSE2__)
  namespace detail = wire::detail;
  if (size - 1 >= detail::kVectorBytes) return false;
  const __m128i digits =
      detail::digits_of(detail::load_last_vector<wire::TextFront::Readable>({text, size}), size);
  return detail::digit_bits(digits) == detail::kAllBytes &&
         detail::value_of_digits(digits) == number;
#else
  const auto value = wire::convert<std::uint64_t, wire::TextFront::Readable>({text, size});
  return value && *value == number;
#endif
}

struct NarrowPlaces {
  const wire::FieldIndex& index;
  wire::FieldPlace operator()(std::size_t at) const noexcept {
    const wire::NarrowPlace narrow = index.narrow_places[at];
    return {narrow.begin, std::uint32_t{narrow.begin} + narrow.size};
  }
};
struct WidePlaces {
  const wire::FieldIndex& index;
  wire::FieldPlace operator()(std::size_t at) const noexcept { return index.places[at]; }
};

// Whether the values of 8, 49 and 56 are the known ones, the SendingTime is in the known minute,
// the MsgSeqNum is the next one, and the MsgType an application's. All texts are compared at once,
// as each alone would be right nearly always. Every block lies within the message, which is longer
// than one: what is compared up to its end has as much in front of it.
template <class Places>
[[gnu::always_inline]] inline bool is_same_header(const detail::KnownHeader& known,
                                                  const char* bytes, std::uint64_t next,
                                                  Places place) noexcept {
  const wire::FieldPlace msg_type = place(kHeaderBegin - 1);
  if (msg_type.begin < sizeof(Block) ||
      is_administrative({bytes + msg_type.begin, msg_type.end - msg_type.begin})) {
    return false;
  }
  const wire::FieldPlace sender = place(known.places[0]);
  const wire::FieldPlace target = place(known.places[1]);
  const wire::FieldPlace number = place(known.places[2]);
  const wire::FieldPlace time = place(known.places[3]);
  const Block texts = difference(known.begin_string, bytes) |
                      difference(known.sender, bytes + sender.end - sizeof(Block)) |
                      difference(known.target, bytes + target.end - sizeof(Block)) |
                      difference(known.minute_text, bytes + time.begin);
  const std::uint64_t sizes = ((sender.end - sender.begin) ^ known.sender_bytes) |
                              ((target.end - target.begin) ^ known.target_bytes) |
                              ((time.end - time.begin) ^ kTimeBytes);
  if ((texts[0] | texts[1] | sizes | beyond_minute(bytes + time.begin)) != 0) return false;
  return says(bytes + number.begin, number.end - number.begin, next);
}

// For messages of more than 255 bytes.
[[gnu::noinline]] bool is_same_wide_header(const detail::KnownHeader& known, const char* bytes,
                                           std::uint64_t next,
                                           const wire::FieldIndex& index) noexcept {
  return is_same_header(known, bytes, next, WidePlaces{index});
}

}  // namespace

// Whether is_ordinary() would be true of the message, told without reading what is known already.
// False also in doubt.
[[gnu::always_inline]] inline bool StateMachine::is_as_before(
    const wire::MessageView& message) const noexcept {
  const wire::FieldIndex& index = message.index();
  if (header_keys(message) != known_.compared_keys) return false;
  const char* const bytes = message.bytes().data();
  const bool is_same =
      index.narrow_count != 0
          ? is_same_header(known_, bytes, numbers_.next_inbound, NarrowPlaces{index})
          : is_same_wide_header(known_, bytes, numbers_.next_inbound, index);
  return is_same && !message.has_either(tag::PossDupFlag, tag::PossResend) &&
         numbers_.next_inbound > held_high_ && now_.wall >= known_.near_begin &&
         now_.wall <= known_.near_last &&
         (config_.validation.validator ? is_valid(message) : !message.fault());
}

// On the way of every message: one in order is told by a comparison with the one before it.
void StateMachine::on_message(const wire::MessageView& message, Now now) noexcept {
  begin_event(now);
  NEXUSFIX_ASSERT(!awaits_verdict_);
  message_ = &message;
  switch (state_) {
    case State::Disconnected:
      return;  // behind a Disconnect: what still comes is not read
    case State::AwaitingLogon:
    case State::LogonSent:
      return receive_before_logon(message);
    case State::LogonReceived:
      return receive_undecided(message);
    case State::LoggedOn:
    case State::LogoutSent:
      break;
  }
  last_received_ = now.mono;
  test_request_sent_.reset();
  if (!is_as_before(message)) [[unlikely]]
    return receive(message);
  deliver_in_order();
}

// A counterparty's header has its fields in one order all day, so where they are is found once.
bool StateMachine::learn_header(const wire::MessageView& message) noexcept {
  if (message.field_count() <= kHeaderBegin + kHeaderTags.size()) return false;
  std::array<std::uint8_t, kHeaderTags.size()> places{};
  for (std::size_t i = 0; i < kHeaderTags.size(); ++i) {
    const std::size_t at = message.find_index(kHeaderTags[i]).value_or(0);
    if (at < kHeaderBegin || at >= kHeaderBegin + kHeaderTags.size()) return false;
    places[i] = static_cast<std::uint8_t>(at);
  }
  known_.keys = header_keys(message);
  known_.places = places;
  known_.compared_keys = 0;
  const SessionId& id = config_.id;
  constexpr std::string_view kTag = "8=";
  const std::size_t front_bytes = kTag.size() + id.begin_string.size() + 1;
  const std::size_t longest =
      std::max({front_bytes, id.sender_comp_id.size(), id.target_comp_id.size()});
  if (longest > sizeof(Block) || !config_.header.check_comp_id) return true;
  std::array<char, sizeof(Block)> front{};
  char* const end =
      std::ranges::copy(id.begin_string, std::ranges::copy(kTag, front.data()).out).out;
  *end = wire::kSoh;
  known_.begin_string = known_text({front.data(), front_bytes}, false);
  known_.sender = known_text(id.target_comp_id, true);
  known_.target = known_text(id.sender_comp_id, true);
  known_.sender_bytes = id.target_comp_id.size();
  known_.target_bytes = id.sender_comp_id.size();
  known_.compared_keys = known_.keys;
  return true;
}

void StateMachine::learn_minute(std::string_view text, WallTime time) noexcept {
  constexpr auto kMinute = std::chrono::minutes{1};
  const WallTime minute = std::chrono::floor<std::chrono::minutes>(time);
  known_.minute_text = known_text(text.substr(0, kMinuteBytes), false);
  known_.near_begin = WallTime::min();
  known_.near_last = WallTime::max();
  if (!config_.header.check_latency) return;
  known_.near_begin = minute + kMinute - config_.header.max_latency;
  known_.near_last = minute + config_.header.max_latency;
}

// Whether the SendingTime is one, and near enough.
bool StateMachine::is_sent_near(std::string_view text) noexcept {
  const auto time = wire::convert<WallTime, wire::TextFront::Readable>(text);
  if (!time) return false;
  if (text.size() == kTimeBytes) learn_minute(text, *time);
  return !config_.header.check_latency || sending_time_is_near(*time);
}

bool StateMachine::is_valid(const wire::MessageView& message) const noexcept {
  return config_.validation.memory != nullptr
             ? !config_.validation.validator->validate(message, *config_.validation.memory)
             : !config_.validation.validator->validate(message);
}

// Whether the message is one to deliver, by all that receive() would ask. False also in doubt:
// then receive() finds out what it is. What is learnt serves is_as_before().
bool StateMachine::is_ordinary(const wire::MessageView& message) noexcept {
  using wire::TextFront;
  if (version_->has_default_appl_ver_id || is_administrative(message.msg_type())) return false;
  if (message.begin_string() != config_.id.begin_string) return false;
  if (message.has_either(tag::PossDupFlag, tag::PossResend)) return false;
  if (header_keys(message) != known_.keys && !learn_header(message)) return false;
  const auto value = [&](std::size_t tag) { return message.field(known_.places[tag]).value; };
  const auto number = wire::convert<std::uint64_t, TextFront::Readable>(value(2));
  if (!number || *number != numbers_.next_inbound || *number <= held_high_) return false;
  if (config_.header.check_comp_id &&
      (value(0) != config_.id.target_comp_id || value(1) != config_.id.sender_comp_id)) {
    return false;
  }
  if (!is_sent_near(value(3))) return false;
  return config_.validation.validator ? is_valid(message) : !message.fault();
}

}  // namespace nexusfix::session
