#include "nexusfix/journal/archive/journal_archive.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <utility>
#include <zstd.h>

#include "base/api/ascii.hpp"
#include "journal/api/journal_tools.hpp"
#include "nexusfix/journal/archive/archive_reader.hpp"
#include "store/api/journal.hpp"
#include "store/api/journal_cursor.hpp"

namespace nexusfix::command {
namespace {

constexpr std::string_view kSegmentSuffix = ".journal";
constexpr std::string_view kPartSuffix = ".part";
constexpr std::size_t kSegmentDigits = 10;
constexpr int kLevel = 9;
std::string retired_folder(const std::string& folder) { return folder + "/retired"; }

// "0000000001.journal" followed by suffix.
bool is_segment_name(std::string_view name, std::string_view suffix) {
  return name.size() == kSegmentDigits + kSegmentSuffix.size() + suffix.size() &&
         is_all_digits(name.substr(0, kSegmentDigits)) &&
         name.substr(kSegmentDigits, kSegmentSuffix.size()) == kSegmentSuffix &&
         name.ends_with(suffix);
}

DiskResult<std::vector<char>> read_whole(Disk& disk, const std::string& path) {
  const auto file = disk.open(path, OpenMode::Read);
  if (!file) return std::unexpected{file.error()};
  const DiskResult<std::uint64_t> size = (*file)->size();
  if (!size) return std::unexpected{size.error()};
  std::vector<char> bytes(static_cast<std::size_t>(*size));
  const DiskResult<std::size_t> got = (*file)->read_at(0, bytes);
  if (!got) return std::unexpected{got.error()};
  bytes.resize(*got);
  return bytes;
}

DiskResult<void> write_whole(Disk& disk, const std::string& path, std::span<const char> bytes) {
  const auto file = disk.open(path, OpenMode::Create);
  if (!file) return std::unexpected{file.error()};
  if (auto emptied = (*file)->truncate(0); !emptied) return emptied;
  if (auto written = (*file)->write_at(0, bytes); !written) return written;
  return (*file)->sync();
}

DiskError unpack_error(const std::string& archive, const std::string& why) {
  return {.path = archive, .operation = "unpack (" + why + ')', .error_number = EIO};
}

// Reads an archive as the segment in it. Every change of it fails.
class ArchivedFile final : public File {
 public:
  ArchivedFile(std::string path, std::shared_ptr<ArchiveReader> archive)
      : path_{std::move(path)}, archive_{std::move(archive)} {}

  DiskResult<void> write_at(std::uint64_t, std::span<const char>) override { return refused(); }
  DiskResult<std::size_t> read_at(std::uint64_t offset, std::span<char> out) override {
    auto got = archive_->read_at(offset, out);
    if (!got) return std::unexpected{unpack_error(path_, got.error())};
    return *got;
  }
  DiskResult<void> sync() override { return refused(); }
  DiskResult<std::uint64_t> size() override { return archive_->size(); }
  DiskResult<void> truncate(std::uint64_t) override { return refused(); }
  DiskResult<bool> try_lock() override { return true; }

 private:
  DiskResult<void> refused() const {
    return std::unexpected{
        DiskError{.path = path_, .operation = "change an archive", .error_number = EROFS}};
  }

