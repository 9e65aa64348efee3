#include "cluster/postgres/log_queue.hpp"

#include <algorithm>
#include <string>
#include <sys/eventfd.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <nexusfix/base/language.hpp>

namespace nexusfix::store::postgres {
namespace {

// The size at which a batch is closed: the server must receive it whole before it can work on it.
// A resend reads chunks whole.
constexpr LogPosition kBatchBytes = 256U << 10U;

}  // namespace

Signal::Signal() : descriptor_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)} {
  if (descriptor_ < 0) throw std::system_error{errno, std::generic_category(), "eventfd"};
}

Signal::~Signal() { ::close(descriptor_); }

void Signal::raise() noexcept {
  const std::uint64_t one = 1;
  // It can only fail when it is raised already.
  static_cast<void>(!::write(descriptor_, &one, sizeof one));
}

void Signal::clear() noexcept {
  std::uint64_t count = 0;
  static_cast<void>(!::read(descriptor_, &count, sizeof count));
}

LogQueue::LogQueue(const PostgresOptions& options, SessionTable sessions, LogPosition position,
                   LaggingRows lagging)
    : options_{options},
      sessions_{std::move(sessions)},
      appended_{position},
      log_{.lagging = std::move(lagging)},
      durable_{position},
      open_{std::make_unique<Batch>()} {
  for (SessionKey key = 0; key < sessions_.size(); ++key) {
    const SessionRecord& record = sessions_.record(key);
    log_.heads.push_back({.epoch = record.epoch, .next_outbound = record.next_outbound});
  }
  open_->clear(position);
}

std::optional<StoreError> LogQueue::failure() const {
  if (!failure_ && !is_closed_) return std::nullopt;
  const std::string why = failure_ ? failure_->text : "the store was closed";
  return StoreError{.code = StoreErrorCode::Failed, .text = why};
}

std::optional<StoreError> LogQueue::cause() const {
  const std::lock_guard lock{mutex_};
  return failure_;
}

StoreResult<LogPosition> LogQueue::append(std::span<const char> entries, WallTime now) {
  const auto place = [this] { return "PostgreSQL store " + options_.schema + ": "; };
  if (entries.size() > options_.record_bytes_max) {
    return std::unexpected{StoreError{
        .code = StoreErrorCode::TooLarge,
        .text = place() + "a record of " + std::to_string(entries.size()) +
                " bytes is above the limit of " + std::to_string(options_.record_bytes_max)}};
  }
  std::unique_lock lock{mutex_};
  const auto has_room = [&] {
    const LogPosition waiting = appended_ - durable();
    return waiting == 0 || waiting + entries.size() <= options_.pending_bytes_max;
  };
  while (!has_room() && !failure_ && !is_closed_) {
    is_flush_wanted_ = true;
    work_.raise();
    changed_.wait(lock);
  }
  if (auto failed = failure()) return std::unexpected{std::move(*failed)};
  // From the change of the table on nothing may need memory: the table and the batch must agree.
  free_.reserve(free_.size() + confirmed_.size() + 1);
  for (auto& batch : confirmed_) free_.push_back(std::move(batch));
  confirmed_.clear();
  if (free_.empty()) free_.push_back(std::make_unique<Batch>());
  sealed_.reserve(sealed_.size() + 1);
  open_->make_room(entries, log_);
  if (auto applied = sessions_.apply(entries, now); !applied) {
    return std::unexpected{StoreError{.code = StoreErrorCode::Refused,
                                      .text = place() + std::string{applied.error()}}};
  }
  open_->add(entries, now, log_);
  appended_ = open_->end();
  if (open_->end() - open_->begin() > kBatchBytes) seal_open();
  return appended_;
}

void LogQueue::seal_open() {
  open_->seal(sessions_, log_, options_.rows_lag_bytes_max);
  sealed_.push_back(std::move(open_));
  if (free_.empty()) {
    open_ = std::make_unique<Batch>();
  } else {
    open_ = std::move(free_.back());
    free_.pop_back();
  }
  open_->clear(sealed_.back()->end());
}

StoreResult<LogPosition> LogQueue::flush() {
  // Before durable() is read: a change after that wakes the caller.
  is_wake_wanted_.store(true);
  if (has_failed_.load(std::memory_order_acquire) || durable() != appended_) {
    const std::lock_guard lock{mutex_};
    if (auto failed = failure()) return std::unexpected{std::move(*failed)};
    const bool has_more = !open_->empty() || taken_ < sealed_.size();
    if (has_more && !is_flush_wanted_) {
      is_flush_wanted_ = true;
      work_.raise();
    }
  }
  return durable();
}

StoreResult<void> LogQueue::wait_until_durable() {
  if (auto flushed = flush(); !flushed) return std::unexpected{std::move(flushed.error())};
  std::unique_lock lock{mutex_};
  changed_.wait(lock, [this] { return durable() == appended_ || failure_; });
  if (auto failed = failure()) return std::unexpected{std::move(*failed)};
  return {};
}

