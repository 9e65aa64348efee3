#include "cluster/postgres/writer.hpp"

#include <algorithm>
#include <array>
#include <poll.h>
#include <string>
#include <utility>

#include "cluster/postgres/server/schema.hpp"

namespace nexusfix::store::postgres {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kFirstPause{50};
constexpr milliseconds kLongestPause{2'000};
// A connection that lasted this long was a good one.
constexpr milliseconds kSteady{10'000};
// An idle connection sends this number of signs of life in the time after which the server ends it.
constexpr int kSignsOfLife = 3;

}  // namespace

Writer::Writer(const PostgresOptions& options, Servers& servers, LogQueue& queue,
               Connection connection, ServerFacts facts, Claim claim)
    : options_{options},
      servers_{servers},
      queue_{queue},
      connection_{std::move(connection)},
      facts_{std::move(facts)},
      first_epoch_{claim.owner_epoch},
      claim_{std::move(claim)},
      committed_end_{claim_.position},
      connected_at_{clock_.now().mono},
      thread_{[this] { run(); }} {}

Writer::~Writer() {
  stop_.raise();
  thread_.join();
}

bool Writer::stops() const {
  pollfd waited{stop_.descriptor(), POLLIN, 0};
  return ::poll(&waited, 1, 0) == 1;
}

void Writer::run() {
  while (!stops()) {
    if (auto done = turn(); !done) {
      if (stops() || !restore(std::move(done.error()))) return;
    }
  }
}

// Sends what there is to send, waits for an answer or new work, and takes it.
ServerResult<void> Writer::turn() {
  if (auto sent = send_batches(); !sent) return sent;
  if (owed_ && !has_unanswered()) {
    if (!send_ask_again(*connection_)) return std::unexpected{connection_->lost()};
    is_sign_of_life_ = true;
    ++in_flight_;
  }
  const int flushed = PQflush(connection_->raw());
  if (flushed < 0) return std::unexpected{connection_->lost()};
  // Work that cannot be taken now must not wake the thread; and so the limit below is that of the
  // oldest statement, or a few times that.
  const int work = in_flight_ < options_.batches_in_flight_max ? queue_.work().descriptor() : -1;
  const auto events = static_cast<short>(flushed == 1 ? POLLIN | POLLOUT : POLLIN);
  std::array<pollfd, 3> waited{
      {{connection_->descriptor(), events, 0}, {work, POLLIN, 0}, {stop_.descriptor(), POLLIN, 0}}};
  const milliseconds longest =
      has_unanswered() ? options_.answer_timeout : options_.peer_timeout / kSignsOfLife;
  const int limit = static_cast<int>(longest.count());
  const int count = ::poll(waited.data(), waited.size(), limit);
  if (count == 0 && !has_unanswered()) {
    // The server would take silence for a process that is stopped.
    if (!send_sign_of_life(*connection_)) return std::unexpected{connection_->lost()};
    is_sign_of_life_ = true;
    ++in_flight_;
    return {};
  }
  if (count == 0) {
    return std::unexpected{
        ServerError{"the server did not answer within " + std::to_string(limit) + " ms", {}}};
  }
  if (waited[0].revents != 0) return receive();
  return {};
}

ServerResult<void> Writer::send_batches() {
  // It lost the lease, and has one again: one who had it meanwhile may be about to claim the log.
  if (held_token() > token_of_epoch(claim_.owner_epoch)) {
    return std::unexpected{ServerError{"the lease has a new fencing token, " +
                                           std::to_string(held_token()) +
                                           ": the log is claimed again",
                                       {}}};
  }
  while (in_flight_ < options_.batches_in_flight_max) {
    const Batch* batch = queue_.take();
    if (batch == nullptr) {
      queue_.work().clear();
      batch = queue_.take();  // it may have come before that
    }
    if (batch == nullptr) break;
    const bool checks_after = options_.standby == StandbyPolicy::Strict;
    if (!send_batch(*connection_, *batch, claim_.owner_epoch, checks_after)) {
      return std::unexpected{connection_->lost()};
    }
    ++in_flight_;
  }
  return {};
}

ServerResult<void> Writer::receive() {
  if (PQconsumeInput(connection_->raw()) == 0) return std::unexpected{connection_->lost()};
  while (has_unanswered() && PQisBusy(connection_->raw()) == 0) {
    Result result{PQgetResult(connection_->raw())};
    if (!result) {  // between the answers to two statements
      if (PQstatus(connection_->raw()) == CONNECTION_BAD) {
        return std::unexpected{connection_->lost()};
      }
      continue;
    }
    if (auto taken = accept_result(std::move(result)); !taken) return taken;
  }
  report_warnings();
  return {};
}

void Writer::report_warnings() {
  for (std::string& text : connection_->consume_warnings()) {
    queue_.report(EventId::DatabaseWarning, "the server warns: " + std::move(text));
  }
}

// What a COMMIT waits for may change while the engine runs.
ServerResult<void> Writer::accept_settings(CommitSettings settings) {
  if (settings != facts_.commit) {
    const bool is_less = reach_of(settings) < reach_of(facts_.commit);
    queue_.report(is_less ? EventId::DatabaseCommitsWeaker : EventId::DatabaseCommitsChanged,
                  std::string{is_less ? "ALARM: " : ""} + "the server's settings have changed: " +
                      to_text(settings) + "; before, " + to_text(facts_.commit));
    facts_.commit = std::move(settings);
  }
  return check_reach(options_, facts_.commit);
}

void Writer::confirm(LogPosition end) {
  queue_.confirm(end);
  away_since_.reset();
  pause_ = milliseconds{0};
}

// Settings may change and change back while a COMMIT waits, and the server ends its wait. What
// counts is what the standby has acknowledged.
ServerResult<void> Writer::accept_acknowledgement(const Acknowledgement& found) {
  if (auto taken = accept_settings(found.settings); !taken) return taken;
  if (options_.standby != StandbyPolicy::Strict) return {};
  const bool is_new = is_committed_;  // otherwise the question was sent by itself
  if (!found.is_visible) {
    if (!is_new || found.settings.loaded == loaded_) return {};
    return std::unexpected{ServerError{
        "the server loaded its configuration during a COMMIT, which may not have waited "
        "for the synchronous standby",
        kNotReplicated}};
  }
  const MonoTime now = clock_.now().mono;
  if (owed_ && found.acknowledged >= owed_->wal_end) {
    confirm(owed_->end);
    owed_.reset();
  }
  if (owed_ && now - owed_->since > options_.answer_timeout) {
    return std::unexpected{not_acknowledged(options_)};
  }
  if (is_new && found.acknowledged < found.end) {
    owed_ = {.end = committed_end_, .wal_end = found.end, .since = owed_ ? owed_->since : now};
  }
  return {};
}

ServerResult<void> Writer::accept_result(Result result) {
  switch (PQresultStatus(result.get())) {
    case PGRES_TUPLES_OK:
      if (PQntuples(result.get()) == 1 && PQnfields(result.get()) == 0) return {};
      if (const auto found = acknowledgement_of(result.get()))
        return accept_acknowledgement(*found);
      if (auto settings = commit_settings_of(result.get())) {
        loaded_ = settings->loaded;
        return accept_settings(std::move(*settings));
      }
      // Nothing was written: the row that says whose log it is and where it ends is gone.
      batch_error_ = ServerError{"the log has no state", kElsewhere};
      return {};
    case PGRES_COMMAND_OK:
    case PGRES_PIPELINE_ABORTED:
      return {};
    case PGRES_PIPELINE_SYNC:
      break;
    default:
      if (!batch_error_) batch_error_ = error_of(result.get());
      // Without its code the end of a connection would look like an error of the statement.
      if (PQstatus(connection_->raw()) == CONNECTION_BAD) {
        return std::unexpected{std::move(*std::exchange(batch_error_, std::nullopt))};
      }
      return {};
  }
  return end_batch();
}

ServerResult<void> Writer::end_batch() {
  if (batch_error_) return std::unexpected{std::move(*std::exchange(batch_error_, std::nullopt))};
  // The batch is committed on this server, and maybe on no other. Whether it counts, a new
  // connection finds out: its own COMMIT must reach the standby.
  if (auto error = connection_->consume_not_replicated()) return std::unexpected{std::move(*error)};
  if (std::exchange(is_sign_of_life_, false)) {
    --in_flight_;
    return {};
  }
  if (!std::exchange(is_committed_, false)) {
    --in_flight_;
    is_committed_ = options_.standby == StandbyPolicy::Strict;
    committed_end_ = queue_.end_from(committed_end_);
    // The server has nothing to do meanwhile, and the caller can wait for its wake.
    if (auto sent = send_batches(); !sent) return sent;
    if (is_committed_) return {};
  }
  if (!owed_) confirm(committed_end_);
  return {};
}

void Writer::report_connected(const Connection& connection, LogPosition position,
                              const ServerFacts& found) {
  const auto away = std::chrono::duration_cast<milliseconds>(clock_.now().mono - lost_at_);
  std::string text = "connected again after " + std::to_string(away.count()) + " ms, to " +
                     connection.server() + ": the log ends at " + std::to_string(position);
  if (found.timeline != facts_.timeline) {
    text += ". The server is on timeline " + std::to_string(found.timeline) + ", before on " +
            std::to_string(facts_.timeline) +
            ": a standby was promoted. It has everything that was confirmed";
    facts_.timeline = found.timeline;
    queue_.set_timeline(found.timeline);
  }
  queue_.report(EventId::DatabaseReconnected, std::move(text));
}

void Writer::fail(const ServerError& error) {
  const bool is_taken_over = error.state == kOwnedByAnother;
  queue_.fail(store_error(options_, error,
                          is_taken_over ? StoreErrorCode::Locked : StoreErrorCode::Server));
}

// True: there is a connection again, and everything that the server does not have will be sent on
// it. False: the store has failed, or is being destroyed.
bool Writer::restore(ServerError cause) {
  lost_at_ = clock_.now().mono;
  if (!away_since_) away_since_ = lost_at_;
  if (cause.may_pass()) {
    queue_.report(EventId::DatabaseReconnecting,
                  "the connection is ended and made again: " + cause.text);
  }
  if (clock_.now().mono - connected_at_ > kSteady) pause_ = milliseconds{0};
  bool is_lock_reported = false;
  const MonoTime outage_end = *away_since_ + options_.outage_max;
  const auto is_over = [&] { return clock_.now().mono >= outage_end; };
  for (bool is_tried = false;; is_tried = true) {
    if (cause.state == kLockHeld && !std::exchange(is_lock_reported, true)) {
      queue_.report(EventId::DatabaseReconnecting, cause.text);
    }
    connection_.reset();
    in_flight_ = 0;
    is_committed_ = false;
    is_sign_of_life_ = false;
    owed_.reset();
    batch_error_.reset();
    queue_.rewind();
    if (is_tried && is_over()) {
      cause.text = "the server was not to be had for " +
                   std::to_string(options_.outage_max.count()) + " ms, lastly: " + cause.text;
      fail(cause);
      return false;
    }
    if (!cause.may_pass()) {
      fail(cause);
      return false;
    }
    milliseconds pause = pause_;
    if (is_tried) {
      const auto left = std::chrono::ceil<milliseconds>(outage_end - clock_.now().mono);
      pause = std::clamp(left, milliseconds{0}, pause);
    }
    if (wait_for(-1, 0, pause, stop_.descriptor()) == Waited::Stopped) return false;
    pause_ = std::min(std::max(2 * pause_, kFirstPause), kLongestPause);
    if (is_tried && is_over()) continue;
    // The first attempt has the time of an answer in any case.
    const MonoTime end =
        is_tried ? outage_end : std::max(outage_end, clock_.now().mono + options_.answer_timeout);
    auto done = connect_again(end);
    if (done) return true;
    cause = std::move(done.error());
    if (stops()) return false;
  }
}

ServerResult<void> Writer::connect_again(MonoTime end) {
  ServerResult<ServerFacts> facts;
  auto made = servers_.connect(
      stop_.descriptor(),
      [&](Connection& one) -> ServerResult<void> {
        facts = read_facts(one);
        if (!facts) return std::unexpected{facts.error()};
        if (auto same = check_same_cluster(facts_, *facts); !same) return same;
        return check_reach(options_, facts->commit);
      },
      end);
  if (!made) return std::unexpected{std::move(made.error())};
  if (auto ended = end_former_session(*made, options_, claim_.backend, first_epoch_); !ended) {
    return ended;
  }
  // One that has the lock may be about to claim the log: it decides, not this process.
  if (auto locked = lock_log(*made, options_); !locked) {
    const bool is_held = locked.error().code == StoreErrorCode::Locked;
    return std::unexpected{ServerError{std::move(locked.error().text), is_held ? kLockHeld : ""}};
  }
  auto claimed =
      claim_again(*made, first_epoch_, std::max(claim_.owner_epoch, epoch_of_token(held_token())));
  if (!claimed) return std::unexpected{std::move(claimed.error())};
  claim_ = *claimed;
  if (auto seen = await_standby(*made, options_); !seen) return std::unexpected{seen.error()};
  if (auto prepared = prepare_to_write(*made, options_.peer_timeout); !prepared) return prepared;
  const LogPosition durable = queue_.durable();
  if (!queue_.may_end_at(claimed->position)) {
    return std::unexpected{
        ServerError{"the server's log ends at " + std::to_string(claimed->position) +
                        (claimed->position < durable
                             ? ", and up to " + std::to_string(durable) +
                                   " was confirmed: the server has lost what it had committed"
                             : ", where no transaction of this process does"),
                    kElsewhere}};
  }
  report_connected(*made, claimed->position, *facts);
  if (auto noted = accept_settings(std::move(facts->commit)); !noted) return noted;
  queue_.confirm(claimed->position);
  committed_end_ = claimed->position;
  // A batch whose confirmation was lost is progress like any other.
  if (claimed->position > durable) pause_ = milliseconds{0};
  if (claimed->position > durable || !queue_.has_unconfirmed()) away_since_.reset();
  connection_ = std::move(*made);
  connected_at_ = clock_.now().mono;
  queue_.work().raise();
  return {};
}

}  // namespace nexusfix::store::postgres
