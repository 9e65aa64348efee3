// What the rows take of the order flow.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <vector>

#include "bench/traffic/order_flow.hpp"

namespace nexusfix::bench {

// A power of two. A rotation of this many different messages is too long for a branch predictor.
inline constexpr std::size_t kFlowInputs = 1'024;

// The first messages of these kinds in the flow, count of them.
[[nodiscard]] std::vector<FlowMessage> flow_of(std::initializer_list<FlowKind> kinds,
                                               std::size_t count, FlowTimes times = FlowTimes::All);

[[nodiscard]] Messages flow_messages();           // every kind, in order
[[nodiscard]] Messages flow_orders();             // NewOrderSingle
[[nodiscard]] Messages flow_execution_reports();  // with and without a fill
// Fills, for the answers see ReadJob and typed_read_job(). Times have milliseconds.
[[nodiscard]] ReadJob flow_read_job();
[[nodiscard]] ReadJob flow_typed_read_job();
[[nodiscard]] std::vector<DeskOrder> desk_orders();            // of the flow
[[nodiscard]] std::vector<DeskOrder> one_shape_desk_orders();  // with values of equal length

}  // namespace nexusfix::bench
