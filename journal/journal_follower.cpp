#include "journal/api/journal_follower.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <span>
#include <utility>

#include "store/api/entry.hpp"
#include "store/api/journal_format.hpp"
#include "store/api/journal_owner.hpp"
#include "store/api/log_account.hpp"
#include "store/api/segment_reader.hpp"

namespace nexusfix::store {
namespace {

using Failed = std::unexpected<std::string>;

constexpr std::size_t kWindowBytes = 64U << 10U;
// A record that is being written does not check either. A follower that reads again at most a few
// hundred times a second sees it whole long before this.
constexpr int kLooksMax = 100;

// 34 of a received message: the log has only the number that is expected after it.
std::uint64_t received_number(const Entry& entry) {
  constexpr std::string_view kMsgSeqNum =
      "\x01"
      "34=";
  const std::size_t at = entry.bytes.find(kMsgSeqNum);
  std::uint64_t number = 0;
  if (at == entry.bytes.npos) return entry.number - 1;
  const char* const begin = entry.bytes.data() + at + kMsgSeqNum.size();
  const auto [end, error] = std::from_chars(begin, entry.bytes.data() + entry.bytes.size(), number);
  return error == std::errc{} ? number : entry.number - 1;
}

// The header lies before the entries.
std::uint32_t crc_of(const Record& record) {
  const char* const begin = record.entries.data() - kRecordHeaderBytes;
  return decode_record_header(std::span<const char, kRecordHeaderBytes>{begin, kRecordHeaderBytes})
      .crc;
}

struct KnownSession {
  std::string name;
  std::uint64_t epoch = 1;
};

}  // namespace

class JournalFollower::Impl {
 public:
  Impl(Disk& disk, std::string folder, const FollowOptions& options)
      : disk_{disk}, folder_{std::move(folder)}, options_{options} {}

  std::expected<void, std::string> start();
  std::expected<std::unique_ptr<Impl>, std::string> fork() const;
  std::expected<bool, std::string> next(Visitor visit);
  LogPosition end_of_log();

  [[nodiscard]] const JournalCursor& cursor() const noexcept { return cursor_; }
  std::optional<std::string> consume_gap() {
    if (gaps_.empty()) return std::nullopt;
    std::string text = std::move(gaps_.front());
    gaps_.erase(gaps_.begin());
    return text;
  }

 private:
  enum class Entered : std::uint8_t { Yes, NotYet };

  [[nodiscard]] LogPosition position() const noexcept { return header_.position + offset_; }
  [[nodiscard]] std::string named(const std::string& text) const {
    return "journal " + folder_ + ": " + text;
  }
  [[nodiscard]] std::string at_segment(std::uint64_t number, const std::string& text) const {
    return path_of_segment(folder_, number) + ": " + text;
  }

  std::expected<void, std::string> find_files();
  std::expected<std::optional<SegmentHeader>, std::string> header_of(std::uint64_t number);
  std::expected<std::string, std::string> fault_of(const JournalCursor& cursor);
  std::expected<void, std::string> start_at(std::uint64_t segment, LogPosition until);
  std::expected<void, std::string> skip_to_end();
  std::expected<Entered, std::string> enter(std::uint64_t number);
  std::expected<void, std::string> read_names();
  std::expected<bool, std::string> go_on_in_next();
  std::expected<std::optional<std::uint64_t>, std::string> find_valid_after_damage();
  std::expected<bool, std::string> pass_damage();
  std::expected<bool, std::string> go_on_after(LogPosition begin, const std::string& what,
                                               const SegmentHeader* next_segment,
                                               std::uint64_t next_offset);
  std::expected<std::optional<Record>, std::string> read_record();
  std::expected<void, std::string> pass_messages(const Record& record, Visitor visit);
  void go_past(const Record& record);
  void apply(const Entry& entry);
  std::expected<void, std::string> look_again();
  bool is_below_limit(LogPosition end);

