// Many hostile connections to a venue, on plain sockets, because they end by a reset, as our own
// connections never do.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace nexusfix::attack {

// The addresses 127.0.FIRST.1, and those of the following numbers after FIRST.
struct Source {
  unsigned first = 0;
  unsigned count = 1;
};

enum class Leaves : std::uint8_t { WhenClosed, WhenConnected, WhenAnswered, WhenSent };

struct Attack {
  std::string name{};
  unsigned host = 1;  // 127.0.0.HOST
  std::uint16_t port = 0;
  Source source{};
  std::size_t count = 0;    // of connections
  std::size_t at_once = 0;  // of these, the maximum at the same time
  bool lasts = false;       // a closed connection is opened again, until the others have ended
  bool dribbles = false;    // sends a byte now and then
  bool is_deaf = false;     // reads nothing, and so does not see that it was closed
  Leaves leaves = Leaves::WhenClosed;
  std::function<std::string(std::size_t number)> text{};

  // Set by HostilePeers:
  std::size_t begun = 0;
  std::size_t open = 0;
};

class HostilePeers {
 public:
  // dribble_each: the time after which a dribbler sends its next byte.
  explicit HostilePeers(std::chrono::nanoseconds dribble_each);
  ~HostilePeers();
  HostilePeers(const HostilePeers&) = delete;
  HostilePeers& operator=(const HostilePeers&) = delete;

  // Opens connections and moves bytes. False: everything is done and closed.
  bool advance(std::deque<Attack>& attacks);

 private:
  struct Peer {
    Attack* attack = nullptr;
    std::string unsent;
    std::size_t sent = 0;
  };

  [[nodiscard]] bool begin(Attack& attack);
  void wait();
  void on_ready(int descriptor, std::uint32_t events);
  void send(int descriptor, Peer& peer);
  void dribble();
  void drop(int descriptor);
  void watch(int operation, int descriptor, std::uint32_t events) const;

  std::chrono::nanoseconds dribble_each_;
  int epoll_ = -1;
  std::vector<std::unique_ptr<Peer>> peers_;  // by their descriptors
  std::deque<int> dribblers_;                 // the first one is next
  std::chrono::steady_clock::time_point dribbled_at_ = std::chrono::steady_clock::now();
};

}  // namespace nexusfix::attack
