// A disk in memory that can lose power, stop in the middle of a write, fill up and fail. It keeps
// two images of every file: what was written and what was synced.
#pragma once

#include <algorithm>
#include <array>
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

#include <nexusfix/base/disk.hpp>
#include <nexusfix/base/random.hpp>

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
  std::string boot_id() override { return "boot " + std::to_string(boot_); }
  std::string mount_id(const std::string&) override {
    return mount_ == 0 ? std::string{} : "mount " + std::to_string(mount_);
  }

  // Files can be reserved and mapped; otherwise they grow as they are written.
  void set_mapping(bool on) { maps_ = on; }
  // Every mapping has lost a page.
  void fail_mappings() { *mappings_failed_ = true; }
  // The machine is started again; nothing is lost by that alone.
  void reboot();
  // On: from now on mounts can be told apart, and what loses power is the disk alone: its file
  // system is mounted again, and the machine runs on.
  void set_remounting(bool on) {
    remounts_ = on;
    mount_ = std::max<std::uint64_t>(mount_, 1);
  }
  // The process is killed, and memory runs short: what a failed sync should have written is clean
  // and not on the disk, and cannot be read any more. Neither boot nor mount changes.
  void evict();
  // The power goes, and of what was written since it was synced any part stays: each sector (or, of
  // what is mapped, page) by chance, some of them torn, and likewise names and sizes.
  static constexpr std::size_t kSectorBytes = 512;
  static constexpr std::size_t kPageBytes = 4096;
  void power_loss_by_sectors(Random& random, std::size_t sector_bytes = kSectorBytes);

  // The process is killed: what was written stays, locks fall, Files of before fail. Of the last
  // write, the given number of bytes at its end never happened.
  void process_death(std::size_t bytes_missing = 0);
  // The power goes: what was synced stays, and of what was written since, in the order of writing,
  // the first bytes_kept bytes (a truncation counts as one byte). Names are kept once synced.
  void power_loss(std::size_t bytes_kept = 0);
  // What a power loss could lose or keep now.
  [[nodiscard]] std::size_t unsynced_bytes() const;

  // The n-th call of this kind from now (1: the next) fails once with this errno. A failing write
  // leaves half of its bytes behind. What a failing sync should have written can be read, and is
  // lost with the power, whatever is synced later, unless it is written again (catalogue D5).
  void fail(DiskCall call, unsigned nth, int error_number);
  // The n-th call of any kind from now fails.
  void fail_any(unsigned nth, int error_number);
  // The n-th read from now gives half of what it should.
  void shorten_read(unsigned nth);
  // Writes beyond this many bytes in all files fail with ENOSPC.
  void set_capacity(std::uint64_t bytes) { capacity_bytes_ = bytes; }

  [[nodiscard]] unsigned calls(DiskCall call) const;
  [[nodiscard]] unsigned calls() const;
  [[nodiscard]] unsigned faults_hit() const { return faults_hit_; }

  // A file as the next process would see it; written and synced by set_contents().
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
    std::optional<DiskCall> call;  // none: any
    unsigned left = 0;             // calls until it strikes
    int error_number = 0;
  };
  using Names = std::map<std::string, std::shared_ptr<Inode>>;

  // Counts the call; the errno that it must fail with, or 0.
  [[nodiscard]] int strike(DiskCall call);
  void write(const std::shared_ptr<Inode>& inode, std::uint64_t offset, std::string_view bytes);
  void sync(Inode& inode);
  static void sync(Inode& inode, std::uint64_t offset, std::uint64_t size_bytes);
  void lose(Inode& inode);
  [[nodiscard]] static std::string image_of(const Inode& inode);
  [[nodiscard]] std::uint64_t used_bytes() const;
  void end_process();

  Names names_;
  Names synced_names_;
  std::set<std::string> folders_;
  std::vector<Change> changes_;  // in the order they happened
  std::vector<Fault> faults_;
  std::optional<unsigned> short_read_;
  std::array<unsigned, kDiskCalls> calls_{};
  unsigned faults_hit_ = 0;
  std::uint64_t capacity_bytes_ = UINT64_MAX;
  std::uint64_t process_ = 0;  // Files of an earlier one are dead
  std::uint64_t boot_ = 1;
  std::uint64_t mount_ = 0;  // 0: it does not tell
  bool remounts_ = false;
  bool maps_ = false;
  std::shared_ptr<bool> mappings_failed_ = std::make_shared<bool>(false);
};

}  // namespace nexusfix::testing
