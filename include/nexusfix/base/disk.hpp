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

namespace nexusfix {

// What failed, on which path, and the operating system's errno (0 if the cause is not an errno).
struct DiskError {
  std::string path;
  std::string operation;  // "open", "write", ...
  int error_number = 0;
  [[nodiscard]] std::string what() const;  // "open /x/y: No such file or directory"
};

template <class T>
using DiskResult = std::expected<T, DiskError>;

// One open file. One thread at a time. Every call may block on the disk.
class File {
 public:
  virtual ~File() = default;
  // Writes all of the bytes or returns an error; after an error the range's content is undefined.
  [[nodiscard]] virtual DiskResult<void> write_at(std::uint64_t offset,
                                                  std::span<const char> bytes) = 0;
  // Reads up to bytes.size(); fewer only at the end of the file.
  [[nodiscard]] virtual DiskResult<std::size_t> read_at(std::uint64_t offset,
                                                        std::span<char> bytes) = 0;
  // Returns when everything written so far would survive a loss of power. An error is final: what
  // was written since the last success counts as lost, and a repeated call proves nothing.
  [[nodiscard]] virtual DiskResult<void> sync() = 0;
  [[nodiscard]] virtual DiskResult<std::uint64_t> size() = 0;
  [[nodiscard]] virtual DiskResult<void> truncate(std::uint64_t size_bytes) = 0;
  // Takes the file's advisory lock without waiting; false: another process (or File) holds it.
  // Released when the File is destroyed or the process ends.
  [[nodiscard]] virtual DiskResult<bool> try_lock() = 0;
};

enum class OpenMode : std::uint8_t {
  Read,       // must exist
  ReadWrite,  // must exist
  Create,     // read and write; created (0600) if absent
};

class Disk {
 public:
  virtual ~Disk() = default;
  [[nodiscard]] virtual DiskResult<std::unique_ptr<File>> open(const std::string& path,
                                                               OpenMode mode) = 0;
  // Creates the folder and its parents (0700), durably; fine if it exists.
  [[nodiscard]] virtual DiskResult<void> make_directories(const std::string& path) = 0;
  // Names (not paths) of the regular files in a folder, sorted.
  [[nodiscard]] virtual DiskResult<std::vector<std::string>> list(const std::string& path) = 0;
  [[nodiscard]] virtual DiskResult<void> remove(const std::string& path) = 0;
  // Makes created and removed names in the folder durable.
  [[nodiscard]] virtual DiskResult<void> sync_directory(const std::string& path) = 0;
};

// The operating system's files: pread, pwrite, fdatasync, flock.
class PosixDisk final : public Disk {
 public:
  [[nodiscard]] DiskResult<std::unique_ptr<File>> open(const std::string& path,
                                                       OpenMode mode) override;
  [[nodiscard]] DiskResult<void> make_directories(const std::string& path) override;
  [[nodiscard]] DiskResult<std::vector<std::string>> list(const std::string& path) override;
  [[nodiscard]] DiskResult<void> remove(const std::string& path) override;
  [[nodiscard]] DiskResult<void> sync_directory(const std::string& path) override;
};

// The whole file as a string; an error if it is larger than limit_bytes. For configuration,
// dictionaries and tools; works for files whose size is not known ahead (pipes).
[[nodiscard]] DiskResult<std::string> read_file(Disk& disk, const std::string& path,
                                                std::uint64_t limit_bytes);

}  // namespace nexusfix
