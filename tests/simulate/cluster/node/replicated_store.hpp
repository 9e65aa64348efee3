// The store of a node that owns the log. It follows the protocol of the PostgreSQL store, over the
// simulated database.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include <nexusfix/store.hpp>

#include "node/owner_log.hpp"

namespace nexusfix::simulator::cluster {

class ReplicatedStore final : public store::Store {
 public:
  struct Parts {
    Context& context;
    const SimulatedDatabase& database;
    std::size_t node;
    OwnerLog& log;
    std::function<void()> wake_writer;  // there is something to send
    // Runs an action of the process when its own clock has moved so far.
    std::function<void(std::chrono::nanoseconds, std::function<void()>)> later;
  };
  // What parts refer to must outlive the store.
  explicit ReplicatedStore(Parts parts) : parts_{std::move(parts)} {}

  store::StoreResult<store::SessionKey> open_session(std::string_view name, WallTime now) override;
  store::StoreResult<void> rename_session(store::SessionKey key, std::string_view name,
                                          WallTime now) override;
  std::optional<store::SessionKey> find_session(std::string_view name) const override {
    return sessions().find(name);
  }
  std::size_t session_count() const noexcept override { return sessions().size(); }
  std::string_view session_name(store::SessionKey key) const noexcept override {
    return sessions().name(key);
  }
  const store::SessionRecord& session(store::SessionKey key) const noexcept override {
    return sessions().record(key);
  }
  std::span<const store::NumberRange> lost_numbers(store::SessionKey key) const noexcept override {
    return sessions().lost(key);
  }

  store::StoreResult<store::LogPosition> append(const store::Transaction& transaction,
                                                WallTime now) override;
  store::LogPosition appended() const noexcept override { return queue().appended(); }
  store::LogPosition durable() const noexcept override;
  store::StoreResult<store::LogPosition> flush() override;
  // What was not confirmed was not sent: it need not be stored.
  store::StoreResult<void> close() override { return {}; }
  bool has_room_for(std::uint64_t bytes) const noexcept override {
    return queue().has_room_for(bytes);
  }
  std::optional<store::StoreEvent> next_event() override { return queue().next_event(); }
  store::StoreResult<void> read(store::SessionKey key, std::uint64_t first, std::uint64_t last,
                                MessageVisitor visit) override;
  // On a connection of its own, which takes time. It is what a resend reads.
  std::unique_ptr<store::Store::Fetch> fetch(store::SessionKey key, std::uint64_t first,
                                             std::uint64_t last, std::uint64_t bytes_max) override;
  store::StoreResult<void> scan(LogVisitor visit) override;

 private:
  // What a fetch and the store share.
  struct Fetched {
    bool is_done = false;
    bool has_failed = false;
    std::map<std::uint64_t, std::string> messages;
  };
  class Result;

  void serve(const std::shared_ptr<Fetched>& fetched, store::SessionKey key,
             store::NumberRange range, std::chrono::milliseconds waited);
  [[nodiscard]] store::postgres::LogQueue& queue() const noexcept { return parts_.log.queue(); }
  [[nodiscard]] const store::SessionTable& sessions() const noexcept { return queue().sessions(); }

  Parts parts_;
};

// Gives the engine of one process its store.
class ReplicatedStoreFactory final : public store::StoreFactory {
 public:
  explicit ReplicatedStoreFactory(ReplicatedStore::Parts parts) : parts_{std::move(parts)} {}
  store::StoreResult<std::unique_ptr<store::Store>> open(
      const store::StoreOptions& options) override {
    parts_.log.set_wake(options.on_durable);
    return std::make_unique<ReplicatedStore>(parts_);
  }

 private:
  ReplicatedStore::Parts parts_;
};

}  // namespace nexusfix::simulator::cluster
