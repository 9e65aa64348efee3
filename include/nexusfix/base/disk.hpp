// Seam: files. A store needs only "write this span" and "sync" from a disk, so that a simulator can
// tear writes, lose unsynced data, fill up and fail. No other code opens a file.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/language.hpp>

namespace nexusfix {

// An operation that failed.
struct DiskError {
  std::string path;       // the file or folder
  std::string operation;  // "open", "write", ...
  int error_number = 0;   // the operating system's errno; 0: the cause is not an errno
  std::string cause{};    // the cause in words; empty: the text of the errno
  // The error in one line: "open /x/y: No such file or directory".
  [[nodiscard]] std::string what() const;
};

// The result of an operation, or its error.
template <class T>
using DiskResult = std::expected<T, DiskError>;

// One open file. One thread at a time, unless Disk::takes_threads(). Every call may block on the
// disk.
class File {
 public:
  // A file's bytes in memory, shared with the file. What is written to them is in the operating
  // system's cache at once, and survives the process.
  class Mapping {
   public:
    // Ends the mapping. The bytes stay in the file.
    virtual ~Mapping() = default;
    // The mapped bytes. They stay at their address for the life of the mapping.
    [[nodiscard]] virtual std::span<char> bytes() noexcept = 0;
    // Whether the disk failed to provide a page (an I/O error, or the file was cut). Data that was
    // written since then may be lost. Once true, it stays true. It lives as long as the mapping.
    // Any thread; to be read with memory_order_acquire.
    [[nodiscard]] virtual const std::atomic<bool>& failed() const noexcept = 0;
    // Prepares the range, so that the next writes do not wait for the kernel. Any thread. It only
    // saves time, so failures are ignored.
    virtual void prepare(std::uint64_t offset, std::uint64_t size_bytes) noexcept = 0;
  };
  // The identity of a file or folder, the number of its names, and its size.
  struct Status {
    std::uint64_t device = 0;      // the number of the device, for as long as it is mounted
    std::uint64_t inode = 0;       // the number of the file on that device
    std::uint64_t links = 0;       // the number of its names; 0: it was removed
    std::uint64_t size_bytes = 0;  // the size of a file
    // With lasting_handle, the identity that stays the same on every mount: the number of the
    // inode, and a value that differs from an earlier file with this number. 0: the file system
    // does not provide it.
    std::uint64_t lasting_inode = 0;
    std::uint64_t lasting_handle = 0;  // see lasting_inode

