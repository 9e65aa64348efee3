#include "observe/writer/log_files.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <nexusfix/deferred.hpp>

namespace nexusfix::observe {
namespace {

// With more files, the one that was opened first is closed for the next: descriptors must be left
// for the connections of sessions.
constexpr std::size_t kOpenFilesMax = 128;
// Memory for the lines of at most this number of files is kept for other files. The rest is freed.
constexpr std::size_t kSpareMemoryMax = 16;
// Files that one call of reopen_some() opens.
constexpr std::size_t kReopenedMax = 64;

}  // namespace

LogFiles::LogFiles(Disk& disk, LogNotices& notices, const LogCompressionPart* compression)
    : disk_{disk}, notices_{notices}, backups_{disk, notices, compression} {
  spare_memory_.reserve(kSpareMemoryMax);
}

DiskResult<LogFile*> LogFiles::open(const LogFileOptions& options, const std::string& name,
                                    WallTime now, OpenWhen when) {
  auto file = std::make_unique<LogFile>(options, name);
  backups_.watch(options, name);
  if (const auto found = files_.find(file->path()); found != files_.end()) {
    found->second->change(options);
    return found->second.get();
  }
  if (when == OpenWhen::Now) {
    if (auto opened = file->open(disk_, now); !opened) return std::unexpected{opened.error()};
  }
  LogFile* const added = file.get();
  files_.emplace(added->path(), std::move(file));
  if (when == OpenWhen::Now) add_open(*added);
  return added;
}

bool LogFiles::can_keep_open() const noexcept { return open_files_.size() < kOpenFilesMax; }

std::string& LogFiles::begin_line(LogFile& file, WallTime time) {
  if (!file.has_lines()) {
    with_lines_.push_back(&file);
    if (!spare_memory_.empty()) {
      file.lend(std::move(spare_memory_.back()));
      spare_memory_.pop_back();
    }
  }
  return file.add_line(time);
}

void LogFiles::write(WallTime now) {
  backups_.on_time(now);
  for (LogFile* file : with_lines_) {
    if (!deferred::detail::returns_normally([&] { write_file(*file, now); })) {
      // Without memory the lines are lost. The file may be open and missing in open_files_, so that
      // nothing would ever close it. Its next line opens it again and reports the loss.
      file->close();
      const std::uint64_t lost_before = file->lost();
      file->drop_lines();
      count_lost(file->lost() - lost_before);
    }
    if (file->has_lines()) continue;
    std::string memory = file->give_back();
    if (spare_memory_.size() < kSpareMemoryMax) spare_memory_.push_back(std::move(memory));
  }
  with_lines_.clear();
}

void LogFiles::write_file(LogFile& file, WallTime now) {
  const bool was_open = file.is_open();
  const std::uint64_t lost_before = file.lost();
  const std::uint64_t rotations_before = file.rotations();
  if (auto notice = file.write(disk_, now)) notices_.post(std::move(*notice));
  if (file.rotations() != rotations_before) backups_.on_rotated(now);
  count_lost(file.lost() - lost_before);
  if (was_open == file.is_open()) return;
  if (was_open) {
    std::erase(open_files_, &file);
    return;
  }
  add_open(file);
}

void LogFiles::add_open(LogFile& file) {
  open_files_.push_back(&file);
  if (open_files_.size() <= kOpenFilesMax) return;
  open_files_.front()->close();
  open_files_.erase(open_files_.begin());
}

void LogFiles::finish(WallTime now) {
  for (const auto& [path, file] : files_) file->finish(disk_, now);
}

void LogFiles::begin_reopening() {
  not_reopened_ = 0;
  to_reopen_.clear();
  to_reopen_.reserve(files_.size());
  for (LogFile* file : open_files_) file->close();
  open_files_.clear();
  for (const auto& [path, file] : files_) {
    if (file->was_made()) to_reopen_.push_back(file.get());
  }
}

bool LogFiles::reopen_some(WallTime now) {
  for (std::size_t i = 0; i < kReopenedMax && !to_reopen_.empty(); ++i) {
    LogFile& file = *to_reopen_.back();
    to_reopen_.pop_back();
    // A failure is reported, and the file is tried again with its next line.
    static_cast<void>(deferred::detail::returns_normally([&] { write_file(file, now); }));
    if (!file.is_open()) ++not_reopened_;
  }
  return !to_reopen_.empty();
}

DiskResult<bool> LogFolders::make(const LogFileOptions& options) {
  std::pair both{options.folder, options.backup_folder};
  if (made_.contains(both)) return false;
  for (const std::string* const folder : {&both.first, &both.second}) {
    if (folder->empty()) continue;
    if (auto made = disk_.make_directories(*folder); !made) return std::unexpected{made.error()};
  }
  made_.insert(std::move(both));
  return true;
}

const std::set<std::string>& LogFolders::names_in(const std::string& folder) {
  const auto [place, is_new] = names_.try_emplace(folder);
  if (!is_new) return place->second;
  const auto names = disk_.list(folder);
  if (names) place->second.insert(names->begin(), names->end());
  return place->second;
}

std::size_t LogFolders::index_of(const std::string& path) {
  const auto found = std::ranges::find(folders_, path, &Folder::path);
  const auto index = static_cast<std::size_t>(found - folders_.begin());
  if (found == folders_.end()) folders_.push_back({.path = path});
  return index;
}

bool LogFolders::is_nearly_full(std::size_t index, std::uint64_t free_bytes_min, WallTime now) {
  Folder& folder = folders_[index];
  constexpr std::chrono::seconds kCheckInterval{1};
  if (folder.checked_at == WallTime::min() || now < folder.checked_at ||
      now - folder.checked_at >= kCheckInterval) {
    folder.checked_at = now;
    folder.free_bytes = disk_.free_bytes(folder.path).value_or(UINT64_MAX);
    const bool was_nearly_full =
        std::exchange(folder.is_nearly_full, folder.free_bytes < free_bytes_min);
    if (folder.is_nearly_full && !was_nearly_full) {
      notices_.post({EventId::LogDiskNearlyFull, "only " + std::to_string(folder.free_bytes) +
                                                     " bytes are free for the logs in " +
                                                     folder.path +
                                                     ": messages are not logged until there are " +
                                                     std::to_string(free_bytes_min)});
    } else if (was_nearly_full && !folder.is_nearly_full) {
      notices_.post({EventId::LogDiskHasRoom, "there is room for the logs in " + folder.path +
                                                  " again: messages are logged"});
    }
  }
  return folder.is_nearly_full;
}

}  // namespace nexusfix::observe
