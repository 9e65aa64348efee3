#include "store/state/checkpoint.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "store/api/crc32c.hpp"
#include "store/format/byte_order.hpp"

namespace nexusfix::store {
namespace {

constexpr char kCheckpoint = 'C';

// With tiny segments, a checkpoint in each would be most of the log. This is the only limit on
// their size: the checkpoint after one that was left out is larger, so that a limit in bytes would
// end all checkpoints, and retirement with them.
constexpr std::uint64_t kLogPerCheckpoint = 4;

template <class Number>
void put(std::vector<char>& out, Number number) {
  std::array<char, sizeof number> bytes;
  store_little_endian(bytes.data(), number);
  out.insert(out.end(), bytes.begin(), bytes.end());
}

// Bytes that are missing read as 0; from then on is_good() is false.
class Input {
 public:
  explicit Input(std::span<const char> bytes) : rest_{bytes} {}

  template <class Number>
  Number take() {
    if (rest_.size() < sizeof(Number)) return fail();
    const auto number = load_little_endian<Number>(rest_.data());
    rest_ = rest_.subspan(sizeof(Number));
    return number;
  }
  std::string text(std::size_t size) {
    if (rest_.size() < size) {
      fail();
      return {};
    }
    std::string text{rest_.data(), size};
    rest_ = rest_.subspan(size);
    return text;
  }
  // Added to the number before; above kNumberMax it fails.
  std::uint64_t add_short(std::uint64_t before) {
    std::uint64_t number = 0;
    for (unsigned shift = 0; shift <= 56; shift += 7) {
      const auto byte = take<std::uint8_t>();
      number |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80U) return before + number <= kNumberMax ? before + number : fail();
    }
    return fail();
  }
  // The number of elements that follow, each of at least bytes_each bytes.
  std::size_t count(std::size_t bytes_each) {
    const auto count = take<std::uint32_t>();
    return count <= rest_.size() / bytes_each ? count : fail();
  }
  std::uint8_t fail() {
    is_good_ = false;
    rest_ = {};
    return 0;
  }
  [[nodiscard]] bool is_good() const noexcept { return is_good_; }
  [[nodiscard]] bool at_end() const noexcept { return rest_.empty(); }

 private:
  std::span<const char> rest_;
  bool is_good_ = true;
};

bool is_number(std::uint64_t number) { return number > 0 && number <= kNumberMax + 1; }

Checkpoint::Session read_session(Input& input, const Checkpoint& checkpoint) {
  Checkpoint::Session one;
  one.session.name = input.text(input.take<std::uint16_t>());
  SessionRecord& record = one.session.record;
  record.next_inbound = input.take<std::uint64_t>();
  record.next_outbound = input.take<std::uint64_t>();
  record.epoch = input.take<std::uint64_t>();
  record.created = WallTime{std::chrono::nanoseconds{input.take<std::int64_t>()}};
  one.session.is_unfinished = input.take<std::uint8_t>() != 0;
  one.session.reserved = input.take<std::uint64_t>();
  if (!is_number(record.next_inbound) || !is_number(record.next_outbound) ||
      !is_number(record.epoch)) {
    input.fail();
  }
  one.session.lost.resize(input.count(2 * sizeof(std::uint64_t)));
  for (NumberRange& range : one.session.lost) {
    range.first = input.take<std::uint64_t>();
    range.last = input.take<std::uint64_t>();
  }
  one.groups.resize(input.count(3));
  MessageIndex::Group before{.first = 0, .begin = checkpoint.index_from, .end = 0};
  for (MessageIndex::Group& group : one.groups) {
    group.first = input.add_short(before.first);
    group.begin = input.add_short(before.begin);
    group.end = input.add_short(group.begin);
    if (group.first <= before.first || group.end <= group.begin ||
        group.end > checkpoint.position || group.first >= record.next_outbound) {
      input.fail();
    }
    before = group;
  }
  return one;
}

}  // namespace

std::expected<Checkpoint, CheckpointFault> decode_checkpoint(const SegmentHeader& segment,
                                                             std::span<const char> bytes) {
  if (!checkpoint_checks(segment, bytes)) return std::unexpected{CheckpointFault::Checksum};
  Input input{bytes.subspan(kRecordHeaderBytes)};
  const char kind = static_cast<char>(input.take<std::uint8_t>());
  if (kind == kVoidCheckpoint) return std::unexpected{CheckpointFault::Void};
  Checkpoint found;
  found.is_closed = input.take<std::uint8_t>() != 0;
  found.position = input.take<std::uint64_t>();
  found.index_from = input.take<std::uint64_t>();
  found.retired_before = input.take<std::uint64_t>();
  found.records = input.take<std::uint64_t>();
  found.messages = input.take<std::uint64_t>();
  if (kind != kCheckpoint || found.position != segment.position ||
      found.index_from > found.position || found.retired_before > found.position) {
    return std::unexpected{CheckpointFault::Form};
  }
  constexpr std::size_t kSessionBytesMin = 51;
  found.sessions.resize(std::min(input.count(kSessionBytesMin), kSessionsMax));
  for (Checkpoint::Session& session : found.sessions) session = read_session(input, found);
  if (!input.is_good() || !input.at_end()) return std::unexpected{CheckpointFault::Form};
  return found;
}

