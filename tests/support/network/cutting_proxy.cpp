#include "support/network/cutting_proxy.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <poll.h>
#include <stdexcept>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace nexusfix::testing {
namespace {

sockaddr_un address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) throw std::runtime_error{"path too long"};
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  return address;
}

void wait_until(const std::atomic<std::uint64_t>& counter, std::uint64_t count) {
  for (std::uint64_t seen = counter.load(); seen < count; seen = counter.load()) counter.wait(seen);
}

}  // namespace

CuttingProxy::CuttingProxy(std::string server_socket)
    : server_socket_{std::move(server_socket)},
      listener_{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)},
      wake_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)} {
  const std::string name = server_socket_.substr(server_socket_.rfind('/') + 1);
  const sockaddr_un address = address_of(folder_.file(name));
  if (::bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(listener_, 16) != 0) {
    throw std::runtime_error{"listen failed"};
  }
  thread_ = std::thread{[this] { run(); }};
}

CuttingProxy::~CuttingProxy() {
  {
    const std::lock_guard lock{mutex_};
    ends_ = true;
  }
  wake();
  thread_.join();
  ::close(listener_);
  ::close(wake_);
}

void CuttingProxy::wake() {
  const std::uint64_t one = 1;
  static_cast<void>(!::write(wake_, &one, sizeof one));
}

void CuttingProxy::cut_after_to_server(std::uint64_t bytes) {
  const std::lock_guard lock{mutex_};
  rest_to_server_ = bytes;
}

void CuttingProxy::cut_after_to_client(std::uint64_t bytes) {
  const std::lock_guard lock{mutex_};
  rest_to_client_ = bytes;
}

void CuttingProxy::cancel_cuts() {
  const std::lock_guard lock{mutex_};
  rest_to_server_ = kNoLimit;
  rest_to_client_ = kNoLimit;
}

void CuttingProxy::cut_now() {
  {
    const std::lock_guard lock{mutex_};
    cuts_now_ = true;
  }
  wake();
}

void CuttingProxy::orphan() {
  {
    const std::lock_guard lock{mutex_};
    orphans_now_ = true;
  }
  wake();
}

void CuttingProxy::refuse(bool refuses) {
  const std::lock_guard lock{mutex_};
  refuses_ = refuses;
}

void CuttingProxy::stall(bool stalls) {
  {
    const std::lock_guard lock{mutex_};
    stalls_ = stalls;
  }
  wake();
}

void CuttingProxy::forward_to(std::string server_socket) {
  const std::lock_guard lock{mutex_};
  server_socket_ = std::move(server_socket);
}

void CuttingProxy::wait_for_cuts(std::uint64_t count) const { wait_until(cuts_, count); }
void CuttingProxy::wait_for_refusals(std::uint64_t count) const { wait_until(refusals_, count); }

void CuttingProxy::cut_all() {
  for (const Pair& pair : pairs_) {
    ::close(pair.client);
    ::close(pair.server);
  }
  pairs_.clear();
  rest_to_server_ = kNoLimit;
  rest_to_client_ = kNoLimit;
  cuts_now_ = false;
  ++cuts_;
  cuts_.notify_all();
}

void CuttingProxy::orphan_all() {
  for (const Pair& pair : pairs_) {
    ::close(pair.client);
    orphans_.push_back(pair.server);
  }
  pairs_.clear();
  orphans_now_ = false;
}

void CuttingProxy::accept_one() {
  const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
  if (client < 0) return;
  const sockaddr_un address = address_of(server_socket_);
  const int server = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (refuses_ ||
      ::connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    ::close(client);
    ::close(server);
    ++refusals_;
    refusals_.notify_all();
    return;
  }
  pairs_.push_back({client, server});
}

bool CuttingProxy::pass(int from, int to, std::uint64_t& rest, std::atomic<std::uint64_t>& count) {
  std::array<char, 65536> buffer;
  const ssize_t got = ::recv(from, buffer.data(), buffer.size(), 0);
  if (got <= 0) return false;
  const std::uint64_t passed = std::min<std::uint64_t>(static_cast<std::uint64_t>(got), rest);
  for (std::size_t at = 0; at < passed;) {
    const ssize_t sent = ::send(to, buffer.data() + at, passed - at, MSG_NOSIGNAL);
    if (sent <= 0) return false;
    at += static_cast<std::size_t>(sent);
  }
  count += passed;
  if (rest != kNoLimit) rest -= passed;
  return true;
}

void CuttingProxy::run() {
  for (;;) {
    std::vector<pollfd> waited{{wake_, POLLIN, 0}, {listener_, POLLIN, 0}};
    {
      const std::lock_guard lock{mutex_};
      if (ends_) break;
      if (orphans_now_) orphan_all();
      if (cuts_now_ || rest_to_server_ == 0 || rest_to_client_ == 0) cut_all();
      for (const Pair& pair : pairs_) {
        if (stalls_) break;
        waited.push_back({pair.client, POLLIN, 0});
        waited.push_back({pair.server, POLLIN, 0});
      }
    }
    if (::poll(waited.data(), waited.size(), -1) < 0) continue;
    std::uint64_t ignored = 0;
    static_cast<void>(!::read(wake_, &ignored, sizeof ignored));
    const std::lock_guard lock{mutex_};
    if (waited[1].revents != 0) accept_one();
    if (stalls_) continue;  // since the poll began
    std::size_t at = 2;
    for (auto pair = pairs_.begin(); pair != pairs_.end() && at + 1 < waited.size(); at += 2) {
      bool lives = true;
      if (waited[at].revents != 0) {
        lives = pass(pair->client, pair->server, rest_to_server_, to_server_);
      }
      if (lives && waited[at + 1].revents != 0) {
        lives = pass(pair->server, pair->client, rest_to_client_, to_client_);
      }
      if (lives) {
        ++pair;
        continue;
      }
      ::close(pair->client);
      ::close(pair->server);
      pair = pairs_.erase(pair);
    }
  }
  const std::lock_guard lock{mutex_};
  cut_all();
  for (const int server : orphans_) ::close(server);
}

}  // namespace nexusfix::testing
