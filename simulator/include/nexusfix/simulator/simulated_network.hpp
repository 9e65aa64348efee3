// The network of a simulated world: connections that take time, tear, break, and fall silent.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/simulator/fault.hpp>
#include <nexusfix/simulator/process_life.hpp>
#include <nexusfix/simulator/simulated_clock.hpp>
#include <nexusfix/transport/network.hpp>

namespace nexusfix::simulator {

class SimulatedInternet;
class SimulatedNetwork;

// 0: the side that connected, 1: the side that accepted.
using Side = std::uint8_t;

// The internet's calls to the world.
class InternetObserver {
 public:
  virtual ~InternetObserver() = default;
  // The world calls SimulatedInternet::advance(connection) at that time.
  virtual void wake_at(WorldTime time, std::uint64_t connection) = 0;
  // wait() of the process would return an event.
  virtual void process_is_ready(std::size_t process) = 0;
  // The side's process has sent these bytes; they need not arrive.
  virtual void bytes_sent(std::uint64_t connection, Side side, std::size_t process,
                          std::string_view bytes) = 0;
  // The side's process has received these bytes.
  virtual void bytes_received(std::uint64_t /*connection*/, Side /*side*/,
                              std::string_view /*bytes*/) {}
  virtual void connection_event(std::uint64_t connection, std::string_view what) = 0;
  // The side's process has closed it. works: the connection was intact, and had taken all bytes.
  virtual void closed_by(std::uint64_t connection, Side side, std::size_t process, bool works) = 0;
  // Both sides have closed it: its number is not used again.
  virtual void connection_over(std::uint64_t connection) = 0;
};

// Receives the bytes of all connections. Only what it forwards arrives.
class Middleman {
 public:
  virtual ~Middleman() = default;
  virtual void sent(SimulatedInternet& internet, std::uint64_t connection, Side side,
                    std::string_view bytes) = 0;
  // The connection's number is not used again.
  virtual void over(std::uint64_t connection) = 0;
};

// Joins the networks of all machines. Ports belong to the whole world: the host of an endpoint is
// ignored. One thread.
class SimulatedInternet {
 public:
  struct Weather {
    bool tears = false;
    bool reorders = false;
  };

  // All must outlive it.
  SimulatedInternet(const WorldTime& now, SeededRandom& random, FaultCounts& counts,
                    InternetObserver& observer)
      : now_{now}, random_{random}, counts_{counts}, observer_{observer} {}
  SimulatedInternet(const SimulatedInternet&) = delete;
  SimulatedInternet& operator=(const SimulatedInternet&) = delete;
  ~SimulatedInternet();

  Weather weather;
  Middleman* middleman = nullptr;  // must outlive it; null: everything arrives

  // Delivers what has arrived by now. Unknown ids are ignored.
  void advance(std::uint64_t connection);

  // For the middleman. Forwarded bytes arrive after all others of that side, unless it has closed.
  // A connection that is cut breaks for both sides. With is_exempt, Fault::Alter waits for the next
  // bytes.
  void forward(std::uint64_t connection, Side side, std::string_view bytes, bool is_exempt = false);
  void cut(std::uint64_t connection);

  // Each fault strikes one random open connection; false: there is none.
  bool delay_one(WorldTime by);
  bool drop_one();
  bool silence_one();
  bool congest_one();
  // The next message in one direction is altered.
  bool alter_one();
  // The next connect is refused, or never answered.
  void refuse_next(bool is_answered) noexcept { refuses_ = is_answered ? 1 : 2; }
  // Ends congestion; silent connections break.
  void mend();

  [[nodiscard]] std::size_t open_connections() const noexcept { return connections_.size(); }
  // Bytes sent and not yet received, on all connections.
  [[nodiscard]] std::uint64_t bytes_on_their_way() const noexcept;

 private:
  friend class SimulatedNetwork;

  struct Segment {
    WorldTime at{};
    std::size_t bytes = 0;
  };
  // One direction: what was sent and not received yet.
  struct Pipe {
    std::vector<char> bytes;
    std::size_t begin = 0;    // of the bytes not yet received
    std::size_t arrived = 0;  // the number of them that have arrived
    std::vector<Segment> segments;
    std::size_t segments_begin = 0;
    std::size_t capacity = 0;
    bool alters_next = false;  // the next message that is sent whole
    WorldTime last_at{};
    WorldTime held_until{};
    std::optional<WorldTime> end_at;  // when the sender's end arrives
    bool end_arrived = false;

