// A store over SQLite: one table of records, and one that says where each message is in them. A
// transaction of SQLite lasts from one flush() to the next, so that messages share its fsync.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <sqlite3.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <nexusfix/record_store.hpp>
#include <nexusfix/store.hpp>

namespace store = nexusfix::store;

struct Close {
  void operator()(sqlite3* database) const { sqlite3_close(database); }
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Database = std::unique_ptr<sqlite3, Close>;

// Throws std::runtime_error with SQLite's text. RecordStore makes a StoreError of it.
class Statement {
 public:
  Statement(sqlite3* database, std::string_view sql) : database_{database} {
    sqlite3_stmt* made = nullptr;
    check(sqlite3_prepare_v2(database, sql.data(), static_cast<int>(sql.size()), &made, nullptr));
    statement_.reset(made);
  }
  Statement& bind(int place, std::uint64_t number) {
    check(sqlite3_bind_int64(statement_.get(), place, static_cast<sqlite3_int64>(number)));
    return *this;
  }
  Statement& bind(int place, std::span<const char> bytes) {
    check(sqlite3_bind_blob64(statement_.get(), place, bytes.data(), bytes.size(), SQLITE_STATIC));
    return *this;
  }
  // Calls row() for each row until it returns false.
  template <class Row>
  void run(Row row) {
    int status = SQLITE_ROW;
    while ((status = sqlite3_step(statement_.get())) == SQLITE_ROW && row()) {
    }
    sqlite3_reset(statement_.get());
    if (status != SQLITE_ROW && status != SQLITE_DONE) throw error();
  }
  void run() {
    run([] { return true; });
  }
  [[nodiscard]] std::uint64_t number(int column) {
    return static_cast<std::uint64_t>(sqlite3_column_int64(statement_.get(), column));
  }
  // Valid until the next row.
  [[nodiscard]] std::string_view bytes(int column) {
    const void* const data = sqlite3_column_blob(statement_.get(), column);
    const int size = sqlite3_column_bytes(statement_.get(), column);
    return {static_cast<const char*>(data), static_cast<std::size_t>(size)};
  }

 private:
  void check(int status) {
    if (status != SQLITE_OK) throw error();
  }
  [[nodiscard]] std::runtime_error error() const {
    return std::runtime_error{sqlite3_errmsg(database_)};
  }

  sqlite3* database_;
  std::unique_ptr<sqlite3_stmt, Close> statement_;
};

class SqliteStore final : public store::RecordStore {
 public:
  SqliteStore(Database database, const std::string& path, const store::StoreOptions& options)
      : RecordStore{"SQLite store " + path, options}, database_{std::move(database)} {
    auto records = prepare("SELECT time, entries FROM records ORDER BY end");
    records.run([&] {
      const nexusfix::WallTime time{std::chrono::nanoseconds{records.number(0)}};
      const auto replayed = replay(time, records.bytes(1));
      if (!replayed) throw std::runtime_error{replayed.error().text};
      return true;
    });
  }

  store::StoreResult<void> read(store::SessionKey key, std::uint64_t first, std::uint64_t last,
                                MessageVisitor visit) override {
    constexpr std::uint64_t kNumberMax = INT64_MAX;
    read_.bind(1, key).bind(2, session(key).epoch);
    read_.bind(3, std::min(first, kNumberMax)).bind(4, std::min(last, kNumberMax));
    return passed([&] { read_.run([&] { return visit(read_.number(0), read_.bytes(1)); }); });
  }

  store::StoreResult<void> scan(LogVisitor visit) override {
    auto all = prepare(
        "SELECT session, epoch, number, substr(entries, begin + 1, size) FROM messages"
        " JOIN records ON end = record ORDER BY record, begin");
    return passed([&] {
      all.run([&] {
        const auto key = static_cast<store::SessionKey>(all.number(0));
        visit({session_name(key), all.number(1), all.number(2), all.bytes(3)});
        return true;
      });
    });
  }

 private:
  // [write]
  store::StoreResult<void> write(const store::StoredRecord& record) override {
    if (!std::exchange(is_in_transaction_, true)) begin_.run();
    const auto time = static_cast<std::uint64_t>(record.time.time_since_epoch().count());
    insert_record_.bind(1, record.end).bind(2, time).bind(3, record.entries).run();
    for (const store::RecordMessage& one : record.messages) {
      const auto begin = static_cast<std::uint64_t>(one.bytes.data() - record.entries.data());
      insert_message_.bind(1, one.session).bind(2, one.epoch).bind(3, one.msg_seq_num);
      insert_message_.bind(4, record.end).bind(5, begin).bind(6, one.bytes.size()).run();
    }
    return {};
  }
  store::StoreResult<void> commit() override {
    if (std::exchange(is_in_transaction_, false)) commit_.run();
    return {};
  }
  // [end]

  [[nodiscard]] Statement prepare(std::string_view sql) { return {database_.get(), sql}; }
  template <class Read>
  [[nodiscard]] store::StoreResult<void> passed(Read read) {
    try {
      read();
      return {};
    } catch (const std::runtime_error& error) {
      return failure(store::StoreErrorCode::Disk, error.what());
    }
  }

  Database database_;
  bool is_in_transaction_ = false;
  Statement begin_ = prepare("BEGIN");
  Statement commit_ = prepare("COMMIT");
  Statement insert_record_ = prepare("INSERT INTO records VALUES (?, ?, ?)");
  Statement insert_message_ = prepare("INSERT INTO messages VALUES (?, ?, ?, ?, ?, ?)");
  Statement read_ = prepare(
      "SELECT number, substr(entries, begin + 1, size) FROM messages JOIN records ON end = record"
      " WHERE session = ? AND epoch = ? AND number BETWEEN ? AND ? ORDER BY number");
};

// One database for each event loop: PATH, PATH-1, PATH-2 ...
class SqliteStores : public store::StoreFactory {
 public:
  explicit SqliteStores(std::string path) : path_{std::move(path)} {}

  store::StoreResult<std::unique_ptr<store::Store>> open(
      const store::StoreOptions& options) override {
    const std::string path = options.loop == 0 ? path_ : path_ + "-" + std::to_string(options.loop);
    sqlite3* opened = nullptr;
    int status = sqlite3_open(path.c_str(), &opened);
    Database database{opened};
    // FULL: a commit is on the disk. EXCLUSIVE: no other process opens the log.
    constexpr const char* kTables =
        "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
        "BEGIN IMMEDIATE;"
        "CREATE TABLE IF NOT EXISTS records (end INTEGER PRIMARY KEY, time INTEGER, entries BLOB);"
        "CREATE TABLE IF NOT EXISTS messages (session INTEGER, epoch INTEGER, number INTEGER,"
        " record INTEGER, begin INTEGER, size INTEGER, PRIMARY KEY (session, epoch, number))"
        " WITHOUT ROWID; COMMIT";
    if (status == SQLITE_OK) {
      status = sqlite3_exec(opened, kTables, nullptr, nullptr, nullptr);
    }
    using enum store::StoreErrorCode;
    if (status != SQLITE_OK) {
      return std::unexpected{store::StoreError{status == SQLITE_BUSY ? Locked : Disk,
                                               path + ": " + sqlite3_errmsg(opened)}};
    }
    try {
      return std::make_unique<SqliteStore>(std::move(database), path, options);
    } catch (const std::runtime_error& error) {
      return std::unexpected{store::StoreError{Corrupt, path + ": " + error.what()}};
    }
  }

 private:
  std::string path_;
};
