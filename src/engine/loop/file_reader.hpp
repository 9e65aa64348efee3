// Files that a running engine reads: on a thread of their own, so that no event loop waits for a
// disk that hangs.
#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <sched.h>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/disk.hpp>
#include <nexusfix/transport/network.hpp>

namespace nexusfix::engine {

// What is read, and what the event loop does with it.
class FileJob {
 public:
  FileJob() = default;
  FileJob(const FileJob&) = delete;
  FileJob& operator=(const FileJob&) = delete;
  virtual ~FileJob() = default;

  // On a thread of its own; on a disk that takes no threads, on the event loop's.
  virtual void read(Disk& disk) = 0;
  // The event loop's thread, after read() has returned.
  virtual void finish() = 0;
  // The event loop's thread, instead of finish(). read() may still run: what it writes is not
  // touched here.
  virtual void fail(std::string_view why) = 0;
};

// One job at a time, in the order in which they came. A call of the file system that takes longer
// than kCallMax ends its job: the thread that is stuck in it is left alone, and stops at its next
// call. Of these there are kStuckMax at most; beyond that jobs fail at once.
//
// All functions: the event loop's thread.
class FileReader {
 public:
  static constexpr std::chrono::seconds kCallMax{10};
  // Less where the event loop itself waits.
  static constexpr std::chrono::seconds kAwaitedCallMax{2};
  static constexpr long kStuckMax = 4;

  // owner: keeps disk alive for a thread that is stuck; null: disk is the caller's, and the
  // destructor, nothing else, waits for that thread.
  FileReader(Disk& disk, std::shared_ptr<Disk> owner, transport::Network& network);
  ~FileReader();
  FileReader(const FileReader&) = delete;
  FileReader& operator=(const FileReader&) = delete;

  void add(std::shared_ptr<FileJob> job) { jobs_.push_back(std::move(job)); }
  [[nodiscard]] bool is_busy() const noexcept { return !jobs_.empty(); }
  // Begins and ends jobs. To be called when the network was woken, and at least once a second while
  // is_busy().
  void serve(MonoTime now);
  // Reads now, and waits for it. The event loop stands still meanwhile. Nothing: it was read;
  // otherwise why not.
  [[nodiscard]] std::string read_now(const std::shared_ptr<FileJob>& job, Clock& clock);
  // Neither finishes nor fails what is still to be read.
  void stop();

 private:
  struct Reading;

  [[nodiscard]] std::string begin(const std::shared_ptr<FileJob>& job,
                                  std::shared_ptr<Reading>& reading);
  void leave(std::shared_ptr<Reading>& reading);

  Disk& disk_;
  std::shared_ptr<Disk> owner_;
  transport::Network& network_;
  std::deque<std::shared_ptr<FileJob>> jobs_;
  std::shared_ptr<Reading> reading_;             // of the first one
  std::vector<std::shared_ptr<Reading>> stuck_;  // on a disk of the caller's
  cpu_set_t cpus_{};  // where a thread may run: not on an event loop's own CPU
  bool has_cpus_ = false;
};

}  // namespace nexusfix::engine
