#include "config/build/store_settings.hpp"

#include <algorithm>
#include <chrono>
#include <string>

namespace nexusfix::config {
namespace {

constexpr const char* kFolderUnlessGiven = "store";  // as `nexusfix config new` writes it

// In QuickFIX/Go, and with a database in other engines, the program chooses the store, so their
// files name no folder. A store that forgets sequence numbers would fail at the counterparty.
void build_folder(Settings& settings, const SharedKeys& keys, std::size_t first_session_line,
                  FolderMeant meant, SettingsReport& report) {
  if (const Given* folder = keys.find("FileStorePath")) {
    settings.store_folder = folder->value;
    settings.store_folder_line = folder->line;
    return;
  }
  const bool is_journal = settings.store == StoreKind::Journal;
  const bool has_position =
      settings.store == StoreKind::PostgreSQL && !keys.says_no("PostgreSQLStoreKeepPosition");
  if (!is_journal && !has_position) return;
  const std::string missing = "[SESSION]: FileStorePath is missing: ";
  const std::string what = is_journal ? "the journal" : "the note of what the database confirmed";
  const std::string without =
      is_journal ? ". Store=memory does without, and forgets everything at the end"
                 : ". PostgreSQLStoreKeepPosition=N does without, and a start does not find what "
                   "the database has lost";
  if (meant == FolderMeant::Lost) {
    report.error(first_session_line, missing + "the folder of " + what + without);
    return;
  }
  settings.store_folder = kFolderUnlessGiven;
  settings.store_folder_line = first_session_line;
  report.warning(first_session_line, missing + what + " is kept in the folder " +
                                         settings.store_folder + " of the working directory" +
                                         without);
}

// Once for each line: many sessions have it from [DEFAULT].
void check_inbound(const Settings& settings, SettingsReport& report) {
  if (settings.store == StoreKind::Journal || settings.store == StoreKind::PostgreSQL) return;
  std::size_t reported = 0;
  for (const SessionSettings& session : settings.sessions) {
    if (!session.journals_inbound || session.journals_inbound_line == reported) continue;
    reported = session.journals_inbound_line;
    report.error(reported, "JournalInbound=Y: Store=journal or Store=postgresql was expected");
  }
}

void check_journal_keys(const Settings& settings, const SharedKeys& keys, SettingsReport& report) {
  constexpr Key kOfJournal[] = {"JournalDurability", "FileStoreSync", "JournalKeepBytes",
                                "JournalKeepDays"};
  if (settings.store == StoreKind::Memory) {
    for (const Key key : kOfJournal) {
      const Given* const given = keys.find(key);
      if (given == nullptr) continue;
      report.warning(given->line, std::string{key.name()} + ": not used with Store=memory");
    }
    return;
  }
  const Given* const sync = keys.find("FileStoreSync");
  const Given* const durability = keys.find("JournalDurability");
  if (sync == nullptr || durability == nullptr || keys.says_no("FileStoreSync") ||
      settings.durability == store::Durability::Sync) {
    return;
  }
  report.warning(sync->line, "FileStoreSync=Y: not used; line " + std::to_string(durability->line) +
                                 " says JournalDurability=" + std::string{durability->value});
}

// Two engines of QuickFIX share a store in this way, one of them as a standby.
void build_standby(Settings& settings, const SharedKeys& keys, SettingsReport& report) {
  const Given* const refreshes = keys.find("RefreshOnLogon");
  if (refreshes == nullptr || keys.says_no("RefreshOnLogon")) return;
  if (settings.store != StoreKind::PostgreSQL) {
    report.warning(refreshes->line,
                   "RefreshOnLogon is not honoured: the store is read at start-up only; while it "
                   "is open no other process can write it. With Store=postgresql, this engine "
                   "waits as a standby");
  } else if (keys.find("PostgreSQLStoreIfOwned") == nullptr) {
    settings.postgres.if_owned = store::IfOwned::Wait;
  }
}

}  // namespace

void require_standby(Settings& settings, const SharedKeys& keys) {
  if (keys.find("PostgreSQLStoreStandby") != nullptr) return;
  settings.postgres.standby = store::StandbyPolicy::Strict;
}

void build_store(Settings& settings, const SharedKeys& keys, std::size_t first_session_line,
                 FolderMeant meant, SettingsReport& report) {
  build_folder(settings, keys, first_session_line, meant, report);
  check_inbound(settings, report);
  build_standby(settings, keys, report);
  check_journal_keys(settings, keys, report);
  if (settings.postgres.if_owned == store::IfOwned::Wait) require_standby(settings, keys);
  const store::Retention& retention = settings.journal_retention;
  if (retention.even_current && retention.keep_bytes == 0 && retention.keep_for.count() == 0) {
    report.warning(keys.find("JournalRetireCurrent")->line,
                   "JournalRetireCurrent: without JournalKeepBytes or JournalKeepDays it does "
                   "nothing");
  }
  // A lost server must be noticed while the store may still connect again.
  settings.postgres.answer_timeout = std::min<std::chrono::milliseconds>(
      settings.postgres.outage_max / 3, std::chrono::seconds{10});
  // As QuickFIX writes "the usual one".
  if (settings.postgres.port == "0") settings.postgres.port.clear();
  if (settings.store == StoreKind::PostgreSQL && !keys.says_no("PostgreSQLStoreKeepPosition")) {
    settings.postgres.note_folder = settings.store_folder;
  }
}

}  // namespace nexusfix::config
