#include "support/disks/fake_disk.hpp"

#include <algorithm>
#include <cerrno>
#include <numeric>
#include <utility>

namespace nexusfix::testing {
namespace {

std::unexpected<DiskError> failure(const char* operation, const std::string& path, int error) {
  return std::unexpected{DiskError{.path = path, .operation = operation, .error_number = error}};
}

void put(std::string& image, std::uint64_t offset, std::string_view bytes) {
  if (image.size() < offset + bytes.size()) image.resize(offset + bytes.size());
  image.replace(offset, bytes.size(), bytes);
}

// Points into the file's image, whose size is constant while it is mapped.
class FakeMapping final : public File::Mapping {
 public:
  FakeMapping(std::shared_ptr<void> owner, std::span<char> bytes,
              std::shared_ptr<std::atomic<bool>> failed)
      : owner_{std::move(owner)}, bytes_{bytes}, failed_{std::move(failed)} {}
  std::span<char> bytes() noexcept override { return bytes_; }
  const std::atomic<bool>& failed() const noexcept override { return *failed_; }
  void prepare(std::uint64_t, std::uint64_t) noexcept override {}

 private:
  std::shared_ptr<void> owner_;
  std::span<char> bytes_;
  std::shared_ptr<std::atomic<bool>> failed_;
};

std::string folder_of(const std::string& path) { return path.substr(0, path.find_last_of('/')); }

}  // namespace

struct FakeDisk::Inode {
  std::string written;
  std::string synced;
  std::vector<bool> lost;  // bytes that a failed sync did not write: clean, and not on the disk
  const OpenFile* locked_by = nullptr;
  bool is_mapped = false;  // so that it may change without a write
};

class FakeDisk::OpenFile final : public File {
 public:
  OpenFile(FakeDisk& disk, std::shared_ptr<Inode> inode, std::string path, OpenMode mode)
      : disk_{disk},
        inode_{std::move(inode)},
        path_{std::move(path)},
        mode_{mode},
        process_{disk.process_} {}
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() override {
    if (inode_->locked_by == this) inode_->locked_by = nullptr;
  }

  DiskResult<void> write_at(std::uint64_t offset, std::span<const char> bytes) override {
    const std::string_view text{bytes.data(), bytes.size()};
    if (is_read_only(mode_)) return failure("write", path_, EBADF);
    if (const int error = strike(DiskCall::Write); error != 0) {
      if (process_ == disk_.process_) disk_.write(inode_, offset, text.substr(0, text.size() / 2));
      return failure("write", path_, error);
    }
    const std::uint64_t end = std::max<std::uint64_t>(inode_->written.size(), offset + text.size());
    if (disk_.used_bytes() - inode_->written.size() + end > disk_.capacity_bytes_) {
      return failure("write", path_, ENOSPC);
    }
    disk_.write(inode_, offset, text);
    return {};
  }

  DiskResult<std::size_t> read_at(std::uint64_t offset, std::span<char> bytes) override {
    if (const int error = strike(DiskCall::Read); error != 0) return failure("read", path_, error);
    if (offset >= inode_->written.size()) return 0;
    std::size_t count = std::min<std::size_t>(bytes.size(), inode_->written.size() - offset);
    if (disk_.short_read_ && --*disk_.short_read_ == 0) {
      count /= 2;
      disk_.short_read_.reset();
    }
    std::copy_n(inode_->written.begin() + static_cast<std::ptrdiff_t>(offset), count,
                bytes.begin());
    return count;
  }

  DiskResult<void> sync() override {
    if (const int error = strike(DiskCall::Sync); error != 0) {
      if (process_ == disk_.process_) disk_.lose(*inode_);
      return failure("sync", path_, error);
    }
    disk_.sync(*inode_);
    return {};
  }

