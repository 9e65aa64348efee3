#include "base/posix_disk.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <dirent.h>
#include <expected>
#include <fcntl.h>
#include <linux/magic.h>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include <nexusfix/base/disk.hpp>

#include "base/api/map_file.hpp"

namespace nexusfix {
namespace {

constexpr mode_t kFileMode = 0600;  // journals contain orders: only the owner may read them
constexpr mode_t kFolderMode = 0700;
constexpr std::uint64_t kZeroBytes = 256U << 10U;

std::unexpected<DiskError> failure(const char* operation, const std::string& path, int error) {
  return std::unexpected{DiskError{.path = path, .operation = operation, .error_number = error}};
}

// Repeats a call that a signal has interrupted.
template <class Call>
auto restarted(Call call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

class PosixFile final : public File {
 public:
  PosixFile(int descriptor, std::string path) : descriptor_{descriptor}, path_{std::move(path)} {}
  PosixFile(const PosixFile&) = delete;
  PosixFile& operator=(const PosixFile&) = delete;
  // An error of close reports nothing that sync() has not reported, and the call must not be
  // repeated: the descriptor is closed in any case.
  ~PosixFile() override { ::close(descriptor_); }

  DiskResult<void> write_at(std::uint64_t offset, std::span<const char> bytes) override {
    while (!bytes.empty()) {
      const ssize_t written = restarted([&] {
        return ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
      });
      if (written < 0) return failure("write", path_, errno);
      if (written == 0) return failure("write", path_, EIO);
      offset += static_cast<std::uint64_t>(written);
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
    return {};
  }

  DiskResult<std::size_t> read_at(std::uint64_t offset, std::span<char> bytes) override {
    std::size_t total = 0;
    while (total < bytes.size()) {
      const DiskResult<std::size_t> got = read_some(offset + total, bytes.subspan(total));
      if (!got) return got;
      if (*got == 0) break;
      total += *got;
    }
    return total;
  }

  DiskResult<std::size_t> read_some_at(std::uint64_t offset, std::span<char> bytes) override {
    return read_some(offset, bytes);
  }

  DiskResult<void> sync() override {
    // Syncs data and size, but not the access times, which would cost the file system a second
    // journal write. Never repeated after an error: the kernel may have dropped the pages that it
    // could not write, and a second call would then report success.
    if (::fdatasync(descriptor_) < 0) return failure("sync", path_, errno);
    return {};
  }

  // Data stored after the range stays writable and is not written to the disk early.
  DiskResult<void> sync_mapped(File::Mapping& mapping, std::uint64_t offset,
                               std::uint64_t size_bytes) override {
    const std::span<char> all = mapping.bytes();
    const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    const std::uint64_t begin = std::min<std::uint64_t>(offset, all.size()) & ~(page - 1);
    const std::uint64_t end = std::min<std::uint64_t>(offset + size_bytes, all.size());
    // The kernel makes written pages of a mapping read-only one by one, each with an interrupt of
    // every core that stores to the mapping. So full pages are removed from the mapping first, all
    // at once. Their bytes stay in the file.
    if (const std::uint64_t full = end & ~(page - 1); full > begin) {
      static_cast<void>(::madvise(all.data() + begin, full - begin, MADV_DONTNEED));
    }
    // Not repeated either: see sync().
    if (::msync(all.data() + begin, end - begin, MS_SYNC) < 0) return failure("sync", path_, errno);
    return {};
  }

  void forget_cached() noexcept override {
    static_cast<void>(::posix_fadvise(descriptor_, 0, 0, POSIX_FADV_DONTNEED));
  }

  DiskResult<std::uint64_t> size() override {
    struct stat status{};
    if (::fstat(descriptor_, &status) < 0) return failure("stat", path_, errno);
    return static_cast<std::uint64_t>(status.st_size);
  }

  DiskResult<File::Status> status() override {
    auto found = status_of(descriptor_, "");
    if (!found) return failure("stat", path_, found.error());
    return *found;
  }

  DiskResult<void> truncate(std::uint64_t size_bytes) override {
    if (restarted([&] { return ::ftruncate(descriptor_, static_cast<off_t>(size_bytes)); }) < 0) {
      return failure("truncate", path_, errno);
    }
    return {};
  }

  DiskResult<void> set_permissions(unsigned bits) override {
    if (::fchmod(descriptor_, static_cast<mode_t>(bits)) < 0) {
      return failure("set the permissions of", path_, errno);
    }
    return {};
  }

  DiskResult<void> reserve(std::uint64_t size_bytes) override {
    const DiskResult<std::uint64_t> before = size();
    if (!before) return std::unexpected{before.error()};
    if (*before >= size_bytes) return {};
    const auto begin = static_cast<off_t>(*before);
    const int error = ::posix_fallocate(descriptor_, begin, static_cast<off_t>(size_bytes) - begin);
    if (error != 0) return failure("reserve", path_, error);
    // Written, not only allocated, so that a later sync has no metadata to write besides the data.
    static std::array<char, kZeroBytes> zeros;  // not constant: it takes no room in the program
    for (std::uint64_t at = *before; at < size_bytes;) {
      const auto count = static_cast<std::size_t>(std::min(kZeroBytes, size_bytes - at));
      if (auto written = write_at(at, std::span{zeros}.first(count)); !written) return written;
      at += count;
    }
    return {};
  }

  DiskResult<std::unique_ptr<File::Mapping>> map(std::uint64_t size_bytes) override {
    auto mapping = map_file(descriptor_, size_bytes);
    if (!mapping) return failure("map", path_, mapping.error());
    return std::move(*mapping);
  }

  DiskResult<bool> try_lock() override {
    // flock belongs to the open file, not to the process: two Files of one process exclude each
    // other, too, and closing another descriptor of the same file does not release the lock.
    if (restarted([&] { return ::flock(descriptor_, LOCK_EX | LOCK_NB); }) == 0) return true;
    if (errno == EWOULDBLOCK) return false;
    return failure("lock", path_, errno);
  }

 private:
  DiskResult<std::size_t> read_some(std::uint64_t offset, std::span<char> bytes) {
    if (!is_stream_) {
      const ssize_t got = restarted([&] {
        return ::pread(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
      });
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != ESPIPE) return failure("read", path_, errno);
      is_stream_ = true;
    }
    // A pipe or terminal has no offsets. It can be read only once, from beginning to end.
    if (offset != stream_offset_) return failure("read", path_, ESPIPE);
    const ssize_t got = restarted([&] { return ::read(descriptor_, bytes.data(), bytes.size()); });
    if (got < 0) return failure("read", path_, errno);
    stream_offset_ += static_cast<std::uint64_t>(got);
    return static_cast<std::size_t>(got);
  }

  int descriptor_;
  bool is_stream_ = false;
  std::uint64_t stream_offset_ = 0;
  std::string path_;
};

int flags_of(OpenMode mode) {
  switch (mode) {
    case OpenMode::Read:
      return O_RDONLY;  // follows symbolic links, because /dev/stdin is one
    case OpenMode::ReadRegular:
      // Does not wait for the writer of a pipe that has just replaced the file, nor for a kernel
      // file that has no data yet (/proc/kmsg).
      return O_RDONLY | O_NONBLOCK | O_NOCTTY;
    case OpenMode::ReadWrite:
      return O_RDWR | O_NOFOLLOW;
    case OpenMode::Create:
      // A symbolic link planted in the folder must not redirect our writes into another file.
      return O_RDWR | O_CREAT | O_NOFOLLOW;
  }
  return O_RDONLY;
}

// The kind of a file that is not a regular one.
std::string_view kind_of(mode_t mode) noexcept {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a pipe (FIFO)";
  if (S_ISSOCK(mode)) return "a socket";
  if (S_ISCHR(mode)) return "a character device";
  if (S_ISBLK(mode)) return "a block device";
  return "of an unknown kind";
}

DiskResult<void> expect_regular(const struct stat& found, const std::string& path) {
  if (S_ISREG(found.st_mode)) return {};
  return std::unexpected{DiskError{
      .path = path,
      .operation = "open",
      .cause = "it is " + std::string{kind_of(found.st_mode)} + "; a regular file was expected"}};
}

DiskResult<void> sync_folder(const std::string& path) {
  const int descriptor =
      restarted([&] { return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
  if (descriptor < 0) return failure("open", path, errno);
  const int result = ::fsync(descriptor);
  const int error = errno;
  ::close(descriptor);
  if (result < 0) return failure("sync", path, error);
  return {};
}

std::string parent_of(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string without_slash(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

DiskResult<void> make_one_directory(const std::string& path) {
  if (::mkdir(path.c_str(), kFolderMode) == 0) return sync_folder(parent_of(path));
  const int error = errno;
  struct stat status{};
  // If the folder exists, the error of mkdir (EEXIST, EROFS, EACCES) does not matter.
  if (::stat(path.c_str(), &status) != 0) return failure("create folder", path, error);
  if (!S_ISDIR(status.st_mode)) return failure("create folder", path, ENOTDIR);
  return {};
}

bool is_regular_file(int folder_descriptor, const dirent& entry) {
  if (entry.d_type != DT_UNKNOWN) return entry.d_type == DT_REG;
  struct stat status{};
  return ::fstatat(folder_descriptor, entry.d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
         S_ISREG(status.st_mode);
}

// In /proc and /sys, the modes allow root to write, but no folder can be made.
bool is_of_kernel(const std::string& path) {
  struct statfs found{};
  if (::statfs(path.c_str(), &found) < 0) return false;
  return found.f_type == PROC_SUPER_MAGIC || found.f_type == SYSFS_MAGIC;
}

}  // namespace

DiskResult<std::unique_ptr<File>> PosixDisk::open(const std::string& path, OpenMode mode) {
  struct stat found{};
  const bool is_regular = mode == OpenMode::ReadRegular || mode == OpenMode::Create;
  // Checked before the file is opened, because opening can rewind a tape or start a watchdog.
  if (mode == OpenMode::ReadRegular) {
    if (::stat(path.c_str(), &found) < 0) return failure("open", path, errno);
    if (auto checked = expect_regular(found, path); !checked) {
      return std::unexpected{std::move(checked.error())};
    }
  }
  const int descriptor =
      restarted([&] { return ::open(path.c_str(), flags_of(mode) | O_CLOEXEC, kFileMode); });
  if (descriptor < 0) return failure("open", path, errno);
  auto file = std::make_unique<PosixFile>(descriptor, path);
  // A read takes a tenth less time if the kernel need not see to the file's access time. Only the
  // owner may ask for that.
  static_cast<void>(::fcntl(descriptor, F_SETFL, flags_of(mode) | O_NOATIME));
  if (!is_regular) return file;
  if (::fstat(descriptor, &found) < 0) return failure("stat", path, errno);
  if (auto checked = expect_regular(found, path); !checked) {
    return std::unexpected{std::move(checked.error())};
  }
  return file;
}

DiskResult<void> PosixDisk::make_directories(const std::string& path) {
  if (path.empty()) return failure("create folder", path, ENOENT);
  if (path.size() > 1 && path.back() == '/') return make_directories(without_slash(path));
  for (std::size_t slash = path.find('/', 1); slash != std::string::npos;
       slash = path.find('/', slash + 1)) {
    if (DiskResult<void> made = make_one_directory(path.substr(0, slash)); !made) return made;
  }
  return make_one_directory(path);
}

// Checks the folder, or its nearest existing parent.
DiskResult<void> PosixDisk::could_write_into(const std::string& path) {
  std::string at = without_slash(path);
  if (at.empty()) return failure("write into folder", path, ENOENT);
  struct stat found{};
  while (::stat(at.c_str(), &found) < 0) {
    if (errno != ENOENT) return failure("write into folder", at, errno);
    const std::size_t slash = at.rfind('/');
    const std::string above = slash == std::string::npos ? "." : at.substr(0, slash);
    if (above == at) return failure("write into folder", at, ENOENT);
    at = above.empty() ? "/" : above;
  }
  if (!S_ISDIR(found.st_mode)) return failure("write into folder", at, ENOTDIR);
  if (::faccessat(AT_FDCWD, at.c_str(), W_OK | X_OK, AT_EACCESS) < 0) {
    return failure("write into folder", at, errno);
  }
  if (is_of_kernel(at)) return failure("write into folder", at, EPERM);
  return {};
}

DiskResult<bool> PosixDisk::is_private(const std::string& path) {
  struct stat found{};
  if (::stat(path.c_str(), &found) < 0) return failure("stat", path, errno);
  return (found.st_mode & (S_IRWXG | S_IRWXO)) == 0;
}

DiskResult<File::Status> PosixDisk::status(const std::string& path) {
  auto found = status_of(AT_FDCWD, path);
  if (!found) return failure("stat", path, found.error());
  return *found;
}

DiskResult<WallTime> PosixDisk::written_at(const std::string& path) {
  struct stat found{};
  if (::stat(path.c_str(), &found) != 0) return failure("stat", path, errno);
  return WallTime{std::chrono::seconds{found.st_mtim.tv_sec} +
                  std::chrono::nanoseconds{found.st_mtim.tv_nsec}};
}

DiskResult<std::vector<std::string>> PosixDisk::list(const std::string& path) {
  const std::unique_ptr<DIR, int (*)(DIR*)> folder{::opendir(path.c_str()), &::closedir};
  if (!folder) return failure("list", path, errno);
  std::vector<std::string> names;
  for (;;) {
    errno = 0;  // only this distinguishes the end from an error
    const dirent* entry = ::readdir(folder.get());
    if (entry == nullptr) break;
    if (is_regular_file(::dirfd(folder.get()), *entry)) names.emplace_back(entry->d_name);
  }
  if (errno != 0) return failure("list", path, errno);
  std::sort(names.begin(), names.end());
  return names;
}

DiskResult<void> PosixDisk::remove(const std::string& path) {
  if (::unlink(path.c_str()) < 0) return failure("remove", path, errno);
  return {};
}

DiskResult<void> PosixDisk::rename(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) < 0) return failure("rename", from, errno);
  return {};
}

DiskResult<std::uint64_t> PosixDisk::free_bytes(const std::string& path) {
  struct statvfs found{};
  if (::statvfs(path.c_str(), &found) < 0) return failure("statvfs", path, errno);
  return std::uint64_t{found.f_bavail} * found.f_frsize;
}

std::string PosixDisk::user() {
  std::array<char, 256> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host[0] = '?';
  return "pid " + std::to_string(::getpid()) + " on " + host.data();
}

DiskResult<void> PosixDisk::sync_directory(const std::string& path) { return sync_folder(path); }

DiskResult<std::unique_ptr<File>> PosixDisk::try_lock_directory(const std::string& path) {
  const int descriptor =
      restarted([&] { return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
  if (descriptor < 0) return failure("open", path, errno);
  std::unique_ptr<File> folder = std::make_unique<PosixFile>(descriptor, path);
  const DiskResult<bool> locked = folder->try_lock();
  // A network file system converts it to a lock of a byte range, which a folder cannot have.
  if (!locked) return failure("lock", path, EOPNOTSUPP);
  if (!*locked) folder.reset();
  return folder;
}

// A folder has no bytes, but byte ranges of it can be locked: each name has one byte of its parent
// folder. A write lock needs a descriptor that is open for writing, and no folder can be opened so.
// Therefore takes a read lock and then checks whether another process has one, too.
DiskResult<std::unique_ptr<File>> PosixDisk::try_lock_name(const std::string& path) {
  const std::string folder = without_slash(path);
  const std::string parent = parent_of(folder);
  const int descriptor =
      restarted([&] { return ::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); });
  if (descriptor < 0) return failure("lock", path, EOPNOTSUPP);
  std::unique_ptr<File> held = std::make_unique<PosixFile>(descriptor, parent);
  struct flock range{};
  range.l_type = F_RDLCK;
  range.l_whence = SEEK_SET;
  range.l_start = byte_of_name(std::string_view{folder}.substr(folder.find_last_of('/') + 1));
  range.l_len = 1;
  if (::fcntl(descriptor, F_OFD_SETLK, &range) < 0) return failure("lock", path, EOPNOTSUPP);
  range.l_type = F_WRLCK;
  if (::fcntl(descriptor, F_OFD_GETLK, &range) < 0) return failure("lock", path, EOPNOTSUPP);
  if (range.l_type != F_UNLCK) held.reset();
  return held;
}

std::string PosixDisk::mount_id(const std::string& path) {
  const int descriptor = restarted([&] { return ::open(path.c_str(), O_RDONLY | O_CLOEXEC); });
  if (descriptor < 0) return {};
  std::string id = mount_id_of(descriptor);
  ::close(descriptor);
  return id;
}

std::string PosixDisk::boot_id() {
  constexpr std::uint64_t kBootIdBytesMax = 64;
  DiskResult<std::string> text =
      read_file(*this, "/proc/sys/kernel/random/boot_id", kBootIdBytesMax);
  if (!text) return {};  // there is no /proc: unknown
  while (!text->empty() && text->back() == '\n') text->pop_back();
  return std::move(*text);
}

}  // namespace nexusfix
