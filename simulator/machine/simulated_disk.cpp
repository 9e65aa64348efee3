#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <nexusfix/simulator/simulated_disk.hpp>

namespace nexusfix::simulator {
namespace {

// The operating system writes back by itself: with more changes than this, the oldest are safe.
constexpr std::size_t kUnsyncedChangesMax = 4096;

std::unexpected<DiskError> failure(const char* operation, const std::string& path, int error) {
  return std::unexpected{DiskError{.path = path, .operation = operation, .error_number = error}};
}

std::string folder_of(const std::string& path) { return path.substr(0, path.find_last_of('/')); }

}  // namespace

class SimulatedDisk::OpenFile final : public File {
 public:
  OpenFile(SimulatedDisk& disk, std::shared_ptr<Inode> inode, std::string path, OpenMode mode)
      : disk_{disk},
        inode_{std::move(inode)},
        path_{std::move(path)},
        mode_{mode},
        incarnation_{disk.life_.incarnation()} {}
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() override {
    if (inode_->locked_by == this) inode_->locked_by = nullptr;
  }

  DiskResult<void> write_at(std::uint64_t offset, std::span<const char> bytes) override {
    const CallFate fate = step(SeamCall::Write);
    if (fate == CallFate::Dead || is_read_only(mode_)) return failure("write", path_, EBADF);
    if (fate == CallFate::DiesIn) {
      const auto part = static_cast<std::size_t>(disk_.random_.below(bytes.size() + 1));
      if (part > 0 && part < bytes.size()) count(disk_.counts_, Fault::TornWrite);
      write(*inode_, offset, bytes.first(part));
      return failure("write", path_, EINTR);
    }
    if (disk_.is_broken_) return disk_.broken("write", path_);
    // Overwriting needs no room.
    const bool is_full = disk_.is_full_ && offset + bytes.size() > inode_->content.size();
    if (is_full || disk_.fails_write_) {
      if (!is_full) disk_.fails_write_ = false;
      count(disk_.counts_, is_full ? Fault::DiskFull : Fault::WriteError);
      const auto part = static_cast<std::size_t>(disk_.random_.below(bytes.size() + 1));
      write(*inode_, offset, bytes.first(part));
      return failure("write", path_, is_full ? ENOSPC : EIO);
    }
    write(*inode_, offset, bytes);
    return {};
  }

  DiskResult<std::size_t> read_at(std::uint64_t offset, std::span<char> bytes) override {
    if (is_dead()) return failure("read", path_, EBADF);
    if (offset >= inode_->content.size()) return 0;
    const std::size_t count = std::min<std::size_t>(bytes.size(), inode_->content.size() - offset);
    std::memcpy(bytes.data(), inode_->content.data() + offset, count);
    return count;
  }

  DiskResult<void> sync() override {
    if (step(SeamCall::Sync) != CallFate::Done) return failure("sync", path_, EBADF);
    if (disk_.is_broken_) return disk_.broken("sync", path_);
    if (disk_.fails_sync_) {
      disk_.fails_sync_ = false;
      count(disk_.counts_, Fault::SyncError);
      if (disk_.drops_unsynced_ && disk_.random_.below(2) == 0) {
        disk_.has_dropped_ |= !inode_->unsynced.empty();
        undo(*inode_, 0);
      }
      return failure("sync", path_, EIO);
    }
    inode_->unsynced.clear();
    return {};
  }

  DiskResult<std::uint64_t> size() override {
    if (is_dead()) return failure("stat", path_, EBADF);
    return inode_->content.size();
  }

  DiskResult<void> truncate(std::uint64_t size_bytes) override {
    if (is_dead()) return failure("truncate", path_, EBADF);
    SimulatedDisk::truncate(*inode_, size_bytes);
    return {};
  }

  DiskResult<bool> try_lock() override {
    if (is_dead()) return failure("lock", path_, EBADF);
    if (inode_->locked_by != nullptr && inode_->locked_by != this) return false;
    inode_->locked_by = this;
    return true;
  }

 private:
  CallFate step(SeamCall call) noexcept {
    if (incarnation_ != disk_.life_.incarnation()) return CallFate::Dead;
    return disk_.life_.step(call);
  }
  bool is_dead() noexcept { return step(SeamCall::Other) != CallFate::Done; }

