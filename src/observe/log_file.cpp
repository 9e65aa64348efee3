#include "observe/log_file.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <span>
#include <utility>

#include "base/api/utc_text.hpp"
#include "observe/log_backups.hpp"

namespace nexusfix::observe {
namespace {

constexpr std::chrono::seconds kLookAgainAfter{1};
constexpr std::string_view kCurrent = ".current.log";

// A clock that was set back makes a check due, too.
bool is_due(WallTime last, WallTime now) noexcept {
  return last == WallTime::min() || now < last || now - last >= kLookAgainAfter;
}

std::chrono::sys_days day_of(WallTime time) noexcept {
  return std::chrono::floor<std::chrono::days>(time);
}

std::string describe(const SessionLogs::Loss& loss, std::string_view what, std::string_view why) {
  std::string to = std::to_string(loss.count);
  to += ' ';
  to += what;
  to += " not logged, from ";
  append_utc(to, loss.first, UtcForm::Fix, kUtcFractionDigitsMax);
  to += " to ";
  append_utc(to, loss.last, UtcForm::Fix, kUtcFractionDigitsMax);
  to += ": ";
  to += why;
  return to;
}

}  // namespace

void append_loss(std::string& to, const SessionLogs::Loss& loss, WallTime now,
                 std::string_view what, std::string_view why) {
  append_utc(to, now, UtcForm::Fix, kUtcFractionDigitsMax);
  to += " LOST : ";
  to += describe(loss, what, why);
  to += '\n';
}

LogFile::LogFile(const LogFileOptions& options, const std::string& name)
    : options_{options}, name_{name}, path_{options.folder + "/" + name + std::string{kCurrent}} {
  if (options_.backup_folder.empty()) options_.backup_folder = options_.folder;
}

void LogFile::change(const LogFileOptions& options) {
  options_ = options;
  if (options_.backup_folder.empty()) options_.backup_folder = options_.folder;
}

DiskResult<void> LogFile::open(Disk& disk, WallTime now) { return open_current(disk, now); }

std::string& LogFile::add_line(WallTime time) {
  if (lines_.empty()) first_ = time;
  last_ = time;
  return lines_;
}

void LogFile::lose(WallTime time, std::string_view why) {
  loss_.add(time);
  loss_cause_ = why;
  ++lost_;
}

std::optional<LogNotice> LogFile::write(Disk& disk, WallTime now) {
  if (failed_at_ && !is_due(*failed_at_, now)) {
    drop_lines();
    return std::nullopt;
  }
  const std::uint64_t unreported = loss_.count;
  if (const auto written = write_out(disk, now); !written) {
    drop_lines();
    loss_cause_ = written.error().what();
    close();
    const bool is_news = !failed_at_;
    failed_at_ = now;
    if (!is_news) return std::nullopt;
    return LogNotice{EventId::LogFileFailed,
                     "a log cannot be written, and its lines are lost until it "
                     "can: " +
                         loss_cause_};
  }
  lines_.clear();
  if (!std::exchange(failed_at_, std::nullopt)) return std::nullopt;
  return LogNotice{EventId::LogFileResumed, "the log " + path_ + " is written again; " +
                                                std::to_string(unreported) +
                                                " of its lines were lost"};
}

void LogFile::finish(Disk& disk, WallTime now) {
  if (lines_.empty() && loss_.count == 0) return;
  failed_at_.reset();
  static_cast<void>(write(disk, now));
}

void LogFile::drop_lines() {
  lines_.erase(0, std::exchange(report_bytes_, 0));
  const auto count = static_cast<std::uint64_t>(std::ranges::count(lines_, '\n'));
  lines_.clear();
  if (count == 0) return;
  loss_.add(first_, count);
  loss_.last = last_;
  lost_ += count;
}

// Written lines are removed from lines_, so that the rest is what was lost. A report of losses is
// written together with the lines after it: a disk with room for one short line only would fill up
// with reports.
DiskResult<void> LogFile::write_out(Disk& disk, WallTime now) {
  if (auto ready = make_ready(disk, now); !ready) return ready;
  if (loss_.count > 0) {
    std::string report;
    const std::string_view what = loss_.count == 1 ? "line was" : "lines were";
    if (options_.event_format == EventFormat::Json) {
      report =
          format_event_as_json({now, EventId::LogLinesLost, {}, describe(loss_, what, loss_cause_)},
                               options_.fraction_digits);
      report += '\n';
    } else {
      append_loss(report, loss_, now, what, loss_cause_);
    }
    lines_.insert(0, report);
    report_bytes_ = report.size();
  }
  while (!lines_.empty()) {
    const std::size_t piece = fitting(lines_);
    if (size_ > 0 && (piece == 0 || (options_.is_daily && day_of(now) != day_))) {
      if (auto rotated = rotate(disk, now); !rotated) return rotated;
      continue;
    }
    if (auto written = write_piece(std::string_view{lines_}.substr(0, piece)); !written) {
      return written;
    }
    lines_.erase(0, piece);
    if (std::exchange(report_bytes_, 0) > 0) loss_ = {};
  }
  return {};
}

// How many bytes of whole lines still fit into the file. A line that is longer than a file may be
// fits only as the first one.
std::size_t LogFile::fitting(std::string_view lines) const noexcept {
  if (options_.bytes_max == 0) return lines.size();
  const std::uint64_t room = options_.bytes_max - std::min(size_, options_.bytes_max);
  if (lines.size() <= room) return lines.size();
  const std::size_t end = lines.substr(0, static_cast<std::size_t>(room)).rfind('\n');
  if (end != std::string_view::npos) return end + 1;
  return size_ == 0 ? lines.find('\n') + 1 : 0;
}

// The remains of a failed write are truncated, so that no line is a mixture of two.
DiskResult<void> LogFile::write_piece(std::string_view piece) {
  std::string whole;
  if (std::exchange(ends_in_line_, false)) {
    whole = "\n";
    piece = whole += piece;
  }
  if (auto written = file_->write_at(size_, piece); !written) {
    static_cast<void>(file_->truncate(size_));
    return written;
  }
  size_ += piece.size();
  return {};
}

// If the path does not exist any more, or is another file, the file was moved or removed; this is
// checked once a second. A file of another size was truncated or written to.
DiskResult<void> LogFile::make_ready(Disk& disk, WallTime now) {
  if (file_ != nullptr) {
    const DiskResult<std::uint64_t> size = file_->size();
    if (!size) return std::unexpected{size.error()};
    bool is_same = *size == size_;
    if (is_same && is_due(checked_at_, now)) {
      checked_at_ = now;
      const auto named = disk.open(path_, OpenMode::ReadRegular);
      const auto its_size = named ? (*named)->size() : DiskResult<std::uint64_t>{size_};
      const bool is_gone =
          !named && (named.error().error_number == ENOENT ||
                     named.error().error_number == ENOTDIR || !named.error().cause.empty());
      is_same = !is_gone && its_size && *its_size == size_;
    }
    if (is_same) return {};
    close();
  }
  return open_current(disk, now);
}

DiskResult<void> LogFile::open_current(Disk& disk, WallTime now) {
  auto opened = disk.open(path_, OpenMode::Create);
  if (!opened && opened.error().error_number == ENOENT) {
    if (auto made = disk.make_directories(options_.folder); !made) return made;
    opened = disk.open(path_, OpenMode::Create);
  }
  if (!opened) return std::unexpected{opened.error()};
  file_ = std::move(*opened);
  checked_at_ = now;
  was_made_ = true;
  if (options_.permissions != 0) {
    if (auto set = file_->set_permissions(options_.permissions); !set) {
      close();
      return set;
    }
  }
  auto read = read_beginning_and_end(now);
  if (!read) close();
  return read;
}

// Every line begins with its date, unless lines have no time.
DiskResult<void> LogFile::read_beginning_and_end(WallTime now) {
  const DiskResult<std::uint64_t> size = file_->size();
  if (!size) return std::unexpected{size.error()};
  size_ = *size;
  day_ = day_of(now);
  ends_in_line_ = false;
  if (size_ == 0) return {};
  char day[8];
  const auto beginning = file_->read_at(0, day);
  if (!beginning) return std::unexpected{beginning.error()};
  unsigned number = 0;
  const auto [stop, error] = std::from_chars(day, day + *beginning, number);
  if (error == std::errc{} && stop == day + sizeof day) {
    const std::chrono::year_month_day date{std::chrono::year{static_cast<int>(number / 10'000)},
                                           std::chrono::month{number / 100 % 100},
                                           std::chrono::day{number % 100}};
    if (date.ok()) day_ = date;
  }
  char last = '\n';
  const auto end = file_->read_at(size_ - 1, std::span{&last, 1});
  if (!end) return std::unexpected{end.error()};
  ends_in_line_ = last != '\n';
  return {};
}

DiskResult<void> LogFile::rotate(Disk& disk, WallTime now) {
  close();
  if (options_.backups_max == 0) {
    if (auto removed = disk.remove(path_); !removed) return removed;
  } else if (auto moved = move_away(disk, options_.backup_folder); !moved) {
    // The backup folder may be on another file system; the log's own folder never is.
    if (options_.backup_folder == options_.folder) return moved;
    if (moved = move_away(disk, options_.folder); !moved) return moved;
  }
  return open_current(disk, now);
}

DiskResult<void> LogFile::move_away(Disk& disk, const std::string& folder) {
  if (auto made = disk.make_directories(folder); !made) return made;
  auto backups = find_backups(disk, folder, name_);
  if (!backups) return std::unexpected{backups.error()};
  const LogBackup made{.number = backups->empty() ? 1 : backups->back().number + 1};
  if (auto moved = disk.rename(path_, backup_path(folder, name_, made)); !moved) return moved;
  ++rotations_;
  backups->push_back(made);
  remove_above(disk, folder, name_, std::move(*backups), options_.backups_max);
  return {};
}

}  // namespace nexusfix::observe
