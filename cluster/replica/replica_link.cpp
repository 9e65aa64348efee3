#include "cluster/replica/replica_link.hpp"

#include <algorithm>
#include <poll.h>
#include <utility>

namespace nexusfix::store::replica {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kFirstPause{50};
constexpr milliseconds kLongestPause{2'000};
// How often the lag is looked at while nothing happens.
constexpr milliseconds kLook{100};
// A record that was announced and cannot be read yet.
constexpr milliseconds kReadAgain{10};
// ReplicaPolicy::Available: no byte waits, so records gather for this time.
constexpr milliseconds kGather{1};
constexpr const char* kCursorName = "replica";

}  // namespace

ReplicaLink::ReplicaLink(Disk& disk, JournalReplicaOptions options)
    : disk_{disk}, options_{std::move(options)}, lag_{options_.lag_max} {}

ReplicaLink::~ReplicaLink() { stop(); }

void ReplicaLink::stop() {
  is_stopping_.store(true);
  stop_.raise();
  signal_.raise();
  if (thread_.joinable()) thread_.join();
}

Wake ReplicaLink::progress_wake() noexcept {
  return {.call =
              [](void* context) noexcept {
                auto* const self = static_cast<ReplicaLink*>(context);
                const Pipeline* const pipeline = self->shown_.load(std::memory_order_acquire);
                if (pipeline != nullptr) self->move_to(pipeline->replicated());
                self->signal_.raise();
              },
          .context = this};
}

StoreResult<void> ReplicaLink::open(const Store& journal) {
  readable_.store(journal.durable());
  auto cursor = CursorFile::open(disk_, options_.journal.folder, kCursorName);
  if (!cursor) {
    return std::unexpected{
        StoreError{.code = StoreErrorCode::Disk, .text = "JournalReplica: " + cursor.error()}};
  }
  cursor_.emplace(std::move(*cursor));
  auto pipeline =
      std::make_unique<Pipeline>(disk_, options_, readable_, stop_.descriptor(), progress_wake());
  const Former former{.cursor_file = cursor_->cursor() ? cursor_->path() : std::string{}};
  if (auto opened = pipeline->open(former, &journal); !opened) return opened;
  next_at_open_ = pipeline->next_at_open();
  unsaved_ = pipeline->read_until();
  pipeline_ = std::move(pipeline);
  shown_.store(pipeline_.get(), std::memory_order_release);
  attempts_.moved_at = SystemClock{}.now().mono;
  move_to(pipeline_->replicated());
  thread_ = std::thread{[this] { run(); }};
  return {};
}

std::optional<StoreError> ReplicaLink::failure() const {
  if (!has_failed_.load(std::memory_order_acquire)) [[likely]]  // Pairs with fail().
    return std::nullopt;
  const std::lock_guard lock{mutex_};
  return failure_;
}

void ReplicaLink::fail(StoreError error) {
  {
    const std::lock_guard lock{mutex_};
    failure_ = std::move(error);
  }
  has_failed_.store(true, std::memory_order_release);  // Pairs with failure().
  events_.put(EventId::StoreFailed, failure_.text);
  moved_.raise();
  wake();
}

std::optional<StoreEvent> ReplicaLink::take_event() { return events_.take(); }

void ReplicaLink::report(EventId id, std::string text) {
  events_.put(id, std::move(text));
  wake();
}

void ReplicaLink::wake() noexcept {
  const Wake& owner = options_.journal.on_durable;
  if (owner.call != nullptr) owner.call(owner.context);
}

// Two threads call it. It does not go back: a database that has lost what it had committed gets it
// again, and the bytes have left.
void ReplicaLink::move_to(LogPosition replicated) noexcept {
  LogPosition seen = replicated_.load(std::memory_order_relaxed);
  while (seen < replicated && !replicated_.compare_exchange_weak(seen, replicated)) {
  }
  if (seen >= replicated) return;
  if (is_closing_.load()) moved_.raise();
  if (is_wake_wanted_.exchange(false)) wake();
}

void ReplicaLink::run() {
  while (!is_stopping_.load() && !has_failed_.load()) {
    if (pipeline_ == nullptr) {
      make_again();
    } else {
      turn();
    }
    watch_lag();
  }
}

void ReplicaLink::turn() {
  auto pumped = pipeline_->pump();
  move_to(pipeline_->replicated());
  pass_events();
  if (!pumped) return on_error(pumped.error());
  save_cursor();
  if (pipeline_->must_record()) {
    auto recorded =
        pipeline_->record(is_strict() ? 0 : options_.numbers_ahead_max, stop_.descriptor());
    if (!recorded) return on_error(recorded.error());
  }
  if (!attempts_.last_error.empty() && replicated() >= readable_.load()) {
    attempts_.last_error.clear();
    attempts_.pause = milliseconds{0};
  }
  if (*pumped == Pipeline::Pumped::Moved) {
    attempts_.idle_looks = 0;
  } else if (*pumped == Pipeline::Pumped::Full) {
    static_cast<void>(wait_for_signal(kLook));
  } else {
    sleep();
  }
}

// There is nothing to read, or nothing that can be read.
void ReplicaLink::sleep() {
  const LogPosition until = pipeline_->read_until().position;
  if (readable_.load() > until) {
    if (++attempts_.idle_looks > 1) static_cast<void>(wait_for_signal(kReadAgain));
    return;
  }
  attempts_.idle_looks = 0;
  if (!is_strict() &&
      postgres::wait_for(stop_.descriptor(), POLLIN, kGather, -1) == postgres::Waited::Ready) {
    return;
  }
  is_asleep_.store(true);
  // A position that was published before this was not signalled.
  if (readable_.load() == until) static_cast<void>(wait_for_signal(kLook));
  is_asleep_.store(false);
}

bool ReplicaLink::wait_for_signal(milliseconds limit) {
  const bool is_raised =
      postgres::wait_for(signal_.descriptor(), POLLIN, limit, -1) == postgres::Waited::Ready;
  if (is_raised) signal_.clear();
  return is_raised;
}

void ReplicaLink::pass_events() {
  bool is_any = false;
  while (auto event = pipeline_->take_event()) {
    events_.put(event->id, std::move(event->text));
    is_any = true;
  }
  if (is_any) wake();
}

// The journal keeps the segment in which the replica is, and those after it.
void ReplicaLink::save_cursor() {
  const JournalCursor& read = pipeline_->read_until();
  const std::uint64_t saved = cursor_->cursor() ? cursor_->cursor()->segment : 0;
  if (!unsaved_ && read.segment != saved) unsaved_ = read;
  if (!unsaved_ || replicated() < unsaved_->position) return;
  // After an error the journal keeps more than it needs to.
  if (cursor_->save(*unsaved_)) unsaved_.reset();
}

void ReplicaLink::on_error(const StoreError& error) {
  if (is_stopping_.load()) return;  // it may be no more than that
  shown_.store(nullptr, std::memory_order_release);
  if (pipeline_ != nullptr) former_ = pipeline_->as_former();
  pipeline_.reset();
  if (error.code == StoreErrorCode::Locked) return fail(error);
  const MonoTime now = SystemClock{}.now().mono;
  if (is_strict() && now - attempts_.moved_at > options_.postgres.outage_max) {
    return fail({.code = StoreErrorCode::Server,
                 .text = "JournalReplica=strict: nothing was replicated for " +
                         std::to_string(options_.postgres.outage_max.count()) +
                         " ms, lastly: " + error.text});
  }
  if (attempts_.last_error == error.text) return;
  attempts_.last_error = error.text;
  report(EventId::DatabaseReconnecting, "the replica is connected again: " + error.text);
}

void ReplicaLink::make_again() {
  if (postgres::wait_for(stop_.descriptor(), POLLIN, attempts_.pause, -1) ==
      postgres::Waited::Ready) {
    return;
  }
  attempts_.pause = std::min(std::max(2 * attempts_.pause, kFirstPause), kLongestPause);
  pipeline_ =
      std::make_unique<Pipeline>(disk_, options_, readable_, stop_.descriptor(), progress_wake());
  const Former former = former_;
  auto opened = pipeline_->open(former, nullptr);
  if (!opened) {
    pipeline_.reset();
    return on_error(opened.error());
  }
  shown_.store(pipeline_.get(), std::memory_order_release);
}

void ReplicaLink::watch_lag() {
  const Now now = SystemClock{}.now();
  const LogPosition end = readable_.load();
  const LogPosition have = replicated();
  const auto change = lag_.look(end, have, now);
  if (have != attempts_.seen || !lag_.is_lagging()) attempts_.moved_at = now.mono;
  attempts_.seen = have;
  if (!change) return;
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(change->since);
  const std::string place = "the replica in PostgreSQL, schema " + options_.postgres.schema + ": ";
  if (!change->is_lagging) {
    return report(EventId::ReplicaCaughtUp, place + "it has all of the journal again, after " +
                                                std::to_string(seconds.count()) + " s");
  }
  report(EventId::ReplicaLags,
         place + "it lacks " + std::to_string(end - have) + " bytes of the journal since " +
             std::to_string(seconds.count()) + " s. " +
             (is_strict() ? "Bytes wait for it (JournalReplica=strict)"
                          : "Sessions go on, and there is one copy of what was sent since "
                            "(JournalReplica=available)") +
             (attempts_.last_error.empty() ? "" : ". " + attempts_.last_error));
}

StoreResult<void> ReplicaLink::close(LogPosition end, bool is_all) {
  publish(end);
  is_closing_.store(true);
  const bool waits = is_strict() || !lag_.is_lagging();
  while (waits && replicated() < end && !has_failed_.load()) {
    const auto waited =
        postgres::wait_for(moved_.descriptor(), POLLIN, options_.postgres.answer_timeout, -1);
    if (waited != postgres::Waited::Ready) break;
    moved_.clear();
  }
  stop();
  const bool has_all = is_all && replicated() >= end && pipeline_ != nullptr;
  StoreResult<void> recorded;
  if (has_all) recorded = pipeline_->record(0, -1);
  shown_.store(nullptr, std::memory_order_release);
  pipeline_.reset();
  return recorded;
}

ReplicaFigures ReplicaLink::figures() const noexcept {
  return {.is_strict = is_strict(),
          .log_end = readable_.load(std::memory_order_relaxed),
          .replicated_end = replicated(),
          .lacks_since = lag_.lacks_since(),
          .is_lagging = lag_.is_lagging()};
}

}  // namespace nexusfix::store::replica
