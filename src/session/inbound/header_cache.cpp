// What is learnt of a counterparty's headers, so that the next message is compared and not read.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>

#include "base/api/full_path.hpp"
#include "session/inbound/header_check.hpp"
#include "session/inbound/matches_cached.hpp"

namespace nexusfix::session::detail {
namespace {

constexpr std::size_t kDigitsMax = 2 * kDigitsOfWord;

// The text at the block's begin, or at its end. At most a block.
CachedText cached_text(std::string_view text, bool at_end) noexcept {
  CachedText cached;
  std::array<char, sizeof(Block)> bytes{};
  std::array<char, sizeof(Block)> mask{};
  const std::size_t at = at_end ? bytes.size() - text.size() : 0;
  std::memcpy(bytes.data() + at, text.data(), text.size());
  std::memset(mask.data() + at, ~0, text.size());
  std::memcpy(&cached.bytes, bytes.data(), sizeof bytes);
  std::memcpy(&cached.mask, mask.data(), sizeof mask);
  return cached;
}

}  // namespace

// For messages of more than 255 bytes.
[[gnu::noinline]] bool HeaderCache::is_same_wide(
    const char* bytes, const wire::detail::FieldIndex& index) const noexcept {
  return is_same(bytes, WidePlaces{index});
}

// A number with more digits than are compared is read each time.
[[gnu::noinline]] void HeaderCache::learn_number(std::string_view text,
                                                 std::uint64_t number) noexcept {
  constexpr std::size_t kByteBits = 8;
  next_number_ = 0;
  if (text.size() > kDigitsMax) return;
  const auto mask_of = [](std::size_t bytes) {
    return bytes == 0 ? 0 : ~std::uint64_t{0} << (kByteBits * (kDigitsOfWord - bytes));
  };
  const std::size_t last = std::min(text.size(), kDigitsOfWord);
  number_mask_ = {mask_of(text.size() - last), mask_of(last)};
  std::memcpy(number_digits_.data(), text.data() + text.size() - kDigitsMax, kDigitsMax);
  for (std::size_t i = 0; i < number_digits_.size(); ++i) number_digits_[i] &= number_mask_[i];
  number_bytes_ = text.size();
  next_number_ = number;
  count_number();
}

// The last digit is beyond 9. A number with one more digit than the one before is learned again.
[[gnu::noinline]] void HeaderCache::carry_number() noexcept {
  std::array<char, kDigitsMax> digits;
  std::memcpy(digits.data(), number_digits_.data(), kDigitsMax);
  const std::size_t first = kDigitsMax - number_bytes_;
  std::size_t at = kDigitsMax - 1;
  for (; digits[at] > '9'; ++digits[at]) {
    digits[at] = '0';
    if (at == first) {
      next_number_ = 0;
      break;
    }
    --at;
  }
  std::memcpy(number_digits_.data(), digits.data(), kDigitsMax);
}

// A counterparty's header has its fields in one order all day, so where they are is found once.
[[gnu::cold]] bool HeaderCache::learn(const wire::MessageView& message,
                                      const SessionConfig& config) noexcept {
  if (FullPathOnly::is_on()) return false;
  if (message.field_count() <= kHeaderBegin + kHeaderTags.size()) return false;
  std::array<std::uint8_t, kHeaderTags.size()> places{};
  for (std::size_t i = 0; i < kHeaderTags.size(); ++i) {
    const std::size_t at = message.find_index(kHeaderTags[i]).value_or(0);
    if (at < kHeaderBegin || at >= kHeaderBegin + kHeaderTags.size()) return false;
    places[i] = static_cast<std::uint8_t>(at);
  }
  keys_ = header_keys(message);
  places_ = places;
  compared_keys_ = 0;
  const SessionId& id = config.id;
  constexpr std::string_view kTag = "8=";
  const std::size_t front_bytes = kTag.size() + id.begin_string.size() + 1;
  const std::size_t longest =
      std::max({front_bytes, id.sender_comp_id.size(), id.target_comp_id.size()});
  if (longest > sizeof(Block) || !config.header.check_comp_id) return true;
  std::array<char, sizeof(Block)> front{};
  char* const end =
      std::ranges::copy(id.begin_string, std::ranges::copy(kTag, front.data()).out).out;
  *end = wire::kSoh;
  begin_string_ = cached_text({front.data(), front_bytes}, false);
  sender_ = cached_text(id.target_comp_id, true);
  target_ = cached_text(id.sender_comp_id, true);
  sender_bytes_ = id.target_comp_id.size();
  target_bytes_ = id.sender_comp_id.size();
  compared_keys_ = keys_;
  return true;
}

[[gnu::cold]] void HeaderCache::learn_minute(std::string_view text, WallTime time,
                                             const HeaderConfig& config) noexcept {
  constexpr auto kMinute = std::chrono::minutes{1};
  const WallTime minute = std::chrono::floor<std::chrono::minutes>(time);
  minute_text_ = cached_text(text.substr(0, kMinuteBytes), false);
  near_begin_ = WallTime::min();
  near_last_ = WallTime::max();
  if (!config.check_latency) return;
  near_begin_ = minute + kMinute - config.max_latency;
  near_last_ = minute + config.max_latency;
}

// Whether the SendingTime is one, and near enough.
bool HeaderCache::is_sent_near(std::string_view text, const HeaderConfig& config,
                               const Position& at) noexcept {
  const auto time = wire::convert<WallTime, wire::detail::TextFront::Readable>(text);
  if (!time) return false;
  if (text.size() == kTimeBytes) learn_minute(text, *time, config);
  return !config.check_latency || is_sending_time_near(*time, config, at);
}

bool HeaderCache::is_in_sequence(const wire::MessageView& message, const SessionConfig& config,
                                 const Position& at) noexcept {
  if (message.begin_string() != config.id.begin_string) return false;
  if (message.has_either(tag::PossDupFlag, tag::PossResend)) return false;
  if (header_keys(message) != keys_ && !learn(message, config)) return false;
  const auto value = [&](std::size_t tag) { return message.field(places_[tag]).value; };
  const auto number = wire::convert<std::uint64_t, wire::detail::TextFront::Readable>(value(2));
  if (!number || *number != at.next_inbound || *number <= at.highest_out_of_order) return false;
  if (config.header.check_comp_id &&
      (value(0) != config.id.target_comp_id || value(1) != config.id.sender_comp_id)) {
    return false;
  }
  learn_number(value(2), *number);
  return is_sent_near(value(3), config.header, at);
}

}  // namespace nexusfix::session::detail
