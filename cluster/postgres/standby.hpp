// Waits for a log that another process owns: connected, and with the messages so far, so that
// little is left to do when the log is free.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nexusfix/base/clock.hpp>

#include "cluster/postgres/position_marker.hpp"
#include "cluster/postgres/reader.hpp"
#include "cluster/postgres/server/connection.hpp"
#include "cluster/postgres/server/server_facts.hpp"
#include "cluster/postgres/server/servers.hpp"
#include "store/api/postgres_part.hpp"

namespace nexusfix::store::postgres {

class Standby {
 public:
  // facts: of the server that was accepted last. accept: whether a server may be used. marker: gets
  // what is seen of the log; null: nothing does. All must outlive it.
  Standby(const PostgresOptions& options, Servers& servers, const ServerFacts& facts,
          Servers::Accept accept, PositionMarker* marker);

  // Returns a connection that has the log's lock, or whose process has the lease. An error: the
  // waiting makes no sense, or the observer has ended it. May be called again.
  [[nodiscard]] StoreResult<Connection> wait(Connection connection);
  // The log was not taken after wait() has returned: it waits again.
  void on_not_taken(const std::string& why);
  // The observer has got the messages before this position.
  [[nodiscard]] LogPosition followed_end() const noexcept { return state_.followed_end; }
  // Another process had the log while this one waited.
  [[nodiscard]] bool has_waited_for_owner() const noexcept { return !reported_owner_.empty(); }

 private:
  // One look at the log. True: this connection has the lock.
  [[nodiscard]] ServerResult<bool> look();
  [[nodiscard]] ServerResult<void> begin();
  [[nodiscard]] ServerResult<void> follow(LogPosition end);
  [[nodiscard]] ServerResult<void> read_names();
  [[nodiscard]] ServerResult<void> record_seen();
  [[nodiscard]] ServerResult<void> check_loss();
  // The observer wants the messages, and the tables are those that this program reads.
  [[nodiscard]] bool can_follow() const noexcept;
  [[nodiscard]] bool may_take(bool is_free);
  [[nodiscard]] ServerResult<bool> ask_for_lease();
  void set_owner(std::string owner);
  // False: the observer ends the waiting.
  [[nodiscard]] bool pause(std::chrono::milliseconds time);
  [[nodiscard]] bool report_state() {
    return observer_ == nullptr || observer_->on_waiting(state_);
  }
  void report(EventId id, const std::string& text);

  const PostgresOptions& options_;
  Servers& servers_;
  const ServerFacts& facts_;
  Servers::Accept accept_;
  PositionMarker* marker_;
  StandbyObserver* observer_;
  bool follows_;
  int version_ = 0;  // of the schema
  Reader reader_;
  std::optional<Connection> connection_;  // nothing: it is lost
  StandbyState state_;
  std::uint64_t first_epoch_ = 0;   // of the owner that was seen last
  std::uint64_t owner_epoch_ = 0;   // of the log
  std::vector<std::string> names_;  // of the sessions, by key
  std::string reported_owner_;
  std::string last_error_;  // that was reported
  SystemClock clock_;
  std::optional<MonoTime> free_since_;
  // What was recorded last.
  struct Seen {
    LogPosition end = 0;
    std::uint64_t owner_epoch = 0;
    std::uint64_t first_epoch = 0;
    std::uint64_t raised = 0;
    bool is_kept = false;  // an earlier record names a loss, which the take-over skips
  };
  Seen seen_;
  bool has_seen_owner_ = false;  // on this connection
  bool was_not_taken_ = false;   // after the last wait()
};

}  // namespace nexusfix::store::postgres
