#include "bench/ladder/scan_parser.hpp"

#include "bench/ladder/scan.hpp"

namespace nexusfix::bench::ladder {

bool ScanParser::parse(std::string_view message) {
  fields_.clear();
  std::size_t body_begin = 0;
  std::size_t trailer_begin = 0;
  const Scanned scanned =
      scan_fields(message, [&](Tag tag, std::size_t field, std::size_t value, std::size_t end) {
        if (fields_.size() == 2) body_begin = field;
        trailer_begin = field;
        fields_.add(tag, message.substr(value, end - value));
      });
  return scanned.well_formed &&
         fields_are_right(fields_, body_begin, trailer_begin,
                          scanned.sum - sum_of_bytes(message.substr(trailer_begin)));
}

}  // namespace nexusfix::bench::ladder