DiskResult<std::expected<Checkpoint, CheckpointFault>> read_checkpoint(const SegmentHeader& segment,
                                                                       File& file) {
  const DiskResult<std::uint64_t> size = file.size();
  if (!size) return std::unexpected{size.error()};
  if (*size < segment.records_at()) return decode_checkpoint(segment, {});
  std::vector<char> bytes(segment.records_at() - segment.header_bytes());
  const DiskResult<std::size_t> got = file.read_at(segment.header_bytes(), bytes);
  if (!got) return std::unexpected{got.error()};
  return decode_checkpoint(segment, std::span{bytes}.first(*got));
}

std::string describe(CheckpointFault fault) {
  switch (fault) {
    case CheckpointFault::Checksum:
      return "its checksum does not match";
    case CheckpointFault::Void:
      return "a repair took it out";
    case CheckpointFault::Form:
      break;
  }
  return "it makes no sense";
}

std::optional<LogState> restore(const Checkpoint& checkpoint) {
  LogState state;
  state.messages = checkpoint.messages;
  for (const Checkpoint::Session& one : checkpoint.sessions) {
    SessionTable::Session session = one.session;
    if (!state.sessions.restore(std::move(session))) return std::nullopt;
  }
  state.add_indexes();
  return state;
}

std::string checkpoint_fault_text(const std::string& folder, const SegmentHeader& segment,
                                  std::string_view reason) {
  return folder + '/' + segment_file_name(segment.number) + ": the checkpoint at offset " +
         std::to_string(segment.header_bytes()) + " cannot be used: " + std::string{reason};
}

std::expected<StateBefore, CheckpointFault> state_before(const SegmentHeader& segment,
                                                         std::span<const char> checkpoint) {
  if (segment.number == 1) return StateBefore{};
  const auto found = decode_checkpoint(segment, checkpoint);
  if (!found) return std::unexpected{found.error()};
  auto state = restore(*found);
  if (!state) return std::unexpected{CheckpointFault::Form};
  return StateBefore{
      .state = std::move(*state), .records = found->records, .index_from = found->index_from};
}

StoreError unknown_start(const std::string& folder, const SegmentHeader& first) {
  return {
      .code = StoreErrorCode::Corrupt,
      .text = "journal " + folder + ": it begins with " + segment_file_name(first.number) +
              ", and neither its checkpoint at offset " + std::to_string(first.header_bytes()) +
              " nor one after it can be used. Nothing was changed. Put back the files that were "
              "before it, or restore the folder from a copy"};
}

void Checkpointer::append(std::vector<char>& buffer, const SegmentHeader& segment,
                          std::uint64_t records, bool is_closed) {
  if (!is_started_ || state_.sessions.size() == 0) return;
  // Made in its place: with thousands of sessions it is too large for another copy.
  const std::size_t at = buffer.size();
  buffer.resize(at + kRecordHeaderBytes);
  buffer.push_back(kCheckpoint);
  buffer.push_back(is_closed ? 1 : 0);
  put(buffer, segment.position);
  put(buffer, index_from_);
  put(buffer, retired_before_);
  put(buffer, records);
  put(buffer, state_.messages);
  put(buffer, static_cast<std::uint32_t>(state_.sessions.size()));
  draft_.finish(buffer, index_from_);
  const std::size_t content_bytes = buffer.size() - at - kRecordHeaderBytes;
  if (content_bytes * kLogPerCheckpoint > segment.position - index_from_ ||
      content_bytes > kRecordBytesLimit) {
    buffer.resize(at);
    return;
  }
  seal_record(std::span{buffer}.subspan(at), RecordSeed{segment}, kSegmentHeaderBytes,
              segment.time);
}

void Checkpointer::draft(std::uint64_t part, std::uint64_t whole) {
  if (is_started_) draft_.advance(state_.sessions.size() * part / whole, index_from_);
}

LogPosition Checkpointer::confirmed_retirement(LogPosition synced) noexcept {
  std::erase_if(recorded_, [&](const Recorded& one) {
    if (one.end <= synced) confirmed_ = std::max(confirmed_, one.in_both);
    return one.end <= synced;
  });
  return confirmed_;
}

void Checkpointer::on_written(LogPosition position, LogPosition records_at) {
  // If there are many, the later ones confirm as much.
  if (recorded_.size() == kRecordedMax) recorded_.erase(recorded_.begin());
  // Both checkpoints record it. A rule that has become stricter since takes effect at once.
  recorded_.push_back({.in_both = std::min(last_recorded_, retired_before_), .end = records_at});
  last_recorded_ = retired_before_;
  index_from_ = position;
  for (MessageIndex& index : state_.indexes) index.fence();
}

}  // namespace nexusfix::store
