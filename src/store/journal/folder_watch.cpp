#include "store/journal/folder_watch.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "store/api/journal_format.hpp"
#include "store/recover/recovery.hpp"
#include "store/write/log_writer.hpp"

namespace nexusfix::store {
namespace {

// If no thread goes on trying to record a failure.
constexpr int kTriesAlone = 3;

}  // namespace

FolderWatch::FolderWatch(Disk& disk, const JournalOptions& options, const Ownership* owner,
                         const LogWriter& writer, TailMarkerWriter& markers, EventQueue& events)
    : options_{options},
      writer_{writer},
      markers_{markers},
      events_{events},
      has_thread_{options.background && disk.takes_threads()},
      comparison_{disk, options.folder, owner} {}

FolderWatch::~FolderWatch() { stop(); }

void FolderWatch::start(bool marks_tail) {
  marks_tail_ = marks_tail;
  const bool is_thread_enough = has_thread_ && (!marks_tail || writer_.has_committer());
  watcher_ = is_thread_enough ? Watcher::Thread : Watcher::Caller;
  opened_.reserve(4);
  const std::vector<SegmentHeader>& headers = writer_.segments();
  comparison_.reserve(headers.size());
  for (std::size_t i = 0; i + 1 < headers.size(); ++i) {
    comparison_.add_closed(headers[i].number, headers[i + 1].position - headers[i].position);
  }
  add_opened(opened_segment());
  is_due_ = false;
  if (has_thread_) thread_ = std::thread{[this] { run(); }};
}

void FolderWatch::stop() {
  {
    const std::lock_guard lock{mutex_};
    ends_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
  watcher_ = Watcher::None;
}

FolderWatch::OpenedSegment FolderWatch::opened_segment() const {
  const std::vector<SegmentHeader>& headers = writer_.segments();
  const SegmentHeader& last = headers.back();
  const OpenSegment& open = writer_.current();
  const std::uint64_t bytes = std::max(options_.segment_bytes, open.reserved_bytes);
  return {.segment = {.number = last.number,
                      .size_bytes = open.reserved_bytes,
                      .status = {},
                      .file = open.file},
          .start = {.segment = last.number,
                    .position = last.position + last.records_at(),
                    .segment_bytes = bytes},
          .bytes_before = headers.size() > 1 ? last.position - (&last - 1)->position : 0};
}

void FolderWatch::on_segment_opened() {
  if (watcher_ == Watcher::None) return;
  OpenedSegment opened = opened_segment();
  {
    const std::lock_guard lock{mutex_};
    opened_.push_back(std::move(opened));
    has_changes_ = true;
  }
  is_due_ = watcher_ == Watcher::Caller;
  changed_.notify_all();
}

void FolderWatch::forget_before(std::uint64_t number) {
  const std::lock_guard lock{mutex_};
  forgotten_before_ = std::max(forgotten_before_, number);
}

std::string FolderWatch::conflict_text() const {
  const std::lock_guard lock{mutex_};
  return conflict_;
}

void FolderWatch::record_failure() {
  if (!marks_tail_) return;
  {
    const std::lock_guard lock{mutex_};
    is_failure_due_ = true;
    has_changes_ = true;
  }
  changed_.notify_all();
  for (int tries = 0; tries < kTriesAlone && !has_thread_ && is_failure_due_; ++tries) {
    put_failure();
  }
}

void FolderWatch::check(std::optional<WallTime> now) {
  if (watcher_ != Watcher::Caller) return;
  if (now && !checked_at_) checked_at_ = now;
  const bool is_over =
      now && (*now < *checked_at_ || *now - *checked_at_ >= options_.watch_interval);
  if (!is_due_ && !is_over) return;
  if (now) checked_at_ = now;
  if (!has_thread_) turn();
  // If the disk has not even the segment's start, it is due again later.
  const std::optional<TailMarker> marker =
      marks_tail_ && !has_conflict() ? writer_.tail_marker() : std::nullopt;
  if (marker) markers_.put(*marker);
  is_due_ = marks_tail_ && !marker;
}

void FolderWatch::run() {
  std::unique_lock lock{mutex_};
  for (bool is_last = false; !is_last;) {
    changed_.wait_for(lock, options_.watch_interval, [this] { return ends_ || has_changes_; });
    has_changes_ = false;
    is_last = ends_;
    const bool must_look = !ends_ || is_failure_due_;
    lock.unlock();
    try {
      if (must_look) turn();
    } catch (const std::bad_alloc&) {
      // There may be memory the next time.
    }
    lock.lock();
  }
}

void FolderWatch::turn() {
  add_opened_segments();
  check_writer();
  if (!has_conflict()) {
    if (auto conflict = find_conflict()) stop_for(*conflict);
  }
  if (watcher_ == Watcher::Thread && marks_tail_ && !has_conflict() && !is_stop_reported_) {
    if (const std::optional<TailMarker> marker = tail_marker()) markers_.put(*marker);
  }
  put_failure();
}

void FolderWatch::add_opened_segments() {
  std::vector<OpenedSegment> opened;
  std::uint64_t forgotten_before = 0;
  {
    const std::lock_guard lock{mutex_};
    opened.swap(opened_);
    opened_.reserve(4);
    forgotten_before = forgotten_before_;
  }
  for (OpenedSegment& one : opened) add_opened(std::move(one));
  comparison_.forget_before(forgotten_before);
}

void FolderWatch::add_opened(OpenedSegment&& opened) {
  comparison_.add_open(std::move(opened.segment), opened.bytes_before);
  starts_.push_back(opened.start);
  if (starts_.size() > 2) starts_.erase(starts_.begin());
}

std::optional<std::string> FolderWatch::find_conflict() {
  auto conflict = comparison_.find_conflict();
  const std::uint64_t closed = comparison_.conflicting_segment();
  if (!conflict || closed == 0) return conflict;
  // It may have been retired meanwhile: forget_before() is called before its file is removed.
  add_opened_segments();
  return comparison_.holds(closed) ? conflict : std::nullopt;
}

void FolderWatch::stop_for(const std::string& conflict) {
  const std::string text =
      "journal " + options_.folder + ": " + conflict +
      ". What is appended would not be found by the next start, so the store stops. Put back what "
      "was there, as it is now, before this engine is started again";
  {
    const std::lock_guard lock{mutex_};
    conflict_ = text;
    if (marks_tail_) is_failure_due_ = true;
  }
  has_conflict_.store(true, std::memory_order_release);
  report_stop(text);
}

// An error of the committer thread. The appending thread meets it with its next record, which may
// come late.
void FolderWatch::check_writer() {
  if (!has_thread_ || !writer_.has_failed()) return;
  report_stop(disk_error(options_.folder, writer_.failure()).text);
}

void FolderWatch::report_stop(const std::string& text) {
  if (std::exchange(is_stop_reported_, true)) return;
  events_.put(EventId::StoreFailed, text);
  if (options_.on_durable.call != nullptr) options_.on_durable.call(options_.on_durable.context);
}

std::optional<TailMarker> FolderWatch::tail_marker() const {
  // Only the committer's progress: a thread may read nothing else of the writer.
  const LogWriter::Progress progress = writer_.progress();
  for (auto start = starts_.rbegin(); start != starts_.rend(); ++start) {
    if (progress.synced < start->position) continue;
    TailMarker marker = *start;
    marker.position = progress.synced;
    marker.written = progress.in_files;
    return marker;
  }
  return std::nullopt;
}

void FolderWatch::put_failure() {
  {
    const std::lock_guard lock{mutex_};
    if (!is_failure_due_) return;
  }
  TailMarker marker;
  if (watcher_ == Watcher::Thread) marker = tail_marker().value_or(marker);
  if (!markers_.put_failure(marker)) return;
  const std::lock_guard lock{mutex_};
  is_failure_due_ = false;
}

}  // namespace nexusfix::store
