// Texts that are made for the event being handled.
#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstring>
#include <optional>

#include <nexusfix/session/identity.hpp>
#include <nexusfix/wire/field.hpp>

#include "session/api/actions.hpp"

namespace nexusfix::session::detail {

std::string_view EventTexts::compared(std::string_view what, std::uint64_t expected,
                                      std::uint64_t received) noexcept {
  char* out = memory_->compared.data();
  char* const end = out + memory_->compared.size();
  const auto put_text = [&](std::string_view text) {
    std::memcpy(out, text.data(), text.size());
    out += text.size();
  };
  put_text(what);
  put_text(", expecting ");
  out = std::to_chars(out, end, expected).ptr;
  put_text(" but received ");
  out = std::to_chars(out, end, received).ptr;
  return {memory_->compared.data(), static_cast<std::size_t>(out - memory_->compared.data())};
}

std::string_view EventTexts::ref_tag(wire::Tag tag) noexcept {
  char* const begin = memory_->ref_tag.data();
  const std::to_chars_result end = std::to_chars(begin, begin + memory_->ref_tag.size(), tag);
  return {begin, static_cast<std::size_t>(end.ptr - begin)};
}

std::string_view EventTexts::with_tag(std::string_view text, std::string_view ref_tag) noexcept {
  const std::size_t size = text.size() + ref_tag.size() + 3;
  if (ref_tag.empty() || size > memory_->noted.size() - noted_size_) return text;
  char* const begin = memory_->noted.data() + noted_size_;
  char* out = begin;
  for (const std::string_view part : {text, std::string_view{" ("}, ref_tag}) {
    out = std::ranges::copy(part, out).out;
  }
  *out = ')';
  noted_size_ += size;
  return {begin, size};
}

std::string_view EventTexts::joined(std::initializer_list<std::string_view> parts) noexcept {
  char* const begin = memory_->noted.data() + noted_size_;
  char* const end = memory_->noted.data() + memory_->noted.size();
  char* out = begin;
  for (const std::string_view part : parts) {
    if (part.size() > static_cast<std::size_t>(end - out)) return {};
    out = std::ranges::copy(part, out).out;
  }
  const auto size = static_cast<std::size_t>(out - begin);
  noted_size_ += size;
  return {begin, size};
}

// In whole seconds: the difference of two far times in nanoseconds would overflow.
std::string_view EventTexts::sending_time(WallTime sending_time, WallTime now) noexcept {
  using std::chrono::seconds;
  const std::int64_t ahead = (std::chrono::floor<seconds>(sending_time.time_since_epoch()) -
                              std::chrono::floor<seconds>(now.time_since_epoch()))
                                 .count();
  std::array<char, 20> digits;
  const std::to_chars_result end =
      std::to_chars(digits.data(), digits.data() + digits.size(), ahead < 0 ? -ahead : ahead);
  return joined({"SendingTime is ",
                 {digits.data(), static_cast<std::size_t>(end.ptr - digits.data())},
                 ahead < 0 ? " s before our clock" : " s after our clock"});
}

std::string_view EventTexts::comp_ids(const wire::MessageView& message,
                                      const SessionId& id) noexcept {
  constexpr std::size_t kShownBytesMax = 64;
  const auto shown = [](std::string_view text) { return text.substr(0, kShownBytesMax); };
  const auto received = [&](wire::Tag tag) { return shown(message[tag].value_or("(missing)")); };
  return joined({"received 49=", received(tag::SenderCompID), " 56=", received(tag::TargetCompID),
                 ", expected 49=", shown(id.target_comp_id), " 56=", shown(id.sender_comp_id)});
}

std::string_view EventTexts::with_unreadable_tag(std::string_view text,
                                                 std::string_view tag_text) noexcept {
  constexpr std::size_t kShownMax = 20;
  constexpr std::string_view kCut = "...";
  std::array<char, kShownMax + kCut.size()> shown{};
  const bool is_cut = tag_text.size() > kShownMax;
  char* out = std::ranges::transform(tag_text.substr(0, kShownMax), shown.begin(), [](char byte) {
                return byte >= ' ' && byte <= '~' ? byte : '?';
              }).out;
  if (is_cut) out = std::ranges::copy(kCut, out).out;
  return with_tag(text, {shown.data(), static_cast<std::size_t>(out - shown.data())});
}

// Text, or what the reason means, and then, in parentheses, what is refused: "bad price (45=12
// 371=44 372=D 373=5)". A long text is cut, so that the rest has room.
namespace {

// The standard text of SessionRejectReason or BusinessRejectReason; empty: the message has neither.
std::string_view reason_of(const wire::MessageView& message) noexcept {
  const auto capped = [](std::uint64_t value) {
    constexpr std::uint64_t kUnknownReason = 1'000;
    return static_cast<unsigned>(std::min(value, kUnknownReason));
  };
  const auto session = message.get<std::uint64_t>(tag::SessionRejectReason);
  if (session) return session_reject_text(capped(*session));
  const auto business = message.get<std::uint64_t>(tag::BusinessRejectReason);
  if (business) return business_reject_text(capped(*business));
  return {};
}

}  // namespace

std::string_view EventTexts::of_reject(const wire::MessageView& message) noexcept {
  constexpr std::size_t kValueBytesMax = 20;
  constexpr std::string_view kCut = "...";
  struct Shown {
    wire::Tag tag;
    std::string_view prefix;
  };
  constexpr Shown kShown[] = {{tag::RefSeqNum, " 45="},
                              {tag::RefTagID, " 371="},
                              {tag::RefMsgType, " 372="},
                              {tag::SessionRejectReason, " 373="},
                              {tag::BusinessRejectReason, " 380="}};
  constexpr std::size_t kReasonBytesMax = 70;  // with " []"
  constexpr std::size_t kShownBytesMax =
      std::size(kShown) * (kValueBytesMax + 5) + 2 + kReasonBytesMax;
  // The event may have noted something else.
  const std::size_t room = memory_->noted.size() - noted_size_;
  if (room <= kShownBytesMax + kCut.size()) return message[tag::Text].value_or(std::string_view{});
  const std::size_t text_max = std::min(kTextBytesMax, room - kShownBytesMax) - kCut.size();
  char* const begin = memory_->noted.data() + noted_size_;
  char* out = begin;
  const auto append = [&](std::string_view part) { out = std::ranges::copy(part, out).out; };
  const std::string_view reason = reason_of(message);
  std::string_view text = message[tag::Text].value_or(std::string_view{});
  const bool is_reason = text.empty();
  if (is_reason) text = reason;
  append(text.substr(0, text_max));
  if (text.size() > text_max) append(kCut);
  if (!is_reason && !reason.empty() && text != reason) {
    append(" [");
    append(reason);
    append("]");
  }
  char* const shown = out;
  for (const Shown& one : kShown) {
    const std::optional<std::string_view> value = message[one.tag];
    if (!value) continue;
    append(one.prefix);
    append(value->substr(0, kValueBytesMax));
  }
  if (out > shown) {
    if (shown > begin) {  // a parenthesis before the first one's tag
      std::ranges::move_backward(shown + 1, out, out + 1);
      shown[1] = '(';
      ++out;
      append(")");
    }
  }
  const std::string_view noted{begin, static_cast<std::size_t>(out - begin)};
  noted_size_ += noted.size();
  return noted.starts_with(' ') ? noted.substr(1) : noted;
}

}  // namespace nexusfix::session::detail
