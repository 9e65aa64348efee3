// A store that ends with the process: for tests, and for sessions that reset at every logon.
// flush() only moves the watermark. A reset forgets the session's messages, and their memory is
// used again; until then memory grows with every message (doubling, so that steady use rarely
// allocates).
#pragma once

#include <memory>

#include <nexusfix/store/store.hpp>

namespace nexusfix::store {

[[nodiscard]] std::unique_ptr<Store> make_memory_store();

}  // namespace nexusfix::store