  Disk& disk_;
  std::string folder_;
  FollowOptions options_;
  std::uint64_t first_ = 1;  // segment files, when the follower was opened
  std::uint64_t last_ = 0;
  SegmentHeader header_;  // of the segment that is read
  std::unique_ptr<File> file_;
  FileWindow window_;
  std::uint64_t offset_ = 0;            // in it, of the next record
  std::uint64_t pending_bytes_ = 0;     // of a record that waits for its sync
  std::vector<KnownSession> sessions_;  // by session key
  std::uint64_t owner_epoch_ = 0;
  JournalCursor cursor_;
  std::vector<std::string> gaps_;
  bool reads_all_ = false;  // also what is not synced
  bool is_waiting_ = false;
  LogPosition synced_ = 0;
  int looks_ = 0;  // at a place without a valid record
};

std::expected<void, std::string> JournalFollower::Impl::find_files() {
  const auto names = disk_.list(folder_);
  if (!names) return Failed{names.error().what()};
  for (const std::string& name : *names) {
    const auto number = segment_number(name);
    if (!number) continue;
    // A gap among archives: the part after it is followed.
    if (*number != last_ + 1) first_ = *number;
    last_ = *number;
  }
  if (last_ < first_) return Failed{named("there is no journal in this folder")};
  return {};
}

std::expected<std::optional<SegmentHeader>, std::string> JournalFollower::Impl::header_of(
    std::uint64_t number) {
  const auto file = disk_.open(path_of_segment(folder_, number), OpenMode::Read);
  if (!file && file.error().error_number == ENOENT) return std::nullopt;
  if (!file) return Failed{file.error().what()};
  std::array<char, kSegmentHeaderBytes> bytes{};
  const DiskResult<std::size_t> got = (*file)->read_at(0, bytes);
  if (!got) return Failed{got.error().what()};
  const auto header = decode_segment_header(std::span<const char>{bytes}.first(*got));
  if (!header || header->number != number) return std::nullopt;
  return *header;
}

// Why the journal cannot be followed from this cursor; empty: it can.
std::expected<std::string, std::string> JournalFollower::Impl::fault_of(
    const JournalCursor& cursor) {
  const auto first = header_of(first_);
  if (!first) return Failed{first.error()};
  if (!*first) return at_segment(first_, "the header of the segment is damaged");
  if ((*first)->log_id != cursor.log_id) {
    return named("it is another journal than the one that the cursor belongs to: it was replaced");
  }
  if (cursor.segment < first_) {
    return named(segment_file_name(cursor.segment) + " to " + segment_file_name(first_ - 1) +
                 " are not there any more, and the cursor has not passed them. Put them back, for "
                 "example as archives in the folder retired");
  }
  const std::string ahead =
      "the cursor is after the end of the log: a loss of power has cut the log, or an older copy "
      "of the journal was restored";
  if (cursor.segment > last_) return named(ahead);
  const auto header = header_of(cursor.segment);
  if (!header) return Failed{header.error()};
  if (!*header) return at_segment(cursor.segment, ahead);
  const auto next = header_of(cursor.segment + 1);
  if (!next) return Failed{next.error()};
  if (*next && (*next)->position < cursor.position) return at_segment(cursor.segment + 1, ahead);
  if (cursor.position < (*header)->position + (*header)->records_at()) {
    return at_segment(cursor.segment, "the position of the cursor is not in this segment");
  }
  if (cursor.last == cursor.position) return std::string{};
  const auto file = disk_.open(path_of_segment(folder_, cursor.segment), OpenMode::Read);
  if (!file) return Failed{file.error().what()};
  const DiskResult<std::uint64_t> size = (*file)->size();
  if (!size) return Failed{size.error().what()};
  const std::uint64_t offset = cursor.last - (*header)->position;
  if (cursor.last < (*header)->position || offset > *size) {
    return at_segment(cursor.segment, ahead);
  }
  FileWindow window;
  window.open(**file, *size, 0);
  SegmentReader reader{window, RecordSeed{**header}, offset};
  const auto record = reader.next();
  if (!record) return Failed{at_segment(cursor.segment, record.error().what())};
  if (!*record || (*header)->position + reader.offset() != cursor.position ||
      crc_of(**record) != cursor.last_crc) {
    return at_segment(cursor.segment, ahead + ", or the record before the cursor is damaged");
  }
  return std::string{};
}

std::expected<void, std::string> JournalFollower::Impl::start() {
  if (auto found = find_files(); !found) return found;
  if (!options_.is_followed) reads_all_ = !is_in_use(disk_, folder_);
  if (!options_.cursor) {
    if (options_.begin == FollowOptions::Begin::Newest) return skip_to_end();
    return start_at(first_, 0);
  }
  const JournalCursor& from = *options_.cursor;
  const auto fault = fault_of(from);
  if (!fault) return Failed{fault.error()};
  if (fault->empty()) {
    if (auto started = start_at(from.segment, from.position); !started) return started;
    cursor_ = from;
    return {};
  }
  if (options_.gap == FollowOptions::Gap::Refuse) return Failed{*fault};
  gaps_.push_back(*fault);
  // Rather once too often: the owner's epoch and the position mark what is repeated.
  const auto first = header_of(first_);
  const bool is_same = first && *first && (*first)->log_id == from.log_id;
  return start_at(is_same ? std::clamp(from.segment, first_, last_) : first_, 0);
}

// Reads the names of the sessions where the segment begins, and passes its records up to this
// position without a visitor.
std::expected<void, std::string> JournalFollower::Impl::start_at(std::uint64_t segment,
                                                                 LogPosition until) {
  for (;;) {
    const auto entered = enter(segment);
    if (!entered) return Failed{entered.error()};
    if (*entered == Entered::Yes) break;
    // Prepared, and not begun.
    if (segment == first_) {
      return Failed{at_segment(segment, "the header of the segment is damaged")};
    }
    --segment;
  }
  const LogPosition begin = position();
  std::uint64_t base = segment;
  while (header_.number > 1) {
    const auto names = read_names();
    if (!names) return names;
    if (!sessions_.empty() || base == first_) break;
    const auto entered = enter(--base);
    if (!entered) return Failed{entered.error()};
    if (*entered == Entered::NotYet) {
      return Failed{at_segment(base, "the header of the segment is damaged")};
    }
  }
  const LogPosition target = std::max(begin, until);
  // All of it was written before the cursor was: a place without a valid record is damaged.
  const bool reads_all = std::exchange(reads_all_, true);
  const bool is_followed = std::exchange(options_.is_followed, false);
  while (position() < target) {
    auto passed = next([](const FollowedMessage&) {});
    if (!passed) return Failed{passed.error()};
    if (!*passed) return Failed{named("the log ends before the place of the cursor")};
  }
  reads_all_ = reads_all;
  options_.is_followed = is_followed;
  return {};
}

std::expected<void, std::string> JournalFollower::Impl::skip_to_end() {
  if (auto started = start_at(last_, 0); !started) return started;
  for (;;) {
    const auto passed = next([](const FollowedMessage&) {});
    if (!passed) return Failed{passed.error()};
    if (!*passed) return {};
  }
}

std::expected<JournalFollower::Impl::Entered, std::string> JournalFollower::Impl::enter(
    std::uint64_t number) {
  const auto header = header_of(number);
  if (!header) return Failed{header.error()};
  if (!*header) return Entered::NotYet;
  auto file = disk_.open(path_of_segment(folder_, number), OpenMode::Read);
  if (!file) return Failed{file.error().what()};
  header_ = **header;
  file_ = std::move(*file);
  offset_ = header_.records_at();
  looks_ = 0;
  owner_epoch_ = std::max(owner_epoch_, header_.owner_epoch);
  cursor_ = {.log_id = header_.log_id,
             .segment = number,
             .position = position(),
             .last = position(),
             .last_crc = 0};
  if (auto fresh = look_again(); !fresh) return Failed{fresh.error()};
  return Entered::Yes;
}

// From the checkpoint of the segment, if it has one that can be used.
std::expected<void, std::string> JournalFollower::Impl::read_names() {
  if (!header_.has_checkpoint()) return {};
  const DiskResult<std::uint64_t> size = file_->size();
  if (!size) return Failed{at_segment(header_.number, size.error().what())};
  if (*size < header_.records_at()) return {};
  std::vector<char> checkpoint(header_.records_at() - header_.header_bytes());
  const DiskResult<std::size_t> got = file_->read_at(header_.header_bytes(), checkpoint);
  if (!got) return Failed{at_segment(header_.number, got.error().what())};
  LogAccount account{disk_, folder_};
  static_cast<void>(account.begin_segment(header_, std::span{checkpoint}.first(*got)));
  if (!account.knows_sessions()) return {};
  sessions_.clear();
  const SessionTable& sessions = account.sessions();
  for (SessionKey key = 0; key < sessions.size(); ++key) {
    sessions_.push_back({.name = sessions.name(key), .epoch = sessions.record(key).epoch});
  }
  return {};
}

std::expected<std::unique_ptr<JournalFollower::Impl>, std::string> JournalFollower::Impl::fork()
    const {
  auto copy = std::make_unique<Impl>(disk_, folder_, options_);
  copy->first_ = first_;
  copy->last_ = last_;
  copy->sessions_ = sessions_;
  copy->owner_epoch_ = owner_epoch_;
  copy->reads_all_ = reads_all_;
  const auto entered = copy->enter(header_.number);
  if (!entered) return Failed{entered.error()};
  if (*entered == Entered::NotYet) {
    return Failed{at_segment(header_.number, "the header of the segment is damaged")};
  }
  copy->offset_ = offset_;
  copy->cursor_ = cursor_;
  return copy;
}

// What the file has now.
std::expected<void, std::string> JournalFollower::Impl::look_again() {
  const DiskResult<std::uint64_t> size = file_->size();
  if (!size) return Failed{at_segment(header_.number, size.error().what())};
  window_.open(*file_, std::max(*size, offset_), kWindowBytes);
  return {};
}

LogPosition JournalFollower::Impl::end_of_log() {
  const RecordedEnd recorded = read_recorded_end(disk_, folder_);
  return std::max({recorded.synced.value_or(0), recorded.written, position()});
}

// Whether what is before this position may be read.
bool JournalFollower::Impl::is_below_limit(LogPosition end) {
  const bool is_synced_first =
      header_.durability == Durability::Group || header_.durability == Durability::Sync;
  if (reads_all_) return true;
  if (!is_synced_first || end <= synced_) return true;
  const RecordedEnd recorded = read_recorded_end(disk_, folder_);
  if (!recorded.synced) return recorded.fault.empty();  // an older version records nothing
  synced_ = *recorded.synced;
  return end <= synced_;
}

// Nothing: the log has no further record at the moment.
std::expected<std::optional<Record>, std::string> JournalFollower::Impl::read_record() {
  if (is_waiting_) {
    // A look that costs little: most of the time nothing has changed.
    std::array<char, kRecordHeaderBytes> bytes{};
    const DiskResult<std::size_t> got = file_->read_at(offset_, bytes);
    if (!got) return Failed{at_segment(header_.number, got.error().what())};
    const bool is_unused = std::ranges::all_of(bytes, [](char c) { return c == 0; });
    if (is_unused) return std::nullopt;
    if (pending_bytes_ > 0 && !is_below_limit(position() + pending_bytes_)) return std::nullopt;
    if (auto fresh = look_again(); !fresh) return Failed{fresh.error()};
  }
  for (const bool is_second : {false, true}) {
    if (is_second) {
      if (auto fresh = look_again(); !fresh) return Failed{fresh.error()};
    }
    SegmentReader reader{window_, RecordSeed{header_}, offset_};
    const auto record = reader.next();
    // The owner may have cut what it had prepared.
    if (!record && !is_second) continue;
    if (!record) return Failed{at_segment(header_.number, record.error().what())};
    if (!*record) continue;
    pending_bytes_ = 0;
    if (is_below_limit(position() + (*record)->record_bytes)) return *record;
    pending_bytes_ = (*record)->record_bytes;
    return std::nullopt;
  }
  pending_bytes_ = 0;
  return std::nullopt;
}

std::expected<bool, std::string> JournalFollower::Impl::next(Visitor visit) {
  for (;;) {
    const auto record = read_record();
    if (!record) return Failed{record.error()};
    if (*record) {
      if (auto passed = pass_messages(**record, visit); !passed) return Failed{passed.error()};
      go_past(**record);
      is_waiting_ = false;
      looks_ = 0;
      return true;
    }
    is_waiting_ = true;
    if (pending_bytes_ > 0) return false;
    const auto goes_on = go_on_in_next();
    if (!goes_on || !*goes_on) return goes_on;
    is_waiting_ = false;
  }
}

// At a place without a valid record: the segment has ended, or a record is being written, or it is
// damaged. True: there may be a record now.
std::expected<bool, std::string> JournalFollower::Impl::go_on_in_next() {
  const auto next = header_of(header_.number + 1);
  if (!next) return Failed{next.error()};
  if (!*next || (*next)->log_id != header_.log_id) return pass_damage();
  const SegmentHeader& after = **next;
  if (after.position == position()) {
    const auto entered = enter(after.number);
    if (!entered) return Failed{entered.error()};
    return *entered == Entered::Yes;
  }
  if (after.position < position()) {
    return go_on_after(after.position,
                       "the log was cut after a loss of power, to a place before "
                       "what was read already",
                       &after, after.records_at());
  }
  if (options_.is_followed && ++looks_ < kLooksMax) return false;
  // The header was written after the records.
  if (looks_ <= kLooksMax) {
    looks_ = kLooksMax + 1;
    if (auto fresh = look_again(); !fresh) return Failed{fresh.error()};
    return true;
  }
  const auto valid = find_valid_after_damage();
  if (!valid) return Failed{valid.error()};
  // Also its rest: what was sent there is read, or counted.
  if (*valid && header_.position + **valid < after.position) {
    return go_on_after(position(), "a record is damaged", nullptr, **valid);
  }
  return go_on_after(position(), "a record is damaged", &after, after.records_at());
}

// The offset of the next valid record of the segment; nothing: there is none.
std::expected<std::optional<std::uint64_t>, std::string>
JournalFollower::Impl::find_valid_after_damage() {
  if (offset_ >= window_.size()) return std::nullopt;
  auto valid = find_valid_record(window_, RecordSeed{header_}, offset_ + 1);
  if (!valid) return Failed{at_segment(header_.number, valid.error().what())};
  return *valid;
}

// The last segment has no valid record here. If it has one later, this one is damaged.
std::expected<bool, std::string> JournalFollower::Impl::pass_damage() {
  if (options_.is_followed && ++looks_ < kLooksMax) return false;
  looks_ = 0;
  if (auto fresh = look_again(); !fresh) return Failed{fresh.error()};
  const auto valid = find_valid_after_damage();
  if (!valid) return Failed{valid.error()};
  if (!*valid) return false;
  // It may have been written meanwhile.
  SegmentReader again{window_, RecordSeed{header_}, offset_};
  const auto record = again.next();
  if (record && *record) return true;
  return go_on_after(position(), "a record is damaged", nullptr, **valid);
}

std::expected<bool, std::string> JournalFollower::Impl::go_on_after(
    LogPosition begin, const std::string& what, const SegmentHeader* next_segment,
    std::uint64_t next_offset) {
  const LogPosition end =
      next_segment != nullptr ? next_segment->position : header_.position + next_offset;
  const std::string text = at_segment(
      header_.number, "at offset " + std::to_string(offset_) + ": " + what + " (log position " +
                          std::to_string(begin) + " to " + std::to_string(std::max(begin, end)) +
                          "). `nexusfix journal verify` shows what is lost");
  if (options_.gap == FollowOptions::Gap::Refuse) return Failed{text};
  gaps_.push_back(text);
  if (next_segment != nullptr) {
    const auto entered = enter(next_segment->number);
    if (!entered) return Failed{entered.error()};
    if (*entered == Entered::NotYet) return false;
    if (auto names = read_names(); !names) return Failed{names.error()};
    return true;
  }
  offset_ = next_offset;
  cursor_.position = cursor_.last = position();
  return true;
}

std::expected<void, std::string> JournalFollower::Impl::pass_messages(const Record& record,
                                                                      Visitor visit) {
  const LogPosition begin = header_.position + record.offset;
  EntryReader reader{record.entries};
  Entry entry;
  while (reader.next(entry)) {
    const std::size_t end = record.entries.size() - reader.rest().size();
    const std::size_t at = end - kEntryHeaderBytes - entry.bytes.size();
    apply(entry);
    const bool is_received = entry.kind == EntryKind::InboundProgress && !entry.bytes.empty();
    if (!is_received && entry.kind != EntryKind::OutboundMessage) continue;
    if (entry.session >= sessions_.size()) {
      return Failed{at_segment(header_.number, "at offset " + std::to_string(record.offset) +
                                                   ": a message is of an unknown session")};
    }
    const KnownSession& session = sessions_[entry.session];
    visit({.log_id = header_.log_id,
           .owner_epoch = owner_epoch_,
           .position = begin + kRecordHeaderBytes + at,
           .session = session.name,
           .epoch = session.epoch,
           .is_received = is_received,
           .msg_seq_num = is_received ? received_number(entry) : entry.number,
           .time = record.time,
           .bytes = entry.bytes});
  }
  return {};
}

void JournalFollower::Impl::go_past(const Record& record) {
  offset_ = record.offset + record.record_bytes;
  cursor_.position = position();
  cursor_.last = header_.position + record.offset;
  cursor_.last_crc = crc_of(record);
}

void JournalFollower::Impl::apply(const Entry& entry) {
  if (entry.kind == EntryKind::LogOwned) owner_epoch_ = entry.number;
  if (entry.kind == EntryKind::SessionOpened && entry.session < kSessionsMax) {
    if (entry.session >= sessions_.size()) sessions_.resize(entry.session + std::size_t{1});
    sessions_[entry.session] = {.name = std::string{entry.bytes}, .epoch = 1};
  }
  if (entry.session >= sessions_.size()) return;
  KnownSession& session = sessions_[entry.session];
  if (entry.kind == EntryKind::SessionRenamed) session.name = entry.bytes;
  if (entry.kind == EntryKind::Reset) ++session.epoch;
  if (entry.kind == EntryKind::NumbersSet) {
    if (const auto change = decode_numbers_change(entry.bytes)) session.epoch = change->after.epoch;
  }
}

JournalFollower::JournalFollower(std::unique_ptr<Impl> impl) noexcept : impl_{std::move(impl)} {}
JournalFollower::JournalFollower(JournalFollower&&) noexcept = default;
JournalFollower& JournalFollower::operator=(JournalFollower&&) noexcept = default;
JournalFollower::~JournalFollower() = default;

std::expected<JournalFollower, std::string> JournalFollower::open(Disk& disk,
                                                                  const std::string& folder,
                                                                  const FollowOptions& options) {
  auto impl = std::make_unique<Impl>(disk, folder, options);
  if (auto started = impl->start(); !started) return Failed{started.error()};
  return JournalFollower{std::move(impl)};
}

std::expected<JournalFollower, std::string> JournalFollower::fork() const {
  auto impl = impl_->fork();
  if (!impl) return Failed{impl.error()};
  return JournalFollower{std::move(*impl)};
}

std::expected<bool, std::string> JournalFollower::next(Visitor visit) { return impl_->next(visit); }
const JournalCursor& JournalFollower::cursor() const noexcept { return impl_->cursor(); }
std::optional<std::string> JournalFollower::consume_gap() { return impl_->consume_gap(); }
LogPosition JournalFollower::end_of_log() { return impl_->end_of_log(); }

}  // namespace nexusfix::store
