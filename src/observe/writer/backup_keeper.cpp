#include "observe/writer/backup_keeper.hpp"

#include <cerrno>
#include <sys/resource.h>
#include <unistd.h>
#include <utility>

#include <nexusfix/deferred.hpp>

namespace nexusfix::observe {
namespace {

constexpr int kLowestPriority = 19;

}  // namespace

BackupKeeper::BackupKeeper(Disk& disk, LogNotices& notices, const LogCompressionPart* compression)
    : disk_{disk}, notices_{notices}, compression_{compression} {}

BackupKeeper::~BackupKeeper() = default;

// Also files of an earlier run that was interrupted are found: with the first new day, which is the
// time of the first line.
void BackupKeeper::watch(const LogFileOptions& options, const std::string& name) {
  const bool is_packed = options.is_compressed && compression_ != nullptr;
  const std::lock_guard lock{mutex_};
  for (const std::string* folder : {&options.folder, &options.backup_folder}) {
    if (folder->empty()) continue;
    const std::pair key{*folder, name};
    if (!is_packed && !kept_.contains(key)) remove_parts(disk_, *folder, name);
    if (!is_packed && options.keep_for.count() == 0) {
      kept_.erase(key);
      continue;
    }
    kept_[key] = {*folder, name, options.keep_for, options.permissions, is_packed};
  }
}

void BackupKeeper::on_new_day(WallTime now) {
  day_ = std::chrono::floor<std::chrono::days>(now);
  request(now);
}

void BackupKeeper::on_rotated(WallTime now) { request(now); }

void BackupKeeper::request(WallTime now) {
  std::unique_lock lock{mutex_};
  if (kept_.empty()) return;
  if (!disk_.takes_threads()) {
    std::vector<Kept> all;
    all.reserve(kept_.size());
    for (const auto& [key, one] : kept_) all.push_back(one);
    lock.unlock();
    return keep_all(all, now, {});
  }
  wanted_at_ = now;
  if (thread_.joinable()) return wake_.notify_one();
  // Without a thread, the next request tries again.
  const auto start = [this] {
    thread_ = std::jthread{[this](const std::stop_token& stop) { run(stop); }};
  };
  static_cast<void>(deferred::detail::returns_normally(start));
}

void BackupKeeper::run(const std::stop_token& stop) {
  // This thread only. If it is refused, the thread works with the usual priority.
  static_cast<void>(::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), kLowestPriority));
  for (;;) {
    std::vector<Kept> all;
    WallTime now{};
    {
      std::unique_lock lock{mutex_};
      if (!wake_.wait(lock, stop, [this] { return wanted_at_.has_value(); })) return;
      now = *std::exchange(wanted_at_, std::nullopt);
      for (const auto& [key, one] : kept_) all.push_back(one);
    }
    keep_all(all, now, stop);
  }
}

// Without memory the next request tries again.
void BackupKeeper::keep_all(const std::vector<Kept>& all, WallTime now,
                            const std::stop_token& stop) {
  for (const Kept& one : all) {
    if (stop.stop_requested()) return;
    static_cast<void>(deferred::detail::returns_normally([&] { keep(one, now, stop); }));
  }
}

void BackupKeeper::keep(const Kept& one, WallTime now, const std::stop_token& stop) {
  remove_parts(disk_, one.folder, one.name);
  auto backups = find_backups(disk_, one.folder, one.name);
  if (!backups) return;  // the folder is not there: the log writer reports it
  remove_old(one, *backups, now);
  if (!one.is_packed) return;
  for (const LogBackup& backup : *backups) {
    if (backup.is_packed) continue;
    const DiskResult<void> packed = pack(one, backup, stop);
    report(packed);
    if (!packed || stop.stop_requested()) return;
  }
}

void BackupKeeper::remove_old(const Kept& one, std::vector<LogBackup>& backups, WallTime now) {
  if (one.keep_for.count() == 0) return;
  std::erase_if(backups, [&](const LogBackup& backup) {
    const std::string path = backup_path(one.folder, one.name, backup);
    const auto written = disk_.written_at(path);
    return written && *written < now - one.keep_for && disk_.remove(path).has_value();
  });
}

// The packed file gets its name when it is complete and on the disk, and only then the other one is
// removed: whatever happens in between, the lines are in at least one of them.
DiskResult<void> BackupKeeper::pack(const Kept& one, const LogBackup& backup,
                                    const std::stop_token& stop) {
  const std::string from = backup_path(one.folder, one.name, backup);
  const std::string to =
      backup_path(one.folder, one.name, {.number = backup.number, .is_packed = true});
  const std::string part = to + std::string{kPartSuffix};
  const DiskResult<bool> packed =
      compression_->pack(disk_, from, part, [&] { return !stop.stop_requested(); });
  if (!packed || !*packed) {
    static_cast<void>(disk_.remove(part));
    if (!packed && packed.error().error_number == ENOENT) return {};  // removed as too old
    return packed ? DiskResult<void>{} : std::unexpected{packed.error()};
  }
  if (auto allowed = set_permissions(part, one.permissions); !allowed) return allowed;
  if (auto renamed = disk_.rename(part, to); !renamed) return renamed;
  if (auto synced = disk_.sync_directory(one.folder); !synced) return synced;
  return disk_.remove(from);
}

DiskResult<void> BackupKeeper::set_permissions(const std::string& path, unsigned bits) {
  if (bits == 0) return {};
  const auto file = disk_.open(path, OpenMode::ReadWrite);
  if (!file) return std::unexpected{file.error()};
  return (*file)->set_permissions(bits);
}

void BackupKeeper::report(const DiskResult<void>& result) {
  if (result) {
    has_failed_ = false;
  } else if (!std::exchange(has_failed_, true)) {
    notices_.post(
        {EventId::LogNotPacked, "a backup of a log cannot be packed and stays as it is: " +
                                    result.error().what() + ". The next rotation tries again"});
  }
}

}  // namespace nexusfix::observe
