// Reads files on a separate thread while the engine runs, so that no event loop waits for a disk
// that hangs.
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

namespace nexusfix::config {

// The files to read, and what the event loop does with them.
class FileJob {
 public:
  FileJob() = default;
  FileJob(const FileJob&) = delete;
  FileJob& operator=(const FileJob&) = delete;
  virtual ~FileJob() = default;

  // Runs on a separate thread; on a disk that takes no threads, on the event loop's.
  virtual void read(Disk& disk) = 0;
  // The event loop's thread, after read() has returned.
  virtual void finish() = 0;
  // The event loop's thread, instead of finish(). read() may still run: fail() must not touch what
  // read() writes.
  virtual void fail(std::string_view why) = 0;
};

// Runs one job at a time, in the order of add(). A call of the file system that takes longer than
// kCallMax ends its job: its thread is left in the call, and stops at its next call. There are at
// most kStuckMax such threads; then further jobs fail at once.
//
// All functions: the event loop's thread.
class FileReader {
 public:
  static constexpr std::chrono::seconds kCallMax{10};
  // Shorter where the event loop itself waits.
  static constexpr std::chrono::seconds kAwaitedCallMax{2};
  static constexpr long kStuckMax = 4;

  // owner: keeps disk alive for a stuck thread. null: disk belongs to the caller; then the
  // destructor, and no other function, waits for the stuck threads.
  FileReader(Disk& disk, std::shared_ptr<Disk> owner, transport::Network& network);
  ~FileReader();
  FileReader(const FileReader&) = delete;
  FileReader& operator=(const FileReader&) = delete;

  void add(std::shared_ptr<FileJob> job) { jobs_.push_back(std::move(job)); }
  [[nodiscard]] bool is_busy() const noexcept { return !jobs_.empty(); }
  // Begins and ends jobs. Call it when the network was woken, and at least once a second while
  // is_busy().
  void serve(MonoTime now);
  // Reads now and waits; the event loop is blocked meanwhile. Empty: the files were read;
  // otherwise the reason of the failure.
  [[nodiscard]] std::string read_now(const std::shared_ptr<FileJob>& job, Clock& clock);
  // Drops the remaining jobs; neither finish() nor fail() is called.
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
  std::shared_ptr<Reading> reading_;             // of the first job
  std::vector<std::shared_ptr<Reading>> stuck_;  // on a disk that belongs to the caller
  // Where the reading threads may run; an event loop's thread may be pinned to one CPU.
  cpu_set_t cpus_{};
  bool has_cpus_ = false;
};

}  // namespace nexusfix::config