StoreResult<void> LogQueue::wait_while_confirmed(std::chrono::milliseconds limit) {
  if (auto flushed = flush(); !flushed) return std::unexpected{std::move(flushed.error())};
  std::unique_lock lock{mutex_};
  for (bool is_slow = false; durable() != appended_ && !failure_ && !is_slow;) {
    const LogPosition seen = durable();
    is_slow = !changed_.wait_for(lock, limit, [&] { return durable() != seen || failure_; });
  }
  if (auto failed = failure()) return std::unexpected{std::move(*failed)};
  if (durable() == appended_) return {};
  return std::unexpected{StoreError{
      .code = StoreErrorCode::Server,
      .text = "PostgreSQL store " + options_.schema + ": the server confirmed nothing within " +
              std::to_string(limit.count()) + " ms, and " + std::to_string(appended_ - durable()) +
              " bytes of the log wait for it"}};
}

void LogQueue::close() {
  const std::lock_guard lock{mutex_};
  is_closed_ = true;
  has_failed_.store(true, std::memory_order_release);
}

LogQueue::Pending LogQueue::pending() {
  const std::lock_guard lock{mutex_};
  Pending found;
  found.durable = durable();
  for (const auto& batch : sealed_) found.batches.push_back(batch.get());
  found.batches.push_back(open_.get());
  return found;
}

Batch* LogQueue::take() {
  const std::lock_guard lock{mutex_};
  if (taken_ == sealed_.size()) {
    if (!is_flush_wanted_) return nullptr;
    is_flush_wanted_ = false;
    if (open_->empty()) return nullptr;
    seal_open();
  }
  return sealed_[taken_++].get();
}

void LogQueue::rewind() {
  const std::lock_guard lock{mutex_};
  taken_ = 0;
}

bool LogQueue::may_end_at(LogPosition position) {
  const std::lock_guard lock{mutex_};
  return position == durable() ||
         std::ranges::any_of(sealed_, [&](const auto& batch) { return batch->end() == position; });
}

void LogQueue::set_marker(PositionMarker* marker) {
  const std::lock_guard lock{mutex_};
  marker_ = marker;
}

void LogQueue::set_timeline(std::uint32_t timeline) {
  PositionMarker* marker = nullptr;
  {
    const std::lock_guard lock{mutex_};
    marker = marker_;
  }
  if (marker != nullptr) marker->set_timeline(timeline);
}

// Without the mutex while the disk is written: the event loop takes it.
void LogQueue::record_confirmed(LogPosition position) {
  PositionMarker* marker = nullptr;
  std::uint64_t opened = 0;
  std::uint64_t raised = 0;
  {
    const std::lock_guard lock{mutex_};
    marker = marker_;
    for (const auto& batch : sealed_) {
      if (batch->end() > position) break;
      opened += batch->opened().count();
      raised += batch->raised();
    }
  }
  if (marker == nullptr || position == durable()) return;
  if (const auto failed = marker->record(position, opened, raised)) {
    report(EventId::DatabasePositionNotNoted,
           "how far the log is confirmed cannot be recorded on this machine: " + *failed +
               ". The store goes on; the next start will not notice what the database loses from "
               "now on");
  }
}

void LogQueue::confirm(LogPosition position) {
  record_confirmed(position);
  {
    const std::lock_guard lock{mutex_};
    std::size_t count = 0;
    while (count < sealed_.size() && sealed_[count]->end() <= position) ++count;
    confirmed_.reserve(confirmed_.size() + count);  // otherwise some would be moved, and some not
    for (std::size_t i = 0; i < count; ++i) confirmed_.push_back(std::move(sealed_[i]));
    sealed_.erase(sealed_.begin(), sealed_.begin() + static_cast<std::ptrdiff_t>(count));
    taken_ -= std::min(taken_, count);
    durable_.store(position, std::memory_order_release);  // Pairs with the acquire in durable().
  }
  wake();
}

LogPosition LogQueue::end_from(LogPosition begin) {
  const std::lock_guard lock{mutex_};
  const auto found = std::ranges::find_if(
      sealed_, [&](const std::unique_ptr<Batch>& batch) { return batch->begin() == begin; });
  NEXUSFIX_ASSERT(found != sealed_.end());
  return (*found)->end();
}

bool LogQueue::has_unconfirmed() {
  const std::lock_guard lock{mutex_};
  return !sealed_.empty();
}

void LogQueue::fail(StoreError error) {
  {
    const std::lock_guard lock{mutex_};
    if (failure_) return;
    failure_ = std::move(error);
    has_failed_.store(true, std::memory_order_release);  // Pairs with the acquire in flush().
  }
  is_wake_wanted_.store(true);
  wake();
}

void LogQueue::report(EventId id, std::string text) {
  events_.put(id, "PostgreSQL store " + options_.schema + ": " + std::move(text));
  is_wake_wanted_.store(true);
  wake();
}

void LogQueue::wake() {
  changed_.notify_all();
  if (is_wake_wanted_.exchange(false) && options_.on_durable.call != nullptr) {
    options_.on_durable.call(options_.on_durable.context);
  }
}

}  // namespace nexusfix::store::postgres
