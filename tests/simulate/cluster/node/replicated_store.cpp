#include "node/replicated_store.hpp"

#include <chrono>
#include <utility>
#include <vector>

#include "node/log_writer.hpp"
#include "store/api/entry.hpp"

namespace nexusfix::simulator::cluster {

using store::Entry;
using store::EntryKind;
using store::EntryReader;
using store::LogPosition;
using store::SessionKey;
using store::StoreError;
using store::StoreErrorCode;
using store::StoreResult;

namespace {

// A fetch asks again after this time.
constexpr std::chrono::milliseconds kAgain{100};

}  // namespace

StoreResult<SessionKey> ReplicatedStore::open_session(std::string_view name, WallTime now) {
  if (const auto key = sessions().find(name)) return *key;
  const auto key = static_cast<SessionKey>(sessions().size());
  std::vector<char> entries;
  store::append_entry(
      entries, {.kind = EntryKind::SessionOpened, .session = key, .number = 0, .bytes = name});
  if (auto appended = parts_.log.append(entries, now); !appended) {
    return std::unexpected{std::move(appended.error())};
  }
  return key;
}

StoreResult<void> ReplicatedStore::rename_session(SessionKey, std::string_view, WallTime) {
  return std::unexpected{StoreError{.code = StoreErrorCode::Refused,
                                    .text = "the cluster's sessions keep their name"}};
}

StoreResult<LogPosition> ReplicatedStore::append(const store::Transaction& transaction,
                                                 WallTime now) {
  if (transaction.empty()) return queue().appended();
  return parts_.log.append(transaction.entries(), now);
}

LogPosition ReplicatedStore::durable() const noexcept {
  if (parts_.context.bug == Bug::SendsBeforeCommit) return queue().appended();
  return queue().durable();
}

StoreResult<LogPosition> ReplicatedStore::flush() {
  auto flushed = queue().flush();
  if (!flushed) return flushed;
  if (*flushed < queue().appended()) parts_.wake_writer();
  return durable();
}

// From the database, as the PostgreSQL store does on a connection of its own, and from the queue.
StoreResult<void> ReplicatedStore::read(SessionKey key, std::uint64_t first, std::uint64_t last,
                                        MessageVisitor visit) {
  if (!parts_.database.answers(parts_.node)) {
    return std::unexpected{
        StoreError{.code = StoreErrorCode::Server, .text = "the database does not answer"}};
  }
  const LogPosition durable = queue().durable();
  bool goes_on = true;
  const auto read_record = [&](const LogRecord& record) {
    EntryReader reader{record.entries};
    for (Entry entry; goes_on && reader.next(entry);) {
      const bool is_wanted = entry.kind == EntryKind::OutboundMessage && entry.session == key &&
                             entry.number >= first && entry.number <= last;
      if (is_wanted) goes_on = visit(entry.number, entry.bytes);
    }
  };
  for (const ChunkPointer& chunk : parts_.database.log()) {
    if (chunk->end > durable) break;
    for (const LogRecord& record : chunk->records) read_record(record);
  }
  for (const OwnerLog::Unconfirmed& one : parts_.log.unconfirmed()) read_record(one.record);
  return {};
}

class ReplicatedStore::Result final : public store::Store::Fetch {
 public:
  explicit Result(std::shared_ptr<Fetched> fetched) : fetched_{std::move(fetched)} {}

  bool is_done() const noexcept override { return fetched_->is_done; }
  StoreResult<void> read(FunctionRef<bool(std::uint64_t, std::string_view)> visit) override {
    if (fetched_->has_failed) {
      return std::unexpected{
          StoreError{.code = StoreErrorCode::Server, .text = "the database does not answer"}};
    }
    for (const auto& [number, bytes] : fetched_->messages) {
      if (!visit(number, bytes)) break;
    }
    return {};
  }

 private:
  std::shared_ptr<Fetched> fetched_;
};

std::unique_ptr<store::Store::Fetch> ReplicatedStore::fetch(SessionKey key, std::uint64_t first,
                                                            std::uint64_t last, std::uint64_t) {
  auto fetched = std::make_shared<Fetched>();
  serve(fetched, key, {first, last}, {});
  return std::make_unique<Result>(std::move(fetched));
}

// Asks until there is an answer, or the time limit is over.
void ReplicatedStore::serve(const std::shared_ptr<Fetched>& fetched, SessionKey key,
                            store::NumberRange range, std::chrono::milliseconds waited) {
  const std::chrono::microseconds delay{300 + parts_.context.random.below(2'000)};
  parts_.later(delay, [this, fetched, key, range, waited] {
    const bool answers = parts_.database.answers(parts_.node);
    if (!answers && waited < kAnswerTimeout) {
      return parts_.later(kAgain, [this, fetched, key, range, waited] {
        serve(fetched, key, range, waited + kAgain);
      });
    }
    fetched->has_failed = !answers || !read(key, range.first, range.last,
                                            [&](std::uint64_t number, std::string_view bytes) {
                                              fetched->messages.emplace(number, bytes);
                                              return true;
                                            });
    fetched->is_done = true;
    parts_.log.wake();
  });
}

// What the standby has followed, and what its claim added.
StoreResult<void> ReplicatedStore::scan(LogVisitor visit) {
  for (const ChunkPointer& chunk : parts_.log.chunks()) {
    for (const LogRecord& record : chunk->records) {
      EntryReader reader{record.entries};
      for (Entry entry; reader.next(entry);) {
        if (entry.kind != EntryKind::OutboundMessage) continue;
        visit({.session = sessions().name(entry.session),
               .epoch = 1,
               .msg_seq_num = entry.number,
               .bytes = entry.bytes});
      }
    }
  }
  return {};
}

}  // namespace nexusfix::simulator::cluster