  std::string path_;
  std::shared_ptr<ArchiveReader> archive_;
};

DiskResult<std::shared_ptr<ArchiveReader>> open_archive(Disk& disk, const std::string& path) {
  auto file = disk.open(path, OpenMode::Read);
  if (!file) return std::unexpected{file.error()};
  auto archive = ArchiveReader::open(std::move(*file));
  if (!archive) return std::unexpected{unpack_error(path, archive.error())};
  return std::shared_ptr<ArchiveReader>{std::move(*archive)};
}

// Whether the file contains exactly these bytes.
DiskResult<bool> holds(Disk& disk, const std::string& path, std::span<const char> bytes) {
  const auto archive = open_archive(disk, path);
  if (!archive) return std::unexpected{archive.error()};
  if ((*archive)->size() != bytes.size()) return false;
  std::vector<char> part(1U << 20U);
  for (std::span<const char> rest = bytes; !rest.empty();) {
    const auto got = (*archive)->read_at(bytes.size() - rest.size(), part);
    if (!got) return std::unexpected{unpack_error(path, got.error())};
    if (!std::ranges::equal(std::span{part}.first(*got), rest.first(*got))) return false;
    rest = rest.subspan(*got);
  }
  return true;
}

DiskResult<void> read_only(const std::string& path) {
  return std::unexpected{DiskError{.path = path, .operation = "change", .error_number = EROFS}};
}

// Writes the archive next to the segment, and reads it back as a check.
std::expected<ArchivedSegment, std::string> archive_one(Disk& disk, const std::string& folder,
                                                        const std::string& name) {
  const std::string path = folder + '/' + name;
  const std::string archive = path + std::string{kArchiveSuffix};
  const std::string part = archive + std::string{kPartSuffix};
  const auto failure = [](const DiskError& error) { return std::unexpected{error.what()}; };
  const auto bytes = read_whole(disk, path);
  if (!bytes) return failure(bytes.error());
  if (!store::is_segment(*bytes)) {
    return std::unexpected{path + ": is not a segment of a journal; it was not changed"};
  }
  const auto before = disk.open(archive, OpenMode::Read);
  if (!before && before.error().error_number != ENOENT) return failure(before.error());
  if (before) {
    const auto size = (*before)->size();
    if (!size) return failure(size.error());
    const auto is_same = holds(disk, archive, *bytes);
    if (!is_same) return failure(is_same.error());
    if (!*is_same) {
      return std::unexpected{archive + ": exists and has other contents than " + path +
                             "; neither was changed"};
    }
    // An earlier run was interrupted after it wrote the archive.
    if (auto removed = disk.remove(path); !removed) return failure(removed.error());
    if (auto synced = disk.sync_directory(folder); !synced) return failure(synced.error());
    return ArchivedSegment{.file = archive, .bytes = bytes->size(), .archive_bytes = *size};
  }
  const auto packed = pack(*bytes);
  if (!packed) return std::unexpected{path + ": " + packed.error()};
  if (auto written = write_whole(disk, part, *packed); !written) return failure(written.error());
  const auto again = holds(disk, part, *bytes);
  if (!again) return failure(again.error());
  if (!*again) {
    return std::unexpected{part + ": does not unpack to the segment; the segment was not changed"};
  }
  if (auto renamed = disk.rename(part, archive); !renamed) return failure(renamed.error());
  if (auto synced = disk.sync_directory(folder); !synced) return failure(synced.error());
  if (auto removed = disk.remove(path); !removed) return failure(removed.error());
  if (auto synced = disk.sync_directory(folder); !synced) return failure(synced.error());
  return ArchivedSegment{.file = archive, .bytes = bytes->size(), .archive_bytes = packed->size()};
}

}  // namespace

std::expected<std::vector<char>, std::string> pack(std::span<const char> bytes) {
  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context{ZSTD_createCCtx(),
                                                                     &ZSTD_freeCCtx};
  if (context == nullptr) return std::unexpected{"zstd: no memory"};
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, kLevel);
  ZSTD_CCtx_setParameter(context.get(), ZSTD_c_checksumFlag, 1);
  std::vector<char> packed(ZSTD_compressBound(bytes.size()));
  const std::size_t size =
      ZSTD_compress2(context.get(), packed.data(), packed.size(), bytes.data(), bytes.size());
  if (ZSTD_isError(size) != 0)
    return std::unexpected{std::string{"zstd: "} + ZSTD_getErrorName(size)};
  packed.resize(size);
  return packed;
}

