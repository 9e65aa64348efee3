// The disk of one simulated machine. It outlives the processes that use it, and knows which writes
// were synced: only these survive a loss of power.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/disk.hpp>
#include <nexusfix/simulator/fault.hpp>
#include <nexusfix/simulator/process_life.hpp>

namespace nexusfix::simulator {

class SimulatedDisk final : public Disk {
 public:
  // All three must outlive the disk.
  SimulatedDisk(ProcessLife& life, SeededRandom& random, FaultCounts& counts)
      : life_{life}, random_{random}, counts_{counts} {}

  [[nodiscard]] DiskResult<std::unique_ptr<File>> open(const std::string& path,
                                                       OpenMode mode) override;
  [[nodiscard]] DiskResult<void> make_directories(const std::string& path) override;
  [[nodiscard]] DiskResult<std::vector<std::string>> list(const std::string& path) override;
  [[nodiscard]] DiskResult<void> remove(const std::string& path) override;
  [[nodiscard]] DiskResult<void> sync_directory(const std::string& path) override;
  [[nodiscard]] std::string boot_id() override { return "boot " + std::to_string(boot_); }
  [[nodiscard]] std::string mount_id(const std::string&) override {
    return "mount " + std::to_string(mount_);
  }

  // Faults. Each is counted when it strikes, not when it is set.
  void set_full(bool on) noexcept { is_full_ = on; }
  void fail_next_write() noexcept { fails_write_ = true; }
  // drops: the unsynced writes may be lost, as kernels drop pages that they could not write.
  // Otherwise they stay readable until the loss of power.
  void fail_next_sync(bool drops) noexcept {
    fails_sync_ = true;
    drops_unsynced_ = drops;
  }
  // From now on each write and sync fails, until the file system is mounted again.
  void break_down() noexcept { is_broken_ = true; }
  [[nodiscard]] bool is_broken() const noexcept { return is_broken_; }
  // Whether a failed sync has dropped writes since the last call.
  [[nodiscard]] bool consume_dropped() noexcept { return std::exchange(has_dropped_, false); }
  // action is called when a file has been created.
  void on_create(std::function<void()> action) { on_create_ = std::move(action); }
  void mend() noexcept { is_full_ = fails_write_ = fails_sync_ = false; }

  // The process is gone: its locks are released, its writes stay.
  void end_process() noexcept;
  // Only a beginning of the unsynced writes stays: some of them, in order, and a part of the next.
  // Unsynced new names may be gone with their files, and files whose removal was not synced may be
  // back.
  void lose_power();
  // Like lose_power(), without a restart of the machine: the disk has failed, and its file system
  // is mounted again.
  void remount();

  [[nodiscard]] std::uint64_t used_bytes() const noexcept;

 private:
  class OpenFile;

  // Undoes one write or truncation.
  struct Change {
    std::uint64_t offset = 0;
    std::uint64_t size_before = 0;  // of the file
    std::vector<char> overwritten;  // the bytes there before, if any
    std::uint64_t bytes = 0;        // written; 0: a truncation
  };
  struct Inode {
    std::vector<char> content;
    std::vector<Change> unsynced;
    const OpenFile* locked_by = nullptr;
    bool is_name_synced = false;
  };

  static void write(Inode& inode, std::uint64_t offset, std::span<const char> bytes);
  static void truncate(Inode& inode, std::uint64_t size_bytes);
  static void undo(Inode& inode, std::size_t changes_kept);
  void lose_unsynced();
  [[nodiscard]] std::unexpected<DiskError> broken(const char* operation, const std::string& path);
  [[nodiscard]] bool is_dead() noexcept { return life_.step(SeamCall::Other) != CallFate::Done; }

  ProcessLife& life_;
  SeededRandom& random_;
  FaultCounts& counts_;
  std::map<std::string, std::shared_ptr<Inode>> names_;
  std::map<std::string, std::shared_ptr<Inode>> removed_;  // since the last sync of their folder
  std::set<std::string> folders_;
  std::function<void()> on_create_;
  std::uint64_t boot_ = 1;   // counts losses of power
  std::uint64_t mount_ = 1;  // counts mounts
  bool is_broken_ = false;
  bool has_dropped_ = false;
  bool is_full_ = false;
  bool fails_write_ = false;
  bool fails_sync_ = false;
  bool drops_unsynced_ = false;
};

}  // namespace nexusfix::simulator
