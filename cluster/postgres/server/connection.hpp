// A connection to the server. Connecting, asking and closing end within a time, whatever the server
// does.
#pragma once

#include <charconv>
#include <chrono>
#include <cstddef>
#include <expected>
#include <initializer_list>
#include <libpq-fe.h>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "store/api/postgres_part.hpp"

namespace nexusfix::store::postgres {

struct ServerError {
  std::string text;   // one line, without a password
  std::string state;  // SQLSTATE; empty: an error of the connection itself
  // A later attempt may succeed: the server is away, starting, full, or a standby.
  [[nodiscard]] bool may_pass() const noexcept;
};

// Our own SQLSTATEs. NXF0x is final. NXF1x may pass: another attempt, or another server, may
// succeed.
inline constexpr const char* kOwnedByAnother = "NXF01";
inline constexpr const char* kElsewhere = "NXF02";      // the log does not end where it should
inline constexpr const char* kNotReplicated = "NXF11";  // a COMMIT without its standby
inline constexpr const char* kOtherServer = "NXF12";
inline constexpr const char* kFormerPrimary = "NXF13";
inline constexpr const char* kNoStandby = "NXF14";  // StandbyPolicy::Strict
inline constexpr const char* kLagging = "NXF15";    // it lacks records that were confirmed
inline constexpr const char* kLockHeld = "NXF16";   // another process has the lock of the log

template <class T>
using ServerResult = std::expected<T, ServerError>;

struct ResultDeleter {
  void operator()(PGresult* result) const noexcept { PQclear(result); }
};
using Result = std::unique_ptr<PGresult, ResultDeleter>;

// A value of a row, valid as long as the result.
[[nodiscard]] inline std::string_view text_at(const Result& rows, int column, int row = 0) {
  return {PQgetvalue(rows.get(), row, column),
          static_cast<std::size_t>(PQgetlength(rows.get(), row, column))};
}
// A number in decimal digits; 0 if it is none.
template <class Number>
[[nodiscard]] Number number_at(const Result& rows, int column) {
  const std::string_view text = text_at(rows, column);
  Number number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// A text without line breaks, from libpq or the server.
[[nodiscard]] std::string one_line(std::string_view text);
// The error of a result.
[[nodiscard]] ServerError error_of(const PGresult* result);

enum class Waited : std::uint8_t { Ready, TimeOver, Stopped };

// Waits until the socket is ready for events (poll's), the time is over, or stop becomes readable.
// stop: -1 if nothing stops it. A negative time: no limit.
[[nodiscard]] Waited wait_for(int socket, short events, std::chrono::milliseconds limit, int stop);

struct ConnectionFinisher {
  void operator()(PGconn* connection) const noexcept { PQfinish(connection); }
};
using ConnectionHandle = std::unique_ptr<PGconn, ConnectionFinisher>;

// libpq's parameters: our own values, the connection string over them, and the options over that.
class Parameters {
 public:
  explicit Parameters(const PostgresOptions& options);
  // Sets a value over all others; an empty value changes nothing. The key must outlive this.
  void add(const char* key, std::string value);
  // Begins to connect; null: there is no memory.
  [[nodiscard]] PGconn* start() const;

 private:
  std::vector<const char*> keys_;
  std::vector<std::string> values_;
};

// An error text of libpq would show the string, and with it a password.
[[nodiscard]] ServerResult<void> check_connection_string(const PostgresOptions& options);

// One of the named servers. libpq finds by itself what is empty.
struct ServerAddress {
  std::string host;     // a name, or the folder of a socket
  std::string address;  // of it, as a number
  std::string port;
  friend bool operator==(const ServerAddress&, const ServerAddress&) = default;
};

class Connection {
 public:
  // limit: until the server has accepted it. stop: a descriptor that ends every wait when it is
  // readable; -1: none.
  [[nodiscard]] static ServerResult<Connection> open(const PostgresOptions& options,
                                                     const ServerAddress& server,
                                                     std::chrono::milliseconds limit, int stop);

  // Instead of that of the options. Negative: none; TCP still notices that the server is gone.
  void set_answer_timeout(std::chrono::milliseconds limit) noexcept { answer_timeout_ = limit; }

  // Several statements without parameters, as one transaction if they contain no BEGIN.
  ServerResult<Result> run(const std::string& statements);
  // One statement with parameters in text; the answer in text.
  ServerResult<Result> ask(const char* statement, std::initializer_list<std::string_view> values);
  ServerResult<void> prepare(const char* name, const char* statement);
  // Without parameters; the answer in binary.
  ServerResult<Result> ask_prepared(const char* name);

  // Nonblocking: queues one prepared statement; false: the connection is lost.
  [[nodiscard]] bool send(const char* prepared, std::span<const std::string_view> binary);
  [[nodiscard]] bool send(const char* prepared, std::initializer_list<std::string_view> binary) {
    return send(prepared, std::span{binary.begin(), binary.size()});
  }
  // Waits until PQgetResult() can take the next part of an answer.
  ServerResult<void> wait_for_result();

  // A COMMIT since the last call was confirmed although its wait for the standby was cancelled: the
  // server says so only by a warning. What it wrote may be on this server alone.
  [[nodiscard]] std::optional<ServerError> consume_not_replicated();
  // All other warnings of the server since the last call.
  [[nodiscard]] std::vector<std::string> consume_warnings();

  // For texts: "host db1 (10.0.0.1), port 5432"; "socket /run/postgresql/.s.PGSQL.5432".
  [[nodiscard]] std::string server() const;

  [[nodiscard]] PGconn* raw() const noexcept { return connection_.get(); }
  [[nodiscard]] int descriptor() const noexcept { return PQsocket(connection_.get()); }
  [[nodiscard]] ServerError lost() const;

 private:
  // What the server said without a query. libpq keeps a pointer to it.
  struct Notices {
    bool is_not_replicated = false;
    std::string not_replicated;  // the reason, if there was memory for it
    std::vector<std::string> warnings;
  };
  static void record_notice(void* notices, const PGresult* notice) noexcept;

  Connection() = default;
  ServerResult<void> await_connected(std::chrono::milliseconds limit);
  ServerResult<void> set_up_session(std::chrono::milliseconds peer_timeout);
  ServerResult<Result> answer();

  std::unique_ptr<Notices> notices_ = std::make_unique<Notices>();  // outlives the next
  ConnectionHandle connection_;
  std::chrono::milliseconds answer_timeout_{};
  int stop_ = -1;
};

}  // namespace nexusfix::store::postgres
