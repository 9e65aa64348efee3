// Watches the folder of an open journal, on a thread of its own if the disk takes threads.
//
// An open file stays open when its name is removed or its folder is renamed: what is appended then
// goes into files that the next start does not find, and nothing fails. So the open files are
// compared with what the paths name, by device, inode, links and size: twice a second, and when a
// segment is opened. It also records how far the log reaches (the tail marker), so that little of
// the log can go missing without notice.
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

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/disk.hpp>

#include "store/api/event_queue.hpp"
#include "store/api/journal.hpp"
#include "store/journal/folder_comparison.hpp"
#include "store/write/tail_marker.hpp"

namespace nexusfix::store {

class LogWriter;
class Ownership;

class FolderWatch {
 public:
  // All of them must outlive the watch. owner: null where nothing is written.
  FolderWatch(Disk& disk, const JournalOptions& options, const Ownership* owner,
              const LogWriter& writer, TailMarkerWriter& markers, EventQueue& events);
  ~FolderWatch();
  FolderWatch(const FolderWatch&) = delete;
  FolderWatch& operator=(const FolderWatch&) = delete;

  // Called when the writer is open: the files of now must stay. marks_tail: whether tail markers
  // are written.
  void start(bool marks_tail);
  // Called before the log is closed: nothing is compared or recorded any more.
  void stop();

  // The appending thread, when the writer has opened a segment.
  void on_segment_opened();
  // These segments are retired: their files may be removed.
  void forget_before(std::uint64_t number);
  // The appending thread does what no thread does: when a segment was opened, and when the interval
  // since the last check has passed.
  [[nodiscard]] bool is_due() const noexcept { return is_due_; }
  void check(std::optional<WallTime> now);
  // The store has stopped by an error, which the file `owner` should say. A thread goes on trying
  // until that is written, or the watch ends.
  void record_failure();

  // The folder is not the open one any more. Any thread; one relaxed load.
  [[nodiscard]] bool has_conflict() const noexcept {
    return has_conflict_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::string conflict_text() const;

 private:
  struct OpenedSegment {
    FolderComparison::Segment segment;
    TailMarker start;                // where its records begin
    std::uint64_t bytes_before = 0;  // of the one before it
  };
  void run();
  void turn();
  void add_opened_segments();
  [[nodiscard]] OpenedSegment opened_segment() const;
  void add_opened(OpenedSegment&& opened);
  [[nodiscard]] std::optional<std::string> find_conflict();
  void stop_for(const std::string& conflict);
  void check_writer();
  void put_failure();
  void report_stop(const std::string& text);
  [[nodiscard]] std::optional<TailMarker> tail_marker() const;

  const JournalOptions& options_;
  const LogWriter& writer_;
  TailMarkerWriter& markers_;
  EventQueue& events_;
  const bool has_thread_;
  bool marks_tail_ = false;
  // Which thread writes the tail markers, and compares the folder if there is no other thread.
  enum class Watcher : std::uint8_t {
    None,    // before start(), after stop()
    Caller,  // the appending thread, in check(): no other one knows how far the log reaches
    Thread,
  };
  Watcher watcher_ = Watcher::None;
  std::atomic<bool> has_conflict_{false};

  mutable std::mutex mutex_;  // guards the members below
  std::condition_variable changed_;
  std::vector<OpenedSegment> opened_;   // not taken yet
  std::uint64_t forgotten_before_ = 0;  // not taken yet
  std::string conflict_;
  bool is_failure_due_ = false;
  bool has_changes_ = false;
  bool ends_ = false;

  // Only the thread that compares uses them.
  FolderComparison comparison_;
  std::vector<TailMarker> starts_;  // of the last two
  bool is_stop_reported_ = false;
  // The appending thread's.
  bool is_due_ = false;
  std::optional<WallTime> checked_at_;
  std::thread thread_;
};

}  // namespace nexusfix::store
