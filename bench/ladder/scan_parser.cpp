#include "bench/ladder/scan_parser.hpp"

#include "bench/ladder/scan.hpp"

namespace nexusfix::bench::ladder {

bool ScanParser::parse(std::string_view message) { return scan_message(message, fields_); }

}  // namespace nexusfix::bench::ladder
