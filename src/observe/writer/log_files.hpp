// All files of the logs: which are open, which have lines to write, and which are to be opened
// again.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/disk.hpp>

#include "observe/api/session_logs.hpp"
#include "observe/log_file.hpp"
#include "observe/writer/backup_keeper.hpp"
#include "observe/writer/log_notices.hpp"

namespace nexusfix::observe {

// The folders of the logs: whether they exist, what they hold, and how much room their disks have.
// One thread: the log writer's.
class LogFolders {
 public:
  // Both must outlive it.
  LogFolders(Disk& disk, LogNotices& notices) : disk_{disk}, notices_{notices} {}

  // Makes the folder and the backup folder. True when this is the first call for the pair.
  [[nodiscard]] DiskResult<bool> make(const LogFileOptions& options);
  // The names of the files in a folder, as they were at the first call for that folder.
  [[nodiscard]] const std::set<std::string>& names_in(const std::string& folder);
  // For is_nearly_full().
  [[nodiscard]] std::size_t index_of(const std::string& path);
  // Whether the disk of a folder has less than free_bytes_min free. The disk is asked once a
  // second; a change is posted as a notice.
  [[nodiscard]] bool is_nearly_full(std::size_t folder, std::uint64_t free_bytes_min, WallTime now);

 private:
  struct Folder {
    std::string path;
    WallTime checked_at = WallTime::min();
    std::uint64_t free_bytes = UINT64_MAX;
    bool is_nearly_full = false;
  };

  Disk& disk_;
  LogNotices& notices_;
  std::vector<Folder> folders_;
  std::set<std::pair<std::string, std::string>> made_;  // folder, backup folder
  std::map<std::string, std::set<std::string>> names_;  // by folder
};

// One thread: the log writer's. Any thread may call lost().
class LogFiles {
 public:
  enum class OpenWhen : std::uint8_t { Now, WithFirstLine };

  // All must outlive it. compression: null: no backup is packed.
  LogFiles(Disk& disk, LogNotices& notices, const LogCompressionPart* compression);

  // The file of that name: the existing one, with changed options, if a session was added again.
  // The pointer is valid as long as this object.
  [[nodiscard]] DiskResult<LogFile*> open(const LogFileOptions& options, const std::string& name,
                                          WallTime now, OpenWhen when);
  // Whether one more file can be open without another one being closed for it.
  [[nodiscard]] bool can_keep_open() const noexcept;

  // Append one whole line to the result.
  [[nodiscard]] std::string& begin_line(LogFile& file, WallTime time);
  // Writes the lines of all files.
  void write(WallTime now);
  // Writes the lines, and the losses that are not reported yet.
  void finish(WallTime now);

  // Closes all files. Those that exist are opened again by name, by calls of reopen_some().
  void begin_reopening();
  // Opens a part of them, so that lines do not wait for thousands of files. False: all are open.
  [[nodiscard]] bool reopen_some(WallTime now);

  // The files that could not be opened since begin_reopening().
  [[nodiscard]] std::uint64_t not_reopened() const noexcept { return not_reopened_; }

  void count_lost(std::uint64_t lines = 1) noexcept {
    lost_.fetch_add(lines, std::memory_order_relaxed);
  }
  // Lines that could not be written, since the start.
  [[nodiscard]] std::uint64_t lost() const noexcept {
    return lost_.load(std::memory_order_relaxed);
  }

 private:
  void write_file(LogFile& file, WallTime now);
  void add_open(LogFile& file);

  Disk& disk_;
  LogNotices& notices_;
  std::map<std::string, std::unique_ptr<LogFile>> files_;  // by path
  std::vector<LogFile*> with_lines_;
  std::vector<std::string> spare_memory_;  // for lines
  std::vector<LogFile*> open_files_;       // in the order in which they were opened
  std::vector<LogFile*> to_reopen_;
  std::uint64_t not_reopened_ = 0;
  std::atomic<std::uint64_t> lost_{0};
  BackupKeeper backups_;
};

}  // namespace nexusfix::observe
