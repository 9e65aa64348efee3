// The database of the log: a primary with a synchronous standby. A transaction waits for the lock
// of the log's row, is applied whole or not at all, and is confirmed when the standby has it. Its
// client may hear nothing of that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/store.hpp>

#include "servers/lease_service.hpp"
#include "servers/remote_link.hpp"

namespace nexusfix::simulator::cluster {

// One record of Store::append().
struct LogRecord {
  WallTime time;
  std::vector<char> entries;
};

// What one transaction appends.
struct Chunk {
  std::uint64_t owner_epoch = 0;
  store::LogPosition begin = 0;
  store::LogPosition end = 0;
  std::vector<LogRecord> records;
};
using ChunkPointer = std::shared_ptr<const Chunk>;

// The row of the log.
struct OwnerRow {
  std::uint64_t owner_epoch = 0;
  std::size_t node = kNoNode;
  store::LogPosition position = 0;
  std::uint32_t timeline = 1;  // rises with each promotion
  bool is_one_copy = false;    // the standby is away, and a COMMIT does not wait for it
};

class SimulatedDatabase {
 public:
  struct Answer {
    bool is_done = false;  // false: the condition did not hold, and nothing was changed
    OwnerRow row;
    std::vector<ChunkPointer> chunks;  // of the log, from the asked position on
  };
  using ConnectionId = std::uint64_t;
  using OnConnected = std::function<void(ConnectionId)>;
  using OnAnswer = std::function<void(Answer)>;
  using OnLost = std::function<void(ConnectionId)>;

  SimulatedDatabase(Context& context, std::size_t nodes)
      : context_{context}, link_{context, nodes} {}

  // Neither needs to be called, as the network loses requests and answers.
  void connect(std::size_t node, OnConnected on_connected, OnLost on_lost);
  // The client ends it. The server may still take what was sent before.
  void disconnect(ConnectionId connection);

  // If the row has this owner epoch, and the log ends where the chunk begins.
  void append(ConnectionId connection, ChunkPointer chunk, OnAnswer answer);
  // If the row's owner epoch is below this one.
  void claim(ConnectionId connection, std::uint64_t owner_epoch, store::LogPosition from,
             OnAnswer answer);
  // Without a condition, and without the lock.
  void look(ConnectionId connection, store::LogPosition from, OnAnswer answer);

  // For reading at once: whether the node gets an answer.
  [[nodiscard]] bool answers(std::size_t node) const noexcept {
    return is_up_ && !is_frozen_ && !link_.is_cut(node);
  }
  [[nodiscard]] const OwnerRow& row() const noexcept { return row_; }
  [[nodiscard]] const std::vector<ChunkPointer>& log() const noexcept { return log_; }
  [[nodiscard]] RemoteLink& link() noexcept { return link_; }

  // Called when the standby has a chunk, before its client hears of it.
  std::function<void(const Chunk&)> on_committed;

  // Faults. The server process stops, and what it gets meanwhile waits.
  void freeze() noexcept { is_frozen_ = true; }
  void thaw();
  // The standby of the database does not answer: no COMMIT ends.
  void stall() noexcept { is_stalled_ = true; }
  void go_on();
  // The primary ends. Its standby has everything that was confirmed, and perhaps the transaction
  // that was under way. The database is away until start(). With is_silent no client is notified.
  void fail_over(bool is_silent);
  void start();
  // The standby is away from now on, and COMMITs are confirmed without it.
  void lose_standby() noexcept {
    standby_end_ = row_.position;
    row_.is_one_copy = true;
  }
  // It has caught up.
  void regain_standby() noexcept { row_.is_one_copy = false; }
  // As fail_over(), to the standby that was away: what was confirmed meanwhile is lost.
  void fail_over_with_loss();
  // The connections of a node break, and none of them hears it if is_silent.
  void drop(std::size_t node, bool is_silent);
  [[nodiscard]] bool is_committing() const noexcept { return running_.has_value(); }
  [[nodiscard]] std::uint64_t lost_confirmations() const noexcept { return lost_confirmations_; }

 private:
  struct Connection {
    std::size_t node = 0;
    OnLost on_lost;
  };
  struct Transaction {
    ConnectionId connection = 0;
    std::size_t node = 0;
    ChunkPointer chunk;             // null: a claim, or a look
    std::uint64_t owner_epoch = 0;  // of a claim; 0: a look
    store::LogPosition from = 0;
    OnAnswer answer;
  };

  void send(ConnectionId connection, Transaction transaction);
  void promote_standby(bool is_silent);
  void arrive(Transaction transaction);
  void run_next();
  [[nodiscard]] bool may_run(const Transaction& transaction) const;
  void finish(std::uint64_t generation);
  void apply(const Transaction& transaction);
  void reply(const Transaction& transaction, bool is_done);
  [[nodiscard]] std::vector<ChunkPointer> chunks_from(store::LogPosition from) const;

  Context& context_;
  RemoteLink link_;
  std::map<ConnectionId, Connection> connections_;
  ConnectionId next_connection_ = 1;
  bool is_up_ = true;
  bool is_frozen_ = false;
  bool is_stalled_ = false;
  bool is_finish_due_ = false;          // while it is frozen or stalled
  std::uint64_t generation_ = 0;        // of the transaction that runs
  std::optional<Transaction> running_;  // has the lock
  std::deque<Transaction> waiting_;
  OwnerRow row_;
  store::LogPosition standby_end_ = 0;  // of its log, while row_.is_one_copy
  std::vector<ChunkPointer> log_;
  std::uint64_t lost_confirmations_ = 0;
};

}  // namespace nexusfix::simulator::cluster
