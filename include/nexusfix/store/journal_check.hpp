// Checking a whole journal, byte for byte, and repairing one that is damaged. Link
// nexusfix::journal_tools.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/base/time.hpp>
#include <nexusfix/store/store.hpp>

namespace nexusfix::store {

struct CheckedSegment {
  std::string file;  // its path
  std::uint64_t bytes = 0;
  std::uint64_t records = 0;
};

struct CheckedSession {
  std::string name;
  SessionRecord record;
  std::uint64_t messages = 0;  // intact ones, of every epoch
};

// Bytes that are no record, with intact records after them or in a later segment.
struct FoundDamage {
  std::string file;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;
  std::string what;
  std::vector<std::string> losses;  // for people: which session lost, or may have lost, what
};

// Bytes after the last record of a segment that others follow, where only zeros should be. They are
// no part of the log, as the next segment's header says where the segment's records end: opening
// passes over them. Or bytes in a file that was prepared and never opened: opening empties it.
struct UnusedBytes {
  std::string file;
  std::uint64_t offset = 0;
  std::uint64_t bytes = 0;  // up to the file's end
};

// What an operator did, as the log keeps it: a decision about numbers, or a repair.
struct FoundChange {
  WallTime time;
  std::string session;  // empty: a repair; numbers that it moved are a change of their own
  NumbersChange::Numbers before;
  NumbersChange::Numbers after;
  std::string text;
};

struct JournalCheck {
  std::vector<CheckedSegment> segments;
  std::vector<CheckedSession> sessions;  // by key
  std::vector<FoundDamage> damages;      // in the order of the log
  std::vector<UnusedBytes> unused;       // not empty where they should be; likewise
  std::vector<FoundChange> changes;      // in the order of the log
  // Checkpoints that do not check, or do not match the records before them: opening would read
  // more, or go wrong. Texts.
  std::vector<std::string> checkpoint_faults;
  // The log ends before the position that its last owner recorded: opening refuses it. A text;
  // empty: it does not, nothing was recorded, or a loss of power explains it.
  std::string lost_end;
  std::string note_fault;              // why that note cannot be read; empty: it can, or is none
  std::uint64_t retired_segments = 0;  // retired ones, before the first that exists
  std::uint64_t records = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  std::uint64_t torn_bytes = 0;   // after the last record: an interrupted write
  std::uint64_t torn_offset = 0;  // in the last segment
  bool in_use = false;            // a running process has it open: its end may be half written
  // As in JournalReport. inspect_journal() reports what opening cuts and skips because of it.
  bool power_lost = false;
};

// Reads and checks every record of every segment, and goes on after damage. Only reads. Errors:
// Missing; Disk; Corrupt if the log cannot be followed at all: a segment is missing, of another
// journal or version, or an intact record contradicts the ones before it.
[[nodiscard]] StoreResult<JournalCheck> verify_journal(Disk& disk, const std::string& folder);

enum class RepairMode : std::uint8_t {
  Plan,   // say what would be done; write nothing
  Carry,  // do it
};

struct RepairOptions {
  std::string folder;
  RepairMode mode = RepairMode::Plan;
  std::string text;  // who, when, why: kept in the log
  // Sessions whose opening was damaged have lost their name: it must be given, by key.
  std::map<SessionKey, std::string> names;
};

struct RepairReport {
  std::vector<std::string> steps;   // for people, in order; none: there is nothing to repair
  std::vector<std::string> alarms;  // what is lost for ever: sessions and numbers
  std::string copy_folder;          // where the files are as they were; empty: nothing was changed
};

// Replaces damaged bytes by a record that says so, cuts an interrupted write, and raises the
// numbers of sessions that may have used more than the log knows above all that they can have used,
// so that no number is used twice. A gap fill answers for what is lost from then on, and
// lost_numbers() has it. The files that change are copied to a folder of their own first. If it is
// interrupted, it can be done again. Errors: as of verify_journal(); Locked; Refused if a session's
// name is needed.
[[nodiscard]] StoreResult<RepairReport> repair_journal(Disk& disk, const RepairOptions& options,
                                                       WallTime now);

// Whether a file with these bytes, or with this beginning, is a segment of a journal, of any
// version that is read. Its records are not read.
[[nodiscard]] bool is_segment(std::span<const char> bytes) noexcept;

}  // namespace nexusfix::store
