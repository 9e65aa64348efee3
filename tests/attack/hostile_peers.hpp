// Many connections to a venue that mean it ill, on sockets of the operating system's, because they
// end as no connection of ours does: by a reset.
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

// The addresses 127.0.FIRST.1 and as many more behind FIRST as there are.
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
  std::size_t at_once = 0;  // of these
  bool lasts = false;       // who was closed comes again, as long as the others have not ended
  bool dribbles = false;    // a byte now and then
  bool is_deaf = false;     // reads nothing, and so does not see that it was closed
  Leaves leaves = Leaves::WhenClosed;
  std::function<std::string(std::size_t number)> text{};

  // Of HostilePeers:
  std::size_t begun = 0;
  std::size_t open = 0;
};

class HostilePeers {
 public:
  HostilePeers();
  ~HostilePeers();
  HostilePeers(const HostilePeers&) = delete;
  HostilePeers& operator=(const HostilePeers&) = delete;

  // Begins what may begin and moves what can be moved. False: all has been done and is closed.
  bool go_on(std::deque<Attack>& attacks);

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

  int epoll_ = -1;
  std::vector<std::unique_ptr<Peer>> peers_;  // by their descriptors
  std::deque<int> dribblers_;                 // whose turn it is first
  std::chrono::steady_clock::time_point dribbled_at_ = std::chrono::steady_clock::now();
};

}  // namespace nexusfix::attack