    // Whether both are the same file. Only for files that exist at the same time.
    [[nodiscard]] bool is_same_as(const Status& other) const noexcept {
      return device == other.device && inode == other.inode;
    }
  };
  // Closes the file, and releases its lock.
  virtual ~File() = default;
  // Writes all of the bytes or returns an error. After an error, the content of the range is
  // undefined.
  [[nodiscard]] virtual DiskResult<void> write_at(std::uint64_t offset,
                                                  std::span<const char> bytes) = 0;
  // Reads up to bytes.size() bytes, and returns their number. Fewer only at the end of the file.
  [[nodiscard]] virtual DiskResult<std::size_t> read_at(std::uint64_t offset,
                                                        std::span<char> bytes) = 0;
  // Like read_at(), but if more bytes are still to come (a pipe, a terminal), returns as soon as
  // there are any. 0: the end.
  [[nodiscard]] virtual DiskResult<std::size_t> read_some_at(std::uint64_t offset,
                                                             std::span<char> bytes) {
    return read_at(offset, bytes);
  }
  // Returns when everything written so far would survive a loss of power. An error is final: all
  // data written since the last success counts as lost, and a repeated call proves nothing.
  [[nodiscard]] virtual DiskResult<void> sync() = 0;
  // Like sync(), for the data stored to this range of a mapping of this file, and its size.
  // Other data may stay unsynced.
  [[nodiscard]] virtual DiskResult<void> sync_mapped(Mapping& mapping, std::uint64_t offset,
                                                     std::uint64_t size_bytes);
  // The file's bytes are not needed in memory for now. It only saves memory: unsynced and mapped
  // data stays.
  virtual void forget_cached() noexcept {}
  // The size of the file in bytes.
  [[nodiscard]] virtual DiskResult<std::uint64_t> size() = 0;
  // The status of the open file, whatever its path names now. EOPNOTSUPP: this disk has no status.
  [[nodiscard]] virtual DiskResult<Status> status();
  // Changes the size of the file: cuts it, or extends it with zeros.
  [[nodiscard]] virtual DiskResult<void> truncate(std::uint64_t size_bytes) = 0;
  // The read and write permissions of the file, as nine bits (0640), independent of the process's
  // umask. EOPNOTSUPP: this disk has no permissions.
  [[nodiscard]] virtual DiskResult<void> set_permissions(unsigned bits);
  // Extends the file to this size with zeros and allocates its space, so that no later write into
  // it fails for lack of room. EOPNOTSUPP: this disk cannot reserve, and files grow as they are
  // written. Every other error (ENOSPC) is real.
  [[nodiscard]] virtual DiskResult<void> reserve(std::uint64_t size_bytes);
  // Maps the file from its beginning. It must be at least this large. EOPNOTSUPP: use write_at().
  [[nodiscard]] virtual DiskResult<std::unique_ptr<Mapping>> map(std::uint64_t size_bytes);
  // Takes the file's advisory lock without waiting. False: another process (or File) holds it.
  // Released when the File is destroyed or the process ends.
  [[nodiscard]] virtual DiskResult<bool> try_lock() = 0;
};

// How a file is opened.
enum class OpenMode : std::uint8_t {
  Read,         // must exist; waits for a pipe or a terminal
  ReadRegular,  // must exist and be a regular file; never waits
  ReadWrite,    // must exist
  Create,       // read and write; created (0600) if absent; only a regular file
};

// Whether a file that is opened with this mode can only be read.
[[nodiscard]] constexpr bool is_read_only(OpenMode mode) noexcept {
  return mode == OpenMode::Read || mode == OpenMode::ReadRegular;
}

// Files and folders. PosixDisk has those of the operating system. One thread at a time, unless
// takes_threads(). Every call may block on the disk.
class Disk {
 public:
  // The disk must outlive its files and everything that uses it.
  virtual ~Disk() = default;
  // Opens a file. The result is never null.
  [[nodiscard]] virtual DiskResult<std::unique_ptr<File>> open(const std::string& path,
                                                               OpenMode mode) = 0;
  // Creates the folder and its parents (0700), durably. No error if it exists.
  [[nodiscard]] virtual DiskResult<void> make_directories(const std::string& path) = 0;
  // Succeeds if make_directories() would succeed and files could be created there, as far as that
  // is known without trying. Changes nothing. A disk that cannot know returns success.
  [[nodiscard]] virtual DiskResult<void> could_write_into(const std::string& path);
  // Whether only the owner may read or write a file: its group and others have no permission. A
  // disk that cannot know returns true.
  [[nodiscard]] virtual DiskResult<bool> is_private(const std::string& path);
  // The status of the folder or file that the path names now. EOPNOTSUPP: this disk has no status.
  [[nodiscard]] virtual DiskResult<File::Status> status(const std::string& path);
  // When the content of a file was written last, by the clock of its file system. EOPNOTSUPP: this
  // disk does not know it.
  [[nodiscard]] virtual DiskResult<WallTime> written_at(const std::string& path);
  // The names (not the paths) of the regular files in a folder, sorted.
  [[nodiscard]] virtual DiskResult<std::vector<std::string>> list(const std::string& path) = 0;
  // Removes the name of a file.
  [[nodiscard]] virtual DiskResult<void> remove(const std::string& path) = 0;
  // Renames a file, also into another folder of the same file system. Replaces a file of the new
  // name. EOPNOTSUPP: this disk cannot rename.
  [[nodiscard]] virtual DiskResult<void> rename(const std::string& from, const std::string& to);
  // The free space in the file system of an existing path for users other than root. EOPNOTSUPP:
  // this disk does not know it.
  [[nodiscard]] virtual DiskResult<std::uint64_t> free_bytes(const std::string& path);
  // Makes created and removed names in the folder durable.
  [[nodiscard]] virtual DiskResult<void> sync_directory(const std::string& path) = 0;
  // Takes the folder's own advisory lock without waiting, as File::try_lock() does for a file;
  // unlike a lock file, it cannot be deleted. Held until the result is destroyed. Null: another
  // process holds it. EOPNOTSUPP: this disk has no such lock.
  [[nodiscard]] virtual DiskResult<std::unique_ptr<File>> try_lock_directory(
      const std::string& path);
  // Takes an advisory lock for this name in its parent folder. The lock stays with the name when
  // the file of that name is renamed or removed. Held until the result is destroyed. Null: another
  // process holds it. EOPNOTSUPP: this disk has no such lock, or the parent folder is not readable.
  [[nodiscard]] virtual DiskResult<std::unique_ptr<File>> try_lock_name(const std::string& path);
  // The user of this disk, for people: "pid 4711 on host". Empty: unknown.
  [[nodiscard]] virtual std::string user() { return {}; }

