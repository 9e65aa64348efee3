#include "node/log_writer.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace nexusfix::simulator::cluster {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kOutageMax{10'000};
constexpr milliseconds kFirstPause{50};
constexpr milliseconds kLongestPause{1'000};

}  // namespace

void LogWriter::pump() {
  if (!is_connected_ || is_in_flight_ || has_failed_) return;
  ChunkPointer chunk = log_.take(owner_epoch(owner_.token, owner_.claims));
  if (chunk == nullptr) return;
  if (shift_ != 0) {
    auto moved = std::make_shared<Chunk>(*chunk);
    moved->begin += shift_;
    moved->end += shift_;
    chunk = std::move(moved);
  }
  is_in_flight_ = true;
  const std::uint64_t request = next_request();
  database_.append(owner_.connection, std::move(chunk),
                   gate_.wrap([this, request](const SimulatedDatabase::Answer& answer) {
                     if (request == request_) take(answer);
                   }));
  gate_.after(kAnswerTimeout, [this, request] {
    if (request == request_ && is_in_flight_) restore();
  });
}

void LogWriter::take(const SimulatedDatabase::Answer& answer) {
  is_in_flight_ = false;
  if (!answer.is_done && context_.bug != Bug::StaleOwnerSends) {
    return fail_as_former_owner(answer.row);
  }
  log_.confirm(log_.queue().end_from(log_.queue().durable()));
  away_since_.reset();
  pause_ = milliseconds{0};
  pump();
}

void LogWriter::lost(SimulatedDatabase::ConnectionId connection) {
  if (connection == owner_.connection && !has_failed_) restore();
}

// The outcome of what is under way is unknown from here on.
void LogWriter::restore() {
  next_request();
  if (std::exchange(is_in_flight_, false) && context_.bug == Bug::UnknownIsSuccess) {
    log_.confirm(log_.queue().end_from(log_.queue().durable()));
  }
  database_.disconnect(std::exchange(owner_.connection, 0));
  is_connected_ = false;
  log_.queue().rewind();
  const MonoTime now = clock_.now().mono;
  if (!away_since_) away_since_ = now;
  if (now - *away_since_ > kOutageMax) {
    return fail(store::StoreErrorCode::Server, "the database was away for too long");
  }
  const std::uint64_t request = request_;
  gate_.after(pause_, [this, request] {
    if (request == request_) connect();
  });
  pause_ = std::min(std::max(2 * pause_, kFirstPause), kLongestPause);
}

void LogWriter::connect() {
  const std::uint64_t request = next_request();
  database_.connect(
      owner_.node, gate_.wrap([this, request](SimulatedDatabase::ConnectionId connection) {
        if (request != request_) return database_.disconnect(connection);
        owner_.connection = connection;
        claim_again();
      }),
      gate_.wrap([this](SimulatedDatabase::ConnectionId connection) { lost(connection); }));
  gate_.after(kConnectTimeout, [this, request] {
    if (request == request_) restore();
  });
}

void LogWriter::claim_again() {
  const std::uint64_t request = next_request();
  database_.claim(owner_.connection, owner_epoch(owner_.token, ++owner_.claims),
                  log_.queue().appended(),
                  gate_.wrap([this, request](const SimulatedDatabase::Answer& answer) {
                    if (request == request_) claimed(answer);
                  }));
  gate_.after(kAnswerTimeout, [this, request] {
    if (request == request_) restore();
  });
}

void LogWriter::claimed(const SimulatedDatabase::Answer& answer) {
  next_request();
  if (!answer.is_done) {
    if (token_of(answer.row.owner_epoch) == owner_.token) return claim_again();
    return fail_as_former_owner(answer.row);
  }
  const store::LogPosition position = answer.row.position;
  is_connected_ = true;
  pause_ = milliseconds{0};
  if (context_.bug == Bug::UnknownIsFailure) {
    shift_ = position - log_.queue().durable();
    return pump();
  }
  if (!log_.queue().may_end_at(position)) {
    context_.violation.found("log-elsewhere", "the owner, node " + std::to_string(owner_.node) +
                                                  ", finds the end of its log at " +
                                                  std::to_string(position) +
                                                  ", where no COMMIT of it ends");
    return fail(store::StoreErrorCode::Server, "the log ends elsewhere");
  }
  if (position > log_.queue().durable() || !log_.queue().has_unconfirmed()) away_since_.reset();
  log_.confirm(position);
  pump();
}

void LogWriter::fail_as_former_owner(const OwnerRow& row) {
  if (token_of(row.owner_epoch) <= owner_.token) {
    context_.violation.found("owner-refused", "node " + std::to_string(owner_.node) +
                                                  " has token " + std::to_string(owner_.token) +
                                                  ", the log token " +
                                                  std::to_string(token_of(row.owner_epoch)) +
                                                  ", and its COMMIT is refused");
  }
  fail(store::StoreErrorCode::Locked, "the log has another owner");
}

void LogWriter::fail(store::StoreErrorCode code, std::string text) {
  next_request();
  has_failed_ = true;
  context_.note("node " + std::to_string(owner_.node), "fails: " + text);
  log_.queue().fail({code, std::move(text)});
}

}  // namespace nexusfix::simulator::cluster