  // Reads only this range: other threads may write to other ranges.
  DiskResult<void> sync_mapped(File::Mapping&, std::uint64_t offset,
                               std::uint64_t size_bytes) override {
    if (const int error = strike(DiskCall::Sync); error != 0) {
      if (process_ == disk_.process_) disk_.lose(*inode_);
      return failure("sync", path_, error);
    }
    FakeDisk::sync(*inode_, offset, size_bytes);
    return {};
  }

  DiskResult<std::uint64_t> size() override {
    if (const int error = strike(DiskCall::Size); error != 0) return failure("stat", path_, error);
    return inode_->written.size();
  }

  DiskResult<void> truncate(std::uint64_t size_bytes) override {
    if (const int error = strike(DiskCall::Truncate); error != 0) {
      return failure("truncate", path_, error);
    }
    inode_->written.resize(size_bytes);
    inode_->lost.resize(std::min<std::size_t>(inode_->lost.size(), size_bytes));
    disk_.changes_.push_back(
        {.inode = inode_, .offset = 0, .bytes = {}, .truncated_to = size_bytes});
    return {};
  }

  DiskResult<void> reserve(std::uint64_t size_bytes) override {
    if (!disk_.maps_) return File::reserve(size_bytes);
    if (const int error = strike(DiskCall::Reserve); error != 0) {
      return failure("reserve", path_, error);
    }
    const std::uint64_t size = inode_->written.size();
    if (size >= size_bytes) return {};
    if (disk_.used_bytes() - size + size_bytes > disk_.capacity_bytes_) {
      return failure("reserve", path_, ENOSPC);
    }
    disk_.write(inode_, size, std::string(size_bytes - size, '\0'));
    return {};
  }

  DiskResult<std::unique_ptr<File::Mapping>> map(std::uint64_t size_bytes) override {
    if (!disk_.maps_) return File::map(size_bytes);
    if (const int error = strike(DiskCall::Map); error != 0) return failure("map", path_, error);
    inode_->is_mapped = true;
    return std::make_unique<FakeMapping>(
        inode_, std::span{inode_->written}.first(static_cast<std::size_t>(size_bytes)),
        disk_.mappings_failed_);
  }

  DiskResult<bool> try_lock() override {
    if (const int error = strike(DiskCall::Lock); error != 0) return failure("lock", path_, error);
    if (inode_->locked_by != nullptr && inode_->locked_by != this) return false;
    inode_->locked_by = this;
    return true;
  }

 private:
  int strike(DiskCall call) { return process_ == disk_.process_ ? disk_.strike(call) : EBADF; }