  SimulatedDisk& disk_;
  std::shared_ptr<Inode> inode_;
  std::string path_;
  OpenMode mode_;
  std::uint64_t incarnation_;
};

DiskResult<std::unique_ptr<File>> SimulatedDisk::open(const std::string& path, OpenMode mode) {
  if (is_dead()) return failure("open", path, EBADF);
  auto found = names_.find(path);
  if (found == names_.end()) {
    if (mode != OpenMode::Create || !folders_.contains(folder_of(path))) {
      return failure("open", path, ENOENT);
    }
    if (is_full_) {
      count(counts_, Fault::DiskFull);
      return failure("open", path, ENOSPC);
    }
    found = names_.emplace(path, std::make_shared<Inode>()).first;
    if (on_create_) on_create_();
  }
  return std::make_unique<OpenFile>(*this, found->second, path, mode);
}

DiskResult<void> SimulatedDisk::make_directories(const std::string& path) {
  if (is_dead()) return failure("create folder", path, EBADF);
  folders_.insert(path);
  return {};
}

DiskResult<std::vector<std::string>> SimulatedDisk::list(const std::string& path) {
  if (is_dead()) return failure("list", path, EBADF);
  if (!folders_.contains(path)) return failure("list", path, ENOENT);
  std::vector<std::string> names;
  for (const auto& [name, inode] : names_) {
    if (folder_of(name) == path) names.push_back(name.substr(path.size() + 1));
  }
  return names;  // a map is sorted
}

DiskResult<void> SimulatedDisk::remove(const std::string& path) {
  if (is_dead()) return failure("remove", path, EBADF);
  const auto found = names_.find(path);
  if (found == names_.end()) return failure("remove", path, ENOENT);
  if (found->second->is_name_synced) removed_[path] = found->second;
  names_.erase(found);
  return {};
}

DiskResult<void> SimulatedDisk::sync_directory(const std::string& path) {
  if (is_dead()) return failure("sync", path, EBADF);
  for (const auto& [name, inode] : names_) {
    if (folder_of(name) == path) inode->is_name_synced = true;
  }
  std::erase_if(removed_, [&](const auto& one) { return folder_of(one.first) == path; });
  return {};
}

void SimulatedDisk::write(Inode& inode, std::uint64_t offset, std::span<const char> bytes) {
  if (bytes.empty()) return;
  std::vector<char>& content = inode.content;
  Change change{
      .offset = offset, .size_before = content.size(), .overwritten = {}, .bytes = bytes.size()};
  const std::uint64_t end = offset + bytes.size();
  if (offset < content.size()) {
    const auto begin = content.begin() + static_cast<std::ptrdiff_t>(offset);
    const std::uint64_t old_end = std::min<std::uint64_t>(end, content.size());
    change.overwritten.assign(begin, content.begin() + static_cast<std::ptrdiff_t>(old_end));
  }
  if (offset == content.size()) {
    content.insert(content.end(), bytes.begin(), bytes.end());
  } else {
    if (content.size() < end) content.resize(end);
    std::memcpy(content.data() + offset, bytes.data(), bytes.size());
  }
  if (inode.unsynced.size() == kUnsyncedChangesMax) {
    inode.unsynced.erase(inode.unsynced.begin(), inode.unsynced.begin() + kUnsyncedChangesMax / 2);
  }
  inode.unsynced.push_back(std::move(change));
}

void SimulatedDisk::truncate(Inode& inode, std::uint64_t size_bytes) {
  Change change{
      .offset = size_bytes, .size_before = inode.content.size(), .overwritten = {}, .bytes = 0};
  if (size_bytes < inode.content.size()) {
    change.overwritten.assign(inode.content.begin() + static_cast<std::ptrdiff_t>(size_bytes),
                              inode.content.end());
  }
  inode.content.resize(size_bytes);
  inode.unsynced.push_back(std::move(change));
}

void SimulatedDisk::undo(Inode& inode, std::size_t changes_kept) {
  while (inode.unsynced.size() > changes_kept) {
    const Change& change = inode.unsynced.back();
    inode.content.resize(change.size_before);
    std::copy(change.overwritten.begin(), change.overwritten.end(),
              inode.content.begin() + static_cast<std::ptrdiff_t>(change.offset));
    inode.unsynced.pop_back();
  }
}

void SimulatedDisk::end_process() noexcept {
  for (const auto& [name, inode] : names_) inode->locked_by = nullptr;
}

void SimulatedDisk::lose_power() {
  ++boot_;
  remount();
}

void SimulatedDisk::remount() {
  ++mount_;
  is_broken_ = false;
  lose_unsynced();
}

std::unexpected<DiskError> SimulatedDisk::broken(const char* operation, const std::string& path) {
  count(counts_, Fault::Remount);
  return failure(operation, path, EIO);
}

void SimulatedDisk::lose_unsynced() {
  end_process();
  for (auto& [name, inode] : removed_) {
    if (random_.below(2) == 0) names_.emplace(name, std::move(inode));
  }
  removed_.clear();
  for (auto entry = names_.begin(); entry != names_.end();) {
    Inode& inode = *entry->second;
    if (!inode.is_name_synced && random_.below(2) == 0) {
      entry = names_.erase(entry);
      continue;
    }
    if (!inode.unsynced.empty()) {
      const auto kept = static_cast<std::size_t>(random_.below(inode.unsynced.size() + 1));
      if (kept < inode.unsynced.size()) {
        undo(inode, kept + 1);
        const Change torn = inode.unsynced.back();
        const auto part = static_cast<std::size_t>(random_.below(torn.bytes + 1));
        const auto begin = inode.content.begin() + static_cast<std::ptrdiff_t>(torn.offset);
        const std::vector<char> bytes(begin, begin + static_cast<std::ptrdiff_t>(part));
        undo(inode, kept);
        write(inode, torn.offset, bytes);
      }
    }
    inode.unsynced.clear();
    inode.is_name_synced = true;
    ++entry;
  }
}

std::uint64_t SimulatedDisk::used_bytes() const noexcept {
  std::uint64_t sum = 0;
  for (const auto& [name, inode] : names_) sum += inode->content.capacity();
  for (const auto& [name, inode] : removed_) sum += inode->content.capacity();
  return sum;
}

}  // namespace nexusfix::simulator
