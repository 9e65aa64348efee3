#include "store/write/log_writer.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <utility>

#include <nexusfix/base/language.hpp>

namespace nexusfix::store {
namespace {

// Appended bytes collect here until flush(). If the caller does not flush, they are written in
// pieces of this size (but are not durable), so that memory stays bounded.
constexpr std::size_t kPendingBytesMax = 1U << 20U;

// The bytes that may wait, beside the ring, for a disk that does not answer.
constexpr std::size_t kStalledBytesMax = 256U << 20U;

// A journal reaches 64 GiB before the list of its segments grows.
constexpr std::size_t kSegmentsReserved = 1024;

// The end of a segment, in which the next checkpoint is drafted: about a thousand records. A
// session that appends meanwhile is encoded again.
std::uint64_t draft_bytes(std::uint64_t segment_bytes) {
  return std::min<std::uint64_t>(256U << 10U, segment_bytes / 4);
}

bool is_mapped(Durability durability) {
  return durability == Durability::Process || durability == Durability::None;
}

// With threads. A caller that syncs each record and gives no wake callback waits in flush(): it can
// sync there.
bool is_ringed(const JournalOptions& options) {
  return options.durability == Durability::Group ||
         (options.durability == Durability::Sync && options.on_durable.call != nullptr);
}

SegmentSupply::Options supply_options(const JournalOptions& options, const Ownership* owner,
                                      bool background) {
  const bool has_committer =
      background && (options.durability == Durability::Process || is_ringed(options));
  return {.folder = options.folder,
          .segment_bytes = options.segment_bytes,
          .maps = is_mapped(options.durability),
          .syncs_directory_entries = options.durability != Durability::None,
          .syncs_zeros = !is_mapped(options.durability),
          .leaves_syncs = has_committer,
          .background = background,
          .owner = owner};
}

}  // namespace

LogWriter::LogWriter(Disk& disk, const JournalOptions& options, const Ownership* owner,
                     Checkpointer& checkpointer)
    : disk_{disk},
      options_{options},
      checkpointer_{checkpointer},
      background_{options.background && disk.takes_threads()},
      supply_{disk, supply_options(options, owner, background_)} {}

StoreResult<void> LogWriter::open(Recovered& recovered, std::uint64_t owner_epoch,
                                  std::span<const char> last_entries, WallTime now) {
  segments_ = std::move(recovered.segments);
  segments_.reserve(segments_.size() + kSegmentsReserved);
  const std::int64_t log_id =
      segments_.empty() ? now.time_since_epoch().count() : segments_.front().log_id;
  stamp_ = SegmentStamp{log_id, owner_epoch, recovered.boot_id, options_};
  appended_ = segments_.empty() ? 0 : segments_.back().position + recovered.file_bytes;
  records_ = recovered.records;
  is_closed_ = recovered.is_closed;
  own_progress_.synced = recovered.synced;
  pending_.reserve(kPendingBytesMax);
  if (!last_entries.empty()) {
    current_.file = std::move(recovered.file);
    place_.begin = segments_.back().position;
    seed_ = RecordSeed{segments_.back()};
    if (!append(last_entries, {}, now)) return std::unexpected{mapping_failure()};
    if (auto written = write_pending(); !written) return written;
    if (auto synced = current_.file->sync(); !synced) return failure(synced.error());
    own_progress_.synced = appended_;
  }
  const bool goes_on = !segments_.empty() && last_entries.empty() && !recovered.report.power_lost &&
                       stamp_.may_append_to(segments_.back());
  if (!goes_on) {
    const std::uint64_t number = segments_.empty() ? 1 : segments_.back().number + 1;
    if (auto begun = begin_segment(number, 0, now); !begun) return begun;
    if (auto synced = sync_all(); !synced) return synced;
    if (options_.durability != Durability::None) {
      if (auto named = disk_.sync_directory(options_.folder); !named) {
        return failure(named.error());
      }
      current_.is_directory_entry_synced = true;
    }
  } else {
    auto reopened = supply_.reopen(std::move(recovered.file), recovered.file_bytes);
    if (!reopened) return failure(reopened.error());
    set_current(std::move(*reopened));
  }
  supply_.warm(current_);
  prepare_next();
  start_committer(synced());
  return {};
}

void LogWriter::open_read_only(Recovered& recovered) {
  segments_ = std::move(recovered.segments);
  current_.file = std::move(recovered.file);
  appended_ = segments_.back().position + recovered.file_bytes;
  own_progress_.synced = appended_;
}

void LogWriter::start_committer(LogPosition begin) {
  const bool writes = is_ringed(options_);
  const bool syncs = options_.durability == Durability::Process && place_.mapped != nullptr;
  if (!background_ || (!writes && !syncs)) return;
  const bool gathers = options_.durability == Durability::Group;
  committer_ = std::make_unique<Committer>(
      Committer::Options{.writes = writes,
                         .lingers = options_.durability == Durability::Sync,
                         .gather = gathers ? options_.group_wait : std::chrono::microseconds{0},
                         .interval = options_.sync_interval,
                         .wake = options_.on_durable,
                         .disk = &disk_,
                         .folder = options_.folder},
      current_, segments_.back().position, begin);
  progress_ = &committer_->progress();
}

StoreResult<void> LogWriter::make_room(std::uint64_t record_bytes, WallTime now) {
  if (committer_ && committer_->has_failed()) return failure(committer_->failure());
  const SegmentHeader& segment = segments_.back();
  const std::uint64_t used = appended_ - segment.position;
  // A record larger than a segment gets a segment for itself.
  const std::uint64_t room = current_.reserved_bytes > 0 && place_.mapped != nullptr
                                 ? current_.reserved_bytes
                                 : options_.segment_bytes;
  const bool has_records = used > segment.records_at();
  if (used + record_bytes > room && (has_records || place_.mapped != nullptr)) {
    if (place_.mapped != nullptr || !committer_ || directory_entry_synced())
      return roll(record_bytes, now);
    // The segment grows until it is.
    if (auto pushed = push_pending(); !pushed) return pushed;
  }
  draft_checkpoint(used, room);
  if (place_.mapped != nullptr || pending_.empty()) return {};
  if (pending_.size() + record_bytes <= kPendingBytesMax) return {};
  if (!committer_) return write_pending();
  if (auto pushed = push_pending(); !pushed) return pushed;
  if (pending_.size() + record_bytes <= kStalledBytesMax) return {};
  return failure(DiskError{.path = options_.folder,
                           .operation = "wait for more than " +
                                        std::to_string(kStalledBytesMax >> 20U) + " MiB to reach",
                           .error_number = ETIMEDOUT});
}

void LogWriter::reserve(std::uint64_t record_bytes) {
  if (place_.mapped != nullptr) return;
  const auto needed = pending_.size() + static_cast<std::size_t>(record_bytes);
  if (needed > pending_.capacity()) pending_.reserve(std::max(needed, 2 * pending_.capacity()));
}

// Drafts a share with each record, so that no append has much of the work.
void LogWriter::draft_checkpoint(std::uint64_t used, std::uint64_t room) {
  const std::uint64_t left = room - std::min(room, used);
  const std::uint64_t whole = draft_bytes(room);
  if (left < whole) checkpointer_.draft(whole - left, whole);
}

void LogWriter::forget_segments(std::size_t count) {
  segments_.erase(segments_.begin(), segments_.begin() + static_cast<std::ptrdiff_t>(count));
}

std::optional<TailMarker> LogWriter::tail_marker() const noexcept {
  const SegmentHeader& segment = segments_.back();
  const LogPosition reached = synced();
  if (options_.durability == Durability::None) return std::nullopt;
  if (reached < segment.position + segment.records_at()) return std::nullopt;
  return TailMarker{.segment = segment.number,
                    .position = reached,
                    .segment_bytes = std::max(options_.segment_bytes, current_.reserved_bytes),
                    .written = reached};
}

std::uint64_t LogWriter::room_left() const noexcept {
  const std::uint64_t used = appended_ - segments_.back().position;
  return options_.segment_bytes - std::min(options_.segment_bytes, used);
}

// Closes the segment and opens the next. A plain writer syncs the rest of the old one here; a
// committer does it in the background.
StoreResult<void> LogWriter::roll(std::uint64_t record_bytes, WallTime now) {
  if (!committer_) {
    if (auto written = write_pending(); !written) return written;
    if (options_.durability != Durability::None) {
      if (auto synced = sync_written(); !synced) return synced;
    }
  } else if (!directory_entry_synced()) {
    committer_->drain();
    if (committer_->has_failed()) return failure(committer_->failure());
  }
  OpenSegment old = std::move(current_);
  auto begun = begin_segment(segments_.back().number + 1, record_bytes, now);
  supply_.retire(std::move(old));
  if (!begun) return begun;
  prepare_next();
  if (!is_next_wanted_) request_sync();
  return {};
}

// After a loss of power a segment must not exist without the one before it: that would count as
// damage.
bool LogWriter::directory_entry_synced() const noexcept {
  return current_.is_directory_entry_synced || options_.durability == Durability::None ||
         synced() > segments_.back().position ||
         (current_.first_sync && current_.first_sync->has_succeeded());
}

void LogWriter::prepare_next() {
  // The supply prepares nothing after a segment whose first sync has not succeeded.
  if (is_next_wanted_ || (!current_.first_sync && !directory_entry_synced())) return;
  is_next_wanted_ = true;
  if (current_.reserved_bytes > 0) supply_.prepare(segments_.back().number + 1);
}

StoreResult<void> LogWriter::begin_segment(std::uint64_t number, std::uint64_t record_bytes,
                                           WallTime now) {
  SegmentHeader header = stamp_.header(number, appended_, synced(), now);
  start_.resize(kSegmentHeaderBytes);
  checkpointer_.append(start_, header, records_, is_closed_);
  header.start_bytes = static_cast<std::uint32_t>(start_.size());
  encode_segment_header(header, std::span{start_}.first<kSegmentHeaderBytes>());
  DiskResult<OpenSegment> taken = supply_.take(number, start_.size() + record_bytes);
  if (!taken) return failure(taken.error());
  if (header.has_checkpoint()) checkpointer_.on_written(appended_, appended_ + start_.size());
  segments_.push_back(header);
  set_current(std::move(*taken));
  if (committer_) committer_->begin_segment(current_, appended_);
  return put_start(start_);
}

// Sets what follows from the last header.
void LogWriter::set_current(OpenSegment segment) {
  current_ = std::move(segment);
  is_next_wanted_ = false;
  place_.begin = segments_.back().position;
  place_.mapped = current_.mapping ? current_.mapping->bytes().data() : nullptr;
  place_.failed = current_.mapping ? &current_.mapping->failed() : nullptr;
  const std::uint64_t room = current_.reserved_bytes;
  place_.fast_end = place_.mapped == nullptr ? 0 : place_.begin + room - draft_bytes(room);
  seed_ = RecordSeed{segments_.back()};
  update_durable_at_once();
}

// The header goes first: if the process ends before the checkpoint is whole, opening sees that.
StoreResult<void> LogWriter::put_start(std::span<const char> bytes) {
  appended_ += bytes.size();
  if (place_.mapped == nullptr) {
    pending_.insert(pending_.end(), bytes.begin(), bytes.end());
    return {};
  }
  std::copy_n(bytes.begin(), kSegmentHeaderBytes, place_.mapped);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  std::copy(bytes.begin() + kSegmentHeaderBytes, bytes.end(), place_.mapped + kSegmentHeaderBytes);
  if (mapping_failed()) return std::unexpected{mapping_failure()};
  progress_->published.store(appended_, std::memory_order_release);
  return {};
}

bool LogWriter::append(std::span<const char> entries, std::span<const char> more_entries,
                       WallTime now) {
  is_closed_ = false;
  if (place_.mapped == nullptr) return append_pending(entries, more_entries, now);
  update_durable_at_once();
  const std::uint64_t offset = appended_ - place_.begin;
  const std::uint64_t record_bytes = kRecordHeaderBytes + entries.size() + more_entries.size();
  NEXUSFIX_DEBUG_ASSERT(offset + record_bytes <= current_.reserved_bytes);
  prefetch(offset, record_bytes);
  encode_record_in_pieces(place_.mapped + offset, seed_, offset, now, entries, more_entries);
  return publish_mapped(appended_ + record_bytes);
}

bool LogWriter::append_pending(std::span<const char> entries, std::span<const char> more_entries,
                               WallTime now) {
  append_record(pending_, seed_, appended_ - place_.begin, now, entries, more_entries);
  ++records_;
  appended_ += kRecordHeaderBytes + entries.size() + more_entries.size();
  return true;
}

LogPosition LogWriter::find_plain_until() const noexcept {
  if (place_.mapped != nullptr) return place_.fast_end;
  const std::uint64_t room = options_.segment_bytes;
  const LogPosition pending_begin = appended_ - pending_.size();
  return std::min(place_.begin + room - draft_bytes(room), pending_begin + kPendingBytesMax);
}

void LogWriter::require_sync(LogPosition begin) noexcept {
  hold_.add(begin, appended_, synced());
  update_durable_at_once();
  request_sync();
}

void LogWriter::request_sync() noexcept {
  if (committer_) committer_->request();
}

// A hold begins in require_sync(), and ends when the disk has it.
void LogWriter::update_durable_at_once() noexcept {
  is_durable_at_once_ = place_.mapped != nullptr && !hold_.is_active(synced());
}

LogPosition LogWriter::find_durable() const noexcept {
  switch (options_.durability) {
    case Durability::None:
      return written();
    case Durability::Process:
      return hold_.durable(written(), synced());
    case Durability::Group:
    case Durability::Sync:
      break;
  }
  return synced();
}

StoreResult<void> LogWriter::flush() {
  if (!is_next_wanted_) prepare_next();
  update_durable_at_once();
  if (committer_) {
    if (committer_->has_failed()) return failure(committer_->failure());
    if (durable() == appended_) return {};
    // First of all: a committer that is done with all that is in the ring wakes no thread before it
    // has more, and not all that is pending may fit.
    committer_->want_wake();
    if (options_.durability == Durability::Process) committer_->request();
    // It may have failed before the wake was requested, and have woken no thread.
    if (committer_->has_failed()) return failure(committer_->failure());
    return is_ringed(options_) ? push_pending() : StoreResult<void>{};
  }
  if (auto written = write_pending(); !written) return written;
  if (place_.mapped != nullptr && mapping_failed()) return std::unexpected{mapping_failure()};
  const bool syncs = options_.durability == Durability::Group ||
                     options_.durability == Durability::Sync ||
                     (options_.durability == Durability::Process && hold_.is_active(synced()));
  return syncs ? sync_written() : StoreResult<void>{};
}

StoreResult<void> LogWriter::write_pending() {
  if (pending_.empty()) return {};
  const LogPosition begin = appended_ - pending_.size();
  auto written = current_.file->write_at(begin - segments_.back().position, pending_);
  if (!written) return failure(written.error());
  pending_.clear();
  return {};
}

StoreResult<void> LogWriter::sync_written() {
  if (synced() == written()) return {};
  if (const auto first = std::exchange(current_.first_sync, nullptr)) {
    if (auto ended = first->wait(); !ended) return failure(ended.error());
  }
  if (auto synced = current_.file->sync(); !synced) return failure(synced.error());
  if (!current_.is_directory_entry_synced) {
    if (auto named = disk_.sync_directory(options_.folder); !named) return failure(named.error());
    current_.is_directory_entry_synced = true;
  }
  own_progress_.synced = written();
  return {};
}

// As much as the ring takes, in whole records: then the ring can be read like a file.
StoreResult<void> LogWriter::push_pending() {
  if (pending_.empty()) return {};
  std::size_t count = pending_.size();
  if (count > committer_->room()) count = whole_records(committer_->room());
  if (count == 0) {
    // One record alone may be larger than the ring.
    const auto first = static_cast<std::size_t>(unit_bytes(0));
    if (first <= Committer::kRingBytes) return {};
    if (auto pushed = push_in_pieces(first); !pushed) return pushed;
    return push_pending();
  }
  committer_->push(std::span{pending_}.first(count));
  pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(count));
  committer_->publish(appended_ - pending_.size());
  return {};
}

