// Mistakes that must not compile, one for each value of NEXUSFIX_MISUSE.
#include <nexusfix/deferred.hpp>

using nexusfix::WallTime;
using nexusfix::deferred::FixedRecordQueue;
using nexusfix::deferred::Logger;
using nexusfix::deferred::SpscQueue;

[[maybe_unused]] static void misuse(Logger& log) {
#if NEXUSFIX_MISUSE == 1
  log.write<"{} {}">(WallTime{}, 1);
#elif NEXUSFIX_MISUSE == 2
  log.write<"{}">(WallTime{}, 1, 2);
#elif NEXUSFIX_MISUSE == 3
  log.write<"{:x}">(WallTime{}, 1.5);
#elif NEXUSFIX_MISUSE == 4
  log.write<"{">(WallTime{}, 1);
#elif NEXUSFIX_MISUSE == 5
  log.write<"two\nlines">(WallTime{});
#elif NEXUSFIX_MISUSE == 6
  struct Anything {};
  log.write<"{}">(WallTime{}, Anything{});
#elif NEXUSFIX_MISUSE == 7
  const SpscQueue<int, 3> queue;
#elif NEXUSFIX_MISUSE == 8
  const FixedRecordQueue<1000> queue;
#else
  log.write<"{}">(WallTime{}, 1);
#endif
}
