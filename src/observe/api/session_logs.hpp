// The logs of all sessions: messages and events, as lines in files and on the screen. The event
// loop queues the bytes, which takes some tens of nanoseconds. A background thread makes lines of
// them and writes the lines.
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

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/disk.hpp>
#include <nexusfix/deferred.hpp>
#include <nexusfix/deferred/spsc_queue.hpp>

#include "observe/api/logs.hpp"

namespace nexusfix::observe {

// The number of bytes of one piece of garbled input that a log gets at most.
inline constexpr std::size_t kGarbledBytesMax = 4'096;

struct LogCompressionPart;

// The logs of one session.
struct SessionLogOptions {
  std::string name{};    // "FIX.4.4:VENUE->TRADER", for the screen
  std::string prefix{};  // of its files: log_file_prefix()
  // Existing files of this prefix are continued if no other session can have written them; empty:
  // none.
  std::string former_prefix{};
  LogFileOptions files{};             // its files
  ScreenLogOptions screen{};          // its lines on the screen
  std::vector<MaskedField> masked{};  // besides the fields that are always masked
  [[nodiscard]] bool operator==(const SessionLogOptions&) const = default;
};

// The options of the logs of one event loop.
struct SessionLogsOptions {
  // The size of the queue to the background thread: a power of two, at least 4 KiB. A message takes
  // its own bytes and 32 more. A message that is longer than half of the queue is lost.
  std::size_t queue_bytes = 8U << 20U;
  int screen_descriptor = 1;  // a file descriptor, not owned; 1: standard output
  // For files with LogFileOptions::is_compressed; null: they are not packed.
  const LogCompressionPart* compression = nullptr;
};

// An event about the logs themselves, for the event log.
struct LogNotice {
  EventId id{};        // what happened to the logs
  std::string text{};  // the file, and the reason
};

// One side of a session. A part that is empty is absent.
struct LogFileParty {
  std::string_view comp_id{};      // SenderCompID (49) or TargetCompID (56)
  std::string_view sub_id{};       // SenderSubID (50) or TargetSubID (57)
  std::string_view location_id{};  // SenderLocationID (142) or TargetLocationID (143)
};

// "FIX.4.4-VENUE-TRADER", with "-qualifier" if there is a qualifier, as in QuickFIX. Sub and
// location IDs follow their CompID as `--BOOK--LDN`. Within a part `-`, `%` and bytes that cannot
// be in a file name are escaped as `%2D` and so on: different sessions have different prefixes.
[[nodiscard]] std::string log_file_prefix(std::string_view begin_string, const LogFileParty& sender,
                                          const LogFileParty& target, std::string_view qualifier);
// The prefix of earlier versions: `-` is not escaped, and IDs follow as `_BOOK_LDN`. Several
// sessions may share one.
[[nodiscard]] std::string former_log_file_prefix(std::string_view begin_string,
                                                 const LogFileParty& sender,
                                                 const LogFileParty& target,
                                                 std::string_view qualifier);

// The logs of one event loop.
//
// Files: `FOLDER/PREFIX.messages.current.log` and `FOLDER/PREFIX.event.current.log`. A full file
// becomes `PREFIX.messages.backup.N.log`; the highest number is the newest. Each message is one
// line, such as "20240115-10:30:00.123456789 IN : 8=FIX.4.4|...", with its SOH bytes, and raw
// except for masked values. Files are made with mode 0600 (LogFileOptions::permissions), folders
// with mode 0700. A file that is moved, removed or truncated is replaced by a new one within a
// second of the next line.
//
// Threads: the event loop's thread calls received(), sent(), garbled(), event(), add(), turn() and
// the destructor; any thread calls reopen() and stats(). If the disk takes no threads, turn()
// writes. received(), sent(), garbled() and event() do not allocate, take no lock and make no
// system call. Nothing waits for the disk: a record that finds no room is lost and counted, and the
// log reports the loss where the record would have been.
class SessionLogs {
 public:
  // Makes the folders and opens files, so that a file that cannot be written is an error at the
  // start, which names the file. It opens the files of the first 64 sessions, of the first session
  // of each folder, and of the last of `sessions`, which is for events that belong to no session.
  // The files of other sessions are opened with their first lines. If that fails, turn() reports
  // it, and their lines are lost and counted until it succeeds.
  [[nodiscard]] static std::expected<std::unique_ptr<SessionLogs>, std::string> open(
      Disk& disk, const SessionLogsOptions& options, std::vector<SessionLogOptions> sessions,
      WallTime now);
  SessionLogs(const SessionLogs&) = delete;
  SessionLogs& operator=(const SessionLogs&) = delete;
  ~SessionLogs();  // writes all queued records