std::expected<std::vector<ArchivedSegment>, std::string> archive_retired(
    Disk& disk, const std::string& folder) {
  const std::string retired = retired_folder(folder);
  const auto names = disk.list(retired);
  if (!names) {
    return std::unexpected{names.error().what() +
                           ". Segments are retired to that folder with JournalRetired=keep"};
  }
  std::vector<ArchivedSegment> done;
  for (const std::string& name : *names) {
    if (!is_segment_name(name, "")) continue;
    auto one = archive_one(disk, retired, name);
    if (!one) return std::unexpected{std::move(one.error())};
    done.push_back(std::move(*one));
  }
  return done;
}

std::expected<RemovedArchives, std::string> remove_old_archives(Disk& disk,
                                                                const std::string& folder,
                                                                WallTime written_before) {
  const std::string retired = retired_folder(folder);
  const auto names = disk.list(retired);
  if (!names) return std::unexpected{names.error().what()};
  const auto cursors = store::read_cursors(disk, folder);
  if (!cursors) return std::unexpected{cursors.error().what()};
  RemovedArchives removed;
  for (const std::string& name : *names) {
    // In the order of the log: what stays is without a gap.
    if (is_segment_name(name, "")) break;
    if (!is_segment_name(name, kArchiveSuffix)) continue;
    const std::string path = retired + '/' + name;
    const auto written = disk.written_at(path);
    if (!written) return std::unexpected{written.error().what()};
    if (*written >= written_before) break;
    const std::uint64_t number = std::strtoull(name.c_str(), nullptr, 10);
    const auto holds = [&](const store::FoundCursor& one) {
      return !one.cursor || one.cursor->segment <= number;
    };
    if (const auto holder = std::ranges::find_if(*cursors, holds); holder != cursors->end()) {
      removed.held = path + " stays: the cursor " + holder->name + " has not passed it";
      break;
    }
    if (auto done = disk.remove(path); !done) return std::unexpected{done.error().what()};
    removed.paths.push_back(path);
  }
  return removed;
}

DiskResult<std::vector<std::string>> WholeJournalDisk::retired() const {
  auto names = disk_.list(retired_folder(folder_));
  if (!names && names.error().error_number == ENOENT) return std::vector<std::string>{};
  return names;
}

DiskResult<std::vector<std::string>> WholeJournalDisk::list(const std::string& path) {
  auto names = disk_.list(path);
  if (!names || path != folder_) return names;
  const auto others = retired();
  if (!others) return std::unexpected{others.error()};
  for (const std::string& name : *others) {
    if (is_segment_name(name, "")) names->push_back(name);
    if (is_segment_name(name, kArchiveSuffix)) {
      names->push_back(name.substr(0, name.size() - kArchiveSuffix.size()));
    }
  }
  std::ranges::sort(*names);
  const auto [same, end] = std::ranges::unique(*names);
  names->erase(same, end);
  return names;
}

DiskResult<std::unique_ptr<File>> WholeJournalDisk::open(const std::string& path, OpenMode mode) {
  if (!is_read_only(mode)) return std::unexpected{read_only(path).error()};
  auto file = disk_.open(path, mode);
  const std::string name = path.substr(path.rfind('/') + 1);
  if (file || file.error().error_number != ENOENT || !is_segment_name(name, "")) return file;
  const std::string aside = retired_folder(folder_) + '/' + name;
  auto plain = disk_.open(aside, mode);
  if (plain || plain.error().error_number != ENOENT) return plain;
  const std::string archive = aside + std::string{kArchiveSuffix};
  if (archive != archive_path_) {
    auto opened = open_archive(disk_, archive);
    if (!opened) return std::unexpected{opened.error()};
    archive_ = std::move(*opened);
    archive_path_ = archive;
  }
  return std::make_unique<ArchivedFile>(archive, archive_);
}

DiskResult<void> WholeJournalDisk::make_directories(const std::string& path) {
  return read_only(path);
}
DiskResult<void> WholeJournalDisk::remove(const std::string& path) { return read_only(path); }
DiskResult<void> WholeJournalDisk::sync_directory(const std::string& path) {
  return read_only(path);
}

}  // namespace nexusfix::command
