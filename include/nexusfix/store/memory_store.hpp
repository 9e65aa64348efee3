// A store in memory, which ends with the process: for tests, and for sessions that reset their
// sequence numbers at every Logon.
#pragma once

#include <cstdint>
#include <memory>

#include <nexusfix/store/store.hpp>

namespace nexusfix::store {

// Makes an empty store in memory. append() fails with TooLarge if a record has more than
// record_bytes_max bytes. flush() makes everything durable at once. The memory grows with each
// stored message, by doubling; a reset of a session frees its messages for later ones. Never null.
[[nodiscard]] std::unique_ptr<Store> make_memory_store(std::uint32_t record_bytes_max = 16U << 20U);

}  // namespace nexusfix::store
