#include "servers/simulated_database.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace nexusfix::simulator::cluster {
namespace {

using std::chrono::microseconds;

constexpr std::uint64_t kCommitMicrosMin = 200;
constexpr std::uint64_t kCommitMicros = 900;
// One COMMIT of this number waits for a disk.
constexpr std::uint64_t kSlowEvery = 64;
constexpr std::uint64_t kSlowMicros = 200'000;

}  // namespace

void SimulatedDatabase::connect(std::size_t node, OnConnected on_connected, OnLost on_lost) {
  link_.send(node, [this, node, on_connected = std::move(on_connected),
                    on_lost = std::move(on_lost)]() mutable {
    if (!is_up_ || is_frozen_) return;
    const ConnectionId connection = next_connection_++;
    connections_[connection] = {node, std::move(on_lost)};
    link_.send(node,
               [connection, on_connected = std::move(on_connected)] { on_connected(connection); });
  });
}

void SimulatedDatabase::disconnect(ConnectionId connection) { connections_.erase(connection); }

void SimulatedDatabase::append(ConnectionId connection, ChunkPointer chunk, OnAnswer answer) {
  send(connection, {.chunk = std::move(chunk), .answer = std::move(answer)});
}

void SimulatedDatabase::claim(ConnectionId connection, std::uint64_t owner_epoch,
                              store::LogPosition from, OnAnswer answer) {
  send(connection,
       {.chunk = {}, .owner_epoch = owner_epoch, .from = from, .answer = std::move(answer)});
}

void SimulatedDatabase::look(ConnectionId connection, store::LogPosition from, OnAnswer answer) {
  send(connection, {.chunk = {}, .from = from, .answer = std::move(answer)});
}

void SimulatedDatabase::send(ConnectionId connection, Transaction transaction) {
  const auto found = connections_.find(connection);
  if (found == connections_.end()) return;
  transaction.connection = connection;
  transaction.node = found->second.node;
  link_.send(transaction.node, [this, transaction = std::move(transaction)]() mutable {
    arrive(std::move(transaction));
  });
}

void SimulatedDatabase::arrive(Transaction transaction) {
  if (!is_up_) return;
  const bool is_look = transaction.chunk == nullptr && transaction.owner_epoch == 0;
  if (is_look && !is_frozen_) return reply(transaction, true);
  waiting_.push_back(std::move(transaction));
  run_next();
}

bool SimulatedDatabase::may_run(const Transaction& transaction) const {
  if (transaction.chunk == nullptr) {
    return context_.bug == Bug::ClaimsDownwards || transaction.owner_epoch > row_.owner_epoch;
  }
  const bool is_owner =
      context_.bug == Bug::EpochNotChecked || transaction.chunk->owner_epoch == row_.owner_epoch;
  return is_owner && transaction.chunk->begin == row_.position;
}

void SimulatedDatabase::run_next() {
  while (is_up_ && !is_frozen_ && !running_ && !waiting_.empty()) {
    Transaction transaction = std::move(waiting_.front());
    waiting_.pop_front();
    if (transaction.chunk == nullptr && transaction.owner_epoch == 0) {
      reply(transaction, true);
      continue;
    }
    if (!may_run(transaction)) {
      context_.note("database", "refuses node " + std::to_string(transaction.node));
      reply(transaction, false);
      continue;
    }
    running_ = std::move(transaction);
    SeededRandom& random = context_.random;
    std::uint64_t micros = kCommitMicrosMin + random.below(kCommitMicros);
    if (random.below(kSlowEvery) == 0) micros += random.below(kSlowMicros);
    context_.agenda.after(microseconds{micros},
                          [this, generation = ++generation_] { finish(generation); });
  }
}

void SimulatedDatabase::finish(std::uint64_t generation) {
  if (!running_ || generation != generation_) return;
  if (is_frozen_ || is_stalled_) {
    is_finish_due_ = true;
    return;
  }
  const Transaction transaction = std::move(*running_);
  running_.reset();
  apply(transaction);
  reply(transaction, true);
  run_next();
}

