// A network in memory for tests: any number of Networks joined by pipes. No threads, no time, no
// chance; wait() never blocks. A test decides how bytes are split, delayed and lost, and when
// connections break. In a steady state it does not allocate.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <nexusfix/transport/network.hpp>

namespace nexusfix::transport {

class FakeNetwork;

// Connects FakeNetworks. Must outlive them.
class FakeInternet {
 public:
  struct Limits {
    std::size_t receive_bytes_max = SIZE_MAX;  // the most that one receive() returns
    // the most that one send() takes; the rest needs Writable
    std::size_t send_bytes_max = SIZE_MAX;
    bool hold = false;            // sent bytes and ends wait until deliver()
    bool has_descriptors = true;  // false: connect() fails at once with EMFILE
  };
  Limits limits;

  explicit FakeInternet(std::size_t pipe_bytes = 256U << 10U) : pipe_bytes_{pipe_bytes} {}

  // Every connect() to the port fails with this error; 0: connect() works again.
  void refuse(std::uint16_t port, int error_number) { refused_[port] = error_number; }
  // connect() to the port is never answered; false: later connects work again.
  void swallow(std::uint16_t port, bool on) { swallowed_[port] = on; }
  // Up to that number of held bytes in each direction of each connection arrives.
  void deliver(std::size_t bytes_max = SIZE_MAX);

 private:
  friend class FakeNetwork;

  // One direction: a ring of bytes, some of which have arrived.
  struct Pipe {
    std::vector<char> ring;
    std::size_t head = 0;
    std::size_t size = 0;
    std::size_t arrived = 0;
    bool ended = false;
    bool end_arrived = false;
  };
  struct Connection {
    Pipe pipes[2];  // indexed by the side that reads
    bool closed[2] = {false, false};
    int broken = 0;  // errno
  };
  struct Listener {
    SocketId socket = 0;
    FakeNetwork* network = nullptr;
  };

  std::size_t pipe_bytes_;
  SocketId next_socket_ = 1;
  std::uint16_t next_port_ = 20'000;
  std::map<std::uint16_t, Listener> listeners_;
  std::map<std::uint16_t, int> refused_;
  std::map<std::uint16_t, bool> swallowed_;
  std::vector<std::weak_ptr<Connection>> connections_;
};

class FakeNetwork final : public Network {
 public:
  // The address is only shown by peer_name().
  explicit FakeNetwork(FakeInternet& internet, std::string address = "10.0.0.1");
  ~FakeNetwork() override;
  FakeNetwork(const FakeNetwork&) = delete;
  FakeNetwork& operator=(const FakeNetwork&) = delete;

  // Both ends see the error after they have read what had arrived; held bytes are lost.
  void break_connection(SocketId socket, int error_number);
  // Called in wait(), except with a zero timeout: what others do meanwhile.
  std::function<void()> while_waiting;
  // As if the process had been killed: every socket is closed, and its peers see the end.
  void close_all() noexcept;
  [[nodiscard]] std::size_t open_sockets() const noexcept { return sockets_.size(); }
  // The number of wake() calls since the last wait().
  [[nodiscard]] unsigned wakes() const noexcept { return wakes_.load(std::memory_order_relaxed); }

  [[nodiscard]] std::expected<SocketId, NetworkError> listen(const Endpoint& endpoint) override;
  [[nodiscard]] std::expected<SocketId, NetworkError> connect(const Endpoint& endpoint) override;
  [[nodiscard]] std::uint16_t local_port(SocketId socket) const override;
  [[nodiscard]] std::string peer_name(SocketId socket) const override;
  [[nodiscard]] std::string last_error(SocketId socket) const override;
  [[nodiscard]] std::uint64_t connections_refused() const noexcept override { return 0; }
  [[nodiscard]] IoResult receive(SocketId socket, std::span<char> buffer) noexcept override;
  [[nodiscard]] IoResult send(SocketId socket, std::span<const char> bytes) noexcept override;
  void pause(SocketId socket, bool paused) noexcept override;
  void close(SocketId socket) noexcept override;
  [[nodiscard]] std::size_t wait(std::span<Ready> events,
                                 std::optional<std::chrono::nanoseconds> timeout) noexcept override;
  // The number of expect_wake() calls.
  [[nodiscard]] unsigned expected_wakes() const noexcept { return expected_wakes_; }
  void expect_wake() noexcept override { ++expected_wakes_; }
  void wake() noexcept override { wakes_.fetch_add(1, std::memory_order_relaxed); }
  [[nodiscard]] int descriptor() const noexcept override { return -1; }

 private:
  enum class State : std::uint8_t { Listening, Silent, Connecting, Unaccepted, Open, Failed };

  struct Socket {
    SocketId id = 0;
    State state = State::Open;
    SocketId listener = 0;  // while Unaccepted
    int side = 0;
    int error_number = 0;
    const char* operation = "";
    bool wants_room = false;
    bool is_paused = false;
    std::uint16_t port = 0;
    std::string peer;
    std::shared_ptr<FakeInternet::Connection> connection;
  };

  [[nodiscard]] Socket& add(State state);
  [[nodiscard]] Socket* find(SocketId socket) noexcept;
  [[nodiscard]] const Socket* find(SocketId socket) const noexcept;
  void release(Socket& socket) noexcept;
  [[nodiscard]] bool report(Socket& socket, std::span<Ready> events, std::size_t& count) noexcept;

  FakeInternet& internet_;
  std::string address_;
  std::vector<Socket> sockets_;  // in the order of their ids
  std::size_t next_reported_ = 0;
  unsigned expected_wakes_ = 0;
  std::atomic<unsigned> wakes_{0};  // wake() may be called from any thread
};

}  // namespace nexusfix::transport
