// The real disk with a gate before some calls, and without locks of folders. For tests of other
// threads, whose calls can be delayed, continued and made to fail.
#pragma once

#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <nexusfix/base/disk.hpp>

namespace nexusfix::testing {

class GatedDisk final : public Disk {
 public:
  // From now on syncs wait until they are released: of all files, or of this one.
  void hold_syncs(const std::string& path = {}) {
    const std::lock_guard lock{mutex_};
    held_path_ = path;
    holds_ = true;
  }
  void release_syncs() {
    const std::lock_guard lock{mutex_};
    holds_ = false;
    changed_.notify_all();
  }
  // Waits until a sync waits.
  void wait_for_held_sync() {
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [this] { return held_ > 0; });
  }
  // Holds and releases syncs of folders.
  void hold_folder_syncs() { set_folder_syncs(true); }
  void release_folder_syncs() { set_folder_syncs(false); }
  void wait_for_held_folder_sync() {
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [this] { return held_folder_syncs_ > 0; });
  }
  void fail_folder_syncs(int error) { folder_sync_error_ = error; }
  // From now on every change of the disk waits, as if the controller did not answer. Changes by the
  // calling thread are only counted: it would wait for its own release.
  void hold_changes() {
    const std::lock_guard lock{mutex_};
    holds_changes_ = true;
    holder_ = std::this_thread::get_id();
  }
  // Waits until a change waits.
  void wait_for_held_change() {
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [this] { return held_changes_ > 0; });
  }
  void release_changes() {
    const std::lock_guard lock{mutex_};
    holds_changes_ = false;
    changed_.notify_all();
  }
  [[nodiscard]] unsigned changes_by_holder() {
    const std::lock_guard lock{mutex_};
    return changes_by_holder_;
  }
  // Holds and releases removals of files.
  void hold_removes() { set_removes(true); }
  void release_removes() { set_removes(false); }
  void wait_for_held_remove() {
    std::unique_lock lock{mutex_};
    changed_.wait(lock, [this] { return held_removes_ > 0; });
  }
  // From now on no sync waits for the real disk.
  void skip_syncs() { skips_syncs_ = true; }
  void fail_syncs(int error) { sync_error_ = error; }
  // Only the first sync of this file that is in progress, or the next one, fails: as Linux reports
  // a write error.
  void fail_one_sync(const std::string& path, int error) {
    const std::lock_guard lock{mutex_};
    failing_ = {path, error};
  }
  void fail_reserves(int error) { reserve_error_ = error; }
  // Each open of this file fails; 0: it works again.
  void fail_opens(const std::string& path, int error) {
    const std::lock_guard lock{mutex_};
    unopenable_ = {path, error};
  }
  [[nodiscard]] unsigned syncs() const { return syncs_; }
  // The syncs of this file.
  [[nodiscard]] unsigned syncs(const std::string& path) {
    const std::lock_guard lock{mutex_};
    return syncs_of_[path];
  }
  // How often this file was opened to be made.
  [[nodiscard]] unsigned creations(const std::string& path) {
    const std::lock_guard lock{mutex_};
    return creations_of_[path];
  }
  [[nodiscard]] unsigned failed_reserves() {
    const std::lock_guard lock{mutex_};
    return failed_reserves_;
  }

  DiskResult<std::unique_ptr<File>> open(const std::string& path, OpenMode mode) override {
    if (const int error = mode == OpenMode::Read ? open_error(path) : 0; error != 0) {
      return std::unexpected{DiskError{.path = path, .operation = "open", .error_number = error}};
    }
    if (mode == OpenMode::Create) {
      wait_to_change();
      const std::lock_guard lock{mutex_};
      ++creations_of_[path];
    }
    auto file = disk_.open(path, mode);
    if (!file) return file;
    return std::make_unique<GatedFile>(*this, path, std::move(*file));
  }
  DiskResult<void> make_directories(const std::string& path) override {
    wait_to_change();
    return disk_.make_directories(path);
  }
  DiskResult<std::vector<std::string>> list(const std::string& path) override {
    return disk_.list(path);
  }
  DiskResult<void> remove(const std::string& path) override {
    wait_to_change();
    {
      std::unique_lock lock{mutex_};
      ++held_removes_;
      changed_.notify_all();
      changed_.wait(lock, [this] { return !holds_removes_; });
      --held_removes_;
    }
    return disk_.remove(path);
  }
  DiskResult<void> rename(const std::string& from, const std::string& to) override {
    wait_to_change();
    return disk_.rename(from, to);
  }
  DiskResult<void> sync_directory(const std::string& path) override {
    {
      std::unique_lock lock{mutex_};
      wait_to_change(lock);
      ++held_folder_syncs_;
      changed_.notify_all();
      changed_.wait(lock, [this] { return !holds_folder_syncs_; });
      --held_folder_syncs_;
    }
    if (const int error = folder_sync_error_; error != 0) {
      return std::unexpected{DiskError{.path = path, .operation = "sync", .error_number = error}};
    }
    return skips_syncs_ ? DiskResult<void>{} : disk_.sync_directory(path);
  }
  std::string user() override { return disk_.user(); }
  std::string boot_id() override { return disk_.boot_id(); }
  std::string mount_id(const std::string& path) override { return disk_.mount_id(path); }
  bool takes_threads() const noexcept override { return true; }

 private:
  int open_error(const std::string& path) {
    const std::lock_guard lock{mutex_};
    return unopenable_.first == path ? unopenable_.second : 0;
  }

  class GatedFile final : public File {
   public:
    GatedFile(GatedDisk& disk, std::string path, std::unique_ptr<File> file)
        : disk_{disk}, path_{std::move(path)}, file_{std::move(file)} {}
    DiskResult<void> write_at(std::uint64_t offset, std::span<const char> bytes) override {
      disk_.wait_to_change();
      return file_->write_at(offset, bytes);
    }
    DiskResult<std::size_t> read_at(std::uint64_t offset, std::span<char> bytes) override {
      return file_->read_at(offset, bytes);
    }
    DiskResult<void> sync() override {
      if (const int error = disk_.pass(path_); error != 0) {
        return std::unexpected{
            DiskError{.path = "gate", .operation = "sync", .error_number = error}};
      }
      return disk_.skips_syncs_ ? DiskResult<void>{} : file_->sync();
    }
    DiskResult<std::uint64_t> size() override { return file_->size(); }
    DiskResult<void> truncate(std::uint64_t size_bytes) override {
      disk_.wait_to_change();
      return file_->truncate(size_bytes);
    }
    DiskResult<void> reserve(std::uint64_t size_bytes) override {
      disk_.wait_to_change();
      if (const int error = disk_.reserve_error_.load(); error != 0) {
        disk_.count_failed_reserve();
        return std::unexpected{
            DiskError{.path = "gate", .operation = "reserve", .error_number = error}};
      }
      return file_->reserve(size_bytes);
    }
    DiskResult<std::unique_ptr<File::Mapping>> map(std::uint64_t size_bytes) override {
      return file_->map(size_bytes);
    }
    DiskResult<bool> try_lock() override { return file_->try_lock(); }

   private:
    GatedDisk& disk_;
    std::string path_;
    std::unique_ptr<File> file_;
  };

  int pass(const std::string& path) {
    std::unique_lock lock{mutex_};
    ++syncs_;
    ++syncs_of_[path];
    ++held_;
    changed_.notify_all();
    wait_to_change(lock);
    changed_.wait(lock, [&] { return !holds_ || (!held_path_.empty() && held_path_ != path); });
    --held_;
    if (failing_.first == path) return std::exchange(failing_, {}).second;
    return sync_error_;
  }
  void wait_to_change() {
    std::unique_lock lock{mutex_};
    wait_to_change(lock);
  }
  void wait_to_change(std::unique_lock<std::mutex>& lock) {
    if (holds_changes_ && holder_ == std::this_thread::get_id()) {
      ++changes_by_holder_;
      return;
    }
    ++held_changes_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return !holds_changes_; });
    --held_changes_;
  }
  void set_removes(bool holds) {
    const std::lock_guard lock{mutex_};
    holds_removes_ = holds;
    changed_.notify_all();
  }
  void set_folder_syncs(bool holds) {
    const std::lock_guard lock{mutex_};
    holds_folder_syncs_ = holds;
    changed_.notify_all();
  }
  void count_failed_reserve() {
    const std::lock_guard lock{mutex_};
    ++failed_reserves_;
    changed_.notify_all();
  }

  PosixDisk disk_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, unsigned> syncs_of_;
  std::map<std::string, unsigned> creations_of_;
  bool holds_ = false;
  std::string held_path_;  // empty: all files
  unsigned held_ = 0;
  bool holds_changes_ = false;
  std::thread::id holder_;
  unsigned held_changes_ = 0;
  unsigned changes_by_holder_ = 0;
  bool holds_removes_ = false;
  unsigned held_removes_ = 0;
  bool holds_folder_syncs_ = false;
  unsigned held_folder_syncs_ = 0;
  unsigned failed_reserves_ = 0;
  std::atomic<int> folder_sync_error_{0};
  std::atomic<unsigned> syncs_{0};
  std::atomic<bool> skips_syncs_{false};
  std::atomic<int> sync_error_{0};
  std::pair<std::string, int> failing_;
  std::pair<std::string, int> unopenable_;
  std::atomic<int> reserve_error_{0};
};

}  // namespace nexusfix::testing
