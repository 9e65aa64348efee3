// The history of a cluster from both sides: what its nodes hand to their sockets and to the
// database, and what the counterparties get. Resets do not happen in these worlds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "servers/simulated_database.hpp"
#include "simulator/check/wire_message.hpp"
#include "store/api/session_table.hpp"

namespace nexusfix::simulator::cluster {

inline constexpr std::string_view kClusterId = "CLUSTER";
inline constexpr std::string_view kPeerId = "PEER";

class HistoryChecker {
 public:
  HistoryChecker(Context& context, const SimulatedDatabase& database, std::size_t sessions,
                 bool clocks_are_bounded)
      : context_{context},
        database_{database},
        clocks_are_bounded_{clocks_are_bounded},
        sessions_(sessions) {}

  // The cluster's side.
  void committed(const Chunk& chunk);
  void bytes_sent(std::uint64_t connection, std::size_t node, std::string_view bytes);
  void connection_over(std::uint64_t connection) { unfinished_.erase(connection); }
  // A node that believes in its lease takes a turn as the owner.
  void serves(std::size_t node);
  // A node has taken over; recovered: the messages that its application got.
  struct Recovered {
    std::size_t session = 0;
    std::uint64_t msg_seq_num = 0;
    auto operator<=>(const Recovered&) const = default;
  };
  void taken_over(std::size_t node, const std::set<Recovered>& recovered);

  // The database has lost the end of its log: its messages are gone, and what they were stays
  // known.
  void log_was_cut();
  [[nodiscard]] bool has_all_sessions() const noexcept {
    return session_of_key_.size() == sessions_.size();
  }

  // The counterparties' side.
  [[nodiscard]] std::uint64_t order_sent(std::size_t session);
  void delivered(std::size_t session, std::string_view bytes);
  void report_received(std::size_t session, std::uint64_t order, std::uint64_t execution);
  void refusal_received(std::size_t session, std::uint64_t order);

  // An ExecID that no report had before.
  [[nodiscard]] std::uint64_t next_execution() noexcept { return ++executions_; }
  // What is not complete yet; empty: nothing.
  [[nodiscard]] std::string unsettled() const;
  [[nodiscard]] std::uint64_t deliveries() const noexcept { return deliveries_; }
  [[nodiscard]] std::uint64_t orders() const noexcept { return orders_.size(); }

 private:
  struct Session {
    std::map<std::uint64_t, std::uint64_t> stored;  // in the log: number, fingerprint
    std::map<std::uint64_t, std::uint64_t> lost;    // were in the log
    std::uint64_t next_outbound = 1;                // in the log, or lost
    std::map<std::uint64_t, std::uint64_t> sent;    // first bytes on the wire
    std::set<std::uint64_t> delivered;
  };
  struct Order {
    std::size_t session = 0;
    std::uint64_t execution = 0;  // 0: no report
    bool is_refused = false;
  };

  void check_entry(const store::Entry& entry);
  // The fingerprint of the message that has this number, in the log or lost.
  [[nodiscard]] static std::optional<std::uint64_t> find_message(const Session& session,
                                                                 std::uint64_t number);
  void check_sent(std::size_t node, const WireMessage& message);
  void found(std::string_view invariant, std::string text);

  Context& context_;
  const SimulatedDatabase& database_;
  bool clocks_are_bounded_;
  std::vector<Session> sessions_;
  std::vector<std::size_t> session_of_key_;
  store::SessionTable table_;
  std::map<std::uint64_t, std::string> unfinished_;  // bytes, by connection
  std::vector<Order> orders_;
  std::uint64_t executions_ = 0;
  std::uint64_t deliveries_ = 0;
};

// The session that a CompID or a session's name ends with: "PEER3" is session 3.
[[nodiscard]] std::size_t session_of(std::string_view name) noexcept;

}  // namespace nexusfix::simulator::cluster
