#include "observe/log_backups.hpp"

#include <algorithm>
#include <charconv>

namespace nexusfix::observe {
namespace {

constexpr std::string_view kBackup = ".backup.";
constexpr std::string_view kSuffix = ".log";

}  // namespace

std::optional<LogBackup> read_backup_name(std::string_view file, std::string_view name) noexcept {
  LogBackup backup;
  if (file.ends_with(kPackedSuffix)) {
    backup.is_packed = true;
    file.remove_suffix(kPackedSuffix.size());
  }
  if (!file.starts_with(name)) return std::nullopt;
  file.remove_prefix(name.size());
  if (!file.starts_with(kBackup) || !file.ends_with(kSuffix)) return std::nullopt;
  if (file.size() <= kBackup.size() + kSuffix.size()) return std::nullopt;
  file.remove_prefix(kBackup.size());
  file.remove_suffix(kSuffix.size());
  const auto [stop, error] = std::from_chars(file.data(), file.data() + file.size(), backup.number);
  if (error != std::errc{} || stop != file.data() + file.size()) return std::nullopt;
  return backup;
}

std::string backup_path(const std::string& folder, const std::string& name,
                        const LogBackup& backup) {
  std::string path = folder + "/" + name;
  path += kBackup;
  path += std::to_string(backup.number);
  path += kSuffix;
  if (backup.is_packed) path += kPackedSuffix;
  return path;
}

DiskResult<std::vector<LogBackup>> find_backups(Disk& disk, const std::string& folder,
                                                const std::string& name) {
  const auto files = disk.list(folder);
  if (!files) return std::unexpected{files.error()};
  std::vector<LogBackup> backups;
  for (const std::string& file : *files) {
    if (const auto backup = read_backup_name(file, name)) backups.push_back(*backup);
  }
  std::ranges::sort(backups, {}, &LogBackup::number);
  return backups;
}

void remove_parts(Disk& disk, const std::string& folder, const std::string& name) {
  const auto files = disk.list(folder);
  if (!files) return;
  for (std::string_view file : *files) {
    if (!file.ends_with(kPartSuffix)) continue;
    const std::string path = folder + "/" + std::string{file};
    file.remove_suffix(kPartSuffix.size());
    const auto backup = read_backup_name(file, name);
    if (backup && backup->is_packed) static_cast<void>(disk.remove(path));
  }
}

void remove_above(Disk& disk, const std::string& folder, const std::string& name,
                  std::vector<LogBackup> backups, std::size_t backups_max) {
  std::size_t numbers = 0;
  std::uint64_t last = 0;
  for (std::size_t i = backups.size(); i-- > 0;) {
    if (numbers == 0 || backups[i].number != last) ++numbers;
    last = backups[i].number;
    if (numbers <= backups_max) continue;
    static_cast<void>(disk.remove(backup_path(folder, name, backups[i])));
  }
}

}  // namespace nexusfix::observe
