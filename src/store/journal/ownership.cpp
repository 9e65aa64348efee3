#include "store/journal/ownership.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <string_view>
#include <utility>

#include "store/recover/recovery.hpp"

namespace nexusfix::store {
namespace {

// "epoch 00000000000000000007 since 1700000000123456789 pid 4711 on host", then spaces: of one
// length, so that a later record covers all of an earlier one, and within one sector.
constexpr std::size_t kRecordBytes = 256;
static_assert(kTailMarkerAt == kRecordBytes);
constexpr std::string_view kEpochWord = "epoch ";
constexpr std::size_t kEpochDigits = 20;

std::string lock_path(const std::string& folder) { return folder + "/lock"; }
std::string owner_path(const std::string& folder) { return folder + "/owner"; }

std::string record_of(std::uint64_t epoch, WallTime now, const std::string& user) {
  std::string digits = std::to_string(epoch);
  digits.insert(0, kEpochDigits - digits.size(), '0');
  std::string record{kEpochWord};
  record += digits + " since " + std::to_string(now.time_since_epoch().count()) + ' ' + user;
  record.resize(kRecordBytes - 1, ' ');
  return record + '\n';
}

StoreResult<std::string> read_record(const std::string& folder, File& file) {
  std::array<char, kRecordBytes> bytes{};
  const DiskResult<std::size_t> got = file.read_at(0, bytes);
  if (!got) return std::unexpected{disk_error(folder, got.error())};
  return std::string{bytes.data(), *got};
}

// 0: none, or not readable: then the time and the process id tell two owners apart.
std::uint64_t epoch_of(std::string_view record) {
  if (!record.starts_with(kEpochWord) || record.size() < kEpochWord.size() + kEpochDigits) return 0;
  std::uint64_t epoch = 0;
  const char* begin = record.data() + kEpochWord.size();
  const auto [end, error] = std::from_chars(begin, begin + kEpochDigits, epoch);
  return error == std::errc{} && end == begin + kEpochDigits ? epoch : 0;
}

// "pid 4711 on host"; empty if there is none.
std::string user_of(std::string_view record) {
  const std::size_t at = record.find("pid ");
  if (at == std::string_view::npos) return {};
  std::string_view user = record.substr(at);
  user = user.substr(0, user.find_last_not_of(" \n") + 1);
  const bool printable =
      std::all_of(user.begin(), user.end(), [](char c) { return c >= ' ' && c <= '~'; });
  return printable ? std::string{user} : std::string{};
}

std::string holder(Disk& disk, const std::string& folder) {
  const auto file = disk.open(owner_path(folder), OpenMode::Read);
  if (!file) return {};
  const auto record = read_record(folder, **file);
  return record ? user_of(*record) : std::string{};
}

// The folder's name lock. A running process keeps it when the folder is renamed or removed: the
// folder that has the name now is not the one that the process writes to.
std::unexpected<StoreError> held_by_name(const std::string& folder) {
  return std::unexpected{
      StoreError{.code = StoreErrorCode::Locked,
                 .text = "journal " + folder +
                         ": another process has a journal of this name open, whose folder was "
                         "renamed, removed or replaced while it ran. Stop that process, and put "
                         "its folder back before anything is started here"}};
}

std::unexpected<StoreError> held(Disk& disk, const std::string& folder, const std::string& lock) {
  const std::string user = holder(disk, folder);
  return std::unexpected{
      StoreError{.code = StoreErrorCode::Locked,
                 .text = "journal " + folder + ": another process has it open (" +
                         (user.empty() ? std::string{} : user + "; ") + lock +
                         " is locked). Stop that process, or give this one a folder of its own"}};
}

}  // namespace

StoreResult<Ownership> Ownership::take(Disk& disk, const std::string& folder, WallTime now) {
  const auto failure = [&](const DiskError& error) {
    return std::unexpected{disk_error(folder, error)};
  };
  Ownership taken;
  taken.folder_ = folder;
  // The folder itself first: a user who removes the files in it leaves that lock in place.
  auto folder_lock = disk.try_lock_directory(folder);
  if (!folder_lock && folder_lock.error().error_number != EOPNOTSUPP) {
    return failure(folder_lock.error());
  }
  if (folder_lock && *folder_lock == nullptr) return held(disk, folder, folder);
  if (folder_lock) taken.folder_lock_ = std::move(*folder_lock);
  auto name_lock = disk.try_lock_name(folder);
  if (!name_lock && name_lock.error().error_number != EOPNOTSUPP) return failure(name_lock.error());
  if (name_lock && *name_lock == nullptr) return held_by_name(folder);
  if (name_lock) taken.name_lock_ = std::move(*name_lock);
  auto lock = disk.open(lock_path(folder), OpenMode::Create);
  if (!lock) return failure(lock.error());
  const DiskResult<bool> locked = (*lock)->try_lock();
  if (!locked) return failure(locked.error());
  if (!*locked) return held(disk, folder, lock_path(folder));
  taken.lock_ = std::move(*lock);
  auto owner = disk.open(owner_path(folder), OpenMode::Create);
  if (!owner) return failure(owner.error());
  const StoreResult<std::string> before = read_record(folder, **owner);
  if (!before) return std::unexpected{before.error()};
  taken.owner_ = std::move(*owner);
  // Written at its full size at once: a mapped file must not move, and markers need no space later.
  const DiskResult<std::uint64_t> size = taken.owner_->size();
  if (!size) return failure(size.error());
  if (*size < kOwnerBytes) {
    const std::string zeros(kOwnerBytes - *size, '\0');
    if (auto grown = taken.owner_->write_at(*size, zeros); !grown) return failure(grown.error());
  }
  if (auto written = taken.write_record(epoch_of(*before) + 1, disk, now); !written) {
    return std::unexpected{std::move(written.error())};
  }
  if (auto mapped = taken.owner_->map(kRecordBytes); mapped) {
    taken.mapping_ = std::move(*mapped);
    taken.shared_ = taken.mapping_->bytes().data();
  }
  return taken;
}

StoreResult<void> Ownership::raise_epoch_above(std::uint64_t epoch, Disk& disk, WallTime now) {
  if (epoch_ > epoch) return {};
  return write_record(epoch + 1, disk, now);
}

StoreResult<void> Ownership::write_record(std::uint64_t epoch, Disk& disk, WallTime now) {
  epoch_ = epoch;
  record_ = record_of(epoch, now, disk.user());
  if (auto written = owner_->write_at(0, record_); !written) {
    return std::unexpected{disk_error(folder_, written.error())};
  }
  if (auto synced = owner_->sync(); !synced) {
    return std::unexpected{disk_error(folder_, synced.error())};
  }
  std::copy_n(record_.begin(), kCompared, expected_.begin());
  return {};
}

StoreResult<void> Ownership::check_by_reading() const {
  if (mapping_ != nullptr) return {};
  std::array<char, kCompared> bytes{};
  const DiskResult<std::size_t> got = owner_->read_at(0, bytes);
  if (!got) return std::unexpected{disk_error(folder_, got.error())};
  if (std::string_view{bytes.data(), *got} == std::string_view{record_}.substr(0, kCompared)) {
    return {};
  }
  return std::unexpected{takeover_error()};
}

DiskResult<void> Ownership::write_tail_marker(const TailMarker& marker) const {
  return write_part(kTailMarkerAt, encode_tail_marker(marker));
}

DiskResult<void> Ownership::erase_tail_marker() const {
  return write_part(kTailMarkerAt, std::string(kTailMarkerBytes, '\0'));
}

DiskResult<void> Ownership::record_identity() const {
  const DiskResult<File::Status> status = owner_->status();
  if (!status) return {};
  const std::string text = encode_owner_identity(identity_of(*status));
  std::string found(text.size(), '\0');
  const DiskResult<std::size_t> got = owner_->read_at(kOwnerIdentityAt, found);
  if (got && *got == found.size() && found == text) return {};
  return write_part(kOwnerIdentityAt, text);
}

bool Ownership::is_in_place(Disk& disk) const {
  if (folder_lock_ == nullptr) return true;
  const DiskResult<File::Status> open = folder_lock_->status();
  if (!open) return true;
  const DiskResult<File::Status> named = disk.status(folder_);
  return named && named->is_same_as(*open);
}

DiskResult<void> Ownership::write_part(std::size_t at, const std::string& text) const {
  if (auto written = owner_->write_at(at, text); !written) return written;
  return owner_->sync();
}

StoreError Ownership::takeover_error() const {
  const StoreResult<std::string> found = read_record(folder_, *owner_);
  const std::string user = found ? user_of(*found) : std::string{};
  return {.code = StoreErrorCode::Locked,
          .text = "journal " + folder_ + ": another process (" +
                  (user.empty() ? std::string{"not known"} : user) +
                  ") has taken it over, as the file owner says. Nothing is written any more; only "
                  "one of the two may go on"};
}

std::optional<std::uint64_t> read_owner_epoch(Disk& disk, const std::string& folder) {
  const auto file = disk.open(owner_path(folder), OpenMode::Read);
  if (!file && file.error().error_number == ENOENT) return 0;
  if (!file) return std::nullopt;
  const auto record = read_record(folder, **file);
  return record ? std::optional{epoch_of(*record)} : std::nullopt;
}

bool is_in_use(Disk& disk, const std::string& folder) {
  if (const auto own = disk.try_lock_directory(folder); own && *own == nullptr) return true;
  const auto lock = disk.open(lock_path(folder), OpenMode::Read);
  if (!lock) return false;  // a copy without one, or a file that we may not open
  const DiskResult<bool> taken = (*lock)->try_lock();
  return taken && !*taken;
}

}  // namespace nexusfix::store
