// One address for the clients of a cluster: each connection goes to the engine that owns the
// session which its Logon names.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <list>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/observe/logs.hpp>
#include <nexusfix/transport/network.hpp>
#include <nexusfix/wire/parser.hpp>

#include "cluster/front_door/shard_directory.hpp"

namespace nexusfix::front_door {

struct FrontDoorOptions {
  transport::Endpoint listen{};
  std::chrono::seconds logon_timeout{10};  // for the Logon of a new connection
  std::chrono::seconds owner_timeout{20};  // in which an owner must accept it
  // Connections that no owner has yet. Above it, one is closed: the oldest one without a Logon, or
  // the oldest one if all have sent it.
  std::size_t waiting_max = 1'000;
};

// Moves bytes, and writes none of its own but the PROXY header, so it uses no MsgSeqNum. A client
// whose owner cannot be found is closed without an answer, and connects again. One thread.
class FrontDoor {
 public:
  // All of them must outlive this object.
  FrontDoor(transport::Network& network, Clock& clock, observe::EventLog& events,
            const ShardDirectory& shards, FrontDoorOptions options);
  FrontDoor(const FrontDoor&) = delete;
  FrontDoor& operator=(const FrontDoor&) = delete;

  // Listens. The error names the address and the cause.
  [[nodiscard]] std::expected<void, std::string> open();
  [[nodiscard]] std::uint16_t port() const { return network_.local_port(listener_); }
  // Waits until a connection is ready, at most for this time, and serves all that are. No value: no
  // limit, but wake() of the network ends it.
  void serve(std::optional<std::chrono::nanoseconds> wait);
  [[nodiscard]] std::size_t open_count() const noexcept { return open_.size(); }
  [[nodiscard]] std::size_t waiting_count() const noexcept { return waiting_.size(); }

 private:
  enum class State : std::uint8_t {
    Logon,       // the client has not sent its Logon
    NoOwner,     // no address has accepted it, and all are tried again soon
    Connecting,  // to an address of its shard
    Open,        // both sides are connected
  };
  enum class Side : std::uint8_t { Client, Owner };
  struct Link {
    State state = State::Logon;
    transport::SocketId client = 0;
    transport::SocketId owner = 0;  // 0: none
    std::string to_owner{};         // received, and not taken by the other side
    std::string to_client{};
    std::string session{};         // its name; empty before the Logon
    const Place* place = nullptr;  // null before the Logon
    std::size_t address = 0;       // of place, that is tried now
    std::size_t tried = 0;         // addresses, in this round
    bool is_full = false;          // without an owner: paused, as enough was received
    MonoTime deadline = kNever;    // of all but Open
    MonoTime next_step = kNever;   // NoOwner: to try again; Connecting: to try the next address
    MonoTime next_probe = kNever;  // is_full: whether the client has left
    wire::FrameScanner scanner{};
  };
  using Links = std::list<Link>;
  // Events of one second that a flood of connections causes. Each kind has its own limit, so that
  // clients that connect again do not hide a refusal.
  enum Flood : std::size_t { Refusals, HandOvers, Ends, kFloods };
  struct Reported {
    unsigned count = 0;
    std::uint64_t hidden = 0;  // not logged
  };
  // What is known of a place. While it has no owner, one client tries its addresses for all: a
  // thousand clients would keep the next owner busy with connections.
  struct Route {
    std::size_t first = 0;         // the address that accepted last is tried first
    transport::SocketId asks = 0;  // without an owner: the client that tries; 0: the next one
    bool is_absent = false;        // no address has accepted in the last round
    std::string why{};             // the last error
  };

  void handle(const transport::Ready& ready);
  void accept(transport::SocketId client);
  [[nodiscard]] Links::iterator least_promising();
  void read_logon(Links::iterator link);
  [[nodiscard]] bool read_more(Links::iterator link);
  [[nodiscard]] bool is_still_there(Links::iterator link);
  void find_place(Links::iterator link, std::string_view frame);
  void connect(Links::iterator link);
  void wait_for_owner(Links::iterator link);
  void connect_failed(Links::iterator link);
  void hand_over(Links::iterator link);
  void move(Links::iterator link, Side from);
  void flush(Links::iterator link, Side to);
  void end(Links::iterator link, Side ended, std::string_view why);
  void refuse(Links::iterator link, EventId id, std::string_view why);
  void drop(Links::iterator link);
  void keep_time();
  void refuse_late(Links::iterator link);
  [[nodiscard]] bool is_hidden(EventId id);
  void report_each_second();
  void report(EventId id, std::string_view session, const std::string& text);
  [[nodiscard]] std::string client_name(const Link& link) const;
  [[nodiscard]] std::size_t first_bytes_max() const noexcept;

  transport::Network& network_;
  Clock& clock_;
  observe::EventLog& events_;
  const ShardDirectory& shards_;
  FrontDoorOptions options_;
  transport::SocketId listener_ = 0;
  Links waiting_{};  // they have a deadline
  Links open_{};
  std::unordered_map<transport::SocketId, Links::iterator> by_socket_{};
  std::unordered_map<const Place*, Route> routes_{};
  std::vector<char> buffer_;
  wire::Parser parser_{};
  MonoTime now_{};
  MonoTime next_look_{};  // at the times of waiting_
  MonoTime second_{};     // the begin of the second that reported_ counts
  std::array<Reported, kFloods> reported_{};
  std::uint64_t without_descriptor_ = 0;  // connections_refused() of the network, as reported
};

}  // namespace nexusfix::front_door
