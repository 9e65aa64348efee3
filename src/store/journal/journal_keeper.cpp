#include "store/journal/journal_keeper.hpp"

#include <algorithm>
#include <chrono>
#include <new>
#include <utility>

#include "store/format/journal_format.hpp"
#include "store/recover/recovery.hpp"
#include "store/write/log_writer.hpp"

namespace nexusfix::store {
namespace {

// If no thread goes on trying to record a failure.
constexpr int kTriesAlone = 3;

}  // namespace

JournalKeeper::JournalKeeper(Disk& disk, const JournalOptions& options, const Ownership* owner,
                             const LogWriter& writer, LogNotes& notes, EventBox& events)
    : options_{options},
      writer_{writer},
      notes_{notes},
      events_{events},
      has_thread_{options.background && disk.takes_threads()},
      comparison_{disk, options.folder, owner} {}

JournalKeeper::~JournalKeeper() { stop(); }

void JournalKeeper::start(bool notes) {
  puts_notes_ = notes;
  const bool is_thread_enough = has_thread_ && (!notes || writer_.has_committer());
  watcher_ = is_thread_enough ? Watcher::Thread : Watcher::Caller;
  begun_.reserve(4);
  const std::vector<SegmentHeader>& headers = writer_.segments();
  comparison_.reserve(headers.size());
  for (std::size_t i = 0; i + 1 < headers.size(); ++i) {
    comparison_.add_closed(headers[i].number, headers[i + 1].position - headers[i].position);
  }
  begin(newest());
  is_due_ = false;
  if (has_thread_) thread_ = std::thread{[this] { run(); }};
}

void JournalKeeper::stop() {
  {
    const std::lock_guard lock{mutex_};
    ends_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
  watcher_ = Watcher::None;
}

JournalKeeper::Begun JournalKeeper::newest() const {
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

void JournalKeeper::segment_begun() {
  if (watcher_ == Watcher::None) return;
  Begun begun = newest();
  {
    const std::lock_guard lock{mutex_};
    begun_.push_back(std::move(begun));
    has_news_ = true;
  }
  is_due_ = watcher_ == Watcher::Caller;
  changed_.notify_all();
}

void JournalKeeper::forget_before(std::uint64_t number) {
  const std::lock_guard lock{mutex_};
  forgotten_before_ = std::max(forgotten_before_, number);
}

std::string JournalKeeper::alarm() const {
  const std::lock_guard lock{mutex_};
  return alarm_;
}

void JournalKeeper::note_failure() {
  if (!puts_notes_) return;
  {
    const std::lock_guard lock{mutex_};
    is_failure_due_ = true;
    has_news_ = true;
  }
  changed_.notify_all();
  for (int tries = 0; tries < kTriesAlone && !has_thread_ && is_failure_due_; ++tries) {
    put_failure();
  }
}

void JournalKeeper::look(std::optional<WallTime> now) {
  if (watcher_ != Watcher::Caller) return;
  if (now && !looked_at_) looked_at_ = now;
  const bool is_over = now && (*now < *looked_at_ || *now - *looked_at_ >= options_.watch_interval);
  if (!is_due_ && !is_over) return;
  if (now) looked_at_ = now;
  if (!has_thread_) turn();
  // If the disk has not even the segment's start, it is due again later.
  const std::optional<LogNote> note = puts_notes_ && !has_alarm() ? writer_.reach() : std::nullopt;
  if (note) notes_.put(*note);
  is_due_ = puts_notes_ && !note;
}

void JournalKeeper::run() {
  std::unique_lock lock{mutex_};
  for (bool is_last = false; !is_last;) {
    changed_.wait_for(lock, options_.watch_interval, [this] { return ends_ || has_news_; });
    has_news_ = false;
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

void JournalKeeper::turn() {
  take_news();
  look_for_failure();
  if (!has_alarm()) {
    if (auto conflict = find_conflict()) raise(*conflict);
  }
  if (watcher_ == Watcher::Thread && puts_notes_ && !has_alarm() && !is_stop_reported_) {
    if (const std::optional<LogNote> note = reach()) notes_.put(*note);
  }
  put_failure();
}

void JournalKeeper::take_news() {
  std::vector<Begun> begun;
  std::uint64_t forgotten_before = 0;
  {
    const std::lock_guard lock{mutex_};
    begun.swap(begun_);
    begun_.reserve(4);
    forgotten_before = forgotten_before_;
  }
  for (Begun& one : begun) begin(std::move(one));
  comparison_.forget_before(forgotten_before);
}

void JournalKeeper::begin(Begun&& begun) {
  comparison_.add_open(std::move(begun.segment), begun.bytes_before);
  starts_.push_back(begun.start);
  if (starts_.size() > 2) starts_.erase(starts_.begin());
}

std::optional<std::string> JournalKeeper::find_conflict() {
  auto conflict = comparison_.find_conflict();
  const std::uint64_t closed = comparison_.conflicting_segment();
  if (!conflict || closed == 0) return conflict;
  // It may have been retired meanwhile: forget_before() is called before its file is removed.
  take_news();
  return comparison_.holds(closed) ? conflict : std::nullopt;
}

void JournalKeeper::raise(const std::string& conflict) {
  const std::string text =
      "journal " + options_.folder + ": " + conflict +
      ". What is appended would not be found by the next start, so the store stops. Put back what "
      "was there, as it is now, before this engine is started again";
  {
    const std::lock_guard lock{mutex_};
    alarm_ = text;
    if (puts_notes_) is_failure_due_ = true;
  }
  has_alarm_.store(true, std::memory_order_release);
  report_stop(text);
}

// An error of the committer thread. The appending thread meets it with its next record, which may
// come late.
void JournalKeeper::look_for_failure() {
  if (!has_thread_ || !writer_.has_failed()) return;
  report_stop(disk_error(options_.folder, writer_.failure()).text);
}

void JournalKeeper::report_stop(const std::string& text) {
  if (std::exchange(is_stop_reported_, true)) return;
  events_.put(StoreEvent::Level::Stopped, text);
  if (options_.on_durable.call != nullptr) options_.on_durable.call(options_.on_durable.context);
}

std::optional<LogNote> JournalKeeper::reach() const {
  // Only the committer's progress: a thread may read nothing else of the writer.
  const LogWriter::Progress progress = writer_.progress();
  for (auto start = starts_.rbegin(); start != starts_.rend(); ++start) {
    if (progress.synced < start->position) continue;
    LogNote note = *start;
    note.position = progress.synced;
    note.written = progress.in_files;
    return note;
  }
  return std::nullopt;
}

void JournalKeeper::put_failure() {
  {
    const std::lock_guard lock{mutex_};
    if (!is_failure_due_) return;
  }
  LogNote note;
  if (watcher_ == Watcher::Thread) note = reach().value_or(note);
  if (!notes_.put_failure(note)) return;
  const std::lock_guard lock{mutex_};
  is_failure_due_ = false;
}

}  // namespace nexusfix::store
