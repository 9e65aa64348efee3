// What opens the stores of a program that brings its own.
#pragma once

#include <cstdint>
#include <memory>

#include <nexusfix/store/store.hpp>

namespace nexusfix {
class Clock;
class Disk;
}  // namespace nexusfix

namespace nexusfix::store {

// What a store gets from the engine that opens it.
struct StoreOptions {
  // The event loop that the store is for, from 0 on. Each loop has a store of its own, and writes
  // only to that one.
  std::uint32_t loop = 0;
  std::uint32_t loop_count = 1;  // the number of event loops
  // append() fails with TooLarge above this size of one record, in bytes.
  std::uint32_t record_bytes_max = 16U << 20U;
  // For a store with a thread of its own: call it when durable() has moved after a flush() that did
  // not reach appended(), when a fetch() is done, when the store has failed, and when take_event()
  // has an event.
  Wake on_durable{};
  // The engine's disk, for a store that keeps files. Not owned; outlives the store. Null only where
  // a test gives none.
  Disk* disk = nullptr;
  // The engine's time, for a store with time limits. As disk.
  Clock* clock = nullptr;
};

// Opens stores. Derive from it, and set EngineOptions::store_factory.
class StoreFactory {
 public:
  virtual ~StoreFactory() = default;
  // Opens the log of this event loop, with everything that was durable, or creates it. Called in
  // Engine::open(), once for each loop, on the calling thread; the store is used on the loop's
  // thread, and closed before the engine's end. May block. An error, or an exception, ends
  // Engine::open() with this text; null does so, too.
  [[nodiscard]] virtual StoreResult<std::unique_ptr<Store>> open(const StoreOptions& options) = 0;
};

}  // namespace nexusfix::store
