// A link between an initiator and an acceptor on loopback: passes whole messages on, until a test
// makes it lose one, cut a connection, or stall.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <nexusfix/base/clock.hpp>
#include <nexusfix/transport/network.hpp>

namespace nexusfix::soak {

enum class LinkFault : std::uint8_t {
  Cut,     // a connection, between two messages
  Tear,    // a connection, within a message
  CutAll,  // every connection at once
  Lose,    // an application message that is sent for the first time
  Stall,   // one side's bytes are not read for up to 1.5 s: a slow reader
};
inline constexpr std::size_t kLinkFaults = 5;

class FaultyLink {
 public:
  explicit FaultyLink(std::uint64_t seed);
  ~FaultyLink();
  FaultyLink(const FaultyLink&) = delete;
  FaultyLink& operator=(const FaultyLink&) = delete;

  // All of these: any thread.
  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
  // The port that connections are passed on to; 0: they are closed.
  void forward_to(std::uint16_t port) noexcept { target_.store(port); }
  // Soon, on a random connection and direction.
  void inflict(LinkFault fault);
  [[nodiscard]] std::uint64_t inflicted(LinkFault fault) const noexcept {
    return inflicted_[static_cast<std::size_t>(fault)].load();
  }

 private:
  // One direction of a connection.
  struct Direction {
    transport::SocketId from = 0;
    transport::SocketId to = 0;
    std::string unframed;  // the beginning of a message
    std::string unsent;
    MonoTime stalled_until = MonoTime::min();
    bool is_paused = false;
    bool is_connected = false;  // to the other side
    bool has_ended = false;     // unsent bytes are still passed on
    bool loses_next = false;
    bool tears_next = false;
  };
  using Pair = std::array<Direction, 2>;  // from the initiator, and to it

  void run();
  void handle(const transport::Ready& ready);
  void accept(transport::SocketId socket);
  [[nodiscard]] Direction* find(transport::SocketId from);
  void receive(Direction& direction);
  void pass_messages(Direction& direction);
  void send(Direction& direction);
  void move_bytes(Direction& direction);
  [[nodiscard]] bool is_over(const Pair& pair) const noexcept;
  void close(const Pair& pair);
  void begin_faults();
  void begin(LinkFault fault);
  void count(LinkFault fault) { inflicted_[static_cast<std::size_t>(fault)].fetch_add(1); }

  SystemClock clock_;
  SeededRandom random_;
  std::unique_ptr<transport::Network> network_;
  std::uint16_t port_ = 0;
  transport::SocketId listener_ = 0;
  std::list<Pair> pairs_;
  std::vector<char> buffer_;

  std::atomic<std::uint16_t> target_{0};
  std::array<std::atomic<std::uint64_t>, kLinkFaults> inflicted_{};
  std::mutex mutex_;
  std::vector<LinkFault> asked_;  // guarded by mutex_
  std::atomic<bool> ends_{false};
  std::thread thread_;
};

}  // namespace nexusfix::soak
