// Packs the backups of log files (LogCompress), and removes old ones (LogKeepDays). It has a thread
// of the lowest priority, because packing a file takes seconds: neither an event loop nor the log
// writer waits for it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/disk.hpp>

#include "observe/api/logs.hpp"
#include "observe/log_backups.hpp"
#include "observe/writer/log_notices.hpp"

namespace nexusfix::observe {

// The log writer's thread calls it. On a disk that takes no threads each call does the work.
class BackupKeeper {
 public:
  // All must outlive it. compression: null: nothing is packed.
  BackupKeeper(Disk& disk, LogNotices& notices, const LogCompressionPart* compression);
  BackupKeeper(const BackupKeeper&) = delete;
  BackupKeeper& operator=(const BackupKeeper&) = delete;
  // Interrupts the packing; the next start packs that file.
  ~BackupKeeper();

  // Keeps the backups of a log from now on, by these options. name: "FIX.4.4-A-B.messages".
  void watch(const LogFileOptions& options, const std::string& name);
  // A log has a new backup.
  void on_rotated(WallTime now);
  // The day is compared with that of the last call: backups grow old without rotations, too.
  void on_time(WallTime now) {
    if (std::chrono::floor<std::chrono::days>(now) != day_) [[unlikely]]
      on_new_day(now);
  }

 private:
  // The backups of one log in one folder.
  struct Kept {
    std::string folder;
    std::string name;
    std::chrono::days keep_for{0};
    unsigned permissions = 0;  // LogFileOptions
    bool is_packed = false;
  };

  void on_new_day(WallTime now);
  void request(WallTime now);
  void run(const std::stop_token& stop);
  void keep_all(const std::vector<Kept>& all, WallTime now, const std::stop_token& stop);
  void keep(const Kept& one, WallTime now, const std::stop_token& stop);
  void remove_old(const Kept& one, std::vector<LogBackup>& backups, WallTime now);
  // The error; nothing: it is packed, or the thread is to stop.
  [[nodiscard]] DiskResult<void> pack(const Kept& one, const LogBackup& backup,
                                      const std::stop_token& stop);
  [[nodiscard]] DiskResult<void> set_permissions(const std::string& path, unsigned bits);
  void report(const DiskResult<void>& result);

  Disk& disk_;
  LogNotices& notices_;
  const LogCompressionPart* compression_;
  std::chrono::sys_days day_{};  // of the last on_time(); the log writer's thread only
  bool has_failed_ = false;      // the last packing; of the thread that works

  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::map<std::pair<std::string, std::string>, Kept> kept_;  // by folder and name
  std::optional<WallTime> wanted_at_;                         // work to do, at this time
  std::jthread thread_;                                       // last: it uses the members above
};

}  // namespace nexusfix::observe
