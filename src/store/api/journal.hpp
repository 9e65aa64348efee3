// The journal: an append-only, checksummed log in a folder of its own. It is the default store.
// docs/operations/store.md describes the modes, the files and the recovery.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/disk.hpp>
#include <nexusfix/store.hpp>

namespace nexusfix::store {

// What Store::durable() promises. docs/operations/store.md has the table.
enum class Durability : std::uint8_t {
  // Nothing: after a loss of power MsgSeqNums may be used again.
  None,
  // Survives the end of the process, also by kill -9. After a loss of power the last messages may
  // be missing, but no MsgSeqNum is used again: each session skips those that it had reserved.
  Process,
  Group,  // the disk has the bytes; a thread syncs once for all records that wait
  Sync,   // the disk has the bytes; nothing waits for others, except during a sync
};
// "none", "process", "group" or "sync": the value of the key JournalDurability. Static lifetime.
[[nodiscard]] std::string_view to_string(Durability durability) noexcept;

// What happens to the file of a retired segment.
enum class RetiredSegments : std::uint8_t {
  Delete,  // it is deleted
  Keep,    // it is moved to the folder "retired" in the journal's folder
};

// When old segments are retired, the oldest first. By default none is. The rules are applied when
// the journal is opened and when a segment begins. Two checkpoints must record a segment as retired
// and be on the disk before its file is deleted or moved. So Durability::None retires nothing.
struct Retention {
  std::uint64_t keep_bytes = 0;      // at least this part of the log's end stays; 0: no such rule
  std::chrono::seconds keep_for{0};  // segments written to longer ago may go; 0: no such rule
  bool on_reset = false;             // segments may go that no session's current epoch needs
  // true: keep_bytes and keep_for also apply to messages of a session's current epoch. A
  // counterparty that requests them gets a gap fill. false: the segments that hold them stay.
  bool even_current = false;
  RetiredSegments retired = RetiredSegments::Delete;  // what happens to the files

