// QuickFIX's engine as a subject: a trader and a venue over loopback TCP, with stores in files.
#pragma once

#include "bench/subject.hpp"

namespace nexusfix {
namespace bench {

ContestantPtr make_quickfix_round_trip(const TradeJob& job);
ContestantPtr make_quickfix_burst(const TradeJob& job, std::uint64_t orders);

}  // namespace bench
}  // namespace nexusfix
