// The real disk, on which the process is killed (SIGKILL) before or after its n-th call: each place
// where a kill finds the files in another state.
#pragma once

#include <atomic>
#include <csignal>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <unistd.h>
#include <utility>
#include <vector>

#include <nexusfix/base/disk.hpp>

namespace nexusfix::testing {

enum class Killed : std::uint8_t { Before, After };

class KillingDisk final : public Disk {
 public:
  KillingDisk(unsigned nth, Killed where) : left_{nth}, where_{where} {}

  DiskResult<std::unique_ptr<File>> open(const std::string& path, OpenMode mode) override {
    auto file = strike([&] { return disk_.open(path, mode); });
    if (!file) return file;
    return std::make_unique<KillingFile>(*this, std::move(*file));
  }
  DiskResult<void> make_directories(const std::string& path) override {
    return strike([&] { return disk_.make_directories(path); });
  }
  DiskResult<std::vector<std::string>> list(const std::string& path) override {
    return disk_.list(path);
  }
  DiskResult<void> remove(const std::string& path) override {
    return strike([&] { return disk_.remove(path); });
  }
  DiskResult<void> sync_directory(const std::string& path) override {
    return strike([&] { return disk_.sync_directory(path); });
  }
  std::string boot_id() override { return disk_.boot_id(); }
  std::string mount_id(const std::string& path) override { return disk_.mount_id(path); }
  bool takes_threads() const noexcept override { return true; }

 private:
  class KillingFile final : public File {
   public:
    KillingFile(KillingDisk& disk, std::unique_ptr<File> file)
        : disk_{disk}, file_{std::move(file)} {}
    DiskResult<void> write_at(std::uint64_t offset, std::span<const char> bytes) override {
      return disk_.strike([&] { return file_->write_at(offset, bytes); });
    }
    DiskResult<std::size_t> read_at(std::uint64_t offset, std::span<char> bytes) override {
      return file_->read_at(offset, bytes);
    }
    DiskResult<void> sync() override {
      return disk_.strike([&] { return file_->sync(); });
    }
    DiskResult<std::uint64_t> size() override { return file_->size(); }
    DiskResult<void> truncate(std::uint64_t size_bytes) override {
      return disk_.strike([&] { return file_->truncate(size_bytes); });
    }
    DiskResult<void> reserve(std::uint64_t size_bytes) override {
      return disk_.strike([&] { return file_->reserve(size_bytes); });
    }
    DiskResult<std::unique_ptr<File::Mapping>> map(std::uint64_t size_bytes) override {
      return disk_.strike([&] { return file_->map(size_bytes); });
    }
    DiskResult<bool> try_lock() override { return file_->try_lock(); }

   private:
    KillingDisk& disk_;
    std::unique_ptr<File> file_;
  };

  // Runs a call that changes something, and counts it. One count for all threads.
  template <class Call>
  std::invoke_result_t<Call> strike(Call call) {
    const bool is_the_one = left_.fetch_sub(1) == 1;
    if (is_the_one && where_ == Killed::Before) ::kill(::getpid(), SIGKILL);
    auto result = call();
    if (is_the_one) ::kill(::getpid(), SIGKILL);
    return result;
  }

  PosixDisk disk_;
  std::atomic<unsigned> left_;
  Killed where_;
};

}  // namespace nexusfix::testing
