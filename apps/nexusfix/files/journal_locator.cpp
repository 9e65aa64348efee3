#include "nexusfix/files/journal_locator.hpp"

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fmt/format.h>
#include <utility>

#include <nexusfix/observe/logs.hpp>

#include "nexusfix/files/settings_loader.hpp"

namespace nexusfix::command {
namespace {

using OpenedStore = std::expected<std::unique_ptr<store::Store>, std::string>;

enum class For : std::uint8_t { Looking, Changing };

// A reader does not skip the sequence numbers that the database may have lost: the next process
// that opens the log for a change finds the loss and skips them.
OpenedStore open_database(const LogPlace& place, store::IfNoLog if_no_log, For purpose,
                          OpenPostgres open_postgres) {
  if (open_postgres == nullptr) {
    return std::unexpected{place.name + std::string{kNoPostgres}};
  }
  store::PostgresOptions options = place.database;
  options.if_no_log = if_no_log;
  options.if_owned = store::IfOwned::Refuse;  // a command is no standby
  options.if_replica = store::IfReplica::Refuse;
  if (purpose == For::Looking) {
    options.note_folder.clear();
    options.standby = store::StandbyPolicy::Ignored;  // an operator looks while it is away
  }
  auto opened = open_postgres(options);
  if (opened) {
    while (const auto event = (*opened)->next_event()) {
      if (observe::severity_of(event->id) == observe::Severity::Info) continue;
      fmt::print(stderr, "nexusfix journal: {}\n", event->text);
    }
    return std::move(*opened);
  }
  std::string text = std::move(opened.error().text);
  if (opened.error().code == store::StoreErrorCode::Locked) {
    text +=
        ". End it first; while it runs, the views session_list, message_list and "
        "number_change_list show the log";
  }
  return std::unexpected{std::move(text)};
}

void tell_what_was_found(const store::JournalReport& report, const std::string& folder) {
  if (report.power_lost) {
    fmt::print(stderr,
               "nexusfix journal: {}: {}; {} bytes that had not reached the disk were cut\n",
               folder, store::describe(report.loss), report.cut_bytes);
  }
  for (const store::SkippedNumbers& skipped : report.skipped) {
    fmt::print(stderr,
               "nexusfix journal: {}: MsgSeqNum {} to {} are skipped: messages may have been sent "
               "under some of them that the journal has lost\n",
               skipped.session, skipped.first, skipped.last);
  }
  if (report.torn_bytes > 0) {
    fmt::print(stderr, "nexusfix journal: {}: the last record was not whole; {} bytes were cut\n",
               folder, report.torn_bytes);
  }
}

// Each loop has its own log, and a command works on one.
std::string one_of_loops(const std::string& path, const config::Settings& settings) {
  std::string text =
      fmt::format("{}: EventLoops={}: each has a journal; name the folder of one: {}", path,
                  settings.event_loops, settings.store_folder);
  for (std::uint32_t loop = 1; loop < settings.event_loops; ++loop) {
    text += fmt::format(", {}/loop-{}", settings.store_folder, loop);
  }
  return text;
}

}  // namespace

std::expected<LogPlace, std::string> find_log(Disk& disk, const std::string& path) {
  if (path.empty()) return std::unexpected{"the name of the journal's folder is empty"};
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) {
    if (path.ends_with(".cfg") && !std::filesystem::exists(path, ignored)) {
      return std::unexpected{path + ": there is no such configuration file"};
    }
    return LogPlace{.name = path, .folder = path, .database = {}};
  }
  auto settings = read_settings(disk, path);
  if (!settings) return std::unexpected{std::move(settings.error())};
  std::vector<std::string> sessions;
  for (const config::SessionSettings& session : settings->sessions) {
    if (!session.is_template) sessions.push_back(session.session.id.to_string());
  }
  switch (settings->store) {
    case config::StoreKind::Journal:
      if (settings->event_loops > 1) return std::unexpected{one_of_loops(path, *settings)};
      return LogPlace{.name = settings->store_folder,
                      .folder = settings->store_folder,
                      .database = {},
                      .sessions = std::move(sessions)};
    case config::StoreKind::PostgreSQL:
      return LogPlace{
          .name = fmt::format("PostgreSQL store {} of {}", settings->postgres.schema, path),
          .folder = {},
          .database = std::move(settings->postgres),
          .sessions = std::move(sessions)};
    case config::StoreKind::Program:
      return std::unexpected{path +
                             ": Store=program: only the program that brings this store can "
                             "read it"};
    case config::StoreKind::Memory:
      break;
  }
  return std::unexpected{path + ": Store=memory: this store keeps nothing after its engine ends"};
}

std::expected<LogView, std::string> look_into(Disk& disk, const LogPlace& place,
                                              OpenPostgres open_postgres) {
  if (!place.is_journal()) {
    auto opened = open_database(place, store::IfNoLog::Refuse, For::Looking, open_postgres);
    if (!opened) return std::unexpected{std::move(opened.error())};
    return LogView{.store = std::move(*opened), .report = {}};
  }
  auto found = store::inspect_journal(disk, place.folder);
  if (!found) return std::unexpected{std::move(found.error().text)};
  return LogView{.store = std::move(found->store), .report = std::move(found->report)};
}

OpenedStore open_to_change(Disk& disk, const LogPlace& place, store::IfNoLog if_no_log,
                           OpenPostgres open_postgres, WallTime now) {
  if (!place.is_journal()) {
    return open_database(place, if_no_log, For::Changing, open_postgres);
  }
  if (if_no_log == store::IfNoLog::Refuse) {
    // Changes nothing: another folder must not become a journal.
    if (const auto found = store::inspect_journal(disk, place.folder); !found) {
      return std::unexpected{found.error().text};
    }
  }
  auto opened = store::open_journal(
      disk, {.folder = place.folder, .durability = store::Durability::Sync}, now);
  if (!opened) return std::unexpected{std::move(opened.error().text)};
  tell_what_was_found(opened->report, place.folder);
  return std::move(opened->store);
}

}  // namespace nexusfix::command
