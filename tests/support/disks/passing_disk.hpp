// Passes all calls on to the operating system's disk: for tests that change one thing.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <nexusfix/base/disk.hpp>

namespace nexusfix::testing {

class PassingDisk : public Disk {
 public:
  DiskResult<std::unique_ptr<File>> open(const std::string& path, OpenMode mode) override {
    return posix_.open(path, mode);
  }
  DiskResult<bool> is_private(const std::string& path) override { return posix_.is_private(path); }
  DiskResult<void> make_directories(const std::string& path) override {
    return posix_.make_directories(path);
  }
  DiskResult<void> could_write_into(const std::string& path) override {
    return posix_.could_write_into(path);
  }
  DiskResult<File::Status> status(const std::string& path) override { return posix_.status(path); }
  DiskResult<std::vector<std::string>> list(const std::string& path) override {
    return posix_.list(path);
  }
  DiskResult<void> remove(const std::string& path) override { return posix_.remove(path); }
  DiskResult<void> rename(const std::string& from, const std::string& to) override {
    return posix_.rename(from, to);
  }
  DiskResult<std::uint64_t> free_bytes(const std::string& path) override {
    return posix_.free_bytes(path);
  }
  DiskResult<void> sync_directory(const std::string& path) override {
    return posix_.sync_directory(path);
  }
  DiskResult<std::unique_ptr<File>> try_lock_directory(const std::string& path) override {
    return posix_.try_lock_directory(path);
  }
  DiskResult<std::unique_ptr<File>> try_lock_name(const std::string& path) override {
    return posix_.try_lock_name(path);
  }
  std::string mount_id(const std::string& path) override { return posix_.mount_id(path); }
  std::string user() override { return posix_.user(); }
  std::string boot_id() override { return posix_.boot_id(); }
  bool takes_threads() const noexcept override { return true; }

 private:
  PosixDisk posix_;
};

// Does everything on the calling thread, and so within the turn.
class OneThreadDisk final : public PassingDisk {
 public:
  bool takes_threads() const noexcept override { return false; }
};

}  // namespace nexusfix::testing
