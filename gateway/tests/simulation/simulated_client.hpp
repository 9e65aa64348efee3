// A client of the gateway in a world: a process that is killed, attaches again, reads slowly or not
// at all. It follows docs/reference/gateway-protocol.md, and checks what the gateway owes it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include <nexusfix/simulator.hpp>

#include "gateway/protocol/frame.hpp"
#include "gateway/protocol/greeting.hpp"
#include "simulation/simulated_link.hpp"

namespace nexusfix::gateway {

struct SimulatedClientOptions {
  std::string name;
  bool is_observer = false;
  bool is_in_order = true;       // it says in-order=1
  MessagePlace received{};       // the cursor that it begins with
  std::uint64_t window = 8;      // Sends without an answer
  simulator::WorldTime stops{};  // it sends no new order after this time
  simulator::WorldTime calm{};   // it has no faults after this time
};

// What became of a client's faults: a world that has none proves nothing.
struct ClientCounts {
  std::uint64_t attached = 0;
  std::uint64_t killed = 0;
  std::uint64_t paused = 0;
  std::uint64_t too_slow = 0;
  std::uint64_t refused = 0;
  std::uint64_t from_journal = 0;
};

class SimulatedClient {
 public:
  // Gives a socket to the gateway's process. Null: it does not run.
  using Connect = std::function<std::shared_ptr<SimulatedSocket>()>;

  SimulatedClient(simulator::World& world, SimulatedClientOptions options, Connect connect)
      : world_{world},
        options_{std::move(options)},
        connect_{std::move(connect)},
        received_{options_.received} {}

  // Does what the process can do now. Call it every few milliseconds.
  void step();

  // The orders that it knows to be accepted are 1 to this number.
  [[nodiscard]] std::uint64_t accepted() const noexcept { return accepted_; }
  [[nodiscard]] bool is_caught_up() const noexcept { return is_caught_up_; }
  // How often each message has come: "ClOrdID ExecType" of a report, "ClOrdID" of a copied order.
  [[nodiscard]] const std::map<std::string, unsigned, std::less<>>& handled() const noexcept {
    return handled_;
  }
  [[nodiscard]] const ClientCounts& counts() const noexcept { return counts_; }

 private:
  void attach();
  void die();
  void read_frames();
  void handle(const Frame& frame);
  void handle_message(const Frame& frame);
  void send_orders();
  void be_struck();
  [[nodiscard]] bool chance_of_one_in(std::uint64_t count) {
    return world_.random().below(count) == 0;
  }

  simulator::World& world_;
  SimulatedClientOptions options_;
  Connect connect_;

  // Its own store: a kill does not touch it.
  MessagePlace received_;
  MessagePlace sent_;
  std::map<std::string, unsigned, std::less<>> handled_;
  std::uint64_t accepted_ = 0;

  // Its memory.
  std::shared_ptr<SimulatedSocket> socket_;
  std::string bytes_;
  std::uint64_t next_ = 0;        // the next order; 0: there was no Welcome
  std::uint64_t unanswered_ = 0;  // Sends
  std::uint64_t refused_ = 0;     // the lowest number that was refused; 0: none
  bool is_caught_up_ = false;

  simulator::WorldTime back_at_{};   // it is away until then
  simulator::WorldTime reads_at_{};  // it reads nothing until then
  simulator::WorldTime sends_at_{};  // the gateway asked it to wait
  bool is_slow_ = false;
  ClientCounts counts_;
};

}  // namespace nexusfix::gateway
