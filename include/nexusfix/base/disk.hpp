// Seam: files. "Write this span" and "sync" are all that a store asks of a disk, so that a
// simulator can tear writes, lose what was not synced, fill up and fail. No other code opens a
// file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <nexusfix/base/language.hpp>

namespace nexusfix {

// What failed, on which path, and the operating system's errno (0 if the cause is not an errno).
struct DiskError {
  std::string path;
  std::string operation;  // "open", "write", ...
  int error_number = 0;
  std::string cause{};                     // instead of the errno's text; empty: that says it all
  [[nodiscard]] std::string what() const;  // "open /x/y: No such file or directory"
};

template <class T>
using DiskResult = std::expected<T, DiskError>;

// What tells one file or folder from every other, and how much of it there is.
struct FileStatus {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t links = 0;  // names that it has; 0: it was removed
  std::uint64_t size_bytes = 0;
  // What stays the same on every mount: the inode's number, and what tells the file from an earlier
  // one of this number. 0: the file system does not say.
  std::uint64_t lasting_inode = 0;
  std::uint64_t lasting_handle = 0;

  // Of two that are there at the same time.
  [[nodiscard]] bool is_same_as(const FileStatus& other) const noexcept {
    return device == other.device && inode == other.inode;
  }
};

// A file's bytes in memory, shared with the file: what is stored to it is in the operating system's
// cache at once, and survives the process. Ends with its destruction.
class FileMapping {
 public:
  virtual ~FileMapping() = default;
  // Stays in place for the life of the mapping.
  [[nodiscard]] virtual std::span<char> bytes() noexcept = 0;
  // A page could not be had from the disk (an I/O error, or the file was cut): what was stored
  // since may be lost. Final. Any thread; two atomic loads.
  [[nodiscard]] virtual bool has_failed() const noexcept = 0;
  // Makes the range ready to be stored to, so that the next stores do not wait for the kernel. Any
  // thread. Only a matter of speed: what cannot be done is left.
  virtual void prepare(std::uint64_t offset, std::uint64_t size_bytes) noexcept = 0;
};

// One open file. One thread at a time, unless Disk::takes_threads(). Every call may block on the
// disk.
class File {
 public:
  virtual ~File() = default;
  // Writes all of the bytes or returns an error; after an error the range's content is undefined.
  [[nodiscard]] virtual DiskResult<void> write_at(std::uint64_t offset,
                                                  std::span<const char> bytes) = 0;
  // Reads up to bytes.size(); fewer only at the end of the file.
  [[nodiscard]] virtual DiskResult<std::size_t> read_at(std::uint64_t offset,
                                                        std::span<char> bytes) = 0;
  // The same, but returns what there is, as soon as there is any, where bytes are still to come (a
  // pipe, a terminal). 0: the end.
  [[nodiscard]] virtual DiskResult<std::size_t> read_some_at(std::uint64_t offset,
                                                             std::span<char> bytes) {
    return read_at(offset, bytes);
  }
  // Returns when everything written so far would survive a loss of power. An error is final: what
  // was written since the last success counts as lost, and a repeated call proves nothing.
  [[nodiscard]] virtual DiskResult<void> sync() = 0;
  // The same of what was stored to this range of a mapping of this file, and of the file's size;
  // what lies elsewhere may stay behind.
  [[nodiscard]] virtual DiskResult<void> sync_mapped(FileMapping& mapping, std::uint64_t offset,
                                                     std::uint64_t size_bytes);
  // The file's bytes are not needed in memory for now. Only a matter of speed: what was not synced
  // stays, and so does what is mapped.
  virtual void forget_cached() noexcept {}
  [[nodiscard]] virtual DiskResult<std::uint64_t> size() = 0;
  // Of the open file, whatever its path names by now. EOPNOTSUPP: this disk has no such thing.
  [[nodiscard]] virtual DiskResult<FileStatus> status();
  [[nodiscard]] virtual DiskResult<void> truncate(std::uint64_t size_bytes) = 0;
  // Who may read and write the file, as nine bits (0640), whatever the process's umask. EOPNOTSUPP:
  // this disk has no such thing.
  [[nodiscard]] virtual DiskResult<void> set_permissions(unsigned bits);
  // Makes the file this large, the new bytes zeros, with its space taken: no later write into it
  // fails for want of room. EOPNOTSUPP: this disk has no such thing, and files grow as they are
  // written; any other error (ENOSPC) is meant.
  [[nodiscard]] virtual DiskResult<void> reserve(std::uint64_t size_bytes);
  // Maps the file from its beginning; it must be at least this large. EOPNOTSUPP: write_at() it is.
  [[nodiscard]] virtual DiskResult<std::unique_ptr<FileMapping>> map(std::uint64_t size_bytes);
  // Takes the file's advisory lock without waiting; false: another process (or File) holds it.
  // Released when the File is destroyed or the process ends.
  [[nodiscard]] virtual DiskResult<bool> try_lock() = 0;
};

enum class OpenMode : std::uint8_t {
  Read,         // must exist; a pipe or a terminal is waited for
  ReadRegular,  // must exist and be a regular file; never waits for a pipe, a terminal or a device
  ReadWrite,    // must exist
  Create,       // read and write; created (0600) if absent; nothing but a regular file
};

[[nodiscard]] constexpr bool is_read_only(OpenMode mode) noexcept {
  return mode == OpenMode::Read || mode == OpenMode::ReadRegular;
}

class Disk {
 public:
  virtual ~Disk() = default;
  [[nodiscard]] virtual DiskResult<std::unique_ptr<File>> open(const std::string& path,
                                                               OpenMode mode) = 0;
  // Creates the folder and its parents (0700), durably; fine if it exists.
  [[nodiscard]] virtual DiskResult<void> make_directories(const std::string& path) = 0;
  // Whether that could be done and files be made there, as far as can be said without doing it:
  // changes nothing. A disk that cannot know says yes.
  [[nodiscard]] virtual DiskResult<void> could_write_into(const std::string& path);
  // Whether nobody may read or write a file but its owner: nothing is granted to its group and to
  // others. A disk that cannot know says yes.
  [[nodiscard]] virtual DiskResult<bool> is_private(const std::string& path);
  // Of what a path names now, a folder or a file. EOPNOTSUPP: this disk has no such thing.
  [[nodiscard]] virtual DiskResult<FileStatus> status(const std::string& path);
  // Names (not paths) of the regular files in a folder, sorted.
  [[nodiscard]] virtual DiskResult<std::vector<std::string>> list(const std::string& path) = 0;
  [[nodiscard]] virtual DiskResult<void> remove(const std::string& path) = 0;
  // Gives a file another name, also in another folder of the same file system; what had that name
  // is gone. EOPNOTSUPP: this disk has no such thing.
  [[nodiscard]] virtual DiskResult<void> rename(const std::string& from, const std::string& to);
  // What is free in the file system of a path that exists, for who is not root. EOPNOTSUPP: this
  // disk has no such thing.
  [[nodiscard]] virtual DiskResult<std::uint64_t> free_bytes(const std::string& path);
  // Makes created and removed names in the folder durable.
  [[nodiscard]] virtual DiskResult<void> sync_directory(const std::string& path) = 0;
  // Takes the folder's own advisory lock without waiting, as File::try_lock() does a file's: nobody
  // removes it with a file. Held until what is returned is destroyed; null: another one has it.
  // EOPNOTSUPP: this disk has no such thing.
  [[nodiscard]] virtual DiskResult<std::unique_ptr<File>> try_lock_directory(
      const std::string& path);
  // Takes an advisory lock of this name in the folder above it, which stays with the name when what
  // bears it is renamed or removed. Held until what is returned is destroyed; null: another one has
  // it. EOPNOTSUPP: this disk has no such thing, or the folder above must not be read.
  [[nodiscard]] virtual DiskResult<std::unique_ptr<File>> try_lock_name(const std::string& path);
  // Who uses this disk, for people: "pid 4711 on host". Empty: not known.
  [[nodiscard]] virtual std::string user() { return {}; }

