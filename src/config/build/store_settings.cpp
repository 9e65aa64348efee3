#include "config/build/store_settings.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>

#include "config/text/settings_values.hpp"

namespace nexusfix::config {
namespace {

constexpr Key kShared[] = {Key::Store,
                           Key::FileStoreSync,
                           Key::JournalDurability,
                           Key::JournalGroupMicros,
                           Key::JournalNumbersAhead,
                           Key::JournalStallTimeout,
                           Key::JournalScrubBytesPerSecond,
                           Key::JournalKeepBytes,
                           Key::JournalKeepDays,
                           Key::JournalRetireOnReset,
                           Key::JournalRetireCurrent,
                           Key::JournalRetired};

constexpr const char* kFolderUnlessGiven = "store";  // as `nexusfix config new` writes it

struct PostgresKey {
  Key key;
  std::string store::PostgresOptions::* option;
};
constexpr PostgresKey kPostgresTexts[] = {
    {Key::PostgreSQLStoreConnection, &store::PostgresOptions::connection},
    {Key::PostgreSQLStoreHost, &store::PostgresOptions::host},
    {Key::PostgreSQLStorePort, &store::PostgresOptions::port},
    {Key::PostgreSQLStoreDatabase, &store::PostgresOptions::database},
    {Key::PostgreSQLStoreUser, &store::PostgresOptions::user},
    {Key::PostgreSQLStorePassword, &store::PostgresOptions::password},
    {Key::PostgreSQLStoreSchema, &store::PostgresOptions::schema},
};
// The others, which finish_postgres() takes one by one.
constexpr Key kPostgresKeys[] = {Key::PostgreSQLStoreStandby, Key::PostgreSQLStoreKeepPosition};

struct PostgresTime {
  Key key;
  std::chrono::milliseconds store::PostgresOptions::* option;
};
constexpr PostgresTime kPostgresTimes[] = {
    {Key::PostgreSQLStoreConnectTimeout, &store::PostgresOptions::connect_timeout},
    {Key::PostgreSQLStoreAnswerTimeout, &store::PostgresOptions::answer_timeout},
    {Key::PostgreSQLStoreOutageTimeout, &store::PostgresOptions::outage_max},
    {Key::PostgreSQLStoreLockTimeout, &store::PostgresOptions::lock_wait},
    {Key::PostgreSQLStorePeerTimeout, &store::PostgresOptions::peer_timeout},
};

}  // namespace

void StoreBuilder::take(const MergedSection& session) {
  for (const Key key : kShared) take_shared(key, session.find(key));
  for (const PostgresKey& one : kPostgresTexts) take_shared(one.key, session.find(one.key));
  for (const PostgresTime& one : kPostgresTimes) take_shared(one.key, session.find(one.key));
  for (const Key key : kPostgresKeys) take_shared(key, session.find(key));
  take_folder(session.find(Key::FileStorePath));
}

void StoreBuilder::take_shared(Key key, const std::optional<Given>& given) {
  if (!given || !given->right) return;
  std::optional<Given>& chosen = chosen_[static_cast<std::size_t>(key)];
  if (!chosen) chosen = given;
  if (!equals_ignoring_case(chosen->value, given->value)) {
    report_.error(given->line, std::string{key_name(key)} + ": differs from line " +
                                   std::to_string(chosen->line) +
                                   ", but all sessions share one store");
  }
}

void StoreBuilder::take_folder(const std::optional<Given>& given) {
  if (!given) return;
  std::optional<Given>& chosen = chosen_[static_cast<std::size_t>(Key::FileStorePath)];
  if (!chosen) chosen = given;
  if (chosen->value != given->value) {
    report_.warning(given->line, "FileStorePath: not used; one journal holds all sessions, in " +
                                     shown(chosen->value));
  }
}

const Given* StoreBuilder::chosen(Key key) const {
  const std::optional<Given>& given = chosen_[static_cast<std::size_t>(key)];
  return given ? &*given : nullptr;
}

void StoreBuilder::finish(std::size_t first_session_line, FolderMeant meant) {
  if (const Given* store = chosen(Key::Store)) {
    if (equals_ignoring_case(store->value, "memory")) settings_.store = StoreKind::Memory;
    if (equals_ignoring_case(store->value, "postgresql")) settings_.store = StoreKind::PostgreSQL;
  }
  finish_journal();
  finish_folder(first_session_line, meant);
  finish_postgres();
}

// In QuickFIX/Go, and with a database in other engines, the program chooses the store: their files
// name no folder. Numbers that are forgotten would be found out by the counterparty.
void StoreBuilder::finish_folder(std::size_t first_session_line, FolderMeant meant) {
  if (const Given* folder = chosen(Key::FileStorePath)) {
    settings_.store_folder = folder->value;
    settings_.store_folder_line = folder->line;
    return;
  }
  const bool is_journal = settings_.store == StoreKind::Journal;
  const Given* const keeps = chosen(Key::PostgreSQLStoreKeepPosition);
  const bool is_noted =
      settings_.store == StoreKind::PostgreSQL && (keeps == nullptr || *read_bool(keeps->value));
  if (!is_journal && !is_noted) return;
  const std::string missing = "[SESSION]: FileStorePath is missing: ";
  const std::string what = is_journal ? "the journal" : "the note of what the database confirmed";
  const std::string without =
      is_journal ? ". Store=memory does without, and forgets everything at the end"
                 : ". PostgreSQLStoreKeepPosition=N does without, and a start does not find what "
                   "the database has lost";
  if (meant == FolderMeant::Lost) {
    report_.error(first_session_line, missing + "the folder of " + what + without);
    return;
  }
  settings_.store_folder = kFolderUnlessGiven;
  settings_.store_folder_line = first_session_line;
  report_.warning(first_session_line, missing + what + " is kept in the folder " +
                                          settings_.store_folder + " of the working directory" +
                                          without);
}

void StoreBuilder::finish_journal() {
  if (const Given* durability = chosen(Key::JournalDurability)) {
    settings_.durability = read_durability(durability->value).value_or(settings_.durability);
  } else if (const Given* sync = chosen(Key::FileStoreSync); sync && *read_bool(sync->value)) {
    settings_.durability = store::Durability::Sync;
  }
  if (const Given* micros = chosen(Key::JournalGroupMicros)) {
    settings_.journal_group_wait =
        std::chrono::microseconds{read_number(micros->value).value_or(0)};
  }
  if (const Given* ahead = chosen(Key::JournalNumbersAhead)) {
    settings_.journal_numbers_ahead =
        static_cast<std::uint32_t>(read_number(ahead->value).value_or(1));
  }
  if (const Given* stall = chosen(Key::JournalStallTimeout)) {
    settings_.journal_stall_timeout = std::chrono::seconds{read_number(stall->value).value_or(1)};
  }
  if (const Given* rate = chosen(Key::JournalScrubBytesPerSecond)) {
    settings_.journal_scrub_rate = read_number(rate->value).value_or(0);
  }
  finish_retention();
}

void StoreBuilder::finish_retention() {
  store::Retention& retention = settings_.journal_retention;
  if (const Given* bytes = chosen(Key::JournalKeepBytes)) {
    retention.keep_bytes = read_number(bytes->value).value_or(0);
  }
  if (const Given* days = chosen(Key::JournalKeepDays)) {
    retention.keep_for = std::chrono::days{read_number(days->value).value_or(0)};
  }
  if (const Given* on_reset = chosen(Key::JournalRetireOnReset)) {
    retention.on_reset = *read_bool(on_reset->value);
  }
  if (const Given* current = chosen(Key::JournalRetireCurrent)) {
    retention.even_current = *read_bool(current->value);
    if (retention.even_current && retention.keep_bytes == 0 && retention.keep_for.count() == 0) {
      report_.warning(current->line,
                      "JournalRetireCurrent: without JournalKeepBytes or JournalKeepDays it does "
                      "nothing");
    }
  }
  if (const Given* retired = chosen(Key::JournalRetired)) {
    retention.retired = equals_ignoring_case(retired->value, "keep")
                            ? store::RetiredSegments::Keep
                            : store::RetiredSegments::Delete;
  }
}

void StoreBuilder::finish_postgres() {
  store::PostgresOptions& options = settings_.postgres;
  const auto used = [&](Key key) -> const Given* {
    const Given* given = chosen(key);
    if (given == nullptr || settings_.store == StoreKind::PostgreSQL) return given;
    report_.warning(given->line,
                    std::string{key_name(key)} + ": not used without Store=postgresql");
    return nullptr;
  };
  for (const PostgresKey& one : kPostgresTexts) {
    if (const Given* given = used(one.key)) options.*one.option = given->value;
  }
  for (const PostgresTime& one : kPostgresTimes) {
    const Given* given = used(one.key);
    if (given == nullptr) continue;
    options.*one.option = std::chrono::seconds{read_number(given->value).value_or(1)};
  }
  // As QuickFIX writes "the usual one".
  if (options.port == "0") options.port.clear();
  if (const Given* given = used(Key::PostgreSQLStoreStandby)) {
    options.standby = equals_ignoring_case(given->value, "strict")
                          ? store::StandbyPolicy::Strict
                          : store::StandbyPolicy::Available;
  }
  const Given* const keeps = used(Key::PostgreSQLStoreKeepPosition);
  if (settings_.store == StoreKind::PostgreSQL && (keeps == nullptr || *read_bool(keeps->value))) {
    options.note_folder = settings_.store_folder;
  }
}

}  // namespace nexusfix::config
