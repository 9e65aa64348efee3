#include "store/write/segment_supply.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <new>
#include <utility>

#include "store/api/journal_format.hpp"
#include "store/journal/ownership.hpp"

namespace nexusfix::store {
namespace {

// A disk that was full may have room again.
constexpr std::chrono::seconds kRetryAfter{1};
// When the journal is closed: how long a removal may take.
constexpr std::chrono::seconds kTakingAwayMax{1};

// Prepared in a mapping before the first append; the rest follows in the background.
constexpr std::uint64_t kWarmBytes = 1U << 20U;

// An exception on the supply's own thread would end the process. The text is short enough to need
// no memory.
DiskError no_memory() {
  return {.path = "a segment", .operation = "get memory for", .error_number = ENOMEM};
}

// A thread that waits for this must not wait for ever because there is no memory for the text.
void end_of_sync(PendingSync& under_way, const DiskResult<void>& result) noexcept {
  try {
    under_way.end(result);
  } catch (const std::bad_alloc&) {
    under_way.end(std::unexpected{no_memory()});
  }
}

}  // namespace

void PendingSync::end(DiskResult<void> result) {
  const std::lock_guard lock{mutex_};
  result_ = std::move(result);
  ended_.notify_all();
}

DiskResult<void> PendingSync::wait() {
  std::unique_lock lock{mutex_};
  ended_.wait(lock, [this] { return result_.has_value(); });
  return *result_;
}

bool PendingSync::has_succeeded() const {
  const std::lock_guard lock{mutex_};
  return result_.has_value() && result_->has_value();
}

SegmentSupply::SegmentSupply(Disk& disk, Options options)
    : disk_{disk}, options_{std::move(options)} {
  retired_.reserve(4);
  retiring_.reserve(4);
  if (options_.background) thread_ = std::thread{[this] { run(); }};
}

SegmentSupply::~SegmentSupply() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock{mutex_};
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

std::string SegmentSupply::path_of(std::uint64_t number) const {
  return options_.folder + '/' + segment_file_name(number);
}

void SegmentSupply::prepare(std::uint64_t number) {
  if (!options_.background) return;
  const std::lock_guard lock{mutex_};
  // After a loss of power, this one could be there without the one before it.
  if (unsynced_ != 0 && number == unsynced_ + 1) return;
  number_ = number;
  state_ = State::Wanted;
  changed_.notify_all();
}

DiskResult<OpenSegment> SegmentSupply::take(std::uint64_t number, std::uint64_t bytes) {
  {
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [&] {
      if (is_reserving_) return false;
      if (is_syncing_) return options_.leaves_syncs;  // a caller that cannot wait makes its own
      return number_ != number || state_ != State::Wanted || is_away_;
    });
    const bool is_ready = number_ == number && state_ == State::Ready;
    state_ = State::Idle;
    is_short_.store(false,
                    std::memory_order_relaxed);  // reset: if this one fails, it sets the flag again
    if (is_ready && (ready_.reserved_bytes == 0 || ready_.reserved_bytes >= bytes)) {
      return std::exchange(ready_, {});
    }
    ready_ = {};
  }
  DiskResult<OpenSegment> made = make(number, bytes);
  if (!made || options_.leaves_syncs) return made;
  if (auto synced = sync(*made); !synced) return std::unexpected{std::move(synced.error())};
  return made;
}

DiskResult<OpenSegment> SegmentSupply::make(std::uint64_t number, std::uint64_t bytes) {
  // Otherwise another journal would find a segment that is not its own.
  if (options_.owner != nullptr && !options_.owner->is_in_place(disk_)) {
    return std::unexpected{DiskError{
        .path = path_of(number), .operation = "find the folder for", .error_number = ENOENT}};
  }
  DiskResult<std::unique_ptr<File>> file = disk_.open(path_of(number), OpenMode::Create);
  if (!file) return std::unexpected{std::move(file.error())};
  OpenSegment segment{.file = std::move(*file), .mapping = nullptr};
  if (auto emptied = empty(*segment.file, number); !emptied) {
    return std::unexpected{std::move(emptied.error())};
  }
  if (auto reserved = reserve(segment, std::max(bytes, options_.segment_bytes)); !reserved) {
    // Its space is freed, so that other programs have room.
    static_cast<void>(segment.file->truncate(0));
    return std::unexpected{std::move(reserved.error())};
  }
  return segment;
}

