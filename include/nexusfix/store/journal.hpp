// The journal: an append-only, checksummed log in a folder of its own. The default store.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/store/store.hpp>

namespace nexusfix::store {

// What durable() promises; docs/operations/store.md has the table.
enum class Durability : std::uint8_t {
  None,     // nothing: after a loss of power numbers may be used again
  Process,  // survives kill -9; after a loss of power messages may be missing, but no number is
            // used again: the next ones begin numbers_ahead_max higher, or what was reserved
  Group,    // the disk has the bytes; one sync for all that have gathered, on a thread of its own
  Sync,     // the same, but nothing waits to be gathered: appends during a sync share the next one
};
[[nodiscard]] std::string_view to_string(Durability durability) noexcept;

enum class RetiredSegments : std::uint8_t {
  Delete,
  Keep,  // moved to the folder "retired" in the journal's
};

// When old segments are deleted; by default never. The rules are applied when the journal is opened
// and when a segment is opened; the oldest segment goes first. Two checkpoints must record a
// segment as retired and be synced before it is deleted: in this run, in close() or at the next
// opening. So nothing is deleted in Durability::None.
struct Retention {
  std::uint64_t keep_bytes = 0;      // at least this much of the log's end stays; 0: no such rule
  std::chrono::seconds keep_for{0};  // what was written longer ago may be deleted; 0: no such rule
  bool on_reset = false;             // what no session's current epoch needs may be deleted
  // By size and age even messages of a session's current epoch may be deleted: a counterparty that
  // requests them gets a gap fill. Otherwise the segments that hold them stay.
  bool even_current = false;
  RetiredSegments retired = RetiredSegments::Delete;

