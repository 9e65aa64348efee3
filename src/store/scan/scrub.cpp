#include "store/scan/scrub.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "store/api/journal_format.hpp"
#include "store/api/segment_reader.hpp"
#include "store/state/checkpoint.hpp"

namespace nexusfix::store {
namespace {

// The kernel keeps the newest segments in its cache: a resend reads them first (SegmentSupply).
constexpr std::size_t kCachedSegments = 3;

}  // namespace

void Scrub::add(const SegmentHeader& header, std::uint64_t end) {
  const std::lock_guard lock{mutex_};
  segments_.push_back({.header = header, .end = end});
}

void Scrub::forget_before(std::uint64_t number) {
  const std::lock_guard lock{mutex_};
  while (!segments_.empty() && segments_.front().header.number < number) segments_.pop_front();
}

void Scrub::restart() {
  const std::lock_guard lock{mutex_};
  for (Segment& segment : segments_) segment.is_read = false;
}

std::optional<std::uint64_t> Scrub::step() {
  if (file_) return read_piece();
  if (!begin_next()) return std::nullopt;
  return open();
}

bool Scrub::begin_next() {
  const std::lock_guard lock{mutex_};
  const auto next = std::find_if(segments_.begin(), segments_.end(),
                                 [](const Segment& segment) { return !segment.is_read; });
  if (next == segments_.end()) return false;
  next->is_read = true;
  current_ = *next;
  current_.stays_cached = static_cast<std::size_t>(segments_.end() - next) <= kCachedSegments;
  return true;
}

bool Scrub::is_listed() {
  const std::lock_guard lock{mutex_};
  return !segments_.empty() && segments_.front().header.number <= current_.header.number;
}

// The header, and the checkpoint after it.
std::uint64_t Scrub::open() {
  damages_ = 0;
  damage_.clear();
  const SegmentHeader& header = current_.header;
  const std::string path = path_of_segment(folder_, header.number);
  DiskResult<std::unique_ptr<File>> file = disk_.open(path, OpenMode::Read);
  if (!file) {
    report_unreadable(file.error());
    return 0;
  }
  // Drops the cached bytes, so that the disk's are read.
  if (!current_.stays_cached) (*file)->forget_cached();
  const DiskResult<std::uint64_t> size = (*file)->size();
  if (!size) {
    report_unreadable(size.error());
    return 0;
  }
  if (*size < current_.end) {
    events_.put(EventId::SegmentCutOff, path + ": cut off at offset " + std::to_string(*size) +
                                            ", while its records end at " +
                                            std::to_string(current_.end) + advice());
    return 0;
  }
  file_ = std::move(*file);
  window_.open(*file_, current_.end);
  const DiskResult<std::span<const char>> bytes =
      window_.view(0, static_cast<std::size_t>(header.records_at()));
  if (!bytes) {
    report_unreadable(bytes.error());
    close();
    return 0;
  }
  const auto found = decode_segment_header(
      bytes->first(std::min<std::size_t>(bytes->size(), kSegmentHeaderBytes)));
  if (!found || found->log_id != header.log_id || found->number != header.number ||
      found->position != header.position || found->records_at() != header.records_at()) {
    ++damages_;
    damage_ = "damaged at offset 0: the segment's header does not check";
  }
  if (header.has_checkpoint() &&
      !checkpoint_checks(header, bytes->subspan(header.header_bytes()))) {
    events_.put(EventId::CheckpointUnreadable,
                checkpoint_fault_text(folder_, header, describe(CheckpointFault::Checksum)) +
                    ". Opening would read more of the log instead, and nothing is lost by it; "
                    "nexusfix journal repair removes it");
  }
  reader_ = SegmentReader{window_, RecordSeed{header}, header.records_at()};
  return header.records_at();
}

std::uint64_t Scrub::read_piece() {
  const std::uint64_t begin = reader_.offset();
  while (reader_.offset() - begin < kPieceBytes) {
    const DiskResult<std::optional<Record>> record = reader_.next();
    if (!record) {
      report_unreadable(record.error());
      close();
      return kPieceBytes;
    }
    if (*record) continue;
    const std::uint64_t read = reader_.offset() - begin;
    if (reader_.fault() != RecordFault::None && pass_damage()) continue;
    report_damages();
    close();
    return read;
  }
  return reader_.offset() - begin;
}

// False: nothing follows it, or enough was found.
bool Scrub::pass_damage() {
  const std::uint64_t from = reader_.offset();
  const RecordSeed seed{current_.header};
  const auto next_valid = find_valid_record(window_, seed, from + 1);
  if (!next_valid) {
    report_unreadable(next_valid.error());
    return false;
  }
  if (++damages_ == 1) {
    damage_ = "damaged at offset " + std::to_string(from) + " (" +
              std::to_string(next_valid->value_or(current_.end) - from) +
              " bytes): " + describe(reader_.fault());
  }
  if (!*next_valid || damages_ == kDamagesMax) return false;
  reader_ = SegmentReader{window_, seed, **next_valid};
  return true;
}

void Scrub::close() {
  if (file_ && !current_.stays_cached) file_->forget_cached();
  file_.reset();
  window_ = {};  // frees it: a large record may have been in it
}

void Scrub::report_unreadable(const DiskError& error) {
  // It was retired in the meantime.
  if (!is_listed()) return;
  events_.put(EventId::SegmentUnreadable, path_of_segment(folder_, current_.header.number) +
                                              ": cannot be read at or after offset " +
                                              std::to_string(file_ ? reader_.offset() : 0) + ": " +
                                              error.what() + advice());
}

void Scrub::report_damages() {
  if (damages_ == 0 || !is_listed()) return;
  std::string text = path_of_segment(folder_, current_.header.number) + ": " + damage_;
  if (damages_ > 1) {
    text += ", and in " + std::to_string(damages_ - 1) +
            (damages_ == kDamagesMax ? " more places at least" : " more places");
  }
  events_.put(EventId::SegmentDamaged, text + advice());
}

std::string Scrub::advice() const {
  return ". This was found by reading the log in the background. Sessions go on: what is intact "
         "can "
         "be sent again, what is damaged is never sent, and a counterparty that asks for it gets a "
         "gap fill. What is lost: nexusfix journal verify " +
         folder_ + "; when the engine has been stopped: nexusfix journal repair " + folder_ +
         " --dry-run";
}

ScrubThread::ScrubThread(Disk& disk, const JournalOptions& options, EventQueue& events)
    : scrub_{disk, options.folder, events},
      events_{events},
      options_{options.scrub},
      wake_{options.on_durable},
      thread_{[this] { run(); }} {}

ScrubThread::~ScrubThread() {
  {
    const std::lock_guard lock{mutex_};
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void ScrubThread::add(const SegmentHeader& header, std::uint64_t end) {
  scrub_.add(header, end);
  {
    const std::lock_guard lock{mutex_};
    has_more_ = true;
  }
  changed_.notify_all();
}

void ScrubThread::run() {
  MonoTime begun = clock_.now().mono;
  std::unique_lock lock{mutex_};
  while (!ends_) {
    has_more_ = false;
    lock.unlock();
    const std::optional<std::uint64_t> read = scrub_.step();
    if (events_.has_any() && wake_.call != nullptr) wake_.call(wake_.context);
    lock.lock();
    if (read) {
      const std::chrono::duration<double> pace{static_cast<double>(*read) /
                                               static_cast<double>(options_.bytes_per_second)};
      changed_.wait_for(lock, pace, [this] { return ends_; });
      continue;
    }
    const auto rest = begun + options_.every - clock_.now().mono;
    const bool is_notified = changed_.wait_for(lock, rest, [this] { return ends_ || has_more_; });
    if (is_notified) continue;
    begun = clock_.now().mono;
    scrub_.restart();
  }
}

void ScrubQueue::offer(std::span<const SegmentHeader> segments, LogPosition written) {
  if (!thread_) return;
  next_end_ = kNumberMax;
  const auto first = std::upper_bound(
      segments.begin(), segments.end(), offered_,
      [](std::uint64_t number, const SegmentHeader& one) { return number < one.number; });
  for (auto at = first; at != segments.end() && at + 1 != segments.end(); ++at) {
    const LogPosition end = (at + 1)->position;
    if (written < end) {
      next_end_ = end;
      return;
    }
    thread_->add(*at, end - at->position);
    offered_ = at->number;
  }
}

}  // namespace nexusfix::store
