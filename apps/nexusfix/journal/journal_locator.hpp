// Which log an operator means, and how it is opened: a journal by its folder, or what a
// configuration file names, a journal or a PostgreSQL store.
#pragma once

#include <expected>
#include <memory>
#include <optional>
#include <string>

#include <nexusfix/base/disk.hpp>
#include <nexusfix/base/time.hpp>
#include <nexusfix/store/journal.hpp>
#include <nexusfix/store/postgres.hpp>

namespace nexusfix::command {

// store::open_postgres, or null in a program that was built without it.
using OpenPostgres =
    store::StoreResult<std::unique_ptr<store::Store>> (*)(const store::PostgresOptions& options);

struct LogPlace {
  std::string name;    // for people: the folder, or the schema and the file that names it
  std::string folder;  // of the journal; empty: it is a database
  store::PostgresOptions database;

  [[nodiscard]] bool is_journal() const noexcept { return !folder.empty(); }
};

// path: a configuration file, or else a folder, whether it is there or not. The error names every
// mistake of the file, or says that its store keeps nothing (Store=memory).
[[nodiscard]] std::expected<LogPlace, std::string> find_log(Disk& disk, const std::string& path);

// To be read. A journal is inspected, so report tells whether it is in use; a database's log is
// locked meanwhile, and changes nothing but its owner. The log must be there.
struct LogView {
  std::unique_ptr<store::Store> store;
  std::optional<store::JournalReport> report;  // of a journal
};
[[nodiscard]] std::expected<LogView, std::string> look_into(Disk& disk, const LogPlace& place,
                                                            OpenPostgres open_postgres);

// To be changed: nobody else may have it open. Each flush() of a journal is a sync; close() waits
// until everything is durable in either. What opening found and ended (a loss of power, a torn end)
// no later opening finds again: it is told on standard error.
[[nodiscard]] std::expected<std::unique_ptr<store::Store>, std::string> open_to_change(
    Disk& disk, const LogPlace& place, store::IfNoLog if_no_log, OpenPostgres open_postgres,
    WallTime now);

// Closes what was opened to be changed, however that ends: the next start would take it for a
// machine that went down. Closing once more does nothing.
class ClosedAtEnd {
 public:
  explicit ClosedAtEnd(store::Store& store) noexcept : store_{store} {}
  ClosedAtEnd(const ClosedAtEnd&) = delete;
  ClosedAtEnd& operator=(const ClosedAtEnd&) = delete;
  ~ClosedAtEnd() { static_cast<void>(store_.close()); }  // who changed it has asked itself

 private:
  store::Store& store_;
};

}  // namespace nexusfix::command
