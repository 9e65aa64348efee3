// Reads the messages of a log for a program beside the engine, such as a stream. It takes no lock,
// writes nothing, and needs the right to SELECT only.
#pragma once

#include <deque>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/clock.hpp>

#include "cluster/postgres/reader.hpp"
#include "cluster/postgres/server/connection.hpp"
#include "cluster/postgres/server/server_facts.hpp"
#include "cluster/postgres/server/servers.hpp"
#include "journal/api/log_follower.hpp"

namespace nexusfix::store::postgres {

// A record is a chunk. A cursor has the log's identity as a number, the first epoch of the owner
// that wrote the record before it (0: not known), the place of the log where that owner began, and
// the CRC-32C of the name of its claim. So a log that was cut and went on is recognised, however
// long it is by now.
class Follower final : public LogFollower {
 public:
  // The error is one line: the server refuses, or the log does not fit the cursor.
  [[nodiscard]] static std::expected<std::unique_ptr<LogFollower>, std::string> open(
      const PostgresOptions& options, const FollowOptions& follow);

  std::expected<bool, std::string> next(Visitor visit) override;
  const JournalCursor& cursor() const noexcept override { return cursor_; }
  LogPosition end_of_log() override;
  std::optional<StoreEvent> next_event() override;
  std::expected<std::unique_ptr<LogFollower>, std::string> fork() const override;

 private:
  // A claim of the log.
  struct Owner {
    std::uint64_t first_epoch = 0;
    LogPosition begin = 0;
    std::uint32_t claim_crc = 0;
  };
  struct Message {
    SessionKey session = 0;
    std::uint64_t epoch = 0;
    std::uint64_t number = 0;
    LogPosition position = 0;
    bool is_received = false;
    std::string bytes;
  };
  struct Record {
    LogPosition begin = 0;
    LogPosition end = 0;
    WallTime written;
    std::vector<Message> messages;
  };

  Follower(const PostgresOptions& options, const FollowOptions& follow)
      : options_{options}, follow_{follow}, servers_{options_} {}
  [[nodiscard]] ServerResult<void> connect();
  [[nodiscard]] ServerResult<void> look();
  [[nodiscard]] ServerResult<void> read_owners();
  [[nodiscard]] ServerResult<void> read_names();
  [[nodiscard]] ServerResult<void> fill();
  [[nodiscard]] ServerResult<void> scan();
  [[nodiscard]] ServerResult<void> start();
  [[nodiscard]] ServerResult<void> check_cursor();
  [[nodiscard]] ServerResult<void> check_cut();
  [[nodiscard]] ServerResult<void> check_deleted(LogPosition begin);
  [[nodiscard]] ServerResult<void> accept_gap(const std::string& text);
  void keep(const Chunk& chunk);
  void go_to(LogPosition position);
  void lose(const ServerError& error);
  [[nodiscard]] const Owner* owner_of(LogPosition position) const noexcept;
  [[nodiscard]] std::string named(std::string_view text) const;

  PostgresOptions options_;
  FollowOptions follow_;
  Servers servers_;
  std::optional<ServerFacts> facts_;  // of the server that was accepted last
  std::optional<Reader> reader_;
  std::optional<Connection> connection_;
  SystemClock clock_;
  MonoTime next_look_;
  bool is_lost_ = false;  // and reported
  std::int64_t log_id_ = 0;
  LogPosition log_end_ = 0;
  LogPosition deleted_ = 0;  // after the begin of the last chunk that was deleted; 0: none was
  LogPosition accepted_deletion_ = 0;
  std::uint64_t first_epoch_ = 0;   // of the owner that was seen last
  std::vector<Owner> owners_;       // by first_epoch
  std::vector<std::string> names_;  // of the sessions, by key
  LogPosition read_end_ = 0;        // of what is in records_
  std::deque<Record> records_;
  JournalCursor cursor_;
  std::deque<StoreEvent> events_;
};

}  // namespace nexusfix::store::postgres
