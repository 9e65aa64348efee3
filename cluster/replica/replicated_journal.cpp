#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include <nexusfix/store/journal_replica.hpp>

#include "cluster/replica/numbers_limit.hpp"
#include "cluster/replica/replica_link.hpp"

namespace nexusfix::store {
namespace replica {
namespace {

// A journal, and what its durable() is with a replica.
class ReplicatedJournal final : public Store {
 public:
  ReplicatedJournal(std::unique_ptr<Store> journal, std::unique_ptr<ReplicaLink> link,
                    const JournalReplicaOptions& options)
      : journal_{std::move(journal)},
        link_{std::move(link)},
        limit_{options.numbers_ahead_max},
        is_strict_{options.policy == ReplicaPolicy::Strict} {
    for (const std::uint64_t next : link_->next_at_open())
      limit_.add(std::max<std::uint64_t>(next, 1));
  }

  StoreResult<SessionKey> open_session(std::string_view name, WallTime now) override {
    if (auto failed = link_->failure()) return std::unexpected{std::move(*failed)};
    const LogPosition begin = journal_->appended();
    const std::size_t count = journal_->session_count();
    auto key = journal_->open_session(name, now);
    if (!key || journal_->session_count() == count) return key;
    limit_.add_new();
    // The journal may skip numbers of a session that it has lost.
    std::vector<char> entries;
    append_entry(entries, {.kind = EntryKind::OutboundNumber,
                           .session = *key,
                           .number = journal_->session(*key).next_outbound - 1,
                           .bytes = {}});
    after_append(entries, begin);
    return key;
  }
  StoreResult<void> rename_session(SessionKey key, std::string_view name, WallTime now) override {
    if (auto failed = link_->failure()) return failed_with(std::move(*failed));
    auto renamed = journal_->rename_session(key, name, now);
    if (renamed) after_append({}, journal_->appended());
    return renamed;
  }
  std::optional<SessionKey> find_session(std::string_view name) const override {
    return journal_->find_session(name);
  }
  std::size_t session_count() const noexcept override { return journal_->session_count(); }
  std::string_view session_name(SessionKey key) const noexcept override {
    return journal_->session_name(key);
  }
  const SessionRecord& session(SessionKey key) const noexcept override {
    return journal_->session(key);
  }
  std::span<const NumberRange> lost_numbers(SessionKey key) const noexcept override {
    return journal_->lost_numbers(key);
  }
  std::uint64_t retired_until(SessionKey key) const noexcept override {
    return journal_->retired_until(key);
  }

  StoreResult<LogPosition> append(const Transaction& transaction, WallTime now) override {
    if (auto failed = link_->failure()) return failed_with(std::move(*failed));
    const LogPosition begin = journal_->appended();
    auto end = journal_->append(transaction, now);
    if (end && !transaction.empty()) after_append(transaction.entries(), begin);
    return end;
  }
  LogPosition appended() const noexcept override { return journal_->appended(); }
  LogPosition durable() const noexcept override {
    const LogPosition replicated = link_->replicated();
    const LogPosition local = journal_->durable();
    return is_strict_ ? std::min(local, replicated) : limit_.durable(local, replicated);
  }
  LogPosition synced() const noexcept override { return journal_->synced(); }
  StoreResult<LogPosition> flush() override {
    if (auto failed = link_->failure()) return failed_with(std::move(*failed));
    link_->want_wake();
    if (auto flushed = journal_->flush(); !flushed) return flushed;
    link_->publish(journal_->durable());
    return durable();
  }
  StoreResult<void> close() override {
    const LogPosition end = journal_->durable();
    auto replicated = link_->close(end, end == journal_->appended());
    auto closed = journal_->close();
    return closed ? replicated : closed;
  }
  bool had_ended_in_order() const noexcept override { return journal_->had_ended_in_order(); }
  bool has_room_for(std::uint64_t bytes) const noexcept override {
    return journal_->has_room_for(bytes);
  }
  std::optional<StoreEvent> take_event() override {
    if (auto event = journal_->take_event()) return event;
    return link_->take_event();
  }
  std::optional<ReplicaFigures> replica() const noexcept override { return link_->figures(); }

  StoreResult<void> read(SessionKey key, std::uint64_t first, std::uint64_t last,
                         MessageVisitor visit) override {
    return journal_->read(key, first, last, visit);
  }
  std::unique_ptr<Fetch> fetch(SessionKey key, std::uint64_t first, std::uint64_t last,
                               std::uint64_t bytes_max) override {
    return journal_->fetch(key, first, last, bytes_max);
  }
  StoreResult<void> scan(LogVisitor visit) override { return journal_->scan(visit); }
  StoreResult<void> scan_all(LogVisitor visit) override { return journal_->scan_all(visit); }

 private:
  static std::unexpected<StoreError> failed_with(StoreError error) {
    error.code = StoreErrorCode::Failed;
    return std::unexpected{std::move(error)};
  }

  // Strict: flush() publishes what has gathered by then.
  void after_append(std::span<const char> entries, LogPosition begin) {
    if (is_strict_) return;
    if (limit_.on_record(entries, begin, journal_->appended(), link_->replicated())) {
      link_->report(EventId::ReplicaNumbersUsed,
                    "a session has used all sequence numbers that the replica may lack "
                    "(JournalReplicaNumbersAhead): bytes of all sessions wait until it has them");
    }
    link_->publish(journal_->durable());
  }

  std::unique_ptr<Store> journal_;
  std::unique_ptr<ReplicaLink> link_;
  NumbersLimit limit_;
  bool is_strict_;
};

}  // namespace
}  // namespace replica

std::string_view to_string(ReplicaPolicy policy) noexcept {
  switch (policy) {
    case ReplicaPolicy::None:
      return "none";
    case ReplicaPolicy::Available:
      return "available";
    case ReplicaPolicy::Strict:
      return "strict";
  }
  return "unknown";
}

StoreResult<OpenedJournal> open_replicated_journal(Disk& disk, const JournalReplicaOptions& options,
                                                   WallTime now) {
  auto opened = open_journal(disk, options.journal, now);
  if (!opened) return opened;
  auto link = std::make_unique<replica::ReplicaLink>(disk, options);
  if (auto connected = link->open(*opened->store); !connected) {
    // So that the next start does not report a loss of power.
    static_cast<void>(opened->store->close());
    return std::unexpected{std::move(connected.error())};
  }
  opened->store = std::make_unique<replica::ReplicatedJournal>(std::move(opened->store),
                                                               std::move(link), options);
  return opened;
}

const JournalReplicaPart* journal_replica_part() noexcept {
  static constexpr JournalReplicaPart kPart{.open = open_replicated_journal};
  return &kPart;
}

}  // namespace nexusfix::store
