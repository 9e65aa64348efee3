// One log file of a session: its name, its rotation, and how it survives a disk that fails.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/disk.hpp>

#include "observe/api/session_logs.hpp"

namespace nexusfix::observe {

// "20240115-10:30:00.123456789 LOST : 3 messages ... from ... to ...: why", and a line feed.
void append_loss(std::string& to, const SessionLogs::Loss& loss, WallTime now,
                 std::string_view what, std::string_view why);

// Collects lines and writes them together. One thread.
class LogFile {
 public:
  // name: "FIX.4.4-VENUE-TRADER.messages"
  LogFile(const LogFileOptions& options, const std::string& name);

  // The options of a session that was added again. The file's name stays the same.
  void change(const LogFileOptions& options);

  // Makes the file and its folder. An error names what could not be made. Without this call the
  // first write opens the file.
  [[nodiscard]] DiskResult<void> open(Disk& disk, WallTime now);

  // Append one whole line to the result.
  [[nodiscard]] std::string& add_line(WallTime time);
  // Counts a line that was not logged.
  void lose(WallTime time, std::string_view why);
  [[nodiscard]] bool has_lines() const noexcept { return !lines_.empty(); }
  // The memory for lines is lent only while there are lines: most files have none.
  void lend(std::string memory) noexcept { lines_ = std::move(memory); }
  [[nodiscard]] std::string give_back() noexcept { return std::exchange(lines_, {}); }

  // Writes the collected lines, after a report of earlier losses. After a failure the file is tried
  // again a second later, and until then its lines are lost. The result reports when that begins
  // and ends.
  [[nodiscard]] std::optional<LogNotice> write(Disk& disk, WallTime now);
  // write() at the end: at any time, and even if there are only losses to report.
  void finish(Disk& disk, WallTime now);

  // The collected lines are lost.
  void drop_lines();

  // The next write opens the file by its name.
  void close() noexcept { file_.reset(); }
  [[nodiscard]] bool is_open() const noexcept { return file_ != nullptr; }
  // At least once.
  [[nodiscard]] bool was_made() const noexcept { return was_made_; }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  // Lines that could not be written, since the start.
  [[nodiscard]] std::uint64_t lost() const noexcept { return lost_; }
  // How often the file became a backup, since the start.
  [[nodiscard]] std::uint64_t rotations() const noexcept { return rotations_; }

 private:
  [[nodiscard]] DiskResult<void> write_out(Disk& disk, WallTime now);
  [[nodiscard]] DiskResult<void> make_ready(Disk& disk, WallTime now);
  [[nodiscard]] DiskResult<void> open_current(Disk& disk, WallTime now);
  [[nodiscard]] DiskResult<void> read_beginning_and_end(WallTime now);
  [[nodiscard]] DiskResult<void> write_piece(std::string_view piece);
  [[nodiscard]] std::size_t fitting(std::string_view lines) const noexcept;
  [[nodiscard]] DiskResult<void> rotate(Disk& disk, WallTime now);
  [[nodiscard]] DiskResult<void> move_away(Disk& disk, const std::string& folder);

  LogFileOptions options_;
  std::string name_;
  std::string path_;
  std::unique_ptr<File> file_;
  std::uint64_t size_ = 0;
  std::chrono::sys_days day_{};  // the day of its lines
  bool ends_in_line_ = false;    // the process was killed during a write
  bool was_made_ = false;
  WallTime checked_at_ = WallTime::min();

  std::string lines_;
  WallTime first_{};  // of lines_
  WallTime last_{};

  SessionLogs::Loss loss_;  // not reported yet
  std::string loss_cause_;
  std::size_t report_bytes_ = 0;  // the size of the report of loss_ at the beginning of lines_
  std::uint64_t lost_ = 0;
  std::uint64_t rotations_ = 0;
  std::optional<WallTime> failed_at_;
};

}  // namespace nexusfix::observe
