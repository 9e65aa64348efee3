// ReplicaPolicy::Available: how many MsgSeqNums each session may use that the replica lacks. Its
// next owner skips as many, so no MsgSeqNum is used twice.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "store/format/entry.hpp"
#include "store/write/durability_hold.hpp"

namespace nexusfix::store::replica {

// The thread that appends.
class NumbersLimit {
 public:
  explicit NumbersLimit(std::uint64_t ahead_max) noexcept : ahead_max_{ahead_max} {}

  // A session that the replica has with this next number in the same epoch; sessions come in the
  // order of their keys.
  void add(std::uint64_t next_in_replica) {
    sessions_.push_back({.limit = next_in_replica + ahead_max_});
  }
  // One that the replica lacks, or has in an earlier epoch: its next owner skips at least the
  // numbers below this.
  void add_new() { add(1); }

  // A record of the journal from begin to end, after it was appended. replicated: the replica has
  // all before it. True: a session has used too many numbers, and did not before.
  [[nodiscard]] bool on_record(std::span<const char> entries, LogPosition begin, LogPosition end,
                               LogPosition replicated) {
    const bool was_held = hold_.is_active(replicated);
    EntryReader reader{entries};
    Entry entry;
    while (reader.next(entry)) {
      switch (entry.kind) {
        case EntryKind::OutboundMessage:
        case EntryKind::OutboundNumber:
          use(entry.session, entry.number, begin, end, replicated);
          break;
        case EntryKind::Reset:
          sessions_[entry.session] = {.limit = 1 + ahead_max_};
          break;
        case EntryKind::NumbersSet: {
          const auto change = decode_numbers_change(entry.bytes);
          if (change->after.epoch != change->before.epoch) {
            sessions_[entry.session] = {.limit = 1 + ahead_max_};
          }
          use(entry.session, change->after.next_outbound - 1, begin, end, replicated);
          break;
        }
        default:
          break;
      }
    }
    return !was_held && hold_.is_active(replicated);
  }

  // How much of what the journal has as durable may leave.
  [[nodiscard]] LogPosition durable(LogPosition journal, LogPosition replicated) const noexcept {
    return hold_.durable(journal, replicated);
  }

 private:
  struct Session {
    std::uint64_t limit = 0;        // numbers below it may leave
    LogPosition pending_until = 0;  // when the replica has this, the next is the limit; 0: none
    std::uint64_t pending_limit = 0;
  };

  void use(SessionKey key, std::uint64_t number, LogPosition begin, LogPosition end,
           LogPosition replicated) {
    Session& one = sessions_[key];
    if (one.pending_until != 0 && replicated >= one.pending_until) {
      one.limit = one.pending_limit;
      one.pending_until = 0;
    }
    if (one.pending_until == 0) {
      one.pending_until = end;
      one.pending_limit = number + 1 + ahead_max_;
    }
    if (number >= one.limit) hold_.add(begin, end, replicated);
  }

  std::uint64_t ahead_max_;
  std::vector<Session> sessions_;  // by key
  DurabilityHold hold_;
};

}  // namespace nexusfix::store::replica