void SimulatedDatabase::apply(const Transaction& transaction) {
  if (transaction.chunk != nullptr) {
    log_.push_back(transaction.chunk);
    row_.position = transaction.chunk->end;
    context_.count(row_.position);
    on_committed(*transaction.chunk);
    return;
  }
  context_.note("database", "node " + std::to_string(transaction.node) + " claims epoch " +
                                std::to_string(transaction.owner_epoch) + " at " +
                                std::to_string(row_.position));
  row_.owner_epoch = transaction.owner_epoch;
  row_.node = transaction.node;
}

void SimulatedDatabase::reply(const Transaction& transaction, bool is_done) {
  if (!connections_.contains(transaction.connection)) {
    if (is_done && transaction.chunk != nullptr) ++lost_confirmations_;
    return;
  }
  Answer answer{.is_done = is_done, .row = row_, .chunks = {}};
  if (is_done && transaction.chunk == nullptr) answer.chunks = chunks_from(transaction.from);
  link_.send(transaction.node, [this, connection = transaction.connection,
                                answer = std::move(answer), on_answer = transaction.answer] {
    if (connections_.contains(connection)) on_answer(answer);
  });
}

std::vector<ChunkPointer> SimulatedDatabase::chunks_from(store::LogPosition from) const {
  const auto first = std::ranges::lower_bound(log_, from, {}, &Chunk::begin);
  return {first, log_.end()};
}

// Nothing says in which order the processes of the server go on.
void SimulatedDatabase::thaw() {
  if (!is_frozen_) return;
  is_frozen_ = false;
  for (std::size_t i = waiting_.size(); i > 1; --i) {
    std::swap(waiting_[i - 1], waiting_[static_cast<std::size_t>(context_.random.below(i))]);
  }
  if (std::exchange(is_finish_due_, false)) finish(generation_);
  run_next();
}

void SimulatedDatabase::go_on() {
  is_stalled_ = false;
  if (!is_frozen_ && std::exchange(is_finish_due_, false)) finish(generation_);
}

void SimulatedDatabase::fail_over(bool is_silent) {
  if (!is_up_) return;
  context_.note("database", "fails over");
  if (running_ && context_.random.below(2) == 0) {
    apply(*running_);
    if (running_->chunk != nullptr) ++lost_confirmations_;
  }
  if (context_.bug == Bug::LaggingStandbyPromoted && !log_.empty()) {
    row_.position = log_.back()->begin;
    log_.pop_back();
  }
  promote_standby(is_silent);
}

void SimulatedDatabase::fail_over_with_loss() {
  while (!log_.empty() && log_.back()->end > standby_end_) log_.pop_back();
  context_.note("database", "loses what was confirmed from " + std::to_string(standby_end_) +
                                " to " + std::to_string(row_.position));
  row_.position = standby_end_;
  promote_standby(true);
}

void SimulatedDatabase::promote_standby(bool is_silent) {
  regain_standby();
  ++row_.timeline;
  running_.reset();
  ++generation_;
  is_finish_due_ = false;
  waiting_.clear();
  is_up_ = is_frozen_ = is_stalled_ = false;
  for (auto& [id, connection] : std::exchange(connections_, {})) {
    if (is_silent) continue;
    link_.send(connection.node, [id = id, lost = std::move(connection.on_lost)] { lost(id); });
  }
}

void SimulatedDatabase::start() { is_up_ = true; }

void SimulatedDatabase::drop(std::size_t node, bool is_silent) {
  for (auto place = connections_.begin(); place != connections_.end();) {
    if (place->second.node != node) {
      ++place;
      continue;
    }
    if (!is_silent) {
      link_.send(node, [id = place->first, lost = std::move(place->second.on_lost)] { lost(id); });
    }
    place = connections_.erase(place);
  }
}

}  // namespace nexusfix::simulator::cluster