  // Adds a session after the start and returns its index. The background thread makes its files
  // when its first line comes. If it cannot, turn() reports it, and the session's lines go, with
  // its own masks, to the files of events that belong to no session. Add a session again when it
  // changes: sessions of one prefix share their files. Allocates; does not wait for the disk.
  // is_global: it replaces the last session of open().
  [[nodiscard]] std::size_t add(SessionLogOptions session, bool is_global = false);

  // Logs a received message. session: an index into the sessions of open(), or a result of add();
  // the same holds for the functions below. The bytes are copied.
  void received(std::size_t session, std::string_view message, WallTime time) noexcept {
    if (takes_[session].incoming) push(session, Kind::Received, {}, message, time);
  }
  // Logs a sent message. The bytes are copied.
  void sent(std::size_t session, std::string_view message, WallTime time) noexcept {
    if (takes_[session].outgoing) push(session, Kind::Sent, {}, message, time);
  }
  // Logs received bytes that are no message. Only the first 4,096 bytes are kept.
  void garbled(std::size_t session, std::string_view bytes, WallTime time) noexcept;
  // Logs an event; the first 4,096 bytes of its text. about_bytes: the text begins with the name of
  // the session that the event is about, which has this size; 0: the event is about `session`.
  void event(std::size_t session, EventId id, std::string_view text, WallTime time,
             std::size_t about_bytes = 0) noexcept;

  // Whether the messages that this session sends are logged at all: in a file or on the screen.
  [[nodiscard]] bool takes_sent(std::size_t session) const noexcept {
    return takes_[session].outgoing;
  }

  // Call it once a turn of the loop. Reports losses as soon as there is room for the report, and
  // writes if there is no background thread. The result is for the event log, and mostly empty.
  [[nodiscard]] std::vector<LogNotice> turn();

  // Makes the background thread open all files again by name, after they were moved. Each file that
  // was made before exists again soon, even if it gets no line. Signal handlers may call it.
  void reopen() noexcept;
  // The counts of now. Any thread.
  [[nodiscard]] SessionLogsStats stats() const noexcept;

  // Consecutive records of a session that were lost. For the layer.
  struct Loss {
    std::uint64_t count = 0;  // the number of records
    WallTime first{};         // the time of the first one
    WallTime last{};          // the time of the last one
    // Counts records that were lost at this time.
    void add(WallTime time, std::uint64_t number = 1) noexcept;
  };

 private:
  enum class Kind : std::uint8_t { Received, Sent, Garbled, Event, Lost };
  struct Takes {
    bool incoming = false;
    bool outgoing = false;
    bool events = false;
  };
  class Writer;  // of the background thread

  SessionLogs(Disk& disk, const SessionLogsOptions& options);
  [[nodiscard]] static Takes taken_of(const SessionLogOptions& session) noexcept;
  void push(std::size_t session, Kind kind, EventId id, std::string_view bytes, WallTime time,
            std::size_t cut_bytes = 0) noexcept;
  [[nodiscard]] bool store(std::size_t session, Kind kind, EventId id, std::string_view bytes,
                           WallTime time, std::size_t cut_bytes) noexcept;
  [[nodiscard]] bool report_loss(std::size_t session, std::size_t room_bytes) noexcept;
  void lose(std::size_t session, WallTime time) noexcept;
  void report_losses();

  std::vector<Takes> takes_;
  deferred::RecordQueue queue_;
  deferred::detail::ConsumerThread thread_;
  bool is_threaded_ = false;
  // Producer.
  std::vector<Loss> losses_;             // of each session, not reported yet
  std::size_t unreported_sessions_ = 0;  // sessions with such a loss
  bool is_losing_ = false;               // and LogQueueFull was logged
  std::uint64_t reported_lost_ = 0;
  std::vector<LogNotice> own_notices_;
  std::atomic<std::uint64_t> taken_{0};
  std::atomic<std::uint64_t> lost_{0};
  std::unique_ptr<Writer> writer_;
};

}  // namespace nexusfix::observe