  // Identifies the time since the machine was started. While this and the mount_id() below stay the
  // same, written data can only be lost by a failure of the disk. Empty: unknown.
  [[nodiscard]] virtual std::string boot_id() { return {}; }
  // Identifies the time since the file system of this path was mounted. Data that it had in memory
  // and not yet on the disk is lost when that time ends. Unique since the machine was started, and
  // equal for all of its processes if the kernel provides it. Empty: unknown.
  [[nodiscard]] virtual std::string mount_id(const std::string& path);
  // Whether several threads may use the disk, and one file, at once. A simulator's disk does not
  // allow it: every operation then runs on the calling thread, so that a seed repeats it.
  [[nodiscard]] virtual bool takes_threads() const noexcept { return false; }
};

// The operating system's files: pread, pwrite, fdatasync, fallocate, mmap, flock. Any thread.
class PosixDisk final : public Disk {
 public:
  [[nodiscard]] DiskResult<std::unique_ptr<File>> open(const std::string& path,
                                                       OpenMode mode) override;
  [[nodiscard]] DiskResult<void> make_directories(const std::string& path) override;
  [[nodiscard]] DiskResult<void> could_write_into(const std::string& path) override;
  [[nodiscard]] DiskResult<bool> is_private(const std::string& path) override;
  [[nodiscard]] DiskResult<File::Status> status(const std::string& path) override;
  [[nodiscard]] DiskResult<WallTime> written_at(const std::string& path) override;
  [[nodiscard]] DiskResult<std::vector<std::string>> list(const std::string& path) override;
  [[nodiscard]] DiskResult<void> remove(const std::string& path) override;
  [[nodiscard]] DiskResult<void> rename(const std::string& from, const std::string& to) override;
  [[nodiscard]] DiskResult<std::uint64_t> free_bytes(const std::string& path) override;
  [[nodiscard]] DiskResult<void> sync_directory(const std::string& path) override;
  [[nodiscard]] DiskResult<std::unique_ptr<File>> try_lock_directory(
      const std::string& path) override;
  [[nodiscard]] DiskResult<std::unique_ptr<File>> try_lock_name(const std::string& path) override;
  [[nodiscard]] std::string user() override;
  [[nodiscard]] std::string boot_id() override;
  [[nodiscard]] std::string mount_id(const std::string& path) override;
  [[nodiscard]] bool takes_threads() const noexcept override { return true; }
};

// The whole file as a string; an error if it is larger than limit_bytes. For configuration,
// dictionaries and tools. Also works for files of unknown size (pipes).
[[nodiscard]] DiskResult<std::string> read_file(Disk& disk, const std::string& path,
                                                std::uint64_t limit_bytes);
// Only for a regular file: for files that a running engine reads. A pipe without a
// writer, a terminal or a device would make it wait, so it is an error that names the kind.
[[nodiscard]] DiskResult<std::string> read_regular_file(Disk& disk, const std::string& path,
                                                        std::uint64_t limit_bytes);

// Who may read a file that replace_file() writes.
enum class Readers : std::uint8_t {
  OwnerIfPossible,  // only its owner, if the disk has permissions
  OwnerOnly,        // only its owner: a disk without permissions is an error
};
// Replaces a file, or makes it. A kill or a loss of power at any moment leaves its former content,
// or all of the new one. Writes path + ".new" first, over what an interrupted call has left, and
// syncs the file and its folder. With an error the file is unchanged, unless the folder could not
// be synced. Blocks for the disk.
[[nodiscard]] DiskResult<void> replace_file(Disk& disk, const std::string& path,
                                            std::string_view content,
                                            Readers readers = Readers::OwnerIfPossible);

}  // namespace nexusfix
