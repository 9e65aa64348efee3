// The answers that wait in a connection's queue of outbound bytes, for the measurement of
// latencies.
#pragma once

#include <cstdint>

#include <nexusfix/base/time.hpp>

namespace nexusfix::engine {

// All of them leave together.
struct QueuedAnswers {
  std::uint32_t count = 0;
  MonoTime received{};       // the arrival of the first of the messages that they answer
  MonoTime called = kNever;  // the timed call among them; kNever: there is none
};

}  // namespace nexusfix::engine
