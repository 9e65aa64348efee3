// Misuse of the deferred logger and its queues that the compiler must refuse. NEXUSFIX_MISTAKE
// selects one; with 0 there is none, and the file compiles.
#include <nexusfix/deferred.hpp>
#include <nexusfix/deferred/logger.hpp>

namespace nexusfix {

using deferred::Logger;
using deferred::SpscQueue;

void use(Logger& log) {
#if NEXUSFIX_MISTAKE == 1
  // error: more_placeholders_than_arguments
  log.write<"{} {}">(WallTime{}, 1);
#elif NEXUSFIX_MISTAKE == 2
  // error: fewer_placeholders_than_arguments
  log.write<"{}">(WallTime{}, 1, 2);
#elif NEXUSFIX_MISTAKE == 3
  // error: specification_does_not_suit_its_argument
  log.write<"{:x}">(WallTime{}, 1.5);
#elif NEXUSFIX_MISTAKE == 4
  // error: brace_that_does_not_end
  log.write<"{">(WallTime{}, 1);
#elif NEXUSFIX_MISTAKE == 5
  // error: control_byte
  log.write<"two\nlines">(WallTime{});
#elif NEXUSFIX_MISTAKE == 6
  // error: no log argument
  struct Anything {};
  log.write<"{}">(WallTime{}, Anything{});
#elif NEXUSFIX_MISTAKE == 7
  // error: Capacity is a power of two
  const SpscQueue<int, 3> queue;
#else
  log.write<"{}">(WallTime{}, 1);
#endif
}

}  // namespace nexusfix
