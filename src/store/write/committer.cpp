#include "store/write/committer.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace nexusfix::store {

static_assert((Committer::kRingBytes & (Committer::kRingBytes - 1)) == 0,
              "an index is a mask away");

Committer::Committer(Options options, OpenSegment segment, LogPosition segment_begin,
                     LogPosition begin)
    : options_{std::move(options)},
      ring_{options_.writes ? std::make_unique_for_overwrite<char[]>(kRingBytes) : nullptr},
      progress_{.published = begin, .synced = begin, .has_failed = false},
      written_{begin},
      pushed_{begin} {
  parts_.push_back({std::move(segment), segment_begin, begin});
  thread_ = std::thread{[this] { run(); }};
}

Committer::~Committer() {
  {
    const std::lock_guard lock{mutex_};
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Committer::begin_segment(OpenSegment segment, LogPosition begin) {
  const std::lock_guard lock{mutex_};
  parts_.push_back({std::move(segment), begin, begin});
}

std::size_t Committer::room() const noexcept {
  return kRingBytes - static_cast<std::size_t>(pushed_ - written());
}

void Committer::push(std::span<const char> bytes) noexcept {
  const std::size_t at = pushed_ % kRingBytes;
  const std::size_t first = std::min(bytes.size(), kRingBytes - at);
  std::memcpy(ring_.get() + at, bytes.data(), first);
  if (first < bytes.size()) std::memcpy(ring_.get(), &bytes[first], bytes.size() - first);
  pushed_ += bytes.size();
}

void Committer::copy(LogPosition begin, std::span<char> out) const noexcept {
  const std::size_t at = begin % kRingBytes;
  const std::size_t first = std::min(out.size(), kRingBytes - at);
  std::memcpy(out.data(), ring_.get() + at, first);
  if (first < out.size()) std::memcpy(&out[first], ring_.get(), out.size() - first);
}

void Committer::publish_to_write(LogPosition end) noexcept {
  // Sequentially consistent, as is the sleeping thread's flag: one of the two threads sees the
  // other's store.
  progress_.published.store(end);
  if (!sleeps_.load()) return;
  {
    const std::lock_guard lock{mutex_};
  }
  changed_.notify_one();
}

void Committer::request() noexcept {
  // Set even if it was set before: a request that finds everything synced wakes no thread.
  requested_.store(true);
  if (!sleeps_.load()) return;
  {
    const std::lock_guard lock{mutex_};
  }
  changed_.notify_one();
}

void Committer::drain() {
  request();
  std::unique_lock lock{mutex_};
  synced_changed_.wait(lock, [this] {
    return progress_.has_failed.load() || progress_.synced.load() >= progress_.published.load() ||
           ends_;
  });
}

bool Committer::has_work() const noexcept {
  const bool has_unsynced = progress_.published.load() > progress_.synced.load();
  return has_unsynced && !progress_.has_failed.load() && (options_.writes || requested_.load());
}

// Takes only time of the core that no other thread wants. With many threads each yield may take
// some milliseconds: the caller that ends this one must not wait for all of them.
void Committer::linger() const noexcept {
  for (int looks = 0; looks < kLooksMax && !has_work() && !ends_; ++looks) {
    std::this_thread::yield();
  }
}

void Committer::wait_to_write() {
  std::unique_lock lock{mutex_};
  sleeps_.store(true);
  changed_.wait(lock, [this] { return ends_.load() || has_work(); });
  sleeps_.store(false);
  if (options_.gather.count() > 0) {
    changed_.wait_for(lock, options_.gather, [this] { return ends_.load(); });
  }
}

// Waits until a sync is due or requested, and keeps the mapping prepared ahead of the log.
void Committer::wait_to_sync() {
  std::unique_lock lock{mutex_};
  while (!ends_ && !has_work()) {
    const LogPosition published = progress_.published.load();
    const LogPosition unsynced = published - progress_.synced.load();
    const bool has_unsynced = unsynced > 0 && !progress_.has_failed.load();
    const bool is_due = since_sync_ >= options_.interval || unsynced >= kUnsyncedBytesMax;
    if (has_unsynced && is_due) break;
    const auto tick =
        published != seen_ || has_unsynced ? std::min(kTick, options_.interval) : options_.interval;
    seen_ = published;
    sleeps_.store(true);
    changed_.wait_for(lock, tick, [this] { return ends_.load() || has_work(); });
    sleeps_.store(false);
    since_sync_ += tick;
    lock.unlock();
    prepare_ahead();
    lock.lock();
  }
  since_sync_ = std::chrono::milliseconds{0};
}

// Pages that were written to the disk, by a sync or by the kernel, are read-only, and the next
// store to them traps. So the pages after the log's end are prepared again and again.
void Committer::prepare_ahead() noexcept {
  const LogPosition end = progress_.published.load(std::memory_order_acquire);
  if (end + kPreparedBytes / 2 <= prepared_) return;
  std::shared_ptr<File::Mapping> mapping;
  LogPosition begin = 0;
  {
    const std::lock_guard lock{mutex_};
    mapping = parts_.back().segment.mapping;
    begin = parts_.back().segment_begin;
  }
  if (mapping && end >= begin) mapping->prepare(end - begin, kPreparedBytes);
  prepared_ = end + kPreparedBytes;
}

void Committer::run() {
  for (;;) {
    if (!options_.writes) {
      wait_to_sync();
    } else if (!has_work()) {
      if (options_.lingers) linger();
      wait_to_write();
    }
    {
      const std::lock_guard lock{mutex_};
      if (ends_) return;
    }
    if (progress_.has_failed.load()) continue;
    requested_.store(false);
    const LogPosition end = progress_.published.load();
    if (end > progress_.synced.load()) {
      if (auto done = commit(end); !done) {
        failure_ = std::move(done.error());
        progress_.has_failed.store(true);
      } else {
        progress_.synced.store(end);
      }
      notify();
    }
  }
}

void Committer::notify() noexcept {
  {
    const std::lock_guard lock{mutex_};
  }
  synced_changed_.notify_all();
  if (wake_wanted_.exchange(false) && options_.wake.call != nullptr) {
    options_.wake.call(options_.wake.context);
  }
}

DiskResult<void> Committer::commit(LogPosition end) {
  for (;;) {
    // The first part stays where it is while others are added after it.
    Part* part = nullptr;
    LogPosition part_end = end;
    bool is_over = false;
    {
      const std::lock_guard lock{mutex_};
      part = &parts_.front();
      is_over = parts_.size() > 1 && parts_[1].begin <= end;
      if (is_over) part_end = parts_[1].begin;
    }
    const LogPosition begin = std::max(part->begin, written_.load(std::memory_order_relaxed));
    if (options_.writes && part_end > begin) {
      if (auto written = write(*part, begin, part_end); !written) return written;
    }
    written_.store(part_end, std::memory_order_release);
    if (part_end > progress_.synced.load(std::memory_order_relaxed)) {
      if (const auto first = std::exchange(part->segment.first_sync, nullptr)) {
        if (auto ended = first->wait(); !ended) return ended;
      }
      if (auto synced = sync(*part, part_end); !synced) return synced;
      if (!part->segment.is_directory_entry_synced) {
        if (auto named = options_.disk->sync_directory(options_.folder); !named) return named;
        part->segment.is_directory_entry_synced = true;
      }
    }
    if (!is_over) {
      prepared_ = 0;
      prepare_ahead();
      return {};
    }
    const std::lock_guard lock{mutex_};
    parts_.pop_front();
  }
}

// Syncs only what was appended to a mapping: the zeros after it need not be written.
DiskResult<void> Committer::sync(const Part& part, LogPosition end) {
  if (options_.writes || !part.segment.mapping) return part.segment.file->sync();
  const LogPosition begin = std::max(part.begin, progress_.synced.load(std::memory_order_relaxed));
  return part.segment.file->sync_mapped(*part.segment.mapping, begin - part.segment_begin,
                                        end - begin);
}

DiskResult<void> Committer::write(const Part& part, LogPosition begin, LogPosition end) {
  while (begin < end) {
    const std::size_t at = begin % kRingBytes;
    const std::size_t count = std::min<std::size_t>(kRingBytes - at, end - begin);
    auto written =
        part.segment.file->write_at(begin - part.segment_begin, std::span{ring_.get() + at, count});
    if (!written) return written;
    begin += count;
  }
  return {};
}

}  // namespace nexusfix::store
