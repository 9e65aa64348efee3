// The frame rule in a form that can be checked by reading: slow and independent of the product. A
// frame begins with 8=FIX..., 9=<digits>, 35=, and ends with the first CheckSum field at or after
// the position that BodyLength announces.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <nexusfix/wire/frame.hpp>

namespace nexusfix::test {

using wire::FrameResult;
using FrameStatus = wire::FrameResult::Status;
using wire::GarbledReason;

class ReferenceFramer {
 public:
  ReferenceFramer(std::string_view bytes, std::size_t bytes_max)
      : bytes_{bytes}, bytes_max_{bytes_max} {}

  [[nodiscard]] FrameResult next() {
    std::size_t at = 0;
    if (const auto end = read(at, "8=FIX", GarbledReason::NoBeginString)) return *end;
    for (std::size_t i = 0;; ++i, ++at) {
      if (at == bytes_.size()) return more();
      if (bytes_[at] == '\x01') break;
      if (bytes_[at] == '=' || i == 16) return garbled(GarbledReason::NoBeginString, 1);
    }
    ++at;
    if (const auto end = read(at, "9=", GarbledReason::BodyLengthMalformed)) return *end;
    std::string digits;
    for (;; ++at) {
      if (at == bytes_.size()) return more();
      if (bytes_[at] == '\x01' && !digits.empty()) break;
      if (bytes_[at] < '0' || bytes_[at] > '9' || digits.size() == 20) {
        return garbled(GarbledReason::BodyLengthMalformed, 1);
      }
      digits += bytes_[at];
      if (value_of(digits) > bytes_max_) return garbled(GarbledReason::BodyLengthTooLarge, 1);
    }
    ++at;
    const std::size_t body_end = at + value_of(digits);
    if (body_end + 7 > bytes_max_) return garbled(GarbledReason::BodyLengthTooLarge, 1);
    if (const auto end = read(at, "35=", GarbledReason::FirstFieldsOutOfOrder)) return *end;
    return find_end(body_end);
  }

 private:
  // The value of at most 20 digits after leading zeros; larger ones are cut.
  static std::size_t value_of(std::string digits) {
    digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size() - 1));
    return digits.size() > 10 ? std::size_t{9'999'999'999} : std::stoull(digits);
  }

  FrameResult more() const { return {FrameStatus::NeedMore, bytes_.size() + 1, {}}; }

  FrameResult garbled(GarbledReason reason, std::size_t from) const {
    constexpr std::string_view kStart = "8=FIX";
    std::size_t at = from;
    while (at < bytes_.size() && !kStart.starts_with(bytes_.substr(at, kStart.size()))) ++at;
    return {FrameStatus::Garbled, at, reason};
  }

  std::optional<FrameResult> read(std::size_t& at, std::string_view text, GarbledReason reason) {
    for (const char c : text) {
      if (at == bytes_.size()) return more();
      if (bytes_[at] != c) return garbled(reason, 1);
      ++at;
    }
    return std::nullopt;
  }

  FrameResult find_end(std::size_t body_end) const {
    const std::string_view window = bytes_.substr(0, bytes_max_);
    const std::size_t field = window.find(
        "\x01"
        "10=",
        body_end - 1);
    if (field != window.npos) {
      for (std::size_t at = field + 4; at < window.size(); ++at) {
        if (window[at] == '\x01') return {FrameStatus::Complete, at + 1, {}};
        if (window.substr(at, 5) == "8=FIX") return {FrameStatus::Complete, at, {}};
      }
    }
    return window.size() < bytes_max_ ? more() : garbled(GarbledReason::TooLong, bytes_max_ - 4);
  }

  std::string_view bytes_;
  std::size_t bytes_max_;
};

}  // namespace nexusfix::test
