#include "cluster/postgres/chunk.hpp"

#include <charconv>
#include <chrono>
#include <cstddef>
#include <utility>

#include "cluster/postgres/server/array_column.hpp"
#include "store/api/session_table.hpp"

namespace nexusfix::store::postgres {
namespace {

// MsgSeqNum (34): the entry has the number that is expected after it, which differs after a gap.
std::uint64_t received_number(const Entry& entry) {
  constexpr std::string_view kMsgSeqNum =
      "\x01"
      "34=";
  const std::size_t at = entry.bytes.find(kMsgSeqNum);
  if (at == entry.bytes.npos) return entry.number - 1;
  const std::string_view digits = entry.bytes.substr(at + kMsgSeqNum.size());
  std::uint64_t number = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return read.ec == std::errc{} ? number : entry.number - 1;
}

}  // namespace

bool Chunk::read(LogPosition position, std::string_view keys, std::string_view epochs,
                 std::string_view entries) {
  messages_.clear();
  received_.clear();
  has_names_ = false;
  begin_ = position;
  end_ = position + entries.size();
  const bool is_readable = read_places(keys, epochs) && read_entries(entries);
  for (const SessionKey session : sessions_) by_key_[session] = {};
  sessions_.clear();
  return is_readable;
}

void Chunk::set_written(std::optional<std::int64_t> microseconds) noexcept {
  constexpr std::chrono::seconds kBegin{946'684'800};  // of PostgreSQL's time
  written_ = {};
  if (microseconds) written_ += kBegin + std::chrono::microseconds{*microseconds};
}

// A session whose epoch changes in the chunk is there once for each epoch, the first one first.
bool Chunk::read_places(std::string_view keys, std::string_view epochs) {
  const ArrayReader<SessionKey> session{keys};
  const ArrayReader<std::uint64_t> epoch{epochs};
  if (session.count() == 0 || session.count() != epoch.count()) return false;
  for (std::size_t i = 0; i < session.count(); ++i) {
    const SessionKey key = session.at(i);
    if (key >= kSessionsMax || epoch.at(i) == 0) return false;
    if (key >= by_key_.size()) by_key_.resize(key + std::size_t{1});
    sessions_.push_back(key);
    if (by_key_[key].epoch == 0) by_key_[key].epoch = epoch.at(i);
  }
  return true;
}

Chunk::Placed* Chunk::find(SessionKey session) noexcept {
  if (session >= by_key_.size() || by_key_[session].epoch == 0) return nullptr;
  return &by_key_[session];
}

// The epoch that the row has is that of the first message that the session has sent, or if it has
// sent none, of the first one that it has received.
void Chunk::find_first_epochs(std::string_view entries) {
  EntryReader reader{entries};
  Entry entry;
  while (reader.next(entry)) {
    Placed* const placed = find(entry.session);
    if (placed == nullptr || placed->is_known) continue;
    if (entry.kind == EntryKind::OutboundMessage) {
      placed->epoch -= placed->begun;
      placed->is_known = true;
    } else if (is_received(entry)) {
      if (!placed->begun_before_received) placed->begun_before_received = placed->begun;
    } else if (entry.kind == EntryKind::NumbersSet && begins_epoch(entry)) {
      placed->epoch = decode_numbers_change(entry.bytes)->before.epoch - placed->begun;
      placed->is_known = true;
    } else if (begins_epoch(entry)) {
      ++placed->begun;
    }
  }
  for (const SessionKey session : sessions_) {
    Placed& placed = by_key_[session];
    if (!std::exchange(placed.is_known, true)) {
      placed.epoch -= placed.begun_before_received.value_or(0);
    }
  }
}

bool Chunk::read_entries(std::string_view entries) {
  find_first_epochs(entries);
  EntryReader reader{entries};
  Entry entry;
  for (std::size_t at = 0; reader.next(entry); at = entries.size() - reader.rest().size()) {
    const bool is_message = entry.kind == EntryKind::OutboundMessage;
    has_names_ = has_names_ || entry.kind == EntryKind::SessionOpened ||
                 entry.kind == EntryKind::SessionRenamed;
    Placed* const placed = find(entry.session);
    if (placed == nullptr) {
      if (is_message) return false;
    } else if (is_message || is_received(entry)) {
      (is_message ? messages_ : received_)
          .push_back({.session = entry.session,
                      .epoch = placed->epoch,
                      .number = is_message ? entry.number : received_number(entry),
                      .position = begin_ + at,
                      .bytes = entry.bytes});
    } else if (begins_epoch(entry)) {
      placed->epoch = entry.kind == EntryKind::Reset
                          ? placed->epoch + 1
                          : decode_numbers_change(entry.bytes)->after.epoch;
    }
  }
  return reader.at_end();
}

}  // namespace nexusfix::store::postgres
