#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <span>
#include <string>
#include <system_error>
#include <utility>

#include <nexusfix/base/disk.hpp>

namespace nexusfix {

std::string DiskError::what() const {
  std::string text = operation + ' ' + path + ": ";
  if (!cause.empty()) return text + cause;
  text += error_number == 0 ? "failed" : std::generic_category().message(error_number);
  return text;
}

DiskResult<void> File::sync_mapped(File::Mapping&, std::uint64_t, std::uint64_t) { return sync(); }

DiskResult<void> Disk::could_write_into(const std::string&) { return {}; }

DiskResult<bool> Disk::is_private(const std::string&) { return true; }

DiskResult<File::Status> Disk::status(const std::string& path) {
  return std::unexpected{DiskError{.path = path, .operation = "stat", .error_number = EOPNOTSUPP}};
}

DiskResult<WallTime> Disk::written_at(const std::string& path) {
  return std::unexpected{DiskError{.path = path, .operation = "stat", .error_number = EOPNOTSUPP}};
}

std::string Disk::mount_id(const std::string&) { return {}; }

DiskResult<void> Disk::rename(const std::string& from, const std::string&) {
  return std::unexpected{
      DiskError{.path = from, .operation = "rename", .error_number = EOPNOTSUPP}};
}

DiskResult<std::uint64_t> Disk::free_bytes(const std::string& path) {
  return std::unexpected{
      DiskError{.path = path, .operation = "statvfs", .error_number = EOPNOTSUPP}};
}

DiskResult<std::unique_ptr<File>> Disk::try_lock_directory(const std::string& path) {
  return std::unexpected{DiskError{.path = path, .operation = "lock", .error_number = EOPNOTSUPP}};
}

DiskResult<void> File::set_permissions(unsigned) {
  return std::unexpected{
      DiskError{.path = {}, .operation = "set the permissions of", .error_number = EOPNOTSUPP}};
}

DiskResult<std::unique_ptr<File>> Disk::try_lock_name(const std::string& path) {
  return std::unexpected{DiskError{.path = path, .operation = "lock", .error_number = EOPNOTSUPP}};
}

DiskResult<File::Status> File::status() {
  return std::unexpected{DiskError{.path = {}, .operation = "stat", .error_number = EOPNOTSUPP}};
}

DiskResult<void> File::reserve(std::uint64_t) {
  return std::unexpected{DiskError{.path = {}, .operation = "reserve", .error_number = EOPNOTSUPP}};
}

DiskResult<std::unique_ptr<File::Mapping>> File::map(std::uint64_t) {
  return std::unexpected{DiskError{.path = {}, .operation = "map", .error_number = EOPNOTSUPP}};
}

namespace {

DiskResult<std::string> read_all(Disk& disk, const std::string& path, OpenMode mode,
                                 std::uint64_t limit_bytes) {
  DiskResult<std::unique_ptr<File>> file = disk.open(path, mode);
  if (!file) return std::unexpected{std::move(file.error())};
  // Does not use the file's size: for a pipe it is 0, and a file may grow while it is read.
  constexpr std::size_t kChunkBytes = 64U << 10U;
  std::string content;
  for (;;) {
    const std::uint64_t room = limit_bytes - content.size();
    // One byte above the limit distinguishes a file that fits exactly from one that is too large.
    const std::size_t want = room < kChunkBytes ? static_cast<std::size_t>(room) + 1 : kChunkBytes;
    const std::size_t before = content.size();
    content.resize(before + want);
    const DiskResult<std::size_t> got =
        (*file)->read_at(before, std::span{content}.subspan(before, want));
    if (!got) return std::unexpected{got.error()};
    content.resize(before + *got);
    if (content.size() > limit_bytes) {
      return std::unexpected{DiskError{.path = path, .operation = "read", .error_number = EFBIG}};
    }
    if (*got < want) return content;
  }
}

DiskResult<void> write_replacement(Disk& disk, const std::string& path, std::string_view content) {
  auto file = disk.open(path, OpenMode::Create);
  if (!file) return std::unexpected{std::move(file.error())};
  if (auto done = (*file)->truncate(0); !done) return done;
  if (auto done = (*file)->set_permissions(0600);
      !done && done.error().error_number != EOPNOTSUPP) {
    return done;
  }
  if (auto done = (*file)->write_at(0, content); !done) return done;
  return (*file)->sync();
}

}  // namespace

DiskResult<std::string> read_file(Disk& disk, const std::string& path, std::uint64_t limit_bytes) {
  return read_all(disk, path, OpenMode::Read, limit_bytes);
}

DiskResult<std::string> read_regular_file(Disk& disk, const std::string& path,
                                          std::uint64_t limit_bytes) {
  return read_all(disk, path, OpenMode::ReadRegular, limit_bytes);
}

DiskResult<void> replace_file(Disk& disk, const std::string& path, std::string_view content,
                              Readers readers) {
  const std::string next = path + ".new";
  if (auto done = write_replacement(disk, next, content); !done) return done;
  if (readers == Readers::OwnerOnly) {
    const auto is_private = disk.is_private(next);
    if (!is_private) return std::unexpected{is_private.error()};
    if (!*is_private) return std::unexpected{DiskError{next, "may be read by others; write", 0}};
  }
  if (auto done = disk.rename(next, path); !done) return done;
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return disk.sync_directory(".");
  return disk.sync_directory(slash == 0 ? "/" : path.substr(0, slash));
}

}  // namespace nexusfix