// Puts the first pending bytes through the ring piece by piece, and waits until the files have
// them.
StoreResult<void> LogWriter::push_in_pieces(std::size_t count) {
  const LogPosition end = appended_ - pending_.size() + count;
  committer_->drain();
  for (std::span<const char> rest = std::span{pending_}.first(count); !rest.empty();) {
    if (committer_->has_failed()) return failure(committer_->failure());
    const std::size_t piece = std::min(rest.size(), committer_->room());
    committer_->push(rest.first(piece));
    rest = rest.subspan(piece);
    committer_->publish(end - rest.size());
    committer_->drain();
  }
  if (committer_->has_failed()) return failure(committer_->failure());
  pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(count));
  return {};
}

// The size of the record, or start of a segment, at this offset of the pending bytes.
std::uint64_t LogWriter::unit_bytes(std::size_t offset) const noexcept {
  const LogPosition position = appended_ - pending_.size() + offset;
  const auto segment = std::ranges::lower_bound(segments_, position, {}, &SegmentHeader::position);
  if (segment != segments_.end() && segment->position == position) return segment->records_at();
  const auto rest = std::span{pending_}.subspan(offset);
  return decode_record_header(rest.first<kRecordHeaderBytes>()).record_bytes();
}

// The number of the first pending bytes that are whole records and starts of segments, at most
// bytes_max.
std::size_t LogWriter::whole_records(std::size_t bytes_max) const noexcept {
  std::size_t count = 0;
  while (count < pending_.size()) {
    const std::uint64_t next = unit_bytes(count);
    if (count + next > bytes_max) break;
    count += static_cast<std::size_t>(next);
  }
  return count;
}

