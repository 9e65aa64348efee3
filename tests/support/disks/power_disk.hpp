// A disk in memory for a journal with threads. Its power is cut at a random call: any part of the
// unsynced writes stays, and every thread gets only errors. The threads decide which call that is,
// so a seed repeats a run only roughly.
#pragma once

#include <cerrno>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/disk.hpp>

#include "support/disks/fake_disk.hpp"

namespace nexusfix::testing {

class PowerDisk final : public Disk {
 public:
  explicit PowerDisk(std::uint64_t seed) : random_{seed} { disk_.set_remounting(true); }

  // Files can be reserved; otherwise they grow with their writes.
  void set_reserving(bool on) { disk_.set_mapping(on); }
  // Files can be mapped, too. A store to a mapping makes no call: a thread that stores must check
  // has_power() before it takes the store for written.
  void set_mapping(bool on) {
    disk_.set_mapping(on);
    maps_ = on;
  }
  // The machine runs again, until its nth call from now that changes something; 0: for good. No
  // thread uses it meanwhile.
  void start(std::uint64_t nth) {
    const std::lock_guard lock{mutex_};
    if (!has_power_) {
      // Or only the disk, in the same boot.
      disk_.set_remounting(random_.below(2) == 0);
      disk_.power_loss_by_sectors(
          random_, maps_ && random_.below(2) == 0 ? FakeDisk::kPageBytes : FakeDisk::kSectorBytes);
    }
    has_power_ = true;
    left_ = nth;
  }
  // The power does not fail by itself any more. False: it has failed.
  bool keep_power() {
    const std::lock_guard lock{mutex_};
    left_ = 0;
    return has_power_;
  }
  void cut_power() {
    const std::lock_guard lock{mutex_};
    has_power_ = false;
  }
  [[nodiscard]] bool has_power() {
    const std::lock_guard lock{mutex_};
    return has_power_;
  }
  // The process is gone, and the machine keeps running.
  void process_death() {
    const std::lock_guard lock{mutex_};
    disk_.process_death();
  }

  DiskResult<std::unique_ptr<File>> open(const std::string& path, OpenMode mode) override {
    auto file = pass(mode == OpenMode::Create, [&] { return disk_.open(path, mode); });
    if (!file) return file;
    return std::make_unique<PowerFile>(*this, std::move(*file));
  }
  DiskResult<void> make_directories(const std::string& path) override {
    return pass(true, [&] { return disk_.make_directories(path); });
  }
  DiskResult<std::vector<std::string>> list(const std::string& path) override {
    return pass(false, [&] { return disk_.list(path); });
  }
  DiskResult<void> remove(const std::string& path) override {
    return pass(true, [&] { return disk_.remove(path); });
  }
  DiskResult<void> rename(const std::string& from, const std::string& to) override {
    return pass(true, [&] { return disk_.rename(from, to); });
  }
  DiskResult<void> sync_directory(const std::string& path) override {
    return pass(true, [&] { return disk_.sync_directory(path); });
  }
  std::string boot_id() override {
    const std::lock_guard lock{mutex_};
    return disk_.boot_id();
  }
  std::string mount_id(const std::string& path) override {
    const std::lock_guard lock{mutex_};
    return disk_.mount_id(path);
  }
  bool takes_threads() const noexcept override { return true; }

 private:
  class PowerFile final : public File {
   public:
    PowerFile(PowerDisk& disk, std::unique_ptr<File> file) : disk_{disk}, file_{std::move(file)} {}
    PowerFile(const PowerFile&) = delete;
    PowerFile& operator=(const PowerFile&) = delete;
    ~PowerFile() override {
      const std::lock_guard lock{disk_.mutex_};
      file_.reset();
    }
    DiskResult<void> write_at(std::uint64_t offset, std::span<const char> bytes) override {
      return disk_.pass(true, [&] { return file_->write_at(offset, bytes); });
    }
    DiskResult<std::size_t> read_at(std::uint64_t offset, std::span<char> bytes) override {
      return disk_.pass(false, [&] { return file_->read_at(offset, bytes); });
    }
    DiskResult<void> sync() override {
      return disk_.pass(true, [&] { return file_->sync(); });
    }
    DiskResult<void> sync_mapped(File::Mapping& mapping, std::uint64_t offset,
                                 std::uint64_t size_bytes) override {
      return disk_.pass(true, [&] { return file_->sync_mapped(mapping, offset, size_bytes); });
    }
    DiskResult<std::unique_ptr<File::Mapping>> map(std::uint64_t size_bytes) override {
      if (!disk_.maps_) return File::map(size_bytes);
      return disk_.pass(false, [&] { return file_->map(size_bytes); });
    }
    DiskResult<std::uint64_t> size() override {
      return disk_.pass(false, [&] { return file_->size(); });
    }
    DiskResult<void> truncate(std::uint64_t size_bytes) override {
      return disk_.pass(true, [&] { return file_->truncate(size_bytes); });
    }
    DiskResult<void> reserve(std::uint64_t size_bytes) override {
      return disk_.pass(true, [&] { return file_->reserve(size_bytes); });
    }
    DiskResult<bool> try_lock() override {
      return disk_.pass(false, [&] { return file_->try_lock(); });
    }

   private:
    PowerDisk& disk_;
    std::unique_ptr<File> file_;
  };

  // One call at a time; now and then another thread's call comes first.
  template <class Call>
  std::invoke_result_t<Call> pass(bool changes, Call call) {
    std::unique_lock lock{mutex_};
    for (; changes && random_.below(64) == 0; lock.lock()) {
      lock.unlock();
      std::this_thread::yield();
    }
    if (has_power_ && changes && left_ > 0 && --left_ == 0) {
      // The call may still be done, but its result is lost.
      if (random_.below(2) == 0) static_cast<void>(call());
      has_power_ = false;
    }
    if (has_power_) return call();
    return std::unexpected{
        DiskError{.path = "power", .operation = "be without", .error_number = EIO}};
  }

  std::mutex mutex_;  // of everything below
  SeededRandom random_;
  FakeDisk disk_;
  std::uint64_t left_ = 0;
  bool has_power_ = true;  // start() draws what is left after a loss: stores may be in progress
  bool maps_ = false;
};

}  // namespace nexusfix::testing
