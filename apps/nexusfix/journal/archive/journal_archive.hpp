// Packs retired segments of a journal as zstd archives (0000000001.journal.zst in the folder
// "retired"), and reads the archives in place of the segments.
#pragma once

#include <cstdint>
#include <expected>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/disk.hpp>

namespace nexusfix::command {

inline constexpr std::string_view kArchiveSuffix = ".zst";

class ArchiveReader;

// Returns the packed bytes, with a checksum. Holds a whole segment in memory meanwhile.
[[nodiscard]] std::expected<std::vector<char>, std::string> pack(std::span<const char> bytes);

struct ArchivedSegment {
  std::string file;  // of the archive
  std::uint64_t bytes = 0;
  std::uint64_t archive_bytes = 0;
};

// Makes an archive of each segment in the journal's folder "retired". An archive is written, synced
// and read back. A segment is removed only if its archive unpacks to the same bytes. After an
// interruption call it again. Archives made before an error remain.
[[nodiscard]] std::expected<std::vector<ArchivedSegment>, std::string> archive_retired(
    Disk& disk, const std::string& folder);

struct RemovedArchives {
  std::vector<std::string> paths;
  std::string held;  // why an old archive stays: one line; empty: none does
};
// Removes the archives in the folder `retired` that were written before this time: the oldest ones,
// up to the first that stays. One that a cursor in the folder `cursors` has not passed stays.
[[nodiscard]] std::expected<RemovedArchives, std::string> remove_old_archives(
    Disk& disk, const std::string& folder, WallTime written_before);

// Shows a journal's folder as it was before segments were retired: the segments and archives in
// "retired" appear among the others. Only for reading. One thread.
class WholeJournalDisk final : public Disk {
 public:
  // The disk must outlive it.
  WholeJournalDisk(Disk& disk, std::string folder) : disk_{disk}, folder_{std::move(folder)} {}

  DiskResult<std::unique_ptr<File>> open(const std::string& path, OpenMode mode) override;
  DiskResult<std::vector<std::string>> list(const std::string& path) override;
  DiskResult<void> make_directories(const std::string& path) override;
  DiskResult<void> remove(const std::string& path) override;
  DiskResult<void> sync_directory(const std::string& path) override;
  DiskResult<std::unique_ptr<File>> try_lock_directory(const std::string& path) override {
    return disk_.try_lock_directory(path);
  }
  DiskResult<File::Status> status(const std::string& path) override { return disk_.status(path); }
  std::string boot_id() override { return disk_.boot_id(); }
  std::string mount_id(const std::string& path) override { return disk_.mount_id(path); }

 private:
  [[nodiscard]] DiskResult<std::vector<std::string>> retired() const;

  Disk& disk_;
  std::string folder_;
  // The archive opened last: a segment is opened several times in a row.
  std::string archive_path_;
  std::shared_ptr<ArchiveReader> archive_;
};

}  // namespace nexusfix::command
