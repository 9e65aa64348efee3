// What the PostgreSQL store's thread does: one COMMIT at a time, a new connection when one is lost,
// a claim on it that only raises the owner epoch, and the outcome of what was under way read back.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

#include "node/owner_log.hpp"
#include "node/process_gate.hpp"
#include "servers/simulated_database.hpp"

namespace nexusfix::simulator::cluster {

// The owner epoch of the n-th claim with this lease.
[[nodiscard]] constexpr std::uint64_t owner_epoch(std::uint64_t token, std::uint64_t claims) {
  return token << 16U | claims;
}
[[nodiscard]] constexpr std::uint64_t token_of(std::uint64_t epoch) { return epoch >> 16U; }

inline constexpr std::chrono::milliseconds kAnswerTimeout{2'000};
inline constexpr std::chrono::milliseconds kConnectTimeout{1'000};

class LogWriter {
 public:
  // connection: the one that claimed the log with this token, as claim number `claims`.
  struct Owner {
    std::size_t node = 0;
    std::uint64_t token = 0;
    std::uint64_t claims = 0;
    SimulatedDatabase::ConnectionId connection = 0;
  };
  LogWriter(Context& context, SimulatedDatabase& database, ProcessGate& gate, SimulatedClock& clock,
            OwnerLog& log, Owner owner)
      : context_{context},
        database_{database},
        gate_{gate},
        clock_{clock},
        log_{log},
        owner_{owner} {}
  ~LogWriter() { database_.disconnect(owner_.connection); }
  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;

  // There may be a batch to send.
  void pump();
  // The connection has broken.
  void lost(SimulatedDatabase::ConnectionId connection);

 private:
  void take(const SimulatedDatabase::Answer& answer);
  void restore();
  void connect();
  void claim_again();
  void claimed(const SimulatedDatabase::Answer& answer);
  void fail_as_former_owner(const OwnerRow& row);
  void fail(store::StoreErrorCode code, std::string text);
  // Nothing that was asked before is waited for any more.
  std::uint64_t next_request() noexcept { return ++request_; }

  Context& context_;
  SimulatedDatabase& database_;
  ProcessGate& gate_;
  SimulatedClock& clock_;
  OwnerLog& log_;
  Owner owner_;
  std::uint64_t request_ = 0;
  bool is_connected_ = true;
  bool is_in_flight_ = false;
  bool has_failed_ = false;
  std::optional<MonoTime> away_since_;
  std::chrono::milliseconds pause_{0};
  store::LogPosition shift_ = 0;  // only with Bug::UnknownIsFailure
};

}  // namespace nexusfix::simulator::cluster
