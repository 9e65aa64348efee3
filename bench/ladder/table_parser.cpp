#include "bench/ladder/table_parser.hpp"

namespace nexusfix::bench::ladder {

bool TableParser::parse(std::string_view message) {
  fields_.clear();
  std::size_t body_begin = 0;
  std::size_t trailer_begin = 0;
  for (std::size_t at = 0; at < message.size();) {
    const std::size_t soh = message.find(kSoh, at);
    const std::size_t equals = message.find('=', at);
    if (soh == std::string_view::npos || equals >= soh) return false;
    const Tag tag = tag_of(message.substr(at, equals - at));
    const std::string_view value = message.substr(equals + 1, soh - equals - 1);
    if (tag == 0 || value.empty()) return false;
    if (fields_.size() == 2) body_begin = at;
    trailer_begin = at;
    fields_.add(tag, value);
    at = soh + 1;
  }
  return fields_are_valid(fields_, body_begin, trailer_begin,
                          sum_of_bytes(message.substr(0, trailer_begin)));
}

}  // namespace nexusfix::bench::ladder
