// The log as its owner has it: what the PostgreSQL store's queue holds until the database confirms
// it, and the records of each batch.
#pragma once

#include <deque>
#include <span>
#include <vector>

#include "cluster/postgres/log_queue.hpp"
#include "servers/simulated_database.hpp"
#include "store/api/postgres_part.hpp"

namespace nexusfix::simulator::cluster {

// What a standby has followed of the log, and what an owner begins with.
struct FollowedLog {
  store::SessionTable sessions;
  std::vector<ChunkPointer> chunks;
  store::LogPosition end = 0;
  std::uint32_t timeline = 0;  // of the database, when it was followed last
};

class OwnerLog {
 public:
  // position: where the database's log ended when it was claimed.
  OwnerLog(FollowedLog followed, store::LogPosition position)
      : chunks_{std::move(followed.chunks)},
        queue_{options_, std::move(followed.sessions), position} {}

  void set_wake(store::StoreOptions::Wake wake) noexcept { options_.on_durable = wake; }
  // Wakes the engine, as a thread of the store does.
  void wake() const {
    if (options_.on_durable.call != nullptr) options_.on_durable.call(options_.on_durable.context);
  }
  [[nodiscard]] store::postgres::LogQueue& queue() noexcept { return queue_; }
  // What the log had when this process claimed it.
  [[nodiscard]] const std::vector<ChunkPointer>& chunks() const noexcept { return chunks_; }
  struct Unconfirmed {
    store::LogPosition end = 0;
    LogRecord record;
  };
  [[nodiscard]] const std::deque<Unconfirmed>& unconfirmed() const noexcept { return unconfirmed_; }

  [[nodiscard]] store::StoreResult<store::LogPosition> append(std::span<const char> entries,
                                                              WallTime now) {
    auto appended = queue_.append(entries, now);
    if (appended) {
      unconfirmed_.push_back({*appended, {now, {entries.begin(), entries.end()}}});
    }
    return appended;
  }
  // The next batch; null: there is none.
  [[nodiscard]] ChunkPointer take(std::uint64_t owner_epoch) {
    const store::postgres::Batch* const batch = queue_.take();
    if (batch == nullptr) return nullptr;
    auto chunk = std::make_shared<Chunk>();
    chunk->owner_epoch = owner_epoch;
    chunk->begin = batch->begin();
    chunk->end = batch->end();
    for (const Unconfirmed& one : unconfirmed_) {
      if (one.end > batch->begin() && one.end <= batch->end()) chunk->records.push_back(one.record);
    }
    return chunk;
  }
  void confirm(store::LogPosition position) {
    while (!unconfirmed_.empty() && unconfirmed_.front().end <= position) unconfirmed_.pop_front();
    queue_.confirm(position);
  }

 private:
  store::PostgresOptions options_;
  std::vector<ChunkPointer> chunks_;
  store::postgres::LogQueue queue_;
  std::deque<Unconfirmed> unconfirmed_;
};

}  // namespace nexusfix::simulator::cluster
