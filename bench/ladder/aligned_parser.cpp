#include "bench/ladder/aligned_parser.hpp"

#include <algorithm>

#include "bench/ladder/header.hpp"
#include "bench/ladder/scan.hpp"

namespace nexusfix::bench::ladder {

inline void AlignedParser::clear(std::string_view message) noexcept {
  Hot& hot = *hot_;
  for (std::uint32_t i = 0; i < hot.count; ++i) {
    if (hot.tags[i] < kTagsDirect) hot.places[hot.tags[i]] = 0;
  }
  hot.count = 0;
  hot.bytes = message.data();
}

inline void AlignedParser::add(Tag tag, std::size_t begin, std::size_t end) {
  Hot& hot = *hot_;
  if (hot.count == hot.capacity) [[unlikely]]
    grow();
  hot.tags[hot.count] = tag;
  hot.spans[hot.count] = {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
  ++hot.count;
  // Above kFieldsDirect the field's number does not fit into the table, and find() does not use it.
  if (tag < kTagsDirect && hot.places[tag] == 0) [[likely]] {
    hot.places[tag] = static_cast<std::uint8_t>(hot.count);
  }
}

bool AlignedParser::parse(std::string_view message) {
  if (!kFix44.begins(message)) [[unlikely]]
    return parse_any(message);
  const std::size_t length_end = body_length_end(message);
  if (length_end == 0) [[unlikely]]
    return parse_any(message);

  constexpr std::size_t kLengthAt = decltype(kFix44)::kBodyLength;
  const std::string_view length = message.substr(kLengthAt, length_end - kLengthAt);
  const std::size_t body_begin = length_end + 1;
  const std::size_t check_sum = trailer_sum(message);
  if (check_sum == kNoNumber || body_begin + kTrailerBytes > message.size()) [[unlikely]] {
    return false;
  }
  const std::string_view body =
      message.substr(body_begin, message.size() - kTrailerBytes - body_begin);
  if (digits_of(length) != body.size() || !body.starts_with("35=")) [[unlikely]]
    return false;

  clear(message);
  add(8, decltype(kFix44)::kBeginString, decltype(kFix44)::kBeginString + 7);
  add(9, kLengthAt, length_end);
  const Scanned scanned =
      scan_fields(body, [&](Tag tag, std::size_t, std::size_t value, std::size_t end) {
        add(tag, body_begin + value, body_begin + end);
      });
  add(10, message.size() - 4, message.size() - 1);
  constexpr std::uint32_t kModulus = 256;
  const std::uint32_t sum =
      kFix44.sum + sum_of_bytes(length) + static_cast<std::uint32_t>(kSoh) + scanned.sum;
  return scanned.well_formed && sum % kModulus == check_sum;
}

bool AlignedParser::parse_any(std::string_view message) {
  clear(message);
  Outline outline;
  const Scanned scanned =
      scan_fields(message, [&](Tag tag, std::size_t field, std::size_t value, std::size_t end) {
        const std::string_view text = message.substr(value, end - value);
        if (hot_->count < 3) outline.first_three[hot_->count] = tag;
        if (hot_->count == 1) outline.body_length = text;
        if (hot_->count == 2) outline.body_begin = field;
        outline.trailer_begin = field;
        outline.last = tag;
        outline.check_sum = text;
        add(tag, value, end);
      });
  return scanned.well_formed && hot_->count >= 4 && outline_is_valid(outline) &&
         sum_is_valid(outline, scanned.sum - sum_of_bytes(message.substr(outline.trailer_begin)));
}

void AlignedParser::grow() {
  Hot& hot = *hot_;
  const std::uint32_t capacity = hot.capacity * 2;
  auto tags = std::make_unique<Tag[]>(capacity);
  auto spans = std::make_unique<Span[]>(capacity);
  std::copy_n(hot.tags, hot.count, tags.get());
  std::copy_n(hot.spans, hot.count, spans.get());
  more_tags_ = std::move(tags);
  more_spans_ = std::move(spans);
  hot.tags = more_tags_.get();
  hot.spans = more_spans_.get();
  hot.capacity = capacity;
}

std::optional<std::string_view> AlignedParser::find_along(Tag tag) const noexcept {
  for (std::uint32_t i = 0; i < hot_->count; ++i) {
    if (hot_->tags[i] == tag) return value(i);
  }
  return std::nullopt;
}

}  // namespace nexusfix::bench::ladder
