// Why one side of a ring stops using it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace nexusfix::gateway {

// The numbers are in the file: docs/reference/gateway-memory.md.
enum class RingFault : std::uint32_t {
  None = 0,
  Mark = 1,       // a record has not the mark of its position: it is torn, or was never written
  Size = 2,       // a frame is empty, too long, or passes the end of the ring
  Jump = 3,       // a jump to the start, from the start
  Head = 4,       // the consumer released what was never written, or took something back
  Truncated = 5,  // the file was cut
  Slow = 6,       // the client does not read
  Protocol = 7,   // a frame that the protocol does not know
};

[[nodiscard]] constexpr std::string_view to_string(RingFault fault) noexcept {
  switch (fault) {
    case RingFault::None:
      return "the gateway ended";
    case RingFault::Mark:
      return "a torn record in the shared memory: its mark is not that of its position";
    case RingFault::Size:
      return "a record in the shared memory with an impossible size";
    case RingFault::Jump:
      return "a jump in the shared memory that leads nowhere";
    case RingFault::Head:
      return "a read position in the shared memory that is impossible";
    case RingFault::Truncated:
      return "the file of the shared memory was truncated";
    case RingFault::Slow:
      return "the client does not read";
    case RingFault::Protocol:
      break;
  }
  return "a frame that the protocol does not know";
}

// Why a ring cannot be created or attached.
struct RingError {
  int error_number = 0;  // an errno; 0: there is none
  std::string text{};    // one line for people, with the path
};

}  // namespace nexusfix::gateway
