#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fcntl.h>
#include <linux/btrfs.h>
#include <linux/magic.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/api/printable_text.hpp"
#include "base/posix_disk.hpp"

namespace nexusfix {
namespace {

// Newer than the headers of Debian 12.
constexpr unsigned kStatxMountIdUnique = 0x4000;  // Linux 6.8
struct SysfsPath {                                // Linux 6.9
  std::uint8_t length;
  std::array<char, 128> name;
};
static_assert(sizeof(SysfsPath) == 129);
constexpr auto kIoctlSysfsPath = _IOR(0x15, 1, SysfsPath);

// "vda1": the kernel's name of the device with this number.
std::string name_of_device(unsigned major, unsigned minor) {
  const std::string link = "/sys/dev/block/" + std::to_string(major) + ':' + std::to_string(minor);
  std::array<char, 512> target{};
  const ssize_t length = ::readlink(link.c_str(), target.data(), target.size());
  if (length <= 0 || static_cast<std::size_t>(length) == target.size()) return {};
  const std::string_view path{target.data(), static_cast<std::size_t>(length)};
  return std::string{path.substr(path.find_last_of('/') + 1)};
}

std::string uuid_of_btrfs(int descriptor) {
  btrfs_ioctl_fs_info_args info{};
  if (::ioctl(descriptor, BTRFS_IOC_FS_INFO, &info) != 0) return {};
  std::string text;
  for (std::size_t i = 0; i < sizeof info.fsid; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    append_hex(text, info.fsid[i]);
  }
  return text;
}

// "ext4/vda1": the folder of this file system below /sys/fs. Empty: there is none.
std::string sysfs_path_of(int descriptor, const struct statfs& system, const struct statx& file) {
  SysfsPath found{};
  if (::ioctl(descriptor, kIoctlSysfsPath, &found) == 0 && found.length <= found.name.size()) {
    return std::string{found.name.data(), found.length};
  }
  const char* type = nullptr;
  if (system.f_type == EXT4_SUPER_MAGIC) type = "ext4/";
  if (system.f_type == XFS_SUPER_MAGIC) type = "xfs/";
  if (type != nullptr) {
    const std::string device = name_of_device(file.stx_dev_major, file.stx_dev_minor);
    return device.empty() ? std::string{} : type + device;
  }
  if (system.f_type != BTRFS_SUPER_MAGIC) return {};
  const std::string uuid = uuid_of_btrfs(descriptor);
  return uuid.empty() ? std::string{} : "btrfs/" + uuid;
}

// FNV-1a.
std::uint64_t hash_of(std::string_view bytes) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : bytes) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  }
  return hash;
}

// A server of network files must give a file a handle that outlives restarts of either side and
// never means another file. So the kernel's handle identifies a file better than its inode number.
std::uint64_t handle_of(int descriptor, const std::string& path) {
  alignas(file_handle) std::array<char, sizeof(file_handle) + MAX_HANDLE_SZ> buffer{};
  auto* const handle = reinterpret_cast<file_handle*>(buffer.data());
  handle->handle_bytes = MAX_HANDLE_SZ;
  int mount = 0;
  const int flags = path.empty() ? AT_EMPTY_PATH : AT_SYMLINK_FOLLOW;
  if (::name_to_handle_at(descriptor, path.c_str(), handle, &mount, flags) != 0) return 0;
  return hash_of({buffer.data(), sizeof(file_handle) + handle->handle_bytes});
}

// False for file systems in user space: their servers may number files arbitrarily, in each mount
// from 1.
bool keeps_inodes(int descriptor, const std::string& path) {
  struct statfs system{};
  const int found = path.empty() ? ::fstatfs(descriptor, &system) : ::statfs(path.c_str(), &system);
  return found == 0 && system.f_type != FUSE_SUPER_MAGIC;
}

}  // namespace

std::expected<File::Status, int> status_of(int descriptor, const std::string& path) {
  struct statx found{};
  const int flags = path.empty() ? AT_EMPTY_PATH : 0;
  if (::statx(descriptor, path.c_str(), flags, STATX_BASIC_STATS, &found) != 0) {
    return std::unexpected{errno};
  }
  File::Status status{.device = ::makedev(found.stx_dev_major, found.stx_dev_minor),
                      .inode = found.stx_ino,
                      .links = found.stx_nlink,
                      .size_bytes = found.stx_size};
  if (keeps_inodes(descriptor, path)) {
    status.lasting_inode = found.stx_ino;
    status.lasting_handle = handle_of(descriptor, path);
  }
  return status;
}

// sysfs makes a folder when a file system is mounted for the first time and removes it with its
// last mount, and never uses its number again. So it distinguishes one life of a file system from
// the next, in every mount namespace, and a restarted container gets the same number. Without such
// a folder, the number of the mount itself is used, which differs in each container and may repeat
// before Linux 6.8.
std::string mount_id_of(int descriptor) {
  struct statx file{};
  struct statfs system{};
  if (::statx(descriptor, "", AT_EMPTY_PATH, STATX_BASIC_STATS | STATX_MNT_ID | kStatxMountIdUnique,
              &file) != 0 ||
      ::fstatfs(descriptor, &system) != 0) {
    return {};
  }
  std::uint64_t file_system = 0;
  static_assert(sizeof file_system == sizeof system.f_fsid);
  std::memcpy(&file_system, &system.f_fsid, sizeof file_system);
  std::string id = "device " + std::to_string(file.stx_dev_major) + ':' +
                   std::to_string(file.stx_dev_minor) + " file system " +
                   std::to_string(file_system);
  if (const std::string path = sysfs_path_of(descriptor, system, file); !path.empty()) {
    struct stat folder{};
    if (::stat(("/sys/fs/" + path).c_str(), &folder) == 0) {
      return id + " life " + std::to_string(folder.st_ino);
    }
  }
  return id + " mount " + std::to_string(file.stx_mnt_id);
}

// Positive, and with room after it.
std::int64_t byte_of_name(std::string_view name) noexcept {
  return static_cast<std::int64_t>(hash_of(name) >> 2U);
}

}  // namespace nexusfix
