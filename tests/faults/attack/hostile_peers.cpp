#include "faults/attack/hostile_peers.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <netinet/in.h>
#include <stdexcept>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace nexusfix::attack {
namespace {

constexpr std::size_t kBegunPerTurn = 20;  // of each attack
constexpr std::size_t kTimes = 5;          // connections that come back connect at most this often

constexpr std::uint32_t kNetwork = 127U << 24U;

sockaddr_in address_of(std::uint32_t host, std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(host);
  address.sin_port = htons(port);
  return address;
}

bool connect_from(int descriptor, const Attack& attack) {
  const std::uint32_t third =
      attack.source.first + static_cast<std::uint32_t>(attack.begun % attack.source.count);
  const sockaddr_in from = address_of(kNetwork | third << 8U | 1U, 0);
  const sockaddr_in to = address_of(kNetwork | attack.host, attack.port);
  constexpr int kOn = 1;
  constexpr linger kReset{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &kReset, sizeof kReset);
  // The system chooses the port after the destination is known.
  ::setsockopt(descriptor, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &kOn, sizeof kOn);
  if (::bind(descriptor, reinterpret_cast<const sockaddr*>(&from), sizeof from) != 0) return false;
  return ::connect(descriptor, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0 ||
         errno == EINPROGRESS;
}

}  // namespace

HostilePeers::HostilePeers(std::chrono::nanoseconds dribble_each)
    : dribble_each_{dribble_each}, epoll_{::epoll_create1(EPOLL_CLOEXEC)} {
  if (epoll_ < 0) throw std::runtime_error{"epoll_create1"};
}

HostilePeers::~HostilePeers() {
  for (std::size_t i = 0; i < peers_.size(); ++i) {
    if (peers_[i]) ::close(static_cast<int>(i));
  }
  ::close(epoll_);
}

void HostilePeers::watch(int operation, int descriptor, std::uint32_t events) const {
  epoll_event event{};
  event.events = events;
  event.data.fd = descriptor;
  ::epoll_ctl(epoll_, operation, descriptor, &event);
}

bool HostilePeers::advance(std::deque<Attack>& attacks) {
  const bool others_go_on = std::ranges::any_of(attacks, [](const Attack& one) {
    return !one.lasts && (one.begun < one.count || one.open > 0);
  });
  std::size_t open = 0;
  for (Attack& attack : attacks) {
    const std::size_t count = attack.lasts && others_go_on ? kTimes * attack.count : attack.count;
    for (std::size_t i = 0; i < kBegunPerTurn; ++i) {
      if (attack.open == attack.at_once || attack.begun >= count || !begin(attack)) break;
    }
    open += attack.open;
  }
  dribble();
  wait();
  return others_go_on || open > 0;
}

bool HostilePeers::begin(Attack& attack) {
  const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return false;
  if (!connect_from(descriptor, attack)) {
    ::close(descriptor);
    return false;
  }
  const auto index = static_cast<std::size_t>(descriptor);
  if (peers_.size() <= index) peers_.resize(index + 1);
  peers_[index] = std::make_unique<Peer>(Peer{&attack, attack.text(attack.begun)});
  ++attack.begun;
  ++attack.open;
  if (attack.dribbles) dribblers_.push_back(descriptor);
  watch(EPOLL_CTL_ADD, descriptor, EPOLLOUT);
  return true;
}

void HostilePeers::wait() {
  std::array<epoll_event, 512> ready;
  const int count = ::epoll_wait(epoll_, ready.data(), static_cast<int>(ready.size()), 1);
  for (int i = 0; i < count; ++i) {
    const epoll_event& event = ready[static_cast<std::size_t>(i)];
    on_ready(event.data.fd, event.events);
  }
}

void HostilePeers::on_ready(int descriptor, std::uint32_t events) {
  Peer* const peer = peers_[static_cast<std::size_t>(descriptor)].get();
  if (peer == nullptr) return;
  if ((events & (EPOLLERR | EPOLLHUP)) != 0) return drop(descriptor);
  if ((events & EPOLLIN) != 0) {
    constexpr std::size_t kDiscarded = 1U << 20U;
    const ssize_t count = ::recv(descriptor, nullptr, kDiscarded, MSG_TRUNC);
    const bool has_ended = count == 0 || (count < 0 && errno != EAGAIN);
    if (has_ended || peer->attack->leaves == Leaves::WhenAnswered) return drop(descriptor);
  }
  if ((events & EPOLLOUT) == 0) return;
  if (peer->attack->leaves == Leaves::WhenConnected) return drop(descriptor);
  if (peer->attack->dribbles) return watch(EPOLL_CTL_MOD, descriptor, EPOLLIN);
  send(descriptor, *peer);
}

void HostilePeers::send(int descriptor, Peer& peer) {
  const ssize_t count = ::send(descriptor, peer.unsent.data() + peer.sent,
                               peer.unsent.size() - peer.sent, MSG_NOSIGNAL);
  if (count < 0 && errno != EAGAIN) return drop(descriptor);
  if (count > 0) peer.sent += static_cast<std::size_t>(count);
  const bool has_more = peer.sent < peer.unsent.size();
  if (!has_more && peer.attack->leaves == Leaves::WhenSent) return drop(descriptor);
  const std::uint32_t reads = peer.attack->is_deaf ? 0U : EPOLLIN;
  watch(EPOLL_CTL_MOD, descriptor, reads | (has_more ? EPOLLOUT : 0U));
}

// A byte on each within dribble_each_.
void HostilePeers::dribble() {
  if (dribblers_.empty()) return;
  const auto each = dribble_each_ / dribblers_.size();
  const auto now = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < dribblers_.size() && dribbled_at_ + each <= now; ++i) {
    dribbled_at_ += each;
    const int descriptor = dribblers_.front();
    dribblers_.pop_front();
    dribblers_.push_back(descriptor);
    Peer& peer = *peers_[static_cast<std::size_t>(descriptor)];
    if (peer.sent == peer.unsent.size()) continue;
    if (::send(descriptor, peer.unsent.data() + peer.sent, 1, MSG_NOSIGNAL) == 1) ++peer.sent;
  }
}

void HostilePeers::drop(int descriptor) {
  auto& peer = peers_[static_cast<std::size_t>(descriptor)];
  --peer->attack->open;
  if (peer->attack->dribbles) std::erase(dribblers_, descriptor);
  peer.reset();
  ::close(descriptor);
}

}  // namespace nexusfix::attack