    [[nodiscard]] std::size_t size() const noexcept { return bytes.size() - begin; }
  };
  struct End {
    SimulatedNetwork* network = nullptr;  // null: closed
    transport::SocketId socket = 0;
    int broken = 0;  // the errno that it sees after it has read what arrived
    std::optional<WorldTime> unacknowledged;  // since the first bytes that were sent into silence
  };
  struct Connection {
    std::uint64_t id = 0;
    std::array<End, 2> ends;
    std::array<Pipe, 2> pipes;  // indexed by the side that receives
    WorldTime latency{};
    std::uint16_t port = 0;
    bool is_established = false;
    bool is_silent = false;
    WorldTime answered_at{};  // when the connect is answered
    bool is_refused = false;
  };
  struct Listener {
    SimulatedNetwork* network = nullptr;
    transport::SocketId socket = 0;
  };

  [[nodiscard]] Connection* find(std::uint64_t connection) noexcept;
  [[nodiscard]] Connection* any_established();
  Connection& begin(SimulatedNetwork& network, transport::SocketId socket, std::uint16_t port);
  void answer(Connection& connection);
  void send(Connection& connection, Side side, std::string_view bytes);
  void carry(Connection& connection, Side side, std::string_view bytes, bool is_exempt = false);
  void deliver(Connection& connection, Side side);
  void break_end(Connection& connection, Side side, int error_number);
  void close_end(Connection& connection, Side side);
  void drop(Connection& connection, int error_number);
  void erase_if_over(Connection& connection);
  void wake(const Connection& connection, Side side);

  const WorldTime& now_;
  SeededRandom& random_;
  FaultCounts& counts_;
  InternetObserver& observer_;
  std::uint64_t next_connection_ = 1;
  std::uint16_t next_port_ = 20'000;
  int refuses_ = 0;
  std::vector<std::unique_ptr<Connection>> connections_;  // ascending ids
  std::vector<std::unique_ptr<Connection>> free_;
  std::map<std::uint16_t, Listener> listeners_;
};

// The network as the processes of one machine see it. A new process finds no socket of the old one.
class SimulatedNetwork final : public transport::Network {
 public:
  // process: the observer's number of the machine.
  SimulatedNetwork(SimulatedInternet& internet, ProcessLife& life, std::size_t process)
      : internet_{internet}, life_{life}, process_{process} {}
  SimulatedNetwork(const SimulatedNetwork&) = delete;
  SimulatedNetwork& operator=(const SimulatedNetwork&) = delete;
  ~SimulatedNetwork() override { end_process(false); }

  // Closes every socket. Peers see the end, or a reset; with is_silent they see nothing.
  void end_process(bool is_silent);

  [[nodiscard]] std::expected<transport::SocketId, transport::NetworkError> listen(
      const transport::Endpoint& endpoint) override;
  [[nodiscard]] std::expected<transport::SocketId, transport::NetworkError> connect(
      const transport::Endpoint& endpoint) override;
  [[nodiscard]] std::uint16_t local_port(transport::SocketId socket) const override;
  [[nodiscard]] std::string peer_name(transport::SocketId socket) const override;
  [[nodiscard]] std::string last_error(transport::SocketId socket) const override;
  [[nodiscard]] std::uint64_t connections_refused() const noexcept override { return 0; }
  [[nodiscard]] transport::IoResult receive(transport::SocketId socket,
                                            std::span<char> buffer) noexcept override;
  [[nodiscard]] transport::IoResult send(transport::SocketId socket,
                                         std::span<const char> bytes) noexcept override;
  void pause(transport::SocketId socket, bool paused) noexcept override;
  void close(transport::SocketId socket) noexcept override;
  [[nodiscard]] std::size_t wait(std::span<transport::Ready> events,
                                 std::optional<std::chrono::nanoseconds> timeout) noexcept override;
  void wake() noexcept override { internet_.observer_.process_is_ready(process_); }
  [[nodiscard]] int descriptor() const noexcept override { return -1; }

  // wait() would return something.
  [[nodiscard]] bool is_ready() const noexcept;

 private:
  friend class SimulatedInternet;

  enum class State : std::uint8_t { Listening, Connecting, Answered, Unaccepted, Open, Failed };
  struct Socket {
    transport::SocketId id = 0;
    State state = State::Open;
    Side side = 0;
    bool wants_room = false;
    bool is_paused = false;
    std::uint16_t port = 0;
    int error_number = 0;
    transport::SocketId listener = 0;
    std::uint64_t connection = 0;
  };

  transport::SocketId add(Socket socket);
  [[nodiscard]] Socket* find(transport::SocketId socket) noexcept;
  [[nodiscard]] const Socket* find(transport::SocketId socket) const noexcept;
  [[nodiscard]] std::optional<transport::Ready> ready_of(const Socket& socket) const noexcept;
  [[nodiscard]] bool has_room(const Socket& socket) const noexcept;

  SimulatedInternet& internet_;
  ProcessLife& life_;
  std::size_t process_;
  transport::SocketId next_socket_ = 1;
  std::vector<Socket> sockets_;  // ascending ids
};

}  // namespace nexusfix::simulator
