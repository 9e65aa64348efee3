// Looks after the folder of an open journal, on a thread of its own where the disk takes threads.
//
// A file that is open stays so when its name is removed, or its folder renamed: what is appended
// then goes into files that the next start does not find, and nothing fails. So what is open is
// compared with what the path names, by device, inode, links and size: twice a second, and when a
// segment is begun. And how far the log reaches is noted, so that little of it can go missing
// without notice.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/base/time.hpp>
#include <nexusfix/store/journal.hpp>

#include "store/journal/folder_comparison.hpp"
#include "store/write/event_box.hpp"
#include "store/write/log_note.hpp"

namespace nexusfix::store {

class LogWriter;
class Ownership;

class JournalKeeper {
 public:
  // All of them must outlive the keeper. owner: null where nothing is written.
  JournalKeeper(Disk& disk, const JournalOptions& options, const Ownership* owner,
                const LogWriter& writer, LogNotes& notes, EventBox& events);
  ~JournalKeeper();
  JournalKeeper(const JournalKeeper&) = delete;
  JournalKeeper& operator=(const JournalKeeper&) = delete;

  // When the writer is open: what is there now must be there from now on. notes: how far the log
  // reaches is noted.
  void start(bool notes);
  // The log is closed next: nothing is compared or noted any more.
  void stop();

  // The appending thread, when the writer has begun a segment.
  void segment_begun();
  // These were retired: their files may go.
  void forget_before(std::uint64_t number);
  // What no thread does is done by the appending one: when a segment was begun, and when so much
  // time has passed since the last look.
  [[nodiscard]] bool is_due() const noexcept { return is_due_; }
  void look(std::optional<WallTime> now);
  // The store has stopped by an error, and the file `owner` is to say so. A thread goes on trying
  // until that is written, or the keeper ends.
  void note_failure();

  // The folder is not the one that is open. Any thread; one relaxed load.
  [[nodiscard]] bool has_alarm() const noexcept {
    return has_alarm_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::string alarm() const;

 private:
  struct Begun {
    FolderComparison::Segment segment;
    LogNote start;                   // where its records begin
    std::uint64_t bytes_before = 0;  // of the one before it
  };
  void run();
  void turn();
  void take_news();
  [[nodiscard]] Begun newest() const;
  void begin(Begun&& begun);
  [[nodiscard]] std::optional<std::string> find_conflict();
  void raise(const std::string& conflict);
  void look_for_failure();
  void put_failure();
  void report_stop(const std::string& text);
  [[nodiscard]] std::optional<LogNote> reach() const;

  const JournalOptions& options_;
  const LogWriter& writer_;
  LogNotes& notes_;
  EventBox& events_;
  const bool has_thread_;
  bool puts_notes_ = false;
  // Who notes how far the log reaches, and compares the folder where there is no thread.
  enum class Watcher : std::uint8_t {
    None,    // before start(), after stop()
    Caller,  // the appending thread, in look(): a thread cannot know how far the log reaches
    Thread,
  };
  Watcher watcher_ = Watcher::None;
  std::atomic<bool> has_alarm_{false};

  mutable std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  std::vector<Begun> begun_;            // not taken yet
  std::uint64_t forgotten_before_ = 0;  // likewise
  std::string alarm_;
  bool is_failure_due_ = false;
  bool has_news_ = false;
  bool ends_ = false;

  // Of whichever thread compares.
  FolderComparison comparison_;
  std::vector<LogNote> starts_;  // of the last two
  bool is_stop_reported_ = false;
  // The appending thread's.
  bool is_due_ = false;
  std::optional<WallTime> looked_at_;
  std::thread thread_;
};

}  // namespace nexusfix::store
