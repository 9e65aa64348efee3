#include "store/scan/log_reader.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <utility>

#include <nexusfix/base/language.hpp>

#include "store/api/entry.hpp"
#include "store/api/journal_format.hpp"
#include "store/api/segment_reader.hpp"

namespace nexusfix::store {
namespace {

// Where messages lie far apart, most fit into the first piece, and little is read in vain. One
// message alone is read with a piece as long as the record before it.
constexpr std::size_t kSingleWindowBytesMin = 512;
constexpr std::size_t kFarWindowBytes = 4096;
constexpr std::size_t kNearWindowBytes = 64U << 10U;
constexpr std::uint64_t kFarApart = kNearWindowBytes / 4;

}  // namespace

LogReader::Part LogReader::part_at(LogPosition position) const {
  const std::vector<SegmentHeader>& segments = writer_.segments();
  auto segment = std::ranges::upper_bound(segments, position, {}, &SegmentHeader::position);
  NEXUSFIX_ASSERT(segment != segments.begin());
  --segment;
  const bool is_last = segment + 1 == segments.end();
  return {.segment = &*segment,
          .is_last = is_last,
          .begin = segment->position + segment->records_at(),
          .end = is_last ? writer_.appended() : (segment + 1)->position};
}

StoreResult<File*> LogReader::open(const Part& part) {
  if (part.is_last) return &writer_.file();
  auto file = files_.open(part.segment->number);
  if (!file) return std::unexpected{disk_error(folder_, file.error())};
  return *file;
}

StoreResult<bool> LogReader::for_each_record(LogPosition begin, LogPosition end,
                                             RecordVisitor visit, DamageVisitor on_damage) {
  return pass(begin, end, visit, on_damage);
}

StoreResult<bool> LogReader::pass(LogPosition begin, LogPosition end, RecordVisitor visit,
                                  DamageVisitor on_damage) {
  // written() may move while this runs: what it has passed is both in the files and in memory.
  const LogPosition written = writer_.written();
  for (LogPosition at = begin; at < end;) {
    const Part part = part_at(at);
    const LogPosition from = std::max(at, part.begin);
    const LogPosition to = std::min(end, part.end);
    const LogPosition file_to = std::min(to, written);
    const LogPosition position = part.segment->position;
    if (from < file_to) {
      const StoreResult<File*> file = open(part);
      if (!file) return std::unexpected{file.error()};
      const StoreResult<bool> goes_on = for_each_written(*part.segment, **file, from - position,
                                                         file_to - position, visit, on_damage);
      if (!goes_on || !*goes_on) return goes_on;
    }
    if (!for_each_in_memory(*part.segment, std::max(from, written), to, visit)) return false;
    if (part.is_last) break;
    at = part.end;
  }
  return true;
}

StoreResult<bool> LogReader::for_each_of(SessionKey session, const MessageIndex::Group& group,
                                         const Wanted& wanted, RecordVisitor visit,
                                         DamageVisitor on_damage) {
  // A small group is passed as a whole, unless the reader begins within it: then the places of its
  // messages are kept for the next such reader.
  const bool is_small = group.end - group.begin <= sizes_.scanned_bytes;
  if (is_small && (!wanted.is_complete || wanted.next <= group.first)) {
    return pass(group.begin, group.end, visit, on_damage);
  }
  for (LogPosition at = group.begin; at < group.end;) {
    const Part part = part_at(at);
    at = std::max(at, part.begin);
    LogPosition end = std::min(group.end, part.end);
    const MessagePlaces::Block* const block = at >= end  ? nullptr
                                              : is_small ? small_block_at(part, at, end)
                                                         : block_at(part, group, at, end);
    StoreResult<bool> goes_on = true;
    if (block != nullptr) {
      const auto from = block->of(session).from(at - block->begin, end - block->begin, wanted.next);
      const auto run = from.up_to(wanted.last);
      const LogPosition limit =
          run.size() < from.size() ? block->begin + from.offsets()[run.size()] : block->end;
      goes_on = for_each_place(part, block->begin, run.offsets(), limit, visit, on_damage);
    } else if (at < end) {
      goes_on = pass(at, end, visit, on_damage);
    }
    if (!goes_on || !*goes_on) return goes_on;
    at = end;
  }
  return true;
}

StoreResult<bool> LogReader::for_each_place(const Part& part, LogPosition block_begin,
                                            std::span<const std::uint32_t> offsets,
                                            LogPosition limit, RecordVisitor visit,
                                            DamageVisitor on_damage) {
  if (offsets.empty()) return true;
  const SegmentHeader& segment = *part.segment;
  const LogPosition written = std::min(writer_.written(), part.end);
  const StoreResult<File*> file = open(part);
  if (!file) return std::unexpected{file.error()};
  const std::uint64_t reach = offsets.back() - offsets.front();
  const bool are_far_apart = offsets.size() == 1 || reach / offsets.size() > kFarApart;
  std::size_t window_bytes = are_far_apart ? kFarWindowBytes : kNearWindowBytes;
  if (offsets.size() == 1) {
    const std::uint64_t reach_of_one = limit - block_begin - offsets.front();
    window_bytes = static_cast<std::size_t>(
        std::min<std::uint64_t>({window_bytes, single_window_bytes_, reach_of_one}));
  }
  window_.open(**file, written - std::min(written, segment.position), window_bytes);
  LogPosition passed = 0;
  for (const std::uint32_t offset : offsets) {
    const LogPosition position = block_begin + offset;
    if (position == passed) continue;  // two messages in one record
    passed = position;
    if (position >= written) {
      if (!for_each_in_memory(segment, position, position + 1, visit)) return false;
      continue;
    }
    SegmentReader reader{window_, RecordSeed{segment}, position - segment.position};
    const DiskResult<std::optional<Record>> record = reader.next();
    if (!record) return std::unexpected{disk_error(folder_, record.error())};
    if (*record) {
      single_window_bytes_ = std::max<std::size_t>(
          kSingleWindowBytesMin, std::bit_ceil(std::min((*record)->record_bytes, kFarApart)));
      if (!visit(**record)) return false;
      continue;
    }
    const std::string text = damage_text(segment, reader.offset());
    if (!on_damage(text)) {
      return std::unexpected{StoreError{.code = StoreErrorCode::Corrupt, .text = text}};
    }
  }
  return true;
}

// The block that holds the records at this place, up to end, which it may lower. Null: read the
// records one by one.
const MessagePlaces::Block* LogReader::block_at(const Part& part, const MessageIndex::Group& group,
                                                LogPosition at, LogPosition& end) {
  const MessagePlaces::Block* block = places_.find(at);
  if (block == nullptr) {
    end = std::min(end, places_.next_begin(at));
    if (end - at <= sizes_.scanned_bytes) return nullptr;
    // A large message is most of its group.
    const std::uint64_t first_bytes = record_bytes_at(part, at);
    if (first_bytes <= end - at && end - at - first_bytes <= sizes_.scanned_bytes) return nullptr;
    // A little more than the group: the groups of sessions that take turns with it begin and end
    // later.
    const std::uint64_t group_bytes = group.end - group.begin;
    const std::uint64_t wanted =
        std::max(group_bytes + group_bytes / 4, sessions_.size() * sizes_.block_bytes_of_session);
    const std::uint64_t block_bytes =
        std::clamp(wanted, sizes_.block_bytes_min, sizes_.block_bytes_max);
    const LogPosition block_end = std::min(part.end, places_.next_begin(at));
    LogPosition limit = at + block_bytes;
    // What would be left is too short for a block of its own, and would be read each time.
    if (block_end - std::min(block_end, limit) <= sizes_.scanned_bytes) limit = block_end;
    block = make_block(part, at, block_end, limit);
  }
  if (block != nullptr) end = std::min(end, block->end);
  return block;
}

// The block that holds the records at this place, up to end, which it may lower. Null: they are
// damaged.
const MessagePlaces::Block* LogReader::small_block_at(const Part& part, LogPosition at,
                                                      LogPosition& end) {
  const MessagePlaces::Block* block = places_.find(at);
  if (block == nullptr) {
    end = std::min(end, places_.next_begin(at));
    block = make_block(part, at, end, end);
  }
  if (block != nullptr) end = std::min(end, block->end);
  return block;
}

// The block begins at the position that is read, and not before: those messages were not asked for.
// It has the records that begin before limit and end at end or before. It ends before bytes that
// are damaged or cannot be read, which the caller reports; null: it would end at its begin.
const MessagePlaces::Block* LogReader::make_block(const Part& part, LogPosition begin,
                                                  LogPosition end, LogPosition limit) {
  MessagePlaces::Block block;
  block.begin = begin;
  block.end = begin;
  const auto visit = [&](const Record& record) {
    const LogPosition at = part.segment->position + record.offset;
    if (at >= limit) return false;
    EntryReader reader{record.entries};
    Entry entry;
    while (reader.next(entry)) {
      if (entry.kind != EntryKind::OutboundMessage) continue;
      draft_.add(entry.session, entry.number, at - begin);
    }
    block.end = at + record.record_bytes;
    return true;
  };
  draft_.clear();  // a block that ran out of memory was not finished
  static_cast<void>(pass(begin, end, visit, [](const std::string&) { return false; }));
  if (block.end == begin) return nullptr;
  draft_.finish(block);
  places_.add(std::move(block));
  return places_.find(begin);
}

// Zero: it is not known.
std::uint64_t LogReader::record_bytes_at(const Part& part, LogPosition at) {
  std::array<char, kRecordHeaderBytes> header;
  if (at >= writer_.written()) {
    writer_.copy(at, header);
  } else {
    const StoreResult<File*> file = open(part);
    if (!file) return 0;
    const auto count = (*file)->read_at(at - part.segment->position, header);
    if (!count || *count < header.size()) return 0;
  }
  return decode_record_header(header).record_bytes();
}

StoreResult<bool> LogReader::for_each_written(const SegmentHeader& segment, File& file,
                                              std::uint64_t begin, std::uint64_t end,
                                              RecordVisitor visit, DamageVisitor on_damage) {
  window_.open(file, end);
  SegmentReader reader{window_, RecordSeed{segment}, begin};
  for (;;) {
    const DiskResult<std::optional<Record>> record = reader.next();
    if (!record) return std::unexpected{disk_error(folder_, record.error())};
    if (*record) {
      if (!visit(**record)) return false;
      continue;
    }
    if (reader.fault() == RecordFault::None) return true;
    if (const auto hole_end = end_of_hole(segment.position + reader.offset())) {
      // Opening has found it, and refuses the sessions that it concerns.
      if (*hole_end >= segment.position + window_.size()) return true;
      reader = SegmentReader{window_, RecordSeed{segment}, *hole_end - segment.position};
      continue;
    }
    // The record was valid when it was written or at opening: damaged bytes must not be sent as a
    // message.
    const std::string text = damage_text(segment, reader.offset());
    if (!on_damage(text)) {
      return std::unexpected{StoreError{.code = StoreErrorCode::Corrupt, .text = text}};
    }
    const auto next_valid = find_valid_record(window_, RecordSeed{segment}, reader.offset() + 1);
    if (!next_valid) return std::unexpected{disk_error(folder_, next_valid.error())};
    if (!*next_valid) return true;
    reader = SegmentReader{window_, RecordSeed{segment}, **next_valid};
  }
}

std::string LogReader::damage_text(const SegmentHeader& segment, std::uint64_t offset) const {
  return path_of_segment(folder_, segment.number) + ": damaged at offset " +
         std::to_string(offset) + " since it was written (nexusfix journal verify reports more)";
}

std::optional<LogPosition> LogReader::end_of_hole(LogPosition begin) const {
  const auto hole =
      std::lower_bound(holes_.begin(), holes_.end(), begin,
                       [](const auto& one, LogPosition position) { return one.first < position; });
  if (hole == holes_.end() || hole->first != begin) return std::nullopt;
  return hole->second;
}

bool LogReader::for_each_in_memory(const SegmentHeader& segment, LogPosition begin, LogPosition end,
                                   RecordVisitor visit) {
  for (LogPosition position = begin; position < end;) {
    record_.resize(kRecordHeaderBytes);
    writer_.copy(position, record_);
    const RecordHeader header =
        decode_record_header(std::span{record_}.first<kRecordHeaderBytes>());
    record_.resize(static_cast<std::size_t>(header.record_bytes()));
    writer_.copy(position, record_);
    const Record record{.offset = position - segment.position,
                        .record_bytes = header.record_bytes(),
                        .time = header.time,
                        .entries = std::span{record_}.subspan(kRecordHeaderBytes)};
    if (!visit(record)) return false;
    position += header.record_bytes();
  }
  return true;
}

DiskResult<File*> OpenSegments::open(std::uint64_t number) {
  auto found = std::ranges::find(segments_, number, &Segment::number);
  if (found == segments_.end()) {
    auto file = disk_.open(path_of_segment(folder_, number), OpenMode::Read);
    if (!file) return std::unexpected{std::move(file.error())};
    if (segments_.size() == kFilesMax) segments_.pop_back();
    segments_.push_back({number, std::move(*file)});
    found = segments_.end() - 1;
  }
  std::rotate(segments_.begin(), found, found + 1);
  return segments_.front().file.get();
}

void OpenSegments::close_before(std::uint64_t number) noexcept {
  std::erase_if(segments_, [&](const Segment& segment) { return segment.number < number; });
}

}  // namespace nexusfix::store
