#include "observe/writer/log_folders.hpp"

#include <algorithm>
#include <chrono>

namespace nexusfix::observe {

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
