#include "bench/ladder/map_parser.hpp"

#include <utility>

#include "bench/ladder/text.hpp"

namespace nexusfix::bench::ladder {

bool MapParser::parse(std::string_view message) {
  fields_.clear();
  field_count_ = 0;
  Outline outline;
  std::string body_length;
  std::string check_sum;
  for (std::size_t at = 0; at < message.size();) {
    const std::size_t soh = message.find(kSoh, at);
    const std::size_t equals = message.find('=', at);
    if (soh == std::string_view::npos || equals >= soh) return false;
    const std::string tag_text{message.substr(at, equals - at)};
    std::string value{message.substr(equals + 1, soh - equals - 1)};
    const Tag tag = tag_of(tag_text);
    if (tag == 0 || value.empty()) return false;
    if (field_count_ < 3) outline.first_three[field_count_] = tag;
    if (field_count_ == 1) body_length = value;
    if (field_count_ == 2) outline.body_begin = at;
    outline.trailer_begin = at;
    outline.last = tag;
    if (soh + 1 == message.size()) check_sum = value;
    fields_.emplace(static_cast<int>(tag), std::move(value));
    ++field_count_;
    at = soh + 1;
  }
  outline.body_length = body_length;
  outline.check_sum = check_sum;
  return outline_is_valid(outline) &&
         sum_is_valid(outline, sum_of_bytes(message.substr(0, outline.trailer_begin)));
}

}  // namespace nexusfix::bench::ladder