// The file of an interrupted preparation may hold other bytes than zeros. A segment that holds
// records is not of this run, which knows its segments: another folder has taken the place of this
// one.
DiskResult<void> SegmentSupply::empty(File& file, std::uint64_t number) const {
  const DiskResult<std::uint64_t> size = file.size();
  if (!size) return std::unexpected{size.error()};
  if (*size == 0) return {};
  std::array<char, kSegmentMarkBytes> mark{};
  const DiskResult<std::size_t> got = file.read_at(0, mark);
  if (!got) return std::unexpected{got.error()};
  if (std::ranges::any_of(mark, [](char byte) { return byte != '\0'; })) {
    return std::unexpected{
        DiskError{.path = path_of(number), .operation = "begin", .error_number = EEXIST}};
  }
  return file.truncate(0);
}

DiskResult<void> SegmentSupply::sync(OpenSegment& segment) {
  if (options_.syncs_zeros && segment.reserved_bytes > 0) {
    if (auto synced = segment.file->sync(); !synced) return synced;
  }
  if (!options_.syncs_directory_entries) return {};
  if (auto synced = disk_.sync_directory(options_.folder); !synced) return synced;
  segment.is_directory_entry_synced = true;
  return {};
}

DiskResult<OpenSegment> SegmentSupply::reopen(std::unique_ptr<File> file, std::uint64_t used) {
  OpenSegment segment{
      .file = std::move(file), .mapping = nullptr, .is_directory_entry_synced = true};
  auto reserved = reserve(segment, options_.segment_bytes);
  if (!reserved) return std::unexpected{std::move(reserved.error())};
  if (segment.mapping) segment.mapping->prepare(used, kWarmBytes);
  return segment;
}

DiskResult<void> SegmentSupply::reserve(OpenSegment& segment, std::uint64_t bytes) const {
  auto reserved = segment.file->reserve(bytes);
  if (!reserved) {
    if (reserved.error().error_number == EOPNOTSUPP) return {};
    return reserved;
  }
  const DiskResult<std::uint64_t> size = segment.file->size();
  if (!size) return std::unexpected{size.error()};
  segment.reserved_bytes = *size;
  if (!options_.maps) return {};
  auto mapping = segment.file->map(*size);
  if (mapping) {
    segment.mapping = std::move(*mapping);
  } else if (mapping.error().error_number != EOPNOTSUPP) {
    return std::unexpected{std::move(mapping.error())};
  }
  return {};
}

void SegmentSupply::warm(const OpenSegment& segment) {
  if (!options_.background) return;
  const std::lock_guard lock{mutex_};
  to_warm_ = segment.mapping;
  changed_.notify_all();
}

void SegmentSupply::remove_retired(Retirement& retirement, std::uint64_t from,
                                   const SegmentHeader& kept) {
  if (!options_.background) {
    while (retirement.remove_next(from, kept)) continue;
    return;
  }
  const std::lock_guard lock{mutex_};
  tasks_.push_back({.retirement = &retirement, .from = from, .kept = kept});
  changed_.notify_all();
}

void SegmentSupply::retire(OpenSegment segment) {
  if (!options_.background) return;
  const std::lock_guard lock{mutex_};
  retired_.push_back(std::move(segment));
  changed_.notify_all();
}

std::optional<DiskError> SegmentSupply::consume_shortage() {
  if (!has_shortage_.load(std::memory_order_relaxed)) return std::nullopt;
  const std::lock_guard lock{mutex_};
  has_shortage_.store(false, std::memory_order_relaxed);
  return std::exchange(shortage_, std::nullopt);
}

void SegmentSupply::close() {
  std::unique_lock lock{mutex_};
  changed_.wait(lock, [this] { return !is_reserving_ && !is_syncing_; });
  const bool is_there = state_ != State::Idle;  // otherwise the file is in use
  state_ = State::Idle;
  ready_ = {};
  if (is_there) remove_from(number_);
  changed_.notify_all();
  changed_.wait_for(lock, kTakingAwayMax, [this] { return tasks_.empty(); });
}

// Removes segments that were not opened; an earlier run may have left several. A file that stays is
// empty, and the next opening uses it, so an error does not matter; but a gap would count as
// damage.
void SegmentSupply::remove_from(std::uint64_t number) {
  std::uint64_t last = number;
  for (;; ++last) {
    const auto next = disk_.open(path_of(last + 1), OpenMode::Read);
    if (next) continue;
    if (next.error().error_number != ENOENT) return;  // it may still exist
    break;
  }
  for (; last > number; --last) {
    if (!disk_.remove(path_of(last)) || !disk_.sync_directory(options_.folder)) return;
  }
  static_cast<void>(disk_.remove(path_of(number)));
}

