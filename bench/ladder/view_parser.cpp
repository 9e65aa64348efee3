#include "bench/ladder/view_parser.hpp"

namespace nexusfix::bench::ladder {

bool ViewParser::parse(std::string_view message) {
  fields_.clear();
  Outline outline;
  for (std::size_t at = 0; at < message.size();) {
    const std::size_t soh = message.find(kSoh, at);
    const std::size_t equals = message.find('=', at);
    if (soh == std::string_view::npos || equals >= soh) return false;
    const Tag tag = tag_of(message.substr(at, equals - at));
    const std::string_view value = message.substr(equals + 1, soh - equals - 1);
    if (tag == 0 || value.empty()) return false;
    if (fields_.size() == 2) outline.body_begin = at;
    outline.trailer_begin = at;
    fields_.push_back({tag, value});
    at = soh + 1;
  }
  if (fields_.size() < 4) return false;
  for (std::size_t i = 0; i < 3; ++i) outline.first_three[i] = fields_[i].tag;
  outline.body_length = fields_[1].value;
  outline.check_sum = fields_.back().value;
  outline.last = fields_.back().tag;
  return outline_is_valid(outline) &&
         sum_is_valid(outline, sum_of_bytes(message.substr(0, outline.trailer_begin)));
}

}  // namespace nexusfix::bench::ladder
