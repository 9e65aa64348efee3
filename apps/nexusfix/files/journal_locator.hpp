// Finds and opens the log that an operator names: a journal by its folder, or the journal or
// PostgreSQL store of a configuration file.
#pragma once

#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/base/disk.hpp>

#include "store/api/postgres_part.hpp"

namespace nexusfix::command {

// store::open_postgres, or null in a program that was built without it.
using OpenPostgres =
    store::StoreResult<std::unique_ptr<store::Store>> (*)(const store::PostgresOptions& options);

// The end of an error, after the name of the log.
inline constexpr std::string_view kNoPostgres =
    ": this program has no PostgreSQL store: install nexusfix-cluster, or build with "
    "-D NEXUSFIX_POSTGRES=ON";

struct LogPlace {
  std::string name;    // for people: the folder, or the schema and the file that names it
  std::string folder;  // of the journal; empty: it is a database
  store::PostgresOptions database;
  std::vector<std::string> sessions{};  // of the configuration file, if one was named

  [[nodiscard]] bool is_journal() const noexcept { return !folder.empty(); }
};

// path: a configuration file, or else a folder, which need not exist. The error names every error
// in the file, or says that its store keeps nothing (Store=memory).
[[nodiscard]] std::expected<LogPlace, std::string> find_log(Disk& disk, const std::string& path);

// Opened for reading. A journal is inspected, and report says whether it is in use. The log of a
// database is locked meanwhile; only its owner changes. The log must exist.
struct LogView {
  std::unique_ptr<store::Store> store;
  std::optional<store::JournalReport> report;  // of a journal
};
[[nodiscard]] std::expected<LogView, std::string> look_into(Disk& disk, const LogPlace& place,
                                                            OpenPostgres open_postgres);

// Opened for a change: no other process may have it open. Each flush() of a journal is a sync.
// close() waits until everything is durable, in a database, too. Opening settles a loss of power or
// a torn end, and reports it on standard error: no later opening finds it again.
[[nodiscard]] std::expected<std::unique_ptr<store::Store>, std::string> open_to_change(
    Disk& disk, const LogPlace& place, store::IfNoLog if_no_log, OpenPostgres open_postgres,
    WallTime now);

// Closes a log that was opened for a change, also on an error: without a close, the next start
// takes it for a loss of power. A second close does nothing.
class ClosedAtEnd {
 public:
  explicit ClosedAtEnd(store::Store& store) noexcept : store_{store} {}
  ClosedAtEnd(const ClosedAtEnd&) = delete;
  ClosedAtEnd& operator=(const ClosedAtEnd&) = delete;
  // The caller that changed the log has checked close() itself.
  ~ClosedAtEnd() { static_cast<void>(store_.close()); }

 private:
  store::Store& store_;
};

}  // namespace nexusfix::command
