// A store that ends with the process: for tests, and for sessions that reset at every logon.
// flush() only moves the watermark. A reset forgets the session's messages, and their memory is
// used again; until then memory grows with every message (doubling, so that steady use rarely
// allocates).
#pragma once

#include <cstdint>
#include <memory>

#include <nexusfix/store/store.hpp>

namespace nexusfix::store {

// A transaction above record_bytes_max is TooLarge, as in a journal.
[[nodiscard]] std::unique_ptr<Store> make_memory_store(std::uint32_t record_bytes_max = 16U << 20U);

}  // namespace nexusfix::store
