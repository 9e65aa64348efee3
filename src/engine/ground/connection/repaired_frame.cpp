#include "engine/ground/connection/repaired_frame.hpp"

#include <charconv>

#include <nexusfix/wire/field.hpp>
#include <nexusfix/wire/frame.hpp>

namespace nexusfix::engine {
namespace {

using wire::kSoh;
constexpr std::string_view kCheckSum =
    "\x01"
    "10=";
constexpr std::string_view kNext = "8=FIX";

}  // namespace

std::size_t first_message_size(std::string_view frame) noexcept {
  for (std::size_t at = frame.find(kCheckSum); at != std::string_view::npos;
       at = frame.find(kCheckSum, at + 1)) {
    const std::size_t end = frame.find(kSoh, at + kCheckSum.size());
    if (end == std::string_view::npos) break;
    if (frame.substr(end + 1).starts_with(kNext)) return end + 1;
  }
  return frame.size();
}

std::string repaired_frame(std::string_view frame, BodyLengthRule rule) {
  constexpr std::string_view kLength = "9=";
  const std::size_t begin_end = frame.find(kSoh);
  const std::size_t trailer = frame.rfind(kCheckSum);
  if (begin_end == std::string_view::npos || trailer == std::string_view::npos) return {};
  if (!frame.starts_with("8=") || !frame.substr(begin_end + 1).starts_with(kLength)) return {};
  const std::size_t length_at = begin_end + 1 + kLength.size();
  const std::size_t length_end = frame.find(kSoh, length_at);
  if (length_end >= trailer) return {};  // There is no body.
  const std::string_view body = frame.substr(length_end + 1, trailer - length_end);
  std::size_t announced = 0;
  const char* const digits_end = frame.data() + length_end;
  const auto [stop, error] = std::from_chars(frame.data() + length_at, digits_end, announced);
  if (error != std::errc{} || stop != digits_end) return {};
  if (rule == BodyLengthRule::Valid && announced != body.size()) return {};
  std::string result{frame.substr(0, length_at)};
  result += std::to_string(body.size());
  result += kSoh;
  result += body;
  const unsigned sum = wire::check_sum(result);
  result += kCheckSum.substr(1);
  for (const unsigned unit : {100U, 10U, 1U}) result += static_cast<char>('0' + sum / unit % 10);
  result += kSoh;
  return result;
}

}  // namespace nexusfix::engine
