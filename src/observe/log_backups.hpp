// The backups of a log file: "NAME.backup.N.log", or "NAME.backup.N.log.zst" when it is packed. The
// highest N is the newest.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/disk.hpp>

namespace nexusfix::observe {

inline constexpr std::string_view kPackedSuffix = ".zst";
// Follows the name of a backup while it is packed: what an interrupted packing leaves is no backup.
inline constexpr std::string_view kPartSuffix = ".part";

// One file of a backup. While it is packed, both of its files may exist.
struct LogBackup {
  std::uint64_t number = 0;
  bool is_packed = false;
};

// name: "FIX.4.4-VENUE-TRADER.messages". Nothing: the file is no backup of it.
[[nodiscard]] std::optional<LogBackup> read_backup_name(std::string_view file,
                                                        std::string_view name) noexcept;
[[nodiscard]] std::string backup_path(const std::string& folder, const std::string& name,
                                      const LogBackup& backup);
// All files of the log's backups in the folder, by number.
[[nodiscard]] DiskResult<std::vector<LogBackup>> find_backups(Disk& disk, const std::string& folder,
                                                              const std::string& name);
// Removes what interrupted packings of the log's backups have left. What cannot be removed stays.
void remove_parts(Disk& disk, const std::string& folder, const std::string& name);
// Removes the oldest backups, until backups_max are left. What cannot be removed stays.
void remove_above(Disk& disk, const std::string& folder, const std::string& name,
                  std::vector<LogBackup> backups, std::size_t backups_max);

}  // namespace nexusfix::observe
