#include "config/build/log_settings.hpp"

#include <algorithm>
#include <string>

#include <nexusfix/wire/field.hpp>

#include "config/text/settings_values.hpp"

namespace nexusfix::config {
namespace {

constexpr Key kNeedFolder[] = {"FileLogBackupPath",
                               "FileLogHeartbeats",
                               "FileIncludeMilliseconds",
                               "FileIncludeTimeStampForMessages",
                               "LogMaxBytes",
                               "LogKeepFiles",
                               "LogKeepDays",
                               "LogCompress",
                               "LogDaily",
                               "EventLogFormat",
                               "LogFileMode"};

// While less is free on the disk, messages are not logged. Files that may grow without end, or to
// many gigabytes, need no more than the default.
std::uint64_t free_bytes_for(const observe::LogFileOptions& files) {
  constexpr std::uint64_t kFilesThatFit = 4;
  const std::uint64_t most = observe::LogFileOptions{}.free_bytes_min;
  return files.bytes_max == 0 ? most : std::min(kFilesThatFit * files.bytes_max, most);
}

}  // namespace

void LogBuilder::take(const MergedSection& keys, LogSettings& log) {
  if (keys.find("FileLogPath") != nullptr) has_files_ = true;
  for (const Key key : kNeedFolder) {
    if (const Given* given = keys.find(key)) of_files_.try_emplace(key, *given);
  }
  log.files.free_bytes_min = free_bytes_for(log.files);
  if (const Given* folder = keys.valid("FileLogPath")) log.folder_line = folder->line;
  if (const Given* folder = keys.valid("FileLogBackupPath")) log.backup_folder_line = folder->line;
  if (const Given* compress = keys.valid("LogCompress")) log.compress_line = compress->line;
  read_screen(keys, log);
  read_masked(keys, log);
}

void LogBuilder::read_masked(const MergedSection& keys, LogSettings& log) {
  const Given* const given = keys.valid("LogMaskedTags");
  if (given == nullptr) return;
  const wire::DataFieldTable data_fields = wire::DataFieldTable::standard();
  const auto tags = read_tags(given->value);
  for (const std::uint32_t tag : *tags) {
    log.masked.push_back({.tag = tag, .length_tag = data_fields.length_tag_for(tag).value_or(0)});
  }
  if (keys.find("StoreMaskedTags") != nullptr) return;
  report_.warning(given->line,
                  "LogMaskedTags: messages with these tags are not stored: a ResendRequest gets "
                  "a gap fill in their place. StoreMaskedTags=Y stores them, N says that this "
                  "is what is wanted");
}

void LogBuilder::read_screen(const MergedSection& keys, LogSettings& log) {
  const Given* const events = keys.valid("ScreenLogShowEvents");
  if (events == nullptr) return;
  log.has_standard_error = false;
  if (log.screen.has_events || !log.files.folder.empty()) return;
  report_.warning(events->line,
                  "ScreenLogShowEvents: without FileLogPath events are not logged, unless the "
                  "program has an event log of its own");
}

void LogBuilder::finish() {
  if (has_files_) return;
  for (const auto& [key, given] : of_files_) {
    report_.warning(given.line, std::string{key.name()} + ": not used without FileLogPath");
  }
}

}  // namespace nexusfix::config
