// How much a journal reads and keeps in memory to find messages. Tests use smaller sizes, so that
// they reach every limit.
#pragma once

#include <cstddef>
#include <cstdint>

#include "store/api/journal.hpp"

namespace nexusfix::store {

struct ReadingSizes {
  // The most that is read for one message beside the message itself and, once for all sessions, the
  // blocks that its group touches.
  std::uint64_t scanned_bytes = 256U << 10U;
  // A block is as long as the group that it is made for: a reader does not wait for bytes that it
  // does not need. It is not so short that the sessions' fixed part of it is larger than the places
  // of their messages.
  std::uint64_t block_bytes_min = 4U << 20U;
  std::uint64_t block_bytes_max = 32U << 20U;
  std::uint64_t block_bytes_of_session = 1U << 10U;
  std::size_t places_bytes_max = 64U << 20U;  // of all blocks
};

// As the public open_journal(), which uses the default sizes.
[[nodiscard]] StoreResult<OpenedJournal> open_journal(Disk& disk, const JournalOptions& options,
                                                      WallTime now, const ReadingSizes& sizes);

}  // namespace nexusfix::store
