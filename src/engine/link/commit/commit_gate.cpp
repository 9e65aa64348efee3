#include "engine/link/commit/commit_gate.hpp"

#include <algorithm>
#include <exception>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "base/api/exceptions.hpp"

namespace nexusfix::engine {
namespace {

// Larger than a segment, so that it fits only if there is room for the next segment.
constexpr std::uint64_t kPlentyBytes = std::uint64_t{1} << 62U;
constexpr std::chrono::seconds kStallMin{1};

}  // namespace

CommitGate::~CommitGate() {
  // Closes the store in order, so that the next start does not report a loss of power. If closing
  // fails, the only consequence is such a report.
  if (store_ && health_ != Health::Failed) static_cast<void>(store_->close());
}

CommitGate::Waited CommitGate::wait_for(store::LogPosition position) {
  const MonoTime limit =
      loop_.now().mono + std::max<std::chrono::nanoseconds>(stall_timeout_, kStallMin);
  while (store_->durable() < position) {
    if (!store_->flush()) return Waited::Failed;
    if (store_->durable() >= position) break;
    if (loop_.time.read().mono >= limit) return Waited::TimedOut;
    std::this_thread::yield();
  }
  return Waited::Durable;
}

// On a full disk, the remaining room is for messages that cannot be refused. Returns false.
bool CommitGate::becomes_full() {
  become(Health::Full);
  loop_.report.engine(
      EventId::StoreFull,
      "the store has no room for the log (the disk is full, or the database does not keep up): "
      "application messages are refused. Heartbeats and other session messages go on while room "
      "lasts. Make room: the engine looks for it each second");
  return false;
}

bool CommitGate::look_for_stall(store::LogPosition durable) {
  if (durable == flushed_to_) {
    stalled_until_ = kNever;
    is_stalled_ = false;
    return false;
  }
  if (stall_timeout_.count() == 0) return false;
  const MonoTime now = loop_.time.read().mono;
  const bool has_moved = stalled_until_ == kNever || durable != stalled_at_;
  if (!has_moved && now < stalled_until_) {
    loop_.wake_at(stalled_until_);
    return false;
  }
  stalled_at_ = durable;
  stalled_until_ = now + stall_timeout_;
  loop_.wake_at(stalled_until_);
  is_stalled_ = !has_moved;
  return is_stalled_;
}

bool CommitGate::flush(store::LogPosition& durable) {
  if (has_failed()) return false;
  const store::LogPosition appended = this->appended();
  if (appended != flushed_to_ && disk_watch_.is_idle())
    disk_watch_.begin(store_->synced(), loop_.now().mono);
  flushed_to_ = appended;
  durable = durable_ == appended ? appended : store_->durable();
  if (appended != durable) {
    if (const auto flushed = store_->flush(); !flushed) {
      fail(flushed.error());
      return false;
    }
    durable = store_->durable();
  }
  publish_flushed(durable);
  return true;
}

void CommitGate::check() {
  if (has_failed()) return;
  while (const auto event = store_->next_event()) {
    if (event->id == EventId::StoreFailed) {
      return fail({.code = store::StoreErrorCode::Failed, .text = event->text});
    }
    loop_.report.engine(event->id, event->text);
  }
  if (disk_watch_.next() != kNever) check_slow_disk();
  publish_health();
  publish_synced();
  if (health_ == Health::Full && store_->has_room_for(kPlentyBytes)) {
    become(Health::Ok);
    loop_.report.engine(EventId::StoreHasRoom,
                        "the store has room for the log again: application messages are accepted");
  }
}

void CommitGate::become(Health health) noexcept {
  health_ = health;
  if (has_failed()) loop_.work.set(Work::Ended);
  publish_health();
}

void CommitGate::publish_health() noexcept {
  auto health = is_stalled_ ? StoreStatistics::Health::Stalled : StoreStatistics::Health::Ok;
  if (health_ == Health::Full) health = StoreStatistics::Health::Full;
  if (has_failed()) health = StoreStatistics::Health::Failed;
  loop_.stats.store.health.set(health);
}

// While records are appended all the time, synced() never reaches appended(). So it is followed to
// what was appended at one moment, and then to what is appended by now.
void CommitGate::publish_synced() noexcept {
  auto& published = loop_.stats.store;
  const store::LogPosition synced = store_->synced();
  const store::LogPosition appended = store_->appended();
  published.synced.set(synced);
  if (synced >= appended) return published.unsynced_since.clear();
  if (published.unsynced_since.is_set() && synced < unsynced_from_) return;
  unsynced_from_ = appended;
  published.unsynced_since.set(loop_.now().wall);
}

// With JournalDurability=process no message waits for the disk. A stalled disk is reported
// nevertheless: a loss of power would lose what it has not taken.
void CommitGate::check_slow_disk() {
  const auto change = disk_watch_.look(store_->synced(), store_->appended(), loop_.now().mono);
  loop_.wake_at(disk_watch_.next());
  if (!change) [[likely]]
    return;
  const auto seconds = change->since / std::chrono::seconds{1};
  if (!change->is_stalled) {
    loop_.report.engine(EventId::DiskResumed,
                        {"the disk takes the log again, after ", seconds, " s"});
    return;
  }
  loop_.report.engine(
      EventId::DiskStalled,
      {"the disk has taken nothing of the log for ", seconds,
       " s. Sessions go on (JournalDurability=process), but a loss of power now would take "
       "what was written since. A session that has used the sequence numbers reserved for it, "
       "and a second full segment, wait for the disk"});
}

void CommitGate::fail(const store::StoreError& error) {
  become(Health::Failed);
  on_failure_.call(on_failure_.context, error);
}

namespace {

bool is_of_session_layer(std::string_view msg_type) {
  return msg_type.size() == 1 && ((msg_type[0] >= '0' && msg_type[0] <= '5') || msg_type[0] == 'A');
}

}  // namespace

void Recovery::take(const store::Store::LogMessage& stored) {
  const auto message = loop_.parsers.inbound.parse(stored.bytes);
  if (!message) {
    ++unreadable_;
    return;
  }
  // The store of another engine may have messages of the session layer, too.
  if (is_of_session_layer(message->msg_type())) return;
  loop_.callbacks.on_recovered(loop_.callbacks.application,
                               RecoveredMessage{stored.session, stored.msg_seq_num, *message});
}

std::expected<void, EngineError> Recovery::finish(store::Store& store) {
  if (!is_wanted()) return {};
  try {
    auto scanned = store.scan([this](const store::Store::LogMessage& stored) { take(stored); });
    if (!scanned) return std::unexpected{EngineError{std::move(scanned.error().text)}};
  } catch (const std::exception&) {
    return std::unexpected{refused_by_application()};
  }
  if (unreadable_ == 0) return {};
  return std::unexpected{EngineError{"the store holds " + std::to_string(unreadable_) +
                                     " messages that are not FIX messages; it was written by "
                                     "something else"}};
}

EngineError Recovery::refused_by_application() {
  return EngineError{"the application could not take back what it had sent: " +
                     std::string{what_of(std::current_exception())}};
}

}  // namespace nexusfix::engine
