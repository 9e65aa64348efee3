// Where the messages and events of a session are logged, and in which form.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/base/language.hpp>
#include <nexusfix/observe/event_log.hpp>
#include <nexusfix/observe/message_log.hpp>

namespace nexusfix::observe {

// The log files of a session.
struct LogFileOptions {
  std::string folder{};         // FileLogPath; empty: no files
  std::string backup_folder{};  // FileLogBackupPath; empty: the folder
  // LogMaxBytes: a file that would become longer becomes a numbered backup, and a new file begins;
  // 0: never.
  std::uint64_t bytes_max = 64U << 20U;
  std::uint32_t backups_max = 10;  // LogKeepFiles: of each file; older backups are removed
  // LogKeepDays: a backup that was written this number of days ago is removed, besides those above
  // backups_max; 0: never. A disk that does not know when a file was written keeps it.
  std::chrono::days keep_for{0};
  bool is_compressed = false;     // LogCompress: backups are packed with zstd
  bool is_daily = false;          // a new file begins with each day, too; UTC
  bool has_heartbeats = true;     // whether Heartbeats are logged
  bool has_message_times = true;  // FileIncludeTimeStampForMessages: a time before each message
  EventFormat event_format = EventFormat::Text;  // the form of the lines of events
  unsigned fraction_digits = 9;                  // of the seconds in times; 0 to 9
  // The mode of the files, whatever the umask of the process is: 0640, for example. 0: new files
  // get mode 0600, and existing files keep their mode.
  unsigned permissions = 0;
  // While fewer bytes are free on the disk, messages are not logged, so that logs never fill it. In
  // a file 4 × LogMaxBytes, at most 256 MiB.
  std::uint64_t free_bytes_min = 256U << 20U;
  // Whether every option is equal.
  [[nodiscard]] bool operator==(const LogFileOptions&) const = default;
};

// What a session logs on the screen (standard output).
struct ScreenLogOptions {
  bool has_incoming = false;     // received messages
  bool has_outgoing = false;     // sent messages
  bool has_events = false;       // events
  bool has_heartbeats = true;    // Heartbeats among the messages
  unsigned fraction_digits = 3;  // of the seconds in times; 0 to 9
  // Whether every option is equal.
  [[nodiscard]] bool operator==(const ScreenLogOptions&) const = default;
};

// Packs the backups of log files with zstd (LogCompress=Y). Link the part of that name.
//
//   engine::EngineOptions options;
//   options.parts.log_compression = observe::log_compression_part();

// The part for LogCompress. Members may be called by any thread.
struct LogCompressionPart {
  // Writes `to` as a zstd frame with a checksum, with all bytes of `from`, and syncs it. Replaces
  // an existing file. goes_on: asked for each MiB; false: `to` stays unfinished, and the result is
  // false. Needs about 4 MiB of memory for any size; blocks on the disk.
  DiskResult<bool> (*pack)(Disk& disk, const std::string& from, const std::string& to,
                           FunctionRef<bool()> goes_on);
};

// The part: EngineOptions::parts. Never null; static lifetime.
[[nodiscard]] const LogCompressionPart* log_compression_part() noexcept;

}  // namespace nexusfix::observe
