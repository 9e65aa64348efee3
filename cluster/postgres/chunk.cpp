#include "cluster/postgres/chunk.hpp"

#include <chrono>
#include <cstddef>

#include "cluster/postgres/server/array_column.hpp"
#include "store/api/entry.hpp"
#include "store/api/session_table.hpp"

namespace nexusfix::store::postgres {

bool Chunk::read(LogPosition position, std::string_view keys, std::string_view epochs,
                 std::string_view entries) {
  messages_.clear();
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

// The epoch that the row has is that of the session's first message.
bool Chunk::read_entries(std::string_view entries) {
  EntryReader reader{entries};
  Entry entry;
  for (std::size_t at = 0; reader.next(entry); at = entries.size() - reader.rest().size()) {
    const bool is_message = entry.kind == EntryKind::OutboundMessage;
    has_names_ = has_names_ || entry.kind == EntryKind::SessionOpened ||
                 entry.kind == EntryKind::SessionRenamed;
    if (entry.session >= by_key_.size() || by_key_[entry.session].epoch == 0) {
      if (is_message) return false;
      continue;
    }
    Placed& placed = by_key_[entry.session];
    if (is_message) {
      placed.has_message = true;
      messages_.push_back({.session = entry.session,
                           .epoch = placed.epoch,
                           .number = entry.number,
                           .position = begin_ + at,
                           .bytes = entry.bytes});
    } else if (placed.has_message && begins_epoch(entry)) {
      placed.epoch = entry.kind == EntryKind::Reset
                         ? placed.epoch + 1
                         : decode_numbers_change(entry.bytes)->after.epoch;
    }
  }
  return reader.at_end();
}

}  // namespace nexusfix::store::postgres
