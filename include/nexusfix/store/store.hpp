// The log of a shard: what was sent as which number, what comes next, and how durable it is.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

#include <nexusfix/base/function_ref.hpp>
#include <nexusfix/base/time.hpp>
#include <nexusfix/store/transaction.hpp>

namespace nexusfix::store {

// A position in the log: everything before it. Grows with each append.
using LogPosition = std::uint64_t;

struct SessionRecord {
  std::uint64_t next_inbound = 1;
  std::uint64_t next_outbound = 1;
  std::uint64_t epoch = 1;  // counts resets
  WallTime created;
};

enum class StoreErrorCode : std::uint8_t {
  Disk,        // the file system refused; text names path and cause
  Corrupt,     // a record in the middle does not check; text names file, offset and remedy
  Locked,      // another process owns the log
  Failed,      // an earlier error stopped this store: nothing is accepted any more
  TooLarge,    // a transaction above the record limit
};

// Cold: made only when something is wrong.
struct StoreError {
  StoreErrorCode code = StoreErrorCode::Failed;
  std::string text;
};

template <class T>
using StoreResult = std::expected<T, StoreError>;

// One thread at a time. After any error from append() or flush() the store is stopped: every
// further call fails, because what is on disk is no longer certain.
class Store {
 public:
  virtual ~Store() = default;

  // The session of this name, created if it is new.
  [[nodiscard]] virtual StoreResult<SessionKey> open_session(std::string_view name, WallTime now) = 0;
  [[nodiscard]] virtual const SessionRecord& session(SessionKey key) const noexcept = 0;

  // Appends one record; the session records above change at once. No allocation in steady state.
  [[nodiscard]] virtual StoreResult<LogPosition> append(const Transaction& transaction,
                                                        WallTime now) = 0;
  // Everything before appended() is in the log; everything before durable() survives what the
  // durability mode promises to survive. Bytes may go to a socket only once their record is durable.
  [[nodiscard]] virtual LogPosition appended() const noexcept = 0;
  [[nodiscard]] virtual LogPosition durable() const noexcept = 0;
  // Moves durable() towards appended(): at once or in the background. Returns durable().
  [[nodiscard]] virtual StoreResult<LogPosition> flush() = 0;

  // Passes the kept messages of the current epoch with numbers first to last, ascending, numbers
  // without a kept message left out, until visit returns false. Bytes live until visit returns.
  using MessageVisitor = FunctionRef<bool(std::uint64_t msg_seq_num, std::string_view bytes)>;
  [[nodiscard]] virtual StoreResult<void> read(SessionKey key, std::uint64_t first,
                                               std::uint64_t last, MessageVisitor visit) = 0;

  // Passes every kept message of every session and epoch in the order of the log: how an
  // application rebuilds what it had in memory.
  struct LogMessage {
    std::string_view session;  // its name
    std::uint64_t epoch = 1;
    std::uint64_t msg_seq_num = 0;
    std::string_view bytes;
  };
  using LogVisitor = FunctionRef<void(const LogMessage&)>;
  [[nodiscard]] virtual StoreResult<void> scan(LogVisitor visit) = 0;
};

}  // namespace nexusfix::store
