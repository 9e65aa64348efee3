// The folders of the logs: whether they exist, what they hold, and how much room their disks have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/base/time.hpp>
#include <nexusfix/observe/session_logs.hpp>

#include "observe/writer/log_notices.hpp"

namespace nexusfix::observe {

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

}  // namespace nexusfix::observe
