// The answer to a timed message, in a connection's queue of outbound bytes.
#pragma once

#include <nexusfix/base/time.hpp>

namespace nexusfix::engine {

struct TimedAnswer {
  MonoTime received{};       // the arrival of the message
  MonoTime called = kNever;  // the call of on_message(); kNever: no such answer is queued

  [[nodiscard]] bool is_queued() const noexcept { return called != kNever; }
};

}  // namespace nexusfix::engine