void SegmentSupply::run() {
  std::unique_lock lock{mutex_};
  while (!ends_) {
    if (to_warm_ || !retired_.empty()) {
      run_task(lock);
    } else if (state_ == State::Wanted) {
      work(lock);
    } else if (!tasks_.empty()) {
      // After the segment, for which the appending thread may wait soon.
      run_task(lock);
    } else if (state_ == State::Failed) {
      const bool is_woken = changed_.wait_for(
          lock, kRetryAfter, [this] { return state_ != State::Failed || has_task(); });
      if (!is_woken) work(lock);
    } else {
      changed_.wait(lock, [this] { return state_ == State::Wanted || has_task(); });
    }
  }
}

// Does one task that no thread waits for, without the lock: a caller that needs a segment makes it
// itself.
void SegmentSupply::run_task(std::unique_lock<std::mutex>& lock) {
  is_away_ = true;
  changed_.notify_all();
  if (to_warm_) {
    std::shared_ptr<File::Mapping> mapping = std::exchange(to_warm_, nullptr);
    lock.unlock();
    mapping->prepare(0, mapping->bytes().size());
    mapping.reset();
    lock.lock();
  } else if (!retired_.empty()) {
    retiring_.swap(retired_);
    lock.unlock();
    forget_retired();
    lock.lock();
  } else {
    // One file a turn: a segment that is requested meanwhile comes first.
    const Task errand = tasks_.front();
    lock.unlock();
    const bool has_more = errand.retirement->remove_next(errand.from, errand.kept);
    lock.lock();
    if (!has_more) tasks_.erase(tasks_.begin());
    if (tasks_.empty()) changed_.notify_all();
  }
  is_away_ = false;
}

// The last closed segments stay in memory, where a resend reads first. Pages that are freed in a
// burst are reused by the next segments, which costs less than new ones. Needs no memory.
void SegmentSupply::forget_retired() {
  for (OpenSegment& segment : retiring_) {
    segment.mapping.reset();
    std::shared_ptr<File>& place = closed_[closed_next_];
    if (place) place->forget_cached();
    place = std::move(segment.file);
    closed_next_ = (closed_next_ + 1) % kCachedSegments;
  }
  retiring_.clear();
}

// Memory that is missing here is an error like any other: it is reported, and tried again.
DiskResult<OpenSegment> SegmentSupply::make_ahead() noexcept {
  try {
    auto first_sync = std::make_shared<PendingSync>();
    DiskResult<OpenSegment> made = make(number_, 0);
    if (!made) return made;
    made->first_sync = std::move(first_sync);
    if (made->mapping) made->mapping->prepare(0, made->reserved_bytes);
    return made;
  } catch (const std::bad_alloc&) {
    return std::unexpected{no_memory()};
  }
}

DiskResult<void> SegmentSupply::sync_ahead(OpenSegment& segment) noexcept {
  try {
    return sync(segment);
  } catch (const std::bad_alloc&) {
    return std::unexpected{no_memory()};
  }
}

// Makes the requested segment, without the lock. It is ready before it is synced: a disk that does
// not answer delays no caller that can do without the sync.
void SegmentSupply::work(std::unique_lock<std::mutex>& lock) {
  const bool had_failed = state_ == State::Failed;
  const auto fail = [&](DiskError error) {
    state_ = State::Failed;
    is_short_.store(true, std::memory_order_relaxed);
    if (had_failed) return;
    shortage_ = std::move(error);
    has_shortage_.store(true, std::memory_order_relaxed);
  };
  const std::uint64_t number = number_;
  is_reserving_ = true;
  lock.unlock();
  DiskResult<OpenSegment> made = make_ahead();
  lock.lock();
  is_reserving_ = false;
  if (!made) {
    fail(std::move(made.error()));
  } else {
    const std::shared_ptr<PendingSync> first_sync = made->first_sync;
    ready_ = *made;
    state_ = State::Ready;
    is_short_.store(false, std::memory_order_relaxed);
    is_syncing_ = true;
    changed_.notify_all();
    lock.unlock();
    DiskResult<void> synced = sync_ahead(*made);
    end_of_sync(*first_sync, synced);  // for a caller that has taken it meanwhile
    lock.lock();
    is_syncing_ = false;
    if (!synced && state_ != State::Ready) {  // it was taken
      unsynced_ = number;
      state_ = State::Idle;
    } else if (state_ == State::Ready) {
      ready_.first_sync = nullptr;
      ready_.is_directory_entry_synced = made->is_directory_entry_synced;
      if (!synced) {
        ready_ = {};
        fail(std::move(synced.error()));
      }
    }
  }
  changed_.notify_all();
}

}  // namespace nexusfix::store