  [[nodiscard]] bool is_wanted() const noexcept {
    return keep_bytes > 0 || keep_for.count() > 0 || on_reset;
  }
};

struct JournalOptions {
  std::string folder;  // created if absent
  Durability durability = Durability::Process;
  // A segment is closed when it is this large. It holds its checkpoint and a record at least.
  std::uint64_t segment_bytes = 64U << 20U;
  // Of one transaction as it lies in the file; at most 1 GiB. Older, larger records are still read.
  std::uint32_t record_bytes_max = 16U << 20U;
  // Group: how long what came first waits for company before it is written. 0: a sync begins when
  // the one before has ended.
  std::chrono::microseconds group_wait{0};
  // Process: how many numbers are reserved for a session at a time; when it has used them and the
  // disk does not know yet of more, durable() stands still until it does. A session that uses them
  // quickly gets up to four million. At least 1.
  std::uint32_t numbers_ahead_max = 65'536;
  // Process: how often what was appended is brought to the disk, if anything was.
  std::chrono::milliseconds sync_interval{1'000};
  // Opening reads and verifies the whole log, instead of trusting the newest checkpoint that is
  // known to have been on the disk with all that lies before it.
  bool checks_all = false;
  Retention retention{};
  // Closed segments are read again and verified in the background, each soon after it was closed,
  // and then all of them once in this time; Store::take_event() reports damage. Needs threads.
  struct Scrub {
    std::uint64_t bytes_per_second = 0;  // at most; 0: never
    std::chrono::seconds every = std::chrono::hours{24};
  };
  Scrub scrub{};
  // Threads of the journal's own prepare segments and bring bytes to the disk, if it takes threads.
  // Otherwise, and in Sync without on_durable, that is done inside of append() and flush(): all
  // that was appended is durable when flush() returns.
  bool background = true;
  // How often the journal checks that the open files are still those that the folder names, and
  // records how far the log reaches.
  std::chrono::milliseconds watch_interval{500};
  // Called on such a thread when durable() has moved after a flush() that did not reach appended(),
  // when the journal has failed, and when take_event() has something. Must not call the store.
  struct Wake {
    void (*call)(void* context) noexcept = nullptr;
    void* context = nullptr;
  };
  Wake on_durable{};
};

// Why what was written to a log may not be in it. Each is handled as a loss of power.
enum class LossCause : std::uint8_t {
  None,
  MachineRestarted,  // while the journal was open
  MountedAgain,      // likewise, its file system alone
  StoreFailed,       // its last run ended by an error of the store
  LogCut,            // it ends before what its last run had written
  FolderCopied,      // the folder is another one than was written to
  OwnerLost,         // the file `owner` is missing, or older than the log
};
[[nodiscard]] std::string_view to_word(LossCause cause) noexcept;   // "mounted-again"
[[nodiscard]] std::string_view describe(LossCause cause) noexcept;  // for people

// Numbers that were skipped after a loss of power: messages may have been sent under some of them.
struct SkippedNumbers {
  std::string session;
  std::uint64_t first = 0;
  std::uint64_t last = 0;  // inclusive
};

// A session that lost, or may have lost, something in damaged bytes.
struct RefusedSession {
  std::string session;
  std::string text;  // file, offset, what is lost, and what to do
};

// What opening found.
struct JournalReport {
  std::uint64_t records = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  // Of these, in segments that were retired. Records and messages are known from the checkpoint
  // after them; if that is damaged, they are 0.
  std::uint64_t retired_segments = 0;
  std::uint64_t retired_records = 0;
  std::uint64_t retired_messages = 0;
  std::uint64_t retired_bytes = 0;
  std::uint64_t scanned_bytes = 0;  // of these, read and verified now: those after a checkpoint
  // Checkpoints that were to be trusted and could not be: more of the log was read instead.
  std::vector<std::string> checkpoint_faults;
  std::uint64_t torn_bytes = 0;  // at the end, no whole record: open_journal() has cut them
  // inspect_journal(): the log ends before the position that its last owner recorded (a text);
  // empty: it does not, nothing was recorded, or a loss of power explains it. open_journal() then
  // refuses it.
  std::string lost_end;
  // Damage after which the log goes on, each with file and offset; and the sessions that
  // open_session() refuses because of it. All other sessions go on.
  std::vector<std::string> damages;
  std::vector<RefusedSession> refused;
  // Power was lost while the journal was open, or what is handled as such. What was durable by its
  // mode is there, unless the folder is a copy; of the rest, cut_bytes were after the first damaged
  // record, and were dropped.
  bool power_lost = false;
  LossCause loss = LossCause::None;  // why
  // The bytes of the log that the disk was known to have and does not return any more: it has
  // failed. Sessions that were opened, and numbers that were reset or set, in these bytes are not
  // known.
  std::uint64_t missing_bytes = 0;
  std::uint64_t cut_bytes = 0;
  // In Process, and in every mode but None where the cause is LogCut, FolderCopied or OwnerLost.
  // open_journal() has skipped them; inspect_journal() changes nothing and reports which ones
  // opening would skip.
  std::vector<SkippedNumbers> skipped;
  // Each owner of the journal has an epoch and writes it into the log: the epoch of the last owner
  // before this opening; 0: none is recorded.
  std::uint64_t owner_epoch = 0;
  bool in_use = false;  // inspect_journal(): a running process has it open
};

struct OpenedJournal {
  std::unique_ptr<Store> store;
  JournalReport report;
};

// Opens or creates. Takes the folder's lock, verifies the records after the newest checkpoint that
// can be trusted (every record, if there is none), and cuts a torn tail. Records before that
// checkpoint are verified when they are read. A damaged record that valid ones follow is never
// skipped silently: the sessions that may have lost something are refused, and so is every session
// that the log does not know; unless the machine went down before the records were synced: then the
// log is cut there. The disk must outlive the store. Destroying the store writes nothing: what was
// not flushed is lost, as it may not have been sent; Store::close() ends in order. append()
// allocates only for a record of more than 1 MiB and when a segment is closed or retired.
[[nodiscard]] StoreResult<OpenedJournal> open_journal(Disk& disk, const JournalOptions& options,
                                                      WallTime now);

// Opens the journal in the folder only to read it, and writes nothing: no file is created or cut,
// and no lock is held. So it works on a read-only copy, and beside the process that owns the
// journal (whose later records are not seen). Every record is verified. The store reads and scans;
// it refuses every change (Refused). Missing: the folder holds no segment.
[[nodiscard]] StoreResult<OpenedJournal> inspect_journal(Disk& disk, const std::string& folder);

}  // namespace nexusfix::store
