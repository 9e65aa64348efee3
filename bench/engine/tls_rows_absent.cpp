// Replaces tls_rows.cpp in a build without TLS.
#include "bench/row.hpp"

namespace nexusfix::bench {

void add_tls_rows(std::vector<Row>&) {}

}  // namespace nexusfix::bench
