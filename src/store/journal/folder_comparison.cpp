#include "store/journal/folder_comparison.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "store/api/journal_format.hpp"
#include "store/journal/ownership.hpp"

namespace nexusfix::store {
namespace {

// Whether the path names no file. After any other error that is not known.
bool names_nothing(int error) noexcept {
  return error == ENOENT || error == ENOTDIR || error == ELOOP || error == ESTALE;
}

}  // namespace

void FolderComparison::add_closed(std::uint64_t number, std::uint64_t size_bytes) {
  Segment closed{.number = number, .size_bytes = size_bytes, .status = {}, .file = nullptr};
  if (auto status = disk_.status(path_of_segment(folder_, number))) closed.status = *status;
  segments_.push_back(std::move(closed));
}

void FolderComparison::add_open(Segment segment, std::uint64_t bytes_before) {
  if (!segments_.empty() && segments_.back().file) {
    Segment& before = segments_.back();
    // Beyond what was reserved, the thread may not have written all of it yet.
    before.size_bytes = std::min(before.size_bytes, bytes_before);
    before.file.reset();
  }
  if (const auto status = segment.file->status()) segment.status = *status;
  segments_.push_back(std::move(segment));
}

void FolderComparison::forget_before(std::uint64_t number) {
  std::erase_if(segments_, [&](const Segment& one) { return one.number < number; });
}

std::optional<std::string> FolderComparison::find_conflict() {
  conflicting_segment_ = 0;
  if (owner_ != nullptr) {
    if (auto found = compare(owner_->folder_file(), folder_, 0)) return found;
    if (auto found = compare(owner_->lock_file(), folder_ + "/lock", 0)) return found;
    if (auto found = compare(owner_->owner_file(), folder_ + "/owner", kOwnerBytes)) return found;
  }
  const Segment& last = segments_.back();
  const std::string path = path_of_segment(folder_, last.number);
  if (auto found = compare(last.file.get(), path, last.size_bytes)) return found;
  return find_conflict_in_closed();
}

std::optional<std::string> FolderComparison::find_conflict_in_closed() {
  const std::size_t closed = segments_.size() - 1;
  const std::size_t count = std::min(closed, kComparedMax);
  for (std::size_t i = 0; i < count; ++i) {
    next_compared_ = next_compared_ + 1 < closed ? next_compared_ + 1 : 0;
    const Segment& one = segments_[next_compared_];
    if (!one.status) continue;
    const std::uint64_t number = one.number;
    auto found = compare(*one.status, path_of_segment(folder_, number), one.size_bytes);
    if (!found) continue;
    conflicting_segment_ = number;
    return found;
  }
  return std::nullopt;
}

std::optional<std::string> FolderComparison::compare(File* open, const std::string& path,
                                                     std::uint64_t size_bytes) {
  if (open == nullptr) return std::nullopt;
  const DiskResult<File::Status> status = open->status();
  if (!status) return std::nullopt;  // the disk does not know
  if (status->links == 0) return path + " was removed";
  if (status->size_bytes < size_bytes) {
    return path + " was cut to " + std::to_string(status->size_bytes) + " bytes";
  }
  return compare(*status, path, size_bytes);
}

std::optional<std::string> FolderComparison::compare(const File::Status& open,
                                                     const std::string& path,
                                                     std::uint64_t size_bytes) {
  const DiskResult<File::Status> named = disk_.status(path);
  if (!named) {
    if (!names_nothing(named.error().error_number)) return std::nullopt;
    return path + " is not there any more: it was removed or renamed";
  }
  if (!named->is_same_as(open)) {
    return path + " is another one than is open (inode " + std::to_string(named->inode) +
           " of device " + std::to_string(named->device) + ", open is " +
           std::to_string(open.inode) + " of " + std::to_string(open.device) +
           "): it was replaced or renamed";
  }
  if (named->size_bytes < size_bytes) {
    return path + " was cut to " + std::to_string(named->size_bytes) + " bytes";
  }
  return std::nullopt;
}

}  // namespace nexusfix::store
