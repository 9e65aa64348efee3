#include "bench/ladder/header_parser.hpp"

#include "bench/ladder/header.hpp"
#include "bench/ladder/scan.hpp"

namespace nexusfix::bench::ladder {

bool HeaderParser::parse(std::string_view message) {
  if (!kFix44.begins(message)) return parse_any(message);
  const std::size_t length_end = body_length_end(message);
  if (length_end == 0) return parse_any(message);

  constexpr std::size_t kLengthAt = decltype(kFix44)::kBodyLength;
  const std::string_view length = message.substr(kLengthAt, length_end - kLengthAt);
  const std::size_t body_begin = length_end + 1;
  const std::size_t check_sum = trailer_sum(message);
  if (check_sum == kNoNumber || body_begin + kTrailerBytes > message.size()) return false;
  const std::string_view body =
      message.substr(body_begin, message.size() - kTrailerBytes - body_begin);
  if (digits_of(length) != body.size() || !body.starts_with("35=")) return false;

  fields_.clear();
  fields_.add(8, message.substr(decltype(kFix44)::kBeginString, 7));
  fields_.add(9, length);
  const Scanned scanned =
      scan_fields(body, [&](Tag tag, std::size_t, std::size_t value, std::size_t end) {
        fields_.add(tag, body.substr(value, end - value));
      });
  fields_.add(10, message.substr(message.size() - 4, 3));
  constexpr std::uint32_t kModulus = 256;
  const std::uint32_t sum =
      kFix44.sum + sum_of_bytes(length) + static_cast<std::uint32_t>(kSoh) + scanned.sum;
  return scanned.well_formed && sum % kModulus == check_sum;
}

bool HeaderParser::parse_any(std::string_view message) { return scan_message(message, fields_); }

}  // namespace nexusfix::bench::ladder
