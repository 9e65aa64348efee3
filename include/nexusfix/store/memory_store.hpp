// A store that ends with the process: for tests, and for sessions that reset at every logon.
#pragma once

#include <memory>

#include <nexusfix/store/store.hpp>

namespace nexusfix::store {

[[nodiscard]] std::unique_ptr<Store> make_memory_store();

}  // namespace nexusfix::store
