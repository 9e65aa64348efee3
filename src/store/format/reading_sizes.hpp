// How much a journal reads and keeps to find messages. Tests have less, and come to every edge.
#pragma once

#include <cstddef>
#include <cstdint>

#include <nexusfix/store/journal.hpp>

namespace nexusfix::store {

struct ReadingSizes {
  // What is read for a message at most beside the message itself and, once for all sessions, the
  // blocks that its group touches.
  std::uint64_t scanned_bytes = 256U << 10U;
  // A block is as long as the group that it is made for, so that nobody waits for what he does not
  // need; but not so short that what each session takes in it is more than its messages' places.
  std::uint64_t block_bytes_min = 4U << 20U;
  std::uint64_t block_bytes_max = 32U << 20U;
  std::uint64_t block_bytes_of_session = 1U << 10U;
  std::size_t places_bytes_max = 64U << 20U;  // of all blocks
};

// As the one that all use, which has the usual sizes.
[[nodiscard]] StoreResult<OpenedJournal> open_journal(Disk& disk, const JournalOptions& options,
                                                      WallTime now, const ReadingSizes& sizes);

}  // namespace nexusfix::store
