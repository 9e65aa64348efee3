// A disk in memory that can lose power, stop in the middle of a write, fill up and fail. It keeps
// two images of every file: the written and the synced one.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/disk.hpp>

namespace nexusfix::testing {

enum class DiskCall : std::uint8_t {
  Open,
  Write,
  Read,
  Sync,
  Size,
  Truncate,
  Lock,
  List,
  Remove,
  MakeDirectories,
  SyncDirectory,
  Reserve,
  Map,
};
inline constexpr std::size_t kDiskCalls = 13;

class FakeDisk final : public Disk {
 public:
  DiskResult<std::unique_ptr<File>> open(const std::string& path, OpenMode mode) override;
  DiskResult<void> make_directories(const std::string& path) override;
  DiskResult<std::vector<std::string>> list(const std::string& path) override;
  DiskResult<void> remove(const std::string& path) override;
  DiskResult<void> rename(const std::string& from, const std::string& to) override;
  DiskResult<void> sync_directory(const std::string& path) override;
  DiskResult<WallTime> written_at(const std::string& path) override {
    const auto found = written_at_.find(path);
    if (found == written_at_.end()) return Disk::written_at(path);
    return found->second;
  }
  std::string boot_id() override { return "boot " + std::to_string(boot_); }
  std::string mount_id(const std::string&) override {
    return mount_ == 0 ? std::string{} : "mount " + std::to_string(mount_);
  }

  // Files can be reserved and mapped; otherwise they grow with their writes.
  void set_mapping(bool on) { maps_ = on; }
  // Every mapping has lost a page.
  void fail_mappings() { *mappings_failed_ = true; }
  // The machine restarts; nothing is lost by that alone.
  void reboot();
  // On: from now on mounts have different identifiers, and only the disk loses power: its file
  // system is mounted again, and the machine keeps running.
  void set_remounting(bool on) {
    remounts_ = on;
    mount_ = std::max<std::uint64_t>(mount_, 1);
  }
  // The process is killed, and memory runs short: the bytes that a failed sync did not write are
  // clean, not on the disk, and cannot be read any more. Neither boot nor mount changes.
  void evict();
  // A loss of power. Any part of the unsynced writes stays: each sector (or page of a mapping) at
  // random, some of them torn, and likewise names and sizes.
  static constexpr std::size_t kSectorBytes = 512;
  static constexpr std::size_t kPageBytes = 4096;
  void power_loss_by_sectors(Random& random, std::size_t sector_bytes = kSectorBytes);

  // The process is killed: its writes stay, its locks are released, its Files fail. The last
  // bytes_missing bytes of the last write never happened.
  void process_death(std::size_t bytes_missing = 0);
  // A loss of power: synced writes stay, and of the later ones, in the order of writing, the first
  // bytes_kept bytes (a truncation counts as one byte). Synced names stay.
  void power_loss(std::size_t bytes_kept = 0);
  // What a loss of power could lose or keep now.
  [[nodiscard]] std::size_t unsynced_bytes() const;

  // The n-th call of this kind from now (1: the next) fails once with this errno. A failing write
  // leaves half of its bytes. The bytes of a failing sync can be read, and are lost with the power,
  // whatever is synced later, unless they are written again (catalogue D5).
  void fail(DiskCall call, unsigned nth, int error_number);
  // The n-th call of any kind from now fails.
  void fail_any(unsigned nth, int error_number);
  // The n-th read from now returns half of the bytes.
  void shorten_read(unsigned nth);
  // Writes that exceed this number of bytes in all files fail with ENOSPC.
  void set_capacity(std::uint64_t bytes) { capacity_bytes_ = bytes; }

  [[nodiscard]] unsigned calls(DiskCall call) const;
  [[nodiscard]] unsigned calls() const;
  [[nodiscard]] unsigned faults_hit() const { return faults_hit_; }

  // Without this call, the disk does not know when a file was written.
  void set_written_at(const std::string& path, WallTime time) { written_at_[path] = time; }
  // A file as the next process would see it; set_contents() writes and syncs.
  [[nodiscard]] std::string contents(const std::string& path) const;
  void set_contents(const std::string& path, std::string_view bytes);
  [[nodiscard]] bool exists(const std::string& path) const { return names_.contains(path); }

  struct Inode;
  class OpenFile;

 private:
  friend class OpenFile;
  struct Change {  // not synced yet
    std::shared_ptr<Inode> inode;
    std::uint64_t offset = 0;
    std::string bytes;
    std::optional<std::uint64_t> truncated_to;
  };
  struct Fault {
    std::optional<DiskCall> call;  // none: any call
    unsigned left = 0;             // calls until it fails
    int error_number = 0;
  };
  using Names = std::map<std::string, std::shared_ptr<Inode>>;

  // Counts the call; returns the errno of its failure, or 0.
  [[nodiscard]] int strike(DiskCall call);
  void write(const std::shared_ptr<Inode>& inode, std::uint64_t offset, std::string_view bytes);
  void sync(Inode& inode);
  static void sync(Inode& inode, std::uint64_t offset, std::uint64_t size_bytes);
  void lose(Inode& inode);
  [[nodiscard]] static std::string image_of(const Inode& inode);
  [[nodiscard]] std::uint64_t used_bytes() const;
  void end_process();

  std::map<std::string, WallTime> written_at_;
  Names names_;
  Names synced_names_;
  std::set<std::string> folders_;
  std::vector<Change> changes_;  // in order
  std::vector<Fault> faults_;
  std::optional<unsigned> short_read_;
  std::array<unsigned, kDiskCalls> calls_{};
  unsigned faults_hit_ = 0;
  std::uint64_t capacity_bytes_ = UINT64_MAX;
  std::uint64_t process_ = 0;  // Files of an earlier process are dead
  std::uint64_t boot_ = 1;
  std::uint64_t mount_ = 0;  // 0: mounts have no identifiers
  bool remounts_ = false;
  bool maps_ = false;
  std::shared_ptr<std::atomic<bool>> mappings_failed_ = std::make_shared<std::atomic<bool>>(false);
};

}  // namespace nexusfix::testing
