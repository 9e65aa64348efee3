#include "store/journal/journal_keeper.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <new>
#include <utility>

#include "store/format/journal_format.hpp"
#include "store/journal/journal_lock.hpp"
#include "store/scan/log_walk.hpp"
#include "store/write/log_writer.hpp"

namespace nexusfix::store {
namespace {

// Where no thread goes on trying to note a failure.
constexpr int kTriesAlone = 3;

// Whether a path names nothing; of any other error it is not known what it names.
bool names_nothing(int error) noexcept {
  return error == ENOENT || error == ENOTDIR || error == ELOOP || error == ESTALE;
}

}  // namespace

JournalKeeper::JournalKeeper(Disk& disk, const JournalOptions& options, const Ownership* owner,
                             const LogWriter& writer, LogNotes& notes, EventBox& events)
    : disk_{disk},
      options_{options},
      owner_{owner},
      writer_{writer},
      notes_{notes},
      events_{events},
      has_thread_{options.background && disk.takes_threads()} {}

JournalKeeper::~JournalKeeper() { stop(); }

void JournalKeeper::start(bool notes) {
  puts_notes_ = notes;
  is_running_ = true;
  is_thread_enough_ = has_thread_ && (!notes || writer_.has_committer());
  begun_.reserve(4);
  const std::vector<SegmentHeader>& headers = writer_.segments();
  segments_.reserve(headers.size() + kComparedMax);
  for (std::size_t i = 0; i + 1 < headers.size(); ++i) {
    Watched closed{.number = headers[i].number,
                   .size_bytes = headers[i + 1].position - headers[i].position,
                   .status = {},
                   .file = nullptr};
    if (auto status = disk_.status(path_of_segment(options_.folder, closed.number))) {
      closed.status = *status;
    }
    segments_.push_back(std::move(closed));
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
  is_running_ = false;
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
  if (!is_running_) return;
  Begun begun = newest();
  {
    const std::lock_guard lock{mutex_};
    begun_.push_back(std::move(begun));
    has_news_ = true;
  }
  is_due_ = !is_thread_enough_;
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
  if (is_thread_enough_ || !is_running_) return;
  if (now && !looked_at_) looked_at_ = now;
  const bool is_over = now && (*now < *looked_at_ || *now - *looked_at_ >= options_.watch_interval);
  if (!is_due_ && !is_over) return;
  if (now) looked_at_ = now;
  if (!has_thread_) turn();
  // Of a segment of which the disk has not even the start, later.
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
      // There may be some the next time.
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
  if (is_thread_enough_ && puts_notes_ && !has_alarm() && !is_stop_reported_) {
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
  std::erase_if(segments_, [&](const Watched& one) { return one.number < forgotten_before; });
}

void JournalKeeper::begin(Begun&& begun) {
  if (!segments_.empty() && segments_.back().file) {
    Watched& before = segments_.back();
    // Beyond what was reserved, a thread may not have written all of it yet.
    before.size_bytes = std::min(before.size_bytes, begun.bytes_before);
    before.file.reset();
  }
  if (const auto status = begun.segment.file->status()) begun.segment.status = *status;
  segments_.push_back(std::move(begun.segment));
  starts_.push_back(begun.start);
  if (starts_.size() > 2) starts_.erase(starts_.begin());
}

// For people; nothing: all is as it was.
std::optional<std::string> JournalKeeper::find_conflict() {
  const std::string& folder = options_.folder;
  if (owner_ != nullptr) {
    if (auto found = compare(owner_->folder_file(), folder, 0)) return found;
    if (auto found = compare(owner_->lock_file(), folder + "/lock", 0)) return found;
    if (auto found = compare(owner_->owner_file(), folder + "/owner", kOwnerBytes)) return found;
  }
  const Watched& last = segments_.back();
  const std::string path = path_of_segment(folder, last.number);
  if (auto found = compare(last.file.get(), path, last.size_bytes)) return found;
  return find_conflict_in_closed();
}

std::optional<std::string> JournalKeeper::find_conflict_in_closed() {
  const std::size_t closed = segments_.size() - 1;
  const std::size_t count = std::min(closed, kComparedMax);
  for (std::size_t i = 0; i < count; ++i) {
    next_compared_ = next_compared_ + 1 < closed ? next_compared_ + 1 : 0;
    const Watched& one = segments_[next_compared_];
    if (!one.status) continue;
    const std::uint64_t number = one.number;
    auto found = compare(*one.status, path_of_segment(options_.folder, number), one.size_bytes);
    if (!found) continue;
    // It may have been retired meanwhile: then that was said before its file went.
    take_news();
    if (segments_.front().number > number) return std::nullopt;
    return found;
  }
  return std::nullopt;
}

std::optional<std::string> JournalKeeper::compare(File* open, const std::string& path,
                                                  std::uint64_t size_bytes) {
  if (open == nullptr) return std::nullopt;
  const DiskResult<FileStatus> status = open->status();
  if (!status) return std::nullopt;  // a disk that cannot tell
  if (status->links == 0) return path + " was removed";
  if (status->size_bytes < size_bytes) {
    return path + " was cut to " + std::to_string(status->size_bytes) + " bytes";
  }
  return compare(*status, path, size_bytes);
}

std::optional<std::string> JournalKeeper::compare(const FileStatus& open, const std::string& path,
                                                  std::uint64_t size_bytes) {
  const DiskResult<FileStatus> named = disk_.status(path);
  if (!named) {
    if (!names_nothing(named.error().error_number)) return std::nullopt;
    return path + " is not there any more: it was removed or renamed";
  }
  if (!named->is_same_as(open)) {
    return path + " is another one than is open (inode " + std::to_string(named->inode) +
           " of device " + std::to_string(named->device) + ", open is " +
           std::to_string(open.inode) + " of " + std::to_string(open.device) +
           "): it was replaced or renamed";
  }
  if (named->size_bytes < size_bytes) {
    return path + " was cut to " + std::to_string(named->size_bytes) + " bytes";
  }
  return std::nullopt;
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

// An error of a thread, which the appending one meets with its next record: there may be none for
// long.
void JournalKeeper::look_for_failure() {
  if (!has_thread_ || !writer_.has_failed()) return;
  report_stop(disk_error(options_.folder, writer_.failure()).text);
}

void JournalKeeper::report_stop(const std::string& text) {
  if (std::exchange(is_stop_reported_, true)) return;
  events_.put(EventId::StoreFailed, text);
  if (options_.on_durable.call != nullptr) options_.on_durable.call(options_.on_durable.context);
}

std::optional<LogNote> JournalKeeper::reach() const {
  // Of a committer: nothing else of the writer is a thread's to read.
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
  if (is_thread_enough_) note = reach().value_or(note);
  if (!notes_.put_failure(note)) return;
  const std::lock_guard lock{mutex_};
  is_failure_due_ = false;
}

}  // namespace nexusfix::store
