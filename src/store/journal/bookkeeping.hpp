// The entries that a journal adds to a record on its own: the log's owner, how far the log was
// synced, and which outbound sequence numbers are reserved. After a loss of power they tell the
// next start which bytes are damaged and which had not reached the disk, and how many numbers it
// must skip.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <nexusfix/store.hpp>

#include "store/api/entry.hpp"
#include "store/api/session_table.hpp"
#include "store/state/sequence_number_reserve.hpp"

namespace nexusfix::store {

class Bookkeeping {
 public:
  // block: how many numbers of a session are reserved at a time.
  explicit Bookkeeping(std::uint64_t block);

  // The log is open. owner_recorded: it names the owner of this epoch already.
  void start(std::uint64_t owner_epoch, bool owner_recorded, LogPosition recorded_sync);
  // A session of the log. Allocates.
  void add_session(std::uint64_t next_outbound) { reserve_.add(next_outbound); }
  // So that the record that opens the next session needs no memory for it.
  void make_room_for_session() { reserve_.make_room(); }

  // Whether make_entries() has something to write. Once for each record.
  [[nodiscard]] bool is_due(LogPosition synced) const noexcept {
    return is_synced_further(synced) || has_entries_to_make();
  }
  // The log does not say yet that it was synced up to there.
  [[nodiscard]] bool is_synced_further(LogPosition synced) const noexcept {
    return synced > recorded_sync_;
  }
  // Also if no sync has ended.
  [[nodiscard]] bool has_entries_to_make() const noexcept {
    return reserve_.has_pending() || !owner_recorded_;
  }
  // For the next record. More than bytes_max of them wait for a later one.
  void make_entries(LogPosition synced, const SessionTable& sessions, std::size_t bytes_max);
  // Empty: none.
  [[nodiscard]] std::span<const char> entries() const noexcept { return entries_; }
  // The entries are in the log, which ends there. True: a reservation is among them, which should
  // be synced long before its numbers are needed.
  [[nodiscard]] bool on_written(LogPosition synced, LogPosition end, SessionTable& sessions);

  // Follows the sequence numbers that an applied record uses. True: the record must be synced
  // before its bytes may leave. Where bytes leave before they are synced, a loss of power forgets
  // the last of what was used, up to a limit that the next start skips. A reset or a session that
  // was forgotten would have all its numbers used again: those are waited for.
  [[nodiscard]] bool track(std::span<const char> entries);
  // False: track() would change nothing, and return false.
  [[nodiscard]] bool must_track(const CommonRecord& common) const noexcept {
    return common.msg_seq_num >= reserve_.reserve_threshold(common.session);
  }

 private:
  [[nodiscard]] bool track(SessionKey session, std::uint64_t msg_seq_num) noexcept {
    return msg_seq_num >= reserve_.reserve_threshold(session) && reserve_.use(session, msg_seq_num);
  }
  [[nodiscard]] bool track(const Entry& entry);

  SequenceNumberReserve reserve_;
  std::vector<char> entries_;  // for the next record
  std::uint64_t owner_epoch_ = 0;
  LogPosition recorded_sync_ = 0;  // the log says that it was synced up to there
  bool owner_recorded_ = false;    // and whose it is
};

}  // namespace nexusfix::store
