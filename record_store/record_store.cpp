#include <algorithm>
#include <exception>
#include <utility>

#include <nexusfix/record_store.hpp>
#include <nexusfix/store.hpp>

#include "store/api/entry.hpp"
#include "store/api/session_table.hpp"

namespace nexusfix::store {
namespace {

constexpr std::string_view kStopped = "the store is closed, or has failed";

}  // namespace

struct RecordStore::Sessions {
  SessionTable table;
  // The epochs that the entries before the present one have begun, in the present record.
  std::vector<std::pair<SessionKey, std::uint64_t>> begun;

  [[nodiscard]] std::uint64_t epoch_of(SessionKey key) const noexcept {
    const auto last = std::ranges::find(begun.rbegin(), begun.rend(), key,
                                        &std::pair<SessionKey, std::uint64_t>::first);
    return last != begun.rend() ? last->second : table.record(key).epoch;
  }
};

RecordStore::RecordStore(std::string name, const StoreOptions& options)
    : sessions_{std::make_unique<Sessions>()},
      name_{std::move(name)},
      record_bytes_max_{options.record_bytes_max} {}

RecordStore::~RecordStore() = default;

std::unexpected<StoreError> RecordStore::failure(StoreErrorCode code,
                                                 std::string_view reason) const {
  return std::unexpected{StoreError{.code = code, .text = name_ + ": " + std::string{reason}}};
}

StoreResult<void> RecordStore::replay(WallTime time, std::span<const char> entries) {
  if (auto applied = sessions_->table.apply(entries, time); !applied) {
    return failure(StoreErrorCode::Corrupt, "the record that ends at " +
                                                std::to_string(appended_ + entries.size()) +
                                                " is damaged: " + std::string{applied.error()});
  }
  appended_ += entries.size();
  durable_ = appended_;
  return {};
}

StoreResult<SessionKey> RecordStore::open_session(std::string_view name, WallTime now) {
  const SessionTable& table = sessions_->table;
  if (const std::optional<SessionKey> key = table.find(name)) {
    if (!table.is_unfinished(*key)) return *key;
    return failure(StoreErrorCode::SessionRefused, SessionTable::unfinished_text(name));
  }
  if (auto room = table.has_room_for(name); !room) {
    return failure(StoreErrorCode::TooLarge, room.error());
  }
  const auto key = static_cast<SessionKey>(table.size());
  std::vector<char> entries;
  append_entry(entries,
               {.kind = EntryKind::SessionOpened, .session = key, .number = 0, .bytes = name});
  if (auto appended = append_entries(entries, now); !appended) {
    return std::unexpected{std::move(appended.error())};
  }
  return key;
}

StoreResult<void> RecordStore::rename_session(SessionKey key, std::string_view name, WallTime now) {
  if (auto may = sessions_->table.check_rename(name); !may) {
    const bool is_long = name.size() > kSessionNameBytesMax;
    return failure(is_long ? StoreErrorCode::TooLarge : StoreErrorCode::Refused, may.error());
  }
  std::vector<char> entries;
  append_entry(entries,
               {.kind = EntryKind::SessionRenamed, .session = key, .number = 0, .bytes = name});
  if (auto appended = append_entries(entries, now); !appended) {
    return std::unexpected{std::move(appended.error())};
  }
  return {};
}

std::optional<SessionKey> RecordStore::find_session(std::string_view name) const {
  return sessions_->table.find(name);
}
std::size_t RecordStore::session_count() const noexcept { return sessions_->table.size(); }
std::string_view RecordStore::session_name(SessionKey key) const noexcept {
  return sessions_->table.name(key);
}
const SessionRecord& RecordStore::session(SessionKey key) const noexcept {
  return sessions_->table.record(key);
}
std::span<const NumberRange> RecordStore::lost_numbers(SessionKey key) const noexcept {
  return sessions_->table.lost(key);
}

StoreResult<LogPosition> RecordStore::append(const Transaction& transaction, WallTime now) {
  if (transaction.empty() && !has_stopped_) return appended_;
  return append_entries(transaction.entries(), now);
}

// The table must not have what the medium does not have: an error of the medium stops the store.
template <class Call>
StoreResult<void> RecordStore::call_medium(Call call) {
  StoreResult<void> done;
  try {
    done = call();
  } catch (const std::exception& error) {
    done = failure(StoreErrorCode::Disk, error.what());
  }
  has_stopped_ = !done;
  return done;
}

StoreResult<LogPosition> RecordStore::append_entries(std::span<const char> entries, WallTime now) {
  if (has_stopped_) return failure(StoreErrorCode::Failed, kStopped);
  if (entries.size() > record_bytes_max_) {
    return failure(StoreErrorCode::TooLarge, "a record of " + std::to_string(entries.size()) +
                                                 " bytes is above the limit of " +
                                                 std::to_string(record_bytes_max_));
  }
  find_messages(entries);
  if (auto applied = sessions_->table.apply(entries, now); !applied) {
    return failure(StoreErrorCode::Refused, applied.error());
  }
  const LogPosition end = appended_ + entries.size();
  const StoredRecord record{.end = end, .time = now, .entries = entries, .messages = messages_};
  if (auto written = call_medium([&] { return write(record); }); !written) {
    return std::unexpected{std::move(written.error())};
  }
  appended_ = end;
  return appended_;
}

// Before the entries are applied: a reset among them begins an epoch for those after it.
void RecordStore::find_messages(std::span<const char> entries) {
  messages_.clear();
  sessions_->begun.clear();
  EntryReader reader{entries};
  Entry entry;
  while (reader.next(entry)) {
    if (is_of_log(entry.kind) || entry.session >= sessions_->table.size()) continue;
    if (entry.kind == EntryKind::OutboundMessage) {
      messages_.push_back(
          {entry.session, sessions_->epoch_of(entry.session), entry.number, entry.bytes});
    } else if (entry.kind == EntryKind::NumbersSet) {
      const auto change = decode_numbers_change(entry.bytes);
      sessions_->begun.emplace_back(entry.session, change->after.epoch);
    } else if (begins_epoch(entry)) {
      sessions_->begun.emplace_back(entry.session, sessions_->epoch_of(entry.session) + 1);
    }
  }
}

StoreResult<LogPosition> RecordStore::flush() {
  if (has_stopped_) return failure(StoreErrorCode::Failed, kStopped);
  if (durable_ != appended_) {
    if (auto done = call_medium([&] { return commit(); }); !done) {
      return std::unexpected{std::move(done.error())};
    }
    durable_ = appended_;
  }
  return durable_;
}

StoreResult<void> RecordStore::close() {
  if (auto flushed = flush(); !flushed) return std::unexpected{std::move(flushed.error())};
  has_stopped_ = true;
  return {};
}

}  // namespace nexusfix::store