StoreResult<void> LogWriter::sync_all() {
  if (committer_) {
    while (!pending_.empty()) {
      if (auto pushed = push_pending(); !pushed) return pushed;
      committer_->drain();
      if (committer_->has_failed()) return failure(committer_->failure());
    }
    committer_->drain();
    if (committer_->has_failed()) return failure(committer_->failure());
    return {};
  }
  if (auto written = write_pending(); !written) return written;
  return options_.durability == Durability::None ? StoreResult<void>{} : sync_written();
}

StoreResult<void> LogWriter::close() {
  committer_.reset();
  progress_ = &own_progress_;
  own_progress_.synced = appended_;
  place_.mapped = nullptr;
  place_.fast_end = 0;
  current_.mapping.reset();
  supply_.close();
  if (current_.reserved_bytes == 0) return {};
  auto cut = current_.file->truncate(appended_ - segments_.back().position);
  if (!cut) return failure(cut.error());
  return {};
}

LogPosition LogWriter::written() const noexcept {
  if (place_.mapped != nullptr) return appended_;
  return committer_ ? committer_->written() : appended_ - pending_.size();
}

void LogWriter::copy(LogPosition begin, std::span<char> out) const noexcept {
  const LogPosition pending_begin = appended_ - pending_.size();
  if (begin < pending_begin) {
    const auto count =
        static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), pending_begin - begin));
    committer_->copy(begin, out.first(count));
    begin += count;
    out = out.subspan(count);
  }
  const auto from = pending_.begin() + static_cast<std::ptrdiff_t>(begin - pending_begin);
  std::copy_n(from, out.size(), out.begin());
}

StoreError LogWriter::mapping_failure() const {
  return disk_error(options_.folder, DiskError{.path = options_.folder + '/' +
                                                       segment_file_name(segments_.back().number),
                                               .operation = "store to",
                                               .error_number = EIO});
}

std::unexpected<StoreError> LogWriter::failure(const DiskError& error) const {
  return std::unexpected{disk_error(options_.folder, error)};
}

}  // namespace nexusfix::store