  // Whether there is any rule.
  [[nodiscard]] bool is_wanted() const noexcept {
    return keep_bytes > 0 || keep_for.count() > 0 || on_reset;
  }
};

// How a journal is opened and written.
struct JournalOptions {
  std::string folder;                           // created if there is none
  Durability durability = Durability::Process;  // what durable() promises
  // A segment ends when it has this number of bytes. It holds its checkpoint and at least one
  // record.
  std::uint64_t segment_bytes = 64U << 20U;
  // The size of one record in the file, in bytes, at most 1 GiB. append() fails with TooLarge above
  // it. Larger records that exist are still read.
  std::uint32_t record_bytes_max = 16U << 20U;
  // Durability::Group: how long the first record waits for others before a sync. 0: a sync begins
  // when the one before has ended.
  std::chrono::microseconds group_wait{0};
  // Durability::Process: the number of MsgSeqNums that are reserved for a session at a time; at
  // least 1. When they are used, durable() stops until the disk knows of more. A session that uses
  // them quickly gets up to 4,194,304.
  std::uint32_t numbers_ahead_max = 65'536;
  // Durability::Process: how often a thread syncs what was appended. In a burst that is longer, it
  // syncs as soon as 16 MiB wait.
  std::chrono::milliseconds sync_interval{1'000};
  // true: opening reads and verifies the whole log. false: it trusts the newest checkpoint of which
  // the disk is known to have everything before it.
  bool checks_all = false;
  // When old segments are retired.
  Retention retention{};
  // Closed segments are read and verified in the background: each soon after it was closed, and
  // then all of them once in the time `every`. Store::next_event() reports damage. Needs
  // `background`.
  struct Scrub {
    std::uint64_t bytes_per_second = 0;                   // the highest rate; 0: never
    std::chrono::seconds every = std::chrono::hours{24};  // the time for one round
  };
  // Off by default.
  Scrub scrub{};
  // true: the journal's own threads prepare segments and sync them. false: append() and flush() do
  // so, and everything that was appended is durable when flush() returns. The same for
  // Durability::Sync without on_durable.
  bool background = true;
  // How often the journal checks that the open files are those that the folder names, and records
  // how far the log reaches.
  std::chrono::milliseconds watch_interval{500};
  // A callback that wakes the owner of a store.
  using Wake = store::StoreOptions::Wake;
  // Called when durable() has moved after a flush() that did not reach appended(), when a fetch()
  // is done, when the store has failed, and when next_event() has an event.
  Wake on_durable{};
};

// Why bytes that were written to a log may be missing. The next opening treats each cause as a loss
// of power. docs/operations/losses.md describes them.
enum class LossCause : std::uint8_t {
  None,              // no loss
  MachineRestarted,  // the machine was started again while the journal was open
  MountedAgain,      // the file system was mounted again while the journal was open
  StoreFailed,       // an error of the store ended its last run
  LogCut,            // the log ends before what its last run had written
  FolderCopied,      // the folder is a copy of the one that was written to
  OwnerLost,         // the file `owner` is missing, or older than the log
};
// The cause as one word: "mounted-again". Static lifetime.
[[nodiscard]] std::string_view to_word(LossCause cause) noexcept;
// The cause as a clause for an operator. Static lifetime.
[[nodiscard]] std::string_view describe(LossCause cause) noexcept;

// MsgSeqNums that a session skipped after a loss of power. Messages may have been sent with some of
// them: compare them with the counterparty.
struct SkippedNumbers {
  std::string session;      // the name of the session
  std::uint64_t first = 0;  // the first outbound MsgSeqNum
  std::uint64_t last = 0;   // the last outbound MsgSeqNum, inclusive
};

// A session that lost something in damaged bytes, or may have. open_session() refuses it.
struct RefusedSession {
  std::string session;  // the name of the session
  std::string text;     // file, offset, what is lost, and what to do
};

// What opening or inspecting a journal found.
struct JournalReport {
  std::uint64_t records = 0;   // the number of records in the log, retired ones included
  std::uint64_t messages = 0;  // the number of stored messages, retired ones included
  std::uint64_t bytes = 0;     // the size of the log, retired segments included
  // The part of these that is in retired segments. The checkpoint after them has the numbers of
  // records and messages; if it is damaged, both are 0.
  std::uint64_t retired_segments = 0;
  std::uint64_t retired_records = 0;   // see retired_segments
  std::uint64_t retired_messages = 0;  // see retired_segments
  std::uint64_t retired_bytes = 0;     // see retired_segments
  std::uint64_t scanned_bytes = 0;     // the part of `bytes` that was read and verified now
  // Checkpoints that could not be trusted, each as a text. More of the log was read instead.
  std::vector<std::string> checkpoint_faults;
  std::uint64_t torn_bytes = 0;  // an incomplete record at the end; open_journal() has cut it off
  // inspect_journal(): the log ends before the position that its last owner recorded, as a text;
  // open_journal() refuses such a log. Empty: it does not, nothing was recorded, or a loss of power
  // explains it.
  std::string lost_end;
  // Damage with intact records after it, each as a text with file and offset.
  std::vector<std::string> damages;
  // The sessions that open_session() refuses because of the damage. All others go on.
  std::vector<RefusedSession> refused;
  // The machine lost power while the journal was open, or something that is treated as that. What
  // was durable by its mode is there, unless the folder is a copy.
  bool power_lost = false;
  LossCause loss = LossCause::None;  // the cause of power_lost
  // Bytes that the disk had confirmed and does not return: the disk has failed. Sessions that were
  // created, and sequence numbers that were reset or set, in these bytes are not known.
  std::uint64_t missing_bytes = 0;
  std::uint64_t cut_bytes =
      0;  // bytes from the first damaged record on, dropped after a power loss
  // The MsgSeqNums that open_journal() has skipped, or that it would skip, from inspect_journal().
  // In Durability::Process after each loss; in Group and Sync after LogCut, FolderCopied and
  // OwnerLost.
  std::vector<SkippedNumbers> skipped;
  // The epoch of the last owner before this opening. Each owner writes its own into the log. 0:
  // none is recorded.
  std::uint64_t owner_epoch = 0;
  bool in_use = false;  // inspect_journal(): a running process has the journal open
};

// An open journal.
struct OpenedJournal {
  std::unique_ptr<Store> store;  // never null
  JournalReport report;          // what opening found
};

// Opens the journal in options.folder, or creates it. Locks the folder. Verifies the records after
// the newest checkpoint that can be trusted, or all records if there is none; earlier records are
// verified when they are read. Cuts off an incomplete record at the end.
//
// A damaged record with intact ones after it is never skipped silently: open_session() refuses the
// sessions that may have lost something, and all sessions that the log does not know. After a loss
// of power, if the damaged record was not synced, the log is cut there instead.
//
// disk must outlive the store. Destroying the store writes nothing: what was not flushed is lost,
// and was not sent. Store::close() ends it in order. append() allocates only for a record above
// 1 MiB, and when a segment is closed or retired. Blocks on the disk.
//
// Errors: Disk; Locked, with the owner; Corrupt, if the log cannot be followed or its end is
// missing.
[[nodiscard]] StoreResult<OpenedJournal> open_journal(Disk& disk, const JournalOptions& options,
                                                      WallTime now);

// Opens the journal in the folder for reading, and writes nothing: it creates and cuts no file, and
// takes no lock. So it works on a read-only copy, and beside the process that owns the journal, but
// does not see later records of that process. Every record is verified. The store reads and scans;
// every change fails with Refused. disk must outlive the store. Blocks on the disk.
//
// Errors: as of open_journal(), without Locked. Missing: the folder has no segment.
[[nodiscard]] StoreResult<OpenedJournal> inspect_journal(Disk& disk, const std::string& folder);

}  // namespace nexusfix::store
