// A base class for a store of one's own. It has the sessions, their names and their rules in
// memory; the derived class writes records to its medium, and reads messages from it. Link
// `nexusfix::record_store`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/store.hpp>

namespace nexusfix::store {

// A message of a record.
struct RecordMessage {
  SessionKey session = 0;         // the session that sent it
  std::uint64_t epoch = 1;        // the epoch of the session in which it was sent
  std::uint64_t msg_seq_num = 0;  // MsgSeqNum (34)
  std::string_view bytes;         // the whole message: a part of StoredRecord::entries
};

// A record, as a medium stores it. The views are valid until the call that gets it returns.
struct StoredRecord {
  LogPosition end = 0;                      // its position; ascends from record to record
  WallTime time;                            // for replay()
  std::span<const char> entries;            // for replay(): all that the record says, as bytes
  std::span<const RecordMessage> messages;  // the messages in it, for read() and scan()
};

// Does what every store does alike: it checks the rules of Store::append(), knows each session's
// numbers and name, and counts positions. A derived class stores each record with write(), passes
// all of them to replay() when it opens, in the same order, and implements read() and scan():
//
//   class MyStore : public store::RecordStore {
//     StoreResult<void> write(const StoredRecord& record) override;  // INSERT
//     StoreResult<void> commit() override;                     // COMMIT
//     StoreResult<void> read(SessionKey key, std::uint64_t first, std::uint64_t last,
//                            MessageVisitor visit) override;   // SELECT
//     StoreResult<void> scan(LogVisitor visit) override;
//   };
//
// An error of write() or commit() stops the store: every further call fails, and the engine ends
// its sessions. A std::exception counts as an error with code Disk. After a restart the medium may
// have the record, or not, but no part of it. The sessions need memory; replay() reads the whole
// log. One thread at a time, as Store.
class RecordStore : public Store {
 public:
  ~RecordStore() override;
  RecordStore(const RecordStore&) = delete;
  RecordStore& operator=(const RecordStore&) = delete;

  StoreResult<SessionKey> open_session(std::string_view name, WallTime now) override;
  StoreResult<void> rename_session(SessionKey key, std::string_view name, WallTime now) override;
  std::optional<SessionKey> find_session(std::string_view name) const override;
  std::size_t session_count() const noexcept override;
  std::string_view session_name(SessionKey key) const noexcept override;
  const SessionRecord& session(SessionKey key) const noexcept override;
  std::span<const NumberRange> lost_numbers(SessionKey key) const noexcept override;
  StoreResult<LogPosition> append(const Transaction& transaction, WallTime now) override;
  LogPosition appended() const noexcept override { return appended_; }
  LogPosition durable() const noexcept override { return durable_; }
  // Calls commit() if something was appended since.
  StoreResult<LogPosition> flush() override;
  // As flush(). A derived class that overrides it calls it first.
  StoreResult<void> close() override;
  std::optional<StoreEvent> next_event() override { return std::nullopt; }

 protected:
  // name: of the store, for the texts of errors, such as "SQLite store /var/lib/fix.db".
  RecordStore(std::string name, const StoreOptions& options);

  // While the store opens: the next stored record, the oldest one first. Corrupt: it does not
  // follow from the records before it.
  [[nodiscard]] StoreResult<void> replay(WallTime time, std::span<const char> entries);

  // An error of this store, with its name before the reason.
  [[nodiscard]] std::unexpected<StoreError> failure(StoreErrorCode code,
                                                    std::string_view reason) const;

 private:
  // Stores the record, whole or not at all; read() and scan() find it at once. It need not be
  // durable before commit().
  [[nodiscard]] virtual StoreResult<void> write(const StoredRecord& record) = 0;
  // Makes all written records durable. Blocks until they are.
  [[nodiscard]] virtual StoreResult<void> commit() = 0;

  StoreResult<LogPosition> append_entries(std::span<const char> entries, WallTime now);
  void find_messages(std::span<const char> entries);
  template <class Call>
  [[nodiscard]] StoreResult<void> call_medium(Call call);

  struct Sessions;
  std::unique_ptr<Sessions> sessions_;
  std::string name_;
  std::uint32_t record_bytes_max_;
  std::vector<RecordMessage> messages_;  // of the present record
  LogPosition appended_ = 0;
  LogPosition durable_ = 0;
  bool has_stopped_ = false;
};

}  // namespace nexusfix::store
