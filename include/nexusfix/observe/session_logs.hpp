// What every session received, sent and went through, as lines in files and on the screen. The
// event loop hands bytes over for some tens of nanoseconds; a thread in the background makes lines
// of them and writes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/base/time.hpp>
#include <nexusfix/deferred/consumer_thread.hpp>
#include <nexusfix/deferred/record_queue.hpp>
#include <nexusfix/observe/event_log.hpp>

namespace nexusfix::observe {

// A field whose value never reaches a log. Always such: Password (554), NewPassword (925),
// EncryptedPassword (1402), EncryptedNewPassword (1404), and RawData (96) of a Logon and a
// UserRequest.
struct MaskedField {
  std::uint32_t tag = 0;
  std::uint32_t length_tag = 0;  // of a data field: its Length field; 0: it is none
  [[nodiscard]] bool operator==(const MaskedField&) const = default;
};

struct LogFileOptions {
  std::string folder{};         // FileLogPath; empty: no files
  std::string backup_folder{};  // FileLogBackupPath; empty: the same
  // A file that would become longer is given a number and a new one begun; 0: never.
  std::uint64_t bytes_max = 64U << 20U;
  std::uint32_t backups_max = 10;  // of each file: older ones are removed
  bool is_daily = false;           // and when a new day begins in UTC
  bool has_heartbeats = true;
  bool has_message_times = true;
  EventFormat event_format = EventFormat::Text;
  unsigned fraction_digits = 9;  // of times; 0 to 9
  // Who may read and write the files, whatever the process's umask: 0640, for example. 0: 0600, but
  // those that are there stay as they are.
  unsigned permissions = 0;
  // Messages are left out while less is free on the disk, so that logs never take the last of it.
  std::uint64_t free_bytes_min = 256U << 20U;
  [[nodiscard]] bool operator==(const LogFileOptions&) const = default;
};

struct ScreenLogOptions {
  bool has_incoming = false;
  bool has_outgoing = false;
  bool has_events = false;
  bool has_heartbeats = true;
  unsigned fraction_digits = 3;
  [[nodiscard]] bool operator==(const ScreenLogOptions&) const = default;
};

struct SessionLogOptions {
  std::string name{};    // "FIX.4.4:VENUE->TRADER", for the screen
  std::string prefix{};  // of its files: log_file_prefix()
  // Files of this prefix that are there already are continued, if no other session could mean them;
  // empty: none are.
  std::string former_prefix{};
  LogFileOptions files{};
  ScreenLogOptions screen{};
  std::vector<MaskedField> masked{};  // beside those that always are
  [[nodiscard]] bool operator==(const SessionLogOptions&) const = default;
};

struct SessionLogsOptions {
  // What may wait for the thread in the background; a power of two, from 4 KiB on. A message takes
  // its own bytes and 32 more; one that is longer than half of it is lost.
  std::size_t queue_bytes = 8U << 20U;
  int screen_descriptor = 1;  // standard output
};

// Counted since the start. Any thread.
struct SessionLogsStats {
  std::uint64_t taken = 0;           // messages and events that found room in the queue
  std::uint64_t lost_in_queue = 0;   // those that found none
  std::uint64_t lost_on_disk = 0;    // lines that could not be written
  std::uint64_t lost_on_screen = 0;  // lines that the screen did not take in time
};

// Something about the logs themselves, for the event log.
struct LogNotice {
  EventId id{};
  std::string text{};
};

// One side of a session; what is empty it does not have.
struct LogFileParty {
  std::string_view comp_id{};
  std::string_view sub_id{};
  std::string_view location_id{};
};

// "FIX.4.4-VENUE-TRADER", and "-qualifier" if there is one: QuickFIX's. Sub and location IDs follow
// their CompID as "--BOOK--LDN". Within a part '-', '%' and bytes that cannot stand in a file's
// name are %2D and the like: different sessions have different prefixes.
[[nodiscard]] std::string log_file_prefix(std::string_view begin_string, const LogFileParty& sender,
                                          const LogFileParty& target, std::string_view qualifier);
// As earlier versions wrote it: '-' as it is, and "_BOOK_LDN". Several sessions may share one.
[[nodiscard]] std::string former_log_file_prefix(std::string_view begin_string,
                                                 const LogFileParty& sender,
                                                 const LogFileParty& target,
                                                 std::string_view qualifier);

// The logs of one event loop.
//
// Files: <folder>/<prefix>.messages.current.log and <prefix>.event.current.log, and when they are
// full <prefix>.messages.backup.<n>.log, of which the highest number is the newest. One line a
// message: "20240115-10:30:00.123456789 IN : 8=FIX.4.4<SOH>...", raw but for what is masked. Files
// are made with mode 0600 (LogFileOptions::permissions), in folders of mode 0700. A file that is
// moved, removed or cut is replaced by a new one within a second of the next line.
//
// Threads: message(), garbled(), event(), turn() and the destructor belong to the event loop's;
// reopen() and stats() to any. A disk that takes no threads is written to in turn().
// Allocation: none, lock: none, system call: none in message(), garbled() and event(). Nothing
// ever waits: what finds no room is lost, counted, and told where it would have stood.
class SessionLogs {
 public:
  // Makes the folders and opens files, so that what cannot be written is known before anything else
  // begins; the error names it: the files of the first 64 sessions, of the first one of each folder
  // and of the last of sessions, which is for what belongs to none. Those of others are opened with
  // their first lines: what cannot be then is told by turn(), lost and counted until it can.
  [[nodiscard]] static std::expected<std::unique_ptr<SessionLogs>, std::string> open(
      Disk& disk, const SessionLogsOptions& options, std::vector<SessionLogOptions> sessions,
      WallTime now);
  SessionLogs(const SessionLogs&) = delete;
  SessionLogs& operator=(const SessionLogs&) = delete;
  ~SessionLogs();  // writes what waits

