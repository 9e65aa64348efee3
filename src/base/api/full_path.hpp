// Turns the usual paths of an order off, for the test that compares them with the full path.
//
// Most messages are alike. So stages between a received order and its sent report have a usual
// path, which does only what such a message needs, beside the full path, which can do everything.
// docs/internals/engine-performance.md lists them. Both must have the same results.
#pragma once

namespace nexusfix {

// While an object of this class lives, every stage takes its full path. Make it before the engine,
// the parser or the session that is tested, and destroy it after them. For tests: a message costs
// more, and nothing else changes. Any thread, but not while an engine runs.
class FullPathOnly {
 public:
  // The full path is taken from now on.
  FullPathOnly() noexcept;
  // Both paths are taken again, if no other object of this class lives.
  ~FullPathOnly();
  FullPathOnly(const FullPathOnly&) = delete;
  FullPathOnly& operator=(const FullPathOnly&) = delete;

  // Whether an object of this class lives. A stage asks when it is made, or where it would learn
  // what its usual path needs, so that no message pays for the question.
  [[nodiscard]] static bool is_on() noexcept;
};

}  // namespace nexusfix
