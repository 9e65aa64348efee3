// Everything at once that somebody may do to a venue's port, within bounds: attacker PORT. Ends
// when the venue has closed all of it, or when that takes too long.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <nexusfix/transport/network.hpp>

#include "support/fix_text.hpp"

namespace nexusfix::attack {
namespace {

using testing::fix;
using transport::IoStatus;
using transport::SocketId;

constexpr int kDribblers = 200;
constexpr int kKnocks = 2'000;
constexpr int kKnocksAtOnce = 50;
constexpr int kBadOnesOfAKind = 100;
constexpr int kStorm = 5'000;
constexpr int kUnread = 20'000;
constexpr int kResends = 300;
constexpr std::chrono::seconds kLongest{40};  // says that something hangs

// Each kind has an address of its own, so that one does not keep the other out.
constexpr const char* kDribbling = "127.0.0.2";
constexpr const char* kKnocking = "127.0.0.4";
constexpr const char* kStrange = "127.0.0.5";
constexpr const char* kLoggedOn = "127.0.0.6";

std::string message(std::string_view who, std::string_view type, int number,
                    std::string_view body) {
  return fix("FIX.4.4", "35=" + std::string{type} + "|49=" + std::string{who} +
                            "|56=VENUE|34=" + std::to_string(number) +
                            "|52=20260105-10:00:00.000|" + std::string{body});
}
std::string logon(std::string_view who) { return message(who, "A", 1, "98=0|108=0|141=Y|"); }

struct Peer {
  std::string unsent;
  std::size_t sent = 0;
  bool dribbles = false;  // a byte now and then
  bool is_deaf = false;   // reads nothing
  bool is_paused = false;
  bool is_connected = false;
};

class Attacker {
 public:
  explicit Attacker(std::uint16_t port) : port_{port} {}

  SocketId connect(const char* from, Peer peer) {
    transport::Endpoint venue{"127.0.0.1", port_};
    venue.options.source_host = from;
    const auto socket = network_->connect(venue);
    if (!socket) return 0;
    peers_.emplace(*socket, std::move(peer));
    return *socket;
  }

  void knock() {
    std::array<SocketId, kKnocksAtOnce> sockets{};
    for (int i = 0; i < kKnocks / kKnocksAtOnce; ++i) {
      for (SocketId& socket : sockets) socket = connect(kKnocking, {});
      turn();
      for (const SocketId socket : sockets) drop(socket);
    }
  }

  void turn() {
    std::array<transport::Ready, 256> ready;
    const std::size_t count = network_->wait(ready, std::chrono::milliseconds{1});
    for (std::size_t i = 0; i < count; ++i) {
      const auto found = peers_.find(ready[i].socket);
      if (found == peers_.end()) continue;
      if (ready[i].kind == transport::ReadyKind::Connected) found->second.is_connected = true;
      if (ready[i].kind == transport::ReadyKind::Failed) drop(ready[i].socket);
      if (ready[i].kind == transport::ReadyKind::Readable) read(found->first, found->second);
    }
    for (auto at = peers_.begin(); at != peers_.end();) {
      const auto next = std::next(at);
      if (!write(at->first, at->second)) drop(at->first);
      at = next;
    }
  }

  // Who reads nothing does not see that it was closed.
  [[nodiscard]] std::ptrdiff_t open() const noexcept {
    return std::ranges::count_if(peers_, [](const auto& one) { return !one.second.is_deaf; });
  }

 private:
  void drop(SocketId socket) {
    network_->close(socket);
    peers_.erase(socket);
  }

  void read(SocketId socket, Peer& peer) {
    if (peer.is_deaf && !std::exchange(peer.is_paused, true)) return network_->pause(socket, true);
    if (peer.is_deaf) return drop(socket);  // It has broken.
    std::array<char, 65'536> bytes;
    const auto result = network_->receive(socket, bytes);
    if (result.status != IoStatus::Ok && result.status != IoStatus::WouldBlock) drop(socket);
  }

  bool write(SocketId socket, Peer& peer) {
    if (!peer.is_connected || peer.sent == peer.unsent.size()) return true;
    std::string_view bytes = std::string_view{peer.unsent}.substr(peer.sent);
    if (peer.dribbles) bytes = bytes.substr(0, 1);
    const auto result = network_->send(socket, bytes);
    if (result.status == IoStatus::Ok) peer.sent += result.bytes;
    return result.status == IoStatus::Ok || result.status == IoStatus::WouldBlock;
  }

  std::unique_ptr<transport::Network> network_ = transport::make_epoll_network().value();
  std::uint16_t port_;
  std::map<SocketId, Peer> peers_;
};

void send_bad_ones(Attacker& attacker) {
  for (int i = 0; i < kBadOnesOfAKind; ++i) {
    attacker.connect(kStrange, {.unsent = logon("STRANGER" + std::to_string(i))});
    attacker.connect(kStrange, {.unsent = message("LIVE0", "D", 1, "11=X|")});
    attacker.connect(kStrange,
                     {.unsent = std::string{"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11} +
                                std::string(500, '\x5a')});
    attacker.connect(kStrange, {.unsent = std::string(10'000, '8')});
    attacker.turn();
  }
}

// Logged on, and then: garbled messages, orders whose answers nobody reads, the same ResendRequest,
// TestRequests.
void abuse_sessions(Attacker& attacker) {
  std::string garbled = logon("GARBLER");
  std::string deaf = logon("DEAF");
  std::string asker = logon("ASKER");
  std::string pinger = logon("PINGER");
  for (int i = 0; i < kStorm; ++i) {
    std::string torn = message("GARBLER", "0", i + 2, "");
    torn[torn.size() - 2] = 'x';
    garbled += torn;
    pinger += message("PINGER", "1", i + 2, "112=T|");
  }
  const std::string text(200, 'x');
  for (int i = 0; i < kUnread; ++i) deaf += message("DEAF", "D", i + 2, "11=" + text + "|");
  for (int i = 0; i < kResends; ++i) asker += message("ASKER", "D", i + 2, "11=" + text + "|");
  for (int i = 0; i < kResends; ++i) asker += message("ASKER", "2", kResends + 2 + i, "7=1|16=0|");
  attacker.connect(kLoggedOn, {.unsent = std::move(garbled)});
  attacker.connect(kLoggedOn, {.unsent = std::move(deaf), .is_deaf = true});
  attacker.connect(kLoggedOn, {.unsent = std::move(asker)});
  attacker.connect(kLoggedOn, {.unsent = std::move(pinger)});
}

int run(std::uint16_t port) {
  Attacker attacker{port};
  abuse_sessions(attacker);
  for (int i = 0; i < 20; ++i) attacker.turn();
  const std::string endless = testing::soh("8=FIX.4.4|9=3900|35=A|58=") + std::string(3'000, 'x');
  for (int i = 0; i < kDribblers; ++i) {
    attacker.connect(kDribbling, {.unsent = endless, .dribbles = true});
  }
  attacker.knock();
  send_bad_ones(attacker);
  const auto until = std::chrono::steady_clock::now() + kLongest;
  while (attacker.open() > 0 && std::chrono::steady_clock::now() < until) attacker.turn();
  std::printf("the venue has left %td connections of the attacker's open\n", attacker.open());
  return attacker.open() == 0 ? 0 : 1;
}

}  // namespace
}  // namespace nexusfix::attack

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  return nexusfix::attack::run(static_cast<std::uint16_t>(std::atoi(argv[1])));
}