  // Names the time since the machine was started: while this and the mount below stay the same,
  // nothing that was written was lost but by a failure of the disk. Empty: not known.
  [[nodiscard]] virtual std::string boot_id() { return {}; }
  // Names the time since the file system of this path was mounted: what it had in memory and had
  // not brought to the disk is gone with it. Unique since the machine was started, and the same for
  // every process of it where the kernel says so much. Empty: not known.
  [[nodiscard]] virtual std::string mount_id(const std::string& path);
  // Whether different threads may use the disk, and one file, at once. A simulator's may not, and
  // then everything is done on the thread that asks for it, so that a seed repeats it.
  [[nodiscard]] virtual bool takes_threads() const noexcept { return false; }
};

// The operating system's files: pread, pwrite, fdatasync, fallocate, mmap, flock.
class PosixDisk final : public Disk {
 public:
  [[nodiscard]] DiskResult<std::unique_ptr<File>> open(const std::string& path,
                                                       OpenMode mode) override;
  [[nodiscard]] DiskResult<void> make_directories(const std::string& path) override;
  [[nodiscard]] DiskResult<void> could_write_into(const std::string& path) override;
  [[nodiscard]] DiskResult<bool> is_private(const std::string& path) override;
  [[nodiscard]] DiskResult<FileStatus> status(const std::string& path) override;
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
// dictionaries and tools; works for files whose size is not known ahead (pipes).
[[nodiscard]] DiskResult<std::string> read_file(Disk& disk, const std::string& path,
                                                std::uint64_t limit_bytes);
// The same of a regular file alone: for what a running engine reads. A pipe that has no writer, a
// terminal or a device would make it wait, and is an error that says what it is.
[[nodiscard]] DiskResult<std::string> read_regular_file(Disk& disk, const std::string& path,
                                                        std::uint64_t limit_bytes);

}  // namespace nexusfix
