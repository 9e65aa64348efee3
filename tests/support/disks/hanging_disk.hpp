// The operating system's disk, with files that do not answer: a call that opens one, or checks
// whether it is private, waits until it is released.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>

#include "support/disks/passing_disk.hpp"

namespace nexusfix::testing {

class HangingDisk final : public PassingDisk {
 public:
  // From now on, for this file.
  void hang(const std::string& path) {
    const std::lock_guard lock{mutex_};
    hanging_ = path;
  }
  void let_go() {
    const std::lock_guard lock{mutex_};
    hanging_.clear();
    changed_.notify_all();
  }
  // Threads that wait in it.
  [[nodiscard]] unsigned held() {
    const std::lock_guard lock{mutex_};
    return held_;
  }
  ~HangingDisk() override { let_go(); }

  DiskResult<std::unique_ptr<File>> open(const std::string& path, OpenMode mode) override {
    pass(path);
    return PassingDisk::open(path, mode);
  }
  DiskResult<bool> is_private(const std::string& path) override {
    pass(path);
    return PassingDisk::is_private(path);
  }

 private:
  void pass(const std::string& path) {
    std::unique_lock lock{mutex_};
    if (path != hanging_) return;
    ++held_;
    changed_.wait(lock, [&] { return path != hanging_; });
    --held_;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::string hanging_;
  unsigned held_ = 0;
};

}  // namespace nexusfix::testing
