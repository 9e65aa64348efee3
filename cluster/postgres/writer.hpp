// The thread that sends batches to the server, and connects again when a connection is lost.
#pragma once

#include <cstdint>
#include <optional>
#include <thread>

#include <nexusfix/base/clock.hpp>

#include "cluster/postgres/log_queue.hpp"
#include "cluster/postgres/server/connection.hpp"
#include "cluster/postgres/server/server_facts.hpp"
#include "cluster/postgres/server/servers.hpp"
#include "cluster/postgres/server/statements.hpp"

namespace nexusfix::store::postgres {

class Writer {
 public:
  // The connection has the lock and this claim, and prepare_to_write() was called for it. All
  // references must outlive the writer.
  Writer(const PostgresOptions& options, Servers& servers, LogQueue& queue, Connection connection,
         ServerFacts facts, Claim claim);
  ~Writer();  // sends nothing more
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

 private:
  void run();
  [[nodiscard]] ServerResult<void> turn();
  [[nodiscard]] ServerResult<void> send_batches();
  [[nodiscard]] ServerResult<void> receive();
  [[nodiscard]] ServerResult<void> accept_result(Result result);
  [[nodiscard]] ServerResult<void> end_batch();
  [[nodiscard]] ServerResult<void> accept_settings(CommitSettings settings);
  [[nodiscard]] ServerResult<void> accept_acknowledgement(const Acknowledgement& found);
  void confirm(LogPosition end);
  void report_warnings();
  void report_connected(const Connection& connection, LogPosition position,
                        const ServerFacts& found);
  [[nodiscard]] bool restore(ServerError cause);
  // end: as in Servers::connect().
  [[nodiscard]] ServerResult<void> connect_again(MonoTime end);
  void fail(const ServerError& error);
  // The token of the lease that this process holds. 0: it holds none.
  [[nodiscard]] std::uint64_t held_token() const noexcept {
    return options_.lease == nullptr ? 0 : options_.lease->token();
  }
  [[nodiscard]] bool stops() const;
  [[nodiscard]] bool has_unanswered() const noexcept { return in_flight_ > 0 || is_committed_; }

  const PostgresOptions& options_;
  Servers& servers_;
  LogQueue& queue_;
  std::optional<Connection> connection_;
  ServerFacts facts_;             // of the server that had the log last
  std::uint64_t first_epoch_;     // of this process; it names the process while the epoch grows
  Claim claim_;                   // the last one
  std::uint32_t in_flight_ = 0;   // batches whose COMMIT has no answer
  bool is_sign_of_life_ = false;  // in flight, before all batches
  // The batch before them is committed, and the settings that its COMMIT used are queried.
  bool is_committed_ = false;
  LogPosition committed_end_ = 0;  // of the last batch that is committed
  std::string loaded_;             // the server's configuration, as that batch saw it
  // StandbyPolicy::Strict: what is committed, and the standby has not acknowledged.
  struct Owed {
    LogPosition end = 0;
    std::uint64_t wal_end = 0;
    MonoTime since;
  };
  std::optional<Owed> owed_;
  std::optional<ServerError> batch_error_;  // of the batch whose answer is being read
  SystemClock clock_;
  std::optional<MonoTime> away_since_;  // since when nothing has been confirmed
  MonoTime connected_at_;
  MonoTime lost_at_{};                  // when the connection before this one was lost
  std::chrono::milliseconds pause_{0};  // before the next attempt to connect
  Signal stop_;
  std::thread thread_;  // the last member: it uses all others
};

}  // namespace nexusfix::store::postgres
