// The writer of the session logs: it reads records from the queue, makes lines of them, and writes
// these to files and to the screen.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <list>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/disk.hpp>
#include <nexusfix/deferred/spsc_queue.hpp>

#include "observe/api/session_logs.hpp"
#include "observe/log_file.hpp"
#include "observe/message_line.hpp"
#include "observe/writer/log_files.hpp"
#include "observe/writer/log_notices.hpp"

namespace nexusfix::observe {

// Sessions that the event loop has added, and that the log writer has not opened yet.
struct AddedSession {
  SessionLogOptions options;
  bool is_global = false;  // its logs are for events that belong to no session
};

class AddedSessions {
 public:
  // The event loop's thread. Call it before the first record of the session: the writer finds the
  // session here when it reads that record. Does not throw.
  void add(std::list<AddedSession> one) noexcept {
    const std::lock_guard lock{mutex_};
    waiting_.splice(waiting_.end(), one);
  }

  // The writer's thread. Calls take(session) for each session, in the order of add(). When take
  // throws for lack of memory, the next call continues with the same session.
  template <class Take>
  void consume_all(Take&& take) {
    {
      const std::lock_guard lock{mutex_};
      taken_.splice(taken_.end(), waiting_);
    }
    for (; !taken_.empty(); taken_.pop_front()) take(std::as_const(taken_.front()));
  }

 private:
  std::mutex mutex_;
  std::list<AddedSession> waiting_;
  std::list<AddedSession> taken_;  // from waiting_; the writer's thread alone
};

// Writes lines to a terminal or a pipe that may block: a user who stops the scrolling stops no log.
// One thread.
class Screen {
 public:
  explicit Screen(int descriptor) noexcept : descriptor_{descriptor} {}

  // Whole lines. Waits for at most a tenth of a second. Lines that are not taken by then are lost,
  // and the next lines do not wait while the screen is blocked.
  void write(std::string_view lines);
  [[nodiscard]] std::uint64_t lost() const noexcept { return lost_; }

 private:
  // Returns the number of bytes that were taken.
  [[nodiscard]] std::size_t write_some(std::string_view bytes);

  int descriptor_;
  std::uint64_t lost_ = 0;           // lines
  std::uint64_t lost_reported_ = 0;  // of those, reported on the screen
  bool is_stuck_ = false;
  bool is_mid_line_ = false;
};

// One thread, unless a function says otherwise: the background thread, or that of the event loop if
// the disk takes no threads.
class SessionLogs::Writer {
 public:
  Writer(Disk& disk, const SessionLogsOptions& options);

  // Before all others. Opens the files that can stay open together. The files of the other sessions
  // are opened with their first lines: to open and close thousands of files takes seconds.
  [[nodiscard]] std::expected<void, std::string> open(std::vector<SessionLogOptions> sessions,
                                                      WallTime now);

  // Writes a batch of records. False: there is nothing left to do.
  [[nodiscard]] bool round(deferred::RecordQueue& queue);
  // At the end, after the last round. A loss that is not reported yet, and then all files.
  void append_loss(std::size_t session, const Loss& loss);
  void finish();

  // The event loop's thread.
  [[nodiscard]] AddedSessions& added() noexcept { return added_; }
  // Any thread.
  [[nodiscard]] LogNotices& notices() noexcept { return notices_; }
  // Release pairs with the acquire in round(): the files were moved before.
  void reopen() noexcept { is_reopen_wanted_.store(true, std::memory_order_release); }
  // The finished reopen() calls, and the files that the last one could not open.
  [[nodiscard]] std::uint64_t reopenings() const noexcept {
    return reopenings_.load(std::memory_order_acquire);  // pairs with the release in round()
  }
  [[nodiscard]] std::uint64_t not_reopened() const noexcept {
    return not_reopened_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t lost_on_disk() const noexcept { return files_.lost(); }
  [[nodiscard]] std::uint64_t lost_on_screen() const noexcept {
    return lost_on_screen_.load(std::memory_order_relaxed);
  }

 private:
  // The logs of one session.
  struct Stream {
    SessionLogOptions options;
    MessageLine line;
    LogFile* messages = nullptr;
    LogFile* events = nullptr;
    std::size_t folder = 0;
    bool uses_global_files = false;  // its own files cannot be made
  };

  [[nodiscard]] static Stream make_stream(SessionLogOptions options);
  [[nodiscard]] DiskResult<void> open_files(Stream& stream, WallTime now, LogFiles::OpenWhen when);
  [[nodiscard]] std::string prefix_of(const SessionLogOptions& session);
  [[nodiscard]] Stream& stream_of(std::size_t session);
  void open_added(const AddedSession& session);
  void use_global_files(Stream& stream, const std::string& why);
  void append(std::span<const std::byte> record);
  void append_message(Stream& stream, const MessageToLog& message);
  void append_event(Stream& stream, const Event& event);
  void append_loss(Stream& stream, WallTime now, const Loss& loss);
  void write();

  LogNotices notices_;
  LogFolders folders_;
  LogFiles files_;
  Screen screen_;
  AddedSessions added_;
  std::vector<Stream> streams_;
  std::size_t global_stream_ = 0;  // of what belongs to no session
  // The number of sessions whose files have a prefix now, or had it before.
  std::map<std::string, std::size_t> prefix_claims_;
  std::string screen_lines_;
  WallTime now_{};  // of the last record
  std::atomic<bool> is_reopen_wanted_{false};
  bool is_reopening_ = false;
  std::atomic<std::uint64_t> reopenings_{0};
  std::atomic<std::uint64_t> not_reopened_{0};
  std::atomic<std::uint64_t> lost_on_screen_{0};
};

}  // namespace nexusfix::observe