  // One that was not there at the start: its index. The thread in the background makes its files
  // when its first line comes; what cannot be made is told by turn(), and its lines then stand,
  // with its own masks, in the files of what belongs to no session. A session that changes is added
  // again: sessions of one prefix share their files. Allocates; waits for no disk.
  // is_of_none: it takes the place of the last one of open().
  [[nodiscard]] std::size_t add(SessionLogOptions session, bool is_of_none = false);

  // session: an index of those given to open(), or one of add().
  void received(std::size_t session, std::string_view message, WallTime time) noexcept {
    if (takes_[session].incoming) push(session, Kind::Received, {}, message, time);
  }
  void sent(std::size_t session, std::string_view message, WallTime time) noexcept {
    if (takes_[session].outgoing) push(session, Kind::Sent, {}, message, time);
  }
  // Received, and no message; of more than 4,096 bytes the first are kept.
  void garbled(std::size_t session, std::string_view bytes, WallTime time) noexcept;
  // about_bytes: so much of the text is the name of another session, which it is about.
  void event(std::size_t session, EventId id, std::string_view text, WallTime time,
             std::size_t about_bytes = 0) noexcept;

  // Whether anybody would see what this session sends. Constant.
  [[nodiscard]] bool takes_sent(std::size_t session) const noexcept {
    return takes_[session].outgoing;
  }

  // Once a turn of the loop: tells of losses as soon as there is room for it, and writes, where
  // there is no thread for that. What it returns is for the event log; almost always nothing.
  [[nodiscard]] std::vector<LogNotice> turn();

  // Opens all files again by name, soon: after they were moved. Those that were open are there
  // then, without a line. Signal handlers, too.
  void reopen() noexcept;
  [[nodiscard]] SessionLogsStats stats() const noexcept;

  struct Loss {
    std::uint64_t count = 0;
    WallTime first{};
    WallTime last{};
    void add(WallTime time, std::uint64_t number = 1) noexcept;
  };

 private:
  enum class Kind : std::uint8_t { Received, Sent, Garbled, Event, Lost };
  struct Takes {
    bool incoming = false;
    bool outgoing = false;
    bool events = false;
  };
  struct Writer;  // the consumer's

  SessionLogs(Disk& disk, const SessionLogsOptions& options);
  [[nodiscard]] static Takes taken_of(const SessionLogOptions& session) noexcept;
  void push(std::size_t session, Kind kind, EventId id, std::string_view bytes, WallTime time,
            std::size_t cut_bytes = 0) noexcept;
  [[nodiscard]] bool store(std::size_t session, Kind kind, EventId id, std::string_view bytes,
                           WallTime time, std::size_t cut_bytes) noexcept;
  [[nodiscard]] bool tell_loss(std::size_t session, std::size_t room_bytes) noexcept;
  void lose(std::size_t session, WallTime time) noexcept;
  void tell_losses();

  std::vector<Takes> takes_;
  deferred::RecordQueue queue_;
  deferred::ConsumerThread thread_;
  bool is_threaded_ = false;
  // Producer.
  std::vector<Loss> losses_;  // of each session, not told yet
  std::size_t untold_ = 0;    // sessions with one
  bool is_losing_ = false;    // and somebody was told
  std::uint64_t told_lost_ = 0;
  std::vector<LogNotice> own_notices_;
  std::atomic<std::uint64_t> taken_{0};
  std::atomic<std::uint64_t> lost_{0};
  std::unique_ptr<Writer> writer_;
};

}  // namespace nexusfix::observe
