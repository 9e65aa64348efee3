// Checks a whole journal, and repairs a damaged one. Link `nexusfix::journal_tools`. A store that
// opens a damaged journal recovers without it.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/disk.hpp>
#include <nexusfix/store.hpp>

#include "store/api/session_table.hpp"

namespace nexusfix::store {

// A segment that was checked.
struct CheckedSegment {
  std::string file;           // its path
  std::uint64_t bytes = 0;    // the size of its part of the log
  std::uint64_t records = 0;  // the number of intact records
};

// A session that was found in a journal.
struct CheckedSession {
  std::string name;            // as far as the log has it
  SessionRecord record;        // its state after the last intact record
  std::uint64_t messages = 0;  // the number of intact messages, of every epoch
};

// Bytes that are no record, with intact records after them or in a later segment.
struct FoundDamage {
  std::string file;                 // the path of the segment
  std::uint64_t offset = 0;         // the first damaged byte in the file
  std::uint64_t bytes = 0;          // the number of damaged bytes
  std::string what;                 // the kind of damage, for people
  std::vector<std::string> losses;  // for people: which session lost what, or may have
};

// Bytes other than zeros after the last record of a segment that is not the last one, or in a file
// that was prepared and never begun. They are no part of the log. Opening ignores the first, and
// empties the second.
struct UnusedBytes {
  std::string file;          // the path of the segment
  std::uint64_t offset = 0;  // the first of the bytes in the file
  std::uint64_t bytes = 0;   // up to the end of the file
};

// What an operator changed, as the log keeps it: sequence numbers that were set, or a repair.
struct FoundChange {
  WallTime time;                  // when the change was made
  std::string session;            // the name; empty: a repair; its MsgSeqNums are other entries
  NumbersChange::Numbers before;  // the sequence numbers before the change
  NumbersChange::Numbers after;   // the sequence numbers after the change
  std::string text;               // who, when and why
};

// The result of verify_journal(). All lists are in the order of the log.
struct JournalCheck {
  std::vector<CheckedSegment> segments;  // all segments that exist
  std::vector<CheckedSession> sessions;  // by key
  std::vector<FoundDamage> damages;      // empty: the log is intact
  std::vector<UnusedBytes> unused;       // bytes where only zeros should be
  std::vector<FoundChange> changes;      // what operators changed
  // Checkpoints that are damaged, or do not match the records before them, each as a text. Opening
  // would read more of the log, or trust a wrong checkpoint.
  std::vector<std::string> checkpoint_faults;
  // The log ends before the position that its last owner recorded, as a text; open_journal()
  // refuses such a log. Empty: it does not, nothing was recorded, or a loss of power explains it.
  std::string lost_end;
  std::string record_fault;  // why the recorded position cannot be read; empty: it can, or is none
  std::uint64_t retired_segments = 0;  // the segments before the first one that exists
  std::uint64_t records = 0;           // the number of intact records
  std::uint64_t messages = 0;          // the number of intact messages
  std::uint64_t bytes = 0;             // the size of the log
  std::uint64_t torn_bytes = 0;        // after the last record: an interrupted write
  std::uint64_t torn_offset = 0;       // where torn_bytes begin in the last segment
  bool in_use = false;                 // a running process has it open: its end may be half written
  // As JournalReport::power_lost. inspect_journal() reports what opening would cut and skip.
  bool power_lost = false;
};

// Reads and checks every record of every segment, and goes on after damage. Writes nothing. O(log);
// blocks on the disk.
// Errors: Missing: the folder has no journal. Disk. Corrupt: the log cannot be followed, because a
// segment is missing, or belongs to another journal or version, or an intact record contradicts
// those before it.
[[nodiscard]] StoreResult<JournalCheck> verify_journal(Disk& disk, const std::string& folder);

// Whether a repair is done or only planned.
enum class RepairMode : std::uint8_t {
  Plan,   // describe the repair; write nothing
  Carry,  // do it
};

// How a journal is repaired.
struct RepairOptions {
  std::string folder;                  // the folder of the journal
  RepairMode mode = RepairMode::Plan;  // plan or repair
  std::string text;                    // who, when and why; kept in the log
  // The names of sessions whose opening was damaged, by key. Without them a repair of these fails
  // with Refused.
  std::map<SessionKey, std::string> names;
};

// What a repair did, or would do.
struct RepairReport {
  std::vector<std::string> steps;   // for people, in order; empty: there is nothing to repair
  std::vector<std::string> alarms;  // for people: the sessions and MsgSeqNums that are lost
  std::string copy_folder;          // where the original files are; empty: nothing was changed
};

// Replaces damaged bytes by a record that says so, and cuts off an interrupted write. If a session
// may have used more MsgSeqNums than the log knows, its next outbound MsgSeqNum is raised above all
// of them, so that none is used twice. Store::lost_numbers() then has the lost ones, and a
// counterparty that requests them gets a gap fill. The files that change are copied to a folder of
// their own first. An interrupted repair can be done again. Blocks on the disk.
// Errors: as of verify_journal(). Locked: a process has the journal open. Refused: the name of a
// session is needed.
[[nodiscard]] StoreResult<RepairReport> repair_journal(Disk& disk, const RepairOptions& options,
                                                       WallTime now);

// Whether a file that begins with these bytes is a segment of a journal, of any version that this
// library reads. Its records are not read.
[[nodiscard]] bool is_segment(std::span<const char> bytes) noexcept;

}  // namespace nexusfix::store