  FakeDisk& disk_;
  std::shared_ptr<Inode> inode_;
  std::string path_;
  OpenMode mode_;
  std::uint64_t process_;
};

DiskResult<std::unique_ptr<File>> FakeDisk::open(const std::string& path, OpenMode mode) {
  if (const int error = strike(DiskCall::Open); error != 0) return failure("open", path, error);
  auto found = names_.find(path);
  if (found == names_.end()) {
    if (mode != OpenMode::Create || !folders_.contains(folder_of(path))) {
      return failure("open", path, ENOENT);
    }
    found = names_.emplace(path, std::make_shared<Inode>()).first;
  }
  return std::make_unique<OpenFile>(*this, found->second, path, mode);
}

DiskResult<void> FakeDisk::make_directories(const std::string& path) {
  if (const int error = strike(DiskCall::MakeDirectories); error != 0) {
    return failure("create folder", path, error);
  }
  folders_.insert(path);
  return {};
}

DiskResult<std::vector<std::string>> FakeDisk::list(const std::string& path) {
  if (const int error = strike(DiskCall::List); error != 0) return failure("list", path, error);
  if (!folders_.contains(path)) return failure("list", path, ENOENT);
  std::vector<std::string> names;
  for (const auto& [name, inode] : names_) {
    if (folder_of(name) == path && name != path) names.push_back(name.substr(path.size() + 1));
  }
  return names;  // a map is sorted
}

DiskResult<void> FakeDisk::remove(const std::string& path) {
  if (const int error = strike(DiskCall::Remove); error != 0) return failure("remove", path, error);
  if (names_.erase(path) == 0) return failure("remove", path, ENOENT);
  return {};
}

DiskResult<void> FakeDisk::rename(const std::string& from, const std::string& to) {
  if (const int error = strike(DiskCall::Remove); error != 0) return failure("rename", from, error);
  const auto found = names_.find(from);
  if (found == names_.end()) return failure("rename", from, ENOENT);
  names_[to] = found->second;
  names_.erase(from);
  return {};
}

DiskResult<void> FakeDisk::sync_directory(const std::string& path) {
  if (const int error = strike(DiskCall::SyncDirectory); error != 0) {
    return failure("sync", path, error);
  }
  std::erase_if(synced_names_, [&](const auto& name) { return folder_of(name.first) == path; });
  for (const auto& [name, inode] : names_) {
    if (folder_of(name) == path) synced_names_.emplace(name, inode);
  }
  return {};
}

void FakeDisk::write(const std::shared_ptr<Inode>& inode, std::uint64_t offset,
                     std::string_view bytes) {
  put(inode->written, offset, bytes);
  for (std::size_t at = offset;
       at < std::min<std::size_t>(offset + bytes.size(), inode->lost.size()); ++at) {
    inode->lost[at] = false;
  }
  changes_.push_back(
      {.inode = inode, .offset = offset, .bytes = std::string{bytes}, .truncated_to = {}});
}

// The bytes that a sync would bring to the disk now.
std::string FakeDisk::image_of(const Inode& inode) {
  std::string image = inode.written;
  for (std::size_t at = 0; at < std::min(image.size(), inode.lost.size()); ++at) {
    if (inode.lost[at]) image[at] = at < inode.synced.size() ? inode.synced[at] : '\0';
  }
  return image;
}

void FakeDisk::sync(Inode& inode) {
  const bool is_changed = std::ranges::any_of(
      changes_, [&](const Change& change) { return change.inode.get() == &inode; });
  if (inode.is_mapped || is_changed) inode.synced = image_of(inode);
  std::erase_if(changes_, [&](const Change& change) { return change.inode.get() == &inode; });
}

void FakeDisk::sync(Inode& inode, std::uint64_t offset, std::uint64_t size_bytes) {
  inode.synced.resize(inode.written.size());
  for (std::size_t at = offset; at < offset + size_bytes; ++at) {
    if (at >= inode.lost.size() || !inode.lost[at]) inode.synced[at] = inode.written[at];
  }
}

void FakeDisk::lose(Inode& inode) {
  inode.lost.resize(inode.written.size());
  for (std::size_t at = 0; at < inode.written.size(); ++at) {
    if (at >= inode.synced.size() || inode.synced[at] != inode.written[at]) inode.lost[at] = true;
  }
}

std::uint64_t FakeDisk::used_bytes() const {
  return std::accumulate(
      names_.begin(), names_.end(), std::uint64_t{0},
      [](std::uint64_t sum, const auto& name) { return sum + name.second->written.size(); });
}

void FakeDisk::end_process() {
  ++process_;
  for (const auto& [name, inode] : names_) inode->locked_by = nullptr;
  faults_.clear();
  short_read_.reset();
}

void FakeDisk::process_death(std::size_t bytes_missing) {
  end_process();
  if (bytes_missing == 0 || changes_.empty()) return;
  Change& last = changes_.back();
  // Only a write that made the file longer can be undone in this way; a log makes no other.
  const std::size_t cut = std::min(bytes_missing, last.bytes.size());
  last.bytes.resize(last.bytes.size() - cut);
  last.inode->written.resize(last.inode->written.size() - cut);
}

void FakeDisk::reboot() {
  end_process();
  ++(remounts_ ? mount_ : boot_);
}

void FakeDisk::evict() {
  end_process();
  for (const auto& [name, inode] : names_) {
    if (inode->lost.empty()) continue;
    inode->written = image_of(*inode);
    inode->lost.clear();
    std::erase_if(changes_, [&](const Change& change) { return change.inode == inode; });
  }
}

void FakeDisk::power_loss_by_sectors(Random& random, std::size_t sector_bytes) {
  reboot();
  Names names = synced_names_;
  for (const auto& [name, inode] : names_) {
    if (!names.contains(name) && random.next() % 2 == 0) names.emplace(name, inode);
  }
  for (const auto& [name, inode] : synced_names_) {
    if (!names_.contains(name) && random.next() % 2 == 0) names.erase(name);
  }
  for (const auto& [name, inode] : names) {
    const std::string fresh = image_of(*inode);
    std::string image = inode->synced;
    if (image.size() != fresh.size() && random.next() % 2 == 0) image.resize(fresh.size());
    for (std::size_t at = 0; at < std::min(image.size(), fresh.size()); at += sector_bytes) {
      const std::uint64_t fate = random.next() % 8;
      if (fate < 4) continue;  // unchanged
      const std::size_t most = std::min({sector_bytes, image.size() - at, fresh.size() - at});
      const std::size_t count = fate == 4 ? random.next() % (most + 1) : most;
      image.replace(at, count, fresh, at, count);
    }
    inode->written = image;
    inode->synced = std::move(image);
    inode->lost.clear();
  }
  changes_.clear();
  names_ = names;
  synced_names_ = std::move(names);
}

void FakeDisk::power_loss(std::size_t bytes_kept) {
  reboot();
  for (const Change& change : changes_) {
    if (bytes_kept == 0) break;
    if (change.truncated_to) {
      change.inode->synced.resize(*change.truncated_to);
      --bytes_kept;
      continue;
    }
    const std::size_t count = std::min(bytes_kept, change.bytes.size());
    put(change.inode->synced, change.offset, std::string_view{change.bytes}.substr(0, count));
    bytes_kept -= count;
  }
  changes_.clear();
  names_ = synced_names_;
  for (const auto& [name, inode] : names_) {
    inode->written = inode->synced;
    inode->lost.clear();
  }
}

std::size_t FakeDisk::unsynced_bytes() const {
  return std::accumulate(changes_.begin(), changes_.end(), std::size_t{0},
                         [](std::size_t sum, const Change& change) {
                           return sum + (change.truncated_to ? 1 : change.bytes.size());
                         });
}

void FakeDisk::fail(DiskCall call, unsigned nth, int error_number) {
  faults_.push_back({.call = call, .left = nth, .error_number = error_number});
}

void FakeDisk::fail_any(unsigned nth, int error_number) {
  faults_.push_back({.call = std::nullopt, .left = nth, .error_number = error_number});
}

void FakeDisk::shorten_read(unsigned nth) { short_read_ = nth; }

int FakeDisk::strike(DiskCall call) {
  ++calls_[static_cast<std::size_t>(call)];
  for (auto fault = faults_.begin(); fault != faults_.end(); ++fault) {
    if (fault->call && *fault->call != call) continue;
    if (--fault->left != 0) continue;
    const int error = fault->error_number;
    faults_.erase(fault);
    ++faults_hit_;
    return error;
  }
  return 0;
}

unsigned FakeDisk::calls(DiskCall call) const { return calls_[static_cast<std::size_t>(call)]; }
unsigned FakeDisk::calls() const { return std::accumulate(calls_.begin(), calls_.end(), 0U); }

std::string FakeDisk::contents(const std::string& path) const { return names_.at(path)->written; }

void FakeDisk::set_contents(const std::string& path, std::string_view bytes) {
  folders_.insert(folder_of(path));
  auto& inode = names_[path];
  if (inode == nullptr) inode = std::make_shared<Inode>();
  std::erase_if(changes_, [&](const Change& change) { return change.inode == inode; });
  inode->written = bytes;
  inode->synced = bytes;
  inode->lost.clear();
  synced_names_[path] = inode;
}

}  // namespace nexusfix::testing
