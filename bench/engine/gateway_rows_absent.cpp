// Without the gateway there is nothing to measure.
#include "bench/row.hpp"

namespace nexusfix::bench {

void add_ring_rows(std::vector<Row>&) {}
void add_gateway_rows(std::vector<Row>&) {}

}  // namespace nexusfix::bench
