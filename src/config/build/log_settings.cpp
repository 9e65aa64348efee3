#include "config/build/log_settings.hpp"

#include <bit>
#include <string>

#include <nexusfix/wire/data_fields.hpp>

#include "config/text/settings_values.hpp"

namespace nexusfix::config {
namespace {

constexpr Key kOfFiles[] = {Key::FileLogBackupPath,
                            Key::FileLogHeartbeats,
                            Key::FileIncludeMilliseconds,
                            Key::FileIncludeTimeStampForMessages,
                            Key::LogTimestampPrecision,
                            Key::LogMaxBytes,
                            Key::LogKeepFiles,
                            Key::LogDaily,
                            Key::EventLogFormat,
                            Key::LogFileMode,
                            Key::LogMinFreeBytes};
constexpr Key kShared[] = {Key::LogQueueBytes, Key::LogMessageWhenSessionNotFound};

constexpr unsigned kMilliseconds = 3;

void read_bytes(const MergedSection& keys, Key key, std::uint64_t& target) {
  if (const Given* given = keys.right(key)) target = *read_number(given->value);
}

}  // namespace

void LogBuilder::take(const MergedSection& keys, SessionSettings& session) {
  take_files(keys, session.log);
  take_screen(keys, session.log);
  take_shared(keys);
  keys.read_into(Key::StoreMaskedTags, session.log.stores_masked);
  if (const Given* given = keys.right(Key::LogMaskedTags)) {
    const wire::DataFieldTable data_fields = wire::DataFieldTable::standard();
    const auto tags = read_tags(given->value);
    for (const std::uint32_t tag : *tags) {
      session.log.masked.push_back(
          {.tag = tag, .length_tag = data_fields.length_tag_for(tag).value_or(0)});
    }
    if (!keys.find(Key::StoreMaskedTags)) {
      report_.warning(
          given->line,
          "LogMaskedTags: messages with these tags are not stored: a ResendRequest gets "
          "a gap fill in their place. StoreMaskedTags=Y stores them, N says that this "
          "is what is wanted");
    }
  }
}

void LogBuilder::take_files(const MergedSection& keys, LogSettings& log) {
  observe::LogFileOptions& files = log.files;
  if (keys.find(Key::FileLogPath)) has_files_ = true;
  for (const Key key : kOfFiles) {
    auto& first = of_files_[static_cast<std::size_t>(key)];
    if (!first) first = keys.find(key);
  }
  keys.read_into(Key::FileLogPath, files.folder);
  keys.read_into(Key::FileLogBackupPath, files.backup_folder);
  if (const Given* given = keys.right(Key::FileLogPath)) log.folder_line = given->line;
  if (const Given* given = keys.right(Key::FileLogBackupPath)) {
    log.backup_folder_line = given->line;
  }
  keys.read_into(Key::FileLogHeartbeats, files.has_heartbeats);
  keys.read_into(Key::FileIncludeTimeStampForMessages, files.has_message_times);
  keys.read_into(Key::LogDaily, files.is_daily);
  keys.read_into(Key::LogKeepFiles, files.backups_max);
  if (const Given* format = keys.right(Key::EventLogFormat)) {
    files.event_format = *read_event_format(format->value);
  }
  if (const Given* mode = keys.right(Key::LogFileMode)) {
    files.permissions = *read_file_mode(mode->value);
  }
  read_bytes(keys, Key::LogMaxBytes, files.bytes_max);
  read_bytes(keys, Key::LogMinFreeBytes, files.free_bytes_min);
  if (const Given* precision = keys.right(Key::LogTimestampPrecision)) {
    files.fraction_digits = *read_precision(precision->value);
  } else if (const Given* milliseconds = keys.right(Key::FileIncludeMilliseconds)) {
    files.fraction_digits = *read_bool(milliseconds->value) ? kMilliseconds : 0;
  }
}

void LogBuilder::take_screen(const MergedSection& keys, LogSettings& log) {
  observe::ScreenLogOptions& screen = log.screen;
  keys.read_into(Key::ScreenLogShowIncoming, screen.has_incoming);
  keys.read_into(Key::ScreenLogShowOutgoing, screen.has_outgoing);
  keys.read_into(Key::ScreenLogShowHeartBeats, screen.has_heartbeats);
  bool has_milliseconds = true;
  keys.read_into(Key::ScreenIncludeMilliseconds, has_milliseconds);
  screen.fraction_digits = has_milliseconds ? kMilliseconds : 0;
  const Given* events = keys.right(Key::ScreenLogShowEvents);
  if (events == nullptr) return;
  screen.has_events = *read_bool(events->value);
  log.has_standard_error = false;
  if (!screen.has_events && log.files.folder.empty()) {
    report_.warning(events->line,
                    "ScreenLogShowEvents: without FileLogPath nobody sees events, unless the "
                    "program has an event log of its own");
  }
}

// One queue and one GLOBAL log belong to all sessions.
void LogBuilder::take_shared(const MergedSection& keys) {
  for (const Key key : kShared) {
    const Given* given = keys.right(key);
    if (given == nullptr) continue;
    std::optional<Given>& first = shared_[static_cast<std::size_t>(key)];
    if (!first) first = *given;
    if (first->value != given->value) {
      report_.warning(given->line, std::string{key_name(key)} +
                                       ": not used; all sessions share what line " +
                                       std::to_string(first->line) + " says");
    }
  }
}

void LogBuilder::finish() {
  if (const auto& bytes = shared_[static_cast<std::size_t>(Key::LogQueueBytes)]) {
    settings_.log_queue_bytes = std::bit_ceil(*read_number(bytes->value));
  }
  if (const auto& unknown = shared_[static_cast<std::size_t>(Key::LogMessageWhenSessionNotFound)]) {
    settings_.logs_unknown_sessions = *read_bool(unknown->value);
  }
  if (has_files_) return;
  for (const Key key : kOfFiles) {
    if (const auto& given = of_files_[static_cast<std::size_t>(key)]) {
      report_.warning(given->line, std::string{key_name(key)} + ": not used without FileLogPath");
    }
  }
}

}  // namespace nexusfix::config
